// What a recording compares because the world is not told of it: the arrays that callers write in place, and shapes'
// geometries, which it retains so that none takes the address of another.
#include "record/recording.h"

#include "base/array.h"
#include "shape/compound.h"
#include "shape/hull.h"
#include "state/state.h"

#include <string.h>

// Whether an element is as the stream has it. Elements are words.
static bool same(const abut_recording *r, ab_column column, const ab_column_view *view, size_t i)
{
    const unsigned char *last = r->last[column] + i * view->element, *now = view->data + i * view->stride;
    uint32_t different = 0;
    for (size_t at = 0; at < view->element; at += sizeof(uint32_t))
    {
        uint32_t one, other;
        memcpy(&one, last + at, sizeof one);
        memcpy(&other, now + at, sizeof other);
        different |= one ^ other;
    }
    return different == 0;
}

static void take_over(abut_recording *r, ab_column column, const ab_column_view *view, size_t first, size_t end)
{
    for (size_t i = first; i < end; ++i)
    {
        memcpy(r->last[column] + i * view->element, view->data + i * view->stride, view->element);
    }
}

// Takes elements [first, end) over and writes them.
static void put_run(abut_recording *r, ab_column column, const ab_column_view *view, size_t first, size_t end)
{
    const uint32_t run[] = { (uint32_t)first, (uint32_t)(end - first) };
    take_over(r, column, view, first, end);
    ab_entry_put(r, run, sizeof run);
    ab_entry_put(r, r->last[column] + first * view->element, (end - first) * view->element);
}

static void compare(abut_recording *r, ab_column column)
{
    const ab_column_view view = ab_column_of(r->world, column);
    const uint32_t head[] = { column, 0 };
    bool begun = false;
    for (size_t i = 0, end; i < view.count; i = end + 1)
    {
        for (end = i; end < view.count && !same(r, column, &view, end); ++end)
        {
        }
        if (end > i && !begun)
        {
            ab_entry_begin(r, AB_ENTRY_WRITTEN);
            ab_entry_put(r, head, sizeof head);
            begun = true;
        }
        if (end > i)
        {
            put_run(r, column, &view, i, end);
        }
    }
    if (begun)
    {
        ab_entry_end(r);
    }
}

#ifdef AB_MESHES
static void put_materials(abut_recording *r, const uint16_t *materials, size_t count)
{
    static const uint16_t padding = 0;
    ab_entry_put(r, materials, count * sizeof *materials);
    ab_entry_put(r, &padding, count % 2 * sizeof padding);
}

// Cells [first, end), four to a word.
static void put_cells(abut_recording *r, const ab_grid *grid, uint32_t first, uint32_t end)
{
    for (uint32_t at = first; at < end; at += sizeof(uint32_t))
    {
        uint8_t cell[sizeof(uint32_t)] = { 0 };
        for (uint32_t i = 0; i < sizeof cell && at + i < end; ++i)
        {
            cell[i] = (uint8_t)ab_grid_cell(grid, at + i);
        }
        ab_entry_put(r, cell, sizeof cell);
    }
}

// Of two versions less than 2^31 apart.
static bool is_newer(uint32_t version, uint32_t than)
{
    return version != than && version - than < 0x80000000u;
}

// The rows of a heightfield from the first to the last that were updated since the stream has it. They are written
// together, for some alone might be no valid heightfield.
static void put_heights(abut_recording *r, uint32_t index)
{
    const ab_mesh *mesh = ab_mesh_of_geometry(r->geometries[index]);
    const ab_grid *grid = &mesh->grid;
    uint32_t first = 0, end = grid->rows;
    while (first + 1 < end && !is_newer(grid->row[first].version, r->versions[index]))
    {
        ++first;
    }
    while (first + 1 < end && !is_newer(grid->row[end - 1].version, r->versions[index]))
    {
        --end;
    }
    const uint32_t across = grid->columns - 1;
    const ab_entry_heights entry = { index, first, end - first, mesh->materials != NULL };
    ab_entry_begin(r, AB_ENTRY_HEIGHTS);
    ab_entry_put(r, &entry, sizeof entry);
    ab_entry_put(r, grid->heights + (size_t)first * grid->columns,
                 (size_t)(end - first) * grid->columns * sizeof *grid->heights);
    put_cells(r, grid, first * across, (end - 1) * across);
    if (mesh->materials)
    {
        put_materials(r, mesh->materials + (size_t)first * across, (size_t)(end - 1 - first) * across);
    }
    ab_entry_end(r);
}
#endif

// Writes what was changed of a geometry since the stream has it.
static void catch_up(abut_recording *r, uint32_t index)
{
    if (r->versions[index] != r->geometries[index]->version)
    {
#ifdef AB_MESHES
        put_heights(r, index);
#endif
        r->versions[index] = r->geometries[index]->version;
    }
}

