// The hash of a world: whatever it is said to cover changes it, each number by itself.
#include "small_world.h"

#include "base/array.h"
#include "world/world.h"

#include <abut/state.h>

#include <math.h>
#include <string.h>

enum
{
    VETOED = 7 // user data of bodies that collide with no others of the kind
};

// Turns one word of something into another and back; the hash must follow.
static void expect_covered(abut_world *world, void *word, const char *what)
{
    const uint64_t before = abut_world_hash(world);
    uint32_t was, changed;
    memcpy(&was, word, sizeof was);
    changed = was ^ 0x00800000u;
    memcpy(word, &changed, sizeof changed);
    const bool covered = abut_world_hash(world) != before;
    memcpy(word, &was, sizeof was);
    assert_true(abut_world_hash(world) == before);
    if (!covered)
    {
        fail_msg("the hash leaves out %s", what);
    }
}

// The same for so many words that follow each other.
static void expect_all_covered(abut_world *world, const void *words, size_t size, const char *what)
{
    assert_int_equal(size % sizeof(uint32_t), 0);
    for (size_t i = 0; i < size / sizeof(uint32_t); ++i)
    {
        expect_covered(world, (uint32_t *)words + i, what);
    }
}

static void expect_half_covered(abut_world *world, const uint16_t *half, const char *what)
{
    const uint64_t before = abut_world_hash(world);
    --*(uint16_t *)half;
    const bool covered = abut_world_hash(world) != before;
    ++*(uint16_t *)half;
    if (!covered)
    {
        fail_msg("the hash leaves out %s", what);
    }
}

static void veto(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    (void)context;
    for (uint32_t i = 0; i < count; ++i)
    {
        vetoed[i] = pairs[i].user_data_a == VETOED && pairs[i].user_data_b == VETOED;
    }
}

typedef struct scene
{
    abut_world *world;
    abut_body leaving, coming, sleeper, bullet;
} scene;

static abut_body put(abut_world *world, const abut_body_def *def)
{
    abut_body body;
    assert_int_equal(abut_body_create(world, def, &body), ABUT_OK);
    return body;
}

static abut_body crate(abut_world *world, float x, float y, uint64_t user_data)
{
    return put(world, &(abut_body_def){ .pose.position = { x, y, 0 },
                                        .user_data = user_data,
                                        .collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f) });
}

static void move_to(abut_world *world, abut_body body, float x, float y)
{
    const abut_pose pose = { .position = { x, y, 0 }, .rotation = abut_quat_identity() };
    assert_int_equal(abut_body_set_pose(world, body, &pose), ABUT_OK);
}

// Something of everything: contacts awake, recycled, asleep, begun and ended; sensors, vetoed pairs, exclusions,
// impacts.
static scene open_scene(void)
{
    scene s = { .world = open_world(&(abut_world_def){ .margin = 0.1f, .recycle_distance = 0.01f, .veto = veto }) };
    abut_world *world = s.world;
    add(world, abut_shape_aabb(50, 0.5f, 5), 0, 0, 0, ABUT_STATIC);
    crate(world, 0, 0.95f, 0);
    s.sleeper = crate(world, 3, 0.95f, VETOED);
    s.leaving = crate(world, 6, 0.95f, 0);
    s.coming = crate(world, 9, 20, 0);
    crate(world, 12, 10, VETOED);
    crate(world, 12.5f, 10, VETOED);
    const abut_body asleep[] = { s.sleeper, crate(world, 3.5f, 0.95f, VETOED) };
    put(world, &(abut_body_def){ .pose.position = { 6, 1, 0 },
                                 .motion = ABUT_STATIC,
                                 .collider = { .shape = abut_shape_obb(1, 1, 1), .flags = ABUT_COLLIDER_SENSOR } });
    put(world, &(abut_body_def){ .pose.position = { 9, 1, 0 },
                                 .motion = ABUT_STATIC,
                                 .collider = { .shape = abut_shape_obb(1, 1, 1), .flags = ABUT_COLLIDER_SENSOR } });
    put(world, &(abut_body_def){ .pose.position = { 3, 1, 0 },
                                 .motion = ABUT_STATIC,
                                 .collider = { .shape = abut_shape_obb(1, 1, 1), .flags = ABUT_COLLIDER_SENSOR } });
    put(world, &(abut_body_def){ .pose.position = { 0, 1, 0 },
                                 .collider = { .shape = abut_shape_obb(1, 1, 1), .flags = ABUT_COLLIDER_SENSOR } });
    s.bullet = put(world, &(abut_body_def){ .pose.position = { 20, 5, 0 },
                                            .velocity.linear = { 0, -100, 0 },
                                            .flags = ABUT_BODY_CCD,
                                            .collider.shape = abut_shape_sphere(0.1f) });
    assert_int_equal(abut_body_exclude(world, s.leaving, s.coming, true), ABUT_OK);
    detect(world);
    assert_int_equal(abut_body_set_awake_many(world, asleep, 2, false), ABUT_OK);
    detect(world);
    detect(world);
    move_to(world, s.leaving, 6, 20);
    move_to(world, s.coming, 9, 0.95f);
    assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
    return s;
}

