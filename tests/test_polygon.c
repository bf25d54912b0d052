// Polygons as geometry: which points become corners, which fail, who frees what, and that a polygon lives as long as a
// collider refers to it; points in them and in rectangles; 2D poses and their angles.
#include "random_2d.h"
#include "scarce_memory.h"
#include "small_world.h"

#include <string.h>

static abut_geometry *polygon_of(const abut_vec2 *points, uint32_t count)
{
    abut_geometry *polygon = NULL;
    assert_int_equal(abut_geometry_create_polygon(points, count, NULL, &polygon), ABUT_OK);
    assert_non_null(polygon);
    return polygon;
}

static bool has_corner(const abut_geometry *polygon, float x, float y)
{
    const abut_vec2 *vertex;
    const uint32_t count = abut_geometry_vertices(polygon, &vertex);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (vertex[i].x == x && vertex[i].y == y)
        {
            return true;
        }
    }
    return false;
}

static void a_square_has_four_corners_however_it_is_given(void **state)
{
    (void)state;
    // Corners, middles of sides, the centre, and doubles, in twelve orders and both directions.
    const abut_vec2 points[] = { { 0, 0 }, { 2, 0 }, { 2, 2 }, { 0, 2 }, { 1, 0 }, { 1, 2 },
                                 { 0, 1 }, { 2, 1 }, { 1, 1 }, { 2, 2 }, { 0, 0 }, { 0.5f, 2 } };
    enum
    {
        POINTS = COUNT(points)
    };
    for (uint32_t step = 1; step < POINTS; ++step)
    {
        for (uint32_t first = 0; first < POINTS; ++first)
        {
            abut_vec2 order[POINTS];
            uint32_t count = 0;
            bool used[POINTS] = { false };
            for (uint32_t i = first; count < POINTS; i = (i + step) % POINTS)
            {
                while (used[i])
                {
                    i = (i + 1) % POINTS;
                }
                used[i] = true;
                order[count++] = points[i];
            }
            abut_geometry *polygon = polygon_of(order, POINTS);
            const abut_vec2 *v;
            assert_int_equal(abut_geometry_vertices(polygon, &v), 4);
            assert_true(has_corner(polygon, 0, 0) && has_corner(polygon, 2, 0) && has_corner(polygon, 2, 2) &&
                        has_corner(polygon, 0, 2));
            assert_true((v[1].x - v[0].x) * (v[2].y - v[1].y) - (v[1].y - v[0].y) * (v[2].x - v[1].x) > 0.0f);
            const abut_vec2 centroid = abut_geometry_centroid(polygon);
            assert_true(centroid.x == 1.0f && centroid.y == 1.0f);
            abut_geometry_release(polygon);
        }
    }
}

// Twelve corners and the middles of the sides, which rounding puts on either side of them.
static void points_on_a_side_but_for_rounding_are_no_corners(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; ++seed)
    {
        random_source random = random_start(seed);
        const double size = random_scale(&random, 1e-3, 1e3), x = size * random_between(&random, -2, 2);
        abut_vec2 points[24];
        for (uint32_t i = 0; i < 24; ++i)
        {
            const double turn = 6.283185307179586 / 12 * (double)(i / 2), next = turn + 6.283185307179586 / 12;
            const double part = i % 2 ? random_between(&random, 0.1, 0.9) : 0.0;
            points[(i * 7) % 24] = (abut_vec2){ (float)(x + size * (cos(turn) * (1 - part) + cos(next) * part)),
                                                (float)(size * (sin(turn) * (1 - part) + sin(next) * part)) };
        }
        abut_geometry *polygon = polygon_of(points, 24);
        assert_int_equal(abut_geometry_vertices(polygon, NULL), 12);
        abut_geometry_release(polygon);
    }
}

