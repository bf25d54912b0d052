// The packed BVH's row: when to sort which proxies, and the passes in order.
//
// New proxies are appended behind the sorted ones and sorted among themselves, as a run. A run of at least three
// quarters the length of the one before it is sorted together with it (the logarithmic method of Bentley and Saxe
// 1980), so each proxy is sorted only a logarithmic number of times. The whole set is sorted when the extra tests due
// to disorder since the last whole sort would have paid for it, or when gaps are many; and at once, before any pair is
// searched, when the new AABBs have made the blocks much wider than after the last whole sort, as when many bodies are
// teleported. Counts and widths decide everything, never clocks.
#include "broad/bvh.h"
#include "base/array.h"
#include "base/assert.h"
#include "broad/pair_writer.h"
#include "broad/rows.h"

#define SORT_IN_TESTS     6u    // the cost of sorting one proxy, in box tests
#define MEASURED          64u   // sample size: blocks whose widths are measured
#define FEW_BLOCKS        8u    // need no order
#define TOO_WIDE          1.75f // times the width after the last whole sort
#define TOO_WIDE_RESORTED 1.5f  // the same where this update has sorted, by the AABBs of the update before

void ab_bvh_open(ab_broad *broad, ab_bvh *bvh)
{
    *bvh = (ab_bvh){ 0 };
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        broad->proxies->region[set].ordered = 0; // in an unknown order
        bvh->set[set].revision = broad->proxies->region[set].revision - 1;
    }
    bvh->ambiguous_any = broad->proxies->region[AB_ACTIVE].live > 0;
}

void ab_bvh_close(ab_bvh *bvh)
{
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        arrfree(bvh->set[set].nodes);
        arrfree(bvh->set[set].aabbs);
        arrfree(bvh->set[set].block_unions);
        arrfree(bvh->set[set].node_unions);
    }
    for (uint32_t i = 0; i < AB_BVH_DESCENTS; ++i)
    {
        arrfree(bvh->descent[i].list.opened);
        arrfree(bvh->descent[i].list.other);
    }
    arrfree(bvh->spare.opened);
    arrfree(bvh->spare.other);
}

static void bvh_release(ab_broad *broad)
{
    ab_bvh *bvh = broad->state;
    if (bvh)
    {
        ab_bvh_close(bvh);
        ab_memory_give(broad->memory, bvh, sizeof *bvh);
        broad->state = NULL;
    }
}

static abut_status bvh_create(ab_broad *broad)
{
    ab_bvh *bvh = ab_memory_take(broad->memory, sizeof *bvh);
    if (!bvh)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_bvh_open(broad, bvh);
    broad->state = bvh;
    return ABUT_OK;
}

static bool many_gaps(const ab_region *region)
{
    return region->tail - region->live > region->live / 4 + 64;
}

// Where the proxies to sort begin; the tail when none.
static uint32_t unsorted_from(const ab_region *region, const ab_bvh_set *s)
{
    uint32_t start = region->ordered, runs = s->runs;
    if (start == region->tail)
    {
        return start;
    }
    while (runs > 0 && 4 * (uint64_t)(region->tail - start) >= 3 * (uint64_t)(start - s->run[runs - 1]))
    {
        start = s->run[--runs];
    }
    return start;
}

// The same, or the beginning for a whole sort.
static uint32_t order_from(const ab_broad *broad, ab_set set, bool whole)
{
    ab_bvh *bvh = broad->state;
    ab_bvh_set *s = &bvh->set[set];
    const ab_region *region = &broad->proxies->region[set];
    while (s->runs > 0 && s->run[s->runs - 1] >= region->ordered)
    {
        --s->runs;
    }
    return whole || many_gaps(region) ? 0 : unsorted_from(region, s);
}

