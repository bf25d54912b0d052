// The broad phase: finds every pair of proxies with overlapping AABBs of which at least one is active, each exactly
// once. Given filters, it drops exactly the pairs that these keep from colliding. One row of the table per kind. A row
// may reorder the proxies of a set; nothing downstream depends on the order.
#ifndef AB_BROAD_H
#define AB_BROAD_H

#include "base/tasks.h"
#include "bounds/bounds.h"
#include "broad/proxy_filter.h"
#include "index/tree.h"

#include <abut/world.h>

#include <stdatomic.h>

typedef struct ab_pair
{
    uint32_t a, b; // proxies
} ab_pair;

// Consecutive pairs in `pairs`.
typedef struct ab_range
{
    size_t first;
    uint32_t count;
} ab_range;

// Pairs as one task wrote them, and the task's next chunk, or ABUT_NONE.
typedef struct ab_chunk
{
    size_t first;
    uint32_t count, next;
} ab_chunk;

// The output of one task of either pass besides pairs; on two cache lines of its own.
typedef struct ab_broad_note
{
    _Alignas(AB_CACHE_LINE) uint64_t level_tests[ABUT_TREE_LEVELS];
    uint64_t box_tests;
    uint32_t first_chunk, last_chunk;
    uint32_t bad_proxy;
} ab_broad_note;

// Receives an AABB of a row's own structure, `level` steps above those around eight proxies.
typedef void ab_broad_see(void *context, uint32_t level, const ab_aabb *box);

struct ab_box_kernels;
struct ab_halve_kernels;
struct ab_broad_row;

// The trees over both sets, and what they were laid over.
typedef struct ab_broad_laid
{
    ab_tree tree[AB_SET_COUNT];
    bool there; // by the present row
    const ab_aabb8 *block;
    const ab_aabb *aabb;
    uint32_t first[AB_SET_COUNT], revision[AB_SET_COUNT];
} ab_broad_laid;

typedef struct ab_broad
{
    const struct ab_broad_row *row;
    const struct ab_box_kernels *kernels;
    const struct ab_halve_kernels *halves;
    abut_isa isa;
    ab_bounds_pass *bounds;
    ab_memory *memory;
    ab_proxies *proxies;
    ab_pair *pairs;                         // growable: the candidates of the last run
    size_t borrowed;                        // pairs whose room the last sort of proxies took as scratch
    ab_range *ranges;                       // growable: the order to read them in; made after every row
    uint64_t box_tests;                     // of eight AABBs against one, in the last run
    uint64_t level_tests[ABUT_TREE_LEVELS]; // the same by level of the tree, blocks of proxies first
    uint64_t sorts;                         // of a whole set, since the beginning
    uint64_t active_sorts;                  // of the active one
    abut_broad_kind ran;                    // the kind of the last run, which AUTO chooses
    uint32_t depth;                         // levels of the active tree
    ab_bounds_in in;                        // of the present update
    ab_proxy_filters filters;               // of the present update
    bool drops;                             // pairs, in the present run: as the filters do, or they are very many
    size_t undropped;                       // pairs, at least, that were very many before any was dropped; else zero
    size_t most_pairs;                      // with more, tasks of the present run end early
    ab_granularity granularity;             // how finely passes are divided
    bool single_threaded;                   // one thread runs every task: what is cheaper undivided is not divided
    ab_partition partition;                 // of the present pass
    ab_broad_note *notes;                   // growable: by task of it
    ab_chunk *chunks;                       // growable: of pairs, in the order they were claimed
    _Alignas(AB_CACHE_LINE) _Atomic size_t claimed_pairs; // by the tasks of pair_writer.h
    _Atomic uint32_t claimed_ranges;
    _Alignas(AB_CACHE_LINE) uint32_t bad_proxy; // after ABUT_INVALID_ARGUMENT from update: a proxy with an invalid pose
    bool unindexed;     // the last update did not end well: what a row keeps above the proxies is invalid
    void *state;        // the row's own, created by the row
    ab_broad_laid laid; // by ab_broad_lay
} ab_broad;

