// The nearest colliders of a point or shape: those whose distances, measured one by one, are least; the same on every
// broad phase and instruction set.
#include "observed.h"
#include "ray_crowd.h"

enum
{
    ASKED = 160,
    MOST = 12
};

// The body as the referee sees it.
static ray_solid solid_of(const crowd *c, uint32_t i)
{
    const abut_shape *s = &c->shape[i];
    const abut_quat q = c->pose[i].rotation;
    ray_solid solid = { .kind = s->kind, .centre = ray_widen3(c->pose[i].position), .rotation = { 1, 0, 0, 0 } };
    if (s->kind != ABUT_SPHERE && s->kind != ABUT_AABB)
    {
        solid.rotation = (dquat){ ray_widen(q.w), ray_widen(q.x), ray_widen(q.y), ray_widen(q.z) };
    }
    if (s->kind == ABUT_POLYGON)
    {
        solid.corners = abut_geometry_vertices(s->polygon, &solid.corner);
    }
    else if (s->kind == ABUT_CAPSULE)
    {
        solid.half.x = ray_widen(s->capsule.radius);
        solid.capsule = ray_widen(s->capsule.half_height);
    }
    else if (s->kind == ABUT_SPHERE)
    {
        solid.half.x = ray_widen(s->sphere.radius);
    }
    else
    {
        solid.half = ray_widen3(s->box.half_extents);
        solid.half.z = c->is_2d ? 1e3 : solid.half.z;
    }
    return solid;
}

static double distance_of(const crowd *c, uint32_t i, const abut_placed_shape *asker)
{
    if (asker->shape.kind == ABUT_SPHERE)
    {
        const ray_solid solid = solid_of(c, i);
        return fmax(ray_distance(&solid, ray_widen3(asker->pose.position)) - ray_widen(asker->shape.sphere.radius),
                    0.0);
    }
    float distance;
    assert_int_equal(abut_distance(&asker->shape, &asker->pose, &c->shape[i], &c->pose[i], &distance), ABUT_OK);
    return (double)distance;
}

// What rounding may come to.
static double band_of(double distance)
{
    return 4e-6 + 2e-7 * distance;
}

// Everything an answer must be.
static void judge(const crowd *c, const abut_placed_shape *asker, float most_distance, const abut_near *near,
                  uint32_t count, uint32_t most)
{
    bool told[BODIES] = { false };
    assert_true(count <= most);
    for (uint32_t k = 0; k < count; ++k)
    {
        uint32_t body = 0;
        while (c->body[body].slot != near[k].body.slot)
        {
            ++body;
        }
        const double real = distance_of(c, body, asker), distance = (double)near[k].distance;
        const double band = band_of(distance);
        const dvec3 on = ray_widen3(near[k].on_collider), own = ray_widen3(near[k].on_query);
        const ray_solid solid = solid_of(c, body);
        assert_false(told[body]);
        told[body] = true;
        assert_true(near[k].distance <= most_distance && fabs(real - distance) < band);
        assert_true(k == 0 || near[k - 1].distance < near[k].distance ||
                    (near[k - 1].distance == near[k].distance && near[k - 1].body.slot < near[k].body.slot));
        assert_true(fabs(dvec3_length(dvec3_sub(on, own)) - distance) < band);
        if (distance > band)
        {
            const dvec3 at = dvec3_add(ray_widen3(asker->pose.position), on);
            assert_true(fabs(ray_distance(&solid, at)) < band);
        }
    }
    const double farthest = fmin((double)most_distance, 1e9);
    const double last = count == most && most > 0 ? (double)near[count - 1].distance : farthest;
    for (uint32_t i = 0; i < c->count && most > 0; ++i)
    {
        if (!told[i] && !(distance_of(c, i, asker) > last - band_of(last)))
        {
            fail_msg("body %u is at %g, and %u of %u up to %g were told", i, distance_of(c, i, asker), count, most,
                     last);
        }
    }
}

static abut_placed_shape random_asker(random_source *random, const crowd *c, bool point)
{
    abut_placed_shape asker = { abut_shape_sphere(0.0f), crowd_pose(random, c) };
    const float size = (float)random_scale(random, 0.05, 2.0);
    const uint32_t kind = point ? 3 : random_below(random, c->is_2d ? 1 : 3);
    asker.shape = kind == 0   ? abut_shape_sphere(size)
                  : kind == 1 ? abut_shape_obb(size, 0.5f * size, 0.2f)
                  : kind == 2 ? abut_shape_capsule(size, 0.3f)
                              : asker.shape;
    if (random_chance(random, 0.1)) // from far away
    {
        asker.pose.position.x += 500.0f;
    }
    return asker;
}

