// Debug drawing tells apart sensors, sleep, motion kinds and impacts, and draws round shapes round.
#include "own_world.h"
#include "small_world.h"

#include "random.h"

#include <math.h>
#include <stdlib.h>

typedef struct drawn
{
    abut_line *lines;
    uint64_t count;
} drawn;

static drawn draw_what(abut_world *world, uint32_t what)
{
    const abut_draw_def def = { .what = what };
    uint64_t count = 0, again = 0;
    assert_int_equal(abut_world_draw(world, &def, NULL, 0, &count), ABUT_OK);
    abut_line *lines = malloc((count + 1) * sizeof *lines);
    assert_int_equal(abut_world_draw(world, &def, lines, count, &again), ABUT_OK);
    assert_true(again == count);
    return (drawn){ lines, count };
}

static void shapes_and_bounds_say_what_kind_of_body_they_are_of(void **state)
{
    (void)state;
    static const struct
    {
        abut_body_def def;
        uint32_t flags;
    } cases[] = {
        { { .motion = ABUT_DYNAMIC }, 0 },
        { { .motion = ABUT_STATIC }, ABUT_LINE_STATIC },
        { { .motion = ABUT_KINEMATIC }, ABUT_LINE_KINEMATIC },
        { { .flags = ABUT_BODY_ASLEEP }, ABUT_LINE_ASLEEP },
        { { .flags = ABUT_BODY_DISABLED }, ABUT_LINE_DISABLED },
        { { .collider.flags = ABUT_COLLIDER_SENSOR }, ABUT_LINE_SENSOR },
        { { .motion = ABUT_STATIC, .collider.flags = ABUT_COLLIDER_SENSOR }, ABUT_LINE_STATIC | ABUT_LINE_SENSOR },
        { { .motion = ABUT_KINEMATIC, .flags = ABUT_BODY_ASLEEP | ABUT_BODY_DISABLED },
          ABUT_LINE_KINEMATIC | ABUT_LINE_ASLEEP | ABUT_LINE_DISABLED },
        { { .flags = ABUT_BODY_CCD, .collider.flags = ABUT_COLLIDER_COLLIDES_WITH_NOTHING }, 0 },
    };
    abut_world *world = open_world(NULL);
    for (uint32_t i = 0; i < COUNT(cases); ++i)
    {
        // Each has a second collider that is the other way round about sensing.
        abut_body_def def = cases[i].def;
        abut_collider_def more = { .shape = abut_shape_obb(1, 1, 1), .flags = ABUT_COLLIDER_SENSOR };
        abut_body body;
        abut_collider collider;
        more.flags = def.collider.flags & ABUT_COLLIDER_SENSOR ? 0u : ABUT_COLLIDER_SENSOR;
        def.collider.shape = abut_shape_aabb(1, 1, 1);
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        assert_int_equal(abut_collider_attach(world, body, &more, &collider), ABUT_OK);
    }
    for (int k = 0; k < 2; ++k) // the same before the first detect and after it
    {
        const drawn d = draw_what(world, ABUT_DRAW_SHAPES | ABUT_DRAW_BOUNDS);
        assert_true(d.count == 2 * 24 * COUNT(cases));
        for (uint64_t i = 0; i < d.count; ++i)
        {
            const uint32_t first = cases[d.lines[i].index].flags;
            assert_int_equal(d.lines[i].flags, i / 12 % 2 ? first ^ ABUT_LINE_SENSOR : first);
        }
        free(d.lines);
        detect(world);
    }
    abut_world_destroy(world);
}

