// What a caller may count on: handles, refusals that leave the world as it was, events, filters, the order of results.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <abut/abut.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// What `refused` was told last.
typedef struct told
{
    uint32_t times;
    abut_status status;
    uint32_t index;
    const char *call, *sentence;
    abut_world *world;
    abut_status inside; // what a call into the world gave from inside the callback
} told;

static void note(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    told *t = context;
    ++t->times;
    t->status = status;
    t->index = index;
    t->call = call;
    t->sentence = sentence;
    t->inside = t->world ? abut_world_detect(t->world, 0.0f) : ABUT_OK;
    if (t->world)
    {
        abut_world_destroy(t->world); // does nothing from here
    }
}

static abut_world *open_world(const abut_world_def *def)
{
    abut_world *world = NULL;
    assert_int_equal(abut_world_create(def, &world), ABUT_OK);
    assert_non_null(world);
    return world;
}

static abut_body add(abut_world *world, abut_shape shape, float x, float y, float z, abut_motion motion)
{
    abut_body body = { 0 };
    const abut_body_def def = { .pose.position = { x, y, z }, .motion = motion, .collider.shape = shape };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    return body;
}

static abut_body ball(abut_world *world, float x)
{
    return add(world, abut_shape_sphere(0.5f), x, 0, 0, ABUT_DYNAMIC);
}

static void detect(abut_world *world)
{
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
}

static uint32_t touching(abut_world *world)
{
    return abut_world_contacts(world, ABUT_AWAKE).count;
}

static void expect(abut_world *world, uint32_t contacts, uint32_t begun, uint32_t ended)
{
    detect(world);
    assert_int_equal(touching(world), contacts);
    assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, begun);
    assert_int_equal(abut_world_events(world, ABUT_END).count, ended);
}

static void an_empty_world_detects_nothing(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    expect(world, 0, 0, 0);
    assert_int_equal(abut_world_step(world, 1.0f / 60), ABUT_OK);
    assert_int_equal(abut_world_bodies(world).count, 0);
    abut_world_destroy(world);
    abut_world_destroy(NULL);
}

static void a_stale_handle_is_noticed_and_never_followed(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL), *other = open_world(NULL);
    const abut_body body = ball(world, 0), foreign = ball(other, 0), nothing = { 0 };
    abut_pose pose;
    assert_int_equal(abut_body_pose(world, body, &pose), ABUT_OK);
    assert_int_equal(abut_body_pose(world, foreign, &pose), ABUT_STALE_HANDLE);
    assert_int_equal(abut_body_pose(world, nothing, &pose), ABUT_STALE_HANDLE);
    assert_int_equal(abut_body_pose(world, (abut_body){ 77, body.life }, &pose), ABUT_STALE_HANDLE);
    assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
    assert_int_equal(abut_body_destroy(world, body), ABUT_STALE_HANDLE);
    assert_false(abut_body_valid(world, body));
    detect(world);
    const abut_body again = ball(world, 0); // may have the slot, never the life
    assert_int_equal(again.slot, body.slot);
    assert_int_not_equal(again.life, body.life);
    assert_int_equal(abut_body_pose(world, body, &pose), ABUT_STALE_HANDLE);
    abut_world_destroy(world);
    abut_world_destroy(other);
}

static void a_freed_slot_waits_for_the_next_detect(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body first = ball(world, 0), second = ball(world, 0.9f);
    expect(world, 1, 1, 0);
    assert_int_equal(abut_body_set_user_data(world, first, 42), ABUT_OK);
    assert_int_equal(abut_body_destroy(world, first), ABUT_OK);
    const abut_body third = ball(world, 0);
    assert_int_not_equal(third.slot, first.slot);
    expect(world, 1, 1, 1);
    const abut_event end = abut_world_events(world, ABUT_END).data[0];
    assert_int_equal(end.a.slot, first.slot);
    assert_int_equal(end.a.life, first.life);
    assert_int_equal(end.user_data_a, 42);
    assert_int_equal(end.b.slot, second.slot);
    assert_int_equal(ball(world, 9).slot, first.slot);
    abut_world_destroy(world);
}

