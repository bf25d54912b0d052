// Chooses between tree and grid. Both keep the same proxies in the same order, so changing costs nothing. Trials
// measure the other one's cost: a few runs now and then, more and more rarely while it loses, and at once when the cost
// of the present one has doubled. A trial ends with the first run that costs more, so that frames with one are few and
// hardly longer, and a clearly lost run of the grid even midway: what it has left may be every box against every other.
// The row of the grid alone has no trials, but runs of the tree where the grid gave up.
#include "broad/choose.h"
#include "base/assert.h"
#include "broad/grid.h"
#include "broad/rows.h"

// In the units of grid.h.
#define TREE_TEST_COST   45u  // of eight AABBs against one, with its share of the descent
#define SORT_COST        250u // of a proxy, in the order of the tree
#define FIT_COST         10u  // of a proxy, in the levels above it
#define UNITS            16u
#define TRIAL_RUNS       4u
#define LOST             2u  // times the cost of the present one: the run of the trial ends
#define WILD             8u  // times its own cost: the scene does not suit the grid
#define FIRST_WAIT       12u // runs until a new scene has come to rest
#define FIRST_INTERVAL   64u
#define LONGEST_INTERVAL 4096u
#define SMOOTHING        8u     // runs that an average is taken over
#define STALE_RUNS       16u    // runs after which the tree's order is too old to judge it by
#define MOST_COST        40000u // of a proxy, for the grid alone: as of 500 tests
#define PAUSE            64u    // runs of the tree after one of the grid alone that cost more

uint64_t ab_choose_cost(abut_broad_kind kind, const ab_work *work)
{
    const uint64_t proxies = work->proxies, order = SORT_COST * work->sorted + FIT_COST * proxies;
    if (kind != ABUT_BROAD_GRID)
    {
        return order + TREE_TEST_COST * work->box_tests;
    }
    return order + AB_GRID_TEST_COST * work->box_tests +
           (AB_GRID_BOX_COST + AB_GRID_LEVEL_COST * (uint64_t)work->levels) * proxies + AB_GRID_ROW_COST * work->rows;
}

void ab_choose_open(ab_choice *choice)
{
    *choice = (ab_choice){ .kind = ABUT_BROAD_BVH, .wait = FIRST_WAIT, .interval = FIRST_INTERVAL };
}

static abut_broad_kind other_than(abut_broad_kind kind)
{
    return kind == ABUT_BROAD_BVH ? ABUT_BROAD_GRID : ABUT_BROAD_BVH;
}

abut_broad_kind ab_choose_next(const ab_choice *choice, uint32_t active, uint32_t still)
{
    if ((uint64_t)active + still < AB_CHOOSE_FEW)
    {
        return ABUT_BROAD_BRUTE;
    }
    return choice->trial > 0 ? other_than(choice->kind) : choice->kind;
}

static void begin_trial(ab_choice *choice)
{
    choice->trial = TRIAL_RUNS;
    choice->tried = 0;
}

static void end_trial(ab_choice *choice, uint64_t cost)
{
    const abut_broad_kind other = other_than(choice->kind);
    choice->trial = 0;
    choice->cost[other] = cost;
    if (5 * cost < 4 * choice->cost[choice->kind])
    {
        choice->kind = other;
        choice->interval = FIRST_INTERVAL;
    }
    else
    {
        choice->interval = 2 * choice->interval < LONGEST_INTERVAL ? 2 * choice->interval : LONGEST_INTERVAL;
    }
    choice->compared = choice->cost[choice->kind];
    choice->wait = choice->interval;
}

// The first run of the tree may put its order right, and does not count. To be chosen, a trial must cost a fifth less.
static void note_trial(ab_choice *choice, uint64_t cost)
{
    const uint32_t counted = choice->kind == ABUT_BROAD_GRID ? TRIAL_RUNS - 1 : TRIAL_RUNS;
    if (--choice->trial >= counted)
    {
        return;
    }
    choice->tried += cost;
    if (cost > choice->cost[choice->kind])
    {
        end_trial(choice, cost);
    }
    else if (choice->trial == 0)
    {
        end_trial(choice, choice->tried / counted);
    }
}