static void points_are_covered(abut_world *world, const abut_point *point, const abut_impulse *impulse)
{
    expect_all_covered(world, &point->offset, sizeof point->offset, "a point's offset");
    expect_all_covered(world, &point->separation, sizeof(float), "a point's separation");
    expect_all_covered(world, &point->feature, sizeof(uint32_t), "a point's feature");
    expect_all_covered(world, &impulse->normal, sizeof(float), "an impulse along the normal");
    expect_all_covered(world, impulse->tangent, 2 * sizeof(float), "an impulse along a tangent");
    expect_all_covered(world, &impulse->torsion, sizeof(float), "an impulse about the normal");
}

static void contacts_are_covered(abut_world *world, abut_contact_set set)
{
    const abut_contacts all = abut_world_contacts(world, set);
    assert_true(all.count > 0);
    const ab_contact_list *list = set == ABUT_AWAKE ? ab_contact_store_now(&world->state.store)
                                                    : ab_asleep_contacts_sorted(&world->state.store.asleep);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&all, i);
        expect_all_covered(world, &c->normal, sizeof c->normal, "a normal");
        expect_all_covered(world, &c->separation, sizeof c->separation, "a contact's separation");
        expect_all_covered(world, &c->child, sizeof c->child, "a child");
        expect_half_covered(world, &c->point_count, "a number of points");
        expect_half_covered(world, &c->flags, "a contact's flags");
        assert_true(c->point_count > 0);
        for (uint32_t k = 0; k < c->point_count; ++k)
        {
            points_are_covered(world, &c->points[k], &abut_impulses_of(&all, c)[k]);
        }
    }
    expect_all_covered(world, list->keys, all.count * sizeof *list->keys, "a contact's colliders");
}

static void events_are_covered(abut_world *world)
{
    for (int kind = ABUT_BEGIN; kind <= ABUT_SENSOR_END; ++kind)
    {
        const abut_events events = abut_world_events(world, (abut_event_kind)kind);
        assert_true(events.count > 0);
        for (uint32_t i = 0; i < events.count; ++i)
        {
            const abut_event *e = &events.data[i];
            expect_all_covered(world, &e->a.slot, sizeof e->a.slot, "an event's body a");
            expect_all_covered(world, &e->b.slot, sizeof e->b.slot, "an event's body b");
            expect_all_covered(world, &e->collider_a.slot, sizeof(uint32_t), "an event's collider a");
            expect_all_covered(world, &e->collider_b.slot, sizeof(uint32_t), "an event's collider b");
            expect_all_covered(world, &e->flags, sizeof e->flags, "an event's flags");
        }
    }
}

static void kept_pairs_are_covered(abut_world *world, ab_pair_cache *kept, const char *what)
{
    const ab_cached_pairs *lists[] = { ab_pair_cache_found(kept), ab_pair_cache_asleep(kept) };
    for (int i = 0; i < 2; ++i)
    {
        assert_true(arrlenu(lists[i]->keys) > 0);
        expect_all_covered(world, lists[i]->keys, arrlenu(lists[i]->keys) * sizeof *lists[i]->keys, what);
    }
}

static void impacts_are_covered(abut_world *world)
{
    const abut_impacts impacts = abut_world_impacts(world);
    assert_true(impacts.count > 0);
    const abut_body_impact *it = impacts.data;
    expect_all_covered(world, &it->body.slot, sizeof(uint32_t), "an impact's body");
    expect_all_covered(world, &it->other.slot, sizeof(uint32_t), "what an impact is with");
    expect_all_covered(world, &it->collider.slot, sizeof(uint32_t), "an impact's collider");
    expect_all_covered(world, &it->other_collider.slot, sizeof(uint32_t), "the collider an impact is with");
    expect_all_covered(world, &it->impact.time, sizeof(float), "an impact's time");
    expect_all_covered(world, &it->impact.distance, sizeof(float), "an impact's distance");
    expect_all_covered(world, &it->impact.normal, sizeof it->impact.normal, "an impact's normal");
    expect_all_covered(world, &it->impact.offset, sizeof it->impact.offset, "where an impact is");
    expect_all_covered(world, &it->impact.flags, sizeof it->impact.flags, "an impact's flags");
    expect_all_covered(world, &it->child, sizeof it->child, "an impact's child");
}