static void contacts_say_whether_they_are_asleep_or_speculative(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .broad = ABUT_BROAD_BVH });
    ball(world, 0);
    ball(world, 0.9f);
    const abut_body a = ball(world, 10), b = ball(world, 10.9f), coming = ball(world, 20);
    ball(world, 21.5f);
    detect(world);
    assert_int_equal(abut_body_set_awake(world, a, false), ABUT_OK);
    assert_int_equal(abut_body_set_awake(world, b, false), ABUT_OK);
    assert_int_equal(abut_body_set_velocity(world, coming, &(abut_velocity){ .linear.x = 10 }), ABUT_OK);
    detect(world);
    assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
    assert_true(touching(world) == 2 && asleep(world) == 1);
    const drawn d = draw_what(world, ABUT_DRAW_POINTS | ABUT_DRAW_NORMALS | ABUT_DRAW_TREE);
    uint32_t seen[3] = { 0 };
    for (uint64_t i = 0; i < d.count; ++i)
    {
        const abut_line *line = &d.lines[i];
        if (line->kind == ABUT_DRAW_TREE)
        {
            assert_int_equal(line->flags, 0);
            continue;
        }
        const int place = line->from.x < 5 ? 0 : line->from.x < 15 ? 1 : 2;
        const uint32_t wanted[3] = { 0, ABUT_LINE_ASLEEP, ABUT_LINE_SPECULATIVE };
        assert_int_equal(line->flags, wanted[place]);
        ++seen[place];
    }
    assert_true(seen[0] == 4 && seen[1] == 4 && seen[2] == 4);
    free(d.lines);
    abut_world_destroy(world);
}

// Bullets that fly at a thin wall whose face is at x = 9.999; every other is too slow to reach it.
static abut_world *open_range(abut_body bullet[20])
{
    random_source random = random_start(5);
    abut_world *world = open_world(NULL);
    add(world, abut_shape_aabb(0.001f, 100, 100), 10, 0, 0, ABUT_STATIC);
    for (int i = 0; i < 20; ++i)
    {
        const abut_body_def def = { .pose.position = { 0, (float)(3 * i), 0 },
                                    .velocity.linear = { i % 2 ? 100 : 2000, (float)random_between(&random, -99, 99),
                                                         3 },
                                    .flags = ABUT_BODY_CCD,
                                    .collider.shape = abut_shape_sphere(0.25f) };
        assert_int_equal(abut_body_create(world, &def, &bullet[i]), ABUT_OK);
    }
    assert_int_equal(abut_world_detect(world, 1.0f / 60), ABUT_OK);
    return world;
}

static void an_impact_is_a_path_a_normal_and_a_cross(void **state)
{
    (void)state;
    abut_body bullet[20];
    abut_world *world = open_range(bullet);
    const abut_impacts impacts = abut_world_impacts(world);
    assert_int_equal(impacts.count, 10);
    const drawn d = draw_what(world, ABUT_DRAW_IMPACTS);
    assert_true(d.count == 50);
    for (uint32_t i = 0; i < 10; ++i)
    {
        const abut_body_impact *hit = &impacts.data[i];
        const abut_line *line = &d.lines[5 * i];
        const abut_vec3 from = abut_world_bodies(world).poses[hit->body.slot].position;
        const abut_vec3 way = abut_world_bodies(world).velocities[hit->body.slot].linear;
        const abut_vec3 left = abut_vec3_sub(abut_vec3_add(from, abut_vec3_scale(way, hit->impact.time)), line[0].to);
        assert_memory_equal(&line[0].from, &from, sizeof from);
        assert_true(abut_vec3_length(left) < 1e-4f);
        assert_true(fabsf(line[0].to.x - 9.749f) < 1e-3f);
        const abut_vec3 at = line[1].from, normal = abut_vec3_sub(line[1].to, at);
        assert_true(fabsf(at.x - 9.999f) < 1e-3f && fabsf(at.y - line[0].to.y) < 1e-3f);
        assert_true(fabsf(normal.x - 0.2f) < 1e-5f && fabsf(normal.y) < 1e-4f && fabsf(normal.z) < 1e-4f);
        for (int k = 0; k < 5; ++k)
        {
            const abut_vec3 middle = abut_vec3_scale(abut_vec3_add(line[k].from, line[k].to), 0.5f);
            assert_true(line[k].kind == ABUT_DRAW_IMPACTS && line[k].index == i && line[k].flags == 0);
            assert_true(k < 2 || abut_vec3_length(abut_vec3_sub(middle, at)) < 1e-5f);
            assert_true(k < 2 || fabsf(abut_vec3_length(abut_vec3_sub(line[k].from, line[k].to)) - 0.1f) < 1e-5f);
        }
    }
    free(d.lines);
    abut_world_destroy(world);
}

