// The caller's veto (contact filter callback). A detect shows the caller all its new pairs at once, with those that a
// bullet is to hit farther off. A vetoed pair is left out until it separates or a filter of it changes. What does not
// touch yet, or no more, is asked about each time.
#ifndef AB_VETOES_H
#define AB_VETOES_H

#include "contact/contact_order.h"
#include "contact/contact_write.h"
#include "contact/merge.h"
#include "contact/pair_cache.h"

// A pair of which a CCD body hits the other within the horizon.
typedef struct ab_coming_hit
{
    uint64_t key;
    uint32_t proxy_a, proxy_b; // a: of the body with the lower slot
    float time;                // seconds until then
    float approach;            // metres that the bodies travel towards each other until then
    abut_vec3 normal;          // unit, from a to b
} ab_coming_hit;

// An update that is not yet published.
typedef struct ab_vetoing
{
    ab_pair_cache_update update;
    bool *stays;    // by pair that was vetoed before, whether it stays vetoed
    uint64_t *keys; // of newly vetoed pairs, sorted
    ab_cached_pair *pairs;
    uint64_t *refused; // pairs that no contact is of and must not be hit in this detect, sorted
    uint32_t stay_count, count, refused_count;
} ab_vetoing;

// What is asked about.
typedef struct ab_vetoing_in
{
    ab_contact_order *order;
    const ab_merge *merge;     // once there is one
    const abut_contact *apart; // by slot: the contacts before, some of which were apart; NULL: none were
    const ab_packed_manifolds *manifolds;
    const ab_followed *followed; // by entry of the manifolds; NULL: no body has moved since it was anchored
    const ab_contact_names *names;
    const ab_coming_hit *hits; // by key, one of each pair
    uint32_t hit_count;
} ab_vetoing_in;

// Removes the pairs vetoed before from the order, but those that do not touch now. False when out of memory.
bool ab_vetoes_drop(ab_vetoing *vetoing, const ab_pair_cache *vetoes, ab_arena *arena, const ab_vetoing_in *in);

// Asks about the pairs of a merge that are new, that did not touch before, or of which a filter has changed, and about
// hits of pairs that are not in the order. Removes the vetoed ones from the order: the caller merges again if
// vetoing->count is not zero then. False when out of memory.
bool ab_vetoes_ask(ab_vetoing *vetoing, ab_arena *arena, const ab_vetoing_in *in);

// Whether a pair is vetoed now, or its hit is, once that has been asked.
bool ab_vetoes_have(const ab_vetoing *vetoing, uint64_t key);

// Builds the list of all vetoed pairs. False when out of memory.
bool ab_vetoes_end(const ab_vetoing *vetoing, ab_pair_cache *vetoes, ab_memory *memory, uint32_t body_slots);

#endif
