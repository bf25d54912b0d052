// Children of overlaps in small scenes: their order among other colliders, filters, exact planes, and what is refused.
#include "mesh_makers.h"
#include "random_compound.h"

#include <string.h>

static const abut_query_filter children = { .flags = ABUT_QUERY_CHILDREN };

// Two squares of two triangles in the planes y = 0 and y = 1, the second seen from below, and a compound of three
// balls.
typedef struct small_scene
{
    abut_world *world;
    abut_geometry *mesh, *compound;
    abut_body floor, balls, crate;
} small_scene;

static small_scene open_small(void)
{
    small_scene s = { .world = open_world(NULL) };
    mesh_maker m = { 0 };
    for (int y = 0; y < 2; ++y)
    {
        const uint32_t a = mesh_vertex(&m, -1, y, -1), b = mesh_vertex(&m, -1, y, 1), c = mesh_vertex(&m, 1, y, 1),
                       d = mesh_vertex(&m, 1, y, -1);
        mesh_quad(&m, y ? d : a, y ? c : b, y ? b : c, y ? a : d, false);
    }
    abut_placed_shape parts[3];
    for (int i = 0; i < 3; ++i)
    {
        parts[i] = (abut_placed_shape){ abut_shape_sphere(0.4f), abut_pose_identity() };
        parts[i].pose.position = abut_vec3_make((float)(1 - i), 0, 0);
    }
    s.mesh = mesh_made(&m);
    s.compound = compound_of(parts, 3);
    s.floor = add(s.world, abut_shape_mesh(s.mesh), 0, 0, 0, ABUT_STATIC);
    s.balls = add(s.world, abut_shape_compound(s.compound), 0, 0.2f, 0, ABUT_DYNAMIC);
    s.crate = add(s.world, abut_shape_obb(0.1f, 0.1f, 0.1f), 0.5f, 0.5f, 0.2f, ABUT_DYNAMIC);
    assert_int_equal(abut_world_update(s.world), ABUT_OK);
    return s;
}

static void close_small(small_scene *s)
{
    abut_world_destroy(s->world);
    abut_geometry_release(s->mesh);
    abut_geometry_release(s->compound);
}

static void expect_found(const abut_found *found, uint32_t count, const abut_body *bodies, const uint32_t *wanted,
                         uint32_t all)
{
    assert_int_equal(count, all);
    for (uint32_t i = 0; i < count; ++i)
    {
        assert_int_equal(found[i].body.slot, bodies[i].slot);
        assert_int_equal(found[i].child, wanted[i]);
    }
}

static void children_stand_among_other_colliders(void **state)
{
    (void)state;
    small_scene s = open_small();
    const abut_aabb box = { { 0.3f, -0.5f, -0.5f }, { 1.2f, 2.0f, 0.3f } };
    const abut_body bodies[] = { s.floor, s.floor, s.floor, s.floor, s.balls, s.balls, s.crate };
    const uint32_t wanted[] = { 0, 1, 2, 3, 0, 1, 0 };
    abut_found found[12];
    uint32_t count;
    assert_int_equal(abut_world_overlap_aabb(s.world, &box, &children, found, 8, &count), ABUT_OK);
    expect_found(found, count, bodies, wanted, 7);
    // Three fit: the first three; and the true number.
    assert_int_equal(abut_world_overlap_aabb(s.world, &box, &children, found, 3, &count), ABUT_OK);
    assert_int_equal(count, 7);
    expect_found(found, 3, bodies, wanted, 3);
    // As a whole each is there once.
    const abut_body once[] = { s.floor, s.balls, s.crate };
    const uint32_t none[] = { 0, 0, 0 };
    assert_int_equal(abut_world_overlap_aabb(s.world, &box, NULL, found, 8, &count), ABUT_OK);
    expect_found(found, count, once, none, 3);
    // Of a batch each has its own.
    const abut_aabb boxes[3] = { box,
                                 { { -1.2f, -0.1f, -0.1f }, { -0.7f, 0.1f, 0.1f } },
                                 { { 5, 5, 5 }, { 6, 6, 6 } } };
    abut_range ranges[3];
    uint64_t total;
    assert_int_equal(abut_world_overlap_aabb_many(s.world, boxes, 3, &children, ranges, found, 12, &total), ABUT_OK);
    assert_true(total == 9 && ranges[0].count == 7 && ranges[1].count == 2 && ranges[2].count == 0);
    expect_found(found + 7, 2, (abut_body[]){ s.floor, s.balls }, (uint32_t[]){ 0, 2 }, 2);
    close_small(&s);
}

