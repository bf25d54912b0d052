// Recordings cross machines: what one program records of every scene replays in another, whatever compiler, instruction
// set, broad phase and number of threads either has. ABUT_IMAGES names a file as in test_state_exchange; recordings lie
// beside it.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "every_isa.h"
#include "recordings.h"
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    BODIES = 40,
    FRAMES = 1000,
    DUMPS = 50 // frames from one to the next
};

static void renew(abut_world *world, const bench_scene *scene, abut_body *body)
{
    for (uint32_t i = 0; i < scene->renewed_count; ++i)
    {
        assert_int_equal(abut_body_destroy(world, body[scene->renewed[i]]), ABUT_OK);
    }
    for (uint32_t i = 0; i < scene->renewed_count; ++i)
    {
        assert_int_equal(abut_body_create(world, &scene->renewed_defs[i], &body[scene->renewed[i]]), ABUT_OK);
    }
}

static void record_scene(uint32_t kind, tape *out)
{
    bench_scene *scene = scene_open(kind, BODIES, 0);
    abut_world *world;
    const abut_world_def def = { .dimension = scene->dimension,
                                 .margin = kind % 2 ? 0.01f : 0.0f,
                                 .recycle_distance = kind % 3 ? 0.0f : 0.02f,
                                 .separations = kind % 6 ? ABUT_FOLLOWED : ABUT_AT_ANCHORS };
    assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
    abut_body *body = test_malloc(scene->count * sizeof *body);
    assert_int_equal(abut_body_create_many(world, scene->defs, scene->count, body), ABUT_OK);
    abut_recording *recording = tape_record(out, world, DUMPS);
    for (uint32_t frame = 0; frame < FRAMES; ++frame)
    {
        assert_int_equal(abut_world_detect(world, frame % 10 == 9 ? 0.02f : 0.0f), ABUT_OK);
        scene_advance(scene);
        renew(world, scene, body);
        if (scene->moving > 0)
        {
            assert_int_equal(abut_body_set_pose_many(world, body, scene->moving, scene->poses), ABUT_OK);
        }
    }
    assert_true(abut_recording_destroy(recording));
    abut_world_destroy(world);
    scene_close(scene);
    test_free(body);
}

static void write_all(FILE *file)
{
    for (uint32_t kind = 0; kind < scene_kinds(); ++kind)
    {
        tape t = { 0 };
        record_scene(kind, &t);
        const uint64_t size = t.size;
        assert_int_equal(fwrite(&size, sizeof size, 1, file), 1);
        assert_int_equal(fwrite(t.bytes, 1, t.size, file), t.size);
        tape_close(&t);
    }
}

static void replay_scene(tape *t, uint32_t kind)
{
    uint32_t turn = kind;
    EVERY_ISA(isa)
    {
        ++turn;
        expect_replay(t, FRAMES, (abut_broad_kind)(turn % ABUT_BROAD_COUNT), isa, turn % 2 ? 1 : 3);
    }
}

static void read_all(FILE *file)
{
    for (uint32_t kind = 0; kind < scene_kinds(); ++kind)
    {
        uint64_t size;
        assert_int_equal(fread(&size, sizeof size, 1, file), 1);
        tape t = { .bytes = malloc((size_t)size), .size = (size_t)size };
        assert_non_null(t.bytes);
        assert_int_equal(fread(t.bytes, 1, t.size, file), t.size);
        replay_scene(&t, kind);
        tape_close(&t);
    }
}

// Written under another name, so that whoever finds the file finds it whole.
static FILE *record_into(const char *path)
{
    char unfinished[1088];
    assert_true(snprintf(unfinished, sizeof unfinished, "%s.%p", path, (void *)unfinished) < (int)sizeof unfinished);
    FILE *file = fopen(unfinished, "wb");
    assert_non_null(file);
    write_all(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(rename(unfinished, path), 0);
    return fopen(path, "rb");
}

static void recordings_of_other_programs_replay_to_the_same(void **state)
{
    (void)state;
    char path[1024];
    const char *images = getenv("ABUT_IMAGES");
    FILE *file = NULL;
    if (images)
    {
        assert_true(snprintf(path, sizeof path, "%s.recordings", images) < (int)sizeof path);
        file = fopen(path, "rb");
        file = file ? file : record_into(path);
    }
    else
    {
        file = tmpfile();
        assert_non_null(file);
        write_all(file);
        rewind(file);
    }
    assert_non_null(file);
    read_all(file);
    assert_int_equal(fclose(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(recordings_of_other_programs_replay_to_the_same) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
