// All impacts of bodies that may go on, and none of vetoed pairs: against sweeps of all pairs.
#include "impact_scene.h"

// Without the padding.
static void same_impact(const abut_impact *a, const abut_impact *b)
{
    assert_true(a->hit == b->hit && a->time == b->time && a->distance == b->distance && a->flags == b->flags);
    assert_memory_equal(&a->normal, &b->normal, sizeof a->normal);
    assert_memory_equal(&a->offset, &b->offset, sizeof a->offset);
}

// Two of three pairs, by the slots of their bodies.
static bool are_vetoed(uint32_t a, uint32_t b)
{
    return a < b ? (5 * a + 7 * b) % 3 != 0 : (5 * b + 7 * a) % 3 != 0;
}

static void veto_two_of_three(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    *(uint32_t *)context += count;
    for (uint32_t i = 0; i < count; ++i)
    {
        vetoed[i] = are_vetoed(pairs[i].a.slot, pairs[i].b.slot);
    }
}

// Every impact of one body with all others, or with those of which it is not vetoed, by the call without a world.
static uint32_t list_impacts(const scene *s, uint32_t body, float horizon, bool vetoes, abut_body_impact *out)
{
    uint32_t count = 0;
    for (uint32_t other = 0; other < BODIES; ++other)
    {
        abut_body_impact found = { .body = s->body[body], .other = s->body[other] };
        const bool meets = s->def[body].motion == ABUT_DYNAMIC || s->def[other].motion == ABUT_DYNAMIC;
        const abut_moving_shape a = moving(&s->def[body]), b = moving(&s->def[other]);
        if (!meets || other == body || (vetoes && are_vetoed(s->body[body].slot, s->body[other].slot)))
        {
            continue;
        }
        assert_int_equal(abut_time_of_impact(&a, &b, horizon, 0.0f, &found.impact), ABUT_OK);
        if (found.impact.hit && !(found.impact.flags & ABUT_IMPACT_INITIAL))
        {
            uint32_t k = count++;
            for (; k > 0 && out[k - 1].impact.time > found.impact.time; --k)
            {
                out[k] = out[k - 1];
            }
            out[k] = found;
        }
    }
    return count;
}

static void a_body_that_may_go_on_has_all_its_impacts_but_those_vetoed(void **state)
{
    (void)state;
    uint32_t found = 0, several = 0, asked = 0;
    const random_seeds seeds = random_seeds_of(80);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        const bool vetoes = seed % 4 >= 2;
        make(&s, seed);
        for (uint32_t i = 0; i < BODIES; ++i)
        {
            s.def[i].flags |= i % 3 ? (uint32_t)ABUT_BODY_CCD_ALL : 0u;
        }
        abut_world *world = open_scene(&s, &(abut_world_def){ .threads = 1u + (uint32_t)seed % 2u,
                                                              .veto = vetoes ? veto_two_of_three : NULL,
                                                              .veto_context = &asked });
        ab_world_set_granularity(world, (ab_granularity){ 8, 0 });
        for (uint64_t i = 0; i <= seed % 3; ++i) // again: the veto is not asked, and its answers last
        {
            assert_int_equal(abut_world_detect(world, 1.0f), ABUT_OK);
        }
        const abut_impacts all = abut_world_impacts(world);
        uint32_t k = 0;
        for (uint32_t i = 0; i < BODIES; ++i)
        {
            abut_body_impact expected[BODIES];
            const bool swept = s.def[i].motion != ABUT_STATIC && (s.def[i].flags & ABUT_BODY_CCD);
            const uint32_t count = swept ? list_impacts(&s, i, 1.0f, vetoes, expected) : 0;
            for (uint32_t m = 0; m < count && (m == 0 || s.def[i].flags & ABUT_BODY_CCD_ALL); ++m, ++k)
            {
                assert_true(k < all.count);
                assert_int_equal(all.data[k].body.slot, s.body[i].slot);
                assert_int_equal(all.data[k].other.slot, expected[m].other.slot);
                same_impact(&all.data[k].impact, &expected[m].impact);
                several += m > 0;
            }
        }
        assert_int_equal(k, all.count);
        found += all.count;
        abut_world_destroy(world);
    }
    print_message("%u impacts, %u of them not the first, %u pairs asked about\n", found, several, asked);
    assert_true((found > 150 && several > 5 && asked > 10000) || !random_seeds_all());
}

// Through a curtain, which it need not stop at, and a trigger behind it, to a wall.
static void a_bullet_goes_through_a_curtain_to_the_wall_behind(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body_def trigger = { .motion = ABUT_STATIC,
                                    .pose.position.x = 15,
                                    .collider = { .shape = abut_shape_aabb(0.5f, 5, 5),
                                                  .flags = ABUT_COLLIDER_SENSOR } };
    abut_body behind;
    const abut_body wall = add(world, abut_shape_aabb(0.001f, 5, 5), 20, 0, 0, ABUT_STATIC);
    const abut_body curtain = add(world, abut_shape_aabb(0.001f, 5, 5), 10, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_body_create(world, &trigger, &behind), ABUT_OK);
    const abut_body bullet = shoot(world, abut_shape_sphere(0.1f), at(0, 0, 0), at(2000, 0, 0));
    bool all_reported = true;
    assert_int_equal(abut_body_ccd_all(world, bullet, &all_reported), ABUT_OK);
    assert_false(all_reported);
    (void)impacts(world, 1.0f / 60, 1);
    assert_int_equal(abut_world_sensor_impacts(world).count, 0);

    assert_int_equal(abut_body_set_ccd_all(world, bullet, true), ABUT_OK);
    assert_int_equal(abut_body_ccd_all(world, bullet, &all_reported), ABUT_OK);
    assert_true(all_reported);
    const abut_impacts all = impacts(world, 1.0f / 60, 2);
    assert_memory_equal(&all.data[0].other, &curtain, sizeof curtain);
    assert_memory_equal(&all.data[1].other, &wall, sizeof wall);
    near((double)all.data[1].impact.time, (20.0 - 0.001 - 0.1) / 2000.0, 1e-7);
    const abut_impacts sensed = abut_world_sensor_impacts(world);
    assert_int_equal(sensed.count, 1);
    assert_memory_equal(&sensed.data->other, &behind, sizeof behind);

    // Without CCD it is not swept.
    assert_int_equal(abut_body_set_ccd(world, bullet, false), ABUT_OK);
    (void)impacts(world, 1.0f / 60, 0);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_body_that_may_go_on_has_all_its_impacts_but_those_vetoed),
        cmocka_unit_test(a_bullet_goes_through_a_curtain_to_the_wall_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
