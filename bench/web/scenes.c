// The benchmark's scenes for JavaScript: opened by name, shown frame by frame, read in the module's memory.
#include "scenes.h"
#include "storage.h"

#include <stdlib.h>

// The storage of scenes: without a terminal to complain to, what cannot be had is a trap, which JavaScript catches.
static void *or_trap(void *block, size_t size)
{
    if (!block && size)
    {
        __builtin_trap();
    }
    return block;
}

void storage_end(const char *sentence)
{
    (void)sentence;
    __builtin_trap();
}

void *storage_grow(void *block, size_t size)
{
    return or_trap(realloc(block, size), size);
}

void *storage_take(size_t count, size_t size)
{
    return or_trap(calloc(count, size), count * size);
}

void storage_give(void *block)
{
    free(block);
}

#define EXPORT(name) __attribute__((export_name(#name))) name

// What JavaScript reads of a scene, in this order.
typedef struct web_scene
{
    uint32_t count, moving;
    const abut_body_def *defs;
    const abut_pose *poses;
    uint32_t renewed_count;
    const uint32_t *renewed;
    const abut_body_def *renewed_defs;
    uint32_t dimension;
    bench_scene *scene;
} web_scene;

static web_scene shown;

static const web_scene *show(bench_scene *scene)
{
    shown = (web_scene){ scene->count,   scene->moving,       scene->defs,      scene->poses, scene->renewed_count,
                         scene->renewed, scene->renewed_defs, scene->dimension, scene };
    return &shown;
}

// NULL: there is no scene of that name, or not with so many bodies. The struct is written over by the next call.
const web_scene *EXPORT(web_scene_open)(const char *name, uint32_t bodies)
{
    const uint32_t kind = scene_find(name);
    if (kind == ABUT_NONE || bodies == 0 || bodies > scene_describe(kind).most_bodies)
    {
        return NULL;
    }
    return show(scene_open(kind, bodies, 0));
}

const web_scene *EXPORT(web_scene_advance)(bench_scene *scene)
{
    scene_advance(scene);
    return show(scene);
}

void EXPORT(web_scene_close)(bench_scene *scene)
{
    scene_close(scene);
}
