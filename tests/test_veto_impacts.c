// The veto of what bullets are to hit: pairs that no contact is of, because they are beyond the speculative distance.
#include "impact_scene.h"
#include "scarce_memory.h"

#include <string.h>

enum
{
    SCENES = 600,
    FRAMES = 3,
    MOST = BODIES * BODIES
};

#define HORIZON (1.0f / 30.0f)

// Refuses some pairs by their user data, and records what it was asked about.
typedef struct judge
{
    uint64_t rule; // zero: refuses nothing
    uint32_t calls, count;
    abut_new_pair asked[MOST];
} judge;

// The same for a pair in every detect.
static bool refuses(uint64_t rule, uint64_t a, uint64_t b)
{
    return rule != 0 && (rule * (a * b + a + b) >> 40 & 3u) == 0;
}

static void decide(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    judge *j = context;
    ++j->calls;
    assert_true(count > 0 && count <= MOST);
    j->count = count;
    memcpy(j->asked, pairs, count * sizeof *pairs);
    for (uint32_t i = 0; i < count; ++i)
    {
        assert_false(vetoed[i]);
        vetoed[i] = refuses(j->rule, pairs[i].user_data_a, pairs[i].user_data_b);
    }
}

static uint64_t key_of(const abut_new_pair *pair)
{
    return (uint64_t)pair->a.slot << 32 | pair->b.slot;
}

// Contacts first, then what is to be hit, each pair once and in order. Returns the number of hits.
static uint32_t expect_in_order(const judge *j)
{
    uint32_t hits = 0;
    bool asked[BODIES][BODIES] = { { false } };
    for (uint32_t i = 0; i < j->count; ++i)
    {
        bool *const before = &asked[j->asked[i].a.slot][j->asked[i].b.slot];
        assert_false(*before);
        *before = true;
        const abut_new_pair *pair = &j->asked[i];
        const bool hit = pair->time > 0.0f;
        assert_true(pair->a.slot < pair->b.slot);
        assert_true(hit || hits == 0);
        assert_true(i == 0 || (hit && hits == 0) || key_of(&j->asked[i - 1]) < key_of(pair));
        assert_true(!hit || (pair->separation >= 0.0f && fabs(abut_vec3_length(pair->normal) - 1.0f) < 1e-5f));
        hits += hit;
    }
    return hits;
}

// Body 0 is a wall at x = 2, body 1 one behind it, body 2 a bullet that flies from the origin.
static abut_world *open_gallery(judge *j, abut_world_def def, bool wall_last)
{
    abut_world *world;
    abut_body body;
    def.veto = decide;
    def.veto_context = j;
    world = open_world(&def);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const bool bullet = wall_last ? i == 0 : i == 2;
        const float x = i == (wall_last ? 1u : 0u) ? 2.0f : 4.0f;
        const abut_body_def made = {
            .motion = bullet ? ABUT_DYNAMIC : ABUT_STATIC,
            .flags = bullet ? ABUT_BODY_CCD : 0u,
            .pose.position = { bullet ? 0.0f : x, 0, 0 },
            .velocity.linear = { bullet ? 200.0f : 0.0f, 0, 0 },
            .user_data = 10 + i,
            .collider = { .shape = bullet ? abut_shape_sphere(0.05f) : abut_shape_obb(0.1f, 2, 2), .user_data = 20 + i }
        };
        assert_int_equal(abut_body_create(world, &made, &body), ABUT_OK);
    }
    return world;
}

static void what_a_bullet_is_to_hit_is_asked_about(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 4; ++k)
    {
        static judge j;
        const bool last = k % 2 == 1;
        j = (judge){ 0 };
        abut_world *world = open_gallery(
            &j, (abut_world_def){ .speculative_distance = 0.02f, .recycle_distance = k / 2 ? 0.01f : 0.0f }, last);
        for (uint32_t frame = 0; frame < 2; ++frame) // an answer is for one detect
        {
            j.calls = 0;
            const abut_impacts all = impacts(world, HORIZON, 1);
            assert_int_equal(j.calls, 1);
            assert_int_equal(j.count, 2);
            assert_int_equal(expect_in_order(&j), 2);
            const abut_new_pair *pair = &j.asked[0];
            const float towards = last ? 1.0f : -1.0f;
            assert_int_equal(pair->a.slot, 0);
            assert_int_equal(pair->b.slot, last ? 1 : 2);
            assert_int_equal(pair->user_data_a, 10);
            assert_int_equal(pair->user_data_b, last ? 11 : 12);
            assert_int_equal(pair->collider_data_a, 20);
            assert_int_equal(pair->collider_data_b, last ? 21 : 22);
            assert_int_equal(pair->collider_a.slot, first_collider(world, pair->a).slot);
            near(pair->normal.x, towards, 1e-6);
            near(pair->time, 1.85 / 200, 1e-6);
            near(pair->separation, 1.85, 1e-4);
            assert_true(all.data[0].impact.time == pair->time);
            abut_statistics statistics;
            abut_world_statistics(world, &statistics);
            assert_int_equal(statistics.vetoed, 0);
        }
        abut_world_destroy(world);
    }
}

