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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(no_triangle_is_reached_before_it_is_said_to_be) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
