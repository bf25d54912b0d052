// Writes a geometry as bytes.
#include "base/bytes.h"
#include "shape/compound.h"
#include "shape/hull.h"
#include "shape/mesh.h"
#include "state/checksum.h"
#include "state/geometry_bytes.h"
#include "state/state.h"

#include <string.h>

static size_t coordinate_bytes(const abut_geometry *geometry)
{
    return geometry->coordinate_count * sizeof(float);
}

#ifdef AB_HULLS
static size_t hull_bytes(const abut_geometry *geometry)
{
    return ab_hull_bytes_size(ab_hull_of_geometry(geometry));
}

static void write_hull(const abut_geometry *geometry, const ab_geometry_set *set, unsigned char *out)
{
    (void)set;
    ab_hull_bytes_write(ab_hull_of_geometry(geometry), out);
}
#else
#define hull_bytes NULL
#define write_hull NULL
#endif

static void write_coordinates(const abut_geometry *geometry, const ab_geometry_set *set, unsigned char *out)
{
    (void)set;
    memcpy(out, geometry->coordinates, coordinate_bytes(geometry));
}

#ifdef AB_MESHES
bool ab_geometry_each_part(const abut_geometry *geometry, ab_geometry_see *see, void *context)
{
    const ab_compound *compound = ab_compound_of_geometry(geometry);
    bool more = true;
    for (uint32_t i = 0; compound && i < compound->count && more; ++i)
    {
        const abut_shape *shape = &compound->parts[i].shape;
        const ab_shape_row *row = ab_shape_row_for(shape->kind);
        more = !row->geometry || see(context, row->geometry(shape));
    }
    return geometry->kind == AB_SCALED_GEOMETRY ? see(context, &ab_mesh_of_geometry(geometry)->original->head) : more;
}

static size_t mesh_bytes(const abut_geometry *geometry)
{
    return ab_mesh_bytes_size(ab_mesh_of_geometry(geometry));
}

static void write_mesh(const abut_geometry *geometry, const ab_geometry_set *set, unsigned char *out)
{
    (void)set;
    ab_mesh_bytes_write(ab_mesh_of_geometry(geometry), out);
}

static size_t heightfield_bytes(const abut_geometry *geometry)
{
    const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
    const uint32_t cells = mesh->triangle_count / 2;
    return coordinate_bytes(geometry) + 2 * ab_grid_words(cells) * sizeof(uint32_t) +
           (mesh->materials ? ab_saved_materials(cells) : 0);
}

static void write_heightfield(const abut_geometry *geometry, const ab_geometry_set *set, unsigned char *out)
{
    const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
    const uint32_t cells = mesh->triangle_count / 2, words = ab_grid_words(cells);
    (void)set;
    out = ab_put_bytes(out, geometry->coordinates, coordinate_bytes(geometry));
    out = ab_put_bytes(out, mesh->grid.bare, words * sizeof *mesh->grid.bare);
    out = ab_put_bytes(out, mesh->grid.holes, words * sizeof *mesh->grid.holes);
    if (mesh->materials)
    {
        memset(out + ab_saved_materials(cells) - sizeof(uint32_t), 0, sizeof(uint32_t));
        memcpy(out, mesh->materials, cells * sizeof *mesh->materials);
    }
}

static size_t compound_bytes(const abut_geometry *geometry)
{
    return ab_compound_of_geometry(geometry)->count * sizeof(ab_saved_part);
}

static void write_compound(const abut_geometry *geometry, const ab_geometry_set *set, unsigned char *out)
{
    const ab_compound *compound = ab_compound_of_geometry(geometry);
    for (uint32_t i = 0; i < compound->count; ++i)
    {
        const ab_compound_part *part = &compound->parts[i];
        const ab_shape_row *row = ab_shape_row_for(part->shape.kind);
        ab_saved_part saved = { ab_shape_pack(&part->shape, NULL), part->pose };
        if (row->geometry)
        {
            saved.shape.word[0] = ab_geometry_set_index(set, row->geometry(&part->shape));
        }
        out = ab_put_bytes(out, &saved, sizeof saved);
    }
}

static size_t scaled_bytes(const abut_geometry *geometry)
{
    (void)geometry;
    return sizeof(ab_saved_scaled);
}

static void write_scaled(const abut_geometry *geometry, const ab_geometry_set *set, unsigned char *out)
{
    const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
    const ab_saved_scaled saved = { ab_geometry_set_index(set, &mesh->original->head), mesh->scale };
    memcpy(out, &saved, sizeof saved);
}
#else
#define mesh_bytes        NULL
#define write_mesh        NULL
#define heightfield_bytes NULL
#define write_heightfield NULL
#define compound_bytes    NULL
#define write_compound    NULL
#define scaled_bytes      NULL
#define write_scaled      NULL

bool ab_geometry_each_part(const abut_geometry *geometry, ab_geometry_see *see, void *context)
{
    (void)geometry, (void)see, (void)context;
    return true;
}
#endif

// What is behind the head of a kind.
static const struct
{
    size_t (*bytes)(const abut_geometry *geometry);
    void (*write)(const abut_geometry *geometry, const ab_geometry_set *set, unsigned char *out);
} of_kind[] = {
    [AB_POLYGON_GEOMETRY] = { coordinate_bytes, write_coordinates },
    [AB_HULL_GEOMETRY] = { hull_bytes, write_hull },
    [AB_MESH_GEOMETRY] = { mesh_bytes, write_mesh },
    [AB_HEIGHTFIELD_GEOMETRY] = { heightfield_bytes, write_heightfield },
    [AB_COMPOUND_GEOMETRY] = { compound_bytes, write_compound },
    [AB_SCALED_GEOMETRY] = { scaled_bytes, write_scaled },
    [AB_CHAIN_GEOMETRY] = { coordinate_bytes, write_coordinates },
};

size_t ab_geometry_bytes_size(const abut_geometry *geometry)
{
    return sizeof(ab_saved_geometry) + of_kind[geometry->kind].bytes(geometry);
}

void ab_geometry_bytes_write(const abut_geometry *geometry, const ab_geometry_set *set, unsigned char *out)
{
    const ab_saved_geometry head = {
        .kind = (uint32_t)geometry->kind,
        .checksum = ab_checksum_of(geometry->coordinates, coordinate_bytes(geometry)),
    };
    of_kind[geometry->kind].write(geometry, set, ab_put_bytes(out, &head, sizeof head));
}
