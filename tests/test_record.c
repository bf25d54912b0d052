// Recordings replay to the same frames on every instruction set, broad phase and number of threads; what differs is
// named.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "every_isa.h"
#include "random_images.h"
#include "recordings.h"

#include "record/stream.h"

enum
{
    SESSIONS = 24,
    BEFORE = 150, // operations
    WHILE = 600
};

// Impulses as a solver writes them.
static void write_impulses(session *s)
{
    for (abut_contact_set set = ABUT_AWAKE; set <= ABUT_ASLEEP; ++set)
    {
        const abut_contacts contacts = abut_world_contacts(s->world, set);
        for (uint32_t i = 0; i < contacts.count; i += 1 + random_below(&s->random, 2))
        {
            const abut_contact *contact = abut_contact_at(&contacts, i);
            for (uint32_t k = random_below(&s->random, 2); k < contact->point_count; k += 2)
            {
                abut_impulses_of(&contacts, contact)[k].normal = between(s, 0, 5);
            }
        }
    }
}

// What sessions do not do: caller-driven detects, moves alone, writing user data, reserving, bulk calls.
static void go_further(session *s)
{
    const abut_bodies bodies = abut_world_bodies(s->world);
    switch (random_below(&s->random, 7))
    {
    case 0:
        assert_int_equal(abut_world_detect_begin(s->world, 0.0f), ABUT_OK);
        assert_int_equal(abut_world_detect_end(s->world), ABUT_OK);
        count_events(s);
        break;
    case 1:
        assert_int_equal(abut_world_move(s->world, 0.01f), ABUT_OK);
        break;
    case 2:
        if (bodies.count > 0)
        {
            bodies.user_data[random_below(&s->random, bodies.count)] = random_below(&s->random, 1000);
            bodies.velocities[random_below(&s->random, bodies.count)] = (abut_velocity){ .linear = { 0.5f, 0, 0 } };
        }
        break;
    case 3:
        write_impulses(s);
        break;
    case 4:
        assert_int_equal(abut_world_reserve(s->world, 200, 100), ABUT_OK);
        break;
    case 5:
        assert_int_equal(abut_body_set_awake_many(s->world, s->body, s->bodies / 4, random_chance(&s->random, 0.5)),
                         ABUT_OK);
        break;
    default:
        assert_int_equal(abut_world_update(s->world), ABUT_OK);
    }
}

static void record_session(uint64_t seed, tape *out, uint64_t *frames)
{
    const abut_world_def def = def_of(seed, ABUT_BROAD_BVH, ABUT_ISA_AUTO);
    session s;
    image kept = { 0 };
    session_open(&s, seed, &def, true);
    for (uint64_t i = 0; i < BEFORE; ++i)
    {
        session_go_on(&s, i);
    }
    abut_statistics before, after;
    abut_world_statistics(s.world, &before);
    out->hash_interval = (uint32_t)(seed % 4);
    abut_recording *recording = tape_record(out, s.world, seed % 2 ? 1 : 7);
    *frames = 0;
    for (uint64_t i = 0; i < WHILE; ++i)
    {
        session_go_on(&s, i);
        go_further(&s);
        abut_world_statistics(s.world, &after);
        *frames += after.detects - before.detects;
        before = after;
        if (i == WHILE / 2)
        {
            save(&s, 0, &kept);
        }
    }
    // A rollback, and on without the session, whose handles are of another time.
    assert_int_equal(restore(&s, &kept), ABUT_OK);
    for (uint32_t i = 0; i < 30; ++i)
    {
        write_impulses(&s);
        assert_int_equal(abut_world_step(s.world, 0.02f), ABUT_OK);
        ++*frames;
    }
    assert_null(abut_recording_fault(recording));
    assert_true(abut_recording_destroy(recording));
    if (kept.bytes)
    {
        test_free(kept.bytes);
    }
    session_close(&s);
}

