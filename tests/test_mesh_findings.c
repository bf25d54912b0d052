// What the slides of test_ghosts.c and hunts found, each in a small form.
#include "mesh_makers.h"
#include "plain_geometry.h"

#include <stdio.h>

// A level grid of squares about the origin, upwards.
static abut_geometry *level_grid(uint32_t cells, double half)
{
    mesh_maker m = { 0 };
    random_source random = random_start(1);
    mesh_field(&m, &random, cells, cells, half, half, 0.0, NULL, NULL);
    return mesh_made(&m);
}

// The contacts of a shape at a place with a surface at the origin.
static uint32_t contacts_of(abut_geometry *surface, abut_shape shape, float x, float y, float z, abut_contact out[8])
{
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(surface), 0, 0, 0, ABUT_STATIC);
    add(world, shape, x, y, z, ABUT_DYNAMIC);
    detect(world);
    expect_sound(world);
    const uint32_t count = touching(world);
    for (uint32_t i = 0; i < count && i < 8; ++i)
    {
        out[i] = *contact_at(world, ABUT_AWAKE, i);
    }
    abut_world_destroy(world);
    abut_geometry_release(surface);
    return count;
}

static abut_geometry *hull_of(const abut_vec3 *points, uint32_t count)
{
    abut_geometry *out;
    assert_int_equal(abut_geometry_create_hull(points, count, 0, NULL, &out), ABUT_OK);
    return out;
}

static float deepest_of(const abut_contact *contacts, uint32_t count)
{
    float least = INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_vec3 n = contacts[i].normal;
        assert_true(n.x == 0.0f && n.y == 1.0f && n.z == 0.0f);
        least = fminf(least, contacts[i].separation);
    }
    return least;
}

// Two faces that lean by a degree each way, with four corners that are in no one plane.
static void a_hull_is_as_deep_as_its_lowest_corner(void **state)
{
    (void)state;
    const abut_vec3 points[] = { { -2.91f, 0.723968f, 0.1864f },      { 0.338f, 0.820469f, -0.4845f },
                                 { -1.0401f, 0.740394f, 0.3658f },    { -2.9617f, 0.381608f, 1.0715f },
                                 { -3.0141f, 0.0362742f, 1.1466f },   { -3.8934f, 0.0619644f, 0.9842f },
                                 { 0.0311f, 0.000519547f, -0.1271f }, { 0.0018f, -0.000121617f, -0.0001f } };
    abut_geometry *hull = hull_of(points, COUNT(points));
    abut_contact found[8];
    const uint32_t count = contacts_of(level_grid(3, 9.0), abut_shape_hull(hull), 0.5f, 0.0f, 0.7f, found);
    assert_true(count > 0 && count <= 8);
    assert_true(fabsf(deepest_of(found, count) + 0.000121617f) <= 1e-6f);
    abut_geometry_release(hull);
}

// The lowest corner is over a triangle and near its edge: the way out of that triangle leads past the edge.
static void a_corner_beside_an_edge_is_as_deep_as_it_is(void **state)
{
    (void)state;
    const abut_vec3 points[] = {
        { 2.37791062f, 0.692895248f, 2.93825003f },  { 1.90797687f, 0.9175301f, 2.33453792f },
        { 2.50626275f, -0.0353318824f, 2.1827268f }, { 2.28046032f, 0.804242878f, 2.82413213f },
        { 1.97404365f, 0.638929292f, 2.98761686f },  { 2.17719816f, 0.938792104f, 2.13015497f },
        { 2.40877011f, 0.915817488f, 2.37377483f }
    };
    float heights[9 * 23] = { 0 };
    const abut_heightfield_def def = {
        .heights = heights, .columns = 9, .rows = 23, .step_x = 1.25f, .step_z = 5.0f / 11
    };
    abut_geometry *hull = hull_of(points, COUNT(points)), *field;
    abut_contact found[8];
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &field), ABUT_OK);
    const uint32_t count = contacts_of(field, abut_shape_hull(hull), 0, 0, 0, found);
    assert_true(count > 0 && count <= 8);
    assert_true(fabsf(deepest_of(found, count) + 0.0353318824f) <= 1e-6f);
    abut_geometry_release(hull);
}

