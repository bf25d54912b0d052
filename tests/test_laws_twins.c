// Laws that compare worlds: two that were given the same calls, or nearly the same, and must agree.
#include "random_lineup.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    FRAMES = 40,
    SEEDS = 120
};

static crowd *crowd_take(void)
{
    crowd *c = malloc(sizeof *c);
    assert_non_null(c);
    return c;
}

static void frame_of(crowd *c, uint64_t seed, uint32_t frame)
{
    double dt;
    double horizon = crowd_frame(c, &dt);
    DEMAND(!c->broken && horizon >= 0.0, "a call failed, or a failed call changed the hash");
    crowd_bury(c);
}

// What happens after the frame's detect in one of two worlds; NULL: nothing.
typedef void tampering(crowd *c, uint64_t seed, uint32_t frame);

// Runs the seed's script in a world of this definition and records or compares the hash after each frame. Returns how
// often an allocation failed.
static uint32_t run(uint64_t seed, abut_world_def def, double mishaps, tampering *tamper, uint64_t hashes[FRAMES],
                    bool compare)
{
    crowd *c = crowd_take();
    assert_int_equal(crowd_open(c, seed, def), ABUT_OK);
    c->mishaps = mishaps;
    for (uint32_t frame = 0; frame < FRAMES; ++frame)
    {
        frame_of(c, seed, frame);
        uint64_t hash = abut_world_hash(c->world);
        DEMAND(!compare || hash == hashes[frame], "the hash is another (broad phase %s, %s)",
               abut_broad_name(def.broad), abut_isa_name(def.isa));
        hashes[frame] = hash;
        if (tamper)
        {
            tamper(c, seed, frame);
            DEMAND(abut_world_hash(c->world) == hash, "the hash has changed");
        }
    }
    uint32_t vetoes = c->memory.vetoes;
    abut_world_destroy(c->world);
    free(c);
    return vetoes;
}

static void every_broad_phase_and_instruction_set_gives_the_same_bits(void **state)
{
    (void)state;
    random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        uint64_t hashes[FRAMES];
        (void)run(seed, (abut_world_def){ .isa = ABUT_ISA_SCALAR, .broad = ABUT_BROAD_BRUTE }, 0.0, NULL, hashes,
                  false);
        for (int isa = ABUT_ISA_AUTO; isa < ABUT_ISA_COUNT; ++isa)
        {
            for (int broad = ABUT_BROAD_AUTO; broad < ABUT_BROAD_COUNT; ++broad)
            {
                if (abut_isa_available((abut_isa)isa))
                {
                    abut_world_def def = { .isa = (abut_isa)isa, .broad = (abut_broad_kind)broad };
                    (void)run(seed, def, 0.0, NULL, hashes, true);
                }
            }
        }
    }
}

static void change_broad(crowd *c, uint64_t seed, uint32_t frame)
{
    const abut_broad_kind kind = (abut_broad_kind)random_below(&c->mishap, ABUT_BROAD_COUNT);
    if (random_chance(&c->mishap, 0.4))
    {
        DEMAND(abut_world_set_broad(c->world, kind) == ABUT_OK, "the change to %s failed", abut_broad_name(kind));
        DEMAND(abut_world_broad(c->world) == kind, "it is not %s that runs now", abut_broad_name(kind));
    }
}

static void changing_the_broad_phase_while_it_runs_changes_nothing_else(void **state)
{
    (void)state;
    random_seeds seeds = random_seeds_of(4 * SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        uint64_t hashes[FRAMES];
        abut_world_def def = { .broad = (abut_broad_kind)(seed % ABUT_BROAD_COUNT) };
        (void)run(seed, (abut_world_def){ .broad = ABUT_BROAD_BRUTE }, 0.0, NULL, hashes, false);
        (void)run(seed, def, 0.0, change_broad, hashes, true);
    }
}

static void a_failed_allocation_changes_nothing(void **state)
{
    (void)state;
    uint32_t vetoes = 0;
    random_seeds seeds = random_seeds_of(2 * SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        uint64_t hashes[FRAMES];
        abut_world_def def = { .broad = (abut_broad_kind)(seed % ABUT_BROAD_COUNT), .body_capacity = 1 };
        (void)run(seed, def, 0.0, NULL, hashes, false);
        vetoes += run(seed, def, 0.5, NULL, hashes, true);
    }
    assert_true(!random_seeds_all() || vetoes > 10 * SEEDS);
}

