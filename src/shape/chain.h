// Chains: lines of segments in the plane, immutable, as large as they need.
#ifndef AB_CHAIN_H
#define AB_CHAIN_H

#include "shape/part_tree.h"

// The coordinates begin with flags and the two ghost points: those beyond the ends.
#define AB_CHAIN_HEAD      5u
#define AB_CHAIN_LOOP      1u
#define AB_CHAIN_TWO_SIDED 2u
#define AB_CHAIN_BEFORE    4u
#define AB_CHAIN_AFTER     8u

#define AB_CHAIN_GROUP 8u // segments of a leaf of the tree

// One block with its arrays.
typedef struct ab_chain
{
    abut_geometry head;
    const abut_vec2 *points;
    ab_part_tree tree; // over groups of AB_CHAIN_GROUP segments one after the other
    uint32_t point_count;
    uint32_t count; // of segments: as many in a loop, else one less
    bool loop, two_sided;
    bool goes_on[2];       // before the first point and after the last, in other chains
    abut_vec2 beyond[2];   // their next points there
    abut_vec3 half;        // of the box about the origin that contains it
    float bounding_radius; // about the origin, rounded outward
    ab_box_points box;     // that contains it
} ab_chain;

// NULL for anything but a chain.
const ab_chain *ab_chain_of_geometry(const abut_geometry *geometry);

// The chain of a valid shape; NULL for every other kind.
static inline const ab_chain *ab_chain_of(const abut_shape *shape)
{
    return shape->kind == ABUT_CHAIN ? (const ab_chain *)(const void *)shape->chain : NULL;
}

// Of a shape that is a chain.
static inline const ab_chain *ab_chain_of_valid(const abut_shape *shape)
{
    return (const ab_chain *)(const void *)shape->chain;
}

// A segment with the points before and after it.
typedef struct ab_chain_segment
{
    double at[2][2];     // its two points
    double beyond[2][2]; // the point before the first, and that after the second
    bool goes_on[2];     // there is such a point
} ab_chain_segment;

void ab_chain_segment_of(const ab_chain *chain, uint32_t which, ab_chain_segment *out);

// Its unit normal, towards the front.
void ab_chain_normal(const ab_chain_segment *segment, double out[2]);

// Shows the segments whose own boxes meet a box, by groups in the order of the tree. The box is read anew at every step:
// who sees may shrink it. False when `see` did not want more.
bool ab_chain_overlap(const ab_chain *chain, const ab_mesh_box *box, ab_mesh_see *see, void *context);

// The same, by groups as ab_part_tree_overlap_from has them.
bool ab_chain_overlap_from(const ab_chain *chain, const double point[3], const ab_mesh_box *box, ab_mesh_see *see,
                           void *context);

// Sees each segment that the ray hits, in no order; `backs`: also those that it goes through from behind. As ray of
// ab_shape_row. A ray along a segment goes past it.
typedef void ab_chain_see_entry(void *context, const ab_ray_entry *entry);
void ab_chain_ray_each(const ab_chain *chain, const double from[3], const double way[3], bool backs,
                       ab_chain_see_entry *see, void *context);

// The first of them, of several as near one hit from the front, then the lowest.
bool ab_chain_ray(const ab_chain *chain, const double from[3], const double way[3], bool backs, ab_ray_entry *out);

#endif
