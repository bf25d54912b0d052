// Compounds: convex shapes at poses of one frame, immutable, as large as they need.
#ifndef AB_COMPOUND_H
#define AB_COMPOUND_H

#include "shape/part_tree.h"

typedef struct ab_compound_part
{
    abut_shape shape;
    abut_pose pose; // in the compound's frame; accepted
    float axis[9];  // of that pose, as ab_record has it
    abut_vec3 size; // as ab_record has it
} ab_compound_part;

// One block with its arrays.
typedef struct ab_compound
{
    abut_geometry head;
    const ab_compound_part *parts;
    ab_part_tree tree;
    uint32_t count;        // of parts, by the caller's number
    abut_vec3 half;        // of the box about the origin that contains it
    float bounding_radius; // about the origin, rounded outward
    ab_box_points box;     // that contains all parts
} ab_compound;

// NULL for anything but a compound.
const ab_compound *ab_compound_of_geometry(const abut_geometry *geometry);

// The compound of a valid shape; NULL for every other kind.
static inline const ab_compound *ab_compound_of(const abut_shape *shape)
{
    return shape->kind == ABUT_COMPOUND ? (const ab_compound *)(const void *)shape->compound : NULL;
}

// Of a shape that is a compound.
static inline const ab_compound *ab_compound_of_valid(const abut_shape *shape)
{
    return (const ab_compound *)(const void *)shape->compound;
}

// Shows the parts whose own boxes meet a box, in the order of the tree. The box is read anew at every step: who sees
// may shrink it. False when `see` did not want more.
bool ab_compound_overlap(const ab_compound *compound, const ab_mesh_box *box, ab_mesh_see *see, void *context);

// The same in the order of ab_part_tree_overlap_from.
bool ab_compound_overlap_from(const ab_compound *compound, const double point[3], const ab_mesh_box *box,
                              ab_mesh_see *see, void *context);

// How many triangles or parts a valid shape has as the caller counts them; 1 of a convex one.
uint32_t ab_child_count(const abut_shape *shape);

#endif
