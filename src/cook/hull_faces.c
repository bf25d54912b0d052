// The faces of a hull: facets whose corners lie within the tolerance of one plane become one polygon. The largest facet
// comes first and gives the plane. A polygon grows by a facet at a time and stays a disc; one that is not convex
// beyond the tolerance is given up for its first facet. Corners within the tolerance of an edge's line are left out.
#include "cook/hull.h"

#include "base/array.h"
#include "cook/hull_build.h"

#include <math.h>
#include <string.h>

#define SAME_WAY 0.5 // cosine: facets that turn away by more are not one face

enum
{
    EDGE_BITS = 2,
    SLIVER = 16 // tolerances
};

// Facets become faces by number, from 1.
typedef struct faces
{
    ab_hull_build *build;
    ab_hull_mesh *mesh;
    uint32_t *face;           // by facet; zero: none so far
    uint32_t *after, *before; // by point on the rim of the face that grows; ABUT_NONE: not on it
    uint32_t *edge;           // by point on the rim: facet << EDGE_BITS | edge, inside, that begins there
    uint32_t *grown;          // the facets of the face that grows
    uint32_t *degree;         // by point: faces that meet there
    uint32_t (*meets)[2];     // by point: two of these
    uint32_t rim;             // points on the rim
    uint32_t faces;
} faces;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double along_normal(const double normal[3], abut_vec3 p)
{
    return normal[0] * p.x + normal[1] * p.y + normal[2] * p.z;
}

// Twice the area of a facet.
static double area_of(const ab_hull_build *build, const ab_facet *facet)
{
    const abut_vec3 *p = build->points;
    double u[3], v[3];
    ab_hull_between(p[facet->vertex[0]], p[facet->vertex[1]], u);
    ab_hull_between(p[facet->vertex[0]], p[facet->vertex[2]], v);
    const double x = u[1] * v[2] - u[2] * v[1], y = u[2] * v[0] - u[0] * v[2], z = u[0] * v[1] - u[1] * v[0];
    return sqrt(x * x + y * y + z * z);
}

// The least height of a facet over one of its edges.
static double width_of(const ab_hull_build *build, const ab_facet *facet)
{
    double longest = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        double edge[3];
        ab_hull_between(build->points[facet->vertex[k]], build->points[facet->vertex[(k + 1) % 3]], edge);
        const double length = sqrt(dot(edge, edge));
        longest = length > longest ? length : longest;
    }
    return area_of(build, facet) / longest;
}

static void put_on_rim(faces *f, uint32_t point, uint32_t next, uint32_t facet, uint32_t edge)
{
    f->after[point] = next;
    f->before[next] = point;
    f->edge[point] = facet << EDGE_BITS | edge;
}

static void take_off_rim(faces *f, uint32_t point)
{
    f->after[point] = f->before[point] = ABUT_NONE;
}

static bool take(faces *f, uint32_t facet)
{
    const size_t count = arrlenu(f->grown);
    if (!ab_array_resize(f->grown, f->build->memory, count + 1))
    {
        return false;
    }
    f->grown[count] = facet;
    f->face[facet] = f->faces;
    return true;
}

// Whether a facet continues the plane of another beyond one of its edges; `apex` is its corner off that edge.
static bool continues(const faces *f, const ab_facet *seed, const ab_facet *facet, uint32_t apex)
{
    const abut_vec3 *p = f->build->points;
    double to[3];
    ab_hull_between(p[seed->vertex[0]], p[apex], to);
    return fabs(dot(seed->normal, to)) <= f->build->tolerance &&
           (dot(seed->normal, facet->normal) > SAME_WAY || width_of(f->build, facet) <= f->build->tolerance);
}

