// Custom kinds of shape, and validation of shapes that may have one.
#ifndef AB_KINDS_H
#define AB_KINDS_H

#include <abut/shape.h>

// One more than the last kind of shape that this build has.
#if defined(AB_MESHES)
#define AB_KIND_COUNT ABUT_SHAPE_KIND_COUNT
#elif defined(AB_HULLS)
#define AB_KIND_COUNT ABUT_MESH
#else
#define AB_KIND_COUNT ABUT_HULL
#endif

// Whether some kind is made of parts, so that a pair may have several contacts.
#ifdef AB_MESHES
#define AB_HAS_CHILDREN true
#else
#define AB_HAS_CHILDREN false
#endif

// Whether some kind collides in 3D only.
#define AB_HAS_SOLIDS (AB_KIND_COUNT > ABUT_HULL)

// Definitions by id - ABUT_FIRST_KIND. A NULL set of kinds is empty.
typedef struct ab_kind_set
{
    const abut_kind_def *def;
    uint32_t count;
} ab_kind_set;

// NULL for an unknown id.
const abut_kind_def *ab_kind_find(const ab_kind_set *kinds, uint32_t id);

// The definition of a custom shape's kind; NULL for all other shapes, and where there is none.
const abut_kind_def *ab_shape_def(const ab_kind_set *kinds, const abut_shape *shape);

// NULL for a complete definition, else the sentence that says what is missing.
const char *ab_kind_objection(const abut_kind_def *def);

// NULL when the shape is valid, else the sentence that says what is wrong with it.
const char *ab_shape_objection(const ab_kind_set *kinds, const abut_shape *shape);

// The size in a record of a shape that was valid when it was checked: see ab_shape_row. Never NaN, negative or above
// ABUT_MAX_MAGNITUDE, whatever the definition returns now.
abut_vec3 ab_shape_size(const ab_kind_set *kinds, const abut_shape *shape);

#endif
