// Recordings beside their worlds: custom kinds and pair functions, calls that fail, memory that runs out, and calls at
// the wrong time.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "own_kinds.h"
#include "recordings.h"
#include "scarce_memory.h"

#include <abut/abut.h>

#include <math.h>
#include <string.h>

enum
{
    BODIES = 20,
    FRAMES = 12
};

// Touches by their centres, along x.
static void by_centres(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    const float *depth = context;
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        const float apart = pairs->poses_b[i].position.x - pairs->poses_a[i].position.x;
        if (fabsf(apart) < 1.0f)
        {
            out[i] = (abut_manifold){ .normal = { apart < 0.0f ? -1.0f : 1.0f, 0, 0 }, .separation = -*depth };
            out[i].point_count = 1;
            out[i].points[0].separation = -*depth;
        }
    }
}

static float depth = 0.25f, other_depth = 0.5f;

static void veto_odd(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    (void)context;
    for (uint32_t i = 0; i < count; ++i)
    {
        vetoed[i] = (pairs[i].a.slot + pairs[i].b.slot) % 5 == 1;
    }
}

static abut_world *open_world(const abut_allocator *allocator)
{
    abut_world *world;
    abut_world_def def = { .margin = 0.02f, .veto = veto_odd };
    def.allocator = *allocator;
    assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
    uint32_t id;
    assert_int_equal(abut_world_register_kind(world, &own_kind[OWN_CRATE], &id), ABUT_OK);
    assert_int_equal(abut_world_set_pair_function(world, id, ABUT_SPHERE, by_centres, &depth), ABUT_OK);
    return world;
}

// A world that is played with, and what the calls are about.
typedef struct player
{
    abut_world *world;
    abut_body body[BODIES];
    abut_collider collider;
    uint64_t frames; // detects
} player;

// Bodies of every kind of shape, the last without one.
static void create_bodies(player *p)
{
    static const abut_vec3 corner[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0.1f, 0.1f, 0.1f } };
    abut_world *const world = p->world;
    abut_geometry *hull;
    abut_body_def def[BODIES];
    uint32_t ball;
    assert_int_equal(abut_geometry_create_hull(corner, 5, 0, NULL, &hull), ABUT_OK);
    assert_int_equal(abut_world_register_kind(world, &own_kind[OWN_ROUND], &ball), ABUT_OK);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        def[i] =
            (abut_body_def){ .pose.position = { 0.4f * (float)(i % 5), 0.8f * (float)(i / 5), 0 }, .user_data = i };
        def[i].motion = i % 7 == 0 ? ABUT_STATIC : ABUT_DYNAMIC;
        def[i].collider.shape = i % 4 == 0   ? own_shape(0, 0.5f, 0.5f, 0.5f)
                                : i % 4 == 1 ? abut_shape_sphere(0.5f)
                                : i % 4 == 2 ? own_shape(ball - ABUT_FIRST_KIND, 0.5f, 0, 0)
                                             : abut_shape_hull(hull);
        def[i].velocity.linear.x = 0.1f * (float)(i % 3);
    }
    def[19].collider.shape.kind = ABUT_SHAPE_NONE;
    assert_int_equal(abut_body_create_many(world, def, BODIES, p->body), ABUT_OK);
    abut_geometry_release(hull); // the recording and the colliders have it
}

