// Two sorted lists side by side, and the first difference between them.
#include "base/array.h"
#include "world/audit.h"

#include <string.h>

// Bits, not values: kernels owe the same bits.
static bool same_bits(const void *x, const void *y, size_t size)
{
    return memcmp(x, y, size) == 0;
}

static bool same_contact(const ab_results *x, uint32_t i, const ab_results *y, uint32_t j)
{
    const abut_contact *c = &x->contacts[i], *d = &y->contacts[j];
    return same_bits(&c->normal, &d->normal, sizeof c->normal) && c->separation == d->separation &&
           c->point_count == d->point_count && c->flags == d->flags &&
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

static void tell_pair(abut_audit *out, const char *what, const ab_kept_pair *pair)
{
    out->what = what;
    out->a = pair->a;
    out->b = pair->b;
    out->collider_a = pair->collider_a;
    out->collider_b = pair->collider_b;
}

// Two lists of kept pairs, of the last detect and at rest, read as one.
typedef struct walk
{
    const ab_kept_list *found, *resting;
    uint32_t in_found, in_resting;
} walk;

static walk walk_kept(ab_kept_pairs *kept)
{
    return (walk){ .found = ab_kept_found(kept), .resting = ab_kept_resting(kept) };
}

static bool is_in_found(const walk *w)
{
    return key_at(w->found->keys, w->in_found) <= key_at(w->resting->keys, w->in_resting);
}

static uint64_t walk_key(const walk *w)
{
    return is_in_found(w) ? key_at(w->found->keys, w->in_found) : key_at(w->resting->keys, w->in_resting);
}

static const ab_kept_pair *walk_pair(const walk *w)
{
    return is_in_found(w) ? &w->found->pairs[w->in_found] : &w->resting->pairs[w->in_resting];
}

static void walk_on(walk *w)
{
    ++*(is_in_found(w) ? &w->in_found : &w->in_resting);
}

void ab_audit_contacts(abut_audit *out, abut_world *world, const ab_results *found)
{
    const ab_results *awake = ab_contact_store_now(&world->store);
    const ab_results *resting = ab_resting_sorted(&world->store.resting);
    walk refused = walk_kept(&world->store.refusals);
    uint32_t in_awake = 0, in_resting = 0;
    for (uint32_t i = 0;; ++i)
    {
        const uint64_t key_awake = key_at(awake->keys, in_awake), key_resting = key_at(resting->keys, in_resting);
        const bool from_awake = key_awake <= key_resting;
        const ab_results *there = from_awake ? awake : resting;
        const uint32_t at = from_awake ? in_awake : in_resting;
        const uint64_t key = from_awake ? key_awake : key_resting, expected = key_at(found->keys, i);
        const uint64_t key_refused = walk_key(&refused);
        if (key == AB_NO_KEY && expected == AB_NO_KEY && key_refused == AB_NO_KEY)
        {
            return;
        }
        if (key_refused < expected || key_refused == key)
        {
            tell_pair(out,
                      key_refused == key ? "a contact is of a pair that was refused" : "a refused pair does not touch",
                      walk_pair(&refused));
            return;
        }
        if (key_refused == expected)
        {
            walk_on(&refused);
            continue;
        }
        if (expected < key)
        {
            tell_contact(out, "a pair that touches is not among the contacts", &found->contacts[i]);
            return;
        }
        if (key < expected || !same_contact(there, at, found, i))
        {
            tell_contact(out,
                         key < expected ? "a contact is of a pair that does not touch"
                                        : "a contact's manifold is not what its kernel gives",
                         &there->contacts[at]);
            return;
        }
        in_awake += from_awake;
        in_resting += !from_awake;
    }
}

static void tell_missing(abut_audit *out, const abut_world *world, const ab_sort_entry *entry)
{
    const uint32_t body_a = (uint32_t)(entry->key >> 40), body_b = (uint32_t)entry->key >> 8;
    const uint32_t a = world->leaves.collider[(uint32_t)entry->payload];
    const uint32_t b = world->leaves.collider[entry->payload >> 32];
    out->what = "a collider in a sensor is not among its overlaps";
    out->a = (abut_body){ body_a, world->bodies.life[body_a] };
    out->b = (abut_body){ body_b, world->bodies.life[body_b] };
    out->collider_a = (abut_collider){ a, world->colliders.life[a] };
    out->collider_b = (abut_collider){ b, world->colliders.life[b] };
}

void ab_audit_overlaps(abut_audit *out, abut_world *world, const ab_sort_entry *found, uint32_t count)
{
    walk there = walk_kept(&world->sensors.overlaps);
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
