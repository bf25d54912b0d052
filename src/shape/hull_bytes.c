// A hull as bytes: its vertices, faces and corners. Made again of its vertices alone, a hull may have other faces. What
// is read is checked to be a closed surface, so that no bytes lead out of the arrays.
#include "base/array.h"
#include "base/bytes.h"
#include "base/radix.h"
#include "math/rotation.h"
#include "shape/hull.h"

#include <math.h>
#include <string.h>

// In front. Behind it the faces, the vertices and the corners.
typedef struct saved_hull
{
    uint32_t vertices, faces, corners;
    float deviation;  // as of ab_hull
    double tolerance; // likewise
} saved_hull;

static uint64_t bytes_of(const saved_hull *h)
{
    return sizeof *h + (uint64_t)h->faces * sizeof(ab_hull_face) + (uint64_t)h->vertices * sizeof(abut_vec3) +
           (uint64_t)h->corners * sizeof(uint32_t);
}

static saved_hull measured(const ab_hull *hull)
{
    const ab_hull_face *last = &hull->faces[hull->face_count - 1];
    return (saved_hull){ hull->vertex_count, hull->face_count, last->first + last->count, hull->deviation,
                         hull->tolerance };
}

size_t ab_hull_bytes_size(const ab_hull *hull)
{
    const saved_hull h = measured(hull);
    return (size_t)bytes_of(&h);
}

void ab_hull_bytes_write(const ab_hull *hull, unsigned char *out)
{
    const saved_hull h = measured(hull);
    out = ab_put_bytes(out, &h, sizeof h);
    out = ab_put_bytes(out, hull->faces, h.faces * sizeof *hull->faces);
    out = ab_put_bytes(out, hull->vertices, h.vertices * sizeof *hull->vertices);
    (void)ab_put_bytes(out, hull->corners, h.corners * sizeof *hull->corners);
}

// A surface like a sphere's has as many vertices and faces as edges, and two more.
static bool read_head(const unsigned char *bytes, size_t size, saved_hull *out)
{
    if (size < sizeof *out)
    {
        return false;
    }
    memcpy(out, bytes, sizeof *out);
    const float most = 4.0f * ABUT_MAX_MAGNITUDE;
    return out->vertices >= 4 && out->vertices <= ABUT_MAX_HULL_POINTS && out->corners % 2 == 0 &&
           (uint64_t)out->vertices + out->faces == (uint64_t)out->corners / 2 + 2 && out->deviation >= 0.0f &&
           out->deviation <= most && out->tolerance >= 0.0 && out->tolerance <= (double)most && bytes_of(out) == size;
}

static bool are_faces(const ab_hull_mesh *mesh)
{
    uint32_t first = 0;
    bool all = true;
    for (size_t i = 0; i < arrlenu(mesh->faces) && all; ++i)
    {
        const ab_hull_face *face = &mesh->faces[i];
        all = fabs(face->offset) <= 2.0 * ABUT_MAX_MAGNITUDE && fabs(face->normal[0]) <= 1.5 &&
              fabs(face->normal[1]) <= 1.5 && fabs(face->normal[2]) <= 1.5 && face->first == first &&
              face->count >= 3 && face->count <= arrlenu(mesh->corners) - first;
        first += face->count;
    }
    return all && first == arrlenu(mesh->corners);
}

static bool are_vertices(const ab_hull_mesh *mesh)
{
    bool all = true;
    for (size_t i = 0; i < arrlenu(mesh->vertices); ++i)
    {
        all = all & ab_vec3_in_range(mesh->vertices[i]);
    }
    for (size_t i = 0; i < arrlenu(mesh->corners); ++i)
    {
        all = all & (mesh->corners[i] < arrlenu(mesh->vertices));
    }
    return all;
}

#define VERTEX_BITS 26u // of an index below ABUT_MAX_HULL_POINTS

// An edge's lower vertex, its higher one, and in the lowest bit whether it runs down.
static uint64_t edge_word(uint32_t from, uint32_t to)
{
    const bool down = from > to;
    return (uint64_t)(down ? to : from) << (VERTEX_BITS + 1) | (uint64_t)(down ? from : to) << 1 | down;
}

// Whether each edge of a face is one other face's the other way round, and there is no edge twice. `words` and
// `scratch` have room for one of each corner.
static bool is_closed(const ab_hull_mesh *mesh, uint64_t *words, uint64_t *scratch)
{
    const size_t corners = arrlenu(mesh->corners);
    bool closed = true;
    for (size_t i = 0; i < arrlenu(mesh->faces); ++i)
    {
        const ab_hull_face *face = &mesh->faces[i];
        const uint32_t *corner = mesh->corners + face->first;
        uint32_t last = corner[face->count - 1];
        for (uint32_t k = 0; k < face->count; last = corner[k++])
        {
            closed = closed & (last != corner[k]);
            words[face->first + k] = edge_word(last, corner[k]);
        }
    }
    const uint64_t *sorted = ab_radix_sort_words(words, scratch, corners, 0, 2 * VERTEX_BITS + 1);
    for (size_t i = 0; i < corners; i += 2)
    {
        closed =
            closed & ((sorted[i] & 1) == 0) & (sorted[i + 1] == sorted[i] + 1) & (i == 0 || sorted[i - 1] < sorted[i]);
    }
    return closed;
}

static abut_status read_mesh(const saved_hull *h, const unsigned char *bytes, ab_memory *memory, ab_hull_mesh *out)
{
    uint64_t *words = NULL, *scratch = NULL;
    abut_status status = ABUT_OUT_OF_MEMORY;
    *out = (ab_hull_mesh){ .tolerance = h->tolerance, .deviation = (double)h->deviation };
    if (ab_array_resize(out->faces, memory, h->faces) && ab_array_resize(out->vertices, memory, h->vertices) &&
        ab_array_resize(out->corners, memory, h->corners) && ab_array_resize(words, memory, h->corners) &&
        ab_array_resize(scratch, memory, h->corners))
    {
        memcpy(out->faces, bytes, h->faces * sizeof *out->faces);
        bytes += h->faces * sizeof *out->faces;
        memcpy(out->vertices, bytes, h->vertices * sizeof *out->vertices);
        bytes += h->vertices * sizeof *out->vertices;
        memcpy(out->corners, bytes, h->corners * sizeof *out->corners);
        status =
            are_faces(out) && are_vertices(out) && is_closed(out, words, scratch) ? ABUT_OK : ABUT_INVALID_ARGUMENT;
    }
    arrfree(words);
    arrfree(scratch);
    return status;
}

abut_status ab_hull_bytes_read(const unsigned char *bytes, size_t size, ab_memory *memory, abut_geometry **out)
{
    saved_hull h;
    ab_hull_mesh mesh;
    if (!read_head(bytes, size, &h))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_status status = read_mesh(&h, bytes + sizeof h, memory, &mesh);
    if (status == ABUT_OK)
    {
        status = ab_hull_assemble(&mesh, memory, out);
    }
    ab_hull_mesh_free(&mesh);
    return status;
}
