// The steps of cooking a triangle mesh. Without a pool (NULL) all is done on this thread; the result is the same.
#ifndef AB_MESH_COOK_H
#define AB_MESH_COOK_H

#include "base/tasks.h"
#include "cook/mesh.h"

// The normal of a triangle, twice its area long.
void ab_mesh_normal(const abut_vec3 *a, const abut_vec3 *b, const abut_vec3 *c, double out[3]);

// The same of unit length; of a triangle that has an area.
void ab_mesh_unit_normal(const abut_vec3 *a, const abut_vec3 *b, const abut_vec3 *c, double out[3]);

// Whether a triangle has an area that can be told: others are left out.
bool ab_mesh_has_area(const abut_vec3 *a, const abut_vec3 *b, const abut_vec3 *c);

// The AABB of a triangle.
void ab_cook_box_of(const ab_mesh_parts *parts, const ab_mesh_triangle *triangle, float min[3], float max[3]);

// Finds the box of a leaf of the mesh's own triangles, and writes those of its blocks and of their triangles.
void ab_mesh_lay_leaf(const ab_mesh_parts *parts, uint32_t which, float min[3], float max[3]);

// Writes the order in which the tree has the triangles. False when out of memory.
bool ab_mesh_sort(const ab_mesh_parts *parts, ab_memory *memory, ab_pool *pool, uint32_t *order);

// Sorts the mesh's own triangles so that each block of eight, of sixty-four and so on lies together, numbers the
// vertices by their first use, and builds the nodes. False when out of memory.
bool ab_mesh_order(ab_mesh_parts *parts, ab_memory *memory, ab_pool *pool);

// Builds the nodes over triangles that are in their order. False when out of memory.
bool ab_mesh_build_nodes(ab_mesh_parts *parts, ab_memory *memory);

// Finds the neighbours across edges, and how they meet. False when out of memory.
bool ab_mesh_join(ab_mesh_parts *parts, ab_memory *memory, ab_pool *pool);

#endif
