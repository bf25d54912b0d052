// What stands on a surface, or is a little in it, and goes on into a valley: the slope ahead stops it, though the edge at
// which it comes to that has no normal of its own. And nothing stops it on flat ground.
#include "mesh_makers.h"

#include <math.h>
#include <stdio.h>

enum
{
    SHAPES = 5,
    SIDE = 13, // of a field of heights, a metre apart
    FIELDS = 300,
    CASTS = 120, // on each
    FLAT = 20000
};

static const abut_query_filter leaving = { .flags = ABUT_QUERY_SKIP_LEAVING };

// Half a metre in each direction, or about so.
typedef struct bodies
{
    abut_shape shape[SHAPES];
    float half[SHAPES]; // down
    abut_geometry *hull;
} bodies;

static bodies open_bodies(void)
{
    abut_vec3 corner[8];
    bodies b = { .half = { 0.5f, 0.75f, 0.5f, 0.5f, 0.25f } };
    for (int i = 0; i < 8; ++i)
    {
        corner[i] = abut_vec3_make(i & 1 ? 0.3f : -0.3f, i & 2 ? 0.25f : -0.25f, i & 4 ? 0.3f : -0.3f);
    }
    assert_int_equal(abut_geometry_create_hull(corner, 8, 0, NULL, &b.hull), ABUT_OK);
    b.shape[0] = abut_shape_sphere(0.5f);
    b.shape[1] = abut_shape_capsule(0.25f, 0.5f);
    b.shape[2] = abut_shape_obb(0.5f, 0.5f, 0.4f);
    b.shape[3] = abut_shape_aabb(0.4f, 0.5f, 0.4f);
    b.shape[4] = abut_shape_hull(b.hull);
    return b;
}

// A floor up to x = 6, and a slope from there on; as a mesh with one or two sides, or a heightfield.
static abut_geometry *slope_of(double degrees, int sort)
{
    const double slope = degrees * 0.017453292519943295, way = 6.0 * cos(slope), high = 6.0 * sin(slope);
    abut_geometry *out = NULL;
    if (sort < 2)
    {
        mesh_maker m = { 0 };
        for (int i = 0; i < 3; ++i)
        {
            const double x = i < 2 ? 6.0 * i : 6.0 + way, y = i < 2 ? 0.0 : high;
            mesh_vertex(&m, x, y, -5.0);
            mesh_vertex(&m, x, y, 5.0);
        }
        mesh_quad(&m, 0, 1, 3, 2, false);
        mesh_quad(&m, 2, 3, 5, 4, true);
        abut_mesh_def def = mesh_def_of(&m);
        def.two_sided = sort == 1;
        assert_int_equal(abut_geometry_create_mesh(&def, NULL, &out), ABUT_OK);
        mesh_maker_close(&m);
        return out;
    }
    float heights[SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; ++i)
    {
        heights[i] = (float)(fmax((double)(i % SIDE) - 6.0, 0.0) * tan(slope));
    }
    const abut_heightfield_def def = { .heights = heights, .columns = SIDE, .rows = SIDE, .step_x = 1, .step_z = 1 };
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &out), ABUT_OK);
    return out;
}

// Where a body comes to by casts and by its continuous detection, from 3 m before the slope, so deep in the floor. The
// latter leave out what is overlapped at the start, and so what is seen there as behind the slope's plane.
static void expect_stop(abut_world *world, abut_shape shape, float half, float deep, float from, double degrees)
{
    const float y = half - deep;
    const double slope = degrees * 0.017453292519943295;
    const abut_cast cast = { shape, { { from, y, 0.1f }, 0, { 0, 0, 0, 1 } }, { 6, 0, 0 }, { 0, 0, 0 } };
    const abut_body_def def = {
        .pose = cast.pose, .velocity.linear = { 6, 0, 0 }, .flags = ABUT_BODY_CCD, .collider.shape = shape
    };
    const abut_query_filter without = { .flags = ABUT_QUERY_SKIP_INSIDE };
    abut_hit hit;
    abut_body body;
    const bool behind = (double)deep > 2.0 * tan(slope);
    for (int skips = 0; skips < (behind ? 1 : 2); ++skips)
    {
        assert_int_equal(abut_world_cast_closest(world, &cast, skips ? &without : &leaving, &hit), ABUT_OK);
        assert_true(hit.collider.generation != 0 && hit.fraction < 0.52f);
        assert_true(fabs((double)hit.normal.x + sin(slope)) < 1e-3 && fabs((double)hit.normal.y - cos(slope)) < 1e-3);
    }
    if (behind)
    {
        return;
    }
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 1.0f), ABUT_OK);
    const abut_impacts impacts = abut_world_impacts(world);
    assert_int_equal(impacts.count, 1);
    assert_true(fabsf(impacts.data[0].impact.time - hit.fraction) < 1e-5f);
    assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
}

