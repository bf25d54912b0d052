// A convex hull in space as geometry.
#ifndef AB_SHAPE_HULL_H
#define AB_SHAPE_HULL_H

#include "cook/hull.h"
#include "shape/polytope.h"
#include "shape/shape_table.h"
#include "shape/shared.h"

// One block with its arrays.
typedef struct ab_hull
{
    abut_geometry head;
    uint32_t vertex_count, face_count;
    const abut_vec3 *vertices;
    const ab_hull_face *faces;
    const uint32_t *corners;
    abut_vec3 half;        // of the box about the origin that contains it
    float bounding_radius; // about the origin, rounded outward
    float deviation;       // metres
    ab_polytope polytope;  // without faces where there is none
    ab_box_points box;     // for hulls without
} ab_hull;

// NULL for anything but a hull.
const ab_hull *ab_hull_of_geometry(const abut_geometry *geometry);

#endif
