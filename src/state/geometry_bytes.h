// A geometry as bytes: in files of geometries and in recordings. All fields are little-endian and without padding.
#ifndef AB_GEOMETRY_BYTES_H
#define AB_GEOMETRY_BYTES_H

#include "shape/shared.h"
#include "state/geometry_set.h"
#include "state/sections.h"

#include <abut/state.h>

// Behind it: of a polygon its coordinates; of a chain likewise, see AB_CHAIN_HEAD; of a hull and of a mesh what
// hull_bytes.c and mesh_bytes.c say; of a heightfield its coordinates, in words a bit for each cell that has none of
// its surface, and likewise one for each hole, then materials, if there are any; of a scaled mesh ab_saved_scaled; of a
// compound ab_saved_part for each part.
typedef struct ab_saved_geometry
{
    uint32_t kind;     // ab_geometry_kind
    uint32_t reserved; // zero
    uint64_t checksum; // of the coordinates
} ab_saved_geometry;

typedef struct ab_saved_scaled
{
    uint32_t original; // its index in the set
    abut_vec3 scale;
} ab_saved_scaled;

// What a part points to is in the set before.
typedef struct ab_saved_part
{
    ab_saved_shape shape; // a geometry by its index in the set
    abut_pose pose;
} ab_saved_part;

// The bytes of so many materials, in whole words.
static inline size_t ab_saved_materials(size_t count)
{
    return (count + 1) / 2 * sizeof(uint32_t);
}

// Sees what a geometry is made of, one by one; false: it wants no more.
typedef bool ab_geometry_see(void *context, const abut_geometry *geometry);
bool ab_geometry_each_part(const abut_geometry *geometry, ab_geometry_see *see, void *context);

size_t ab_geometry_bytes_size(const abut_geometry *geometry);

// Writes so many bytes. What the geometry is made of is in the set.
void ab_geometry_bytes_write(const abut_geometry *geometry, const ab_geometry_set *set, unsigned char *out);

// Makes the geometry again; `bytes` are aligned to 8, and what it is made of is in `known`. ABUT_INVALID_ARGUMENT for
// bytes that are none, and for a geometry that comes out otherwise than it was.
abut_status ab_geometry_bytes_read(const unsigned char *bytes, size_t size, const abut_registry *known,
                                   const abut_allocator *allocator, abut_geometry **out);

#endif
