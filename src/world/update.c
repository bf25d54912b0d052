// Updates AABBs and index without a detect, or after one that failed. Queries may read both at any time between two
// calls, so they must be valid whatever the last update did.
#include "base/platform.h"
#include "math/rotation.h"
#include "world/world.h"

#include <abut/query.h>

#include <float.h>

#define MEASURED 16u // sample size: nodes whose widths are measured

// Whether the bounds pass accepts the pose of a proxy's body: some that it does not have AABBs, too.
static bool is_placed(const abut_world *world, uint32_t proxy)
{
    const abut_pose *pose = &world->state.bodies.pose[world->cache.proxies.collider_key[proxy] >> 8];
    const abut_quat q = pose->rotation;
    const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return ab_vec3_in_range(pose->position) && square >= AB_LEAST_SQUARE && square <= FLT_MAX &&
           (!world->state.is_2d || ab_pose_is_2d(pose));
}

// Computes every active proxy's AABB at its present pose; empties those of invalid poses.
static void bound_again(abut_world *world)
{
    ab_bounds_in in = ab_world_bounds_in(world);
    ab_proxies *proxies = &world->cache.proxies;
    const ab_region *active = &proxies->region[AB_ACTIVE];
    in.horizon = 0.0f; // reaches may come from invalid velocities
    (void)world->cache.broad.bounds(&in, proxies, active->first, active->first + active->blocks);
    for (uint32_t proxy = active->first * AB_BLOCK; proxy < (active->first + active->blocks) * AB_BLOCK; ++proxy)
    {
        if (proxies->collider[proxy] != ABUT_NONE && !is_placed(world, proxy))
        {
            ab_proxies_hide(proxies, proxy);
        }
    }
}

void ab_world_index_lost(abut_world *world)
{
    const uint64_t floats = ab_platform_float_enter();
    world->cache.broad.unindexed = true;
    bound_again(world);
    ab_platform_float_leave(floats);
}

// Widths of nodes, ascending.
typedef struct widths
{
    float width[AB_SET_COUNT * MEASURED];
    uint32_t count;
} widths;

static void add_width(widths *w, float width)
{
    uint32_t at = w->count++;
    for (; at > 0 && w->width[at - 1] > width; --at)
    {
        w->width[at] = w->width[at - 1];
    }
    w->width[at] = width;
}

// Adds the mean widths of some nodes over 64 proxies, or of lower nodes where there are none.
static void measure(const ab_tree *tree, widths *w)
{
    if (tree->levels == 0)
    {
        return;
    }
    const uint32_t level = tree->levels > 1, step = tree->count[level] / MEASURED + 1;
    for (uint32_t i = 0; i < tree->count[level]; i += step)
    {
        const ab_aabb *box = &tree->aabb[level][i];
        if (box->min[0] <= box->max[0])
        {
            add_width(w,
                      (box->max[0] - box->min[0] + (box->max[1] - box->min[1]) + (box->max[2] - box->min[2])) / 3.0f);
        }
    }
}

// The median: what is far from all others, or far larger, makes its nodes as wide, and is not to widen what is looked
// through first.
void ab_world_indexed(abut_world *world)
{
    widths w;
    w.count = 0;
    world->cache.broad.unindexed = false;
    ab_broad_lay(&world->cache.broad);
    for (ab_set set = AB_ACTIVE; set < AB_SET_COUNT; ++set)
    {
        measure(&world->cache.broad.laid.tree[set], &w);
    }
    world->cache.node_width = w.count > 0 ? w.width[(w.count - 1) / 2] : 0.0f;
}

static abut_status run_phases(abut_world *world, const ab_phase *phases)
{
    for (const ab_phase *phase = phases; phase->prepare; ++phase)
    {
        uint32_t tasks = 0;
        const abut_status status = phase->prepare(&world->cache.broad, &tasks);
        if (status != ABUT_OK)
        {
            return status;
        }
        if (tasks > 0)
        {
            ab_pool_run(world->pool, phase->task, &world->cache.broad, tasks);
        }
    }
    return ABUT_OK;
}

static abut_status update(abut_world *world)
{
    ab_world_prepare_broad(world);
    world->cache.broad.single_threaded = !world->pool;
    const abut_status status = run_phases(world, ab_broad_update_phases(&world->cache.broad));
    if (status == ABUT_OK)
    {
        ab_world_indexed(world);
        AB_WORLD_CHECK(world);
        return ABUT_OK;
    }
    const uint32_t body = status == ABUT_INVALID_ARGUMENT
                              ? world->cache.proxies.record[world->cache.broad.bad_proxy].collider_key >> 8
                              : 0;
    ab_world_index_lost(world);
    return ab_fail(world, status, "abut_world_update", body,
                   status == ABUT_INVALID_ARGUMENT ? "the pose or velocity of the body in this slot is not valid"
                                                   : abut_status_text(status));
}

abut_status abut_world_update(abut_world *world)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    ab_world_float_enter(world);
    const abut_status status = update(world);
    ab_world_float_leave(world);
    return status;
}
