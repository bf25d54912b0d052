// Debug drawing: writes a world's colliders, AABBs, tree, contacts and impacts as lines, one kind after the other.
#include "base/array.h"
#include "base/platform.h"
#include "draw/outline.h"
#include "draw/pen.h"
#include "math/rotation.h"
#include "shape/compound.h"
#include "world/world.h"

#include <string.h>

static void draw_node(void *context, uint32_t level, const ab_aabb *box)
{
    ab_pen *pen = context;
    pen->index = level;
    pen->flags = 0;
    const abut_aabb bounds = { { box->min[0], box->min[1], box->min[2] }, { box->max[0], box->max[1], box->max[2] } };
    ab_pen_aabb(pen, &bounds);
}

static void draw_tree(const abut_world *world, ab_pen *pen)
{
    if (world->cache.broad.row->visit)
    {
        world->cache.broad.row->visit(&world->cache.broad, draw_node, pen);
    }
}

typedef void draw_collider(const abut_world *world, uint32_t slot, ab_pen *pen);

static uint32_t flags_of(const abut_world *world, uint32_t body, uint32_t collider)
{
    const uint32_t state = world->state.bodies.state[body], motion = state & AB_STATE_MOTION;
    return (motion == ABUT_STATIC ? ABUT_LINE_STATIC : 0u) | (motion == ABUT_KINEMATIC ? ABUT_LINE_KINEMATIC : 0u) |
           (state & AB_STATE_ASLEEP ? ABUT_LINE_ASLEEP : 0u) | (state & AB_STATE_DISABLED ? ABUT_LINE_DISABLED : 0u) |
           (world->state.colliders.state[collider] & AB_STATE_SENSOR ? ABUT_LINE_SENSOR : 0u);
}

// Calls `draw` for all live colliders, by body slot and ordinal.
static void draw_colliders(const abut_world *world, ab_pen *pen, draw_collider *draw)
{
    for (uint32_t body = 0; body < arrlenu(world->state.bodies.generation); ++body)
    {
        const uint32_t first = world->state.bodies.generation[body] ? world->state.bodies.first[body] : ABUT_NONE;
        for (uint32_t slot = first; slot != ABUT_NONE; slot = world->state.colliders.next[slot])
        {
            if (world->state.colliders.generation[slot] != 0)
            {
                pen->index = body;
                pen->flags = flags_of(world, body, slot);
                draw(world, slot, pen);
            }
        }
    }
}

static void draw_bounds(const abut_world *world, uint32_t slot, ab_pen *pen)
{
    abut_aabb box;
    if (ab_collider_bounds(world, slot, &box)) // always: the call has checked every pose
    {
        ab_pen_aabb(pen, &box);
    }
}

// A frame in another.
static ab_pen_frame frame_within(const ab_pen_frame *outer, const abut_pose *pose, bool turns)
{
    const abut_mat3 axes = outer->axes, inner = ab_mat3_from_quat(pose->rotation);
    const abut_mat3 turned = { abut_mat3_mul_vec3(&axes, inner.x), abut_mat3_mul_vec3(&axes, inner.y),
                               abut_mat3_mul_vec3(&axes, inner.z) };
    return (ab_pen_frame){ abut_vec3_add(outer->origin, abut_mat3_mul_vec3(&axes, pose->position)),
                           turns ? turned : ab_mat3_from_quat(abut_quat_identity()) };
}

static ab_pen_frame frame_of(const abut_world *world, uint32_t slot, bool turns)
{
    const abut_pose *pose = &world->state.bodies.pose[world->state.colliders.collider_key[slot] >> 8];
    const ab_pen_frame body = { pose->position, ab_mat3_from_quat(pose->rotation) };
    if (!world->state.colliders.local)
    {
        return (ab_pen_frame){ body.origin, turns ? body.axes : ab_mat3_from_quat(abut_quat_identity()) };
    }
    return frame_within(&body, &world->state.colliders.local[slot], turns);
}

typedef struct wire
{
    ab_pen *pen;
    const ab_pen_frame *frame;
} wire;

static void draw_wire(void *context, abut_vec3 from, abut_vec3 to)
{
    const wire *w = context;
    ab_pen_line(w->pen, abut_vec3_add(w->frame->origin, abut_mat3_mul_vec3(&w->frame->axes, from)),
                abut_vec3_add(w->frame->origin, abut_mat3_mul_vec3(&w->frame->axes, to)));
}

