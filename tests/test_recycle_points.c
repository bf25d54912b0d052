// Worlds that keep manifolds of pairs that hardly moved: what the kept ones say of their pair. Points stay, separations
// follow, and both are as near to the truth as promised.
#include "random_lineup.h"
#include "recycled_stack.h"

// Normal and points stay those of the anchors, to the bit; separations are those of now.
static void points_stay_and_separations_follow(void **state)
{
    (void)state;
    for (int k = -1; k <= 1; k += 2)
    {
        stack s = stacked(TOLERANCE);
        const float down = 0.4f * TOLERANCE * (float)k;
        const abut_pose below = abut_pose_identity();
        const abut_pose above = { .position = { 0, 0.99f - down, 0 }, .rotation = { 0, 0, 0, 1 } };
        const abut_shape crate = abut_shape_obb(0.5f, 0.5f, 0.5f), upper = abut_shape_obb(0.4f, 0.5f, 0.4f);
        const abut_contact before = *only_contact(s.world);
        abut_manifold anew;
        put(s.world, s.above, above.position.x, above.position.y, 0, above.rotation);
        expect(s.world, 1, 0, 0);
        assert_int_equal(recycled(s.world), 1);
        assert_int_equal(abut_collide(&crate, &below, &upper, &above, 0.0f, &anew), ABUT_OK);
        const abut_contact *contact = only_contact(s.world);
        assert_true(anew.point_count == 4 && contact->point_count == 4);
        assert_memory_equal(&contact->normal, &before.normal, sizeof before.normal);
        for (uint32_t i = 0; i < 4; ++i)
        {
            assert_memory_equal(&contact->points[i].offset, &before.points[i].offset, sizeof(abut_vec3));
            assert_true(fabsf(contact->points[i].separation - anew.points[i].separation) < 1e-6f);
        }
        abut_world_destroy(s.world);
    }
}

static void a_tilt_changes_the_separation_of_each_point_by_its_lever(void **state)
{
    (void)state;
    stack s = stacked(TOLERANCE);
    const float tilt = 0.006f;
    put(s.world, s.above, 0, 0.99f, 0, abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), tilt));
    expect(s.world, 1, 0, 0);
    const abut_contact *contact = only_contact(s.world);
    assert_int_equal(recycled(s.world), 1);
    assert_int_equal(contact->point_count, 4);
    for (uint32_t i = 0; i < 4; ++i)
    {
        const float expected = -0.01f + tilt * contact->points[i].offset.x;
        assert_true(fabsf(contact->points[i].separation - expected) < 5e-5f);
    }
    sound(s.world);
    abut_world_destroy(s.world);
}

// Separations follow the rotation, whichever of its two quaternions names it.
static void both_quaternions_of_a_rotation_are_one_pose(void **state)
{
    (void)state;
    stack s = stacked(TOLERANCE);
    const abut_quat tilt = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 0.006f);
    put(s.world, s.above, 0, 0.99f, 0, tilt);
    expect(s.world, 1, 0, 0);
    const abut_contact one = *only_contact(s.world);
    put(s.world, s.above, 0, 0.99f, 0, (abut_quat){ -tilt.x, -tilt.y, -tilt.z, -tilt.w });
    expect(s.world, 1, 0, 0);
    const abut_contact *other = only_contact(s.world);
    assert_int_equal(other->flags, ABUT_CONTACT_RECYCLED);
    assert_true(one.separation != -0.01f && other->separation == one.separation);
    assert_memory_equal(other->points, one.points, one.point_count * sizeof *one.points);
    sound(s.world);
    abut_world_destroy(s.world);
}

// All of a speck is within the tolerance however it turns, but its manifold is not what it was: it lies deep in what it
// turns in.
static void what_is_small_and_deep_is_computed_anew_when_it_turns(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 2; ++first) // the speck is body a, or body b
    {
        abut_world *world = keeping(TOLERANCE);
        const abut_shape speck = abut_shape_obb(0.001f, 0.002f, 0.001f), block = abut_shape_obb(2.0f, 1.0f, 2.0f);
        abut_body body[2];
        body[0] = add(world, first == 0 ? speck : block, 0, first == 0 ? 0.6f : 0.0f, 0, ABUT_DYNAMIC);
        body[1] = add(world, first == 0 ? block : speck, 0, first == 0 ? 0.0f : 0.6f, 0, ABUT_DYNAMIC);
        expect(world, 1, 1, 0);
        for (uint32_t step = 1; step <= 12; ++step)
        {
            const abut_quat turn = abut_quat_from_axis_angle(abut_vec3_make(1, 0, 0), 0.25f * (float)step);
            put(world, body[first], 0, 0.6f, 0, turn);
            expect(world, 1, 0, 0);
            assert_true(fabsf(only_contact(world)->separation + 0.402f) < 2.0f * TOLERANCE);
            sound(world);
        }
        abut_world_destroy(world);
    }
}

// Boxes and rectangles apart by as much as they are large, or more: contacts within a wide margin, reused while they
// move a little.
static void what_is_far_apart_within_the_margin_is_as_near_as_promised(void **state)
{
    (void)state;
    uint64_t kept = 0;
    const random_seeds seeds = random_seeds_of(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const bool is_2d = seed % 3 == 0;
        abut_world *world = open_world(&(abut_world_def){ .recycle_distance = TOLERANCE,
                                                          .margin = (float)random_scale(&random, 0.1, 30.0),
                                                          .dimension = is_2d ? 2 : 3 });
        for (uint32_t i = 0; i < 12; ++i)
        {
            const float x = (float)random_between(&random, 0.0, 1.0), y = (float)random_between(&random, 0.0, 1.0);
            const abut_shape shape =
                i % 3 ? abut_shape_obb(x, y, random_chance(&random, 0.5) ? 0.5f : 0.0f) : abut_shape_aabb(y, x, 0.5f);
            add(world, shape, 0, 0, 0, ABUT_DYNAMIC);
        }
        for (uint32_t frame = 0; frame < 8; ++frame)
        {
            const abut_bodies all = abut_world_bodies(world);
            for (uint32_t slot = 0; slot < all.count; ++slot)
            {
                abut_pose *pose = &all.poses[slot];
                const double by = frame == 0 ? 5.0 : 0.3 * (double)TOLERANCE;
                const abut_vec3 shift = random_narrow(random_in_box(&random, by));
                const abut_vec3 axis = is_2d ? abut_vec3_make(0, 0, 1) : random_narrow(random_direction(&random));
                const float turn = (float)random_between(&random, -by, by);
                pose->position = abut_vec3_add(pose->position, is_2d ? abut_vec3_make(shift.x, shift.y, 0) : shift);
                pose->rotation = abut_quat_mul(abut_quat_from_axis_angle(axis, turn), pose->rotation);
            }
            detect(world);
            kept += recycled(world);
            abut_audit audit;
            DEMAND(abut_world_audit(world, &audit) == ABUT_OK && !audit.what, "%s", audit.what);
        }
        abut_world_destroy(world);
    }
    assert_true(kept > 1000 || !random_seeds_all());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_quaternions_of_a_rotation_are_one_pose),
        cmocka_unit_test(points_stay_and_separations_follow),
        cmocka_unit_test(a_tilt_changes_the_separation_of_each_point_by_its_lever),
        cmocka_unit_test(what_is_small_and_deep_is_computed_anew_when_it_turns),
        cmocka_unit_test(what_is_far_apart_within_the_margin_is_as_near_as_promised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
