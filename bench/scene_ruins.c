// Heaps of stones, cut blocks and rocks, on one large static AABB: each heap is a cone out of ruins_quarry.h's block,
// about another axis, whose stones tremble about their rest poses as those of pile do.
#include "ruins_quarry.h"
#include "scene_row.h"
#include "storage.h"

#include <math.h>
#include <stdlib.h>

#define HEAP    1000u  // stones
#define SLOPE   0.7f   // of a heap's sides
#define HIGH    9.0f   // metres: cones of HEAP stones are lower
#define SPREAD  26.0f  // metres from one heap to the next: more than two cones' radius
#define SPACING 0.999f // of where stones fit exactly
#define TREMBLE 0.002f // metres, and radians

typedef struct ruins_state
{
    pcg32 random;
    abut_pose *rest;
} ruins_state;

// A stone of the blocks around a heap's axis.
typedef struct candidate
{
    float level; // its height, and the slope times its distance from the axis
    uint32_t number, stone;
    abut_vec3 at; // from the axis
} candidate;

static int lower_first(const void *left, const void *right)
{
    const candidate *a = left, *b = right;
    return a->level != b->level ? (a->level > b->level) - (a->level < b->level)
                                : (a->number > b->number) - (a->number < b->number);
}

// All stones up to HIGH, from the middle of the bottom outwards. stb_ds.
static candidate *stones_of_heap(const quarry_stone *quarry, float axis_x, float axis_z)
{
    const int around = (int)(HIGH / SLOPE / QUARRY_SIDE) + 1;
    candidate *found = NULL;
    uint32_t number = 0;
    for (int block = 0; block < 2 * (2 * around + 1) * (2 * around + 1); ++block)
    {
        const int column = block / 2 % (2 * around + 1) - around, row = block / 2 / (2 * around + 1) - around;
        for (uint32_t i = 0; i < QUARRY_STONES; ++i, ++number)
        {
            const abut_vec3 in_block = quarry[i].pose.position;
            const abut_vec3 at = abut_vec3_make(in_block.x + (float)column * QUARRY_SIDE - axis_x,
                                                in_block.y + (float)(block % 2) * QUARRY_SIDE,
                                                in_block.z + (float)row * QUARRY_SIDE - axis_z);
            const float level = at.y + SLOPE * sqrtf(at.x * at.x + at.z * at.z);
            if (level < HIGH)
            {
                arrput(found, ((candidate){ level, number, i, at }));
            }
        }
    }
    qsort(found, arrlenu(found), sizeof *found, lower_first);
    return found;
}

static void tremble(abut_pose *pose, const abut_pose *rest, pcg32 *random)
{
    const abut_vec3 way = pcg32_direction(random), axis = pcg32_direction(random);
    pose->position = abut_vec3_add(rest->position, abut_vec3_scale(way, pcg32_between(random, 0.0f, TREMBLE)));
    const abut_quat turn = abut_quat_from_axis_angle(axis, pcg32_between(random, -TREMBLE, TREMBLE));
    pose->rotation = abut_quat_normalise(abut_quat_mul(turn, rest->rotation));
}

// The heap's stones from `first` on; gives the number after them.
static uint32_t pile_up(bench_scene *scene, const quarry_stone *quarry, uint32_t first, abut_vec3 middle, pcg32 *random)
{
    ruins_state *ruins = scene->state;
    const float axis_x = pcg32_between(random, 0.0f, QUARRY_SIDE), axis_z = pcg32_between(random, 0.0f, QUARRY_SIDE);
    candidate *stones = stones_of_heap(quarry, axis_x, axis_z);
    const uint32_t left = scene->bodies - first, count = left < HEAP ? left : HEAP;
    if (arrlenu(stones) < count)
    {
        storage_end("a heap of a scene has too few stones");
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const quarry_stone *stone = &quarry[stones[i].stone];
        abut_pose *rest = &ruins->rest[first + i];
        abut_body_def *def = &scene->defs[first + i];
        *rest = (abut_pose){ .position = abut_vec3_add(middle, abut_vec3_scale(stones[i].at, SPACING)),
                             .rotation = stone->pose.rotation };
        def->collider.shape = abut_shape_hull(stone->hull);
        tremble(&def->pose, rest, random);
    }
    arrfree(stones);
    return first + count;
}

static void build(bench_scene *scene, pcg32 *random)
{
    const uint32_t n = scene->bodies, heaps = (n + HEAP - 1) / HEAP;
    scene_take_bodies(scene, n, n + 1);
    ruins_state *ruins = scene_take(scene, 1, sizeof *ruins);
    ruins->rest = scene_take(scene, n, sizeof *ruins->rest);
    scene->state = ruins;
    uint32_t along = 1;
    while (along * along < heaps)
    {
        ++along;
    }
    scene->side = (float)along * SPREAD;

    quarry_stone *quarry = storage_take(QUARRY_STONES, sizeof *quarry);
    quarry_break(quarry, random);
    scene->hulls = scene_take(scene, QUARRY_STONES, sizeof(abut_geometry *));
    scene->hull_count = QUARRY_STONES;
    for (uint32_t i = 0; i < QUARRY_STONES; ++i)
    {
        scene->hulls[i] = quarry[i].hull;
    }
    for (uint32_t heap = 0, first = 0; heap < heaps; ++heap)
    {
        const abut_vec3 middle =
            abut_vec3_make(((float)(heap % along) + 0.5f) * SPREAD, 0.0f, ((float)(heap / along) + 0.5f) * SPREAD);
        first = pile_up(scene, quarry, first, middle, random);
    }
    storage_give(quarry);
    ruins->random = *random;

    abut_body_def *ground = &scene->defs[n];
    ground->motion = ABUT_STATIC;
    ground->pose = abut_pose_identity();
    ground->pose.position = abut_vec3_make(0.5f * scene->side, -1.0f, 0.5f * scene->side);
    ground->collider.shape = abut_shape_aabb(0.5f * scene->side, 1.0f, 0.5f * scene->side);
}

static void advance(bench_scene *scene)
{
    ruins_state *ruins = scene->state;
    for (uint32_t i = 0; i < scene->moving; ++i)
    {
        tremble(&scene->poses[i], &ruins->rest[i], &ruins->random);
    }
}

const scene_row scene_ruins = { { "ruins", "heaps of cut blocks and rocks, convex hulls of 8 to 64 vertices, trembling",
                                  8.0f, 1000000, 10000 },
                                11,
                                build,
                                advance };
