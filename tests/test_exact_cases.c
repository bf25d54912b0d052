// Cases in which the last digit decides: axes that separate equally, centres that nearly coincide, bounds that a
// contact within the margin needs to the full, distances of round shapes.
#include "own_world.h"
#include "random.h"

#include <math.h>

static abut_pose at(float x, float y, float z)
{
    return (abut_pose){ .position = { x, y, z }, .rotation = { 0, 0, 0, 1 } };
}

// Of equal separations the lowest axis names the contact of two axis-aligned boxes.
static void of_equal_axes_the_lowest_is_the_normal(void **state)
{
    (void)state;
    const abut_shape box = abut_shape_aabb(1, 1, 1);
    const abut_pose here = at(0, 0, 0);
    for (int k = 0; k < 27; ++k)
    {
        const float side[3] = { (float)(k % 3 - 1), (float)(k / 3 % 3 - 1), (float)(k / 9 - 1) };
        const abut_pose there = at(1.5f * side[0], 1.5f * side[1], 1.5f * side[2]);
        abut_manifold m;
        assert_int_equal(abut_collide(&box, &here, &box, &there, 0.0f, &m), ABUT_OK);
        const int axis = side[0] != 0.0f ? 0 : side[1] != 0.0f ? 1 : side[2] != 0.0f ? 2 : 0;
        const float normal[3] = { m.normal.x, m.normal.y, m.normal.z };
        for (int i = 0; i < 3; ++i)
        {
            const bool along = i == axis && side[axis] != 0.0f;
            assert_true(normal[i] == (along ? side[i] : 0.0f) || (k == 13 && i == 0 && fabsf(normal[i]) == 1.0f));
        }
    }
}

// The direction between centres is the normal down to 1e-15 m; nearer than that it is up.
static void centres_that_nearly_coincide_still_have_a_direction(void **state)
{
    (void)state;
    const abut_shape ball = abut_shape_sphere(1);
    const abut_pose here = at(0, 0, 0);
    for (float apart = 1.0f; apart > 1e-20f; apart *= 0.25f)
    {
        const abut_pose there = at(apart, 0, 0);
        abut_manifold m;
        assert_int_equal(abut_collide(&ball, &here, &ball, &there, 0.0f, &m), ABUT_OK);
        assert_int_equal(m.point_count, 1);
        assert_true(apart < 0.5e-15f || apart > 2e-15f || m.normal.x == 1.0f || m.normal.y == 1.0f);
        assert_true(apart < 2e-15f || (m.normal.x == 1.0f && m.normal.y == 0.0f));
        assert_true(apart > 0.5e-15f || (m.normal.y == 1.0f && m.normal.x == 0.0f));
    }
}

// Boxes corner to corner: their separating axes tell a gap sqrt 3 times as wide as the separation, and the world's
// boxes must be wide enough for that. A world finds what the call without a world finds.
static void corners_within_the_margin_are_found(void **state)
{
    (void)state;
    const abut_shape crate = abut_shape_obb(0.5f, 0.5f, 0.5f);
    const abut_quat corner_ahead = // x along the diagonal of the crate
        abut_quat_from_axis_angle(abut_vec3_make(0, -0.70710678f, 0.70710678f), -0.95531662f);
    const float margin = 0.25f, diagonal = 0.8660254f;
    uint32_t found = 0, touched = 0;
    for (int k = 0; k <= 60; ++k)
    {
        const float gap = 1.7320508f * margin * (0.9f + 0.002f * (float)k); // up to 1.02 of it
        const abut_pose pose[2] = { { { 0, 0, 0 }, 0, corner_ahead },
                                    { { 2 * diagonal + gap, 0, 0 }, 0, corner_ahead } };
        abut_world *world = open_world(&(abut_world_def){ .margin = margin });
        abut_manifold m;
        assert_int_equal(abut_collide(&crate, &pose[0], &crate, &pose[1], margin, &m), ABUT_OK);
        for (int i = 0; i < 2; ++i)
        {
            const abut_body_def def = { .pose = pose[i], .collider.shape = crate };
            abut_body body;
            assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        }
        detect(world);
        assert_int_equal(touching(world), m.point_count > 0);
        touched += m.point_count > 0;
        found = m.point_count > 0 ? (uint32_t)k : found;
        abut_world_destroy(world);
    }
    assert_true(touched > 45 && touched < 60 && found >= 48);
}

static abut_pose any_pose(random_source *random, double reach)
{
    const abut_vec3 axis = { (float)random_between(random, -1, 1), (float)random_between(random, -1, 1), 0.3f };
    return (abut_pose){ .position = random_narrow(random_in_box(random, reach)),
                        .rotation = abut_quat_from_axis_angle(axis, (float)random_between(random, -3, 3)) };
}

// A capsule by its support function alone takes GJK many rounds; one that is a rounded segment takes few. Both are as
// far away, to the rounding of the answer.
static void the_distance_of_round_shapes_is_right_to_the_last_digits(void **state)
{
    (void)state;
    random_source random = random_start(9);
    uint32_t far = 0;
    for (uint32_t i = 0; i < 10000; ++i)
    {
        abut_shape bare[2], rounded[2];
        const abut_pose poses[2] = { any_pose(&random, 1), any_pose(&random, 9) };
        const uint32_t first = 0, second = 1;
        float distance[2];
        for (int k = 0; k < 2; ++k)
        {
            const float radius = (float)random_between(&random, 0.05, 2),
                        half = (float)random_between(&random, 0.05, 3);
            bare[k] = own_shape(OWN_BARE, radius, 0, half);
            rounded[k] = own_shape(OWN_CAPSULE, radius, 0, half);
        }
        const abut_pair_list slow = { bare, poses, 2, 1, &first, &second, own_kind, OWN_KINDS };
        const abut_pair_list quick = { rounded, poses, 2, 1, &first, &second, own_kind, OWN_KINDS };
        assert_int_equal(abut_distance_many(&slow, &distance[0]), ABUT_OK);
        assert_int_equal(abut_distance_many(&quick, &distance[1]), ABUT_OK);
        far += distance[1] > 2.0f;
        if (distance[1] > 2.0f && fabsf(distance[0] - distance[1]) > 5e-7f * distance[1])
        {
            fail_msg("distance %.9g, should be %.9g", (double)distance[0], (double)distance[1]);
        }
    }
    assert_true(far > 2000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_equal_axes_the_lowest_is_the_normal),
        cmocka_unit_test(centres_that_nearly_coincide_still_have_a_direction),
        cmocka_unit_test(corners_within_the_margin_are_found),
        cmocka_unit_test(the_distance_of_round_shapes_is_right_to_the_last_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
