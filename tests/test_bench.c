// abut-bench as its user meets it: what it prints, where, and what it exits with.
#define _POSIX_C_SOURCE 200809L // popen
#include "peers/peers.h"

// clang-format off
#include <stdarg.h>
#include <setjmp.h>
#include <cmocka.h>
// clang-format on
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define STDERR_FILE "test_bench.stderr"
#define MOST        65536

// What a run of the program left behind.
typedef struct outcome
{
    int status;
    char out[MOST]; // standard output
    char err[MOST]; // standard error
} outcome;

static void read_all(FILE *file, char text[MOST])
{
    size_t length = fread(text, 1, MOST - 1, file);
    text[length] = '\0';
}

static outcome bench(const char *arguments)
{
    static outcome found;
    char command[1024];
    snprintf(command, sizeof command, "%s %s 2>" STDERR_FILE, ABUT_BENCH, arguments);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    read_all(pipe, found.out);
    int status = pclose(pipe);
    assert_true(WIFEXITED(status));
    found.status = WEXITSTATUS(status);
    FILE *errors = fopen(STDERR_FILE, "r");
    assert_non_null(errors);
    read_all(errors, found.err);
    fclose(errors);
    remove(STDERR_FILE);
    return found;
}

// JSON (RFC 8259), read only to see that it is such: each returns what follows, or NULL.
static const char *json_value(const char *at);

static const char *json_string(const char *at)
{
    if (!at || *at++ != '"')
    {
        return NULL;
    }
    while (*at != '"')
    {
        if ((unsigned char)*at < 0x20 || (*at == '\\' && !strchr("\"\\/bfnrtu", *++at)))
        {
            return NULL;
        }
        ++at;
    }
    return at + 1;
}

static const char *json_number(const char *at)
{
    at += *at == '-';
    if (!isdigit((unsigned char)*at))
    {
        return NULL;
    }
    at += *at == '0' ? 1 : strspn(at, "0123456789");
    if (*at == '.')
    {
        size_t digits = strspn(++at, "0123456789");
        return digits ? at + digits : NULL;
    }
    return at;
}

static const char *json_object(const char *at)
{
    if (*at++ != '{')
    {
        return NULL;
    }
    if (*at == '}')
    {
        return at + 1;
    }
    for (;; ++at)
    {
        at = json_string(at);
        at = at && *at == ':' ? json_value(at + 1) : NULL;
        if (!at || *at != ',')
        {
            return at && *at == '}' ? at + 1 : NULL;
        }
    }
}

static const char *json_array(const char *at)
{
    if (*++at == ']')
    {
        return at + 1;
    }
    for (;; ++at)
    {
        at = json_value(at);
        if (!at || *at != ',')
        {
            return at && *at == ']' ? at + 1 : NULL;
        }
    }
}

static const char *json_value(const char *at)
{
    if (*at == '[')
    {
        return json_array(at);
    }
    if (*at == '{')
    {
        return json_object(at);
    }
    if (*at == '"')
    {
        return json_string(at);
    }
    return strncmp(at, "null", 4) == 0 ? at + 4 : json_number(at);
}

// Every line is an object and nothing else. Returns how many lines.
static uint32_t json_lines(const char *text)
{
    uint32_t lines = 0;
    for (const char *at = text; *at; ++lines)
    {
        const char *end = json_object(at);
        if (!end || *end != '\n')
        {
            fail_msg("no JSON: %s", at);
        }
        at = end + 1;
    }
    return lines;
}

// The value of the first such key, up to the next comma or brace.
static void json_field(const char *text, const char *key, char out[64])
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(text, quoted);
    if (!at)
    {
        fail_msg("no key %s in %s", key, text);
    }
    at += strlen(quoted);
    snprintf(out, 64, "%.*s", (int)strcspn(at, ",}"), at);
}

static void help_and_list_name_everything(void **state)
{
    (void)state;
    static const char *const options[] = { "--scene", "--bodies", "--broad", "--isa",   "--threads",
                                           "--hash",  "--frames", "--file",  "--peer",  "--json",
                                           "--csv",   "--list",   "--help",  "--after", "--limit" };
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
        snprintf(arguments, sizeof arguments, "--scene gas --bodies 20 --frames 2 --peer %s --json -", name);
        const outcome found = bench(arguments);
        assert_int_equal(found.status, there ? 0 : 2);
        assert_true(there ? json_lines(found.out) == 2 : strstr(found.err, "is not in this build") != NULL);
    }
}

static const char *line_at(const char *text, uint32_t line)
{
    for (; line > 0; --line)
    {
        text = strchr(text, '\n') + 1;
    }
    return text;
}