static void every_number_that_the_hash_covers_changes_it(void **state)
{
    (void)state;
    const scene s = open_scene();
    abut_world *world = s.world;
    const uint64_t hash = abut_world_hash(world);
    const abut_bodies bodies = abut_world_bodies(world);
    for (uint32_t i = 0; i < bodies.count; ++i)
    {
        expect_all_covered(world, &bodies.poses[i].position, sizeof(abut_vec3), "a position");
        expect_all_covered(world, &bodies.poses[i].rotation, sizeof(abut_quat), "a rotation");
        expect_all_covered(world, &bodies.velocities[i].linear, sizeof(abut_vec3), "a velocity");
        expect_all_covered(world, &bodies.velocities[i].angular, sizeof(abut_vec3), "an angular velocity");
    }
    contacts_are_covered(world, ABUT_AWAKE);
    contacts_are_covered(world, ABUT_ASLEEP);
    events_are_covered(world);
    kept_pairs_are_covered(world, &world->state.store.vetoes, "a vetoed pair");
    kept_pairs_are_covered(world, &world->state.sensors.overlaps, "what is in a sensor");
    impacts_are_covered(world);
    expect_all_covered(world, world->state.rules.exclusions.times, sizeof(uint32_t), "how often a pair is excluded");
    assert_true(abut_world_hash(world) == hash);
    abut_world_destroy(world);
}

// Zero is one number, whatever its sign.
static void the_sign_of_zero_does_not_change_the_hash(void **state)
{
    (void)state;
    const scene s = open_scene();
    const uint64_t hash = abut_world_hash(s.world);
    const abut_bodies bodies = abut_world_bodies(s.world);
    assert_true(bodies.velocities[0].linear.x == 0.0f);
    bodies.velocities[0].linear.x = -0.0f;
    assert_true(abut_world_hash(s.world) == hash);
    abut_world_destroy(s.world);
}

// What a caller can set and what a later detect follows from is in the state; what nothing follows from is not.
static void the_state_is_what_the_future_follows_from(void **state)
{
    (void)state;
    const scene s = open_scene();
    abut_world *world = s.world;
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, s.coming, &collider, 1, &count), ABUT_OK);
    const uint64_t results = abut_world_results_hash(world);
    uint64_t before = abut_world_state_hash(world);
    assert_true(abut_world_state_hash(NULL) == 0 && abut_world_results_hash(NULL) == 0);
    assert_int_equal(abut_body_set_user_data(world, s.coming, 5), ABUT_OK);
    assert_true(abut_world_state_hash(world) == before);
#define CHANGES(call)                                                                                                  \
    do                                                                                                                 \
    {                                                                                                                  \
        assert_int_equal(call, ABUT_OK);                                                                               \
        assert_true(abut_world_state_hash(world) != before);                                                           \
        before = abut_world_state_hash(world);                                                                         \
    } while (0)
    const abut_velocity velocity = { .linear = { 1, 2, 3 } };
    const abut_filter filter = { .category = 2, .mask = 3 };
    const abut_shape larger = abut_shape_obb(0.5f, 0.5f, 0.75f);
    const abut_pose local = { .position = { 0, 0, 0.25f }, .rotation = { .w = 1 } };
    CHANGES(abut_body_set_velocity(world, s.coming, &velocity));
    CHANGES(abut_body_set_ccd(world, s.coming, true));
    CHANGES(abut_body_set_ccd_all(world, s.coming, true));
    CHANGES(abut_body_set_motion(world, s.coming, ABUT_KINEMATIC));
    CHANGES(abut_collider_set_filter(world, collider, &filter));
    CHANGES(abut_collider_set_flags(world, collider, ABUT_COLLIDER_SENSOR));
    CHANGES(abut_collider_set_shape(world, collider, &larger));
    CHANGES(abut_collider_set_local(world, collider, &local));
    CHANGES(abut_body_set_awake(world, s.coming, false));
    CHANGES(abut_body_set_enabled(world, s.coming, false));
    CHANGES(abut_body_exclude(world, s.coming, s.bullet, true));
    assert_true(abut_world_results_hash(world) == results);
    CHANGES(abut_body_destroy(world, s.bullet));
    abut_world_destroy(world);
}

// The same contacts in other slots: an end frees another slot, so later ids differ.
static void which_contact_has_which_slot_is_state(void **state)
{
    (void)state;
    abut_world *world[2];
    for (uint32_t k = 0; k < 2; ++k)
    {
        abut_body right[2];
        world[k] = open_world(NULL);
        for (uint32_t i = 0; i < 2; ++i)
        {
            (void)ball(world[k], 10.0f * (float)i);
            right[i] = ball(world[k], 10.0f * (float)i + 3);
        }
        for (uint32_t i = 0; i < 2; ++i)
        {
            const uint32_t pair = i ^ k; // in one world the one touches first, in the other the other
            move_to(world[k], right[pair], 10.0f * (float)pair + 0.75f, 0);
            detect(world[k]);
        }
        detect(world[k]);
        assert_int_equal(contact_at(world[k], ABUT_AWAKE, 0)->id.slot, k);
    }
    assert_true(abut_world_hash(world[0]) == abut_world_hash(world[1]));
    assert_true(abut_world_state_hash(world[0]) != abut_world_state_hash(world[1]));
    abut_world_destroy(world[0]);
    abut_world_destroy(world[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_that_the_hash_covers_changes_it),
        cmocka_unit_test(the_sign_of_zero_does_not_change_the_hash),
        cmocka_unit_test(the_state_is_what_the_future_follows_from),
        cmocka_unit_test(which_contact_has_which_slot_is_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
