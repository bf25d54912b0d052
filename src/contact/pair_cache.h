// Pairs of colliders of which something holds from one detect to the next: that one is in the other (sensors), that the
// caller will not have them touch (refusals). Those that the last detect found stand in the order of their keys. One
// that was not found because neither side moves nor changed goes on: it rests, apart from them, where a step does not
// look at it.
//
// An update looks at what is there already without touching it, and takes its place in the end, when nothing can be
// refused any more.
#ifndef AB_PAIR_CACHE_H
#define AB_PAIR_CACHE_H

#include "contact/woken_pairs.h"
#include "pairs/pair_lists.h"

typedef struct ab_cached_pair
{
    abut_body a, b;
    abut_collider collider_a, collider_b;
    abut_filter filter_a, filter_b; // as they were when the pair was put down
} ab_cached_pair;

// Sorted by key.
typedef struct ab_cached_pairs
{
    uint64_t *keys;        // growable
    ab_cached_pair *pairs; // growable, parallel
} ab_cached_pairs;

typedef struct ab_pair_cache
{
    ab_cached_pairs found[2];
    uint32_t published; // which of them is of the last detect; the other is made
    ab_pair_lists asleep;
    ab_cached_pair *at_rest; // growable, by slot of `resting`
    ab_cached_pairs sorted;  // a copy of those at rest in order, made when asked for
    uint32_t *slots;         // growable: room to sort them
    bool stale;              // the copy is behind
} ab_pair_cache;

// One update: what was there before, whatever side of `resting` it comes from, and what becomes of it.
typedef struct ab_pair_cache_update
{
    ab_merged_pairs before;
    ab_woken_pairs woken_pairs;
    uint32_t *rested; // origins
    uint32_t rested_count;
} ab_pair_cache_update;

// Finds what was there before. False when out of memory.
bool ab_pair_cache_begin(ab_pair_cache_update *update, ab_arena *arena, const ab_pair_cache *kept,
                         const ab_contact_names *names);

// Pair `i` of those before.
const ab_cached_pair *ab_pair_cache_before(const ab_pair_cache *kept, const ab_pair_cache_update *update, uint32_t i);

// Says that pair `i` was not found again: true when that is because it rests.
bool ab_pair_cache_lose(ab_pair_cache_update *update, const ab_pair_cache *kept, const ab_contact_names *names,
                        uint32_t i);

// Room for what came to rest; to be called once everything lost was named. False when out of memory.
bool ab_pair_cache_end(const ab_pair_cache_update *update, ab_pair_cache *kept, ab_memory *memory, uint32_t body_slots);

// The list under construction takes the place of the published one, and what rests its own.
void ab_pair_cache_publish(const ab_pair_cache_update *update, ab_pair_cache *kept);

// The lists, for reading: of the last detect, of what rests (takes no memory), and the one under construction.
const ab_cached_pairs *ab_pair_cache_found(const ab_pair_cache *kept);
const ab_cached_pairs *ab_pair_cache_asleep(ab_pair_cache *kept);
ab_cached_pairs *ab_pair_cache_next(ab_pair_cache *kept);

bool ab_cached_pairs_resize(ab_cached_pairs *list, ab_memory *memory, size_t count);

void ab_pair_cache_close(ab_pair_cache *kept);
void ab_pair_cache_check(const ab_pair_cache *kept);

#endif
