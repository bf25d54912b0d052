// Memory that runs out. A session of every call that changes a world is run again and again, with one more of its
// requests for memory failing each time: once, or from there on until the call is tried again. A failed call has
// changed nothing that a caller can see and succeeds when there is memory again, and the session ends in the same
// world; nothing stays behind.
#include "scarce_session.h"

// Every one, or every so manieth as ABUT_SITES says.
static uint64_t sites_apart(void)
{
    const char *text = getenv("ABUT_SITES");
    return text ? strtoull(text, NULL, 10) : 1;
}

static void failed_requests_show_in_the_status_only(course c)
{
    session s;
    const uint64_t end = run(&s, &c, NEVER), sites = s.memory.asked;
    uint64_t vetoes = 0;
    for (uint64_t site = 0; site < sites; site += sites_apart())
    {
        if (run(&s, &c, site) != end)
        {
            fail_msg("%s: another end after request %llu failed", abut_broad_name(c.broad), (unsigned long long)site);
        }
        assert_true(s.memory.failed > 0);
        assert_true(s.vetoes + s.forgone > 0 && (c.lasting || s.vetoes + s.forgone == 1));
        vetoes += s.vetoes;
    }
    print_message("%s, %s%s: %llu requests failed, %llu calls\n", abut_broad_name(c.broad),
                  c.lasting ? "lasting" : "one at a time", c.sparing ? ", sparing" : "", (unsigned long long)sites,
                  (unsigned long long)vetoes);
    assert_true(sites > 100);
}

static void one_failed_request_loses_nothing_brute(void **state)
{
    (void)state;
    failed_requests_show_in_the_status_only((course){ .broad = ABUT_BROAD_BRUTE });
}

static void one_failed_request_loses_nothing_bvh(void **state)
{
    (void)state;
    failed_requests_show_in_the_status_only((course){ .broad = ABUT_BROAD_BVH });
}

static void one_failed_request_loses_nothing_grid(void **state)
{
    (void)state;
    failed_requests_show_in_the_status_only((course){ .broad = ABUT_BROAD_GRID });
}

static void a_shortage_in_2d_loses_nothing(void **state)
{
    (void)state;
    failed_requests_show_in_the_status_only((course){ .broad = ABUT_BROAD_BVH, .is_2d = true });
    failed_requests_show_in_the_status_only((course){ .broad = ABUT_BROAD_BRUTE, .lasting = true, .is_2d = true });
}

static void a_lasting_shortage_loses_nothing_brute(void **state)
{
    (void)state;
    failed_requests_show_in_the_status_only((course){ .broad = ABUT_BROAD_BRUTE, .lasting = true });
}

static void a_lasting_shortage_loses_nothing_bvh(void **state)
{
    (void)state;
    failed_requests_show_in_the_status_only((course){ .broad = ABUT_BROAD_BVH, .lasting = true });
}

static void a_world_without_room_to_spare_loses_nothing(void **state)
{
    (void)state;
    failed_requests_show_in_the_status_only((course){ .broad = ABUT_BROAD_BVH, .sparing = true });
    failed_requests_show_in_the_status_only((course){ .broad = ABUT_BROAD_GRID, .sparing = true });
}

// Detects of many bodies at once, whose scratch is more than one block: a lattice falls asleep, and some of it wakes.
static uint64_t run_lattice(session *s, uint64_t site)
{
    enum
    {
        SIDE = 9,
        COUNT = SIDE * SIDE * SIDE
    };
    static abut_body_def defs[COUNT];
    static abut_body bodies[COUNT];
    *s = (session){ .memory = { .first_failed = NEVER, .lasting = true } };
    const abut_world_def def = { .allocator = { lend, take_back, &s->memory }, .veto = veto };
    assert_int_equal(abut_world_create(&def, &s->world), ABUT_OK);
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        const abut_vec3 place = { (float)(i % SIDE), (float)(i / SIDE % SIDE), (float)(i / SIDE / SIDE) };
        defs[i] = (abut_body_def){ .pose.position = abut_vec3_scale(place, 0.95f),
                                   .collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f),
                                   .collider.flags = i % 5 ? 0 : ABUT_COLLIDER_SENSOR };
    }
    TRY(s, abut_body_create_many(s->world, defs, COUNT, bodies));
    s->memory.first_failed = site == NEVER ? NEVER : s->memory.asked + site;
    TRY(s, abut_world_detect(s->world, 0.0f));
    TRY(s, abut_body_set_awake_many(s->world, bodies, COUNT, false));
    for (uint32_t number = 0; number < 3; ++number)
    {
        TRY(s, abut_world_detect(s->world, 0.0f));
    }
    TRY(s, abut_body_set_awake_many(s->world, bodies, COUNT / 2, true));
    TRY(s, abut_world_detect(s->world, 0.1f));
    TRY(s, abut_body_destroy_many(s->world, bodies, COUNT / 3));
    TRY(s, abut_world_step(s->world, 0.01f));
    const uint64_t end = abut_world_hash(s->world);
    abut_world_destroy(s->world);
    assert_true(s->memory.blocks == 0 && s->memory.bytes == 0);
    return end;
}

static void a_shortage_in_a_crowd_loses_nothing(void **state)
{
    (void)state;
    session s;
    const uint64_t end = run_lattice(&s, NEVER);
    uint64_t site = 0;
    do
    {
        assert_true(run_lattice(&s, site) == end);
        site += sites_apart();
    } while (s.vetoes > 0);
    assert_true(s.memory.failed == 0);
    print_message("lattice: %llu requests failed\n", (unsigned long long)(site - sites_apart()));
}

// The broad phase is no part of what a caller sees, but for the name of it.
static void all_broad_phases_end_alike(void **state)
{
    (void)state;
    uint64_t hash[ABUT_BROAD_COUNT];
    for (uint32_t i = 0; i < ABUT_BROAD_COUNT; ++i)
    {
        session s = { .memory.first_failed = NEVER, .random = random_start(7), .broad = (abut_broad_kind)i };
        const abut_world_def def = { .margin = 0.01f, .broad = s.broad };
        assert_int_equal(abut_world_create(&def, &s.world), ABUT_OK);
        populate(&s);
        for (uint32_t number = 0; number < FRAMES; ++number)
        {
            frame(&s, number);
        }
        hash[i] = abut_world_hash(s.world);
        abut_world_destroy(s.world);
        assert_true(hash[i] == hash[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_failed_request_loses_nothing_brute),
        cmocka_unit_test(one_failed_request_loses_nothing_bvh),
        cmocka_unit_test(one_failed_request_loses_nothing_grid),
        cmocka_unit_test(a_lasting_shortage_loses_nothing_brute),
        cmocka_unit_test(a_lasting_shortage_loses_nothing_bvh),
        cmocka_unit_test(a_world_without_room_to_spare_loses_nothing),
        cmocka_unit_test(a_shortage_in_a_crowd_loses_nothing),
        cmocka_unit_test(a_shortage_in_2d_loses_nothing),
        cmocka_unit_test(all_broad_phases_end_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
