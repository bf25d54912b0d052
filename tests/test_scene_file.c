// Scene files: valid ones load, and everything else fails with the file, the line and the reason.
#include "scenes.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <string.h>

#define PATH "test_scene_file.csv"

static bench_scene *open_text(const char *text, size_t length, bench_complaint *complaint)
{
    FILE *file = fopen(PATH, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    *complaint = (bench_complaint){ 0 };
    bench_scene *scene = scene_open_file(PATH, complaint);
    assert_int_equal(remove(PATH), 0);
    return scene;
}

static void the_recorded_pour_is_a_scene(void **state)
{
    (void)state;
    bench_complaint complaint = { 0 };
    bench_scene *scene = scene_open_file(ABUT_SCENES_DIR "/pour_500.csv", &complaint);
    assert_non_null(scene);
    assert_int_equal(complaint.status, 0);
    assert_string_equal(scene->name, "pour_500");
    assert_int_equal(scene->count, 505);
    assert_int_equal(scene->bodies, 505);
    assert_int_equal(scene->moving, 500);
    assert_int_equal(scene->frames, 60);
    while (scene->frame < 59)
    {
        scene_advance(scene);
    }
    // The last line of the file:
    // pose,59,504,-2.059702,0.9271439,4.386569,-0.9037905,-0.009055015,-0.4253299,-0.04663808
    assert_int_equal(scene->defs[499].user_data, 504);
    assert_true(scene->poses[499].position.x == -2.059702f);
    assert_true(scene->poses[499].rotation.w == -0.9037905f);
    assert_true(scene->poses[499].rotation.z == -0.04663808f);
    scene_close(scene);
}

// Spaces, carriage returns, empty lines, ids in any order, frames that begin late and are not all there, a body without
// a pose in later frames, a last line without an end.
static void a_file_may_be_written_in_many_ways(void **state)
{
    (void)state;
    static const char text[] = "# a comment\r\n\r\n"
                               " body, 7 ,sphere, 1,1,1, 0\r\n"
                               "body,4000000000,obb,1,2,3e0,1\n"
                               "body,2,aabb,0,.5,0.25E+1,1\n"
                               "pose,10,7,1,2,3,1,0,0,0\n"
                               "pose,10,2,-1,-2,-3,1,0,0,0\n"
                               "pose,10,4000000000,0,0,0,2,0,0,0\n"
                               "pose,12,2,5,5,5,1,0,0,0\n"
                               "pose,13,7,1,2,3,1,0,0,0\n"
                               "pose,13,4000000000,9,9,9,0,1,0,0";
    bench_complaint complaint;
    bench_scene *scene = open_text(text, sizeof text - 1, &complaint);
    assert_non_null(scene);
    assert_int_equal(scene->count, 3);
    assert_int_equal(scene->moving, 2);
    assert_int_equal(scene->frames, 4);
    assert_true(scene->defs[0].user_data == 4000000000u);
    assert_int_equal(scene->defs[1].user_data, 2);
    assert_int_equal(scene->defs[2].user_data, 7);
    assert_int_equal(scene->defs[2].motion, ABUT_STATIC);
    assert_true(scene->defs[1].collider.shape.box.half_extents.z == 2.5f);
    assert_true(scene->poses[0].rotation.w == 1.0f);
    scene_advance(scene);
    assert_true(scene->poses[1].position.x == -1.0f);
    scene_advance(scene);
    assert_true(scene->poses[1].position.x == 5.0f && scene->poses[0].position.x == 0.0f);
    for (uint32_t i = 0; i < 5; ++i)
    {
        scene_advance(scene);
        assert_true(scene->poses[1].position.x == 5.0f && scene->poses[0].position.x == 9.0f);
    }
    scene_close(scene);
}

static void invalid_scenes_fail_with_line_and_reason(void **state)
{
    (void)state;
#define BODY "body,0,obb,1,1,1,1\n"
#define POSE "pose,0,0,0,0,0,1,0,0,0\n"
    static const struct
    {
        const char *text;
        uint32_t line;
        const char *reason;
    } cases[] = {
        { "", 0, "0 bodies" },
        { "# nothing\n", 1, "0 bodies" },
        { BODY, 1, "0 poses" },
        { POSE, 1, "0 bodies" },
        { "bodies,0,obb,1,1,1,1\n", 1, "begins with" },
        { BODY ",\n" POSE, 2, "begins with" },
        { BODY POSE "hello\n", 3, "hello" },
        { "body,0,obb,1,1,1\n" POSE, 1, "7 fields" },
        { "body,0,obb,1,1,1,1,1\n" POSE, 1, "7 fields" },
        { "body,0,obb,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1\n" POSE, 1, "too many fields" },
        { "body,,obb,1,1,1,1\n" POSE, 1, "whole number" },
        { "body,-1,obb,1,1,1,1\n" POSE, 1, "whole number" },
        { "body,1.5,obb,1,1,1,1\n" POSE, 1, "whole number" },
        { "body,4294967295,obb,1,1,1,1\n" POSE, 1, "too large" },
        { "body,99999999999999999999,obb,1,1,1,1\n" POSE, 1, "whole number" },
        { "body,0,box,1,1,1,1\n" POSE, 1, "box" },
        { "body,0,,1,1,1,1\n" POSE, 1, "kind" },
        { "body,0,obb,-1,1,1,1\n" POSE, 1, "negative" },
        { "body,0,obb,1,nan,1,1\n" POSE, 1, "nan" },
        { "body,0,obb,1,inf,1,1\n" POSE, 1, "inf" },
        { "body,0,obb,1,1e9,1,1\n" POSE, 1, "out of range" },
        { "body,0,obb,1,1e999,1,1\n" POSE, 1, "out of range" },
        { "body,0,obb,1,0x10,1,1\n" POSE, 1, "not a number" },
        { "body,0,obb,1,1 1,1,1\n" POSE, 1, "not a number" },
        { "body,0,obb,1,--1,1,1\n" POSE, 1, "not a number" },
        { "body,0,obb,1,,1,1\n" POSE, 1, "not a number" },
        { "body,0,sphere,1,1,2,1\n" POSE, 1, "differ" },
        { "body,0,obb,1,1,1,2\n" POSE, 1, "moving" },
        { "body,0,obb,1,1,1,yes\n" POSE, 1, "whole number" },
        { BODY BODY POSE, 2, "declared before" },
        { BODY "pose,0,0,0,0,0,1,0,0\n", 2, "10 fields" },
        { BODY "pose,0,1,0,0,0,1,0,0,0\n", 2, "before it is declared" },
        { POSE BODY, 1, "before it is declared" },
        { BODY "pose,0,0,0,0,0,0,0,0,0\n", 2, "rotation is zero" },
        { BODY "pose,0,0,0,0,zero,1,0,0,0\n", 2, "zero" },
        { BODY POSE POSE, 3, "twice" },
        { BODY "pose,3,0,0,0,0,1,0,0,0\n" POSE, 3, "frame 0 comes after frame 3" },
        { BODY POSE "pose,4000000000,0,0,0,0,1,0,0,0\n", 3, "4000000000" },
        { BODY "body,1,obb,1,1,1,1\n" POSE, 2, "no pose in the first frame" },
        { BODY "body,1,obb,1,1,1,1\n" POSE "pose,1,1,0,0,0,1,0,0,0\n", 4, "no pose in the first frame" },
        { "body,0,aabb,1,1,1,0\n" POSE "pose,1,0,0,0,1,1,0,0,0\n", 3, "not moving" },
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        bench_complaint complaint;
        bench_scene *scene = open_text(cases[i].text, strlen(cases[i].text), &complaint);
        char beginning[64];
        snprintf(beginning, sizeof beginning, PATH ":%u: ", cases[i].line);
        if (scene || complaint.status != EXIT_ASKED || strncmp(complaint.sentence, beginning, strlen(beginning)) != 0 ||
            !strstr(complaint.sentence, cases[i].reason))
        {
            fail_msg("case %u: %s", i, scene ? "accepted" : complaint.sentence);
        }
    }
}

static void binary_files_folders_and_absent_files_fail(void **state)
{
    (void)state;
    static const char binary[] = BODY "pose\0pose\n";
    bench_complaint complaint;
    assert_null(open_text(binary, sizeof binary - 1, &complaint));
    assert_non_null(strstr(complaint.sentence, ":2: has a zero byte"));
    static const char *const paths[] = { "no_such_file.csv", "." };
    for (uint32_t i = 0; i < 2; ++i)
    {
        complaint.status = 0;
        assert_null(scene_open_file(paths[i], &complaint));
        assert_int_equal(complaint.status, EXIT_ASKED);
        assert_int_equal(strncmp(complaint.sentence, paths[i], strlen(paths[i])), 0);
    }
}

// Cutting or spoiling a sound file anywhere gives a scene or a complaint, never anything else.
static void any_damage_gives_a_scene_or_a_complaint(void **state)
{
    (void)state;
    static const char sound[] = BODY "body,1,sphere,1,1,1,0\n" POSE "pose,0,1,1,1,1,1,0,0,0\npose,1,0,1,2,3,1,0,0,0\n";
    static const char spoilers[] = { '\0', '\n', ',', '-', '9', 'e', '.', '#', '\xff' };
    for (size_t at = 0; at < sizeof sound - 1; ++at)
    {
        for (size_t s = 0; s <= sizeof spoilers; ++s)
        {
            char text[sizeof sound];
            memcpy(text, sound, sizeof sound);
            size_t length = s == sizeof spoilers ? at : sizeof sound - 1;
            text[at] = s == sizeof spoilers ? text[at] : spoilers[s];
            bench_complaint complaint;
            bench_scene *scene = open_text(text, length, &complaint);
            assert_int_equal(scene == NULL, complaint.status == EXIT_ASKED);
            for (uint32_t frame = 0; scene && frame < 3; ++frame)
            {
                scene_advance(scene);
            }
            scene_close(scene);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_recorded_pour_is_a_scene),
        cmocka_unit_test(a_file_may_be_written_in_many_ways),
        cmocka_unit_test(invalid_scenes_fail_with_line_and_reason),
        cmocka_unit_test(binary_files_folders_and_absent_files_fail),
        cmocka_unit_test(any_damage_gives_a_scene_or_a_complaint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
