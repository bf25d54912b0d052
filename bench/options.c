// One row an option: its name, what its value may be, what reads it. The help is printed from the same rows.
#include "options.h"

#include "storage.h"

#include <stdlib.h>
#include <string.h>

typedef bool read_value(bench_options *options, const char *value, bench_complaint *complaint);

static bool read_count(const char *option, const char *text, size_t length, uint32_t *out, bench_complaint *complaint)
{
    char *end;
    unsigned long value = length > 0 && text[0] >= '0' && text[0] <= '9' ? strtoul(text, &end, 10) : 0;
    if (value == 0 || end != text + length || value > 100000000ul)
    {
        return complain(complaint, EXIT_ASKED, "%s takes a whole number from 1 to 100000000, not '%.*s'", option,
                        (int)length, text);
    }
    *out = (uint32_t)value;
    return true;
}

static bool read_scenes(bench_options *options, const char *value, bench_complaint *complaint)
{
    arrfree(options->kinds);
    options->all_scenes = strcmp(value, "all") == 0;
    if (options->all_scenes)
    {
        return true;
    }
    for (const char *name = value;; name += strcspn(name, ",") + 1)
    {
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(name, ","), name);
        uint32_t kind = scene_find(word);
        if (kind == ABUT_NONE)
        {
            return complain(complaint, EXIT_ASKED, "there is no scene '%s'; --list names them", word);
        }
        arrput(options->kinds, kind);
        if (!name[strcspn(name, ",")])
        {
            return true;
        }
    }
}

static bool read_bodies(bench_options *options, const char *value, bench_complaint *complaint)
{
    arrfree(options->bodies);
    for (const char *number = value;; number += strcspn(number, ",") + 1)
    {
        uint32_t bodies = 0;
        if (!read_count("--bodies", number, strcspn(number, ","), &bodies, complaint))
        {
            return false;
        }
        arrput(options->bodies, bodies);
        if (!number[strcspn(number, ",")])
        {
            return true;
        }
    }
}

static bool read_broad(bench_options *options, const char *value, bench_complaint *complaint)
{
    for (int kind = 0; kind < ABUT_BROAD_COUNT; ++kind)
    {
        if (strcmp(abut_broad_name((abut_broad_kind)kind), value) == 0)
        {
            options->settings.broad = (abut_broad_kind)kind;
            return true;
        }
    }
    return complain(complaint, EXIT_ASKED, "there is no broad phase '%s' in this build; --list names those there are",
                    value);
}

static bool read_isa(bench_options *options, const char *value, bench_complaint *complaint)
{
    for (int isa = 0; isa < ABUT_ISA_COUNT; ++isa)
    {
        if (strcmp(abut_isa_name((abut_isa)isa), value) == 0)
        {
            options->settings.isa = (abut_isa)isa;
            return abut_isa_available((abut_isa)isa) ||
                   complain(complaint, EXIT_ASKED,
                            "instruction set '%s' is not in this build, or not in this processor", value);
        }
    }
    return complain(complaint, EXIT_ASKED, "there is no instruction set '%s'; --list names those there are", value);
}

static bool read_threads(bench_options *options, const char *value, bench_complaint *complaint)
{
    return read_count("--threads", value, strlen(value), &options->settings.threads, complaint) &&
           (options->settings.threads <= ABUT_MAX_THREADS ||
            complain(complaint, EXIT_ASKED, "%s threads: at most %u", value, ABUT_MAX_THREADS));
}

static bool read_recycle(bench_options *options, const char *value, bench_complaint *complaint)
{
    char *end;
    const float metres = strtof(value, &end);
    if (end == value || *end || !(metres >= 0.0f && metres <= ABUT_MAX_MAGNITUDE))
    {
        return complain(complaint, EXIT_ASKED, "--recycle takes metres, such as 0.005, not '%s'", value);
    }
    options->settings.recycle_distance = metres;
    return true;
}

