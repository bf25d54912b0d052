// What stands on a surface, or is a little in it, and goes on into a valley: the slope ahead stops it, though the edge
// at which it comes to that has no normal of its own. And nothing stops it on flat ground.
#include "valley_grounds.h"

#include <math.h>
#include <stdio.h>

enum
{
    FIELDS = 300,
    CASTS = 120, // on each
    FLAT = 20000
};

static const abut_query_filter leaving = { .flags = ABUT_QUERY_SKIP_LEAVING };

// Casts as in front, which come to the back where the ground is upside down.
static abut_hit cast_at(const ground *g, abut_cast cast, const abut_query_filter *filter)
{
    abut_hit hit;
    cast = g->up < 0.0f ? mirrored(cast) : cast;
    assert_int_equal(abut_world_cast_closest(g->world, &cast, filter, &hit), ABUT_OK);
    hit.normal.y *= g->up;
    return hit;
}

static void passes(const ground *g, abut_cast cast, const abut_query_filter *filter)
{
    const abut_hit hit = cast_at(g, cast, filter);
    assert_true(hit.collider.generation == 0);
}

// Where a body comes to by casts and by its continuous detection, from 3 m before the slope, so deep in the floor. The
// latter leave out what is overlapped at the start, and so what is seen there as behind the slope's plane.
static void expect_stop(const ground *g, abut_shape shape, float half, float deep, double degrees)
{
    const double slope = degrees * 0.017453292519943295;
    const abut_cast cast = {
        shape, { { g->left - 3.0f, half - deep, 0.1f }, 0, { 0, 0, 0, 1 } }, { 6, 0, 0 }, { 0, 0, 0 }
    };
    const abut_body_def def = { .pose = (g->up < 0.0f ? mirrored(cast) : cast).pose,
                                .velocity.linear = { 6, 0, 0 },
                                .flags = ABUT_BODY_CCD,
                                .collider.shape = shape };
    const abut_query_filter without = { .flags = ABUT_QUERY_SKIP_INSIDE };
    const bool behind = (double)deep > 2.0 * tan(slope);
    abut_hit hit = { .fraction = 1.0f };
    abut_body body;
    for (int skips = 0; skips < (behind ? 1 : 2); ++skips)
    {
        hit = cast_at(g, cast, skips ? &without : &leaving);
        assert_true(hit.collider.generation != 0 && hit.fraction < 0.52f);
        assert_true(fabs((double)hit.normal.x + sin(slope)) < 1e-3 && fabs((double)hit.normal.y - cos(slope)) < 1e-3);
    }
    if (behind)
    {
        return;
    }
    assert_int_equal(abut_body_create(g->world, &def, &body), ABUT_OK);
    assert_int_equal(abut_world_detect(g->world, 1.0f), ABUT_OK);
    const abut_impacts impacts = abut_world_impacts(g->world);
    assert_int_equal(impacts.count, 1);
    assert_true(fabsf(impacts.data[0].impact.time - hit.fraction) < 1e-5f);
    assert_int_equal(abut_body_destroy(g->world, body), ABUT_OK);
}

static void slopes_stop_what_stands_before_them(void **state)
{
    (void)state;
    static const double slopes[] = { 0.08, 0.2, 1, 5, 20, 45, 70 };
    static const float depths[] = { 0, 1e-6f, 1e-4f, 1e-3f, 0.01f, 0.03f };
    bodies b = open_bodies();
    for (uint32_t i = 0; i < COUNT(slopes) * GROUND_KINDS; ++i)
    {
        const double slope = slopes[i / GROUND_KINDS];
        ground g = open_ground(slope, (ground_kind)(i % GROUND_KINDS));
        for (uint32_t k = 0; k < SHAPES * COUNT(depths); ++k)
        {
            expect_stop(&g, b.shape[k % SHAPES], b.half[k % SHAPES], depths[k / SHAPES], slope);
        }
        close_ground(&g);
    }
    abut_geometry_release(b.hull);
}

