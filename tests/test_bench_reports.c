// abut-bench from its user's side: its reports of runs, as a table, JSON and CSV, of other engines and of pairs.
#include "bench_outcome.h"
#include "peers/peers.h"

// clang-format off
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *line_at(const char *text, uint32_t line)
{
    for (; line > 0; --line)
    {
        text = strchr(text, '\n') + 1;
    }
    return text;
}

// Every peer that is there finds what abut finds, but for pairs within a thousandth of a metre of touching; of hulls,
// of which Bullet loses some, within two hundredths.
static void peers_find_the_same_pairs(void **state)
{
    (void)state;
    static const char *const scenes[] = { "gas",  "dense", "pile",    "sparse", "sizes",
                                          "rain", "ruins", "terrain", "heights" }; // not all know meshes
    for (uint32_t scene = 0; scene < sizeof scenes / sizeof scenes[0]; ++scene)
    {
        char arguments[128], value[64];
        snprintf(arguments, sizeof arguments, "--scene %s --bodies 300 --frames 25 --peer all --json -", scenes[scene]);
        const outcome found = bench(arguments);
        assert_int_equal(found.status, 0);
        json_field(found.out, "ratio", value);
        assert_string_equal(value, "null");
        const uint32_t rows = json_lines(found.out);
        const double within = scene == 6 ? 0.02 : 0.001;
        assert_true(rows > 1 || scene >= 7);
        for (uint32_t row = 1; row < rows; ++row)
        {
            const char *line = line_at(found.out, row);
            json_field(line, "ratio", value);
            assert_true(strtod(value, NULL) > 0.0);
            json_field(line, "hash", value);
            assert_string_equal(value, "null");
            static const char *const apart[] = { "missed_deepest", "more_widest", "pair_types" };
            for (int i = 0; i < 2; ++i)
            {
                json_field(line, apart[i], value);
                if (strtod(value, NULL) > within)
                {
                    fail_msg("%s, %s: %s", scenes[scene], apart[i], line);
                }
            }
        }
    }
}

// The world names contacts by the axes of before where it may, so that a few have other points.
static void the_least_a_user_could_write_finds_the_same_pairs(void **state)
{
    (void)state;
    const outcome found = bench("--file " ABUT_SCENES_DIR "/pour_500.csv --peer sweep --json -");
    assert_int_equal(found.status, 0);
    assert_int_equal(json_lines(found.out), 2);
    const char *theirs = line_at(found.out, 1);
    char value[64], wanted[64];
    json_field(found.out, "touching", wanted);
    json_field(theirs, "touching", value);
    assert_string_equal(value, wanted);
    json_field(found.out, "points", wanted);
    json_field(theirs, "points", value);
    assert_true(fabs(strtod(value, NULL) - strtod(wanted, NULL)) < 0.01 * strtod(wanted, NULL));
    json_field(theirs, "missed", value);
    assert_string_equal(value, "0");
    json_field(theirs, "more", value);
    assert_string_equal(value, "0");
}

static void peers_do_not_run_2d_scenes(void **state)
{
    (void)state;
    const outcome found = bench("--scene rects --bodies 40 --frames 2 --peer sweep --json -");
    assert_int_equal(found.status, 0);
    assert_int_equal(json_lines(found.out), 1);
    assert_non_null(strstr(found.err, "runs without sweep"));
}

static void the_hash_of_the_last_frame_is_the_worlds_own(void **state)
{
    (void)state;
    char last[64], all[64], same[64];
    json_field(bench("--scene gas --bodies 50 --frames 9 --json -").out, "hash", last);
    json_field(bench("--scene gas --bodies 50 --frames 9 --hash last --json -").out, "hash", same);
    json_field(bench("--scene gas --bodies 50 --frames 9 --hash all --json -").out, "hash", all);
    assert_string_equal(last, same);
    assert_string_not_equal(last, all);
    // What stands still has one last frame, however many came before.
    json_field(bench("--scene cluster --bodies 20 --frames 4 --json -").out, "hash", last);
    json_field(bench("--scene cluster --bodies 20 --frames 9 --json -").out, "hash", same);
    assert_string_equal(last, same);
    assert_int_equal(bench("--scene gas --hash first").status, 2);
}

