// Creates chains as geometry.
#include "shape/chain.h"

#include "base/platform.h"
#include "math/outward.h"

#include <math.h>
#include <string.h>

const ab_chain *ab_chain_of_geometry(const abut_geometry *geometry)
{
    return geometry && geometry->kind == AB_CHAIN_GEOMETRY ? (const ab_chain *)(const void *)geometry : NULL;
}

static abut_vec2 point_at(const ab_chain *chain, uint32_t i)
{
    return chain->points[i < chain->point_count ? i : 0];
}

static void widen(abut_vec2 point, double out[2])
{
    out[0] = (double)point.x;
    out[1] = (double)point.y;
}

void ab_chain_segment_of(const ab_chain *chain, uint32_t which, ab_chain_segment *out)
{
    const bool first = which == 0, last = which + 1 == chain->count;
    const uint32_t before = first ? chain->point_count - 1 : which - 1;
    const bool ends_here[2] = { first && !chain->loop, last && !chain->loop };
    widen(point_at(chain, which), out->at[0]);
    widen(point_at(chain, which + 1), out->at[1]);
    widen(ends_here[0] ? chain->beyond[0] : chain->points[before], out->beyond[0]);
    widen(ends_here[1] ? chain->beyond[1] : point_at(chain, (which + 1) % chain->point_count + 1), out->beyond[1]);
    for (int k = 0; k < 2; ++k)
    {
        out->goes_on[k] = !ends_here[k] || chain->goes_on[k];
    }
}

static bool is_point(const abut_vec2 *p)
{
    return fabsf(p->x) <= ABUT_MAX_MAGNITUDE && fabsf(p->y) <= ABUT_MAX_MAGNITUDE; // false for NaN
}

static bool is_same(const abut_vec2 *p, const abut_vec2 *q)
{
    return p->x == q->x && p->y == q->y;
}

// Whether the point beyond an end is one, and not that end.
static bool is_beyond(const abut_chain_def *def, const abut_vec2 *beyond, const abut_vec2 *end)
{
    return !beyond || (!def->loop && is_point(beyond) && !is_same(beyond, end));
}

