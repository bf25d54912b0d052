// Meshes that are made with too little memory.
#ifndef SCARCE_MESH_H
#define SCARCE_MESH_H

#include "scarce_memory.h"
#include "small_world.h"

// Each request for memory fails in turn: there is no mesh then, and everything was given back.
static inline void expect_each_request_can_fail(const abut_mesh_def *def)
{
    abut_status status = ABUT_OUT_OF_MEMORY;
    for (uint64_t granted = 0; status != ABUT_OK; ++granted)
    {
        source memory = { .first_failed = granted };
        const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
        abut_geometry *mesh;
        status = abut_geometry_create_mesh(def, &allocator, &mesh);
        assert_true(status == ABUT_OK || (status == ABUT_OUT_OF_MEMORY && !mesh));
        assert_int_equal(memory.blocks, status == ABUT_OK);
        abut_geometry_release(mesh);
        assert_int_equal(memory.blocks, 0);
        assert_true(granted < 100);
    }
}

#endif
