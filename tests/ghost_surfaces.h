// Surfaces to slide over, as a mesh or a heightfield and again as plain triangles with their neighbours: which normals
// a surface has at a triangle follows from these alone.
#ifndef GHOST_SURFACES_H
#define GHOST_SURFACES_H

#include "mesh_makers.h"
#include "plain_geometry.h"

#include <float.h>

typedef enum surface_kind
{
    SURFACE_GRID,       // a plane in quads
    SURFACE_SUBDIVIDED, // a plane in triangles of all sizes
    SURFACE_RIDGE,      // convex: a roof, with bends along x and z, or without
    SURFACE_OUTSIDE,    // of a cylinder along z
    SURFACE_INSIDE,
    SURFACE_ROUGH, // heights by chance
    FIELD_FLAT,    // heightfields from here on
    FIELD_SLOPED,
    FIELD_RIDGE,
    FIELD_OUTSIDE, // of a cylinder, as far as it has heights
    FIELD_ROUGH,
    SURFACE_KINDS
} surface_kind;

enum
{
    SURFACE_LINES = 61 // of a grid, one way
};

// Half the side of a field, and the radius of a cylinder.
#define SURFACE_HALF   5.0
#define SURFACE_RADIUS 3.0

typedef struct surface
{
    surface_kind kind;
    bool two_sided;
    uint32_t columns, rows;                                                              // of lines
    double x[SURFACE_LINES], z[SURFACE_LINES], of_x[SURFACE_LINES], of_z[SURFACE_LINES]; // a height is of_x + of_z
    double slope[2];                                                                     // of a plane, along x and z
    double scale;                                                                        // metres
    mesh_maker made;
    plain_triangle *triangles;
    uint32_t *first, *around; // by vertex: where its triangles begin in `around`
    double round;             // by how much coordinates are rounded
    double cell;              // about the size of triangles
    abut_geometry *geometry;
} surface;

static inline bool surface_is_field(surface_kind kind)
{
    return kind >= FIELD_FLAT;
}

static inline bool surface_is_plane(surface_kind kind)
{
    return kind == SURFACE_GRID || kind == SURFACE_SUBDIVIDED || kind == FIELD_FLAT || kind == FIELD_SLOPED;
}

static inline bool surface_is_round(surface_kind kind)
{
    return kind == SURFACE_OUTSIDE || kind == SURFACE_INSIDE;
}

static inline dvec3 surface_vertex(const surface *s, uint32_t vertex)
{
    const abut_vec3 v = s->made.vertices[vertex];
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

// Heights of a polyline that bends downwards, or not at all, at each of its corners.
static inline void bend(random_source *random, const double *at, uint32_t count, double sharp, double *out)
{
    double slope = 0.0;
    const uint32_t roof = random_chance(random, 0.3) ? count / 2 : 0;
    out[0] = 0.0;
    for (uint32_t i = 1; i < count; ++i)
    {
        out[i] = out[i - 1] + slope * (at[i] - at[i - 1]);
        slope -= roof != 0                    ? (i == roof) * sharp
                 : random_chance(random, 0.5) ? random_scale(random, 1e-3, 1.0) * sharp
                                              : 0.0;
    }
    const double middle = out[count / 2], tilt = (out[count - 1] - out[0]) / (at[count - 1] - at[0]);
    for (uint32_t i = 0; i < count; ++i)
    {
        out[i] -= middle + tilt * (at[i] - at[count / 2]);
    }
}

static inline void lay_lines(random_source *random, uint32_t count, double uneven, double *out)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const double by = i == 0 || i + 1 == count ? 0.0 : random_between(random, -uneven, uneven);
        out[i] = SURFACE_HALF * (2.0 * (i + by) / (count - 1) - 1.0);
    }
}

static inline void lay_heights(surface *s, random_source *random)
{
    const bool along_x = random_chance(random, 0.5), both = random_chance(random, 0.5);
    const double sharp = random_scale(random, 0.02, 1.0);
    switch (s->kind)
    {
    case SURFACE_RIDGE:
    case FIELD_RIDGE:
        if (along_x || both)
        {
            bend(random, s->x, s->columns, s->columns > 8 ? 4.0 * sharp / s->columns : sharp, s->of_x);
        }
        if (!along_x || both)
        {
            bend(random, s->z, s->rows, s->rows > 8 ? 4.0 * sharp / s->rows : sharp, s->of_z);
        }
        break;
    case FIELD_OUTSIDE:
        for (uint32_t i = 0; i < s->columns; ++i)
        {
            s->of_x[i] = sqrt(fmax(0.0, 1.02 * SURFACE_HALF * SURFACE_HALF - s->x[i] * s->x[i])) - SURFACE_HALF;
        }
        break;
    case FIELD_SLOPED:
        for (int k = 0; k < 2; ++k)
        {
            s->slope[k] = (random_below(random, 33) - 16.0) / 16.0; // heights are then hardly rounded
        }
        for (uint32_t i = 0; i < s->columns; ++i)
        {
            s->of_x[i] = s->slope[0] * s->x[i];
        }
        for (uint32_t i = 0; i < s->rows; ++i)
        {
            s->of_z[i] = s->slope[1] * s->z[i];
        }
        break;
    default:
        break;
    }
}

