// A caller's cloud of points, and the last step of every fit: the tight float shape, with given axes or centre, that
// contains all points.
#ifndef AB_CLOUD_H
#define AB_CLOUD_H

#include "math/frame.h"

#include <abut/shape.h>

#include <string.h>

typedef struct ab_cloud
{
    const char *data;
    size_t stride; // bytes
    uint32_t count;
    int dimension;              // floats per point: 2 or 3
    double low[3];              // of its AABB
    double high[3];             // of its AABB
    double granularity;         // metres: how far rounding its pose may move a box's faces
    uint64_t float_environment; // of the caller, restored by close
} ab_cloud;

// Sets the floating-point environment and reads every point. False when the cloud cannot be fitted; then it is closed.
bool ab_cloud_open(ab_cloud *cloud, const float *points, uint32_t count, size_t stride, int dimension);
void ab_cloud_close(const ab_cloud *cloud);

// Point i, with z zero in 2D.
static inline void ab_cloud_point(const ab_cloud *cloud, uint32_t i, double out[3])
{
    float raw[3];
    const char *from = cloud->data + (size_t)i * cloud->stride;
    memcpy(raw, from, 2 * sizeof *raw);
    raw[2] = 0.0f;
    if (cloud->dimension == 3)
    {
        memcpy(raw + 2, from + 2 * sizeof *raw, sizeof *raw);
    }
    for (int k = 0; k < 3; ++k)
    {
        out[k] = raw[k];
    }
}

// For each direction (of any length), the first of the points farthest along it (even indices) and the first of those
// farthest against it (odd indices), and their reach along it.
void ab_cloud_extremes(const ab_cloud *cloud, const double (*directions)[3], int count, double (*extremes)[3],
                       double *reach);

// The oriented box with these axes (orthonormal to rounding, right-handed) around all points. False when it passes
// ABUT_MAX_MAGNITUDE.
bool ab_cloud_box(const ab_cloud *cloud, const double axis[9], abut_placed_shape *out);

// The sphere about this centre around all points.
bool ab_cloud_sphere(const ab_cloud *cloud, const double centre[3], abut_placed_shape *out);

// The size to compare boxes by: their volume, with half extents below the cloud's granularity counted as the
// granularity.
double ab_cloud_measure(const ab_cloud *cloud, double half_x, double half_y, double half_z);

#endif