void ab_recording_compare(abut_recording *r)
{
    for (uint32_t i = 0; i < arrlenu(r->geometries) && !r->fault; ++i)
    {
        catch_up(r, i);
    }
    for (ab_column column = 0; column < AB_COLUMN_COUNT && !r->fault; ++column)
    {
        compare(r, column);
    }
}

// Makes the copy as long as the column.
static bool lengthen(abut_recording *r, ab_column column, const ab_column_view *view)
{
    const size_t size = view->count * view->element;
    if (r->fault || (arrlenu(r->last[column]) != size && !ab_array_resize(r->last[column], &r->memory, size)))
    {
        ab_recording_stop(r, ABUT_OUT_OF_MEMORY, "there was no memory for the recording");
        return false;
    }
    return size > 0;
}

void ab_recording_follow(abut_recording *r, ab_column column)
{
    const ab_column_view view = ab_column_of(r->world, column);
    if (lengthen(r, column, &view))
    {
        take_over(r, column, &view, 0, view.count);
    }
}

void ab_recording_follow_one(abut_recording *r, ab_column column, uint32_t element)
{
    const ab_column_view view = ab_column_of(r->world, column);
    if (lengthen(r, column, &view))
    {
        take_over(r, column, &view, element, element + (size_t)1);
    }
}

static size_t bucket_of(const abut_recording *r, const abut_geometry *geometry)
{
    const size_t mask = arrlenu(r->buckets) - 1;
    size_t at = (size_t)(((uint64_t)(uintptr_t)geometry * 0x9e3779b97f4a7c15u) >> 32) & mask;
    while (r->buckets[at] != ABUT_NONE && r->geometries[r->buckets[at]] != geometry)
    {
        at = (at + 1) & mask;
    }
    return at;
}

uint32_t ab_recording_index(const abut_recording *r, const abut_geometry *geometry)
{
    return arrlenu(r->buckets) == 0 ? ABUT_NONE : r->buckets[bucket_of(r, geometry)];
}

// Room for one more geometry, with at most half of the buckets in use.
static bool make_room(abut_recording *r)
{
    const size_t count = arrlenu(r->geometries), buckets = arrlenu(r->buckets);
    if (!ab_array_reserve(r->geometries, &r->memory, count + 1) ||
        !ab_array_reserve(r->versions, &r->memory, count + 1))
    {
        return false;
    }
    if (2 * (count + 1) <= buckets)
    {
        return true;
    }
    const size_t more = buckets ? 2 * buckets : 16;
    if (!ab_array_reserve(r->buckets, &r->memory, more))
    {
        return false;
    }
    ab_array_set_length(r->buckets, more);
    memset(r->buckets, 0xff, more * sizeof *r->buckets);
    for (uint32_t i = 0; i < count; ++i)
    {
        r->buckets[bucket_of(r, r->geometries[i])] = i;
    }
    return true;
}

#ifdef AB_MESHES
// A heightfield is its coordinates, which begin with its size and steps, and two bits for each cell.
static void put_heightfield(abut_recording *r, const ab_mesh *mesh)
{
    const uint32_t words = ab_grid_words(mesh->triangle_count / 2);
    ab_entry_put(r, mesh->head.coordinates, mesh->head.coordinate_count * sizeof(float));
    ab_entry_put(r, mesh->grid.bare, words * sizeof *mesh->grid.bare);
    ab_entry_put(r, mesh->grid.holes, words * sizeof *mesh->grid.holes);
    if (mesh->materials)
    {
        put_materials(r, mesh->materials, mesh->triangle_count / 2);
    }
}

// Those of one that is left out are no vertices.
static void put_corners(abut_recording *r, const ab_mesh *mesh, uint32_t triangle)
{
    uint32_t vertex[3];
    for (int i = 0; i < 3; ++i)
    {
        vertex[i] = triangle != AB_NO_TRIANGLE ? ab_mesh_own_vertex(mesh, triangle, i) : AB_NO_TRIANGLE;
    }
    ab_entry_put(r, vertex, sizeof vertex);
}

static void put_mesh(abut_recording *r, const ab_mesh *mesh)
{
    const uint32_t neighbours = mesh->joined_count - mesh->triangle_count;
    const ab_entry_mesh entry = { mesh->given_count + neighbours, mesh->two_sided, neighbours,
                                  mesh->materials != NULL };
    ab_entry_put(r, &entry, sizeof entry);
    for (uint32_t i = 0; i < mesh->given_count; ++i)
    {
        put_corners(r, mesh, ab_mesh_find_child(mesh, i));
    }
    for (uint32_t i = mesh->triangle_count; i < mesh->joined_count; ++i)
    {
        put_corners(r, mesh, i);
    }
    ab_entry_put(r, mesh->vertices, mesh->joined_vertices * sizeof *mesh->vertices);
    if (mesh->materials)
    {
        put_materials(r, mesh->materials, mesh->given_count);
    }
}

