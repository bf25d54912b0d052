#include "pairs/kept_pairs.h"

#include <string.h>

bool ab_kept_pairs_list(ab_kept_pairs *kept, ab_arena *arena, const ab_pair *pairs, uint32_t count, uint32_t active)
{
    kept->active = active;
    kept->degree = ab_arena_take(arena, (active + (size_t)1) * sizeof *kept->degree);
    kept->first = ab_arena_take(arena, (active + (size_t)2) * sizeof *kept->first);
    kept->other = ab_arena_take(arena, (count + (size_t)AB_WIDEST) * sizeof *kept->other);
    if (!kept->degree || !kept->first || !kept->other)
    {
        return false;
    }
    memset(kept->degree, 0, (active + (size_t)1) * sizeof *kept->degree);
    memset(kept->first, 0, (active + (size_t)2) * sizeof *kept->first);
    for (uint32_t i = 0; i < count; ++i)
    {
        ++kept->degree[ab_degree_place(kept, pairs[i].a)];
        ++kept->degree[ab_degree_place(kept, pairs[i].b)];
    }
    kept->degree[active] = UINT32_MAX;

    // Counted one place late, so that after the lists are filled each beginning stands in its own place.
    uint32_t *late = kept->first + 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        ++late[ab_listed_first(kept, pairs[i]).a];
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
        const ab_pair pair = ab_listed_first(kept, pairs[i]);
        kept->other[late[pair.a]++] = pair.b;
    }
    memset(kept->other + count, 0xff, AB_WIDEST * sizeof *kept->other);
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
