// Rays through worlds: what a loop over all shapes finds, on every broad phase and instruction set, whatever the order
// of the tree; filters and flags.
#include "own_kinds.h"
#include "ray_crowd.h"

static void rays_find_what_a_loop_over_all_shapes_finds(void **state)
{
    (void)state;
    static crowd c;
    for (uint32_t dimension = 2; dimension <= 3; ++dimension)
    {
        EVERY_BROAD(kind)
        {
            EVERY_ISA(isa)
            {
                const abut_world_def def = { .broad = kind, .isa = isa, .dimension = dimension, .margin = 0.1f };
                crowd_open(&c, 5 + dimension, &def, BODIES);
                update(c.world);
                expect_rays(&c, isa, random_share_of(RAYS / 8, 14));
                detect(c.world);
                detect(c.world); // what is quiet is in the static set now
                expect_rays(&c, isa, random_share_of(RAYS / 4, 28));
                abut_world_destroy(c.world);
            }
        }
    }
}

static void worlds_of_any_number_of_bodies_are_searched(void **state)
{
    (void)state;
    static crowd c;
    const uint32_t counts[] = { 0, 1, 2, 7, 8, 9, 63, 64, 65, 73, 511, 513 };
    for (size_t i = 0; i < COUNT(counts); ++i)
    {
        crowd_open(&c, i, &(abut_world_def){ .broad = ABUT_BROAD_BVH }, counts[i]);
        c.count = counts[i] ? counts[i] : 1; // rays aim at something
        c.pose[0] = counts[i] ? c.pose[0] : abut_pose_identity();
        random_source random = random_start(i);
        update(c.world);
        for (uint32_t k = 0; k < 60; ++k)
        {
            const abut_ray ray = crowd_ray(&random, &c);
            c.count = counts[i];
            expect_ray(&c, &ray, NULL, 0, k);
            c.count = counts[i] ? counts[i] : 1;
        }
        abut_world_destroy(c.world);
    }
}

// Everything at one place or along one line: lists longer than a level has room for.
static void a_ray_through_everything_names_everything(void **state)
{
    (void)state;
    enum
    {
        MANY = 6000
    };
    static abut_hit hits[MANY];
    abut_world *world = open_world(NULL);
    for (uint32_t i = 0; i < MANY; ++i)
    {
        add(world, abut_shape_sphere(0.5f), i % 2 ? 0.0f : 0.1f * (float)i, 0, 0, i % 3 ? ABUT_DYNAMIC : ABUT_STATIC);
    }
    update(world); // a detect would find four million contacts
    uint32_t count;
    const abut_ray ray = { { -1, 0.1f, 0 }, { 1000, 0, 0 } };
    assert_int_equal(abut_world_ray_all(world, &ray, NULL, hits, MANY, &count), ABUT_OK);
    assert_int_equal(count, MANY);
    for (uint32_t i = 1; i < MANY; ++i)
    {
        assert_true(hits[i - 1].fraction < hits[i].fraction ||
                    (hits[i - 1].fraction == hits[i].fraction && hits[i - 1].body.slot < hits[i].body.slot));
    }
    assert_int_equal(abut_world_ray_all(world, &ray, NULL, NULL, 0, &count), ABUT_OK);
    assert_int_equal(count, MANY);
    abut_world_destroy(world);
}

static void many_rays_are_the_single_ones_one_after_the_other(void **state)
{
    (void)state;
    static crowd c;
    static abut_ray rays[RAYS];
    static abut_hit closest[RAYS], all[8 * RAYS], one[MOST_HITS];
    static bool any[RAYS];
    static abut_range ranges[RAYS];
    crowd_open(&c, 9, &(abut_world_def){ 0 }, BODIES);
    detect(c.world);
    random_source random = random_start(11);
    for (uint32_t i = 0; i < RAYS; ++i)
    {
        rays[i] = crowd_ray(&random, &c);
    }
    uint64_t total, written = 100;
    assert_int_equal(abut_world_ray_closest_many(c.world, rays, RAYS, NULL, closest), ABUT_OK);
    assert_int_equal(abut_world_ray_any_many(c.world, rays, RAYS, NULL, any), ABUT_OK);
    memset(all, 0xa5, sizeof all);
    assert_int_equal(abut_world_ray_all_many(c.world, rays, RAYS, NULL, ranges, all, written, &total), ABUT_OK);
    assert_true(total > written && all[written].child == 0xa5a5a5a5);
    uint64_t first = 0;
    for (uint32_t i = 0; i < RAYS; ++i)
    {
        abut_hit hit;
        bool is_hit;
        uint32_t count;
        assert_int_equal(abut_world_ray_closest(c.world, &rays[i], NULL, &hit), ABUT_OK);
        assert_memory_equal(&hit, &closest[i], sizeof hit);
        assert_int_equal(abut_world_ray_any(c.world, &rays[i], NULL, &is_hit), ABUT_OK);
        assert_int_equal(is_hit, any[i]);
        assert_int_equal(abut_world_ray_all(c.world, &rays[i], NULL, one, MOST_HITS, &count), ABUT_OK);
        assert_int_equal(ranges[i].first, first);
        assert_int_equal(ranges[i].count, count);
        for (uint32_t k = 0; k < count && first + k < written; ++k)
        {
            assert_memory_equal(&all[first + k], &one[k], sizeof *one);
        }
        first += count;
    }
    assert_int_equal(total, first);
    assert_int_equal(abut_world_ray_closest_many(c.world, NULL, 0, NULL, NULL), ABUT_OK);
    assert_int_equal(abut_world_ray_any_many(c.world, NULL, 0, NULL, NULL), ABUT_OK);
    assert_int_equal(abut_world_ray_all_many(c.world, NULL, 0, NULL, NULL, NULL, 0, &total), ABUT_OK);
    assert_int_equal(total, 0);
    abut_world_destroy(c.world);
}