static void slopes_stop_what_stands_before_them(void **state)
{
    (void)state;
    static const double slopes[] = { 0.2, 1, 5, 20, 45, 70 };
    static const float depths[] = { 0, 1e-6f, 1e-4f, 1e-3f, 0.01f, 0.03f };
    bodies b = open_bodies();
    for (size_t k = 0; k < COUNT(slopes); ++k)
    {
        for (int sort = 0; sort < 3; ++sort)
        {
            abut_geometry *ground = slope_of(slopes[k], sort);
            abut_world *world = open_world(NULL);
            const float left = sort < 2 ? 6.0f : 0.0f; // where the slope begins
            add(world, abut_shape_mesh(ground), 0, 0, 0, ABUT_STATIC);
            assert_int_equal(abut_world_update(world), ABUT_OK);
            for (uint32_t i = 0; i < SHAPES; ++i)
            {
                for (size_t d = 0; d < COUNT(depths); ++d)
                {
                    expect_stop(world, b.shape[i], b.half[i], depths[d], left - 3.0f, slopes[k]);
                }
            }
            abut_world_destroy(world);
            abut_geometry_release(ground);
        }
    }
    abut_geometry_release(b.hull);
}

// What is already in the foot of the slope is stopped at once, though it has no contact with that yet.
static void what_is_in_the_foot_of_a_slope_does_not_go_on(void **state)
{
    (void)state;
    abut_geometry *ground = slope_of(5, 0);
    abut_world *world = open_world(NULL);
    abut_cast cast = { abut_shape_sphere(0.5f), abut_pose_identity(), { 3, 0, 0 }, { 0, 0, 0 } };
    add(world, abut_shape_mesh(ground), 0, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    for (int i = 0; i < 12; ++i)
    {
        abut_hit hit;
        cast.pose.position = abut_vec3_make(5.90f + 0.01f * (float)i, 0.49f, 0);
        assert_int_equal(abut_world_cast_closest(world, &cast, &leaving, &hit), ABUT_OK);
        assert_true(hit.collider.generation != 0 && hit.fraction < 1e-3f);
        assert_true(hit.normal.x < -0.08f && hit.depth < 0.014f);
        cast.translation.x = -3; // away from it
        assert_int_equal(abut_world_cast_closest(world, &cast, &leaving, &hit), ABUT_OK);
        assert_true(hit.collider.generation == 0);
        cast.translation.x = 3;
    }
    abut_world_destroy(world);
    abut_geometry_release(ground);
}

// A hull whose sides lean back, wider below than the slope is steep: it meets the slope's edge with what is behind its plane.
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
    for (size_t k = 0; k < COUNT(slopes); ++k)
    {
        for (int sort = 0; sort < 3; ++sort)
        {
            abut_geometry *ground = slope_of(slopes[k], sort);
            abut_world *world = open_world(NULL);
            add(world, abut_shape_mesh(ground), 0, 0, 0, ABUT_STATIC);
            assert_int_equal(abut_world_update(world), ABUT_OK);
            for (size_t d = 0; d < COUNT(depths); ++d)
            {
                expect_stop(world, abut_shape_hull(hull), 0.5f, depths[d], (sort < 2 ? 6.0f : 0.0f) - 3.0f, slopes[k]);
            }
            abut_world_destroy(world);
            abut_geometry_release(ground);
        }
    }
    abut_geometry_release(hull);
}