// Adds the facet beyond the edge that begins at point *at of the rim, if that keeps the face a disc in its plane; *at
// stays on the rim.
static bool extend(faces *f, uint32_t seed, uint32_t *at, bool *extended)
{
    const ab_facet *facets = f->build->facets;
    const uint32_t u = *at, v = f->after[u], beyond = facets[f->edge[u] >> EDGE_BITS].across[f->edge[u] & 3u];
    const ab_facet *facet = &facets[beyond];
    *extended = false;
    if (f->face[beyond])
    {
        return true;
    }
    const uint32_t k = facet->vertex[0] == v ? 0 : facet->vertex[1] == v ? 1 : 2; // its edge from v to u
    const uint32_t from_u = (k + 1) % 3, from_apex = (k + 2) % 3, apex = facet->vertex[from_apex];
    const bool on_rim = f->after[apex] != ABUT_NONE, is_before = f->before[u] == apex, is_after = f->after[v] == apex;
    if ((on_rim && is_before == is_after) || !continues(f, &facets[seed], facet, apex))
    {
        return true;
    }
    if (!take(f, beyond))
    {
        return false;
    }
    if (is_before)
    {
        take_off_rim(f, u);
        put_on_rim(f, apex, v, beyond, from_apex);
        *at = apex;
    }
    else if (is_after)
    {
        take_off_rim(f, v);
        put_on_rim(f, u, apex, beyond, from_u);
    }
    else
    {
        put_on_rim(f, u, apex, beyond, from_u);
        put_on_rim(f, apex, v, beyond, from_apex);
    }
    f->rim += on_rim ? UINT32_MAX : 1u;
    *extended = true;
    return true;
}

static void begin_rim(faces *f, uint32_t seed)
{
    const ab_facet *facet = &f->build->facets[seed];
    f->rim = 3;
    for (uint32_t k = 0; k < 3; ++k)
    {
        put_on_rim(f, facet->vertex[k], facet->vertex[(k + 1) % 3], seed, k);
    }
}

static void clear_rim(faces *f, uint32_t from)
{
    for (uint32_t p = from, next; p != ABUT_NONE; p = next)
    {
        next = f->after[p];
        take_off_rim(f, p);
    }
}

// How far a corner lies inside the line of its neighbours on the rim: positive where the polygon is not convex there.
static double reflex(const faces *f, const double normal[3], uint32_t point)
{
    const abut_vec3 *p = f->build->points;
    double along[3], to[3];
    ab_hull_between(p[f->before[point]], p[f->after[point]], along);
    ab_hull_between(p[f->before[point]], p[point], to);
    const double x = along[1] * to[2] - along[2] * to[1], y = along[2] * to[0] - along[0] * to[2],
                 z = along[0] * to[1] - along[1] * to[0];
    return (normal[0] * x + normal[1] * y + normal[2] * z) / sqrt(dot(along, along));
}

static bool is_convex(const faces *f, const double normal[3], uint32_t from)
{
    uint32_t p = from;
    do
    {
        if (reflex(f, normal, p) > f->build->tolerance)
        {
            return false;
        }
        p = f->after[p];
    } while (p != from);
    return true;
}

// Grows the face of a facet over its neighbours until none fits. *at is then on its rim.
static bool grow_face(faces *f, uint32_t seed, uint32_t *at)
{
    ab_array_set_length(f->grown, 0);
    ++f->faces;
    if (!take(f, seed))
    {
        return false;
    }
    begin_rim(f, seed);
    *at = f->build->facets[seed].vertex[0];
    for (uint32_t unchanged = 0; unchanged < f->rim;)
    {
        bool extended;
        if (!extend(f, seed, at, &extended))
        {
            return false;
        }
        unchanged = extended ? 0 : unchanged + 1;
        *at = extended ? *at : f->after[*at];
    }
    if (!is_convex(f, f->build->facets[seed].normal, *at))
    {
        clear_rim(f, *at);
        for (size_t i = 1; i < arrlenu(f->grown); ++i)
        {
            f->face[f->grown[i]] = 0;
        }
        begin_rim(f, seed);
        *at = f->build->facets[seed].vertex[0];
    }
    return true;
}

