// Each kind's crossing with a line, and what a ray makes of it. Shapes are closed: their surface belongs to them, so
// that a ray along what two of them share hits at least one.
#include "query/ray_shape.h"

#include "math/frame.h"
#include "math/rotation.h"
#include "narrow/convex.h"
#include "shape/polygon.h"

#include <math.h>

#define MOST_ROUNDS 128   // of advancement: it gains a bit a round where the ray only grazes, else it doubles them
#define NEAR_SIZE   1e-9  // of the shape's size: on its surface
#define NEAR_PLACE  1e-14 // of the distances that were subtracted

// Where a line is in a convex shape: from `enter` to `leave`, as fractions of the ray's way. What is inside at zero has
// enter <= 0 <= leave. A face is whatever the kind needs to tell the normal.
typedef struct crossing
{
    double enter, leave;
    bool inside;
    uint32_t enter_face, leave_face;
    double enter_normal[3], leave_normal[3]; // of kinds without faces
} crossing;

typedef struct ray_row
{
    // False when the line, or at least the ray, misses the shape.
    bool (*cross)(const ab_ray_target *target, crossing *out);
    // Unit, outward, at a fraction.
    void (*normal)(const ab_ray_target *target, const crossing *c, bool entering, double fraction, double out[3]);
} ray_row;

static const double zero[3] = { 0.0, 0.0, 0.0 };

static bool moves(const ab_ray_target *t)
{
    return ab_dot(t->way, t->way) > 0.0;
}

// Roots by C. Ericson, "Real-Time Collision Detection" (2005), 5.3.2, from the point of the line that is nearest to the
// centre, so that far origins cancel nothing; the smaller root by their product.
static bool cross_ball(const double from[3], const double way[3], double radius, crossing *out)
{
    const double square = ab_dot(way, way), outside = ab_dot(from, from) - radius * radius;
    double nearest[3];
    out->inside = outside <= 0.0;
    out->enter = -HUGE_VAL;
    out->leave = HUGE_VAL;
    if (square == 0.0)
    {
        return out->inside;
    }
    const double middle = -ab_dot(from, way) / square;
    ab_along(from, middle, way, nearest);
    const double left = radius * radius - ab_dot(nearest, nearest);
    if (!out->inside && (left < 0.0 || middle <= 0.0))
    {
        return false;
    }
    const double half = sqrt((left > 0.0 ? left : 0.0) / square);
    if (middle >= 0.0)
    {
        out->leave = middle + half;
        out->enter = out->leave > 0.0 ? outside / square / out->leave : 0.0;
    }
    else
    {
        out->enter = middle - half;
        out->leave = outside / square / out->enter;
    }
    return true;
}

static bool cross_sphere(const ab_ray_target *t, crossing *out)
{
    return cross_ball(t->from, t->way, (double)t->record->half_x, out);
}

static void normalise(const double v[3], const double otherwise[3], double out[3])
{
    const double square = ab_dot(v, v), *from = square > 0.0 ? v : otherwise;
    const double length = sqrt(square > 0.0 ? square : ab_dot(otherwise, otherwise));
    for (int k = 0; k < 3; ++k)
    {
        out[k] = length > 0.0 ? from[k] / length : 0.0;
    }
}

static void normal_of_sphere(const ab_ray_target *t, const crossing *c, bool entering, double fraction, double out[3])
{
    const double back[3] = { -t->way[0], -t->way[1], -t->way[2] };
    double at[3];
    (void)c;
    ab_along(t->from, fraction, t->way, at);
    normalise(at, entering ? back : t->way, out);
}

// Narrows the crossing to one half-space: points of the line at most zero from its plane, at which they are by
// from + fraction * way.
static bool clip(crossing *c, uint32_t face, double from, double way)
{
    c->inside &= from <= 0.0;
    if (way == 0.0)
    {
        return from <= 0.0;
    }
    const double at = -from / way;
    if (way < 0.0 && at > c->enter)
    {
        c->enter = at;
        c->enter_face = face;
    }
    if (way > 0.0 && at < c->leave)
    {
        c->leave = at;
        c->leave_face = face;
    }
    return true;
}

static const crossing whole_line = { .enter = -HUGE_VAL, .leave = HUGE_VAL, .inside = true };

static void local_of(const ab_ray_target *t, int i, double *from, double *way)
{
    const float *a = t->record->axis + 3 * i;
    const double axis[3] = { (double)a[0], (double)a[1], (double)a[2] };
    *from = ab_dot(t->from, axis);
    *way = ab_dot(t->way, axis);
}

