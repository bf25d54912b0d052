// Continuous collision detection: sweeps every candidate pair with a CCD body over the horizon. Once it is known which
// pairs are vetoed, keeps each such body's earliest impact, and before that all with sensors; of bodies that may go on,
// all impacts. AABBs include what their bodies may travel, so the candidates contain every pair that can hit.
#ifndef AB_IMPACTS_H
#define AB_IMPACTS_H

#include "base/arena.h"
#include "base/tasks.h"
#include "contact/names.h"
#include "contact/vetoes.h"
#include "narrow/convex/sweep.h"
#include "pairs/pair_stream.h"

#include <abut/contacts.h>

typedef struct ab_impacts_in
{
    const ab_pair_stream *stream;
    const ab_proxies *proxies;
    const ab_kind_set *kinds;        // the world's custom kinds
    const abut_shape *shapes;        // by collider slot
    const abut_pose *locals;         // by collider slot; NULL: all colliders are at their bodies' origins
    const abut_pose *poses;          // by body slot
    const abut_velocity *velocities; // by body slot
    const ab_contact_name *names;    // by collider slot
    const uint32_t *states;          // by body slot
    uint32_t goes_on;                // the bit of states: all impacts of the body are kept
    float horizon;                   // seconds
    bool is_2d;                      // 2D
} ab_impacts_in;

struct ab_side_impact;

// The pairs of one task.
typedef struct ab_impacts_part
{
    size_t first; // index of its first impact
    size_t most;  // bound on its impacts
    size_t count; // its impacts
} ab_impacts_part;

// The caller sets the members before the gap.
typedef struct ab_impacts_pass
{
    ab_impacts_in in;
    uint32_t first_bin;           // of the stream: 0, pairs for contacts, or AB_PAIR_TYPES, pairs with a sensor
    abut_body_impact **out;       // growable
    abut_body_impact **first_hit; // NULL, or where each body's first impact is: then impacts up to it are kept
    ab_memory *memory;
    ab_arena *arena;
    ab_granularity granularity;

    ab_partition partition; // of the pairs, counted through all pair types
    ab_impacts_part *parts;
    struct ab_side_impact *seen;
} ab_impacts_pass;

// Find all impacts. With a horizon of zero there is none.
extern const ab_phase ab_impact_phases[];

// Lists the impact of each pair, from either side, by pair key, in the arena. Before ab_impacts_choose. False when out
// of memory.
bool ab_impacts_list(ab_impacts_pass *pass, const ab_coming_hit **hits, uint32_t *count);

// Fills *out with the first impact of each CCD body that hits something, by body slot; of equal times, the impact of
// the lower pair key. With `first_hit`, it keeps all impacts no later than that, by body slot, time and pair key; of a
// body that goes on it keeps all either way. Leaves vetoed pairs out. False when out of memory.
bool ab_impacts_choose(ab_impacts_pass *pass, const ab_vetoing *vetoing);

#endif