// All points are inside but for the slack, every corner is one of the points, and all turns are to the left.
static void a_polygon_is_the_hull_of_its_points(void **state)
{
    (void)state;
    uint32_t made = 0;
    for (uint64_t seed = 1; seed <= 20000; ++seed)
    {
        random_source random = random_start(seed);
        const uint32_t count = 3 + random_below(&random, 30);
        const bool grid = random_chance(&random, 0.3);
        abut_vec2 points[40];
        for (uint32_t i = 0; i < count; ++i)
        {
            points[i] = (abut_vec2){ (float)random_between(&random, -3, 3), (float)random_between(&random, -3, 3) };
            points[i].x = grid ? (float)(int)points[i].x : points[i].x;
            points[i].y = grid ? (float)(int)points[i].y : points[i].y;
        }
        abut_geometry *polygon;
        const abut_status status = abut_geometry_create_polygon(points, count, NULL, &polygon);
        if (status != ABUT_OK)
        {
            assert_true(polygon == NULL && (status == ABUT_LIMIT || (grid && status == ABUT_INVALID_ARGUMENT)));
            continue;
        }
        ++made;
        const abut_shape shape = abut_shape_polygon(polygon);
        const abut_pose pose = abut_pose_identity();
        const solid_2d solid = solid_2d_of(&shape, &pose, NULL);
        for (uint32_t i = 0; i < count; ++i)
        {
            assert_true(point_distance_2d(&solid, (dvec2){ (double)points[i].x, (double)points[i].y }) < 1e-5);
        }
        for (int i = 0; i < solid.count; ++i)
        {
            const dvec2 p = solid.corner[i], q = solid.corner[(i + 1) % solid.count],
                        r = solid.corner[(i + 2) % solid.count];
            assert_true((q.x - p.x) * (r.y - q.y) - (q.y - p.y) * (r.x - q.x) > 0.0);
        }
        abut_geometry_release(polygon);
    }
    assert_true(made > 15000);
}

static void points_that_span_no_polygon_fail(void **state)
{
    (void)state;
    const abut_vec2 line[4] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 5, 5 } },
                    thin[3] = { { 0, 0 }, { 1, 1e-7f }, { 2, 0 } };
    const abut_vec2 same[3] = { { 1, 1 }, { 1, 1 }, { 1, 1 } };
    const abut_vec2 odd[3][3] = { { { 0, 0 }, { NAN, 0 }, { 0, 1 } },
                                  { { 0, 0 }, { 1, 0 }, { 0, INFINITY } },
                                  { { 0, 0 }, { 1, 0 }, { 0, 1.1e8f } } };
    const abut_allocator half = { .allocate = (void *(*)(void *, size_t, size_t))1 };
    abut_geometry *polygon = (abut_geometry *)1;
    assert_int_equal(abut_geometry_create_polygon(line, 4, NULL, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_polygon(NULL, 4, NULL, &polygon), ABUT_INVALID_ARGUMENT);
    assert_null(polygon);
    assert_int_equal(abut_geometry_create_polygon(line, 0, NULL, &polygon), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_polygon(line, 4, NULL, &polygon), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_polygon(line, 2, NULL, &polygon), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_polygon(thin, 3, NULL, &polygon), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_polygon(same, 3, NULL, &polygon), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_polygon(odd[0], 3, &half, &polygon), ABUT_INVALID_ARGUMENT);
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(abut_geometry_create_polygon(odd[i], 3, NULL, &polygon), ABUT_INVALID_ARGUMENT);
    }
    abut_vec2 round[17];
    for (int i = 0; i < 17; ++i)
    {
        round[i] = (abut_vec2){ (float)cos(0.3695991 * i), (float)sin(0.3695991 * i) };
    }
    assert_int_equal(abut_geometry_create_polygon(round, 17, NULL, &polygon), ABUT_LIMIT);
    assert_int_equal(abut_geometry_create_polygon(round, 16, NULL, &polygon), ABUT_OK);
    assert_int_equal(abut_geometry_vertices(polygon, NULL), 16);
    abut_geometry_release(polygon);
}

static void *never(void *context, size_t size, size_t alignment)
{
    (void)size;
    (void)alignment;
    ++*(int *)context;
    return NULL;
}

static void no_release(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)block;
    (void)size;
    (void)alignment;
    abort();
}

