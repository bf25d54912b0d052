// Crowds in worlds that keep manifolds of pairs that hardly moved: what they say is held against a world that computes
// everything, within the tolerance they were given, and against themselves on every instruction set, broad phase and
// number of threads.
#include "small_world.h"
#include "trembling_crowd.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum
{
    SEEDS = 60
};

static uint64_t pair_of(const abut_contacts *all, const abut_contact *contact)
{
    const abut_contact_colliders own = abut_colliders_of(all, contact);
    return (uint64_t)own.a.slot << 32 | own.b.slot;
}

// What the separations of a pair computed in both worlds may differ by: nothing, but where an axis persisted in one of
// them, which looked at it when the other did not.
static float difference_of_axes(const abut_contact *one, const abut_contact *other)
{
    const bool same = memcmp(&one->normal, &other->normal, sizeof one->normal) == 0;
    return same ? 0.0f : 0.001f; // the preference for faces, of half extents up to 1
}

// What touches in the exact world is listed in the other; what is not exact is marked; separations agree.
static void compare(crowd *exact, crowd *kept, abut_contact_set set, uint64_t seed, uint32_t frame)
{
    const abut_contacts x = abut_world_contacts(exact->world, set), y = abut_world_contacts(kept->world, set);
    uint32_t at = 0;
    for (uint32_t i = 0; i < y.count; ++i)
    {
        const abut_contact *one = at < x.count ? abut_contact_at(&x, at) : NULL, *other = abut_contact_at(&y, i);
        const bool same = one && pair_of(&x, one) == pair_of(&y, other);
        const bool marked = (other->flags & ABUT_CONTACT_RECYCLED) != 0;
        const bool apart_there = (other->flags & ABUT_CONTACT_SPECULATIVE) != 0;
        DEMAND(same || marked || apart_there, "a pair that was computed anew touches in one world only");
        if (same)
        {
            const float apart = fabsf(one->separation - other->separation);
            DEMAND(apart <= (marked ? 2.0f * TOLERANCE + 0.02f : difference_of_axes(one, other)),
                   "separations differ by %g", (double)apart);
            ++at;
        }
    }
    DEMAND(at == x.count, "a pair that touches was lost");
}

static void crowds_touch_as_in_an_exact_world(void **state)
{
    (void)state;
    uint64_t kept_in_all = 0, contacts = 0;
    const random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        crowd *exact = crowd_take(seed, (abut_world_def){ 0 });
        crowd *kept = crowd_take(seed, (abut_world_def){ .recycle_distance = TOLERANCE });
        int64_t alive = 0;
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            frame_of(exact, seed, frame, true);
            frame_of(kept, seed, frame, true);
            abut_audit audit;
            DEMAND(abut_world_audit(kept->world, &audit) == ABUT_OK && !audit.what, "%s", audit.what);
            compare(exact, kept, ABUT_AWAKE, seed, frame);
            abut_statistics statistics;
            abut_world_statistics(kept->world, &statistics);
            alive += (int64_t)statistics.begun - (int64_t)statistics.ended;
            DEMAND(alive == (int64_t)(statistics.contacts - statistics.speculative + statistics.asleep),
                   "what began is not what ended and what is alive");
            kept_in_all += statistics.recycled;
            contacts += statistics.contacts;
        }
        crowd_give(exact);
        crowd_give(kept);
    }
    print_message("%llu of %llu contacts were kept\n", (unsigned long long)kept_in_all, (unsigned long long)contacts);
    assert_true(kept_in_all > contacts / 5); // more than half have a sphere
}

static void every_broad_phase_instruction_set_and_number_of_threads_keeps_the_same(void **state)
{
    (void)state;
    uint64_t hashes[FRAMES] = { 0 };
    const random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        bool first = true;
        for (int broad = ABUT_BROAD_AUTO + 1; broad < ABUT_BROAD_COUNT; ++broad)
        {
            for (int isa = ABUT_ISA_AUTO + 1; isa < ABUT_ISA_COUNT; ++isa)
            {
                if (!abut_isa_available((abut_isa)isa))
                {
                    continue;
                }
                const bool cut = isa % 2 == 1; // into small pieces, for two threads
                crowd *c = crowd_take(seed, (abut_world_def){ .broad = (abut_broad_kind)broad,
                                                              .isa = (abut_isa)isa,
                                                              .threads = cut ? 2u : 0u,
                                                              .recycle_distance = TOLERANCE });
                ab_world_set_granularity(c->world, cut ? (ab_granularity){ 7, 0 } : AB_GRANULARITY_DEFAULT);
                for (uint32_t frame = 0; frame < FRAMES; ++frame)
                {
                    c->mishaps = first ? 0.0 : 0.01;
                    frame_of(c, seed, frame, true);
                    const uint64_t hash = abut_world_hash(c->world);
                    DEMAND(first || hash == hashes[frame], "the hash is another (broad phase %s, %s)",
                           abut_broad_name((abut_broad_kind)broad), abut_isa_name((abut_isa)isa));
                    hashes[frame] = hash;
                }
                first = false;
                crowd_give(c);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crowds_touch_as_in_an_exact_world),
        cmocka_unit_test(every_broad_phase_instruction_set_and_number_of_threads_keeps_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
