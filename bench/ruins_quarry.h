// Stones that fit together: a block of rock, broken into 216 pieces along the planes half-way between random points
// (its Voronoi cells). The block repeats itself along x and z, and stands on a flat bottom. One half of the stones are
// cut blocks, cells that have lost their smallest edges; the others are rocks, round bodies of 12 to 64 corners within
// their cells, which come near the middle of each of its faces.
#ifndef ABUT_BENCH_RUINS_QUARRY_H
#define ABUT_BENCH_RUINS_QUARRY_H

#include "pcg32.h"
#include "scenes.h"

#define QUARRY_STONES 216u
#define QUARRY_SIDE   6.0f // metres along each side of the block

typedef struct quarry_stone
{
    abut_geometry *hull; // 8 to 64 vertices, about the middle of its box
    abut_pose pose;      // in the block, which is from 0 to QUARRY_SIDE
} quarry_stone;

// Writes QUARRY_STONES; the caller releases the hulls.
void quarry_break(quarry_stone *out, pcg32 *random);

#endif
