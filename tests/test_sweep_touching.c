// Times of impact of what touches at the start, overlaps by less than the tolerance, or is within a wide one.
#include "random_moving.h"

// Neither has a corner in the other: their nearest edges lie the wrong way round.
static void crossing_beams_that_overlap_by_a_hair_hit_only_if_they_close(void **state)
{
    (void)state;
    const abut_moving_shape beam = moving(abut_shape_aabb(1, 0.05f, 0.05f), 0, 0, 0, 0, 0, 0);
    abut_moving_shape across = moving(abut_shape_aabb(0.05f, 1, 0.05f), 0, 0, 0.099995f, 0, 0, -10);
    const abut_impact found = impact_of(&beam, &across, 1.0f);
    assert_true(found.hit && found.time == 0.0f && found.flags == 0);
    near((double)found.normal.z, 1.0, 1e-6);
    near((double)found.distance, -5e-6, 1e-7);
    across.velocity.linear.z = 10.0f;
    assert_false(impact_of(&beam, &across, 1.0f).hit);
}

static void flat_boxes_in_one_plane_hit_within_it(void **state)
{
    (void)state;
    const abut_moving_shape floor = moving(abut_shape_aabb(50, 1, 0), 0, -1, 0, 0, 0, 0);
    abut_moving_shape fast = moving(abut_shape_obb(0.5f, 0.5f, 0), 0, 0.5f, 0, 0, -100, 0);
    const abut_impact found = impact_of(&fast, &floor, 1.0f / 60);
    assert_true(found.hit && found.time == 0.0f && found.flags == 0 && found.normal.y == -1.0f);
    fast.velocity.linear = (abut_vec3){ 100, 10, 0 };
    assert_false(impact_of(&fast, &floor, 1.0f / 60).hit);
    fast.pose.position.y = 0.25f;
    const abut_impact deep = impact_of(&fast, &floor, 1.0f / 60);
    assert_true(deep.hit && deep.flags == ABUT_IMPACT_INITIAL && deep.distance == -0.25f);

    // The same in a plane that is turned about an axis in it.
    for (int k = 0; k < 60; ++k)
    {
        abut_moving_shape one = moving(abut_shape_obb(1, 1, 0), 0, 0, 0, 0, 0, 0);
        abut_moving_shape other = moving(abut_shape_obb(1, 1, 0), 0.5f, 0, 0, -1, 0, 0);
        one.pose.rotation = abut_quat_from_axis_angle((abut_vec3){ 1, 0, 0 }, 0.1f * (float)k);
        other.pose.rotation = one.pose.rotation;
        const abut_impact within = impact_of(&one, &other, 1.0f);
        assert_true(within.hit && within.flags == ABUT_IMPACT_INITIAL && within.distance == -1.5f);
    }

    // Points in one position have no direction between them.
    const abut_moving_shape point = moving(abut_shape_obb(0, 0, 0), 0, 0, 0, 0, -1, 0);
    const abut_moving_shape ball = moving(abut_shape_sphere(0), 0, 0, 0, 0, 0, 0);
    assert_false(impact_of(&point, &ball, 1.0f).hit);
    assert_true(impact_of(&ball, &point, 1.0f).hit);
}

static void a_touching_ball_hits_at_its_surface(void **state)
{
    (void)state;
    const abut_moving_shape ball = moving(abut_shape_sphere(0.5f), 0, 0.5f, 0, 0, -1, 0);
    const abut_moving_shape floor = moving(abut_shape_aabb(5, 1, 5), 0, -1, 0, 0, 0, 0);
    const abut_impact found = impact_of(&ball, &floor, 1.0f);
    assert_true(found.hit && found.time == 0.0f);
    assert_true(found.offset.x == 0.0f && found.offset.y == -0.5f && found.offset.z == 0.0f);
}

static void shapes_within_a_wide_tolerance_hit_when_they_come_closer_at_all(void **state)
{
    (void)state;
    abut_impact found;
    abut_moving_shape ball = moving(abut_shape_sphere(0.5f), 0, 0, 0, 0.4f, 0, 0);
    const abut_moving_shape wall = moving(abut_shape_aabb(0, 5, 5), 0.52f, 0, 0, 0, 0, 0);
    for (float speed = 0.4f; speed > 1e-4f; speed *= 0.5f)
    {
        ball.velocity.linear = (abut_vec3){ speed, 0, 0 };
        assert_int_equal(abut_time_of_impact(&ball, &wall, 1.0f, 1.0f, &found), ABUT_OK);
        assert_true(found.hit && found.time == 0.0f && found.flags == 0);
        ball.velocity.linear = (abut_vec3){ -speed, 0, 0 };
        assert_int_equal(abut_time_of_impact(&ball, &wall, 1.0f, 1.0f, &found), ABUT_OK);
        assert_false(found.hit);
        ball.velocity.linear = (abut_vec3){ 0, speed, speed };
        assert_int_equal(abut_time_of_impact(&ball, &wall, 1.0f, 1.0f, &found), ABUT_OK);
        assert_false(found.hit);
    }
}

// A rod above a floor: its lower end, the nearest point, is on its way up, and the other end comes down.
static void shapes_turning_within_a_wide_tolerance_hit_before_they_overlap(void **state)
{
    (void)state;
    const abut_moving_shape floor = moving(abut_shape_aabb(5, 1, 5), 0, -1, 0, 0, 0, 0);
    abut_moving_shape rod = moving(abut_shape_obb(2, 0, 0), 0, 0.5f, 0, 0, 0, 0);
    rod.pose.rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), -0.2f);
    rod.velocity.angular.z = 3.0f;
    for (float tolerance = 0.2f; tolerance < 3.0f; tolerance *= 1.1f)
    {
        abut_impact found;
        assert_int_equal(abut_time_of_impact(&rod, &floor, 1.0f, tolerance, &found), ABUT_OK);
        const double angle = 3.0 * (double)found.time - 0.2;
        assert_true(found.hit && found.distance > 0.0f && angle > 0.0 && 0.5 - 2.0 * sin(angle) > 0.0);
        near((double)found.distance, 0.5 - 2.0 * sin(angle), 1e-6);
        assert_true(found.flags == 0 && found.normal.y < -0.999999f && found.offset.x < 0.0f);
    }
}

