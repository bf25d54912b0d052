// The sections of an image and the layout of their elements. Elements consist of 32-bit and 64-bit words without
// padding.
//
// What follows from other sections is not saved: handles of colliders that are live or retired, links between the
// colliders of a body, keys, proxies of the active set, and the spatial index.
#ifndef AB_SECTIONS_H
#define AB_SECTIONS_H

#include "narrow/follow.h"

#include <abut/contacts.h>

#include <stddef.h>

// One element: settings of the world, and counters that later results follow from.
typedef struct ab_saved_settings
{
    uint64_t detects;
    float margin, recycle_distance, speculative_distance, horizon;
    uint32_t is_2d;
    uint32_t tag, first_generation;
    uint32_t rules_edited, colliders_edited;
    uint32_t collides;  // the matrix of body types: bit 3 * a + b
    uint32_t kinds;     // custom kinds registered
    uint32_t dropped;   // the highest generation of a contact slot that was given back
    uint32_t anchoring; // AB_SAVED_UNANCHORED and AB_SAVED_AT_ANCHORS
    uint32_t reserved;  // zero
} ab_saved_settings;

#define AB_SAVED_UNANCHORED 1u // the last detect computed nothing that may stand
#define AB_SAVED_AT_ANCHORS 2u // separations of contacts are those at the anchors

// Bits of a saved state besides AB_STATE_…
#define AB_SAVED_LIVE   (1u << 30)
#define AB_SAVED_STATIC (1u << 31) // colliders: the proxy is in the static set

// Bodies and colliders are by slot, each in several sections: what changes from frame to frame is apart.
typedef struct ab_saved_body
{
    uint32_t uses;
    uint32_t state;
} ab_saved_body;

// A shape as words: a sphere has a radius, a box three half extents, a polygon or hull an index into the registry, a
// custom shape its kind, size and bytes.
typedef struct ab_saved_shape
{
    uint32_t kind;
    uint32_t word[2 + ABUT_CUSTOM_BYTES / 4];
    uint32_t reserved;
} ab_saved_shape;

typedef struct ab_saved_collider
{
    ab_saved_shape shape;
    abut_filter filter;
    uint32_t uses;
    uint32_t collider_key;
    uint32_t edited;
} ab_saved_collider;

// A proxy that no bounds pass computes again: of the static set, or about to join it when the next detect begins.
typedef struct ab_saved_static
{
    uint32_t collider;
    float record[15]; // position, half_x, axis, half_y, half_z
    float min[3], max[3];
    float reach;
    float offset[3];
} ab_saved_static;

typedef struct ab_saved_contact
{
    uint32_t collider_a, collider_b; // slots
    float normal[3];
    float separation;
    uint32_t slot;
    uint32_t child;
    uint32_t packed; // flags << 16 | points
} ab_saved_contact;

// A pair of a cache: a vetoed pair, or a sensor overlap, whose side a is the sensor.
typedef struct ab_saved_pair
{
    uint32_t collider_a, collider_b; // slots
    abut_filter filter_a, filter_b;
} ab_saved_pair;

// An event, whole: its bodies may have ended.
typedef struct ab_saved_event
{
    abut_body a, b;
    abut_collider collider_a, collider_b;
    uint64_t user_data_a, user_data_b, collider_data_a, collider_data_b;
    abut_contact_id contact;
    uint32_t flags;
    uint32_t reserved;
} ab_saved_event;

// An abut_body_impact, whose bool is a word here.
typedef struct ab_saved_impact
{
    abut_body body, other;
    abut_collider collider, other_collider;
    uint32_t hit;
    float time, normal[3], offset[3], distance;
    uint32_t flags, child;
    uint32_t reserved;
} ab_saved_impact;

_Static_assert(offsetof(ab_saved_impact, hit) == offsetof(abut_body_impact, impact.hit) &&
                   offsetof(ab_saved_impact, time) == offsetof(abut_body_impact, impact.time) &&
                   offsetof(ab_saved_impact, flags) == offsetof(abut_body_impact, impact.flags) &&
                   offsetof(ab_saved_impact, reserved) == sizeof(abut_body_impact),
               "an impact is copied as it is");

typedef struct ab_saved_exclusion
{
    uint32_t body_a, body_b; // slots, a < b
    uint32_t times;
} ab_saved_exclusion;

// Sections in order: name and type of the elements. Anchors are by body slot, of the slots that the last detect knew,
// and what contacts had at them by awake contact; both are empty unless manifolds are recycled, the latter where
// separations do not follow.
#define AB_FOR_EACH_SECTION(X)                                                                                         \
    X(SETTINGS, ab_saved_settings)                                                                                     \
    X(BODIES, ab_saved_body)                                                                                           \
    X(POSES, abut_pose)                                                                                                \
    X(VELOCITIES, abut_velocity)                                                                                       \
    X(BODY_DATA, uint64_t)                                                                                             \
    X(BODIES_FREE, uint32_t)                                                                                           \
    X(BODIES_RETIRED, uint32_t)                                                                                        \
    X(ANCHORS, abut_pose)                                                                                              \
    X(COLLIDERS, ab_saved_collider)                                                                                    \
    X(COLLIDER_STATES, uint32_t)                                                                                       \
    X(COLLIDER_DATA, uint64_t)                                                                                         \
    X(COLLIDERS_FREE, uint32_t)                                                                                        \
    X(COLLIDERS_RETIRED, uint32_t)                                                                                     \
    X(LOCALS, abut_pose)                                                                                               \
    X(STATIC, ab_saved_static)                                                                                         \
    X(WOKEN, uint32_t)                                                                                                 \
    X(DIRTY, uint32_t)                                                                                                 \
    X(WAS_DIRTY, uint32_t)                                                                                             \
    X(EXCLUSIONS, ab_saved_exclusion)                                                                                  \
    X(CONTACT_SLOTS, uint32_t)                                                                                         \
    X(SLOTS_RETIRED, uint32_t)                                                                                         \
    X(CONTACTS, ab_saved_contact)                                                                                      \
    X(POINTS, abut_point)                                                                                              \
    X(IMPULSES, abut_impulse)                                                                                          \
    X(ANCHORED, ab_anchored)                                                                                           \
    X(ASLEEP_CONTACTS, ab_saved_contact)                                                                               \
    X(ASLEEP_POINTS, abut_point)                                                                                       \
    X(ASLEEP_IMPULSES, abut_impulse)                                                                                   \
    X(VETOES, ab_saved_pair)                                                                                           \
    X(ASLEEP_VETOES, ab_saved_pair)                                                                                    \
    X(OVERLAPS, ab_saved_pair)                                                                                         \
    X(ASLEEP_OVERLAPS, ab_saved_pair)                                                                                  \
    X(BEGUN, ab_saved_event)                                                                                           \
    X(ENDED, ab_saved_event)                                                                                           \
    X(SENSOR_BEGUN, ab_saved_event)                                                                                    \
    X(SENSOR_ENDED, ab_saved_event)                                                                                    \
    X(IMPACTS, ab_saved_impact)                                                                                        \
    X(SENSOR_IMPACTS, ab_saved_impact)

#define AB_SECTION_ID_(name, type) AB_SECTION_##name,
typedef enum ab_section_id
{
    AB_FOR_EACH_SECTION(AB_SECTION_ID_) AB_SECTION_COUNT
} ab_section_id;

#endif