// Faces: 2 * axis, and one more on its positive side.
static bool cross_box(const ab_ray_target *t, crossing *out)
{
    const double half[3] = { (double)t->record->half_x, (double)t->record->half_y, (double)t->record->half_z };
    bool inside = true;
    *out = whole_line;
    for (int i = 0; i < 3; ++i)
    {
        double from, way;
        local_of(t, i, &from, &way);
        inside &= clip(out, 2 * (uint32_t)i, -from - half[i], -way);
        inside &= clip(out, 2 * (uint32_t)i + 1, from - half[i], way);
    }
    return inside && out->enter <= out->leave;
}

static void normal_of_box(const ab_ray_target *t, const crossing *c, bool entering, double fraction, double out[3])
{
    const uint32_t face = entering ? c->enter_face : c->leave_face;
    const float *axis = t->record->axis + 3 * (size_t)(face / 2);
    (void)fraction;
    for (int k = 0; k < 3; ++k)
    {
        const double component = (double)axis[k];
        out[k] = component == 0.0 ? 0.0 : face % 2 ? component : -component;
    }
}

// Widens the crossing of a convex union by that of a part.
static void widen(crossing *out, bool *met, const crossing *part)
{
    out->enter = *met && out->enter < part->enter ? out->enter : part->enter;
    out->leave = *met && out->leave > part->leave ? out->leave : part->leave;
    out->inside |= part->inside;
    *met = true;
}

// A cylinder about the y axis with a ball at either end.
static bool cross_capsule(const ab_ray_target *t, crossing *out)
{
    const double radius = (double)t->record->half_x, half = (double)t->record->half_y;
    double from[3], way[3];
    crossing part;
    bool met = false;
    for (int i = 0; i < 3; ++i)
    {
        local_of(t, i, &from[i], &way[i]);
    }
    out->inside = false;
    for (int end = -1; end <= 1; end += 2)
    {
        const double from_end[3] = { from[0], from[1] - end * half, from[2] };
        if (cross_ball(from_end, way, radius, &part))
        {
            widen(out, &met, &part);
        }
    }
    const double around_from[3] = { from[0], 0.0, from[2] }, around_way[3] = { way[0], 0.0, way[2] };
    if (cross_ball(around_from, around_way, radius, &part) && clip(&part, 0, -from[1] - half, -way[1]) &&
        clip(&part, 0, from[1] - half, way[1]) && part.enter <= part.leave)
    {
        widen(out, &met, &part);
    }
    return met;
}

static void normal_of_capsule(const ab_ray_target *t, const crossing *c, bool entering, double fraction, double out[3])
{
    const float *axis = t->record->axis + 3;
    const double y[3] = { (double)axis[0], (double)axis[1], (double)axis[2] }, half = (double)t->record->half_y;
    const double back[3] = { -t->way[0], -t->way[1], -t->way[2] };
    double at[3];
    (void)c;
    ab_along(t->from, fraction, t->way, at);
    const double along = ab_dot(at, y), held = along < -half ? -half : along > half ? half : along;
    ab_along(at, -held, y, at);
    normalise(at, entering ? back : t->way, out);
}

// Outward, of any length, of the side that begins at vertex i.
static void normal_of_side(const abut_geometry *g, uint32_t i, double *x, double *y)
{
    const abut_vec2 from = g->vertex[i], to = g->vertex[i + 1 < g->count ? i + 1 : 0];
    *x = (double)to.y - (double)from.y;
    *y = (double)from.x - (double)to.x;
}

// Faces are sides. What lies in the plane stays in it.
static bool cross_polygon(const ab_ray_target *t, crossing *out)
{
    const abut_geometry *g = t->shape->polygon;
    double from[2], way[2];
    bool inside = true;
    *out = whole_line;
    local_of(t, 0, &from[0], &way[0]);
    local_of(t, 1, &from[1], &way[1]);
    for (uint32_t i = 0; i < g->count; ++i)
    {
        double x, y;
        normal_of_side(g, i, &x, &y);
        const double above = (from[0] - (double)g->vertex[i].x) * x + (from[1] - (double)g->vertex[i].y) * y;
        inside &= clip(out, i, above, way[0] * x + way[1] * y);
    }
    return inside && out->enter <= out->leave;
}

static void normal_of_polygon(const ab_ray_target *t, const crossing *c, bool entering, double fraction, double out[3])
{
    const float *axis = t->record->axis;
    double x, y, normal[3];
    (void)fraction;
    normal_of_side(t->shape->polygon, entering ? c->enter_face : c->leave_face, &x, &y);
    for (int k = 0; k < 3; ++k)
    {
        normal[k] = (double)axis[k] * x + (double)axis[3 + k] * y;
    }
    normalise(normal, zero, out);
}

