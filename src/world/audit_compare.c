// Walks two sorted lists side by side to their first difference.
#include "base/array.h"
#include "world/audit.h"

#include <string.h>

// Compares bits, not values: kernels must return the same bits.
static bool same_bits(const void *x, const void *y, size_t size)
{
    return memcmp(x, y, size) == 0;
}

// Whether it is new or recycled follows from the detects before.
static bool same_contact(const abut_contact *c, const abut_contact *d)
{
    const uint32_t flags = (uint32_t)c->flags ^ d->flags;
    return c->child == d->child && same_bits(&c->normal, &d->normal, sizeof c->normal) &&
           c->separation == d->separation && c->point_count == d->point_count &&
           (flags & ~(uint32_t)(ABUT_CONTACT_NEW | ABUT_CONTACT_RECYCLED)) == 0 &&
           same_bits(c->points, d->points, c->point_count * sizeof *c->points);
}

static uint64_t key_at(const uint64_t *keys, uint32_t i)
{
    return i < arrlenu(keys) ? keys[i] : AB_NO_KEY;
}

static void tell_contact(abut_audit *out, const char *what, const ab_contact_store *store, uint32_t slot)
{
    out->what = what;
    out->a = store->pool.contacts[slot].a;
    out->b = store->pool.contacts[slot].b;
    out->collider_a = store->pool.colliders[slot].a;
    out->collider_b = store->pool.colliders[slot].b;
}

static void tell_pair(abut_audit *out, const char *what, const ab_cached_pair *pair)
{
    out->what = what;
    out->a = pair->a;
    out->b = pair->b;
    out->collider_a = pair->collider_a;
    out->collider_b = pair->collider_b;
}

// The two lists of a pair cache, of the last detect and asleep, walked as one.
typedef struct walk
{
    const ab_cached_pairs *found, *asleep;
    uint32_t in_found, in_asleep;
} walk;

static walk walk_pair_cache(ab_pair_cache *kept)
{
    return (walk){ .found = ab_pair_cache_found(kept), .asleep = ab_pair_cache_asleep(kept) };
}

static bool is_in_found(const walk *w)
{
    return key_at(w->found->keys, w->in_found) <= key_at(w->asleep->keys, w->in_asleep);
}

static uint64_t walk_key(const walk *w)
{
    return is_in_found(w) ? key_at(w->found->keys, w->in_found) : key_at(w->asleep->keys, w->in_asleep);
}

static const ab_cached_pair *walk_pair(const walk *w)
{
    return is_in_found(w) ? &w->found->pairs[w->in_found] : &w->asleep->pairs[w->in_asleep];
}

static void walk_on(walk *w)
{
    ++*(is_in_found(w) ? &w->in_found : &w->in_asleep);
}

// The awake and the sleeping contacts, walked as one list.
typedef struct contact_walk
{
    const ab_contact_store *store;
    const ab_contact_list *awake, *asleep;
    uint32_t in_awake, in_asleep;
} contact_walk;

static bool is_awake(const contact_walk *w)
{
    return key_at(w->awake->keys, w->in_awake) <= key_at(w->asleep->keys, w->in_asleep);
}

static uint64_t contact_key(const contact_walk *w)
{
    return is_awake(w) ? key_at(w->awake->keys, w->in_awake) : key_at(w->asleep->keys, w->in_asleep);
}

static uint32_t contact_slot(const contact_walk *w)
{
    return is_awake(w) ? w->awake->slots[w->in_awake] : w->asleep->slots[w->in_asleep];
}

static void contact_walk_on(contact_walk *w)
{
    ++*(is_awake(w) ? &w->in_awake : &w->in_asleep);
}

// Reports what is wrong with the next contact when the one in slot `due_slot` of `found` is expected; true if nothing
// is.
static bool next_is_right(abut_audit *out, const contact_walk *there, const ab_contact_store *found, uint64_t due,
                          uint32_t due_slot)
{
    const uint64_t key = contact_key(there);
    if (due < key)
    {
        tell_contact(out, "a pair that touches is not among the contacts", found, due_slot);
    }
    else if (key < due)
    {
        tell_contact(out, "a contact is of a pair that does not touch", there->store, contact_slot(there));
    }
    else if (!same_contact(&there->store->pool.contacts[contact_slot(there)], &found->pool.contacts[due_slot]))
    {
        tell_contact(out, "a contact's manifold is not what its kernel gives", found, due_slot);
    }
    return !out->what;
}

