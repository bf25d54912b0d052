// What a family of scenes fills in. Everything a scene holds is taken through scene_take and freed with it, so that a
// family has nothing to release.
#ifndef ABUT_BENCH_SCENE_ROW_H
#define ABUT_BENCH_SCENE_ROW_H

#include "pcg32.h"
#include "scenes.h"

typedef struct scene_row
{
    scene_description description;
    uint64_t seed;
    // Fills in everything but name, bodies, row and pairs_a_body; the poses are those of the definitions.
    void (*build)(bench_scene *scene, pcg32 *random);
    void (*advance)(bench_scene *scene); // NULL: nothing moves
} scene_row;

// Zeroed.
void *scene_take(bench_scene *scene, size_t count, size_t size);

// Takes room for the bodies: `moving` of them in motion, `count` in all. User data is the index.
void scene_take_bodies(bench_scene *scene, uint32_t moving, uint32_t count);

// An empty scene of `row`, to be filled in.
bench_scene *scene_empty(const scene_row *row, const char *name);

// The rows, each in its family's file.
extern const scene_row scene_gas, scene_dense, scene_sparse, scene_sizes, scene_cluster;
extern const scene_row scene_pile, scene_ruins;
extern const scene_row scene_rain;
extern const scene_row scene_rects, scene_rects_flat;
extern const scene_row scene_terrain, scene_heights;

#endif