// Appends the face on the rim, with points for corners, from the lowest.
static bool write_face(faces *f, uint32_t seed, uint32_t at)
{
    ab_hull_mesh *mesh = f->mesh;
    const ab_facet *facet = &f->build->facets[seed];
    const size_t face = arrlenu(mesh->faces), first = arrlenu(mesh->corners);
    if (!ab_array_resize(mesh->faces, f->build->memory, face + 1) ||
        !ab_array_resize(mesh->corners, f->build->memory, first + f->rim))
    {
        return false;
    }
    mesh->faces[face] = (ab_hull_face){ .offset = along_normal(facet->normal, f->build->points[facet->vertex[0]]),
                                        .first = (uint32_t)first,
                                        .count = f->rim };
    memcpy(mesh->faces[face].normal, facet->normal, sizeof facet->normal);
    uint32_t lowest = at;
    for (uint32_t i = 0; i < f->rim; ++i, at = f->after[at])
    {
        lowest = at < lowest ? at : lowest;
    }
    for (uint32_t i = 0; i < f->rim; ++i, lowest = f->after[lowest])
    {
        mesh->corners[first + i] = lowest;
        f->meets[lowest][f->degree[lowest] > 0] = (uint32_t)face;
        ++f->degree[lowest];
    }
    clear_rim(f, at);
    return true;
}

static bool find_faces(faces *f)
{
    ab_hull_build *build = f->build;
    for (uint32_t i = 0; i < arrlenu(build->facets); ++i)
    {
        if (build->facets[i].made && !ab_hull_push(build, (ab_hull_entry){ area_of(build, &build->facets[i]), i, 0 }))
        {
            return false;
        }
    }
    while (arrlenu(build->heap) > 0)
    {
        const uint32_t seed = ab_hull_pop(build).facet;
        uint32_t at;
        if (!f->face[seed] && (!grow_face(f, seed, &at) || !write_face(f, seed, at)))
        {
            return false;
        }
    }
    return true;
}

// A corner between two faces alone that lies on the line of its neighbours is none.
static void drop_straight(faces *f)
{
    ab_hull_mesh *mesh = f->mesh;
    const abut_vec3 *p = f->build->points;
    for (size_t i = 0; i < arrlenu(mesh->faces); ++i)
    {
        ab_hull_face *face = &mesh->faces[i];
        uint32_t *corner = mesh->corners + face->first;
        for (uint32_t k = 0; k < face->count;)
        {
            const uint32_t at = corner[k], last = corner[k > 0 ? k - 1 : face->count - 1],
                           next = corner[k + 1 < face->count ? k + 1 : 0];
            const uint32_t other = f->meets[at][0] == i ? f->meets[at][1] : f->meets[at][0];
            ab_hull_face *beyond = &mesh->faces[other];
            if (f->degree[at] != 2 || face->count == 3 || beyond->count == 3 ||
                ab_hull_from_segment(p[at], p[last], p[next]) > f->build->tolerance)
            {
                ++k;
                continue;
            }
            uint32_t *there = mesh->corners + beyond->first;
            while (*there != at)
            {
                ++there;
            }
            const uint32_t *end = mesh->corners + beyond->first + beyond->count;
            memmove(there, there + 1, (size_t)(end - there - 1) * sizeof *there);
            memmove(corner + k, corner + k + 1, (face->count - k - 1) * sizeof *corner);
            --beyond->count;
            --face->count;
            f->degree[at] = 0;
        }
    }
}

// Numbers the vertices in the order of their points, and closes the gaps between the corners of faces.
static bool number_vertices(faces *f)
{
    ab_hull_mesh *mesh = f->mesh;
    size_t vertices = 0, corners = 0;
    for (uint32_t i = 0; i < f->build->count; ++i)
    {
        f->after[i] = (uint32_t)vertices;
        vertices += f->degree[i] > 0;
    }
    if (!ab_array_resize(mesh->vertices, f->build->memory, vertices))
    {
        return false;
    }
    for (uint32_t i = 0; i < f->build->count; ++i)
    {
        if (f->degree[i] > 0)
        {
            mesh->vertices[f->after[i]] = f->build->points[i];
        }
    }
    for (size_t i = 0; i < arrlenu(mesh->faces); ++i)
    {
        ab_hull_face *face = &mesh->faces[i];
        const uint32_t from = face->first;
        face->first = (uint32_t)corners;
        for (uint32_t k = 0; k < face->count; ++k)
        {
            mesh->corners[corners++] = f->after[mesh->corners[from + k]];
        }
    }
    ab_array_set_length(mesh->corners, corners);
    return true;
}