static void scarcity_and_nothing_are_answered(void **state)
{
    (void)state;
    const abut_vec2 points[3] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
    int asked = 0;
    const abut_allocator allocator = { never, no_release, &asked };
    abut_geometry *polygon = (abut_geometry *)1;
    assert_int_equal(abut_geometry_create_polygon(points, 3, &allocator, &polygon), ABUT_OUT_OF_MEMORY);
    assert_true(polygon == NULL && asked == 1);
    abut_geometry_retain(NULL);
    abut_geometry_release(NULL);
    const abut_vec2 *vertex = points;
    assert_int_equal(abut_geometry_vertices(NULL, &vertex), 0);
    assert_null(vertex);
    assert_int_equal(abut_geometry_vertices(NULL, NULL), 0);
    assert_true(abut_geometry_centroid(NULL).x == 0.0f);
    const abut_shape shape = abut_shape_polygon(NULL);
    assert_false(abut_shape_valid(&shape));
    assert_string_equal(abut_shape_kind_name(shape.kind), "polygon");
}

// Points in, nearest points, support and bounds, of rectangles and polygons alike, against the referee.
static void geometry_answers_are_right(void **state)
{
    (void)state;
    stock_2d stock;
    stock_2d_open(&stock);
    uint32_t inside = 0;
    for (uint64_t seed = 1; seed <= 20000; ++seed)
    {
        random_source random = random_start(seed);
        const abut_shape_kind kind = random_chance(&random, 0.6) ? ABUT_POLYGON : ABUT_OBB;
        abut_shape shape = random_shape_2d(&random, &stock, kind, 1.0);
        if (kind == ABUT_OBB)
        {
            shape.box.half_extents.z = 0.0f;
        }
        const abut_pose pose =
            abut_pose_2d((float)random_between(&random, -5, 5), (float)random_between(&random, -5, 5),
                         (float)random_between(&random, -4, 4));
        const solid_2d solid = solid_2d_of(&shape, &pose, NULL);
        const abut_vec3 point = { pose.position.x + (float)random_between(&random, -1.5, 1.5),
                                  pose.position.y + (float)random_between(&random, -1.5, 1.5), 0.0f };
        const dvec2 p = { (double)point.x, (double)point.y };
        const double distance = point_distance_2d(&solid, p);
        bool contains;
        abut_vec3 closest, support;
        abut_aabb box;
        float radius;
        assert_int_equal(abut_shape_contains(&shape, &pose, point, &contains), ABUT_OK);
        assert_true(fabs(distance) < 1e-6 || contains == (distance < 0.0));
        assert_int_equal(abut_shape_closest_point(&shape, &pose, point, &closest), ABUT_OK);
        const double to = hypot((double)closest.x - p.x, (double)closest.y - p.y);
        assert_true(closest.z == 0.0f && fabs(to - (distance > 0.0 ? distance : 0.0)) < 2e-6);
        assert_true(fabs(point_distance_2d(&solid, (dvec2){ (double)closest.x, (double)closest.y })) < 2e-6 ||
                    distance < 0.0);
        const double turn = random_between(&random, -3, 3);
        const abut_vec3 direction = { (float)(2 * cos(turn)), (float)(2 * sin(turn)), 0.0f };
        assert_int_equal(abut_shape_support(&shape, &pose, direction, &support), ABUT_OK);
        assert_int_equal(abut_shape_projection_radius(&shape, &pose, direction, &radius), ABUT_OK);
        assert_int_equal(abut_shape_bounds(&shape, &pose, &box), ABUT_OK);
        double most = -1e9;
        for (int i = 0; i < solid.count; ++i)
        {
            const dvec2 c = solid.corner[i];
            most =
                fmax(most, (c.x - (double)pose.position.x) * cos(turn) + (c.y - (double)pose.position.y) * sin(turn));
            assert_true((double)box.min.x <= c.x && c.x <= (double)box.max.x && (double)box.min.y <= c.y &&
                        c.y <= (double)box.max.y);
        }
        const double at = ((double)support.x - (double)pose.position.x) * cos(turn) +
                          ((double)support.y - (double)pose.position.y) * sin(turn);
        assert_true(fabs(at - most) < 2e-6 && fabs((double)radius - most) < 2e-6);
        inside += contains;
    }
    assert_true(inside > 2000);
    const abut_shape triangle = abut_shape_polygon(stock.polygon[0]);
    const abut_pose pose = abut_pose_identity();
    const abut_vec3 above = { 0.0f, 0.0f, 1.0f };
    abut_vec3 corners[8], closest;
    bool contains;
    assert_int_equal(abut_shape_contains(&triangle, &pose, above, &contains), ABUT_OK);
    assert_false(contains);
    assert_int_equal(abut_shape_closest_point(&triangle, &pose, above, &closest), ABUT_OK);
    assert_true(closest.z == 0.0f);
    assert_int_equal(abut_shape_corners(&triangle, &pose, corners), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_shape_rectangle_corners(&triangle, &pose, corners), ABUT_INVALID_ARGUMENT);
    stock_2d_close(&stock);
}