// The wall that is refused is flown through, to the one behind.
static void what_is_refused_is_not_hit(void **state)
{
    (void)state;
    static judge j;
    uint64_t rule = 1; // refuses the first wall and not the second
    while (!refuses(rule, 10, 12) || refuses(rule, 11, 12))
    {
        rule = rule * 6364136223846793005u + 1442695040888963407u;
    }
    j = (judge){ .rule = rule };
    abut_world *world = open_gallery(&j, (abut_world_def){ .speculative_distance = 0.02f }, false);
    for (uint32_t frame = 0; frame < 3; ++frame)
    {
        const abut_impacts all = impacts(world, HORIZON, 1);
        assert_int_equal(all.data[0].other.slot, 1);
        abut_audit audit;
        assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
        assert_null(audit.what);
    }
    j.rule = 0;
    assert_int_equal(impacts(world, HORIZON, 1).data[0].other.slot, 0);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    abut_world_destroy(world);
}

// A bullet that touches a part of what it is to hit with another one is a contact, and vetoed as such: its impact is
// neither asked about nor told.
static void what_is_vetoed_as_it_touches_is_not_asked_about_again(void **state)
{
    (void)state;
    static judge j;
    uint64_t rule = 1;
    while (!refuses(rule, 10, 11))
    {
        rule = rule * 6364136223846793005u + 1442695040888963407u;
    }
    j = (judge){ .rule = rule };
    const abut_placed_shape parts[2] = { { abut_shape_obb(0.2f, 0.2f, 0.2f), abut_pose_identity() },
                                         { abut_shape_obb(0.2f, 2, 2), { .position = { 3, 0, 0 }, .rotation.w = 1 } } };
    abut_geometry *both = NULL;
    assert_int_equal(abut_geometry_create_compound(parts, 2, NULL, &both), ABUT_OK);
    abut_world *world =
        open_world(&(abut_world_def){ .speculative_distance = 0.02f, .veto = decide, .veto_context = &j });
    const abut_body_def made[2] = {
        { .motion = ABUT_STATIC, .user_data = 10, .collider.shape = abut_shape_compound(both) },
        { .flags = ABUT_BODY_CCD,
          .pose.position = { 0.3f, 0, 0 },
          .velocity.linear = { 200, 0, 0 },
          .user_data = 11,
          .collider.shape = abut_shape_sphere(0.3f) }
    };
    abut_body body[2];
    assert_int_equal(abut_body_create_many(world, made, 2, body), ABUT_OK);
    for (uint32_t frame = 0; frame < 3; ++frame)
    {
        j.calls = j.count = 0;
        (void)impacts(world, HORIZON, 0);
        assert_int_equal(j.count, frame == 0 ? 1 : 0); // the answer holds
        assert_true(frame > 0 || j.asked[0].time == 0.0f);
        assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 0);
    }
    abut_world_destroy(world);
    abut_geometry_release(both);
}

// What is within the sweep's tolerance and beyond a very short speculative distance is hit at once: also that has a time.
static void what_is_hit_at_once_has_a_time(void **state)
{
    (void)state;
    static judge j;
    j = (judge){ 0 };
    abut_world *world =
        open_world(&(abut_world_def){ .speculative_distance = 1e-6f, .veto = decide, .veto_context = &j });
    (void)add(world, abut_shape_obb(5, 1, 5), 0, 0, 0, ABUT_STATIC);
    (void)shoot(world, abut_shape_sphere(0.5f), at(0, 1.5f + 5e-6f, 0), at(0, -1e-3f, 0));
    (void)impacts(world, HORIZON, 1);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 0);
    assert_int_equal(j.count, 1);
    assert_true(j.asked[0].time > 0.0f && j.asked[0].time < 1e-30f);
    abut_world_destroy(world);
}

static abut_world *open_judged(scene *s, abut_world_def def, judge *j)
{
    def.veto = decide;
    def.veto_context = j;
    return open_scene(s, &def);
}

// No pair is hit that was refused, nor before the time that was told.
static void expect_obeyed(abut_world *world, const judge *j, const scene *s)
{
    const abut_impacts all = abut_world_impacts(world);
    float told[BODIES][BODIES] = { { 0.0f } };
    for (uint32_t i = 0; i < j->count; ++i)
    {
        told[j->asked[i].a.slot][j->asked[i].b.slot] = j->asked[i].time;
    }
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const uint32_t a = all.data[i].body.slot, b = all.data[i].other.slot;
        assert_true(told[a < b ? a : b][a < b ? b : a] <= 1.000001f * all.data[i].impact.time);
        assert_false(refuses(j->rule, s->def[a < b ? a : b].user_data, s->def[a < b ? b : a].user_data));
    }
}

