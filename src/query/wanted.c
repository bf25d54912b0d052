// Marks the nodes of a level from the proxies below them, and those of the levels above from its marks.
#include "query/wanted.h"

#define PROXIES_A_QUESTION 16u // marking that many costs a small part of what a question does
#define WORD_BITS          64u

static uint32_t words_for(uint32_t nodes)
{
    return (nodes + WORD_BITS - 1) / WORD_BITS;
}

// The lowest level such that its bits and those of all levels above have room.
static uint32_t lowest_level(const ab_tree *tree)
{
    uint32_t level = tree->levels, words = 0;
    while (level > 0 && words + words_for(tree->count[level - 1]) <= AB_WANTED_WORDS)
    {
        words += words_for(tree->count[--level]);
    }
    return level;
}

// Whether a node of some level has a proxy below it that the filter wants, whatever a question's own entry leaves out.
static bool is_wanted(const ab_questions *q, ab_set set, uint32_t level, uint32_t node)
{
    const uint32_t tail = q->world->cache.proxies.region[set].tail, each = AB_BLOCK << 3 * level;
    for (uint32_t i = node * each; i < (node + 1) * each && i < tail; ++i)
    {
        if (ab_query_wants(q->world, &q->accepted, AB_ANY_QUESTION, q->index->tree[set].first_proxy + i))
        {
            return true;
        }
    }
    return false;
}

// Whether all nodes of a level begin with a proxy that is wanted without a closer look. Mostly so, where a filter
// leaves nothing out; without a branch it costs next to nothing.
static bool all_begin_wanted(const ab_questions *q, ab_set set, uint32_t level)
{
    const ab_tree *tree = &q->index->tree[set];
    const uint32_t *flags = q->world->cache.proxies.proxy_flags + tree->first_proxy;
    const size_t count = tree->count[level], each = (size_t)AB_BLOCK << 3 * level;
    uint32_t all = 0;
    for (size_t node = 0; node < count; ++node)
    {
        all |= flags[node * each];
    }
    return (all & q->accepted.doubtful) == 0;
}

// Returns how many of the level's nodes are marked.
static uint32_t mark_level(const ab_questions *q, ab_set set, uint32_t level, const uint64_t *below, uint64_t *words)
{
    const uint32_t nodes = q->index->tree[set].count[level];
    uint32_t marked = 0;
    for (uint32_t node = 0; node < nodes; ++node)
    {
        // eight children are a byte of the level below
        const bool wanted = below ? (below[node / 8] >> 8 * (node % 8) & 0xffu) != 0 : is_wanted(q, set, level, node);
        words[node / WORD_BITS] |= (uint64_t)wanted << node % WORD_BITS;
        marked += wanted;
    }
    return marked;
}

static bool contains(const ab_aabb *outer, const ab_aabb *inner)
{
    bool within = true;
    for (int k = 0; k < 3; ++k)
    {
        within &= outer->min[k] <= inner->min[k] && inner->max[k] <= outer->max[k];
    }
    return within;
}

static void enclose(ab_aabb *outer, const float min[3], const float max[3])
{
    for (int k = 0; k < 3; ++k)
    {
        outer->min[k] = min[k] < outer->min[k] ? min[k] : outer->min[k];
        outer->max[k] = max[k] > outer->max[k] ? max[k] : outer->max[k];
    }
}

// A block may hold what is wanted and what is not, far apart.
static void enclose_wanted(ab_aabb *outer, const ab_questions *q, ab_set set, uint32_t node)
{
    const ab_aabb8 *block = &q->index->tree[set].block[0][node];
    const uint32_t tail = q->world->cache.proxies.region[set].tail;
    for (uint32_t lane = 0; lane < AB_BLOCK && node * AB_BLOCK + lane < tail; ++lane)
    {
        const uint32_t proxy = q->index->tree[set].first_proxy + node * AB_BLOCK + lane;
        if (ab_query_wants(q->world, &q->accepted, AB_ANY_QUESTION, proxy))
        {
            const float min[3] = { block->min_x[lane], block->min_y[lane], block->min_z[lane] },
                        max[3] = { block->max_x[lane], block->max_y[lane], block->max_z[lane] };
            enclose(outer, min, max);
        }
    }
}

// The AABB around what the marked nodes of a level hold that is wanted.
static ab_aabb around_marked(const ab_questions *q, ab_set set, uint32_t level, const uint64_t *words)
{
    const ab_tree *tree = &q->index->tree[set];
    ab_aabb around = { .min = { AB_EMPTY_BOX, AB_EMPTY_BOX, AB_EMPTY_BOX },
                       .max = { -AB_EMPTY_BOX, -AB_EMPTY_BOX, -AB_EMPTY_BOX } };
    for (uint32_t node = 0; node < tree->count[level]; ++node)
    {
        const ab_aabb *box = &tree->aabb[level][node];
        if ((words[node / WORD_BITS] >> node % WORD_BITS & 1u) == 0 || contains(&around, box))
        {
            continue;
        }
        if (level == 0)
        {
            enclose_wanted(&around, q, set, node);
        }
        else
        {
            enclose(&around, box->min, box->max);
        }
    }
    return around;
}

static void mark_set(const ab_questions *q, ab_set set, ab_wanted *out)
{
    ab_tree *tree = &out->tree[set];
    const uint32_t lowest = lowest_level(tree);
    const uint64_t *below = NULL, **levels = out->levels[set];
    uint64_t *words = out->words[set];
    if (tree->levels == 0 || all_begin_wanted(q, set, lowest))
    {
        return;
    }
    memset(levels, 0, sizeof out->levels[set]);
    for (uint32_t level = lowest; level < tree->levels; ++level)
    {
        const uint32_t room = words_for(tree->count[level]);
        memset(words, 0, room * sizeof *words);
        const uint32_t marked = mark_level(q, set, level, below, words);
        if (level == lowest && marked == tree->count[level])
        {
            return; // nothing to leave out
        }
        if (level == lowest)
        {
            out->around[set] = around_marked(q, set, level, words);
            tree->around = &out->around[set];
        }
        levels[level] = below = words;
        tree->wanted = levels;
        words += room;
    }
}

void ab_wanted_mark(ab_questions *q, ab_wanted *room)
{
    const ab_region *region = q->world->cache.proxies.region;
    const uint64_t proxies = (uint64_t)region[AB_ACTIVE].tail + region[AB_STATIC_SET].tail;
    if ((uint64_t)PROXIES_A_QUESTION * q->count < proxies)
    {
        return;
    }
    memcpy(room->tree, q->index->tree, sizeof room->tree);
    q->index->tree = room->tree;
    mark_set(q, AB_ACTIVE, room);
    mark_set(q, AB_STATIC_SET, room);
}
