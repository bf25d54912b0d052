// The bodies that several scenes are made of.
#ifndef ABUT_BENCH_SCENE_SHAPES_H
#define ABUT_BENCH_SCENE_SHAPES_H

#include "crowding.h"
#include "pcg32.h"

#include <abut/world.h>

// Radius, or each half extent on its own, uniform in [low, high]. OBBs are turned at random.
void scene_shape_draw(abut_body_def *def, abut_shape_kind kind, float low, float high, pcg32 *random);

// A third each: spheres, AABBs, OBBs.
abut_shape_kind scene_kind_in_turn(uint32_t index);

// Where a body that went to `at` is, between walls at 0 and `side`: one beyond a wall comes back, and its step with it.
float scene_reflect(float at, float side, float *step);

// The box around a hull's vertices, wider by a millionth for the rounding.
abut_aabb scene_hull_bounds(const abut_shape *hull, const abut_pose *pose);

// The bodies as a crowd.
bench_crowd scene_crowd(const abut_body_def *defs, uint32_t count);

#endif