static void destroying_many_is_all_or_none(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .refused = note, .refused_context = &t });
    const abut_body one = ball(world, 0), two = ball(world, 5);
    const abut_body doubled[] = { one, two, one };
    const uint64_t before = abut_world_hash(world);
    assert_int_equal(abut_body_destroy_many(world, doubled, 3), ABUT_STALE_HANDLE);
    assert_int_equal(t.index, 2);
    assert_string_equal(t.call, "abut_body_destroy_many");
    assert_true(abut_body_valid(world, one) && abut_body_valid(world, two));
    assert_true(abut_world_hash(world) == before);
    assert_int_equal(abut_body_destroy_many(world, doubled, 2), ABUT_OK);
    abut_world_destroy(world);
}

// Every way a definition can be wrong, each with one field changed.
static void a_wrong_definition_is_refused_with_its_index_and_nothing_is_made(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .refused = note, .refused_context = &t });
    const abut_body_def good = { .collider.shape = abut_shape_obb(1, 1, 1) };
    abut_body_def bad[16];
    uint32_t n = 0;
    for (; n < COUNT(bad); ++n)
    {
        bad[n] = good;
    }
    bad[0].pose.position.x = NAN;
    bad[1].pose.position.y = INFINITY;
    bad[2].pose.position.z = 2.0e8f;
    bad[3].pose.rotation.w = NAN;
    bad[4].pose.rotation.x = -INFINITY;
    bad[5].velocity.linear.x = -INFINITY;
    bad[6].velocity.angular.z = 1.0e9f;
    bad[7].motion = (abut_motion)7;
    bad[8].flags = 0x80;
    bad[9].collider.shape.box.half_extents.y = -1;
    bad[10].collider.shape.box.half_extents.z = NAN;
    bad[11].collider.shape.kind = (abut_shape_kind)99;
    bad[12].collider.local.position.x = NAN;
    bad[13].collider.local.rotation.x = INFINITY;
    bad[14].collider.flags = 0x80;
    bad[15].collider.shape = abut_shape_sphere(1.0e9f);
    for (uint32_t i = 0; i < COUNT(bad); ++i)
    {
        const abut_body_def defs[] = { good, bad[i] };
        abut_body out[2];
        t.times = 0;
        assert_int_equal(abut_body_create_many(world, defs, 2, out), ABUT_INVALID_ARGUMENT);
        assert_int_equal(t.times, 1);
        assert_int_equal(t.index, 1);
        assert_non_null(t.sentence);
        assert_int_equal(abut_world_bodies(world).count, 0);
    }
    abut_world_destroy(world);
}

static void a_world_refuses_calls_from_inside_its_callback(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .refused = note, .refused_context = &t });
    t.world = world;
    assert_int_equal(abut_world_detect(world, -1.0f), ABUT_INVALID_ARGUMENT);
    assert_int_equal(t.inside, ABUT_BUSY);
    t.world = NULL;
    detect(world);
    abut_world_destroy(world);
}

static void a_wrong_world_definition_is_refused(void **state)
{
    (void)state;
    abut_world *world = (abut_world *)1;
    assert_int_equal(abut_world_create(&(abut_world_def){ .margin = NAN }, &world), ABUT_INVALID_ARGUMENT);
    assert_null(world);
    assert_int_equal(abut_world_create(&(abut_world_def){ .margin = -1 }, &world), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_create(&(abut_world_def){ .broad = ABUT_BROAD_COUNT }, &world), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_create(&(abut_world_def){ .isa = ABUT_ISA_COUNT }, &world), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_create(NULL, NULL), ABUT_INVALID_ARGUMENT);
    for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
    {
        const abut_status status = abut_world_create(&(abut_world_def){ .isa = isa }, &world);
        assert_int_equal(status, abut_isa_available(isa) ? ABUT_OK : ABUT_UNSUPPORTED);
        abut_world_destroy(world);
    }
}

