// A crowd of colliders, each on a body of its own, as proxies without a world: for tests of the bounds pass and the
// broad phases.
#ifndef BROAD_CROWD_H
#define BROAD_CROWD_H

#include "base/array.h"
#include "base/kernels.h"
#include "bounds/bounds.h"
#include "broad/broad.h"
#include "random.h"
#include "shape/shape_table.h"

#include <abut/world.h>

#include <stdlib.h>
#include <string.h>

typedef struct crowd
{
    ab_memory memory;
    ab_proxies proxies;
    abut_shape *shapes;        // by collider, which is also the body
    abut_pose *poses;          // by body
    abut_velocity *velocities; // by body
    abut_pose *locals;         // by collider
    bool *placed;              // by collider
    uint32_t count, room;      // colliders made so far, and at most
} crowd;

// Fills new memory with NaN, so that an AABB that nothing wrote overlaps nothing.
static inline void *crowd_allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    void *block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    return block ? memset(block, 0xff, size) : NULL;
}

static inline void crowd_release(void *context, void *block, size_t size, size_t alignment)
{
    (void)context, (void)size, (void)alignment;
    free(block);
}

// A crowd stays where it is: its arrays know the address of its memory.
static inline void crowd_open(crowd *c, uint32_t room)
{
    static const abut_allocator poisoned = { crowd_allocate, crowd_release, NULL };
    *c = (crowd){ .room = room };
    ab_memory_open(&c->memory, &poisoned);
    c->shapes = calloc(room + 1, sizeof *c->shapes);
    c->poses = calloc(room + 1, sizeof *c->poses);
    c->velocities = calloc(room + 1, sizeof *c->velocities);
    c->locals = calloc(room + 1, sizeof *c->locals);
    c->placed = calloc(room + 1, sizeof *c->placed);
}

// Frees everything; the memory it counted must all be back.
static inline void crowd_close(crowd *c)
{
    ab_proxies_release(&c->proxies);
    free(c->shapes);
    free(c->poses);
    free(c->velocities);
    free(c->locals);
    free(c->placed);
    if (c->memory.bytes != 0)
    {
        abort();
    }
}

static inline ab_proxy_def crowd_describe(const crowd *c, uint32_t collider, abut_motion motion)
{
    const ab_shape_row *row = ab_shape_row_for(c->shapes[collider].kind);
    const abut_vec3 size = row->size(NULL, &c->shapes[collider]);
    return (ab_proxy_def){
        .collider = collider,
        .collider_key = collider << 8,
        .name = { { collider, 2 * collider + 1 }, { collider, 3 * collider + 1 } },
        .proxy_flags = (uint32_t)c->shapes[collider].kind << 2 | (uint32_t)motion |
                       (motion == ABUT_STATIC ? AB_PROXY_IMMOBILE : 0u) | (row->turns ? AB_PROXY_TURNS : 0u) |
                       (row->segment ? AB_PROXY_SEGMENT : 0u) | (row->points ? AB_PROXY_POINTS : 0u) |
                       (c->placed[collider] ? AB_PROXY_PLACED : 0u),
        .half = { size.x, size.y, size.z },
        .position = c->poses[collider].position,
    };
}

static inline bool crowd_append_motion(crowd *c, uint32_t collider, abut_motion motion)
{
    if (!ab_proxies_reserve(&c->proxies, &c->memory, AB_ACTIVE, 1, c->room))
    {
        return false;
    }
    const ab_proxy_def proxy = crowd_describe(c, collider, motion);
    ab_proxies_append(&c->proxies, AB_ACTIVE, &proxy);
    return true;
}

// Makes the collider an active proxy.
static inline bool crowd_append(crowd *c, uint32_t collider)
{
    return crowd_append_motion(c, collider, ABUT_DYNAMIC);
}

// A new collider, not yet a proxy.
static inline uint32_t crowd_add(crowd *c, abut_shape shape, abut_vec3 position, abut_quat rotation)
{
    const uint32_t collider = c->count++;
    c->shapes[collider] = shape;
    c->poses[collider] = (abut_pose){ .position = position, .rotation = rotation };
    c->locals[collider] = abut_pose_identity();
    return collider;
}

static inline abut_shape crowd_random_shape(random_source *random, double low, double high)
{
    const float x = (float)random_scale(random, low, high), y = (float)random_scale(random, low, high);
    const float z = (float)random_scale(random, low, high);
    switch (random_below(random, 3))
    {
    case 0:
        return abut_shape_sphere(x);
    case 1:
        return abut_shape_aabb(x, y, z);
    default:
        return abut_shape_obb(x, y, z);
    }
}

static inline ab_bounds_in crowd_bounds_in(const crowd *c, float growth, float horizon)
{
    return (ab_bounds_in){
        .poses = c->poses,
        .velocities = c->velocities,
        .locals = c->locals,
        .shapes = c->shapes,
        .growth = growth,
        .horizon = horizon,
    };
}

// Runs the pass over the active set.
static inline uint32_t crowd_bound(crowd *c, abut_isa isa, float growth, float horizon)
{
    const ab_bounds_in in = crowd_bounds_in(c, growth, horizon);
    const ab_region *active = &c->proxies.region[AB_ACTIVE];
    return ab_kernels_for(isa)->bounds->pass(&in, &c->proxies, active->first, active->first + active->blocks);
}

static inline abut_aabb crowd_box(const crowd *c, uint32_t proxy)
{
    const ab_aabb8 *block = &c->proxies.block[proxy / AB_BLOCK];
    const uint32_t lane = proxy % AB_BLOCK;
    return (abut_aabb){ { block->min_x[lane], block->min_y[lane], block->min_z[lane] },
                        { block->max_x[lane], block->max_y[lane], block->max_z[lane] } };
}

static inline bool crowd_boxes_overlap(abut_aabb a, abut_aabb b)
{
    return a.min.x <= b.max.x && b.min.x <= a.max.x && a.min.y <= b.max.y && b.min.y <= a.max.y && a.min.z <= b.max.z &&
           b.min.z <= a.max.z;
}

// The two passes of a broad phase, on this thread.
static inline abut_status broad_update(ab_broad *broad, const ab_bounds_in *in)
{
    broad->in = *in;
    return ab_phases_run(ab_broad_update_phases(broad), broad);
}

static inline abut_status broad_pairs(ab_broad *broad)
{
    return ab_phases_run(ab_broad_pairs_phases(broad), broad);
}

#endif
