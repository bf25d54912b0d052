#include "pairs/pair_set.h"

#include <string.h>

bool ab_pair_set_list(ab_pair_set *set, ab_arena *arena, const ab_pair *pairs, uint32_t count, uint32_t active)
{
    set->active = active;
    set->degree = ab_arena_take(arena, (active + (size_t)1) * sizeof *set->degree);
    set->first = ab_arena_take(arena, (active + (size_t)2) * sizeof *set->first);
    set->other = ab_arena_take(arena, (count + (size_t)AB_WIDEST) * sizeof *set->other);
    if (!set->degree || !set->first || !set->other)
    {
        return false;
    }
    memset(set->degree, 0, (active + (size_t)1) * sizeof *set->degree);
    memset(set->first, 0, (active + (size_t)2) * sizeof *set->first);
    for (uint32_t i = 0; i < count; ++i)
    {
        ++set->degree[ab_degree_place(set, pairs[i].a)];
        ++set->degree[ab_degree_place(set, pairs[i].b)];
    }
    set->degree[active] = UINT32_MAX;

    // Counted one place late, so that after the lists are filled each beginning stands in its own place.
    uint32_t *late = set->first + 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        ++late[ab_listed_first(set, pairs[i]).a];
    }
    uint32_t next = 0;
    for (uint32_t leaf = 0; leaf <= active; ++leaf)
    {
        const uint32_t length = late[leaf];
        late[leaf] = next;
        next += length;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_pair pair = ab_listed_first(set, pairs[i]);
        set->other[late[pair.a]++] = pair.b;
    }
    memset(set->other + count, 0xff, AB_WIDEST * sizeof *set->other);
    return true;
}

#define CASE_(name, isa)                                                                                               \
    case isa:                                                                                                          \
        return ab_pair_sift_##name;
#define DECLARE_(name, isa) ab_pair_sift ab_pair_sift_##name;
AB_FOR_EACH_ISA(DECLARE_)

ab_pair_sift *ab_pair_sift_for(abut_isa isa)
{
    switch (isa)
    {
        AB_FOR_EACH_ISA(CASE_)
    default:
        return NULL;
    }
}