// The most pairs of one detect: counters of pairs, and bins with their padding, fit 32 bits.
#define AB_MOST_PAIRS 0xffff0000u

// Both passes are lists of phases on the ab_broad; their tasks may run on several threads.
typedef struct ab_broad_row
{
    const char *name;

    // Create and free `state`. A new state accepts the proxies in any order.
    abut_status (*create)(ab_broad *broad);
    void (*release)(ab_broad *broad);

    // Update the AABBs and records of the active set, and the row's structures above them. ABUT_INVALID_ARGUMENT: see
    // bad_proxy. The input is broad->in.
    const ab_phase *update_phases;

    // Fill `pairs`. AABBs must be up to date.
    const ab_phase *pairs_phases;

    // Asserts the row's invariants between update and the next edit.
    void (*check)(const ab_broad *broad);

    // Passes the non-empty AABBs of the row's structures above the proxies, as of the last update, from the highest
    // level down. NULL: it has none.
    void (*visit)(const ab_broad *broad, ab_broad_see *see, void *context);

    // Lays the levels of the tree over a set as the last update left them, with pointers that are good now, above the
    // lowest; of that only its count. Nothing, if there is no tree yet. NULL: the row keeps none.
    void (*tree)(const ab_broad *broad, ab_set set, ab_tree *out);
} ab_broad_row;

// NULL for an unknown kind. AUTO is a row that runs one of the others.
const ab_broad_row *ab_broad_row_for(abut_broad_kind kind);

// The caller sets `broad->memory` and `proxies` before.
abut_status ab_broad_open(ab_broad *broad, abut_broad_kind kind, abut_isa isa);

// Changes to another row, which accepts the proxies in any order. Out of memory keeps the present row.
abut_status ab_broad_change(ab_broad *broad, abut_broad_kind kind);

void ab_broad_close(ab_broad *broad); // frees the state and the arrays

// The row's passes. Set `in` before those of the update.
const ab_phase *ab_broad_update_phases(const ab_broad *broad);
const ab_phase *ab_broad_pairs_phases(const ab_broad *broad);

// The index over a set between two updates: the row's tree, or where it has none, blocks under no node; without
// unions. Proxies that came after the last update are not in it; they have no AABB.
void ab_broad_tree(const ab_broad *broad, ab_set set, ab_tree *out);

// Lays both trees for ab_broad_trees: after an update, and whenever their nodes may have moved.
void ab_broad_lay(ab_broad *broad);

// The same trees, of both sets: those that were laid, if nothing was edited since, or they are laid in `room`. Any
// number of threads may ask at once.
const ab_tree *ab_broad_trees(const ab_broad *broad, ab_tree room[AB_SET_COUNT]);

// Updates the AABBs and records of the active set in place, on this thread; a row's structures above them stay as they
// were until its next update.
abut_status ab_broad_refresh(ab_broad *broad, const ab_bounds_in *in);

// Between two updates: extend the row's tree over active proxies that were appended since the last one, and refit it
// above an active proxy whose AABB has changed; no-ops where there is no tree. Pairs are searched after the next update
// only. Out of memory changes nothing but capacity. *extended: whether the tree has grown.
abut_status ab_broad_extend(ab_broad *broad, bool *extended);
void ab_broad_refit_above(ab_broad *broad, uint32_t proxy);

// For rows: reserve the notes of so many tasks; and, as parts of phases on the ab_broad, compute the AABBs and records
// of the active set, divided by `partition`, and collect the result.
bool ab_broad_notes(ab_broad *broad, uint32_t tasks);
abut_status ab_broad_prepare_bounds(void *broad, uint32_t *tasks);
void ab_broad_bound(void *broad, uint32_t task);
abut_status ab_broad_bounded(void *broad, uint32_t *tasks);

#endif
