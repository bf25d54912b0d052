// The properties of one kind of shape: a row of this table. Nothing else in the library tests a shape's kind.
#ifndef AB_SHAPE_TABLE_H
#define AB_SHAPE_TABLE_H

#include <abut/shape.h>

#define AB_CIRCLE_SEGMENTS 32 // of a circle in a wireframe

typedef void ab_shape_line(void *context, abut_vec3 from, abut_vec3 to);

// A shape is all points within `rounding` of its core, which has a support function.
typedef struct ab_core
{
    double half[3]; // of a box about the shape's origin that contains the core
    double rounding;
} ab_core;

// Whether the core is a point: then the shape is a ball.
static inline bool ab_core_is_point(const ab_core *core)
{
    return core->half[0] == 0.0 && core->half[1] == 0.0 && core->half[2] == 0.0;
}

// The point where a ray enters a shape.
typedef struct ab_ray_entry
{
    double fraction;  // of the ray's length
    double normal[3]; // unit, outward, in the shape's own frame; zero if the ray begins inside
    uint32_t child;   // the part that is hit, of a shape made of parts
    uint32_t back;    // of a surface: 1 where it is hit from behind
} ab_ray_entry;

#define AB_POINTS_GROUP 8u

// Points that a shape lies within the convex hull of, in columns. A whole number of groups: those past the last repeat
// one.
typedef struct ab_points
{
    uint32_t groups;
    const float *at[3];
} ab_points;

// Points and directions (of any length but zero) are in the shape's own frame, in double, so that only the result is
// rounded. `def` is the definition of a custom shape's kind; NULL for all others. Optional functions may be NULL.
typedef struct ab_shape_row
{
    const char *name;
    bool turns;       // its axes follow its body's rotation
    bool has_corners; // those of the box of its half extents
    bool flat;        // in its own xy plane; collides in 2D only
    bool solid;       // collides in 3D only
    bool parts;       // not convex: a surface or a compound. It has a core all the same: its convex hull
    bool surface;     // a surface of triangles or a chain: it has no inside, and collides with no other surface
    bool part;        // may be a part of a compound
    bool box_core;    // its core is the box of the core's half extents, be it flat, a segment or a point
    bool changes;     // its answers may change though the shape does not: nothing of it is cached
    bool sized;       // its size, by members in order, is all there is to say of it
    bool segment;     // a rounded segment along its own y axis: see `size`
    bool unbounded;   // a half-space: it has no end, and its core is a stand-in
    uint32_t words;   // 32-bit words of the union in abut_shape that are its parameters; zero if these are a geometry,
                      // or if it has none
    // NULL, or the sentence that says what is wrong with the shape.
    const char *(*objection)(const abut_kind_def *def, const abut_shape *shape);
    // Its size for records; never NaN, negative or above ABUT_MAX_MAGNITUDE: half extents of the box about its origin;
    // of a rounded segment the radius, half the segment's length, and the radius.
    abut_vec3 (*size)(const abut_kind_def *def, const abut_shape *shape);
    // Its core, from its size in a record.
    void (*core)(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out);
    // The point of the core farthest along a direction.
    void (*support)(const abut_kind_def *def, const abut_shape *shape, const double direction[3], double out[3]);
    // The point of the core nearest to a point. Optional: else GJK finds it.
    void (*core_closest)(const abut_shape *shape, const double point[3], double out[3]);
    // Of a core that is all between two discs across its y axis, as far up and down as the core's half extent: their
    // radii, the lower one's first. Optional.
    void (*discs)(const abut_shape *shape, double radius[2]);
    // Finds the face that faces most along a direction, if its slope against it (a tangent) is at most `slope`; 0: none
    // does. Otherwise the number of its corners in `out`, in an order of the shape's own: all, or as many as there is
    // room for. May also find an edge, by two corners, or a corner. Optional.
    uint32_t (*face)(const abut_shape *shape, const double direction[3], double slope, uint32_t room, double (*out)[3]);
    // The points whose box, turned, is the shape's AABB: far tighter than the box of its size, turned, where the shape
    // is not a box about its origin. They lie within that. Optional.
    void (*points)(const abut_shape *shape, ab_points *out);
    float (*bounding_radius)(const abut_shape *shape);                // rounded outward; optional
    const abut_geometry *(*geometry)(const abut_shape *shape);        // the geometry it points to; optional
    bool (*contains)(const abut_shape *shape, const double point[3]); // optional
    void (*closest)(const abut_shape *shape, const double point[3],
                    double out[3]); // to one outside, or nearly so; optional
    // Where the ray from `from` to `from` + `way` enters it, if it does; the surface counts as inside. A `way` of zero
    // is a point. Optional: ab_convex_ray does it by the support function.
    bool (*ray)(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out);
    // Its wireframe, line by line; `flat`: in 2D. Optional: else the edges of its box if it has corners, or the
    // outlines from its support function.
    void (*wire)(const abut_shape *shape, bool flat, ab_shape_line *line, void *context);
} ab_shape_row;

// Each in a file of its own.
extern const ab_shape_row ab_sphere_row, ab_aabb_row, ab_obb_row, ab_polygon_row, ab_custom_row, ab_capsule_row,
    ab_hull_row, ab_cylinder_row, ab_mesh_row, ab_compound_row, ab_chain_row, ab_half_space_row;

// Of surfaces and half-spaces: they may be asked about, but ask nothing, and do not collide with each other.
static inline bool ab_row_only_answers(const ab_shape_row *row)
{
    return row->surface || row->unbounded;
}

// By kind, from 1. NULL for an invalid kind.
const ab_shape_row *ab_shape_row_for(abut_shape_kind kind);

// Adds or removes a reference to a valid shape's geometry.
void ab_shape_retain(const abut_shape *shape);
void ab_shape_release(const abut_shape *shape);

// abut_shape_valid in the caller's floating-point environment.
bool ab_shape_valid(const abut_shape *shape);

// Helpers of the rows.

// False for NaN.
bool ab_size_valid(float size);

// The objection to a built-in kind's size: NULL when it is valid.
const char *ab_size_objection(bool valid);

// The point of a shape with this core farthest along a direction.
void ab_shape_farthest(const ab_shape_row *row, const abut_shape *shape, const double direction[3], double out[3]);

// The corners of a box as points, for shapes with too many of their own.
typedef struct ab_box_points
{
    float at[3][AB_POINTS_GROUP];
} ab_box_points;

void ab_box_points_make(const float min[3], const float max[3], ab_box_points *out);

static inline void ab_box_points_get(const ab_box_points *box, ab_points *out)
{
    *out = (ab_points){ 1, { box->at[0], box->at[1], box->at[2] } };
}

#endif