// Small triangles amid the box, past whose edges there is a way out that is shorter than the one upwards.
static void what_is_more_than_half_behind_does_not_touch(void **state)
{
    (void)state;
    abut_contact found[8];
    assert_int_equal(contacts_of(level_grid(40, 2.0), abut_shape_obb(1, 1, 1), 0.03f, -0.2f, 0.04f, found), 0);
    assert_true(contacts_of(level_grid(40, 2.0), abut_shape_obb(1, 1, 1), 0.03f, 0.2f, 0.04f, found) > 0);
}

// A floor and a wall, and a ball whose middle is over the floor's plane and behind the wall's.
static void a_ball_past_a_wall_touches_the_floor(void **state)
{
    (void)state;
    mesh_maker m = { 0 };
    const double x[] = { -2, 0, 0 }, y[] = { 0, 0, 2 };
    for (uint32_t i = 0; i < 3; ++i)
    {
        mesh_vertex(&m, x[i], y[i], -2);
        mesh_vertex(&m, x[i], y[i], 2);
    }
    mesh_quad(&m, 0, 1, 3, 2, false);
    mesh_quad(&m, 2, 3, 5, 4, false);
    abut_contact found[8];
    assert_int_equal(contacts_of(mesh_made(&m), abut_shape_sphere(0.5f), 0.1f, 0.2f, 0.1f, found), 1);
    const abut_vec3 n = found[0].normal;
    assert_true(n.x == 0.0f && n.y == 1.0f && n.z == 0.0f);
    assert_true(found[0].separation < -0.2f && found[0].separation > -0.31f);
}

// Triangles whose height is from a hundredth to a millionth of a millionth of their length: the nearest point of such
// is as near as that of any, and a ball two millionths deep touches it.
static void slivers_are_where_they_are(void **state)
{
    (void)state;
    static const uint32_t indices[3] = { 0, 1, 2 };
    uint32_t made = 0;
    const random_seeds seeds = random_seeds_of(4000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_vec3 corner[3];
        const dvec3 a = random_in_box(&random, 1.0), b = random_in_box(&random, 1.0);
        const double height = random_scale(&random, 1e-12, 1e-2), along = random_unit(&random);
        corner[0] = random_narrow(a);
        corner[1] = random_narrow(b);
        corner[2] = random_narrow(dvec3_add(dvec3_along(a, along, dvec3_sub(b, a)), random_in_box(&random, height)));
        const abut_mesh_def def = {
            .vertices = corner, .indices = indices, .vertex_count = 3, .triangle_count = 1, .two_sided = true
        };
        abut_geometry *mesh;
        const abut_status status = abut_geometry_create_mesh(&def, NULL, &mesh);
        if (status != ABUT_OK) // no area is left
        {
            assert_int_equal(status, ABUT_INVALID_ARGUMENT);
            continue;
        }
        ++made;
        const abut_shape shape = abut_shape_mesh(mesh);
        const abut_pose pose = abut_pose_identity();
        dvec3 wide[3];
        for (int i = 0; i < 3; ++i)
        {
            wide[i] = dvec3_make((double)corner[i].x, (double)corner[i].y, (double)corner[i].z);
        }
        for (int i = 0; i < 20; ++i)
        {
            const double far = random_scale(&random, 1e-6, 2.0);
            const dvec3 near = dvec3_along(a, random_unit(&random), dvec3_sub(b, a));
            const abut_vec3 point = random_narrow(dvec3_add(near, random_in_box(&random, far)));
            const dvec3 p = dvec3_make((double)point.x, (double)point.y, (double)point.z);
            const double distance = plain_point_triangle(p, wide[0], wide[1], wide[2]);
            abut_placed_shape ball = { abut_shape_sphere((float)distance + 2e-6f), pose };
            abut_vec3 closest;
            uint32_t count;
            ball.pose.position = point;
            assert_int_equal(abut_shape_closest_point(&shape, &pose, point, &closest), ABUT_OK);
            assert_true(fabs((double)abut_vec3_length(abut_vec3_sub(closest, point)) - distance) < 1.5e-6);
            assert_int_equal(abut_overlap_shape_all(&ball, &shape, &pose, NULL, 0, &count), ABUT_OK);
            assert_int_equal(count, 1);
        }
        abut_geometry_release(mesh);
    }
    assert_true(2 * (uint64_t)made > seeds.end - seeds.first || getenv("ABUT_SEED"));
}

