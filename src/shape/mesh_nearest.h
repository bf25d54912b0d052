// A search for the triangle that is nearest to a point, or for those that may be nearest to a box: what searches of trees
// and of heightfields share.
#ifndef AB_MESH_NEAREST_H
#define AB_MESH_NEAREST_H

#include "shape/mesh.h"

#include "base/platform.h"

#define AB_NEAREST_ROUNDED (1.0f - 0x1p-20f) // of the square of a distance: more than what floats round away

typedef struct ab_nearest
{
    const ab_mesh *mesh;
    const double *point;
    float low[3], high[3];         // the point, rounded both ways, or the box
    ab_mesh_measure_near *measure; // of a box
    void *context;
    double square, on[3];
    float limit; // no less than the square
    uint32_t triangle;
    uint32_t waiting, wait[AB_MESH_WIDTH]; // of a heightfield: triangles that were not looked at
} ab_nearest;

// How far a place between low and high is outside of a range.
AB_INLINE float ab_outside(float low, float high, float min, float max)
{
    const float below = min - high, above = low - max, away = below > above ? below : above;
    return away > 0.0f ? away : 0.0f;
}

// Measures those of at most eight triangles that may be near enough. Entries behind `count` must be triangles, too.
void ab_nearest_see(ab_nearest *n, const uint32_t *triangles, uint32_t count);

// Searches a heightfield: the cell below the middle, then blocks about it, until the others are farther away than the
// best so far.
void ab_nearest_of_field(ab_nearest *n);

#endif
