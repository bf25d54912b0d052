// Descends the index for one query: from the root of a tree to the proxies whose AABBs it hits, by a kernel that tests
// eight boxes at a time. No AABB is missed: rounding errors are part of the tests. A kernel computes one value per box
// by operations that are monotone, rounding included, so that a node has no larger value than its content: the reported
// proxies and their values do not depend on the nodes above them.
#ifndef AB_DESCEND_H
#define AB_DESCEND_H

#include "base/isa.h"
#include "index/tree.h"

#define AB_DESCEND_CHUNK   64u // nodes expanded together
#define AB_DESCEND_ROOM    (AB_DESCEND_CHUNK * AB_BLOCK)
#define AB_DESCEND_PADDING AB_WIDEST // entries behind a list's last, which kernels write

#define AB_DESCEND_AHEAD 12u // nodes: a kernel asks the cache for those that it tests later

// One level: writes the children of at most AB_DESCEND_CHUNK nodes that the query hits, and for proxies their values;
// `values` is NULL above them. Both have room for 8 * count and the padding. Returns their number.
typedef uint32_t ab_index_kernel(const ab_aabb8 *blocks, const void *query, const uint32_t *nodes, uint32_t count,
                                 uint32_t *children, float *values);

// The same for nodes of many queries, without values: node i belongs to query queries[i], child k to child_queries[k],
// which has the same room.
typedef uint32_t ab_index_many_kernel(const ab_aabb8 *blocks, const void *all, const uint32_t *nodes,
                                      const uint8_t *queries, uint32_t count, uint32_t *children,
                                      uint8_t *child_queries);

typedef struct ab_index_kernels
{
    ab_index_kernel *cast; // an ab_cast_line; where a box is entered
    ab_index_many_kernel *cast_many;
    ab_index_many_kernel *ray_many;     // the same of lines that are not widened; NULL in a small build
    ab_index_kernel *overlap;           // an ab_index_box: boxes that share a point with it; no values
    ab_index_many_kernel *overlap_many; // likewise, as near_many
    ab_index_kernel *near;              // the same: boxes within its reach; the square of the distance
    ab_index_many_kernel *near_many;
    ab_index_kernel *planes; // an ab_index_planes: boxes that reach into each half-space; no values
} ab_index_kernels;

// A segment from `origin` to origin + translation, or a box with the world's axes that travels along it. A slab is
// entered at (side - enter_from) / translation and left at (side - leave_from) / translation (T. Kay and J. Kajiya,
// "Ray Tracing Complex Scenes", 1986).
typedef struct ab_cast_line
{
    _Alignas(AB_CACHE_LINE) float enter_from[3];
    float near;
    float leave_from[3], far;          // boxes outside of [near, far] are not reported
    float inverse[3];                  // negative, of the translation, and lowered by more than tests round
    uint16_t enter_at[3], leave_at[3]; // where in a block, in floats, are the sides where each slab is entered and left
} ab_cast_line;

// Of a ray, and then of a box about it with these half extents. All finite and in range. Sets near to 0 and far to 1.
void ab_cast_line_make(ab_cast_line *out, const float origin[3], const float translation[3]);
void ab_cast_line_widen(ab_cast_line *out, const float origin[3], const float half[3]);

#define AB_LINE_LATEST (1.0f + 0x1p-19f) // where boxes are left: over what the inverses lack, and rounding

// What is inside of a box is entered no sooner than the box, and left no later. By the operations of kernels, so that
// this holds of their results to the bit. Not in a small build.
void ab_cast_line_pass(const ab_cast_line *line, const ab_aabb *box, float *enter, float *leave);

typedef struct ab_index_box
{
    float min[3], max[3];
    float square; // of the reach about the box
} ab_index_box;

// dot(normal, p) <= offset. The corner of a box that is farthest in lies in three of a block's six rows.
typedef struct ab_index_plane
{
    float normal[3], offset;
    uint32_t row[3];
} ab_index_plane;

typedef struct ab_index_planes
{
    const ab_index_plane *planes;
    uint32_t count;
} ab_index_planes;

// A unit normal and an offset, in double, are rounded so that no box is missed.
void ab_index_plane_make(ab_index_plane *out, const double normal[3], double offset);

// Receives proxies, at most AB_DESCEND_ROOM at a time, and their values. It may narrow the query. False ends the
// descent. Behind the last are AB_WIDEST times the first.
typedef bool ab_index_see(void *context, const uint32_t *proxies, const float *values, uint32_t count);

#define AB_DESCEND_MANY 128u // queries that descend together

// Receives proxies, at most AB_DESCEND_ROOM at a time, and the queries that hit them, those of a query before those of
// the next active one. Behind the last are AB_WIDEST times the first, and so of the queries. It may narrow the queries.
// False ends the descent.
typedef bool ab_index_see_many(void *context, const uint32_t *proxies, const uint8_t *queries, uint32_t count);

// ab_index_descend for some of many queries, at most AB_DESCEND_MANY, level by level together: `all` is the array of
// them, and `active` the indices of those that descend. False if `see` ended it.
bool ab_index_descend_many(const ab_tree *tree, ab_index_many_kernel *kernel, const void *all, const uint8_t *active,
                           uint32_t count, ab_index_see_many *see, void *context);

// The level to begin with: above it are few nodes.
uint32_t ab_index_first_level(const ab_tree *tree);

// Reports every proxy of the tree that the query hits, unordered; also some near misses. False if `see` ended it.
bool ab_index_descend(const ab_tree *tree, ab_index_kernel *kernel, const void *query, ab_index_see *see,
                      void *context);

// The same without values: `see` gets NULL. Not in a small build.
bool ab_index_descend_plain(const ab_tree *tree, ab_index_kernel *kernel, const void *query, ab_index_see *see,
                            void *context);

#endif
