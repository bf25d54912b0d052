// abut-replay prints what a replay comes to, and says by its status which it is.
#define _POSIX_C_SOURCE 200809L
#include "program_output.h"

#include "recordings.h"

#include "record/stream.h"
#include "state/image.h"

#include <abut/abut.h>

#include <string.h>

#define NAME  "test_replay_program.rec"
#define OTHER "test_replay_program_other.rec"

enum
{
    BODIES = 9,
    FRAMES = 30
};

// `frames` of a world in which body 4 moves, and in frame `bumped` moves otherwise; zero: never. `user_data` is each
// world's own.
static void record_bumped(tape *t, uint32_t frames, uint32_t bumped, uint64_t user_data)
{
    abut_world *world;
    abut_body body;
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        abut_body_def def = { .pose.position = { (float)(i % 3), (float)(i / 3), 0 } };
        def.collider.shape = abut_shape_obb(0.55f, 0.55f, 0.55f);
        def.user_data = user_data;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    const abut_vec3 corners[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    abut_geometry *hull;
    assert_int_equal(abut_geometry_create_hull(corners, 4, 0, NULL, &hull), ABUT_OK);
    abut_recording *recording = tape_record(t, world, 1);
    const abut_body_def def = { .pose.position = { 0.25f, 0.25f, 0.5f }, .collider.shape = abut_shape_hull(hull) };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    for (uint32_t i = 1; i <= frames; ++i)
    {
        abut_world_bodies(world).poses[4].position.z += i == bumped ? 0.5f : 0.015625f;
        assert_int_equal(abut_world_step(world, 0.0f), ABUT_OK);
    }
    assert_true(abut_recording_destroy(recording));
    abut_world_destroy(world);
    abut_geometry_release(hull);
}

static void record(tape *t)
{
    record_bumped(t, FRAMES, 0, 0);
}

static void put_file_at(const char *name, const tape *t)
{
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(t->bytes, 1, t->size, file), t->size);
    assert_int_equal(fclose(file), 0);
}

static void put_file(const tape *t)
{
    put_file_at(NAME, t);
}

static program_output replay(const char *arguments)
{
    char command[768];
    assert_true(snprintf(command, sizeof command, "%s %s", ABUT_REPLAY, arguments) < (int)sizeof command);
    return program_run(command);
}

static void expect(const char *arguments, int status, const char *says)
{
    const program_output found = replay(arguments);
    if (found.status != status || !strstr(found.text, says))
    {
        fail_msg("%s: status %d, '%s'", arguments, found.status, found.text);
    }
}

static void recordings_are_replayed_as_asked(void **state)
{
    (void)state;
    tape t = { 0 };
    record(&t);
    put_file(&t);
    expect(NAME, 0, "30 frames, same\n");
    expect("--isa scalar --broad brute --threads 2 " NAME, 0, "30 frames, same\n");
    expect("- --broad grid <" NAME, 0, "30 frames, same\n");
    t.size /= 2;
    put_file(&t);
    expect(NAME, 2, "breaks off");
    t.size = 7;
    put_file(&t);
    expect(NAME, 2, "this is not a recording");
    tape_close(&t);
    assert_int_equal(remove(NAME), 0);
    expect(NAME, 2, NAME);
}

// The pose that is written before frame 21.
static void a_planted_difference_is_printed(void **state)
{
    (void)state;
    tape t = { 0 };
    record(&t);
    uint32_t written = 0;
    for (size_t at = sizeof(ab_stream_header); at < t.size;)
    {
        ab_entry_header header;
        memcpy(&header, t.bytes + at, sizeof header);
        unsigned char *payload = t.bytes + at + sizeof header;
        if (header.kind == AB_ENTRY_WRITTEN && ++written == 21)
        {
            const float other = 0.5f;
            memcpy(payload + 4 * sizeof(uint32_t), &other, sizeof other); // position.x, behind column and run
            header.checksum = ab_header_seal(&header, sizeof header, payload, header.size);
            memcpy(t.bytes + at, &header, sizeof header);
        }
        at += sizeof header + (size_t)header.size;
    }
    put_file(&t);
    expect(NAME, 1,
           "frame 21 differs: body 4, body: position.x\n  recorded: 1 (0x3f800000)\n  replayed: 0.5 (0x3f000000)");
    tape_close(&t);
    assert_int_equal(remove(NAME), 0);
}

static void put_bumped(const char *name, uint32_t frames, uint32_t bumped, uint64_t user_data)
{
    tape t = { 0 };
    record_bumped(&t, frames, bumped, user_data);
    put_file_at(name, &t);
    tape_close(&t);
}

static void two_recordings_are_compared_frame_by_frame(void **state)
{
    (void)state;
    put_bumped(NAME, FRAMES, 0, 1);
    put_bumped(OTHER, FRAMES, 0, 2);
    expect(NAME " --beside " OTHER, 0, "30 frames, same in both\n");
    put_bumped(OTHER, FRAMES - 10, 0, 2);
    expect(NAME " --beside " OTHER, 0, "20 frames, same in both\n" OTHER " ends there\n");
    expect(OTHER " --beside " NAME, 0, "20 frames, same in both\n" OTHER " ends there\n");
    put_bumped(OTHER, FRAMES, 16, 2);
    expect(OTHER, 0, "30 frames, same\n");
    expect(NAME " --isa scalar --beside " OTHER, 1,
           "frame 16 differs: body 4, body: position.z\n  " NAME ": 0.25 (0x3e800000)\n  " OTHER
           ": 0.734375 (0x3f3c0000)");
    tape t = { 0 };
    record(&t);
    t.size /= 2;
    put_file_at(OTHER, &t);
    tape_close(&t);
    expect(NAME " --beside " OTHER, 2, OTHER " by itself: ");
    assert_int_equal(remove(OTHER), 0);
    expect(NAME " --beside " OTHER, 2, OTHER);
    assert_int_equal(remove(NAME), 0);
}

static void wrong_arguments_are_status_2(void **state)
{
    (void)state;
    expect("", 2, "usage: abut-replay");
    expect("-h", 0, "usage: abut-replay");
    expect("x --help", 0, "usage: abut-replay");
    expect("x --what", 2, "'--what': there is no such option");
    expect("x --isa", 2, "'--isa': it takes a value");
    expect("x --isa z80", 2, "'z80': there is no such instruction set");
    expect("x --broad none", 2, "'none': there is no such broad phase");
    expect("x --threads 0", 2, "'0': the number of threads");
    expect("x --threads 257", 2, "'257': the number of threads");
    expect("x y", 2, "'y': one argument too many");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_are_replayed_as_asked),
        cmocka_unit_test(a_planted_difference_is_printed),
        cmocka_unit_test(two_recordings_are_compared_frame_by_frame),
        cmocka_unit_test(wrong_arguments_are_status_2),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