// A rod beside a triangle's border: a part of it is far below the triangle's plane, where the triangle is not.
static void what_is_apart_is_not_deep(void **state)
{
    (void)state;
    const abut_vec3 corner[] = { { 0, 0, -5 }, { -5, 0, 0 }, { 0, 0, 5 } };
    const uint32_t indices[] = { 0, 1, 2 };
    const abut_mesh_def def = { .vertices = corner, .indices = indices, .vertex_count = 3, .triangle_count = 1 };
    for (int i = 0; i < 3; ++i)
    {
        const abut_world_def limits = { .margin = i == 0 ? 0.1f : 0.0f, .recycle_distance = i == 1 ? 0.1f : 0.0f };
        abut_world *world = open_world(&limits);
        abut_geometry *mesh;
        assert_int_equal(abut_geometry_create_mesh(&def, NULL, &mesh), ABUT_OK);
        add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
        const abut_body_def rod = { .pose = abut_pose_2d(0.82f, 0.7f, 0.785398163f),
                                    .velocity.linear = { 0, -1, 0 },
                                    .collider.shape = abut_shape_obb(1.41421356f, 0.02f, 0.05f) };
        abut_body body;
        assert_int_equal(abut_body_create(world, &rod, &body), ABUT_OK);
        assert_int_equal(abut_world_detect(world, i == 2 ? 0.1f : 0.0f), ABUT_OK);
        for (uint32_t k = 0; k < touching(world); ++k)
        {
            assert_true(contact_at(world, ABUT_AWAKE, k)->separation > 0.06f); // it is 0.0649 away
        }
        assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, i == 0 ? touching(world) : 0);
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
}

// A pillar sunk into fine ground, where only the contact of last resort is, and a wall 0.03 m beside it.
static void what_is_near_does_not_hide_what_overlaps(void **state)
{
    (void)state;
    uint32_t overlaps = 0; // contacts with what the pillar's corners are over, and no more
    for (int i = 0; i < 4; ++i)
    {
        mesh_maker m = { 0 };
        random_source random = random_start(1);
        mesh_field(&m, &random, 20, 20, 0.3125, 0.3125, 0.0, NULL, NULL);
        const uint32_t a = mesh_vertex(&m, 0.05, 0.3, -0.2), b = mesh_vertex(&m, 0.05, 0.3, 0.2),
                       c = mesh_vertex(&m, 0.05, 0.6, 0.0);
        mesh_triangle(&m, a, b, c);
        abut_geometry *mesh = mesh_made(&m);
        const abut_world_def limits = { .margin = i == 1 ? 0.04f : 0.0f, .recycle_distance = i == 3 ? 0.04f : 0.0f };
        abut_world *world = open_world(&limits);
        add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
        const abut_body_def pillar = { .pose = abut_pose_2d(0, 0.13f, 0),
                                       .velocity.linear = { 1, 0, 0 },
                                       .collider.shape = abut_shape_obb(0.02f, 0.5f, 0.02f) };
        abut_body body;
        assert_int_equal(abut_body_create(world, &pillar, &body), ABUT_OK);
        detect(world);
        assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, 1);
        overlaps = i == 0 ? touching(world) : overlaps;
        assert_in_range(overlaps, 1, 8);
        assert_int_equal(touching(world), i == 0 || i == 2 ? overlaps : overlaps + 1);
        assert_int_equal(abut_world_detect(world, i == 2 ? 0.05f : 0.0f), ABUT_OK);
        assert_int_equal(abut_world_events(world, ABUT_END).count, 0);
        assert_int_equal(touching(world), i == 0 ? overlaps : overlaps + 1);
        assert_true(contact_at(world, ABUT_AWAKE, 0)->separation < 0.0f);
        expect_sound(world);
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
}

