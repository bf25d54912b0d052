// Fits the least rectangle around 2D points: rotating calipers on their hull, then rounded to floats like every box.
#include "base/memory.h"
#include "fit/cloud.h"
#include "math/hull.h"

#include <abut/fit.h>

// Coordinates are relative to the cloud's corner, so that subtractions lose least.
static void read_places(const ab_cloud *cloud, ab_dvec2 *places)
{
    double point[3];
    for (uint32_t i = 0; i < cloud->count; ++i)
    {
        ab_cloud_point(cloud, i, point);
        places[i] = (ab_dvec2){ point[0] - cloud->low[0], point[1] - cloud->low[1] };
    }
}

// Axes along the rectangle's sides, by the quarter turn that points x right, at most 45 degrees up or down.
static void axes_of(ab_dvec2 along, double axis[9])
{
    for (int quarter = 0; quarter < 3 && !(along.x >= along.y && along.x > -along.y); ++quarter)
    {
        along = (ab_dvec2){ -along.y, along.x };
    }
    const double out[9] = { along.x, along.y, 0.0, -along.y, along.x, 0.0, 0.0, 0.0, 1.0 };
    for (int i = 0; i < 9; ++i)
    {
        axis[i] = out[i];
    }
}

static abut_status fit(const ab_cloud *cloud, ab_memory *memory, abut_placed_shape *out)
{
    const size_t bytes = ab_hull_bytes(cloud->count);
    ab_dvec2 *places = bytes ? ab_memory_take(memory, bytes) : NULL;
    if (!places)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_dvec2 *hull = places + cloud->count;
    read_places(cloud, places);
    const size_t corners = ab_hull_of(places, cloud->count, hull);
    double axis[9];
    axes_of(ab_least_rectangle(hull, corners, 0.0).along, axis);
    ab_memory_give(memory, places, bytes);
    return ab_cloud_box(cloud, axis, out) ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}

abut_status abut_fit_rectangle(const float *points, uint32_t count, size_t stride, const abut_allocator *allocator,
                               abut_placed_shape *out)
{
    ab_memory memory;
    ab_cloud cloud;
    if (!out || !ab_memory_open(&memory, allocator) || !ab_cloud_open(&cloud, points, count, stride, 2))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_placed_shape box;
    const abut_status status = fit(&cloud, &memory, &box);
    ab_cloud_close(&cloud);
    *out = status == ABUT_OK ? box : *out;
    return status;
}
