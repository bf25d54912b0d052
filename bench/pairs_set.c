// Pairs made at random and sorted by whether they touch, which the scalar kernel says.
#include "pairs.h"

#include "pcg32.h"
#include "storage.h"

#include "narrow/placed.h"

#include <string.h>

enum
{
    HULLS = 64
};

// A capsule stands for all custom shapes: a segment along z with a rounding.
static abut_aabb capsule_bounds(void *context, const void *data)
{
    float size[2];
    (void)context;
    memcpy(size, data, sizeof size);
    const float along = size[0] + size[1];
    return (abut_aabb){ { -size[0], -size[0], -along }, { size[0], size[0], along } };
}

static void capsule_support(void *context, const void *data, const double direction[3], double out[3])
{
    float size[2];
    (void)context;
    memcpy(size, data, sizeof size);
    out[0] = out[1] = 0.0;
    out[2] = direction[2] >= 0.0 ? (double)size[1] : -(double)size[1];
}

static float capsule_rounding(void *context, const void *data)
{
    float radius;
    (void)context;
    memcpy(&radius, data, sizeof radius);
    return radius;
}

static const abut_kind_def capsule = {
    .name = "capsule", .bounds = capsule_bounds, .support = capsule_support, .rounding = capsule_rounding
};

static bool make_sphere(pcg32 *random, abut_shape *out)
{
    *out = abut_shape_sphere(pcg32_between(random, 0.25f, 0.5f));
    return true;
}

static bool make_box(pcg32 *random, abut_shape *out)
{
    const float x = pcg32_between(random, 0.25f, 0.5f), y = pcg32_between(random, 0.25f, 0.5f);
    *out = abut_shape_obb(x, y, pcg32_between(random, 0.25f, 0.5f));
    return true;
}

static bool make_aligned_box(pcg32 *random, abut_shape *out)
{
    const bool made = make_box(random, out);
    out->kind = ABUT_AABB;
    return made;
}

// Six corners on an ellipse.
static bool make_polygon(pcg32 *random, abut_shape *out)
{
    static const float circle[6][2] = { { 1.0f, 0.0f },  { 0.5f, 0.866f },   { -0.5f, 0.866f },
                                        { -1.0f, 0.0f }, { -0.5f, -0.866f }, { 0.5f, -0.866f } };
    const float x = pcg32_between(random, 0.25f, 0.5f), y = pcg32_between(random, 0.25f, 0.5f);
    abut_vec2 corner[6];
    abut_geometry *geometry;
    for (int i = 0; i < 6; ++i)
    {
        corner[i] = (abut_vec2){ x * circle[i][0], y * circle[i][1] };
    }
    if (abut_geometry_create_polygon(corner, 6, NULL, &geometry) != ABUT_OK)
    {
        return false;
    }
    *out = abut_shape_polygon(geometry);
    return true;
}

static bool make_capsule(pcg32 *random, abut_shape *out)
{
    const float radius = pcg32_between(random, 0.25f, 0.35f);
    *out = abut_shape_capsule(radius, pcg32_between(random, 0.1f, 0.25f));
    return true;
}

// Eight points on an ellipsoid: two squares, one turned by an eighth against the other; ten faces. Shapes share a few
// geometries, as those of a world do.
static bool make_hull(pcg32 *random, abut_shape *out)
{
    static const float circle[8][2] = {
        { 1.0f, 0.0f },  { 0.7071f, 0.7071f },   { 0.0f, 1.0f },  { -0.7071f, 0.7071f },
        { -1.0f, 0.0f }, { -0.7071f, -0.7071f }, { 0.0f, -1.0f }, { 0.7071f, -0.7071f }
    };
    static abut_geometry *shared[HULLS];
    const uint32_t at = (uint32_t)pcg32_between(random, 0.0f, (float)HULLS) % HULLS;
    const float x = pcg32_between(random, 0.25f, 0.5f), y = pcg32_between(random, 0.25f, 0.5f),
                z = pcg32_between(random, 0.25f, 0.5f);
    abut_vec3 corner[8];
    for (int i = 0; i < 8; ++i)
    {
        corner[i] = abut_vec3_make(x * circle[i][0], y * circle[i][1], i & 1 ? 0.7f * z : -0.7f * z);
    }
    if (!shared[at] && abut_geometry_create_hull(corner, 8, 0, NULL, &shared[at]) != ABUT_OK)
    {
        return false;
    }
    abut_geometry_retain(shared[at]);
    *out = abut_shape_hull(shared[at]);
    return true;
}

static bool make_custom(pcg32 *random, abut_shape *out)
{
    const float size[2] = { pcg32_between(random, 0.25f, 0.35f), pcg32_between(random, 0.1f, 0.25f) };
    *out = abut_shape_custom(ABUT_FIRST_KIND, size, sizeof size);
    return true;
}

static bool make_cylinder(pcg32 *random, abut_shape *out)
{
    const float radius = pcg32_between(random, 0.25f, 0.4f);
    *out = abut_shape_cylinder(radius, pcg32_between(random, 0.2f, 0.4f));
    return true;
}