static bool read_separations(bench_options *options, const char *value, bench_complaint *complaint)
{
    const bool at_anchors = strcmp(value, "anchors") == 0;
    options->settings.separations = at_anchors ? ABUT_AT_ANCHORS : ABUT_FOLLOWED;
    return at_anchors || strcmp(value, "followed") == 0 ||
           complain(complaint, EXIT_ASKED, "--separations takes followed or anchors, not '%s'", value);
}

static bool read_frames(bench_options *options, const char *value, bench_complaint *complaint)
{
    return read_count("--frames", value, strlen(value), &options->frames, complaint);
}

static bool read_after(bench_options *options, const char *value, bench_complaint *complaint)
{
    return read_count("--after", value, strlen(value), &options->after, complaint);
}

static bool read_passes(bench_options *options, const char *value, bench_complaint *complaint)
{
    return read_count("--passes", value, strlen(value), &options->passes, complaint);
}

static bool read_limit(bench_options *options, const char *value, bench_complaint *complaint)
{
    return read_count("--limit", value, strlen(value), &options->limit_s, complaint);
}

static bool read_file(bench_options *options, const char *value, bench_complaint *complaint)
{
    (void)complaint;
    options->file = value;
    return true;
}

// By its own name, or by that of its family: ode is both ode-hash and ode-sap.
static bool is_named(const bench_peer *peer, const char *word)
{
    size_t length = strlen(word);
    return strncmp(peer->name, word, length) == 0 && (!peer->name[length] || peer->name[length] == '-');
}

static void want_peer(bench_options *options, const bench_engine *peer)
{
    for (size_t i = 0; i < arrlenu(options->peers); ++i)
    {
        if (options->peers[i] == peer)
        {
            return;
        }
    }
    arrput(options->peers, peer);
}

static bool want_peers_named(bench_options *options, const char *word, bench_complaint *complaint)
{
    bool known = false;
    for (uint32_t i = 0; i < peer_count(); ++i)
    {
        const bench_peer *peer = peer_at(i);
        if (!is_named(peer, word))
        {
            continue;
        }
        if (!peer->engine)
        {
            return complain(complaint, EXIT_ASKED,
                            "peer '%s' is not in this build: configure again with pkg-config and %s installed", word,
                            peer->package);
        }
        want_peer(options, peer->engine);
        known = true;
    }
    return known || complain(complaint, EXIT_ASKED, "there is no peer '%s'; --list names them", word);
}

static bool read_peers(bench_options *options, const char *value, bench_complaint *complaint)
{
    arrfree(options->peers);
    if (strcmp(value, "all") == 0)
    {
        for (uint32_t i = 0; i < peer_count(); ++i)
        {
            if (peer_at(i)->engine)
            {
                want_peer(options, peer_at(i)->engine);
            }
        }
        return true;
    }
    for (const char *name = value;; name += strcspn(name, ",") + 1)
    {
        char word[32];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(name, ","), name);
        if (!want_peers_named(options, word, complaint))
        {
            return false;
        }
        if (!name[strcspn(name, ",")])
        {
            return true;
        }
    }
}

static bool read_json(bench_options *options, const char *value, bench_complaint *complaint)
{
    (void)complaint;
    options->json = value;
    return true;
}

static bool read_csv(bench_options *options, const char *value, bench_complaint *complaint)
{
    (void)complaint;
    options->csv = value;
    return true;
}

static bool read_hash(bench_options *options, const char *value, bench_complaint *complaint)
{
    options->hash_all = strcmp(value, "all") == 0;
    return options->hash_all || strcmp(value, "last") == 0 ||
           complain(complaint, EXIT_ASKED, "--hash takes last or all, not '%s'", value);
}

static bool read_list(bench_options *options, const char *value, bench_complaint *complaint)
{
    (void)value, (void)complaint;
    options->list = true;
    return true;
}

