// What all geometry that shapes share has in common. Immutable, except for the reference count and for heightfields,
// which their owner may update.
#ifndef AB_SHARED_H
#define AB_SHARED_H

#include "base/memory.h"
#include "base/platform.h"

#include <abut/shape.h>

typedef enum ab_geometry_kind
{
    AB_POLYGON_GEOMETRY,
    AB_HULL_GEOMETRY,
    AB_MESH_GEOMETRY,
    AB_HEIGHTFIELD_GEOMETRY, // an ab_mesh, too
    AB_COMPOUND_GEOMETRY,
    AB_SCALED_GEOMETRY, // an ab_mesh that shares another mesh's arrays
    AB_CHAIN_GEOMETRY
} ab_geometry_kind;

// The first member of each kind of geometry.
struct abut_geometry
{
    ab_counter references;
    ab_memory memory;
    size_t bytes; // of the whole block
    ab_geometry_kind kind;
    uint32_t version;         // how often it was updated
    const float *coordinates; // of its vertices: what a hash is of
    uint32_t coordinate_count;
    void (*close)(const abut_geometry *own); // releases what it holds; NULL: nothing
};

// Zeroed memory for a geometry with one reference; NULL when out of memory.
abut_geometry *ab_geometry_make(ab_geometry_kind kind, size_t bytes, ab_memory *memory);

#endif
