// The row of cylinders and cones: two discs across the y axis, one above the other, and all that is between. Seen from
// the axis, in (out, y), that is a trapezium turned about it.
#include "math/outward.h"
#include "math/rotation.h"
#include "shape/ray.h"

#include <math.h>

enum
{
    RIM = 12 // points of a disc that are its corners where it lies on something
};

#define LEANS    0x1p-12 // the tangent from which on the point of a disc that is farthest is a corner, too
#define TOUCHING 1e-15   // of the distance from the centre: what passes within rounding touches

abut_shape abut_shape_tapered_cylinder(float bottom_radius, float top_radius, float half_height)
{
    abut_shape shape = { .kind = ABUT_CYLINDER };
    shape.cylinder = (abut_cylinder){ bottom_radius, top_radius, half_height };
    return shape;
}

abut_shape abut_shape_cylinder(float radius, float half_height)
{
    return abut_shape_tapered_cylinder(radius, radius, half_height);
}

abut_shape abut_shape_cone(float radius, float half_height)
{
    return abut_shape_tapered_cylinder(radius, 0.0f, half_height);
}

static const char *cylinder_objection(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    const abut_cylinder *c = &shape->cylinder;
    return ab_size_objection(ab_size_valid(c->bottom_radius) && ab_size_valid(c->top_radius) &&
                             ab_size_valid(c->half_height));
}

// A shape's numbers in double.
typedef struct solid
{
    double bottom, top, most, h; // radii, and the larger one; half the height
} solid;

static solid solid_of(const abut_shape *shape)
{
    const abut_cylinder *c = &shape->cylinder;
    const double bottom = (double)c->bottom_radius, top = (double)c->top_radius;
    return (solid){ bottom, top, bottom > top ? bottom : top, (double)c->half_height };
}

static abut_vec3 cylinder_size(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    const abut_cylinder *c = &shape->cylinder;
    const float most = c->bottom_radius > c->top_radius ? c->bottom_radius : c->top_radius;
    return abut_vec3_make(most, c->half_height, most);
}

static void cylinder_core(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out)
{
    (void)def, (void)shape;
    *out = (ab_core){ { (double)size[0], (double)size[1], (double)size[2] }, 0.0 };
}

static void cylinder_discs(const abut_shape *shape, double radius[2])
{
    radius[0] = (double)shape->cylinder.bottom_radius;
    radius[1] = (double)shape->cylinder.top_radius;
}

// The point of a rim farthest along a direction of which (x, z) is across the axis; without any, the disc's centre.
static void on_rim(double radius, double y, double x, double z, double across, double out[3])
{
    const double by = across > 0.0 ? radius / across : 0.0;
    out[0] = by * x;
    out[1] = y;
    out[2] = by * z;
}

static void cylinder_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3],
                             double out[3])
{
    (void)def;
    const solid s = solid_of(shape);
    const double *d = direction;
    // of any length: squares of it might leave the range of a double
    const double x = fabs(d[0]), y = fabs(d[1]), z = fabs(d[2]), wide = x > z ? x : z, scale = wide > y ? wide : y;
    const double to[3] = { d[0] / scale, d[1] / scale, d[2] / scale };
    const double across = sqrt(to[0] * to[0] + to[2] * to[2]);
    const bool upper = (s.top - s.bottom) * across + 2.0 * s.h * to[1] >= 0.0;
    on_rim(upper ? s.top : s.bottom, upper ? s.h : -s.h, to[0], to[2], across, out);
}

// Corners of a disc.
static uint32_t lay_disc(double radius, double y, uint32_t room, double (*out)[3])
{
    static const double half = 0.5, root = 0.86602540378443864676; // sines of multiples of 30 degrees
    static const double sine[RIM + 3] = { 0.0,   half, root,  1.0,   root, half, 0.0, -half,
                                          -root, -1.0, -root, -half, 0.0,  half, root };
    const uint32_t count = room < RIM ? room : RIM;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t at = i * RIM / count;
        out[i][0] = radius * sine[at];
        out[i][1] = y;
        out[i][2] = radius * sine[at + 3];
    }
    return count;
}

// A disc, or the line of the side that faces along a direction; of what is round that way, the one point.
static uint32_t cylinder_face(const abut_shape *shape, const double direction[3], double slope, uint32_t room,
                              double (*out)[3])
{
    const solid s = solid_of(shape);
    const double *d = direction, across = sqrt(d[0] * d[0] + d[2] * d[2]);
    const double radius = d[1] > 0.0 ? s.top : s.bottom;
    // the side's normal is (2 h, bottom - top) in (out, y): along it, and along the side
    const double rise = s.bottom - s.top, length = sqrt(4.0 * s.h * s.h + rise * rise);
    // without a height and a rise there is no side
    const double over = length > 0.0 ? (2.0 * s.h * across + rise * d[1]) / length : 0.0,
                 beside = length > 0.0 ? (2.0 * s.h * d[1] - rise * across) / length : 0.0;
    const bool lies = radius > 0.0 && across <= slope * fabs(d[1]);
    if (lies && !(over > fabs(d[1])))
    {
        const double y = d[1] > 0.0 ? s.h : -s.h;
        uint32_t count = lay_disc(radius, y, room, out);
        if (count < room && across > LEANS * fabs(d[1]))
        {
            on_rim(radius, y, d[0], d[2], across, out[count++]);
        }
        return count;
    }
    if (s.h > 0.0 && across > 0.0 && over > 0.0 && fabs(beside) <= slope * over)
    {
        on_rim(s.bottom, -s.h, d[0], d[2], across, out[0]);
        on_rim(s.top, s.h, d[0], d[2], across, out[1]);
        return 2;
    }
    cylinder_support(NULL, shape, direction, out[0]);
    return 1;
}

