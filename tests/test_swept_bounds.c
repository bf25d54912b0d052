// Where contacts look ahead by a speculative distance, boxes follow the ways of bodies instead of growing by them in
// every direction: impacts are those of a world without one, and contacts those within it.
#include "impact_scene.h"

enum
{
    SCENES = 600,
    FRAMES = 3
};

#define HORIZON (1.0f / 30.0f)

// Some colliders are away from their body's position: rotation moves them.
static void move_colliders(scene *s, random_source *random)
{
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        if (random_below(random, 3) == 0)
        {
            s->def[i].collider.local = abut_pose_identity();
            s->def[i].collider.local.position = random_narrow(random_in_box(random, 1.5));
        }
    }
}

// Contacts that the margin has, of two worlds. Which axis named them before may differ.
static void expect_same_contacts(abut_world *world, abut_world *other)
{
    const abut_contacts a = abut_world_contacts(world, ABUT_AWAKE), b = abut_world_contacts(other, ABUT_AWAKE);
    uint32_t k = 0;
    for (uint32_t i = 0; i < a.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&a, i);
        if ((c->flags & ABUT_CONTACT_SPECULATIVE) != 0)
        {
            continue;
        }
        for (; k < b.count && (abut_contact_at(&b, k)->flags & ABUT_CONTACT_SPECULATIVE) != 0; ++k)
        {
        }
        assert_true(k < b.count);
        const abut_contact *d = abut_contact_at(&b, k++);
        assert_true(c->a.slot == d->a.slot && c->b.slot == d->b.slot);
    }
}

static void impacts_are_those_of_a_world_that_looks_all_the_way(void **state)
{
    (void)state;
    static const float distances[3] = { 1e-3f, 0.02f, 0.5f }, margins[2] = { 0.0f, 0.05f };
    static const abut_broad_kind kinds[3] = { ABUT_BROAD_BVH, ABUT_BROAD_GRID, ABUT_BROAD_BRUTE };
    const random_seeds seeds = random_seeds_of(SCENES);
    uint64_t found = 0, candidates = 0, all = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        random_source random = random_start(seed);
        move_colliders(&s, &random);
        const float margin = margins[seed % 2];
        abut_world *whole = open_scene(&s, &(abut_world_def){ .broad = ABUT_BROAD_BRUTE, .margin = margin });
        abut_world *few = open_scene(&s, &(abut_world_def){ .broad = kinds[seed % 3],
                                                            .speculative_distance = distances[seed / 3 % 3],
                                                            .margin = margin });
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            abut_statistics own, wide;
            assert_int_equal(abut_world_detect(whole, HORIZON), ABUT_OK);
            assert_int_equal(abut_world_detect(few, HORIZON), ABUT_OK);
            expect_same_impacts(whole, few);
            expect_same_contacts(whole, few);
            abut_world_statistics(few, &own);
            abut_world_statistics(whole, &wide);
            found += abut_world_impacts(few).count;
            candidates += own.candidates;
            all += wide.candidates;
            assert_int_equal(abut_world_move(whole, HORIZON), ABUT_OK);
            assert_int_equal(abut_world_move(few, HORIZON), ABUT_OK);
        }
        abut_world_destroy(whole);
        abut_world_destroy(few);
    }
    assert_true(!random_seeds_all() || (found > 1000 && 4 * candidates < 3 * all));
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(impacts_are_those_of_a_world_that_looks_all_the_way) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
