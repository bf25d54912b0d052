// The order of the layers, read from the #include lines under src/: a file includes its own layer or one upstream of
// it, and no file includes itself over others. What only its own directory may see (src/world/ for world, query and
// state) follows from the order.
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#endif

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <setjmp.h>

#include <cmocka.h>

// Upstream first.
static const char *const layers[] = { "base",  "math",   "cook",    "shape", "fit",   "bounds", "index",  "broad",
                                      "pairs", "narrow", "contact", "world", "query", "state",  "record", "draw" };

enum
{
    LAYERS = sizeof layers / sizeof *layers,
    NO_LAYER = -1,
    SOURCES = 1024,
    INCLUDES = 64,
    PATH_ROOM = 1024
};

// The layer whose name is the path's first part.
static int layer_of(const char *path)
{
    for (int k = 0; k < LAYERS; ++k)
    {
        size_t length = strlen(layers[k]);
        if (strncmp(path, layers[k], length) == 0 && path[length] == '/')
        {
            return k;
        }
    }
    return NO_LAYER;
}

static bool pair_is(int from, int to, const char *one, const char *other)
{
    return (strcmp(layers[from], one) == 0 && strcmp(layers[to], other) == 0) ||
           (strcmp(layers[from], other) == 0 && strcmp(layers[to], one) == 0);
}

// NULL when a file at `path` (from src/) may include `included`, or what is wrong with it.
static const char *objection(const char *path, const char *included, bool quoted)
{
    int from = layer_of(path);
    int to = layer_of(included);
    if (from == NO_LAYER)
    {
        return "lies in no known layer";
    }
    if (to == NO_LAYER)
    {
        return quoted ? "includes by quotes what lies in no layer (paths are from src/)" : NULL;
    }
    if (to > from)
    {
        return "includes downstream";
    }
    return pair_is(from, to, "broad", "narrow") ? "lets broad and narrow meet" : NULL;
}

// Reads what an #include line names into `included`. False when the line is none.
static bool include_of(const char *line, char included[PATH_ROOM], bool *quoted)
{
    line += strspn(line, " \t");
    if (*line != '#')
    {
        return false;
    }
    line += 1 + strspn(line + 1, " \t");
    if (strncmp(line, "include", 7) != 0)
    {
        return false;
    }
    line += 7 + strspn(line + 7, " \t");
    *quoted = *line == '"';
    size_t length = *line == '"' || *line == '<' ? strcspn(line + 1, "\">\n") : 0;
    length = length < PATH_ROOM ? length : 0;
    memcpy(included, line + (length ? 1 : 0), length); // a computed include names nothing, which no layer allows
    included[length] = '\0';
    *quoted = *quoted || length == 0;
    return true;
}

static int judge_line(const char *path, const char *line, bool say)
{
    char included[PATH_ROOM];
    bool quoted;
    const char *wrong = include_of(line, included, &quoted) ? objection(path, included, quoted) : NULL;
    if (wrong && say)
    {
        print_error("src/%s %s: \"%s\"\n", path, wrong, included);
    }
    return wrong != NULL;
}

// A file under src/ and what it includes by quotes, by place in the list of files.
typedef struct source
{
    char path[PATH_ROOM];
    int includes[INCLUDES], count;
    enum
    {
        NOT_SEEN,
        ABOVE,
        DONE
    } visit; // ABOVE: on the way down to the file that is looked at
} source;

// What was seen on a walk.
typedef struct tally
{
    int files, includes, faults;
    source *sources; // every file that was met, also those that are only included
    int known;
} tally;

// The place of a file in the list, where it is added if need be.
static int source_of(tally *seen, const char *path)
{
    for (int k = 0; k < seen->known; ++k)
    {
        if (strcmp(seen->sources[k].path, path) == 0)
        {
            return k;
        }
    }
    assert_true(seen->known < SOURCES);
    source *added = &seen->sources[seen->known];
    assert_true(snprintf(added->path, sizeof added->path, "%s", path) < PATH_ROOM);
    return seen->known++;
}

static void note_include(tally *seen, const char *from, const char *to)
{
    source *file = &seen->sources[source_of(seen, from)];
    assert_true(file->count < INCLUDES);
    file->includes[file->count++] = source_of(seen, to);
}

// Looks below a file for one that is above it; says the circle's files from below. The number of circles closed.
static int circles_below(tally *seen, int at)
{
    source *file = &seen->sources[at];
    int circles = 0;
    file->visit = ABOVE;
    for (int k = 0; k < file->count; ++k)
    {
        source *next = &seen->sources[file->includes[k]];
        if (next->visit == ABOVE)
        {
            print_error("src/%s includes %s, which includes it\n", file->path, next->path);
            ++circles;
        }
        else if (next->visit == NOT_SEEN)
        {
            circles += circles_below(seen, file->includes[k]);
        }
    }
    file->visit = DONE;
    return circles;
}