// What is done after so many frames. Some of it fails.
static void play_frame(player *p, uint32_t frame)
{
    abut_world *const world = p->world;
    const abut_collider_def more = { .shape = abut_shape_capsule(0.3f, 0.2f), .local.position = { 0, 0.5f, 0 } };
    const abut_pose lost = { .position = { NAN, 0, 0 }, .rotation = { 0, 0, 0, 1 } },
                    up = { { 1, 5, 0 }, 0, { 0, 0, 0, 1 } };
    abut_pose *pose = abut_world_bodies(world).poses;
    const abut_pose good = pose[p->body[1].slot];
    assert_int_equal(abut_world_step(world, 0.05f), ABUT_OK);
    ++p->frames;
    switch (frame)
    {
    case 0:
        assert_int_equal(abut_body_exclude(world, p->body[2], p->body[3], true), ABUT_OK);
        assert_int_equal(abut_collider_attach(world, p->body[19], &more, &p->collider), ABUT_OK);
        break;
    case 1: // none of these happens
        pose[p->body[1].slot] = lost;
        assert_int_equal(abut_world_step(world, 0.05f), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_world_move(world, 0.05f), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_world_detect(world, 0.05f), ABUT_INVALID_ARGUMENT);
        pose[p->body[1].slot] = good;
        assert_int_equal(abut_world_detect(world, -1.0f), ABUT_INVALID_ARGUMENT);
        break;
    case 2:
        assert_int_equal(abut_collider_set_flags(world, p->collider, ABUT_COLLIDER_SENSOR), ABUT_OK);
        assert_int_equal(abut_world_set_pair_function(world, ABUT_FIRST_KIND, ABUT_SPHERE, NULL, NULL), ABUT_OK);
        break;
    case 3:
        assert_int_equal(abut_body_set_pose(world, p->body[0], &up), ABUT_OK); // static, as are these
        assert_int_equal(
            abut_body_set_pose_many(world, (abut_body[]){ p->body[7], p->body[14] }, 2, (abut_pose[]){ up, up }),
            ABUT_OK);
        assert_int_equal(abut_body_set_pose(world, p->body[1], &up), ABUT_OK);
        assert_int_equal(abut_body_move_to(world, p->body[2], &up, 1.0f), ABUT_OK);
        break;
    case 4:
        assert_int_equal(abut_world_move(world, 0.05f), ABUT_OK);
        assert_int_equal(abut_world_set_pair_function(world, ABUT_FIRST_KIND, ABUT_SPHERE, by_centres, &depth),
                         ABUT_OK);
        break;
    case 5:
        assert_int_equal(abut_world_detect(world, 0.05f), ABUT_OK);
        ++p->frames;
        assert_int_equal(abut_collider_detach(world, p->collider), ABUT_OK);
        assert_int_equal(abut_body_set_user_data(world, p->body[4], 44), ABUT_OK);
        break;
    case 6:
        assert_int_equal(abut_body_destroy_many(world, &p->body[17], 2), ABUT_OK);
        assert_int_equal(abut_world_set_collides(world, ABUT_STATIC, ABUT_STATIC, true), ABUT_OK);
        break;
    case 7:
        assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
        assert_int_equal(abut_world_detect_end(world), ABUT_OK);
        ++p->frames;
        assert_int_equal(abut_body_set_motion(world, p->body[5], ABUT_KINEMATIC), ABUT_OK);
        assert_int_equal(abut_body_exclude(world, p->body[2], p->body[3], false), ABUT_OK);
        break;
    case 8:
        assert_int_equal(abut_body_set_enabled(world, p->body[6], false), ABUT_OK);
        assert_int_equal(abut_body_set_awake(world, p->body[9], false), ABUT_OK);
        assert_int_equal(abut_body_set_ccd(world, p->body[10], true), ABUT_OK);
        assert_int_equal(abut_body_set_ccd_all(world, p->body[10], true), ABUT_OK);
        break;
    default:
        break;
    }
}

// Calls of every kind, of which some fail. Returns the frames.
static uint64_t play(abut_world *world)
{
    player p = { .world = world };
    create_bodies(&p);
    for (uint32_t i = 0; i < FRAMES; ++i)
    {
        play_frame(&p, i);
    }
    return p.frames;
}

