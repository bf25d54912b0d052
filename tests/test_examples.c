// The 2D examples print what the referee says.
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif

#include "referee_2d.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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

#define DROPPED " --bodies 120 --seconds 12"

enum
{
    BLOCKS = 64,
    SIDE = 41
};

// What the text of a level says, as far as it goes for the test: the ground, and boxes.
typedef struct level_text
{
    double height[SIDE][SIDE];
    double block[BLOCKS][6]; // middle, half extents
    int rows, blocks;
} level_text;

static level_text read_level(const char *path)
{
    static char line[16384];
    level_text l = { .rows = 0 };
    int columns = 0, rows = 0;
    double step = 0.0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
    {
        double *b = l.block[l.blocks];
        if (sscanf(line, "block %lf %lf %lf %lf %lf %lf", &b[0], &b[1], &b[2], &b[3], &b[4], &b[5]) == 6)
        {
            assert_true(++l.blocks < BLOCKS);
        }
        else if (sscanf(line, "ground %d %d %lf", &columns, &rows, &step) == 3)
        {
            assert_true(columns == SIDE && rows == SIDE && step == 1.0);
        }
        else if (strncmp(line, "heights", 7) == 0)
        {
            char *at = line + 7;
            for (int i = 0; i < SIDE; ++i)
            {
                l.height[l.rows][i] = strtod(at, &at);
            }
            ++l.rows;
        }
    }
    fclose(file);
    assert_true(l.rows == SIDE && l.blocks > 10);
    return l;
}

// The middle of a body is in no box, and above the lowest corner of the cell of the ground that it is over.
static void expect_outside(const level_text *l, const double at[3])
{
    const double x = at[0] + 20.0, z = at[2] + 20.0;
    assert_true(x > 0.0 && x < 40.0 && z > 0.0 && z < 40.0);
    const int column = (int)x, row = (int)z;
    const double *low = &l->height[row][column], *high = &l->height[row + 1][column];
    assert_true(at[1] > fmin(fmin(low[0], low[1]), fmin(high[0], high[1])));
    for (int i = 0; i < l->blocks; ++i)
    {
        const double *b = l->block[i];
        assert_false(fabs(at[0] - b[0]) < b[3] && fabs(at[1] - b[1]) < b[4] && fabs(at[2] - b[2]) < b[5]);
    }
}

// The two lines in which the program sums up; `listed` gets how many bodies of each kind it lists.
static void run_level(const char *arguments, const level_text *l, int listed[6], char summary[2][256])
{
    static const char *const kinds[6] = { "sphere", "box", "capsule", "cylinder", "hull", "compound" };
    char command[1024], line[256], kind[16];
    int lines = 0;
    double at[3];
    assert_true(snprintf(command, sizeof command, "%s %s", LEVEL, arguments) < (int)sizeof command);
    FILE *pipe = output_of(command);
    while (fgets(line, sizeof line, pipe))
    {
        if (sscanf(line, "%15s %lf %lf %lf", kind, &at[0], &at[1], &at[2]) == 4)
        {
            for (int i = 0; i < 6; ++i)
            {
                listed[i] += strcmp(kind, kinds[i]) == 0;
            }
            if (l)
            {
                expect_outside(l, at);
            }
            continue;
        }
        assert_true(lines < 2);
        memcpy(summary[lines++], line, sizeof line);
    }
    assert_int_equal(lines, 2);
    assert_int_equal(pclose(pipe), 0);
}

static void bodies_of_every_kind_come_to_rest_on_the_level(void **state)
{
    (void)state;
    char made[2][256], read[2][256];
    int listed[6] = { 0 }, none[6] = { 0 }, fallen, moving, floating, pairs, contacts, points;
    double fastest, deepest;
    run_level(DROPPED " --text test_level.txt --obj test_level.obj --picture test_level.png --size 90x56 --samples 1",
              NULL, none, made);
    const level_text l = read_level("test_level.txt");
    run_level(DROPPED " --list yes test_level.txt", &l, listed, read);
    assert_string_equal(made[0], read[0]);
    assert_string_equal(made[1], read[1]);
    for (int i = 0; i < 6; ++i)
    {
        assert_int_equal(listed[i], 20);
    }
    assert_int_equal(sscanf(strchr(read[0], ':'), ": %d fell through, %d move (the fastest %lf m/s), %d touch nothing",
                            &fallen, &moving, &fastest, &floating),
                     4);
    assert_true(fallen == 0 && moving == 0 && fastest < 0.1 && floating == 0);
    assert_int_equal(
        sscanf(read[1], "%d pairs touch in %d contacts with %d points, %lf", &pairs, &contacts, &points, &deepest), 4);
    assert_true(pairs >= 100 && contacts > pairs && points > contacts && deepest < 0.05);
    FILE *picture = fopen("test_level.png", "rb");
    assert_non_null(picture);
    fclose(picture);
    remove("test_level.txt");
    remove("test_level.obj");
    remove("test_level.png");
}

// The same triangles from an OBJ file end the same way, bit for bit, where the program reads these.
static void a_level_of_triangles_is_the_same_level(void **state)
{
    (void)state;
    char made[2][256], read[2][256];
    int none[6] = { 0 };
    run_level(DROPPED " --obj test_triangles.obj", NULL, none, made);
    FILE *pipe = output_of(LEVEL " --bodies 1 --seconds 1 test_triangles.obj 2>&1");
    const bool without = fgets(read[0], sizeof read[0], pipe) && strstr(read[0], "was built without tinyobjloader");
    while (fgets(read[1], sizeof read[1], pipe))
    {
    }
    pclose(pipe);
    if (!without)
    {
        run_level(DROPPED " test_triangles.obj", NULL, none, read);
        assert_string_equal(made[0], read[0]);
        assert_string_equal(made[1], read[1]);
    }
    remove("test_triangles.obj");
}

static void what_is_no_level_is_named_by_its_line(void **state)
{
    (void)state;
    static const char *const lines[] = { "block 0 0 0 1 1",
                                         "block 0 0 0 1 1 0",
                                         "ramp 0 0 0 1 1 1 4",
                                         "stairs 0 0 0 1 1 1 0 0",
                                         "pillar 0 0 0 1 1 2",
                                         "heights 1 2",
                                         "ground 2 2 1",
                                         "ground 2 2 1\nheights 1",
                                         "castle 1 2 3",
                                         "block 0 0 0 1 1 nan",
                                         "ground 1 2 1",
                                         "# nothing",
                                         "ground 2 2 1\nheights 1 1\nheights 1 1\nheights 1 1" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i)
    {
        char said[256] = "";
        FILE *file = fopen("test_no_level.txt", "w");
        assert_non_null(file);
        fprintf(file, "%s\n", lines[i]);
        fclose(file);
        FILE *pipe = output_of(LEVEL " test_no_level.txt 2>&1");
        const bool spoke = fgets(said, sizeof said, pipe) != NULL;
        const bool failed = pclose(pipe) != 0;
        if (!spoke || !failed || strncmp(said, "level: test_no_level.txt:", 25) != 0)
        {
            fail_msg("'%s': '%s'", lines[i], said);
        }
    }
    remove("test_no_level.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_rectangles_touch_in_the_right_frames),
        cmocka_unit_test(the_marquee_selects_what_it_touches_and_what_it_holds),
        cmocka_unit_test(bodies_of_every_kind_come_to_rest_on_the_level),
        cmocka_unit_test(a_level_of_triangles_is_the_same_level),
        cmocka_unit_test(what_is_no_level_is_named_by_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