// What is already in the foot of the slope is stopped at once, though it has no contact with that yet.
static void what_is_in_the_foot_of_a_slope_does_not_go_on(void **state)
{
    (void)state;
    for (int kind = 0; kind < GROUND_KINDS; ++kind)
    {
        ground g = open_ground(5, (ground_kind)kind);
        abut_cast cast = { abut_shape_sphere(0.5f), abut_pose_identity(), { 3, 0, 0 }, { 0, 0, 0 } };
        for (int i = 0; i < 12; ++i)
        {
            cast.pose.position = abut_vec3_make(g.left - 0.1f + 0.01f * (float)i, 0.49f, 0);
            cast.translation.x = 3;
            const abut_hit hit = cast_at(&g, cast, &leaving);
            assert_true(hit.collider.generation != 0 && hit.fraction < 1e-3f);
            assert_true(hit.normal.x < -0.08f && hit.depth < 0.014f);
            cast.translation.x = -3; // away from it
            passes(&g, cast, &leaving);
        }
        close_ground(&g);
    }
}

// A hull whose sides lean back, wider below than the slope is steep: it meets the slope's edge with what is behind its
// plane.
static void what_leans_back_is_stopped(void **state)
{
    (void)state;
    static const double slopes[] = { 1, 5, 10, 30 };
    static const float depths[] = { 0, 1e-6f, 1e-4f, 1e-3f, 0.01f };
    abut_vec3 corner[8];
    abut_geometry *hull;
    for (int i = 0; i < 8; ++i)
    {
        const float half = i & 2 ? 0.2f : 0.5f;
        corner[i] = abut_vec3_make(i & 1 ? half : -half, i & 2 ? 0.5f : -0.5f, i & 4 ? half : -half);
    }
    assert_int_equal(abut_geometry_create_hull(corner, 8, 0, NULL, &hull), ABUT_OK);
    for (uint32_t i = 0; i < COUNT(slopes) * GROUND_KINDS; ++i)
    {
        const double slope = slopes[i / GROUND_KINDS];
        ground g = open_ground(slope, (ground_kind)(i % GROUND_KINDS));
        for (size_t d = 0; d < COUNT(depths); ++d)
        {
            expect_stop(&g, abut_shape_hull(hull), 0.5f, depths[d], slope);
        }
        close_ground(&g);
    }
    abut_geometry_release(hull);
}

// A cube whose origin is above it, or below the ground.
static void hulls_are_stopped_wherever_their_origin_is(void **state)
{
    (void)state;
    static const float rises[] = { -3.0f, -0.6f, 0.5f, 0.6f, 3.0f };
    static const double slopes[] = { 0.2, 5, 45 };
    for (uint32_t i = 0; i < COUNT(rises) * COUNT(slopes) * GROUND_KINDS; ++i)
    {
        const float rise = rises[i / GROUND_KINDS % COUNT(rises)];
        const double slope = slopes[i / GROUND_KINDS / COUNT(rises)];
        ground g = open_ground(slope, (ground_kind)(i % GROUND_KINDS));
        abut_vec3 corner[8];
        abut_geometry *hull;
        for (int k = 0; k < 8; ++k)
        {
            corner[k] = abut_vec3_make(k & 1 ? 0.5f : -0.5f, rise + (k & 2 ? 0.5f : -0.5f), k & 4 ? 0.5f : -0.5f);
        }
        assert_int_equal(abut_geometry_create_hull(corner, 8, 0, NULL, &hull), ABUT_OK);
        expect_stop(&g, abut_shape_hull(hull), 0.5f - rise, 0.0f, slope);
        expect_stop(&g, abut_shape_hull(hull), 0.5f - rise, 1e-3f, slope);
        close_ground(&g);
        abut_geometry_release(hull);
    }
}

// A platform that ends in a ledge, which falls away: what stands on it, or is a little in it, walks off and on.
static void ledges_do_not_stop_what_walks_on_top(void **state)
{
    (void)state;
    static const double falls[] = { 1, 30, 60, 80, 89 };
    static const float depths[] = { 0, 1e-6f, 1e-4f };
    bodies b = open_bodies();
    for (uint32_t i = 0; i < COUNT(falls) * GROUND_KINDS; ++i)
    {
        ground g = open_ground(-falls[i / GROUND_KINDS], (ground_kind)(i % GROUND_KINDS));
        for (uint32_t k = 0; k < 2 * SHAPES * COUNT(depths); ++k)
        {
            const bool off = k % (2 * SHAPES) < SHAPES;
            const uint32_t which = k % SHAPES;
            const float y = b.half[which] - depths[k / (2 * SHAPES)];
            const abut_cast cast = { b.shape[which],
                                     { { g.left - (off ? 2.0f : 0.1f), y, 0.1f }, 0, { 0, 0, 0, 1 } },
                                     { off ? 4.0f : -4.0f, 0, 0 },
                                     { 0, 0, 0 } };
            const bool touches = depths[k / (2 * SHAPES)] == 0.0f;
            passes(&g, cast, touches && k % 2 == 0 ? NULL : &leaving);
        }
        close_ground(&g);
    }
    abut_geometry_release(b.hull);
}

