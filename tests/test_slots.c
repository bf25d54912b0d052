// Slots and ids of contacts, through random sessions of every kind of call: a contact keeps both as long as it is
// listed, awake or asleep, and with them its impulses; nobody else ever has its id; events name contacts by it. A
// detect that fails changes none of that.
#include "contact_watch.h"
#include "scarce_memory.h"

static void contacts_keep_their_ids_and_impulses_while_they_are_listed(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(16);
    watch sum = { 0 };
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const abut_world_def def = some_def(seed);
        watch *w = watch_open(seed, &def, seed % 2 == 0);
        for (uint64_t done = 0; done < 3 * OPERATIONS; ++done)
        {
            watch_go_on(w, done);
        }
        sum.seen.begun += w->seen.begun;
        sum.seen.ended += w->seen.ended;
        sum.seen.continued += w->seen.continued;
        sum.seen.slept += w->seen.slept;
        sum.seen.woken += w->seen.woken;
        sum.seen.children += w->seen.children;
        sum.seen.impulses += w->seen.impulses;
        watch_close(w);
    }
    print_message("%llu begins, %llu ends, %llu continued, %llu fell asleep, %llu woke, %llu children, %llu impulses\n",
                  (unsigned long long)sum.seen.begun, (unsigned long long)sum.seen.ended,
                  (unsigned long long)sum.seen.continued, (unsigned long long)sum.seen.slept,
                  (unsigned long long)sum.seen.woken, (unsigned long long)sum.seen.children,
                  (unsigned long long)sum.seen.impulses);
    assert_true(!random_seeds_all() || (sum.seen.begun > 5000 && sum.seen.ended > 5000 && sum.seen.slept > 500 &&
                                        sum.seen.woken > 100 && sum.seen.children > 1000 && sum.seen.impulses > 10000));
}

// Fails each request of the detect in turn, until none is left. After each the world is what it was.
static void detect_with_scarce_memory(watch *w, source *memory, float horizon, uint64_t *refused)
{
    const uint64_t before = observed(w->s.world), listed = listed_of(w);
    for (uint64_t site = 0;; ++site, ++*refused)
    {
        fail_after(memory, site);
        const abut_status status = abut_world_detect(w->s.world, horizon);
        fail_after(memory, NEVER);
        if (status == ABUT_OK)
        {
            return;
        }
        assert_int_equal(status, ABUT_OUT_OF_MEMORY);
        DEMAND(w, listed_of(w) == listed, "request %u that failed changed contacts", (unsigned)site);
        DEMAND(w, observed(w->s.world) == before, "request %u that failed changed the world", (unsigned)site);
    }
}

static void refused_detects_change_nothing_and_later_ones_go_on(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(6);
    uint64_t refused = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        source memory = { .first_failed = NEVER };
        abut_world_def def = some_def(seed);
        def.threads = 0;
        watch *plain = watch_open(seed, &def, false);
        def.allocator = (abut_allocator){ lend, take_back, &memory };
        watch *failing = watch_open(seed, &def, false);
        failing->s.world->memory.sparing = seed % 2 == 0;
        for (uint64_t done = 0; done < OPERATIONS; ++done)
        {
            watch_go_on(plain, done);
            watch_go_on(failing, done);
            if (done % OPERATIONS_A_DETECT == OPERATIONS_A_DETECT / 2)
            {
                const float horizon = done % 5 == 0 ? 0.05f : 0.0f;
                assert_int_equal(abut_world_detect(plain->s.world, horizon), ABUT_OK);
                detect_with_scarce_memory(failing, &memory, horizon, &refused);
                count_events(&plain->s);
                count_events(&failing->s);
                look_at_contacts(plain);
                look_at_contacts(failing);
                assert_true(detected(plain) && detected(failing));
            }
            DEMAND(failing, listed_of(plain) == listed_of(failing), "after refused detects the world is another");
        }
        watch_close(plain);
        watch_close(failing);
        assert_true(memory.blocks == 0);
    }
    print_message("%llu detects refused\n", (unsigned long long)refused);
    assert_true(!random_seeds_all() || refused > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_keep_their_ids_and_impulses_while_they_are_listed),
        cmocka_unit_test(refused_detects_change_nothing_and_later_ones_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
