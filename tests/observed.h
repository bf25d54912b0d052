// A hash of all that a caller can see of a world: every getter, and the results. Leaves out times, memory, and what
// differs between worlds of one process: where their generations begin.
#ifndef OBSERVED_H
#define OBSERVED_H

#include "world/world.h"

#include <abut/abut.h>

static inline uint64_t observed_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; ++i)
    {
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    }
    return hash;
}

#define OBSERVE(hash, value) ((hash) = observed_bytes((hash), &(value), sizeof(value)))

static inline uint64_t observed_handle(uint64_t hash, const abut_world *world, uint32_t slot, uint32_t generation)
{
    const uint32_t first = ab_generation_of(world, 0), uses = (generation - first) >> AB_GENERATION_SHIFT;
    const uint32_t name[] = { slot, generation != 0 ? uses : 0 };
    return observed_bytes(hash, name, sizeof name);
}

#define OBSERVE_HANDLE(hash, world, handle)                                                                            \
    ((hash) = observed_handle((hash), (world), (handle).slot, (handle).generation))

static inline uint64_t observed_collider(uint64_t hash, const abut_world *world, abut_collider collider)
{
    abut_collider_def def;
    abut_body body;
    abut_aabb bounds = { 0 };
    abut_status status = abut_collider_get(world, collider, &def, &body);
    OBSERVE(hash, status);
    OBSERVE_HANDLE(hash, world, collider);
    OBSERVE_HANDLE(hash, world, body);
    if (def.shape.kind == ABUT_POLYGON) // what it points to, not where that is
    {
        const abut_vec2 *vertex;
        const uint32_t count = abut_geometry_vertices(def.shape.polygon, &vertex);
        hash = observed_bytes(hash, vertex, count * sizeof *vertex);
        def.shape.polygon = NULL;
    }
    if (def.shape.kind == ABUT_HULL)
    {
        const abut_vec3 *vertex;
        const uint32_t count = abut_geometry_hull_vertices(def.shape.hull, &vertex);
        hash = observed_bytes(hash, vertex, count * sizeof *vertex);
        def.shape.hull = NULL;
    }
    if (def.shape.kind == ABUT_MESH)
    {
        const uint32_t count = abut_geometry_mesh_triangles(def.shape.mesh);
        for (uint32_t i = 0; i < count; ++i)
        {
            abut_vec3 corner[3] = { { 0 } };
            if (abut_geometry_mesh_triangle(def.shape.mesh, i, corner))
            {
                hash = observed_bytes(hash, corner, sizeof corner);
            }
        }
        def.shape.mesh = NULL;
    }
    if (def.shape.kind == ABUT_COMPOUND)
    {
        abut_placed_shape part;
        for (uint32_t i = 0; abut_geometry_compound_part(def.shape.compound, i, &part); ++i)
        {
            OBSERVE(hash, part.shape.kind);
            OBSERVE(hash, part.pose.position);
            OBSERVE(hash, part.pose.rotation);
        }
        def.shape.compound = NULL;
    }
    OBSERVE(hash, def.shape);
    OBSERVE(hash, def.local.position);
    OBSERVE(hash, def.local.rotation);
    OBSERVE(hash, def.filter);
    OBSERVE(hash, def.flags);
    OBSERVE(hash, def.user_data);
    status = abut_collider_bounds(world, collider, &bounds);
    OBSERVE(hash, status);
    OBSERVE(hash, bounds);
    return hash;
}

static inline uint64_t observed_body(uint64_t hash, const abut_world *world, abut_body body)
{
    abut_pose pose = { 0 };
    abut_velocity velocity = { 0 };
    abut_motion motion = ABUT_DYNAMIC;
    bool enabled = false, awake = false, fast = false, goes_on = false;
    uint64_t user_data = 0;
    uint32_t count = 0;
    abut_collider all[ABUT_MAX_COLLIDERS_PER_BODY];
    const abut_status status[] = { abut_body_pose(world, body, &pose),
                                   abut_body_velocity(world, body, &velocity),
                                   abut_body_motion(world, body, &motion),
                                   abut_body_enabled(world, body, &enabled),
                                   abut_body_awake(world, body, &awake),
                                   abut_body_ccd(world, body, &fast),
                                   abut_body_ccd_all(world, body, &goes_on),
                                   abut_body_user_data(world, body, &user_data),
                                   abut_body_colliders(world, body, all, ABUT_MAX_COLLIDERS_PER_BODY, &count) };
    OBSERVE(hash, status);
    OBSERVE_HANDLE(hash, world, body);
    OBSERVE(hash, pose.position);
    OBSERVE(hash, pose.rotation);
    OBSERVE(hash, velocity);
    OBSERVE(hash, motion);
    OBSERVE(hash, enabled);
    OBSERVE(hash, awake);
    OBSERVE(hash, fast);
    OBSERVE(hash, goes_on);
    OBSERVE(hash, user_data);
    for (uint32_t i = 0; i < count; ++i)
    {
        hash = observed_collider(hash, world, all[i]);
    }
    return hash;
}