// Handles of two worlds have generations of their own.
static void expect_same_questions(const judge *a, const judge *b)
{
    assert_int_equal(a->count, b->count);
    for (uint32_t i = 0; i < a->count; ++i)
    {
        const abut_new_pair *own = &a->asked[i], *other = &b->asked[i];
        assert_true(key_of(own) == key_of(other) && own->user_data_a == other->user_data_a &&
                    own->time == other->time && own->separation == other->separation &&
                    memcmp(&own->normal, &other->normal, sizeof own->normal) == 0);
    }
}

// A world that looks all the way is asked about every pair that may be hit as a contact.
static void impacts_are_those_of_a_world_that_asks_about_contacts(void **state)
{
    (void)state;
    static const float distances[3] = { 1e-3f, 0.02f, 0.5f };
    static const abut_broad_kind kinds[3] = { ABUT_BROAD_BVH, ABUT_BROAD_GRID, ABUT_BROAD_BRUTE };
    static judge whole_judge, judges[2];
    const random_seeds seeds = random_seeds_of(SCENES);
    uint64_t found = 0, hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        scene s;
        make(&s, seed);
        for (uint32_t i = 0; i < BODIES; ++i)
        {
            s.def[i].user_data = 100 + i;
            s.def[i].flags |= seed % 4 == 3 ? ABUT_BODY_CCD_ALL * ((s.def[i].flags & ABUT_BODY_CCD) != 0) : 0u;
        }
        whole_judge.rule = judges[0].rule = judges[1].rule = seed * 0x9e3779b97f4a7c15u | 1u;
        const abut_world_def def = { .speculative_distance = distances[seed % 3], .broad = kinds[seed % 3] };
        abut_world_def other = def;
        other.broad = kinds[(seed + 1) % 3];
        other.threads = 2;
        abut_world *whole = open_judged(&s, (abut_world_def){ .broad = ABUT_BROAD_BRUTE }, &whole_judge);
        abut_world *few[2] = { open_judged(&s, def, &judges[0]), open_judged(&s, other, &judges[1]) };
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            judges[0].count = judges[1].count = 0;
            assert_int_equal(abut_world_detect(whole, HORIZON), ABUT_OK);
            assert_int_equal(abut_world_detect(few[0], HORIZON), ABUT_OK);
            assert_int_equal(abut_world_detect(few[1], HORIZON), ABUT_OK);
            expect_same_impacts(whole, few[0]);
            expect_obeyed(few[0], &judges[0], &s);
            assert_true(abut_world_hash(few[0]) == abut_world_hash(few[1]));
            expect_same_questions(&judges[0], &judges[1]);
            hits += expect_in_order(&judges[0]);
            found += abut_world_impacts(few[0]).count;
            assert_int_equal(abut_world_move(whole, HORIZON), ABUT_OK);
            assert_int_equal(abut_world_move(few[0], HORIZON), ABUT_OK);
            assert_int_equal(abut_world_move(few[1], HORIZON), ABUT_OK);
        }
        abut_world_destroy(whole);
        abut_world_destroy(few[0]);
        abut_world_destroy(few[1]);
    }
    assert_true(!random_seeds_all() || (found > 1000 && hits > 1000));
}

// A detect that lacks memory asks again.
static void refused_memory_changes_no_answer(void **state)
{
    (void)state;
    static judge j, calm;
    scene s;
    make(&s, 7);
    j.rule = calm.rule = 0x9e3779b97f4a7c15u;
    source memory = { .first_failed = NEVER, .lasting = true };
    const abut_world_def def = { .speculative_distance = 0.02f };
    abut_world_def scarce = def;
    scarce.allocator = (abut_allocator){ .context = &memory, .allocate = lend, .release = take_back };
    uint32_t failed = 0;
    for (uint64_t granted = 0;; ++granted)
    {
        abut_world *world = open_judged(&s, scarce, &j), *other = open_judged(&s, def, &calm);
        fail_after(&memory, granted);
        const abut_status status = abut_world_detect(world, HORIZON);
        fail_after(&memory, NEVER);
        assert_true(status == ABUT_OK || status == ABUT_OUT_OF_MEMORY);
        failed += status != ABUT_OK;
        assert_int_equal(status == ABUT_OK ? ABUT_OK : abut_world_detect(world, HORIZON), ABUT_OK);
        assert_int_equal(abut_world_detect(other, HORIZON), ABUT_OK);
        expect_same_impacts(world, other);
        assert_true(abut_world_hash(world) == abut_world_hash(other));
        abut_world_destroy(world);
        abut_world_destroy(other);
        if (status == ABUT_OK)
        {
            break;
        }
    }
    assert_true(failed > 10);
    assert_int_equal(memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_bullet_is_to_hit_is_asked_about),
        cmocka_unit_test(what_is_refused_is_not_hit),
        cmocka_unit_test(what_is_vetoed_as_it_touches_is_not_asked_about_again),
        cmocka_unit_test(what_is_hit_at_once_has_a_time),
        cmocka_unit_test(impacts_are_those_of_a_world_that_asks_about_contacts),
        cmocka_unit_test(refused_memory_changes_no_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
