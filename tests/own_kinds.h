// Kinds of shape of a caller's own for tests: the built-in shapes again, as their support functions tell them, and some
// that are not built in.
#ifndef OWN_KINDS_H
#define OWN_KINDS_H

#include <abut/shape.h>

#include <math.h>
#include <string.h>

typedef struct own_size
{
    float x, y, z;
} own_size;

static inline own_size own_size_of(const void *data)
{
    own_size size;
    memcpy(&size, data, sizeof size);
    return size;
}

static inline abut_aabb own_bounds(void *context, const void *data)
{
    (void)context;
    const own_size s = own_size_of(data);
    return (abut_aabb){ { -s.x, -s.y, -s.z }, { s.x, s.y, s.z } };
}

static inline abut_aabb own_ball_bounds(void *context, const void *data)
{
    (void)context;
    const float r = own_size_of(data).x;
    return (abut_aabb){ { -r, -r, -r }, { r, r, r } };
}

static inline void own_crate_support(void *context, const void *data, const double direction[3], double out[3])
{
    (void)context;
    const own_size s = own_size_of(data);
    out[0] = direction[0] >= 0.0 ? (double)s.x : -(double)s.x;
    out[1] = direction[1] >= 0.0 ? (double)s.y : -(double)s.y;
    out[2] = direction[2] >= 0.0 ? (double)s.z : -(double)s.z;
}

static inline void own_ball_support(void *context, const void *data, const double direction[3], double out[3])
{
    (void)context;
    const double r = (double)own_size_of(data).x;
    const double length = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    for (int k = 0; k < 3; ++k)
    {
        out[k] = r * direction[k] / length;
    }
}

static inline void own_point_support(void *context, const void *data, const double direction[3], double out[3])
{
    (void)context, (void)data, (void)direction;
    out[0] = out[1] = out[2] = 0.0;
}

static inline float own_ball_rounding(void *context, const void *data)
{
    (void)context;
    return own_size_of(data).x;
}

// Along z: x is the radius, z half the length of the core.
static inline abut_aabb own_capsule_bounds(void *context, const void *data)
{
    (void)context;
    const own_size s = own_size_of(data);
    return (abut_aabb){ { -s.x, -s.x, -s.z - s.x }, { s.x, s.x, s.z + s.x } };
}

static inline void own_segment_support(void *context, const void *data, const double direction[3], double out[3])
{
    (void)context;
    const double z = (double)own_size_of(data).z;
    out[0] = out[1] = 0.0;
    out[2] = direction[2] >= 0.0 ? z : -z;
}

// The same without a rounding.
static inline void own_capsule_support(void *context, const void *data, const double direction[3], double out[3])
{
    double end[3];
    own_ball_support(context, data, direction, out);
    own_segment_support(context, data, direction, end);
    out[2] += end[2];
}

static inline abut_aabb own_pill_bounds(void *context, const void *data)
{
    (void)context;
    const own_size s = own_size_of(data);
    return (abut_aabb){ { -s.x, -s.y - s.x, -s.x }, { s.x, s.y + s.x, s.x } };
}

static inline void own_pill_support(void *context, const void *data, const double direction[3], double out[3])
{
    (void)context;
    const double y = (double)own_size_of(data).y;
    out[0] = out[2] = 0.0;
    out[1] = direction[1] >= 0.0 ? y : -y;
}

enum
{
    OWN_CRATE,
    OWN_BALL,    // by support alone
    OWN_ROUND,   // a rounded point
    OWN_CAPSULE, // a rounded segment
    OWN_BARE,    // a capsule by support alone
    OWN_PILL,    // the built-in capsule: along y, y half the length of the core
    OWN_KINDS
};

static const abut_kind_def own_kind[OWN_KINDS] = {
    [OWN_CRATE] = { .name = "crate", .bounds = own_bounds, .support = own_crate_support },
    [OWN_BALL] = { .name = "ball", .bounds = own_ball_bounds, .support = own_ball_support },
    [OWN_ROUND] = { .name = "round",
                    .bounds = own_ball_bounds,
                    .support = own_point_support,
                    .rounding = own_ball_rounding },
    [OWN_CAPSULE] = { .name = "capsule",
                      .bounds = own_capsule_bounds,
                      .support = own_segment_support,
                      .rounding = own_ball_rounding },
    [OWN_BARE] = { .name = "bare", .bounds = own_capsule_bounds, .support = own_capsule_support },
    [OWN_PILL] = { .name = "pill",
                   .bounds = own_pill_bounds,
                   .support = own_pill_support,
                   .rounding = own_ball_rounding },
};

static inline abut_shape own_shape(uint32_t kind, float x, float y, float z)
{
    const own_size size = { x, y, z };
    return abut_shape_custom(ABUT_FIRST_KIND + kind, &size, sizeof size);
}

// A built-in shape as a custom one; a ball with a rounding or without.
static inline abut_shape own_twin(const abut_shape *shape, bool rounded)
{
    if (shape->kind == ABUT_SPHERE)
    {
        return own_shape(rounded ? OWN_ROUND : OWN_BALL, shape->sphere.radius, 0.0f, 0.0f);
    }
    if (shape->kind == ABUT_CAPSULE)
    {
        return own_shape(OWN_PILL, shape->capsule.radius, shape->capsule.half_height, 0.0f);
    }
    const abut_vec3 h = shape->box.half_extents;
    return own_shape(OWN_CRATE, h.x, h.y, h.z);
}

#endif
