// What a recording compares because the world is not told of it: the arrays that callers write in place, and shapes'
// geometries, which it retains so that none takes the address of another.
#include "record/recording.h"

#include "base/array.h"
#include "shape/mesh.h"

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
    const ab_mesh *mesh = ab_mesh_of_geometry(r->known.geometries[index]);
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
    if (r->versions[index] != r->known.geometries[index]->version)
    {
#ifdef AB_MESHES
        put_heights(r, index);
#endif
        r->versions[index] = r->known.geometries[index]->version;
    }
}

void ab_recording_compare(abut_recording *r)
{
    for (uint32_t i = 0; i < arrlenu(r->known.geometries) && !r->fault; ++i)
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

// Writes a geometry that the stream has not.
static void learn_one(abut_recording *r, const abut_geometry *geometry)
{
    const size_t count = arrlenu(r->known.geometries);
    if (r->fault)
    {
        return;
    }
    if (!ab_array_reserve(r->versions, &r->memory, count + 1) || !ab_geometry_set_add(&r->known, &r->memory, geometry))
    {
        ab_recording_stop(r, ABUT_OUT_OF_MEMORY, "there was no memory for the recording");
        return;
    }
    abut_geometry_retain(geometry);
    ab_array_set_length(r->versions, count + 1);
    r->versions[count] = geometry->version;
    ab_entry_begin(r, AB_ENTRY_GEOMETRY);
    unsigned char *room = ab_entry_room(r, ab_geometry_bytes_size(geometry));
    if (room)
    {
        ab_geometry_bytes_write(geometry, &r->known, room);
    }
    ab_entry_end(r);
}

// What a geometry is made of comes first.
static bool learn(void *context, const abut_geometry *geometry)
{
    abut_recording *r = context;
    if (ab_geometry_set_index(&r->known, geometry) == ABUT_NONE)
    {
        (void)ab_geometry_each_part(geometry, learn, r);
        learn_one(r, geometry);
    }
    return !r->fault;
}

void ab_recording_learn(abut_recording *r, const abut_shape *shape)
{
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    const abut_geometry *geometry = row && row->geometry ? row->geometry(shape) : NULL;
    if (r->fault || !geometry)
    {
        return;
    }
    const uint32_t known = ab_geometry_set_index(&r->known, geometry);
    if (known != ABUT_NONE)
    {
        catch_up(r, known);
        return;
    }
    (void)learn(r, geometry);
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