static void draw_one(const abut_world *world, const abut_shape *shape, const ab_pen_frame *frame, ab_pen *pen)
{
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    const abut_vec3 half = ab_shape_size(&world->state.kind_set, shape);
    if (row->wire)
    {
        wire context = { pen, frame };
        row->wire(shape, world->state.is_2d, draw_wire, &context);
    }
    else if (!row->has_corners)
    {
        ab_pen_outlines(pen, frame, &world->state.kind_set, shape);
    }
    else if (world->state.is_2d)
    {
        ab_pen_rectangle(pen, frame, half.x, half.y);
    }
    else
    {
        ab_pen_box(pen, frame, half);
    }
}

static void draw_shape(const abut_world *world, uint32_t slot, ab_pen *pen)
{
    const abut_shape *shape = &world->state.colliders.shape[slot];
    const ab_pen_frame frame = frame_of(world, slot, ab_shape_row_for(shape->kind)->turns);
#ifdef AB_MESHES
    const ab_compound *compound = ab_compound_of(shape);
    for (uint32_t i = 0; compound && i < compound->count; ++i)
    {
        const ab_compound_part *part = &compound->parts[i];
        const ab_pen_frame within = frame_within(&frame, &part->pose, ab_shape_row_for(part->shape.kind)->turns);
        draw_one(world, &part->shape, &within, pen);
    }
    if (compound)
    {
        return;
    }
#endif
    draw_one(world, shape, &frame, pen);
}

static void draw_normal(ab_pen *pen, const abut_draw_def *def, abut_vec3 at, const abut_contact *contact,
                        const abut_point *point)
{
    const float depth = point->separation < 0.0f ? -point->separation : 0.0f;
    const float length = def->normal_length + def->depth_scale * depth;
    ab_pen_line(pen, at, abut_vec3_add(at, abut_vec3_scale(contact->normal, length)));
}

// Draws one set of contacts; `first` is the index of its first.
static void draw_contacts(abut_world *world, abut_contact_set set, ab_pen *pen, const abut_draw_def *def,
                          uint32_t first)
{
    const abut_contacts contacts = abut_world_contacts(world, set);
    for (uint32_t i = 0; i < contacts.count; ++i)
    {
        const abut_contact *contact = abut_contact_at(&contacts, i);
        pen->index = first + i;
        pen->flags = (set == ABUT_ASLEEP ? ABUT_LINE_ASLEEP : 0u) |
                     (contact->flags & ABUT_CONTACT_SPECULATIVE ? ABUT_LINE_SPECULATIVE : 0u);
        for (uint32_t k = 0; k < contact->point_count; ++k)
        {
            const abut_point *point = &contact->points[k];
            const abut_vec3 at = abut_contact_position(world, contact, point);
            if (pen->kind == ABUT_DRAW_POINTS)
            {
                ab_pen_cross(pen, at, def->cross);
            }
            else
            {
                draw_normal(pen, def, at, contact, point);
            }
        }
    }
}

// The pose of an impact's body at the time of impact. False when its pose or velocity was written in place and is
// invalid.
static bool pose_at_impact(const abut_world *world, const abut_body_impact *hit, abut_pose *out)
{
    abut_velocity velocity = world->state.bodies.velocity[hit->body.slot];
    *out = world->state.bodies.pose[hit->body.slot];
    return !ab_world_pose_fault(world, out) && !ab_world_velocity_fault(world, &velocity) &&
           ab_pose_move(out, &velocity, hit->impact.time);
}

static void draw_impacts(const abut_world *world, ab_pen *pen, const abut_draw_def *def)
{
    const abut_impacts impacts = abut_world_impacts(world);
    for (uint32_t i = 0; i < impacts.count; ++i)
    {
        const abut_body_impact *hit = &impacts.data[i];
        abut_pose then;
        if (ab_body_live(world, hit->body) && pose_at_impact(world, hit, &then))
        {
            const abut_vec3 at = abut_vec3_add(then.position, hit->impact.offset);
            pen->index = i;
            pen->flags = hit->impact.flags & ABUT_IMPACT_BOUND ? ABUT_LINE_BOUND : 0u;
            ab_pen_line(pen, world->state.bodies.pose[hit->body.slot].position, then.position);
            ab_pen_line(pen, at, abut_vec3_add(at, abut_vec3_scale(hit->impact.normal, def->normal_length)));
            ab_pen_cross(pen, at, def->cross);
        }
    }
}