// Half a ball on either side of a face: what is nearest to its middle is off that by rounding alone.
static void a_ball_in_the_plane_of_a_face_has_its_normal(void **state)
{
    (void)state;
    random_source random = random_start(1);
    uint32_t exact = 0;
    for (int i = 0; i < 4000; ++i)
    {
        const float side = (float)random_scale(&random, 0.5, 500.0), down = 0.7f * side;
        const abut_vec3 corner[] = { { -side, -down, -side }, { side, -down, -side }, { side, -down, side } };
        const uint32_t indices[] = { 0, 1, 2 };
        const abut_mesh_def def = {
            .vertices = corner, .indices = indices, .vertex_count = 3, .triangle_count = 1, .two_sided = true
        };
        const float x = side * (float)random_between(&random, 0.1, 0.8),
                    z = -x * (float)random_between(&random, 0.2, 0.9);
        abut_placed_shape placed = { abut_shape_sphere(0.05f), abut_pose_identity() };
        abut_geometry *mesh;
        assert_int_equal(abut_geometry_create_mesh(&def, NULL, &mesh), ABUT_OK);
        placed.pose.position = abut_vec3_make(x, -down, z);
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
        add(world, placed.shape, x, -down, z, ABUT_DYNAMIC);
        detect(world);
        assert_int_equal(touching(world), 1);
        assert_true(fabsf(contact_at(world, ABUT_AWAKE, 0)->normal.y) > 0.999f);
        const abut_query_filter still = { .motions = 1u << ABUT_STATIC };
        uint32_t overlaps = 0;
        assert_int_equal(abut_world_overlap_shape(world, &placed, &still, NULL, 0, &overlaps), ABUT_OK);
        assert_int_equal(overlaps, 1);
        exact += contact_at(world, ABUT_AWAKE, 0)->separation == -0.05f;
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
    assert_true(exact > 3000);
}

// A thin blade, whose sides meet in a sharp rim along z.
static abut_geometry *blade(void)
{
    mesh_maker m = { 0 };
    mesh_vertex(&m, 0.0, 0.0, -1.0);
    mesh_vertex(&m, 0.0, 0.0, 1.0);
    mesh_vertex(&m, -2.0, 0.004, 0.0);
    mesh_vertex(&m, -2.0, -0.004, 0.0);
    mesh_triangle(&m, 0, 2, 1); // up
    mesh_triangle(&m, 0, 1, 3); // down
    mesh_triangle(&m, 0, 3, 2);
    mesh_triangle(&m, 1, 2, 3);
    return mesh_made(&m);
}

// A capsule leans over the rim of a blade, its middle on one side and an end on the other: its flank is just in the
// rim. Below the side that the middle is on, that end is deep.
static void what_leans_over_a_sharp_rim_is_as_deep_as_it_is_in_the_rim(void **state)
{
    (void)state;
    const double steep = 0.62831853, radius = 0.09, deep = 2e-4, beyond = -0.15; // radians; metres
    for (int turn = 0; turn < 2; ++turn)
    {
        const double up = turn ? -1.0 : 1.0, out[2] = { cos(steep), up * sin(steep) };
        abut_world *world = open_world(NULL);
        abut_geometry *surface = blade();
        abut_body_def def = { .collider.shape = abut_shape_capsule((float)radius, 0.4f), .pose = abut_pose_identity() };
        add(world, abut_shape_mesh(surface), 0, 0, 0, ABUT_STATIC);
        def.pose.position = abut_vec3_make((float)(out[0] * (radius - deep) - up * out[1] * beyond),
                                           (float)(out[1] * (radius - deep) + up * out[0] * beyond), 0.0f);
        def.pose.rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), (float)(up * steep));
        abut_body body;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        detect(world);
        expect_sound(world);
        assert_true(touching(world) > 0);
        for (uint32_t i = 0; i < touching(world); ++i)
        {
            assert_true(fabs((double)contact_at(world, ABUT_AWAKE, i)->separation + deep) < 1e-5);
        }
        abut_world_destroy(world);
        abut_geometry_release(surface);
    }
}

