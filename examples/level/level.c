// A small level, of a file or made up here, onto which bodies of every kind fall until they rest; and a picture of it.
#include "arguments.h"
#include "drop.h"
#include "make.h"
#include "shade.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct asked
{
    const char *file;    // of a level, as text or as OBJ; NULL: one that is made up
    const char *text;    // to write the level to
    const char *obj;     // the same as triangles
    const char *picture; // NULL: none is drawn
    uint32_t bodies, seed, seconds;
    shade_options shade;
    bool list;
} asked;

static const char help[] = "level [OPTION VALUE]... [FILE]\n"
                           "Drops bodies onto a level and says what became of them. FILE is a level as text (what is "
                           "in it: examples/level/plan.h)\n"
                           "or, if its name ends in .obj, as triangles; without it one is made up.\n\n"
                           "  --seed     N         of the level that is made up, and of the bodies; 5\n"
                           "  --bodies   N         up to 4096; 300\n"
                           "  --seconds  N         until they are looked at; 16\n"
                           "  --text     FILE      writes the level as text\n"
                           "  --obj      FILE      writes its triangles as OBJ\n"
                           "  --list     yes       prints where the bodies are: kind x y z\n"
                           "  --picture  FILE.png  draws them\n"
                           "  --size     WxH       of the picture; 900x560\n"
                           "  --samples  N         N x N rays a pixel; 3\n"
                           "  --help               this\n";

static bool take_number(const char *text, uint32_t least, uint32_t most, uint32_t *out)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);
    *out = (uint32_t)value;
    return *text >= '0' && *text <= '9' && *end == '\0' && value >= least && value <= most;
}

static bool take_size(const char *text, shade_options *out)
{
    char after;
    return sscanf(text, "%dx%d%c", &out->width, &out->height, &after) == 2 && out->width >= 1 && out->width <= 4096 &&
           out->height >= 1 && out->height <= 4096;
}

static bool take_option(asked *a, const char *name, const char *value)
{
    uint32_t samples;
    if (strcmp(name, "--samples") == 0)
    {
        const bool sound = take_number(value, 1, 4, &samples);
        a->shade.samples = (int)samples;
        return sound;
    }
    if (strcmp(name, "--size") == 0)
    {
        return take_size(value, &a->shade);
    }
    const char **text = strcmp(name, "--text") == 0      ? &a->text
                        : strcmp(name, "--obj") == 0     ? &a->obj
                        : strcmp(name, "--picture") == 0 ? &a->picture
                                                         : NULL;
    if (text)
    {
        *text = value;
        return true;
    }
    a->list = a->list || strcmp(name, "--list") == 0;
    return strcmp(name, "--list") == 0      ? strcmp(value, "yes") == 0
           : strcmp(name, "--seed") == 0    ? take_number(value, 0, 1000000, &a->seed)
           : strcmp(name, "--bodies") == 0  ? take_number(value, 1, MOST_BODIES, &a->bodies)
           : strcmp(name, "--seconds") == 0 ? take_number(value, 1, 3600, &a->seconds)
                                            : false;
}

// The status to leave with, or GO_ON.
static int read_arguments(asked *a, int argc, char **argv)
{
    *a = (asked){ .bodies = 300, .seed = 5, .seconds = 16, .shade = { 900, 560, 3 } };
    for (int i = 1; i < argc; ++i)
    {
        if (help_wanted(argv[i]))
        {
            printf("usage: %s", help);
            return 0;
        }
    }
    for (int i = 1; i < argc; ++i)
    {
        if (argv[i][0] != '-')
        {
            if (a->file)
            {
                return argument_rejected("level", argv[i], "one file too many");
            }
            a->file = argv[i];
        }
        else if (i + 1 == argc || !take_option(a, argv[i], argv[i + 1]))
        {
            return argument_rejected("level", argv[i],
                                     i + 1 == argc ? "there is no such option, or no value" : argv[i + 1]);
        }
        else
        {
            ++i;
        }
    }
    return GO_ON;
}

