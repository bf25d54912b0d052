// Stacks, a pyramid, dominoes and a top, held up by a solver of some four hundred lines over abut's contacts. Every
// scene is run with each instruction set this processor has; all must give the same hash, and what was built must
// stand.
#include "arguments.h"
#include "scenes.h"
#include "steadiness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct asked
{
    const char *scene; // NULL: all
    abut_isa isa;      // AUTO: each that there is
    float seconds;     // zero: the scene's own
    float recycle;     // metres: the world's recycle distance
    abut_separations separations;
} asked;

typedef struct outcome
{
    bool sound;    // the calls succeeded
    bool standing; // the scene says that all is as it must be
    uint64_t hash;
} outcome;

static bool run_frames(stage *s, float seconds, steadiness *steady)
{
    const uint32_t frames = (uint32_t)(seconds * 60.0f + 0.5f);
    for (uint32_t frame = 0; frame < frames && s->status == ABUT_OK; ++frame)
    {
        s->status = solver_step(s->solver, 1.0f / 60.0f);
        if (s->status == ABUT_OK && !steadiness_look(steady, s->world, frame > frames - frames / 4))
        {
            s->status = ABUT_OUT_OF_MEMORY;
        }
    }
    return s->status == ABUT_OK;
}

static outcome run(const stack_scene *scene, abut_isa isa, const asked *a)
{
    stage s = { 0 };
    steadiness steady = { 0 };
    outcome out = { 0 };
    const float seconds = a->seconds > 0.0f ? a->seconds : scene->seconds;
    const abut_world_def def = {
        .isa = isa, .margin = SOLVER_MARGIN, .recycle_distance = a->recycle, .separations = a->separations
    };
    s.status = abut_world_create(&def, &s.world);
    s.solver = s.status == ABUT_OK ? solver_create(s.world, abut_vec3_make(0.0f, -9.81f, 0.0f), 0.6f, 8) : NULL;
    if (s.solver)
    {
        scene->build(&s);
        out.sound = s.status == ABUT_OK && run_frames(&s, seconds, &steady);
    }
    if (out.sound)
    {
        out.standing = scene->judge(&s, seconds);
        out.hash = abut_world_hash(s.world);
        if (scene->settles)
        {
            steadiness_print(&steady, "  features");
        }
    }
    steadiness_close(&steady);
    solver_destroy(s.solver);
    abut_world_destroy(s.world);
    free(s.bodies);
    free(s.placed);
    return out;
}

// Whether a scene stands, and gives one hash, with every selected instruction set.
static bool try_scene(const stack_scene *scene, const asked *a)
{
    bool good = true, first = true;
    uint64_t hash = 0;
    for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
    {
        if (!abut_isa_available(isa) || (a->isa != ABUT_ISA_AUTO && a->isa != isa))
        {
            continue;
        }
        const outcome o = run(scene, isa, a);
        const bool same = first || o.hash == hash;
        printf("%s on %s: hash %016" PRIx64 "%s%s%s\n", scene->name, abut_isa_name(isa), o.hash,
               o.sound ? "" : ", a call failed", o.standing ? "" : ", NOT STANDING", same ? "" : ", ANOTHER HASH");
        good = good && o.sound && o.standing && same;
        hash = o.hash;
        first = false;
    }
    return good && !first;
}

static bool read_isa(const char *name, abut_isa *out)
{
    for (int isa = ABUT_ISA_AUTO; isa < ABUT_ISA_COUNT; ++isa)
    {
        if (strcmp(abut_isa_name((abut_isa)isa), name) == 0)
        {
            *out = (abut_isa)isa;
            return true;
        }
    }
    if (strcmp(name, "best") == 0)
    {
        *out = abut_isa_best();
        return true;
    }
    return strcmp(name, "all") == 0;
}

