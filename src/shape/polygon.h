// A convex polygon as geometry: vertices counter-clockwise, with the outward normals of its sides.
#ifndef AB_POLYGON_H
#define AB_POLYGON_H

#include "shape/shared.h"

// Side i runs from vertex i to the next. Entries past `count` repeat the first, so that kernels may read whole vectors.
typedef struct ab_polygon
{
    abut_geometry head;
    uint32_t count;
    abut_vec2 vertex[ABUT_MAX_VERTICES];
    float x[ABUT_MAX_VERTICES], y[ABUT_MAX_VERTICES]; // the vertices again, as columns
    float normal_x[ABUT_MAX_VERTICES], normal_y[ABUT_MAX_VERTICES];
    float offset[ABUT_MAX_VERTICES]; // of each side from the origin, along its normal
    abut_vec2 centroid;
    abut_vec2 half;        // of the rectangle about the origin that contains it
    float bounding_radius; // about the origin, rounded outward
} ab_polygon;

// NULL for anything but a polygon.
const ab_polygon *ab_polygon_of_geometry(const abut_geometry *geometry);

// Begins at another of its vertices, which only its creator may ask for. The first vertex follows from the points that
// a polygon was made of, and not from the others.
void ab_polygon_begin_at(abut_geometry *geometry, uint32_t first);

#endif