static void filters_say_what_is_found(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body near = ball(world, -3), middle = ball(world, 0),
                    last = add(world, abut_shape_sphere(0.5f), 3, 0, 0, ABUT_STATIC);
    const abut_filter second = { .category = 2, .mask = 4 };
    assert_int_equal(abut_collider_set_filter(world, first_collider(world, near), &second), ABUT_OK);
    update(world);
    assert_true(hits_body(world, along_x, NULL, near));                              // whatever its mask
    assert_true(hits_body(world, along_x, &(abut_query_filter){ .mask = 2 }, near)); // of every category
    assert_true(hits_body(world, along_x, &(abut_query_filter){ .category = 1 }, middle));
    assert_true(hits_body(world, along_x, &(abut_query_filter){ .category = 4 }, near));
    assert_true(hits_body(world, along_x, &(abut_query_filter){ .category = 5, .mask = 1 }, middle));
    assert_true(hits_body(world, along_x, &(abut_query_filter){ .category = 4, .mask = 2 }, near));
    assert_true(cast(world, along_x, &(abut_query_filter){ .category = 1, .mask = 2 }).fraction == 1.0f);
    assert_int_equal(abut_body_destroy(world, near), ABUT_OK);
    update(world);
    assert_true(hits_body(world, along_x, &(abut_query_filter){ .motions = 1u << ABUT_STATIC }, last));
    assert_true(hits_body(world, along_x, &(abut_query_filter){ .ignore = &middle, .ignore_count = 1 }, last));
    const abut_body both[] = { last, middle };
    assert_true(cast(world, along_x, &(abut_query_filter){ .ignore = both, .ignore_count = 2 }).fraction == 1.0f);
    const abut_body stale = { middle.slot, middle.generation + 256 };
    assert_true(hits_body(world, along_x, &(abut_query_filter){ .ignore = &stale, .ignore_count = 1 }, middle));
    abut_world_destroy(world);
}

static void sensors_are_found_when_asked_for(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body zone = ball(world, -3), crate = ball(world, 0), ghost = ball(world, -6), off = ball(world, -8);
    assert_int_equal(abut_collider_set_flags(world, first_collider(world, zone), ABUT_COLLIDER_SENSOR), ABUT_OK);
    assert_int_equal(abut_collider_set_flags(world, first_collider(world, ghost), ABUT_COLLIDER_COLLIDES_WITH_NOTHING),
                     ABUT_OK);
    assert_int_equal(abut_body_set_enabled(world, off, false), ABUT_OK);
    update(world);
    assert_true(hits_body(world, along_x, NULL, crate));
    assert_true(hits_body(world, along_x, &(abut_query_filter){ .flags = ABUT_QUERY_SENSORS }, zone));
    abut_world_destroy(world);
}

enum
{
    COMPOUNDS = 60,
    PARTS = 3
};

// Bodies of several colliders, each off its body's origin.
typedef struct compounds
{
    abut_world *world;
    random_source random;
    ray_solid solid[COMPOUNDS][PARTS];
    abut_collider collider[COMPOUNDS][PARTS];
} compounds;

