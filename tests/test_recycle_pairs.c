// Worlds that recycle manifolds: where too few bodies stand for that, and pairs that have several contacts.
#include "random_compound.h"
#include "small_world.h"

#define TOLERANCE 0.01f

static void place(abut_world *world, abut_body body, float x, float y)
{
    const abut_pose pose = { .position = { x, y, 0 }, .rotation = abut_quat_identity() };
    assert_int_equal(abut_body_set_pose(world, body, &pose), ABUT_OK);
}

// Crates on a floor, of which some move: where fewer than a quarter stand, none does, and none in the next detect.
static void where_few_stand_none_does(void **state)
{
    (void)state;
    enum
    {
        CRATES = 40
    };
    abut_world *world = open_world(&(abut_world_def){ .recycle_distance = TOLERANCE });
    (void)add(world, abut_shape_obb(200, 1, 1), 0, -1, 0, ABUT_STATIC);
    abut_body crate[CRATES];
    for (uint32_t i = 0; i < CRATES; ++i)
    {
        crate[i] = add(world, abut_shape_obb(0.5f, 0.5f, 0.5f), 3.0f * (float)i, 0.499f, 0, ABUT_DYNAMIC);
    }
    expect(world, CRATES, CRATES, 0);
    for (uint32_t moved = 0; moved <= CRATES; ++moved)
    {
        const uint32_t stand = CRATES - moved, drift = moved + 1 < CRATES ? moved + 1 : 0;
        for (uint32_t i = 0; i < moved; ++i)
        {
            place(world, crate[i], 3.0f * (float)i, moved % 2 == 0 ? 0.48f : 0.49f);
        }
        place(world, crate[CRATES - 1], 3.0f * (CRATES - 1), drift % 2 == 0 ? 0.4991f : 0.499f); // by less than counts
        expect(world, CRATES, 0, 0);
        assert_int_equal(recycled(world), 4 * stand >= CRATES ? stand : 0);
        expect_sound(world);
        expect(world, CRATES, 0, 0);
        assert_int_equal(recycled(world), 4 * stand >= CRATES ? CRATES : 0);
        expect(world, CRATES, 0, 0);
        assert_int_equal(recycled(world), CRATES);
        expect_sound(world);
    }
    abut_world_destroy(world);
}

// A table with two feet, of which both leave the floor and come down again in one detect: its pair ends and begins
// once.
static void a_pair_with_several_contacts_begins_and_ends_once(void **state)
{
    (void)state;
    const abut_placed_shape feet[] = { { abut_shape_obb(0.2f, 0.5f, 0.2f), { .position = { -1, 0, 0 } } },
                                       { abut_shape_obb(0.2f, 0.5f, 0.2f), { .position = { 1, 0, 0 } } } };
    abut_geometry *geometry = compound_of(feet, 2);
    abut_world *world = open_world(&(abut_world_def){ .recycle_distance = TOLERANCE });
    (void)add(world, abut_shape_obb(10, 1, 10), 0, -1, 0, ABUT_STATIC);
    const abut_body table = add(world, abut_shape_compound(geometry), 0, 0.499f, 0, ABUT_DYNAMIC);
    abut_geometry_release(geometry);
    expect(world, 2, 1, 0);
    for (uint32_t frame = 0; frame < 4; ++frame)
    {
        place(world, table, 0, 0.503f);
        expect(world, 2, 0, 1); // both are listed, for they are near
        assert_int_equal(recycled(world), 2);
        place(world, table, 0, 0.499f);
        expect(world, 2, 1, 0);
        assert_int_equal(recycled(world), 2);
        expect_sound(world);
    }
    abut_world_destroy(world);
}

// Two points at one place have a negative zero for a separation, which stays what following makes of it.
static void points_at_one_place_are_sound(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .recycle_distance = 0.25f });
    (void)add(world, abut_shape_sphere(0), -3.5f, -3.5f, -3.5f, ABUT_DYNAMIC);
    (void)add(world, abut_shape_aabb(0, 0, 0), -3.5f, -3.5f, -3.5f, ABUT_DYNAMIC);
    const abut_body other = add(world, abut_shape_aabb(0, 0, 0), -3.5f, -3.5f, -3.5f, ABUT_DYNAMIC);
    for (uint32_t frame = 0; frame < 9; ++frame)
    {
        place(world, other, -3.5f, frame % 3 == 2 ? -3.0f : -3.5f);
        detect(world);
        expect_sound(world);
    }
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(where_few_stand_none_does),
        cmocka_unit_test(points_at_one_place_are_sound),
        cmocka_unit_test(a_pair_with_several_contacts_begins_and_ends_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