static void recordings_of_random_sessions_replay_everywhere(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SESSIONS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        tape t = { 0 };
        uint64_t frames;
        record_session(seed, &t, &frames);
        EVERY_ISA(isa)
        {
            const uint32_t turn = (uint32_t)(seed + (uint64_t)isa);
            expect_replay(&t, frames, (abut_broad_kind)(turn % ABUT_BROAD_COUNT), isa, 1 + turn % 3);
        }
        tape_close(&t);
    }
}

// What a detect with a horizon bounded and the next one takes as immobile, an update that fails between them bounds to
// the same bits.
static void failed_updates_between_detects_leave_no_mark(void **state)
{
    (void)state;
    const abut_world_def def = { .speculative_distance = 0.2f };
    tape t = { 0 };
    abut_world *world;
    abut_body body[4];
    assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
    abut_recording *recording = tape_record(&t, world, 1);
    for (uint32_t i = 0; i < 4; ++i)
    {
        const abut_body_def it = { .pose.position = { 0.7f + (float)i, 1.3f, -0.6f },
                                   .velocity.linear = { 1, 2, 3 },
                                   .motion = (abut_motion)(i % 3),
                                   .flags = i < 3 ? ABUT_BODY_ASLEEP : 0,
                                   .collider.shape = abut_shape_obb(0.3f, 0.2f, 0.1f) };
        assert_int_equal(abut_body_create(world, &it, &body[i]), ABUT_OK);
    }
    float *x = &abut_world_bodies(world).poses[body[3].slot].position.x;
    for (uint32_t i = 0; i < 3; ++i)
    {
        const float before = *x;
        assert_int_equal(abut_world_detect(world, 0.05f), ABUT_OK);
        *x = NAN;
        assert_int_equal(abut_world_update(world), ABUT_INVALID_ARGUMENT);
        *x = before;
    }
    assert_true(abut_recording_destroy(recording));
    abut_world_destroy(world);
    EVERY_ISA(isa)
    {
        expect_replay(&t, 3, ABUT_BROAD_AUTO, isa, 1);
    }
    tape_close(&t);
}

// A heap of boxes on a floor, with a sensor and a sleeper.
static abut_world *open_heap(uint32_t boxes, abut_body *body)
{
    abut_world *world;
    const abut_world_def def = { .margin = 0.01f, .on_error = NULL };
    assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
    for (uint32_t i = 0; i < boxes; ++i)
    {
        const bool is_floor = i == 0;
        abut_body_def d = { .motion = is_floor ? ABUT_STATIC : ABUT_DYNAMIC, .user_data = i };
        d.pose.position = abut_vec3_make(0.9f * (float)(i % 4), is_floor ? -0.5f : 0.45f + 0.9f * (float)(i / 4), 0.0f);
        d.collider.shape = is_floor ? abut_shape_aabb(20, 0.5f, 20) : abut_shape_obb(0.5f, 0.5f, 0.5f);
        d.collider.flags = i == 3 ? ABUT_COLLIDER_SENSOR : 0;
        d.velocity.angular.y = is_floor ? 0.0f : 0.125f;
        assert_int_equal(abut_body_create(world, &d, &body[i]), ABUT_OK);
    }
    return world;
}

enum
{
    BOXES = 12,
    FRAMES = 40
};

static void record_heap(tape *t, uint32_t dump_interval)
{
    abut_body body[BOXES];
    abut_world *world = open_heap(BOXES, body);
    abut_recording *recording = tape_record(t, world, dump_interval);
    for (uint32_t i = 0; i < FRAMES; ++i)
    {
        assert_int_equal(abut_world_step(world, 0.01f), ABUT_OK);
    }
    assert_true(abut_recording_destroy(recording));
    abut_world_destroy(world);
}

// Replays up to a frame, changes one thing of the world, and goes on.
static abut_replay *replay_to(tape *t, uint64_t frame)
{
    abut_replay *replay = tape_replay(t, ABUT_BROAD_AUTO, ABUT_ISA_AUTO, 1);
    while (abut_replay_frames(replay) < frame)
    {
        assert_int_equal(abut_replay_next(replay), ABUT_REPLAY_FRAME);
    }
    return replay;
}