// Records the new run.
static void note_run(ab_broad *broad, ab_set set, uint32_t start)
{
    ab_bvh *bvh = broad->state;
    ab_bvh_set *s = &bvh->set[set];
    while (s->runs > 0 && s->run[s->runs - 1] >= start)
    {
        --s->runs;
    }
    s->run[s->runs++] = start;
    broad->sorts += start == 0;
    broad->active_sorts += start == 0 && set == AB_ACTIVE;
    if (set == AB_ACTIVE && start == 0)
    {
        bvh->sorted_live = 0;
        bvh->excess_tests = 0;
    }
}

static abut_status order_static(ab_broad *broad, bool whole, uint32_t *start)
{
    *start = order_from(broad, AB_STATIC_SET, whole);
    if (*start == broad->proxies->region[AB_STATIC_SET].tail)
    {
        return ABUT_OK;
    }
    const abut_status status = ab_bvh_order(broad, AB_STATIC_SET, *start);
    if (status == ABUT_OK)
    {
        note_run(broad, AB_STATIC_SET, *start);
    }
    return status;
}

// Updates the static set only when proxies were added or removed, and then only refits where they were added: an AABB
// around removed proxies still encloses the rest.
static abut_status update_static(ab_broad *broad)
{
    ab_bvh *bvh = broad->state;
    ab_bvh_set *s = &bvh->set[AB_STATIC_SET];
    const ab_region *region = &broad->proxies->region[AB_STATIC_SET];
    const bool unite = broad->filters.drops && !s->filtered;
    if (s->revision == region->revision && !unite)
    {
        ab_bvh_look(broad, AB_STATIC_SET);
        return ABUT_OK;
    }
    uint32_t start;
    const abut_status status = order_static(broad, unite, &start);
    if (status == ABUT_OK)
    {
        ab_bvh_refit(broad, AB_STATIC_SET, unite ? 0 : start / AB_BLOCK);
        s->revision = region->revision;
        s->filtered = broad->filters.drops;
    }
    return status;
}

static abut_status prepare_order(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    ab_bvh *bvh = broad->state;
    const ab_region *active = &broad->proxies->region[AB_ACTIVE], *still = &broad->proxies->region[AB_STATIC_SET];
    if (!ab_bvh_reserve(broad, AB_ACTIVE, active->tail) || !ab_bvh_reserve(broad, AB_STATIC_SET, still->tail))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    bool *filtered = &bvh->set[AB_ACTIVE].filtered;
    *filtered &= broad->filters.drops;
    const bool disordered = bvh->excess_tests > (uint64_t)SORT_IN_TESTS * active->live;
    const bool whole = disordered || (broad->filters.drops && !*filtered);
    bvh->edited = bvh->set[AB_STATIC_SET].revision != still->revision;
    const abut_status status = update_static(broad);
    if (status != ABUT_OK)
    {
        return status;
    }
    bvh->sort.start = order_from(broad, AB_ACTIVE, whole);
    bvh->sort.sorts = bvh->sort.start < active->tail;
    bvh->whole = bvh->sort.sorts && bvh->sort.start == 0;
    return ab_bvh_order_begin(broad, tasks);
}

static abut_status prepare_bounds(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    ab_bvh *bvh = broad->state;
    ab_bvh_order_end(broad);
    if (bvh->sort.sorts)
    {
        note_run(broad, AB_ACTIVE, bvh->sort.start);
    }
    bvh->set[AB_ACTIVE].filtered = broad->filters.drops;
    if (bvh->edited)
    {
        ab_proxies_trim(broad->proxies, broad->memory);
        ab_bvh_look(broad, AB_STATIC_SET);
    }
    ab_bvh_look(broad, AB_ACTIVE);
    return ab_broad_prepare_bounds(broad, tasks);
}

static void bound(void *pass, uint32_t task)
{
    ab_broad *broad = pass;
    ab_broad_bound(broad, task);
    ab_bvh_refit_lowest(broad, (uint32_t)(ab_partition_first(&broad->partition, task) / AB_BLOCK),
                        (uint32_t)(ab_partition_end(&broad->partition, task) / AB_BLOCK));
}