static int circles(tally *seen)
{
    int count = 0;
    for (int k = 0; k < seen->known; ++k)
    {
        count += seen->sources[k].visit == NOT_SEEN ? circles_below(seen, k) : 0;
    }
    return count;
}

static void open_tally(tally *seen)
{
    *seen = (tally){ 0 };
    seen->sources = calloc(SOURCES, sizeof *seen->sources);
    assert_non_null(seen->sources);
}

static void judge_file(const char *path, tally *seen)
{
    char whole[2 * PATH_ROOM], line[4096];
    assert_true(snprintf(whole, sizeof whole, "%s/src/%s", ABUT_SOURCE_DIR, path) < (int)sizeof whole);
    FILE *file = fopen(whole, "r");
    assert_non_null(file);
    ++seen->files;
    while (fgets(line, sizeof line, file))
    {
        char included[PATH_ROOM];
        bool quoted;
        if (include_of(line, included, &quoted))
        {
            ++seen->includes;
            if (quoted)
            {
                note_include(seen, path, included);
            }
        }
        seen->faults += judge_line(path, line, true);
    }
    fclose(file);
}

static bool is_source(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0 || strcmp(dot, ".inl") == 0);
}

// False when `path` (from src/, empty for src/ itself) is no directory.
static bool walk(const char *path, tally *seen)
{
    char whole[2 * PATH_ROOM];
    assert_true(snprintf(whole, sizeof whole, "%s/src/%s", ABUT_SOURCE_DIR, path) < (int)sizeof whole);
    DIR *directory = opendir(whole);
    if (!directory)
    {
        return false;
    }
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
    {
        char inner[PATH_ROOM];
        if (entry->d_name[0] == '.')
        {
            continue;
        }
        int length = snprintf(inner, sizeof inner, "%s%s%s", path, *path ? "/" : "", entry->d_name);
        assert_true(length > 0 && length < PATH_ROOM);
        if (!walk(inner, seen) && is_source(entry->d_name))
        {
            judge_file(inner, seen);
        }
    }
    closedir(directory);
    return true;
}

static void no_source_includes_downstream(void **state)
{
    (void)state;
    tally seen;
    open_tally(&seen);
    assert_true(walk("", &seen));
    assert_true(seen.files >= 10);
    assert_true(seen.includes >= 20);
    assert_int_equal(seen.faults, 0);
    assert_int_equal(circles(&seen), 0);
    free(seen.sources);
}

static void planted_circles_are_noticed(void **state)
{
    (void)state;
    tally seen;
    open_tally(&seen);
    note_include(&seen, "world/a.h", "world/b.h");
    note_include(&seen, "world/a.h", "world/c.h");
    note_include(&seen, "world/b.h", "world/c.h");
    assert_int_equal(circles(&seen), 0);
    free(seen.sources);
    open_tally(&seen);
    note_include(&seen, "world/a.h", "world/b.h");
    note_include(&seen, "world/b.h", "world/c.h");
    note_include(&seen, "world/c.h", "world/a.h");
    assert_int_equal(circles(&seen), 1);
    free(seen.sources);
}

static void planted_includes_are_noticed(void **state)
{
    (void)state;
    static const struct
    {
        const char *path, *line;
        bool allowed;
    } planted[] = {
        { "base/array.h", "#include \"base/memory.h\"", true },
        { "world/detect.c", "#include \"base/memory.h\"", true },
        { "state/save.c", "#include \"world/world.h\"", true },
        { "query/ray.c", "#include \"world/world.h\"", true },
        { "narrow/collide.c", "#include <abut/world.h>", true },
        { "narrow/collide.c", "#include <string.h>", true },
        { "narrow/narrow.h", "// #include \"broad/broad.h\" would be wrong", true },
        { "pairs/pair_stream.c", "#include \"broad/broad.h\"", true },
        { "base/array.h", "#include \"math/lanes.h\"", false },
        { "bounds/bounds.c", "  #  include   \"broad/broad.h\"\n", false },
        { "bounds/bounds.c", "#include <broad/broad.h>", false },
        { "narrow/collide.c", "#include \"broad/broad.h\"", false },
        { "broad/brute.c", "#include \"narrow/narrow.h\"", false },
        { "contact/events.c", "#include \"world/world.h\"", false },
        { "query/ray.c", "#include \"state/save.h\"", false },
        { "narrow/collide.c", "#include \"narrow.h\"", false },
        { "narrow/collide.c", "#include \"../broad/broad.h\"", false },
        { "narrow/collide.c", "#include KERNEL", false },
        { "elsewhere/file.c", "#include <string.h>", false },
    };
    for (size_t k = 0; k < sizeof planted / sizeof *planted; ++k)
    {
        if (judge_line(planted[k].path, planted[k].line, false) == planted[k].allowed)
        {
            fail_msg("src/%s: %s", planted[k].path, planted[k].line);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_source_includes_downstream),
        cmocka_unit_test(planted_includes_are_noticed),
        cmocka_unit_test(planted_circles_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