// A replay as a caller with kinds and functions makes it.
static abut_replay *replay_with(tape *t, uint32_t kind_count, uint32_t function_count, float *depth_there,
                                const abut_allocator *allocator, abut_status *status)
{
    static abut_kind_def given[2];
    static abut_replay_function function[2];
    given[0] = own_kind[OWN_CRATE];
    given[1] = own_kind[OWN_ROUND];
    function[0] = (abut_replay_function){ ABUT_SPHERE, ABUT_CAPSULE, NULL, NULL };
    function[1] = (abut_replay_function){ ABUT_FIRST_KIND, ABUT_SPHERE, by_centres, depth_there };
    abut_replay *replay;
    abut_replay_def def = { .read = tape_read,
                            .read_context = t,
                            .kinds = given,
                            .kind_count = kind_count,
                            .functions = function,
                            .function_count = function_count };
    def.allocator = *allocator;
    t->at = 0;
    *status = abut_replay_create(&def, &replay);
    return replay;
}

static const abut_allocator plain = { 0 };

static void kinds_and_functions_of_the_caller_are_replayed(void **state)
{
    (void)state;
    tape t = { 0 };
    abut_status status;
    abut_replay_difference d;
    abut_world *world = open_world(&plain);
    abut_recording *recording = tape_record(&t, world, 1);
    const uint64_t frames = play(world);
    assert_true(abut_recording_destroy(recording));
    abut_world_destroy(world);

    abut_replay *replay = replay_with(&t, 2, 2, &depth, &plain, &status);
    assert_int_equal(replay_all(replay), ABUT_REPLAY_COMPLETE);
    assert_int_equal(abut_replay_frames(replay), frames);
    abut_replay_destroy(replay);

    replay = replay_with(&t, 2, 2, &other_depth, &plain, &status); // the planted difference
    assert_int_equal(replay_all(replay), ABUT_REPLAY_DIFFERS);
    assert_true(abut_replay_first_difference(replay, &d));
    assert_int_equal(d.frame, 1);
    assert_string_equal(d.part, "contact");
    assert_string_equal(d.field, "separation");
    assert_int_equal(d.body, 0);
    assert_int_equal(d.other, 5); // the pair of 0 and 1 is vetoed
    abut_replay_destroy(replay);

    for (uint32_t lacking = 0; lacking < 4; ++lacking)
    {
        replay = replay_with(&t, lacking < 2 ? lacking : 2, lacking < 2 ? 2 : lacking - 2, &depth, &plain, &status);
        assert_int_equal(replay_all(replay), ABUT_REPLAY_BROKEN);
        assert_non_null(strstr(abut_replay_fault(replay), "was not given"));
        abut_replay_destroy(replay);
    }
    tape_close(&t);
}