// Expects one error, of any status.
#define FAILS(call) DEMAND((call) != ABUT_OK, "%s did not fail", #call)

static void fail_handles(crowd *c, uint64_t seed, uint32_t frame)
{
    crowd_body *some = crowd_some(c);
    abut_body bad[3] = { { 0, 0 }, { 1u << 30, 77 }, { 0, 0 } };
    bad[2] = some ? (abut_body){ some->handle.slot, some->handle.generation ^ 0x100u } : bad[0];
    abut_body body = bad[random_below(&c->mishap, 3)];
    abut_collider none = { body.slot, 0 };
    if (some && some->colliders)
    {
        none = (abut_collider){ some->collider[0].handle.slot, some->collider[0].handle.generation ^ 0x100u };
    }
    abut_pose pose = abut_pose_identity();
    abut_velocity velocity = { { 1, 1, 1 }, { 1, 1, 1 } };
    abut_shape shape = abut_shape_sphere(1);
    abut_filter filter = { 1, 1, 1 };
    abut_collider_def def = { .shape = shape };
    abut_body pair[2] = { some ? some->handle : body, body };
    abut_pose poses[2] = { pose, pose };
    abut_velocity velocities[2] = { velocity, velocity };
    abut_collider out;
    FAILS(abut_body_destroy(c->world, body));
    FAILS(abut_body_destroy_many(c->world, pair, 2));
    FAILS(abut_body_set_pose(c->world, body, &pose));
    FAILS(abut_body_set_pose_many(c->world, pair, 2, poses));
    FAILS(abut_body_set_velocity(c->world, body, &velocity));
    FAILS(abut_body_set_velocity_many(c->world, pair, 2, velocities));
    FAILS(abut_body_set_motion(c->world, body, ABUT_STATIC));
    FAILS(abut_body_set_enabled(c->world, body, false));
    FAILS(abut_body_set_awake(c->world, body, false));
    FAILS(abut_body_set_awake_many(c->world, pair, 2, false));
    FAILS(abut_body_set_user_data(c->world, body, 1));
    FAILS(abut_body_mark_moved(c->world, body));
    FAILS(abut_collider_attach(c->world, body, &def, &out));
    FAILS(abut_collider_detach(c->world, none));
    FAILS(abut_collider_set(c->world, none, &def));
    FAILS(abut_collider_set_shape(c->world, none, &shape));
    FAILS(abut_collider_set_local(c->world, none, &pose));
    FAILS(abut_collider_set_filter(c->world, none, &filter));
    FAILS(abut_collider_set_flags(c->world, none, 0));
    FAILS(abut_collider_set_user_data(c->world, none, 1));
    pair[1] = pair[0];
    FAILS(abut_body_destroy_many(c->world, pair, 2));
}

