// All contacts of a world after a detect, copied and sorted, to be looked up by pair, by name or by id.
#ifndef CONTACT_LISTING_H
#define CONTACT_LISTING_H

#include "small_world.h"

#include <stdlib.h>

enum
{
    MOST_CONTACTS = 4096, // listed at a time
    MOST_SLOTS = 16384
};

// A contact as it was listed.
typedef struct listed_contact
{
    abut_contact contact;
    abut_contact_colliders colliders;
    abut_impulse impulses[ABUT_CONTACT_POINTS];
    abut_contact_set set;
} listed_contact;

// All contacts after a detect, sorted by colliders and child.
typedef struct listing
{
    listed_contact one[MOST_CONTACTS];
    uint32_t count;
    uint32_t at[MOST_SLOTS]; // by slot: its index and one; zero: it is not listed
} listing;

static inline int order_of(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static inline int by_pair(const listed_contact *x, const listed_contact *y)
{
    const abut_contact_colliders a = x->colliders, b = y->colliders;
    const int slots = order_of(a.a.slot, b.a.slot) ? order_of(a.a.slot, b.a.slot) : order_of(a.b.slot, b.b.slot);
    const int generations = order_of(a.a.generation, b.a.generation) ? order_of(a.a.generation, b.a.generation)
                                                                     : order_of(a.b.generation, b.b.generation);
    return slots ? slots : generations;
}

static inline int by_name(const void *x, const void *y)
{
    const listed_contact *a = x, *b = y;
    return by_pair(a, b) ? by_pair(a, b) : order_of(a->contact.child, b->contact.child);
}

static inline bool touches(const listed_contact *e)
{
    return (e->contact.flags & ABUT_CONTACT_SPECULATIVE) == 0;
}

static inline const listed_contact *find(const listing *all, const listed_contact *wanted)
{
    return bsearch(wanted, all->one, all->count, sizeof *wanted, by_name);
}

// The contact with an id; NULL: none.
static inline const listed_contact *named(const listing *all, abut_contact_id id)
{
    const uint32_t at = id.slot < MOST_SLOTS ? all->at[id.slot] : 0;
    return at && same_id(all->one[at - 1].contact.id, id) ? &all->one[at - 1] : NULL;
}

// The first contact of a pair that touches; NULL: the pair does not touch. `first` is the first of the pair.
static inline const listed_contact *first_touching(const listing *all, const listed_contact *first)
{
    const listed_contact *end = all->one + all->count, *e = first;
    while (e < end && by_pair(e, first) == 0 && !touches(e))
    {
        ++e;
    }
    return e < end && by_pair(e, first) == 0 ? e : NULL;
}

static inline bool begins_pair(const listing *all, const listed_contact *e)
{
    return e == all->one || by_pair(e - 1, e) != 0;
}

// The first contact of that pair; NULL: it has none.
static inline const listed_contact *find_pair(const listing *all, const listed_contact *wanted)
{
    uint32_t low = 0, high = all->count;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const bool earlier = by_pair(&all->one[middle], wanted) < 0;
        low = earlier ? middle + 1 : low;
        high = earlier ? high : middle;
    }
    return low < all->count && by_pair(&all->one[low], wanted) == 0 ? &all->one[low] : NULL;
}

#endif
