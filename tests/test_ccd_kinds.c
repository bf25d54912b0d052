// Bullets of 300 m/s against every kind of shape, solid or a sensor, in space and in the plane. The way that a bullet
// takes is a capsule; the referees say how far that passes from the target.
#include "own_kinds.h"
#include "random_pair.h"
#include "small_world.h"
#include "stock_2d.h"

#include <math.h>
#include <stdio.h>

#define SPEED   300.0f
#define HORIZON (1.0f / 60)

enum
{
    PAIRS = 50,   // of a world, so far apart that none concerns another
    WORLDS = 250, // of a setting: 50,000 shots in space, as many in the plane
    ROOM = 40     // metres
};

// One bullet and what it is shot at.
typedef struct shot
{
    abut_shape target;
    abut_pose pose;
    abut_vec3 from, velocity;
    float radius;
    abut_body bullet, body;
    double depth; // of the target's overlap with the bullet's way; negative: they pass
    double size;
} shot;

static dvec3 wide(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

// The way through space of a ball, and its end.
static referee_solid way_of(const shot *s, dvec3 *end)
{
    const dvec3 from = wide(s->from), way = dvec3_scale(wide(s->velocity), (double)HORIZON);
    const double length = dvec3_length(way);
    const dvec3 along = dvec3_scale(way, 1.0 / length);
    referee_solid solid =
        referee_capsule(dvec3_along(from, 0.5, way), (dquat){ 1, 0, 0, 0 }, (double)s->radius, 0.5 * length);
    solid.axis[0] = dvec3_beside(along);
    solid.axis[1] = along;
    solid.axis[2] = dvec3_cross(solid.axis[0], along);
    *end = dvec3_along(from, 1.0, way);
    return solid;
}

// A target and the custom shape that it is shot at as, and whether the bullet begins clear of it.
static bool aim_in_space(random_source *random, shot *s, abut_vec3 origin, bool custom)
{
    abut_shape shape =
        random_shape(random, random_kind(random_below(random, RANDOM_KINDS)), random_scale(random, 0.1, 2.0));
    s->pose.position = origin;
    s->pose.rotation = random_narrow_rotation(random_rotation(random));
    const dvec3 centre = wide(origin), way = random_direction(random);
    const referee_solid target = referee_solid_of(&shape, &s->pose, NULL);
    s->radius = (float)random_between(random, 0.01, 0.2);
    const dvec3 aside = dvec3_scale(random_direction(random), random_between(random, 0.0, 1.2) * target.reach);
    const double back = target.reach + random_between(random, 0.3, 5.5);
    s->from = random_narrow(dvec3_along(dvec3_add(centre, aside), -back, way));
    s->velocity = random_narrow(dvec3_scale(way, (double)SPEED));
    dvec3 end;
    const referee_solid path = way_of(s, &end), ball = referee_ball(wide(s->from), (double)s->radius);
    s->depth = -referee_collide(&path, &target).separation;
    s->size = target.reach;
    s->target = custom ? own_twin(&shape, true) : shape;
    if (custom && shape.kind == ABUT_AABB)
    {
        s->pose.rotation = (abut_quat){ 0, 0, 0, 1 };
    }
    return referee_collide(&ball, &target).separation > 1e-3;
}

static bool aim_in_plane(random_source *random, shot *s, abut_vec3 origin)
{
    s->target = random_shape_2d(random, &stock, random_kind_2d(random), random_scale(random, 0.1, 2.0));
    s->pose = abut_pose_2d(origin.x, origin.y, (float)random_between(random, -3, 3));
    const solid_2d target = solid_2d_of(&s->target, &s->pose, NULL);
    const double turn = random_between(random, -3.2, 3.2), other = random_between(random, -3.2, 3.2);
    const double back = target.reach + random_between(random, 0.3, 5.5),
                 off = random_between(random, 0, 1.2) * target.reach;
    s->radius = (float)random_between(random, 0.01, 0.2);
    s->from = abut_vec3_make((float)((double)origin.x + off * cos(other) - back * cos(turn)),
                             (float)((double)origin.y + off * sin(other) - back * sin(turn)), 0.0f);
    s->velocity = abut_vec3_make((float)((double)SPEED * cos(turn)), (float)((double)SPEED * sin(turn)), 0.0f);
    const solid_2d ball = { .corner = { { (double)s->from.x, (double)s->from.y } },
                            .count = 1,
                            .radius = (double)s->radius,
                            .reach = (double)s->radius };
    solid_2d path = ball;
    path.corner[path.count++] = (dvec2){ ball.corner[0].x + (double)s->velocity.x * (double)HORIZON,
                                         ball.corner[0].y + (double)s->velocity.y * (double)HORIZON };
    const contact_2d contact = collide_2d(&path, &target), start = collide_2d(&ball, &target);
    s->depth = contact.depth > 0.0 ? contact.depth : -contact.distance;
    s->size = target.reach;
    return start.distance > 1e-3;
}

// How far the bullet is from the target after `time` seconds.
static double gap_at(const shot *s, bool is_2d, const abut_shape *built_in, double time)
{
    const dvec3 at = dvec3_along(wide(s->from), time, wide(s->velocity));
    if (is_2d)
    {
        const solid_2d target = solid_2d_of(built_in, &s->pose, NULL);
        return point_distance_2d(&target, (dvec2){ at.x, at.y }) - (double)s->radius;
    }
    const referee_solid target = referee_solid_of(built_in, &s->pose, NULL);
    return referee_point_distance(&target, at) - (double)s->radius;
}

static const abut_body_impact *impact_of(abut_impacts all, abut_body bullet)
{
    for (uint32_t i = 0; i < all.count; ++i)
    {
        if (all.data[i].body.slot == bullet.slot)
        {
            return &all.data[i];
        }
    }
    return NULL;
}

// How many bullets hit.
static uint32_t shoot_all(uint64_t seed, bool is_2d, bool custom, bool sensors)
{
    random_source random = random_start(seed);
    abut_world *world = open_world(&(abut_world_def){ .dimension = is_2d ? 2 : 3 });
    shot shots[PAIRS];
    uint32_t count = 0, hits = 0;
    for (int kind = 0; custom && kind < OWN_KINDS; ++kind)
    {
        uint32_t id;
        assert_int_equal(abut_world_register_kind(world, &own_kind[kind], &id), ABUT_OK);
    }
    for (int i = 0; i < PAIRS; ++i)
    {
        shot *s = &shots[count];
        const abut_vec3 origin = abut_vec3_make((float)(i % 7 * ROOM), (float)(i / 7 * ROOM), 0.0f);
        if (!(is_2d ? aim_in_plane(&random, s, origin) : aim_in_space(&random, s, origin, custom)))
        {
            continue;
        }
        const abut_body_def target = { .pose = s->pose,
                                       .motion = ABUT_STATIC,
                                       .collider = { .shape = s->target,
                                                     .flags = sensors ? ABUT_COLLIDER_SENSOR : 0u } };
        const abut_body_def bullet = { .pose.position = s->from,
                                       .velocity.linear = s->velocity,
                                       .flags = ABUT_BODY_CCD,
                                       .collider.shape = abut_shape_sphere(s->radius) };
        assert_int_equal(abut_body_create(world, &target, &s->body), ABUT_OK);
        assert_int_equal(abut_body_create(world, &bullet, &s->bullet), ABUT_OK);
        ++count;
    }
    assert_int_equal(abut_world_detect(world, HORIZON), ABUT_OK);
    const abut_impacts solid = abut_world_impacts(world), sensed = abut_world_sensor_impacts(world);
    assert_int_equal(sensors ? solid.count : sensed.count, 0);
    for (uint32_t i = 0; i < count; ++i)
    {
        const shot *s = &shots[i];
        const abut_body_impact *found = impact_of(sensors ? sensed : solid, s->bullet);
        const double slack = 1e-4 * (s->size + (double)s->radius) + 1e-5;
        if (found ? s->depth < -slack : s->depth > slack)
        {
            fail_msg("seed %llu, shot %u at a %s: %s, the way passes it by %g", (unsigned long long)seed, i,
                     abut_shape_kind_name(s->target.kind), found ? "a hit" : "none", -s->depth);
        }
        if (found)
        {
            assert_true(found->impact.hit && found->other.slot == s->body.slot);
            ++hits;
        }
        if (found && !custom)
        {
            const double gap = gap_at(s, is_2d, &s->target, (double)found->impact.time);
            if (gap < -1e-6 || gap > slack)
            {
                fail_msg("seed %llu, shot %u at a %s: at the impact they are %g apart", (unsigned long long)seed, i,
                         abut_shape_kind_name(s->target.kind), gap);
            }
        }
    }
    abut_world_destroy(world);
    return hits;
}

static void no_bullet_gets_through(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(WORLDS);
    uint32_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        for (int setting = 0; setting < 8; ++setting)
        {
            const bool is_2d = setting & 1, custom = (setting & 2) && !is_2d, sensors = setting & 4;
            hits += shoot_all(8 * seed + (uint64_t)setting, is_2d, custom, sensors);
        }
    }
    print_message("%u bullets hit\n", hits);
    assert_true(seeds.end - seeds.first < WORLDS || hits > 20000);
}

