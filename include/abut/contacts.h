// The results of a detect: contacts with their points and impulses, begin and end events, and impacts of CCD bodies.
//
// Results are valid until the world's next detect, reserve, restore or destroy; edits of bodies in between leave them
// alone. Order: (body slot a, body slot b, ordinals of the colliders in their bodies, child). See docs/contacts.md.
#ifndef ABUT_CONTACTS_H
#define ABUT_CONTACTS_H

#include <abut/sweep.h>
#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ABUT_CONTACT_POINTS 4u // the most points of a contact

// Flags of a contact.
enum
{
    // Separated by more than the margin; listed because of the horizon or the recycle distance.
    ABUT_CONTACT_SPECULATIVE = 1u << 0,
    // Has the manifold of earlier poses; with present separations, if the world follows them: docs/recycling.md.
    ABUT_CONTACT_RECYCLED = 1u << 1,
    ABUT_CONTACT_NEW = 1u << 2 // was not among the contacts of the last detect, awake or asleep
};

// Names a contact for as long as it is listed, awake or asleep. All zeros names nothing. Solvers key their own arrays
// by slot: slots are dense, and a free one is used before a new one. A slot is not used again while an event names it.
typedef struct abut_contact_id
{
    uint32_t slot;       // index into the arrays of abut_contacts
    uint32_t generation; // which of the contacts that had the slot one after the other
} abut_contact_id;

// Two touching colliders. Body a has the lower slot. Its axis and features persist by hysteresis, see docs/contacts.md.
typedef struct abut_contact
{
    abut_contact_id id;   // its slot in the arrays, and the generation
    abut_body a;          // the body with the lower slot
    abut_body b;          // the other body
    uint32_t child;       // triangle of a mesh, part of a compound, segment of a chain, see abut_shape_children; else 0
    uint16_t point_count; // 1 to 4
    uint16_t flags;       // ABUT_CONTACT_…
    abut_vec3 normal;     // unit, from a to b
    float separation;     // metres; negative: depth
    abut_point points[ABUT_CONTACT_POINTS]; // the first point_count are in use
} abut_contact;

// The colliders of a contact.
typedef struct abut_contact_colliders
{
    abut_collider a; // of body a
    abut_collider b; // of body b
} abut_contact_colliders;

// A solver's impulses at one contact point, for warm starting. The caller writes them; a detect carries them over to
// points with the same feature, and to new ones in the place of points whose feature is gone. Those of others are zero.
typedef struct abut_impulse
{
    float normal;     // along the contact's normal
    float tangent[2]; // friction, in the caller's own two directions
    float torsion;    // torsional friction about the normal
} abut_impulse;

// Which contacts.
typedef enum abut_contact_set
{
    ABUT_AWAKE = 0, // found by the last detect; after a body was put to sleep, for one detect more
    ABUT_ASLEEP     // kept, not recomputed: both bodies are static or asleep, and neither changed. See docs/sleep.md
} abut_contact_set;

// One set of contacts: `order` lists their slots in the arrays by slot, which both sets share.
typedef struct abut_contacts
{
    const uint32_t *order;                   // `count` slots, in order
    uint32_t count;                          // contacts
    uint32_t slots;                          // length of the arrays by slot
    const abut_contact *data;                // by slot; of slots that no set lists, unspecified
    const abut_contact_colliders *colliders; // by slot
    abut_impulse *impulses;                  // ABUT_CONTACT_POINTS a slot, to be read and written
} abut_contacts;

// Returns the contacts of one set; all zeros for a NULL world.
ABUT_API abut_contacts abut_world_contacts(abut_world *world, abut_contact_set set);

// Returns contact `i` of a set, in order; i < contacts->count.
static inline const abut_contact *abut_contact_at(const abut_contacts *contacts, uint32_t i)
{
    return &contacts->data[contacts->order[i]];
}

// Returns a contact's colliders.
static inline abut_contact_colliders abut_colliders_of(const abut_contacts *contacts, const abut_contact *contact)
{
    return contacts->colliders[contact->id.slot];
}

// Returns a contact's impulses, one for each point, to be read and written.
static inline abut_impulse *abut_impulses_of(const abut_contacts *contacts, const abut_contact *contact)
{
    const size_t slot = contact->id.slot;
    return contacts->impulses + ABUT_CONTACT_POINTS * slot;
}

