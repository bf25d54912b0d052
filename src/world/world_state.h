// What a world's later results follow from: saved, restored, hashed and checked.
#ifndef AB_WORLD_STATE_H
#define AB_WORLD_STATE_H

#include "contact/contact_store.h"
#include "contact/impacts.h"
#include "contact/sensors.h"
#include "pairs/pair_stream.h"

#include <abut/contacts.h>
#include <abut/world.h>

// The generation in a handle: (how often the slot was used + the world's first generation) << 8 | the world's tag. Zero
// is the null handle.
#define AB_GENERATION_SHIFT 8u
#define AB_USE_COUNT_MAX    0xffffffu // a slot used so often is not used again

enum
{
    AB_STATE_MOTION = ABUT_STATE_MOTION,     // abut_motion
    AB_STATE_DISABLED = ABUT_STATE_DISABLED, // bodies
    AB_STATE_NOTHING = 1u << 3,              // colliders: collides with nothing
    AB_STATE_DIRTY = 1u << 4,                // colliders: listed in `dirty`
    AB_STATE_ASLEEP = ABUT_STATE_ASLEEP,     // bodies
    AB_STATE_SENSOR = 1u << 6,               // colliders
    AB_STATE_CCD = ABUT_STATE_CCD,           // bodies: swept
    AB_STATE_UNANCHORED = 1u << 8, // bodies: the next detect anchors it at its pose; only where manifolds are recycled
    AB_STATE_REFILTERED = 1u << 9, // colliders: the filter has changed since the last detect
    AB_STATE_CCD_ALL = 1u << 10    // bodies: all impacts are reported
};

// Whether a body in this state is static or asleep.
static inline bool ab_is_immobile(uint32_t state)
{
    return (state & AB_STATE_MOTION) == ABUT_STATIC || (state & AB_STATE_ASLEEP) != 0;
}

// By slot; all growable and of one length, except the stacks `free` and `retired`, which have room for every slot.
typedef struct ab_bodies
{
    abut_pose *pose;
    abut_velocity *velocity;
    uint64_t *user_data;
    uint32_t *generation; // zero: no body
    uint32_t *uses;       // how often the slot was used
    uint32_t *state;      // AB_STATE_…
    uint32_t *first;      // its collider of the lowest ordinal, or ABUT_NONE
    uint32_t *free;       // slots to use again
    uint32_t *retired;    // slots freed since the last detect
    uint32_t live;
} ab_bodies;

// Likewise.
typedef struct ab_colliders
{
    abut_shape *shape;
    abut_filter *filter; // defaults filled in
    uint64_t *user_data;
    uint32_t *generation; // zero: no collider
    ab_contact_name *name;
    uint32_t *uses;
    uint32_t *state;        // AB_STATE_…
    uint32_t *collider_key; // body slot << 8 | ordinal
    uint32_t *next;         // of the same body, by ordinal, or ABUT_NONE; retired colliders stay linked
    uint32_t *edited;       // the number, from 1, of the first detect after its last edit
    uint32_t *free;         // slots to use again
    uint32_t *retired;      // slots freed since the last detect
    abut_pose *local;       // NULL until a collider is placed away from its body's origin
    uint32_t live;
    uint64_t revision; // grows when one is made, edited or ended
} ab_colliders;

// Every array by slot, for loops over all of them.
#define AB_BODY_COLUMNS(X) X(pose) X(velocity) X(user_data) X(generation) X(uses) X(state) X(first)
#define AB_COLLIDER_COLUMNS(X)                                                                                         \
    X(shape) X(filter) X(user_data) X(generation) X(name) X(uses) X(state) X(collider_key) X(next) X(edited)

typedef struct ab_state
{
    ab_bodies bodies;
    ab_colliders colliders;
    // bodies of which a proxy left the static set since the last detect; room for every such proxy
    uint32_t *woken;
    uint32_t *dirty;     // immobile colliders changed since the last detect; room for every collider
    uint32_t *was_dirty; // those that were dirty at the last detect
    ab_pair_rules rules;
    uint32_t rules_edited;     // the number, from 1, of the first detect after their last edit
    uint32_t colliders_edited; // the same of all colliders
    abut_pose *anchors;        // growable, by body slot: see bounds/anchors.h; unused unless manifolds are recycled
    uint32_t anchored;         // body slots that the last detect knew: the anchors of more mean nothing
    ab_contact_store store;
    ab_sensors sensors;
    abut_body_impact *impacts[2];        // by store.published, like its results
    abut_body_impact *sensor_impacts[2]; // the same
    abut_kind_def *kinds;                // the caller's custom kinds
    ab_pair_function *functions;         // sorted by key
    ab_kind_set kind_set;                // the two as passes read them
    ab_pair_functions function_set;
    uint64_t detects; // that succeeded
    float margin;
    float recycle_distance;     // zero: every detect computes every manifold
    float speculative_distance; // metres of a body's travel that contacts look ahead; zero: all of it
    float horizon;              // of the present detect, or the last one that did not fail
    uint32_t tag;               // 1 to 255: identifies the world in its handles
    uint32_t first_generation;  // generations count from here; its lowest byte is unused
    bool is_2d;                 // a 2D world
    bool at_anchors;            // separations of contacts are those at the anchors
    bool unanchored;            // the last detect computed nothing that may stand: see ab_world_is_anchored
} ab_state;

// Its growable arrays, apart from the columns and from the parts that close themselves.
#define AB_STATE_LISTS(X)                                                                                              \
    X(bodies.free)                                                                                                     \
    X(bodies.retired)                                                                                                  \
    X(colliders.free)                                                                                                  \
    X(colliders.retired)                                                                                               \
    X(colliders.local)                                                                                                 \
    X(woken)                                                                                                           \
    X(dirty)                                                                                                           \
    X(was_dirty)                                                                                                       \
    X(impacts[0])                                                                                                      \
    X(impacts[1])                                                                                                      \
    X(sensor_impacts[0])                                                                                               \
    X(sensor_impacts[1])                                                                                               \
    X(kinds)                                                                                                           \
    X(functions)                                                                                                       \
    X(anchors)

#endif