// A contact of a set, with its id, points and impulses.
static inline uint64_t observed_contact(uint64_t hash, const abut_world *world, const abut_contacts *all, uint32_t i)
{
    const abut_contact *contact = abut_contact_at(all, i);
    const abut_contact_colliders colliders = abut_colliders_of(all, contact);
    OBSERVE(hash, contact->id);
    OBSERVE_HANDLE(hash, world, contact->a);
    OBSERVE_HANDLE(hash, world, contact->b);
    OBSERVE_HANDLE(hash, world, colliders.a);
    OBSERVE_HANDLE(hash, world, colliders.b);
    OBSERVE(hash, contact->child);
    OBSERVE(hash, contact->point_count);
    OBSERVE(hash, contact->flags);
    OBSERVE(hash, contact->normal);
    OBSERVE(hash, contact->separation);
    hash = observed_bytes(hash, contact->points, contact->point_count * sizeof *contact->points);
    const abut_impulse *impulses = abut_impulses_of(all, contact);
    return observed_bytes(hash, impulses, contact->point_count * sizeof *impulses);
}

static inline uint64_t observed_results(uint64_t hash, abut_world *world)
{
    for (abut_contact_set set = ABUT_AWAKE; set <= ABUT_ASLEEP; ++set)
    {
        const abut_contacts all = abut_world_contacts(world, set);
        for (uint32_t i = 0; i < all.count; ++i)
        {
            hash = observed_contact(hash, world, &all, i);
        }
    }
    for (abut_event_kind kind = ABUT_BEGIN; kind <= ABUT_SENSOR_END; ++kind)
    {
        const abut_events events = abut_world_events(world, kind);
        for (uint32_t i = 0; i < events.count; ++i)
        {
            OBSERVE_HANDLE(hash, world, events.data[i].a);
            OBSERVE_HANDLE(hash, world, events.data[i].b);
            OBSERVE_HANDLE(hash, world, events.data[i].collider_a);
            OBSERVE_HANDLE(hash, world, events.data[i].collider_b);
            OBSERVE(hash, events.data[i].contact);
            OBSERVE(hash, events.data[i].user_data_a);
            OBSERVE(hash, events.data[i].user_data_b);
            OBSERVE(hash, events.data[i].flags);
        }
    }
    return hash;
}

static inline uint64_t observed(abut_world *world)
{
    const abut_bodies bodies = abut_world_bodies(world);
    uint64_t hash = abut_world_hash(world);
    OBSERVE(hash, bodies.count);
    for (uint32_t slot = 0; slot < bodies.count; ++slot)
    {
        hash = observed_handle(hash, world, slot, bodies.generations[slot]);
        if (bodies.generations[slot])
        {
            hash = observed_body(hash, world, (abut_body){ slot, bodies.generations[slot] });
        }
    }
    for (abut_motion a = ABUT_DYNAMIC; a < ABUT_MOTION_COUNT; ++a)
    {
        for (abut_motion b = ABUT_DYNAMIC; b < ABUT_MOTION_COUNT; ++b)
        {
            const bool meets = abut_world_collides(world, a, b);
            OBSERVE(hash, meets);
        }
    }
    abut_statistics s;
    abut_world_statistics(world, &s);
    const uint64_t counts[] = { s.bodies,     s.colliders, s.detects, (uint64_t)s.broad, (uint64_t)s.isa,
                                s.candidates, s.filtered,  s.asleep,  s.contacts,        s.speculative,
                                s.points,     s.begun,     s.ended,   s.overlaps,        s.vetoed };
    return observed_bytes(observed_results(hash, world), counts, sizeof counts);
}

#endif
