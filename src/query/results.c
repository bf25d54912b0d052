// Keeps the first results of any number in order, without allocating. A few are sorted in the end, by insertion; more, or
// more than there is room for, are a heap in the caller's array whose first element is the last in order (J. Williams,
// "Algorithm 232: Heapsort", 1964).
#include "query/query.h"

#include "base/assert.h"

#include <string.h>

// By a number that is not negative, then by collider. A collider is in a list once.
static uint64_t rank_of(const abut_world *world, float number, abut_collider collider)
{
    const float positive = number + 0.0f; // zero may be negative
    uint32_t bits;
    memcpy(&bits, &positive, sizeof bits);
    return (uint64_t)bits << 32 | world->colliders.collider_key[collider.slot];
}

uint64_t ab_hit_rank(const abut_world *world, const void *result)
{
    const abut_hit *hit = result;
    return rank_of(world, hit->fraction, hit->collider);
}

uint64_t ab_found_rank(const abut_world *world, const void *result)
{
    const abut_found *found = result;
    return rank_of(world, 0.0f, found->collider);
}

uint64_t ab_near_rank(const abut_world *world, const void *result)
{
    const abut_near *near = result;
    return rank_of(world, near->distance, near->collider);
}

static void *at(const ab_result_list *list, uint64_t i)
{
    return (char *)list->results + i * list->size;
}

static void copy(const ab_result_list *list, void *to, const void *from)
{
    memcpy(to, from, list->size);
}

static uint64_t rank_at(const ab_result_list *list, uint64_t i)
{
    return list->rank(list->world, at(list, i));
}

// Sifts `result` down from index `i` of a heap of `count`.
static void sift_down(const ab_result_list *list, uint64_t i, uint64_t count, const void *result)
{
    const uint64_t rank = list->rank(list->world, result);
    for (uint64_t child = 2 * i + 1; child < count; child = 2 * i + 1)
    {
        child += child + 1 < count && rank_at(list, child) < rank_at(list, child + 1);
        if (rank >= rank_at(list, child))
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
    const uint64_t rank = list->rank(list->world, result);
    for (; i > 0 && rank_at(list, (i - 1) / 2) < rank; i = (i - 1) / 2)
    {
        copy(list, at(list, i), at(list, (i - 1) / 2));
    }
    copy(list, at(list, i), result);
}

static void make_heap(ab_result_list *list)
{
    char moved[AB_MOST_RESULT_BYTES];
    for (uint32_t i = list->count / 2; i-- > 0;)
    {
        copy(list, moved, at(list, i));
        sift_down(list, i, list->count, moved);
    }
    list->is_heap = true;
}

void ab_result_list_add(ab_result_list *list, const void *result)
{
    AB_ASSERT(list->size <= AB_MOST_RESULT_BYTES, list->size);
    if (list->is_heap && list->count < list->capacity)
    {
        sift_up(list, list->count, result);
    }
    else if (list->is_heap && list->rank(list->world, result) < rank_at(list, 0))
    {
        sift_down(list, 0, list->capacity, result);
    }
    else if (!list->is_heap && list->count < list->capacity)
    {
        copy(list, at(list, list->count), result);
        list->ranks[list->count] = list->rank(list->world, result);
    }
    ++list->count;
    if (!list->is_heap && (list->count == list->capacity || list->count == AB_FEW_RESULTS) && list->capacity > 0)
    {
        make_heap(list);
    }
}

void ab_result_list_empty(ab_result_list *list)
{
    list->count = 0;
    list->is_heap = false;
}

static void sort_heap(const ab_result_list *list, uint64_t count)
{
    char last[AB_MOST_RESULT_BYTES];
    for (; count > 1; --count)
    {
        copy(list, last, at(list, count - 1));
        copy(list, at(list, count - 1), list->results);
        sift_down(list, 0, count - 1, last);
    }
}

// Sorts ranks, and with them where the results are; then moves each result once, cycle by cycle.
static void sort_few(ab_result_list *list, uint32_t count)
{
    uint8_t from[AB_FEW_RESULTS];
    char first[AB_MOST_RESULT_BYTES];
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint64_t rank = list->ranks[i];
        uint32_t place = i;
        for (; place > 0 && list->ranks[place - 1] > rank; --place)
        {
            list->ranks[place] = list->ranks[place - 1];
            from[place] = from[place - 1];
        }
        list->ranks[place] = rank;
        from[place] = (uint8_t)i;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t place = i;
        if (from[i] == i)
        {
            continue;
        }
        copy(list, first, at(list, i));
        while (from[place] != i)
        {
            const uint32_t next = from[place];
            copy(list, at(list, place), at(list, next));
            from[place] = (uint8_t)place;
            place = next;
        }
        copy(list, at(list, place), first);
        from[place] = (uint8_t)place;
    }
}

void ab_result_list_sort(ab_result_list *list)
{
    const uint64_t count = list->count < list->capacity ? list->count : list->capacity;
    if (list->is_heap)
    {
        sort_heap(list, count);
    }
    else
    {
        sort_few(list, (uint32_t)count);
    }
}

void ab_query_lists_next(const ab_query_lists *lists, const abut_world *world, ab_result_rank *rank,
                         ab_result_list *out)
{
    const uint64_t left = lists->total < lists->capacity ? lists->capacity - lists->total : 0;
    out->world = world;
    out->results = left > 0 ? (char *)lists->results + lists->total * lists->size : NULL;
    out->size = lists->size;
    out->rank = rank;
    out->capacity = left;
    ab_result_list_empty(out);
}

void ab_query_lists_took(ab_query_lists *lists, uint32_t i, ab_result_list *list)
{
    ab_result_list_sort(list);
    lists->ranges[i] = (abut_range){ lists->total, list->count };
    lists->total += list->count;
}
