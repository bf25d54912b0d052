// What the steps of a restore share: of a checked image, room first, then its state. restore.c has the order.
#ifndef AB_RESTORE_H
#define AB_RESTORE_H

#include "state/state.h"

// The set in which a collider of the image has its proxy; AB_SET_COUNT: none.
static inline ab_set ab_saved_set(const ab_image *image, const ab_image_scratch *scratch, uint32_t slot)
{
    if (slot >= AB_SAVED_COUNT(image, COLLIDERS) || (scratch->collider[slot] & AB_SLOT_MASK) != AB_SLOT_LIVE)
    {
        return AB_SET_COUNT;
    }
    const ab_saved_collider *collider = &AB_SAVED(image, COLLIDERS, ab_saved_collider)[slot];
    const uint32_t body = AB_SAVED(image, BODIES, ab_saved_body)[collider->collider_key >> 8].state;
    const uint32_t state = AB_SAVED(image, COLLIDER_STATES, uint32_t)[slot];
    const bool collides = ((body & AB_STATE_DISABLED) | (state & AB_STATE_NOTHING)) == 0;
    return state & AB_SAVED_STATIC ? AB_STATIC_SET : collides ? AB_ACTIVE : AB_SET_COUNT;
}

// Reserves room for all of a checked image, and marks the colliders whose proxies stay. kept: its slots are the
// world's. False without memory.
bool ab_restore_reserve(abut_world *world, const ab_image *image, const ab_image_scratch *scratch, bool kept);

// Replaces the world's state, in room that was reserved, with the image's and the results that were read from it.
// Cannot fail.
void ab_restore_take(abut_world *world, const ab_image *image, const ab_image_scratch *scratch,
                     const abut_registry *registry, bool kept, const ab_read_results *read);

#endif
