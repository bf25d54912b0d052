// Whether an image has the same bodies and colliders in the same slots as the world, but for poses, velocities and user
// data: then nothing of them needs to be checked, and their proxies stay. So it is for most frames of a game.
#include "base/array.h"
#include "state/state.h"

#include <string.h>

#define CHUNK 32768u // bytes that are compared, then summed; a whole number of blocks

static bool same_list(const uint32_t *list, const ab_section *section)
{
    return arrlenu(list) == section->count &&
           (section->count == 0 || memcmp(list, section->data, (size_t)section->count * sizeof *list) == 0);
}

static bool same_settings(const abut_world *world, const ab_image *image)
{
    const ab_saved_settings *s = AB_SAVED(image, SETTINGS, ab_saved_settings);
    return s->tag == world->state.tag && s->first_generation == world->state.first_generation &&
           s->collides == ab_collides_pack(&world->state.rules) &&
           AB_SAVED_COUNT(image, ANCHORS) == world->state.anchored;
}

static bool same_bodies(const ab_bodies *bodies, const ab_image *image)
{
    const ab_saved_body *saved = AB_SAVED(image, BODIES, ab_saved_body);
    const uint32_t count = AB_SAVED_COUNT(image, BODIES);
    uint32_t differ = 0;
    if (count != arrlenu(bodies->generation) || AB_SAVED_COUNT(image, POSES) != count ||
        AB_SAVED_COUNT(image, VELOCITIES) != count || AB_SAVED_COUNT(image, BODY_DATA) != count)
    {
        return false;
    }
    for (uint32_t slot = 0; slot < count; ++slot)
    {
        const ab_saved_body now = ab_body_pack(bodies, slot);
        differ |= (now.uses ^ saved[slot].uses) | (now.state ^ saved[slot].state);
    }
    return differ == 0 && same_list(bodies->free, &image->section[AB_SECTION_BODIES_FREE]) &&
           same_list(bodies->retired, &image->section[AB_SECTION_BODIES_RETIRED]);
}

static bool same_states(const abut_world *world, const ab_image *image)
{
    const uint32_t *saved = AB_SAVED(image, COLLIDER_STATES, uint32_t);
    uint32_t differ = 0;
    for (uint32_t slot = 0; slot < AB_SAVED_COUNT(image, COLLIDERS); ++slot)
    {
        differ |= ab_collider_state_pack(world, slot) ^ saved[slot];
    }
    return differ == 0;
}

static bool same_locals(const ab_colliders *colliders, const ab_image *image)
{
    const abut_pose *saved = AB_SAVED(image, LOCALS, abut_pose);
    const uint32_t count = AB_SAVED_COUNT(image, LOCALS);
    if (count == 0)
    {
        return !ab_colliders_placed(colliders);
    }
    bool same = count == arrlenu(colliders->local);
    for (uint32_t slot = 0; same && slot < count; ++slot)
    {
        const abut_pose now = ab_local_pack(colliders, slot);
        same = ab_bytes_equal(&now, &saved[slot], sizeof now);
    }
    return same;
}

static bool same_colliders(const abut_world *world, const ab_image *image)
{
    const ab_colliders *colliders = &world->state.colliders;
    const uint32_t count = AB_SAVED_COUNT(image, COLLIDERS);
    return count == arrlenu(colliders->generation) && AB_SAVED_COUNT(image, COLLIDER_STATES) == count &&
           AB_SAVED_COUNT(image, COLLIDER_DATA) == count && same_states(world, image) &&
           same_list(colliders->free, &image->section[AB_SECTION_COLLIDERS_FREE]) &&
           same_list(colliders->retired, &image->section[AB_SECTION_COLLIDERS_RETIRED]) &&
           same_locals(colliders, image);
}

// Of colliders that were edited or woken since the last detect, the long way is taken.
static bool none_edited(const abut_world *world, const ab_image *image)
{
    return arrlenu(world->state.woken) + arrlenu(world->state.dirty) + arrlenu(world->state.was_dirty) == 0 &&
           AB_SAVED_COUNT(image, WOKEN) + AB_SAVED_COUNT(image, DIRTY) + AB_SAVED_COUNT(image, WAS_DIRTY) == 0;
}

static bool same_static(abut_world *world, const ab_image *image)
{
    const ab_saved_static *saved = AB_SAVED(image, STATIC, ab_saved_static);
    const uint32_t count = AB_SAVED_COUNT(image, STATIC);
    bool same = count == world->cache.proxies.region[AB_STATIC_SET].live;
    const ab_saved_static *packed = same ? ab_static_packed(world, false) : NULL;
    if (packed)
    {
        return ab_bytes_equal(packed, saved, count * sizeof *saved);
    }
    for (uint32_t i = 0; same && i < count; ++i)
    {
        const uint32_t slot = saved[i].collider;
        same = slot < AB_SAVED_COUNT(image, COLLIDERS) && (i == 0 || saved[i - 1].collider < slot) &&
               (ab_collider_state_pack(world, slot) & AB_SAVED_STATIC) != 0;
        same = same && ab_static_is_same(world, &saved[i]);
    }
    return same;
}

static bool same_exclusions(abut_world *world, const ab_image *image)
{
    const ab_exclusions *exclusions = &world->state.rules.exclusions;
    const ab_saved_exclusion *saved = AB_SAVED(image, EXCLUSIONS, ab_saved_exclusion);
    const uint32_t count = AB_SAVED_COUNT(image, EXCLUSIONS);
    if (count != exclusions->lists.live || count == 0)
    {
        return count == exclusions->lists.live;
    }
    uint32_t *slots = ab_arena_take(&world->work.arena, arrlenu(exclusions->lists.keys) * sizeof *slots);
    bool same = slots && ab_pair_lists_sorted(&exclusions->lists, slots) == count;
    for (uint32_t i = 0; same && i < count; ++i)
    {
        const ab_saved_exclusion now = ab_exclusion_pack(exclusions, slots[i]);
        same = ab_bytes_equal(&now, &saved[i], sizeof now);
    }
    return same;
}

