// What measures a box or a capsule against a triangle without a search, against GJK and EPA: near and far, thin and long,
// with faces, edges and corners first, level and tilted by hairs.
#include "mesh_makers.h"
#include "narrow/mesh/triangle.h"

#include <abut/shape.h>
#include <stdio.h>

enum
{
    PAIRS = 500000
};

typedef struct tally
{
    uint32_t found, beyond, unknown, overlaps;
} tally;

static void any_direction(random_source *random, double out[3])
{
    double square = 0.0;
    while (square < 0.01 || square > 1.0)
    {
        for (int k = 0; k < 3; ++k)
        {
            out[k] = random_between(random, -1.0, 1.0);
        }
        square = ab_dot(out, out);
    }
}

// Level, tilted by a hair, or any rotation.
static abut_quat any_turn(random_source *random)
{
    const uint32_t kind = random_below(random, 3);
    const double most = kind == 0 ? 0.0 : kind == 1 ? 1e-5 : 1.0;
    double axis[3];
    any_direction(random, axis);
    const abut_quat q = { (float)(most * axis[0]), (float)(most * axis[1]), (float)(most * axis[2]),
                          kind == 2 ? (float)random_between(random, -1.0, 1.0) : 1.0f };
    return abut_quat_normalise(q);
}

static abut_geometry *any_triangle(random_source *random, double size)
{
    const uint32_t indices[3] = { 0, 1, 2 };
    const bool level = random_below(random, 2) == 0, thin = random_below(random, 4) == 0;
    abut_geometry *geometry = NULL;
    while (!geometry)
    {
        abut_vec3 v[3];
        for (int i = 0; i < 3; ++i)
        {
            const double across = (thin ? 0.01 : 1.0) * size;
            v[i] = abut_vec3_make((float)random_between(random, -size, size),
                                  level ? 0.0f : (float)random_between(random, -size, size),
                                  (float)random_between(random, -across, across));
        }
        const abut_mesh_def def = { v, indices, 3, 1, random_below(random, 2) == 0 };
        if (abut_geometry_create_mesh(&def, NULL, &geometry) != ABUT_OK)
        {
            geometry = NULL;
        }
    }
    return geometry;
}

static void place(ab_convex *out, const abut_shape *shape, const double at[3], abut_quat turn)
{
    const abut_pose pose = { .rotation = turn };
    ab_frame frame = ab_frame_of(&pose, true);
    memcpy(frame.position, at, sizeof frame.position);
    ab_convex_at(out, NULL, shape, &frame, false);
}

static void compare(uint64_t seed, random_source *random, const abut_shape *shape, double size, tally *seen)
{
    const double of = random_below(random, 2) == 0 ? size : random_scale(random, 0.01, 100.0),
                 here[3] = { 0.0, 0.0, 0.0 };
    abut_geometry *geometry = any_triangle(random, of);
    const abut_shape mesh = abut_shape_mesh(geometry);
    const abut_quat turn = any_turn(random);
    ab_triangle_pair p = { .mesh = ab_mesh_of_geometry(geometry) };
    ab_triangle_corners corners;
    double at[3];
    any_direction(random, at);
    for (int k = 0; k < 3; ++k)
    {
        at[k] *= random_between(random, 0.0, 1.2) * (random_below(random, 2) == 0 ? size : size + of);
    }
    place(&p.placed, &mesh, here, turn);
    place(&p.convex, shape, at, random_below(random, 2) == 0 ? turn : any_turn(random));
    ab_triangle_pair_up(&p);
    ab_mesh_corners(p.mesh, 0, corners.at);
    ab_mesh_triangle_normal(corners.at, corners.normal);
    ab_triangle triangle;
    ab_convex_pair pair = { .a = p.convex };
    ab_convex_contact fast, exact;
    ab_triangle_place(p.mesh, &p.placed, 0, &triangle, &pair.b);
    ab_convex_pair_up(&pair);
    const double limit = random_below(random, 2) == 0 ? 0.0 : 0.2 * size, band = 1e-6 * (size + of);
    const ab_triangle_gap gap = ab_triangle_measure(&p, &corners, limit, &fast);
    ab_convex_collide(&pair, limit, &exact);
    switch (gap)
    {
    case AB_GAP_FOUND:
        ++seen->found;
        seen->overlaps += fast.overlap;
        if (fabs(fast.separation - exact.separation) > band)
        {
            fail_msg("seed %llu: measured %.9g, by a search %.9g", (unsigned long long)seed, fast.separation,
                     exact.separation);
        }
        assert_true(fabs(ab_dot(fast.normal, fast.normal) - 1.0) <= 1e-6);
        if (!fast.overlap)
        {
            double between[3];
            ab_sub(fast.on_b, fast.on_a, between);
            assert_true(fabs(ab_dot(between, fast.normal) - fast.separation) <= band);
        }
        break;
    case AB_GAP_BEYOND:
        ++seen->beyond;
        if (exact.separation <= limit - band)
        {
            fail_msg("seed %llu: beyond %.9g, by a search %.9g", (unsigned long long)seed, limit, exact.separation);
        }
        break;
    case AB_GAP_UNKNOWN:
    default:
        ++seen->unknown;
        break;
    }
    abut_geometry_release(geometry);
}

static void boxes_are_measured_as_by_a_search(void **state)
{
    (void)state;
    tally seen = { 0 };
    const random_seeds seeds = random_seeds_of(PAIRS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double size = random_scale(&random, 0.01, 100.0), thin = random_below(&random, 4) == 0 ? 0.01 : 1.0;
        const abut_shape box = abut_shape_obb((float)size, (float)(size * random_between(&random, 0.1, 1.0)),
                                              (float)(size * thin * random_between(&random, 0.1, 1.0)));
        compare(seed, &random, &box, size, &seen);
    }
    printf("boxes: %u measured, %u of them overlap, %u beyond the limit, %u left to a search\n", seen.found,
           seen.overlaps, seen.beyond, seen.unknown);
    assert_true(!random_seeds_all() || (seen.found > seen.unknown && seen.beyond > 0 && seen.overlaps > 0));
}

static void capsules_are_measured_as_by_a_search(void **state)
{
    (void)state;
    tally seen = { 0 };
    const random_seeds seeds = random_seeds_of(PAIRS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double size = random_scale(&random, 0.01, 100.0), radius = size * random_between(&random, 0.1, 1.0);
        const abut_shape capsule = abut_shape_capsule((float)radius, (float)size);
        compare(seed, &random, &capsule, size + radius, &seen);
    }
    printf("capsules: %u measured, %u beyond the limit, %u left to a search\n", seen.found, seen.beyond, seen.unknown);
    assert_true(!random_seeds_all() || (seen.found > seen.unknown && seen.beyond > 0 && seen.unknown > 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_measured_as_by_a_search),
        cmocka_unit_test(capsules_are_measured_as_by_a_search),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
