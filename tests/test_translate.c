// A world whose origin is moved: as if every position had been written and marked, with all contacts as they were.
#include "random.h"
#include "recordings.h"
#include "small_world.h"

#include <math.h>

enum
{
    BODIES = 300,
    SLEEPERS = 40 // the last of them
};

typedef struct twin
{
    abut_world *world;
    abut_body body[BODIES];
} twin;

// On a grid of 64ths, so that floats hold sums exactly. Of the last bodies each lies on the one before, asleep.
static abut_body_def random_body(random_source *random, uint32_t i)
{
    const float size = 0.25f + (float)random_below(random, 32) / 64.0f;
    abut_body_def def = { .motion = (abut_motion)random_below(random, 3),
                          .flags = random_chance(random, 0.1) ? (uint32_t)ABUT_BODY_DISABLED : 0u };
    def.pose.position =
        abut_vec3_make((float)random_below(random, 512) / 64.0f, (float)random_below(random, 512) / 64.0f,
                       (float)random_below(random, 512) / 64.0f);
    def.velocity.linear = abut_vec3_make(0.5f, 0, -1.5f);
    def.collider.shape = i % 2 ? abut_shape_sphere(size) : abut_shape_obb(size, 0.5f, size);
    def.collider.local.position.x = i % 5 ? 0.0f : 0.25f;
    if (i >= BODIES - SLEEPERS)
    {
        def.motion = ABUT_DYNAMIC;
        def.flags = ABUT_BODY_ASLEEP;
        def.pose.position = abut_vec3_make(20, (float)(i - (BODIES - SLEEPERS)) * 0.96875f, 20);
        def.collider = (abut_collider_def){ .shape = abut_shape_obb(0.5f, 0.5f, 0.5f) };
    }
    return def;
}

static void open_twins(twin twins[2], uint64_t seed, const abut_world_def *def)
{
    for (uint32_t w = 0; w < 2; ++w)
    {
        random_source random = random_start(seed);
        twins[w].world = open_world(def);
        for (uint32_t i = 0; i < BODIES; ++i)
        {
            const abut_body_def body = random_body(&random, i);
            assert_int_equal(abut_body_create(twins[w].world, &body, &twins[w].body[i]), ABUT_OK);
        }
        for (uint32_t i = 0; i < BODIES - SLEEPERS; i += 7) // slots without a body
        {
            assert_int_equal(abut_body_destroy(twins[w].world, twins[w].body[i]), ABUT_OK);
        }
        detect(twins[w].world);
        detect(twins[w].world);
    }
}

static void write_and_mark(const twin *t, abut_vec3 by)
{
    const abut_bodies bodies = abut_world_bodies(t->world);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        if (abut_body_valid(t->world, t->body[i]))
        {
            abut_vec3 *position = &bodies.poses[t->body[i].slot].position;
            *position = abut_vec3_add(*position, by);
            assert_int_equal(abut_body_mark_moved(t->world, t->body[i]), ABUT_OK);
        }
    }
}

static void every_position_is_written_and_marked(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(6);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        twin twins[2];
        random_source random = random_start(seed);
        open_twins(twins, seed,
                   &(abut_world_def){ .broad = (abut_broad_kind)(seed % ABUT_BROAD_COUNT),
                                      .recycle_distance = seed % 2 ? 0.01f : 0.0f });
        for (uint32_t frame = 0; frame < 12; ++frame)
        {
            // Sums that are rounded, too.
            const abut_vec3 by = abut_vec3_make((float)random_between(&random, -3000, 3000), 0.1f, -512.0f);
            if (frame % 3 == 0)
            {
                assert_int_equal(abut_world_translate(twins[0].world, by), ABUT_OK);
                write_and_mark(&twins[1], by);
            }
            for (uint32_t w = 0; w < 2; ++w)
            {
                assert_int_equal(abut_world_step(twins[w].world, 0.015625f), ABUT_OK);
                expect_sound(twins[w].world);
            }
            assert_true(abut_world_state_hash(twins[0].world) == abut_world_state_hash(twins[1].world));
        }
        abut_world_destroy(twins[0].world);
        abut_world_destroy(twins[1].world);
    }
}

// A copy of the contacts of one set, and their first impulses.
typedef struct listed
{
    abut_contact contact[BODIES * 20];
    float impulse[BODIES * 20];
    uint32_t count;
} listed;

static void list(abut_world *world, abut_contact_set set, listed *out)
{
    const abut_contacts all = abut_world_contacts(world, set);
    out->count = all.count;
    assert_in_range(all.count, 1, COUNT(out->contact));
    for (uint32_t i = 0; i < all.count; ++i)
    {
        out->contact[i] = *abut_contact_at(&all, i);
        out->impulse[i] = abut_impulses_of(&all, abut_contact_at(&all, i))->normal;
    }
}

