// The buckets of the pair stream → manifolds. Buckets are cut into slices, which go through the kernel of their cell; a
// task is one slice, or all of them. A kernel writes lines where they stay: behind all others where one task runs at a
// time, else into a block of lines. Where there is no room for that, it writes to the task's own stack, and what it
// found goes to stretches claimed for it. Where a patch lies therefore tells nothing; what follows sorts them.
//
// A caller's function may break its promise to be pure. A slice that is run again therefore writes no more than it has
// claimed, and what it has claimed and not written is taken out at the end.
#ifndef AB_NARROW_PASS_H
#define AB_NARROW_PASS_H

#include "base/tasks.h"
#include "narrow/manifold_blocks.h"
#include "narrow/packed_manifolds.h"
#include "pairs/pair_stream.h"

#include <abut/statistics.h>

#include <stdatomic.h>

// What happens in a cell.
static inline const ab_pair_type *ab_pair_type_of(const ab_pair_table *table, uint32_t type)
{
    uint32_t lower, higher;
    ab_pair_type_kinds(type, &lower, &higher);
    return &table->type[lower][higher];
}

// Pairs of a slice that are run at a time where what they find is written elsewhere first: so few that it takes little
// of a stack.
#define AB_PIECE  128u
#define AB_PIECES (AB_CHUNK / AB_PIECE)

// Where what was found goes: lines and patches that nobody else has claimed, less what has been written there.
typedef struct ab_claim
{
    uint32_t first_line, first_manifold, lines, manifolds;
    uint32_t points; // found
    bool placed;
} ab_claim;

// Pairs that follow each other in the stream, and what became of them; cache lines of its own.
typedef struct ab_slice
{
    _Alignas(AB_CACHE_LINE) const ab_pair_type *pair_type;
    uint64_t elapsed_ns;
    uint32_t first, count; // pairs of the stream
    uint32_t type;
    uint32_t manifolds, lines, points;
    uint32_t gaps;               // patches that were claimed, but not found again
    uint32_t invalid_proxy;      // of a pair whose function gave no manifold, or ABUT_NONE
    ab_claim claim[AB_PIECES];   // by piece, or one for all
    bool claimed, whole, placed; // whole: one claim has all
} ab_slice;

// How much was found among so many pairs.
typedef struct ab_narrow_yield
{
    size_t pairs, lines, manifolds;
} ab_narrow_yield;

typedef struct ab_narrow_pass
{
    ab_memory *memory;
    const ab_pair_table *table;
    const ab_pair_stream *stream;
    ab_packed_manifolds *out;
    ab_batch batch; // what all slices have in common
    ab_granularity granularity;
    bool single_threaded;      // one thread runs every task
    ab_partition partition;    // of the slices
    ab_slice *slices;          // growable
    size_t pairs;              // of all slices
    uint32_t invalid_proxy;    // when a pair function's answer made the pass ABUT_INVALID_ARGUMENT
    ab_narrow_yield known;     // of the last detect; without pairs: of none
    ab_manifold_blocks blocks; // of lines
    _Atomic size_t claimed_manifolds;
} ab_narrow_pass;

extern const ab_phase ab_narrow_phases[];

// What came of a cell, for the statistics.
abut_pair_type_statistics ab_narrow_cell(const ab_narrow_pass *pass, uint32_t type);

void ab_narrow_pass_close(ab_narrow_pass *pass);

#endif