static void impacts_of_destroyed_bodies_are_left_out_and_invalid_velocities_fail(void **state)
{
    (void)state;
    abut_body bullet[20];
    abut_world *world = open_range(bullet);
    assert_int_equal(abut_body_destroy(world, bullet[4]), ABUT_OK);
    drawn d = draw_what(world, ABUT_DRAW_IMPACTS);
    assert_true(d.count == 45);
    free(d.lines);
    const abut_draw_def all = { .what = ABUT_DRAW_ALL },
                        rest = { .what = ABUT_DRAW_ALL & ~(unsigned)ABUT_DRAW_IMPACTS };
    uint64_t count = 77;
    abut_world_bodies(world).velocities[bullet[6].slot].linear.y = NAN;
    assert_int_equal(abut_world_draw(world, &all, NULL, 0, &count), ABUT_INVALID_ARGUMENT);
    assert_true(count == 77);
    assert_int_equal(abut_world_draw(world, &rest, NULL, 0, &count), ABUT_OK);
    abut_world_bodies(world).velocities[bullet[6].slot].linear.y = 0;
    abut_world_bodies(world).velocities[bullet[7].slot].linear.y = NAN; // has no impact
    assert_int_equal(abut_world_draw(world, &all, NULL, 0, &count), ABUT_OK);
    abut_world_destroy(world);
}

