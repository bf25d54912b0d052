// Queries called wrongly: with pointers missing, values that are not valid, and while the world is busy.
#include "small_world.h"

#include <abut/query.h>

#include <math.h>

static const abut_ray ray = { { 0, 5, 0 }, { 0, -10, 0 } };
static const abut_vec3 point = { 0, 0, 0 };
static const abut_aabb box = { { -1, -1, -1 }, { 1, 1, 1 } };

static abut_world *open_ball_world(uint32_t dimension)
{
    abut_world *world;
    abut_body body;
    const abut_world_def def = { .dimension = dimension };
    const abut_body_def ball = { .collider.shape = abut_shape_sphere(1) };
    assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
    assert_int_equal(abut_body_create(world, &ball, &body), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0), ABUT_OK);
    return world;
}

#define FAILS(call)    assert_int_equal((call), ABUT_INVALID_ARGUMENT)
#define SUCCEEDS(call) assert_int_equal((call), ABUT_OK)

// A call that lists what it finds: (world, one question, filter, out, capacity, count), and its form for many.
#define LISTS(name, one, type)                                                                                         \
    do                                                                                                                 \
    {                                                                                                                  \
        type found[4];                                                                                                 \
        abut_range ranges[2];                                                                                          \
        uint64_t total;                                                                                                \
        uint32_t count;                                                                                                \
        FAILS(abut_world_##name(NULL, &(one), NULL, found, 4, &count));                                                \
        FAILS(abut_world_##name(world, NULL, NULL, found, 4, &count));                                                 \
        FAILS(abut_world_##name(world, &(one), NULL, NULL, 4, &count));                                                \
        FAILS(abut_world_##name(world, &(one), NULL, found, 4, NULL));                                                 \
        SUCCEEDS(abut_world_##name(world, &(one), NULL, NULL, 0, &count));                                             \
        SUCCEEDS(abut_world_##name(world, &(one), NULL, found, 4, &count));                                            \
        FAILS(abut_world_##name##_many(NULL, &(one), 1, NULL, ranges, found, 4, &total));                              \
        FAILS(abut_world_##name##_many(world, NULL, 1, NULL, ranges, found, 4, &total));                               \
        FAILS(abut_world_##name##_many(world, &(one), 1, NULL, NULL, found, 4, &total));                               \
        FAILS(abut_world_##name##_many(world, &(one), 1, NULL, ranges, NULL, 4, &total));                              \
        FAILS(abut_world_##name##_many(world, &(one), 1, NULL, ranges, found, 4, NULL));                               \
        SUCCEEDS(abut_world_##name##_many(world, NULL, 0, NULL, NULL, NULL, 0, &total));                               \
        SUCCEEDS(abut_world_##name##_many(world, &(one), 1, NULL, ranges, NULL, 0, &total));                           \
    } while (0)

// Nearest calls take a distance, and their forms for many a number, besides.
#define NEAREST(name, one)                                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        abut_near found[4];                                                                                            \
        abut_range ranges[2];                                                                                          \
        uint64_t total;                                                                                                \
        uint32_t count;                                                                                                \
        FAILS(abut_world_##name(NULL, &(one), 9, NULL, found, 4, &count));                                             \
        FAILS(abut_world_##name(world, NULL, 9, NULL, found, 4, &count));                                              \
        FAILS(abut_world_##name(world, &(one), 9, NULL, NULL, 4, &count));                                             \
        FAILS(abut_world_##name(world, &(one), 9, NULL, found, 4, NULL));                                              \
        FAILS(abut_world_##name(world, &(one), -1, NULL, found, 4, &count));                                           \
        FAILS(abut_world_##name(world, &(one), NAN, NULL, found, 4, &count));                                          \
        SUCCEEDS(abut_world_##name(world, &(one), INFINITY, NULL, found, 4, &count));                                  \
        FAILS(abut_world_##name##_many(NULL, &(one), 1, 9, 1, NULL, ranges, found, 4, &total));                        \
        FAILS(abut_world_##name##_many(world, NULL, 1, 9, 1, NULL, ranges, found, 4, &total));                         \
        FAILS(abut_world_##name##_many(world, &(one), 1, 9, 1, NULL, NULL, found, 4, &total));                         \
        FAILS(abut_world_##name##_many(world, &(one), 1, 9, 1, NULL, ranges, NULL, 4, &total));                        \
        FAILS(abut_world_##name##_many(world, &(one), 1, 9, 1, NULL, ranges, found, 4, NULL));                         \
        SUCCEEDS(abut_world_##name##_many(world, NULL, 0, 9, 1, NULL, NULL, NULL, 0, &total));                         \
        SUCCEEDS(abut_world_##name##_many(world, &(one), 1, 9, 1, NULL, ranges, NULL, 0, &total));                     \
    } while (0)

#define TRAVELS(kind, one)                                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        abut_hit hit;                                                                                                  \
        bool any;                                                                                                      \
        FAILS(abut_world_##kind##_closest(NULL, &(one), NULL, &hit));                                                  \
        FAILS(abut_world_##kind##_closest(world, NULL, NULL, &hit));                                                   \
        FAILS(abut_world_##kind##_closest(world, &(one), NULL, NULL));                                                 \
        FAILS(abut_world_##kind##_closest_many(world, NULL, 1, NULL, &hit));                                           \
        FAILS(abut_world_##kind##_closest_many(world, &(one), 1, NULL, NULL));                                         \
        SUCCEEDS(abut_world_##kind##_closest_many(world, NULL, 0, NULL, NULL));                                        \
        FAILS(abut_world_##kind##_any(world, NULL, NULL, &any));                                                       \
        FAILS(abut_world_##kind##_any(world, &(one), NULL, NULL));                                                     \
        FAILS(abut_world_##kind##_any_many(world, NULL, 1, NULL, &any));                                               \
        FAILS(abut_world_##kind##_any_many(world, &(one), 1, NULL, NULL));                                             \
        SUCCEEDS(abut_world_##kind##_any_many(world, NULL, 0, NULL, NULL));                                            \
        LISTS(kind##_all, one, abut_hit);                                                                              \
    } while (0)

static void missing_pointers_are_errors(void **state)
{
    (void)state;
    for (uint32_t dimension = 2; dimension <= 3; ++dimension)
    {
        abut_world *world = open_ball_world(dimension);
        const abut_cast cast = { .shape = abut_shape_sphere(0.1f),
                                 .pose = abut_pose_2d(0, 5, 0),
                                 .translation = { 0, -9, 0 } };
        const abut_placed_shape placed = { abut_shape_sphere(2), abut_pose_2d(0, 0, 0) };
        const abut_plane plane = { { 0, 1, 0 }, 0 };
        const abut_region region = { &plane, 1 };
        TRAVELS(ray, ray);
        TRAVELS(cast, cast);
        LISTS(overlap_aabb, box, abut_found);
        LISTS(overlap_shape, placed, abut_found);
        LISTS(overlap_point, point, abut_found);
        LISTS(overlap_region, region, abut_found);
        NEAREST(nearest, point);
        NEAREST(nearest_shape, placed);
        abut_world_destroy(world);
    }
}

static void values_that_are_not_valid_are_errors(void **state)
{
    (void)state;
    abut_world *world = open_ball_world(3), *flat = open_ball_world(2);
    abut_found found;
    abut_hit hit;
    uint32_t count;
    for (int k = 0; k < 6; ++k)
    {
        abut_aabb wrong = box;
        float *side = k < 3 ? &wrong.min.x + k : &wrong.max.x + k - 3;
        const float values[] = { NAN, INFINITY, -INFINITY, k < 3 ? 2.0f : -2.0f, 2e8f };
        for (size_t v = 0; v < sizeof values / sizeof *values; ++v)
        {
            *side = values[v];
            FAILS(abut_world_overlap_aabb(world, &wrong, NULL, &found, 1, &count));
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        abut_cast cast = { .shape = abut_shape_sphere(0.1f), .pose = abut_pose_2d(0, 5, 0) };
        (&cast.translation.x)[k] = NAN;
        FAILS(abut_world_cast_closest(world, &cast, NULL, &hit));
        (&cast.translation.x)[k] = 0;
        (&cast.rotation.x)[k] = 1;
        SUCCEEDS(abut_world_cast_closest(world, &cast, NULL, &hit));
        assert_int_equal(abut_world_cast_closest(flat, &cast, NULL, &hit), k < 2 ? ABUT_INVALID_ARGUMENT : ABUT_OK);
        cast.rotation = (abut_vec3){ 0, 0, 0 };
        (&cast.translation.x)[k] = 1;
        assert_int_equal(abut_world_cast_closest(flat, &cast, NULL, &hit), k == 2 ? ABUT_INVALID_ARGUMENT : ABUT_OK);
    }
    const abut_plane plane = { { 0, 0, 1 }, 0 };
    const abut_region region = { &plane, 1 };
    FAILS(abut_world_overlap_region(flat, &region, NULL, &found, 1, &count));
    FAILS(abut_world_overlap_point(flat, &(abut_vec3){ 0, 0, 1 }, NULL, &found, 1, &count));
    abut_world_destroy(world);
    abut_world_destroy(flat);
}

// A number of the shape that asks, or of where it is.
static void check_number(abut_world *world, abut_placed_shape *placed, float *number, bool negative)
{
    const float most = ABUT_MAX_MAGNITUDE, before = *number;
    const float bad[] = { NAN, -NAN, INFINITY, -INFINITY, nextafterf(most, INFINITY), -nextafterf(most, INFINITY) };
    const float good[] = { 0.0f, -0.0f, 0x1p-149f, most }, below[] = { -0x1p-149f, -1.0f, -most };
    abut_hit hit;
    uint32_t count;
    for (size_t i = 0; i < 6 + 4 + 3; ++i)
    {
        const bool valid = i >= 6 && (i < 10 || negative);
        *number = i < 6 ? bad[i] : i < 10 ? good[i - 6] : below[i - 10];
        const abut_cast cast = { .shape = placed->shape, .pose = placed->pose, .translation = { 0, 1, 0 } };
        const abut_status expected = valid ? ABUT_OK : ABUT_INVALID_ARGUMENT;
        assert_int_equal(abut_world_overlap_shape(world, placed, NULL, NULL, 0, &count), expected);
        assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), expected);
    }
    *number = before;
}

// Those that are checked together, and those that are not.
static void each_number_of_a_shape_that_asks_is_checked(void **state)
{
    (void)state;
    abut_world *world = open_ball_world(3);
    abut_found found[2];
    uint32_t count;
    abut_placed_shape placed[] = { { .shape = abut_shape_sphere(0.5f) },
                                   { .shape = abut_shape_aabb(0.5f, 0.5f, 0.5f) },
                                   { .shape = abut_shape_obb(0.5f, 0.5f, 0.5f) },
                                   { .shape = abut_shape_capsule(0.5f, 0.5f) } };
    for (size_t i = 0; i < sizeof placed / sizeof *placed; ++i)
    {
        abut_placed_shape *p = &placed[i];
        p->pose.rotation.w = 1;
        float *const size = &p->shape.box.half_extents.x;
        for (size_t k = 0; k < (i == 0 ? 1u : i == 3 ? 2u : 3u); ++k)
        {
            check_number(world, p, size + k, false);
        }
        for (size_t k = 0; k < 3; ++k)
        {
            check_number(world, p, &p->pose.position.x + k, true);
        }
        const float scales[] = { 0.5f, 1.0f - 0x1p-22f, 1.0f + 0x1p-22f, -3.0f, 1e-30f, 1e30f };
        for (size_t k = 0; k < sizeof scales / sizeof *scales; ++k)
        {
            p->pose.rotation = (abut_quat){ .w = scales[k] };
            SUCCEEDS(abut_world_overlap_shape(world, p, NULL, found, 2, &count));
            assert_int_equal(count, 1);
        }
        const float none[] = { 0.0f, NAN, INFINITY };
        for (size_t k = 0; k < sizeof none / sizeof *none; ++k)
        {
            p->pose.rotation = (abut_quat){ .w = none[k] };
            FAILS(abut_world_overlap_shape(world, p, NULL, found, 2, &count));
        }
    }
    abut_world_destroy(world);
}

static void shapes_alone_are_checked(void **state)
{
    (void)state;
    const abut_shape ball = abut_shape_sphere(1), bad = abut_shape_sphere(-1);
    const abut_pose pose = abut_pose_identity();
    const abut_cast cast = { .shape = ball, .pose = abut_pose_2d(0, 5, 0), .translation = { 0, -9, 0 } };
    const abut_cast wrong = { .shape = bad, .pose = abut_pose_2d(0, 5, 0) };
    const abut_cast nowhere = { .shape = ball, .pose.position.x = NAN };
    abut_ray_hit hit;
    SUCCEEDS(abut_cast_shape(&cast, &ball, &pose, 0, &hit));
    assert_true(hit.hit);
    FAILS(abut_cast_shape(NULL, &ball, &pose, 0, &hit));
    FAILS(abut_cast_shape(&cast, NULL, &pose, 0, &hit));
    FAILS(abut_cast_shape(&cast, &ball, NULL, 0, &hit));
    FAILS(abut_cast_shape(&cast, &ball, &pose, 0, NULL));
    FAILS(abut_cast_shape(&cast, &ball, &pose, ABUT_QUERY_SENSORS, &hit));
    FAILS(abut_cast_shape(&cast, &bad, &pose, 0, &hit));
    FAILS(abut_cast_shape(&wrong, &ball, &pose, 0, &hit));
    FAILS(abut_cast_shape(&nowhere, &ball, &pose, 0, &hit));
    SUCCEEDS(abut_cast_shape_2d(&cast, &ball, &pose, ABUT_QUERY_SKIP_INSIDE, &hit));
    FAILS(abut_ray_shape(NULL, &ball, &pose, 0, &hit));
    FAILS(abut_ray_shape(&ray, NULL, &pose, 0, &hit));
    FAILS(abut_ray_shape(&ray, &ball, NULL, 0, &hit));
    FAILS(abut_ray_shape(&ray, &ball, &pose, 0, NULL));
    FAILS(abut_ray_shape(&ray, &ball, &pose, 1u << 30, &hit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_pointers_are_errors),
        cmocka_unit_test(values_that_are_not_valid_are_errors),
        cmocka_unit_test(each_number_of_a_shape_that_asks_is_checked),
        cmocka_unit_test(shapes_alone_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