// The quads of a field between its lines, each divided as `random` says; of a heightfield along the second diagonal.
static inline void lay_field(surface *s, random_source *random)
{
    const bool rough = s->kind == SURFACE_ROUGH || s->kind == FIELD_ROUGH;
    const double high = rough ? random_scale(random, 1e-3, 0.5) * s->cell : 0.0;
    for (uint32_t j = 0; j < s->rows; ++j)
    {
        for (uint32_t i = 0; i < s->columns; ++i)
        {
            const double y = s->of_x[i] + s->of_z[j] + random_between(random, -high, high);
            mesh_vertex(&s->made, s->scale * s->x[i], s->scale * y, s->scale * s->z[j]);
        }
    }
    for (uint32_t j = 0; j + 1 < s->rows; ++j)
    {
        for (uint32_t i = 0; i + 1 < s->columns; ++i)
        {
            const uint32_t a = j * s->columns + i, b = a + 1, c = a + s->columns, d = c + 1;
            if (surface_is_field(s->kind) || random_chance(random, 0.5))
            {
                mesh_triangle(&s->made, a, c, b);
                mesh_triangle(&s->made, d, b, c);
            }
            else
            {
                mesh_triangle(&s->made, a, c, d);
                mesh_triangle(&s->made, a, d, b);
            }
        }
    }
}

// The longest edge of a triangle.
static inline int longest(const surface *s, uint32_t triangle, double *length)
{
    const uint32_t *v = s->made.indices + 3 * triangle;
    int best = 0;
    *length = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        const dvec3 along = dvec3_sub(surface_vertex(s, v[(k + 1) % 3]), surface_vertex(s, v[k]));
        best = dvec3_length(along) > *length ? k : best;
        *length = fmax(*length, dvec3_length(along));
    }
    return best;
}

// Divides an edge, and each triangle that has it.
static inline void divide(surface *s, random_source *random, uint32_t triangle, int k)
{
    const uint32_t a = s->made.indices[3 * triangle + (uint32_t)k],
                   b = s->made.indices[3 * triangle + (uint32_t)(k + 1) % 3], count = s->made.triangle_count;
    const dvec3 from = surface_vertex(s, a), along = dvec3_sub(surface_vertex(s, b), from);
    const dvec3 at = dvec3_along(from, random_between(random, 0.3, 0.7), along);
    const uint32_t middle = mesh_vertex(&s->made, at.x, at.y, at.z);
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t j = 0; j < 3; ++j)
        {
            const uint32_t p = s->made.indices[3 * i + j], q = s->made.indices[3 * i + (j + 1) % 3],
                           r = s->made.indices[3 * i + (j + 2) % 3];
            if ((p == a && q == b) || (p == b && q == a))
            {
                s->made.indices[3 * i + (j + 1) % 3] = middle;
                mesh_triangle(&s->made, middle, q, r);
                break;
            }
        }
    }
}

static inline bool is_above(const surface *s, uint32_t triangle, double x, double z)
{
    bool inside = true;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const dvec3 a = surface_vertex(s, s->made.indices[3 * triangle + k]),
                    b = surface_vertex(s, s->made.indices[3 * triangle + (k + 1) % 3]);
        inside = inside && (b.z - a.z) * (x - a.x) - (b.x - a.x) * (z - a.z) >= 0.0;
    }
    return inside;
}

// Divides the triangles around some places until they are small there.
static inline void subdivide(surface *s, random_source *random)
{
    const uint32_t places = 5 + random_below(random, 20);
    for (uint32_t i = 0; i < places; ++i)
    {
        const double x = s->scale * random_between(random, -3.0, 3.0), z = s->scale * random_between(random, -3.0, 3.0);
        const double small = s->scale * random_scale(random, 1e-3, 1.0);
        for (uint32_t k = 0; k < 40; ++k)
        {
            double length = 0.0;
            uint32_t at = 0;
            while (at < s->made.triangle_count && !is_above(s, at, x, z))
            {
                ++at;
            }
            const int edge = at < s->made.triangle_count ? longest(s, at, &length) : 0;
            if (length <= small)
            {
                break;
            }
            divide(s, random, at, edge);
        }
    }
}

