// Keeps the first results of any number in order, without allocating. A few are sorted in the end by counting how many
// come before each, which needs no branch; or, when there is no room for more, by insertion from then on. Many are a
// heap in the caller's array whose first element is the last in order (J. Williams, "Algorithm 232: Heapsort", 1964).
#include "query/query.h"

#include "base/assert.h"

#include <string.h>

static uint32_t key_of(const abut_world *world, abut_collider collider)
{
    return world->state.colliders.collider_key[collider.slot];
}

uint64_t ab_hit_rank(const abut_world *world, const void *result)
{
    const abut_hit *hit = result;
    return ab_hit_rank_of(hit->fraction, hit->depth, key_of(world, hit->collider));
}

uint64_t ab_hit_tie(const abut_world *world, const void *result)
{
    const abut_hit *hit = result;
    (void)world;
    return (uint64_t)(hit->flags & ABUT_HIT_BACK) << 32 | hit->child;
}

uint64_t ab_found_rank(const abut_world *world, const void *result)
{
    const abut_found *found = result;
    return ab_child_rank_of(key_of(world, found->collider), found->child);
}

uint64_t ab_near_rank(const abut_world *world, const void *result)
{
    const abut_near *near = result;
    return ab_result_rank_of(near->distance, key_of(world, near->collider));
}

uint64_t ab_collision_rank(const abut_world *world, const void *result)
{
    const abut_collision *collision = result;
    return ab_child_rank_of(key_of(world, collision->collider), collision->child);
}

static void *at(const ab_result_list *list, uint64_t i)
{
    return (char *)list->results + i * list->size;
}

static void copy(const ab_result_list *list, void *to, const void *from)
{
    if (list->size == sizeof(abut_found)) // the shortest: without a call
    {
        memcpy(to, from, sizeof(abut_found));
        return;
    }
    memcpy(to, from, list->size);
}

static uint64_t rank_at(const ab_result_list *list, uint64_t i)
{
    return list->rank(list->world, at(list, i));
}

// Whether a result of one rank comes before another.
static bool precedes(const ab_result_list *list, uint64_t rank, const void *result, uint64_t other_rank,
                     const void *other)
{
    return rank < other_rank || (AB_HAS_CHILDREN && rank == other_rank && list->tie &&
                                 list->tie(list->world, result) < list->tie(list->world, other));
}

// Whether result i of a heap comes before another.
static bool is_before(const ab_result_list *list, uint64_t i, uint64_t rank, const void *result)
{
    return precedes(list, rank_at(list, i), at(list, i), rank, result);
}

// Sifts `result` down from index `i` of a heap of `count`.
static void sift_down(const ab_result_list *list, uint64_t i, uint64_t count, uint64_t rank, const void *result)
{
    for (uint64_t child = 2 * i + 1; child < count; child = 2 * i + 1)
    {
        child += child + 1 < count && is_before(list, child, rank_at(list, child + 1), at(list, child + 1));
        if (!precedes(list, rank, result, rank_at(list, child), at(list, child)))
        {
            break;
        }
        copy(list, at(list, i), at(list, child));
        i = child;
    }
    copy(list, at(list, i), result);
}

static void sift_up(const ab_result_list *list, uint64_t i, uint64_t rank, const void *result)
{
    for (; i > 0 && is_before(list, (i - 1) / 2, rank, result); i = (i - 1) / 2)
    {
        copy(list, at(list, i), at(list, (i - 1) / 2));
    }
    copy(list, at(list, i), result);
}

static void make_heap(ab_result_list *list)
{
    _Alignas(8) char moved[AB_MOST_RESULT_BYTES];
    for (uint32_t i = list->count / 2; i-- > 0;)
    {
        copy(list, moved, at(list, i));
        sift_down(list, i, list->count, rank_at(list, i), moved);
    }
    list->is_heap = true;
}

// How many of a few results come before one of them.
static uint32_t count_before(const ab_result_list *list, const uint64_t *ranks, const char *results, uint32_t count,
                             uint32_t i)
{
    uint32_t before = 0;
    if (AB_HAS_CHILDREN && list->tie)
    {
        for (uint32_t k = 0; k < count; ++k)
        {
            before += precedes(list, ranks[k], results + k * list->size, ranks[i], results + i * list->size);
        }
        return before;
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        before += ranks[k] < ranks[i];
    }
    return before;
}

// Sorts the few there are.
static void sort_few(ab_result_list *list, uint32_t count)
{
    _Alignas(8) char moved[AB_FEW_RESULTS * AB_MOST_RESULT_BYTES];
    uint64_t ranks[AB_FEW_RESULTS];
    if (list->is_sorted)
    {
        return;
    }
    memcpy(moved, list->results, count * list->size);
    memcpy(ranks, list->ranks, count * sizeof *ranks);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t before = count_before(list, ranks, moved, count, i);
        copy(list, at(list, before), moved + i * list->size);
        list->ranks[before] = ranks[i];
    }
    list->is_sorted = true;
}