static bool read_pairs(bench_options *options, const char *value, bench_complaint *complaint)
{
    (void)value, (void)complaint;
    options->pairs = true;
    return true;
}

static bool read_state(bench_options *options, const char *value, bench_complaint *complaint)
{
    (void)value, (void)complaint;
    options->state = true;
    return true;
}

static bool read_queries(bench_options *options, const char *value, bench_complaint *complaint)
{
    (void)value, (void)complaint;
    options->queries = true;
    return true;
}

static bool read_help(bench_options *options, const char *value, bench_complaint *complaint)
{
    (void)value, (void)complaint;
    options->help = true;
    return true;
}

static const struct
{
    const char *name;
    const char *value; // NULL: takes none
    read_value *read;
    const char *help;
} rows[] = {
    { "--scene", "NAME,...|all", read_scenes, "scenes to run (default: all)" },
    { "--bodies", "N,...", read_bodies, "numbers of bodies (default: 1000, 10000, for gas 100000 too)" },
    { "--broad", "KIND", read_broad, "broad phase: auto or one that --list names" },
    { "--isa", "NAME", read_isa, "instruction set: auto or one that --list names" },
    { "--threads", "N", read_threads, "threads to step on (default: 1)" },
    { "--recycle", "METRES", read_recycle, "keep manifolds of pairs that moved by no more (default: 0, keep none)" },
    { "--separations", "OF", read_separations,
      "with --recycle: followed to present poses (default), or at the anchors" },
    { "--frames", "N", read_frames, "frames to run (default: 60); the first 10, at most half, are not measured" },
    { "--after", "N", read_after, "frames to run before those, for what grows worse with time (default: none)" },
    { "--passes", "N", read_passes,
      "passes of --pairs and --queries, at most (default: as many as their medians need)" },
    { "--limit", "SECONDS", read_limit, "leave out runs that would take longer, by their second frame" },
    { "--file", "SCENE.csv", read_file, "a scene from a file, alone unless --scene is given" },
    { "--peer", "NAME,...|all", read_peers, "other engines to run on the same scenes, each between two runs of abut" },
    { "--json", "FILE|-", read_json, "one object a line for each row; -: standard output, and no table" },
    { "--csv", "FILE|-", read_csv, "the same as comma-separated values" },
    { "--hash", "last|all", read_hash,
      "hash the last frame, or all, which empties the caches between steps (default: last)" },
    { "--pairs", NULL, read_pairs,
      "instead of scenes, what each two kinds of shape cost: ns a pair on all instruction sets" },
    { "--state", NULL, read_state,
      "instead of steps, what saving and restoring costs, beside copies of as many bytes" },
    { "--queries", NULL, read_queries,
      "instead of steps, what rays, casts, overlaps and nearest colliders cost, one by one and in batches" },
    { "--list", NULL, read_list, "say what this build has, and end" },
    { "--help", NULL, read_help, "say this, and end" },
};

#define ROWS (sizeof rows / sizeof rows[0])

// Reads the option at words[*at] and moves past it and its value.
static bool read_option(bench_options *options, int count, char *const *words, int *at, bench_complaint *complaint)
{
    const char *word = words[(*at)++];
    size_t length = strcspn(word, "=");
    const char *value = word[length] ? word + length + 1 : NULL;
    for (size_t row = 0; row < ROWS; ++row)
    {
        if (strlen(rows[row].name) != length || strncmp(rows[row].name, word, length) != 0)
        {
            continue;
        }
        if (rows[row].value && !value && *at < count)
        {
            value = words[(*at)++];
        }
        if ((rows[row].value != NULL) != (value != NULL) || (value && !*value))
        {
            return complain(complaint, EXIT_ASKED, "%s %s", rows[row].name,
                            rows[row].value ? "needs a value" : "takes no value");
        }
        return rows[row].read(options, value, complaint);
    }
    return complain(complaint, EXIT_ASKED, "there is no option '%s'; --help names them", word);
}

