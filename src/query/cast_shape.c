// What a cast makes of a sweep's result.
#include "query/cast_shape.h"

#include "math/rotation.h"
#include "narrow/compound/compound_queries.h"
#include "narrow/convex/sweep_straight.h"
#include "narrow/mesh/mesh_way.h"

#include <math.h>
#include <string.h>

#define LEAST        1e-30           // metres: shorter ways are none to the bounds
#define TOLERANCE    1.02e-5         // of the size: more than a sweep's, but for what the other shape adds
#define NEAREST      1.01e-9         // metres, likewise
#define ROUNDED_DOWN (1.0 + 0x1p-22) // times not above this become fractions that are not above 1

const char *ab_cast_fault(const abut_cast *cast, bool is_2d)
{
    if (!ab_vec3_in_range(cast->translation) || !ab_vec3_in_range(cast->rotation))
    {
        return "the cast is not finite or past the limit";
    }
    return is_2d && (cast->translation.z != 0.0f || cast->rotation.x != 0.0f || cast->rotation.y != 0.0f)
               ? "the world is 2D, and the cast leaves the xy plane"
               : NULL;
}

void ab_cast_mover(ab_mover *out, const abut_cast *cast, const abut_pose *pose, const ab_kind_set *kinds, bool is_2d)
{
#ifdef AB_SMALL
    const abut_velocity velocity = { .linear = cast->translation, .angular = cast->rotation };
    const ab_moving moving = { .kinds = kinds,
                               .shape = &cast->shape,
                               .pose = pose,
                               .velocity = &velocity,
                               .origin = pose->position,
                               .is_2d = is_2d };
    ab_mover_of(out, &moving);
#else // the same, of a body that is its shape
    const abut_vec3 v = cast->translation, w = cast->rotation;
    const bool turns = ab_shape_row_for(cast->shape.kind)->turns;
    static const double identity[9] = { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 };
    ab_convex_core_of(&out->start, kinds, &cast->shape, is_2d);
    memset(out->start.centre, 0, sizeof out->start.centre);
    memcpy(out->start.axis, identity, sizeof identity);
    if (turns)
    {
        const ab_frame frame = ab_frame_of(pose, true);
        for (int k = 0; k < 9; ++k)
        {
            out->start.axis[k] = frame.axis[k] + 0.0; // no negative zero
        }
    }
    memset(out->pivot, 0, sizeof out->pivot);
    out->v[0] = (double)v.x, out->v[1] = (double)v.y, out->v[2] = (double)v.z;
    out->w[0] = (double)w.x, out->w[1] = (double)w.y, out->w[2] = (double)w.z;
    out->turns = turns;
    out->reach = turns ? sqrt(ab_dot(out->start.core.half, out->start.core.half)) : 0.0;
#endif
}

ab_overlaps ab_cast_overlaps(uint32_t flags)
{
    return flags & ABUT_QUERY_SKIP_INSIDE    ? AB_OVERLAPS_NONE
           : flags & ABUT_QUERY_SKIP_LEAVING ? AB_OVERLAPS_APPROACHED
                                             : AB_OVERLAPS_ALL;
}

static void sweep_against(const ab_mover *mover, const ab_mover *other, ab_overlaps overlaps, double limit,
                          ab_sweep *out, uint32_t *child)
{
    *child = 0;
    if (ab_mover_is_straight(mover) && !(AB_HAS_CHILDREN && other->start.row->parts))
    {
        ab_sweep_straight(mover, other, limit, out);
        return;
    }
#ifdef AB_MESHES
    ab_sweep_shapes(mover, other, 1.0, overlaps, out, child);
#else
    (void)overlaps;
    ab_sweep_to_touch(mover, other, 0.0, 1.0, out);
#endif
}

#ifdef AB_MESHES
// A cast of a compound: what its parts hit first.
typedef struct cast_parts
{
    const ab_mover *whole, *other;
    ab_overlaps overlaps;
    double limit;
    ab_sweep best;
    uint32_t child;
} cast_parts;

