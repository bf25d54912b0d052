// The row of capsules: a segment along the y axis, rounded.
#include "math/outward.h"
#include "math/rotation.h"
#include "shape/ray.h"

#include <math.h>

abut_shape abut_shape_capsule(float radius, float half_height)
{
    abut_shape shape = { .kind = ABUT_CAPSULE };
    shape.capsule = (abut_capsule){ radius, half_height };
    return shape;
}

static const char *capsule_objection(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return ab_size_objection(ab_size_valid(shape->capsule.radius) && ab_size_valid(shape->capsule.half_height));
}

static abut_vec3 capsule_size(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    const abut_capsule *c = &shape->capsule;
    return abut_vec3_make(c->radius, c->half_height, c->radius);
}

static void capsule_core(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out)
{
    (void)def, (void)shape;
    *out = (ab_core){ { 0.0, (double)size[1], 0.0 }, (double)size[0] };
}

static void capsule_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3], double out[3])
{
    (void)def;
    const double h = (double)shape->capsule.half_height;
    out[0] = out[2] = 0.0;
    out[1] = direction[1] >= 0.0 ? h : -h;
}

static float capsule_bounding_radius(const abut_shape *shape)
{
    return ab_float_up((double)shape->capsule.radius + (double)shape->capsule.half_height);
}

// The vector from the nearest point of the segment to `point`. Returns its squared length.
static double away_from_segment(const abut_shape *shape, const double point[3], double out[3])
{
    const double h = (double)shape->capsule.half_height, y = point[1];
    out[0] = point[0];
    out[1] = y > h ? y - h : y < -h ? y + h : 0.0;
    out[2] = point[2];
    return out[0] * out[0] + out[1] * out[1] + out[2] * out[2];
}

static bool capsule_contains(const abut_shape *shape, const double point[3])
{
    const double r = (double)shape->capsule.radius;
    double away[3];
    return away_from_segment(shape, point, away) <= r * r;
}

static void capsule_closest(const abut_shape *shape, const double point[3], double out[3])
{
    double away[3];
    const double scale = (double)shape->capsule.radius / sqrt(away_from_segment(shape, point, away));
    for (int k = 0; k < 3; ++k)
    {
        out[k] = (point[k] - away[k]) + away[k] * scale;
    }
}

// The surface is that of a cylinder between two balls; the ray enters it where it first enters one of the three.
static bool capsule_ray(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out)
{
    const double r = (double)shape->capsule.radius, h = (double)shape->capsule.half_height;
    const double flat_from[3] = { from[0], 0.0, from[2] }, flat_way[3] = { way[0], 0.0, way[2] };
    ab_ray_entry found;
    bool hit = false;
    if (capsule_contains(shape, from))
    {
        return ab_ray_begins_inside(out);
    }
    // seen along the axis the cylinder is a ball; what begins within it is outside an end
    if (ab_ray_ball(flat_from, flat_way, r, &found) && fabs(from[1] + found.fraction * way[1]) <= h)
    {
        *out = found;
        hit = found.fraction > 0.0 || from[0] * from[0] + from[2] * from[2] > r * r;
    }
    for (int side = -1; side <= 1; side += 2)
    {
        const double from_end[3] = { from[0], from[1] - side * h, from[2] };
        if (ab_ray_ball(from_end, way, r, &found) && (!hit || found.fraction < out->fraction))
        {
            *out = found;
            hit = true;
        }
    }
    return hit;
}

// Its outline seen along z: two half circles and the sides between them. In 3D also the one seen along x, and a circle
// about each end of the segment.
static void capsule_wire(const abut_shape *shape, bool flat, ab_shape_line *line, void *context)
{
    const float r = shape->capsule.radius, h = shape->capsule.half_height, step = 6.2831853f / AB_CIRCLE_SEGMENTS;
    float x = r, y = 0.0f;
    for (int i = 1; i <= AB_CIRCLE_SEGMENTS; ++i)
    {
        float sine, cosine;
        ab_sincos_float(i < AB_CIRCLE_SEGMENTS ? step * (float)i : 0.0f, &sine, &cosine);
        const float next_x = r * cosine, next_y = r * sine, end = i <= AB_CIRCLE_SEGMENTS / 2 ? h : -h;
        line(context, abut_vec3_make(x, end + y, 0.0f), abut_vec3_make(next_x, end + next_y, 0.0f));
        if (!flat)
        {
            line(context, abut_vec3_make(0.0f, end + y, x), abut_vec3_make(0.0f, end + next_y, next_x));
            line(context, abut_vec3_make(x, h, y), abut_vec3_make(next_x, h, next_y));
            line(context, abut_vec3_make(x, -h, y), abut_vec3_make(next_x, -h, next_y));
        }
        x = next_x;
        y = next_y;
    }
    for (int side = -1; side <= 1; side += 2)
    {
        const float at = r * (float)side;
        line(context, abut_vec3_make(at, -h, 0.0f), abut_vec3_make(at, h, 0.0f));
        if (!flat)
        {
            line(context, abut_vec3_make(0.0f, -h, at), abut_vec3_make(0.0f, h, at));
        }
    }
}

const ab_shape_row ab_capsule_row = {
    .name = "capsule",
    .box_core = true,
    .words = sizeof(abut_capsule) / 4,
    .turns = true,
    .segment = true,
    .sized = true,
    .part = true,
    .objection = capsule_objection,
    .size = capsule_size,
    .core = capsule_core,
    .support = capsule_support,
    .bounding_radius = capsule_bounding_radius,
    .contains = capsule_contains,
    .closest = capsule_closest,
    .ray = capsule_ray,
    .wire = capsule_wire,
};
