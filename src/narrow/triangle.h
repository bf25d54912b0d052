// A triangle of a mesh as one side of a convex pair.
#ifndef AB_TRIANGLE_H
#define AB_TRIANGLE_H

#include "narrow/convex.h"
#include "shape/mesh.h"

// The triangle as a shape, about its middle; the mesh's axes.
typedef struct ab_triangle
{
    abut_shape shape;
    double corner[3][3];
    double normal[3]; // unit, towards its front
} ab_triangle;

// A triangle of a mesh that is at `placed`. `triangle` must outlive `out`.
void ab_triangle_place(const ab_mesh *mesh, const ab_convex *placed, uint32_t which, ab_triangle *triangle,
                       ab_convex *out);

// Its normal in the world's axes.
void ab_triangle_normal(const ab_triangle *triangle, const ab_convex *placed, double out[3]);

// The box in a mesh's frame of all that comes within a distance of a convex shape.
ab_mesh_box ab_mesh_box_around(const ab_convex *mesh, const ab_convex *shape, double distance);

// The contact of a convex shape with one triangle of a mesh: a is the convex shape, b the triangle.
typedef struct ab_triangle_pair
{
    const ab_mesh *mesh;
    ab_convex placed; // the mesh
    ab_convex convex;
} ab_triangle_pair;

// False when they do not touch: beyond the limit, from behind, or where the contact is a neighbour's. Normals are those
// of the surface as a whole (see docs/shapes.md): an edge between neighbours in one plane or in a valley has none. The
// normal points from the convex shape to the triangle.
bool ab_triangle_collide(const ab_triangle_pair *pair, uint32_t which, double limit, abut_manifold *out);

// How a direction, unit, in the mesh's frame, away from a triangle, fits the surface there.
typedef enum ab_triangle_fit
{
    AB_FIT_FACE,    // it is the triangle's normal
    AB_FIT_FEATURE, // it is one of the ridge or the peak that the triangle ends in there
    AB_FIT_NOT,     // the surface has no such normal there
    AB_FIT_OTHER    // it is the neighbour's across a ridge, or on the other side
} ab_triangle_fit;

// `side`: 1 for the front, -1 for the back of a mesh with two sides. *other is the neighbour whose it is, or
// AB_NO_TRIANGLE.
ab_triangle_fit ab_mesh_fit(const ab_mesh *mesh, uint32_t which, const double direction[3], double side,
                            uint32_t *other);

#endif
