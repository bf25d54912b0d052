// The cost of each entry of the pair tables: nanoseconds a pair on every instruction set available, caches warm,
// without a world. The rows are those of the tables themselves, in 3D and in 2D.
#ifndef ABUT_BENCH_PAIRS_H
#define ABUT_BENCH_PAIRS_H

#include "row_files.h"

#include "narrow/narrow.h"

enum
{
    PAIRS_SET = 4096, // pairs of a set
    PAIRS_MIXED = 0,
    PAIRS_TOUCHING,
    PAIRS_SEPARATED, // near: their boxes overlap
    PAIRS_SETS
};

// Pairs of one type: proxy 2i with proxy 2i + 1.
typedef struct pairs_set
{
    abut_shape *shapes;
    ab_record *records;  // 64-aligned
    uint32_t *colliders; // each its own
    uint32_t *a, *b;     // with room past the last that names some pair
    ab_kind_set kinds;
    bool is_2d;
    void *memory; // of the records
} pairs_set;

typedef struct pairs_row
{
    const char *name; // of the pair type
    bool is_2d;
    abut_isa isa;
    double ns[PAIRS_SETS];   // a pair, the median of the repeats
    double touching, points; // of the mixed set: share of pairs, and points a touching pair
    uint64_t hash;           // of all manifolds of all sets
} pairs_row;

// Where in the tables.
typedef struct pairs_type
{
    abut_shape_kind lower, higher;
    bool is_2d;
} pairs_type;

// A set in which pairs touch or do not, as asked; `which` is PAIRS_…. False when shapes of these kinds cannot be made.
// To be released either way.
bool pairs_set_make(pairs_set *set, const pairs_type *at, uint32_t which);
void pairs_set_release(pairs_set *set);

ab_batch pairs_set_batch(const pairs_set *set, uint32_t first, uint32_t count);

// Measures every pair type on the selected instruction sets and writes row by row. False with a complaint.
bool pairs_run(const bench_options *options, bench_complaint *complaint);

// Writes what is above the rows.
bool pairs_report_open(row_files *report, const bench_options *options, bench_complaint *complaint);
void pairs_report_row(const row_files *report, const pairs_row *row);

#endif
