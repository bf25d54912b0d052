// Declarations that checking and restoring an image share.
#ifndef AB_STATE_PARTS_H
#define AB_STATE_PARTS_H

#include "base/radix.h"
#include "state/image.h"
#include "world/world.h"

#include <string.h>

// The elements of a section, and their number.
#define AB_SAVED(image, name, type) ((const type *)(image)->section[AB_SECTION_##name].data)
#define AB_SAVED_COUNT(image, name) ((uint32_t)(image)->section[AB_SECTION_##name].count)

// Scratch for the check, in the arena.
typedef struct ab_image_scratch
{
    unsigned char *body, *collider;   // by slot: AB_SLOT_…
    ab_sort_entry *entries, *scratch; // room for every collider
    ab_sort_entry *linked;            // the colliders that are live or retired, by collider key
    uint32_t linked_count;
    uint32_t static_count; // proxies of the static set
} ab_image_scratch;

enum
{
    AB_SLOT_DROPPED, // no generation left
    AB_SLOT_LIVE,
    AB_SLOT_RETIRED,
    AB_SLOT_FREE,
    AB_SLOT_MASK = 3,
    AB_SLOT_DIRTY = 4,
    AB_SLOT_WAS_DIRTY = 8,
    AB_SLOT_STAYS = 16 // its proxy stays where it is
};

// Checks an open image against itself and the world, before anything changes. Returns NULL, or the sentence that says
// what is wrong.
const char *ab_image_fault(const ab_image *image, const abut_world *world, const abut_registry *registry,
                           ab_image_scratch *scratch);

// The lists that follow from colliders: contacts, caches, events.
const char *ab_image_results_fault(const ab_image *image, const ab_image_scratch *scratch);

// Whether a collider of the image has an element of the section STATIC. After the lists were checked.
bool ab_saved_is_static(const ab_image *image, const ab_image_scratch *scratch, uint32_t slot);

// Takes over the image's contacts, caches, events and impacts, in room that was reserved. Cannot fail.
void ab_restore_results(abut_world *world, const ab_image *image);

// The definition of a saved collider; shape kind ABUT_SHAPE_NONE if its shape is none. `local` may be NULL.
abut_collider_def ab_saved_definition(const ab_saved_collider *saved, const abut_pose *local,
                                      const abut_registry *registry);

// A valid shape as words; the index of a geometry that is not in the registry, which may be NULL, is ABUT_NONE.
ab_saved_shape ab_shape_pack(const abut_shape *shape, const abut_registry *registry);

// The shape again: of kind ABUT_SHAPE_NONE if the words are none, with a geometry of NULL if the registry lacks it.
abut_shape ab_shape_unpack(const ab_saved_shape *saved, const abut_registry *registry);

// The handles of one side of a pair; the collider is live or retired.
ab_contact_name ab_saved_name(const ab_image *image, uint32_t collider);

static inline uint32_t ab_saved_key(const ab_image *image, uint32_t collider)
{
    return AB_SAVED(image, COLLIDERS, ab_saved_collider)[collider].collider_key;
}

// Whether the bytes are the same; padding counts, so the values were cleared before they were set.
static inline bool ab_bytes_equal(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

#endif