// The mean width of the active blocks by axis, over a sample.
static void measure_blocks(const ab_broad *broad, float width[3])
{
    const ab_region *active = &broad->proxies->region[AB_ACTIVE];
    const ab_aabb *aabb = broad->proxies->aabb + active->first;
    const uint32_t step = active->blocks / MEASURED + 1;
    float x = 0.0f, y = 0.0f, z = 0.0f, count = 0.0f;
    for (uint32_t i = 0; i < active->blocks; i += step)
    {
        if (aabb[i].min[0] <= aabb[i].max[0])
        {
            x += aabb[i].max[0] - aabb[i].min[0];
            y += aabb[i].max[1] - aabb[i].min[1];
            z += aabb[i].max[2] - aabb[i].min[2];
            count += 1.0f;
        }
    }
    const float share = count > 0.0f ? 1.0f / count : 0.0f;
    width[0] = x * share, width[1] = y * share, width[2] = z * share;
}

// Whether the present AABBs need another order, however few tests were counted before.
static bool is_disordered(const ab_broad *broad)
{
    const ab_bvh *bvh = broad->state;
    const float most = bvh->whole ? TOO_WIDE_RESORTED : TOO_WIDE, *before = bvh->sorted_width;
    if (bvh->lax || bvh->ambiguous_any)
    {
        return !bvh->lax;
    }
    if (broad->proxies->region[AB_ACTIVE].blocks <= FEW_BLOCKS || (bvh->whole && before[0] == 0.0f))
    {
        return false; // the first sort is by poses
    }
    float width[3];
    measure_blocks(broad, width);
    return width[0] > most * before[0] || width[1] > most * before[1] || width[2] > most * before[2];
}

// An order by the AABBs of the update before may be disordered already: its width must not become the reference.
static void note_width(ab_broad *broad)
{
    ab_bvh *bvh = broad->state;
    float width[3];
    measure_blocks(broad, width);
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        float *known = &bvh->sorted_width[axis];
        *known = !bvh->again && *known > 0.0f && *known < width[axis] ? *known : width[axis];
    }
}

static abut_status judge_order(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    ab_bvh *bvh = broad->state;
    ab_bvh_refit_upper(broad);
    const abut_status status = ab_broad_bounded(broad, tasks);
    if (status != ABUT_OK)
    {
        bvh->ambiguous_any |= bvh->sort.sorts;
        return status;
    }
    bvh->again = is_disordered(broad);
    bvh->ambiguous_any |= bvh->again; // until it is done
    bvh->sort.sorts = bvh->again;
    bvh->sort.start = bvh->again ? 0 : broad->proxies->region[AB_ACTIVE].tail;
    return ab_bvh_order_begin(broad, tasks);
}

static abut_status prepare_bounds_again(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    const ab_bvh *bvh = broad->state;
    if (!bvh->again)
    {
        return ABUT_OK;
    }
    ab_bvh_order_end(broad);
    note_run(broad, AB_ACTIVE, 0);
    ab_bvh_look(broad, AB_ACTIVE);
    return ab_broad_prepare_bounds(broad, tasks);
}

static abut_status finish_update(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    ab_bvh *bvh = broad->state;
    if (bvh->again)
    {
        ab_bvh_refit_upper(broad);
    }
    if (bvh->again || bvh->whole)
    {
        note_width(broad);
    }
    bvh->ambiguous_any &= bvh->lax;
    return bvh->again ? ab_broad_bounded(broad, tasks) : ABUT_OK;
}