static void fail_values(crowd *c, uint64_t seed, uint32_t frame)
{
    crowd_body *some = crowd_some(c);
    if (!some)
    {
        return;
    }
    const float wrong[] = { NAN, INFINITY, 2.0f * ABUT_MAX_MAGNITUDE };
    float bad = wrong[random_below(&c->mishap, 3)];
    abut_pose lost = abut_pose_identity(), unturned = lost;
    lost.position.y = bad;
    unturned.rotation.w = 0.0f;
    abut_velocity wild = { { 0, 0, bad }, { 0, 0, 0 } }, whirl = { { 0, 0, 0 }, { bad, 0, 0 } };
    abut_body bodies[2];
    abut_body_def defs[2] = { { .collider.shape = abut_shape_sphere(1) },
                              { .collider.shape = abut_shape_sphere(bad) } };
    FAILS(abut_body_create_many(c->world, defs, 2, bodies));
    FAILS(abut_body_create(c->world, &defs[1], bodies));
    defs[1] = (abut_body_def){ .pose = lost };
    FAILS(abut_body_create_many(c->world, defs, 2, bodies));
    defs[1] = (abut_body_def){ .velocity = whirl };
    FAILS(abut_body_create_many(c->world, defs, 2, bodies));
    defs[1] = (abut_body_def){ .motion = ABUT_MOTION_COUNT };
    FAILS(abut_body_create(c->world, &defs[1], bodies));
    FAILS(abut_body_set_pose(c->world, some->handle, &lost));
    FAILS(abut_body_set_pose(c->world, some->handle, &unturned));
    FAILS(abut_body_set_velocity(c->world, some->handle, &wild));
    FAILS(abut_body_set_motion(c->world, some->handle, (abut_motion)17));
    FAILS(abut_world_set_collides(c->world, ABUT_STATIC, ABUT_MOTION_COUNT, true));
    FAILS(abut_world_step(c->world, NAN));
    FAILS(abut_world_move(c->world, INFINITY));
    FAILS(abut_world_detect(c->world, -1.0f));
    FAILS(abut_world_detect(c->world, NAN));
    abut_collider_def def = { .shape = abut_shape_aabb(1, bad, 1) };
    abut_collider out;
    FAILS(abut_collider_attach(c->world, some->handle, &def, &out));
    if (some->colliders)
    {
        FAILS(abut_collider_set(c->world, some->collider[0].handle, &def));
        FAILS(abut_collider_set_shape(c->world, some->collider[0].handle, &def.shape));
        FAILS(abut_collider_set_local(c->world, some->collider[0].handle, &lost));
    }
}

// A pose or velocity written in place is noticed by the next step, which then does nothing.
static void fail_what_was_written(crowd *c, uint64_t seed, uint32_t frame)
{
    crowd_body *some = crowd_some(c);
    if (!some || some->disabled || crowd_stays(some) || !some->colliders ||
        (some->collider[0].def.flags & ABUT_COLLIDER_COLLIDES_WITH_NOTHING))
    {
        return;
    }
    abut_bodies all = abut_world_bodies(c->world);
    float *number = &all.poses[some->handle.slot].position.x, kept = *number;
    *number = NAN;
    FAILS(abut_world_detect(c->world, 0.0f));
    FAILS(abut_world_step(c->world, 0.01f));
    FAILS(abut_world_move(c->world, 0.01f));
    *number = kept;
    number = &all.velocities[some->handle.slot].linear.z, kept = *number;
    *number = INFINITY;
    FAILS(abut_world_move(c->world, 0.01f));
    FAILS(abut_world_step(c->world, 0.01f));
    FAILS(abut_world_detect(c->world, 0.1f));
    *number = kept;
}

static void fail_everything(crowd *c, uint64_t seed, uint32_t frame)
{
    random_source script = c->random; // the script must not notice
    fail_handles(c, seed, frame);
    fail_values(c, seed, frame);
    fail_what_was_written(c, seed, frame);
    c->random = script;
}

static void failed_calls_change_nothing(void **state)
{
    (void)state;
    random_seeds seeds = random_seeds_of(2 * SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        uint64_t hashes[FRAMES];
        abut_world_def def = { .broad = (abut_broad_kind)(seed % ABUT_BROAD_COUNT) };
        (void)run(seed, def, 0.0, NULL, hashes, false);
        (void)run(seed, def, 0.0, fail_everything, hashes, true);
    }
}

// Contacts alike but for slots of bodies, which differ by `shift`.
static bool same_set(abut_world *one, abut_world *other, abut_contact_set set, uint32_t shift)
{
    abut_contacts x = abut_world_contacts(one, set), y = abut_world_contacts(other, set);
    bool same = x.count == y.count;
    for (uint32_t k = 0; same && k < x.count; ++k)
    {
        const abut_contact *a = abut_contact_at(&x, k), *b = abut_contact_at(&y, k);
        same = a->a.slot + shift == b->a.slot && a->b.slot + shift == b->b.slot && a->id.slot == b->id.slot &&
               a->id.generation == b->id.generation && memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 &&
               memcmp(&a->separation, &b->separation, sizeof a->separation) == 0 && a->point_count == b->point_count &&
               a->flags == b->flags && a->child == b->child &&
               memcmp(a->points, b->points, a->point_count * sizeof *a->points) == 0;
    }
    return same;
}

