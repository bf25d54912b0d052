// The corners of the convex polygon around a set of points.
#ifndef AB_CORNERS_H
#define AB_CORNERS_H

#include "base/memory.h"

#include <abut/shape.h>

// As documented at abut_geometry_create_polygon, with its statuses. Many points need memory, which is freed before this
// returns.
abut_status ab_corners_of(const abut_vec2 *points, uint32_t count, ab_memory *memory,
                          abut_vec2 corners[ABUT_MAX_VERTICES], uint32_t *corner_count);

#endif
