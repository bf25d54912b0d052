// What a caller may count on in every call: handles, errors that leave the world as it was, memory that runs out.
#include "scarce_memory.h"
#include "small_world.h"

#include <math.h>
#include <string.h>

// The last call of `on_error`.
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

static void an_empty_world_detects_nothing(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    expect(world, 0, 0, 0);
    assert_int_equal(abut_world_step(world, 1.0f / 60), ABUT_OK);
    assert_true(abut_world_bodies(world).count == 0 && abut_world_colliders(world).count == 0);
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
    assert_int_equal(abut_body_pose(world, (abut_body){ 77, body.generation }, &pose), ABUT_STALE_HANDLE);
    assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
    assert_int_equal(abut_body_destroy(world, body), ABUT_STALE_HANDLE);
    assert_false(abut_body_valid(world, body));
    detect(world);
    const abut_body again = ball(world, 0); // may have the slot, never the generation
    assert_int_equal(again.slot, body.slot);
    assert_int_not_equal(again.generation, body.generation);
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
    assert_int_equal(abut_collider_set_user_data(world, first_collider(world, first), 43), ABUT_OK);
    assert_int_equal(abut_collider_set_user_data(world, first_collider(world, second), 44), ABUT_OK);
    assert_int_equal(abut_body_destroy(world, first), ABUT_OK);
    const abut_body third = ball(world, 0);
    assert_int_not_equal(third.slot, first.slot);
    expect(world, 1, 1, 1);
    const abut_event end = abut_world_events(world, ABUT_END).data[0];
    assert_int_equal(end.a.slot, first.slot);
    assert_int_equal(end.a.generation, first.generation);
    assert_true(end.user_data_a == 42 && end.user_data_b == 0);
    assert_true(end.collider_data_a == 43 && end.collider_data_b == 44);
    assert_int_equal(end.b.slot, second.slot);
    assert_int_equal(ball(world, 9).slot, first.slot);
    abut_world_destroy(world);
}

static void destroying_many_is_all_or_none(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note, .on_error_context = &t });
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
static void an_invalid_definition_fails_with_its_index_and_nothing_is_made(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note, .on_error_context = &t });
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
        assert_true(abut_world_bodies(world).count == 0 && abut_world_colliders(world).count == 0);
    }
    abut_world_destroy(world);
}

static void calls_from_inside_a_callback_fail(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note, .on_error_context = &t });
    t.world = world;
    assert_int_equal(abut_world_detect(world, -1.0f), ABUT_INVALID_ARGUMENT);
    assert_int_equal(t.inside, ABUT_BUSY);
    t.world = NULL;
    detect(world);
    abut_world_destroy(world);
}

static void an_invalid_world_definition_fails(void **state)
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
static void a_nan_written_in_place_fails_and_results_stay(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note, .on_error_context = &t });
    ball(world, 0);
    const abut_body body = ball(world, 0.9f);
    expect(world, 1, 1, 0);
    const abut_contact before = *contact_at(world, ABUT_AWAKE, 0);
    abut_pose *pose = &abut_world_bodies(world).poses[body.slot];
    const abut_pose good = *pose;
    const float wrong[] = { NAN, INFINITY, -INFINITY, 1.1e8f };
    for (uint32_t i = 0; i < COUNT(wrong); ++i)
    {
        pose->position.y = wrong[i];
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
        assert_int_equal(t.index, body.slot);
        assert_int_equal(touching(world), 1);
        assert_memory_equal(&before, contact_at(world, ABUT_AWAKE, 0), sizeof before);
        assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, 1);
        *pose = good;
    }
    memset(&pose->rotation, 0, sizeof pose->rotation);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
    *pose = good;
    expect(world, 1, 0, 0);
    abut_world_destroy(world);
}

static void a_failed_step_moves_nothing(void **state)
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

// Where a body is while on_error is called for a failed step.
typedef struct witness
{
    const abut_pose *pose;
    float x;
    uint32_t told;
} witness;

static void look(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    (void)status, (void)call, (void)index, (void)sentence;
    witness *w = context;
    ++w->told;
    w->x = w->pose->position.x;
}

// What does not move is not looked at before the detect.
static void a_failed_step_is_undone_before_it_is_reported(void **state)
{
    (void)state;
    witness w = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = look, .on_error_context = &w });
    const abut_body moving = ball(world, 3), wrong = ball(world, 9);
    assert_int_equal(abut_body_set_velocity(world, moving, &(abut_velocity){ .linear = { 1, 0, 0 } }), ABUT_OK);
    w.pose = &abut_world_bodies(world).poses[moving.slot];
    abut_world_bodies(world).poses[wrong.slot].position.y = NAN;
    assert_int_equal(abut_world_step(world, 1.0f), ABUT_INVALID_ARGUMENT);
    assert_true(w.told == 1 && w.x == 3.0f);
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

