// The 2D examples print what the referee says.
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif

#include "referee_2d.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static FILE *output_of(const char *command)
{
    FILE *pipe = popen(command, "r"); // the commands are our own programs
    assert_non_null(pipe);
    return pipe;
}

// -1: apart, 1: touching, 0: too near to say.
static int rectangles_in_frame(int frame)
{
    const abut_shape a = abut_shape_obb(15, 70, 0), b = abut_shape_obb(20, 55, 0);
    const double degree = 3.14159265358979323846 / 180.0;
    const abut_pose pose_a = abut_pose_2d(100, 150, (float)((30 + 2 * frame) * degree));
    const abut_pose pose_b = abut_pose_2d(100, 70, (float)((40 + frame) * degree));
    const solid_2d solid_a = solid_2d_of(&a, &pose_a, NULL), solid_b = solid_2d_of(&b, &pose_b, NULL);
    const contact_2d contact = collide_2d(&solid_a, &solid_b);
    return decide_2d(&contact, 0.0);
}

static void spinning_rectangles_touch_in_the_right_frames(void **state)
{
    (void)state;
    bool touching[360] = { false };
    int from, to, count = -1, sum = 0, undecided = 0;
    char line[128];
    FILE *pipe = output_of(SPINNING_RECTS);
    while (fgets(line, sizeof line, pipe))
    {
        if (sscanf(line, "frames %d to %d", &from, &to) == 2)
        {
            assert_true(0 <= from && from <= to && to < 360);
            for (int frame = from; frame <= to; ++frame)
            {
                touching[frame] = true;
            }
        }
        else
        {
            assert_int_equal(sscanf(line, "%d of 360 frames in contact", &count), 1);
        }
    }
    assert_int_equal(pclose(pipe), 0);
    for (int frame = 0; frame < 360; ++frame)
    {
        const int expected = rectangles_in_frame(frame);
        sum += touching[frame];
        undecided += expected == 0;
        if (expected && touching[frame] != (expected > 0))
        {
            fail_msg("frame %d", frame);
        }
    }
    assert_int_equal(sum, count);
    assert_true(sum > 50 && sum < 310 && undecided < 5);
}

static void the_marquee_selects_what_it_touches_and_what_it_holds(void **state)
{
    (void)state;
    const abut_shape frame = abut_shape_aabb(282.5f, 136.5f, 0);
    const abut_pose at = abut_pose_2d(481.5f, 275.5f, 0);
    const solid_2d solid = solid_2d_of(&frame, &at, NULL);
    FILE *pipe = output_of(MARQUEE " list");
    int count = 0, touched = 0, held = 0, undecided = 0, id, touches, inside;
    abut_pose pose = abut_pose_identity();
    float hx, hy;
    char line[256];
    while (fgets(line, sizeof line, pipe))
    {
        assert_int_equal(sscanf(line, "%d %g %g %g %g %g %g %d %d", &id, &pose.position.x, &pose.position.y, &hx, &hy,
                                &pose.rotation.z, &pose.rotation.w, &touches, &inside),
                         9);
        const abut_shape shape = abut_shape_obb(hx, hy, 0);
        const solid_2d element = solid_2d_of(&shape, &pose, NULL);
        const contact_2d contact = collide_2d(&solid, &element);
        const int expected = decide_2d(&contact, 0.0);
        bool within = true;
        for (int k = 0; k < 4; ++k)
        {
            within = within && point_distance_2d(&solid, element.corner[k]) <= 0.0;
        }
        assert_int_equal(id, count);
        assert_true(expected == 0 || touches == (expected > 0));
        assert_int_equal(inside, within);
        assert_true(touches || !inside);
        undecided += expected == 0;
        touched += touches;
        held += inside;
        ++count;
    }
    assert_int_equal(pclose(pipe), 0);
    assert_true(count > 500 && undecided <= 4); // the four squares laid corner to corner
    int told, told_touched, told_held;
    pipe = output_of(MARQUEE);
    assert_int_equal(fscanf(pipe, "%d elements, the frame touches %d and holds %d", &told, &told_touched, &told_held),
                     3);
    assert_int_equal(pclose(pipe), 0);
    assert_true(told == count && told_touched == touched && told_held == held && held > 50 && held < touched);
    // Of the eight squares at the corners of the frame the upright ones touch it.
    pipe = output_of(MARQUEE " list");
    for (int i = 0; fgets(line, sizeof line, pipe); ++i)
    {
        assert_int_equal(sscanf(line, "%d %*g %*g %*g %*g %*g %*g %d", &id, &touches), 2);
        assert_true(i < count - 8 || touches == ((i - (count - 8)) % 2 == 0));
    }
    assert_int_equal(pclose(pipe), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_rectangles_touch_in_the_right_frames),
        cmocka_unit_test(the_marquee_selects_what_it_touches_and_what_it_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
