// What a ray makes of where it enters a shape, which the shape's row says: a hit at the surface, a start inside, or the
// way out. Shapes are closed: their surface belongs to them, so that a ray along what two of them share hits at least
// one.
#include "query/ray_shape.h"

#include "base/kernels.h"
#include "math/frame.h"
#include "math/rotation.h"
#include "narrow/compound/compound_pairs.h"
#include "shape/chain.h"

#include <math.h>

// A ray in a shape's own frame.
typedef struct own_ray
{
    double axis[9], from[3], way[3];
} own_ray;

static void own_ray_of(own_ray *out, const ab_ray_target *t, const double from[3], const double way[3])
{
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 3 * i; k < 3 * i + 3; ++k)
        {
            out->axis[k] = (double)t->record->axis[k];
        }
        out->from[i] = ab_dot(from, out->axis + 3 * i);
        out->way[i] = ab_dot(way, out->axis + 3 * i);
    }
}

// A direction of the shape's own frame to the world's axes.
static void turn_out(const own_ray *own, double direction[3])
{
    const double *axis = own->axis, n[3] = { direction[0], direction[1], direction[2] };
    for (int k = 0; k < 3; ++k)
    {
        direction[k] = axis[k] * n[0] + axis[3 + k] * n[1] + axis[6 + k] * n[2];
    }
}

#ifdef AB_MESHES
static const ab_kernels *kernels_of(const ab_ray_target *t)
{
    return t->kernels ? t->kernels : ab_kernels_for(AB_SINGLE_ISA);
}

static bool enter_row(const ab_ray_target *t, const ab_shape_row *row, uint32_t flags, const own_ray *own,
                      ab_ray_entry *out)
{
    const ab_chain *chain = ab_chain_of(t->shape);
    return chain ? ab_chain_ray(chain, own->from, own->way, (flags & ABUT_QUERY_BACK_FACES) != 0, out)
                 : row->ray(t->shape, own->from, own->way, out);
}

// A mesh has no inside.
static bool test_mesh(const ab_ray_target *t, uint32_t flags, ab_ray_found *out)
{
    own_ray own;
    ab_ray_entry entry;
    own_ray_of(&own, t, t->from, t->way);
    if (!ab_mesh_ray_by(kernels_of(t), t->shape, own.from, own.way, (flags & ABUT_QUERY_BACK_FACES) != 0, &entry))
    {
        return false;
    }
    out->fraction = entry.fraction;
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = entry.normal[k];
    }
    turn_out(&own, out->normal);
    out->flags = entry.back ? ABUT_HIT_BACK : 0u;
    out->child = entry.child;
    return true;
}
#else
#define enter_row(t, row, flags, own, out) ((void)(flags), (row)->ray((t)->shape, (own)->from, (own)->way, out))
#endif

// By the row in the shape's own frame, or by its support function. The normal has the world's axes.
static bool enter_shape(const ab_ray_target *t, uint32_t flags, const double from[3], const double way[3],
                        ab_ray_entry *out)
{
    static const uint32_t own_place = 0;
    const ab_shape_row *row = ab_shape_row_for(t->shape->kind);
    if (!row->ray)
    {
        const ab_batch batch = { .records = t->record, .colliders = &own_place, .shapes = t->shape, .kinds = t->kinds };
        ab_convex convex;
        ab_convex_of(&convex, &batch, 0, 0); // centred at zero
        return ab_convex_ray(&convex, from, way, out);
    }
    if (!row->turns) // its axes are the world's
    {
        out->child = 0;
        return row->ray(t->shape, from, way, out);
    }
    own_ray own;
    own_ray_of(&own, t, from, way);
    if (!enter_row(t, row, flags, &own, out))
    {
        return false;
    }
    out->child = AB_HAS_CHILDREN && row->parts ? out->child : 0;
    turn_out(&own, out->normal);
    return true;
}

#ifdef AB_MESHES
// A chain's.
static bool is_from_behind(const ab_ray_target *t, const ab_ray_entry *entry)
{
    return ab_shape_row_for(t->shape->kind)->surface && entry->back != 0;
}
#else
#define is_from_behind(t, entry) false
#endif

static bool is_inside(const ab_ray_entry *entry)
{
    const double *n = entry->normal;
    return (n[0] == 0.0) & (n[1] == 0.0) & (n[2] == 0.0); // no branch: axes cannot be predicted
}

// Where a ray that begins inside leaves: where one that comes back from its end enters. False when it ends inside.
static bool leave_shape(const ab_ray_target *t, ab_ray_entry *out)
{
    double end[3], back[3];
    for (int k = 0; k < 3; ++k)
    {
        end[k] = t->from[k] + t->way[k];
        back[k] = -t->way[k];
    }
    if (!enter_shape(t, 0, end, back, out) || is_inside(out))
    {
        return false;
    }
    out->fraction = 1.0 - out->fraction;
    return out->fraction > 0.0;
}

static bool test_one(const ab_ray_target *target, uint32_t flags, ab_ray_found *out)
{
    ab_ray_entry entry;
    if (!enter_shape(target, flags, target->from, target->way, &entry))
    {
        return false;
    }
    uint32_t kind = (flags & ABUT_QUERY_BACK_FACES) && is_from_behind(target, &entry) ? ABUT_HIT_BACK : 0u;
    if (is_inside(&entry))
    {
        kind = flags & ABUT_QUERY_HOLLOW ? ABUT_HIT_BACK : ABUT_HIT_INSIDE;
        if ((flags & ABUT_QUERY_SKIP_INSIDE) || (kind == ABUT_HIT_BACK && !leave_shape(target, &entry)))
        {
            return false;
        }
    }
    *out = (ab_ray_found){ entry.fraction, { entry.normal[0], entry.normal[1], entry.normal[2] }, kind, entry.child };
    return true;
}