static void the_states_of_bodies_are_what_their_getters_say(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    for (uint32_t i = 0; i < 60; ++i)
    {
        abut_body body;
        const abut_body_def def = { .motion = (abut_motion)(i % 3),
                                    .flags = i / 3 % 16, // every set of flags
                                    .collider.shape = abut_shape_sphere(1.0f) };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        if (i >= 48)
        {
            assert_int_equal(abut_body_set_awake(world, body, i % 2 == 0), ABUT_OK);
            assert_int_equal(abut_body_set_enabled(world, body, i % 5 < 3), ABUT_OK);
            assert_int_equal(abut_body_set_ccd(world, body, i % 7 < 3), ABUT_OK);
            assert_int_equal(abut_body_set_motion(world, body, (abut_motion)((i + 1) % 3)), ABUT_OK);
        }
        if (i % 10 == 9)
        {
            assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        }
    }
    uint32_t active = 0;
    const abut_bodies bodies = abut_world_bodies(world);
    for (uint32_t slot = 0; slot < bodies.count; ++slot)
    {
        const abut_body body = { slot, bodies.generations[slot] };
        abut_motion motion;
        bool enabled, awake, ccd;
        if (body.generation == 0)
        {
            assert_false(abut_body_active_at(&bodies, slot));
            continue;
        }
        assert_int_equal(abut_body_motion(world, body, &motion), ABUT_OK);
        assert_int_equal(abut_body_enabled(world, body, &enabled), ABUT_OK);
        assert_int_equal(abut_body_awake(world, body, &awake), ABUT_OK);
        assert_int_equal(bodies.states[slot] & ABUT_STATE_MOTION, motion);
        assert_int_equal((bodies.states[slot] & ABUT_STATE_DISABLED) == 0, enabled);
        assert_int_equal((bodies.states[slot] & ABUT_STATE_ASLEEP) == 0, awake);
        assert_int_equal(abut_body_ccd(world, body, &ccd), ABUT_OK);
        assert_int_equal((bodies.states[slot] & ABUT_STATE_CCD) != 0, ccd);
        assert_int_equal(abut_body_active_at(&bodies, slot), motion == ABUT_DYNAMIC && enabled && awake);
        active += abut_body_active_at(&bodies, slot);
    }
    assert_true(active >= 3 && active <= 20);
    abut_world_destroy(world);
}

static void the_broad_phase_changes_when_asked_to_and_only_then(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    abut_statistics statistics;
    add(world, abut_shape_sphere(0.5f), 0.0f, 0.0f, 0.0f, ABUT_DYNAMIC);
    assert_int_equal(abut_world_broad(world), ABUT_BROAD_AUTO);
    assert_int_equal(abut_world_broad(NULL), ABUT_BROAD_AUTO);
    detect(world);
    abut_world_statistics(world, &statistics);
    assert_int_equal(statistics.broad, ABUT_BROAD_BRUTE); // which is what a choice among so few comes to
    for (int kind = ABUT_BROAD_COUNT - 1; kind > ABUT_BROAD_AUTO; --kind)
    {
        assert_int_equal(abut_world_set_broad(world, (abut_broad_kind)kind), ABUT_OK);
        assert_int_equal(abut_world_set_broad(world, (abut_broad_kind)kind), ABUT_OK);
        assert_int_equal(abut_world_set_broad(world, ABUT_BROAD_COUNT), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_world_set_broad(world, (abut_broad_kind)-1), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_world_broad(world), kind);
        detect(world);
        abut_world_statistics(world, &statistics);
        assert_int_equal(statistics.broad, kind);
        assert_int_equal(statistics.tree_depth > 0, kind != ABUT_BROAD_BRUTE);
    }
    assert_int_equal(abut_world_set_broad(NULL, ABUT_BROAD_BVH), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

// The session below with memory running out after every possible number of requests: a failed call changes nothing, and
// succeeds when tried again.
static void session(source *memory, bool *finished)
{
    *finished = false;
    const abut_world_def def = { .allocator = { lend, take_back, memory }, .body_capacity = 4 };
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
            fail_after(memory, NEVER);
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
        source memory = { .first_failed = granted++, .lasting = true };
        session(&memory, &finished);
        assert_true(memory.blocks == 0);
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
        cmocka_unit_test(an_invalid_definition_fails_with_its_index_and_nothing_is_made),
        cmocka_unit_test(calls_from_inside_a_callback_fail),
        cmocka_unit_test(an_invalid_world_definition_fails),
        cmocka_unit_test(a_nan_written_in_place_fails_and_results_stay),
        cmocka_unit_test(a_failed_step_moves_nothing),
        cmocka_unit_test(a_failed_step_is_undone_before_it_is_reported),
        cmocka_unit_test(a_body_turns_by_its_rate_exactly),
        cmocka_unit_test(unit_rotations_are_kept_bit_for_bit_and_others_normalised),
        cmocka_unit_test(bounds_contain_the_shape),
        cmocka_unit_test(the_states_of_bodies_are_what_their_getters_say),
        cmocka_unit_test(the_broad_phase_changes_when_asked_to_and_only_then),
        cmocka_unit_test(running_out_of_memory_anywhere_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
