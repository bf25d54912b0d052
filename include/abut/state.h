// The state of a world: its hash, and images to save, restore, compare and keep. See docs/state.md.
//
// An image holds everything that later results follow from: after a restore every call that changes the world or reads
// its results gives the bits it would have given when the image was saved. It is the same for every compiler,
// instruction set, broad phase and number of threads. The spatial index is not saved: queries need an
// abut_world_update first. On a big-endian machine save, restore and abut_history_push fail with ABUT_UNSUPPORTED.
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

// Returns a hash of everything that later results follow from: bodies, colliders and their shapes, filters, contacts,
// sleep, vetoes, exclusions, and which slots are free; 0 for a NULL world. Of worlds with equal hashes equal calls make
// worlds with equal hashes: it agrees as soon as a world is rolled back. Poses count; user data and generations do not.
ABUT_API uint64_t abut_world_state_hash(abut_world *world);

// Returns a hash of the last results alone: contacts, events, what is in sensors, and impacts; 0 for a NULL world.
ABUT_API uint64_t abut_world_results_hash(abut_world *world);

// Flags of a save.
enum
{
    ABUT_SAVE_LEAN = 1u << 0 // without events and impacts, which only callers read
};

// The geometries that shapes of an image name by index. Give the same list, in the same order, to save and restore;
// more may follow.
typedef struct abut_registry
{
    const abut_geometry *const *geometries; // need not be in use, and of images may be NULL; NULL if there are none
    uint32_t geometry_count;                // entries of geometries
} abut_registry;

// Writes an image of the world and its size in bytes to *size. `image` must be aligned to 8 bytes. With NULL and
// capacity 0 only the size is written; fails with ABUT_LIMIT, nothing else written, if the capacity is too small.
// `registry` may be NULL if no collider has a geometry.
ABUT_CHECKED ABUT_API abut_status abut_world_save(abut_world *world, uint32_t flags, const abut_registry *registry,
                                                  void *image, size_t capacity, size_t *size);

// Brings the world back to an image; handles of that time are valid again, those of later bodies are not, until bodies
// that are created in their place get the same handles. The world must have the image's margin, distances,
// separations, dimension and custom kinds. Fails with ABUT_INVALID_ARGUMENT for an image that is not valid in every
// part; then, as without memory, nothing changes. Pointers to results and arrays end, whether it fails or not.
ABUT_CHECKED ABUT_API abut_status abut_world_restore(abut_world *world, const abut_registry *registry,
                                                     const void *image, size_t size);

// Writes cooked geometries as bytes, with those that they are made of (hulls of compounds, originals of scaled meshes),
// and the size to *size, as abut_world_save does. A geometry that is named twice, or that several are made of, is
// written once. Fails with ABUT_UNSUPPORTED on a big-endian machine and where this is not compiled in (small builds).
ABUT_CHECKED ABUT_API abut_status abut_geometries_save(const abut_registry *geometries, void *bytes, size_t capacity,
                                                       size_t *size);

// Makes saved geometries again, in their order, and writes their number to *count; the caller releases each. They give
// the answers that the saved ones gave, to the bit. `bytes` must be aligned to 8, and are not needed afterwards. With
// NULL and capacity 0 only the number is written; fails with ABUT_LIMIT, nothing else written, if the capacity is too
// small, with ABUT_INVALID_ARGUMENT for bytes that are not valid in every part, and with ABUT_UNSUPPORTED for those of
// another version of the format and as abut_geometries_save does. On failure none is made. `allocator` may be NULL. See
// docs/shapes.md.
ABUT_CHECKED ABUT_API abut_status abut_geometries_load(const void *bytes, size_t size, const abut_allocator *allocator,
                                                       abut_geometry **out, uint32_t capacity, uint32_t *count);

// Writes what turns the image `base` into `image`, and its size to *size, as abut_world_save does. The size follows
// from what changed. Fails with ABUT_INVALID_ARGUMENT if either is no image.
ABUT_CHECKED ABUT_API abut_status abut_image_difference(const void *base, size_t base_size, const void *image,
                                                        size_t image_size, void *out, size_t capacity, size_t *size);

// Writes the image that a difference makes of its base, and its size to *size, as abut_world_save does. Fails with
// ABUT_INVALID_ARGUMENT for a damaged difference or another base; `out` then holds nothing of use.
ABUT_CHECKED ABUT_API abut_status abut_image_apply(const void *base, size_t base_size, const void *difference,
                                                   size_t difference_size, void *out, size_t capacity, size_t *size);

// The last frames of a world, as one image and differences.
typedef struct abut_history abut_history;

// Creates an empty history that holds at most `budget` bytes between calls; the caller destroys it. `allocator` may be
// NULL. Sets *out to NULL on failure.
ABUT_CHECKED ABUT_API abut_status abut_history_create(const abut_allocator *allocator, size_t budget,
                                                      abut_history **out);

// Destroys a history. NULL is allowed.
ABUT_API void abut_history_destroy(abut_history *history);

// Adds the world's present state as a frame, whose number is greater than all before, and drops the oldest frames that
// the budget has no room for. Fails with ABUT_LIMIT if it is less than two images.
ABUT_CHECKED ABUT_API abut_status abut_history_push(abut_history *history, abut_world *world,
                                                    const abut_registry *registry, uint64_t frame);

// Restores the world to a frame and drops the frames after it. Fails with ABUT_INVALID_ARGUMENT, nothing changed, if
// the history does not have it.
ABUT_CHECKED ABUT_API abut_status abut_history_rewind(abut_history *history, abut_world *world,
                                                      const abut_registry *registry, uint64_t frame);

// Restores a frame into a world, usually a second one of the same definition, and keeps all frames: to ask what was
// there then. Takes longer for older frames. Fails as abut_history_rewind does.
ABUT_CHECKED ABUT_API abut_status abut_history_read(abut_history *history, abut_world *world,
                                                    const abut_registry *registry, uint64_t frame);

// Gets the oldest and the newest frame; either may be NULL. Returns false if there are none.
ABUT_API bool abut_history_range(const abut_history *history, uint64_t *oldest, uint64_t *newest);

#ifdef __cplusplus
}
#endif

#endif
