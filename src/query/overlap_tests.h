// What overlaps, proxy by proxy: a shape by the kernels of the narrow phase; a point, half-spaces and children in
// double.
#ifndef AB_OVERLAP_TESTS_H
#define AB_OVERLAP_TESTS_H

#include "query/beside.h"
#include "shape/mesh.h"

#define AB_OVERLAP_BATCH AB_BESIDE // proxies tested at a time

// A shape that asks, at an accepted pose.
typedef struct ab_overlap_shape
{
    const abut_world *world;
    const abut_shape *shape;
    abut_pose pose;
    float inner, outer; // of ab_query_balls
} ab_overlap_shape;

// Marks the proxies, at most AB_OVERLAP_BATCH, whose shapes overlap what the context is: an ab_overlap_shape, an
// ab_overlap_point or an ab_overlap_region.
typedef void ab_overlap_test(const void *context, const uint32_t *proxies, uint32_t count, bool *overlapping);

typedef struct ab_overlap_point
{
    const abut_world *world;
    abut_vec3 point;
} ab_overlap_point;

typedef struct ab_overlap_region
{
    const abut_world *world;
    const abut_region *region;
} ab_overlap_region;

ab_overlap_test ab_overlap_test_shape, ab_overlap_test_point, ab_overlap_test_region;

// Shows the triangles or parts of a proxy's mesh or compound that share a point with what the context is, or reach into
// its half-spaces. False when `see` did not want more.
typedef bool ab_overlap_children(const void *context, uint32_t proxy, ab_mesh_see *see, void *seer);

ab_mesh_see ab_overlap_is_enough; // wants no more than one

#ifdef AB_MESHES
ab_overlap_children ab_overlap_children_of_shape, ab_overlap_children_of_point, ab_overlap_children_of_region;
#endif

// Unit normal and offset of a valid plane.
void ab_plane_normalise(const abut_plane *plane, double normal[3], double *offset);

#endif
