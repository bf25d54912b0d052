// The row of half-spaces: all that is not above the shape's own xz plane, in 2D its x axis. Records have it as a cube
// that reaches as far as coordinates may go, and AABBs and cores as a box that ends at the plane and past everything
// else; the rest goes by the plane, see narrow/convex/half_space.h.
#include "base/platform.h"
#include "shape/shape_table.h"

#include <float.h>
#include <math.h>

#define FAR ABUT_MAX_MAGNITUDE

// From the plane's pose to whatever may be below it: to the corner of the cube of coordinates that is opposite to that
// of a body and a local pose, and there to the far end of a shape that is as large and as far from its own body.
#define PAST (10.0f * FAR)

abut_shape abut_shape_half_space(void)
{
    return (abut_shape){ .kind = ABUT_HALF_SPACE };
}

// The rotation that takes up, (0, 1, 0), to a unit vector the short way; to the opposite within the xy plane.
static abut_quat rotation_to(double x, double y, double z)
{
    const double w = 1.0 + y, square = x * x + z * z + w * w;
    if (square == 0.0)
    {
        return (abut_quat){ 0.0f, 0.0f, 1.0f, 0.0f };
    }
    const double by = 1.0 / sqrt(square);
    return (abut_quat){ (float)(by * z), 0.0f, (float)(by * -x), (float)(by * w) };
}

abut_pose abut_pose_of_plane(abut_vec3 normal, float offset)
{
    const uint64_t before = ab_platform_float_enter();
    const double x = (double)normal.x, y = (double)normal.y, z = (double)normal.z;
    const double square = x * x + y * y + z * z, length = sqrt(square), by = (double)offset / square;
    abut_pose pose = abut_pose_identity();
    if (square > 0.0 && square <= DBL_MAX && fabs(by) <= DBL_MAX)
    {
        pose.position = abut_vec3_make((float)(by * x), (float)(by * y), (float)(by * z));
        pose.rotation = rotation_to(x / length, y / length, z / length);
    }
    ab_platform_float_leave(before);
    return pose;
}

static const char *half_space_objection(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def, (void)shape;
    return NULL;
}

static abut_vec3 half_space_size(const abut_kind_def *def, const abut_shape *shape)
{
    (void)def, (void)shape;
    return abut_vec3_make(FAR, FAR, FAR);
}

static void half_space_core(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out)
{
    const double past = (double)PAST;
    (void)def, (void)shape;
    *out = (ab_core){ .half = { past, past, size[2] > 0.0f ? past : 0.0 } }; // zero in the plane
}

static void half_space_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3],
                               double out[3])
{
    (void)def, (void)shape;
    const double far = (double)PAST;
    out[0] = direction[0] >= 0.0 ? far : -far;
    out[1] = direction[1] > 0.0 ? 0.0 : -far;
    out[2] = direction[2] >= 0.0 ? far : -far;
}

static void half_space_points(const abut_shape *shape, ab_points *out)
{
    static const ab_box_points corners = { { { -PAST, PAST, -PAST, PAST, -PAST, PAST, -PAST, PAST },
                                             { -PAST, -PAST, 0.0f, 0.0f, -PAST, -PAST, 0.0f, 0.0f },
                                             { -PAST, -PAST, -PAST, -PAST, PAST, PAST, PAST, PAST } } };
    (void)shape;
    ab_box_points_get(&corners, out);
}

static float half_space_bounding_radius(const abut_shape *shape)
{
    (void)shape;
    return 1.7320509f * FAR; // no less than sqrt 3
}

static bool half_space_contains(const abut_shape *shape, const double point[3])
{
    (void)shape;
    return point[1] <= 0.0;
}

static void half_space_closest(const abut_shape *shape, const double point[3], double out[3])
{
    (void)shape;
    out[0] = point[0];
    out[1] = point[1] < 0.0 ? point[1] : 0.0;
    out[2] = point[2];
}

static bool half_space_ray(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out)
{
    (void)shape;
    *out = (ab_ray_entry){ .fraction = 0.0 };
    if (from[1] <= 0.0)
    {
        return true;
    }
    if (from[1] + way[1] > 0.0)
    {
        return false;
    }
    out->fraction = from[1] / -way[1];
    out->normal[1] = 1.0;
    return true;
}

#define WIRE  10.0f // half the side of the square that stands for the plane
#define SPLIT 4     // squares along a side

// A square of the plane, and its normal, a metre long.
static void half_space_wire(const abut_shape *shape, bool flat, ab_shape_line *line, void *context)
{
    (void)shape;
    line(context, abut_vec3_make(0.0f, 0.0f, 0.0f), abut_vec3_make(0.0f, 1.0f, 0.0f));
    for (int i = 0; i <= SPLIT; ++i)
    {
        const float at = flat ? 0.0f : WIRE * (2.0f * (float)i / (float)SPLIT - 1.0f);
        if (!flat || i == 0)
        {
            line(context, abut_vec3_make(-WIRE, 0.0f, at), abut_vec3_make(WIRE, 0.0f, at));
        }
        if (!flat)
        {
            line(context, abut_vec3_make(at, 0.0f, -WIRE), abut_vec3_make(at, 0.0f, WIRE));
        }
    }
}

const ab_shape_row ab_half_space_row = {
    .name = "half-space",
    .turns = true,
    .unbounded = true,
    .objection = half_space_objection,
    .size = half_space_size,
    .core = half_space_core,
    .support = half_space_support,
    .points = half_space_points,
    .bounding_radius = half_space_bounding_radius,
    .contains = half_space_contains,
    .closest = half_space_closest,
    .ray = half_space_ray,
    .wire = half_space_wire,
};
