// The rows of boxes: one keeps the world's axes, the other rotates.
#include "base/platform.h"
#include "math/outward.h"
#include "shape/ray.h"

#include <math.h>

static const char *box_objection(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    const abut_vec3 h = shape->box.half_extents;
    return ab_size_objection(ab_size_valid(h.x) && ab_size_valid(h.y) && ab_size_valid(h.z));
}

static abut_vec3 box_size(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def;
    return shape->box.half_extents;
}

static void box_core(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out)
{
    (void)def, (void)shape;
    *out = (ab_core){ { (double)size[0], (double)size[1], (double)size[2] }, 0.0 };
}

static void box_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3], double out[3])
{
    (void)def;
    const abut_vec3 h = shape->box.half_extents;
    out[0] = direction[0] >= 0.0 ? h.x : -h.x;
    out[1] = direction[1] >= 0.0 ? h.y : -h.y;
    out[2] = direction[2] >= 0.0 ? h.z : -h.z;
}

static bool box_contains(const abut_shape *shape, const double point[3])
{
    const abut_vec3 h = shape->box.half_extents;
    return (fabs(point[0]) <= h.x) & (fabs(point[1]) <= h.y) & (fabs(point[2]) <= h.z); // no branch can be foreseen
}

static double clamp(double value, double most)
{
    const double raised = value < -most ? -most : value;
    return raised > most ? most : raised;
}

static void box_closest(const abut_shape *shape, const double point[3], double out[3])
{
    const abut_vec3 h = shape->box.half_extents;
    out[0] = clamp(point[0], h.x);
    out[1] = clamp(point[1], h.y);
    out[2] = clamp(point[2], h.z);
}

static float box_bounding_radius(const abut_shape *shape)
{
    const double x = shape->box.half_extents.x, y = shape->box.half_extents.y, z = shape->box.half_extents.z;
    return ab_float_up(sqrt(x * x + y * y + z * z) * (1.0 + 0x1p-50));
}

// A. Williams, S. Barrus, R. Morley, P. Shirley, "An Efficient and Robust Ray-Box Intersection Algorithm" (2005), a
// slab at a time. Where two faces are entered at once, the lower axis has it.
static bool box_ray(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out)
{
    const abut_vec3 h = shape->box.half_extents;
    const double half[3] = { (double)h.x, (double)h.y, (double)h.z };
    double in[3], past[3];
    if (box_contains(shape, from))
    {
        return ab_ray_begins_inside(out);
    }
    for (int k = 0; k < 3; ++k)
    {
        if (AB_LIKELY(way[k] != 0.0))
        {
            const double side = copysign(half[k], way[k]);
            in[k] = (-side - from[k]) / way[k];
            past[k] = (side - from[k]) / way[k];
            continue;
        }
        if (fabs(from[k]) > half[k])
        {
            return false;
        }
        in[k] = -HUGE_VAL;
        past[k] = HUGE_VAL;
    }
    const bool second = in[1] > in[0];
    const double of_two = in[1] > in[0] ? in[1] : in[0];
    const bool third = in[2] > of_two;
    const double enter = in[2] > of_two ? in[2] : of_two, left = past[1] < past[0] ? past[1] : past[0];
    const double leave = past[2] < left ? past[2] : left;
    if (!((enter >= 0.0) & (enter <= 1.0) & (enter <= leave)))
    {
        return false;
    }
    *out = (ab_ray_entry){ .fraction = enter, .normal = { 0.0, 0.0, 0.0 } };
    const uint32_t through = third ? 2u : second;
    out->normal[through] = -copysign(1.0, way[through]);
    return true;
}

#define BOX_ROW(kind, with_body)                                                                                       \
    {                                                                                                                  \
        .name = (kind), .words = sizeof(abut_box) / 4, .turns = (with_body), .has_corners = true, .box_core = true,    \
        .sized = true, .part = (with_body), .objection = box_objection, .size = box_size, .core = box_core,            \
        .support = box_support, .bounding_radius = box_bounding_radius, .contains = box_contains,                      \
        .closest = box_closest, .ray = box_ray                                                                         \
    }

const ab_shape_row ab_aabb_row = BOX_ROW("aabb", false);
const ab_shape_row ab_obb_row = BOX_ROW("obb", true);
