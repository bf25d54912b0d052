// Lists the contacts of sleeping or static bodies, sorts them for callers, and tells them from those that end.
#include "contact/asleep_contacts.h"

#include "base/array.h"
#include "contact/contact_tasks.h"
#include "pairs/pair_index.h"

bool ab_asleep_contacts_reserve(ab_asleep_contacts *asleep, ab_memory *memory, uint32_t more, uint32_t body_slots)
{
    const size_t slots = ab_pair_lists_slots(&asleep->lists, more);
    return ab_pair_lists_reserve(&asleep->lists, memory, more, body_slots) &&
           ab_array_reserve(asleep->slots, memory, slots) && ab_contact_list_reserve(&asleep->sorted, memory, slots);
}

void ab_asleep_contacts_put(ab_asleep_contacts *asleep, const ab_contact_pool *pool, uint64_t key, uint32_t slot)
{
    const abut_contact *contact = &pool->contacts[slot];
    const ab_pair_end ends[2] = { { contact->a.slot, pool->colliders[slot].a, contact->child },
                                  { contact->b.slot, pool->colliders[slot].b, 0 } };
    const uint32_t which = ab_pair_lists_put(&asleep->lists, key, ends);
    ab_array_set_length(asleep->slots, arrlenu(asleep->lists.keys));
    asleep->slots[which] = slot;
    asleep->stale = true;
}

void ab_asleep_contacts_remove(ab_asleep_contacts *asleep, uint32_t which)
{
    ab_pair_lists_remove(&asleep->lists, which);
    asleep->stale = true;
}

void ab_asleep_contacts_clear(ab_asleep_contacts *asleep)
{
    ab_pair_lists_clear(&asleep->lists);
    asleep->stale = true;
}

const ab_contact_list *ab_asleep_contacts_sorted(ab_asleep_contacts *asleep)
{
    ab_contact_list *out = &asleep->sorted;
    if (asleep->stale)
    {
        const uint32_t count = ab_pair_lists_sorted(&asleep->lists, out->slots);
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint32_t which = out->slots[i];
            out->keys[i] = asleep->lists.keys[which];
            out->slots[i] = asleep->slots[which];
        }
        ab_contact_list_set_length(out, count);
        asleep->stale = false;
    }
    return out;
}

void ab_asleep_contacts_close(ab_asleep_contacts *asleep)
{
    ab_pair_lists_close(&asleep->lists);
    ab_contact_list_close(&asleep->sorted);
    arrfree(asleep->slots);
}

void ab_asleep_contacts_check(const ab_asleep_contacts *asleep)
{
    ab_pair_lists_check(&asleep->lists);
}

static bool is_asleep(const ab_contact_update *u, uint32_t slot)
{
    const abut_contact_colliders *colliders = &u->store->pool.colliders[slot];
    return ab_collider_in_static_set(&u->names, colliders->a) && ab_collider_in_static_set(&u->names, colliders->b);
}

void ab_asleep_contacts_set_apart(ab_contact_update *u)
{
    const abut_contact *const contacts = u->store->pool.contacts;
    ab_merge *merge = &u->merge;
    uint32_t ended = 0, gone = 0;
    u->newly_asleep_count = 0;
    if (u->store->static_revision == ab_static_revision(u))
    {
        return; // no collider joined the static set
    }
    for (uint32_t i = 0; i < merge->ended_count; ++i)
    {
        merge->ended[ended] = merge->ended[i];
        ended += !is_asleep(u, merge->ended[i]);
    }
    for (uint32_t i = 0; i < merge->gone_count; ++i)
    {
        const uint32_t slot = merge->gone[i];
        const bool asleep = (contacts[slot].flags & ABUT_CONTACT_SPECULATIVE) == 0 && is_asleep(u, slot);
        u->newly_asleep[u->newly_asleep_count] = slot;
        u->newly_asleep_count += asleep;
        merge->gone[gone] = slot;
        gone += !asleep;
    }
    merge->ended_count = ended;
    merge->gone_count = gone;
}

// The key of a contact's pair.
static uint64_t key_of(const ab_contact_update *u, uint32_t slot)
{
    const abut_contact_colliders *colliders = &u->store->pool.colliders[slot];
    const ab_proxies *proxies = u->names.proxies;
    return ab_pair_key(proxies->record[proxies->proxy_of[colliders->a.slot]].collider_key,
                       proxies->record[proxies->proxy_of[colliders->b.slot]].collider_key);
}

void ab_asleep_contacts_exchange(const ab_contact_update *u)
{
    ab_contact_store *store = u->store;
    for (uint32_t i = 0; i < u->woken_pairs.count; ++i)
    {
        ab_asleep_contacts_remove(&store->asleep, u->woken_pairs.slots[i]);
    }
    for (uint32_t i = 0; i < u->newly_asleep_count; ++i)
    {
        const uint32_t slot = u->newly_asleep[i];
        store->pool.contacts[slot].flags &= (uint16_t)~ABUT_CONTACT_NEW;
        ab_asleep_contacts_put(&store->asleep, &store->pool, key_of(u, slot), slot);
    }
}
