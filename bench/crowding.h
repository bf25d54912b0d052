// How large a room must be for a given number of overlapping AABB pairs: exact expectation for boxes whose centres are
// uniform in the room, from the moments of the boxes' half extents.
//
// On an axis of length L two boxes with half extents a and b overlap with probability 2s/L - s²/L² where s = a + b <=
// L, and surely beyond. The product over the axes, summed over all pairs, needs moments of the half extents up to the
// second in each axis. Pairs of the few widest boxes, where s may exceed L, are looked at one by one.
#ifndef ABUT_BENCH_CROWDING_H
#define ABUT_BENCH_CROWDING_H

#include <abut/shape.h>

#define CROWD_WIDE 64

typedef struct bench_crowd
{
    double count;
    double moment[3][3][3];         // [i][j][k]: sum over the boxes of x^i y^j z^k of their half extents
    double wide[CROWD_WIDE + 1][3]; // half extents of the widest boxes, falling; [CROWD_WIDE] is the widest of the rest
} bench_crowd;

// Half extents of the box around the shape, turned by `rotation` (of unit length).
abut_vec3 crowd_half_extents(const abut_shape *shape, abut_quat rotation);

void crowd_add(bench_crowd *crowd, abut_vec3 half_extents);

// The mean of x^i y^j z^k.
double crowd_mean(const bench_crowd *crowd, int i, int j, int k);

// The shortest edge of a room for which crowd_pairs is exact: no two boxes beyond the widest ones reach across it.
double crowd_least(const bench_crowd *crowd);

// Overlapping pairs expected in a room of these edges.
double crowd_pairs(const bench_crowd *crowd, double room_x, double room_y, double room_z);

// The side at which `pairs` (falling with the side) reaches `wanted`, or crowd_least if it is below that already: where
// so few bodies cannot overlap as often.
typedef double crowd_pairs_at(const bench_crowd *crowd, double side);
double crowd_solve(const bench_crowd *crowd, crowd_pairs_at *pairs, double wanted);

// The side of the cube in which `wanted` overlapping pairs are expected.
double crowd_cube(const bench_crowd *crowd, double wanted);

#endif
