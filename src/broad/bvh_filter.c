// The filters of a tree: the categories, masks, motions, group and body of all proxies below each node, so that a
// descent ends where nothing collides and a sensor costs what it may detect. Maintained only while the broad phase
// drops pairs. A union contains those below it; in the static set it may contain more, after proxies were removed.
#include "base/array.h"
#include "base/assert.h"
#include "broad/bvh.h"

static bool drops(const ab_broad *broad)
{
    return broad->filters.drops;
}

bool ab_bvh_reserve_unions(ab_broad *broad, ab_set set, uint32_t blocks, size_t nodes)
{
    ab_bvh *bvh = broad->state;
    ab_bvh_set *s = &bvh->set[set];
    return !drops(broad) || (ab_array_resize(s->block_unions, broad->memory, blocks) &&
                             ab_array_resize(s->node_unions, broad->memory, nodes));
}

void ab_bvh_look_at_unions(const ab_broad *broad, ab_bvh_set *s)
{
    ab_tree *tree = &s->tree;
    for (uint32_t level = 0; level < tree->levels; ++level)
    {
        tree->unions[level] = NULL;
        if (drops(broad))
        {
            tree->unions[level] = level == 0 ? s->block_unions : s->node_unions + (tree->block[level] - s->nodes);
        }
    }
}

void ab_bvh_unite_blocks(ab_broad *broad, ab_set set, uint32_t first, uint32_t end)
{
    ab_bvh *bvh = broad->state;
    const uint32_t first_proxy = broad->proxies->region[set].first * AB_BLOCK;
    for (uint32_t block = first; drops(broad) && block < end; ++block)
    {
        ab_filter_union all = { 0 };
        for (uint32_t i = 0; i < AB_BLOCK; ++i)
        {
            const ab_filter_union one =
                ab_filter_of_proxy(&broad->filters, broad->proxies, first_proxy + block * AB_BLOCK + i);
            ab_filter_unite(&all, &one);
        }
        bvh->set[set].block_unions[block] = all;
    }
}

void ab_bvh_unite_nodes(const ab_broad *broad, ab_bvh_set *s, uint32_t level, uint32_t first, uint32_t end)
{
    if (!drops(broad))
    {
        return;
    }
    const uint32_t children = s->tree.count[level - 1];
    const ab_filter_union *below = s->tree.unions[level - 1];
    ab_filter_union *unions = s->node_unions + (s->tree.block[level] - s->nodes);
    for (uint32_t node = first; node < end; ++node)
    {
        ab_filter_union all = { 0 };
        for (uint32_t i = node * AB_BLOCK; i < (node + 1) * AB_BLOCK && i < children; ++i)
        {
            ab_filter_unite(&all, &below[i]);
        }
        unions[node] = all;
    }
}

uint32_t ab_bvh_class_of(const ab_broad *broad, uint32_t proxy, uint32_t size_class)
{
    const bool sensor = (broad->proxies->proxy_flags[proxy] & AB_PROXY_SENSOR) != 0;
    return (size_class > 0) | (sensor ? 2u : 0u);
}

void ab_bvh_key_by_filter(const ab_broad *broad, uint64_t *words, size_t count, unsigned shift)
{
    for (size_t i = 0; i < count; ++i)
    {
        const uint32_t proxy = (uint32_t)words[i];
        const ab_filter_union u = ab_filter_of_proxy(&broad->filters, broad->proxies, proxy);
        const uint32_t key =
            u.category * 0x9e3779b1u ^ u.mask * 0x85ebca77u ^ u.motions * 0xc2b2ae3du ^ (uint32_t)u.group * 0x27d4eb2fu;
        words[i] = (uint64_t)key << shift | proxy;
    }
}

static void check_union(const ab_filter_union *above, const ab_filter_union *below, uint32_t at)
{
    AB_ASSERT((above->category & below->category) == below->category, at);
    AB_ASSERT((above->mask & below->mask) == below->mask, at);
    AB_ASSERT((above->motions & below->motions) == below->motions, at);
    AB_ASSERT(above->group == 0 || above->group == below->group || below->motions == 0, at);
    AB_ASSERT(above->body == ABUT_NONE || above->body == below->body || below->motions == 0, at);
}

void ab_bvh_check_unions(const ab_broad *broad, const ab_tree *tree)
{
    for (uint32_t level = 0; drops(broad) && level < tree->levels; ++level)
    {
        const uint32_t children = level > 0 ? tree->count[level - 1] : tree->count[0] * AB_BLOCK;
        for (uint32_t i = 0; i < children; ++i)
        {
            const ab_filter_union proxy =
                ab_filter_of_proxy(&broad->filters, broad->proxies, tree->first_proxy + (level > 0 ? 0 : i));
            check_union(&tree->unions[level][i / AB_BLOCK], level > 0 ? &tree->unions[level - 1][i] : &proxy, i);
        }
    }
}
