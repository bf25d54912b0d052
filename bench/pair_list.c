#include "pair_list.h"

#include "storage.h"

#include <stdlib.h>

void pair_list_add(pair_list *list, uint32_t a, uint32_t b)
{
    if (list->count == list->room)
    {
        list->room = list->room ? 2 * list->room : 1024;
        list->pairs = storage_grow(list->pairs, list->room * sizeof *list->pairs);
    }
    list->pairs[list->count++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

static int rising(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

void pair_list_sort(pair_list *list)
{
    if (list->count == 0)
    {
        return;
    }
    qsort(list->pairs, list->count, sizeof *list->pairs, rising);
    size_t kept = 1;
    for (size_t i = 1; i < list->count; ++i)
    {
        if (list->pairs[i] != list->pairs[kept - 1])
        {
            list->pairs[kept++] = list->pairs[i];
        }
    }
    list->count = kept;
}

void pair_list_release(pair_list *list)
{
    storage_give(list->pairs);
    *list = (pair_list){ 0 };
}