// A part of a compound that is turned and at a place.
static void attach_part(compounds *c, uint32_t i, uint32_t k, abut_body body, dvec3 place, dquat turn)
{
    const dvec3 at = ray_widen3(random_narrow(random_in_box(&c->random, 1.0)));
    const dquat spin = random_rotation(&c->random);
    const float size = (float)random_between(&c->random, 0.1, 0.4);
    const uint32_t kind = random_below(&c->random, 4);
    const abut_shape shape = kind == 0   ? abut_shape_sphere(size)
                             : kind == 1 ? abut_shape_obb(size, 0.2f, 0.3f)
                             : kind == 2 ? own_shape(OWN_CAPSULE, size, 0, 0.4f)
                                         : own_shape(OWN_BARE, size, 0, 0.4f);
    const abut_collider_def part = {
        .shape = shape, .local = { .position = random_narrow(at), .rotation = random_narrow_rotation(spin) }
    };
    assert_int_equal(abut_collider_attach(c->world, body, &part, &c->collider[i][k]), ABUT_OK);
    const double d = (double)size;
    c->solid[i][k] =
        (ray_solid){ .kind = kind > 1 ? ABUT_CUSTOM : shape.kind,
                     .centre = dvec3_add(place, dquat_rotate(turn, at)),
                     .rotation = dquat_mul(turn, spin),
                     .half = kind == 1 ? dvec3_make(d, (double)0.2f, (double)0.3f) : dvec3_make(d, 0.0, 0.0),
                     .capsule = kind > 1 ? (double)0.4f : 0.0 };
}

static void open_compounds(compounds *c)
{
    c->world = open_world(NULL);
    c->random = random_start(21);
    for (uint32_t k = 0; k < OWN_KINDS; ++k)
    {
        uint32_t id;
        assert_int_equal(abut_world_register_kind(c->world, &own_kind[k], &id), ABUT_OK);
    }
    for (uint32_t i = 0; i < COMPOUNDS; ++i)
    {
        const dvec3 place = ray_widen3(random_narrow(random_in_box(&c->random, 4.0)));
        const dquat turn = random_rotation(&c->random);
        const abut_body_def def = { .pose = { .position = random_narrow(place),
                                              .rotation = random_narrow_rotation(turn) } };
        abut_body body;
        assert_int_equal(abut_body_create(c->world, &def, &body), ABUT_OK);
        for (uint32_t k = 0; k < PARTS; ++k)
        {
            attach_part(c, i, k, body, place, turn);
        }
    }
    update(c->world);
}

// Whether each part is hit, and where, by its distance.
static void judge_parts(const compounds *c, uint32_t i, const abut_ray *ray, uint32_t flags, const abut_hit *hits,
                        uint32_t count)
{
    const ray_line line = ray_line_of(ray);
    for (uint32_t part = 0; part < COMPOUNDS * PARTS; ++part)
    {
        const ray_solid *s = &c->solid[part / PARTS][part % PARTS];
        abut_ray_hit answer = { .fraction = 1.0f };
        for (uint32_t k = 0; k < count; ++k)
        {
            if (hits[k].collider.slot == c->collider[part / PARTS][part % PARTS].slot)
            {
                answer =
                    (abut_ray_hit){ true, hits[k].fraction, hits[k].offset, hits[k].normal, 0.0f, hits[k].flags, 0 };
            }
        }
        const char *why = ray_judge(s, &line, &answer, flags, 4e-6);
        if (why)
        {
            fail_msg("ray %u, part %u of kind %d: %s; hit %d at %.9g", i, part, (int)s->kind, why, answer.hit,
                     (double)answer.fraction);
        }
    }
}

// With ABUT_QUERY_ONE_PER_BODY a ray finds the first hit of each body.
static void expect_firsts(const compounds *c, const abut_ray *ray, uint32_t flags, const abut_hit *hits, uint32_t count)
{
    static abut_hit firsts[COMPOUNDS];
    const abut_query_filter once = { .flags = flags | ABUT_QUERY_ONE_PER_BODY };
    uint32_t bodies, expected = 0;
    assert_int_equal(abut_world_ray_all(c->world, ray, &once, firsts, COUNT(firsts), &bodies), ABUT_OK);
    for (uint32_t k = 0; k < count; ++k)
    {
        bool seen = false;
        for (uint32_t before = 0; before < k; ++before)
        {
            seen |= hits[before].body.slot == hits[k].body.slot;
        }
        if (!seen)
        {
            assert_true(expected < bodies);
            assert_memory_equal(&firsts[expected++], &hits[k], sizeof *hits);
        }
    }
    assert_int_equal(bodies, expected);
}