static void recordings_refuse_what_is_wrong(void **state)
{
    (void)state;
    tape t = { 0 };
    abut_status status;
    abut_recording *recording, *second;
    abut_recording_def def = { .write = tape_write, .write_context = &t };
    abut_world *world = open_world(&plain);
    assert_int_equal(abut_recording_create(NULL, &def, &recording), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_recording_create(world, NULL, &recording), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_recording_create(world, &def, NULL), ABUT_INVALID_ARGUMENT);
    def.write = NULL;
    assert_int_equal(abut_recording_create(world, &def, &recording), ABUT_INVALID_ARGUMENT);
    assert_null(recording);
    def.write = tape_write;
    def.allocator.allocate = lend; // and no release
    assert_int_equal(abut_recording_create(world, &def, &recording), ABUT_INVALID_ARGUMENT);
    def.allocator.allocate = NULL;
    assert_int_equal(abut_recording_create(world, &def, &recording), ABUT_OK);
    assert_int_equal(abut_recording_create(world, &def, &second), ABUT_LIMIT);
    assert_null(second);
    abut_world_destroy(world); // before its recording
    assert_non_null(abut_recording_fault(recording));
    assert_false(abut_recording_destroy(recording));
    assert_true(abut_recording_destroy(NULL));
    assert_non_null(abut_recording_fault(NULL));

    abut_replay *replay = replay_with(&t, 2, 2, &depth, &plain, &status);
    assert_int_equal(replay_all(replay), ABUT_REPLAY_BROKEN);
    assert_non_null(abut_replay_fault(replay));
    assert_non_null(abut_replay_world(replay));
    abut_replay_destroy(replay);
    abut_replay_destroy(NULL);
    assert_int_equal(abut_replay_next(NULL), ABUT_REPLAY_BROKEN);
    assert_int_equal(abut_replay_frames(NULL), 0);
    assert_null(abut_replay_world(NULL));
    assert_null(abut_replay_fault(NULL));
    assert_false(abut_replay_first_difference(NULL, NULL));
    assert_int_equal(abut_replay_create(NULL, &replay), ABUT_INVALID_ARGUMENT);
    abut_replay_def with = { .read = tape_read, .read_context = &t };
    assert_int_equal(abut_replay_create(&with, NULL), ABUT_INVALID_ARGUMENT);
    with.read = NULL;
    assert_int_equal(abut_replay_create(&with, &replay), ABUT_INVALID_ARGUMENT);
    with.read = tape_read;
    with.allocator.allocate = lend; // and no release
    assert_int_equal(abut_replay_create(&with, &replay), ABUT_INVALID_ARGUMENT);
    with.allocator.allocate = NULL;
    with.kind_count = 1;
    assert_int_equal(abut_replay_create(&with, &replay), ABUT_INVALID_ARGUMENT);
    with = (abut_replay_def){ .read = tape_read, .read_context = &t, .function_count = 1 };
    assert_int_equal(abut_replay_create(&with, &replay), ABUT_INVALID_ARGUMENT);
    with = (abut_replay_def){ .read = tape_read, .read_context = &t, .threads = ABUT_MAX_THREADS + 1 };
    assert_int_equal(abut_replay_create(&with, &replay), ABUT_OK);
    t.at = 0;
    assert_int_equal(abut_replay_next(replay), ABUT_REPLAY_BROKEN);
    assert_string_equal(abut_replay_fault(replay), "the recorded world cannot be made here");
    abut_replay_destroy(replay);
    tape_close(&t);
}

// A writer that calls the world and its recording.
typedef struct nosy
{
    abut_world *world;
    abut_recording *recording;
    uint32_t calls;
} nosy;

static bool nosy_write(void *context, const void *bytes, size_t size)
{
    nosy *n = context;
    (void)bytes, (void)size;
    assert_int_equal(abut_world_detect(n->world, 0.0f), ABUT_BUSY);
    assert_false(n->recording && abut_recording_destroy(n->recording));
    ++n->calls;
    return true;
}

static void writers_find_the_world_busy(void **state)
{
    (void)state;
    nosy n = { .world = open_world(&plain) };
    const abut_recording_def def = { .write = nosy_write, .write_context = &n };
    assert_int_equal(abut_recording_create(n.world, &def, &n.recording), ABUT_OK);
    (void)play(n.world);
    assert_true(n.calls > FRAMES);
    abut_recording *recording = n.recording;
    n.recording = NULL;
    assert_true(abut_recording_destroy(recording));
    assert_int_equal(abut_world_detect(n.world, 0.0f), ABUT_OK);
    abut_world_destroy(n.world);
}

// A program may end a recording, or itself, while a detect is under way.
static void recordings_may_end_within_a_detect(void **state)
{
    (void)state;
    tape t = { 0 };
    abut_status status;
    abut_world *world = open_world(&plain);
    abut_recording *recording = tape_record(&t, world, 0);
    const uint64_t frames = play(world);
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    const size_t size = t.size;
    assert_true(abut_recording_destroy(recording));
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
    abut_world_destroy(world);
    abut_replay *replay = replay_with(&t, 2, 2, &depth, &plain, &status);
    assert_int_equal(replay_all(replay), ABUT_REPLAY_COMPLETE);
    assert_int_equal(abut_replay_frames(replay), frames);
    abut_replay_destroy(replay);
    t.size = size; // it ends in the call, which the replay makes too
    replay = replay_with(&t, 2, 2, &depth, &plain, &status);
    assert_int_equal(replay_all(replay), ABUT_REPLAY_BROKEN);
    assert_int_equal(abut_replay_frames(replay), frames);
    abut_statistics statistics;
    abut_world_statistics(abut_replay_world(replay), &statistics);
    assert_int_equal(statistics.detects, frames + 1);
    abut_replay_destroy(replay);
    tape_close(&t);
}