// A pose written in place is found by the detect; what stood before goes on standing.
static void a_nan_written_in_place_is_refused_and_results_stand(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .refused = note, .refused_context = &t });
    ball(world, 0);
    const abut_body body = ball(world, 0.9f);
    expect(world, 1, 1, 0);
    const abut_contact before = abut_world_contacts(world, ABUT_AWAKE).data[0];
    abut_pose *pose = &abut_world_bodies(world).poses[body.slot];
    const abut_pose good = *pose;
    const float wrong[] = { NAN, INFINITY, -INFINITY, 1.1e8f };
    for (uint32_t i = 0; i < COUNT(wrong); ++i)
    {
        pose->position.y = wrong[i];
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
        assert_int_equal(t.index, body.slot);
        assert_int_equal(touching(world), 1);
        assert_memory_equal(&before, &abut_world_contacts(world, ABUT_AWAKE).data[0], sizeof before);
        assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, 1);
        *pose = good;
    }
    memset(&pose->rotation, 0, sizeof pose->rotation);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
    *pose = good;
    expect(world, 1, 0, 0);
    abut_world_destroy(world);
}

static void a_step_that_is_refused_moves_nothing(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body fast = ball(world, 0), far = ball(world, 9.9e7f);
    assert_int_equal(
        abut_body_set_velocity(world, fast, &(abut_velocity){ .linear = { 1, 2, 3 }, .angular = { 0, 1, 0 } }),
        ABUT_OK);
    assert_int_equal(abut_body_set_velocity(world, far, &(abut_velocity){ .linear = { 9.0e7f, 0, 0 } }), ABUT_OK);
    const uint64_t before = abut_world_hash(world);
    assert_int_equal(abut_world_step(world, 1.0f), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_move(world, NAN), ABUT_INVALID_ARGUMENT);
    assert_true(abut_world_hash(world) == before);
    assert_int_equal(abut_world_step(world, 1.0e-3f), ABUT_OK);
    assert_true(abut_world_hash(world) != before);
    abut_world_destroy(world);
}

static void a_body_turns_by_its_rate_exactly(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body body = ball(world, 0);
    const float rates[] = { 0.001f, 1.0f, 40.0f };
    for (uint32_t i = 0; i < COUNT(rates); ++i)
    {
        const abut_pose start = { .rotation = { 0, 0, 0, 1 } };
        assert_int_equal(abut_body_set_pose(world, body, &start), ABUT_OK);
        const abut_velocity velocity = { .angular = { 0, 0, rates[i] } };
        assert_int_equal(abut_body_set_velocity(world, body, &velocity), ABUT_OK);
        for (uint32_t step = 0; step < 60; ++step)
        {
            assert_int_equal(abut_world_step(world, 1.0f / 60), ABUT_OK);
        }
        abut_pose pose;
        assert_int_equal(abut_body_pose(world, body, &pose), ABUT_OK);
        const double angle = 0.5 * rates[i];
        const double sign = cos(angle) * pose.rotation.w + sin(angle) * pose.rotation.z; // q and -q are one rotation
        assert_true(fabs(fabs(sign) - 1.0) < 1e-5);
    }
    abut_world_destroy(world);
}

