// Makes the world that a replay is carried out on, of what a recording begins with: settings, custom kinds and pair
// functions that the caller gives, geometries, and an image.
#include "record/replay.h"

#include "base/array.h"
#include "shape/chain.h"
#include "shape/hull.h"
#include "shape/polygon.h"
#include "state/state.h"

#include <string.h>

abut_registry abut_replay_registry(const abut_replay *replay)
{
    return replay ? (abut_registry){ (const abut_geometry *const *)replay->geometries,
                                     (uint32_t)arrlenu(replay->geometries) }
                  : (abut_registry){ 0 };
}

// Answers as the recorded veto did; about more pairs than that was asked, with no.
static void answer(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    abut_replay *r = context;
    (void)pairs;
    r->has_asked = true;
    r->answered = count;
    for (uint32_t i = 0; i < count && i < r->asked; ++i)
    {
        vetoed[i] = r->answers[i] != 0;
    }
}

static void note_error(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    abut_replay *r = context;
    (void)status, (void)call, (void)index;
    r->error = sentence;
}

bool ab_replay_set_function(abut_replay *r, const uint32_t kinds[2])
{
    for (uint32_t i = 0; i < r->def.function_count; ++i)
    {
        const abut_replay_function *f = &r->def.functions[i];
        if ((f->kind_a == kinds[0] && f->kind_b == kinds[1]) || (f->kind_a == kinds[1] && f->kind_b == kinds[0]))
        {
            return abut_world_set_pair_function(r->world, f->kind_a, f->kind_b, f->function, f->context) == ABUT_OK ||
                   ab_replay_break(r, "a pair function was refused");
        }
    }
    return ab_replay_break(r, "the recorded world has a pair function that the replay was not given");
}

bool ab_replay_register_kind(abut_replay *r)
{
    uint32_t id;
    if (r->kinds >= r->def.kind_count)
    {
        return ab_replay_break(r, "the recorded world has a custom kind that the replay was not given");
    }
    return abut_world_register_kind(r->world, &r->def.kinds[r->kinds++], &id) == ABUT_OK ||
           ab_replay_break(r, "a custom kind was refused");
}

static bool make_world(abut_replay *r)
{
    ab_entry_world entry;
    const size_t size = arrlenu(r->entry);
    if (r->header.kind != AB_ENTRY_WORLD || size < sizeof entry)
    {
        return ab_replay_break(r, "the recording does not begin with a world");
    }
    memcpy(&entry, r->entry, sizeof entry);
    if ((size - sizeof entry) / (2 * sizeof(uint32_t)) != entry.functions ||
        (size - sizeof entry) % (2 * sizeof(uint32_t)) != 0 ||
        (entry.flags & ~(AB_WORLD_HAS_VETO | AB_WORLD_AT_ANCHORS)) != 0 || entry.reserved != 0)
    {
        return ab_replay_break(r, "the recording does not begin with a world");
    }
    const abut_world_def def = {
        .allocator = r->def.allocator,
        .margin = entry.margin,
        .recycle_distance = entry.recycle_distance,
        .speculative_distance = entry.speculative_distance,
        .broad = r->def.broad,
        .isa = r->def.isa,
        .on_error = note_error,
        .on_error_context = r,
        .separations = entry.flags & AB_WORLD_AT_ANCHORS ? ABUT_AT_ANCHORS : ABUT_FOLLOWED,
        .veto = entry.flags & AB_WORLD_HAS_VETO ? answer : NULL,
        .veto_context = r,
        .dimension = entry.dimension,
        .threads = r->def.threads,
    };
    if (abut_world_create(&def, &r->world) != ABUT_OK)
    {
        return ab_replay_break(r, "the recorded world cannot be made here");
    }
    for (uint32_t i = 0; i < entry.kinds; ++i)
    {
        if (!ab_replay_register_kind(r))
        {
            return false;
        }
    }
    for (uint32_t i = 0; i < entry.functions; ++i)
    {
        uint32_t kinds[2];
        memcpy(kinds, r->entry + sizeof entry + i * sizeof kinds, sizeof kinds);
        if (!ab_replay_set_function(r, kinds))
        {
            return false;
        }
    }
    return true;
}