static abut_replay_difference difference_of(abut_replay *replay)
{
    abut_replay_difference d;
    assert_int_equal(replay_all(replay), ABUT_REPLAY_DIFFERS);
    assert_true(abut_replay_first_difference(replay, &d));
    assert_null(abut_replay_fault(replay));
    assert_int_equal(d.frame, abut_replay_frames(replay) + 1);
    abut_replay_destroy(replay);
    return d;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void a_planted_difference_is_named_exactly(void **state)
{
    (void)state;
    tape t = { 0 };
    record_heap(&t, 1);
    abut_replay *replay = replay_to(&t, 17);
    float *y = &abut_world_bodies(abut_replay_world(replay)).velocities[5].linear.z;
    *y = 0x1p-20f;
    abut_replay_difference d = difference_of(replay);
    assert_int_equal(d.frame, 18);
    assert_int_equal(d.body, 5);
    assert_int_equal(d.other, ABUT_NONE);
    assert_string_equal(d.part, "body");
    assert_string_equal(d.field, "position.z"); // what follows from it; the velocity comes after it
    assert_true(d.is_float);
    assert_int_equal(d.recorded, 0);
    assert_int_equal(d.replayed, bits_of(0.01f * 0x1p-20f));

    replay = replay_to(&t, 3);
    abut_world_bodies(abut_replay_world(replay)).user_data[7] = 70;
    d = difference_of(replay);
    assert_int_equal(d.frame, 4);
    assert_int_equal(d.body, 7);
    assert_string_equal(d.field, "user data");
    assert_false(d.is_float);
    assert_int_equal(d.recorded, 7);
    assert_int_equal(d.replayed, 70);

    replay = replay_to(&t, 9);
    const abut_contacts contacts = abut_world_contacts(abut_replay_world(replay), ABUT_AWAKE);
    const abut_contact planted = *abut_contact_at(&contacts, 2);
    abut_impulses_of(&contacts, &planted)->torsion = 2.0f;
    d = difference_of(replay);
    assert_int_equal(d.frame, 10);
    assert_string_equal(d.part, "impulse");
    assert_string_equal(d.field, "torsion");
    assert_int_equal(d.body, planted.a.slot);
    assert_int_equal(d.other, planted.b.slot);
    assert_int_equal(d.replayed, bits_of(2.0f));

    replay = replay_to(&t, 30);
    const abut_body ended = { 6, abut_world_bodies(abut_replay_world(replay)).generations[6] };
    assert_int_equal(abut_body_destroy(abut_replay_world(replay), ended), ABUT_OK);
    d = difference_of(replay);
    assert_int_equal(d.frame, 31);
    assert_int_equal(d.body, 6);
    tape_close(&t);
}

static void without_dumps_a_difference_is_named_by_its_hash(void **state)
{
    (void)state;
    tape t = { 0 };
    record_heap(&t, 0);
    abut_replay *replay = replay_to(&t, 17);
    abut_world_bodies(abut_replay_world(replay)).velocities[5].linear.z = 1.0f;
    const abut_replay_difference d = difference_of(replay);
    assert_int_equal(d.frame, 18);
    assert_int_equal(d.body, ABUT_NONE);
    assert_string_equal(d.part, "hash");
    assert_string_equal(d.field, "state");
    assert_true(d.recorded != d.replayed);
    tape_close(&t);
}

// Whatever is broken, a replay ends with a sentence, and frames before it were the same.
static abut_replay_outcome replay_broken(tape *t)
{
    abut_replay *replay = tape_replay(t, ABUT_BROAD_BRUTE, ABUT_ISA_AUTO, 1);
    const abut_replay_outcome outcome = replay_all(replay);
    assert_true((outcome == ABUT_REPLAY_BROKEN) == (abut_replay_fault(replay) != NULL));
    assert_true((outcome == ABUT_REPLAY_DIFFERS) == abut_replay_first_difference(replay, NULL));
    abut_replay_destroy(replay);
    return outcome;
}

static void damaged_and_cut_recordings_are_refused(void **state)
{
    (void)state;
    tape t = { 0 };
    record_heap(&t, 8);
    assert_int_equal(replay_broken(&t), ABUT_REPLAY_COMPLETE);
    const size_t size = t.size, ends = random_share_of(1024, 256), step = 29 * 1024 / ends;
    for (size_t at = 0; at < size; at += at < ends || at + ends > size ? 1 : step)
    {
        t.bytes[at] ^= (unsigned char)(1u << at % 8);
        assert_int_equal(replay_broken(&t), ABUT_REPLAY_BROKEN);
        t.bytes[at] ^= (unsigned char)(1u << at % 8);
        t.size = at;
        assert_int_equal(replay_broken(&t), ABUT_REPLAY_BROKEN);
        t.size = size;
    }
    tape_close(&t);
}

// Entries whose checksum fits, with contents of anybody's making.
static void hostile_recordings_break_nothing(void **state)
{
    (void)state;
    random_source random = random_start(25);
    const random_seeds seeds = random_seeds_of(5); // the last is 2D
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        tape t = { 0 };
        uint64_t frames;
        record_session(seed, &t, &frames);
        for (uint32_t turn = 0; turn < 60; ++turn)
        {
            tape bad = { .bytes = malloc(t.size), .size = t.size, .room = t.size };
            assert_non_null(bad.bytes);
            memcpy(bad.bytes, t.bytes, t.size);
            size_t at = sizeof(ab_stream_header);
            while (at < bad.size)
            {
                ab_entry_header header;
                memcpy(&header, bad.bytes + at, sizeof header);
                unsigned char *payload = bad.bytes + at + sizeof header;
                if (random_below(&random, 40) == 0 && header.size > 0)
                {
                    payload[random_below(&random, (uint32_t)header.size)] ^= (unsigned char)random_below(&random, 256);
                    header.kind =
                        random_below(&random, 8) == 0 ? random_below(&random, AB_ENTRY_COUNT + 1) : header.kind;
                    header.checksum = ab_header_seal(&header, sizeof header, payload, header.size);
                    memcpy(bad.bytes + at, &header, sizeof header);
                }
                at += sizeof header + (size_t)header.size;
            }
            (void)replay_broken(&bad);
            tape_close(&bad);
        }
        tape_close(&t);
    }
}