static void draw_kind(abut_world *world, ab_pen *pen, const abut_draw_def *def)
{
    switch (pen->kind)
    {
    case ABUT_DRAW_TREE:
        draw_tree(world, pen);
        break;
    case ABUT_DRAW_BOUNDS:
        draw_colliders(world, pen, draw_bounds);
        break;
    case ABUT_DRAW_SHAPES:
        draw_colliders(world, pen, draw_shape);
        break;
    case ABUT_DRAW_IMPACTS:
        draw_impacts(world, pen, def);
        break;
    default: // points or normals
        draw_contacts(world, ABUT_AWAKE, pen, def, 0);
        draw_contacts(world, ABUT_ASLEEP, pen, def, abut_world_contacts(world, ABUT_AWAKE).count);
        break;
    }
}

// The slot of a body with colliders and an invalid pose, or ABUT_NONE.
static uint32_t misplaced_body(const abut_world *world)
{
    for (uint32_t slot = 0; slot < arrlenu(world->state.colliders.generation); ++slot)
    {
        abut_aabb box;
        if (world->state.colliders.generation[slot] != 0 && !ab_collider_bounds(world, slot, &box))
        {
            return world->state.colliders.collider_key[slot] >> 8;
        }
    }
    return ABUT_NONE;
}

// The slot of a body whose impact cannot be drawn, or ABUT_NONE.
static uint32_t lost_body(const abut_world *world)
{
    const abut_impacts impacts = abut_world_impacts(world);
    for (uint32_t i = 0; i < impacts.count; ++i)
    {
        const abut_body_impact *hit = &impacts.data[i];
        abut_pose then;
        if (ab_body_live(world, hit->body) && !pose_at_impact(world, hit, &then))
        {
            return hit->body.slot;
        }
    }
    return ABUT_NONE;
}

// By bits, as sizes are judged: no floating-point environment makes a denormal number zero.
static float or_default(float asked, float usual)
{
    uint32_t bits;
    memcpy(&bits, &asked, sizeof bits);
    return bits << 1 ? asked : usual;
}

static abut_draw_def with_defaults(const abut_draw_def *asked)
{
    abut_draw_def def = asked ? *asked : (abut_draw_def){ 0 };
    def.what = def.what ? def.what : ABUT_DRAW_SHAPES | ABUT_DRAW_POINTS | ABUT_DRAW_NORMALS;
    def.cross = or_default(def.cross, 0.05f);
    def.normal_length = or_default(def.normal_length, 0.2f);
    def.depth_scale = or_default(def.depth_scale, 1.0f);
    return def;
}

abut_status abut_world_draw(abut_world *world, const abut_draw_def *def, abut_line *out, uint64_t capacity,
                            uint64_t *count)
{
    static const char *const call = "abut_world_draw";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!count || (capacity > 0 && !out))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    const abut_draw_def asked = with_defaults(def);
    const bool valid =
        ab_size_valid(asked.cross) && ab_size_valid(asked.normal_length) && ab_size_valid(asked.depth_scale);
    if (asked.what & ~(uint32_t)ABUT_DRAW_ALL)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "what to draw holds a bit that means nothing");
    }
    if (!valid)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a size is negative, not finite or past the limit");
    }
    const uint64_t mode = ab_platform_float_enter();
    const bool looks_at_poses = (asked.what & (ABUT_DRAW_BOUNDS | ABUT_DRAW_SHAPES)) != 0;
    uint32_t misplaced = looks_at_poses ? misplaced_body(world) : ABUT_NONE;
    misplaced = misplaced == ABUT_NONE && (asked.what & ABUT_DRAW_IMPACTS) ? lost_body(world) : misplaced;
    ab_pen pen = { .out = out, .capacity = capacity };
    for (pen.kind = 1; misplaced == ABUT_NONE && pen.kind < ABUT_DRAW_ALL; pen.kind <<= 1)
    {
        if (asked.what & pen.kind)
        {
            draw_kind(world, &pen, &asked);
        }
    }
    ab_platform_float_leave(mode);
    if (misplaced != ABUT_NONE)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, misplaced,
                       "the pose or velocity of the body in this slot is not valid");
    }
    *count = pen.count;
    return ABUT_OK;
}