static void json_is_one_object_a_line_with_every_key(void **state)
{
    (void)state;
    outcome found = bench("--scene gas,pile,rain --bodies 50,200 --frames 14 --json -");
    assert_int_equal(found.status, 0);
    assert_string_equal(found.err, "");
    assert_int_equal(json_lines(found.out), 6);
    static const char *const keys[] = { "scene",
                                        "bodies",
                                        "broad",
                                        "isa",
                                        "threads",
                                        "frames",
                                        "engine",
                                        "ns_per_body",
                                        "p10",
                                        "p90",
                                        "stages",
                                        "candidates",
                                        "touching",
                                        "points",
                                        "allocations",
                                        "bytes_per_body",
                                        "recycled",
                                        "clock",
                                        "elapsed_ns_per_body",
                                        "hash",
                                        "ratio",
                                        "ours_before",
                                        "ours_after",
                                        "missed",
                                        "missed_deepest",
                                        "more",
                                        "more_widest",
                                        "pair_types" };
    char *line = found.out;
    for (uint32_t row = 0; row < 6; ++row)
    {
        char *end = strchr(line, '\n'), value[64];
        *end = '\0';
        for (uint32_t i = 0; i < sizeof keys / sizeof keys[0]; ++i)
        {
            json_field(line, keys[i], value);
        }
        json_field(line, "engine", value);
        assert_string_equal(value, "\"abut\"");
        json_field(line, "frames", value);
        assert_string_equal(value, "14");
        json_field(line, "bodies", value);
        assert_string_equal(value, row % 2 ? "200" : "50");
        json_field(line, "hash", value);
        assert_int_equal(strspn(value + 1, "0123456789abcdef"), 16);
        assert_int_equal(strlen(value), 18);
        line = end + 1;
    }
}

static double number_of(const char *json, const char *key)
{
    char value[64];
    json_field(json, key, value);
    return strtod(value, NULL);
}

// The share of a single frame's elapsed time that its stages took: medians are then what was measured.
static double share_of_stages(int threads)
{
    static const char *const stages[] = { "edits", "move", "bounds", "broad", "pairs", "narrow", "contact" };
    char arguments[96], clock[64];
    snprintf(arguments, sizeof arguments, "--scene pile --bodies 300 --frames 1 --threads %d --json -", threads);
    const outcome found = bench(arguments);
    assert_int_equal(found.status, 0);
    const double elapsed = number_of(found.out, "elapsed_ns_per_body"), quoted = number_of(found.out, "ns_per_body");
    double sum = 0.0;
    for (uint32_t i = 0; i < sizeof stages / sizeof stages[0]; ++i)
    {
        sum += number_of(strstr(found.out, "\"stages\""), stages[i]);
    }
    json_field(found.out, "clock", clock);
    const bool processor = strcmp(clock, "\"processor\"") == 0;
    assert_true(processor || strcmp(clock, "\"elapsed\"") == 0);
    assert_true(threads == 1 || !processor);
    assert_true(sum > 0.0 && sum <= elapsed + 0.001);
    assert_true(quoted > 0.0 && quoted <= 1.02 * elapsed + 1.0);
    return sum / elapsed;
}

// Stages are parts of the elapsed time, whatever the clock of the quoted time is; with several threads that is the
// same. Between two stages the system may run something else for long, hardly in each of several runs.
static void stages_are_parts_of_the_elapsed_time_and_the_clock_is_named(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads += 2)
    {
        double share = 0.0;
        for (int run = 0; run < 5 && share <= 0.25; ++run)
        {
            share = share_of_stages(threads);
        }
        assert_true(share > 0.25);
    }
    const outcome table = bench("--scene pile --bodies 300 --frames 1"), help = bench("--help");
    assert_non_null(strstr(table.out, " elapsed "));
    assert_non_null(strstr(help.out, "elapsed time, of which the stages are parts"));
}

static uint32_t fields(const char *line, const char *end)
{
    uint32_t commas = 0;
    for (; line < end; ++line)
    {
        commas += *line == ',';
    }
    return commas + 1;
}

