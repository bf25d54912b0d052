// A descent reports the candidates of a query side by side. Those of both trees are brought together afterwards, if
// both have some.
#include "query/gather.h"

#ifndef AB_SMALL

// Adds a proxy if a query of the filter wants it.
AB_INLINE uint32_t keep(ab_gathered *g, const ab_query_filter *filter, uint32_t query, uint32_t proxy,
                        uint32_t own_flags, uint32_t kept)
{
    g->proxy[kept] = proxy;
    return kept + (AB_LIKELY((own_flags & filter->doubtful) == 0) ||
                   ab_query_filter_wants(g->asked->world, filter, g->question + query, proxy));
}

static bool see(void *context, const uint32_t *proxies, const uint8_t *queries, uint32_t count)
{
    ab_gathered *g = context;
    const ab_query_filter *filter = &g->asked->accepted;
    const ab_proxies *own = &g->asked->world->cache.proxies;
    const bool reads_records = g->reads != AB_GATHER_NAMES;
    uint32_t kept = g->count;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t proxy = proxies[i];
        if (reads_records)
        {
            AB_PREFETCH_AT(own->record, proxy);
        }
        else
        {
            AB_PREFETCH_AT(own->collider_key, proxy);
        }
        g->query[kept] = queries[i];
        kept = keep(g, filter, queries[i], proxy, own->proxy_flags[proxy], kept);
    }
    g->count = kept;
    return kept <= AB_GATHERED;
}

// Of one query all is asked for here: it is read before a later pass would have asked.
static bool see_of_one(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    ab_gathered *g = context;
    const abut_world *world = g->asked->world;
    const ab_query_filter *filter = &g->asked->accepted;
    const ab_proxies *own = &world->cache.proxies;
    const bool reads_records = g->reads != AB_GATHER_NAMES, reads_shapes = g->reads == AB_GATHER_SHAPES;
    const uint32_t before = g->count;
    uint32_t kept = before;
    (void)values;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t proxy = proxies[i], flags = own->proxy_flags[proxy];
        if (reads_records)
        {
            AB_PREFETCH_AT(own->record, proxy);
        }
        ab_query_prefetch_name(world, proxy);
        if (reads_shapes && (flags & AB_PROXY_SIZED) == 0)
        {
            ab_query_prefetch_shape(world, proxy);
        }
        kept = keep(g, filter, g->only, proxy, flags, kept);
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
    const uint32_t padding = out->count > 0 ? out->proxy[0] : 0;
    uint32_t *const behind = out->proxy + out->count;
    for (uint32_t i = 0; i < AB_WIDEST; ++i)
    {
        behind[i] = padding;
    }
    memset(out->query + out->count, active[0], AB_WIDEST);
    count_up(out, queries->count);
    if (count > 1 && split > 0 && split < out->count)
    {
        merge(out, queries->count);
    }
    return true;
}

void ab_gather_order(const ab_questions *asked, const float *keys, uint32_t count, uint8_t *order)
{
    if (count == 1)
    {
        order[0] = 0;
        return;
    }
    asked->world->kernels->queries->sort(keys, count, order);
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