// Balls that roll, or turn faster, are stopped by the slope, and by nothing on the flat.
static void balls_that_spin_are_as_those_that_do_not(void **state)
{
    (void)state;
    static const float spins[] = { 0, -12, -24, 40 };
    for (uint32_t i = 0; i < COUNT(spins) * GROUND_KINDS; ++i)
    {
        ground g = open_ground(5, (ground_kind)(i % GROUND_KINDS));
        for (int way = -1; way < 2; way += 2)
        {
            const float x = g.left - 3.0f;
            const abut_body_def def = { .pose = { { x, 0.5f * g.up, 2.0f * (float)way }, 0, { 0, 0, 0, 1 } },
                                        .velocity = { { 2.5f * (float)way, 0, 0 },
                                                      { 0, 0, g.up * spins[i / GROUND_KINDS] } },
                                        .flags = ABUT_BODY_CCD,
                                        .collider.shape = abut_shape_sphere(0.5f) };
            abut_body body;
            assert_int_equal(abut_body_create(g.world, &def, &body), ABUT_OK);
        }
        assert_int_equal(abut_world_detect(g.world, 1.25f), ABUT_OK);
        const abut_impacts one = abut_world_impacts(g.world);
        assert_int_equal(one.count, 1); // of the one that goes to the slope, 2.98 m away
        assert_int_equal(abut_world_detect(g.world, 1.1f), ABUT_OK);
        const abut_impacts short_of = abut_world_impacts(g.world);
        assert_int_equal(short_of.count, 0);
        close_ground(&g);
    }
}

// A hair more than the tolerance deep in the floor, or on a ridge, and on the way out or along it.
static void what_leaves_by_a_hair_goes_free(void **state)
{
    (void)state;
    bodies b = open_bodies();
    for (int kind = 0; kind < GROUND_KINDS; ++kind)
    {
        ground g = open_ground(-20, (ground_kind)kind);
        for (uint32_t i = 0; i < 24 * SHAPES; ++i)
        {
            const uint32_t which = i / 24, depth = i / 4 % 6;
            const bool turns = i % 2 != 0, up = i / 2 % 2 != 0;
            const float y = b.half[which] - 2e-6f * (float)(1 + depth);
            const abut_cast cast = { b.shape[which],
                                     { { g.left - (up ? 0.0f : 3.0f), y, 0.1f }, 0, { 0, 0, 0, 1 } },
                                     { up ? 0.0f : -2.0f, up ? 2.0f : 0.0f, 0 },
                                     { 0, turns ? 1.0f : 0.0f, 0 } };
            passes(&g, cast, &leaving);
        }
        close_ground(&g);
    }
    abut_geometry_release(b.hull);
}