// A platform that ends in a ledge, which falls away: what stands on it walks off and on.
static void ledges_do_not_stop_what_walks_on_top(void **state)
{
    (void)state;
    static const double falls[] = { 30, 60, 89 };
    bodies b = open_bodies();
    for (int i = 0; i < 3 * 2; ++i)
    {
        const double fall = falls[i / 2] * 0.017453292519943295;
        mesh_maker m = { 0 };
        const double x[3] = { -2.0 * cos(fall), 0.0, 8.0 }, y[3] = { -2.0 * sin(fall), 0.0, 0.0 };
        for (int k = 0; k < 3; ++k)
        {
            mesh_vertex(&m, x[k], y[k], -5.0);
            mesh_vertex(&m, x[k], y[k], 5.0);
        }
        mesh_quad(&m, 0, 1, 3, 2, false);
        mesh_quad(&m, 2, 3, 5, 4, false);
        abut_mesh_def def = mesh_def_of(&m);
        abut_geometry *ground;
        abut_world *world = open_world(NULL);
        def.two_sided = i % 2 != 0;
        assert_int_equal(abut_geometry_create_mesh(&def, NULL, &ground), ABUT_OK);
        mesh_maker_close(&m);
        add(world, abut_shape_mesh(ground), 0, 0, 0, ABUT_STATIC);
        assert_int_equal(abut_world_update(world), ABUT_OK);
        for (uint32_t k = 0; k < 2 * SHAPES; ++k)
        {
            const bool off = k < SHAPES;
            const float half = b.half[k % SHAPES];
            const abut_cast cast = { b.shape[k % SHAPES],
                                     { { off ? 2.0f : 0.1f, half, 0.1f }, 0, { 0, 0, 0, 1 } },
                                     { off ? -4.0f : 4.0f, 0, 0 },
                                     { 0, 0, 0 } };
            abut_hit hit;
            assert_int_equal(abut_world_cast_closest(world, &cast, k % 2 ? &leaving : NULL, &hit), ABUT_OK);
            assert_true(hit.collider.generation == 0);
        }
        abut_world_destroy(world);
        abut_geometry_release(ground);
    }
    abut_geometry_release(b.hull);
}

// Balls that roll, or turn faster, are stopped by the slope, and by nothing on the flat.
static void balls_that_spin_are_as_those_that_do_not(void **state)
{
    (void)state;
    static const float spins[] = { 0, -12, -24, 40 };
    abut_geometry *ground = slope_of(5, 0);
    for (size_t i = 0; i < COUNT(spins); ++i)
    {
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(ground), 0, 0, 0, ABUT_STATIC);
        for (int way = -1; way < 2; way += 2)
        {
            const abut_body_def def = { .pose = { { 3, 0.5f, 2.0f * (float)way }, 0, { 0, 0, 0, 1 } },
                                        .velocity = { { 2.5f * (float)way, 0, 0 }, { 0, 0, spins[i] } },
                                        .flags = ABUT_BODY_CCD,
                                        .collider.shape = abut_shape_sphere(0.5f) };
            abut_body body;
            assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        }
        assert_int_equal(abut_world_detect(world, 1.25f), ABUT_OK);
        const abut_impacts none = abut_world_impacts(world);
        assert_int_equal(none.count, 1); // of the one that goes to the slope, 2.98 m away
        assert_int_equal(abut_world_detect(world, 1.1f), ABUT_OK);
        const abut_impacts short_of = abut_world_impacts(world);
        assert_int_equal(short_of.count, 0);
        abut_world_destroy(world);
    }
    abut_geometry_release(ground);
}

// A hair more than the tolerance deep in the floor, or on a ridge, and on the way out or along it.
static void what_leaves_by_a_hair_goes_free(void **state)
{
    (void)state;
    bodies b = open_bodies();
    abut_geometry *ground = slope_of(-20, 0);
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(ground), 0, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    for (uint32_t i = 0; i < 24 * SHAPES; ++i)
    {
        const uint32_t which = i / 24, depth = i / 4 % 6;
        const bool turns = i % 2 != 0, up = i / 2 % 2 != 0;
        abut_cast cast = {
            b.shape[which],
            { { up ? 6.0f : 3.0f, b.half[which] - 2e-6f * (float)(1 + depth), 0.1f }, 0, { 0, 0, 0, 1 } },
            { up ? 0.0f : -2.0f, up ? 2.0f : 0.0f, 0 },
            { 0, turns ? 1.0f : 0.0f, 0 }
        };
        abut_hit hit;
        assert_int_equal(abut_world_cast_closest(world, &cast, &leaving, &hit), ABUT_OK);
        assert_true(hit.collider.generation == 0);
    }
    abut_world_destroy(world);
    abut_geometry_release(ground);
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
    abut_geometry *ground;
    abut_world *world = open_world(NULL);
    const uint32_t casts = random_share_of(FLAT, 1000);
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &ground), ABUT_OK);
    add(world, abut_shape_mesh(ground), 0, 0, 0, ABUT_STATIC);
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
    abut_geometry_release(ground);
    abut_geometry_release(b.hull);
}