static inline void lay_out_triangles(surface *s)
{
    const uint32_t count = s->made.triangle_count, vertices = s->made.vertex_count;
    double most = 0.0;
    s->triangles = malloc(count * sizeof *s->triangles);
    s->first = calloc(vertices + 2, sizeof *s->first);
    s->around = malloc(3 * (size_t)count * sizeof *s->around);
    assert_true(s->triangles && s->first && s->around);
    for (uint32_t i = 0; i < 3 * count; ++i)
    {
        const dvec3 v = s->triangles[i / 3].corner[i % 3] = surface_vertex(s, s->made.indices[i]);
        most = fmax(most, fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))));
        ++s->first[s->made.indices[i] + 2];
    }
    s->round = most * 0.5 * (double)FLT_EPSILON;
    for (uint32_t i = 2; i < vertices + 2; ++i)
    {
        s->first[i] += s->first[i - 1];
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        plain_triangle *t = &s->triangles[i];
        t->normal =
            dvec3_normalise(dvec3_cross(dvec3_sub(t->corner[1], t->corner[0]), dvec3_sub(t->corner[2], t->corner[0])));
        for (uint32_t k = 0; k < 3; ++k)
        {
            s->around[s->first[s->made.indices[3 * i + k] + 1]++] = i;
        }
    }
}

static inline void make_geometry(surface *s)
{
    if (surface_is_field(s->kind))
    {
        float *heights = malloc(s->made.vertex_count * sizeof *heights);
        assert_non_null(heights);
        for (uint32_t i = 0; i < s->made.vertex_count; ++i)
        {
            heights[i] = s->made.vertices[i].y;
        }
        const abut_heightfield_def def = { .heights = heights,
                                           .columns = s->columns,
                                           .rows = s->rows,
                                           .step_x = (float)(s->scale * (s->x[1] - s->x[0])),
                                           .step_z = (float)(s->scale * (s->z[1] - s->z[0])),
                                           .two_sided = s->two_sided };
        assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &s->geometry), ABUT_OK);
        free(heights);
        // Where its columns and rows are is rounded otherwise.
        for (uint32_t i = 0; i < s->made.triangle_count; ++i)
        {
            abut_vec3 corner[3];
            assert_true(abut_geometry_mesh_triangle(s->geometry, i, corner));
            for (uint32_t k = 0; k < 3; ++k)
            {
                abut_vec3 *v = &s->made.vertices[s->made.indices[3 * i + k]];
                assert_true(fabs((double)(v->x - corner[k].x)) + fabs((double)(v->z - corner[k].z)) <=
                            1e-5 * SURFACE_HALF * s->scale);
                assert_true(v->y == corner[k].y);
                *v = corner[k];
            }
        }
        return;
    }
    abut_mesh_def def = mesh_def_of(&s->made);
    def.two_sided = s->two_sided;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &s->geometry), ABUT_OK);
}

static inline void surface_make(surface *s, surface_kind kind, random_source *random, double scale)
{
    *s = (surface){ .kind = kind, .two_sided = random_chance(random, 0.3), .scale = scale };
    if (surface_is_round(kind))
    {
        const uint32_t facets = 6 + random_below(random, 90), rings = 4 + random_below(random, 30);
        s->cell = 6.28 * SURFACE_RADIUS / facets;
        mesh_cylinder(&s->made, random, facets, rings, SURFACE_RADIUS * scale, SURFACE_HALF * scale,
                      kind == SURFACE_INSIDE);
    }
    else
    {
        const bool subdivided = kind == SURFACE_SUBDIVIDED;
        const uint32_t most = subdivided ? 8 : SURFACE_LINES;
        s->columns = (uint32_t)random_scale(random, 3.0, most + 0.9);
        s->rows = (uint32_t)random_scale(random, 3.0, most + 0.9);
        s->cell = 2.0 * SURFACE_HALF / (s->columns > s->rows ? s->columns - 1 : s->rows - 1);
        lay_lines(random, s->columns, surface_is_field(kind) ? 0.0 : random_chance(random, 0.5) ? 0.3 : 0.0, s->x);
        lay_lines(random, s->rows, surface_is_field(kind) ? 0.0 : random_chance(random, 0.5) ? 0.3 : 0.0, s->z);
        lay_heights(s, random);
        lay_field(s, random);
        if (subdivided)
        {
            subdivide(s, random);
        }
    }
    make_geometry(s);
    lay_out_triangles(s);
}

static inline void surface_close(surface *s)
{
    mesh_maker_close(&s->made);
    free(s->triangles);
    free(s->first);
    free(s->around);
    abut_geometry_release(s->geometry);
}

// A height of a polyline.
static inline double along_line(const double *at, const double *height, uint32_t count, double where)
{
    uint32_t i = 0;
    while (i + 2 < count && at[i + 1] < where)
    {
        ++i;
    }
    return height[i] + (where - at[i]) / (at[i + 1] - at[i]) * (height[i + 1] - height[i]);
}

