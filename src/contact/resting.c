#include "contact/resting.h"

#include "base/array.h"
#include "narrow/narrow.h"

#include <string.h>

static bool is_room(const ab_results *sorted, size_t slots)
{
    return ab_results_have_room(sorted, slots, AB_MAX_POINTS * slots);
}

// Room in the copy for callers, or in the one that will follow it: nobody has seen that.
static bool reserve_sorted(ab_resting *resting, ab_memory *memory, size_t slots)
{
    return is_room(&resting->sorted, slots) ||
           ab_results_reserve(&resting->roomier, memory, slots, AB_MAX_POINTS * slots);
}

bool ab_resting_reserve(ab_resting *resting, ab_memory *memory, uint32_t more, uint32_t body_slots)
{
    const size_t slots = ab_pair_lists_slots(&resting->lists, more);
    return ab_pair_lists_reserve(&resting->lists, memory, more, body_slots) &&
           ab_array_reserve(resting->contacts, memory, slots) &&
           ab_array_reserve(resting->points, memory, AB_MAX_POINTS * slots) &&
           ab_array_reserve(resting->impulses, memory, AB_MAX_POINTS * slots) &&
           ab_array_reserve(resting->order, memory, slots + 1) && reserve_sorted(resting, memory, slots);
}

void ab_resting_take_impulses(ab_resting *resting)
{
    const ab_results *copy = &resting->sorted;
    for (size_t i = 0; i < arrlenu(copy->contacts) && !resting->stale; ++i)
    {
        const abut_contact *contact = &copy->contacts[i];
        memcpy(&resting->impulses[AB_MAX_POINTS * (size_t)resting->order[i]], &copy->impulses[contact->first_point],
               contact->point_count * sizeof *copy->impulses);
    }
}

// To be called before any slot changes: the copy has what callers wrote.
static void outdate(ab_resting *resting)
{
    ab_resting_take_impulses(resting);
    resting->stale = true;
}

void ab_resting_put(ab_resting *resting, const ab_results *from, uint32_t which)
{
    outdate(resting);
    const abut_contact *contact = &from->contacts[which];
    const ab_pair_end ends[2] = { { contact->a.slot, contact->collider_a }, { contact->b.slot, contact->collider_b } };
    const uint32_t slot = ab_pair_lists_put(&resting->lists, from->keys[which], ends);
    const uint32_t first = from->first_points[which];
    const size_t slots = arrlenu(resting->lists.keys);
    ab_array_set_length(resting->contacts, slots);
    ab_array_set_length(resting->points, AB_MAX_POINTS * slots);
    ab_array_set_length(resting->impulses, AB_MAX_POINTS * slots);
    resting->contacts[slot] = *contact;
    resting->contacts[slot].previous = ABUT_NONE;
    memcpy(&resting->points[AB_MAX_POINTS * (size_t)slot], &from->points[first], AB_MAX_POINTS * sizeof *from->points);
    memcpy(&resting->impulses[AB_MAX_POINTS * (size_t)slot], &from->impulses[first],
           AB_MAX_POINTS * sizeof *from->impulses);
}

void ab_resting_remove(ab_resting *resting, uint32_t slot)
{
    outdate(resting);
    ab_pair_lists_remove(&resting->lists, slot);
}

const ab_results *ab_resting_sorted(ab_resting *resting)
{
    ab_results *out = &resting->sorted;
    if (!resting->stale)
    {
        return out;
    }
    if (!is_room(out, arrlenu(resting->lists.keys)))
    {
        ab_results_close(out);
        *out = resting->roomier;
        resting->roomier = (ab_results){ 0 };
    }
    const uint32_t count = ab_pair_lists_sorted(&resting->lists, resting->order);
    uint32_t points = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const size_t slot = resting->order[i];
        out->contacts[i] = resting->contacts[slot];
        out->contacts[i].first_point = points;
        out->keys[i] = resting->lists.keys[slot];
        memcpy(&out->points[points], &resting->points[AB_MAX_POINTS * slot], AB_MAX_POINTS * sizeof *out->points);
        memcpy(&out->impulses[points], &resting->impulses[AB_MAX_POINTS * slot], AB_MAX_POINTS * sizeof *out->impulses);
        out->first_points[i] = points;
        points += out->contacts[i].point_count;
    }
    out->first_points[count] = points;
    ab_array_set_length(resting->order, count);
    ab_array_set_length(out->contacts, count);
    ab_array_set_length(out->keys, count);
    ab_array_set_length(out->points, points);
    ab_array_set_length(out->impulses, points);
    resting->stale = false;
    return out;
}

void ab_resting_close(ab_resting *resting)
{
    ab_pair_lists_close(&resting->lists);
    arrfree(resting->contacts);
    arrfree(resting->points);
    arrfree(resting->impulses);
    arrfree(resting->order);
    ab_results_close(&resting->sorted);
    ab_results_close(&resting->roomier);
}

void ab_resting_check(const ab_resting *resting)
{
    ab_pair_lists_check(&resting->lists);
}
