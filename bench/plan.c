// The default set is chosen to take under a minute; what a scene cannot have is an error only when it was given by
// name.
#include "plan.h"

#include "storage.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_SIZES 3u
static const uint32_t default_bodies[DEFAULT_SIZES] = { 1000, 10000, 100000 };

// A run of a real engine. Not there when the program was taken away from its sources: then the set is the smaller.
#define RECORDED ABUT_SCENES_DIR "/pour_500.csv"

static uint32_t default_sizes(const scene_description *scene)
{
    uint32_t sizes = 0;
    while (sizes < DEFAULT_SIZES && default_bodies[sizes] <= scene->most_by_default)
    {
        ++sizes;
    }
    return sizes;
}

static void note(bench_plan *plan, const char *what, const char *why)
{
    size_t length = strlen(what) + strlen(why) + 32;
    char *sentence = storage_take(length, 1);
    snprintf(sentence, length, "%s is left out: %s", what, why);
    arrput(plan->notes, sentence);
}

static bool add_sizes(bench_plan *plan, uint32_t kind, const bench_options *options, bench_complaint *complaint)
{
    scene_description scene = scene_describe(kind);
    uint32_t asked = (uint32_t)arrlenu(options->bodies);
    const uint32_t *bodies = asked ? options->bodies : default_bodies;
    uint32_t sizes = asked ? asked : default_sizes(&scene);
    for (uint32_t i = 0; i < sizes; ++i)
    {
        if (bodies[i] <= scene.most_bodies)
        {
            arrput(plan->rows, ((plan_row){ .kind = kind, .bodies = bodies[i], .by_default = !asked }));
        }
        else if (options->kinds)
        {
            return complain(complaint, EXIT_ASKED, "scene %s has at most %u bodies, not %u", scene.name,
                            scene.most_bodies, bodies[i]);
        }
        else
        {
            char what[64], why[64];
            snprintf(what, sizeof what, "%s with %u bodies", scene.name, bodies[i]);
            snprintf(why, sizeof why, "it has %u at most", scene.most_bodies);
            note(plan, what, why);
        }
    }
    return true;
}

static bool add_file(bench_plan *plan, const char *path, bool by_default, bench_complaint *complaint)
{
    bench_scene *scene = scene_open_file(path, complaint);
    if (!scene)
    {
        return false;
    }
    plan_row row = { .kind = ABUT_NONE, .file = path, .bodies = scene->bodies, .by_default = by_default };
    arrput(plan->rows, row);
    scene_close(scene);
    return true;
}

bool plan_make(bench_plan *plan, const bench_options *options, bench_complaint *complaint)
{
    bool by_name = options->kinds != NULL, file_alone = options->file && !by_name && !options->all_scenes;
    uint32_t scenes = by_name ? (uint32_t)arrlenu(options->kinds) : file_alone ? 0 : scene_kinds();
    for (uint32_t i = 0; i < scenes; ++i)
    {
        if (!add_sizes(plan, by_name ? options->kinds[i] : i, options, complaint))
        {
            return false;
        }
    }
    if (options->file && !add_file(plan, options->file, false, complaint))
    {
        return false;
    }
    bool nothing_named = !by_name && !options->all_scenes && !options->file && !options->bodies;
    if (nothing_named && !add_file(plan, RECORDED, true, complaint))
    {
        note(plan, "the recorded scene", complaint->sentence);
        *complaint = (bench_complaint){ 0 };
    }
    return arrlenu(plan->rows) > 0 || complain(complaint, EXIT_ASKED, "no scene has so many bodies");
}

void plan_release(bench_plan *plan)
{
    for (size_t i = 0; i < arrlenu(plan->notes); ++i)
    {
        storage_give(plan->notes[i]);
    }
    arrfree(plan->notes);
    arrfree(plan->rows);
}

bench_scene *plan_open_scene(const plan_row *row, bench_complaint *complaint)
{
    return row->file ? scene_open_file(row->file, complaint) : scene_open(row->kind, row->bodies, 0);
}
