// What fast bodies run into within the horizon: every candidate pair with a fast body in it is swept, and the earliest impact of
// each fast body is kept. Boxes have been grown by what their bodies may travel, so that the candidates hold every pair that
// can meet.
#ifndef AB_IMPACTS_H
#define AB_IMPACTS_H

#include "base/arena.h"
#include "narrow/sweep.h"
#include "pairs/pair_stream.h"

#include <abut/world.h>

typedef struct ab_impacts_in
{
    const ab_pair_stream *stream;
    const ab_leaves *leaves;
    const abut_shape *shapes;        // by collider slot
    const abut_pose *locals;         // by collider slot; NULL: none is away from its body's origin
    const abut_pose *poses;          // by body slot
    const abut_velocity *velocities; // by body slot
    const uint32_t *body_lives, *collider_lives;
    float horizon; // seconds
} ab_impacts_in;

// Fills the growable *out with the first impact of each fast body that meets something, by body slot. Of equal times the one of the
// lower canonical order. False when memory is refused.
bool ab_impacts_find(abut_body_impact **out, const ab_impacts_in *in, ab_memory *memory, ab_arena *arena);

#endif
