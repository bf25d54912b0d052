// Single calls that run out of memory: each request of each call, one after the other, in a world that has no room to
// spare. The call reports it, nothing that a caller can see has changed, and the same call succeeds when there is
// memory again.
#include "observed.h"
#include "own_kinds.h"
#include "scarce_memory.h"
#include "small_world.h"
#include "world/world.h"

#include <string.h>

enum
{
    CROWD = 96 // so many that a kind has more pairs with itself than a kernel takes at once
};

typedef struct scene
{
    source memory;
    abut_world *world;
    abut_body a, b;
    abut_collider collider;
} scene;

static void answer_nothing(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    (void)context, (void)pairs, (void)out;
}

static abut_status place_collider(scene *s)
{
    return abut_collider_set_local(s->world, s->collider, &(abut_pose){ { 0, 0.5f, 0 }, 0, { 0, 0, 0, 1 } });
}

static abut_status redefine_collider(scene *s)
{
    const abut_collider_def def = { .shape = abut_shape_sphere(0.25f), .local.position = { 0.25f, 0, 0 } };
    return abut_collider_set(s->world, s->collider, &def);
}

static abut_status attach(scene *s)
{
    abut_collider out;
    return abut_collider_attach(s->world, s->a, &(abut_collider_def){ .shape = abut_shape_sphere(0.25f) }, &out);
}

static abut_status touch(scene *s)
{
    return abut_body_mark_moved(s->world, s->b);
}

static abut_status translate(scene *s)
{
    return abut_world_translate(s->world, abut_vec3_make(8, 0, 0));
}

static abut_status wake(scene *s)
{
    return abut_body_set_awake(s->world, s->b, true);
}

static abut_status exclude(scene *s)
{
    return abut_body_exclude(s->world, s->a, s->b, true);
}

static abut_status register_kind(scene *s)
{
    uint32_t id;
    return abut_world_register_kind(s->world, &own_kind[OWN_BALL], &id);
}

static abut_status set_pair_function(scene *s)
{
    return abut_world_set_pair_function(s->world, ABUT_FIRST_KIND, ABUT_SPHERE, answer_nothing, NULL);
}

static abut_status ask_contacts(scene *s)
{
    uint32_t count;
    return abut_body_contacts(s->world, s->a, ABUT_AWAKE, NULL, 0, &count);
}

static abut_status audit(scene *s)
{
    abut_audit found = { 0 };
    const abut_status status = abut_world_audit(s->world, &found);
    assert_true(status == ABUT_OK || (!found.what && found.pairs == 0));
    assert_null(found.what);
    return status;
}

static abut_status step(scene *s)
{
    return abut_world_step(s->world, 0.01f);
}

// Two balls, one of them of two colliders, asleep and in the static set, a crate of a custom kind, and a crowd whose
// manifolds are reused.
static void open_scene(scene *s)
{
    uint32_t id, count;
    abut_collider second;
    *s = (scene){ .memory.first_failed = NEVER };
    const abut_world_def def = { .allocator = { lend, take_back, &s->memory },
                                 .body_capacity = 1,
                                 .recycle_distance = 0.01f };
    assert_int_equal(abut_world_create(&def, &s->world), ABUT_OK);
    s->world->memory.sparing = true;
    assert_int_equal(abut_world_register_kind(s->world, &own_kind[OWN_CRATE], &id), ABUT_OK);
    s->a = ball(s->world, 0);
    s->b = ball(s->world, 0.75f);
    assert_int_equal(
        abut_collider_attach(s->world, s->b, &(abut_collider_def){ .shape = abut_shape_sphere(0.25f) }, &second),
        ABUT_OK);
    add(s->world, own_shape(OWN_CRATE, 0.5f, 0.5f, 0.5f), 0, 0.8f, 0, ABUT_DYNAMIC);
    for (uint32_t i = 0; i < CROWD; ++i)
    {
        add(s->world, abut_shape_obb(0.5f, 0.5f, 0.5f), 10.0f + 0.1f * (float)i, 0, 0, ABUT_DYNAMIC);
    }
    assert_int_equal(abut_body_set_awake(s->world, s->b, false), ABUT_OK);
    for (uint32_t i = 0; i < 3; ++i)
    {
        detect(s->world);
    }
    assert_int_equal(abut_body_colliders(s->world, s->a, &s->collider, 1, &count), ABUT_OK);
}

