// A descent reports the candidates of a query side by side. Those of both trees are brought together afterwards, if
// both have some.
#include "query/gather.h"

#ifndef AB_SMALL

#include "query/bound_kernels.h"

AB_INLINE void prefetch_records(const ab_gathered *g, const uint32_t *proxies, uint32_t count)
{
    const ab_record *records = g->asked->world->cache.proxies.record;
    const uint32_t read = g->reads != AB_GATHER_NAMES ? count : 0;
    for (uint32_t i = 0; i < read; ++i)
    {
        AB_PREFETCH_AT(records, proxies[i]);
    }
}

// Of one query all is asked for here: it is read before a later pass would have asked.
AB_INLINE void prefetch_of_one(const ab_gathered *g, const uint32_t *proxies, uint32_t count)
{
    const abut_world *world = g->asked->world;
    prefetch_records(g, proxies, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_query_prefetch_name(world, proxies[i]);
    }
    for (uint32_t i = 0; g->reads == AB_GATHER_SHAPES && i < count; ++i)
    {
        ab_query_prefetch_shape(world, proxies[i]);
    }
}

static bool see(void *context, const uint32_t *proxies, const uint8_t *queries, uint32_t count)
{
    ab_gathered *g = context;
    const abut_world *world = g->asked->world;
    const ab_query_filter *filter = &g->asked->accepted;
    const uint32_t *flags = world->cache.proxies.proxy_flags, doubtful = filter->doubtful;
    uint32_t kept = g->count, *const proxy = g->proxy;
    prefetch_records(g, proxies, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t one = proxies[i];
        proxy[kept] = one;
        g->query[kept] = queries[i];
        kept += AB_LIKELY((flags[one] & doubtful) == 0) ||
                ab_query_filter_wants(world, filter, g->question + queries[i], one);
    }
    g->count = kept;
    return kept <= AB_GATHERED;
}

static bool see_of_one(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    ab_gathered *g = context;
    const abut_world *world = g->asked->world;
    const ab_query_filter *filter = &g->asked->accepted;
    const uint32_t *flags = world->cache.proxies.proxy_flags, doubtful = filter->doubtful, before = g->count;
    uint32_t kept = before, *const proxy = g->proxy;
    (void)values;
    prefetch_of_one(g, proxies, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t one = proxies[i];
        proxy[kept] = one;
        kept +=
            AB_LIKELY((flags[one] & doubtful) == 0) || ab_query_filter_wants(world, filter, g->question + g->only, one);
    }
    memset(g->query + before, g->only, kept - before);
    g->count = kept;
    return kept <= AB_GATHERED;
}

static bool descend(ab_gathered *g, ab_set set, const ab_gather_queries *queries, const uint8_t *active, uint32_t count)
{
    const ab_tree *tree = &g->asked->index->tree[set];
    if (count > 1)
    {
        return ab_index_descend_many(tree, queries->many, queries->all, active, count, see, g);
    }
    g->only = active[0];
    return ab_index_descend_plain(tree, queries->one, (const char *)queries->all + queries->size * g->only, see_of_one,
                                  g);
}

// Where the candidates of each query are.
static void count_up(ab_gathered *g, uint32_t queries)
{
    if (queries == 1)
    {
        g->first[0] = 0;
        g->first[1] = g->count;
        return;
    }
    memset(g->first, 0, (queries + 1) * sizeof *g->first);
    for (uint32_t i = 0; i < g->count; ++i)
    {
        ++g->first[g->query[i] + 1];
    }
    for (uint32_t i = 0; i < queries; ++i)
    {
        g->first[i + 1] += g->first[i];
    }
}

// Puts the candidates of both trees, each in the order of queries, among each other.
static void merge(ab_gathered *g, uint32_t queries)
{
    uint32_t proxy[AB_GATHERED], next[AB_TOGETHER];
    uint8_t query[AB_GATHERED];
    memcpy(proxy, g->proxy, g->count * sizeof *proxy);
    memcpy(query, g->query, g->count * sizeof *query);
    memcpy(next, g->first, queries * sizeof *next);
    for (uint32_t i = 0; i < g->count; ++i)
    {
        const uint32_t at = next[query[i]]++;
        g->proxy[at] = proxy[i];
        g->query[at] = query[i];
    }
}

bool ab_gather(ab_gathered *out, const ab_questions *asked, const ab_gather_queries *queries, const uint8_t *active,
               uint32_t count)
{
    out->asked = asked;
    out->question = queries->question;
    out->count = 0;
    out->reads = queries->reads;
    if (!descend(out, AB_STATIC_SET, queries, active, count))
    {
        return false;
    }
    const uint32_t split = out->count;
    if (!descend(out, AB_ACTIVE, queries, active, count))
    {
        return false;
    }
    for (uint32_t i = 0; out->count > 0 && i < AB_WIDEST; ++i)
    {
        out->proxy[out->count + i] = out->proxy[0];
    }
    memset(out->query + out->count, active[0], AB_WIDEST);
    count_up(out, queries->count);
    if (count > 1 && split > 0 && split < out->count)
    {
        merge(out, queries->count);
    }
    return true;
}

// The lowest bits of a key are its index, so that no two are the same.
void ab_gather_order(const ab_questions *asked, const float *keys, uint32_t count, uint8_t *order)
{
    if (count == 1)
    {
        order[0] = 0;
        return;
    }
    uint32_t distinct[AB_GATHER_SORTED + AB_WIDEST], below[AB_GATHER_SORTED + AB_WIDEST];
    memcpy(distinct, keys, (count + AB_WIDEST) * sizeof *distinct);
    for (uint32_t i = 0; i < count; ++i)
    {
        distinct[i] = (distinct[i] & ~(AB_GATHER_SORTED - 1u)) | i;
    }
    asked->world->kernels->queries->order(distinct, count, below);
    for (uint32_t i = 0; i < count; ++i)
    {
        order[below[i]] = (uint8_t)i;
    }
}

void ab_gather_answers(const ab_questions *asked, ab_query_lists *lists, uint32_t first, uint32_t count,
                       ab_answer_together *together)
{
    uint32_t most = AB_TOGETHER;
    for (uint32_t i = first, left = count; left > 0;)
    {
        uint32_t part = left < most ? left : most;
        if (part > 0 && !together(asked->context, lists, i, part))
        {
            most = part / 2;
            continue;
        }
        if (part == 0)
        {
            asked->answer(asked->context, lists, i);
            part = 1;
        }
        i += part;
        left -= part;
    }
}

#endif
