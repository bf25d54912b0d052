// Every example answers --help, and says what is wrong with arguments that it does not take.
#define _POSIX_C_SOURCE 200809L
#include "program_output.h"

#include <string.h>

typedef struct program
{
    char command[512];
    const char *name; // in the command
} program;

// The program after `at`, in a list of commands each with a '|' behind it; NULL: there is none.
static const char *next_program(const char *at, program *out)
{
    const char *end = strchr(at, '|');
    if (!end)
    {
        return NULL;
    }
    assert_true((size_t)(end - at) < sizeof out->command);
    memcpy(out->command, at, (size_t)(end - at));
    out->command[end - at] = '\0';
    const char *slash = strrchr(out->command, '/');
    out->name = slash ? slash + 1 : out->command;
    return end + 1;
}

static program_output run_with(const program *p, const char *arguments)
{
    char command[768];
    assert_true(snprintf(command, sizeof command, "%s %s", p->command, arguments) < (int)sizeof command);
    return program_run(command);
}

static void help_is_printed_and_is_no_error(void **state)
{
    (void)state;
    static const char *const asking[] = { "--help", "-h" };
    int count = 0;
    program p;
    for (const char *at = next_program(PROGRAMS, &p); at; at = next_program(at, &p))
    {
        for (size_t i = 0; i < 2; ++i, ++count)
        {
            char usage[64];
            (void)snprintf(usage, sizeof usage, "usage: %s", p.name);
            const program_output found = run_with(&p, asking[i]);
            const bool begins = strncmp(found.text, usage, strlen(usage)) == 0;
            const char *line = strchr(found.text, '\n');
            if (found.status != 0 || !begins || !line || !strchr(line + 1, '\n'))
            {
                fail_msg("%s %s: status %d, '%s'", p.name, asking[i], found.status, found.text);
            }
        }
    }
    assert_true(count >= 14);
}

static void what_is_not_taken_is_status_2_and_one_line_that_names_it(void **state)
{
    (void)state;
    program p;
    for (const char *at = next_program(PROGRAMS, &p); at; at = next_program(at, &p))
    {
        const program_output found = run_with(&p, "--no-such");
        const char *line = strchr(found.text, '\n');
        if (found.status != 2 || strncmp(found.text, p.name, strlen(p.name)) != 0 || !line || line[1] ||
            !strstr(found.text, "'--no-such'"))
        {
            fail_msg("%s: status %d, '%s'", p.name, found.status, found.text);
        }
    }
}

// Each of these once was taken for something else, or answered by a line of usage alone.
static void the_value_that_is_wrong_is_named(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "capsule", "more" },
        { "fit", "a.csv b.png more" },
        { "marquee", "lisp" },
        { "marquee", "draw" },
        { "spinning_rects", "frame 360 x.png" },
        { "spinning_rects", "frame x x.png" },
        { "spinning_rects", "strip" },
        { "stack", "--scene towers" },
        { "stack", "--isa no_such" },
        { "stack", "--seconds x" },
        { "stack", "--seconds 0" },
        { "stack", "--seconds" },
        { "ode_front_end", "heap" },
        { "picture", "--size x" },
    };
    program p;
    for (const char *at = next_program(PROGRAMS, &p); at; at = next_program(at, &p))
    {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        {
            if (strcmp(cases[i][0], p.name) == 0)
            {
                const program_output found = run_with(&p, cases[i][1]);
                if (found.status != 2 || strncmp(found.text, p.name, strlen(p.name)) != 0 || !strchr(found.text, '\''))
                {
                    fail_msg("%s %s: status %d, '%s'", p.name, cases[i][1], found.status, found.text);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_is_printed_and_is_no_error),
        cmocka_unit_test(what_is_not_taken_is_status_2_and_one_line_that_names_it),
        cmocka_unit_test(the_value_that_is_wrong_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
