// What comes down with a side or corner a hair beside a point of a chain or an edge of a field: it is stopped by what is
// below it, however little it is beside.
#include "small_world.h"

#include <abut/character.h>
#include <abut/query.h>
#include <abut/shape.h>

#include <math.h>

enum
{
    SLOPES = 9,
    OFFSETS = 40
};

// From 1e-8 to 1e-4 metres.
static float offset_of(uint32_t k)
{
    return (float)pow(10.0, -8.0 + 0.1 * k);
}

// A world with a surface, and a CCD body that comes down on it.
typedef struct drop
{
    abut_world *world;
    abut_body body;
    abut_cast cast;
} drop;

static drop open_drop(bool is_2d, abut_shape surface, abut_shape shape, abut_vec3 from)
{
    drop d = { .world = open_world(&(abut_world_def){ .dimension = is_2d ? 2 : 3 }) };
    abut_body_def def = { .collider.shape = shape, .flags = ABUT_BODY_CCD, .pose = abut_pose_identity() };
    add(d.world, surface, 0, 0, 0, ABUT_STATIC);
    def.pose.position = from;
    def.velocity.linear.y = -10.0f;
    assert_int_equal(abut_body_create(d.world, &def, &d.body), ABUT_OK);
    assert_int_equal(abut_world_detect(d.world, 1.0f), ABUT_OK);
    d.cast = (abut_cast){ .shape = shape, .pose = def.pose, .translation = { 0.0f, -10.0f, 0.0f } };
    return d;
}

// It stops within a millimetre of a height: as a cast, as a body, and as a character.
static void expect_stop(const drop *d, double height)
{
    const abut_query_filter filter = { .ignore = &d->body, .ignore_count = 1 };
    const abut_impacts impacts = abut_world_impacts(d->world);
    const double from = (double)d->cast.pose.position.y;
    abut_hit hit;
    abut_character_move move;
    abut_character character = {
        .shape = d->cast.shape, .pose = d->cast.pose, .translation = d->cast.translation, .max_slope = 1.2f
    };
    assert_int_equal(abut_world_cast_closest(d->world, &d->cast, &filter, &hit), ABUT_OK);
    assert_true(hit.collider.generation != 0 && fabs(from - 10.0 * (double)hit.fraction - height) < 1e-3);
    assert_int_equal(impacts.count, 1);
    assert_true(fabs(from - 10.0 * (double)impacts.data[0].impact.time - height) < 1e-3);
    assert_int_equal(abut_world_move_character(d->world, &character, &filter, &move), ABUT_OK);
    assert_true((double)move.position.y > height - 1e-3 || move.footing == ABUT_FOOTING_GROUND);
}

// Two segments that meet at the origin, and a crate or a polygon as large whose left side comes down beside it.
static void expect_stop_at_point(int left, int right, float off, abut_shape shape, bool two_sided)
{
    const abut_vec2 points[3] = { { 2.0f, 0.5f * (float)right }, { 0.0f, 0.0f }, { -2.0f, 0.5f * (float)left } };
    const abut_chain_def def = { .points = points, .point_count = 3, .two_sided = two_sided };
    abut_geometry *chain;
    assert_int_equal(abut_geometry_create_chain(&def, NULL, &chain), ABUT_OK);
    const drop d = open_drop(true, abut_shape_chain(chain), shape, abut_vec3_make(0.5f + off, 5.0f, 0.0f));
    const double low = off < 0.0f ? 0.25 * left * -(double)off : 0.25 * right * (double)off, far = 0.25 * right;
    expect_stop(&d, 0.5 + fmax(fmax(low, far), off < 0.0f ? 0.0 : low));
    abut_world_destroy(d.world);
    abut_geometry_release(chain);
}

static void what_comes_down_beside_a_point_of_a_chain_is_stopped(void **state)
{
    (void)state;
    const abut_vec2 corners[4] = { { -0.5f, -0.5f }, { 0.5f, -0.5f }, { 0.5f, 0.5f }, { -0.5f, 0.5f } };
    abut_geometry *square;
    assert_int_equal(abut_geometry_create_polygon(corners, 4, NULL, &square), ABUT_OK);
    for (int left = 0; left < SLOPES; ++left)
    {
        for (int right = 0; right < SLOPES; ++right)
        {
            for (uint32_t k = 0; k < 2 * OFFSETS; ++k)
            {
                const float off = (k % 2 ? -1.0f : 1.0f) * offset_of(k / 2);
                expect_stop_at_point(left - 4, right - 4, off,
                                     k % 3 ? abut_shape_obb(0.5f, 0.5f, 0.0f) : abut_shape_polygon(square), k % 5 == 0);
            }
        }
    }
    abut_geometry_release(square);
}

// A field that is level or rises up to a line, and falls beyond it.
static void what_comes_down_beside_an_edge_of_a_field_is_stopped(void **state)
{
    (void)state;
    const abut_vec3 corners[8] = { { -0.5f, -0.5f, -0.5f }, { 0.5f, -0.5f, -0.5f }, { 0.5f, 0.5f, -0.5f },
                                   { -0.5f, 0.5f, -0.5f },  { -0.5f, -0.5f, 0.5f }, { 0.5f, -0.5f, 0.5f },
                                   { 0.5f, 0.5f, 0.5f },    { -0.5f, 0.5f, 0.5f } };
    abut_geometry *cube;
    assert_int_equal(abut_geometry_create_hull(corners, 8, 0, NULL, &cube), ABUT_OK);
    for (uint32_t slopes = 0; slopes < 13 * 12; ++slopes)
    {
        const float up = 0.1f * (float)(slopes % 13), down = 0.1f * (float)(slopes / 13 + 1);
        float heights[25];
        for (int i = 0; i < 25; ++i)
        {
            const int column = i % 5;
            heights[i] = (column < 2 ? up : down) * (float)(2 - column);
        }
        const abut_heightfield_def def = { .heights = heights, .columns = 5, .rows = 5, .step_x = 1, .step_z = 1 };
        abut_geometry *field;
        assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &field), ABUT_OK);
        for (uint32_t k = slopes % 3; k < OFFSETS; k += 3)
        {
            const float off = offset_of(k);
            const abut_shape shape = k % 2 ? abut_shape_obb(0.5f, 0.5f, 0.5f) : abut_shape_hull(cube);
            const drop d = open_drop(false, abut_shape_mesh(field), shape, abut_vec3_make(0.5f + off, 3.0f, 0.1f));
            expect_stop(&d, 0.5 - (double)down * (double)off);
            abut_world_destroy(d.world);
        }
        abut_geometry_release(field);
    }
    abut_geometry_release(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_comes_down_beside_a_point_of_a_chain_is_stopped),
        cmocka_unit_test(what_comes_down_beside_an_edge_of_a_field_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
