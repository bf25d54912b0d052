// A call under way: the passes of a detect with their room, scratch memory, and whether a callback runs. Between calls
// only the room is kept.
#ifndef AB_WORLD_WORK_H
#define AB_WORLD_WORK_H

#include "base/arena.h"
#include "base/tasks.h"
#include "broad/moved_pairs.h"
#include "contact/contact_update.h"
#include "contact/impacts.h"
#include "contact/kept_contacts.h"
#include "contact/sensors.h"
#include "narrow/narrow_pass.h"
#include "pairs/pair_stream.h"

#include <abut/statistics.h>

#include <stdatomic.h>

// One pass of a detect: its phases and their context.
typedef struct ab_pass
{
    abut_stage stage;
    const ab_phase *phases;
    void *context;
    const bool *unless; // the pass is left out if this is true when its turn comes; NULL: never
} ab_pass;

#define AB_MOST_PASSES 24u

// The progress of a detect.
typedef struct ab_detection
{
    ab_pass passes[AB_MOST_PASSES]; // the one behind the last has no phases
    const ab_pass *pass;            // the present one
    const ab_phase *phase;          // the next one; NULL: none
    ab_task *task;                  // of the present phase
    uint32_t tasks;
    abut_status status;
    uint64_t since;         // when the present stage began
    abut_statistics before; // to restore on failure
    float horizon_before;
    bool caller_driven;              // between abut_world_detect_begin and abut_world_detect_end
    _Atomic unsigned char *progress; // growable: of each task, in a caller-driven detect
} ab_detection;

// The overlaps found by one task.
typedef struct ab_sensed
{
    uint32_t count;
    uint32_t invalid; // a proxy of a pair with an invalid manifold, or ABUT_NONE
} ab_sensed;

// The sensor pass; in the arena.
typedef struct ab_sense_pass
{
    ab_partition partition;
    ab_sort_entry *entries; // room for every pair
    ab_sensed *found;       // by task: how many of its pairs touch
} ab_sense_pass;

typedef struct ab_work
{
    ab_arena arena;
    ab_granularity granularity;
    ab_detection detection;
    ab_moved_pairs moved;
    ab_pair_stream stream;                    // until the contact stage
    ab_arena_mark before_pairs, after_narrow; // the stream, and nothing else, was taken between them
    ab_pair_pass sorting;
    ab_packed_manifolds manifolds;
    ab_narrow_pass narrow;
    ab_sense_pass sense;
    ab_sort_entry *sensed; // overlaps found, by key; in the arena
    uint32_t sensed_count;
    ab_impacts_pass sweeping, sensor_sweeping;
    ab_kept_pass keeping; // the contacts whose manifolds stand
    ab_contact_update update;
    ab_sensing sensing;      // published with the contacts
    bool busy;               // inside a callback
    bool own_floats;         // in our own floating-point environment, in which `on_error` is not called
    uint64_t callers_floats; // the caller's, meanwhile
} ab_work;

#endif