// Makes the polygon whose first vertex is the first point.
static abut_status make_polygon(const abut_replay *r, const abut_vec2 *points, uint32_t count, abut_geometry **out)
{
    const abut_vec2 *vertices;
    const abut_status status = abut_geometry_create_polygon(points, count, &r->def.allocator, out);
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

// The vertices, then ab_hull_plane for each face.
static abut_status make_hull(const abut_replay *r, const void *points, size_t size, uint32_t faces, abut_geometry **out)
{
    const uint64_t planes = (uint64_t)faces * sizeof(ab_hull_plane), left = size - planes;
    if (planes > size || left % sizeof(abut_vec3) != 0 || left / sizeof(abut_vec3) > ABUT_MAX_HULL_POINTS)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    return ab_hull_make_again(points, (uint32_t)(left / sizeof(abut_vec3)), (const unsigned char *)points + left, faces,
                              &r->def.allocator, out);
}

// What a mesh is made of: see ab_entry_mesh.
static abut_status make_mesh(const abut_replay *r, unsigned char *bytes, size_t size, abut_geometry **out)
{
    ab_entry_mesh entry;
    const size_t triangle = 3 * sizeof(uint32_t), wide = sizeof(abut_vec3);
    if (size < sizeof entry)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    memcpy(&entry, bytes, sizeof entry);
    const size_t own = entry.neighbours < entry.triangles ? entry.triangles - entry.neighbours : 0;
    const size_t materials = entry.materials ? ab_entry_materials(own) : 0;
    const size_t left = size - sizeof entry, indexed = entry.triangles * triangle + materials;
    if (entry.triangles > left / triangle || indexed > left || (left - indexed) % wide != 0 || entry.two_sided > 1 ||
        entry.materials > 1)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    uint32_t *indices = (uint32_t *)(void *)(bytes + sizeof entry); // aligned, as the entry is
    for (size_t i = 0; i < 3 * (size_t)entry.triangles; ++i)
    {
        indices[i] = indices[i] == AB_NO_TRIANGLE ? 0 : indices[i]; // three times: no area
    }
    const size_t vertices = (left - indexed) / wide;
    const void *last = bytes + (size - materials);
    const abut_mesh_def def = { .vertices = (const abut_vec3 *)(const void *)(indices + 3 * (size_t)entry.triangles),
                                .indices = indices,
                                .vertex_count = vertices < UINT32_MAX ? (uint32_t)vertices : UINT32_MAX,
                                .triangle_count = entry.triangles,
                                .two_sided = entry.two_sided != 0,
                                .neighbour_count = entry.neighbours,
                                .materials = entry.materials ? last : NULL };
    return abut_geometry_create_mesh(&def, &r->def.allocator, out);
}

static bool is_count(float value)
{
    return value >= 2.0f && value <= (float)ABUT_MAX_MESH_TRIANGLES && value == (float)(uint32_t)value;
}

// What a heightfield is made of: its header and heights, then two bits a cell.
static abut_status make_heightfield(abut_replay *r, const unsigned char *bytes, size_t size, abut_geometry **out)
{
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
    if (cells > ABUT_MAX_MESH_TRIANGLES || (size != plain && size != plain + ab_entry_materials((size_t)cells)))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (!ab_array_resize(kinds, &r->memory, (size_t)cells))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const void *last = bytes + plain;
    const uint32_t *bare =
        (const uint32_t *)(const void *)(bytes + (plain - 2 * words * sizeof *bare)); // aligned, as the entry is
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
    const abut_status status = abut_geometry_create_heightfield(&def, &r->def.allocator, out);
    arrfree(kinds);
    return status;
}

// What a compound is made of: ab_entry_part, as often as there are parts.
static abut_status make_compound(abut_replay *r, const unsigned char *bytes, size_t size, abut_geometry **out)
{
    const size_t count = size / sizeof(ab_entry_part);
    const abut_registry registry = abut_replay_registry(r);
    abut_placed_shape *parts = NULL;
    if (count > ABUT_MAX_COMPOUND_PARTS || size % sizeof(ab_entry_part) != 0)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (!ab_array_resize(parts, &r->memory, count))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < count; ++i)
    {
        ab_entry_part entry;
        memcpy(&entry, bytes + i * sizeof entry, sizeof entry);
        parts[i] = (abut_placed_shape){ ab_shape_unpack(&entry.shape, &registry), entry.pose };
    }
    const abut_status status = abut_geometry_create_compound(parts, (uint32_t)count, &r->def.allocator, out);
    arrfree(parts);
    return status;
}

