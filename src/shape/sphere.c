// The row of spheres: a point, rounded.
#include "math/rotation.h"
#include "shape/ray.h"

static const char *sphere_objection(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return ab_size_objection(ab_size_valid(shape->sphere.radius));
}

static abut_vec3 sphere_size(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    const float r = shape->sphere.radius;
    return abut_vec3_make(r, r, r);
}

static void sphere_core(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out)
{
    (void)def, (void)shape;
    *out = (ab_core){ .rounding = (double)size[0] };
}

static void sphere_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3], double out[3])
{
    (void)def, (void)shape, (void)direction;
    out[0] = out[1] = out[2] = 0.0;
}

static float sphere_bounding_radius(const abut_shape *shape)
{
    return shape->sphere.radius;
}

static bool sphere_contains(const abut_shape *shape, const double point[3])
{
    const double r = shape->sphere.radius;
    return point[0] * point[0] + point[1] * point[1] + point[2] * point[2] <= r * r;
}

// The nearest to a point outside is in its direction.
static void sphere_closest(const abut_shape *shape, const double point[3], double out[3])
{
    ab_shape_farthest(&ab_sphere_row, shape, point, out);
}

// Three circles, one about each axis; in 2D the one about z.
static void sphere_wire(const abut_shape *shape, bool flat, ab_shape_line *line, void *context)
{
    const float r = shape->sphere.radius, step = 6.2831853f / AB_CIRCLE_SEGMENTS;
    float x = r, y = 0.0f;
    for (int i = 1; i <= AB_CIRCLE_SEGMENTS; ++i)
    {
        float sine, cosine;
        ab_sincos_float(i < AB_CIRCLE_SEGMENTS ? step * (float)i : 0.0f, &sine, &cosine);
        const float next_x = r * cosine, next_y = r * sine;
        line(context, abut_vec3_make(x, y, 0.0f), abut_vec3_make(next_x, next_y, 0.0f));
        if (!flat)
        {
            line(context, abut_vec3_make(0.0f, x, y), abut_vec3_make(0.0f, next_x, next_y));
            line(context, abut_vec3_make(y, 0.0f, x), abut_vec3_make(next_y, 0.0f, next_x));
        }
        x = next_x;
        y = next_y;
    }
}

static bool sphere_ray(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out)
{
    return ab_ray_ball(from, way, (double)shape->sphere.radius, out);
}

const ab_shape_row ab_sphere_row = {
    .name = "sphere",
    .box_core = true,
    .sized = true,
    .words = sizeof(abut_sphere) / 4,
    .part = true,
    .objection = sphere_objection,
    .size = sphere_size,
    .core = sphere_core,
    .support = sphere_support,
    .bounding_radius = sphere_bounding_radius,
    .contains = sphere_contains,
    .closest = sphere_closest,
    .ray = sphere_ray,
    .wire = sphere_wire,
};
