// What a detect found: contacts with their points and impulses, what began and ended, and what fast bodies will meet.
#ifndef ABUT_CONTACTS_H
#define ABUT_CONTACTS_H

#include <abut/sweep.h>
#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

enum
{
    ABUT_CONTACT_SPECULATIVE = 1u << 0, // separated by more than the margin; here because of the horizon
    ABUT_CONTACT_RECYCLED = 1u << 1     // the manifold of an earlier detect, refreshed: see abut_world_def
};

// Two colliders that touch. Body a has the lower slot.
//
// Features, and the impulses at them, do not change to and fro where a solver trembles (hysteresis). Two boxes in space
// keep the separating axis that named their contact in the last detect, awake or at rest, as long as no other is better
// by more than half of what abut_manifold forgives a face. Two rectangles in the plane, at least one of them turned,
// keep the side they met at as long as no other is better by more than a two-thousandth of their least half extent.
typedef struct abut_contact
{
    abut_body a, b;
    abut_collider collider_a, collider_b;
    abut_vec3 normal;     // unit, from a to b
    float separation;     // metres; negative: depth
    uint32_t first_point; // in the points and impulses of the same result
    uint32_t previous;    // index of the same contact among the awake contacts of the last detect, or ABUT_NONE
    uint32_t child;       // which part of a collider made of many; 0: all kinds there are have one
    uint16_t point_count; // 1 to 4
    uint16_t flags;       // ABUT_CONTACT_…
} abut_contact;

// What a solver keeps at a point from step to step. Written by the caller, never by abut but for carrying it over: a
// point whose feature was there in the last detect starts with the impulse it had then, another with zeros.
typedef struct abut_impulse
{
    float normal;
    float tangent[2];
    float torsion; // about the normal (elsewhere: torsional friction)
} abut_impulse;

typedef enum abut_contact_set
{
    ABUT_AWAKE = 0, // contacts that the last detect found
    ABUT_ASLEEP // contacts it did not look for: each body is static or asleep, and neither changed. Impulses stay as they are
} abut_contact_set;

// In the order (body slot a, body slot b, places of the colliders in their bodies, child). Stands until the next
// detect, until the world is reserved or its end; edits in between leave it alone.
typedef struct abut_contacts
{
    const abut_contact *data;
    const abut_point *points;
    abut_impulse *impulses; // parallel to points
    uint32_t count;
    uint32_t point_count;
} abut_contacts;

// None for a NULL world; so it is with events and impacts.
ABUT_API abut_contacts abut_world_contacts(abut_world *world, abut_contact_set set);

// The contacts of one set in which a body has a part, as indices of abut_world_contacts, ascending. Writes at most
// `capacity`, and the true number to *count. The first question about a set after a detect goes through all of its
// contacts, later ones only through the body's; without questions nothing is done. Before the next detect the body may
// have ended: ABUT_STALE_HANDLE.
ABUT_CHECKED ABUT_API abut_status abut_body_contacts(abut_world *world, abut_body body, abut_contact_set set,
                                                     uint32_t *indices, uint32_t capacity, uint32_t *count);

typedef enum abut_event_kind
{
    ABUT_BEGIN = 0,    // touch now and did not at the last detect
    ABUT_END,          // touched at the last detect and do not now
    ABUT_SENSOR_BEGIN, // is in a sensor now and was not at the last detect
    ABUT_SENSOR_END    // was in a sensor at the last detect and is not now
} abut_event_kind;

// Of two bodies with several colliders many pairs may touch. Between a FIRST and the LAST that follows it the bodies
// touch somewhere. When all pairs that touched end in the same detect in which others begin, none is flagged.
enum
{
    ABUT_EVENT_FIRST = 1u << 0, // begin: no pair of the two bodies touched at the last detect; on one event of several
    ABUT_EVENT_LAST = 1u << 1   // end: no pair of the two bodies touches now; on one event of several
};

// The user data is there so that the end of a contact can still be understood when its body or collider has ended.
typedef struct abut_event
{
    abut_body a, b;
    abut_collider collider_a, collider_b;
    uint64_t user_data_a, user_data_b;         // the bodies' own
    uint64_t collider_data_a, collider_data_b; // the colliders' own
    uint32_t flags;                            // ABUT_EVENT_…; none on events of sensors
} abut_event;

// In the order of contacts; those of sensors have the sensor as collider a, and the order is (sensor's body slot, its
// place, the other's body slot, its place). Stands as long as contacts do.
typedef struct abut_events
{
    const abut_event *data;
    uint32_t count;
} abut_events;

ABUT_API abut_events abut_world_events(const abut_world *world, abut_event_kind kind);

// The first thing that a fast body meets within the horizon.
typedef struct abut_body_impact
{
    abut_body body, other; // `body` is fast; when both are, each has its own first impact
    abut_collider collider, other_collider;
    abut_impact impact; // as abut_time_of_impact gives it, with `body` for a: the normal points to `other`
} abut_body_impact;

// One for each fast body that meets anything, by body slot. Stands as long as contacts do.
typedef struct abut_impacts
{
    const abut_body_impact *data;
    uint32_t count;
} abut_impacts;

// What the last detect found to be in the way of fast bodies within its horizon, if all bodies move on from where they
// were at their present velocities, as abut_world_move would have them; static ones and those asleep stand. A detect
// with horizon zero, and so abut_world_step, finds none.
//
// An impact that is not a hit is a bound (ABUT_IMPACT_BOUND): the body may move on for that time, and what comes later
// is unknown.
//
// Every pair that may meet is swept, and its earliest impact counts; of equal ones that of the pair first in the order
// of contacts. Not swept are pairs that overlap at the start (by more than the tolerance, which is
// abut_time_of_impact's for zero) and so are in contact already, pairs with a sensor, and those with a polygon or a
// shape of a caller's own kind. The veto is not asked.
//
// To let nothing through, detect with the time step for a horizon, move each fast body that has an impact for
// impact.time at most (abut_pose_move), and the others for the whole step (abut_world_move, then poses at impacts are
// written over). What is held back may by rounding have come to overlap: then it is in contact, which is to be
// answered, and not swept until it is out. A body that is held back so is not where others were told it would be: two
// fast ones may still cross in one step when a third was in the way.
ABUT_API abut_impacts abut_world_impacts(const abut_world *world);

// Where a point of a contact is in the world's frame, with body a at its present pose.
ABUT_API abut_vec3 abut_contact_position(const abut_world *world, const abut_contact *contact, const abut_point *point);

#ifdef __cplusplus
}
#endif

#endif
