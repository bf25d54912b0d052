// Two surfaces of the same triangles: their answers have the same bits.
#ifndef MESH_TWINS_H
#define MESH_TWINS_H

#include "mesh_makers.h"
#include "shape/mesh.h"

// Whether a ray hits them.
static inline bool ray_at_twins(abut_geometry *const geometry[2], const double from[3], const double way[3])
{
    const abut_shape shape[2] = { abut_shape_mesh(geometry[0]), abut_shape_mesh(geometry[1]) };
    ab_ray_entry entry[2];
    memset(entry, 0, sizeof entry);
    const bool hit = ab_mesh_ray(&shape[0], from, way, &entry[0]);
    assert_true(hit == ab_mesh_ray(&shape[1], from, way, &entry[1]));
    assert_memory_equal(&entry[0].fraction, &entry[1].fraction, sizeof entry[0].fraction);
    assert_memory_equal(entry[0].normal, entry[1].normal, sizeof entry[0].normal);
    assert_int_equal(entry[0].child, entry[1].child);
    return hit;
}

#endif