static void unit_rotations_are_kept_bit_for_bit_and_others_normalised(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body body = ball(world, 0);
    const abut_pose unit = { .rotation = { 0.5f, -0.5f, 0.5f, 0.5f } };
    abut_pose pose = { 0 };
    assert_int_equal(abut_body_set_pose(world, body, &unit), ABUT_OK);
    assert_int_equal(abut_body_pose(world, body, &pose), ABUT_OK);
    assert_memory_equal(&pose.rotation, &unit.rotation, sizeof pose.rotation);
    assert_int_equal(abut_body_set_pose(world, body, &(abut_pose){ .rotation = { 0, 0, 3, 4 } }), ABUT_OK);
    assert_int_equal(abut_body_pose(world, body, &pose), ABUT_OK);
    assert_true(pose.rotation.z == 0.6f && pose.rotation.w == 0.8f);
    assert_int_equal(abut_body_set_pose(world, body, &(abut_pose){ 0 }), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

// Begin and end through everything that can part or join a pair.
static void begin_and_end_follow_touching(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body a = ball(world, 0), b = ball(world, 0.9f);
    expect(world, 1, 1, 0);
    expect(world, 1, 0, 0);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).data[0].previous, 0);
    assert_int_equal(abut_body_set_enabled(world, a, false), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(abut_body_set_enabled(world, a, true), ABUT_OK);
    expect(world, 1, 1, 0);
    assert_int_equal(abut_body_set_pose(world, b, &(abut_pose){ { 7, 0, 0 }, 0, { 0, 0, 0, 1 } }), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(abut_body_set_pose(world, b, &(abut_pose){ { 0.5f, 0, 0 }, 0, { 0, 0, 0, 1 } }), ABUT_OK);
    expect(world, 1, 1, 0);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, b, &collider, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ .category = 2, .mask = 2 }), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ 0 }), ABUT_OK);
    expect(world, 1, 1, 0);
    const abut_shape small = abut_shape_sphere(0.0f);
    assert_int_equal(abut_collider_set_shape(world, collider, &small), ABUT_OK);
    expect(world, 1, 0, 0); // its centre is on the other's surface
    assert_int_equal(abut_collider_detach(world, collider), ABUT_OK);
    assert_int_equal(abut_collider_detach(world, collider), ABUT_STALE_HANDLE);
    const abut_collider_def def = { .shape = abut_shape_obb(1, 1, 1) };
    assert_int_equal(abut_collider_attach(world, b, &def, &collider), ABUT_OK);
    expect(world, 1, 1, 1); // another collider, so another contact
    assert_int_equal(abut_body_set_motion(world, a, ABUT_STATIC), ABUT_OK);
    expect(world, 1, 0, 0);
    assert_int_equal(abut_body_set_motion(world, b, ABUT_KINEMATIC), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(abut_world_set_meets(world, ABUT_KINEMATIC, ABUT_STATIC, true), ABUT_OK);
    expect(world, 1, 1, 0);
    assert_int_equal(abut_body_destroy(world, a), ABUT_OK);
    expect(world, 0, 0, 1);
    abut_world_destroy(world);
}