// Two boxes that turn by thousands of radians within the horizon: how far they may go is a bound.
static void an_impact_that_is_a_bound_says_so(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    for (int i = 0; i < 2; ++i)
    {
        const abut_body_def def = { .pose.position.x = 2.9f * (float)i,
                                    .velocity.angular = { 3e5f, 2e5f, 1e5f },
                                    .flags = i == 0 ? ABUT_BODY_CCD : 0u,
                                    .collider.shape = abut_shape_obb(1, 0.5f, 0.25f) };
        abut_body body;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    assert_int_equal(abut_world_detect(world, 10.0f), ABUT_OK);
    const abut_impacts impacts = abut_world_impacts(world);
    assert_int_equal(impacts.count, 1);
    assert_true(impacts.data[0].impact.flags & ABUT_IMPACT_BOUND);
    const drawn d = draw_what(world, ABUT_DRAW_IMPACTS);
    assert_true(d.count == 5);
    for (int i = 0; i < 5; ++i)
    {
        assert_int_equal(d.lines[i].flags, ABUT_LINE_BOUND);
    }
    free(d.lines);
    abut_world_destroy(world);
}

// Metres from the surface, of a point in the shape's own frame; sizes as in own_kinds.h.
static double off_ball(own_size s, double x, double y, double z)
{
    return fabs(sqrt(x * x + y * y + z * z) - (double)s.x);
}

static double off_capsule(own_size s, double x, double y, double z)
{
    const double past = fabs(z) > (double)s.z ? fabs(z) - (double)s.z : 0.0;
    return off_ball(s, x, y, past);
}

static double off_crate(own_size s, double x, double y, double z)
{
    return fmax(fabs(fabs(x) - (double)s.x), fmax(fabs(fabs(y) - (double)s.y), fabs(fabs(z) - (double)s.z)));
}

static double off_cylinder(own_size s, double x, double y, double z)
{
    const double side = sqrt(x * x + y * y) - (double)s.x, end = fabs(z) - (double)s.z;
    return fmax(fabs(side), fabs(end));
}

// Along z: x is the radius, z half the length.
static abut_aabb cylinder_bounds(void *context, const void *data)
{
    (void)context;
    const own_size s = own_size_of(data);
    return (abut_aabb){ { -s.x, -s.x, -s.z }, { s.x, s.x, s.z } };
}

static void cylinder_support(void *context, const void *data, const double direction[3], double out[3])
{
    (void)context;
    const own_size s = own_size_of(data);
    const double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    out[0] = length > 0.0 ? (double)s.x * direction[0] / length : 0.0;
    out[1] = length > 0.0 ? (double)s.x * direction[1] / length : 0.0;
    out[2] = direction[2] >= 0.0 ? (double)s.z : -(double)s.z;
}

static void outlines_lie_on_the_surface_of_a_shape_of_ones_own(void **state)
{
    (void)state;
    static const abut_kind_def cylinder = { .name = "cylinder",
                                            .bounds = cylinder_bounds,
                                            .support = cylinder_support };
    static const struct
    {
        uint32_t kind, rings;
        double (*off)(own_size s, double x, double y, double z);
    } cases[] = {
        { OWN_BALL, 3, off_ball },    { OWN_ROUND, 3, off_ball },  { OWN_CAPSULE, 4, off_capsule },
        { OWN_BARE, 4, off_capsule }, { OWN_CRATE, 6, off_crate }, { OWN_KINDS, 4, off_cylinder },
    };
    random_source random = random_start(3);
    for (uint32_t i = 0; i < 300; ++i)
    {
        const uint32_t which = i % COUNT(cases);
        const own_size s = { (float)random_between(&random, 0.1, 2), (float)random_between(&random, 0.1, 2),
                             (float)random_between(&random, 0.1, 2) };
        const abut_pose pose = { .position = { (float)random_between(&random, -9, 9), 5, 1 },
                                 .rotation = abut_quat_from_axis_angle(abut_vec3_make(1, 2, 3), (float)i) };
        const abut_body_def def = { .pose = pose, .collider.shape = own_shape(cases[which].kind, s.x, s.y, s.z) };
        abut_world *world = open_own_world(NULL);
        uint32_t id;
        abut_body body;
        assert_int_equal(abut_world_register_kind(world, &cylinder, &id), ABUT_OK);
        assert_int_equal(id, ABUT_FIRST_KIND + OWN_KINDS);
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        const drawn d = draw_what(world, ABUT_DRAW_SHAPES);
        assert_true(d.count == 32 * (uint64_t)cases[which].rings);
        double longest = 0.0;
        for (uint64_t k = 0; k < d.count; ++k)
        {
            const abut_vec3 out = abut_vec3_sub(d.lines[k].from, pose.position);
            const abut_vec3 local = abut_quat_rotate(abut_quat_conjugate(pose.rotation), out);
            const uint64_t next = k % 32 == 31 ? k - 31 : k + 1;
            const double off = cases[which].off(s, (double)local.x, (double)local.y, (double)local.z);
            if (!(off < 1e-5))
            {
                fail_msg("kind %u: line %u begins %g m off the surface", which, (unsigned)k, off);
            }
            assert_memory_equal(&d.lines[k].to, &d.lines[next].from, sizeof d.lines[k].to);
            longest = fmax(longest, (double)abut_vec3_length(abut_vec3_sub(d.lines[k].to, d.lines[k].from)));
        }
        // Round all along: no line is longer than a thirty-second of a circle.
        const bool ball = cases[which].off == off_ball;
        assert_true(!ball || longest < 1.001 * 2.0 * (double)s.x * sin(3.14159265358979 / 32.0));
        free(d.lines);
        abut_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_and_bounds_say_what_kind_of_body_they_are_of),
        cmocka_unit_test(contacts_say_whether_they_are_asleep_or_speculative),
        cmocka_unit_test(an_impact_is_a_path_a_normal_and_a_cross),
        cmocka_unit_test(impacts_of_destroyed_bodies_are_left_out_and_invalid_velocities_fail),
        cmocka_unit_test(an_impact_that_is_a_bound_says_so),
        cmocka_unit_test(outlines_lie_on_the_surface_of_a_shape_of_ones_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
