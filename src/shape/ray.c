// Ray tests that several rows share.
#include "shape/ray.h"

#include <math.h>

#define TOUCHING 1e-15 // of the distance from the centre

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool ab_ray_begins_inside(ab_ray_entry *out)
{
    *out = (ab_ray_entry){ .fraction = 0.0, .normal = { 0.0, 0.0, 0.0 } };
    return true;
}

// Starts from the nearest point of the ray's line to the centre, so that squares lose no digits far from it. A line
// that passes within rounding touches: a ball of radius zero is hit, and in 2D a capsule of radius zero.
bool ab_ray_ball(const double from[3], const double way[3], double radius, ab_ray_entry *out)
{
    const double square = dot(way, way), beyond = dot(from, from) - radius * radius;
    if (beyond <= 0.0)
    {
        return ab_ray_begins_inside(out);
    }
    if (!(square > 0.0))
    {
        return false;
    }
    const double nearest = -dot(from, way) / square;
    double point[3];
    for (int k = 0; k < 3; ++k)
    {
        point[k] = from[k] + nearest * way[k];
    }
    const double depth = radius * radius - dot(point, point);
    const double fraction = nearest - sqrt((depth > 0.0 ? depth : 0.0) / square);
    if (depth < -TOUCHING * TOUCHING * dot(from, from) || !(fraction >= 0.0 && fraction <= 1.0))
    {
        return false;
    }
    for (int k = 0; k < 3; ++k)
    {
        point[k] = from[k] + fraction * way[k];
    }
    const double length = sqrt(dot(point, point));
    out->fraction = fraction;
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = length > TOUCHING * sqrt(dot(from, from)) ? point[k] / length : -way[k] / sqrt(square);
    }
    return true;
}
