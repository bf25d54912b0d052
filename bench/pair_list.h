// Pairs of bodies by their indices in the scene: what an engine found to touch, to be compared with what another found.
#ifndef ABUT_BENCH_PAIR_LIST_H
#define ABUT_BENCH_PAIR_LIST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The lower index is in a pair's upper half. Valid when zeroed.
typedef struct pair_list
{
    uint64_t *pairs;
    size_t count, room;
} pair_list;

void pair_list_add(pair_list *list, uint32_t a, uint32_t b);

// In rising order, each once.
void pair_list_sort(pair_list *list);

void pair_list_release(pair_list *list);

static inline uint32_t pair_first(uint64_t pair)
{
    return (uint32_t)(pair >> 32);
}

static inline uint32_t pair_second(uint64_t pair)
{
    return (uint32_t)(pair & UINT32_MAX);
}

#ifdef __cplusplus
}
#endif

#endif