static void memory_that_runs_out_is_reported(void **state)
{
    (void)state;
    tape whole = { 0 };
    abut_status status;
    bool done = false;
    for (uint64_t granted = 0; !done; ++granted)
    {
        source memory = { .first_failed = granted };
        tape t = { 0 };
        abut_world *world = open_world(&plain);
        abut_recording *recording;
        const abut_recording_def def = {
            .write = tape_write, .write_context = &t, .dump_interval = 2, .allocator = { lend, take_back, &memory }
        };
        status = abut_recording_create(world, &def, &recording);
        assert_true(status == ABUT_OK || (status == ABUT_OUT_OF_MEMORY && memory.failed > 0));
        const uint64_t frames = play(world);
        done = memory.failed == 0;
        assert_true(done == (recording && abut_recording_fault(recording) == NULL));
        assert_true(abut_recording_destroy(recording) == (done || !recording));
        assert_int_equal(memory.blocks, 0);
        abut_replay *replay = replay_with(&t, 2, 2, &depth, &plain, &status);
        assert_int_equal(replay_all(replay), done ? ABUT_REPLAY_COMPLETE : ABUT_REPLAY_BROKEN);
        assert_true(!done || abut_replay_frames(replay) == frames);
        abut_replay_destroy(replay);
        abut_world_destroy(world);
        tape_close(&whole);
        whole = t;
    }
    for (uint64_t granted = 0;; ++granted)
    {
        source memory = { .first_failed = granted };
        const abut_allocator scarce = { lend, take_back, &memory };
        abut_replay *replay = replay_with(&whole, 2, 2, &depth, &scarce, &status);
        assert_true(status == ABUT_OK || (status == ABUT_OUT_OF_MEMORY && !replay));
        const abut_replay_outcome outcome = replay_all(replay);
        abut_replay_destroy(replay);
        assert_int_equal(memory.blocks, 0);
        if (memory.failed == 0)
        {
            assert_int_equal(outcome, ABUT_REPLAY_COMPLETE);
            break;
        }
        assert_true(outcome == ABUT_REPLAY_BROKEN || outcome == ABUT_REPLAY_COMPLETE);
    }
    tape_close(&whole);
}

// Not only when a detect begins.
static void much_is_written_at_once(void **state)
{
    (void)state;
    static abut_body_def def[1000];
    static abut_body body[1000];
    tape t = { 0 };
    abut_world *world;
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    for (uint32_t i = 0; i < 1000; ++i)
    {
        def[i].pose.position.x = (float)i;
        def[i].collider.shape = abut_shape_sphere(0.5f);
    }
    abut_recording *recording = tape_record(&t, world, 1);
    const size_t before = t.size;
    assert_int_equal(abut_body_create_many(world, def, 1000, body), ABUT_OK);
    assert_true(t.size > before + 100000);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_true(abut_recording_destroy(recording));
    abut_world_destroy(world);
    expect_replay(&t, 1, ABUT_BROAD_GRID, ABUT_ISA_AUTO, 1);
    tape_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_and_functions_of_the_caller_are_replayed),
        cmocka_unit_test(recordings_refuse_what_is_wrong),
        cmocka_unit_test(writers_find_the_world_busy),
        cmocka_unit_test(recordings_may_end_within_a_detect),
        cmocka_unit_test(memory_that_runs_out_is_reported),
        cmocka_unit_test(much_is_written_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
