// Keeps the first hits of any number in order, without allocating: a heap in the caller's array whose first element is
// the last in order (J. Williams, "Algorithm 232: Heapsort", 1964).
#include "query/query.h"

bool ab_hit_before(const abut_world *world, const abut_hit *a, const abut_hit *b)
{
    if (a->fraction != b->fraction)
    {
        return a->fraction < b->fraction;
    }
    const uint32_t key_a = world->colliders.collider_key[a->collider.slot];
    const uint32_t key_b = world->colliders.collider_key[b->collider.slot];
    return key_a != key_b ? key_a < key_b : a->child < b->child;
}

// Sifts `hit` down from index `at` of a heap of `count`.
static void sift_down(const ab_hit_list *list, uint64_t at, uint64_t count, abut_hit hit)
{
    for (uint64_t child = 2 * at + 1; child < count; child = 2 * at + 1)
    {
        child += child + 1 < count && ab_hit_before(list->world, &list->hits[child], &list->hits[child + 1]);
        if (!ab_hit_before(list->world, &hit, &list->hits[child]))
        {
            break;
        }
        list->hits[at] = list->hits[child];
        at = child;
    }
    list->hits[at] = hit;
}

static void sift_up(const ab_hit_list *list, uint64_t at, abut_hit hit)
{
    for (; at > 0 && ab_hit_before(list->world, &list->hits[(at - 1) / 2], &hit); at = (at - 1) / 2)
    {
        list->hits[at] = list->hits[(at - 1) / 2];
    }
    list->hits[at] = hit;
}

void ab_hit_list_add(ab_hit_list *list, const abut_hit *hit)
{
    if (list->count < list->capacity)
    {
        sift_up(list, list->count, *hit);
    }
    else if (list->capacity > 0 && ab_hit_before(list->world, hit, &list->hits[0]))
    {
        sift_down(list, 0, list->capacity, *hit);
    }
    ++list->count;
}

void ab_hit_list_sort(ab_hit_list *list)
{
    for (uint64_t count = list->count < list->capacity ? list->count : list->capacity; count > 1; --count)
    {
        const abut_hit last = list->hits[count - 1];
        list->hits[count - 1] = list->hits[0];
        sift_down(list, 0, count - 1, last);
    }
}
