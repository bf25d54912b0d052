// Reads a cloud of points, and computes tight boxes and spheres around it that hold after rounding to float.
#include "fit/cloud.h"

#include "base/platform.h"
#include "math/outward.h"
#include "math/rotation.h"

#include <abut/fit.h>

#include <math.h>

static void widen(double low[3], double high[3], const double point[3])
{
    for (int k = 0; k < 3; ++k)
    {
        low[k] = point[k] < low[k] ? point[k] : low[k];
        high[k] = point[k] > high[k] ? point[k] : high[k];
    }
}

// Rounding the rotation to floats moves points by up to 2^-23 of their distance; rounding the position, by half a unit
// in the last place.
static double granularity_of(const ab_cloud *cloud)
{
    double square = 0.0, farthest = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        const double size = cloud->high[k] - cloud->low[k], middle = fabs(cloud->high[k] + cloud->low[k]) / 2;
        square += size * size;
        farthest = middle > farthest ? middle : farthest;
    }
    return sqrt(square) * 0x1p-22 + farthest * 0x1p-23;
}

static bool in_range(const double point[3])
{
    const double most = ABUT_MAX_MAGNITUDE; // comparisons are false for NaN
    return fabs(point[0]) <= most && fabs(point[1]) <= most && fabs(point[2]) <= most;
}

bool ab_cloud_open(ab_cloud *cloud, const float *points, uint32_t count, size_t stride, int dimension)
{
    *cloud = (ab_cloud){ .data = (const char *)points, .stride = stride, .count = count, .dimension = dimension };
    cloud->stride = stride ? stride : (size_t)dimension * sizeof *points;
    if (!points || !count)
    {
        return false;
    }
    cloud->float_environment = ab_platform_float_enter();
    ab_cloud_point(cloud, 0, cloud->low);
    ab_cloud_point(cloud, 0, cloud->high);
    bool valid = true;
    for (uint32_t i = 0; i < count && valid; ++i)
    {
        double point[3];
        ab_cloud_point(cloud, i, point);
        valid = in_range(point);
        widen(cloud->low, cloud->high, point);
    }
    cloud->granularity = granularity_of(cloud);
    if (!valid)
    {
        ab_cloud_close(cloud);
    }
    return valid;
}

void ab_cloud_close(const ab_cloud *cloud)
{
    ab_platform_float_leave(cloud->float_environment);
}

void ab_cloud_extremes(const ab_cloud *cloud, const double (*directions)[3], int count, double (*extremes)[3],
                       double *reach)
{
    double point[3];
    ab_cloud_point(cloud, 0, point);
    for (int k = 0; k < 2 * count; ++k)
    {
        const double along = ab_dot(directions[k / 2], point);
        reach[k] = k % 2 ? -along : along;
        memcpy(extremes[k], point, sizeof point);
    }
    for (uint32_t i = 1; i < cloud->count; ++i)
    {
        ab_cloud_point(cloud, i, point);
        for (int k = 0; k < count; ++k)
        {
            const double along = ab_dot(directions[k], point);
            if (along > reach[2 * k])
            {
                reach[2 * k] = along;
                memcpy(extremes[2 * k], point, sizeof point);
            }
            if (-along > reach[2 * k + 1])
            {
                reach[2 * k + 1] = -along;
                memcpy(extremes[2 * k + 1], point, sizeof point);
            }
        }
    }
}

static bool acceptable(const abut_placed_shape *placed)
{
    return abut_shape_valid(&placed->shape) && ab_vec3_in_range(placed->pose.position);
}

static abut_vec3 narrow(const double v[3])
{
    return abut_vec3_make(ab_float_nearest(v[0]), ab_float_nearest(v[1]), ab_float_nearest(v[2]));
}