static bool make_half_space(pcg32 *random, abut_shape *out)
{
    (void)random;
    *out = abut_shape_half_space();
    return true;
}

static bool (*const make[ABUT_SHAPE_KIND_COUNT])(pcg32 *random, abut_shape *out) = {
    [ABUT_SPHERE] = make_sphere,   [ABUT_AABB] = make_aligned_box,      [ABUT_OBB] = make_box,
    [ABUT_POLYGON] = make_polygon, [ABUT_CUSTOM] = make_custom,         [ABUT_CAPSULE] = make_capsule,
    [ABUT_HULL] = make_hull,       [ABUT_HALF_SPACE] = make_half_space, [ABUT_CYLINDER] = make_cylinder,
};

static abut_pose random_pose(pcg32 *random, bool is_2d, float spread)
{
    const float x = pcg32_between(random, -spread, spread), y = pcg32_between(random, -spread, spread);
    if (is_2d)
    {
        return abut_pose_2d(x, y, pcg32_between(random, -3.0f, 3.0f));
    }
    abut_pose pose = { .rotation = pcg32_rotation(random) };
    pose.position = abut_vec3_make(x, y, pcg32_between(random, -spread, spread));
    return pose;
}

static void put(pairs_set *set, uint32_t proxy, const abut_shape *shape, const abut_pose *pose)
{
    set->shapes[proxy] = *shape;
    ab_placed_record(&set->records[proxy], &set->kinds, shape, pose, proxy);
}

static bool wanted(const pairs_set *set, const ab_pair_type *type, uint32_t pair, uint32_t which)
{
    uint32_t touching[1 + 2 * AB_WIDEST];
    const ab_batch batch = pairs_set_batch(set, pair, 1);
    const bool touch = type->touching(&batch, touching) != 0;
    return which == PAIRS_MIXED ? touch == (pair % 2 == 0) : touch == (which == PAIRS_TOUCHING);
}

static void take_room(pairs_set *set)
{
    enum
    {
        PROXIES = 2 * (PAIRS_SET + (int)AB_WIDEST)
    };
    set->shapes = storage_take(PROXIES, sizeof *set->shapes);
    set->memory = storage_take(PROXIES + 1, sizeof *set->records);
    set->records = (ab_record *)(((uintptr_t)set->memory + 63u) & ~(uintptr_t)63u);
    set->colliders = storage_take(PROXIES, sizeof *set->colliders);
    set->a = storage_take(PROXIES, sizeof *set->a);
    set->b = storage_take(PROXIES, sizeof *set->b);
    for (uint32_t i = 0; i < PROXIES; ++i)
    {
        const uint32_t pair = i < PAIRS_SET ? i : 0;
        set->colliders[i] = i;
        set->a[i] = 2 * pair;
        set->b[i] = 2 * pair + 1;
    }
}

bool pairs_set_make(pairs_set *set, const pairs_type *at, uint32_t which)
{
    const abut_shape_kind lower = at->lower, higher = at->higher;
    const ab_pair_type *type = &ab_placed_table(ABUT_ISA_SCALAR, at->is_2d)->type[lower][higher];
    pcg32 random = pcg32_seed(which + 1, (uint64_t)lower << 8 | (uint64_t)higher);
    *set = (pairs_set){ .kinds = { &capsule, 1 }, .is_2d = at->is_2d };
    take_room(set);
    for (uint32_t pair = 0; pair < PAIRS_SET; ++pair)
    {
        abut_shape a, b;
        if (!make[lower] || !make[higher] || !make[lower](&random, &a) || !make[higher](&random, &b))
        {
            return false;
        }
        const abut_pose pose = random_pose(&random, at->is_2d, 4.0f);
        put(set, 2 * pair, &a, &pose);
        do
        {
            abut_pose other = random_pose(&random, at->is_2d, 1.25f);
            other.position = abut_vec3_add(other.position, pose.position);
            put(set, 2 * pair + 1, &b, &other);
        } while (!wanted(set, type, pair, which));
    }
    return true;
}

void pairs_set_release(pairs_set *set)
{
    for (uint32_t i = 0; i < 2 * PAIRS_SET; ++i)
    {
        if (set->shapes[i].kind == ABUT_POLYGON || set->shapes[i].kind == ABUT_HULL)
        {
            abut_geometry_release((abut_geometry *)set->shapes[i].polygon);
        }
    }
    storage_give(set->shapes);
    storage_give(set->memory);
    storage_give(set->colliders);
    storage_give(set->a);
    storage_give(set->b);
}

ab_batch pairs_set_batch(const pairs_set *set, uint32_t first, uint32_t count)
{
    return (ab_batch){ .records = set->records,
                       .colliders = set->colliders,
                       .shapes = set->shapes,
                       .kinds = &set->kinds,
                       .a = set->a + first,
                       .b = set->b + first,
                       .count = count,
                       .is_2d = set->is_2d };
}
