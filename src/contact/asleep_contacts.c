// Lists the contacts of sleeping or static bodies, and sorts them for callers.
#include "contact/asleep_contacts.h"

#include "base/array.h"

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
