// The mass properties of examples/mass, judged by points on a grid: of those in a shape, what their masses come to.
#include "hull_meetings.h"
#include "mass/mass.h"
#include "mesh_makers.h"

#define STEPS    96 // of the grid, along each axis
#define STEPS_2D 400
#define NEAR     0.005 // of the mass and of what is measured: of the grid's sums

static void assert_near(double found, double right, double off)
{
    if (!(fabs(found - right) <= off))
    {
        fail_msg("%.9g instead of %.9g", found, right);
    }
}

typedef bool sum_function(moments *m, const abut_shape *shape, const abut_pose *pose, double density);

// Sums over the middles of the cells of a box about the shape; of one layer in the plane.
static moments by_points(const abut_shape *shape, const abut_pose *pose, int steps, int layers)
{
    moments m = { 0 };
    abut_aabb box;
    assert_int_equal(abut_shape_bounds(shape, pose, &box), ABUT_OK);
    const dvec3 from = polytope_wide(box.min), size = polytope_wide(abut_vec3_sub(box.max, box.min));
    const double z_size = layers > 1 ? size.z : (double)layers;
    const double cell = size.x / steps * (size.y / steps) * (z_size / layers);
    for (int i = 0; i < steps * steps * layers; ++i)
    {
        const double at[3] = { from.x + (i % steps + 0.5) * size.x / steps,
                               from.y + (i / steps % steps + 0.5) * size.y / steps,
                               layers > 1 ? from.z + (i / (steps * steps) + 0.5) * size.z / layers : 0.0 };
        bool inside;
        assert_int_equal(
            abut_shape_contains(shape, pose, abut_vec3_make((float)at[0], (float)at[1], (float)at[2]), &inside),
            ABUT_OK);
        for (int k = 0; k < 9 && inside; ++k)
        {
            m.second[k / 3][k % 3] += cell * at[k / 3] * at[k % 3];
            m.first[k / 3] += k % 3 == 0 ? cell * at[k / 3] : 0.0;
            m.zeroth += k == 0 ? cell : 0.0;
        }
    }
    return m;
}

static void judge(const abut_shape *shape, const abut_pose *pose, sum_function *sum, bool plane, double density)
{
    moments m = { 0 };
    assert_true(sum(&m, shape, pose, density));
    const moments sums = plane ? by_points(shape, pose, STEPS_2D, 1) : by_points(shape, pose, STEPS, STEPS);
    const mass_properties found = mass_of(&m), right = mass_of(&sums);
    const double size = sqrt((right.inertia[0][0] + right.inertia[1][1] + right.inertia[2][2]) / right.mass);
    assert_near(found.mass / density, right.mass, NEAR * right.mass);
    for (int i = 0; i < 3; ++i)
    {
        assert_near(found.centre[i], right.centre[i], NEAR * size);
        for (int k = 0; k < 3; ++k)
        {
            assert_near(found.inertia[i][k] / density, right.inertia[i][k], NEAR * right.mass * size * size);
        }
    }
}

static abut_pose some_pose(random_source *random, bool plane)
{
    abut_pose pose = { .position = random_narrow(random_in_box(random, 1.0)) };
    pose.rotation = plane ? abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), (float)random_between(random, -3, 3))
                          : random_narrow_rotation(random_rotation(random));
    pose.position.z = plane ? 0.0f : pose.position.z;
    return pose;
}

static abut_shape some_compound(random_source *random)
{
    abut_geometry *compound = NULL, *hull = many_sided(random, true, 12);
    abut_placed_shape parts[3] = { { .shape = abut_shape_hull(hull) },
                                   { .shape = abut_shape_capsule(0.4f, 0.7f) },
                                   { .shape = abut_shape_obb(0.3f, 0.6f, 0.2f) } };
    for (uint32_t i = 0; i < 3; ++i)
    {
        parts[i].pose = some_pose(random, false);
        parts[i].pose.position.x += 5.0f * (float)i; // apart: overlaps count twice
    }
    assert_int_equal(abut_geometry_create_compound(parts, 3, NULL, &compound), ABUT_OK);
    abut_geometry_release(hull);
    return abut_shape_compound(compound);
}