const ab_phase ab_bvh_update_phases[] = { { prepare_order, ab_bvh_order_measure },
                                          { ab_bvh_order_prepare_ranges, ab_bvh_order_count },
                                          { ab_bvh_order_prepare_deal, ab_bvh_order_deal },
                                          { ab_bvh_order_prepare_halves, ab_bvh_order_halve },
                                          { ab_bvh_order_prepare_put, ab_bvh_order_put },
                                          { prepare_bounds, bound },
                                          { judge_order, ab_bvh_order_measure },
                                          { ab_bvh_order_prepare_ranges, ab_bvh_order_count },
                                          { ab_bvh_order_prepare_deal, ab_bvh_order_deal },
                                          { ab_bvh_order_prepare_halves, ab_bvh_order_halve },
                                          { ab_bvh_order_prepare_put, ab_bvh_order_put },
                                          { prepare_bounds_again, bound },
                                          { finish_update, NULL },
                                          { NULL, NULL } };

void ab_bvh_count_excess(ab_bvh *bvh, uint64_t tests, uint64_t pairs, uint32_t live)
{
    const uint64_t rest = tests > pairs / AB_BLOCK ? tests - pairs / AB_BLOCK : 0;
    if (bvh->sorted_live == 0)
    {
        bvh->sorted_live = live;
        bvh->sorted_tests = rest;
        return;
    }
    const uint64_t expected = bvh->sorted_tests * live / bvh->sorted_live;
    bvh->excess_tests += rest > expected ? rest - expected : 0;
}

void ab_bvh_want_sort(ab_bvh *bvh)
{
    bvh->excess_tests = UINT64_MAX / 2;
}

static abut_status prepare_pairs(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    const ab_bvh *bvh = broad->state;
    broad->depth = bvh->set[AB_ACTIVE].tree.levels;
    return ab_bvh_prepare_pairs(broad, tasks);
}

static void find_pairs(void *pass, uint32_t task)
{
    ab_bvh_find_pairs(pass, task);
}

static abut_status repeat_pairs(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    const bool dropped = broad->drops;
    const abut_status status = ab_pair_writers_repeat(broad, tasks);
    return broad->drops == dropped || status != ABUT_OK ? status : ab_bvh_prepare_dropping(broad, tasks);
}

static abut_status finish_pairs(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    (void)tasks;
    const abut_status status = ab_pair_writers_finish(broad);
    if (status == ABUT_OK)
    {
        ab_bvh_count_top(broad);
        ab_bvh_count_excess(broad->state, broad->box_tests, arrlenu(broad->pairs),
                            broad->proxies->region[AB_ACTIVE].live);
    }
    return status;
}

void ab_bvh_check(const ab_broad *broad)
{
    const ab_bvh *bvh = broad->state;
    ab_proxies_check(broad->proxies);
    for (int set = 0; set < AB_SET_COUNT; ++set)
    {
        const ab_region *region = &broad->proxies->region[set];
        AB_ASSERT(region->ordered == region->tail, region->ordered);
        AB_ASSERT(bvh->set[set].runs <= AB_BVH_RUNS, bvh->set[set].runs);
        ab_bvh_check_tree(&bvh->set[set].tree);
        ab_bvh_check_unions(broad, &bvh->set[set].tree);
    }
}

static const ab_phase pairs_phases[] = { { prepare_pairs, find_pairs },
                                         { repeat_pairs, find_pairs },
                                         { repeat_pairs, find_pairs },
                                         { finish_pairs, NULL },
                                         { NULL, NULL } };

void ab_bvh_visit(const ab_broad *broad, ab_broad_see *see, void *context)
{
    ab_bvh_visit_set(broad, AB_ACTIVE, see, context);
    ab_bvh_visit_set(broad, AB_STATIC_SET, see, context);
}

const ab_broad_row ab_broad_bvh = {
    .name = "bvh",
    .create = bvh_create,
    .release = bvh_release,
    .update_phases = ab_bvh_update_phases,
    .pairs_phases = pairs_phases,
    .check = ab_bvh_check,
    .visit = ab_bvh_visit,
    .tree = ab_bvh_tree,
};