// Requests that the call makes in a new scene. Fails the one numbered `site`, if there is one.
static uint64_t call_failed(abut_status (*call)(scene *), uint64_t site)
{
    scene s;
    open_scene(&s);
    const uint64_t had = s.memory.asked, before = observed(s.world);
    s.memory.first_failed = site == NEVER ? NEVER : had + site;
    abut_status status = call(&s);
    if (site != NEVER)
    {
        assert_int_equal(status, ABUT_OUT_OF_MEMORY);
        assert_int_equal(s.memory.failed, 1);
        assert_true(observed(s.world) == before);
        status = call(&s);
    }
    assert_int_equal(status, ABUT_OK);
    const uint64_t asked = s.memory.asked - had;
    detect(s.world);
    abut_world_destroy(s.world);
    assert_true(s.memory.blocks == 0);
    return asked;
}

static void every_request_of_every_call_may_fail(void **state)
{
    (void)state;
    abut_status (*const calls[])(
        scene *) = { place_collider, redefine_collider, attach,       touch, translate, wake, exclude,
                     register_kind,  set_pair_function, ask_contacts, audit, step };
    for (uint32_t i = 0; i < COUNT(calls); ++i)
    {
        const uint64_t sites = call_failed(calls[i], NEVER);
        assert_true(sites > 0);
        for (uint64_t site = 0; site < sites; ++site)
        {
            call_failed(calls[i], site);
        }
    }
}

enum
{
    SCATTERED = 600, // statics far from each other
    PASSING = 100,   // dynamic bodies that go, and leave gaps
    GONE = 400       // of the statics
};

// Gaps in both sets of proxies, of which an update would close those of one and then fail; the floor was in one detect.
// Returns what touches it in the end, after an audit in which one request failed.
static uint32_t found_after_audit(uint64_t site, bool *failed)
{
    source memory = { .first_failed = NEVER };
    abut_world *world =
        open_world(&(abut_world_def){ .allocator = { lend, take_back, &memory }, .broad = ABUT_BROAD_BRUTE });
    abut_body fixed[SCATTERED], passing[PASSING];
    for (uint32_t i = 0; i < SCATTERED; ++i)
    {
        fixed[i] = add(world, abut_shape_sphere(0.5f), 10.0f * (float)i, 50, 0, ABUT_STATIC);
    }
    detect(world);
    detect(world);
    for (uint32_t i = 0; i < PASSING; ++i)
    {
        passing[i] = ball(world, -10.0f * (float)(i + 1));
    }
    add(world, abut_shape_obb(1, 1, 1), 0, 0, 0, ABUT_STATIC);
    detect(world);
    assert_int_equal(abut_body_destroy_many(world, passing, PASSING), ABUT_OK);
    assert_int_equal(abut_body_destroy_many(world, fixed, GONE), ABUT_OK);
    abut_audit found;
    memory.first_failed = site == NEVER ? NEVER : memory.asked + site;
    *failed = abut_world_audit(world, &found) == ABUT_OUT_OF_MEMORY;
    memory.first_failed = NEVER;
    memory.failing = false;
    detect(world);
    ball(world, 1.2f);
    detect(world);
    const uint32_t count = touching(world);
    abut_world_destroy(world);
    return count;
}

static void after_a_failed_audit_everything_is_found(void **state)
{
    (void)state;
    bool failed;
    assert_int_equal(found_after_audit(NEVER, &failed), 1);
    uint64_t site = 0;
    for (failed = true; failed; ++site)
    {
        assert_int_equal(found_after_audit(site, &failed), 1);
    }
    assert_true(site > 3);
}

// A detect that fails may have looked at poses that are gone again when the audit comes.
static void an_audit_after_a_failed_detect_looks_at_the_present_poses(void **state)
{
    (void)state;
    uint32_t failures = 0;
    for (uint64_t site = 0;; ++site)
    {
        source memory = { .first_failed = NEVER };
        abut_world *world = open_world(&(abut_world_def){ .allocator = { lend, take_back, &memory } });
        const abut_body first = ball(world, 0);
        ball(world, 0.9f);
        ball(world, 50);
        detect(world);
        abut_pose *poses = abut_world_bodies(world).poses;
        poses[first.slot].position.x = 50.2f;
        memory.first_failed = memory.asked + site;
        const abut_status status = abut_world_detect(world, 0);
        memory.first_failed = NEVER;
        memory.failing = false;
        if (status == ABUT_OK)
        {
            abut_world_destroy(world);
            break;
        }
        assert_int_equal(status, ABUT_OUT_OF_MEMORY);
        ++failures;
        poses[first.slot].position.x = 0;
        expect_sound(world);
        assert_int_equal(touching(world), 1);
        abut_world_destroy(world);
    }
    assert_true(failures > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_request_of_every_call_may_fail),
                                        cmocka_unit_test(after_a_failed_audit_everything_is_found),
                                        cmocka_unit_test(an_audit_after_a_failed_detect_looks_at_the_present_poses) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