static uint64_t ask(const crowd *c, uint64_t seed, uint32_t asked)
{
    random_source random = random_start(seed);
    uint64_t hash = 0;
    for (uint32_t i = 0; i < asked; ++i)
    {
        abut_near near[MOST + 1];
        const bool point = random_chance(&random, 0.5);
        const abut_placed_shape asker = random_asker(&random, c, point);
        const uint32_t most = random_below(&random, 3) ? random_below(&random, MOST + 1) : 1;
        const float most_distance = random_chance(&random, 0.4) ? INFINITY : (float)random_scale(&random, 0.1, 20.0);
        uint32_t count;
        memset(near, 0xa5, sizeof near);
        const abut_status status =
            point ? abut_world_nearest(c->world, &asker.pose.position, most_distance, NULL, near, most, &count)
                  : abut_world_nearest_shape(c->world, &asker, most_distance, NULL, near, most, &count);
        assert_int_equal(status, ABUT_OK);
        assert_int_equal(near[count].child, 0xa5a5a5a5);
        judge(c, &asker, most_distance, near, count, most);
        for (uint32_t k = 0; k < count; ++k)
        {
            OBSERVE(hash, near[k].body.slot);
            OBSERVE(hash, near[k].distance);
            OBSERVE(hash, near[k].on_query);
            OBSERVE(hash, near[k].on_collider);
        }
    }
    return hash;
}

static void the_nearest_are_those_of_least_distance(void **state)
{
    (void)state;
    static crowd c;
    for (uint32_t dimension = 2; dimension <= 3; ++dimension)
    {
        uint64_t first = 0;
        EVERY_BROAD(kind)
        {
            EVERY_ISA(isa)
            {
                const abut_world_def def = { .broad = kind, .isa = isa, .dimension = dimension, .margin = 0.1f };
                crowd_open(&c, 70 + dimension, &def, 400);
                update(c.world);
                (void)ask(&c, isa, ASKED / 8);
                detect(c.world);
                detect(c.world);
                const uint64_t hash = ask(&c, 1, ASKED / 4);
                first = first ? first : hash;
                assert_int_equal(hash, first);
                abut_world_destroy(c.world);
            }
        }
    }
}

static void many_nearest_are_the_single_ones_one_after_the_other(void **state)
{
    (void)state;
    enum
    {
        MANY = 50,
        ROOM = 120
    };
    static crowd c;
    static abut_vec3 points[MANY];
    static abut_placed_shape shapes[MANY];
    static abut_near all[ROOM];
    crowd_open(&c, 3, &(abut_world_def){ 0 }, 400);
    detect(c.world);
    random_source random = random_start(3);
    for (uint32_t i = 0; i < MANY; ++i)
    {
        shapes[i] = random_asker(&random, &c, false);
        points[i] = crowd_pose(&random, &c).position;
    }
    for (uint32_t most = 0; most < 4; ++most)
    {
        for (uint32_t what = 0; what < 2; ++what)
        {
            abut_range ranges[MANY];
            uint64_t total, first = 0;
            const abut_status status =
                what ? abut_world_nearest_shape_many(c.world, shapes, MANY, 2.0f, most, NULL, ranges, all, ROOM, &total)
                     : abut_world_nearest_many(c.world, points, MANY, 2.0f, most, NULL, ranges, all, ROOM, &total);
            assert_int_equal(status, ABUT_OK);
            for (uint32_t i = 0; i < MANY; ++i)
            {
                abut_near near[4];
                uint32_t count;
                const abut_status one =
                    what ? abut_world_nearest_shape(c.world, &shapes[i], 2.0f, NULL, near, most, &count)
                         : abut_world_nearest(c.world, &points[i], 2.0f, NULL, near, most, &count);
                assert_int_equal(one, ABUT_OK);
                assert_true(ranges[i].first == first && ranges[i].count == count);
                for (uint32_t k = 0; k < count && first + k < ROOM; ++k)
                {
                    assert_memory_equal(&all[first + k], &near[k], sizeof *near);
                }
                first += count;
            }
            assert_int_equal(total, first);
        }
    }
    abut_world_destroy(c.world);
}