// Advances from `from` along `way` to the shape, by the distance over how fast it shrinks: Newton's method on a convex
// function from below, so that no step goes too far (for what has a support function alone; compare G. van den Bergen,
// "Ray Casting against General Convex Objects", 2004). False when it is not reached by fraction 1.
static bool advance(ab_convex_pair *pair, const double from[3], const double way[3], double *fraction, double normal[3],
                    bool *inside)
{
    const double size = pair->b.size, reach = sqrt(ab_dot(from, from)) + sqrt(ab_dot(way, way));
    const double near = NEAR_SIZE * size + NEAR_PLACE * reach;
    *inside = false;
    *fraction = 0.0;
    for (int round = 0; round < MOST_ROUNDS; ++round)
    {
        ab_convex_contact contact;
        ab_along(from, *fraction, way, pair->a.centre);
        const bool apart = ab_gjk(pair, HUGE_VAL, &contact);
        const double gap = apart ? contact.separation - pair->b.core.rounding : 0.0;
        if (gap <= 0.0 && round == 0)
        {
            *inside = true;
            return true;
        }
        const double closing = apart ? ab_dot(way, contact.normal) : 0.0;
        if (apart)
        {
            for (int k = 0; k < 3; ++k)
            {
                normal[k] = -contact.normal[k];
            }
            if (closing <= 0.0)
            {
                return false;
            }
        }
        if (gap <= near)
        {
            return true;
        }
        *fraction += gap / closing;
        if (*fraction > 1.0)
        {
            return false;
        }
    }
    return false;
}

// Any shape with a support function.
static bool cross_convex(const ab_ray_target *t, crossing *out)
{
    static const uint32_t own_place = 0;
    static const abut_shape point = { .kind = ABUT_SPHERE };
    static const ab_frame world = { .axis = { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 } };
    const ab_batch batch = { .records = t->record, .colliders = &own_place, .shapes = t->shape, .kinds = t->kinds };
    ab_convex_pair pair;
    double end[3], back[3];
    bool end_inside;
    ab_convex_at(&pair.a, NULL, &point, &world, false);
    ab_convex_of(&pair.b, &batch, 0, 0);
    ab_convex_pair_up(&pair);
    out->leave = HUGE_VAL;
    if (!advance(&pair, t->from, t->way, &out->enter, out->enter_normal, &out->inside))
    {
        return false;
    }
    ab_along(t->from, 1.0, t->way, end);
    ab_along(zero, -1.0, t->way, back);
    if (out->inside && moves(t) && advance(&pair, end, back, &out->leave, out->leave_normal, &end_inside))
    {
        out->leave = end_inside ? HUGE_VAL : 1.0 - out->leave;
    }
    return true;
}

static void normal_of_convex(const ab_ray_target *t, const crossing *c, bool entering, double fraction, double out[3])
{
    (void)fraction;
    normalise(entering ? c->enter_normal : c->leave_normal, t->way, out);
}

// The kinds that have a way of their own; all others are any shape with a support function.
static const ray_row rows[ABUT_SHAPE_KIND_COUNT] = {
    [ABUT_SPHERE] = { cross_sphere, normal_of_sphere },
    [ABUT_AABB] = { cross_box, normal_of_box },
    [ABUT_OBB] = { cross_box, normal_of_box },
    [ABUT_POLYGON] = { cross_polygon, normal_of_polygon },
    [ABUT_CAPSULE] = { cross_capsule, normal_of_capsule },
};
static const ray_row convex_row = { cross_convex, normal_of_convex };

bool ab_ray_test(const ab_ray_target *target, uint32_t flags, ab_ray_found *out)
{
    const ray_row *own = &rows[target->shape->kind], *row = own->cross ? own : &convex_row;
    crossing c;
    if (!row->cross(target, &c))
    {
        return false;
    }
    *out = (ab_ray_found){ 0 };
    if (!c.inside)
    {
        out->fraction = c.enter;
        if (!(c.enter >= 0.0 && c.enter <= 1.0))
        {
            return false;
        }
        row->normal(target, &c, true, out->fraction, out->normal);
        return true;
    }
    if (flags & ABUT_QUERY_SKIP_INSIDE)
    {
        return false;
    }
    if (flags & ABUT_QUERY_HOLLOW)
    {
        out->fraction = c.leave;
        out->flags = ABUT_HIT_BACK;
        if (!(c.leave > 0.0 && c.leave <= 1.0))
        {
            return false;
        }
        row->normal(target, &c, false, out->fraction, out->normal);
        return true;
    }
    out->flags = ABUT_HIT_INSIDE;
    return true;
}

const char *ab_ray_fault(const abut_ray *ray, bool is_2d)
{
    if (!ab_vec3_in_range(ray->origin) || !ab_vec3_in_range(ray->translation))
    {
        return "the ray is not finite or past the limit";
    }
    return is_2d && (ray->origin.z != 0.0f || ray->translation.z != 0.0f)
               ? "the world is 2D, and the ray leaves the xy plane"
               : NULL;
}