static void solids_weigh_what_their_points_do(void **state)
{
    (void)state;
    random_source random = random_start(1);
    abut_shape shapes[] = { abut_shape_sphere(0.7f),
                            abut_shape_aabb(0.5f, 1.0f, 0.3f),
                            abut_shape_obb(0.5f, 1.0f, 0.3f),
                            abut_shape_capsule(0.4f, 0.9f),
                            abut_shape_capsule(0.8f, 0.0f),
                            abut_shape_cylinder(0.6f, 0.9f),
                            abut_shape_cone(0.8f, 0.5f),
                            abut_shape_tapered_cylinder(0.3f, 0.7f, 0.6f),
                            abut_shape_hull(many_sided(&random, true, 10)),
                            abut_shape_hull(many_sided(&random, false, 40)),
                            some_compound(&random) };
    for (size_t i = 0; i < COUNT(shapes); ++i)
    {
        const abut_pose pose = some_pose(&random, false);
        judge(&shapes[i], &pose, moments_add, false, 3.0);
        give(&shapes[i]);
    }
    abut_geometry_release(shapes[COUNT(shapes) - 1].compound);
}

static void shapes_of_the_plane_weigh_what_their_points_do(void **state)
{
    (void)state;
    random_source random = random_start(2);
    abut_geometry *polygon = NULL;
    const abut_vec2 corner[5] = { { 0, 0 }, { 2, 0.5f }, { 2, 1 }, { 1, 2 }, { 0.2f, 1.5f } };
    assert_int_equal(abut_geometry_create_polygon(corner, 5, NULL, &polygon), ABUT_OK);
    const abut_shape shapes[] = { abut_shape_sphere(0.7f), abut_shape_aabb(0.5f, 1.0f, 0),
                                  abut_shape_obb(0.5f, 1.0f, 0), abut_shape_capsule(0.4f, 0.9f),
                                  abut_shape_polygon(polygon) };
    for (size_t i = 0; i < COUNT(shapes); ++i)
    {
        const abut_pose pose = some_pose(&random, true);
        judge(&shapes[i], &pose, moments_add_2d, true, 0.5);
    }
    abut_geometry_release(polygon);
}

// A closed mesh weighs what the hull does whose faces it has.
static void meshes_weigh_what_hulls_do(void **state)
{
    (void)state;
    random_source random = random_start(3);
    for (int round = 0; round < 20; ++round)
    {
        abut_geometry *hull = many_sided(&random, round % 2 == 0, 20), *geometry = NULL;
        const abut_pose pose = some_pose(&random, false);
        const abut_vec3 *vertices;
        mesh_maker m = { 0 };
        moments of_hull = { 0 }, of_mesh = { 0 };
        abut_geometry_hull_vertices(hull, &vertices);
        for (uint32_t f = 0; f < abut_geometry_hull_faces(hull); ++f)
        {
            const uint32_t *corner;
            const uint32_t count = abut_geometry_hull_face(hull, f, &corner);
            for (uint32_t i = 2; i < count; ++i)
            {
                const uint32_t of[3] = { corner[0], corner[i - 1], corner[i] };
                uint32_t at[3];
                for (int k = 0; k < 3; ++k)
                {
                    const dvec3 v = polytope_wide(vertices[of[k]]);
                    at[k] = mesh_vertex(&m, v.x, v.y, v.z);
                }
                mesh_triangle(&m, at[0], at[1], at[2]);
            }
        }
        const abut_mesh_def def = mesh_def_of(&m);
        assert_int_equal(abut_geometry_create_mesh(&def, NULL, &geometry), ABUT_OK);
        const abut_shape shape = abut_shape_hull(hull), closed = abut_shape_mesh(geometry);
        assert_true(moments_add(&of_hull, &shape, &pose, 2.0) && moments_add(&of_mesh, &closed, &pose, 2.0));
        const mass_properties a = mass_of(&of_hull), b = mass_of(&of_mesh);
        assert_near(a.mass, b.mass, 1e-9);
        for (int i = 0; i < 9; ++i)
        {
            assert_near(a.inertia[i / 3][i % 3], b.inertia[i / 3][i % 3], 1e-9);
        }
        abut_geometry_release(geometry);
        abut_geometry_release(hull);
        mesh_maker_close(&m);
    }
}

static void what_has_no_inside_adds_nothing(void **state)
{
    (void)state;
    const abut_pose pose = abut_pose_identity();
    const abut_shape shapes[] = { abut_shape_half_space(), abut_shape_sphere(0), abut_shape_capsule(0, 1),
                                  abut_shape_obb(1, 1, 0) };
    for (size_t i = 0; i < COUNT(shapes); ++i)
    {
        moments m = { 0 };
        assert_false(moments_add(&m, &shapes[i], &pose, 1.0));
        assert_true(m.zeroth == 0.0 && m.second[0][0] == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_weigh_what_their_points_do),
        cmocka_unit_test(shapes_of_the_plane_weigh_what_their_points_do),
        cmocka_unit_test(meshes_weigh_what_hulls_do),
        cmocka_unit_test(what_has_no_inside_adds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
