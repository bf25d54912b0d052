// Walks two sorted lists side by side to their first difference.
#include "base/array.h"
#include "world/audit.h"

#include <string.h>

// Compares bits, not values: kernels must return the same bits.
static bool same_bits(const void *x, const void *y, size_t size)
{
    return memcmp(x, y, size) == 0;
}

static bool same_contact(const ab_results *x, uint32_t i, const ab_results *y, uint32_t j)
{
    const abut_contact *c = &x->contacts[i], *d = &y->contacts[j];
    return c->child == d->child && same_bits(&c->normal, &d->normal, sizeof c->normal) &&
           c->separation == d->separation && c->point_count == d->point_count && c->flags == d->flags &&
           same_bits(&x->points[c->first_point], &y->points[d->first_point], c->point_count * sizeof *x->points);
}

static uint64_t key_at(const uint64_t *keys, uint32_t i)
{
    return i < arrlenu(keys) ? keys[i] : AB_NO_KEY;
}

static void tell_contact(abut_audit *out, const char *what, const abut_contact *contact)
{
    out->what = what;
    out->a = contact->a;
    out->b = contact->b;
    out->collider_a = contact->collider_a;
    out->collider_b = contact->collider_b;
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
    const ab_results *awake, *asleep;
    uint32_t in_awake, in_asleep;
} contact_walk;

static bool is_awake(const contact_walk *w)
{
    return key_at(w->awake->keys, w->in_awake) <= key_at(w->asleep->keys, w->in_asleep);
}

static const ab_results *results_at(const contact_walk *w)
{
    return is_awake(w) ? w->awake : w->asleep;
}

static uint32_t index_at(const contact_walk *w)
{
    return is_awake(w) ? w->in_awake : w->in_asleep;
}

static void contact_walk_on(contact_walk *w)
{
    ++*(is_awake(w) ? &w->in_awake : &w->in_asleep);
}

// Whether the next contact has a reused manifold and no longer touches exactly, which the tolerance allows.
static bool is_kept_past_touching(const abut_world *world, const contact_walk *there, uint64_t due)
{
    const ab_results *results = results_at(there);
    const uint32_t i = index_at(there);
    return key_at(results->keys, i) < due && (results->contacts[i].flags & ABUT_CONTACT_RECYCLED) != 0 &&
           ab_audit_recycled(world, &results->contacts[i], NULL);
}

// The same bits, or within the tolerance of a reused manifold.
static bool agrees(const abut_world *world, const contact_walk *there, const ab_results *found, uint32_t i)
{
    const abut_contact *contact = &results_at(there)->contacts[index_at(there)];
    return contact->flags & ABUT_CONTACT_RECYCLED ? ab_audit_recycled(world, contact, &found->contacts[i])
                                                  : same_contact(results_at(there), index_at(there), found, i);
}

// Reports what is wrong with the next contact when found[i] is expected; true if nothing is.
static bool next_is_right(abut_audit *out, const abut_world *world, const contact_walk *there, const ab_results *found,
                          uint32_t i)
{
    const uint64_t key = key_at(results_at(there)->keys, index_at(there)), due = key_at(found->keys, i);
    if (due < key)
    {
        tell_contact(out, "a pair that touches is not among the contacts", &found->contacts[i]);
    }
    else if (key < due)
    {
        tell_contact(out, "a contact is of a pair that does not touch", &results_at(there)->contacts[index_at(there)]);
    }
    else if (!agrees(world, there, found, i))
    {
        tell_contact(out, "a contact's manifold is not what its kernel gives", &found->contacts[i]);
    }
    return !out->what;
}

void ab_audit_contacts(abut_audit *out, abut_world *world, const ab_results *found)
{
    contact_walk there = { .awake = ab_contact_store_now(&world->state.store),
                           .asleep = ab_asleep_contacts_sorted(&world->state.store.asleep) };
    walk vetoed = walk_pair_cache(&world->state.store.vetoes);
    for (uint32_t i = 0; !out->what;)
    {
        const uint64_t key = key_at(results_at(&there)->keys, index_at(&there)), due = key_at(found->keys, i);
        const uint64_t vetoed_key = walk_key(&vetoed);
        if (is_kept_past_touching(world, &there, due))
        {
            contact_walk_on(&there);
            continue;
        }
        if (key == AB_NO_KEY && due == AB_NO_KEY && vetoed_key == AB_NO_KEY)
        {
            return;
        }
        if (vetoed_key < due)
        {
            tell_pair(out, "a vetoed pair does not touch", walk_pair(&vetoed));
        }
        else if (vetoed_key == due && vetoed_key != AB_NO_KEY && key != due)
        {
            walk_on(&vetoed);
            while (key_at(found->keys, i + 1) == due) // with all its children
            {
                ++i;
            }
        }
        else if (vetoed_key == due && vetoed_key != AB_NO_KEY)
        {
            tell_pair(out, "a contact is of a pair that was vetoed", walk_pair(&vetoed));
        }
        else if (next_is_right(out, world, &there, found, i))
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
