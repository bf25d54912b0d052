// The scenes there are, and what is the same for all of them. A new one is a row here and a file.
#include "scene_row.h"
#include "storage.h"

#include <string.h>

static const scene_row *const rows[] = {
    &scene_gas,     &scene_dense, &scene_pile,       &scene_sparse,  &scene_sizes,   &scene_rain,
    &scene_cluster, &scene_rects, &scene_rects_flat, &scene_terrain, &scene_heights, &scene_ruins,
};

// A piece of what a scene holds; the memory follows.
typedef struct scene_block
{
    struct scene_block *next;
    max_align_t memory[];
} scene_block;

void *scene_take(bench_scene *scene, size_t count, size_t size)
{
    scene_block *block = storage_take(1, sizeof *block + count * size);
    block->next = scene->taken;
    scene->taken = block;
    return block->memory;
}

void scene_take_bodies(bench_scene *scene, uint32_t moving, uint32_t count)
{
    scene->moving = moving;
    scene->count = count;
    scene->defs = scene_take(scene, count, sizeof *scene->defs);
    scene->poses = scene_take(scene, count, sizeof *scene->poses);
    for (uint32_t i = 0; i < count; ++i)
    {
        scene->defs[i].user_data = i;
    }
}

bench_scene *scene_empty(const scene_row *row, const char *name)
{
    bench_scene *scene = storage_take(1, sizeof *scene);
    size_t length = strlen(name) + 1;
    scene->name = memcpy(scene_take(scene, length, 1), name, length);
    scene->row = row;
    return scene;
}

uint32_t scene_kinds(void)
{
    return sizeof rows / sizeof rows[0];
}

scene_description scene_describe(uint32_t kind)
{
    return rows[kind]->description;
}

uint32_t scene_find(const char *name)
{
    for (uint32_t kind = 0; kind < scene_kinds(); ++kind)
    {
        if (strcmp(rows[kind]->description.name, name) == 0)
        {
            return kind;
        }
    }
    return ABUT_NONE;
}

bench_scene *scene_open(uint32_t kind, uint32_t bodies, uint64_t seed)
{
    const scene_row *row = rows[kind];
    bench_scene *scene = scene_empty(row, row->description.name);
    scene->bodies = bodies;
    scene->pairs_a_body = row->description.pairs_a_body;
    pcg32 random = pcg32_seed(seed ? seed : row->seed, row->seed);
    row->build(scene, &random);
    for (uint32_t i = 0; i < scene->count; ++i)
    {
        scene->poses[i] = scene->defs[i].pose;
    }
    return scene;
}

void scene_advance(bench_scene *scene)
{
    scene->frame += 1;
    if (scene->row->advance)
    {
        scene->row->advance(scene);
    }
}

void scene_close(bench_scene *scene)
{
    if (!scene)
    {
        return;
    }
    abut_geometry_release(scene->ground);
    for (uint32_t i = 0; i < scene->hull_count; ++i)
    {
        abut_geometry_release(scene->hulls[i]);
    }
    for (scene_block *block = scene->taken, *next; block; block = next)
    {
        next = block->next;
        storage_give(block);
    }
    storage_give(scene);
}
