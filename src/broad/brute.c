// The referee: every active leaf against every later active leaf and every still one, in blocks. Also the best there is
// for a few bodies. Keeps the leaves as they come, and closes gaps when there are many.
#include "base/array.h"
#include "broad/box_kernels.h"
#include "broad/rows.h"

static abut_status brute_create(ab_broad *broad)
{
    (void)broad;
    return ABUT_OK;
}

static void brute_release(ab_broad *broad)
{
    (void)broad;
}

// Live leaves move up in the order they are in. The pairs of the last run are over, so their memory serves as scratch.
static abut_status close_gaps(ab_broad *broad, ab_set set)
{
    const ab_region *region = &broad->leaves->region[set];
    if (region->tail - region->live <= region->live / 4 + 64)
    {
        return ABUT_OK;
    }
    const size_t order_pairs = (region->live + 15) / 16 * 8; // a multiple of 64 bytes
    const size_t bytes = ab_leaves_permute_bytes(set, region->live);
    ab_array_set_length(broad->pairs, 0);
    if (!ab_array_reserve(broad->pairs, broad->memory, order_pairs + bytes / sizeof(ab_pair) + 1))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    uint32_t *order = (uint32_t *)(void *)broad->pairs;
    const uint32_t first = region->first * AB_BLOCK;
    uint32_t count = 0;
    for (uint32_t leaf = first; leaf < first + region->tail; ++leaf)
    {
        order[count] = leaf;
        count += broad->leaves->collider[leaf] != ABUT_NONE;
    }
    ab_leaves_permute(broad->leaves, set, 0, order, count, broad->pairs + order_pairs);
    return ABUT_OK;
}

static abut_status brute_update(ab_broad *broad, const ab_bounds_in *in)
{
    for (ab_set set = AB_ACTIVE; set < AB_SET_COUNT; ++set)
    {
        const abut_status status = close_gaps(broad, set);
        if (status != ABUT_OK)
        {
            return status;
        }
    }
    const ab_region *active = &broad->leaves->region[AB_ACTIVE];
    broad->bad_leaf = broad->bounds(in, broad->leaves, active->first, active->first + active->blocks);
    return broad->bad_leaf == ABUT_NONE ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

// Appends the pairs of `leaf` with the leaves of blocks [first, end).
static abut_status sweep(ab_broad *broad, uint32_t leaf, uint32_t first, uint32_t end)
{
    const size_t count = arrlenu(broad->pairs);
    if (!ab_array_reserve(broad->pairs, broad->memory, count + AB_BLOCK * (size_t)(end - first) + AB_BLOCK))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const uint32_t found = broad->kernels->sweep(broad->leaves, leaf, first, end, broad->pairs + count);
    ab_array_set_length(broad->pairs, count + found);
    broad->box_tests += end - first;
    return ABUT_OK;
}

static abut_status brute_pairs(ab_broad *broad)
{
    const ab_leaves *leaves = broad->leaves;
    const ab_region *active = &leaves->region[AB_ACTIVE], *still = &leaves->region[AB_STILL];
    const uint32_t active_end = active->first + active->blocks, still_end = still->first + still->blocks;
    broad->box_tests = 0;
    ab_array_set_length(broad->pairs, 0);
    for (uint32_t leaf = active->first * AB_BLOCK; leaf < active_end * AB_BLOCK; ++leaf)
    {
        if (leaves->collider[leaf] == ABUT_NONE)
        {
            continue;
        }
        abut_status status = sweep(broad, leaf, leaf / AB_BLOCK, active_end);
        if (status == ABUT_OK)
        {
            status = sweep(broad, leaf, still->first, still_end);
        }
        if (status != ABUT_OK)
        {
            return status;
        }
    }
    return ABUT_OK;
}

static void brute_check(const ab_broad *broad)
{
    ab_leaves_check(broad->leaves);
}

const ab_broad_row ab_broad_brute = {
    .name = "brute",
    .create = brute_create,
    .release = brute_release,
    .update = brute_update,
    .pairs = brute_pairs,
    .check = brute_check,
};
