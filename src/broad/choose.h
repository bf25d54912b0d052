// Which broad phase runs next, by what each of them has cost. Costs are counts of work: the same for the same boxes on
// any processor at any time, so that a run can be repeated.
#ifndef AB_CHOOSE_H
#define AB_CHOOSE_H

#include "broad/broad.h"

#define AB_CHOOSE_FEW 64u // fewer leaves than this are tested each against each

typedef struct ab_choice
{
    abut_broad_kind kind;            // tree or grid: the one that is thought better
    uint64_t cost[ABUT_BROAD_COUNT]; // of a leaf, in 1/16 units, when each last ran; zero: not known
    uint64_t settled;                // cost[kind] when it was last compared
    uint32_t trial;                  // runs of the other one that are left of a trial
    uint64_t tried;                  // their cost so far
    uint32_t wait;                   // runs until the next trial
    uint32_t interval;
} ab_choice;

// What one run has done.
typedef struct ab_work
{
    uint32_t proxies;   // active
    uint64_t box_tests; // of eight boxes against one
    uint64_t sorted;    // leaves of the active set that were sorted
    uint64_t rows;      // of the grid that were looked through
    uint32_t levels;    // of the grid
    bool gave_up;       // past ab_choose_limit, which is then what it has cost
} ab_work;

// In units that are the same for both.
uint64_t ab_choose_cost(abut_broad_kind kind, const ab_work *work);

void ab_choose_open(ab_choice *choice);

// The kind to run: brute force for few leaves, else the better one, or the other on trial.
abut_broad_kind ab_choose_next(const ab_choice *choice, uint32_t active, uint32_t still);

// What a run of the grid may cost before it is given up: a few times what runs cost. The tree, which is in order, finds
// the pairs instead.
uint64_t ab_choose_limit(const ab_choice *choice, uint32_t active);

// Takes note of a run of the tree or the grid that ab_choose_next has asked for.
void ab_choose_note(ab_choice *choice, abut_broad_kind ran, const ab_work *work);

#endif
