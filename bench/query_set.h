// Questions asked of a scene: which, how many, where. The same on every machine, as are the scenes.
#ifndef ABUT_BENCH_QUERY_SET_H
#define ABUT_BENCH_QUERY_SET_H

#include "complaint.h"
#include "scenes.h"

#include <abut/query.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QUERY_COUNT 10000u // of each kind
#define QUERY_BAND  0.02f // metres along its way by which a hit of two engines may differ: Bullet's rays stop 0.01 short

typedef enum query_kind
{
    QUERY_RAY_LONG,
    QUERY_RAY_MEDIUM,
    QUERY_RAY_SHORT,
    QUERY_RAY_ANY,
    QUERY_RAY_ALL,
    QUERY_CAST,
    QUERY_OVERLAP_BOUNDS, // boxes against the boxes of the bodies
    QUERY_OVERLAP_BOX,
    QUERY_OVERLAP_SPHERE,
    QUERY_NEAREST,
    QUERY_NEAREST_8,
    QUERY_KINDS
} query_kind;

const char *query_name(query_kind kind);

// One kind of question. What it does not need is NULL.
typedef struct query_set
{
    query_kind kind;
    abut_ray *rays;
    abut_cast *casts;
    abut_aabb *boxes;
    abut_placed_shape *shapes;
    abut_vec3 *points;
} query_set;

// Worlds that origins of rays and casts are looked for in.
typedef struct query_worlds
{
    abut_world *all;    // the scene's bodies
    abut_world *ground; // the scene's ground alone; NULL: it has none
} query_worlds;

// Rays and casts start outside of all bodies, and above the ground (where it shows its front, which is all that abut
// hits), where such a place is found soon. False with a complaint. Release either way.
bool query_set_make(query_set *set, query_kind kind, const bench_scene *scene, const query_worlds *worlds,
                    bench_complaint *complaint);
void query_set_release(query_set *set);

// What engines are compared by: how many hits each question has, and the fraction at which the first hit of a ray or
// cast is; 1 without one.
typedef struct query_answers
{
    uint32_t hits[QUERY_COUNT];
    float fractions[QUERY_COUNT];
} query_answers;

#ifdef __cplusplus
}
#endif

#endif