// The middle of the points' extents along the frame's axes, in world coordinates.
static void middle_of(const ab_cloud *cloud, const ab_frame *frame, double middle[3])
{
    double low[3] = { 0.0, 0.0, 0.0 }, high[3] = { 0.0, 0.0, 0.0 }, point[3], local[3];
    for (uint32_t i = 0; i < cloud->count; ++i)
    {
        ab_cloud_point(cloud, i, point);
        ab_frame_local(frame, point, local);
        if (i == 0)
        {
            memcpy(low, local, sizeof low);
            memcpy(high, local, sizeof high);
        }
        widen(low, high, local);
    }
    for (int k = 0; k < 3; ++k)
    {
        local[k] = 0.5 * (low[k] + high[k]);
    }
    ab_frame_world(frame, local, middle);
}

// Zeroes a component that rotates by less than the rounding of the others: noise. So a box that is aligned with a world
// axis is aligned exactly.
static float quieted(float component)
{
    return fabsf(component) < 0x1p-28f ? 0.0f : component;
}

static abut_quat rotation_of(const double axis[9])
{
    const abut_quat q = ab_quat_from_axes(axis);
    return (abut_quat){ quieted(q.x), quieted(q.y), quieted(q.z), quieted(q.w) };
}

bool ab_cloud_box(const ab_cloud *cloud, const double axis[9], abut_placed_shape *out)
{
    *out = (abut_placed_shape){ .pose.rotation = rotation_of(axis) };
    double middle[3], half[3] = { 0.0, 0.0, 0.0 }, point[3], local[3];
    for (int k = 0; k < 3; ++k)
    {
        middle[k] = 0.5 * (cloud->low[k] + cloud->high[k]);
    }
    // Measures about the box's middle, where rounding is least.
    out->pose.position = narrow(middle);
    ab_frame frame = ab_frame_of(&out->pose, true);
    middle_of(cloud, &frame, middle);
    out->pose.position = narrow(middle);
    frame = ab_frame_of(&out->pose, true);
    for (uint32_t i = 0; i < cloud->count; ++i)
    {
        ab_cloud_point(cloud, i, point);
        ab_frame_local(&frame, point, local);
        for (int k = 0; k < 3; ++k)
        {
            half[k] = fabs(local[k]) > half[k] ? fabs(local[k]) : half[k];
        }
    }
    out->shape = abut_shape_obb(ab_float_up(half[0]), ab_float_up(half[1]), ab_float_up(half[2]));
    return acceptable(out);
}

bool ab_cloud_sphere(const ab_cloud *cloud, const double centre[3], abut_placed_shape *out)
{
    *out = (abut_placed_shape){ .pose = abut_pose_identity() };
    out->pose.position = narrow(centre);
    const ab_frame frame = ab_frame_of(&out->pose, false);
    double square = 0.0, point[3], local[3];
    for (uint32_t i = 0; i < cloud->count; ++i)
    {
        ab_cloud_point(cloud, i, point);
        ab_frame_local(&frame, point, local);
        const double distance_squared = ab_dot(local, local);
        square = distance_squared > square ? distance_squared : square;
    }
    // The square root may round down to a float whose square is too small.
    double root = sqrt(square);
    float radius = ab_float_up(root);
    while ((double)radius * radius < square)
    {
        root = ab_double_of_bits(ab_double_bits(root) + 1);
        radius = ab_float_up(root);
    }
    out->shape = abut_shape_sphere(radius);
    return acceptable(out);
}

double ab_cloud_measure(const ab_cloud *cloud, double half_x, double half_y, double half_z)
{
    const double least = cloud->granularity;
    return (half_x > least ? half_x : least) * (half_y > least ? half_y : least) * (half_z > least ? half_z : least);
}

abut_status abut_fit_aabb(const float *points, uint32_t count, size_t stride, abut_aabb *out)
{
    ab_cloud cloud;
    if (!out || !ab_cloud_open(&cloud, points, count, stride, 3))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    out->min = narrow(cloud.low);
    out->max = narrow(cloud.high);
    ab_cloud_close(&cloud);
    return ABUT_OK;
}