static uint64_t limit_of_proxy(const ab_choice *choice)
{
    return (choice->trial > 0 ? LOST : WILD) * choice->cost[choice->kind];
}

uint64_t ab_choose_limit(const ab_choice *choice, uint32_t active)
{
    const uint64_t known = limit_of_proxy(choice);
    return known > 0 ? known * active / UNITS : UINT64_MAX;
}

// The run of the grid was abandoned: the tree is better.
static void note_given_up(ab_choice *choice)
{
    const uint64_t cost = limit_of_proxy(choice);
    if (choice->trial > 0)
    {
        end_trial(choice, cost);
        return;
    }
    ab_choose_open(choice);
    choice->cost[ABUT_BROAD_GRID] = cost;
    choice->wait = FIRST_INTERVAL;
}

void ab_choose_note(ab_choice *choice, abut_broad_kind ran, const ab_work *work)
{
    if (work->gave_up)
    {
        note_given_up(choice);
        return;
    }
    const uint64_t cost = UNITS * ab_choose_cost(ran, work) / (work->proxies ? work->proxies : 1);
    if (choice->trial > 0)
    {
        note_trial(choice, cost);
        return;
    }
    uint64_t *known = &choice->cost[choice->kind];
    *known = *known ? (*known * (SMOOTHING - 1) + cost) / SMOOTHING : cost;
    choice->compared = choice->compared ? choice->compared : *known;
    if (*known > 2 * choice->compared)
    {
        choice->interval = FIRST_INTERVAL;
        choice->wait = 1;
    }
    if (--choice->wait == 0)
    {
        begin_trial(choice);
    }
}

typedef struct chooser
{
    ab_grid grid; // first: its functions cast the state to their own type
    ab_choice choice;
    abut_broad_kind next;
    bool grid_alone;              // never by choice
    uint32_t pause;               // of the grid alone: runs left
    bool gave_up;                 // the grid; the tree runs instead
    uint32_t since_tree;          // runs
    uint64_t sorts;               // of the active set, before the update
    const ab_phase *phase, *left; // of the row that runs: the present one, and the remaining ones
} chooser;

static abut_status create(ab_broad *broad, bool grid_alone)
{
    chooser *c = ab_memory_take(broad->memory, sizeof *c);
    if (!c)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_grid_open(broad, &c->grid);
    ab_choose_open(&c->choice);
    c->next = ABUT_BROAD_BRUTE;
    c->grid_alone = grid_alone;
    c->pause = 0;
    c->since_tree = 0;
    broad->state = c;
    return ABUT_OK;
}

static abut_status auto_create(ab_broad *broad)
{
    return create(broad, false);
}

static abut_status grid_create(ab_broad *broad)
{
    return create(broad, true);
}

static void release(ab_broad *broad)
{
    chooser *c = broad->state;
    if (c)
    {
        ab_grid_close(&c->grid);
        ab_memory_give(broad->memory, c, sizeof *c);
        broad->state = NULL;
    }
}

// Runs the phases of the tree's update, or of the chosen row, one after the other.
static abut_status take_phase(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    chooser *c = broad->state;
    if (c->next == ABUT_BROAD_GRID && !c->gave_up && ab_grid_gave_up(&c->grid))
    {
        c->gave_up = true;
        c->left = ab_broad_bvh.pairs_phases;
    }
    c->phase = c->left;
    if (!c->phase->prepare)
    {
        return ABUT_OK;
    }
    ++c->left;
    return c->phase->prepare(broad, tasks);
}

static abut_broad_kind next_kind(const chooser *c, const ab_region *region)
{
    const abut_broad_kind alone = c->pause > 0 ? ABUT_BROAD_BVH : ABUT_BROAD_GRID;
    return c->grid_alone ? alone : ab_choose_next(&c->choice, region[AB_ACTIVE].live, region[AB_STATIC_SET].live);
}

