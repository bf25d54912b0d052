// The broad phase: finds every pair of leaves whose boxes overlap, of which at least one is active; none twice, none
// lost. One row a kind. A row may order the leaves of a set as it likes; nothing downstream depends on the order.
#ifndef AB_BROAD_H
#define AB_BROAD_H

#include "bounds/bounds.h"

#include <abut/world.h>

typedef struct ab_pair
{
    uint32_t a, b; // leaves
} ab_pair;

struct ab_box_kernels;
struct ab_broad_row;

typedef struct ab_broad
{
    const struct ab_broad_row *row;
    const struct ab_box_kernels *kernels;
    abut_isa isa;
    ab_bounds_pass *bounds;
    ab_memory *memory;
    ab_leaves *leaves;
    ab_pair *pairs;                         // growable: the candidates of the last run
    uint64_t box_tests;                     // of eight boxes against one, in the last run
    uint64_t level_tests[ABUT_TREE_LEVELS]; // the same by level of the tree, blocks of leaves first
    uint64_t sorts;                         // of a whole set, since the beginning
    abut_broad_kind ran;                    // the kind of the last run, which the row may choose
    uint32_t depth;                         // levels of the active tree
    uint32_t bad_leaf;                      // after ABUT_INVALID_ARGUMENT from update: whose pose is not valid
    void *state;                            // the row's own, created by the row
} ab_broad;

typedef struct ab_broad_row
{
    const char *name;

    // Makes and frees `state`. A fresh state takes the leaves as it finds them.
    abut_status (*create)(ab_broad *broad);
    void (*release)(ab_broad *broad);

    // Brings boxes and records of the active set up to date, and whatever the row keeps above them.
    // ABUT_INVALID_ARGUMENT: see bad_leaf.
    abut_status (*update)(ab_broad *broad, const ab_bounds_in *in);

    // Fills `pairs`. Boxes must be up to date.
    abut_status (*pairs)(ab_broad *broad);

    // Asserts what the row keeps true between update and the next edit.
    void (*check)(const ab_broad *broad);
} ab_broad_row;

// NULL for a kind that is not there. AUTO is a row that runs one of the others.
const ab_broad_row *ab_broad_row_for(abut_broad_kind kind);

// `broad->memory` and `leaves` are set by the caller before.
abut_status ab_broad_open(ab_broad *broad, abut_broad_kind kind, abut_isa isa);
void ab_broad_close(ab_broad *broad); // frees the state; the pairs array is the caller's to free

#endif
