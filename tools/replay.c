// abut-replay: makes the calls of a recording again, here, and says whether every frame is the same.
#include <abut/abut.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#endif

static const char help[] =
    "usage: abut-replay FILE [--isa NAME] [--broad NAME] [--threads N]\n"
    "\n"
    "Replays a recording of a world and prints how many frames are the same, or the first frame, body and field that\n"
    "differs. FILE is - for standard input. Worlds with custom kinds or pair functions need a program that has them.\n"
    "\n"
    "  --isa NAME     the instruction set; default: the widest of this processor\n"
    "  --broad NAME   the broad phase: auto, brute, bvh or grid; default: auto\n"
    "  --threads N    from 1 to 256; default: 1\n"
    "\n"
    "Exits with 0 if every frame is the same, 1 if one differs, 2 if the recording cannot be read.\n";

enum
{
    SAME = 0,
    DIFFERS = 1,
    BROKEN = 2
};

typedef struct options
{
    const char *path;
    abut_replay_def replay;
} options;

static bool rejected(const char *argument, const char *sentence)
{
    fprintf(stderr, "abut-replay: '%s': %s; --help says what there is\n", argument, sentence);
    return false;
}

static bool read_isa(options *out, const char *value)
{
    for (int isa = 0; isa < ABUT_ISA_COUNT; ++isa)
    {
        if (strcmp(abut_isa_name((abut_isa)isa), value) == 0)
        {
            out->replay.isa = (abut_isa)isa;
            return abut_isa_available((abut_isa)isa) || rejected(value, "neither this build nor this processor has it");
        }
    }
    return rejected(value, "there is no such instruction set");
}

static bool read_broad(options *out, const char *value)
{
    for (int kind = 0; kind < ABUT_BROAD_COUNT; ++kind)
    {
        if (strcmp(abut_broad_name((abut_broad_kind)kind), value) == 0)
        {
            out->replay.broad = (abut_broad_kind)kind;
            return true;
        }
    }
    return rejected(value, "there is no such broad phase");
}

static bool read_threads(options *out, const char *value)
{
    char *end;
    const unsigned long threads = strtoul(value, &end, 10);
    if (value[0] < '1' || value[0] > '9' || *end != '\0' || threads > ABUT_MAX_THREADS)
    {
        return rejected(value, "the number of threads is from 1 to 256");
    }
    out->replay.threads = (uint32_t)threads;
    return true;
}

static bool read_options(int argc, char **argv, options *out)
{
    static const struct
    {
        const char *name;
        bool (*read)(options *out, const char *value);
    } row[] = { { "--isa", read_isa }, { "--broad", read_broad }, { "--threads", read_threads } };
    for (int i = 1; i < argc; ++i)
    {
        size_t at = 0;
        while (at < sizeof row / sizeof *row && strcmp(argv[i], row[at].name) != 0)
        {
            ++at;
        }
        if (at < sizeof row / sizeof *row)
        {
            if (i + 1 == argc)
            {
                return rejected(argv[i], "it takes a value");
            }
            if (!row[at].read(out, argv[++i]))
            {
                return false;
            }
        }
        else if (argv[i][0] == '-' && argv[i][1] != '\0')
        {
            return rejected(argv[i], "there is no such option");
        }
        else if (out->path)
        {
            return rejected(argv[i], "one argument too many");
        }
        else
        {
            out->path = argv[i];
        }
    }
    if (!out->path)
    {
        fprintf(stderr, "%s", help);
    }
    return out->path != NULL;
}

static size_t read_file(void *context, void *bytes, size_t size)
{
    return fread(bytes, 1, size, context);
}

static void print_value(const char *whose, uint64_t bits, bool is_float)
{
    const uint32_t low = (uint32_t)bits;
    float value;
    memcpy(&value, &low, sizeof value);
    if (is_float)
    {
        printf("  %s: %.9g (0x%08x)\n", whose, (double)value, (unsigned)low);
    }
    else
    {
        printf("  %s: 0x%llx\n", whose, (unsigned long long)bits);
    }
}

static int print_difference(const abut_replay *replay)
{
    abut_replay_difference d;
    (void)abut_replay_first_difference(replay, &d);
    printf("frame %llu differs: ", (unsigned long long)d.frame);
    if (d.body != ABUT_NONE)
    {
        printf("body %u, ", (unsigned)d.body);
    }
    if (d.other != ABUT_NONE)
    {
        printf("with body %u, ", (unsigned)d.other);
    }
    printf("%s: %s\n", d.part, d.field);
    print_value("recorded", d.recorded, d.is_float);
    print_value("replayed", d.replayed, d.is_float);
    return DIFFERS;
}

static int replay_file(const options *given, FILE *file)
{
    abut_replay *replay;
    abut_replay_def def = given->replay;
    def.read = read_file;
    def.read_context = file;
    const abut_status status = abut_replay_create(&def, &replay);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "abut-replay: %s\n", abut_status_text(status));
        return BROKEN;
    }
    abut_replay_outcome outcome;
    do
    {
        outcome = abut_replay_next(replay);
    } while (outcome == ABUT_REPLAY_FRAME);
    const unsigned long long frames = abut_replay_frames(replay);
    int result = SAME;
    if (outcome == ABUT_REPLAY_COMPLETE)
    {
        printf("%llu frames, same\n", frames);
    }
    else if (outcome == ABUT_REPLAY_DIFFERS)
    {
        result = print_difference(replay);
    }
    else
    {
        printf("%llu frames, same\n", frames);
        fprintf(stderr, "abut-replay: %s: %s\n", given->path, abut_replay_fault(replay));
        result = BROKEN;
    }
    abut_replay_destroy(replay);
    return result;
}

int main(int argc, char **argv)
{
    options given = { 0 };
    for (int i = 1; i < argc; ++i)
    {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
        {
            printf("%s", help);
            return SAME;
        }
    }
    if (!read_options(argc, argv, &given))
    {
        return BROKEN;
    }
    const bool is_input = strcmp(given.path, "-") == 0;
#ifdef _WIN32
    (void)_setmode(_fileno(stdin), _O_BINARY);
#endif
    FILE *file = is_input ? stdin : fopen(given.path, "rb");
    if (!file)
    {
        fprintf(stderr, "abut-replay: %s: %s\n", given.path, strerror(errno));
        return BROKEN;
    }
    const int result = replay_file(&given, file);
    if (!is_input)
    {
        (void)fclose(file);
    }
    return result;
}
