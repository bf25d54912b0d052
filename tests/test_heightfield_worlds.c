// Worlds with heightfields that are updated in place against worlds that get new ones with the same heights: the same
// to the bit, with contacts that are kept, too. Recordings replay, and images go with the heights of their time.
#include "recordings.h"
#include "updated_field.h"
#include "whole_image.h"

#include <abut/query.h>

#include <stdio.h>

enum
{
    BODIES = 40
};

// A world in which a field is updated, and one in which it is replaced; all else is the same.
typedef struct twins
{
    abut_world *world[2];
    abut_body ground[2];
    abut_geometry *field;
    model m;
} twins;

static abut_world_def world_of(random_source *random)
{
    return (abut_world_def){ .margin = random_chance(random, 0.5) ? 0.02f : 0.0f,
                             .recycle_distance = random_chance(random, 0.6) ? 0.05f : 0.0f };
}

static abut_body_def random_body(random_source *random, double side)
{
    const float x = (float)random_between(random, 0.1, 0.6), y = (float)random_between(random, 0.1, 0.6);
    const uint32_t kind = random_below(random, 3);
    abut_body_def def = { .collider.shape = kind == 0   ? abut_shape_sphere(x)
                                            : kind == 1 ? abut_shape_obb(x, y, 0.3f)
                                                        : abut_shape_capsule(0.5f * x, y) };
    def.pose.position = random_narrow(random_in_box(random, side));
    def.pose.position.y = (float)random_between(random, -0.5, 1.0);
    def.pose.rotation = random_narrow_rotation(random_rotation(random));
    def.flags = random_chance(random, 0.4) ? ABUT_BODY_ASLEEP : random_chance(random, 0.1) ? ABUT_BODY_CCD : 0;
    def.velocity.linear = random_narrow(random_in_box(random, 0.5));
    def.collider.flags = random_chance(random, 0.1) ? ABUT_COLLIDER_SENSOR : 0;
    return def;
}

static twins open_twins(random_source *random)
{
    twins t;
    open_model(random, &t.m);
    t.field = made(&t.m);
    abut_geometry *own = made(&t.m);
    const abut_world_def def = world_of(random);
    abut_body_def ground = { .motion = random_chance(random, 0.7) ? ABUT_STATIC : ABUT_KINEMATIC,
                             .velocity.linear = { 0.1f, 0.05f, 0 } };
    for (int i = 0; i < 2; ++i)
    {
        t.world[i] = open_world(&def);
        ground.collider.shape = abut_shape_mesh(i ? own : t.field);
        assert_int_equal(abut_body_create(t.world[i], &ground, &t.ground[i]), ABUT_OK);
    }
    abut_geometry_release(own);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        const abut_body_def body = random_body(random, 6.0);
        abut_body out;
        assert_int_equal(abut_body_create(t.world[0], &body, &out), ABUT_OK);
        assert_int_equal(abut_body_create(t.world[1], &body, &out), ABUT_OK);
    }
    return t;
}

static void close_twins(twins *t)
{
    abut_world_destroy(t->world[0]);
    abut_world_destroy(t->world[1]);
    abut_geometry_release(t->field);
}

static void update_twins(random_source *random, twins *t)
{
    for (uint32_t i = random_below(random, 3); i < 3; ++i)
    {
        update(random, &t->m, t->field);
    }
    abut_geometry *anew = made(&t->m);
    for (int i = 0; i < 2; ++i)
    {
        const abut_shape shape = abut_shape_mesh(i ? anew : t->field);
        const abut_collider collider = first_collider(t->world[i], t->ground[i]);
        assert_int_equal(abut_collider_set_shape(t->world[i], collider, &shape), ABUT_OK);
    }
    abut_geometry_release(anew);
}

static void expect_same_answers(random_source *random, const twins *t)
{
    for (uint32_t k = 0; k < 5; ++k)
    {
        const abut_vec3 from = random_narrow(random_in_box(random, 8.0)),
                        to = random_narrow(random_in_box(random, 8.0));
        const abut_ray ray = { from, abut_vec3_sub(to, from) };
        abut_hit hit[2];
        abut_near near[2];
        uint32_t count[2];
        memset(hit, 0, sizeof hit);
        memset(near, 0, sizeof near);
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(abut_world_ray_closest(t->world[i], &ray, NULL, &hit[i]), ABUT_OK);
            assert_int_equal(abut_world_nearest(t->world[i], &from, 9.0f, NULL, &near[i], 1, &count[i]), ABUT_OK);
        }
        assert_memory_equal(&hit[0].fraction, &hit[1].fraction, sizeof hit[0].fraction);
        assert_int_equal(hit[0].child, hit[1].child);
        assert_int_equal(count[0], count[1]);
        assert_memory_equal(&near[0].distance, &near[1].distance, sizeof near[0].distance);
        assert_int_equal(near[0].child, near[1].child);
    }
}