static void a_writer_that_fails_ends_the_recording_and_not_the_world(void **state)
{
    (void)state;
    tape whole = { 0 };
    record_heap(&whole, 3);
    const size_t size = whole.size;
    tape_close(&whole);
    for (size_t most = 1; most < size; most += 997)
    {
        abut_body body[BOXES];
        abut_world *world = open_heap(BOXES, body);
        tape t = { .most = most };
        abut_recording *recording;
        const abut_recording_def def = { .write = tape_write, .write_context = &t, .dump_interval = 3 };
        const abut_status begun = abut_recording_create(world, &def, &recording);
        assert_true(begun == ABUT_OK || begun == ABUT_INVALID_ARGUMENT);
        for (uint32_t i = 0; i < FRAMES; ++i)
        {
            assert_int_equal(abut_world_step(world, 0.01f), ABUT_OK);
        }
        assert_true((begun == ABUT_OK) == (recording != NULL));
        assert_non_null(abut_recording_fault(recording));
        assert_true(abut_recording_destroy(recording) == (recording == NULL));
        assert_true(t.size == 0 || replay_broken(&t) == ABUT_REPLAY_BROKEN);
        tape_close(&t);
        abut_world_destroy(world);
    }
}
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_of_random_sessions_replay_everywhere),
        cmocka_unit_test(failed_updates_between_detects_leave_no_mark),
        cmocka_unit_test(a_planted_difference_is_named_exactly),
        cmocka_unit_test(without_dumps_a_difference_is_named_by_its_hash),
        cmocka_unit_test(damaged_and_cut_recordings_are_refused),
        cmocka_unit_test(hostile_recordings_break_nothing),
        cmocka_unit_test(a_writer_that_fails_ends_the_recording_and_not_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
