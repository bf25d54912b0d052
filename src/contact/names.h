// What names and describes the colliders that a detect finds pairs of.
#ifndef AB_NAMES_H
#define AB_NAMES_H

#include "narrow/narrow.h"

#include <abut/world.h>

// What a contact calls one of its two.
typedef struct ab_contact_name
{
    abut_body body;
    abut_collider collider;
} ab_contact_name;

// Who is asked about pairs that are about to be contacts: ask() writes true for those that are not to be.
typedef struct ab_veto
{
    void (*ask)(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed);
    void *context;
} ab_veto;

typedef struct ab_contact_names
{
    const ab_proxies *proxies;
    const ab_contact_name *name; // by collider slot; of one that ended since the last detect: still its own
    const uint64_t *user_data;   // by body slot; likewise
    const uint32_t *collider_generations;
    const abut_filter *filters;         // by collider slot
    const uint64_t *collider_user_data; // by collider slot; likewise
    const uint32_t *woken; // bodies of which some collider was still and is not now; a body may stand there twice
    uint32_t woken_count;
    uint32_t body_slots;
    float margin;               // past it a contact is speculative; infinity: none is
    ab_veto veto;               // ask is NULL: nobody is asked
    const ab_pair_table *table; // which manifolds are worth remembering; read by a store that remembers
} ab_contact_names;

#endif