// Whether a contact is of two colliders in the static set that are apart: where manifolds are recycled such a pair has
// a contact only while one of the two may move.
static bool is_apart_at_rest(const abut_world *world, const ab_contact_store *found, uint32_t slot)
{
    const abut_contact_colliders *colliders = &found->pool.colliders[slot];
    const ab_contact_names names = ab_world_names(world);
    return (found->pool.contacts[slot].flags & ABUT_CONTACT_SPECULATIVE) != 0 &&
           ab_collider_in_static_set(&names, colliders->a) && ab_collider_in_static_set(&names, colliders->b);
}

void ab_audit_contacts(abut_audit *out, abut_world *world, ab_contact_store *found)
{
    ab_contact_store *store = &world->state.store;
    const ab_contact_list *list = ab_contact_store_now(found);
    contact_walk there = { store, ab_contact_store_now(store), ab_asleep_contacts_sorted(&store->asleep), 0, 0 };
    walk vetoed = walk_pair_cache(&store->vetoes);
    for (uint32_t i = 0; !out->what;)
    {
        const uint64_t key = contact_key(&there), due = key_at(list->keys, i), vetoed_key = walk_key(&vetoed);
        if (key == AB_NO_KEY && due == AB_NO_KEY && vetoed_key == AB_NO_KEY)
        {
            return;
        }
        if (due != AB_NO_KEY && due != vetoed_key && is_apart_at_rest(world, found, list->slots[i]))
        {
            ++i;
            continue;
        }
        if (vetoed_key < due)
        {
            tell_pair(out, "a vetoed pair does not touch", walk_pair(&vetoed));
        }
        else if (vetoed_key == due && vetoed_key != AB_NO_KEY && key != due)
        {
            walk_on(&vetoed);
            while (key_at(list->keys, i + 1) == due) // with all its children
            {
                ++i;
            }
        }
        else if (vetoed_key == due && vetoed_key != AB_NO_KEY)
        {
            tell_pair(out, "a contact is of a pair that was vetoed", walk_pair(&vetoed));
        }
        else if (next_is_right(out, &there, found, due, due != AB_NO_KEY ? list->slots[i] : 0))
        {
            contact_walk_on(&there);
        }
        ++i;
    }
}

static void tell_missing(abut_audit *out, const abut_world *world, const ab_sort_entry *entry)
{
    const uint32_t body_a = (uint32_t)(entry->key >> 40), body_b = (uint32_t)entry->key >> 8;
    const uint32_t a = world->cache.proxies.collider[(uint32_t)entry->payload];
    const uint32_t b = world->cache.proxies.collider[entry->payload >> 32];
    out->what = "a collider in a sensor is not among its overlaps";
    out->a = (abut_body){ body_a, world->state.bodies.generation[body_a] };
    out->b = (abut_body){ body_b, world->state.bodies.generation[body_b] };
    out->collider_a = (abut_collider){ a, world->state.colliders.generation[a] };
    out->collider_b = (abut_collider){ b, world->state.colliders.generation[b] };
}

void ab_audit_overlaps(abut_audit *out, abut_world *world, const ab_sort_entry *found, uint32_t count)
{
    walk there = walk_pair_cache(&world->state.sensors.overlaps);
    for (uint32_t i = 0;; ++i, walk_on(&there))
    {
        const uint64_t key = walk_key(&there), expected = i < count ? found[i].key : AB_NO_KEY;
        if (key == AB_NO_KEY && expected == AB_NO_KEY)
        {
            return;
        }
        if (expected < key)
        {
            tell_missing(out, world, &found[i]);
            return;
        }
        if (key < expected)
        {
            tell_pair(out, "an overlap is of a collider that is not in its sensor", walk_pair(&there));
            return;
        }
    }
}