static void compounds_and_own_kinds_are_hit_where_distances_say(void **state)
{
    (void)state;
    static compounds c;
    open_compounds(&c);
    const uint32_t rays = random_share_of(3000, 600);
    for (uint32_t i = 0; i < rays; ++i)
    {
        static abut_hit hits[COMPOUNDS * PARTS];
        const uint32_t flags = i % 5 == 0 ? ABUT_QUERY_HOLLOW : i % 5 == 1 ? ABUT_QUERY_SKIP_INSIDE : 0;
        const abut_query_filter filter = { .flags = flags };
        const dvec3 from = random_in_box(&c.random, 5.0), way = random_in_box(&c.random, 8.0);
        const abut_ray ray = { random_narrow(from), random_narrow(way) };
        uint32_t count;
        assert_int_equal(abut_world_ray_all(c.world, &ray, &filter, hits, COUNT(hits), &count), ABUT_OK);
        judge_parts(&c, i, &ray, flags, hits, count);
        expect_firsts(&c, &ray, flags, hits, count);
    }
    abut_world_destroy(c.world);
}

// But for the generations, which tell worlds apart.
static bool is_same_hit(const abut_hit *a, const abut_hit *b)
{
    return a->body.slot == b->body.slot && a->collider.slot == b->collider.slot &&
           memcmp(&a->fraction, &b->fraction, sizeof *a - offsetof(abut_hit, fraction)) == 0;
}

// Into a world much smaller than the way to it, and beyond: segments of what is left of a fraction end, and the answers
// are those of a world without a tree.
static void rays_and_casts_from_afar_are_answered(void **state)
{
    (void)state;
    abut_world *worlds[2] = { open_world(&(abut_world_def){ .broad = ABUT_BROAD_BVH }),
                              open_world(&(abut_world_def){ .broad = ABUT_BROAD_BRUTE }) };
    random_source random = random_start(7);
    for (uint32_t i = 0; i < 300; ++i)
    {
        const dvec3 at = random_in_box(&random, 0.2);
        for (uint32_t w = 0; w < 2; ++w)
        {
            add(worlds[w], abut_shape_sphere(1e-3f), (float)at.x, (float)at.y, (float)at.z,
                i % 2 ? ABUT_STATIC : ABUT_DYNAMIC);
        }
    }
    for (uint32_t w = 0; w < 2; ++w)
    {
        detect(worlds[w]);
        detect(worlds[w]);
    }
    uint32_t hits = 0;
    for (uint32_t i = 0; i < 4000; ++i)
    {
        const double far = random_scale(&random, 0.1, 2e7);
        const dvec3 from = random_in_box(&random, far), to = random_in_box(&random, 0.2);
        const double on = random_chance(&random, 0.3) ? 1.001 : random_between(&random, 1.0, 3.0);
        const abut_ray ray = { random_narrow(from), random_narrow((dvec3){ on * (to.x - from.x), on * (to.y - from.y),
                                                                           on * (to.z - from.z) }) };
        abut_cast cast = { .shape = abut_shape_sphere(1e-2f), .pose = abut_pose_identity() };
        cast.pose.position = ray.origin;
        cast.translation = ray.translation;
        abut_hit one[2], many[2], cast_one[2];
        bool any[2];
        for (uint32_t w = 0; w < 2; ++w)
        {
            const abut_ray twice[2] = { ray, ray };
            abut_hit both[2];
            assert_int_equal(abut_world_ray_closest(worlds[w], &ray, NULL, &one[w]), ABUT_OK);
            assert_int_equal(abut_world_ray_closest_many(worlds[w], twice, 2, NULL, both), ABUT_OK);
            assert_int_equal(abut_world_ray_any(worlds[w], &ray, NULL, &any[w]), ABUT_OK);
            assert_int_equal(abut_world_cast_closest(worlds[w], &cast, NULL, &cast_one[w]), ABUT_OK);
            many[w] = both[1];
        }
        assert_true(any[0] == any[1]);
        assert_memory_equal(&one[0], &many[0], sizeof one[0]);
        assert_memory_equal(&one[1], &many[1], sizeof one[1]);
        assert_true(is_same_hit(&one[0], &one[1]) && is_same_hit(&cast_one[0], &cast_one[1]));
        hits += any[0];
    }
    assert_true(hits > 10);
    abut_world_destroy(worlds[0]);
    abut_world_destroy(worlds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_find_what_a_loop_over_all_shapes_finds),
        cmocka_unit_test(worlds_of_any_number_of_bodies_are_searched),
        cmocka_unit_test(a_ray_through_everything_names_everything),
        cmocka_unit_test(many_rays_are_the_single_ones_one_after_the_other),
        cmocka_unit_test(filters_say_what_is_found),
        cmocka_unit_test(sensors_are_found_when_asked_for),
        cmocka_unit_test(compounds_and_own_kinds_are_hit_where_distances_say),
        cmocka_unit_test(rays_and_casts_from_afar_are_answered),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