static void the_boundary_of_a_polygon_belongs_to_it(void **state)
{
    (void)state;
    static const abut_vec2 corners[] = { { -1, -1 }, { 3, -1 }, { 3, 1 }, { 1, 3 }, { -1, 3 } };
    abut_geometry *polygon = polygon_of(corners, COUNT(corners));
    const abut_shape shape = abut_shape_polygon(polygon);
    const abut_pose pose = { .position = { 16, -8, 0 }, .rotation = { 0, 0, 0, 1 } };
    for (uint32_t i = 0; i < COUNT(corners); ++i)
    {
        const abut_vec2 from = corners[i], to = corners[(i + 1) % COUNT(corners)];
        for (uint32_t quarter = 0; quarter < 4; ++quarter)
        {
            const float part = 0.25f * (float)quarter; // exact, and so are the points
            const abut_vec3 on = { 16 + from.x + part * (to.x - from.x), -8 + from.y + part * (to.y - from.y), 0 };
            bool contains = false;
            assert_int_equal(abut_shape_contains(&shape, &pose, on, &contains), ABUT_OK);
            assert_true(contains);
            const abut_vec3 centre = { 17, -7, 0 };
            const abut_vec3 off = abut_vec3_add(on, abut_vec3_scale(abut_vec3_sub(on, centre), 1e-5f));
            assert_int_equal(abut_shape_contains(&shape, &pose, off, &contains), ABUT_OK);
            assert_false(contains);
        }
    }
    abut_geometry_release(polygon);
}

static double ulp(double x)
{
    const float f = (float)fabs(x);
    return fmax((double)nextafterf(f, INFINITY) - (double)f, 1e-45);
}

static void the_angle_of_a_pose_is_the_one_it_was_made_of(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    for (uint64_t seed = 1; seed <= 200000; ++seed)
    {
        random_source random = random_start(seed);
        const double angle = random_chance(&random, 0.3) ? random_sign(&random) * random_scale(&random, 1e-20, 3.0)
                                                         : random_between(&random, -3.2, 3.2);
        const abut_pose pose = abut_pose_2d(1.0f, 2.0f, (float)angle);
        assert_true(pose.position.x == 1.0f && pose.position.y == 2.0f && pose.position.z == 0.0f);
        assert_true(pose.rotation.x == 0.0f && pose.rotation.y == 0.0f);
        double expected = 2.0 * atan2((double)pose.rotation.z, (double)pose.rotation.w);
        expected -= expected > pi ? 2.0 * pi : expected < -pi ? -2.0 * pi : 0.0;
        const double got = (double)abut_pose_angle(&pose);
        if (fabs(got - expected) > ulp(expected))
        {
            fail_msg("seed %llu: angle %.9g came back as %.9g", (unsigned long long)seed, expected, got);
        }
        assert_true(fabs(remainder(got - (double)(float)angle, 2.0 * pi)) < 5e-7);
    }
    abut_pose pose = abut_pose_identity();
    assert_true(abut_pose_angle(&pose) == 0.0f && abut_pose_angle(NULL) == 0.0f);
    pose.rotation = (abut_quat){ 0, 0, -1, 0 };
    assert_true(abut_pose_angle(&pose) == (float)pi);
    pose.rotation = (abut_quat){ 0, 0, -0.0f, -1 };
    assert_true(abut_pose_angle(&pose) == 0.0f);
    pose.rotation = (abut_quat){ 0, 0, -0.6f, -0.8f };
    assert_true(fabs((double)abut_pose_angle(&pose) - 2.0 * atan2(0.6, 0.8)) < 3e-7);
    pose.rotation = (abut_quat){ 0, 0, 0.8f, -0.6f };
    assert_true(fabs((double)abut_pose_angle(&pose) + 2.0 * atan2(0.8, 0.6)) < 3e-7);
}

