// Mass properties of shapes, for a solver: how heavy a solid shape is, where its centre of mass is, and how it resists
// turning. abut itself has no masses; copy these two files.
//
// All is computed from moments, which are sums over the inside of a shape and so add up: over a compound's parts, over
// the colliders of a body, over the tetrahedra from the origin to the triangles of a hull or a closed mesh.
#ifndef ABUT_EXAMPLES_MASS_H
#define ABUT_EXAMPLES_MASS_H

#include <abut/abut.h>

// Sums of 1, of x and of x x^T over the inside of shapes: m^3, m^4, m^5; in the plane m^2, m^3, m^4. Zeros are nothing.
typedef struct moments
{
    double zeroth;       // volume or area
    double first[3];     // z is zero in the plane
    double second[3][3]; // symmetric
} moments;

// Adds those of a shape at a pose, times a density: of a solid sphere, box, capsule, cylinder, hull, compound or mesh,
// which must be closed. False, with nothing added, for any other shape, for one without volume, and for a mesh that is inside out.
bool moments_add(moments *m, const abut_shape *shape, const abut_pose *pose, double density);

// The same in the plane, where spheres are discs, boxes rectangles and capsules stadiums: of these and of polygons. The
// density is by area.
bool moments_add_2d(moments *m, const abut_shape *shape, const abut_pose *pose, double density);

// What a solver needs.
typedef struct mass_properties
{
    double mass;          // kg
    double centre[3];     // of mass, in the frame that the moments are of
    double inertia[3][3]; // kg m^2, about the centre, along that frame's axes; in the plane [2][2] alone counts
} mass_properties;

// Of moments that are not zero.
mass_properties mass_of(const moments *m);

#endif
