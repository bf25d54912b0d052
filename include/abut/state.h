// The state of a world: its hash, and images to save, restore, compare and keep. See docs/state.md.
//
// An image holds everything that later results follow from, so that after a restore every call gives the bits it would
// have given when the image was saved. It is the same for every compiler, instruction set, broad phase and number of
// threads. The spatial index is not saved.
#ifndef ABUT_STATE_H
#define ABUT_STATE_H

#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns a 64-bit hash of poses, velocities, the last results and everything that later results follow from; 0 for a
// NULL world. Equal calls give equal hashes, on any machine, broad phase and number of threads. User data and
// generations are left out. FNV-1a by words of 32 bits. See docs/determinism.md.
ABUT_API uint64_t abut_world_hash(abut_world *world);

// Flags of a save.
enum
{
    ABUT_SAVE_LEAN = 1u << 0 // without events and impacts, which only callers read
};

// The geometries that shapes of an image name by index. Give the same list, in the same order, to save and restore.
typedef struct abut_registry
{
    const abut_geometry *const *geometries; // need not be in use; NULL if there are none
    uint32_t geometry_count;                // entries of geometries
} abut_registry;

// Writes an image of the world and its size in bytes to *size. `image` must be aligned to 8 bytes. With NULL and
// capacity 0 only the size is written; fails with ABUT_LIMIT, nothing else written, if the capacity is too small.
// `registry` may be NULL if no collider is a polygon.
ABUT_CHECKED ABUT_API abut_status abut_world_save(abut_world *world, uint32_t flags, const abut_registry *registry,
                                                  void *image, size_t capacity, size_t *size);

// Brings the world back to an image; handles of that time are valid again, those of later bodies are not. The world
// must have the image's margin, recycle distance, dimension and custom kinds. Fails with ABUT_INVALID_ARGUMENT for an
// image that is not valid in every part. Pointers to results and arrays end.
ABUT_CHECKED ABUT_API abut_status abut_world_restore(abut_world *world, const abut_registry *registry,
                                                     const void *image, size_t size);

#ifdef __cplusplus
}
#endif

#endif
