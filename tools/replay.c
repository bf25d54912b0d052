// abut-replay: makes the calls of a recording again, here, and says whether every frame is the same; or those of two
// recordings, and says where their worlds part.
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
    "usage: abut-replay FILE [--beside OTHER] [--isa NAME] [--broad NAME] [--threads N]\n"
    "\n"
    "Replays a recording of a world and prints how many frames are the same, or the first frame, body and field that\n"
    "differs. FILE is - for standard input. Worlds with custom kinds or pair functions need a program that has them.\n"
    "\n"
    "  --beside OTHER replays this recording as well, and prints where the two worlds differ first: those of two\n"
    "                 players, say, of whom one saw something else\n"
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
    const char *path, *beside; // the latter NULL: none
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

static bool read_beside(options *out, const char *value)
{
    out->beside = value;
    return true;
}

static bool read_options(int argc, char **argv, options *out)
{
    static const struct
    {
        const char *name;
        bool (*read)(options *out, const char *value);
    } row[] = {
        { "--isa", read_isa }, { "--broad", read_broad }, { "--threads", read_threads }, { "--beside", read_beside }
    };
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

static void print_place(uint64_t frame, uint32_t body, uint32_t other, const char *part, const char *field)
{
    printf("frame %llu differs: ", (unsigned long long)frame);
    if (body != ABUT_NONE)
    {
        printf("body %u, ", (unsigned)body);
    }
    if (other != ABUT_NONE)
    {
        printf("with body %u, ", (unsigned)other);
    }
    printf("%s: %s\n", part, field);
}

// A recording being replayed.
typedef struct player
{
    const char *path;
    FILE *file;
    abut_replay *replay;
    abut_replay_outcome outcome; // of the last frame
} player;

static void close_player(player *p)
{
    abut_replay_destroy(p->replay);
    if (p->file && p->file != stdin)
    {
        (void)fclose(p->file);
    }
}

static bool open_player(player *p, const char *path, const abut_replay_def *settings)
{
    const bool is_input = strcmp(path, "-") == 0;
#ifdef _WIN32
    (void)_setmode(_fileno(stdin), _O_BINARY);
#endif
    *p = (player){ .path = path, .file = is_input ? stdin : fopen(path, "rb") };
    if (!p->file)
    {
        fprintf(stderr, "abut-replay: %s: %s\n", path, strerror(errno));
        return false;
    }
    abut_replay_def def = *settings;
    def.read = read_file;
    def.read_context = p->file;
    const abut_status status = abut_replay_create(&def, &p->replay);
    if (status != ABUT_OK)
    {
        fprintf(stderr, "abut-replay: %s\n", abut_status_text(status));
    }
    return status == ABUT_OK;
}

// Prints what ended a replay. Returns the program's status.
static int print_end(const player *p)
{
    const unsigned long long frames = abut_replay_frames(p->replay);
    abut_replay_difference d;
    if (p->outcome == ABUT_REPLAY_DIFFERS && abut_replay_first_difference(p->replay, &d))
    {
        print_place(d.frame, d.body, d.other, d.part, d.field);
        print_value("recorded", d.recorded, d.is_float);
        print_value("replayed", d.replayed, d.is_float);
        return DIFFERS;
    }
    printf("%llu frames, same\n", frames);
    if (p->outcome == ABUT_REPLAY_BROKEN)
    {
        fprintf(stderr, "abut-replay: %s: %s\n", p->path, abut_replay_fault(p->replay));
        return BROKEN;
    }
    return SAME;
}

static int replay_one(player *p)
{
    do
    {
        p->outcome = abut_replay_next(p->replay);
    } while (p->outcome == ABUT_REPLAY_FRAME);
    return print_end(p);
}

// An image of the world as it is; NULL without memory. The caller frees it.
static void *image_of(const player *p, size_t *size)
{
    const abut_registry registry = abut_replay_registry(p->replay);
    abut_world *world = abut_replay_world(p->replay);
    void *image = NULL;
    if (abut_world_save(world, 0, &registry, NULL, 0, size) == ABUT_OK)
    {
        image = malloc(*size);
    }
    if (image && abut_world_save(world, 0, &registry, image, *size, size) != ABUT_OK)
    {
        free(image);
        image = NULL;
    }
    return image;
}

static int print_mismatch(const player *one, const player *other)
{
    size_t one_size = 0, other_size = 0;
    void *a = image_of(one, &one_size), *b = image_of(other, &other_size);
    bool differ = false;
    abut_image_mismatch m;
    int result = BROKEN;
    if (a && b && abut_image_compare(a, one_size, b, other_size, &differ, &m) == ABUT_OK && differ)
    {
        print_place(abut_replay_frames(one->replay), m.body, m.other, m.part, m.field);
        print_value(one->path, m.a, m.is_float);
        print_value(other->path, m.b, m.is_float);
        result = DIFFERS;
    }
    else
    {
        fprintf(stderr, "abut-replay: frame %llu differs, but there is no memory to say where\n",
                (unsigned long long)abut_replay_frames(one->replay));
    }
    free(a);
    free(b);
    return result;
}

static bool has_failed(const player *p)
{
    return p->outcome == ABUT_REPLAY_DIFFERS || p->outcome == ABUT_REPLAY_BROKEN;
}

static int replay_both(player *one, player *other)
{
    do
    {
        one->outcome = abut_replay_next(one->replay);
        other->outcome = abut_replay_next(other->replay);
        if (one->outcome == ABUT_REPLAY_FRAME && other->outcome == ABUT_REPLAY_FRAME &&
            abut_world_hash(abut_replay_world(one->replay)) != abut_world_hash(abut_replay_world(other->replay)))
        {
            return print_mismatch(one, other);
        }
    } while (one->outcome == ABUT_REPLAY_FRAME && other->outcome == ABUT_REPLAY_FRAME);
    const player *ended = has_failed(one) ? one : other;
    if (has_failed(ended))
    {
        printf("%s by itself: ", ended->path);
        return print_end(ended);
    }
    const bool one_goes_on = one->outcome == ABUT_REPLAY_FRAME, other_goes_on = other->outcome == ABUT_REPLAY_FRAME;
    const player *done = one_goes_on ? other : one;
    printf("%llu frames, same in both\n", (unsigned long long)abut_replay_frames(done->replay));
    if (one_goes_on || other_goes_on)
    {
        printf("%s ends there\n", done->path);
    }
    return SAME;
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
    player one = { 0 }, other = { 0 };
    int result = BROKEN;
    if (open_player(&one, given.path, &given.replay) &&
        (!given.beside || open_player(&other, given.beside, &given.replay)))
    {
        result = given.beside ? replay_both(&one, &other) : replay_one(&one);
    }
    close_player(&one);
    close_player(&other);
    return result;
}
