// Helpers for the rays of rows.
#ifndef AB_RAY_H
#define AB_RAY_H

#include "shape/shape_table.h"

// A ray that begins inside: fraction 0, no normal. True.
bool ab_ray_begins_inside(ab_ray_entry *out);

// A ray against a ball about the origin.
bool ab_ray_ball(const double from[3], const double way[3], double radius, ab_ray_entry *out);

#endif