// The place of a surface at two parameters of -1 to 1, and about which way is out there.
static inline dvec3 surface_place(const surface *s, double u, double v, dvec3 *out)
{
    if (surface_is_round(s->kind))
    {
        const double angle = 3.0 * u;
        const dvec3 away = dvec3_make(cos(angle), sin(angle), 0.0);
        *out = dvec3_scale(away, s->kind == SURFACE_INSIDE ? -1.0 : 1.0);
        const dvec3 on = dvec3_scale(away, SURFACE_RADIUS * s->scale);
        return dvec3_add(on, dvec3_make(0.0, 0.0, 0.5 * SURFACE_HALF * s->scale * v));
    }
    const double x = 0.55 * SURFACE_HALF * u, z = 0.55 * SURFACE_HALF * v;
    const double y = along_line(s->x, s->of_x, s->columns, x) + along_line(s->z, s->of_z, s->rows, z);
    *out = dvec3_normalise(dvec3_make(-s->slope[0], 1.0, -s->slope[1]));
    return dvec3_scale(dvec3_make(x, y, z), s->scale);
}

// By how much a direction of this triangle may lean over the next one because its corners are rounded.
static inline double surface_slack(const surface *s, double length)
{
    return 4.0 * s->round / length;
}

// The triangle across an edge, or none at a border.
static inline const plain_triangle *surface_across(const surface *s, uint32_t triangle, uint32_t k, int *third)
{
    const uint32_t a = s->made.indices[3 * triangle + k], b = s->made.indices[3 * triangle + (k + 1) % 3];
    for (uint32_t i = s->first[a]; i < s->first[a + 1]; ++i)
    {
        const uint32_t other = s->around[i], *v = s->made.indices + 3 * other;
        for (int j = 0; j < 3 && other != triangle; ++j)
        {
            if (v[j] == b && v[(j + 1) % 3] == a)
            {
                *third = (j + 2) % 3;
                return &s->triangles[other];
            }
        }
    }
    return NULL;
}

// By how much an edge rises along a direction: a sine.
static inline double rise(const surface *s, dvec3 from, dvec3 to, dvec3 direction)
{
    const dvec3 along = dvec3_sub(to, from);
    const double length = dvec3_length(along);
    return dvec3_dot(along, direction) / length - surface_slack(s, length);
}

// By how much a direction, unit, is none that the surface has at an edge of a triangle: a sine.
static inline double off_edge(const surface *s, uint32_t triangle, uint32_t k, dvec3 direction)
{
    const plain_triangle *t = &s->triangles[triangle];
    int third = 0;
    const plain_triangle *next = surface_across(s, triangle, k, &third);
    const dvec3 a = t->corner[k], b = t->corner[(k + 1) % 3], along = dvec3_normalise(dvec3_sub(b, a));
    double off = fmax(0.0, fmax(rise(s, a, b, direction), rise(s, b, a, direction)));
    for (int i = 0; i < 2; ++i)
    {
        if (i == 0 || next)
        {
            const dvec3 to = dvec3_sub(i == 0 ? t->corner[(k + 2) % 3] : next->corner[third], a);
            const dvec3 across = dvec3_along(to, -dvec3_dot(to, along), along);
            const double length = dvec3_length(across);
            off = fmax(off, dvec3_dot(across, direction) / length - surface_slack(s, length));
        }
    }
    return off;
}

// The same of a corner: no edge may rise from it.
static inline double off_corner(const surface *s, uint32_t triangle, uint32_t k, dvec3 direction)
{
    const uint32_t vertex = s->made.indices[3 * triangle + k];
    const dvec3 from = s->triangles[triangle].corner[k];
    double off = 0.0;
    for (uint32_t i = s->first[vertex]; i < s->first[vertex + 1]; ++i)
    {
        const uint32_t *v = s->made.indices + 3 * s->around[i];
        for (int j = 0; j < 3; ++j)
        {
            if (v[j] != vertex)
            {
                off = fmax(off, rise(s, from, surface_vertex(s, v[j]), direction));
            }
        }
    }
    return off;
}

// By how much a direction is none that the surface has at a triangle: the sine of an angle to one that it has. `side`
// is -1 for the back of a surface with two sides.
static inline double surface_off(const surface *s, uint32_t triangle, dvec3 direction, double side)
{
    const dvec3 own = dvec3_scale(s->triangles[triangle].normal, side);
    const double face = dvec3_length(dvec3_sub(direction, own));
    double off = face;
    for (uint32_t k = 0; k < 3 && dvec3_dot(direction, own) > -1e-3; ++k)
    {
        off = fmin(off, fmin(off_edge(s, triangle, k, direction), off_corner(s, triangle, k, direction)));
    }
    return off;
}

#endif