// Every peer that is there finds what abut finds, but for pairs within a thousandth of a metre of touching.
static void peers_find_the_same_pairs(void **state)
{
    (void)state;
    static const char *const scenes[] = { "gas", "dense", "pile", "sparse", "sizes", "rain" };
    for (uint32_t scene = 0; scene < sizeof scenes / sizeof scenes[0]; ++scene)
    {
        char arguments[128], value[64];
        snprintf(arguments, sizeof arguments, "--scene %s --bodies 300 --frames 25 --peer all --json -", scenes[scene]);
        const outcome found = bench(arguments);
        assert_int_equal(found.status, 0);
        json_field(found.out, "ratio", value);
        assert_string_equal(value, "null");
        const uint32_t rows = json_lines(found.out);
        assert_true(rows > 1);
        for (uint32_t row = 1; row < rows; ++row)
        {
            const char *line = line_at(found.out, row);
            json_field(line, "ratio", value);
            assert_true(strtod(value, NULL) > 0.0);
            json_field(line, "hash", value);
            assert_string_equal(value, "null");
            static const char *const apart[] = { "missed_deepest", "more_widest", "meetings" };
            for (int i = 0; i < 2; ++i)
            {
                json_field(line, apart[i], value);
                if (strtod(value, NULL) > 0.001)
                {
                    fail_msg("%s, %s: %s", scenes[scene], apart[i], line);
                }
            }
        }
    }
}

static void the_least_a_user_could_write_finds_exactly_the_same(void **state)
{
    (void)state;
    const outcome found = bench("--file " ABUT_SCENES_DIR "/pour_500.csv --peer sweep --json -");
    assert_int_equal(found.status, 0);
    assert_int_equal(json_lines(found.out), 2);
    static const char *const same[] = { "touching", "points", "candidates" };
    const char *theirs = line_at(found.out, 1);
    char value[64], wanted[64];
    for (int i = 0; i < 2; ++i)
    {
        json_field(found.out, same[i], wanted);
        json_field(theirs, same[i], value);
        assert_string_equal(value, wanted);
    }
    json_field(theirs, "missed", value);
    assert_string_equal(value, "0");
    json_field(theirs, "more", value);
    assert_string_equal(value, "0");
}

static void peers_are_not_asked_about_the_plane(void **state)
{
    (void)state;
    const outcome found = bench("--scene rects --bodies 40 --frames 2 --peer sweep --json -");
    assert_int_equal(found.status, 0);
    assert_int_equal(json_lines(found.out), 1);
    assert_non_null(strstr(found.err, "without peers"));
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

static void json_is_one_object_a_line_with_every_key(void **state)
{
    (void)state;
    outcome found = bench("--scene gas,pile,rain --bodies 50,200 --frames 14 --json -");
    assert_int_equal(found.status, 0);
    assert_string_equal(found.err, "");
    assert_int_equal(json_lines(found.out), 6);
    static const char *const keys[] = { "scene",          "bodies",     "broad",          "isa",    "threads",
                                        "frames",         "engine",     "ns_per_body",    "p10",    "p90",
                                        "stages",         "candidates", "touching",       "points", "allocations",
                                        "bytes_per_body", "recycled",   "hash",           "ratio",  "ours_before",
                                        "ours_after",     "missed",     "missed_deepest", "more",   "more_widest",
                                        "meetings" };
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

static void a_pile_keeps_manifolds_when_it_is_told_to(void **state)
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
    static char json[MOST], csv[MOST];
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

static void what_cannot_be_had_is_left_out_only_where_it_was_not_named(void **state)
{
    (void)state;
    outcome found = bench("--bodies 1001 --frames 1 --json -");
    assert_int_equal(found.status, 0);
    assert_int_equal(json_lines(found.out), scene_kinds() - 1);
    assert_non_null(strstr(found.err, "cluster with 1001 bodies is left out"));
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

// A row for every cell of the tables, whose answers no instruction set changes.
static void pairs_are_measured_cell_by_cell(void **state)
{
    (void)state;
    static const char *const cells[] = { "sphere-sphere", "sphere-obb", "obb-obb", "sphere-custom", "custom-custom" };
    static char scalar[MOST];
    outcome found = bench("--pairs --isa scalar --json -");
    assert_int_equal(found.status, 0);
    assert_true(json_lines(found.out) >= 10);
    memcpy(scalar, found.out, sizeof scalar);
    found = bench("--pairs --csv -");
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(help_and_list_name_everything),
        cmocka_unit_test(what_makes_no_sense_is_status_2_and_a_sentence),
        cmocka_unit_test(instruction_sets_that_are_not_there_are_status_2),
        cmocka_unit_test(peers_that_are_not_there_are_status_2),
        cmocka_unit_test(peers_find_the_same_pairs),
        cmocka_unit_test(the_least_a_user_could_write_finds_exactly_the_same),
        cmocka_unit_test(peers_are_not_asked_about_the_plane),
        cmocka_unit_test(the_hash_of_the_last_frame_is_the_worlds_own),
        cmocka_unit_test(frames_before_those_that_count_are_run_and_dropped),
        cmocka_unit_test(a_run_that_would_take_too_long_is_left_out_with_a_note),
        cmocka_unit_test(a_scene_file_that_is_none_is_status_2_with_its_line),
        cmocka_unit_test(json_is_one_object_a_line_with_every_key),
        cmocka_unit_test(time_is_all_that_the_instruction_set_and_the_broad_phase_change),
        cmocka_unit_test(a_pile_keeps_manifolds_when_it_is_told_to),
        cmocka_unit_test(table_json_and_csv_can_be_had_together),
        cmocka_unit_test(the_recorded_scene_runs_its_frames_and_no_more),
        cmocka_unit_test(what_cannot_be_had_is_left_out_only_where_it_was_not_named),
        cmocka_unit_test(any_number_of_frames_from_one_is_measured),
        cmocka_unit_test(output_that_cannot_be_written_is_status_1),
        cmocka_unit_test(pairs_are_measured_cell_by_cell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