// A bullet through two sensors into a wall, behind which is a third; one sensor it is in from the start.
static void sensors_up_to_the_first_impact_are_reported_in_order(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const float at[] = { 8, 4, 0, 12 };
    abut_body gate[4];
    for (int i = 0; i < 4; ++i)
    {
        const abut_body_def def = { .pose.position.x = at[i],
                                    .motion = ABUT_STATIC,
                                    .collider = { .shape = abut_shape_capsule(0.2f, 2.0f),
                                                  .flags = ABUT_COLLIDER_SENSOR } };
        assert_int_equal(abut_body_create(world, &def, &gate[i]), ABUT_OK);
    }
    const abut_body wall = add(world, abut_shape_obb(0.01f, 3, 3), 10, 0, 0, ABUT_STATIC);
    const abut_body_def def = { .velocity.linear.x = 1000,
                                .flags = ABUT_BODY_CCD,
                                .collider.shape = abut_shape_sphere(0.1f) };
    abut_body bullet;
    assert_int_equal(abut_body_create(world, &def, &bullet), ABUT_OK);
    assert_int_equal(abut_world_detect(world, HORIZON), ABUT_OK);
    const abut_impacts solid = abut_world_impacts(world), sensed = abut_world_sensor_impacts(world);
    assert_true(solid.count == 1 && solid.data[0].other.slot == wall.slot);
    assert_int_equal(sensed.count, 2);
    assert_true(sensed.data[0].other.slot == gate[1].slot && sensed.data[1].other.slot == gate[0].slot);
    assert_true(sensed.data[0].body.slot == bullet.slot && sensed.data[0].impact.time < sensed.data[1].impact.time);
    const abut_events begun = abut_world_events(world, ABUT_SENSOR_BEGIN);
    assert_true(begun.count == 1 && begun.data[0].a.slot == gate[2].slot);
    const uint64_t hash = abut_world_hash(world);
    static _Alignas(8) unsigned char image[1 << 16];
    size_t size;
    assert_int_equal(abut_world_save(world, 0, NULL, image, sizeof image, &size), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_true(abut_world_hash(world) != hash);
    assert_int_equal(abut_world_restore(world, NULL, image, size), ABUT_OK);
    assert_true(abut_world_hash(world) == hash && abut_world_sensor_impacts(world).count == 2);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_sensor_impacts(world).count, 0);
    assert_true(abut_world_hash(world) != hash);
    abut_world_destroy(world);
    assert_int_equal(abut_world_sensor_impacts(NULL).count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_bullet_gets_through),
        cmocka_unit_test(sensors_up_to_the_first_impact_are_reported_in_order),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