// Returns the index, in order, past the contacts of the colliders of contact `first`: a pair with a mesh, compound or
// chain has one for each triangle, part or segment that touches, side by side. first < contacts->count.
static inline uint32_t abut_contact_pair_end(const abut_contacts *contacts, uint32_t first)
{
    const abut_contact_colliders own = abut_colliders_of(contacts, abut_contact_at(contacts, first));
    uint32_t end = first + 1;
    while (end < contacts->count)
    {
        const abut_contact_colliders other = abut_colliders_of(contacts, abut_contact_at(contacts, end));
        if (other.a.slot != own.a.slot || other.b.slot != own.b.slot)
        {
            break;
        }
        ++end;
    }
    return end;
}

// A point of a contact.
typedef struct abut_patch_point
{
    uint32_t slot;  // the contact's, in the arrays by slot: its impulses are there
    uint32_t point; // which of the contact's points
} abut_patch_point;

// Points of contacts of one pair that have about the same normal.
typedef struct abut_patch
{
    abut_vec3 normal;                             // unit, from a to b: that of its first contact
    float separation;                             // metres; of the deepest of all its points
    uint32_t point_count;                         // 1 to 4
    abut_patch_point points[ABUT_CONTACT_POINTS]; // the first point_count are in use
} abut_patch;

// Reduces the contacts of one pair, from `first` to abut_contact_pair_end, to patches of four points at most, and
// returns their number. Contacts whose normals have a cosine of at least `cosine` (0.999 is 2.6 degrees) with that of a
// patch's first are of that patch. Its points, seen along the normal, are an outer one of the deepest (within 0.002 of
// the farthest point's distance from body a), the one farthest from it, and those that add the most area; what is
// nearer than a ten-thousandth of that distance is one point. A pair's only contact is one patch, with all its points.
// Contacts stay as they are, with their ids and impulses. `out` has room for as many patches as the pair has contacts.
ABUT_API uint32_t abut_contact_patches(const abut_contacts *contacts, uint32_t first, float cosine, abut_patch *out);

// Returns the contact with this id, NULL if it is no longer listed, or for a NULL world.
ABUT_API const abut_contact *abut_world_contact(const abut_world *world, abut_contact_id id);

// Writes the slots of a body's contacts, in order: at most `capacity`, and the true number to *count. The first call
// for a set after a detect builds an index over all of its contacts; later calls cost only the body's own.
ABUT_CHECKED ABUT_API abut_status abut_body_contacts(abut_world *world, abut_body body, abut_contact_set set,
                                                     uint32_t *slots, uint32_t capacity, uint32_t *count);

// Returns a contact point's position in the world's frame, with body a at its present pose.
ABUT_API abut_vec3 abut_contact_position(const abut_world *world, const abut_contact *contact, const abut_point *point);

// How a body has moved from its anchor to its present pose.
typedef struct abut_shift
{
    abut_vec3 way;    // metres: of its position
    float unused;     // padding
    abut_vec3 turn;   // rotation vector; its length is the chord of the angle on a unit circle
    float unused_too; // padding
} abut_shift;

// The shifts of all bodies.
typedef struct abut_shifts
{
    uint32_t count;           // slots that the last detect knew
    const abut_shift *data;   // by body slot; NULL: separations of contacts are those of now
    const abut_pose *anchors; // by body slot: the poses at which manifolds were computed
} abut_shifts;

// Returns how bodies have moved since they were anchored, in a world with ABUT_AT_ANCHORS; all zeros for any other, for
// a NULL world, and before its first detect. Computed by the call, from the present poses. Zero for a body that sleeps
// or is static, and for one that the next detect anchors anew whatever it does: it was edited, or is too fast. The
// pointers are valid until the next detect, restore or call of this.
ABUT_API abut_shifts abut_world_shifts(abut_world *world);

