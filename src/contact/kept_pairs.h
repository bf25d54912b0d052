// Pairs of colliders of which something holds from one detect to the next: that one is in the other (sensors), that the caller
// will not have them touch (refusals). Those that the last detect found stand in the order of their keys. One that was not found
// because neither side moves nor changed goes on: it rests, apart from them, where a step does not look at it.
//
// An update looks at what is there already without touching it, and takes its place in the end, when nothing can be refused
// any more.
#ifndef AB_KEPT_PAIRS_H
#define AB_KEPT_PAIRS_H

#include "contact/returning.h"
#include "pairs/pair_lists.h"

typedef struct ab_kept_pair
{
    abut_body a, b;
    abut_collider collider_a, collider_b;
    abut_filter filter_a, filter_b; // as they were when the pair was put down
} ab_kept_pair;

// Sorted by key.
typedef struct ab_kept_list
{
    uint64_t *keys;      // growable
    ab_kept_pair *pairs; // growable, parallel
} ab_kept_list;

typedef struct ab_kept_pairs
{
    ab_kept_list found[2];
    uint32_t published; // which of them is of the last detect; the other is made
    ab_pair_lists resting;
    ab_kept_pair *at_rest; // growable, by slot of `resting`
    ab_kept_list sorted;   // a copy of those at rest in order, made when asked for
    uint32_t *slots;       // growable: room to sort them
    bool stale;            // the copy is behind
} ab_kept_pairs;

// One update: what was there before, whatever side of `resting` it comes from, and what becomes of it.
typedef struct ab_kept_update
{
    ab_woven before;
    ab_returning returning;
    uint32_t *rested; // origins
    uint32_t rested_count;
} ab_kept_update;

// Finds what was there before. False when memory is refused.
bool ab_kept_begin(ab_kept_update *update, ab_arena *arena, const ab_kept_pairs *kept, const ab_contact_names *names);

// Pair `i` of those before.
const ab_kept_pair *ab_kept_before(const ab_kept_pairs *kept, const ab_kept_update *update, uint32_t i);

// Says that pair `i` was not found again: true when that is because it rests.
bool ab_kept_lose(ab_kept_update *update, const ab_kept_pairs *kept, const ab_contact_names *names, uint32_t i);

// Room for what came to rest; to be called once everything lost was named. False when memory is refused.
bool ab_kept_end(const ab_kept_update *update, ab_kept_pairs *kept, ab_memory *memory, uint32_t body_slots);

// The list under construction takes the place of the published one, and what rests its own.
void ab_kept_publish(const ab_kept_update *update, ab_kept_pairs *kept);

// The lists, for reading: of the last detect, of what rests (takes no memory), and the one under construction.
const ab_kept_list *ab_kept_found(const ab_kept_pairs *kept);
const ab_kept_list *ab_kept_resting(ab_kept_pairs *kept);
ab_kept_list *ab_kept_next(ab_kept_pairs *kept);

bool ab_kept_list_resize(ab_kept_list *list, ab_memory *memory, size_t count);

void ab_kept_close(ab_kept_pairs *kept);
void ab_kept_check(const ab_kept_pairs *kept);

#endif
