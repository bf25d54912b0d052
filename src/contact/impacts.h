// What fast bodies run into within the horizon: every candidate pair with a fast body in it is swept, and the earliest
// impact of each fast body is kept. Boxes have been grown by what their bodies may travel, so that the candidates hold
// every pair that can meet.
#ifndef AB_IMPACTS_H
#define AB_IMPACTS_H

#include "base/arena.h"
#include "base/tasks.h"
#include "contact/names.h"
#include "narrow/sweep.h"
#include "pairs/pair_stream.h"

#include <abut/contacts.h>

typedef struct ab_impacts_in
{
    const ab_pair_stream *stream;
    const ab_proxies *proxies;
    const abut_shape *shapes;        // by collider slot
    const abut_pose *locals;         // by collider slot; NULL: none is away from its body's origin
    const abut_pose *poses;          // by body slot
    const abut_velocity *velocities; // by body slot
    const ab_contact_name *names;    // by collider slot
    float horizon;                   // seconds
    bool plane;                      // boxes are rectangles
} ab_impacts_in;

struct ab_seen_impact;

// A range of the pairs, which one task looks at.
typedef struct ab_impacts_part
{
    size_t first; // where what it finds is written
    size_t most;  // how much that can be
    size_t count; // how much it is
} ab_impacts_part;

// The lines above the gap are set by the caller.
typedef struct ab_impacts_pass
{
    ab_impacts_in in;
    abut_body_impact **out; // growable
    ab_memory *memory;
    ab_arena *arena;
    ab_granularity granularity;

    ab_partition partition; // of the pairs, counted through all cells
    ab_impacts_part *parts;
    struct ab_seen_impact *seen;
} ab_impacts_pass;

// Fill *out with the first impact of each fast body that meets something, by body slot. Of equal times the one of the
// lower canonical order. With a horizon of zero there is none.
extern const ab_phase ab_impact_phases[];

#endif