// A square that is lent by `memory`.
static abut_geometry *square(source *memory)
{
    const abut_vec2 points[4] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 } };
    const abut_allocator allocator = { lend, take_back, memory };
    abut_geometry *polygon;
    assert_int_equal(abut_geometry_create_polygon(points, 4, &allocator, &polygon), ABUT_OK);
    return polygon;
}

static void colliders_keep_their_geometry(void **state)
{
    (void)state;
    source first = { .first_failed = NEVER }, second = first;
    abut_geometry *one = square(&first), *other = square(&second);
    abut_world *world = open_world(&(abut_world_def){ .dimension = 2 });
    const abut_body body = add(world, abut_shape_polygon(one), 0, 0, 0, ABUT_DYNAMIC);
    add(world, abut_shape_polygon(one), 0.5f, 0, 0, ABUT_DYNAMIC);
    abut_geometry_release(one);
    expect(world, 1, 1, 0);
    assert_int_equal(first.blocks, 1);

    abut_collider collider;
    uint32_t count;
    const abut_shape shape = abut_shape_polygon(other);
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    assert_int_equal(abut_collider_set_shape(world, collider, &shape), ABUT_OK);
    assert_int_equal(abut_collider_set_shape(world, collider, &shape), ABUT_OK); // the same again
    abut_geometry_release(other);
    expect(world, 1, 0, 0);
    assert_int_equal(first.blocks + second.blocks, 2);

    assert_int_equal(abut_collider_detach(world, collider), ABUT_OK);
    assert_int_equal(second.blocks, 0);
    expect(world, 0, 0, 1);
    assert_int_equal(first.blocks, 1);
    abut_world_destroy(world);
    assert_int_equal(first.blocks, 0);
}

static void failed_calls_keep_nothing(void **state)
{
    (void)state;
    source mine = { .first_failed = NEVER }, worlds = { .first_failed = NEVER, .lasting = true };
    abut_geometry *polygon = square(&mine);
    abut_world_def def = { .dimension = 2, .allocator = { lend, take_back, &worlds }, .body_capacity = 1 };
    abut_world *world = open_world(&def);
    abut_body body = add(world, abut_shape_sphere(1), 0, 0, 0, ABUT_DYNAMIC);
    const abut_collider_def collider_def = { .shape = abut_shape_polygon(polygon) };
    const abut_body_def body_def = { .collider = collider_def };
    abut_collider collider;
    worlds.failing = true;
    while (abut_collider_attach(world, body, &collider_def, &collider) == ABUT_OK)
    {
    }
    abut_body other;
    assert_int_equal(abut_body_create(world, &body_def, &other), ABUT_OUT_OF_MEMORY);
    abut_world_destroy(world);
    assert_int_equal(mine.blocks, 1);
    abut_geometry_release(polygon);
    assert_int_equal(mine.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_square_has_four_corners_however_it_is_given),
        cmocka_unit_test(points_on_a_side_but_for_rounding_are_no_corners),
        cmocka_unit_test(a_polygon_is_the_hull_of_its_points),
        cmocka_unit_test(points_that_span_no_polygon_fail),
        cmocka_unit_test(scarcity_and_nothing_are_answered),
        cmocka_unit_test(geometry_answers_are_right),
        cmocka_unit_test(the_boundary_of_a_polygon_belongs_to_it),
        cmocka_unit_test(the_angle_of_a_pose_is_the_one_it_was_made_of),
        cmocka_unit_test(colliders_keep_their_geometry),
        cmocka_unit_test(failed_calls_keep_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
