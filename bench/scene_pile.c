// Unit cubes stacked in a lattice on one large static AABB, each moving a little about its rest pose, anew in each
// frame.
#include "scene_row.h"

#define SPACING 0.999f
#define TREMBLE 0.002f // metres, and radians

typedef struct pile_state
{
    pcg32 random;
    abut_vec3 *rest;
} pile_state;

// The smallest k with k³ >= n.
static uint32_t lattice_edge(uint32_t n)
{
    uint32_t k = 1;
    while ((uint64_t)k * k * k < n)
    {
        ++k;
    }
    return k;
}

static void tremble(abut_pose *pose, abut_vec3 rest, pcg32 *random)
{
    abut_vec3 way = pcg32_direction(random);
    abut_vec3 axis = pcg32_direction(random);
    pose->position = abut_vec3_add(rest, abut_vec3_scale(way, pcg32_between(random, 0.0f, TREMBLE)));
    pose->rotation = abut_quat_from_axis_angle(axis, pcg32_between(random, -TREMBLE, TREMBLE));
}

// Layer by layer from below, so that a number that is no cube leaves the top layer unfinished.
static void build(bench_scene *scene, pcg32 *random)
{
    uint32_t n = scene->bodies, k = lattice_edge(n);
    scene_take_bodies(scene, n, n + 1);
    pile_state *pile = scene_take(scene, 1, sizeof *pile);
    pile->rest = scene_take(scene, n, sizeof *pile->rest);
    scene->state = pile;
    scene->side = (float)k * SPACING;
    for (uint32_t i = 0; i < n; ++i)
    {
        uint32_t column = i % (k * k);
        pile->rest[i] = abut_vec3_make(((float)(column % k) + 0.5f) * SPACING, ((float)(i / (k * k)) + 0.5f) * SPACING,
                                       ((float)(column / k) + 0.5f) * SPACING);
        scene->defs[i].collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f);
        tremble(&scene->defs[i].pose, pile->rest[i], random);
    }
    pile->random = *random;

    abut_body_def *floor = &scene->defs[n];
    floor->motion = ABUT_STATIC;
    floor->pose = abut_pose_identity();
    floor->pose.position = abut_vec3_make(0.5f * scene->side, -1.0f, 0.5f * scene->side);
    floor->collider.shape = abut_shape_aabb(0.5f * scene->side + 10.0f, 1.0f, 0.5f * scene->side + 10.0f);
}

static void advance(bench_scene *scene)
{
    pile_state *pile = scene->state;
    for (uint32_t i = 0; i < scene->moving; ++i)
    {
        tremble(&scene->poses[i], pile->rest[i], &pile->random);
    }
}

const scene_row scene_pile = {
    { "pile", "unit cubes stacked in a lattice on a floor, trembling", 12.0f, 10000000, 10000 }, 3, build, advance
};