// A box that is 16 mm in the front of a closed cube, beside its bottom, in which it is 136 mm: out past the ridge
// between them it has to be moved by as little, so that the bottom has no contact.
static void what_is_in_a_side_of_a_cube_is_not_below_its_bottom(void **state)
{
    (void)state;
    static const uint8_t quads[6][4] = { { 0, 1, 3, 2 }, { 4, 6, 7, 5 }, { 0, 4, 5, 1 },
                                         { 2, 3, 7, 6 }, { 0, 2, 6, 4 }, { 1, 5, 7, 3 } };
    mesh_maker m = { 0 };
    for (int i = 0; i < 8; ++i)
    {
        mesh_vertex(&m, i & 4 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 1 ? 0.5 : -0.5);
    }
    for (int i = 0; i < 6; ++i)
    {
        const uint8_t *q = quads[i];
        mesh_triangle(&m, q[0], q[1], q[2]);
        mesh_triangle(&m, q[0], q[2], q[3]);
    }
    abut_contact found[8];
    const uint32_t count = contacts_of(mesh_made(&m), abut_shape_aabb(0.348693f, 0.227661f, 0.530078f), 0.155839f,
                                       -0.591186f, 1.01382f, found);
    assert_true(count > 0 && count <= 8);
    for (uint32_t i = 0; i < count; ++i)
    {
        assert_true(fabsf(found[i].separation + 0.01626f) < 1e-4f && fabsf(found[i].normal.z) == 1.0f);
    }
}

// A box that is 4 mm in the bottom of a wedge of 60 degrees, and reaches far past its rim: deep below the slope there,
// whose way out is the bottom's.
static void what_is_in_the_bottom_of_a_wedge_is_not_below_its_slope(void **state)
{
    (void)state;
    static const uint8_t triangles[8][3] = { { 0, 1, 4 }, { 0, 4, 3 }, { 0, 2, 5 }, { 0, 5, 1 },
                                             { 3, 4, 5 }, { 3, 5, 2 }, { 0, 3, 2 }, { 1, 5, 4 } };
    mesh_maker m = { 0 };
    for (int i = 0; i < 6; ++i)
    {
        const double side = i < 2 ? 0.0 : i == 3 || i == 4 ? 1.0 : -1.0; // 2 and 5 are to the left
        mesh_vertex(&m, 0.57735 * side, i < 2 ? 0.5 : -0.5, i == 1 || i == 4 || i == 5 ? 0.6 : -0.6);
    }
    for (int i = 0; i < 8; ++i)
    {
        mesh_triangle(&m, triangles[i][0], triangles[i][1], triangles[i][2]);
    }
    abut_contact found[8];
    const uint32_t count = contacts_of(mesh_made(&m), abut_shape_aabb(0.336524f, 0.0375985f, 0.261206f), 0.682019f,
                                       -0.533705f, -0.0383754f, found);
    assert_true(count > 0 && count <= 8);
    for (uint32_t i = 0; i < count; ++i)
    {
        assert_true(fabsf(found[i].separation + 0.00389f) < 1e-4f && fabsf(found[i].normal.y) == 1.0f);
    }
}

// A box across the end of a plane in long and narrow quads, beginning at x = -1 and ending at z = 0: its lowest corner
// is as far below all of them. Out past the end is half the way that is out along their normal, and one of the
// triangles alone has an edge there.
static const abut_pose across_end = { .position = { 0.0188f, 0.0027f, -0.0207f },
                                      .rotation = { 0.4872396f, 0.3533858f, 0.7270544f, -0.330315f } };
