#include "mass.h"

#include <math.h>

#define PI 3.14159265358979323846

// In space ------------------------------------------------------------------------------------------------------------

// A shape whose own planes are planes of symmetry: `square`, of x^2, y^2 and z^2 on average.
static moments symmetric(double volume, double x, double y, double z)
{
    return (moments){ .zeroth = volume,
                      .second = { { volume * x, 0, 0 }, { 0, volume * y, 0 }, { 0, 0, volume * z } } };
}

static moments sphere(double r)
{
    return symmetric(4.0 / 3.0 * PI * r * r * r, r * r / 5.0, r * r / 5.0, r * r / 5.0);
}

static moments box(abut_vec3 h)
{
    const double x = (double)h.x, y = (double)h.y, z = (double)h.z;
    return symmetric(8.0 * x * y * z, x * x / 3.0, y * y / 3.0, z * z / 3.0);
}

// A cylinder along y and two half balls, whose centres of mass are 3/8 r from their flat sides.
static moments capsule(double r, double h)
{
    const double cylinder = 2.0 * PI * r * r * h, ball = 4.0 / 3.0 * PI * r * r * r, volume = cylinder + ball;
    const double across = cylinder * r * r / 4.0 + ball * r * r / 5.0,
                 along = cylinder * h * h / 3.0 + ball * (r * r / 5.0 + 0.75 * r * h + h * h);
    return volume > 0.0 ? symmetric(volume, across / volume, along / volume, across / volume) : (moments){ 0 };
}

// Of discs whose radius goes from `bottom` at -h to `top` at h on y: integrals of powers of a radius that is linear in y.
static moments cylinder(double bottom, double top, double h)
{
    const double r = (bottom + top) / 2.0, d = (top - bottom) / 2.0, r2 = r * r, d2 = d * d;
    const double across = PI / 2.0 * h * (r2 * r2 + 2.0 * r2 * d2 + d2 * d2 / 5.0);
    return (moments){
        .zeroth = 2.0 * PI * h * (r2 + d2 / 3.0),
        .first = { 0, 4.0 / 3.0 * PI * r * d * h * h, 0 },
        .second = { { across, 0, 0 }, { 0, 2.0 * PI * h * h * h * (r2 / 3.0 + d2 / 5.0), 0 }, { 0, 0, across } }
    };
}

// Adds the tetrahedron from the origin to a triangle, less than nothing where that is seen from behind. See B. Mirtich,
// "Fast and accurate computation of polyhedral mass properties" (1996), and, for the sum that is short,
// J. Blow, A. Binstock, "How to find the inertia tensor (or other mass properties) of a 3D solid body represented by a
// triangle mesh" (2004).
static void add_tetrahedron(moments *m, abut_vec3 a, abut_vec3 b, abut_vec3 c)
{
    const double corner[3][3] = { { (double)a.x, (double)a.y, (double)a.z },
                                  { (double)b.x, (double)b.y, (double)b.z },
                                  { (double)c.x, (double)c.y, (double)c.z } };
    const double(*v)[3] = corner;
    const double six = v[0][0] * (v[1][1] * v[2][2] - v[1][2] * v[2][1]) +
                       v[0][1] * (v[1][2] * v[2][0] - v[1][0] * v[2][2]) +
                       v[0][2] * (v[1][0] * v[2][1] - v[1][1] * v[2][0]);
    m->zeroth += six / 6.0;
    for (int i = 0; i < 3; ++i)
    {
        const double sum = v[0][i] + v[1][i] + v[2][i];
        m->first[i] += six / 24.0 * sum;
        for (int k = 0; k < 3; ++k)
        {
            m->second[i][k] +=
                six / 120.0 *
                (v[0][i] * v[0][k] + v[1][i] * v[1][k] + v[2][i] * v[2][k] + sum * (v[0][k] + v[1][k] + v[2][k]));
        }
    }
}

static moments hull(const abut_geometry *geometry)
{
    moments m = { 0 };
    const abut_vec3 *vertices;
    abut_geometry_hull_vertices(geometry, &vertices);
    const uint32_t faces = abut_geometry_hull_faces(geometry);
    for (uint32_t face = 0; face < faces; ++face)
    {
        const uint32_t *corner;
        const uint32_t corners = abut_geometry_hull_face(geometry, face, &corner);
        for (uint32_t i = 2; i < corners; ++i)
        {
            add_tetrahedron(&m, vertices[corner[0]], vertices[corner[i - 1]], vertices[corner[i]]);
        }
    }
    return m;
}

static moments mesh(const abut_geometry *geometry)
{
    moments m = { 0 };
    const uint32_t triangles = abut_geometry_mesh_triangles(geometry);
    for (uint32_t i = 0; i < triangles; ++i)
    {
        abut_vec3 corner[3];
        if (abut_geometry_mesh_triangle(geometry, i, corner))
        {
            add_tetrahedron(&m, corner[0], corner[1], corner[2]);
        }
    }
    return m;
}

static moments compound(const abut_geometry *geometry)
{
    moments m = { 0 };
    const uint32_t parts = abut_geometry_compound_parts(geometry);
    for (uint32_t i = 0; i < parts; ++i)
    {
        abut_placed_shape part;
        if (abut_geometry_compound_part(geometry, i, &part))
        {
            moments_add(&m, &part.shape, &part.pose, 1.0);
        }
    }
    return m;
}

