// abut-bench from its user's side: its options, the runs that they select, and its exit status.
#include "bench_outcome.h"
#include "peers/peers.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void help_and_list_name_everything(void **state)
{
    (void)state;
    static const char *const options[] = { "--scene",  "--bodies", "--broad", "--isa",   "--threads", "--hash",
                                           "--frames", "--file",   "--peer",  "--json",  "--csv",     "--list",
                                           "--help",   "--after",  "--limit", "--passes" };
    outcome help = bench("--help");
    assert_int_equal(help.status, 0);
    for (uint32_t i = 0; i < sizeof options / sizeof options[0]; ++i)
    {
        assert_non_null(strstr(help.out, options[i]));
    }
    outcome list = bench("--list");
    assert_int_equal(list.status, 0);
    for (uint32_t kind = 0; kind < scene_kinds(); ++kind)
    {
        assert_non_null(strstr(list.out, scene_describe(kind).name));
    }
    for (int isa = 0; isa < ABUT_ISA_COUNT; ++isa)
    {
        bool listed = strstr(list.out, abut_isa_name((abut_isa)isa)) != NULL;
        assert_int_equal(listed, abut_isa_available((abut_isa)isa));
    }
    for (int broad = 0; broad < ABUT_BROAD_COUNT; ++broad)
    {
        assert_non_null(strstr(list.out, abut_broad_name((abut_broad_kind)broad)));
    }
}

static void what_makes_no_sense_is_status_2_and_a_sentence(void **state)
{
    (void)state;
    static const struct
    {
        const char *arguments, *culprit;
    } cases[] = {
        { "--no-such", "--no-such" },
        { "gas", "gas" },
        { "-h", "-h" },
        { "--scene", "--scene" },
        { "--scene=", "--scene" },
        { "--scene no_such", "no_such" },
        { "--scene gas,", "''" },
        { "--scene gas,,dense", "''" },
        { "--bodies", "--bodies" },
        { "--bodies 0", "'0'" },
        { "--bodies -1", "'-1'" },
        { "--bodies 1e3", "'1e3'" },
        { "--bodies 100,x", "'x'" },
        { "--bodies 99999999999999999999", "99999999999999999999" },
        { "--bodies 20000000", "no scene" },
        { "--scene cluster --bodies 1001", "cluster" },
        { "--frames 0", "--frames" },
        { "--passes 0", "--passes" },
        { "--frames 1.5", "1.5" },
        { "--threads 0", "--threads" },
        { "--threads 300", "300 threads" },
        { "--broad no_such", "no_such" },
        { "--isa no_such", "no_such" },
        { "--peer no_such", "no_such" },
        { "--peer sweep,,ode", "''" },
        { "--peer swee", "swee" },
        { "--after x", "--after" },
        { "--limit 0", "--limit" },
        { "--list=yes", "--list" },
        { "--json - --csv -", "'-'" },
        { "--json same --csv same", "'same'" },
        { "--file no_such.csv", "no_such.csv" },
        { "--scene gas --bodies 10 --json no_such_folder/x", "no_such_folder/x" },
    };
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        outcome found = bench(cases[i].arguments);
        const char *newline = strchr(found.err, '\n');
        bool one_sentence = strncmp(found.err, "abut-bench: ", 12) == 0 && newline && !newline[1];
        if (found.status != 2 || found.out[0] || !one_sentence || !strstr(found.err, cases[i].culprit))
        {
            fail_msg("%s: status %d, '%s', '%s'", cases[i].arguments, found.status, found.out, found.err);
        }
    }
}

static void instruction_sets_that_are_not_there_are_status_2(void **state)
{
    (void)state;
    for (int isa = 0; isa < ABUT_ISA_COUNT; ++isa)
    {
        char arguments[128];
        const char *name = abut_isa_name((abut_isa)isa);
        snprintf(arguments, sizeof arguments, "--scene gas --bodies 20 --frames 2 --isa %s", name);
        outcome found = bench(arguments);
        bool available = abut_isa_available((abut_isa)isa);
        assert_int_equal(found.status, available ? 0 : 2);
        assert_true(available || strstr(found.err, name));
    }
}

// --list says which peers are there; those that are not are status 2, and by name.
static void peers_that_are_not_there_are_status_2(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < peer_count(); ++i)
    {
        char arguments[128], listed[128];
        const char *name = peer_at(i)->name;
        snprintf(listed, sizeof listed, "%s is not in this build", name);
        const outcome list = bench("--list");
        assert_non_null(strstr(list.out, name));
        const bool there = peer_at(i)->engine != NULL;
        if (there && !peer_at(i)->engine->step) // it answers queries alone
        {
            snprintf(arguments, sizeof arguments, "--scene gas --bodies 20 --frames 2 --peer %s", name);
            assert_int_equal(bench(arguments).status, 2);
            continue;
        }
        snprintf(arguments, sizeof arguments, "--scene gas --bodies 20 --frames 2 --peer %s --json -", name);
        const outcome found = bench(arguments);
        assert_int_equal(found.status, there ? 0 : 2);
        assert_true(there ? json_lines(found.out) == 2 : strstr(found.err, "is not in this build") != NULL);
    }
}