// A surface over the plane, and how deep a ball or a level cube is in it, upwards: at many of its lowest points.
typedef struct field
{
    float heights[SIDE * SIDE];
} field;

// By the triangle of the cell: see abut_geometry_create_heightfield.
static double height_at(const field *f, double x, double z)
{
    const double gx = x + (SIDE - 1) / 2.0, gz = z + (SIDE - 1) / 2.0, u = gx - floor(gx), v = gz - floor(gz);
    const uint32_t at = (uint32_t)gz * SIDE + (uint32_t)gx;
    const double a = (double)f->heights[at], b = (double)f->heights[at + 1], c = (double)f->heights[at + SIDE],
                 d = (double)f->heights[at + SIDE + 1];
    return u + v <= 1.0 ? a + u * (b - a) + v * (c - a) : d + (1.0 - u) * (c - d) + (1.0 - v) * (b - d);
}

static double depth_in(const field *f, bool ball, dvec3 p, double r)
{
    enum
    {
        RINGS = 32
    };
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < SIDE * SIDE; ++i) // peaks
    {
        const double x = (double)(i % SIDE) - (SIDE - 1) / 2.0 - p.x, z = (double)(i / SIDE) - (SIDE - 1) / 2.0 - p.z;
        const double square = r * r - x * x - z * z;
        if (ball ? square > 0.0 : fabs(x) < r && fabs(z) < r)
        {
            most = fmax(most, (double)f->heights[i] - (p.y - (ball ? sqrt(square) : r)));
        }
    }
    for (int i = 0; i <= RINGS; ++i)
    {
        for (int k = 0; k <= RINGS; ++k)
        {
            const double angle = 6.283185307179586 * i / RINGS, s = r * k / RINGS;
            const double x = p.x + (ball ? s * cos(angle) : r * (2.0 * i / RINGS - 1.0)),
                         z = p.z + (ball ? s * sin(angle) : r * (2.0 * k / RINGS - 1.0));
            most = fmax(most, height_at(f, x, z) - (p.y - (ball ? sqrt(fmax(r * r - s * s, 0.0)) : r)));
        }
    }
    return most;
}

// Puts it so deep into the surface, goes anywhere along or up and down a little, and does not come deeper.
static bool cast_on(const field *f, abut_world *world, random_source *random)
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
    abut_hit hit;
    assert_int_equal(abut_world_cast_closest(world, &cast, &leaving, &hit), ABUT_OK);
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

static void nothing_goes_deeper_into_uneven_ground(void **state)
{
    (void)state;
    uint64_t stops = 0, casts = 0;
    const random_seeds seeds = random_seeds_of(FIELDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        field f;
        abut_geometry *ground;
        abut_world *world = open_world(NULL);
        const double high = random_scale(&random, 1e-3, 1.0), level = random_chance(&random, 0.5) ? 0.5 : 0.0;
        const abut_heightfield_def def = {
            .heights = f.heights, .columns = SIDE, .rows = SIDE, .step_x = 1, .step_z = 1
        };
        for (uint32_t i = 0; i < SIDE * SIDE; ++i)
        {
            f.heights[i] = random_chance(&random, level) ? 0.0f : (float)random_between(&random, -high, high);
        }
        assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &ground), ABUT_OK);
        add(world, abut_shape_mesh(ground), 0, 0, 0, ABUT_STATIC);
        assert_int_equal(abut_world_update(world), ABUT_OK);
        for (uint32_t i = 0; i < CASTS; ++i, ++casts)
        {
            stops += cast_on(&f, world, &random);
        }
        abut_world_destroy(world);
        abut_geometry_release(ground);
    }
    printf("%llu of %llu casts stop\n", (unsigned long long)stops, (unsigned long long)casts);
    assert_true(stops > casts / 4 && stops < casts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_stop_what_stands_before_them),
        cmocka_unit_test(what_is_in_the_foot_of_a_slope_does_not_go_on),
        cmocka_unit_test(what_leans_back_is_stopped),
        cmocka_unit_test(ledges_do_not_stop_what_walks_on_top),
        cmocka_unit_test(balls_that_spin_are_as_those_that_do_not),
        cmocka_unit_test(what_leaves_by_a_hair_goes_free),
        cmocka_unit_test(a_hair_deep_in_a_turned_face_is_a_hit),
        cmocka_unit_test(nothing_stops_on_flat_ground),
        cmocka_unit_test(nothing_goes_deeper_into_uneven_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
