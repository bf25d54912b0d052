// Memory falls back after a spike: of candidates, manifolds, contacts, events and sensor overlaps.
#include "random.h"
#include "small_world.h"

#include <stdlib.h>

enum
{
    BODIES = 1000,
    PERIOD = 128 // detects between two looks at what was needed
};

// Counts bytes by itself, and refuses while it is told to.
typedef struct heap
{
    uint64_t bytes, refused;
    bool refusing;
} heap;

static void *take(void *context, size_t size, size_t alignment)
{
    heap *h = context;
    if (h->refusing)
    {
        ++h->refused;
        return NULL;
    }
    h->bytes += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void give(void *context, void *block, size_t size, size_t alignment)
{
    heap *h = context;
    (void)alignment;
    h->bytes -= size;
    free(block);
}

// A lattice of balls, one in three of which has a sensor around it.
typedef struct scene
{
    heap heap;
    abut_world *world;
    abut_body body[BODIES];
} scene;

static void open_scene(scene *s, abut_world_def def)
{
    s->heap = (heap){ 0 };
    def.allocator = (abut_allocator){ take, give, &s->heap };
    s->world = open_world(&def);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        const abut_collider_def sensor = { .shape = abut_shape_sphere(0.3f), .flags = ABUT_COLLIDER_SENSOR };
        abut_collider around;
        s->body[i] = add(s->world, abut_shape_sphere(0.25f), 0, 0, 0, ABUT_DYNAMIC);
        if (i % 3 == 0)
        {
            assert_int_equal(abut_collider_attach(s->world, s->body[i], &sensor, &around), ABUT_OK);
        }
    }
}

static void close_scene(scene *s)
{
    abut_world_destroy(s->world);
    assert_true(s->heap.bytes == 0);
}

// Puts the balls so far from each other, and detects so often.
static void run(scene *s, float apart, uint32_t detects)
{
    static abut_pose poses[BODIES];
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        poses[i] = (abut_pose){ .position = { apart * (float)(i % 12), apart * (float)(i / 12 % 12),
                                              apart * (float)(i / 144) },
                                .rotation = { .w = 1 } };
    }
    assert_int_equal(abut_body_set_pose_many(s->world, s->body, BODIES, poses), ABUT_OK);
    for (uint32_t i = 0; i < detects; ++i)
    {
        assert_int_equal(abut_world_detect(s->world, 0.0f), ABUT_OK);
    }
}

static uint64_t contacts_of(const scene *s)
{
    abut_statistics counts;
    abut_world_statistics(s->world, &counts);
    return counts.contacts + counts.overlaps;
}

static void assert_sound(scene *s)
{
    abut_audit audit;
    assert_int_equal(abut_world_audit(s->world, &audit), ABUT_OK);
    assert_null(audit.what);
}

static void fall_back(abut_world_def def)
{
    static scene s, calm;
    open_scene(&s, def);
    open_scene(&calm, def);
    run(&calm, 0.55f, 4);
    assert_sound(&calm); // this takes scratch memory, as it will of the other
    run(&calm, 0.55f, 1);
    run(&s, 0.55f, 2);
    run(&s, 0.12f, 1);
    const uint64_t high = s.heap.bytes, many = contacts_of(&s);
    run(&s, 0.55f, 1);
    assert_true(contacts_of(&s) < many / 20);
    assert_true(s.heap.bytes >= high && high > 3 * calm.heap.bytes);
    for (uint32_t detects = 4; detects < 2 * PERIOD; ++detects)
    {
        assert_int_equal(abut_world_detect(s.world, 0.0f), ABUT_OK);
        if (detects % PERIOD < 3)
        {
            assert_sound(&s);
        }
    }
    run(&s, 0.55f, 2); // the last of which has both buffers of results small
    assert_sound(&s);
    assert_true(s.heap.bytes < calm.heap.bytes + calm.heap.bytes / 4);
    run(&s, 0.12f, 1);
    assert_true(contacts_of(&s) == many);
    assert_sound(&s);
    close_scene(&s);
    close_scene(&calm);
}

static void memory_falls_back_within_two_periods(void **state)
{
    (void)state;
    const uint32_t broads = random_share_of(ABUT_BROAD_COUNT, 2);
    for (uint32_t i = 0; i < broads; ++i)
    {
        fall_back((abut_world_def){ .broad = (abut_broad_kind)(i * ABUT_BROAD_COUNT / broads) });
    }
    fall_back((abut_world_def){ .recycle_distance = 0.01f });
    fall_back((abut_world_def){ .threads = 3, .recycle_distance = 0.01f });
}

// What reserving adds to a world's bytes is the same much later.
static void what_was_reserved_stays(void **state)
{
    (void)state;
    for (int recycles = 0; recycles < 2; ++recycles)
    {
        static scene s, plain;
        const abut_world_def def = { .recycle_distance = recycles ? 0.01f : 0.0f };
        open_scene(&s, def);
        open_scene(&plain, def);
        assert_int_equal(abut_world_reserve(s.world, BODIES, 20000), ABUT_OK);
        run(&s, 0.55f, 4);
        run(&plain, 0.55f, 4);
        const uint64_t reserved = s.heap.bytes - plain.heap.bytes;
        assert_true(reserved > 20000u * 4u * sizeof(abut_point));
        run(&s, 0.55f, 3 * PERIOD);
        run(&plain, 0.55f, 3 * PERIOD);
        assert_true(s.heap.bytes - plain.heap.bytes == reserved);
        close_scene(&s);
        close_scene(&plain);
    }
}

