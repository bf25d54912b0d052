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

// What is known of the image's slots, in the arena or in the world.
typedef struct ab_image_scratch
{
    unsigned char *body, *collider; // by slot: AB_SLOT_…
    const uint32_t *keys;           // by collider slot
    const ab_contact_name *names;   // by collider slot; of those that are live or retired
    uint32_t *own_keys;             // room for both
    ab_contact_name *own_names;
    ab_sort_entry *entries, *scratch; // room for every collider
    ab_sort_entry *linked;            // the colliders that are live or retired, by collider key
    uint32_t linked_count;
    uint32_t static_count;           // proxies of the static set
    const ab_saved_collider *packed; // the world's colliders, if some may be the image's; else NULL
    unsigned char *is_listed;        // by contact slot
} ab_image_scratch;

// Small builds compare all slots or none: no mark is AB_SLOT_SAME.
#ifdef AB_SMALL
#define AB_MARK_SAME 0
#else
#define AB_MARK_SAME 32
#endif

enum
{
    AB_SLOT_DROPPED, // no generation left
    AB_SLOT_LIVE,
    AB_SLOT_RETIRED,
    AB_SLOT_FREE,
    AB_SLOT_MASK = 3,
    AB_SLOT_DIRTY = 4,
    AB_SLOT_WAS_DIRTY = 8,
    AB_SLOT_STAYS = 16,         // its proxy stays where it is
    AB_SLOT_SAME = AB_MARK_SAME // it and its body are the world's own, but for poses, velocities and user data
};

// Checks the settings of an image against the world's. Returns NULL, or the sentence that says what is wrong.
const char *ab_settings_fault(const ab_image *image, const abut_world *world);

// Checks bodies, colliders, static proxies and exclusions against themselves and the world, before anything changes.
// Returns NULL, or the sentence that says what is wrong.
const char *ab_image_fault(const ab_image *image, abut_world *world, const abut_registry *registry,
                           ab_image_scratch *scratch);

// Whether the image has the world's own bodies and colliders in their slots: then the scratch tells of these. Compares
// the section COLLIDERS with its checksum: *sound.
bool ab_image_keeps_slots(abut_world *world, const ab_image *image, const abut_registry *registry,
                          ab_image_scratch *scratch, bool *sound);

// Marks those of the image's live colliders that are AB_SLOT_SAME. Slots are marked already.
#ifdef AB_SMALL
#define ab_image_mark_same(world, image, scratch) ((void)0)
#else
void ab_image_mark_same(const abut_world *world, const ab_image *image, ab_image_scratch *scratch);
#endif

#define AB_CONTACTS_FAULT "the image's contacts are not valid"
#define AB_EVENTS_FAULT   "the image's events or impacts are not valid"

// Whether contacts, with their points and impulses, are no more than a world can have and as many as each other.
bool ab_contacts_countable(const ab_image *image);

// What contacts are read into, with room for them.
typedef struct ab_read_results
{
    ab_contact_pool *pool;
    ab_contact_list *awake, *asleep;
    uint64_t points, speculative; // of the awake contacts
    bool children;                // some contact has one
    bool several;                 // some contact is of a body's second collider, or a later one
} ab_read_results;

// Reads the contacts, which were countable; checks them and begin and end events, and their sections' checksums.
// Returns NULL, or the sentence that says what is wrong.
const char *ab_results_read(const ab_image *image, const ab_image_scratch *scratch, ab_read_results *out);

// The lists that follow from colliders: contacts, caches, events.
const char *ab_image_results_fault(const ab_image *image, const ab_image_scratch *scratch, const ab_read_results *read);

// Whether a collider of the image has an element of the section STATIC. After the lists were checked.
bool ab_saved_is_static(const ab_image *image, const ab_image_scratch *scratch, uint32_t slot);

// Takes over the contacts that were read, and the image's caches, events and impacts, in room that was reserved. Cannot
// fail.
void ab_restore_results(abut_world *world, const ab_image *image, const ab_image_scratch *scratch,
                        const ab_read_results *read);

