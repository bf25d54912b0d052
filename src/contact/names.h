// The handles, user data and filters of the colliders that a detect finds pairs of.
#ifndef AB_NAMES_H
#define AB_NAMES_H

#include "bounds/anchors.h"
#include "narrow/narrow.h"

#include <abut/world.h>

// The caller's veto: ask() sets vetoed[i] for the pairs that must not become contacts.
typedef struct ab_veto
{
    void (*ask)(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed);
    void *context;
} ab_veto;

typedef struct ab_contact_names
{
    const ab_proxies *proxies;
    const ab_contact_name *name; // by collider slot; a collider destroyed since the last detect keeps its own
    const uint64_t *user_data;   // by body slot; likewise
    const uint32_t *collider_generations;
    const abut_filter *filters;         // by collider slot
    const uint32_t *collider_states;    // by collider slot
    uint32_t refiltered;                // a bit of them: the filter has changed since the last detect; zero: none has
    const uint64_t *collider_user_data; // by collider slot; likewise
    const uint32_t *woken;              // bodies of which a collider left the static set; may contain duplicates
    uint32_t woken_count;
    uint32_t body_slots;
    const ab_shift *shifts; // by body slot: how it has moved since it was anchored; NULL: no body has
    const uint8_t *known;   // by body slot: AB_ANCHOR_…; NULL: likewise
    bool anchors;           // contacts keep what their manifolds are at the anchors, to be followed from there
    float margin;           // past it a contact is speculative; infinity: none is
    ab_veto veto;           // ask is NULL: there is no veto
} ab_contact_names;

#endif