static const char help[] =
    "stack [--scene NAME] [--isa NAME] [--seconds S] [--recycle METRES] [--separations OF]\n"
    "Holds up stacks with a solver behind abut. Every scene must stand, and give one hash on every instruction set.\n"
    "\n"
    "  --scene NAME  tower, pyramid, prisms, pile, dominoes or top; all of them by default\n"
    "  --isa NAME    scalar, sse2, avx2, avx512, neon, simd128, best, or all that this processor has (the default)\n"
    "  --seconds S   how long to run; each scene's own time by default\n"
    "  --recycle METRES  manifolds stand while bodies move by less; by default none do\n"
    "  --separations OF  followed (the default), or anchors: the solver finds those of now; needs --recycle\n"
    "  --help        prints this\n";

static bool read_scene(const char *name, const char **out)
{
    for (uint32_t i = 0; i < stack_scene_count; ++i)
    {
        *out = strcmp(name, stack_scenes[i].name) == 0 ? name : *out;
    }
    return *out == name;
}

// A number above 0 and below a million.
static bool read_number(const char *text, float *out)
{
    char *end;
    *out = strtof(text, &end);
    return end != text && !*end && *out > 0.0f && *out < 1.0e6f;
}

static bool read_separations(const char *name, abut_separations *out)
{
    *out = strcmp(name, "anchors") == 0 ? ABUT_AT_ANCHORS : ABUT_FOLLOWED;
    return *out == ABUT_AT_ANCHORS || strcmp(name, "followed") == 0;
}

// The options, each with a value, and what is wrong with one that cannot be read.
typedef enum option
{
    SCENE,
    ISA,
    SECONDS,
    RECYCLE,
    SEPARATIONS,
    OPTIONS
} option;

static const char *const options[OPTIONS][2] = {
    [SCENE] = { "--scene", "there is no such scene" },
    [ISA] = { "--isa", "there is no such instruction set" },
    [SECONDS] = { "--seconds", "not a number above 0 and below a million" },
    [RECYCLE] = { "--recycle", "not a number above 0 and below a million" },
    [SEPARATIONS] = { "--separations", "neither followed nor anchors" },
};

static bool read_value(option which, const char *value, asked *a)
{
    return which == SCENE         ? read_scene(value, &a->scene)
           : which == ISA         ? read_isa(value, &a->isa)
           : which == SEPARATIONS ? read_separations(value, &a->separations)
                                  : read_number(value, which == SECONDS ? &a->seconds : &a->recycle);
}

// The exit status to leave with, or GO_ON.
static int read_asked(int argc, char **argv, asked *a)
{
    for (int i = 1; i < argc; ++i)
    {
        if (help_wanted(argv[i]))
        {
            printf("usage: %s", help);
            return 0;
        }
        option which = SCENE;
        while (which < OPTIONS && strcmp(argv[i], options[which][0]) != 0)
        {
            ++which;
        }
        if (which == OPTIONS)
        {
            return argument_rejected("stack", argv[i], "there is no such option");
        }
        if (++i == argc)
        {
            return argument_rejected("stack", argv[i - 1], "a value has to follow");
        }
        if (!read_value(which, argv[i], a))
        {
            return argument_rejected("stack", argv[i], options[which][1]);
        }
    }
    if (a->separations == ABUT_AT_ANCHORS && a->recycle == 0.0f)
    {
        return argument_rejected("stack", "--separations anchors", "needs --recycle");
    }
    return GO_ON;
}

int main(int argc, char **argv)
{
    asked a = { 0 };
    const int answer = read_asked(argc, argv, &a);
    if (answer != GO_ON)
    {
        return answer;
    }
    if (a.isa != ABUT_ISA_AUTO && !abut_isa_available(a.isa))
    {
        fprintf(stderr, "stack: %s is not in this build or not in this processor\n", abut_isa_name(a.isa));
        return 1;
    }
    bool good = true;
    for (uint32_t i = 0; i < stack_scene_count; ++i)
    {
        if (!a.scene || strcmp(a.scene, stack_scenes[i].name) == 0)
        {
            good = try_scene(&stack_scenes[i], &a) && good;
        }
    }
    return good ? 0 : 1;
}
