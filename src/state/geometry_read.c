// Makes a geometry again from bytes.
#include "base/array.h"
#include "shape/chain.h"
#include "shape/hull.h"
#include "shape/mesh.h"
#include "shape/polygon.h"
#include "state/checksum.h"
#include "state/geometry_bytes.h"
#include "state/state.h"

#include <string.h>

// What is read of a geometry: behind its head, aligned to 8.
typedef struct reading
{
    ab_saved_geometry head;
    const unsigned char *bytes;
    size_t size;
    const abut_registry *known;
    const abut_allocator *allocator;
    ab_memory memory;
} reading;

// Makes the polygon whose first vertex is the first point.
static abut_status make_polygon(reading *r, abut_geometry **out)
{
    const abut_vec2 *vertices, *points = (const void *)r->bytes;
    const size_t count = r->size / sizeof *points;
    if (r->size % sizeof *points != 0 || count > ABUT_MAX_VERTICES)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const abut_status status = abut_geometry_create_polygon(points, (uint32_t)count, r->allocator, out);
    const uint32_t found = abut_geometry_vertices(*out, &vertices);
    uint32_t first = 0;
    while (first < found && !(vertices[first].x == points[0].x && vertices[first].y == points[0].y))
    {
        ++first;
    }
    if (first < found)
    {
        ab_polygon_begin_at(*out, first);
    }
    return status;
}

// What a hull is made of: see hull_bytes.c.
static abut_status make_hull(reading *r, abut_geometry **out)
{
#ifdef AB_HULLS
    return ab_hull_bytes_read(r->bytes, r->size, &r->memory, out);
#else
    (void)r, (void)out;
    return ABUT_UNSUPPORTED;
#endif
}

static bool is_count(float value)
{
    return value >= 2.0f && value <= (float)ABUT_MAX_MESH_TRIANGLES && value == (float)(uint32_t)value;
}

// What a heightfield is made of: its header and heights, then two bits a cell.
static abut_status make_heightfield(reading *r, abut_geometry **out)
{
    const unsigned char *bytes = r->bytes;
    const size_t size = r->size;
    float header[AB_GRID_HEADER];
    if (size < sizeof header)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    memcpy(header, bytes, sizeof header);
    if (!is_count(header[0]) || !is_count(header[1]))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint32_t columns = (uint32_t)header[0], rows = (uint32_t)header[1];
    const uint64_t samples = (uint64_t)columns * rows, cells = (uint64_t)(columns - 1) * (rows - 1);
    const uint64_t words = (cells + 31) / 32, plain = sizeof header + (samples + 2 * words) * sizeof(uint32_t);
    uint8_t *kinds = NULL;
    if (cells > ABUT_MAX_MESH_TRIANGLES || (size != plain && size != plain + ab_saved_materials((size_t)cells)))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (!ab_array_resize(kinds, &r->memory, (size_t)cells))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const void *last = bytes + plain;
    const uint32_t *bare =
        (const uint32_t *)(const void *)(bytes + (plain - 2 * words * sizeof *bare)); // aligned, as all is
    for (uint32_t i = 0; i < cells; ++i)
    {
        const abut_cell bared = ab_grid_bit(bare + words, i) ? ABUT_CELL_HOLE : ABUT_CELL_NEIGHBOUR;
        kinds[i] = (uint8_t)(ab_grid_bit(bare, i) ? bared : ABUT_CELL_SURFACE);
    }
    const abut_heightfield_def def = { .heights = (const float *)(const void *)(bytes + sizeof header),
                                       .cells = kinds,
                                       .columns = columns,
                                       .rows = rows,
                                       .step_x = header[2],
                                       .step_z = header[3],
                                       .two_sided = header[4] != 0.0f,
                                       .materials = size > plain ? last : NULL };
    const abut_status status = abut_geometry_create_heightfield(&def, r->allocator, out);
    arrfree(kinds);
    return status;
}

// What a compound is made of: ab_saved_part, as often as there are parts.
static abut_status make_compound(reading *r, abut_geometry **out)
{
    const size_t count = r->size / sizeof(ab_saved_part);
    abut_placed_shape *parts = NULL;
    if (count > ABUT_MAX_COMPOUND_PARTS || r->size % sizeof(ab_saved_part) != 0)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (!ab_array_resize(parts, &r->memory, count))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; ++i)
    {
        ab_saved_part saved;
        memcpy(&saved, r->bytes + i * sizeof saved, sizeof saved);
        parts[i] = (abut_placed_shape){ ab_shape_unpack(&saved.shape, r->known), saved.pose };
    }
    const abut_status status = abut_geometry_create_compound(parts, (uint32_t)count, r->allocator, out);
    arrfree(parts);
    return status;
}