// From outside of everything: what is no farther than asked for is found, one float nearer it is not.
static void the_distance_that_is_asked_for_counts(void **state)
{
    (void)state;
    static crowd c;
    random_source random = random_start(5);
    crowd_open(&c, 5, &(abut_world_def){ 0 }, 60);
    detect(c.world);
    for (uint32_t i = 0; i < 2000; ++i)
    {
        const abut_placed_shape asker = random_asker(&random, &c, false);
        const double way = pow(10.0, random_between(&random, 0.0, 5.0));
        abut_placed_shape away = asker;
        away.pose.position = abut_vec3_add(asker.pose.position, random_narrow(random_in_box(&random, way)));
        abut_near near, again;
        uint32_t count, one;
        assert_int_equal(abut_world_nearest(c.world, &away.pose.position, INFINITY, NULL, &near, 1, &count), ABUT_OK);
        assert_int_equal(count, 1);
        const abut_vec3 at = away.pose.position;
        assert_int_equal(abut_world_nearest(c.world, &at, near.distance, NULL, &again, 1, &one), ABUT_OK);
        assert_int_equal(one, 1);
        assert_memory_equal(&again, &near, sizeof near);
        if (near.distance > 0.0f)
        {
            const float less = nextafterf(near.distance, 0.0f);
            assert_int_equal(abut_world_nearest(c.world, &at, less, NULL, &again, 1, &one), ABUT_OK);
            assert_int_equal(one, 0);
        }
        assert_int_equal(abut_world_nearest_shape(c.world, &away, INFINITY, NULL, &near, 1, &count), ABUT_OK);
        assert_int_equal(abut_world_nearest_shape(c.world, &away, near.distance, NULL, &again, 1, &one), ABUT_OK);
        assert_true(count == 1 && one == 1);
        assert_memory_equal(&again, &near, sizeof near);
    }
    abut_world_destroy(c.world);
}

// However few there are and however far, tiny and at large coordinates too, all are found: the search ends no sooner.
static void all_are_found_where_fewer_are_there_than_asked_for(void **state)
{
    (void)state;
    random_source random = random_start(11);
    for (uint32_t i = 0; i < 600; ++i)
    {
        abut_world *world = open_world(&(abut_world_def){ .dimension = i % 5 ? 3 : 2 });
        const uint32_t bodies = 1 + random_below(&random, 9);
        const double spread = random_scale(&random, 1e-3, 1e4), from = random_scale(&random, 1e-3, 1e6);
        const dvec3 centre = random_in_box(&random, from);
        for (uint32_t k = 0; k < bodies; ++k)
        {
            const float size = (float)random_scale(&random, 1e-4, 10.0);
            const dvec3 off = random_in_box(&random, spread);
            const abut_motion motion = (abut_motion)random_below(&random, ABUT_MOTION_COUNT);
            add(world, random_chance(&random, 0.5) ? abut_shape_sphere(size) : abut_shape_aabb(size, size, size),
                (float)(centre.x + off.x), (float)(centre.y + off.y), i % 5 ? (float)(centre.z + off.z) : 0.0f, motion);
        }
        update(world);
        for (uint32_t k = 0; k < 4; ++k)
        {
            const dvec3 off = random_in_box(&random, spread * random_scale(&random, 1e-2, 1e2));
            const abut_vec3 at[2] = { { (float)(centre.x + off.x), (float)(centre.y + off.y),
                                        i % 5 ? (float)(centre.z + off.z) : 0.0f },
                                      { (float)off.x, (float)off.y, 0.0f } };
            abut_near near[2 * MOST];
            abut_range range[2];
            uint32_t count;
            uint64_t total;
            const float within = k % 2 ? INFINITY : 1e8f;
            assert_int_equal(abut_world_nearest(world, at, within, NULL, near, MOST, &count), ABUT_OK);
            assert_int_equal(count, bodies);
            assert_int_equal(abut_world_nearest_many(world, at, 2, within, MOST, NULL, range, near, 2 * MOST, &total),
                             ABUT_OK);
            assert_int_equal(total, 2 * bodies);
            const float length = (float)random_scale(&random, 1e-3, 3.0 * spread + 1e-3);
            const abut_placed_shape asker = {
                abut_shape_obb(length, 1e-3f, 1e-3f),
                i % 5 ? (abut_pose){ .position = at[0], .rotation = random_narrow_rotation(random_rotation(&random)) }
                      : abut_pose_2d(at[0].x, at[0].y, 0.7f)
            };
            assert_int_equal(abut_world_nearest_shape(world, &asker, within, NULL, near, MOST, &count), ABUT_OK);
            assert_int_equal(count, bodies);
        }
        abut_world_destroy(world);
    }
}

