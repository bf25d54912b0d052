// Worlds saved and restored whole, for tests of what an image names.
#ifndef WHOLE_IMAGE_H
#define WHOLE_IMAGE_H

#include "small_world.h"

#include <abut/state.h>

#include <stdlib.h>

// The image of a world, to be freed.
static inline void *image_of(abut_world *world, const abut_registry *registry, size_t *size)
{
    assert_int_equal(abut_world_save(world, 0, registry, NULL, 0, size), ABUT_OK);
    void *image = malloc(*size);
    assert_non_null(image);
    assert_int_equal(abut_world_save(world, 0, registry, image, *size, size), ABUT_OK);
    return image;
}

// Saves a world, which cannot be saved without its registry, moves a body, and restores the world. Returns the image,
// to be freed.
static inline void *image_restored(abut_world *world, const abut_registry *registry, abut_body moved, size_t *size)
{
    assert_int_equal(abut_world_save(world, 0, NULL, NULL, 0, size), ABUT_INVALID_ARGUMENT);
    void *image = image_of(world, registry, size);
    const uint64_t before = abut_world_hash(world);
    abut_world_bodies(world).poses[moved.slot].position.x += 0.3f;
    detect(world);
    assert_true(abut_world_hash(world) != before);
    assert_int_equal(abut_world_restore(world, registry, image, *size), ABUT_OK);
    assert_true(abut_world_hash(world) == before);
    return image;
}

#endif