static abut_status judge(const abut_chain_def *def)
{
    const uint32_t least = def->loop ? 3 : 2;
    if (def->point_count > ABUT_MAX_CHAIN_POINTS)
    {
        return ABUT_LIMIT;
    }
    if (!def->points || def->point_count < least)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const abut_vec2 *first = &def->points[0], *last = &def->points[def->point_count - 1];
    bool sound =
        !(def->loop && is_same(first, last)) && is_beyond(def, def->before, first) && is_beyond(def, def->after, last);
    for (uint32_t i = 0; i < def->point_count; ++i)
    {
        sound = sound && is_point(&def->points[i]) && !(i > 0 && is_same(&def->points[i - 1], &def->points[i]));
    }
    return sound ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

// The box of some segments.
static ab_part_node leaf_of(const ab_chain *chain, uint32_t first, uint32_t end)
{
    ab_part_node leaf = { .min = { HUGE_VALF, HUGE_VALF, 0.0f },
                          .max = { -HUGE_VALF, -HUGE_VALF, 0.0f },
                          .part = first / AB_CHAIN_GROUP };
    for (uint32_t i = first; i <= end; ++i)
    {
        const abut_vec2 p = point_at(chain, i);
        leaf.min[0] = -larger(-leaf.min[0], -p.x);
        leaf.min[1] = -larger(-leaf.min[1], -p.y);
        leaf.max[0] = larger(leaf.max[0], p.x);
        leaf.max[1] = larger(leaf.max[1], p.y);
    }
    return leaf;
}

// Measures the points, and lays the leaves of the tree.
static void measure(ab_chain *chain, ab_part_node *leaves)
{
    double farthest = 0.0;
    for (uint32_t i = 0; i < chain->point_count; ++i)
    {
        const abut_vec2 p = chain->points[i];
        const double x = (double)p.x, y = (double)p.y, square = x * x + y * y;
        chain->half.x = larger(fabsf(p.x), chain->half.x);
        chain->half.y = larger(fabsf(p.y), chain->half.y);
        farthest = square > farthest ? square : farthest;
    }
    for (uint32_t i = 0; i < chain->count; i += AB_CHAIN_GROUP)
    {
        const uint32_t end = i + AB_CHAIN_GROUP < chain->count ? i + AB_CHAIN_GROUP : chain->count;
        leaves[i / AB_CHAIN_GROUP] = leaf_of(chain, i, end);
    }
    chain->bounding_radius = ab_float_up(sqrt(farthest) * (1.0 + 0x1p-50));
}

// The coordinates, of which the points are the last: flags, and the points beyond.
static void take_points(ab_chain *chain, const abut_chain_def *def, float *coordinates)
{
    const abut_vec2 *const beyond[2] = { def->before, def->after };
    coordinates[0] = (float)((def->loop ? AB_CHAIN_LOOP : 0u) | (def->two_sided ? AB_CHAIN_TWO_SIDED : 0u) |
                             (def->before ? AB_CHAIN_BEFORE : 0u) | (def->after ? AB_CHAIN_AFTER : 0u));
    for (int k = 0; k < 2; ++k)
    {
        chain->goes_on[k] = beyond[k] != NULL;
        chain->beyond[k] = beyond[k] ? *beyond[k] : (abut_vec2){ 0.0f, 0.0f };
        coordinates[1 + 2 * k] = chain->beyond[k].x;
        coordinates[2 + 2 * k] = chain->beyond[k].y;
    }
    memcpy(coordinates + AB_CHAIN_HEAD, def->points, def->point_count * sizeof *def->points);
    chain->points = (const abut_vec2 *)(const void *)(coordinates + AB_CHAIN_HEAD);
    chain->head.coordinates = coordinates;
    chain->head.coordinate_count = AB_CHAIN_HEAD + 2 * def->point_count;
}

// The leaves are in the same block as the chain, behind the tree.
static abut_status create(const abut_chain_def *def, ab_memory *memory, abut_geometry **out)
{
    const uint32_t count = def->loop ? def->point_count : def->point_count - 1;
    const uint32_t groups = (count - 1) / AB_CHAIN_GROUP + 1;
    const size_t nodes = AB_PART_NODES(groups), floats = AB_CHAIN_HEAD + 2 * (size_t)def->point_count;
    ab_chain *chain = (ab_chain *)(void *)ab_geometry_make(
        AB_CHAIN_GEOMETRY, sizeof *chain + (nodes + groups) * sizeof(ab_part_node) + floats * sizeof(float), memory);
    if (!chain)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_part_node *const tree = (ab_part_node *)(void *)(chain + 1), *const leaves = tree + nodes;
    take_points(chain, def, (float *)(void *)(leaves + groups));
    chain->point_count = def->point_count;
    chain->count = count;
    chain->loop = def->loop;
    chain->two_sided = def->two_sided;
    measure(chain, leaves);
    ab_part_tree_build(tree, leaves, groups);
    chain->tree = (ab_part_tree){ tree, (uint32_t)nodes };
    ab_box_points_make(tree[0].min, tree[0].max, &chain->box);
    if (chain->bounding_radius > ABUT_MAX_MAGNITUDE)
    {
        abut_geometry_release(&chain->head);
        return ABUT_INVALID_ARGUMENT;
    }
    *out = &chain->head;
    return ABUT_OK;
}

// The bits must not depend on the caller's floating-point environment.
abut_status abut_geometry_create_chain(const abut_chain_def *def, const abut_allocator *allocator, abut_geometry **out)
{
    ab_memory memory;
    if (!out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (!def || !ab_memory_open(&memory, allocator))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint64_t before = ab_platform_float_enter();
    abut_status status = judge(def);
    status = status == ABUT_OK ? create(def, &memory, out) : status;
    ab_platform_float_leave(before);
    return status;
}

uint32_t abut_geometry_chain_points(const abut_geometry *geometry, const abut_vec2 **out)
{
    const ab_chain *chain = ab_chain_of_geometry(geometry);
    if (out)
    {
        *out = chain ? chain->points : NULL;
    }
    return chain ? chain->point_count : 0;
}

uint32_t abut_geometry_chain_segments(const abut_geometry *geometry)
{
    const ab_chain *chain = ab_chain_of_geometry(geometry);
    return chain ? chain->count : 0;
}