// Balls in one triangle of a turned body, so deep as is nearly within the tolerance, and on into it.
static void a_hair_deep_in_a_turned_face_is_a_hit(void **state)
{
    (void)state;
    static const uint32_t indices[3] = { 0, 1, 2 };
    const random_seeds seeds = random_seeds_of(3000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double far = random_scale(&random, 1.0, 30.0);
        const abut_vec3 at = random_narrow(random_in_box(&random, far));
        const abut_vec3 corner[3] = { abut_vec3_add(at, abut_vec3_make(-3, 0, -3)),
                                      abut_vec3_add(at, abut_vec3_make(0, 0, 3)),
                                      abut_vec3_add(at, abut_vec3_make(3, 0, -3)) };
        const abut_mesh_def def = { .vertices = corner, .indices = indices, .vertex_count = 3, .triangle_count = 1 };
        abut_geometry *mesh;
        abut_world *world = open_world(NULL);
        abut_body body;
        abut_hit hit;
        assert_int_equal(abut_geometry_create_mesh(&def, NULL, &mesh), ABUT_OK);
        abut_body_def standing = { .pose = abut_pose_identity(),
                                   .motion = ABUT_STATIC,
                                   .collider.shape = abut_shape_mesh(mesh) };
        standing.pose.rotation = random_narrow_rotation(random_rotation(&random));
        assert_int_equal(abut_body_create(world, &standing, &body), ABUT_OK);
        assert_int_equal(abut_world_update(world), ABUT_OK);
        const float deep = (float)random_between(&random, 1e-6, 1e-5);
        const abut_vec3 local = abut_vec3_add(at, abut_vec3_make(0, 0.25f - deep, -0.5f));
        abut_cast cast = { abut_shape_sphere(0.25f), abut_pose_identity(), { 0, 0, 0 }, { 0, 0, 0 } };
        cast.pose.position = abut_pose_apply(&standing.pose, local);
        cast.translation = abut_quat_rotate(standing.pose.rotation, abut_vec3_make(0.1f, -1, 0));
        assert_int_equal(abut_world_cast_closest(world, &cast, seed % 2 ? &leaving : NULL, &hit), ABUT_OK);
        assert_true(hit.collider.generation != 0 && hit.fraction < 1e-4f);
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
}

// In exact touch, or by a few millionths above it or in it.
static void nothing_stops_on_flat_ground(void **state)
{
    (void)state;
    static const float heights[21 * 21];
    const abut_heightfield_def def = { .heights = heights, .columns = 21, .rows = 21, .step_x = 1, .step_z = 1 };
    random_source random = random_start(1);
    bodies b = open_bodies();
    abut_geometry *flat;
    abut_world *world = open_world(NULL);
    const uint32_t casts = random_share_of(FLAT, 1000);
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &flat), ABUT_OK);
    add(world, abut_shape_mesh(flat), 0, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    for (uint32_t i = 0; i < casts; ++i)
    {
        const uint32_t which = i % SHAPES;
        const double angle = random_between(&random, 0.0, 6.3);
        const float deep = (float)((int)(i / SHAPES % 7) - 3) * 1e-6f;
        abut_cast cast = { b.shape[which], abut_pose_identity(), { 0, 0, 0 }, { 0, 0, 0 } };
        abut_hit hit;
        cast.pose.position = abut_vec3_make((float)random_between(&random, -6, 6), b.half[which] - deep,
                                            (float)random_between(&random, -6, 6));
        cast.translation = abut_vec3_make((float)(2.0 * cos(angle)), 0, (float)(2.0 * sin(angle)));
        assert_int_equal(abut_world_cast_closest(world, &cast, i % 2 ? &leaving : NULL, &hit), ABUT_OK);
        if (hit.collider.generation != 0)
        {
            fail_msg("cast %u stops at %g", i, (double)hit.fraction);
        }
    }
    abut_world_destroy(world);
    abut_geometry_release(flat);
    abut_geometry_release(b.hull);
}

// Puts it so deep into the surface, goes anywhere along or up and down a little, and does not come deeper.
static bool cast_on(const field *f, const ground *g, random_source *random)
{
    static const double depths[] = { 0, 0, 1e-6, 1e-4, 1e-3, 0.01, 0.03 };
    const bool ball = random_chance(random, 0.5);
    const float r = (float)random_between(random, 0.1, 0.5);
    const double deep = depths[random_below(random, COUNT(depths))], angle = random_between(random, 0.0, 6.3),
                 length = random_between(random, 0.2, 1.7);
    abut_cast cast = {
        ball ? abut_shape_sphere(r) : abut_shape_obb(r, r, r), abut_pose_identity(), { 0, 0, 0 }, { 0, 0, 0 }
    };
    dvec3 at = random_in_box(random, 3.0);
    at.y = 0.0;
    at.y += depth_in(f, ball, at, (double)r) - deep;
    cast.pose.position = random_narrow(at);
    const double rise = random_chance(random, 0.5) ? 0.0 : random_between(random, -0.1, 0.1);
    cast.translation = random_narrow(dvec3_make(length * cos(angle), length * rise, length * sin(angle)));
    const abut_hit hit = cast_at(g, cast, &leaving);
    const abut_vec3 end = abut_vec3_add(cast.pose.position, abut_vec3_scale(cast.translation, hit.fraction));
    const double more = depth_in(f, ball, dvec3_make((double)end.x, (double)end.y, (double)end.z), (double)r) - deep;
    if (more > 0.3 * deep + 0.03 * (double)r + 3e-3) // as coarse as the points
    {
        fail_msg("%s of %g from (%g, %g, %g) by (%g, %g, %g) of it %g: deeper by %g", ball ? "ball" : "cube", (double)r,
                 (double)cast.pose.position.x, (double)cast.pose.position.y, (double)cast.pose.position.z,
                 (double)cast.translation.x, (double)cast.translation.y, (double)cast.translation.z,
                 (double)hit.fraction, more);
    }
    return hit.collider.generation != 0;
}

