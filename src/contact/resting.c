#include "contact/resting.h"

#include "base/array.h"
#include "base/assert.h"
#include "narrow/narrow.h"

#include <string.h>

static bool reserve_slots(ab_resting *resting, ab_memory *memory, size_t slots)
{
    return ab_array_reserve(resting->contacts, memory, slots) && ab_array_reserve(resting->keys, memory, slots) &&
           ab_array_reserve(resting->points, memory, AB_MAX_POINTS * slots) &&
           ab_array_reserve(resting->impulses, memory, AB_MAX_POINTS * slots) &&
           ab_array_reserve(resting->next, memory, 2 * slots) && ab_array_reserve(resting->prior, memory, 2 * slots) &&
           ab_array_reserve(resting->free, memory, slots) &&
           ab_results_reserve(&resting->sorted, memory, slots, AB_MAX_POINTS * slots);
}

bool ab_resting_reserve(ab_resting *resting, ab_memory *memory, uint32_t more, uint32_t body_slots)
{
    const size_t unused = arrlenu(resting->free), slots = arrlenu(resting->keys), had = arrlenu(resting->head);
    if (!reserve_slots(resting, memory, slots + (more > unused ? more - unused : 0)))
    {
        return false;
    }
    if (had < body_slots)
    {
        if (!ab_array_resize(resting->head, memory, body_slots))
        {
            return false;
        }
        memset(resting->head + had, 0xff, (body_slots - had) * sizeof *resting->head); // ABUT_NONE
    }
    return true;
}

static uint32_t take_slot(ab_resting *resting)
{
    const size_t unused = arrlenu(resting->free), slots = arrlenu(resting->keys);
    if (unused > 0)
    {
        ab_array_set_length(resting->free, unused - 1);
        return resting->free[unused - 1];
    }
    ab_array_set_length(resting->contacts, slots + 1);
    ab_array_set_length(resting->keys, slots + 1);
    ab_array_set_length(resting->points, AB_MAX_POINTS * (slots + 1));
    ab_array_set_length(resting->impulses, AB_MAX_POINTS * (slots + 1));
    ab_array_set_length(resting->next, 2 * (slots + 1));
    ab_array_set_length(resting->prior, 2 * (slots + 1));
    return (uint32_t)slots;
}

static uint32_t body_of(const ab_resting *resting, uint32_t node)
{
    const abut_contact *contact = &resting->contacts[node / 2];
    return node % 2 ? contact->b.slot : contact->a.slot;
}

static void link_in(ab_resting *resting, uint32_t node)
{
    uint32_t *head = &resting->head[body_of(resting, node)];
    resting->next[node] = *head;
    resting->prior[node] = ABUT_NONE;
    if (*head != ABUT_NONE)
    {
        resting->prior[*head] = node;
    }
    *head = node;
}

static void unlink_node(ab_resting *resting, uint32_t node)
{
    const uint32_t next = resting->next[node], prior = resting->prior[node];
    if (next != ABUT_NONE)
    {
        resting->prior[next] = prior;
    }
    *(prior != ABUT_NONE ? &resting->next[prior] : &resting->head[body_of(resting, node)]) = next;
}

void ab_resting_put(ab_resting *resting, const ab_results *from, uint32_t which)
{
    const uint32_t slot = take_slot(resting), first = from->first_points[which];
    resting->contacts[slot] = from->contacts[which];
    resting->contacts[slot].previous = ABUT_NONE;
    resting->keys[slot] = from->keys[which];
    memcpy(&resting->points[AB_MAX_POINTS * slot], &from->points[first], AB_MAX_POINTS * sizeof *from->points);
    memcpy(&resting->impulses[AB_MAX_POINTS * slot], &from->impulses[first], AB_MAX_POINTS * sizeof *from->impulses);
    link_in(resting, 2 * slot);
    link_in(resting, 2 * slot + 1);
    ++resting->live;
    resting->stale = true;
}

void ab_resting_remove(ab_resting *resting, uint32_t slot)
{
    unlink_node(resting, 2 * slot);
    unlink_node(resting, 2 * slot + 1);
    resting->keys[slot] = AB_NO_KEY;
    const size_t unused = arrlenu(resting->free);
    ab_array_set_length(resting->free, unused + 1);
    resting->free[unused] = slot;
    --resting->live;
    resting->stale = true;
}

// Sorts slots by key. The sorted copy's first_points are the room for it.
static void sort_slots(uint32_t *slots, uint32_t count, const uint64_t *keys)
{
    // Heap sort: in place, and no worse on any order (Williams 1964).
    for (uint32_t built = count / 2, left = count; left > 1;)
    {
        uint32_t top;
        if (built > 0)
        {
            top = slots[--built];
        }
        else
        {
            top = slots[--left];
            slots[left] = slots[0];
        }
        uint32_t at = built;
        for (uint32_t child = 2 * at + 1; child < left; child = 2 * at + 1)
        {
            child += child + 1 < left && keys[slots[child + 1]] > keys[slots[child]];
            if (keys[slots[child]] <= keys[top])
            {
                break;
            }
            slots[at] = slots[child];
            at = child;
        }
        slots[at] = top;
    }
}

const ab_results *ab_resting_sorted(ab_resting *resting)
{
    ab_results *out = &resting->sorted;
    if (!resting->stale)
    {
        return out;
    }
    uint32_t *slots = out->first_points, count = 0;
    for (uint32_t slot = 0; slot < arrlenu(resting->keys); ++slot)
    {
        slots[count] = slot;
        count += resting->keys[slot] != AB_NO_KEY;
    }
    sort_slots(slots, count, resting->keys);
    uint32_t points = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t slot = slots[i];
        out->contacts[i] = resting->contacts[slot];
        out->contacts[i].first_point = points;
        out->keys[i] = resting->keys[slot];
        memcpy(&out->points[points], &resting->points[AB_MAX_POINTS * slot], AB_MAX_POINTS * sizeof *out->points);
        memcpy(&out->impulses[points], &resting->impulses[AB_MAX_POINTS * slot], AB_MAX_POINTS * sizeof *out->impulses);
        out->first_points[i] = points;
        points += out->contacts[i].point_count;
    }
    out->first_points[count] = points;
    ab_array_set_length(out->contacts, count);
    ab_array_set_length(out->keys, count);
    ab_array_set_length(out->points, points);
    ab_array_set_length(out->impulses, points);
    resting->stale = false;
    return out;
}

void ab_resting_close(ab_resting *resting)
{
    arrfree(resting->contacts);
    arrfree(resting->keys);
    arrfree(resting->points);
    arrfree(resting->impulses);
    arrfree(resting->next);
    arrfree(resting->prior);
    arrfree(resting->head);
    arrfree(resting->free);
    ab_results_close(&resting->sorted);
}

void ab_resting_check(const ab_resting *resting)
{
    uint32_t live = 0, listed = 0;
    for (uint32_t slot = 0; slot < arrlenu(resting->keys); ++slot)
    {
        live += resting->keys[slot] != AB_NO_KEY;
    }
    for (uint32_t body = 0; body < arrlenu(resting->head); ++body)
    {
        for (uint32_t node = resting->head[body]; node != ABUT_NONE; node = resting->next[node])
        {
            AB_ASSERT(resting->keys[node / 2] != AB_NO_KEY, node);
            AB_ASSERT(body_of(resting, node) == body, node);
            ++listed;
        }
    }
    AB_ASSERT(live == resting->live, live);
    AB_ASSERT(listed == 2 * live, listed);
}