static void a_settled_static_is_seen_again_when_it_changes(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body floor = add(world, abut_shape_aabb(5, 1, 5), 0, -1, 0, ABUT_STATIC);
    const abut_body box = add(world, abut_shape_obb(1, 1, 1), 0, 0.9f, 0, ABUT_DYNAMIC);
    expect(world, 1, 1, 0);
    expect(world, 1, 0, 0);
    expect(world, 1, 0, 0);
    const abut_pose down = { .position = { 0, -2, 0 }, .rotation = { 0, 0, 0, 1 } };
    assert_int_equal(abut_body_set_pose(world, floor, &down), ABUT_OK);
    expect(world, 0, 0, 1);
    expect(world, 0, 0, 0);
    abut_world_bodies(world).poses[floor.slot].position.y = -1;
    assert_int_equal(abut_body_touch(world, floor), ABUT_OK);
    expect(world, 1, 1, 0);
    expect(world, 1, 0, 0);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, floor, &collider, 1, &count), ABUT_OK);
    const abut_shape far_off = abut_shape_aabb(1, 0.5f, 1);
    assert_int_equal(abut_collider_set_shape(world, collider, &far_off), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(abut_collider_set_local(world, collider, &(abut_pose){ { 0, 0.5f, 0 }, 0, { 0, 0, 0, 1 } }),
                     ABUT_OK);
    expect(world, 1, 1, 0);
    assert_int_equal(abut_body_set_motion(world, floor, ABUT_DYNAMIC), ABUT_OK);
    expect(world, 1, 0, 0);
    assert_int_equal(abut_body_set_enabled(world, floor, false), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_true(abut_body_valid(world, box));
    abut_world_destroy(world);
}

static uint32_t resting(abut_world *world)
{
    return abut_world_contacts(world, ABUT_RESTING).count;
}

static void statics_meet_each_other_when_told_to_and_go_on_doing_so(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    add(world, abut_shape_aabb(1, 1, 1), 0, 0, 0, ABUT_STATIC);
    add(world, abut_shape_obb(1, 1, 1), 1, 1, 1, ABUT_STATIC);
    expect(world, 0, 0, 0);
    expect(world, 0, 0, 0);
    assert_int_equal(abut_world_set_meets(world, ABUT_STATIC, ABUT_STATIC, true), ABUT_OK);
    expect(world, 1, 1, 0);
    expect(world, 0, 0, 0);
    expect(world, 0, 0, 0);
    assert_int_equal(resting(world), 1);
    assert_int_equal(abut_world_set_meets(world, ABUT_STATIC, ABUT_STATIC, false), ABUT_OK);
    expect(world, 0, 0, 1);
    expect(world, 0, 0, 0);
    abut_world_destroy(world);
}

// Contacts of sleepers move to the resting ones after one detect, with what the solver kept, and come back when one wakes.
static void sleepers_keep_their_contacts_and_impulses(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    add(world, abut_shape_aabb(5, 1, 5), 0, -1, 0, ABUT_STATIC);
    const abut_body low = add(world, abut_shape_obb(1, 1, 1), 0, 0.99f, 0, ABUT_DYNAMIC);
    const abut_body high = add(world, abut_shape_obb(1, 1, 1), 0, 2.98f, 0, ABUT_DYNAMIC);
    expect(world, 2, 2, 0);
    abut_contacts now = abut_world_contacts(world, ABUT_AWAKE);
    for (uint32_t i = 0; i < now.point_count; ++i)
    {
        now.impulses[i].normal = (float)(i + 1);
    }
    const abut_body both[] = { low, high };
    assert_int_equal(abut_body_set_awake_many(world, both, 2, false), ABUT_OK);
    expect(world, 2, 0, 0); // found once more, since they changed
    assert_int_equal(resting(world), 0);
    expect(world, 0, 0, 0);
    assert_int_equal(resting(world), 2);
    expect(world, 0, 0, 0);
    now = abut_world_contacts(world, ABUT_RESTING);
    assert_true(now.data[0].a.slot == 0 && now.data[0].b.slot == low.slot && now.data[1].a.slot == low.slot);
    assert_true(now.impulses[now.point_count - 1].normal == (float)now.point_count);

    assert_int_equal(abut_body_set_awake(world, high, true), ABUT_OK);
    expect(world, 1, 0, 0);
    assert_int_equal(resting(world), 1);
    now = abut_world_contacts(world, ABUT_AWAKE);
    assert_true(now.data[0].previous == ABUT_NONE && now.impulses[0].normal == 5.0f);
    expect(world, 1, 0, 0);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).data[0].previous, 0);

    assert_int_equal(abut_body_destroy(world, low), ABUT_OK);
    expect(world, 0, 0, 2);
    assert_int_equal(resting(world), 0);
    abut_world_destroy(world);
}

static void a_static_made_under_a_sleeper_is_seen(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body sleeper = add(world, abut_shape_obb(1, 1, 1), 0, 0.9f, 0, ABUT_DYNAMIC);
    bool awake = true;
    assert_int_equal(abut_body_set_awake(world, sleeper, false), ABUT_OK);
    assert_int_equal(abut_body_awake(world, sleeper, &awake), ABUT_OK);
    assert_false(awake);
    expect(world, 0, 0, 0);
    expect(world, 0, 0, 0);
    const abut_body floor = add(world, abut_shape_aabb(5, 1, 5), 0, -1, 0, ABUT_STATIC);
    expect(world, 1, 1, 0);
    expect(world, 0, 0, 0);
    assert_int_equal(resting(world), 1);
    assert_int_equal(abut_body_set_velocity(world, sleeper, &(abut_velocity){ .linear = { 0, 9, 0 } }), ABUT_OK);
    assert_int_equal(abut_world_step(world, 1.0f), ABUT_OK); // asleep: it does not move
    assert_int_equal(resting(world), 1);
    abut_world_bodies(world).poses[sleeper.slot].position.y = 3;
    assert_int_equal(abut_body_touch(world, sleeper), ABUT_OK);
    expect(world, 0, 0, 1);
    abut_world_bodies(world).poses[sleeper.slot].position.y = 0.5f;
    assert_int_equal(abut_body_touch(world, sleeper), ABUT_OK);
    expect(world, 1, 1, 0);
    expect(world, 0, 0, 0);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, floor, &collider, 1, &count), ABUT_OK);
    assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ .mask = 2 }), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(resting(world), 0);
    abut_world_destroy(world);
}