// Spheres about a point that are no farther from it than each other but for less than bounds tell.
static void what_is_nearly_as_near_is_in_order(void **state)
{
    (void)state;
    random_source random = random_start(12);
    for (uint32_t i = 0; i < 60; ++i)
    {
        abut_world *world = open_world(NULL);
        for (uint32_t k = 0; k < 8; ++k)
        {
            const float way = (k & 1u ? 1.0f : -1.0f) * (2.0f + 0x1p-22f * (float)random_below(&random, 16));
            const float place[3] = { k / 2 == 0 ? way : 0.0f, k / 2 == 1 ? way : 0.0f, k / 2 == 2 ? way : 0.0f };
            add(world, abut_shape_sphere(k < 6 ? 0.5f : 1.0f), k < 6 ? place[0] : 2.0f * way, place[1], place[2],
                ABUT_DYNAMIC);
        }
        update(world);
        const abut_vec3 at[2] = { { 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f } };
        abut_near near[16];
        abut_range range[2];
        uint64_t total;
        const uint32_t most = 1 + i % 8;
        assert_int_equal(abut_world_nearest_many(world, at, 2, INFINITY, most, NULL, range, near, 16, &total), ABUT_OK);
        assert_int_equal(total, 2 * most);
        for (uint32_t k = 1; k < total; ++k)
        {
            const bool later =
                near[k - 1].distance == near[k].distance && near[k - 1].collider.slot < near[k].collider.slot;
            assert_true(k == most || near[k - 1].distance < near[k].distance || later);
        }
        abut_world_destroy(world);
    }
}

static void flags_and_filters_choose_what_is_near(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body here = ball(world, 0), far = ball(world, 9);
    const abut_collider_def part = { .shape = abut_shape_obb(0.5f, 0.5f, 0.5f), .local.position = { 3, 0, 0 } };
    abut_collider collider;
    assert_int_equal(abut_collider_attach(world, here, &part, &collider), ABUT_OK);
    update(world);
    const abut_vec3 origin = { 0.1f, 0, 0 };
    abut_near near[4];
    uint32_t count;
    assert_int_equal(abut_world_nearest(world, &origin, INFINITY, NULL, near, 4, &count), ABUT_OK);
    assert_int_equal(count, 3);
    assert_true(near[0].distance == 0.0f && near[0].body.slot == here.slot && near[1].body.slot == here.slot);
    const abut_query_filter outside = { .flags = ABUT_QUERY_SKIP_INSIDE };
    assert_int_equal(abut_world_nearest(world, &origin, INFINITY, &outside, near, 4, &count), ABUT_OK);
    assert_int_equal(count, 2);
    assert_true(near[0].collider.slot == collider.slot && fabsf(near[0].distance - 2.4f) < 1e-6f);
    const abut_query_filter once = { .flags = ABUT_QUERY_ONE_PER_BODY };
    assert_int_equal(abut_world_nearest(world, &origin, INFINITY, &once, near, 4, &count), ABUT_OK);
    assert_int_equal(count, 2);
    assert_true(near[0].body.slot == here.slot && near[1].body.slot == far.slot);
    const abut_query_filter others = { .ignore = &here, .ignore_count = 1 };
    assert_int_equal(abut_world_nearest(world, &origin, INFINITY, &others, near, 1, &count), ABUT_OK);
    assert_true(count == 1 && near[0].body.slot == far.slot);
    assert_int_equal(abut_world_nearest(world, &origin, 8.0f, &others, near, 1, &count), ABUT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(abut_world_nearest(world, &origin, NAN, NULL, near, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_nearest(world, &origin, -1.0f, NULL, near, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_nearest(world, NULL, 1.0f, NULL, near, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_nearest(world, &origin, 1.0f, NULL, NULL, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_nearest_shape(world, NULL, 1.0f, NULL, near, 1, &count), ABUT_INVALID_ARGUMENT);
    const abut_vec3 wrong = { NAN, 0, 0 };
    assert_int_equal(abut_world_nearest(world, &wrong, 1.0f, NULL, near, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(count, 0);
    abut_world_destroy(world);
    world = open_world(NULL); // an empty one
    assert_int_equal(abut_world_nearest(world, &origin, INFINITY, NULL, near, 4, &count), ABUT_OK);
    assert_int_equal(count, 0);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_are_those_of_least_distance),
        cmocka_unit_test(many_nearest_are_the_single_ones_one_after_the_other),
        cmocka_unit_test(the_distance_that_is_asked_for_counts),
        cmocka_unit_test(all_are_found_where_fewer_are_there_than_asked_for),
        cmocka_unit_test(what_is_nearly_as_near_is_in_order),
        cmocka_unit_test(flags_and_filters_choose_what_is_near),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
