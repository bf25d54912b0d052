// The table of broad phases, and the parts of an update that all rows share.
#include "base/array.h"
#include "base/assert.h"
#include "base/kernels.h"
#include "broad/bvh.h"
#include "broad/rows.h"
#include "index/descend.h"

static const ab_broad_row *const rows[ABUT_BROAD_COUNT] = {
    [ABUT_BROAD_AUTO] = &ab_broad_auto,
    [ABUT_BROAD_BRUTE] = &ab_broad_brute,
    [ABUT_BROAD_BVH] = &ab_broad_bvh,
    [ABUT_BROAD_GRID] = &ab_broad_grid,
};

const ab_broad_row *ab_broad_row_for(abut_broad_kind kind)
{
    return (unsigned)kind < ABUT_BROAD_COUNT ? rows[kind] : NULL;
}

const char *abut_broad_name(abut_broad_kind kind)
{
    const ab_broad_row *row = ab_broad_row_for(kind);
    return row ? row->name : "unknown";
}

abut_status ab_broad_open(ab_broad *broad, abut_broad_kind kind, abut_isa isa)
{
    const ab_broad_row *row = ab_broad_row_for(kind);
    const ab_kernels *kernels = ab_kernels_for(isa);
    if (!row || !kernels)
    {
        return ABUT_UNSUPPORTED;
    }
    broad->row = row;
    broad->ran = kind;
    broad->kernels = kernels->boxes;
    broad->halves = kernels->halves;
    broad->isa = isa;
    broad->bounds = kernels->bounds->pass;
    broad->box_tests = 0;
    broad->bad_proxy = ABUT_NONE;
    broad->granularity = AB_GRANULARITY_DEFAULT;
    broad->state = NULL;
    broad->laid.there = false;
    return row->create(broad);
}

abut_status ab_broad_change(ab_broad *broad, abut_broad_kind kind)
{
    const ab_broad_row *row = ab_broad_row_for(kind);
    void *before = broad->state, *after;
    if (row == broad->row)
    {
        return ABUT_OK;
    }
    broad->state = NULL;
    const abut_status status = row->create(broad);
    after = broad->state;
    broad->state = before;
    if (status == ABUT_OK)
    {
        broad->row->release(broad);
        broad->row = row;
        broad->ran = kind;
        broad->state = after;
        broad->laid.there = false;
    }
    return status;
}

void ab_broad_close(ab_broad *broad)
{
    if (broad->row)
    {
        broad->row->release(broad);
        broad->row = NULL;
    }
    arrfree(broad->pairs);
    arrfree(broad->ranges);
    arrfree(broad->notes);
    arrfree(broad->chunks);
}