// The coordinates of a chain: see AB_CHAIN_HEAD.
static abut_status make_chain(const abut_replay *r, const float *coordinates, size_t size, abut_geometry **out)
{
    const size_t count = size / sizeof *coordinates;
    abut_vec2 beyond[2];
    if (size % sizeof *coordinates != 0 || count < AB_CHAIN_HEAD || (count - AB_CHAIN_HEAD) % 2 != 0 ||
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
    const abut_status status = abut_geometry_create_chain(&def, &r->def.allocator, out);
    if (status == ABUT_OK && memcmp((*out)->coordinates, coordinates, size) != 0)
    {
        abut_geometry_release(*out);
        *out = NULL;
        return ABUT_INVALID_ARGUMENT;
    }
    return status;
}

// What a scaled mesh is made of: ab_entry_scaled.
static abut_status make_scaled(const abut_replay *r, const unsigned char *bytes, size_t size, abut_geometry **out)
{
    ab_entry_scaled entry;
    if (size != sizeof entry)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    memcpy(&entry, bytes, sizeof entry);
    const abut_geometry *original = entry.original < arrlenu(r->geometries) ? r->geometries[entry.original] : NULL;
    return original && original->kind == AB_MESH_GEOMETRY
               ? abut_geometry_create_scaled(original, entry.scale, &r->def.allocator, out)
               : ABUT_INVALID_ARGUMENT;
}

bool ab_replay_add_geometry(abut_replay *r)
{
    ab_entry_geometry entry;
    const size_t size = arrlenu(r->entry), count = arrlenu(r->geometries);
    if (size < sizeof entry)
    {
        return ab_replay_break(r, "a geometry of the recording is not valid");
    }
    memcpy(&entry, r->entry, sizeof entry);
    const size_t floats = size - sizeof entry, flat = sizeof(abut_vec2);
    if (!ab_array_reserve(r->geometries, &r->memory, count + 1))
    {
        return ab_replay_no_memory(r);
    }
    abut_geometry *made = NULL;
    abut_status status = ABUT_INVALID_ARGUMENT;
    const void *points = r->entry + sizeof entry; // aligned, as the entry is
    if (entry.kind == AB_HULL_GEOMETRY)
    {
        status = make_hull(r, points, floats, entry.faces, &made);
    }
    else if (entry.kind == AB_POLYGON_GEOMETRY && floats % flat == 0 && floats / flat <= ABUT_MAX_VERTICES)
    {
        status = make_polygon(r, points, (uint32_t)(floats / flat), &made);
    }
    else if (entry.kind == AB_MESH_GEOMETRY)
    {
        status = make_mesh(r, r->entry + sizeof entry, floats, &made);
    }
    else if (entry.kind == AB_HEIGHTFIELD_GEOMETRY)
    {
        status = make_heightfield(r, points, floats, &made);
    }
    else if (entry.kind == AB_COMPOUND_GEOMETRY)
    {
        status = make_compound(r, points, floats, &made);
    }
    else if (entry.kind == AB_CHAIN_GEOMETRY)
    {
        status = make_chain(r, points, floats, &made);
    }
    else if (entry.kind == AB_SCALED_GEOMETRY)
    {
        status = make_scaled(r, points, floats, &made);
    }
    if (status != ABUT_OK || ab_geometry_checksum(made) != entry.checksum)
    {
        abut_geometry_release(made);
        return ab_replay_break(r, "a geometry of the recording is not valid, or is made in another way here");
    }
    ab_array_set_length(r->geometries, count + 1);
    r->geometries[count] = made;
    return true;
}

bool ab_replay_update_heights(abut_replay *r)
{
    ab_entry_heights entry;
    const size_t size = arrlenu(r->entry);
    if (size < sizeof entry)
    {
        return ab_replay_break(r, "an entry of the recording has a wrong length");
    }
    memcpy(&entry, r->entry, sizeof entry);
    abut_geometry *field = entry.geometry < arrlenu(r->geometries) ? r->geometries[entry.geometry] : NULL;
    if (!field || field->kind != AB_HEIGHTFIELD_GEOMETRY || entry.rows == 0 || entry.materials > 1)
    {
        return ab_replay_break(r, "the recording updates what is no heightfield");
    }
    const uint32_t columns = (uint32_t)field->coordinates[0];
    const size_t cells = ((size_t)entry.rows - 1) * (columns - 1);
    const size_t heights = (size_t)entry.rows * columns * sizeof(float), kinds = ab_entry_cells(cells);
    const size_t materials = entry.materials ? ab_entry_materials(cells) : 0;
    if (entry.rows > ABUT_MAX_MESH_TRIANGLES || size != sizeof entry + heights + kinds + materials)
    {
        return ab_replay_break(r, "an entry of the recording has a wrong length");
    }
    const unsigned char *at = r->entry + sizeof entry; // aligned, as the entry is
    const abut_heightfield_region region = {
        .row = entry.row,
        .columns = columns,
        .rows = entry.rows,
        .heights = (const float *)(const void *)at,
        .cells = at + heights,
        .materials = entry.materials ? (const uint16_t *)(const void *)(at + heights + kinds) : NULL,
    };
    return abut_geometry_update_heightfield(field, &region) == ABUT_OK ||
           ab_replay_break(r, "the recording updates a heightfield with what is not valid");
}

static bool take_image(abut_replay *r)
{
    const size_t size = arrlenu(r->entry);
    const abut_registry registry = abut_replay_registry(r);
    if (!ab_array_reserve(r->image, &r->memory, size + 1))
    {
        return ab_replay_no_memory(r);
    }
    ab_array_set_length(r->image, size);
    memcpy(r->image, r->entry, size);
    return abut_world_restore(r->world, &registry, r->image, size) == ABUT_OK || ab_replay_fail(r);
}

bool ab_replay_open(abut_replay *r)
{
    ab_stream_header header;
    if (r->def.read(r->def.read_context, &header, sizeof header) != sizeof header ||
        memcmp(header.magic, ab_stream_magic, sizeof header.magic) != 0)
    {
        return ab_replay_break(r, "this is not a recording of a world");
    }
    if (header.version != AB_STREAM_VERSION || header.reserved != 0)
    {
        return ab_replay_break(r, "the recording has another version than this library reads");
    }
    if (!ab_replay_read(r) || !make_world(r))
    {
        return false;
    }
    bool more = true;
    while (more)
    {
        if (!ab_replay_read(r))
        {
            return false;
        }
        more = r->header.kind == AB_ENTRY_GEOMETRY;
        if (more && !ab_replay_add_geometry(r))
        {
            return false;
        }
    }
    return r->header.kind == AB_ENTRY_IMAGE ? take_image(r)
                                            : ab_replay_break(r, "the recording does not begin with an image");
}
