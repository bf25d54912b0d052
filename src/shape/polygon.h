// A convex polygon: vertices counter-clockwise, with the outward normals of its sides. Immutable, except for the
// reference count.
#ifndef AB_POLYGON_H
#define AB_POLYGON_H

#include "base/memory.h"
#include "base/platform.h"

#include <abut/shape.h>

// Side i runs from vertex i to the next. Entries past `count` repeat the first, so that kernels may read whole vectors.
struct abut_geometry
{
    ab_counter references;
    ab_memory memory;
    uint32_t count;
    abut_vec2 vertex[ABUT_MAX_VERTICES];
    float x[ABUT_MAX_VERTICES], y[ABUT_MAX_VERTICES]; // the vertices again, as columns
    float normal_x[ABUT_MAX_VERTICES], normal_y[ABUT_MAX_VERTICES];
    float offset[ABUT_MAX_VERTICES]; // of each side from the origin, along its normal
    abut_vec2 centroid;
    abut_vec2 half;        // of the rectangle about the origin that contains it
    float bounding_radius; // about the origin, rounded outward
};

#endif