// Moves planes out, by rounding, to where no vertex is beyond them. That of a sliver is judged by all vertices.
static void place_planes(const ab_hull_build *build, ab_hull_mesh *mesh)
{
    for (size_t i = 0; i < arrlenu(mesh->faces); ++i)
    {
        ab_hull_face *face = &mesh->faces[i];
        const uint32_t *corner = mesh->corners + face->first;
        const abut_vec3 a = mesh->vertices[corner[0]];
        double width = 0.0;
        for (uint32_t k = 2; k < face->count; ++k)
        {
            const double here = ab_hull_from_segment(mesh->vertices[corner[k]], a, mesh->vertices[corner[1]]);
            width = here > width ? here : width;
        }
        const bool is_sliver = width <= SLIVER * build->tolerance;
        const uint32_t count = is_sliver ? (uint32_t)arrlenu(mesh->vertices) : face->count;
        for (uint32_t k = 0; k < count; ++k)
        {
            const double here = along_normal(face->normal, mesh->vertices[is_sliver ? k : corner[k]]);
            face->offset = here > face->offset ? here : face->offset;
        }
    }
}

// Finds the faces of a finished surface. False when out of memory.
static bool make_faces(ab_hull_build *build, ab_hull_mesh *mesh)
{
    faces f = { .build = build, .mesh = mesh };
    ab_memory *memory = build->memory;
    const size_t count = build->count, facets = arrlenu(build->facets);
    ab_array_set_length(build->heap, 0);
    bool done = ab_array_resize(f.face, memory, facets) && ab_array_resize(f.after, memory, count) &&
                ab_array_resize(f.before, memory, count) && ab_array_resize(f.edge, memory, count) &&
                ab_array_resize(f.degree, memory, count) && ab_array_resize(f.meets, memory, count);
    if (done)
    {
        memset(f.face, 0, facets * sizeof *f.face);
        memset(f.degree, 0, count * sizeof *f.degree);
        memset(f.after, 0xff, count * sizeof *f.after);
        memset(f.before, 0xff, count * sizeof *f.before);
        done = find_faces(&f);
    }
    if (done)
    {
        drop_straight(&f);
        done = number_vertices(&f);
    }
    if (done)
    {
        place_planes(build, mesh);
    }
    arrfree(f.face);
    arrfree(f.after);
    arrfree(f.before);
    arrfree(f.edge);
    arrfree(f.degree);
    arrfree(f.meets);
    arrfree(f.grown);
    return done;
}

static bool all_valid(const abut_vec3 *points, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!(fabsf(points[i].x) <= ABUT_MAX_MAGNITUDE && fabsf(points[i].y) <= ABUT_MAX_MAGNITUDE &&
              fabsf(points[i].z) <= ABUT_MAX_MAGNITUDE))
        {
            return false;
        }
    }
    return true;
}

abut_status ab_hull_cook(const abut_vec3 *points, uint32_t count, uint32_t most, ab_memory *memory, ab_hull_mesh *out)
{
    *out = (ab_hull_mesh){ .tolerance = 0.0 };
    if (count > ABUT_MAX_HULL_POINTS)
    {
        return ABUT_LIMIT;
    }
    if (!all_valid(points, count))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    ab_hull_build build;
    abut_status status = ab_hull_grow(&build, points, count, most > 0 ? most : UINT32_MAX, memory, &out->deviation);
    out->tolerance = build.tolerance;
    if (status == ABUT_OK && !make_faces(&build, out))
    {
        status = ABUT_OUT_OF_MEMORY;
    }
    ab_hull_close(&build);
    if (status != ABUT_OK)
    {
        ab_hull_mesh_free(out);
    }
    return status;
}

void ab_hull_mesh_free(ab_hull_mesh *mesh)
{
    arrfree(mesh->vertices);
    arrfree(mesh->faces);
    arrfree(mesh->corners);
}
