// Calls for characters: filters, worlds of two dimensions, and what is refused.
#include "character_scene.h"
#include "mesh_makers.h"

#include <string.h>

static void filters_leave_out_each_ones_own_body(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    abut_character c[3];
    abut_body own[3];
    abut_character_move m[3];
    for (int i = 0; i < 3; ++i)
    {
        c[i] = person((float)i, 0, 0);
        c[i].stands = true;
        c[i].translation = abut_vec3_make(0.5f, 0, 0);
        own[i] = add(world, c[i].shape, c[i].pose.position.x, c[i].pose.position.y, 0, ABUT_KINEMATIC);
    }
    update(world);
    abut_query_filter filter = { .ignore_each = own };
    assert_int_equal(abut_world_move_character_many(world, c, 3, &filter, m), ABUT_OK);
    assert_float_equal(m[0].position.x, 1 - 2 * RADIUS - SKIN, 1e-3);
    assert_float_equal(m[1].position.x, 2 - 2 * RADIUS - SKIN, 1e-3);
    assert_float_equal(m[2].position.x, 2.5f, 1e-5);
    assert_int_equal(m[0].touches[0].body.slot, own[1].slot);
    filter.motions = 1u << ABUT_STATIC;
    assert_int_equal(abut_world_move_character_many(world, c, 3, &filter, m), ABUT_OK);
    assert_float_equal(m[0].position.x, 0.5f, 1e-5);
    // each has a mask of its own: the second sees no other
    const uint32_t masks[] = { 0, 2, 1 };
    filter = (abut_query_filter){ .ignore_each = own, .mask_each = masks };
    assert_int_equal(abut_world_move_character_many(world, c, 3, &filter, m), ABUT_OK);
    assert_float_equal(m[0].position.x, 1 - 2 * RADIUS - SKIN, 1e-3);
    assert_float_equal(m[1].position.x, 1.5f, 1e-5);
    assert_float_equal(m[2].position.x, 2.5f, 1e-5);
    abut_world_destroy(world);
}

static void it_walks_in_the_plane(void **state)
{
    (void)state;
    const abut_world_def def = { .dimension = 2 };
    abut_world *world = open_world(&def);
    put(world, abut_shape_obb(50, 1, 0), 0, -1, 0);
    put(world, abut_shape_obb(1, 0.25f, 0), 3, 0, 0);
    put(world, abut_shape_obb(1, 5, 0), 8, 0, 0);
    update(world);
    abut_character c = person(0, 0.5f, 0);
    c.shape = abut_shape_capsule(RADIUS, HALF);
    (void)go(world, &c, 0, 40);
    expect_at(&c, 0, 0, 1e-4f);
    (void)go(world, &c, PACE, 60);
    expect_at(&c, 3, 0.25f, 1.1f * SKIN);
    const abut_character_move m = go(world, &c, PACE, 120);
    expect_at(&c, 7 - RADIUS - SKIN, 0, 1e-3f);
    assert_int_equal(m.touch_count, 1);
    assert_int_equal(c.pose.position.z, 0);
    c.up = abut_vec3_make(0, 0, 1);
    abut_character_move unused;
    assert_int_equal(abut_world_move_character(world, &c, NULL, &unused), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

// Hills of a chain, up to 40 degrees, for feet of any shape.
static void it_walks_over_chains(void **state)
{
    (void)state;
    enum
    {
        POINTS = 401
    };
    static abut_vec2 points[POINTS];
    for (int i = 0; i < POINTS; ++i)
    {
        const float x = 0.05f * (float)(i - POINTS / 2);
        points[i] = (abut_vec2){ -x, 0.8f * sinf(x) }; // from right to left: the front is above
    }
    const abut_chain_def def = { .points = points, .point_count = POINTS };
    const abut_world_def plane = { .dimension = 2 };
    abut_geometry *chain = NULL;
    assert_int_equal(abut_geometry_create_chain(&def, NULL, &chain), ABUT_OK);
    abut_world *world = open_world(&plane);
    put(world, abut_shape_chain(chain), 0, 0, 0);
    update(world);
    for (int kind = 0; kind < 3; ++kind)
    {
        abut_character c = person(-9, 2, 0);
        c.shape = kind == 0   ? abut_shape_capsule(RADIUS, HALF)
                  : kind == 1 ? abut_shape_sphere(RADIUS)
                              : abut_shape_obb(RADIUS, FEET, 0);
        (void)go(world, &c, 0, 120);
        const float from = c.pose.position.x;
        for (int i = 1; i <= 300; ++i)
        {
            const abut_character_move m = go(world, &c, PACE, 1);
            assert_int_equal(m.footing, ABUT_FOOTING_GROUND);
            assert_int_equal(m.touch_count, 0);
            assert_float_equal(c.pose.position.x, from + PACE * (float)i, 1e-3);
        }
    }
    abut_world_destroy(world);
    abut_geometry_release(chain);
}

static void refuse(abut_world *world, const abut_character *c)
{
    abut_character_move m, before;
    memset(&m, 0x5a, sizeof m);
    memcpy(&before, &m, sizeof m);
    assert_int_equal(abut_world_move_character(world, c, NULL, &m), ABUT_INVALID_ARGUMENT);
    assert_memory_equal(&m, &before, sizeof m);
}

static void what_makes_no_sense_is_refused(void **state)
{
    (void)state;
    abut_world *world = open_floor();
    abut_character_move m;
    const abut_character good = person(0, 0, 0);
    mesh_maker maker = { 0 };
    mesh_field(&maker, &(random_source){ 1 }, 2, 2, 1, 1, 0, NULL, NULL);
    abut_geometry *mesh = mesh_made(&maker);
    update(world);
    const float wrong[] = { NAN, INFINITY, -1 };
    for (size_t i = 0; i < COUNT(wrong); ++i)
    {
        abut_character c = good;
        c.max_slope = wrong[i];
        refuse(world, &c);
        c = good;
        c.step_height = wrong[i];
        refuse(world, &c);
        c = good;
        c.snap_distance = wrong[i];
        refuse(world, &c);
        c = good;
        c.skin = wrong[i];
        refuse(world, &c);
        c = good;
        c.translation.x = wrong[i] < 0 ? NAN : wrong[i];
        refuse(world, &c);
        c = good;
        c.up.y = wrong[i] < 0 ? NAN : wrong[i];
        refuse(world, &c);
        c = good;
        c.pose.position.z = wrong[i] < 0 ? NAN : wrong[i];
        refuse(world, &c);
    }
    abut_character c = good;
    c.max_slope = 1.5708f;
    refuse(world, &c);
    c = good;
    c.shape = abut_shape_mesh(mesh);
    refuse(world, &c);
    const abut_query_filter flags = { .flags = ABUT_QUERY_SENSORS };
    assert_int_equal(abut_world_move_character(world, &good, &flags, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_move_character(world, NULL, NULL, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_move_character(world, &good, NULL, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_move_character(NULL, &good, NULL, &m), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_move_character_many(world, NULL, 0, NULL, NULL), ABUT_OK);
    assert_int_equal(abut_world_move_character_many(world, NULL, 1, NULL, NULL), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
    abut_geometry_release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters_leave_out_each_ones_own_body),
        cmocka_unit_test(it_walks_in_the_plane),
        cmocka_unit_test(it_walks_over_chains),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