// What moves back and forth needs the same in every period.
static void a_scene_that_goes_on_asks_for_nothing(void **state)
{
    (void)state;
    static scene s;
    abut_statistics before, after;
    open_scene(&s, (abut_world_def){ .recycle_distance = 0.01f });
    for (uint32_t round = 0; round < 60; ++round)
    {
        run(&s, 0.2f, 5);
        run(&s, 0.4f, 5);
        abut_world_statistics(s.world, round < 30 ? &before : &after);
    }
    assert_true(after.contacts > 0 && after.allocations == before.allocations);
    close_scene(&s);
}

static void without_memory_it_falls_back_later(void **state)
{
    (void)state;
    static scene s;
    open_scene(&s, (abut_world_def){ .recycle_distance = 0.01f });
    run(&s, 0.12f, 1);
    run(&s, 0.55f, 3);
    const uint64_t high = s.heap.bytes;
    s.heap.refusing = true;
    run(&s, 0.55f, 3 * PERIOD - 2);
    assert_true(s.heap.refused > 10 && s.heap.bytes == high);
    s.heap.refusing = false;
    assert_sound(&s);
    run(&s, 0.55f, PERIOD);
    assert_true(s.heap.bytes < high / 3);
    assert_sound(&s);
    close_scene(&s);
}

// In the first detect every contact begins. The room of these events is given back, and nothing is asked for then.
static void what_begins_at_first_is_given_back_soon(void **state)
{
    (void)state;
    static scene s;
    abut_statistics first, soon, later;
    open_scene(&s, (abut_world_def){ 0 });
    run(&s, 0.12f, 1);
    abut_world_statistics(s.world, &first);
    assert_true(first.contacts > 20u * BODIES);
    run(&s, 0.12f, 10);
    abut_world_statistics(s.world, &soon);
    assert_true(soon.contacts == first.contacts);
    // there is a second list by then, which takes some of it
    assert_true(soon.bytes + first.contacts * sizeof(abut_event) / 2 < first.bytes);
    run(&s, 0.12f, PERIOD / 2);
    abut_world_statistics(s.world, &later);
    assert_true(later.bytes == soon.bytes && later.allocations == soon.allocations);
    close_scene(&s);
}

// Room is for little more than a large scene needs: contacts, points and impulses in slots, manifolds as they were
// found, two lists and what is sorted.
static void large_arrays_have_little_to_spare(void **state)
{
    (void)state;
    static scene s;
    abut_statistics counts;
    open_scene(&s, (abut_world_def){ 0 });
    run(&s, 0.12f, 12);
    abut_world_statistics(s.world, &counts);
    const uint64_t slot = sizeof(abut_contact) + sizeof(abut_contact_colliders) + 4 * sizeof(abut_impulse) + 1,
                   found = 64 + 16, listed = 2 * 12, sorted = 16 + 5 * 4;
    const uint64_t needed = counts.contacts * (slot + found + listed + sorted) + counts.candidates * (8 + 12);
    assert_true(counts.bytes < 2 * needed);
    close_scene(&s);
}

// Pairs of boxes part, but for a few: the anchors of those move together, and their manifolds go on being reused.
static void anchors_fall_back(void **state)
{
    (void)state;
    enum
    {
        PAIRS = 3000,
        KEPT = 7
    };
    static abut_body upper[PAIRS];
    const abut_world_def def = { .recycle_distance = 0.01f };
    abut_world *world = open_world(&def);
    const abut_shape crate = abut_shape_obb(0.5f, 0.5f, 0.5f);
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        const float x = 2 * (float)(i % 60), z = 2 * (float)(i / 60);
        (void)add(world, crate, x, 0, z, ABUT_DYNAMIC);
        upper[i] = add(world, crate, x, 0.95f, z, ABUT_DYNAMIC);
    }
    abut_statistics many, few;
    for (uint32_t k = 0; k < 3; ++k)
    {
        assert_int_equal(abut_world_detect(world, 0), ABUT_OK);
    }
    abut_world_statistics(world, &many);
    assert_true(many.contacts == PAIRS && many.recycled == PAIRS);
    for (uint32_t i = KEPT; i < PAIRS; ++i)
    {
        assert_int_equal(abut_body_destroy(world, upper[i]), ABUT_OK);
    }
    for (uint32_t k = 0; k < 3 * PERIOD; ++k)
    {
        assert_int_equal(abut_world_detect(world, 0), ABUT_OK);
    }
    abut_world_statistics(world, &few);
    assert_true(few.contacts == KEPT && few.recycled == KEPT);
    assert_true(few.bytes < many.bytes);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_falls_back_within_two_periods),
        cmocka_unit_test(what_was_reserved_stays),
        cmocka_unit_test(a_scene_that_goes_on_asks_for_nothing),
        cmocka_unit_test(without_memory_it_falls_back_later),
        cmocka_unit_test(what_begins_at_first_is_given_back_soon),
        cmocka_unit_test(large_arrays_have_little_to_spare),
        cmocka_unit_test(anchors_fall_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