static void table_json_and_csv_can_be_had_together(void **state)
{
    (void)state;
    outcome found = bench("--scene gas --bodies 100 --frames 5 --json test_bench.json --csv=test_bench.csv");
    assert_int_equal(found.status, 0);
    static char json[OUTCOME_MOST], csv[OUTCOME_MOST];
    FILE *file = fopen("test_bench.json", "r");
    assert_non_null(file);
    read_all(file, json);
    fclose(file);
    file = fopen("test_bench.csv", "r");
    assert_non_null(file);
    read_all(file, csv);
    fclose(file);
    remove("test_bench.json");
    remove("test_bench.csv");

    assert_int_equal(json_lines(json), 1);
    char hash[64];
    json_field(json, "hash", hash);
    hash[strlen(hash) - 1] = '\0';
    assert_non_null(strstr(found.out, hash + 1));
    assert_non_null(strstr(csv, hash + 1));
    const char *second = strchr(csv, '\n') + 1, *end = strchr(second, '\n');
    assert_int_equal(fields(csv, second), fields(second, end));
    assert_string_equal(end, "\n");
}

static void what_cannot_be_had_is_left_out_only_where_it_was_not_named(void **state)
{
    (void)state;
    outcome found = bench("--bodies 1001 --frames 1 --json -");
    assert_int_equal(found.status, 0);
    assert_int_equal(json_lines(found.out), scene_kinds() - 1);
    assert_non_null(strstr(found.err, "cluster with 1001 bodies is left out"));
}

static void output_that_cannot_be_written_is_status_1(void **state)
{
    (void)state;
    FILE *full = fopen("/dev/full", "w");
    if (!full)
    {
        skip();
    }
    fclose(full);
    outcome found = bench("--scene gas --bodies 10 --frames 2 --json /dev/full");
    assert_int_equal(found.status, 1);
    assert_non_null(strstr(found.err, "/dev/full could not be written"));
}

// A row for every entry of the pair tables, whose answers are the same on every instruction set.
static void pairs_are_measured_type_by_type(void **state)
{
    (void)state;
    static const char *const cells[] = { "sphere-sphere", "sphere-obb", "obb-obb", "sphere-custom", "custom-custom" };
    static char scalar[OUTCOME_MOST];
    outcome found = bench("--pairs --passes 1 --isa scalar --json -");
    assert_int_equal(found.status, 0);
    assert_true(json_lines(found.out) >= 10);
    memcpy(scalar, found.out, sizeof scalar);
    found = bench("--pairs --passes 1 --csv -");
    assert_int_equal(found.status, 0);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k)
    {
        char quoted[64], hash[64];
        snprintf(quoted, sizeof quoted, "\"pair\":\"%s\"", cells[k]);
        const char *line = strstr(scalar, quoted);
        assert_non_null(line);
        json_field(line, "hash", hash);
        uint32_t rows = 0;
        hash[17] = '\0'; // past the opening quote
        for (const char *at = strstr(found.out, hash + 1); at; at = strstr(at + 1, hash + 1))
        {
            ++rows;
        }
        uint32_t isas = 0;
        for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
        {
            isas += abut_isa_available(isa);
        }
        assert_int_equal(rows, isas);
    }
    assert_int_equal(bench("--pairs --json /nowhere/at/all").status, 2);
    assert_int_equal(bench("--pairs=3").status, 2);
}

// What a saved state costs, scene by scene, in all three forms.
static void states_are_measured_scene_by_scene(void **state)
{
    (void)state;
    outcome found = bench("--state --scene gas,rects,heights --bodies 50 --frames 4 --csv -");
    assert_int_equal(found.status, 0);
    assert_non_null(strstr(found.out, "scene,bodies,contacts,save_ns,save_copies,restore_ns,"));
    assert_non_null(strstr(found.out, "\ngas,50,"));
    assert_non_null(strstr(found.out, "\nrects,50,"));
    assert_non_null(strstr(found.out, "\nheights,50,"));
    found = bench("--state --scene sparse --bodies 100 --frames 4 --json -");
    assert_int_equal(found.status, 0);
    assert_int_equal(json_lines(found.out), 1);
    assert_non_null(strstr(found.out, "\"allocations\":0}"));
    found = bench("--state --scene gas --bodies 20 --frames 1");
    assert_int_equal(found.status, 0);
    assert_non_null(strstr(found.out, "restores go back"));
    assert_int_equal(bench("--state --csv /nowhere/at/all").status, 2);
    assert_int_equal(bench("--state=3").status, 2);
}