// The place of a geometry in a registry, which may be NULL; ABUT_NONE: it is not there.
uint32_t ab_registry_index(const abut_registry *registry, const abut_geometry *geometry);

// The section COLLIDERS of the world as it is, kept until colliders change; NULL without colliders, or when out of
// memory.
const ab_saved_collider *ab_colliders_packed(abut_world *world, const abut_registry *registry);
void ab_colliders_pack(const ab_colliders *colliders, const abut_registry *registry, ab_saved_collider *out);

// The section STATIC of the world as it is, where no collider is about to join the set, kept until the set changes. NULL
// if the set is empty, or when out of memory. `make`: packs it if that is not done; otherwise NULL then.
const ab_saved_static *ab_static_packed(abut_world *world, bool make);

// Packs the colliders of the static set and those of `joins`, marks by slot; NULL: none.
void ab_static_pack(const abut_world *world, const unsigned char *joins, ab_saved_static *out);

static inline ab_saved_body ab_body_pack(const ab_bodies *bodies, size_t slot)
{
    return (ab_saved_body){ bodies->uses[slot],
                            bodies->state[slot] | (bodies->generation[slot] != 0 ? AB_SAVED_LIVE : 0u) };
}

static inline uint32_t ab_collider_state_pack(const abut_world *world, size_t slot)
{
    const uint32_t proxy = world->cache.proxies.proxy_of[slot],
                   first = world->cache.proxies.region[AB_STATIC_SET].first * AB_BLOCK;
    return world->state.colliders.state[slot] | (world->state.colliders.generation[slot] != 0 ? AB_SAVED_LIVE : 0u) |
           (proxy != ABUT_NONE && proxy >= first ? AB_SAVED_STATIC : 0u);
}

// A valid shape as words; the index of a geometry that is not in the registry, which may be NULL, is ABUT_NONE.
ab_saved_shape ab_shape_pack(const abut_shape *shape, const abut_registry *registry);

// The shape again: of kind ABUT_SHAPE_NONE if the words are none, with a geometry of NULL if the registry lacks it.
abut_shape ab_shape_unpack(const ab_saved_shape *saved, const abut_registry *registry);

static inline bool ab_mark_is_named(unsigned char mark)
{
    return (mark & AB_SLOT_MASK) == AB_SLOT_LIVE || (mark & AB_SLOT_MASK) == AB_SLOT_RETIRED;
}

// Whether a collider and its proxy are the world's own.
static inline bool ab_mark_is_kept(unsigned char mark)
{
    return AB_SLOT_SAME != 0 && (mark & AB_SLOT_SAME) != 0 && (mark & AB_SLOT_STAYS) != 0;
}

// Whether a collider of the image is live or retired.
static inline bool ab_saved_is_named(const ab_image *image, const ab_image_scratch *scratch, uint32_t collider)
{
    return collider < AB_SAVED_COUNT(image, COLLIDERS) && ab_mark_is_named(scratch->collider[collider]);
}

// Parts of the world as an image has them.
uint32_t ab_collides_pack(const ab_pair_rules *rules);
bool ab_colliders_placed(const ab_colliders *colliders); // some collider is away from its body's origin
abut_pose ab_local_pack(const ab_colliders *colliders, size_t slot);
ab_saved_exclusion ab_exclusion_pack(const ab_exclusions *exclusions, uint32_t slot);

// A saved static proxy; padding is zeros.
ab_static_proxy ab_static_proxy_of(const ab_saved_static *saved);

// Whether the bytes are the same; padding counts, so the values were cleared before they were set.
static inline bool ab_bytes_equal(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

// Whether a static proxy of the world is as the image has it.
static inline bool ab_static_is_same(const abut_world *world, const ab_saved_static *saved)
{
    const ab_static_proxy then = ab_static_proxy_of(saved);
    ab_static_proxy now;
    ab_proxies_get_static(&world->cache.proxies, world->cache.proxies.proxy_of[saved->collider], &now);
    return ab_bytes_equal(&now, &then, sizeof now);
}

#endif
