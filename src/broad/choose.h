// Chooses the broad phase of the next run by the cost of past runs. Costs count work, the same for the same AABBs on
// any processor at any time, so runs are reproducible.
#ifndef AB_CHOOSE_H
#define AB_CHOOSE_H

#include "broad/broad.h"

#define AB_CHOOSE_FEW 64u // with fewer proxies than this, brute force

typedef struct ab_choice
{
    abut_broad_kind kind;            // tree or grid: the better one so far
    uint64_t cost[ABUT_BROAD_COUNT]; // of a proxy, in 1/16 units, when each last ran; zero: unknown
    uint64_t compared;               // cost[kind] when the two were last compared
    uint32_t trial;                  // runs left of a trial of the other one
    uint64_t tried;                  // their cost so far
    uint32_t wait;                   // runs until the next trial
    uint32_t interval;
} ab_choice;

// The work of one run.
typedef struct ab_work
{
    uint32_t proxies;   // active
    uint64_t box_tests; // of eight AABBs against one
    uint64_t sorted;    // proxies of the active set that were sorted
    uint64_t rows;      // of the grid that were searched
    uint32_t levels;    // of the grid
    bool gave_up;       // past ab_choose_limit, which is then its cost
} ab_work;

// In units common to both kinds.
uint64_t ab_choose_cost(abut_broad_kind kind, const ab_work *work);

void ab_choose_open(ab_choice *choice);

// The kind to run: brute force for few proxies, else the better one, or the other on trial.
abut_broad_kind ab_choose_next(const ab_choice *choice, uint32_t active, uint32_t still);

// The cost at which a run of the grid is abandoned: a few times the usual cost. The tree, whose order is current, then
// finds the pairs.
uint64_t ab_choose_limit(const ab_choice *choice, uint32_t active);

// Records the work of a run of the kind that ab_choose_next returned.
void ab_choose_note(ab_choice *choice, abut_broad_kind ran, const ab_work *work);

#endif
