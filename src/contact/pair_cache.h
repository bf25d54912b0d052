// Pairs of colliders with a property that lasts from detect to detect: sensor overlaps and vetoed pairs. The pairs that
// the last detect found are sorted by key. A pair that was not found because neither side moved or was edited stays in
// the cache: it is asleep, in lists that a detect does not walk.
//
// An update only reads the cache, and replaces its content at the end, in a step that cannot fail.
#ifndef AB_PAIR_CACHE_H
#define AB_PAIR_CACHE_H

#include "contact/woken_pairs.h"
#include "pairs/pair_lists.h"

typedef struct ab_cached_pair
{
    abut_body a, b;
    abut_collider collider_a, collider_b;
    abut_filter filter_a, filter_b; // at the time of the veto
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
    uint32_t published; // the last detect's; the next update builds the other
    ab_pair_lists asleep;
    ab_cached_pair *asleep_pairs; // growable, by slot of `asleep`
    ab_cached_pairs sorted;       // a sorted copy of the sleeping pairs, made on demand
    uint32_t *slots;              // growable: room to sort them
    bool stale;                   // the copy is out of date
} ab_pair_cache;

// One update: the pairs before, awake and woken, and those that fall asleep.
typedef struct ab_pair_cache_update
{
    ab_merged_pairs before;
    ab_woken_pairs woken_pairs;
    uint32_t *newly_asleep; // newly asleep: origins
    uint32_t newly_asleep_count;
} ab_pair_cache_update;

// Finds the pairs before. False when out of memory.
bool ab_pair_cache_begin(ab_pair_cache_update *update, ab_arena *arena, const ab_pair_cache *kept,
                         const ab_contact_names *names);

// Pair `i` of those before.
const ab_cached_pair *ab_pair_cache_before(const ab_pair_cache *kept, const ab_pair_cache_update *update, uint32_t i);

// Whether pair `i` was not looked for because neither body was anchored anew, and one of them may move.
bool ab_pair_cache_stands(const ab_pair_cache_update *update, const ab_pair_cache *kept, const ab_contact_names *names,
                          uint32_t i);

// Records that pair `i` was not found. Returns true if it is asleep, false if it ended.
bool ab_pair_cache_lose(ab_pair_cache_update *update, const ab_pair_cache *kept, const ab_contact_names *names,
                        uint32_t i);

// Reserves room for the newly asleep pairs. Call after the last ab_pair_cache_lose. False when out of memory.
bool ab_pair_cache_end(const ab_pair_cache_update *update, ab_pair_cache *kept, ab_memory *memory, uint32_t body_slots);

// Publishes the new list, and moves woken and newly asleep pairs.
void ab_pair_cache_publish(const ab_pair_cache_update *update, ab_pair_cache *kept);

// The last detect's list, the sleeping pairs (takes no memory), and the list under construction.
const ab_cached_pairs *ab_pair_cache_found(const ab_pair_cache *kept);
const ab_cached_pairs *ab_pair_cache_asleep(ab_pair_cache *kept);
ab_cached_pairs *ab_pair_cache_next(ab_pair_cache *kept);

// Reserves room for `found` and `asleep` pairs in all. False when out of memory.
bool ab_pair_cache_reserve_all(ab_pair_cache *kept, ab_memory *memory, uint32_t found, uint32_t asleep,
                               uint32_t body_slots);

// Replaces the content, in room reserved before: clear, then put each pair, in the order of keys, found or asleep.
void ab_pair_cache_clear(ab_pair_cache *kept);
void ab_pair_cache_put(ab_pair_cache *kept, uint64_t key, const ab_cached_pair *pair, bool asleep);

bool ab_cached_pairs_resize(ab_cached_pairs *list, ab_memory *memory, size_t count);

// Gives back room of the list under construction that it has not needed for long.
void ab_pair_cache_trim(ab_pair_cache *kept, ab_memory *memory);

void ab_pair_cache_close(ab_pair_cache *kept);
void ab_pair_cache_check(const ab_pair_cache *kept);

#endif