// In 2D, directions across the xy plane are left out.
static bool counts(const referee_axis *axis, bool flat)
{
    return !flat || fabs(axis->normal.z) < 0.5;
}

// The axis of largest separation, or NULL when another direction is nearly as good.
static const referee_axis *clear_axis(const referee_contact *contact, bool flat)
{
    const referee_axis *best = NULL;
    for (int k = 0; k < contact->count; ++k)
    {
        const referee_axis *axis = &contact->axis[k];
        best = counts(axis, flat) && (!best || axis->separation > best->separation) ? axis : best;
    }
    for (int k = 0; k < contact->count; ++k)
    {
        const referee_axis *axis = &contact->axis[k];
        const bool another = axis->two_way || dvec3_dot(axis->normal, best->normal) < 0.999999;
        if (counts(axis, flat) && another && axis->separation > best->separation - 1e-6)
        {
            return NULL;
        }
    }
    return best;
}

typedef struct overlap_by_a_hair
{
    abut_moving_shape a, b;
    referee_solid solid_a, solid_b;
    double tolerance;
    dvec3 normal;
    double separation;
} overlap_by_a_hair;

// Random shapes, some of them 2D rectangles, brought to overlap by about half of the tolerance. False when rounding, or
// another axis that is nearly as good, makes another case of it.
static bool make(overlap_by_a_hair *o, random_source *random)
{
    const bool flat = random_chance(random, 0.3);
    o->a = some(random, 0.0, 0.0);
    o->b = some(random, 0.0, 0.0);
    if (flat)
    {
        o->a.shape = abut_shape_obb((float)random_scale(random, 0.2, 1.0), 0.3f, 0.0f);
        o->b.shape = abut_shape_obb(0.2f, (float)random_scale(random, 0.2, 1.0), 0.0f);
        o->a.pose = abut_pose_2d(o->a.pose.position.x, o->a.pose.position.y, o->a.pose.position.z);
        o->b.pose = abut_pose_2d(o->b.pose.position.x, o->b.pose.position.y, o->b.pose.position.z);
    }
    const double size_a = size_of(&o->a.shape), size_b = size_of(&o->b.shape);
    o->tolerance = 1e-5 * fmin(size_a, size_b) + 1e-7 * (size_a + size_b);
    o->solid_a = solid_at(&o->a, 0.0);
    for (int k = 0; k < 5; ++k) // each time the best axis may become another one
    {
        o->solid_b = solid_at(&o->b, 0.0);
        const referee_contact contact = referee_collide(&o->solid_a, &o->solid_b);
        const referee_axis *axis = clear_axis(&contact, flat);
        if (!axis)
        {
            return false;
        }
        o->normal = axis->normal;
        o->separation = axis->separation;
        if (fabs(o->separation + 0.5 * o->tolerance) < 0.3 * o->tolerance)
        {
            return true;
        }
        const double by = -o->separation - 0.5 * o->tolerance;
        o->b.pose.position = random_narrow(dvec3_along(o->solid_b.centre, by, o->normal));
    }
    return false;
}

// They hit at once where they touch if they close, and never if they part.
static void overlaps_within_the_tolerance_hit_if_they_close(void **state)
{
    (void)state;
    uint32_t tried = 0;
    for (uint64_t seed = 1; seed <= 20000; ++seed)
    {
        random_source random = random_start(seed);
        overlap_by_a_hair o;
        if (!make(&o, &random))
        {
            continue;
        }
        ++tried;
        o.b.velocity.linear = random_narrow(dvec3_scale(o.normal, -10.0));
        const abut_impact found = impact_of(&o.a, &o.b, 1.0f);
        DEMAND_AT(seed, found.hit && found.time == 0.0f && found.flags == 0, "no impact when they close");
        DEMAND_AT(seed, dvec3_dot(wide(found.normal), o.normal) > 0.999999, "the normal is another");
        near((double)found.distance, o.separation, 1e-3 * o.tolerance);
        const dvec3 point = dvec3_add(wide(found.offset), o.solid_a.centre);
        const double off_a = referee_point_distance(&o.solid_a, point);
        const double off_b = referee_point_distance(&o.solid_b, point);
        DEMAND_AT(seed, fmax(fabs(off_a), fabs(off_b)) <= o.tolerance, "the point is %g and %g off", off_a, off_b);
        o.b.velocity.linear = random_narrow(dvec3_scale(o.normal, 10.0));
        DEMAND_AT(seed, !impact_of(&o.a, &o.b, 1.0f).hit, "an impact when they part");
    }
    print_message("%u tried\n", tried);
    assert_true(tried > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossing_beams_that_overlap_by_a_hair_hit_only_if_they_close),
        cmocka_unit_test(flat_boxes_in_one_plane_hit_within_it),
        cmocka_unit_test(a_touching_ball_hits_at_its_surface),
        cmocka_unit_test(shapes_within_a_wide_tolerance_hit_when_they_come_closer_at_all),
        cmocka_unit_test(shapes_turning_within_a_wide_tolerance_hit_before_they_overlap),
        cmocka_unit_test(overlaps_within_the_tolerance_hit_if_they_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
