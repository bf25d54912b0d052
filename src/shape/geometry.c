// Geometric queries of one shape at a pose: converts to the shape's own frame, asks its row of the table in double, and
// rounds once.
#include "base/platform.h"
#include "math/frame.h"
#include "math/outward.h"
#include "math/rotation.h"
#include "shape/shape_table.h"

#include <math.h>

typedef struct subject
{
    const ab_shape_row *row;
    abut_pose pose;
    ab_frame frame;
    uint64_t float_environment; // the caller's
} subject;

// False when the shape, pose or output is invalid. From here to `done`, arithmetic uses our own floating-point
// environment, so that validation does not depend on the caller's.
static bool accept(const abut_shape *shape, const abut_pose *pose, const void *out, subject *s)
{
    s->float_environment = ab_platform_float_enter();
    if (!out || !pose || !ab_shape_valid(shape))
    {
        return false;
    }
    s->row = ab_shape_row_for(shape->kind);
    s->pose = *pose;
    if (!ab_pose_accept(&s->pose))
    {
        return false;
    }
    s->frame = ab_frame_of(&s->pose, s->row->turns);
    return true;
}

static abut_status done(const subject *s, abut_status status)
{
    ab_platform_float_leave(s->float_environment);
    return status;
}

// A world point in the subject's frame. False when it is not finite or out of range.
static bool localise(const subject *s, abut_vec3 point, double local[3])
{
    const double world[3] = { point.x, point.y, point.z };
    ab_frame_local(&s->frame, world, local);
    return ab_vec3_in_range(point);
}

// A direction in the subject's frame, and its length. False when it has none.
static bool turn_back(const subject *s, abut_vec3 direction, double local[3], double *length)
{
    const double world[3] = { direction.x, direction.y, direction.z };
    ab_frame_direction(&s->frame, world, local);
    *length = sqrt(ab_dot(world, world));
    return ab_vec3_in_range(direction) && *length > 0.0;
}

static abut_vec3 rounded(const subject *s, const double local[3])
{
    double world[3];
    ab_frame_world(&s->frame, local, world);
    return abut_vec3_make((float)world[0], (float)world[1], (float)world[2]);
}

abut_status abut_shape_contains(const abut_shape *shape, const abut_pose *pose, abut_vec3 point, bool *out)
{
    subject s;
    double local[3];
    if (!accept(shape, pose, out, &s) || !localise(&s, point, local))
    {
        return done(&s, ABUT_INVALID_ARGUMENT);
    }
    *out = s.row->contains(shape, local);
    return done(&s, ABUT_OK);
}

abut_status abut_shape_closest_point(const abut_shape *shape, const abut_pose *pose, abut_vec3 point, abut_vec3 *out)
{
    subject s;
    double local[3], closest[3];
    if (!accept(shape, pose, out, &s) || !localise(&s, point, local))
    {
        return done(&s, ABUT_INVALID_ARGUMENT);
    }
    if (s.row->contains(shape, local))
    {
        *out = point;
        return done(&s, ABUT_OK);
    }
    s.row->closest(shape, local, closest);
    *out = rounded(&s, closest);
    return done(&s, ABUT_OK);
}

abut_status abut_shape_support(const abut_shape *shape, const abut_pose *pose, abut_vec3 direction, abut_vec3 *out)
{
    subject s;
    double local[3], support[3], length;
    if (!accept(shape, pose, out, &s) || !turn_back(&s, direction, local, &length))
    {
        return done(&s, ABUT_INVALID_ARGUMENT);
    }
    ab_shape_farthest(s.row, shape, local, support);
    *out = rounded(&s, support);
    return done(&s, ABUT_OK);
}

abut_status abut_shape_projection_radius(const abut_shape *shape, const abut_pose *pose, abut_vec3 axis, float *out)
{
    subject s;
    double local[3], support[3], length;
    if (!accept(shape, pose, out, &s) || !turn_back(&s, axis, local, &length))
    {
        return done(&s, ABUT_INVALID_ARGUMENT);
    }
    ab_shape_farthest(s.row, shape, local, support);
    *out = (float)(ab_dot(support, local) / length);
    return done(&s, ABUT_OK);
}

// How far the subject reaches along a world axis, given in the subject's frame. Never below the true value: inexact
// components may err by a few 2^-53.
static double reach_along(const subject *s, const abut_shape *shape, const double local[3])
{
    double support[3], reach = 0.0;
    ab_shape_farthest(s->row, shape, local, support);
    for (int i = 0; i < 3; ++i)
    {
        const bool exact = local[i] == 0.0 || fabs(local[i]) == 1.0;
        reach += support[i] * local[i] + (exact ? 0.0 : fabs(support[i]) * 0x1p-50);
    }
    return reach;
}

abut_status abut_shape_bounds(const abut_shape *shape, const abut_pose *pose, abut_aabb *out)
{
    subject s;
    if (!accept(shape, pose, out, &s))
    {
        return done(&s, ABUT_INVALID_ARGUMENT);
    }
    float below[3], above[3];
    for (int k = 0; k < 3; ++k)
    {
        const double up[3] = { s.frame.axis[k], s.frame.axis[3 + k], s.frame.axis[6 + k] };
        const double down[3] = { -up[0], -up[1], -up[2] };
        const float position = (float)s.frame.position[k];
        below[k] = ab_sum_down(position, -ab_float_up(reach_along(&s, shape, down)));
        above[k] = ab_sum_up(position, ab_float_up(reach_along(&s, shape, up)));
    }
    out->min = abut_vec3_make(below[0], below[1], below[2]);
    out->max = abut_vec3_make(above[0], above[1], above[2]);
    return done(&s, ABUT_OK);
}

abut_status abut_shape_bounding_sphere(const abut_shape *shape, const abut_pose *pose, abut_placed_shape *out)
{
    subject s;
    if (!accept(shape, pose, out, &s))
    {
        return done(&s, ABUT_INVALID_ARGUMENT);
    }
    out->shape = abut_shape_sphere(s.row->bounding_radius(shape));
    out->pose = s.pose;
    return done(&s, ABUT_OK);
}

// The corner on the sides named by the bits of `sides`.
static abut_vec3 corner(const subject *s, const abut_shape *shape, unsigned sides)
{
    const abut_vec3 h = s->row->size(NULL, shape);
    const double local[3] = { sides & 1 ? h.x : -h.x, sides & 2 ? h.y : -h.y, sides & 4 ? h.z : -h.z };
    return rounded(s, local);
}

abut_status abut_shape_corners(const abut_shape *shape, const abut_pose *pose, abut_vec3 out[8])
{
    subject s;
    if (!accept(shape, pose, out, &s) || !s.row->has_corners)
    {
        return done(&s, ABUT_INVALID_ARGUMENT);
    }
    for (unsigned i = 0; i < 8; ++i)
    {
        out[i] = corner(&s, shape, i);
    }
    return done(&s, ABUT_OK);
}

abut_status abut_shape_rectangle_corners(const abut_shape *shape, const abut_pose *pose, abut_vec3 out[4])
{
    subject s;
    if (!accept(shape, pose, out, &s) || !s.row->has_corners)
    {
        return done(&s, ABUT_INVALID_ARGUMENT);
    }
    const abut_vec3 h = s.row->size(NULL, shape);
    const double x[4] = { -h.x, h.x, h.x, -h.x }, y[4] = { -h.y, -h.y, h.y, h.y };
    for (int i = 0; i < 4; ++i)
    {
        out[i] = rounded(&s, (double[3]){ x[i], y[i], 0.0 });
    }
    return done(&s, ABUT_OK);
}
