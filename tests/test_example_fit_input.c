// What fit takes for points, in two dimensions as in three, and what it says of files that have none.
#define _POSIX_C_SOURCE 200809L
#include "program_output.h"

#include "random.h"

#include <math.h>
#include <string.h>

static program_output fit_text(const char *printf_text, const char *arguments)
{
    char command[768];
    assert_true(snprintf(command, sizeof command, "printf -- '%s' | " FIT " %s", printf_text, arguments) <
                (int)sizeof command);
    return program_run(command);
}

static void two_columns_are_fitted_by_rectangles(void **state)
{
    (void)state;
    random_source random = random_start(8);
    for (int i = 0; i < 20; ++i)
    {
        const double half_x = random_between(&random, 1.5, 3), half_y = random_between(&random, 0.2, 1);
        const double turn = random_between(&random, -0.7, 0.7), x = random_between(&random, -9, 9), y = 2;
        char text[256];
        size_t length = 0;
        for (int k = 0; k < 4; ++k)
        {
            const double at_x = k & 1 ? half_x : -half_x, at_y = k & 2 ? half_y : -half_y;
            length += (size_t)snprintf(text + length, sizeof text - length, "%.6f%s%.6f\\n",
                                       x + at_x * cos(turn) - at_y * sin(turn), i % 2 ? " " : ", ",
                                       y + at_x * sin(turn) + at_y * cos(turn));
        }
        const program_output found = fit_text(text, "");
        assert_int_equal(found.status, 0);
        const char *smallest = strstr(found.text, "smallest rectangle: ");
        assert_non_null(smallest);
        double area, centre[2], half[2], degrees;
        assert_int_equal(sscanf(smallest,
                                "smallest rectangle: area %lf centre (%lf, %lf) half extents (%lf, %lf) turned by %lf",
                                &area, &centre[0], &centre[1], &half[0], &half[1], &degrees),
                         6);
        assert_true(fabs(area - 4 * half_x * half_y) < 1e-4 && fabs(centre[0] - x) < 1e-4 &&
                    fabs(centre[1] - y) < 1e-4);
        assert_true(fabs(half[0] - half_x) < 1e-4 && fabs(half[1] - half_y) < 1e-4);
        assert_true(fabs(degrees - turn * 57.29577951308232) < 1e-3);
        assert_non_null(strstr(found.text, "axis-aligned rectangle: area "));
        assert_non_null(strstr(found.text, "principal rectangle: area "));
    }
}

static void headings_comments_faces_and_further_columns_are_passed_over(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "x,y\\n1,2\\n3,4\\n",
        "\\357\\273\\2771,2\\r\\n3,4\\r\\n",
        "# two points\\n\\n1 2 # first\\n3 4 second\\n",
        "name\\ninf.\\n1,2\\n3\\t4",
        "infinite war\\nnano 3\\n 1  2\\n\\n\\t3 ,4",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    {
        const program_output found = fit_text(texts[i], "-");
        if (found.status != 0 || !strstr(found.text, "axis-aligned rectangle: area 4\n"))
        {
            fail_msg("'%s': status %d, '%s'", texts[i], found.status, found.text);
        }
    }
    const program_output solid = fit_text("v 0 0 0 9\\nvn 5 5 5\\nv 1 2 3 9\\nf 1 2\\n", "-");
    assert_int_equal(solid.status, 0);
    assert_non_null(strstr(solid.text, "axis-aligned box: volume 6\n"));
}

// One line of ten thousand characters is one line.
static void a_line_may_be_of_any_length(void **state)
{
    (void)state;
    const program_output found =
        program_run("(printf '1 2 note'; i=0; while [ $i -lt 1000 ]; do printf ' 7 7 7 7 7'; i=$((i+1)); done; printf "
                    "'\\n3 4\\n') | " FIT);
    assert_int_equal(found.status, 0);
    assert_non_null(strstr(found.text, "axis-aligned rectangle: area 4\n"));
}

static void what_is_wrong_is_said_in_a_sentence(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "", "standard input: there is no point in it" },
        { "x,y\\nnothing\\n", "standard input: there is no point in it" },
        { "1 2\\n3\\n", "line 2 has one number; a point has two or three" },
        { "x\\n1 2\\n3 4 5\\n", "line 3 has 3 numbers, but the first point has 2" },
        { "1 2 3\\n4 5\\n", "line 2 has 2 numbers, but the first point has 3" },
        { "1 2\\n1 nan\\n", "line 2 has a coordinate that is not finite" },
        { "1 2\\n1 -inf\\n", "line 2 has a coordinate that is not finite" },
        { "1 1.1e8\\n", "line 1 has a coordinate that is not finite or beyond 1e+08" },
        { "1e8 1e8 1e8\\n-1e8 -1e8 -1e8\\n1e8 -1e8 0\\n", "a box around the points would reach past" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        const program_output found = fit_text(cases[i][0], "-");
        const char *line = strchr(found.text, '\n');
        if (found.status != 1 || strncmp(found.text, "fit: ", 5) != 0 || !strstr(found.text, cases[i][1]) || !line ||
            line[1])
        {
            fail_msg("'%s': status %d, '%s'", cases[i][0], found.status, found.text);
        }
    }
    assert_non_null(strstr(program_run(FIT " no_such_file").text, "fit: no_such_file cannot be opened\n"));
    assert_non_null(strstr(program_run(FIT " .").text, "fit: .: it cannot be read\n"));
    const program_output unwritten = fit_text("1 2\\n3 4\\n", "- no_such_folder/x.png");
    assert_int_equal(unwritten.status, 1);
    assert_non_null(strstr(unwritten.text, "fit: the picture cannot be written to no_such_folder/x.png\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_columns_are_fitted_by_rectangles),
        cmocka_unit_test(headings_comments_faces_and_further_columns_are_passed_over),
        cmocka_unit_test(a_line_may_be_of_any_length),
        cmocka_unit_test(what_is_wrong_is_said_in_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