abut_status ab_broad_prepare_bounds(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    // Blocks in groups of eight: a task has all children of a tree node.
    const ab_region *active = &broad->proxies->region[AB_ACTIVE];
    broad->partition = ab_partition_into(&broad->granularity, (size_t)active->blocks * AB_BLOCK, AB_BLOCK * AB_BLOCK);
    *tasks = broad->partition.tasks;
    return ab_broad_notes(broad, broad->partition.tasks) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

void ab_broad_bound(void *pass, uint32_t task)
{
    ab_broad *broad = pass;
    const uint32_t first = broad->proxies->region[AB_ACTIVE].first;
    const uint32_t begin = first + (uint32_t)(ab_partition_first(&broad->partition, task) / AB_BLOCK);
    const uint32_t end = first + (uint32_t)(ab_partition_end(&broad->partition, task) / AB_BLOCK);
    broad->notes[task].bad_proxy = broad->bounds(&broad->in, broad->proxies, begin, end);
}

abut_status ab_broad_bounded(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    (void)tasks;
    broad->bad_proxy = ABUT_NONE;
    for (uint32_t task = 0; task < broad->partition.tasks && broad->bad_proxy == ABUT_NONE; ++task)
    {
        broad->bad_proxy = broad->notes[task].bad_proxy;
    }
    return broad->bad_proxy == ABUT_NONE ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

const ab_phase *ab_broad_update_phases(const ab_broad *broad)
{
    return broad->row->update_phases;
}

const ab_phase *ab_broad_pairs_phases(const ab_broad *broad)
{
    return broad->row->pairs_phases;
}

void ab_broad_tree(const ab_broad *broad, ab_set set, ab_tree *out)
{
    const ab_region *region = &broad->proxies->region[set];
    out->levels = 0;
    out->wanted = NULL;
    out->around = NULL;
    if (region->live == 0)
    {
        return;
    }
    out->levels = 1;
    out->count[0] = region->blocks;
    out->block[0] = broad->proxies->block + region->first;
    out->aabb[0] = broad->proxies->aabb + region->first;
    out->first_proxy = region->first * AB_BLOCK;
    out->proxies = broad->proxies;
    if (broad->row->tree && !broad->unindexed)
    {
        broad->row->tree(broad, set, out);
    }
    const uint32_t last = out->levels - 1;
    out->first_level = ab_index_first_level(out);
    out->around = out->count[last] == 1 ? out->aabb[last] : NULL;
}

#ifdef AB_SMALL // lays them for each call
void ab_broad_lay(ab_broad *broad)
{
    (void)broad;
}
#define is_laid(broad)         false
#define check_laid(broad, set) ((void)(broad))
#else
void ab_broad_lay(ab_broad *broad)
{
    const ab_proxies *proxies = broad->proxies;
    ab_broad_laid *laid = &broad->laid;
    laid->there = true;
    laid->block = proxies->block;
    laid->aabb = proxies->aabb;
    for (ab_set set = 0; set < AB_SET_COUNT; ++set)
    {
        ab_broad_tree(broad, set, &laid->tree[set]);
        laid->first[set] = proxies->region[set].first;
        laid->revision[set] = proxies->region[set].revision;
    }
}

static bool is_laid(const ab_broad *broad)
{
    const ab_proxies *proxies = broad->proxies;
    const ab_broad_laid *laid = &broad->laid;
    bool same = !broad->unindexed && laid->there && laid->block == proxies->block && laid->aabb == proxies->aabb;
    for (ab_set set = 0; set < AB_SET_COUNT; ++set)
    {
        const ab_region *region = &proxies->region[set];
        same = same && laid->first[set] == region->first && laid->revision[set] == region->revision;
    }
    return same;
}

// Whether a set's tree would be laid as it was.
static void check_laid(const ab_broad *broad, ab_set set)
{
#ifdef AB_CHECKED
    const ab_tree *laid = &broad->laid.tree[set];
    ab_tree tree;
    ab_broad_tree(broad, set, &tree);
    AB_ASSERT(laid->levels == tree.levels && laid->around == tree.around && !laid->wanted, set);
    for (uint32_t level = 0; level < tree.levels; ++level)
    {
        AB_ASSERT(laid->count[level] == tree.count[level] && laid->block[level] == tree.block[level] &&
                      laid->aabb[level] == tree.aabb[level],
                  level);
    }
#endif
    (void)broad, (void)set;
}
#endif

const ab_tree *ab_broad_trees(const ab_broad *broad, ab_tree room[AB_SET_COUNT])
{
    if (is_laid(broad))
    {
        check_laid(broad, AB_ACTIVE);
        check_laid(broad, AB_STATIC_SET);
        return broad->laid.tree;
    }
    for (ab_set set = 0; set < AB_SET_COUNT; ++set)
    {
        ab_broad_tree(broad, set, &room[set]);
    }
    return room;
}

// The state of a row with a tree begins with that.
static bool has_tree(const ab_broad *broad)
{
    return broad->row->tree && !broad->unindexed;
}

abut_status ab_broad_extend(ab_broad *broad, bool *extended)
{
    *extended = false;
    if (!has_tree(broad))
    {
        return ABUT_OK;
    }
    const abut_status status = ab_bvh_extend(broad, extended);
    ab_broad_lay(broad); // out of memory may have moved nodes, too
    return status;
}

void ab_broad_refit_above(ab_broad *broad, uint32_t proxy)
{
    if (has_tree(broad))
    {
        ab_bvh_refit_above(broad, proxy / AB_BLOCK - broad->proxies->region[AB_ACTIVE].first);
    }
}

abut_status ab_broad_refresh(ab_broad *broad, const ab_bounds_in *in)
{
    static const ab_phase phases[] = { { ab_broad_prepare_bounds, ab_broad_bound },
                                       { ab_broad_bounded, NULL },
                                       { NULL, NULL } };
    broad->in = *in;
    return ab_phases_run(phases, broad);
}