static bool same_results(abut_world *one, abut_world *other, uint32_t shift)
{
    return same_set(one, other, ABUT_AWAKE, shift) && same_set(one, other, ABUT_ASLEEP, shift) &&
           abut_world_events(one, ABUT_BEGIN).count == abut_world_events(other, ABUT_BEGIN).count &&
           abut_world_events(one, ABUT_END).count == abut_world_events(other, ABUT_END).count;
}

static void distant_bodies_change_nothing(void **state)
{
    (void)state;
    random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        crowd *one = crowd_take(), *other = crowd_take();
        uint32_t shift = (uint32_t)(seed % 40);
        assert_int_equal(crowd_open(one, seed, (abut_world_def){ 0 }), ABUT_OK);
        assert_int_equal(crowd_open(other, seed, (abut_world_def){ 0 }), ABUT_OK);
        for (uint32_t k = 0; k < shift; ++k)
        {
            abut_body handle;
            abut_body_def def = { .pose.position = { 1e6f + 10.0f * (float)k, 0, 0 },
                                  .collider.shape = abut_shape_sphere(1) };
            assert_int_equal(abut_body_create(other->world, &def, &handle), ABUT_OK);
        }
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            frame_of(one, seed, frame);
            frame_of(other, seed, frame);
            DEMAND(same_results(one->world, other->world, shift), "%u distant bodies changed the results", shift);
        }
        abut_world_destroy(one->world);
        abut_world_destroy(other->world);
        free(one);
        free(other);
    }
}

// Many bodies put in at once, in order and in reverse: user data tells which is which.
static void the_order_of_insertion_changes_only_slots(void **state)
{
    (void)state;
    enum
    {
        COUNT = 100
    };
    static bool touching[2][COUNT][COUNT];
    random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        uint32_t frame = 0;
        crowd *c = crowd_take();
        assert_int_equal(crowd_open(c, seed, (abut_world_def){ 0 }), ABUT_OK);
        c->side = 3.0;
        abut_body_def defs[COUNT];
        memset(touching, 0, sizeof touching);
        for (uint32_t k = 0; k < COUNT; ++k)
        {
            defs[k] = crowd_body_def(c);
            defs[k].user_data = k;
        }
        for (int reversed = 0; reversed < 2; ++reversed)
        {
            abut_world *world;
            assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
            for (uint32_t k = 0; k < COUNT; ++k)
            {
                abut_body handle;
                assert_int_equal(abut_body_create(world, &defs[reversed ? COUNT - 1 - k : k], &handle), ABUT_OK);
            }
            assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
            abut_events begun = abut_world_events(world, ABUT_BEGIN);
            for (uint32_t k = 0; k < begun.count; ++k)
            {
                uint64_t a = begun.data[k].user_data_a, b = begun.data[k].user_data_b;
                touching[reversed][a < b ? a : b][a < b ? b : a] = true;
            }
            abut_world_destroy(world);
        }
        for (uint32_t a = 0; a < COUNT; ++a)
        {
            for (uint32_t b = a + 1; b < COUNT; ++b)
            {
                if (touching[0][a][b] != touching[1][a][b])
                {
                    referee_solid x = referee_solid_of(&defs[a].collider.shape, &defs[a].pose, &defs[a].collider.local);
                    referee_solid y = referee_solid_of(&defs[b].collider.shape, &defs[b].pose, &defs[b].collider.local);
                    DEMAND(referee_decide(&x, &y, 0.0) == REFEREE_UNDECIDED, "bodies %u and %u touch in one order only",
                           a, b);
                }
            }
        }
        abut_world_destroy(c->world);
        free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_broad_phase_and_instruction_set_gives_the_same_bits),
        cmocka_unit_test(changing_the_broad_phase_while_it_runs_changes_nothing_else),
        cmocka_unit_test(a_failed_allocation_changes_nothing),
        cmocka_unit_test(failed_calls_change_nothing),
        cmocka_unit_test(distant_bodies_change_nothing),
        cmocka_unit_test(the_order_of_insertion_changes_only_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