uint32_t options_passes(const bench_options *options, uint32_t needed)
{
    return options->passes > 0 && options->passes < needed ? options->passes : needed;
}

bool options_read(bench_options *options, int count, char *const *words, bench_complaint *complaint)
{
    *options = (bench_options){ .frames = 60, .settings.threads = 1 };
    for (int at = 1; at < count;)
    {
        if (!read_option(options, count, words, &at, complaint))
        {
            return false;
        }
    }
    if (options->pairs + options->state + options->queries > 1)
    {
        return complain(complaint, EXIT_ASKED, "--pairs, --state and --queries are each asked for alone");
    }
    if (options->settings.separations == ABUT_AT_ANCHORS && options->settings.recycle_distance == 0.0f)
    {
        return complain(complaint, EXIT_ASKED, "--separations anchors needs --recycle");
    }
    if (options->json && options->csv && strcmp(options->json, options->csv) == 0)
    {
        return complain(complaint, EXIT_ASKED, "--json and --csv both write to '%s'", options->json);
    }
    return true;
}

void options_release(bench_options *options)
{
    arrfree(options->kinds);
    arrfree(options->bodies);
    arrfree(options->peers);
}

void options_print_help(FILE *out)
{
    fprintf(out, "abut-bench: steps scenes of moving bodies and says how long it took and what came out.\n\n");
    for (size_t row = 0; row < ROWS; ++row)
    {
        char usage[64];
        snprintf(usage, sizeof usage, "%s %s", rows[row].name, rows[row].value ? rows[row].value : "");
        fprintf(out, "  %-22s %s\n", usage, rows[row].help);
    }
    fprintf(
        out,
        "\nTimes are medians over windows of four frames. A step's ns/body, ms/frame and ratio are processor time of\n"
        "the stepping thread; elapsed time with several threads and where the system does not tell a thread's. JSON\n"
        "and CSV name the clock. Beside it stands the step's elapsed time, of which the stages are parts.\n"
        "Without --scene, --bodies and --file a default set runs in under a minute. Exit status: 0; 1 when a run\n"
        "fails; 2 for an invalid option or a missing file or scene.\n");
}

void options_print_list(FILE *out)
{
    fprintf(out, "scenes:\n");
    for (uint32_t kind = 0; kind < scene_kinds(); ++kind)
    {
        scene_description scene = scene_describe(kind);
        fprintf(out, "  %-8s at most %8u bodies  %s\n", scene.name, scene.most_bodies, scene.summary);
    }
    fprintf(out, "broad phases:\n ");
    for (int kind = 0; kind < ABUT_BROAD_COUNT; ++kind)
    {
        fprintf(out, " %s", abut_broad_name((abut_broad_kind)kind));
    }
    fprintf(out, "\ninstruction sets:\n ");
    for (int isa = 0; isa < ABUT_ISA_COUNT; ++isa)
    {
        if (abut_isa_available((abut_isa)isa))
        {
            fprintf(out, " %s", abut_isa_name((abut_isa)isa));
        }
    }
    fprintf(out, "\nauto stands for:\n  %s\nengines:\n", abut_isa_name(abut_isa_best()));
    fprintf(out, "  %-8s %d.%d.%d\n", engine_abut.name, ABUT_VERSION_MAJOR, ABUT_VERSION_MINOR, ABUT_VERSION_PATCH);
    for (uint32_t i = 0; i < peer_count(); ++i)
    {
        const bench_peer *peer = peer_at(i);
        if (peer->engine)
        {
            const char *version = peer->engine->version;
            fprintf(out, "  %-8s %-7s %s\n", peer->name, version ? version : "", peer->engine->built);
        }
        else
        {
            fprintf(out, "  %-8s is not in this build: %s was not found\n", peer->name, peer->package);
        }
    }
    fprintf(out, "compiled by:\n  %s, %s\n", BENCH_COMPILER, BENCH_FLAGS);
}
