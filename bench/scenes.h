// Scenes: bodies and where they are, frame by frame. Tests, benchmarks and examples share them.
//
// A scene knows no engine: it says which bodies there are and moves them; whoever holds it hands the poses on.
// Everything is floats from PCG32 with a fixed seed, so that a scene is the same bits on every machine.
//
// Invariant: bodies [0, moving) may have a new pose in every frame, the rest keep the pose of their definition.
#ifndef ABUT_BENCH_SCENES_H
#define ABUT_BENCH_SCENES_H

#include "complaint.h"

#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_scene
{
    const char *name;   // as given; of a file: its name without folder and ending
    uint32_t bodies;    // as given: what figures are divided by
    uint32_t count;     // all bodies: those and the scenery (floor, terrain), which comes after them
    uint32_t moving;    // bodies [0, moving) are posed anew in every frame
    uint32_t frame;     // the one shown, from 0
    uint32_t frames;    // recorded in the file; 0: goes on for ever
    float pairs_a_body; // overlapping AABB pairs expected, over `bodies`; of a file: a guess
    float side; // metres: edge of the cube (or, seen from above, of the square) the bodies are in; 0: no such thing
    uint32_t dimension;  // of the world it is for; zero: 3
    abut_body_def *defs; // by index; user_data is the index, of a file: the body's id
    abut_pose *poses;    // by index, in the frame shown

    // Bodies that ended after the frame before and begin anew in this one, with these definitions.
    uint32_t renewed_count;
    uint32_t renewed_room; // the most there ever are in one frame
    uint32_t *renewed;     // their indices, rising
    abut_body_def *renewed_defs;

    abut_geometry *ground; // of a body among the scenery; NULL: none. Released with the scene
    abut_geometry **hulls; // that bodies have, each of any number of them; released with the scene
    uint32_t hull_count;

    const struct scene_row *row;
    void *state;               // the row's own
    struct scene_block *taken; // everything above, freed with the scene
} bench_scene;

// A kind of scene, as a list of them shows it.
typedef struct scene_description
{
    const char *name;
    const char *summary; // one line
    float pairs_a_body;  // 0: depends on the number of bodies
    uint32_t most_bodies;
    uint32_t most_by_default; // in a benchmark without a number of frames
} scene_description;

uint32_t scene_kinds(void);
scene_description scene_describe(uint32_t kind);

// The kind's number, or ABUT_NONE.
uint32_t scene_find(const char *name);

// Shows frame 0. `bodies` is from 1 to most_bodies. `seed` 0: the scene's own, which the benchmark uses.
bench_scene *scene_open(uint32_t kind, uint32_t bodies, uint64_t seed);

// NULL, and a complaint naming the file, the line and what is wrong, when the file is not a scene.
//
//     body,id,kind,hx,hy,hz,moving          kind: aabb, obb, sphere (radius three times); moving: 1 or 0
//     pose,frame,id,x,y,z,qw,qx,qy,qz       frames in rising order; a body keeps its last pose until the next
//
// Lines that begin with # are comments. Bodies are declared before they are posed, and posed in the first frame.
// Numbers are read in the C locale.
bench_scene *scene_open_file(const char *path, bench_complaint *complaint);

// Shows the next frame. After the last recorded one nothing moves any more.
void scene_advance(bench_scene *scene);

// NULL is allowed.
void scene_close(bench_scene *scene);

#ifdef __cplusplus
}
#endif

#endif