// Gets the separations of a contact's points at the present poses, in metres, to first order: each is that at the
// anchors plus how far body b has moved from body a along the normal, at that point. With shifts of any world.
static inline void abut_contact_gaps(const abut_shifts *shifts, const abut_contact *contact,
                                     float gaps[ABUT_CONTACT_POINTS])
{
    const abut_shift none = { { 0.0f, 0.0f, 0.0f }, 0.0f, { 0.0f, 0.0f, 0.0f }, 0.0f };
    const abut_shift a = shifts->data ? shifts->data[contact->a.slot] : none;
    const abut_shift b = shifts->data ? shifts->data[contact->b.slot] : none;
    // At r from the position of body a, that moves by way + turn x r, and body b by the same from its own position.
    const abut_vec3 between = shifts->data ? abut_vec3_sub(shifts->anchors[contact->b.slot].position,
                                                           shifts->anchors[contact->a.slot].position)
                                           : none.way;
    const abut_vec3 apart = abut_vec3_sub(abut_vec3_sub(b.way, a.way), abut_vec3_cross(b.turn, between));
    const abut_vec3 lean = abut_vec3_cross(contact->normal, abut_vec3_sub(b.turn, a.turn));
    for (uint32_t k = 0; k < contact->point_count; ++k)
    {
        const abut_point *point = &contact->points[k];
        gaps[k] = point->separation + (abut_vec3_dot(contact->normal, apart) + abut_vec3_dot(lean, point->offset));
    }
}

// Events --------------------------------------------------------------------------------------------------------------

// Kinds of collision and sensor events.
typedef enum abut_event_kind
{
    ABUT_BEGIN = 0,    // two colliders touch that did not at the last detect
    ABUT_END,          // two colliders touched at the last detect and do not now
    ABUT_SENSOR_BEGIN, // a collider is in a sensor and was not at the last detect
    ABUT_SENSOR_END    // a collider was in a sensor at the last detect and is not now
} abut_event_kind;

// Flags of begin and end events: the first and last touch of two bodies with several colliders. See docs/events.md.
enum
{
    ABUT_EVENT_FIRST = 1u << 0, // begin: no colliders of the two bodies touched at the last detect
    ABUT_EVENT_LAST = 1u << 1   // end: no colliders of the two bodies touch now
};

// A begin or end. User data is copied, so that an end is understood after its body ended. A sensor is collider a.
typedef struct abut_event
{
    abut_body a;              // the body with the lower slot, or the sensor's
    abut_body b;              // the other body
    abut_collider collider_a; // of body a
    abut_collider collider_b; // of body b
    uint64_t user_data_a;     // of body a
    uint64_t user_data_b;     // of body b
    uint64_t collider_data_a; // of collider a
    uint64_t collider_data_b; // of collider b
    abut_contact_id contact;  // the pair's first contact; zeros for sensors
    uint32_t flags;           // ABUT_EVENT_…; zero for sensors
} abut_event;

// Events of one kind, in the order of contacts, or of (sensor's body slot, its ordinal, the other's slot, its ordinal).
typedef struct abut_events
{
    const abut_event *data; // `count` events in order
    uint32_t count;         // events
} abut_events;

// Returns the events of one kind; none for a NULL world.
ABUT_API abut_events abut_world_events(const abut_world *world, abut_event_kind kind);

// Continuous detection ------------------------------------------------------------------------------------------------

// An impact of a CCD body within the horizon.
typedef struct abut_body_impact
{
    abut_body body;               // has CCD; if both have, each has an impact of its own
    abut_body other;              // the body it hits
    abut_collider collider;       // of body
    abut_collider other_collider; // of other
    abut_impact impact;           // as of abut_time_of_impact with `body` as a; a bound (ABUT_IMPACT_BOUND) is no hit
    uint32_t child;               // which triangle and part: see abut_shape_children, `collider` first; else 0
} abut_body_impact;

// The impacts of a detect, by body slot and time.
typedef struct abut_impacts
{
    const abut_body_impact *data; // `count` impacts in order
    uint32_t count;               // impacts
} abut_impacts;

// Returns the earliest impact of each CCD body within the last detect's horizon, if all bodies keep their velocities,
// and all impacts of bodies with ABUT_BODY_CCD_ALL; none for a NULL world. Advance such a body by impact.time to stop
// it there. See docs/sweeps.md for the recipe and its limits.
ABUT_API abut_impacts abut_world_impacts(const abut_world *world);

// Returns every impact of a CCD body with a sensor up to its earliest impact of abut_world_impacts (with
// ABUT_BODY_CCD_ALL: up to the horizon), so that no trigger is passed through unnoticed; none for a NULL world. Sensors
// it overlaps already are not among them; those within the margin may be. See docs/sweeps.md.
ABUT_API abut_impacts abut_world_sensor_impacts(const abut_world *world);

#ifdef __cplusplus
}
#endif

#endif
