// What is true of one kind of shape: a row of this table. Nothing else in the library asks a shape what kind it is.
#ifndef AB_SHAPE_TABLE_H
#define AB_SHAPE_TABLE_H

#include <abut/shape.h>

#define AB_CIRCLE_SEGMENTS 32 // of what is round, in a wireframe

typedef void ab_shape_line(void *context, abut_vec3 from, abut_vec3 to);

typedef struct ab_shape_row
{
    const char *name;
    bool turns;       // its axes follow its body's rotation
    bool has_corners; // those of the box of its half extents
    bool flat;        // lies in its own xy plane, and meets others in the plane only
    bool (*valid)(const abut_shape *shape);
    // Of the box about the origin, in the shape's own axes. Zeros for a custom shape: see ab_shape_half_extents.
    abut_vec3 (*half_extents)(const abut_shape *shape);
    float (*bounding_radius)(const abut_shape *shape);         // rounded outward
    const abut_geometry *(*geometry)(const abut_shape *shape); // what it points to; NULL: it holds all it is

    // Points and directions (of any length but zero) in the shape's own frame, in double, so that only the answer is
    // rounded.
    bool (*contains)(const abut_shape *shape, const double point[3]);
    void (*closest)(const abut_shape *shape, const double point[3], double out[3]); // to a point that is outside
    void (*support)(const abut_shape *shape, const double direction[3], double out[3]);

    // Its wireframe, line by line, in the shape's own frame; `flat`: in 2D. NULL: the edges of its box if it has
    // corners, or else the outlines that its support function gives.
    void (*wire)(const abut_shape *shape, bool flat, ab_shape_line *line, void *context);
} ab_shape_row;

// One more who keeps a valid shape, or one less.
void ab_shape_retain(const abut_shape *shape);
void ab_shape_release(const abut_shape *shape);

// abut_shape_valid in the caller's mode of arithmetic.
bool ab_shape_valid(const abut_shape *shape);

// By kind, from 1. NULL for what is not a shape.
const ab_shape_row *ab_shape_row_for(abut_shape_kind kind);

#endif