static void groups_decide_before_masks(void **state)
{
    (void)state;
    const struct
    {
        abut_filter a, b;
        uint32_t meets;
    } cases[] = {
        { { 0, 0, 0 }, { 0, 0, 0 }, 1 }, { { 2, 0, 0 }, { 1, 4, 0 }, 0 },   { { 2, 4, 0 }, { 4, 2, 0 }, 1 },
        { { 2, 4, 3 }, { 2, 4, 3 }, 1 }, { { 0, 0, -3 }, { 0, 0, -3 }, 0 }, { { 0, 0, -3 }, { 0, 0, 3 }, 1 },
        { { 2, 2, 3 }, { 4, 4, 4 }, 0 },
    };
    for (uint32_t i = 0; i < COUNT(cases); ++i)
    {
        abut_world *world = open_world(NULL);
        abut_body body;
        abut_body_def def = { .collider = { .shape = abut_shape_sphere(1), .filter = cases[i].a } };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        def.collider.filter = cases[i].b;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        detect(world);
        assert_int_equal(touching(world), cases[i].meets);
        abut_world_destroy(world);
    }
    abut_world *world = open_world(NULL);
    abut_body body;
    const abut_body_def def = { .collider = { .shape = abut_shape_sphere(1), .flags = ABUT_COLLIDER_MEETS_NOTHING } };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    ball(world, 0);
    expect(world, 0, 0, 0);
    abut_world_destroy(world);
}

static void colliders_of_one_body_never_meet_and_each_meets_others(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body dumbbell = ball(world, 0);
    const abut_collider_def def = { .shape = abut_shape_sphere(0.5f), .local.position = { 0.6f, 0, 0 } };
    abut_collider collider;
    assert_int_equal(abut_collider_attach(world, dumbbell, &def, &collider), ABUT_OK);
    expect(world, 0, 0, 0);
    ball(world, 0.3f);
    expect(world, 2, 2, 0);
    const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
    assert_true(all.data[0].collider_a.slot != all.data[1].collider_a.slot);
    // The far ball's contact lies at its own place, offset from the body's position.
    assert_true(fabsf(all.points[all.data[1].first_point].offset.x - 0.45f) < 1e-6f);
    abut_body owner;
    abut_collider_def got;
    assert_int_equal(abut_collider_get(world, collider, &got, &owner), ABUT_OK);
    assert_int_equal(owner.slot, dumbbell.slot);
    assert_true(got.local.position.x == 0.6f && got.filter.category == 1 && got.filter.mask == UINT32_MAX);
    // Turned half round about z, the far ball is on the other side.
    assert_int_equal(abut_body_set_pose(world, dumbbell, &(abut_pose){ .rotation = { 0, 0, 1, 0 } }), ABUT_OK);
    assert_int_equal(abut_body_set_pose(world, (abut_body){ 1, all.data[0].b.life },
                                        &(abut_pose){ { 1.2f, 0, 0 }, 0, { 0, 0, 0, 1 } }),
                     ABUT_OK);
    expect(world, 0, 0, 2);
    abut_world_destroy(world);
}

static void a_body_takes_so_many_colliders_and_no_more(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    abut_body body;
    assert_int_equal(abut_body_create(world, &(abut_body_def){ 0 }, &body), ABUT_OK);
    const abut_collider_def def = { .shape = abut_shape_sphere(0.1f) };
    abut_collider last = { 0 };
    for (uint32_t i = 0; i < ABUT_MAX_COLLIDERS_PER_BODY; ++i)
    {
        assert_int_equal(abut_collider_attach(world, body, &def, &last), ABUT_OK);
    }
    assert_int_equal(abut_collider_attach(world, body, &def, &last), ABUT_LIMIT);
    ball(world, 0);
    expect(world, 256, 256, 0);
    assert_int_equal(abut_collider_detach(world, last), ABUT_OK);
    assert_int_equal(abut_collider_attach(world, body, &def, &last),
                     ABUT_LIMIT); // its place rests until the next detect
    expect(world, 255, 0, 1);
    assert_int_equal(abut_collider_attach(world, body, &def, &last), ABUT_OK);
    expect(world, 256, 1, 0);
    abut_world_destroy(world);
}

