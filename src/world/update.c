// Updates AABBs and index without a detect, or after one that failed. Queries may read both at any time between two
// calls, so they must be valid whatever the last update did.
#include "base/platform.h"
#include "math/rotation.h"
#include "world/world.h"

#include <abut/query.h>

#include <float.h>
#include <math.h>

#define MEASURED      16u  // sample size: nodes whose widths are measured
#define PATHS         1.2f // a ray's first segment, in what is free before it
#define LEAST_SEGMENT 0.7f // and, in widths of a node, at least
#define MOST_SEGMENT  1.4f // and at most

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

// Nodes of the trees.
typedef struct nodes
{
    float width[AB_SET_COUNT * MEASURED]; // ascending
    float crowding;                       // the sum of all
    uint32_t count;
} nodes;

static void add_width(nodes *n, float width)
{
    uint32_t at = n->count++;
    for (; at > 0 && n->width[at - 1] > width; --at)
    {
        n->width[at] = n->width[at - 1];
    }
    n->width[at] = width;
}

#ifdef AB_SMALL
#define crowding(tree, level, node) 0.0f
#else
// How many AABBs of proxies a line enters in a node, on average for each metre, if all are as those of its first block.
static float crowding(const ab_tree *tree, uint32_t level, uint32_t node)
{
    const float blocks = level > 0 ? (float)AB_BLOCK : 1.0f;
    const ab_aabb *box = &tree->aabb[level][node];
    const ab_aabb8 *first = &tree->block[0][level > 0 ? node * AB_BLOCK : node];
    const float volume = (box->max[0] - box->min[0]) * (box->max[1] - box->min[1]) * (box->max[2] - box->min[2]);
    float faces = 0.0f;
    for (uint32_t i = 0; i < AB_BLOCK; ++i)
    {
        const float x = first->max_x[i] - first->min_x[i], y = first->max_y[i] - first->min_y[i],
                    z = first->max_z[i] - first->min_z[i];
        faces += x >= 0.0f ? x * y + y * z + z * x : 0.0f;
    }
    return volume > 0.0f ? blocks * faces / (3.0f * volume) : INFINITY;
}
#endif

// Adds the mean widths of some nodes over 64 proxies, or of lower nodes where there are none.
static void measure(const ab_tree *tree, nodes *n)
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
            add_width(n,
                      (box->max[0] - box->min[0] + (box->max[1] - box->min[1]) + (box->max[2] - box->min[2])) / 3.0f);
            n->crowding += crowding(tree, level, i);
        }
    }
}

// Each segment of a ray costs a descent, so the first is about as long as it is free; a longer one would meet boxes
// behind the hit.
static float ray_segment_of(const nodes *n, float width)
{
    const float least = LEAST_SEGMENT * width, most = MOST_SEGMENT * width;
#ifdef AB_SMALL
    (void)n, (void)most;
    return least;
#else
    const float length = PATHS * (float)n->count / n->crowding;
    return !(length > least) ? least : length < most ? length : most;
#endif
}

// The median: what is far from all others, or far larger, makes its nodes as wide, and is not to widen what is looked
// through first.
void ab_world_indexed(abut_world *world)
{
    ab_tree room[AB_SET_COUNT];
    nodes n;
    n.count = 0;
    n.crowding = 0.0f;
    world->cache.broad.unindexed = false;
    ab_broad_lay(&world->cache.broad);
    const ab_tree *trees = ab_broad_trees(&world->cache.broad, room);
    for (ab_set set = AB_ACTIVE; set < AB_SET_COUNT; ++set)
    {
        measure(&trees[set], &n);
    }
    world->cache.node_width = n.count > 0 ? n.width[(n.count - 1) / 2] : 0.0f;
    world->cache.ray_segment = ray_segment_of(&n, world->cache.node_width);
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