static bool ends_in_obj(const char *path)
{
    const size_t length = strlen(path);
    return length >= 4 && strcmp(path + length - 4, ".obj") == 0;
}

typedef bool writer(const void *what, FILE *file);

static bool write_plan(const void *what, FILE *file)
{
    return plan_write(what, file);
}

static bool write_triangles(const void *what, FILE *file)
{
    return triangles_write_obj(what, file);
}

static bool write_to(const char *path, writer *write, const void *what)
{
    FILE *file = fopen(path, "w");
    bool sound = file && write(what, file);
    sound = file && fclose(file) == 0 && sound;
    if (!sound)
    {
        fprintf(stderr, "level: cannot write %s\n", path);
    }
    return sound;
}

static bool get_level(const asked *a, triangles *out)
{
    plan p = { 0 };
    const bool from_obj = a->file && ends_in_obj(a->file);
    bool sound = from_obj  ? triangles_read_obj(out, a->file)
                 : a->file ? plan_read(&p, a->file)
                           : make_plan(&p, a->seed);
    sound = sound && (from_obj || triangles_of_plan(out, &p));
    if (sound && a->text && from_obj)
    {
        fprintf(stderr, "level: an OBJ file cannot be written as text\n");
        sound = false;
    }
    else if (sound && a->text)
    {
        sound = write_to(a->text, write_plan, &p);
    }
    plan_release(&p);
    return sound && (!a->obj || write_to(a->obj, write_triangles, out));
}

static void list(const drop *d)
{
    const abut_bodies bodies = abut_world_bodies(d->world);
    for (uint32_t i = 0; i < d->count; ++i)
    {
        const abut_vec3 at = bodies.poses[d->bodies[i].slot].position;
        printf("%s %.9g %.9g %.9g\n", body_kind_name((body_kind)bodies.user_data[d->bodies[i].slot]), (double)at.x,
               (double)at.y, (double)at.z);
    }
}

static bool draw(const asked *a, const drop *d, const triangles *level)
{
    canvas *picture = shade(d, level->kinds, &a->shade);
    const bool sound = picture && canvas_write_png(picture, a->picture);
    canvas_destroy(picture);
    if (!sound)
    {
        fprintf(stderr, "level: cannot draw %s\n", a->picture);
    }
    return sound;
}

// Whether all of them came to rest on the level.
static bool judge(const asked *a, const triangles *level, const drop_found *found)
{
    printf("%u bodies on %u triangles, after %u seconds: %u fell through, %u move (the fastest %.3f m/s), %u touch "
           "nothing\n",
           a->bodies, level->count, a->seconds, found->fallen, found->moving, (double)found->fastest, found->floating);
    printf("%u pairs touch in %u contacts with %u points, %.4f m deep at most; hash %016" PRIx64 "\n", found->pairs,
           found->contacts, found->points, (double)found->deepest, found->hash);
    return found->fallen == 0 && found->moving == 0 && found->floating == 0;
}

static bool run(const asked *a, const triangles *level, drop *d)
{
    drop_open(d, level, a->bodies, a->seed);
    drop_run(d, a->seconds);
    const drop_found found = d->status == ABUT_OK ? drop_look(d) : (drop_found){ 0 };
    if (d->status != ABUT_OK)
    {
        fprintf(stderr, "level: abut: %s\n", abut_status_text(d->status));
        return false;
    }
    if (a->list)
    {
        list(d);
    }
    const bool rest = judge(a, level, &found);
    return (!a->picture || draw(a, d, level)) && rest;
}

int main(int argc, char **argv)
{
    asked a;
    const int answer = read_arguments(&a, argc, argv);
    if (answer != GO_ON)
    {
        return answer;
    }
    triangles level = { 0 };
    drop *d = calloc(1, sizeof *d);
    bool sound = d && get_level(&a, &level);
    if (sound)
    {
        sound = run(&a, &level, d);
        drop_close(d);
    }
    triangles_release(&level);
    free(d);
    return sound ? 0 : 1;
}