static bool sweep_part(void *context, uint32_t part)
{
    cast_parts *c = context;
    ab_mover mover;
    ab_sweep found;
    uint32_t child;
    ab_compound_mover(c->whole, part, &mover);
    sweep_against(&mover, c->other, c->overlaps, c->limit, &found, &child);
    if ((found.hit || found.bound) && ab_sweep_counts(&mover, c->other, &found, c->overlaps) &&
        ab_sweep_comes_first(&found, child, &c->best, c->child))
    {
        c->best = found;
        c->child = child;
    }
    return true;
}

// Apart, for what it needs is not to be on the stack below other casts.
static AB_APART void sweep_parts(const ab_mover *whole, const ab_mover *other, ab_overlaps overlaps, double limit,
                                 ab_sweep *out, uint32_t *child)
{
    cast_parts c = { .whole = whole, .other = other, .overlaps = overlaps, .limit = limit };
    ab_mover about = *other; // turned about the compound, all of it moves, not its middle alone
    about.reach = sqrt(ab_dot(other->start.core.half, other->start.core.half));
    ab_compound_meet(whole, &about, 1.0, limit, &c.best, sweep_part, &c);
    *out = c.best;
    *child = c.child;
}
#endif

static void sweep_any(const ab_mover *mover, const ab_mover *other, ab_overlaps overlaps, double limit, ab_sweep *out,
                      uint32_t *child)
{
#ifdef AB_MESHES
    if (mover->start.row->parts)
    {
        sweep_parts(mover, other, overlaps, limit, out, child);
        return;
    }
#endif
    sweep_against(mover, other, overlaps, limit, out, child);
}

bool ab_cast_test(const ab_mover *mover, ab_mover *standing, uint32_t flags, float limit, ab_cast_found *out)
{
    const ab_overlaps overlaps = ab_cast_overlaps(flags);
    ab_sweep sweep;
    uint32_t child;
    for (int k = 0; k < 3; ++k)
    {
        standing->pivot[k] = standing->start.centre[k];
        standing->v[k] = standing->w[k] = 0.0;
    }
    standing->turns = false;
    standing->reach = 0.0;
    sweep_any(mover, standing, overlaps, (double)limit * ROUNDED_DOWN, &sweep, &child);
    if (!(sweep.hit || sweep.bound) || !ab_sweep_counts(mover, standing, &sweep, overlaps))
    {
        return false;
    }
    const abut_impact impact = ab_sweep_impact(&sweep, mover);
    *out = (ab_cast_found){
        .fraction = (double)impact.time,
        .depth = sweep.initial ? -sweep.distance : 0.0,
        .flags = (sweep.initial ? ABUT_HIT_INSIDE : 0u) | (sweep.bound ? ABUT_HIT_BOUND : 0u),
        .child = child,
    };
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = -sweep.normal[k];
        out->at[k] = sweep.on_b[k];
    }
    return true;
}

void ab_cast_row_make(ab_cast_row *out, const ab_mover *mover, abut_vec3 origin)
{
    const ab_convex *start = &mover->start;
    const bool turns = !ab_mover_is_straight(mover);
    const double length = sqrt(ab_dot(mover->v, mover->v)), inverse = length < LEAST ? 0.0 : 1.0 / length;
    const double rounding = start->core.rounding + (turns ? mover->reach : 0.0);
    *out = (ab_cast_row){ .origin = { origin.x, origin.y, origin.z },
                          .inverse = (float)inverse,
                          .rounding = (float)(rounding + TOLERANCE * start->size + NEAREST),
                          .size = (float)start->size };
    for (int k = 0; k < 3; ++k)
    {
        out->unit[k] = (float)(mover->v[k] * inverse);
        out->half[k] = turns ? 0.0f : (float)start->core.half[k];
    }
    for (int k = 0; k < 9; ++k)
    {
        out->axis[k] = (float)start->axis[k];
    }
}