static moments moments_of(const abut_shape *shape)
{
    switch (shape->kind)
    {
    case ABUT_SPHERE:
        return sphere((double)shape->sphere.radius);
    case ABUT_AABB:
    case ABUT_OBB:
        return box(shape->box.half_extents);
    case ABUT_CAPSULE:
        return capsule((double)shape->capsule.radius, (double)shape->capsule.half_height);
    case ABUT_HULL:
        return hull(shape->hull);
    case ABUT_CYLINDER:
        return cylinder((double)shape->cylinder.bottom_radius, (double)shape->cylinder.top_radius,
                        (double)shape->cylinder.half_height);
    case ABUT_MESH:
        return mesh(shape->mesh);
    case ABUT_COMPOUND:
        return compound(shape->compound);
    default:
        return (moments){ 0 };
    }
}

// In the plane --------------------------------------------------------------------------------------------------------

static moments disc(double r)
{
    return symmetric(PI * r * r, r * r / 4.0, r * r / 4.0, 0.0);
}

static moments rectangle(abut_vec3 h)
{
    const double x = (double)h.x, y = (double)h.y;
    return symmetric(4.0 * x * y, x * x / 3.0, y * y / 3.0, 0.0);
}

// A rectangle and two half discs, whose centres of mass are 4/(3 pi) r from their flat sides.
static moments stadium(double r, double h)
{
    const double middle = 4.0 * r * h, ends = PI * r * r, area = middle + ends;
    const double across = middle * r * r / 3.0 + ends * r * r / 4.0,
                 along = middle * h * h / 3.0 + ends * (r * r / 4.0 + 8.0 / (3.0 * PI) * r * h + h * h);
    return area > 0.0 ? symmetric(area, across / area, along / area, 0.0) : (moments){ 0 };
}

// By the triangles from the origin to the sides.
static moments polygon(const abut_geometry *geometry)
{
    moments m = { 0 };
    const abut_vec2 *vertices;
    const uint32_t count = abut_geometry_vertices(geometry, &vertices);
    for (uint32_t at = 0; at < count; ++at)
    {
        const abut_vec2 from = vertices[at], to = vertices[at + 1 < count ? at + 1 : 0];
        const double v[2][2] = { { (double)from.x, (double)from.y }, { (double)to.x, (double)to.y } };
        const double twice = v[0][0] * v[1][1] - v[0][1] * v[1][0];
        m.zeroth += twice / 2.0;
        for (int i = 0; i < 2; ++i)
        {
            const double sum = v[0][i] + v[1][i];
            m.first[i] += twice / 6.0 * sum;
            for (int k = 0; k < 2; ++k)
            {
                m.second[i][k] += twice / 24.0 * (v[0][i] * v[0][k] + v[1][i] * v[1][k] + sum * (v[0][k] + v[1][k]));
            }
        }
    }
    return m;
}

static moments moments_of_2d(const abut_shape *shape)
{
    switch (shape->kind)
    {
    case ABUT_SPHERE:
        return disc((double)shape->sphere.radius);
    case ABUT_AABB:
    case ABUT_OBB:
        return rectangle(shape->box.half_extents);
    case ABUT_CAPSULE:
        return stadium((double)shape->capsule.radius, (double)shape->capsule.half_height);
    case ABUT_POLYGON:
        return polygon(shape->polygon);
    default:
        return (moments){ 0 };
    }
}

// Both ----------------------------------------------------------------------------------------------------------------

// Adds what was summed in a shape's own frame: of x' = p + R x.
static bool add_placed(moments *m, const moments *own, bool turns, const abut_pose *pose, double density)
{
    const abut_mat3 turn = abut_mat3_from_quat(turns ? pose->rotation : abut_quat_identity());
    const double p[3] = { (double)pose->position.x, (double)pose->position.y, (double)pose->position.z };
    double r[3][3], first[3] = { 0 };
    if (!(own->zeroth > 0.0))
    {
        return false;
    }
    for (int k = 0; k < 3; ++k)
    {
        const abut_vec3 image = k == 0 ? turn.x : k == 1 ? turn.y : turn.z;
        r[0][k] = (double)image.x;
        r[1][k] = (double)image.y;
        r[2][k] = (double)image.z;
        for (int i = 0; i < 3; ++i)
        {
            first[i] += r[i][k] * own->first[k];
        }
    }
    m->zeroth += density * own->zeroth;
    for (int i = 0; i < 3; ++i)
    {
        m->first[i] += density * (first[i] + own->zeroth * p[i]);
        for (int k = 0; k < 3; ++k)
        {
            double turned = 0.0;
            for (int j = 0; j < 9; ++j)
            {
                turned += r[i][j / 3] * own->second[j / 3][j % 3] * r[k][j % 3];
            }
            m->second[i][k] += density * (turned + first[i] * p[k] + p[i] * first[k] + own->zeroth * p[i] * p[k]);
        }
    }
    return true;
}

bool moments_add(moments *m, const abut_shape *shape, const abut_pose *pose, double density)
{
    const moments own = moments_of(shape);
    return add_placed(m, &own, shape->kind != ABUT_AABB, pose, density);
}

bool moments_add_2d(moments *m, const abut_shape *shape, const abut_pose *pose, double density)
{
    const moments own = moments_of_2d(shape);
    return add_placed(m, &own, shape->kind != ABUT_AABB, pose, density);
}

// Of the points' spread about the centre, the inertia about an axis is what is across it.
mass_properties mass_of(const moments *m)
{
    mass_properties out = { .mass = m->zeroth };
    double spread[3][3];
    for (int i = 0; i < 3; ++i)
    {
        out.centre[i] = m->first[i] / m->zeroth;
    }
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            spread[i][k] = m->second[i][k] - out.centre[i] * m->first[k];
        }
    }
    const double all = spread[0][0] + spread[1][1] + spread[2][2];
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            out.inertia[i][k] = (i == k ? all : 0.0) - spread[i][k];
        }
    }
    return out;
}
