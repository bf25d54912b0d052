// The broad phase: finds every pair of leaves whose boxes overlap, of which at least one is active; none twice, none
// lost. Given filters, it drops exactly the pairs that these keep from colliding. One row a kind. A row may order the
// leaves of a set as it likes; nothing downstream depends on the order.
#ifndef AB_BROAD_H
#define AB_BROAD_H

#include "base/tasks.h"
#include "bounds/bounds.h"
#include "broad/proxy_filter.h"

#include <abut/world.h>

#include <stdatomic.h>

typedef struct ab_pair
{
    uint32_t a, b; // leaves
} ab_pair;

// Pairs that follow each other in `pairs`.
typedef struct ab_range
{
    size_t first;
    uint32_t count;
} ab_range;

// The same as a task handed them over, and what it handed over next, or ABUT_NONE.
typedef struct ab_chunk
{
    size_t first;
    uint32_t count, next;
} ab_chunk;

// What a task of either pass has to say; two cache lines of its own.
typedef struct ab_broad_note
{
    _Alignas(AB_CACHE_LINE) uint64_t level_tests[ABUT_TREE_LEVELS];
    uint64_t box_tests;
    uint32_t first_chunk, last_chunk;
    uint32_t bad_proxy;
} ab_broad_note;

// Is shown a box that a row keeps, `level` steps above those around eight leaves.
typedef void ab_broad_see(void *context, uint32_t level, const ab_aabb *box);

struct ab_box_kernels;
struct ab_broad_row;

typedef struct ab_broad
{
    const struct ab_broad_row *row;
    const struct ab_box_kernels *kernels;
    abut_isa isa;
    ab_bounds_pass *bounds;
    ab_memory *memory;
    ab_proxies *proxies;
    ab_pair *pairs;                         // growable: the candidates of the last run
    ab_range *ranges;                       // growable: the order they are to be read in; made after every row
    uint64_t box_tests;                     // of eight boxes against one, in the last run
    uint64_t level_tests[ABUT_TREE_LEVELS]; // the same by level of the tree, blocks of leaves first
    uint64_t sorts;                         // of a whole set, since the beginning
    uint64_t active_sorts;                  // of the active one
    abut_broad_kind ran;                    // the kind of the last run, which the row may choose
    uint32_t depth;                         // levels of the active tree
    ab_bounds_in in;                        // of the update under way
    ab_proxy_filters filters;               // of the update under way; without `collides` no pair is dropped
    ab_granularity granularity;             // how finely passes are cut
    bool single_threaded;                   // one thread runs every task: what is cheaper in one is not divided
    ab_partition partition;                 // of the pass under way
    ab_broad_note *notes;                   // growable: by task of it
    ab_chunk *chunks;                       // growable: of pairs, in the order they were claimed
    _Alignas(AB_CACHE_LINE) _Atomic size_t claimed_pairs; // by the tasks of pair_writer.h
    _Atomic uint32_t claimed_ranges;
    _Alignas(AB_CACHE_LINE) uint32_t bad_proxy; // after ABUT_INVALID_ARGUMENT from update: whose pose is not valid
    void *state;                                // the row's own, created by the row
} ab_broad;

// Pairs that one detect may find: what counts them, and the padding of what they are sorted into, fits 32 bits.
#define AB_MOST_PAIRS 0xffff0000u

// Both passes are phases that work on the ab_broad and may be divided among threads.
typedef struct ab_broad_row
{
    const char *name;

    // Makes and frees `state`. A fresh state takes the leaves as it finds them.
    abut_status (*create)(ab_broad *broad);
    void (*release)(ab_broad *broad);

    // Bring boxes and records of the active set up to date, and whatever the row keeps above them.
    // ABUT_INVALID_ARGUMENT: see bad_leaf. What to read is in broad->in.
    const ab_phase *update_phases;

    // Fill `pairs`. Boxes must be up to date.
    const ab_phase *pairs_phases;

    // Asserts what the row keeps true between update and the next edit.
    void (*check)(const ab_broad *broad);

    // Shows the boxes it keeps above the leaves, as the last update left them, from the highest level down; none that
    // is empty. NULL: it keeps none.
    void (*visit)(const ab_broad *broad, ab_broad_see *see, void *context);
} ab_broad_row;

// NULL for a kind that is not there. AUTO is a row that runs one of the others.
const ab_broad_row *ab_broad_row_for(abut_broad_kind kind);

// `broad->memory` and `leaves` are set by the caller before.
abut_status ab_broad_open(ab_broad *broad, abut_broad_kind kind, abut_isa isa);

// Another row, which takes the leaves as it finds them. Out of memory leaves the one there is in its place.
abut_status ab_broad_change(ab_broad *broad, abut_broad_kind kind);

void ab_broad_close(ab_broad *broad); // frees the state and the arrays

// The row's passes. Before those of the update `in` is set.
const ab_phase *ab_broad_update_phases(const ab_broad *broad);
const ab_phase *ab_broad_pairs_phases(const ab_broad *broad);

// Boxes and records of the active set alone, where they are, on this thread: what a row keeps above them does not
// follow before its next update.
abut_status ab_broad_refresh(ab_broad *broad, const ab_bounds_in *in);

// For rows: room for the notes of so many tasks; and, as parts of phases on the ab_broad, boxes and records of the
// active set, cut by `cut`, and what came of that.
bool ab_broad_notes(ab_broad *broad, uint32_t tasks);
abut_status ab_broad_prepare_bounds(void *broad, uint32_t *tasks);
void ab_broad_bound(void *broad, uint32_t task);
abut_status ab_broad_bounded(void *broad, uint32_t *tasks);

#endif