// A surface contains no point.
static void points_are_in_parts(void **state)
{
    (void)state;
    small_scene s = open_small();
    const abut_vec3 points[] = { { 0.9f, 0.0f, -0.9f }, { 0.0f, 0.0f, 0.0f }, { -1.0f, 0.5f, 0.0f } };
    const uint32_t wanted[] = { 0, 1, 1 }, parts[] = { 0, 1, 2 };
    for (size_t i = 0; i < COUNT(points); ++i)
    {
        abut_found found[8];
        uint32_t count;
        assert_int_equal(abut_world_overlap_point(s.world, &points[i], &children, found, 8, &count), ABUT_OK);
        expect_found(found, count, &s.balls, &parts[i], wanted[i]);
    }
    close_small(&s);
}

static void what_is_more_than_half_behind_has_triangles(void **state)
{
    (void)state;
    small_scene s = open_small();
    const abut_aabb below = { { -0.5f, -2.0f, 0.6f }, { 0.5f, 0.1f, 0.9f } };
    const abut_query_filter standing = { .motions = 1u << ABUT_STATIC },
                            by_children = { .motions = 1u << ABUT_STATIC, .flags = ABUT_QUERY_CHILDREN };
    abut_found found[8];
    uint32_t count;
    assert_int_equal(abut_world_overlap_aabb(s.world, &below, &standing, found, 8, &count), ABUT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(abut_world_overlap_aabb(s.world, &below, &by_children, found, 8, &count), ABUT_OK);
    expect_found(found, count, &s.floor, (uint32_t[]){ 0 }, 1);
    close_small(&s);
}

static void what_is_out_of_sight_has_no_children(void **state)
{
    (void)state;
    small_scene s = open_small();
    const abut_region everything = { NULL, 0 };
    abut_found found[12];
    uint32_t count;
    assert_int_equal(abut_world_overlap_region(s.world, &everything, &children, found, 12, &count), ABUT_OK);
    assert_int_equal(count, 8);
    abut_world_bodies(s.world).poses[s.balls.slot].position.x = NAN;
    assert_int_equal(abut_world_update_bodies(s.world, &s.balls, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_region(s.world, &everything, &children, found, 12, &count), ABUT_OK);
    expect_found(found, count, (abut_body[]){ s.floor, s.floor, s.floor, s.floor, s.crate },
                 (uint32_t[]){ 0, 1, 2, 3, 0 }, 5);
    close_small(&s);
}

// Planes through corners, all of them whole numbers: nothing is rounded off, however long the normal.
static void what_is_exactly_on_a_plane_reaches_into_it(void **state)
{
    (void)state;
    static const uint32_t indices[3] = { 0, 1, 2 };
    random_source random = random_start(7);
    uint32_t asked = 0;
    for (int i = 0; i < 2000; ++i)
    {
        abut_vec3 corner[3];
        abut_plane plane = { { 0, 0, 0 }, 0 };
        for (int j = 0; j < 3; ++j)
        {
            corner[j] = abut_vec3_make((float)random_below(&random, 7) - 3, (float)random_below(&random, 7) - 3,
                                       (float)random_below(&random, 7) - 3);
        }
        plane.normal = abut_vec3_make((float)random_below(&random, 7) - 3, (float)random_below(&random, 7) - 3,
                                      (float)random_below(&random, 7) - 3);
        const float a = abut_vec3_dot(plane.normal, corner[0]), b = abut_vec3_dot(plane.normal, corner[1]),
                    c = abut_vec3_dot(plane.normal, corner[2]);
        plane.offset = fminf(a, fminf(b, c));
        const abut_mesh_def def = { .vertices = corner, .indices = indices, .vertex_count = 3, .triangle_count = 1 };
        const abut_region region = { &plane, 1 };
        const uint32_t flags = i % 2 ? ABUT_QUERY_CHILDREN : 0u;
        const abut_query_filter filter = { .flags = flags };
        abut_geometry *mesh;
        abut_found found;
        uint32_t count;
        if (abut_vec3_length(plane.normal) == 0.0f || abut_geometry_create_mesh(&def, NULL, &mesh) != ABUT_OK)
        {
            continue;
        }
        ++asked;
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
        assert_int_equal(abut_world_update(world), ABUT_OK);
        assert_int_equal(abut_world_overlap_region(world, &region, &filter, &found, 1, &count), ABUT_OK);
        assert_int_equal(count, 1);
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
    assert_true(asked > 1000);
}

// A body with a mesh, a ball and another mesh: the first that is found has all its children.
static void one_per_body_is_of_colliders(void **state)
{
    (void)state;
    small_scene s = open_small();
    abut_collider more[2];
    const abut_collider_def ball_def = { .shape = abut_shape_sphere(0.5f), .local.position = { 0, 0, 3 } };
    const abut_collider_def floor_def = { .shape = abut_shape_mesh(s.mesh), .local.position = { 0, 0, 3 } };
    const abut_query_filter first = { .flags = ABUT_QUERY_CHILDREN | ABUT_QUERY_ONE_PER_BODY,
                                      .motions = 1u << ABUT_STATIC };
    assert_int_equal(abut_collider_attach(s.world, s.floor, &ball_def, &more[0]), ABUT_OK);
    assert_int_equal(abut_collider_attach(s.world, s.floor, &floor_def, &more[1]), ABUT_OK);
    assert_int_equal(abut_world_update(s.world), ABUT_OK);
    const abut_aabb all = { { -5, -5, -5 }, { 5, 5, 5 } }, behind = { { -0.5f, -0.1f, 2 }, { 0.5f, 0.1f, 4 } };
    abut_found found[16];
    uint32_t count;
    assert_int_equal(abut_world_overlap_aabb(s.world, &all, &first, found, 16, &count), ABUT_OK);
    expect_found(found, count, (abut_body[]){ s.floor, s.floor, s.floor, s.floor }, (uint32_t[]){ 0, 1, 2, 3 }, 4);
    // Without a child of the first it is the second.
    assert_int_equal(abut_world_overlap_aabb(s.world, &behind, &first, found, 16, &count), ABUT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(found[0].collider.slot, more[0].slot);
    // More than half of the box is behind the first, which has a child in it all the same.
    const abut_aabb below = { { -0.5f, -2.0f, 0.6f }, { 0.5f, 0.1f, 4 } };
    assert_int_equal(abut_world_overlap_aabb(s.world, &below, &first, found, 16, &count), ABUT_OK);
    expect_found(found, count, &s.floor, (uint32_t[]){ 0 }, 1);
    close_small(&s);
}

static void what_is_not_valid_is_refused(void **state)
{
    (void)state;
    error_note note = { 0 };
    small_scene s = open_small();
    abut_world *world = open_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &note });
    const abut_query_filter both = { .flags = ABUT_QUERY_CHILDREN | ABUT_QUERY_BOUNDS };
    const abut_aabb box = { { 0, 0, 0 }, { 1, 1, 1 } };
    const abut_cast cast = { .shape = abut_shape_sphere(1), .pose = abut_pose_identity(), .translation = { 1, 0, 0 } };
    abut_found found[1];
    abut_hit hit;
    abut_near near[1];
    uint64_t total;
    uint32_t count = 7, child = 7;
    assert_int_equal(abut_world_overlap_aabb(world, &box, &both, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(note.times, 1);
    assert_int_equal(abut_world_overlap_aabb_many(world, NULL, 0, &both, NULL, NULL, 0, &total), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_nearest(world, &box.min, 1.0f, &children, near, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_cast_closest(world, &cast, &children, &hit), ABUT_INVALID_ARGUMENT);
    const abut_placed_shape good = { abut_shape_sphere(1), abut_pose_identity() };
    const abut_placed_shape mesh = { abut_shape_mesh(s.mesh), abut_pose_identity() };
    abut_placed_shape nowhere = good;
    nowhere.pose.position.x = NAN;
    const abut_placed_shape *const bad[] = { NULL, &mesh, &nowhere };
    for (size_t i = 0; i < COUNT(bad); ++i)
    {
        assert_int_equal(abut_overlap_shape_all(bad[i], &mesh.shape, &mesh.pose, &child, 1, &count),
                         ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_overlap_shape_all(&good, NULL, &mesh.pose, &child, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap_shape_all(&good, &mesh.shape, NULL, &child, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap_shape_all(&good, &mesh.shape, &nowhere.pose, &child, 1, &count),
                     ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap_shape_all(&good, &mesh.shape, &mesh.pose, NULL, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap_shape_all(&good, &mesh.shape, &mesh.pose, &child, 1, NULL), ABUT_INVALID_ARGUMENT);
    assert_true(count == 7 && child == 7);
    // A convex shape is its own only child.
    assert_int_equal(abut_overlap_shape_all(&good, &good.shape, &good.pose, &child, 1, &count), ABUT_OK);
    assert_true(count == 1 && child == 0);
    nowhere.pose.position.x = 3;
    assert_int_equal(abut_overlap_shape_all(&good, &good.shape, &nowhere.pose, &child, 1, &count), ABUT_OK);
    assert_true(count == 0);
    abut_world_destroy(world);
    close_small(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_stand_among_other_colliders),
        cmocka_unit_test(points_are_in_parts),
        cmocka_unit_test(what_is_more_than_half_behind_has_triangles),
        cmocka_unit_test(what_is_out_of_sight_has_no_children),
        cmocka_unit_test(what_is_exactly_on_a_plane_reaches_into_it),
        cmocka_unit_test(one_per_body_is_of_colliders),
        cmocka_unit_test(what_is_not_valid_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