static abut_status prepare_update(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    chooser *c = broad->state;
    c->next = next_kind(c, broad->proxies->region);
    // Reserves the grid now: a trial must not make a scene at rest allocate.
    if (c->next != ABUT_BROAD_BRUTE && !ab_grid_reserve(broad))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    if (c->next == ABUT_BROAD_BVH && c->since_tree >= STALE_RUNS)
    {
        ab_bvh_want_sort(&c->grid.tree);
    }
    c->grid.tree.lax = c->grid_alone && c->next == ABUT_BROAD_GRID; // else it may have to run instead of the grid
    c->sorts = broad->active_sorts;
    c->gave_up = false;
    ab_grid_restart(&c->grid);
    c->left = ab_bvh_update_phases;
    return take_phase(pass, tasks);
}

static abut_status take_first_phase(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    chooser *c = broad->state;
    const uint32_t active = broad->proxies->region[AB_ACTIVE].live;
    c->left = c->next == ABUT_BROAD_GRID ? ab_grid_pairs_phases : ab_broad_row_for(c->next)->pairs_phases;
    c->grid.limit = c->grid_alone ? (uint64_t)MOST_COST * active : ab_choose_limit(&c->choice, active);
    return take_phase(pass, tasks);
}

static void run_phase(void *pass, uint32_t task)
{
    ab_broad *broad = pass;
    const chooser *c = broad->state;
    c->phase->task(pass, task);
}

// An estimate of the tests until then; the exact number would depend on threads.
static uint64_t tests_given_up(const ab_grid *grid)
{
    const uint64_t sorting = ab_grid_sorting_cost(grid);
    return grid->limit > sorting && !grid->crowded ? (grid->limit - sorting) / AB_GRID_TEST_COST : 0;
}

static abut_status note_run(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    chooser *c = broad->state;
    const uint32_t proxies = broad->proxies->region[AB_ACTIVE].live;
    const bool grid = c->next == ABUT_BROAD_GRID;
    (void)tasks;
    AB_ASSERT(!c->left->prepare, c->next);
    broad->ran = c->gave_up ? ABUT_BROAD_BVH : c->next;
    broad->box_tests += c->gave_up ? tests_given_up(&c->grid) : 0;
    c->since_tree = broad->ran == ABUT_BROAD_BVH ? 0 : c->since_tree + 1;
    if (c->grid_alone)
    {
        c->pause = c->gave_up ? PAUSE : c->pause - (c->pause > 0);
    }
    else if (c->next != ABUT_BROAD_BRUTE)
    {
        const ab_work work = { .proxies = proxies,
                               .box_tests = broad->box_tests,
                               .sorted = (broad->active_sorts - c->sorts) * proxies,
                               .rows = grid ? c->grid.tally.rows : 0,
                               .levels = grid ? c->grid.levels : 0,
                               .gave_up = c->gave_up };
        ab_choose_note(&c->choice, c->next, &work);
    }
    return ABUT_OK;
}

// As many phases as the longest sequence: the grid's, then the tree's when the grid is abandoned.
static const ab_phase update_phases[] = { { prepare_update, run_phase }, { take_phase, run_phase },
                                          { take_phase, run_phase },     { take_phase, run_phase },
                                          { take_phase, run_phase },     { take_phase, run_phase },
                                          { take_phase, run_phase },     { take_phase, run_phase },
                                          { take_phase, run_phase },     { take_phase, run_phase },
                                          { take_phase, run_phase },     { take_phase, run_phase },
                                          { take_phase, run_phase },     { NULL, NULL } };
static const ab_phase pairs_phases[] = {
    { take_first_phase, run_phase }, { take_phase, run_phase }, { take_phase, run_phase }, { take_phase, run_phase },
    { take_phase, run_phase },       { take_phase, run_phase }, { take_phase, run_phase }, { take_phase, run_phase },
    { take_phase, run_phase },       { take_phase, run_phase }, { note_run, NULL },        { NULL, NULL }
};

const ab_broad_row ab_broad_auto = {
    .name = "auto",
    .create = auto_create,
    .release = release,
    .update_phases = update_phases,
    .pairs_phases = pairs_phases,
    .check = ab_bvh_check,
    .visit = ab_bvh_visit,
    .tree = ab_bvh_tree,
};

const ab_broad_row ab_broad_grid = {
    .name = "grid",
    .create = grid_create,
    .release = release,
    .update_phases = update_phases,
    .pairs_phases = pairs_phases,
    .check = ab_bvh_check,
    .visit = ab_bvh_visit,
    .tree = ab_bvh_tree,
};
