// When a shape that travels may reach a triangle: never later than the search for nearest points finds it there.
#include "narrow/convex/sweep_straight.h"
#include "narrow/mesh/mesh_past.h"
#include "triangle_couples.h"

#include <stdio.h>

enum
{
    COUPLES = 60000
};

static abut_shape some_shape(random_source *random, double size)
{
    const float a = (float)(size * random_between(random, 0.1, 1.0)),
                b = (float)(size * random_between(random, 0.1, 1.0)),
                c = (float)(size * random_between(random, 0.1, 1.0));
    const uint32_t kind = random_below(random, 4);
    return kind == 0 ? abut_shape_sphere(a) : kind == 1 ? abut_shape_capsule(0.5f * a, b) : abut_shape_obb(a, b, c);
}

static void movers(const couple *c, const double way[3], ab_triangle *triangle, ab_mover *shape, ab_mover *standing)
{
    *shape = (ab_mover){ .start = c->pair.convex, .turns = true };
    *standing = (ab_mover){ .turns = true };
    memcpy(shape->pivot, c->pair.convex.centre, sizeof shape->pivot);
    memcpy(shape->v, way, sizeof shape->v);
    ab_triangle_place(c->pair.mesh, &c->pair.placed, 0, triangle, &standing->start);
    memcpy(standing->pivot, standing->start.centre, sizeof standing->pivot);
}

static void no_triangle_is_reached_before_it_is_said_to_be(void **state)
{
    (void)state;
    uint64_t hits = 0, said = 0, said_in_floats = 0, tight = 0;
    const random_seeds seeds = random_seeds_of(COUPLES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double size = random_scale(&random, 0.01, 100.0);
        const abut_shape shape = some_shape(&random, size);
        couple c;
        ab_triangle triangle;
        ab_mover mover, standing;
        ab_sweep found;
        ab_past_lanes lanes;
        ab_axes_row row = { { { { 0.0f } } } };
        double way[3], start = 0.0;
        float times[AB_MESH_WIDTH];
        const uint32_t which = 0;
        couple_open(&c, &random, &shape, size);
        any_direction(&random, way);
        const double far = (size + c.of) * random_scale(&random, 0.1, 30.0), back = random_between(&random, 0.0, 0.9);
        for (int k = 0; k < 3; ++k)
        {
            way[k] *= random_chance(&random, 0.1) ? 0.0 : far;
            c.pair.convex.centre[k] -= back * way[k];
        }
        movers(&c, way, &triangle, &mover, &standing);
        const double tolerance = ab_sweep_tolerance(&mover, &standing), length = sqrt(ab_dot(way, way));
        ab_sweep_movers(&mover, &standing, 1.0, tolerance, &found);
        const ab_past past = { &mover.start, &c.pair.placed, { way[0], way[1], way[2] } };
        const bool may = ab_past_triangle(&past, 0, 1.0, &start);
        ab_axes_row_of(c.pair.mesh, &which, 1, &row);
        ab_past_lanes_of(&past, &lanes);
        ab_past_row(&lanes, &row, 1.0f, times);
        if (found.hit)
        {
            ab_sweep from = { 0 };
            ab_sweep_movers_from(&mover, &standing, start, 1.0, tolerance, &from);
            assert_true(may && from.hit && (found.initial || from.distance >= -0.5 * tolerance));
            assert_true(times[0] < AB_PAST_NEVER && (double)times[0] <= found.time + 1e-6);
            tight += (found.time - start) * length <= 4.0 * tolerance;
        }
        hits += found.hit;
        said += may;
        said_in_floats += times[0] < AB_PAST_NEVER;
        abut_geometry_release(c.geometry);
    }
    printf("%llu hits, %llu said to be possible, %llu in floats; %llu at the time that was said\n",
           (unsigned long long)hits, (unsigned long long)said, (unsigned long long)said_in_floats,
           (unsigned long long)tight);
    assert_true(!random_seeds_all() || (4 * said < 5 * hits + 4 * hits && 2 * tight > hits && hits > 1000));
}

enum
{
    SLIDES = 40000
};

// What slides along a triangle, at about the tolerance and nearly parallel to it, is hit on the way or not at all, and
// a cast that does not turn is never left undecided.
static void what_slides_by_is_hit_on_its_way_or_not_at_all(void **state)
{
    (void)state;
    const abut_vec3 corners[3] = { { -1, 0, -1 }, { 0, 0, 1 }, { 1, 0, -1 } };
    const uint32_t indices[3] = { 0, 1, 2 };
    const abut_mesh_def def = { .vertices = corners, .indices = indices, .vertex_count = 3, .triangle_count = 1 };
    const abut_shape shapes[3] = { abut_shape_obb(0.5f, 0.5f, 0.5f), abut_shape_capsule(0.3f, 0.2f),
                                   abut_shape_sphere(0.5f) };
    abut_geometry *mesh;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &mesh), ABUT_OK);
    const abut_shape triangle = abut_shape_mesh(mesh);
    const abut_pose identity = abut_pose_identity();
    uint64_t hits = 0;
    const random_seeds seeds = random_seeds_of(SLIDES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double above = random_scale(&random, 1e-6, 1e-4), from = random_between(&random, -4.0, 1.2),
                     beside = random_between(&random, -1.0, 1.0), far = random_between(&random, 0.0, 6.0),
                     down = random_chance(&random, 0.5) ? random_between(&random, 0.0, 1e-5)
                                                        : random_scale(&random, 1e-7, 1e-4);
        abut_cast cast = { .shape = shapes[random_below(&random, 3)], .pose = identity };
        abut_ray_hit hit;
        cast.pose.position = abut_vec3_make((float)from, (float)(0.5 + above), (float)beside);
        cast.translation = abut_vec3_make((float)far, (float)-down, 0);
        assert_int_equal(abut_cast_shape(&cast, &triangle, &identity, 0, &hit), ABUT_OK);
        if ((hit.flags & ABUT_HIT_BOUND) || !(hit.fraction >= 0.0f && hit.fraction <= 1.0f))
        {
            fail_msg("seed %llu: fraction %g, flags %u", (unsigned long long)seed, (double)hit.fraction, hit.flags);
        }
        hits += hit.hit;
    }
    abut_geometry_release(mesh);
    assert_true(hits > (seeds.end - seeds.first) / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_triangle_is_reached_before_it_is_said_to_be),
                                        cmocka_unit_test(what_slides_by_is_hit_on_its_way_or_not_at_all) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