// What it shares the arrays of, which the stream has, and the scale.
static void put_scaled(abut_recording *r, const ab_mesh *mesh)
{
    const ab_entry_scaled entry = { ab_recording_index(r, &mesh->original->head), mesh->scale };
    ab_entry_put(r, &entry, sizeof entry);
}

// The parts, whose geometries the stream has.
static void put_compound(abut_recording *r, const ab_compound *compound)
{
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        const ab_compound_part *part = &compound->parts[i];
        const ab_shape_row *row = ab_shape_row_for(part->shape.kind);
        ab_entry_part entry = { .pose = part->pose };
        entry.shape = ab_shape_pack(&part->shape, NULL);
        if (row->geometry)
        {
            entry.shape.word[0] = ab_recording_index(r, row->geometry(&part->shape));
        }
        ab_entry_put(r, &entry, sizeof entry);
    }
}
#endif

// What it is made again of.
static void put_geometry(abut_recording *r, const abut_geometry *geometry)
{
#ifdef AB_MESHES
    const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
    if (mesh)
    {
        (geometry->kind == AB_SCALED_GEOMETRY ? put_scaled
         : ab_mesh_is_grid(mesh)              ? put_heightfield
                                              : put_mesh)(r, mesh);
        return;
    }
    const ab_compound *compound = ab_compound_of_geometry(geometry);
    if (compound)
    {
        put_compound(r, compound);
        return;
    }
#endif
    ab_entry_put(r, geometry->coordinates, geometry->coordinate_count * sizeof(float));
    const ab_hull *hull = ab_hull_of_geometry(geometry);
    for (uint32_t i = 0; hull && i < hull->face_count; ++i)
    {
        const ab_hull_face *face = &hull->faces[i];
        const uint32_t *corner = hull->corners + face->first;
        const ab_hull_plane plane = { { face->normal[0], face->normal[1], face->normal[2] },
                                      face->offset,
                                      { corner[0], corner[1] } };
        ab_entry_put(r, &plane, sizeof plane);
    }
}

// Writes a geometry that the stream has not.
static void learn(abut_recording *r, const abut_geometry *geometry)
{
    if (r->fault)
    {
        return;
    }
    if (!make_room(r))
    {
        ab_recording_stop(r, ABUT_OUT_OF_MEMORY, "there was no memory for the recording");
        return;
    }
    const size_t count = arrlenu(r->geometries);
    const ab_entry_geometry entry = { (uint32_t)geometry->kind, abut_geometry_hull_faces(geometry),
                                      ab_geometry_checksum(geometry) };
    ab_entry_begin(r, AB_ENTRY_GEOMETRY);
    ab_entry_put(r, &entry, sizeof entry);
    put_geometry(r, geometry);
    ab_entry_end(r);
    abut_geometry_retain(geometry);
    ab_array_set_length(r->geometries, count + 1);
    r->geometries[count] = geometry;
    ab_array_set_length(r->versions, count + 1);
    r->versions[count] = geometry->version;
    r->buckets[bucket_of(r, geometry)] = (uint32_t)count;
}

#ifdef AB_MESHES
// What a geometry is made of comes first.
static void learn_what_it_has(abut_recording *r, const abut_geometry *geometry)
{
    const ab_compound *compound = ab_compound_of_geometry(geometry);
    for (uint32_t i = 0; compound && i < compound->count && !r->fault; ++i)
    {
        ab_recording_learn(r, &compound->parts[i].shape);
    }
    if (geometry->kind == AB_SCALED_GEOMETRY)
    {
        const abut_geometry *original = &ab_mesh_of_geometry(geometry)->original->head;
        if (ab_recording_index(r, original) == ABUT_NONE)
        {
            learn(r, original);
        }
    }
}
#endif

void ab_recording_learn(abut_recording *r, const abut_shape *shape)
{
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    const abut_geometry *geometry = row && row->geometry ? row->geometry(shape) : NULL;
    if (r->fault || !geometry)
    {
        return;
    }
    const uint32_t known = ab_recording_index(r, geometry);
    if (known != ABUT_NONE)
    {
        catch_up(r, known);
        return;
    }
#ifdef AB_MESHES
    learn_what_it_has(r, geometry);
#endif
    learn(r, geometry);
}

void ab_recording_learn_all(abut_recording *r)
{
    const ab_colliders *colliders = &r->world->state.colliders;
    for (size_t slot = 0; slot < arrlenu(colliders->generation); ++slot)
    {
        if (colliders->generation[slot] != 0)
        {
            ab_recording_learn(r, &colliders->shape[slot]);
        }
    }
}