static float cylinder_bounding_radius(const abut_shape *shape)
{
    const solid s = solid_of(shape);
    return ab_float_up(sqrt(s.most * s.most + s.h * s.h));
}

static bool cylinder_contains(const abut_shape *shape, const double point[3])
{
    const solid s = solid_of(shape);
    const double y = point[1], square = point[0] * point[0] + point[2] * point[2];
    const double radius = s.h > 0.0 ? (s.bottom * (s.h - y) + s.top * (s.h + y)) / (2.0 * s.h) : s.most;
    return fabs(y) <= s.h && square <= radius * radius;
}

// In (out, y): the nearer of the point of a segment and what was found before.
static void take_nearer(const double from[2], const double to[2], const double point[2], double best[2], double *least)
{
    const double along[2] = { to[0] - from[0], to[1] - from[1] }, at[2] = { point[0] - from[0], point[1] - from[1] };
    const double square = along[0] * along[0] + along[1] * along[1], dot = at[0] * along[0] + at[1] * along[1];
    const double part = !(dot > 0.0) ? 0.0 : dot < square ? dot / square : 1.0;
    const double out = part < 1.0 ? from[0] + part * along[0] : to[0],
                 y = part < 1.0 ? from[1] + part * along[1] : to[1];
    const double away = (point[0] - out) * (point[0] - out) + (point[1] - y) * (point[1] - y);
    if (away < *least)
    {
        best[0] = out;
        best[1] = y;
        *least = away;
    }
}

// Of a point inside, itself.
static void cylinder_closest(const abut_shape *shape, const double point[3], double out[3])
{
    const solid s = solid_of(shape);
    const double away = sqrt(point[0] * point[0] + point[2] * point[2]), at[2] = { away, point[1] };
    const double low[2] = { 0.0, -s.h }, bottom[2] = { s.bottom, -s.h }, top[2] = { s.top, s.h },
                 high[2] = { 0.0, s.h };
    double best[2] = { 0.0, 0.0 }, least = HUGE_VAL;
    if (cylinder_contains(shape, point))
    {
        out[0] = point[0], out[1] = point[1], out[2] = point[2];
        return;
    }
    take_nearer(low, bottom, at, best, &least);
    take_nearer(top, high, at, best, &least);
    take_nearer(bottom, top, at, best, &least);
    on_rim(best[0], best[1], point[0], point[2], away, out);
}

// The part of a line that is between the planes of the discs and within the surface of the side.
typedef struct passage
{
    double enter, leave;
    bool through_side; // entered so
} passage;

static void narrow_to(passage *p, double enter, double leave, bool side)
{
    p->through_side = enter > p->enter ? side : p->through_side;
    p->enter = enter > p->enter ? enter : p->enter;
    p->leave = leave < p->leave ? leave : p->leave;
}

// Within the side x^2 + z^2 is no more than the square of the radius there: a second degree polynomial of the way, less
// than zero between its roots, or of a line steeper than a cone's side outside them, where one of the two is in the
// cone. `square`: of the distance that rounding may have moved the point by.
static bool pass_side(passage *p, const solid *s, const double at[3], const double way[3], double square)
{
    const double taper = s->h > 0.0 ? (s->top - s->bottom) / (2.0 * s->h) : 0.0;
    const double radius = s->h > 0.0 ? 0.5 * (s->top + s->bottom) + taper * at[1] : s->most, closer = taper * way[1];
    const double a = way[0] * way[0] + way[2] * way[2] - closer * closer;
    const double b = at[0] * way[0] + at[2] * way[2] - radius * closer;
    const double c = at[0] * at[0] + at[2] * at[2] - radius * radius;
    const double four = b * b - a * c; // a quarter of the discriminant
    if (a == 0.0)
    {
        const double turn = -c / (2.0 * b);
        if (b == 0.0)
        {
            return c <= square;
        }
        narrow_to(p, b < 0.0 ? turn : -HUGE_VAL, b < 0.0 ? HUGE_VAL : turn, true);
        return true;
    }
    if (a > 0.0 && four < -square * a)
    {
        return false;
    }
    const double root = sqrt(four > 0.0 ? four : 0.0), sum = b < 0.0 ? -b + root : -b - root;
    const double one = sum != 0.0 ? c / sum : 0.0, other = sum / a;
    const double first = one < other ? one : other, last = one < other ? other : one;
    if (a > 0.0)
    {
        narrow_to(p, first, last, true);
    }
    else if (p->enter <= first)
    {
        narrow_to(p, -HUGE_VAL, first, true);
    }
    else
    {
        narrow_to(p, last, HUGE_VAL, true);
    }
    return true;
}