#ifdef AB_MESHES
#define SLACK 0x1p-18 // of sizes and distances: more than records round

// A ray against the parts of a compound: the first hit so far, or each.
typedef struct parts_hit
{
    const ab_ray_target *target;
    uint32_t flags;
    own_ray own;     // in the compound's frame
    ab_mesh_box box; // around the ray up to the first hit
    bool hit;
    ab_ray_found *out;
    ab_ray_see *each; // wanted, and not the first
    void *context;
} parts_hit;

static void lay_box(parts_hit *p, double fraction)
{
    double min[3], max[3];
    for (int k = 0; k < 3; ++k)
    {
        const double end = p->own.from[k] + fraction * p->own.way[k];
        min[k] = p->own.from[k] < end ? p->own.from[k] : end;
        max[k] = p->own.from[k] < end ? end : p->own.from[k];
    }
    const abut_vec3 half = ab_compound_of_valid(p->target->shape)->half;
    const double size = (double)half.x + (double)half.y + (double)half.z;
    p->box =
        ab_mesh_box_of(min, max, SLACK * (size + fabs(p->own.from[0]) + fabs(p->own.from[1]) + fabs(p->own.from[2])));
}

static bool test_part(const parts_hit *p, uint32_t which, ab_ray_found *out)
{
    const ab_compound_part *part = &ab_compound_of_valid(p->target->shape)->parts[which];
    ab_ray_target target = *p->target;
    ab_record record;
    abut_vec3 away;
    ab_compound_record(p->target->record, part, &record, &away);
    target.record = &record;
    target.shape = &part->shape;
    target.from[0] -= (double)away.x;
    target.from[1] -= (double)away.y;
    target.from[2] -= (double)away.z;
    const bool hit = test_one(&target, p->flags, out);
    out->child = which;
    return hit;
}

static bool see_first(void *context, uint32_t which)
{
    parts_hit *p = context;
    ab_ray_found found;
    if (test_part(p, which, &found) &&
        (!p->hit || found.fraction < p->out->fraction || (found.fraction == p->out->fraction && which < p->out->child)))
    {
        *p->out = found;
        p->hit = true;
        lay_box(p, found.fraction);
    }
    return true;
}

static bool see_each(void *context, uint32_t which)
{
    const parts_hit *p = context;
    ab_ray_found found;
    if (test_part(p, which, &found))
    {
        p->each(p->context, &found);
    }
    return true;
}

static void test_parts(parts_hit *p, ab_mesh_see *see)
{
    own_ray_of(&p->own, p->target, p->target->from, p->target->way);
    lay_box(p, 1.0);
    (void)ab_compound_overlap(ab_compound_of_valid(p->target->shape), &p->box, see, p);
}

// A ray against the triangles of a mesh or the segments of a chain.
typedef struct triangles_hit
{
    const own_ray *own;
    ab_ray_see *see;
    void *context;
} triangles_hit;

static void see_triangle(void *context, const ab_ray_entry *entry)
{
    const triangles_hit *t = context;
    ab_ray_found found = { entry->fraction,
                           { entry->normal[0], entry->normal[1], entry->normal[2] },
                           entry->back ? ABUT_HIT_BACK : 0u,
                           entry->child };
    turn_out(t->own, found.normal);
    t->see(t->context, &found);
}

static void test_triangles(const ab_ray_target *target, uint32_t flags, ab_ray_see *see, void *context)
{
    own_ray own;
    own_ray_of(&own, target, target->from, target->way);
    triangles_hit t = { &own, see, context };
    const bool backs = (flags & ABUT_QUERY_BACK_FACES) != 0;
    const ab_chain *chain = ab_chain_of(target->shape);
    if (chain)
    {
        ab_chain_ray_each(chain, own.from, own.way, backs, see_triangle, &t);
        return;
    }
    ab_mesh_ray_each(kernels_of(target), target->shape, own.from, own.way, backs, see_triangle, &t);
}
#endif

void ab_ray_test_each(const ab_ray_target *target, uint32_t flags, ab_ray_see *see, void *context)
{
#ifdef AB_MESHES
    if (ab_compound_of(target->shape))
    {
        parts_hit p = { .target = target, .flags = flags, .each = see, .context = context };
        test_parts(&p, see_each);
        return;
    }
    if (ab_shape_row_for(target->shape->kind)->surface)
    {
        test_triangles(target, flags, see, context);
        return;
    }
#endif
    ab_ray_found found;
    if (test_one(target, flags, &found))
    {
        see(context, &found);
    }
}

bool ab_ray_test(const ab_ray_target *target, uint32_t flags, ab_ray_found *out)
{
#ifdef AB_MESHES
    if (ab_compound_of(target->shape))
    {
        parts_hit p = { .target = target, .flags = flags, .out = out };
        test_parts(&p, see_first);
        return p.hit;
    }
    if (ab_mesh_of(target->shape))
    {
        return test_mesh(target, flags, out);
    }
#endif
    return test_one(target, flags, out);
}

// ab_vec3_in_range without a call or branch.
static bool is_in_range(abut_vec3 v)
{
    const float most = ABUT_MAX_MAGNITUDE;
    return (fabsf(v.x) <= most) & (fabsf(v.y) <= most) & (fabsf(v.z) <= most); // false for NaN
}

const char *ab_ray_fault(const abut_ray *ray, bool is_2d)
{
    if (!is_in_range(ray->origin) || !is_in_range(ray->translation))
    {
        return "the ray is not finite or past the limit";
    }
    return is_2d && (ray->origin.z != 0.0f || ray->translation.z != 0.0f)
               ? "the world is 2D, and the ray leaves the xy plane"
               : NULL;
}
