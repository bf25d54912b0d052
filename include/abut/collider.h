// Colliders: shapes attached to bodies, with filters, sensors and user data; and the handles of bodies and colliders.
#ifndef ABUT_COLLIDER_H
#define ABUT_COLLIDER_H

#include <abut/collide.h>

#ifdef __cplusplus
extern "C" {
#endif

// A world of bodies; destroying it ends them all.
typedef struct abut_world abut_world;

// Names one body: slot index and generation. All zeros names nothing. A stale handle is noticed, never followed; so is
// a handle of another world, except of every 255th world created in this process when the generations coincide.
typedef struct abut_body
{
    uint32_t slot;       // index into the arrays of abut_world_bodies
    uint32_t generation; // which use of that slot
} abut_body;

// Names one collider: a shape attached to a body. All zeros names nothing.
typedef struct abut_collider
{
    uint32_t slot;       // index into the arrays of abut_world_colliders
    uint32_t generation; // which use of that slot
} abut_collider;

// The contact filter. Two colliders collide if each one's category is in the other's mask. A shared group that is not
// zero decides alone: positive collides, negative does not. See docs/filters.md.
typedef struct abut_filter
{
    uint32_t category; // bits (layers) the collider is in; zero: 1
    uint32_t mask;     // categories it collides with; zero: all (for none: ABUT_COLLIDER_COLLIDES_WITH_NOTHING)
    int32_t group;     // zero: none
} abut_filter;

// Flags of a collider.
enum
{
    ABUT_COLLIDER_COLLIDES_WITH_NOTHING = 1u << 0, // whatever its filter says
    ABUT_COLLIDER_SENSOR = 1u << 1 // a trigger: reports overlaps and makes no contacts, see docs/sensors.md
};

// The settings of a collider.
typedef struct abut_collider_def
{
    abut_shape shape;   // kind none: no collider. Its geometry, if it has one, is retained until the collider ends
    abut_pose local;    // of the shape in the body's frame; zero rotation: identity
    abut_filter filter; // zero: category 1, mask all
    uint32_t flags;     // ABUT_COLLIDER_…
    uint64_t user_data; // kept for the caller
} abut_collider_def;

// Attaches a collider to a body, 256 at most. A detached collider's ordinal is free again after the next detect.
ABUT_CHECKED ABUT_API abut_status abut_collider_attach(abut_world *world, abut_body body, const abut_collider_def *def,
                                                       abut_collider *out);

// Ends a collider. The next detect reports the ends of its contacts.
ABUT_CHECKED ABUT_API abut_status abut_collider_detach(abut_world *world, abut_collider collider);

// Replaces everything of a collider except its body. Contacts that go on touching stay the same contacts.
ABUT_CHECKED ABUT_API abut_status abut_collider_set(abut_world *world, abut_collider collider,
                                                    const abut_collider_def *def);

// Replaces a collider's shape.
ABUT_CHECKED ABUT_API abut_status abut_collider_set_shape(abut_world *world, abut_collider collider,
                                                          const abut_shape *shape);

// Sets a collider's pose in its body's frame.
ABUT_CHECKED ABUT_API abut_status abut_collider_set_local(abut_world *world, abut_collider collider,
                                                          const abut_pose *local);

// Sets a collider's filter. If it is another one, the veto is asked again about the collider's contacts.
ABUT_CHECKED ABUT_API abut_status abut_collider_set_filter(abut_world *world, abut_collider collider,
                                                           const abut_filter *filter);

// Sets a collider's flags.
ABUT_CHECKED ABUT_API abut_status abut_collider_set_flags(abut_world *world, abut_collider collider, uint32_t flags);

// Sets a collider's user data.
ABUT_CHECKED ABUT_API abut_status abut_collider_set_user_data(abut_world *world, abut_collider collider,
                                                              uint64_t user_data);

// Gets a collider's settings with defaults filled in, and its body. Either result may be NULL. Geometry is not
// retained.
ABUT_CHECKED ABUT_API abut_status abut_collider_get(const abut_world *world, abut_collider collider,
                                                    abut_collider_def *def, abut_body *body);

// Returns whether the handle names a live collider of this world.
ABUT_API bool abut_collider_valid(const abut_world *world, abut_collider collider);

// Returns what abut_geometry_mesh_material does of the collider's mesh or heightfield: of what a ray hit, by the hit's
// collider and child. Zero for a collider of another kind, or none.
ABUT_API uint16_t abut_collider_mesh_material(const abut_world *world, abut_collider collider, uint32_t triangle);

// Gets the collider's broad-phase box at its body's present pose: it contains the shape, grown by half the margin and
// rounded outward. Its z means nothing in 2D. Fails with ABUT_INVALID_ARGUMENT if the pose in the array is not valid.
ABUT_CHECKED ABUT_API abut_status abut_collider_bounds(const abut_world *world, abut_collider collider, abut_aabb *out);

// A collider that overlaps a sensor.
typedef struct abut_sensor_overlap
{
    abut_body body;         // whose collider it is
    abut_collider collider; // that overlaps the sensor
} abut_sensor_overlap;

// Writes what the last detect found in a sensor, in the order of (body slot, collider ordinal): at most `capacity`, and
// the true number to *count. Zero for a collider that is no sensor.
ABUT_CHECKED ABUT_API abut_status abut_collider_overlaps(abut_world *world, abut_collider sensor,
                                                         abut_sensor_overlap *out, uint32_t capacity, uint32_t *count);

// All colliders as arrays by slot. The pointers are valid until a collider is created (or fails to be), or the world is
// reserved, restored (or fails to be) or destroyed.
typedef struct abut_colliders
{
    uint32_t count;              // slots, live or not
    uint64_t *user_data;         // may be written in place
    const uint32_t *generations; // zero: no collider in this slot
} abut_colliders;

// Returns the colliders' arrays; all zeros for a NULL world.
ABUT_API abut_colliders abut_world_colliders(abut_world *world);

#ifdef __cplusplus
}
#endif

#endif