static void frames_before_those_that_count_are_run_and_dropped(void **state)
{
    (void)state;
    char late[64], value[64];
    json_field(bench("--scene gas --bodies 50 --after 30 --frames 20 --hash all --json -").out, "hash", late);
    const outcome all = bench("--scene gas --bodies 50 --frames 50 --hash all --json -");
    json_field(all.out, "hash", value);
    assert_string_equal(value, late);
    json_field(bench("--scene gas --bodies 50 --after 30 --frames 20 --json -").out, "dropped", value);
    assert_string_equal(value, "40");
    json_field(bench("--file " ABUT_SCENES_DIR "/pour_500.csv --after 1000 --json -").out, "frames", value);
    assert_string_equal(value, "60");
}

static void a_run_that_would_take_too_long_is_left_out_with_a_note(void **state)
{
    (void)state;
    const outcome found = bench("--scene gas --bodies 20000 --frames 100000 --limit 1 --json -");
    assert_int_equal(found.status, 0);
    assert_string_equal(found.out, "");
    assert_non_null(strstr(found.err, "is left out"));
}

static void a_scene_file_that_is_none_is_status_2_with_its_line(void **state)
{
    (void)state;
    FILE *file = fopen("test_bench_bad.csv", "w");
    assert_non_null(file);
    fprintf(file, "# comment\nbody,0,obb,1,1,1,1\npose,0,0,0,0,nan,1,0,0,0\n");
    fclose(file);
    outcome found = bench("--file test_bench_bad.csv --json -");
    remove("test_bench_bad.csv");
    assert_int_equal(found.status, 2);
    assert_string_equal(found.out, "");
    assert_non_null(strstr(found.err, "test_bench_bad.csv:3: not a number: 'nan'"));
}

static void time_is_all_that_the_instruction_set_and_the_broad_phase_change(void **state)
{
    (void)state;
    char wanted[3][64] = { "" }, value[64];
    static const char *const counted[3] = { "hash", "touching", "points" };
    for (int run = 0; run < ABUT_ISA_COUNT * ABUT_BROAD_COUNT; ++run)
    {
        abut_isa isa = (abut_isa)(run % ABUT_ISA_COUNT);
        if (!abut_isa_available(isa))
        {
            continue;
        }
        char arguments[128];
        snprintf(arguments, sizeof arguments,
                 "--scene sizes --bodies 300 --frames 12 --isa %s --broad %s --hash all --json -", abut_isa_name(isa),
                 abut_broad_name((abut_broad_kind)(run / ABUT_ISA_COUNT)));
        outcome found = bench(arguments);
        assert_int_equal(found.status, 0);
        for (uint32_t i = 0; i < 3; ++i)
        {
            json_field(found.out, counted[i], value);
            if (!wanted[i][0])
            {
                strcpy(wanted[i], value);
            }
            assert_string_equal(value, wanted[i]);
        }
    }
}

static void a_pile_reuses_manifolds_when_recycling_is_on(void **state)
{
    (void)state;
    char kept[64], exact[64];
    outcome found = bench("--scene pile --bodies 200 --frames 6 --recycle 0.02 --json -");
    assert_int_equal(found.status, 0);
    json_field(found.out, "recycled", kept);
    assert_true(strtoul(kept, NULL, 10) > 500);
    found = bench("--scene pile --bodies 200 --frames 6 --recycle 0 --json -");
    json_field(found.out, "recycled", exact);
    assert_string_equal(exact, "0");
    static const char *const wrong[] = { "x", "-1", "nan", "1e9", "0.1m" };
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    {
        char arguments[64];
        snprintf(arguments, sizeof arguments, "--scene pile --recycle %s", wrong[i]);
        assert_int_equal(bench(arguments).status, 2);
    }
}

static void the_recorded_scene_runs_its_frames_and_no_more(void **state)
{
    (void)state;
    outcome found = bench("--file " ABUT_SCENES_DIR "/pour_500.csv --frames 100 --json -");
    assert_int_equal(found.status, 0);
    assert_int_equal(json_lines(found.out), 1);
    char value[64];
    json_field(found.out, "frames", value);
    assert_string_equal(value, "60");
    json_field(found.out, "scene", value);
    assert_string_equal(value, "\"pour_500\"");
}

static void any_number_of_frames_from_one_is_measured(void **state)
{
    (void)state;
    for (uint32_t frames = 1; frames <= 25; frames += 4)
    {
        char arguments[128], value[64], wanted[64];
        snprintf(arguments, sizeof arguments, "--scene dense --bodies 30 --frames %u --json -", frames);
        outcome found = bench(arguments);
        assert_int_equal(found.status, 0);
        json_field(found.out, "dropped", value);
        snprintf(wanted, sizeof wanted, "%u", frames < 20 ? frames / 2 : 10);
        assert_string_equal(value, wanted);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_list_name_everything),
        cmocka_unit_test(what_makes_no_sense_is_status_2_and_a_sentence),
        cmocka_unit_test(instruction_sets_that_are_not_there_are_status_2),
        cmocka_unit_test(peers_that_are_not_there_are_status_2),
        cmocka_unit_test(frames_before_those_that_count_are_run_and_dropped),
        cmocka_unit_test(a_run_that_would_take_too_long_is_left_out_with_a_note),
        cmocka_unit_test(a_scene_file_that_is_none_is_status_2_with_its_line),
        cmocka_unit_test(time_is_all_that_the_instruction_set_and_the_broad_phase_change),
        cmocka_unit_test(a_pile_reuses_manifolds_when_recycling_is_on),
        cmocka_unit_test(the_recorded_scene_runs_its_frames_and_no_more),
        cmocka_unit_test(any_number_of_frames_from_one_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