// Puts a result among others that are sorted, in place of the last.
static void replace_last(ab_result_list *list, uint64_t rank, const void *result)
{
    uint32_t place = (uint32_t)list->capacity - 1;
    for (; place > 0 && precedes(list, rank, result, list->ranks[place - 1], at(list, place - 1)); --place)
    {
        list->ranks[place] = list->ranks[place - 1];
        copy(list, at(list, place), at(list, place - 1));
    }
    list->ranks[place] = rank;
    copy(list, at(list, place), result);
}

static void add_to_few(ab_result_list *list, uint64_t rank, const void *result)
{
    if (list->count < list->capacity)
    {
        copy(list, at(list, list->count), result);
        list->ranks[list->count] = rank;
        list->is_sorted &= list->count == 0 || list->ranks[list->count - 1] < rank;
        if (list->count + 1 == list->capacity)
        {
            sort_few(list, list->count + 1);
        }
    }
    else if (list->capacity > 0 &&
             precedes(list, rank, result, list->ranks[list->capacity - 1], ab_result_list_last(list)))
    {
        replace_last(list, rank, result);
    }
}

void ab_result_list_add(ab_result_list *list, uint64_t rank, const void *result)
{
    AB_ASSERT(list->size <= AB_MOST_RESULT_BYTES, list->size);
    if (!list->is_heap)
    {
        add_to_few(list, rank, result);
    }
    else if (list->count < list->capacity)
    {
        sift_up(list, list->count, rank, result);
    }
    else if (precedes(list, rank, result, rank_at(list, 0), list->results))
    {
        sift_down(list, 0, list->capacity, rank, result);
    }
    ++list->count;
    if (!list->is_heap && list->count == AB_FEW_RESULTS && list->capacity > AB_FEW_RESULTS)
    {
        make_heap(list);
    }
}

#ifndef AB_SMALL
void ab_result_list_wrote(ab_result_list *list)
{
    sort_few(list, list->count);
}
#endif

const void *ab_result_list_last(const ab_result_list *list)
{
    return list->is_heap ? list->results : at(list, list->capacity - 1);
}

void ab_result_list_empty(ab_result_list *list)
{
    list->count = 0;
    list->is_heap = false;
    list->is_sorted = true;
}

static void sort_heap(const ab_result_list *list, uint64_t count)
{
    _Alignas(8) char last[AB_MOST_RESULT_BYTES];
    for (; count > 1; --count)
    {
        copy(list, last, at(list, count - 1));
        copy(list, at(list, count - 1), list->results);
        sift_down(list, 0, count - 1, list->rank(list->world, last), last);
    }
}

void ab_result_list_sort(ab_result_list *list)
{
    const uint64_t count = list->count < list->capacity ? list->count : list->capacity;
    if (list->is_heap)
    {
        sort_heap(list, count);
    }
    else if (list->count < list->capacity)
    {
        sort_few(list, (uint32_t)count);
    }
}

void ab_query_lists_next(const ab_query_lists *lists, const abut_world *world, ab_result_rank *rank, uint32_t i,
                         ab_result_list *out)
{
    const uint32_t each = ab_query_lists_each(lists);
    const uint64_t first = each > 0 ? (uint64_t)i * each : lists->total;
    const uint64_t left = first < lists->capacity ? lists->capacity - first : 0;
    out->world = world;
    out->results = left > 0 ? (char *)lists->results + first * lists->size : NULL;
    out->size = lists->size;
    out->rank = rank;
    if (AB_HAS_CHILDREN)
    {
        out->tie = NULL;
    }
    out->capacity = left;
    ab_result_list_empty(out);
}

void ab_query_lists_took(ab_query_lists *lists, uint32_t i, ab_result_list *list)
{
    const uint32_t each = ab_query_lists_each(lists);
    ab_result_list_sort(list);
    lists->ranges[i] = (abut_range){ each > 0 ? (uint64_t)i * each : lists->total, list->count };
    if (each == 0)
    {
        lists->total += list->count;
    }
}

void ab_query_lists_close_up(ab_query_lists *lists, uint32_t count)
{
    char *const results = lists->results;
    for (uint32_t i = 0; ab_query_lists_each(lists) > 0 && i < count; ++i)
    {
        abut_range *range = &lists->ranges[i];
        if (range->first != lists->total)
        {
            memmove(results + lists->total * lists->size, results + range->first * lists->size,
                    range->count * lists->size);
        }
        range->first = lists->total;
        lists->total += range->count;
    }
}
