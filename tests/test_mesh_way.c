// Long casts over fine meshes, straight and turning: what a cast passes it does not overlap, and where it ends it is at
// the surface. Judged by distances at many places on the way.
#include "random_compound.h"

#include "mesh_makers.h"

enum
{
    SCENES = 12,
    CASTS = 60,
    SAMPLES = 160,
    SIDE = 60 // cells
};

static double bumps(void *context, double x, double z)
{
    (void)context;
    return 0.3 * sin(1.7 * x) * cos(1.3 * z);
}

// A field of fine cells with a few walls on it, seen from both sides.
static abut_geometry *ground(random_source *random)
{
    mesh_maker maker = { 0 };
    mesh_field(&maker, random, SIDE, SIDE, 6.0, 6.0, 0.4, bumps, NULL);
    for (int i = 0; i < 6; ++i)
    {
        const double x = random_between(random, -6, 6), z = random_between(random, -6, 6), y = bumps(NULL, x, z);
        const double u = random_between(random, -1, 1), w = random_between(random, -1, 1);
        mesh_quad(&maker, mesh_vertex(&maker, x, y - 1, z), mesh_vertex(&maker, x + u, y - 1, z + w),
                  mesh_vertex(&maker, x + u, y + 1.5, z + w), mesh_vertex(&maker, x, y + 1.5, z), false);
    }
    abut_mesh_def def = mesh_def_of(&maker);
    abut_geometry *geometry = NULL;
    def.two_sided = true;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &geometry), ABUT_OK);
    mesh_maker_close(&maker);
    return geometry;
}

// `hull` is of that size.
static abut_shape shape_of(uint32_t kind, double size, const abut_geometry *hull)
{
    const float s = (float)size;
    return kind == 0   ? abut_shape_sphere(s)
           : kind == 1 ? abut_shape_capsule(0.5f * s, s)
           : kind == 2 ? abut_shape_obb(s, 0.4f * s, 0.7f * s)
                       : abut_shape_hull(hull);
}

static abut_geometry *hull_of(const abut_vec3 *points, uint32_t count, double size)
{
    abut_vec3 scaled[16];
    abut_geometry *hull = NULL;
    for (uint32_t i = 0; i < count; ++i)
    {
        scaled[i] = abut_vec3_scale(points[i], (float)size);
    }
    assert_int_equal(abut_geometry_create_hull(scaled, count, 0, NULL, &hull), ABUT_OK);
    return hull;
}

static abut_pose pose_at(const abut_cast *cast, double share)
{
    const double angle = (double)abut_vec3_length(cast->rotation) * share;
    abut_pose pose = cast->pose;
    pose.position = abut_vec3_add(pose.position, abut_vec3_scale(cast->translation, (float)share));
    if (angle > 0.0)
    {
        const abut_vec3 axis = abut_vec3_scale(cast->rotation, 1.0f / abut_vec3_length(cast->rotation));
        pose.rotation = abut_quat_mul(abut_quat_from_axis_angle(axis, (float)angle), pose.rotation);
    }
    return pose;
}

static float distance_at(const abut_cast *cast, const abut_shape *shape, double share, const abut_shape *mesh,
                         const abut_pose *mesh_pose)
{
    const abut_pose pose = pose_at(cast, share);
    float distance;
    assert_int_equal(abut_distance(shape, &pose, mesh, mesh_pose, &distance), ABUT_OK);
    return distance;
}

static void a_cast_stops_at_the_first_of_many_triangles(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SCENES);
    uint32_t hits = 0, misses = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_geometry *geometry = ground(&random);
        const abut_shape mesh = abut_shape_mesh(geometry);
        abut_vec3 points[16];
        for (uint32_t i = 0; i < COUNT(points); ++i)
        {
            points[i] = random_narrow(random_direction(&random));
        }
        for (uint32_t i = 0; i < CASTS; ++i)
        {
            const double size = random_scale(&random, 0.05, 0.6);
            abut_geometry *hull[2] = { hull_of(points, COUNT(points), size),
                                       hull_of(points, COUNT(points), 0.98 * size) };
            const abut_shape shape = shape_of(i % 4, size, hull[0]), smaller = shape_of(i % 4, 0.98 * size, hull[1]);
            const abut_pose at = { .position = random_narrow(random_in_box(&random, 3.0)), .rotation = { 0, 0, 0, 1 } };
            abut_cast cast = { .shape = shape, .pose = { .rotation = { 0, 0, 0, 1 } } };
            cast.pose.position = abut_vec3_add(at.position, random_narrow(random_in_box(&random, 6.0)));
            cast.pose.position.y = at.position.y + (float)random_between(&random, 1.0, 2.5);
            cast.translation = random_narrow(random_in_box(&random, 8.0));
            cast.translation.y = (float)random_between(&random, -5.0, 0.5);
            if (i % 8 >= 4)
            {
                cast.rotation = random_narrow(random_in_box(&random, 2.0));
            }
            if (distance_at(&cast, &shape, 0.0, &mesh, &at) == 0.0f)
            {
                abut_geometry_release(hull[0]);
                abut_geometry_release(hull[1]);
                continue;
            }
            abut_ray_hit hit;
            assert_int_equal(abut_cast_shape(&cast, &mesh, &at, 0, &hit), ABUT_OK);
            for (uint32_t k = 1; k <= SAMPLES; ++k)
            {
                const double share = (double)hit.fraction * k / SAMPLES;
                assert_true(distance_at(&cast, &smaller, share, &mesh, &at) > 0.0f);
            }
            if (hit.hit)
            {
                assert_true((double)distance_at(&cast, &shape, (double)hit.fraction, &mesh, &at) < 1e-4 * size + 1e-5);
            }
            hits += hit.hit;
            misses += !hit.hit;
            abut_geometry_release(hull[0]);
            abut_geometry_release(hull[1]);
        }
        abut_geometry_release(geometry);
    }
    assert_true(!random_seeds_all() || (hits > 150 && misses > 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_cast_stops_at_the_first_of_many_triangles) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
