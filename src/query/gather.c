// A descent reports the candidates of a query side by side. Those of both trees are brought together afterwards, if both
// have some.
#include "query/gather.h"

#ifndef AB_SMALL

#include "query/bound_kernels.h"

#define FEW 4u // questions that are answered one by one

static bool see(void *context, const uint32_t *proxies, const uint8_t *queries, uint32_t count)
{
    ab_gathered *g = context;
    const abut_world *world = g->asked->world;
    uint32_t kept = g->count;
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH_AT(world->cache.proxies.record, proxies[i]);
        g->proxy[kept] = proxies[i];
        g->query[kept] = queries[i];
        kept += ab_query_wants(world, &g->asked->accepted, proxies[i]);
    }
    g->count = kept;
    return kept <= AB_GATHERED;
}

// Puts the candidates behind `split` among those before it, which are in the order of queries as well.
static void merge(ab_gathered *g, uint32_t split)
{
    uint32_t proxy[AB_GATHERED], next[AB_TOGETHER];
    uint8_t query[AB_GATHERED];
    memcpy(proxy, g->proxy, g->count * sizeof *proxy);
    memcpy(query, g->query, g->count * sizeof *query);
    memcpy(next, g->first, sizeof next);
    for (uint32_t i = 0; split > 0 && i < g->count; ++i)
    {
        const uint32_t at = next[query[i]]++;
        g->proxy[at] = proxy[i];
        g->query[at] = query[i];
    }
}

bool ab_gather(ab_gathered *out, const ab_questions *asked, ab_index_many_kernel *kernel, const void *all,
               const uint8_t *active, uint32_t count)
{
    const ab_tree *tree = asked->index.tree;
    out->asked = asked;
    out->count = 0;
    if (!ab_index_descend_many(&tree[AB_STATIC_SET], kernel, all, active, count, see, out))
    {
        return false;
    }
    const uint32_t split = out->count;
    if (!ab_index_descend_many(&tree[AB_ACTIVE], kernel, all, active, count, see, out))
    {
        return false;
    }
    memset(out->first, 0, sizeof out->first);
    for (uint32_t i = 0; i < out->count; ++i)
    {
        ++out->first[out->query[i] + 1];
    }
    for (uint32_t i = 0; i < AB_TOGETHER; ++i)
    {
        out->first[i + 1] += out->first[i];
    }
    if (split > 0 && split < out->count)
    {
        merge(out, split);
    }
    return true;
}

void ab_gathered_prefetch(const ab_gathered *gathered)
{
    for (uint32_t i = 0; i < gathered->count; ++i)
    {
        ab_query_prefetch(gathered->asked->world, gathered->proxy[i]);
    }
}

// The lowest bits of a key are its index, so that no two are the same.
void ab_gather_order(const ab_questions *asked, const float *keys, uint32_t count, uint8_t *order)
{
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

void ab_gather_answers(const ab_questions *asked, uint32_t first, uint32_t count, ab_answer_together *together)
{
    uint32_t most = AB_TOGETHER;
    for (uint32_t i = first, left = count; left > 0;)
    {
        uint32_t part = left < most ? left : most;
        if (part <= FEW)
        {
            for (uint32_t k = i; k < i + part; ++k)
            {
                asked->answer(asked->context, k);
            }
        }
        else if (!together(asked->context, i, part))
        {
            most = part / 2;
            part = 0;
        }
        i += part;
        left -= part;
    }
}

#endif