// The coordinates of a chain: see AB_CHAIN_HEAD.
static abut_status make_chain(reading *r, abut_geometry **out)
{
    const float *coordinates = (const void *)r->bytes;
    const size_t count = r->size / sizeof *coordinates;
    abut_vec2 beyond[2];
    if (r->size % sizeof *coordinates != 0 || count < AB_CHAIN_HEAD || (count - AB_CHAIN_HEAD) % 2 != 0 ||
        (count - AB_CHAIN_HEAD) / 2 > UINT32_MAX)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint32_t flags = coordinates[0] >= 0.0f && coordinates[0] < 16.0f ? (uint32_t)coordinates[0] : 0u;
    memcpy(beyond, coordinates + 1, sizeof beyond);
    const abut_chain_def def = { .points = (const abut_vec2 *)(const void *)(coordinates + AB_CHAIN_HEAD),
                                 .point_count = (uint32_t)((count - AB_CHAIN_HEAD) / 2),
                                 .loop = (flags & AB_CHAIN_LOOP) != 0,
                                 .two_sided = (flags & AB_CHAIN_TWO_SIDED) != 0,
                                 .before = flags & AB_CHAIN_BEFORE ? &beyond[0] : NULL,
                                 .after = flags & AB_CHAIN_AFTER ? &beyond[1] : NULL };
    const abut_status status = abut_geometry_create_chain(&def, r->allocator, out);
    if (status == ABUT_OK && memcmp((*out)->coordinates, coordinates, r->size) != 0)
    {
        abut_geometry_release(*out);
        *out = NULL;
        return ABUT_INVALID_ARGUMENT;
    }
    return status;
}

// What a scaled mesh is made of: ab_saved_scaled.
static abut_status make_scaled(reading *r, abut_geometry **out)
{
    ab_saved_scaled saved;
    if (r->size != sizeof saved)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    memcpy(&saved, r->bytes, sizeof saved);
    const abut_geometry *original =
        saved.original < r->known->geometry_count ? r->known->geometries[saved.original] : NULL;
    return original && original->kind == AB_MESH_GEOMETRY
               ? abut_geometry_create_scaled(original, saved.scale, r->allocator, out)
               : ABUT_INVALID_ARGUMENT;
}

// What a mesh is made of: see mesh_bytes.c.
static abut_status make_mesh(reading *r, abut_geometry **out)
{
#ifdef AB_MESHES
    return ab_mesh_bytes_read(r->bytes, r->size, &r->memory, out);
#else
    (void)r, (void)out;
    return ABUT_UNSUPPORTED;
#endif
}

typedef abut_status make(reading *r, abut_geometry **out);

static abut_status make_any(reading *r, abut_geometry **out)
{
    static make *const of_kind[] = {
        [AB_POLYGON_GEOMETRY] = make_polygon,   [AB_HULL_GEOMETRY] = make_hull,
        [AB_MESH_GEOMETRY] = make_mesh,         [AB_HEIGHTFIELD_GEOMETRY] = make_heightfield,
        [AB_COMPOUND_GEOMETRY] = make_compound, [AB_SCALED_GEOMETRY] = make_scaled,
        [AB_CHAIN_GEOMETRY] = make_chain,
    };
    const bool is_known = r->head.kind < sizeof of_kind / sizeof *of_kind && r->head.reserved == 0;
    return is_known ? of_kind[r->head.kind](r, out) : ABUT_INVALID_ARGUMENT;
}

// The bits of a geometry must not depend on the caller's floating-point environment.
abut_status ab_geometry_bytes_read(const unsigned char *bytes, size_t size, const abut_registry *known,
                                   const abut_allocator *allocator, abut_geometry **out)
{
    reading r = { .known = known, .allocator = allocator };
    *out = NULL;
    if (size < sizeof r.head || !ab_memory_open(&r.memory, allocator))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    memcpy(&r.head, bytes, sizeof r.head);
    r.bytes = bytes + sizeof r.head;
    r.size = size - sizeof r.head;
    const uint64_t before = ab_platform_float_enter();
    abut_status status = make_any(&r, out);
    ab_platform_float_leave(before);
    if (status == ABUT_OK)
    {
        const abut_geometry *made = *out;
        const uint64_t checksum = ab_checksum_of(made->coordinates, made->coordinate_count * sizeof(float));
        status = checksum == r.head.checksum ? ABUT_OK : ABUT_INVALID_ARGUMENT;
    }
    if (status != ABUT_OK)
    {
        abut_geometry_release(*out);
        *out = NULL;
    }
    return status;
}