// Compares the section with what it would be now, and sums it on the way.
static bool same_shapes(abut_world *world, const ab_image *image, const abut_registry *registry, bool *sound)
{
    const ab_section *section = &image->section[AB_SECTION_COLLIDERS];
    const unsigned char *saved = section->data,
                        *now = (const unsigned char *)(const void *)ab_colliders_packed(world, registry);
    const size_t size = (size_t)section->count * sizeof(ab_saved_collider);
    bool same = size == 0 || now;
    ab_checksum_stream sum;
    ab_checksum_open(&sum, saved, size);
    for (size_t at = 0; same && at < size; at += CHUNK)
    {
        const size_t here = size - at < CHUNK ? size - at : CHUNK;
        same = memcmp(now + at, saved + at, here) == 0;
        ab_checksum_advance(&sum, saved + at + here);
    }
    *sound = ab_checksum_close(&sum) == section->checksum;
    return same;
}

static void mark(const abut_world *world, ab_image_scratch *scratch)
{
    const ab_colliders *colliders = &world->state.colliders;
    for (size_t slot = 0; slot < arrlenu(colliders->generation); ++slot)
    {
        scratch->collider[slot] = colliders->generation[slot] != 0 ? AB_SLOT_LIVE : AB_SLOT_DROPPED;
    }
    for (size_t i = 0; i < arrlenu(colliders->retired); ++i)
    {
        scratch->collider[colliders->retired[i]] = AB_SLOT_RETIRED;
    }
}

#ifdef AB_SMALL
#define pack_to_compare(world, image, registry, scratch) ((void)0)
#else
// Exclusions mark proxies, and settings name generations.
static void pack_to_compare(abut_world *world, const ab_image *image, const abut_registry *registry,
                            ab_image_scratch *scratch)
{
    const bool may_be = same_settings(world, image) && same_exclusions(world, image);
    scratch->packed = may_be ? ab_colliders_packed(world, registry) : NULL;
}

static bool same_body(const ab_bodies *bodies, const ab_image *image, uint32_t slot)
{
    if (slot >= AB_SAVED_COUNT(image, BODIES) || slot >= arrlenu(bodies->generation))
    {
        return false;
    }
    const ab_saved_body now = ab_body_pack(bodies, slot);
    return ab_bytes_equal(&now, &AB_SAVED(image, BODIES, ab_saved_body)[slot], sizeof now);
}

static bool same_local(const ab_colliders *colliders, const ab_image *image, uint32_t slot)
{
    if (!colliders->local && AB_SAVED_COUNT(image, LOCALS) == 0)
    {
        return true;
    }
    abut_pose then = abut_pose_identity(), now = then;
    then.unused = now.unused = 0.0f;
    if (AB_SAVED_COUNT(image, LOCALS) > 0)
    {
        then = AB_SAVED(image, LOCALS, abut_pose)[slot];
    }
    if (colliders->local)
    {
        now = ab_local_pack(colliders, slot);
    }
    return ab_bytes_equal(&now, &then, sizeof now);
}

// What is about to join the static set has a proxy of the image's.
static void unmark_joining(const ab_image *image, ab_image_scratch *scratch)
{
    const uint32_t *joining = AB_SAVED(image, WAS_DIRTY, uint32_t);
    for (uint32_t i = 0; i < AB_SAVED_COUNT(image, WAS_DIRTY); ++i)
    {
        if (joining[i] < AB_SAVED_COUNT(image, COLLIDERS))
        {
            scratch->collider[joining[i]] &= (unsigned char)~AB_SLOT_SAME;
        }
    }
}

void ab_image_mark_same(const abut_world *world, const ab_image *image, ab_image_scratch *scratch)
{
    const ab_colliders *colliders = &world->state.colliders;
    const ab_saved_collider *saved = AB_SAVED(image, COLLIDERS, ab_saved_collider);
    const uint32_t *states = AB_SAVED(image, COLLIDER_STATES, uint32_t), count = AB_SAVED_COUNT(image, COLLIDERS);
    for (uint32_t slot = 0; scratch->packed && slot < count && slot < arrlenu(colliders->generation); ++slot)
    {
        const bool same =
            scratch->collider[slot] == AB_SLOT_LIVE && ab_collider_state_pack(world, slot) == states[slot] &&
            ab_bytes_equal(&scratch->packed[slot], &saved[slot], sizeof *saved) && same_local(colliders, image, slot) &&
            same_body(&world->state.bodies, image, saved[slot].collider_key >> 8);
        scratch->collider[slot] |= same ? AB_SLOT_SAME : 0;
    }
    unmark_joining(image, scratch);
}
#endif

bool ab_image_keeps_slots(abut_world *world, const ab_image *image, const abut_registry *registry,
                          ab_image_scratch *scratch, bool *sound)
{
    const bool same = same_settings(world, image) && none_edited(world, image) &&
                      same_bodies(&world->state.bodies, image) && same_colliders(world, image) &&
                      same_static(world, image) && same_exclusions(world, image);
    if (!same)
    {
        *sound = ab_section_sound(image, AB_SECTION_COLLIDERS);
        pack_to_compare(world, image, registry, scratch);
        return false;
    }
    if (!same_shapes(world, image, registry, sound))
    {
        pack_to_compare(world, image, registry, scratch);
        return false;
    }
    mark(world, scratch);
    scratch->keys = world->state.colliders.collider_key;
    scratch->names = world->state.colliders.name;
    return true;
}