// A row for each kind of question, alone and in a batch, with one hash; other engines find nearly the same.
static void queries_are_measured_kind_by_kind(void **state)
{
    (void)state;
    static const char *const kinds[] = { "ray-long",    "ray-medium",     "ray-short", "ray-any",
                                         "ray-all",     "cast",           "nearest",   "overlap-bounds",
                                         "overlap-box", "overlap-sphere", "nearest-8" };
    outcome found = bench("--queries --passes 1 --scene gas --bodies 100 --json -");
    assert_int_equal(found.status, 0);
    assert_int_equal(json_lines(found.out), 2 * sizeof kinds / sizeof *kinds);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    {
        char quoted[64], alone[64], together[64];
        snprintf(quoted, sizeof quoted, "\"query\":\"%s\"", kinds[k]);
        const char *line = strstr(found.out, quoted), *next = line ? strstr(line + 1, quoted) : NULL;
        assert_non_null(next);
        json_field(line, "batch", alone);
        json_field(next, "batch", together);
        assert_string_equal(alone, "1");
        assert_string_equal(together, "10000");
        json_field(line, "hash", alone);
        json_field(next, "hash", together);
        assert_string_equal(alone, together);
    }
    found = bench("--queries --passes 1 --file " ABUT_SCENES_DIR "/pour_500.csv --csv -");
    assert_int_equal(found.status, 0);
    assert_non_null(
        strstr(found.out, "scene,bodies,query,engine,batch,ns_per_query,ratio,hits,differing,hash\npour_500,"));
    found = bench("--queries --passes 1 --scene dense --bodies 50 --peer all");
    if (found.status == 0) // 2: none of those that answer queries is in this build
    {
        assert_non_null(strstr(found.out, "hits differ hash\ndense"));
    }
    assert_int_equal(bench("--queries --scene gas --bodies 10 --peer sweep").status, 2);
    assert_int_equal(bench("--queries --scene rects --bodies 10").status, 2);
    assert_int_equal(bench("--queries --state").status, 2);
    assert_int_equal(bench("--queries --csv /nowhere/at/all").status, 2);
    assert_int_equal(bench("--queries=3").status, 2);
}

// Every engine's rays find the triangles that abut's find, in the scene and in its ground alone.
static void rays_into_a_mesh_are_answered_alike(void **state)
{
    (void)state;
    static const char *const scenes[] = { "terrain", "heights" };
    for (int i = 0; i < 2; ++i)
    {
        char arguments[128], ground[64], value[64];
        snprintf(arguments, sizeof arguments, "--queries --passes 1 --scene %s --bodies 100 --peer all --json -",
                 scenes[i]);
        outcome found = bench(arguments);
        if (found.status != 0) // none of those that answer queries is in this build
        {
            snprintf(arguments, sizeof arguments, "--queries --passes 1 --scene %s --bodies 100 --json -", scenes[i]);
            found = bench(arguments);
        }
        assert_int_equal(found.status, 0);
        snprintf(ground, sizeof ground, "\"%s-mesh\"", scenes[i]);
        const uint32_t rows = json_lines(found.out);
        uint32_t alone = 0;
        for (uint32_t row = 0; row < rows; ++row)
        {
            const char *line = line_at(found.out, row);
            json_field(line, "scene", value);
            if (strcmp(value, ground) == 0)
            {
                json_field(line, "differing", value);
                assert_true(strtod(value, NULL) <= 2.0);
                json_field(line, "hits", value);
                assert_true(strtod(value, NULL) > 500.0);
                ++alone;
            }
        }
        assert_true(alone >= 8 && alone % 2 == 0); // four kinds of ray, in two forms
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_into_a_mesh_are_answered_alike),
        cmocka_unit_test(peers_find_the_same_pairs),
        cmocka_unit_test(the_least_a_user_could_write_finds_the_same_pairs),
        cmocka_unit_test(peers_do_not_run_2d_scenes),
        cmocka_unit_test(the_hash_of_the_last_frame_is_the_worlds_own),
        cmocka_unit_test(stages_are_parts_of_the_elapsed_time_and_the_clock_is_named),
        cmocka_unit_test(json_is_one_object_a_line_with_every_key),
        cmocka_unit_test(table_json_and_csv_can_be_had_together),
        cmocka_unit_test(what_cannot_be_had_is_left_out_only_where_it_was_not_named),
        cmocka_unit_test(output_that_cannot_be_written_is_status_1),
        cmocka_unit_test(pairs_are_measured_type_by_type),
        cmocka_unit_test(states_are_measured_scene_by_scene),
        cmocka_unit_test(queries_are_measured_kind_by_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
