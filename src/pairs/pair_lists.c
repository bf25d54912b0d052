// Pairs in slots, with a doubly linked list per body.
#include "pairs/pair_lists.h"

#include "base/array.h"
#include "base/assert.h"
#include "shape/kinds.h"

#include <string.h>

size_t ab_pair_lists_slots(const ab_pair_lists *lists, uint32_t more)
{
    const size_t unused = arrlenu(lists->free);
    return arrlenu(lists->keys) + (more > unused ? more - unused : 0);
}

bool ab_pair_lists_reserve(ab_pair_lists *lists, ab_memory *memory, uint32_t more, uint32_t body_slots)
{
    const size_t slots = ab_pair_lists_slots(lists, more), had = arrlenu(lists->head);
    if (!ab_array_reserve(lists->keys, memory, slots) || !ab_array_reserve(lists->ends, memory, 2 * slots) ||
        !ab_array_reserve(lists->next, memory, 2 * slots) || !ab_array_reserve(lists->prior, memory, 2 * slots) ||
        !ab_array_reserve(lists->free, memory, slots))
    {
        return false;
    }
    if (had < body_slots)
    {
        if (!ab_array_resize(lists->head, memory, body_slots))
        {
            return false;
        }
        memset(lists->head + had, 0xff, (body_slots - had) * sizeof *lists->head); // ABUT_NONE
    }
    return true;
}

static uint32_t take_slot(ab_pair_lists *lists)
{
    const size_t unused = arrlenu(lists->free), slots = arrlenu(lists->keys);
    if (unused > 0)
    {
        ab_array_set_length(lists->free, unused - 1);
        return lists->free[unused - 1];
    }
    ab_array_set_length(lists->keys, slots + 1);
    ab_array_set_length(lists->ends, 2 * (slots + 1));
    ab_array_set_length(lists->next, 2 * (slots + 1));
    ab_array_set_length(lists->prior, 2 * (slots + 1));
    return (uint32_t)slots;
}

static void link_in(ab_pair_lists *lists, uint32_t node)
{
    uint32_t *head = &lists->head[lists->ends[node].body];
    lists->next[node] = *head;
    lists->prior[node] = ABUT_NONE;
    if (*head != ABUT_NONE)
    {
        lists->prior[*head] = node;
    }
    *head = node;
}

static void unlink_node(ab_pair_lists *lists, uint32_t node)
{
    const uint32_t next = lists->next[node], prior = lists->prior[node];
    if (next != ABUT_NONE)
    {
        lists->prior[next] = prior;
    }
    *(prior != ABUT_NONE ? &lists->next[prior] : &lists->head[lists->ends[node].body]) = next;
}

uint32_t ab_pair_lists_put(ab_pair_lists *lists, uint64_t key, const ab_pair_end ends[2])
{
    const uint32_t slot = take_slot(lists);
    lists->keys[slot] = key;
    for (uint32_t side = 0; side < 2; ++side)
    {
        lists->ends[2 * slot + side] = ends[side];
        link_in(lists, 2 * slot + side);
    }
    ++lists->live;
    return slot;
}

void ab_pair_lists_remove(ab_pair_lists *lists, uint32_t slot)
{
    unlink_node(lists, 2 * slot);
    unlink_node(lists, 2 * slot + 1);
    lists->keys[slot] = AB_NO_KEY;
    const size_t unused = arrlenu(lists->free);
    ab_array_set_length(lists->free, unused + 1);
    lists->free[unused] = slot;
    --lists->live;
}

uint32_t ab_pair_lists_first(const ab_pair_lists *lists, uint32_t body)
{
    return body < arrlenu(lists->head) ? lists->head[body] : ABUT_NONE;
}

bool ab_pair_lists_join(const ab_pair_lists *lists, uint32_t body_a, uint32_t body_b)
{
    uint32_t of_a = ab_pair_lists_first(lists, body_a), of_b = ab_pair_lists_first(lists, body_b);
    while (of_a != ABUT_NONE && of_b != ABUT_NONE)
    {
        if (lists->ends[of_a ^ 1u].body == body_b || lists->ends[of_b ^ 1u].body == body_a)
        {
            return true;
        }
        of_a = lists->next[of_a];
        of_b = lists->next[of_b];
    }
    return false;
}

static bool is_before(const ab_pair_lists *lists, uint32_t a, uint32_t b)
{
    return lists->keys[a] < lists->keys[b] ||
           (AB_HAS_CHILDREN && lists->keys[a] == lists->keys[b] && lists->ends[2 * a].child < lists->ends[2 * b].child);
}

// Heap sort: in place, with no bad order of input (Williams 1964).
void ab_pair_lists_sort(const ab_pair_lists *lists, uint32_t *slots, uint32_t count)
{
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
            child += child + 1 < left && is_before(lists, slots[child], slots[child + 1]);
            if (!is_before(lists, top, slots[child]))
            {
                break;
            }
            slots[at] = slots[child];
            at = child;
        }
        slots[at] = top;
    }
}

uint32_t ab_pair_lists_sorted(const ab_pair_lists *lists, uint32_t *slots)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < arrlenu(lists->keys); ++slot)
    {
        slots[count] = slot;
        count += lists->keys[slot] != AB_NO_KEY;
    }
    ab_pair_lists_sort(lists, slots, count);
    return count;
}

void ab_pair_lists_clear(ab_pair_lists *lists)
{
    ab_array_set_length(lists->keys, 0);
    ab_array_set_length(lists->ends, 0);
    ab_array_set_length(lists->next, 0);
    ab_array_set_length(lists->prior, 0);
    ab_array_set_length(lists->free, 0);
    if (lists->head)
    {
        memset(lists->head, 0xff, arrlenu(lists->head) * sizeof *lists->head); // ABUT_NONE
    }
    lists->live = 0;
}

void ab_pair_lists_close(ab_pair_lists *lists)
{
    arrfree(lists->keys);
    arrfree(lists->ends);
    arrfree(lists->next);
    arrfree(lists->prior);
    arrfree(lists->head);
    arrfree(lists->free);
}

void ab_pair_lists_check(const ab_pair_lists *lists)
{
    uint32_t live = 0, listed = 0;
    for (uint32_t slot = 0; slot < arrlenu(lists->keys); ++slot)
    {
        live += lists->keys[slot] != AB_NO_KEY;
    }
    for (uint32_t body = 0; body < arrlenu(lists->head); ++body)
    {
        for (uint32_t node = lists->head[body]; node != ABUT_NONE; node = lists->next[node])
        {
            AB_ASSERT(lists->keys[node / 2] != AB_NO_KEY, node);
            AB_ASSERT(lists->ends[node].body == body, node);
            ++listed;
        }
    }
    AB_ASSERT(live == lists->live, live);
    AB_ASSERT(listed == 2 * live, listed);
}
