// Stores the contacts of sleeping or static bodies by slot, and makes the sorted copy that callers read.
#include "contact/asleep_contacts.h"

#include "base/array.h"
#include "narrow/narrow.h"

#include <string.h>

static bool is_room(const ab_results *sorted, size_t slots)
{
    return ab_results_have_room(sorted, slots, AB_MAX_POINTS * slots);
}

// Reserves the copy, or its replacement: a caller may hold the present copy, but never `roomier`.
static bool reserve_sorted(ab_asleep_contacts *asleep, ab_memory *memory, size_t slots)
{
    return is_room(&asleep->sorted, slots) ||
           ab_results_reserve(&asleep->roomier, memory, slots, AB_MAX_POINTS * slots);
}

bool ab_asleep_contacts_reserve(ab_asleep_contacts *asleep, ab_memory *memory, uint32_t more, uint32_t body_slots)
{
    const size_t slots = ab_pair_lists_slots(&asleep->lists, more);
    return ab_pair_lists_reserve(&asleep->lists, memory, more, body_slots) &&
           ab_array_reserve(asleep->contacts, memory, slots) &&
           ab_array_reserve(asleep->points, memory, AB_MAX_POINTS * slots) &&
           ab_array_reserve(asleep->impulses, memory, AB_MAX_POINTS * slots) &&
           ab_array_reserve(asleep->order, memory, slots + 1) && reserve_sorted(asleep, memory, slots);
}

void ab_asleep_contacts_take_impulses(ab_asleep_contacts *asleep)
{
    const ab_results *copy = &asleep->sorted;
    for (size_t i = 0; i < arrlenu(copy->contacts) && !asleep->stale; ++i)
    {
        const abut_contact *contact = &copy->contacts[i];
        memcpy(&asleep->impulses[AB_MAX_POINTS * (size_t)asleep->order[i]], &copy->impulses[contact->first_point],
               contact->point_count * sizeof *copy->impulses);
    }
}

// Call before any slot changes: saves the impulses that callers wrote into the copy.
static void outdate(ab_asleep_contacts *asleep)
{
    ab_asleep_contacts_take_impulses(asleep);
    asleep->stale = true;
}

void ab_asleep_contacts_put(ab_asleep_contacts *asleep, const ab_results *from, uint32_t which)
{
    outdate(asleep);
    const abut_contact *contact = &from->contacts[which];
    const ab_pair_end ends[2] = { { contact->a.slot, contact->collider_a, contact->child },
                                  { contact->b.slot, contact->collider_b, 0 } };
    const uint32_t slot = ab_pair_lists_put(&asleep->lists, from->keys[which], ends);
    const uint32_t first = from->first_points[which];
    const size_t slots = arrlenu(asleep->lists.keys);
    ab_array_set_length(asleep->contacts, slots);
    ab_array_set_length(asleep->points, AB_MAX_POINTS * slots);
    ab_array_set_length(asleep->impulses, AB_MAX_POINTS * slots);
    asleep->contacts[slot] = *contact;
    asleep->contacts[slot].previous = ABUT_NONE;
    memcpy(&asleep->points[AB_MAX_POINTS * (size_t)slot], &from->points[first], AB_MAX_POINTS * sizeof *from->points);
    memcpy(&asleep->impulses[AB_MAX_POINTS * (size_t)slot], &from->impulses[first],
           AB_MAX_POINTS * sizeof *from->impulses);
}

void ab_asleep_contacts_remove(ab_asleep_contacts *asleep, uint32_t slot)
{
    outdate(asleep);
    ab_pair_lists_remove(&asleep->lists, slot);
}

void ab_asleep_contacts_clear(ab_asleep_contacts *asleep)
{
    ab_pair_lists_clear(&asleep->lists);
    asleep->stale = true;
}

const ab_results *ab_asleep_contacts_sorted(ab_asleep_contacts *asleep)
{
    ab_results *out = &asleep->sorted;
    if (!asleep->stale)
    {
        return out;
    }
    if (!is_room(out, arrlenu(asleep->lists.keys)))
    {
        ab_results_close(out);
        *out = asleep->roomier;
        asleep->roomier = (ab_results){ 0 };
    }
    const uint32_t count = ab_pair_lists_sorted(&asleep->lists, asleep->order);
    uint32_t points = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const size_t slot = asleep->order[i];
        out->contacts[i] = asleep->contacts[slot];
        out->contacts[i].first_point = points;
        out->keys[i] = asleep->lists.keys[slot];
        memcpy(&out->points[points], &asleep->points[AB_MAX_POINTS * slot], AB_MAX_POINTS * sizeof *out->points);
        memcpy(&out->impulses[points], &asleep->impulses[AB_MAX_POINTS * slot], AB_MAX_POINTS * sizeof *out->impulses);
        out->first_points[i] = points;
        points += out->contacts[i].point_count;
    }
    out->first_points[count] = points;
    ab_array_set_length(asleep->order, count);
    ab_array_set_length(out->contacts, count);
    ab_array_set_length(out->keys, count);
    ab_array_set_length(out->points, points);
    ab_array_set_length(out->impulses, points);
    asleep->stale = false;
    return out;
}

void ab_asleep_contacts_close(ab_asleep_contacts *asleep)
{
    ab_pair_lists_close(&asleep->lists);
    arrfree(asleep->contacts);
    arrfree(asleep->points);
    arrfree(asleep->impulses);
    arrfree(asleep->order);
    ab_results_close(&asleep->sorted);
    ab_results_close(&asleep->roomier);
}

void ab_asleep_contacts_check(const ab_asleep_contacts *asleep)
{
    ab_pair_lists_check(&asleep->lists);
}