#define OUT_PAST_END 0.315179f

static void expect_way_past_end(abut_world *world)
{
    const abut_shape box = abut_shape_obb(0.2216f, 0.6522f, 0.2036f);
    const abut_body body = add(world, box, 0, 0, 0, ABUT_DYNAMIC);
    abut_world_bodies(world).poses[body.slot] = across_end;
    detect(world);
    const abut_cast cast = { .shape = box, .pose = across_end };
    const abut_query_filter others = { .ignore = &body, .ignore_count = 1 };
    abut_hit hit;
    assert_int_equal(abut_world_cast_closest(world, &cast, &others, &hit), ABUT_OK);
    assert_int_equal(touching(world), 1);
    assert_true(fabsf(contact_at(world, ABUT_AWAKE, 0)->separation + OUT_PAST_END) < 1e-5f);
    assert_true(fabsf(hit.depth - OUT_PAST_END) < 1e-5f);
    abut_world_destroy(world);
}

static void the_way_out_past_an_end_is_that_of_any_triangle_of_a_plane(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 6; ++first)
    {
        mesh_maker m = { 0 };
        for (int i = 0; i < 8; ++i)
        {
            mesh_vertex(&m, i / 2 - 1.0, 0.0, i % 2 ? 0.0 : -27.5);
        }
        for (uint32_t k = 0; k < 6; ++k)
        {
            const uint32_t i = (first + k) % 6, v = i / 2 * 2;
            mesh_triangle(&m, i % 2 ? v + 3 : v, i % 2 ? v + 2 : v + 1, i % 2 ? v + 1 : v + 2);
        }
        abut_geometry *surface = mesh_made(&m);
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(surface), 0, 0, 0, ABUT_STATIC);
        expect_way_past_end(world);
        abut_geometry_release(surface);
    }
}

static void the_way_out_past_an_end_is_that_of_one_of_two_tiles(void **state)
{
    (void)state;
    static const float heights[8] = { 0.0f };
    abut_world *world = open_world(NULL);
    for (uint32_t tile = 0; tile < 2; ++tile)
    {
        const uint8_t here = ABUT_CELL_SURFACE, beside = ABUT_CELL_NEIGHBOUR;
        const uint8_t cells[3] = { tile ? beside : here, tile ? here : beside, tile ? here : beside };
        const abut_heightfield_def def = {
            .heights = heights, .cells = cells, .columns = 4, .rows = 2, .step_x = 1.0f, .step_z = 27.5f
        };
        abut_geometry *field;
        assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &field), ABUT_OK);
        add(world, abut_shape_mesh(field), 0.5f, 0, -13.75f, ABUT_STATIC);
        abut_geometry_release(field);
    }
    expect_way_past_end(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hull_is_as_deep_as_its_lowest_corner),
        cmocka_unit_test(a_corner_beside_an_edge_is_as_deep_as_it_is),
        cmocka_unit_test(what_is_more_than_half_behind_does_not_touch),
        cmocka_unit_test(slivers_are_where_they_are),
        cmocka_unit_test(what_is_apart_is_not_deep),
        cmocka_unit_test(what_is_near_does_not_hide_what_overlaps),
        cmocka_unit_test(a_ball_in_the_plane_of_a_face_has_its_normal),
        cmocka_unit_test(a_ball_past_a_wall_touches_the_floor),
        cmocka_unit_test(what_is_in_a_side_of_a_cube_is_not_below_its_bottom),
        cmocka_unit_test(what_is_in_the_bottom_of_a_wedge_is_not_below_its_slope),
        cmocka_unit_test(the_way_out_past_an_end_is_that_of_any_triangle_of_a_plane),
        cmocka_unit_test(the_way_out_past_an_end_is_that_of_one_of_two_tiles),
        cmocka_unit_test(what_leans_over_a_sharp_rim_is_as_deep_as_it_is_in_the_rim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
