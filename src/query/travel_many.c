// Candidates come in lists of (proxy, travel). Of each list a travel tests the one that may be hit first, and then those
// that may still be hit sooner: mostly none.
#include "query/travel_many.h"

#include "base/platform.h"
#include "query/gather.h"

#define NONE AB_DESCEND_MANY // not a travel

typedef struct meeting
{
    ab_travels *travels;
    float bounds[AB_DESCEND_ROOM + AB_DESCEND_PADDING];
    uint16_t first[AB_DESCEND_ROOM + 1], rest[AB_DESCEND_ROOM]; // candidates, as indices; first[0] is none
} meeting;

static uint32_t pick(uint32_t mask, uint32_t a, uint32_t b)
{
    return (a & mask) | (b & ~mask);
}

// Finds the candidate of each travel that may be hit first, and the others that may still be hit: without a branch, since
// nothing foretells these. Returns how many come first. Bounds are not negative, and compare as their bits do.
static uint32_t part_first(meeting *m, const uint8_t *of, uint32_t count, uint32_t *rest)
{
    const ab_cast_line *lines = m->travels->line;
    uint32_t firsts = 0, others = 0, last = NONE, best = 0, least = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t travel = of[i];
        uint32_t bound;
        memcpy(&bound, &m->bounds[i], sizeof bound);
        const uint32_t kept = m->bounds[i] <= lines[travel].far, next = kept & (travel != last);
        const uint32_t takes = 0u - (next | (kept & (bound < least)));
        m->rest[others] = (uint16_t)pick(takes, best, i);
        others += kept & ~next;
        firsts += next;
        last = pick(0u - kept, travel, last);
        best = pick(takes, i, best);
        least = pick(takes, bound, least);
        m->first[firsts] = (uint16_t)best;
    }
    *rest = others;
    return firsts;
}

static void try(const meeting *m, const uint32_t *proxies, const uint8_t *of, const uint16_t *candidates,
                uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k)
    {
        const uint32_t i = candidates[k];
        (void)ab_travel_try(&m->travels->travel[of[i]], proxies[i], m->bounds[i]);
    }
}

static bool meet(void *context, const uint32_t *proxies, const uint8_t *of, uint32_t count)
{
    meeting *m = context;
    const abut_world *world = m->travels->travel[0].asked->world;
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH_AT(world->cache.proxies.record, proxies[i]);
        ab_query_prefetch_shape(world, proxies[i]);
    }
    m->travels->bound(m->travels->bound_context, proxies, of, count, m->bounds);
    uint32_t rest;
    const uint32_t firsts = part_first(m, of, count, &rest);
    try(m, proxies, of, m->first + 1, firsts);
    try(m, proxies, of, m->rest, rest);
    return true;
}

#ifndef AB_SMALL
// For one travel, whose line stays in registers.
static bool meet_one(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    uint8_t first[AB_DESCEND_ROOM + AB_WIDEST];
    (void)values;
    memset(first, 0, count + AB_WIDEST);
    return meet(context, proxies, first, count);
}
#endif

static void descend(ab_travels *travels, ab_set set, const uint8_t *active, uint32_t count, meeting *m)
{
    const ab_query_index *index = travels->travel[0].asked->index;
    const ab_tree *tree = &index->tree[set];
#ifndef AB_SMALL
    if (travels->count == 1)
    {
        (void)ab_index_descend_plain(tree, index->kernels->cast, travels->line, meet_one, m);
        return;
    }
#endif
    (void)ab_index_descend_many(tree, index->kernels->cast_many, travels->line, active, count, meet, m);
}

// Sets the segments of those that go on, and drops the others. Returns how many are left.
static uint32_t go_on(ab_travels *travels, uint8_t *active, uint32_t count)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        active[left] = active[i];
        left += ab_travel_go_on(&travels->travel[active[i]]);
    }
    return left;
}

void ab_travel_answer_many(ab_travels *travels, const ab_travel_results *results, uint32_t first)
{
    uint8_t active[AB_DESCEND_MANY];
    uint32_t count = travels->count;
    meeting m;
    m.travels = travels;
    for (uint32_t i = 0; i < count; ++i)
    {
        active[i] = (uint8_t)i;
        travels->travel[i].any = results->any != NULL;
        ab_travel_begin(&travels->travel[i]);
    }
    while (count > 0)
    {
        descend(travels, AB_STATIC_SET, active, count, &m);
        descend(travels, AB_ACTIVE, active, count, &m);
        count = go_on(travels, active, count);
    }
    for (uint32_t i = 0; results->closest && i < travels->count; ++i)
    {
        ab_query_prefetch_name(travels->travel[0].asked->world, travels->travel[i].proxy); // any, without a hit
    }
    for (uint32_t i = 0; i < travels->count; ++i)
    {
        ab_travel_publish(&travels->travel[i], results, first + i);
    }
}

#ifndef AB_SMALL

// The candidates that a travel may hit, the first first.
static void see_in_order(ab_travel *t, const uint32_t *proxies, const float *bounds, uint32_t count)
{
    uint8_t order[AB_GATHER_SORTED];
    ab_gather_order(t->asked, bounds, count, order);
    for (uint32_t k = 0; k < count; ++k)
    {
        (void)ab_travel_try(t, proxies[order[k]], bounds[order[k]]);
    }
}

// Drops the candidates that no travel hits. The others stay in order.
static void keep_hits(ab_gathered *g, float *bounds, uint32_t queries)
{
    uint32_t kept = 0, query = 0;
    for (uint32_t i = 0; i < g->count; ++i)
    {
        for (; query <= g->query[i]; ++query)
        {
            g->first[query] = kept;
        }
        bounds[kept] = bounds[i];
        g->proxy[kept] = g->proxy[i];
        kept += bounds[i] <= 1.0f;
    }
    for (; query <= queries; ++query)
    {
        g->first[query] = kept;
    }
    g->count = kept;
}

bool ab_travel_answer_all_many(ab_travels *travels, ab_travel_results *results, uint32_t first)
{
    const ab_questions *asked = travels->travel[0].asked;
    ab_gathered g;
    float bounds[AB_GATHERED + AB_WIDEST];
    uint8_t active[AB_TOGETHER];
    for (uint32_t i = 0; i < travels->count; ++i)
    {
        active[i] = (uint8_t)i;
    }
    const ab_index_kernels *kernels = asked->index->kernels;
    const ab_gather_queries queries = { kernels->cast,         kernels->cast_many, travels->line,
                                        sizeof *travels->line, travels->count,     AB_GATHER_SHAPES };
    if (!ab_gather(&g, asked, &queries, active, travels->count))
    {
        return false;
    }
    travels->bound(travels->bound_context, g.proxy, g.query, g.count, bounds);
    keep_hits(&g, bounds, travels->count);
    memset(bounds + g.count, 0, AB_WIDEST * sizeof *bounds);
    ab_gathered_prefetch(&g);
    for (uint32_t i = 0; i < travels->count; ++i)
    {
        ab_travel *t = &travels->travel[i];
        ab_result_list list;
        ab_query_lists_next(&results->lists, asked->world, ab_hit_rank, first + i, &list);
        t->all = &list;
        ab_travel_begin(t);
        for (uint32_t from = g.first[i], part; from < g.first[i + 1]; from += part)
        {
            part = g.first[i + 1] - from < AB_GATHER_SORTED ? g.first[i + 1] - from : AB_GATHER_SORTED;
            see_in_order(t, g.proxy + from, bounds + from, part);
        }
        ab_query_lists_took(&results->lists, first + i, &list);
    }
    return true;
}

#endif