// Its front or its back, upwards or upside down.
static ground open_uneven(const field *f, ground_kind kind)
{
    float heights[SIDE * SIDE];
    ground g = { .world = open_world(NULL), .up = kind == GROUND_UNDER_FIELD ? -1.0f : 1.0f };
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
    {
        heights[i] = g.up * f->heights[i];
    }
    const abut_heightfield_def def = {
        .heights = heights, .columns = SIDE, .rows = SIDE, .step_x = 1, .step_z = 1, .two_sided = kind != GROUND_FIELD
    };
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &g.geometry), ABUT_OK);
    add(g.world, abut_shape_mesh(g.geometry), 0, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_world_update(g.world), ABUT_OK);
    return g;
}

static void casts_on_uneven_ground(ground_kind kind)
{
    uint64_t stops = 0, casts = 0;
    const random_seeds seeds = random_seeds_of(FIELDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        field f;
        const double high = random_scale(&random, 1e-3, 1.0), level = random_chance(&random, 0.5) ? 0.5 : 0.0;
        for (uint32_t i = 0; i < SIDE * SIDE; ++i)
        {
            f.heights[i] = random_chance(&random, level) ? 0.0f : (float)random_between(&random, -high, high);
        }
        ground g = open_uneven(&f, kind);
        for (uint32_t i = 0; i < CASTS; ++i, ++casts)
        {
            stops += cast_on(&f, &g, &random);
        }
        close_ground(&g);
    }
    printf("%llu of %llu casts stop\n", (unsigned long long)stops, (unsigned long long)casts);
    assert_true(stops > casts / 4 && stops < casts);
}

// A cube that slides on flat ground, as deep or high as rounding has it, into a ridge that rises from there: it comes to
// its foot, a corner, from the side, and passes over the ridge there. It went on into it.
static void the_foot_of_a_ridge_stops_what_slides_into_it(void **state)
{
    (void)state;
    field f = { { 0 } };
    f.heights[8 * SIDE + 4] = -0.261921793f;
    f.heights[9 * SIDE + 3] = 0.321802646f;
    f.heights[10 * SIDE + 3] = -0.322963744f;
    for (int kind = 0; kind < 2; ++kind)
    {
        ground g = open_uneven(&f, kind ? GROUND_UNDER_FIELD : GROUND_FIELD);
        const float half = 0.196722344f;
        for (int i = -40; i <= 40; ++i)
        {
            const abut_cast cast = { abut_shape_obb(half, half, half),
                                     { { -1.33868945f, half + 1e-7f * (float)i, 1.98557639f }, 0, { 0, 0, 0, 1 } },
                                     { -0.619526386f, 0.0f, 1.12935078f },
                                     { 0, 0, 0 } };
            const abut_hit hit = cast_at(&g, cast, &leaving);
            assert_true(hit.collider.generation != 0 && fabsf(hit.fraction - 0.75f) < 1e-3f);
            assert_true(abut_vec3_dot(hit.normal, cast.translation) < 0.0f && hit.normal.y > 0.9f);
        }
        close_ground(&g);
    }
}

static void nothing_goes_deeper_into_uneven_ground(void **state)
{
    (void)state;
    casts_on_uneven_ground(GROUND_FIELD);
}

static void nothing_goes_deeper_into_the_back_of_uneven_ground(void **state)
{
    (void)state;
    casts_on_uneven_ground(GROUND_UNDER_FIELD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_stop_what_stands_before_them),
        cmocka_unit_test(what_is_in_the_foot_of_a_slope_does_not_go_on),
        cmocka_unit_test(what_leans_back_is_stopped),
        cmocka_unit_test(hulls_are_stopped_wherever_their_origin_is),
        cmocka_unit_test(ledges_do_not_stop_what_walks_on_top),
        cmocka_unit_test(balls_that_spin_are_as_those_that_do_not),
        cmocka_unit_test(what_leaves_by_a_hair_goes_free),
        cmocka_unit_test(a_hair_deep_in_a_turned_face_is_a_hit),
        cmocka_unit_test(nothing_stops_on_flat_ground),
        cmocka_unit_test(the_foot_of_a_ridge_stops_what_slides_into_it),
        cmocka_unit_test(nothing_goes_deeper_into_uneven_ground),
        cmocka_unit_test(nothing_goes_deeper_into_the_back_of_uneven_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