// Unit, of the side, where a line enters it.
static void side_normal(const solid *s, const double at[3], const double way[3], double out[3])
{
    const double rise = s->bottom - s->top, across = sqrt(at[0] * at[0] + at[2] * at[2]);
    const double length = sqrt(4.0 * s->h * s->h + rise * rise);
    if (across > 0.0 && length > 0.0)
    {
        out[0] = 2.0 * s->h / length * (at[0] / across);
        out[1] = rise / length;
        out[2] = 2.0 * s->h / length * (at[2] / across);
        return;
    }
    // on the axis: a tip, or a cylinder that is a line
    const double back = sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    for (int k = 0; k < 3; ++k)
    {
        out[k] = -way[k] / back;
    }
}

// M. Cyrus, J. Beck, "Generalized two- and three-dimensional clipping" (1978), from the point of the ray's line that is
// nearest to the centre, so that squares lose no digits far from it. No ray slips through between a disc and the side.
static bool cylinder_ray(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out)
{
    const solid s = solid_of(shape);
    const double square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
    const double away = from[0] * from[0] + from[1] * from[1] + from[2] * from[2];
    passage p = { -HUGE_VAL, HUGE_VAL, false };
    double at[3];
    if (cylinder_contains(shape, from))
    {
        return ab_ray_begins_inside(out);
    }
    if (!(square > 0.0))
    {
        return false;
    }
    const double nearest = -(from[0] * way[0] + from[1] * way[1] + from[2] * way[2]) / square;
    for (int k = 0; k < 3; ++k)
    {
        at[k] = from[k] + nearest * way[k];
    }
    if (way[1] != 0.0)
    {
        const double one = (-s.h - at[1]) / way[1], other = (s.h - at[1]) / way[1];
        narrow_to(&p, one < other ? one : other, one < other ? other : one, false);
    }
    else if (fabs(at[1]) > s.h)
    {
        return false;
    }
    if (!pass_side(&p, &s, at, way, TOUCHING * TOUCHING * away) || p.enter > p.leave)
    {
        return false;
    }
    const double fraction = nearest + p.enter;
    if (!(fraction >= 0.0 && fraction <= 1.0))
    {
        return false;
    }
    *out = (ab_ray_entry){ .fraction = fraction };
    if (p.through_side)
    {
        for (int k = 0; k < 3; ++k)
        {
            at[k] += p.enter * way[k];
        }
        side_normal(&s, at, way, out->normal);
    }
    else
    {
        out->normal[1] = way[1] > 0.0 ? -1.0 : 1.0;
    }
    return true;
}

// A circle about each end, and four lines of the side.
static void cylinder_wire(const abut_shape *shape, bool flat, ab_shape_line *line, void *context)
{
    (void)flat;
    const abut_cylinder *c = &shape->cylinder;
    const float bottom = c->bottom_radius, top = c->top_radius, h = c->half_height;
    float x = 1.0f, z = 0.0f;
    for (int i = 1; i <= AB_CIRCLE_SEGMENTS; ++i)
    {
        float sine, cosine;
        ab_sincos_float(i < AB_CIRCLE_SEGMENTS ? 6.2831853f / AB_CIRCLE_SEGMENTS * (float)i : 0.0f, &sine, &cosine);
        line(context, abut_vec3_make(bottom * x, -h, bottom * z), abut_vec3_make(bottom * cosine, -h, bottom * sine));
        line(context, abut_vec3_make(top * x, h, top * z), abut_vec3_make(top * cosine, h, top * sine));
        if (i % (AB_CIRCLE_SEGMENTS / 4) == 0)
        {
            line(context, abut_vec3_make(bottom * cosine, -h, bottom * sine),
                 abut_vec3_make(top * cosine, h, top * sine));
        }
        x = cosine;
        z = sine;
    }
}

const ab_shape_row ab_cylinder_row = {
    .name = "cylinder",
    .turns = true,
    .solid = true,
    .part = true,
    .words = sizeof(abut_cylinder) / 4,
    .objection = cylinder_objection,
    .size = cylinder_size,
    .core = cylinder_core,
    .support = cylinder_support,
    .core_closest = cylinder_closest,
    .discs = cylinder_discs,
    .face = cylinder_face,
    .bounding_radius = cylinder_bounding_radius,
    .contains = cylinder_contains,
    .closest = cylinder_closest,
    .ray = cylinder_ray,
    .wire = cylinder_wire,
};
