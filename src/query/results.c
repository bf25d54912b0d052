// Keeps the first results of any number in order, without allocating: a heap in the caller's array whose first element
// is the last in order (J. Williams, "Algorithm 232: Heapsort", 1964).
#include "query/query.h"

#include "base/assert.h"

#include <string.h>

static uint32_t key_of(const abut_world *world, abut_collider collider)
{
    return world->colliders.collider_key[collider.slot];
}

static bool collider_before(const abut_world *world, abut_collider a, uint32_t child_a, abut_collider b,
                            uint32_t child_b)
{
    const uint32_t key_a = key_of(world, a), key_b = key_of(world, b);
    return key_a != key_b ? key_a < key_b : child_a < child_b;
}

bool ab_hit_before(const abut_world *world, const void *a, const void *b)
{
    const abut_hit *x = a, *y = b;
    return x->fraction != y->fraction ? x->fraction < y->fraction
                                      : collider_before(world, x->collider, x->child, y->collider, y->child);
}

bool ab_found_before(const abut_world *world, const void *a, const void *b)
{
    const abut_found *x = a, *y = b;
    return collider_before(world, x->collider, x->child, y->collider, y->child);
}

bool ab_near_before(const abut_world *world, const void *a, const void *b)
{
    const abut_near *x = a, *y = b;
    return x->distance != y->distance ? x->distance < y->distance
                                      : collider_before(world, x->collider, x->child, y->collider, y->child);
}

static void *at(const ab_result_list *list, uint64_t i)
{
    return (char *)list->results + i * list->size;
}

static void copy(const ab_result_list *list, void *to, const void *from)
{
    memcpy(to, from, list->size);
}

// Sifts `result` down from index `i` of a heap of `count`.
static void sift_down(const ab_result_list *list, uint64_t i, uint64_t count, const void *result)
{
    for (uint64_t child = 2 * i + 1; child < count; child = 2 * i + 1)
    {
        child += child + 1 < count && list->before(list->world, at(list, child), at(list, child + 1));
        if (!list->before(list->world, result, at(list, child)))
        {
            break;
        }
        copy(list, at(list, i), at(list, child));
        i = child;
    }
    copy(list, at(list, i), result);
}

static void sift_up(const ab_result_list *list, uint64_t i, const void *result)
{
    for (; i > 0 && list->before(list->world, at(list, (i - 1) / 2), result); i = (i - 1) / 2)
    {
        copy(list, at(list, i), at(list, (i - 1) / 2));
    }
    copy(list, at(list, i), result);
}

void ab_result_list_add(ab_result_list *list, const void *result)
{
    if (list->count < list->capacity)
    {
        sift_up(list, list->count, result);
    }
    else if (list->capacity > 0 && list->before(list->world, result, list->results))
    {
        sift_down(list, 0, list->capacity, result);
    }
    ++list->count;
}

void ab_result_list_sort(ab_result_list *list)
{
    char last[AB_MOST_RESULT_BYTES];
    AB_ASSERT(list->size <= sizeof last, list->size);
    for (uint64_t count = list->count < list->capacity ? list->count : list->capacity; count > 1; --count)
    {
        copy(list, last, at(list, count - 1));
        copy(list, at(list, count - 1), list->results);
        sift_down(list, 0, count - 1, last);
    }
}

ab_result_list ab_query_lists_next(const ab_query_lists *lists, const abut_world *world, ab_result_before *before)
{
    const uint64_t left = lists->total < lists->capacity ? lists->capacity - lists->total : 0;
    return (ab_result_list){
        .world = world,
        .results = left > 0 ? (char *)lists->results + lists->total * lists->size : NULL,
        .size = lists->size,
        .before = before,
        .capacity = left,
    };
}

void ab_query_lists_took(ab_query_lists *lists, uint32_t i, ab_result_list *list)
{
    ab_result_list_sort(list);
    lists->ranges[i] = (abut_range){ lists->total, list->count };
    lists->total += list->count;
}