// Sleeping bodies, bodies that hardly move, and a field that moves or does not.
static void go_on(random_source *random, twins *t, uint64_t seed, uint32_t frames, uint32_t *asleep_contacts)
{
    for (uint32_t frame = 0; frame < frames; ++frame)
    {
        if (random_chance(random, 0.3))
        {
            update_twins(random, t);
        }
        if (random_chance(random, 0.3))
        {
            expect_same_answers(random, t); // before a detect
        }
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(abut_world_step(t->world[i], 0.01f), ABUT_OK);
        }
        if (abut_world_hash(t->world[0]) != abut_world_hash(t->world[1]) ||
            abut_world_state_hash(t->world[0]) != abut_world_state_hash(t->world[1]) ||
            abut_world_results_hash(t->world[0]) != abut_world_results_hash(t->world[1]))
        {
            fail_msg("seed %llu: the worlds differ in frame %u", (unsigned long long)seed, frame);
        }
        expect_same_answers(random, t);
        *asleep_contacts += asleep(t->world[0]);
    }
}

static void worlds_with_updated_fields_are_those_with_new_ones(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100);
    uint32_t contacts = 0, kept = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        twins t = open_twins(&random);
        go_on(&random, &t, seed, 30, &kept);
        expect_sound(t.world[0]);
        contacts += touching(t.world[0]);
        close_twins(&t);
    }
    printf("%u contacts; %u asleep\n", contacts, kept);
    assert_true(!random_seeds_all() || (contacts > 1000 && kept > 1000));
}

// One begins when the field was updated already, and both worlds have it.
static void recordings_learn_of_updates(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(30);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        tape tapes[2] = { { 0 }, { 0 } };
        uint32_t kept = 0;
        twins t = open_twins(&random);
        abut_world *const other = open_world(NULL);
        const abut_body ground = add(other, abut_shape_mesh(t.field), 0, 0, 0, ABUT_STATIC);
        abut_recording *recording[2] = { tape_record(&tapes[0], t.world[0], 7), NULL };
        add(other, abut_shape_sphere(1.0f), 0, 0.5f, 0, ABUT_DYNAMIC);
        go_on(&random, &t, seed, 10, &kept);
        recording[1] = tape_record(&tapes[1], other, 0);
        for (uint32_t i = 0; i < 6; ++i)
        {
            const abut_shape shape = abut_shape_mesh(t.field);
            go_on(&random, &t, seed, 3, &kept);
            assert_int_equal(abut_collider_set_shape(other, first_collider(other, ground), &shape), ABUT_OK);
            assert_int_equal(abut_world_step(other, 0.01f), ABUT_OK);
        }
        assert_true(abut_recording_destroy(recording[0]));
        assert_true(abut_recording_destroy(recording[1]));
        close_twins(&t);
        abut_world_destroy(other);
        expect_replay(&tapes[0], 28, ABUT_BROAD_GRID, ABUT_ISA_SCALAR, 2);
        expect_replay(&tapes[1], 6, ABUT_BROAD_BVH, ABUT_ISA_AUTO, 1);
        tape_close(&tapes[0]);
        tape_close(&tapes[1]);
    }
}

// A hash over some steps.
static uint64_t hash_of_steps(abut_world *world)
{
    uint64_t hash = abut_world_state_hash(world);
    for (uint32_t i = 0; i < 5; ++i)
    {
        assert_int_equal(abut_world_step(world, 0.01f), ABUT_OK);
        hash = hash * 31 + abut_world_hash(world);
    }
    return hash;
}

// An image has no heights: a world that gets the old ones again, and then the image, goes on as it did.
static void images_go_with_the_heights_of_their_time(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        uint32_t kept = 0;
        size_t size;
        twins t = open_twins(&random);
        go_on(&random, &t, seed, 10, &kept);
        const abut_geometry *list[1] = { t.field };
        const abut_registry registry = { list, 1 };
        void *image = image_of(t.world[0], &registry, &size);
        const model before = t.m;
        const abut_heightfield_region whole = { .columns = before.def.columns,
                                                .rows = before.def.rows,
                                                .heights = before.heights,
                                                .cells = before.cells,
                                                .materials = before.materials };
        const uint64_t hash = hash_of_steps(t.world[0]);
        assert_true(hash_of_steps(t.world[1]) == hash);
        go_on(&random, &t, seed, 10, &kept);
        const abut_shape shape = abut_shape_mesh(t.field);
        const abut_collider collider = first_collider(t.world[0], t.ground[0]);
        assert_int_equal(abut_geometry_update_heightfield(t.field, &whole), ABUT_OK);
        assert_int_equal(abut_collider_set_shape(t.world[0], collider, &shape), ABUT_OK);
        assert_int_equal(abut_world_restore(t.world[0], &registry, image, size), ABUT_OK);
        assert_true(hash_of_steps(t.world[0]) == hash);
        expect_sound(t.world[0]);
        free(image);
        close_twins(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_with_updated_fields_are_those_with_new_ones),
        cmocka_unit_test(recordings_learn_of_updates),
        cmocka_unit_test(images_go_with_the_heights_of_their_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