static void impulses_stay_with_their_feature(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    add(world, abut_shape_aabb(5, 1, 5), 0, -1, 0, ABUT_STATIC);
    const abut_body box = add(world, abut_shape_obb(1, 1, 1), 0, 0.99f, 0, ABUT_DYNAMIC);
    expect(world, 1, 1, 0);
    abut_contacts now = abut_world_contacts(world, ABUT_AWAKE);
    assert_int_equal(now.point_count, 4);
    uint32_t features[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        assert_true(now.impulses[i].normal == 0.0f);
        now.impulses[i].normal = (float)(i + 1);
        features[i] = now.points[i].feature;
    }
    abut_world_bodies(world).poses[box.slot].position.x = 0.01f;
    expect(world, 1, 0, 0);
    now = abut_world_contacts(world, ABUT_AWAKE);
    for (uint32_t i = 0; i < now.point_count; ++i)
    {
        uint32_t old = 0;
        while (old < 4 && features[old] != now.points[i].feature)
        {
            ++old;
        }
        assert_true(now.impulses[i].normal == (old < 4 ? (float)(old + 1) : 0.0f));
    }
    abut_world_destroy(world);
}

static void the_margin_counts_as_touching_and_the_horizon_does_not(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .margin = 0.1f });
    ball(world, 0);
    const abut_body near = ball(world, 1.05f), away = ball(world, 3.0f);
    expect(world, 1, 1, 0);
    assert_true(abut_world_contacts(world, ABUT_AWAKE).data[0].separation > 0.0f);
    assert_int_equal(abut_body_set_velocity(world, away, &(abut_velocity){ .linear = { -10, 0, 0 } }), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
    const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
    assert_int_equal(all.count, 2);
    assert_int_equal(all.data[0].flags, 0);
    assert_int_equal(all.data[1].flags, ABUT_CONTACT_SPECULATIVE);
    assert_int_equal(all.data[1].a.slot, near.slot);
    assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, 0);
    expect(world, 1, 0, 0);
    assert_int_equal(abut_world_detect(world, INFINITY), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

static void bounds_contain_the_shape(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body body = add(world, abut_shape_obb(1, 2, 3), 10, 20, 30, ABUT_DYNAMIC);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    abut_aabb box;
    assert_int_equal(abut_collider_bounds(world, collider, &box), ABUT_OK);
    assert_true(box.min.x <= 9 && box.min.x > 8.99f && box.max.z >= 33 && box.max.z < 33.01f);
    abut_world_bodies(world).poses[body.slot].position.x = NAN;
    assert_int_equal(abut_collider_bounds(world, collider, &box), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

static void a_settled_scene_asks_for_no_memory(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    for (uint32_t i = 0; i < 500; ++i)
    {
        add(world, i % 3 ? abut_shape_obb(0.5f, 0.5f, 0.5f) : abut_shape_sphere(0.5f), (float)(i % 10) * 0.95f,
            (float)(i / 10 % 10) * 0.95f, (float)(i / 100) * 0.95f, i % 7 ? ABUT_DYNAMIC : ABUT_STATIC);
    }
    abut_statistics before, after;
    for (uint32_t i = 0; i < 5; ++i)
    {
        detect(world);
    }
    abut_world_statistics(world, &before);
    for (uint32_t i = 0; i < 20; ++i)
    {
        detect(world);
    }
    abut_world_statistics(world, &after);
    assert_true(after.contacts > 500);
    assert_true(after.allocations == before.allocations);
    abut_world_destroy(world);
}

// An allocator that refuses after so many requests, and counts what is held.
typedef struct meter
{
    uint64_t left;
    int64_t held;
} meter;

static void *metered_allocate(void *context, size_t size, size_t alignment)
{
    meter *m = context;
    if (m->left == 0)
    {
        return NULL;
    }
    --m->left;
    ++m->held;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void metered_release(void *context, void *block, size_t size, size_t alignment)
{
    (void)size;
    (void)alignment;
    --((meter *)context)->held;
    free(block);
}

// The session below with memory running out after every possible number of requests: what was refused changes nothing, and
// succeeds when tried again.
static void session(meter *m, uint64_t granted, bool *finished)
{
    m->left = granted;
    *finished = false;
    const abut_world_def def = { .allocator = { metered_allocate, metered_release, m }, .body_capacity = 4 };
    abut_world *world;
    if (abut_world_create(&def, &world) != ABUT_OK)
    {
        return;
    }
    uint32_t done = 0;
    bool retried = false;
    while (done < 40)
    {
        const uint64_t before = abut_world_hash(world);
        const abut_body_def body_def = { .pose.position = { 0.3f * (float)done, 0, 0 },
                                         .motion = done % 5 ? ABUT_DYNAMIC : ABUT_STATIC,
                                         .collider = { .shape = abut_shape_obb(0.5f, 0.5f, 0.5f) } };
        abut_body body;
        abut_status status = abut_body_create(world, &body_def, &body);
        if (status == ABUT_OK)
        {
            ++done;
            const abut_collider_def more = { .shape = abut_shape_sphere(0.6f), .local.position = { 0, 0.1f, 0 } };
            abut_collider collider;
            const uint64_t created = abut_world_hash(world);
            status = abut_collider_attach(world, body, &more, &collider);
            assert_true(abut_world_hash(world) == created);
            const abut_status stepped = abut_world_step(world, 0.01f);
            assert_true(stepped == ABUT_OK || (stepped == ABUT_OUT_OF_MEMORY && abut_world_hash(world) == created));
            status = stepped == ABUT_OK ? status : stepped;
        }
        else
        {
            assert_true(abut_world_hash(world) == before);
        }
        assert_true(status == ABUT_OK || status == ABUT_OUT_OF_MEMORY);
        if (status == ABUT_OUT_OF_MEMORY)
        {
            retried = true;
            m->left = UINT64_MAX;
        }
    }
    *finished = !retried;
    abut_world_destroy(world);
}

static void running_out_of_memory_anywhere_loses_nothing(void **state)
{
    (void)state;
    bool finished = false;
    uint64_t granted = 0;
    while (!finished)
    {
        meter m = { 0 };
        session(&m, granted++, &finished);
        assert_true(m.held == 0);
    }
    assert_true(granted > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_world_detects_nothing),
        cmocka_unit_test(a_stale_handle_is_noticed_and_never_followed),
        cmocka_unit_test(a_freed_slot_waits_for_the_next_detect),
        cmocka_unit_test(destroying_many_is_all_or_none),
        cmocka_unit_test(a_wrong_definition_is_refused_with_its_index_and_nothing_is_made),
        cmocka_unit_test(a_world_refuses_calls_from_inside_its_callback),
        cmocka_unit_test(a_wrong_world_definition_is_refused),
        cmocka_unit_test(a_nan_written_in_place_is_refused_and_results_stand),
        cmocka_unit_test(a_step_that_is_refused_moves_nothing),
        cmocka_unit_test(a_body_turns_by_its_rate_exactly),
        cmocka_unit_test(unit_rotations_are_kept_bit_for_bit_and_others_normalised),
        cmocka_unit_test(begin_and_end_follow_touching),
        cmocka_unit_test(a_settled_static_is_seen_again_when_it_changes),
        cmocka_unit_test(statics_meet_each_other_when_told_to_and_go_on_doing_so),
        cmocka_unit_test(sleepers_keep_their_contacts_and_impulses),
        cmocka_unit_test(a_static_made_under_a_sleeper_is_seen),
        cmocka_unit_test(groups_decide_before_masks),
        cmocka_unit_test(colliders_of_one_body_never_meet_and_each_meets_others),
        cmocka_unit_test(a_body_takes_so_many_colliders_and_no_more),
        cmocka_unit_test(impulses_stay_with_their_feature),
        cmocka_unit_test(the_margin_counts_as_touching_and_the_horizon_does_not),
        cmocka_unit_test(bounds_contain_the_shape),
        cmocka_unit_test(a_settled_scene_asks_for_no_memory),
        cmocka_unit_test(running_out_of_memory_anywhere_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