static void contacts_and_impulses_stay(void **state)
{
    (void)state;
    twin twins[2];
    static listed before[2], after[2];
    open_twins(twins, 7, NULL);
    abut_world *world = twins[0].world;
    for (int set = ABUT_AWAKE; set <= ABUT_ASLEEP; ++set)
    {
        const abut_contacts all = abut_world_contacts(world, (abut_contact_set)set);
        for (uint32_t i = 0; i < all.count; ++i)
        {
            abut_impulses_of(&all, abut_contact_at(&all, i))->normal = 1.0f + (float)i;
        }
        list(world, (abut_contact_set)set, &before[set]);
    }
    assert_int_equal(before[ABUT_ASLEEP].count, SLEEPERS - 1);
    assert_int_equal(abut_world_translate(world, abut_vec3_make(-1024, 512, 0)), ABUT_OK);
    expect(world, before[0].count + before[1].count, 0, 0); // all were looked at once more
    expect(world, before[0].count, 0, 0);
    for (int set = ABUT_AWAKE; set <= ABUT_ASLEEP; ++set)
    {
        list(world, (abut_contact_set)set, &after[set]);
        assert_int_equal(after[set].count, before[set].count);
        for (uint32_t i = 0; i < after[set].count; ++i)
        {
            const abut_contact *a = &before[set].contact[i], *b = &after[set].contact[i];
            assert_true(same_id(a->id, b->id) && a->a.slot == b->a.slot && a->b.slot == b->b.slot);
            assert_int_equal(a->point_count, b->point_count);
            assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
            assert_true(a->separation == b->separation && before[set].impulse[i] == after[set].impulse[i]);
        }
    }
    abut_world_destroy(twins[0].world);
    abut_world_destroy(twins[1].world);
}

static void queries_see_it_after_an_update(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body still = add(world, abut_shape_sphere(1), 0, 0, 0, ABUT_STATIC);
    const abut_ray ray = { { 100, 0, 50 }, { 0, 0, -100 } };
    abut_hit hit;
    detect(world);
    assert_int_equal(abut_world_translate(world, abut_vec3_make(100, 0, 0)), ABUT_OK);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    assert_int_equal(abut_world_ray_closest(world, &ray, NULL, &hit), ABUT_OK);
    assert_true(hit.body.slot == still.slot && hit.fraction == 0.49f);
    abut_world_destroy(world);
}

static void a_translation_past_the_limit_moves_nothing(void **state)
{
    (void)state;
    error_note told = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &told });
    abut_world *flat = open_world(&(abut_world_def){ .dimension = 2 });
    (void)add(world, abut_shape_sphere(1), 1, 2, 3, ABUT_STATIC);
    const abut_body far = add(world, abut_shape_sphere(1), 0.75e8f, 0, 0, ABUT_STATIC);
    (void)add(flat, abut_shape_sphere(1), 1, 2, 0, ABUT_DYNAMIC);
    detect(world);
    const uint64_t before = abut_world_state_hash(world);
    assert_int_equal(abut_world_translate(world, abut_vec3_make(0.5e8f, 0, 0)), ABUT_INVALID_ARGUMENT);
    assert_true(told.times == 1 && told.index == far.slot);
    assert_int_equal(abut_world_translate(world, abut_vec3_make(NAN, 0, 0)), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_translate(world, abut_vec3_make(0, 2e8f, 0)), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_translate(NULL, abut_vec3_make(0, 1, 0)), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_translate(flat, abut_vec3_make(0, 0, 1)), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_translate(flat, abut_vec3_make(5, 1, 0)), ABUT_OK);
    assert_true(abut_world_state_hash(world) == before);
    abut_world_bodies(world).poses[far.slot].position.y = NAN;
    assert_int_equal(abut_world_translate(world, abut_vec3_make(1, 0, 0)), ABUT_INVALID_ARGUMENT);
    abut_world_bodies(world).poses[far.slot].position.y = 0.0f;
    assert_true(abut_world_state_hash(world) == before);
    abut_world_destroy(world);
    abut_world_destroy(flat);
}

static void recordings_have_it(void **state)
{
    (void)state;
    twin twins[2];
    tape t = { .hash_interval = 1 };
    open_twins(twins, 9, NULL);
    abut_recording *recording = tape_record(&t, twins[0].world, 1);
    for (uint32_t frame = 0; frame < 6; ++frame)
    {
        if (frame % 2)
        {
            assert_int_equal(abut_world_translate(twins[0].world, abut_vec3_make(64, -16, 128)), ABUT_OK);
        }
        assert_int_equal(abut_world_step(twins[0].world, 0.015625f), ABUT_OK);
    }
    assert_true(abut_recording_destroy(recording));
    expect_replay(&t, 6, ABUT_BROAD_BVH, ABUT_ISA_SCALAR, 1);
    tape_close(&t);
    abut_world_destroy(twins[0].world);
    abut_world_destroy(twins[1].world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_position_is_written_and_marked),
        cmocka_unit_test(contacts_and_impulses_stay),
        cmocka_unit_test(queries_see_it_after_an_update),
        cmocka_unit_test(a_translation_past_the_limit_moves_nothing),
        cmocka_unit_test(recordings_have_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
