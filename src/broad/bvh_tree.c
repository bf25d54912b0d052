// The levels of a tree: their number and position, and refitting them to the proxies. A node's AABB encloses those of
// its children: exactly if it was refitted since they changed, loosely where proxies of the static set were removed.
// Nodes without children are empty.
#include "base/array.h"
#include "base/assert.h"
#include "broad/box_kernels.h"
#include "broad/bvh.h"

static uint32_t eighths(uint32_t count)
{
    return (count + AB_BLOCK - 1) / AB_BLOCK;
}

// The level above reads a level's AABBs eight at a time.
static uint32_t padded(uint32_t count)
{
    return eighths(count) * AB_BLOCK;
}

static size_t nodes_over(uint32_t blocks)
{
    size_t nodes = 0;
    for (uint32_t count = blocks; count > 1;)
    {
        count = eighths(count);
        nodes += padded(count);
    }
    return nodes;
}

bool ab_bvh_reserve(ab_broad *broad, ab_set set, uint32_t proxies)
{
    ab_bvh *bvh = broad->state;
    ab_bvh_set *s = &bvh->set[set];
    const size_t nodes = nodes_over(eighths(proxies));
    return ab_array_reserve(s->nodes, broad->memory, nodes) && ab_array_reserve(s->aabbs, broad->memory, nodes) &&
           ab_bvh_reserve_unions(broad, set, eighths(proxies), nodes);
}

void ab_bvh_look(ab_broad *broad, ab_set set)
{
    ab_bvh *bvh = broad->state;
    ab_bvh_set *s = &bvh->set[set];
    const ab_region *region = &broad->proxies->region[set];
    ab_tree *tree = &s->tree;
    tree->first_proxy = region->first * AB_BLOCK;
    tree->levels = 0;
    if (region->live == 0)
    {
        return;
    }
    tree->levels = 1;
    tree->count[0] = region->blocks;
    tree->block[0] = broad->proxies->block + region->first;
    tree->aabb[0] = broad->proxies->aabb + region->first;
    size_t first = 0;
    for (uint32_t count = region->blocks; count > 1; ++tree->levels)
    {
        count = eighths(count);
        tree->count[tree->levels] = count;
        tree->block[tree->levels] = s->nodes + first;
        tree->aabb[tree->levels] = s->aabbs + first;
        first += padded(count);
    }
    ab_bvh_look_at_unions(broad, s);
}

static void empty_aabbs(ab_aabb *aabbs, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; ++i)
    {
        aabbs[i] = (ab_aabb){ .min = { AB_EMPTY_BOX, AB_EMPTY_BOX, AB_EMPTY_BOX },
                              .max = { -AB_EMPTY_BOX, -AB_EMPTY_BOX, -AB_EMPTY_BOX } };
    }
}

// Whether levels still begin at the same positions, so that their content is valid.
static bool same_layout(const ab_tree *a, const ab_tree *b)
{
    bool same = a->levels == b->levels;
    for (uint32_t level = 1; same && level < a->levels; ++level)
    {
        same = padded(a->count[level]) == padded(b->count[level]);
    }
    return same;
}

// Refits nodes [first, end) of a level that begins at `begin`.
static void fit_nodes(ab_broad *broad, ab_bvh_set *s, uint32_t level, size_t begin, uint32_t first, uint32_t end)
{
    broad->kernels->refit(s->tree.aabb[level - 1] + (size_t)first * AB_BLOCK, end - first, s->nodes + begin + first,
                          s->aabbs + begin + first);
    ab_bvh_unite_nodes(broad, s, level, first, end);
}

static size_t level_begin(const ab_bvh_set *s, uint32_t level)
{
    return (size_t)(s->tree.block[level] - s->nodes);
}

static void empty_padding(ab_bvh_set *s, uint32_t level)
{
    const uint32_t count = s->tree.count[level];
    empty_aabbs(s->aabbs + level_begin(s, level), count, padded(count));
}

// Keeps refitted nodes when the arrays grow: a later update may refit only a part of them, or fail.
static void keep_levels(ab_bvh_set *s)
{
    const size_t nodes = s->tree.levels > 0 ? nodes_over(s->tree.count[0]) : 0;
    ab_array_set_length(s->nodes, nodes);
    ab_array_set_length(s->aabbs, nodes);
}

void ab_bvh_refit(ab_broad *broad, ab_set set, uint32_t first_block)
{
    ab_bvh *bvh = broad->state;
    ab_bvh_set *s = &bvh->set[set];
    const ab_tree before = s->tree;
    ab_bvh_look(broad, set);
    ab_bvh_unite_blocks(broad, set, first_block, s->tree.levels > 0 ? s->tree.count[0] : 0);
    uint32_t first = same_layout(&before, &s->tree) ? first_block : 0;
    for (uint32_t level = 1; level < s->tree.levels; ++level)
    {
        const uint32_t count = s->tree.count[level];
        // Always refits the last: after removals it may have fewer children.
        first = first / AB_BLOCK < count ? first / AB_BLOCK : count - 1;
        fit_nodes(broad, s, level, level_begin(s, level), first, count);
        empty_padding(s, level);
    }
    keep_levels(s);
}

void ab_bvh_refit_lowest(ab_broad *broad, uint32_t first, uint32_t end)
{
    ab_bvh *bvh = broad->state;
    ab_bvh_set *s = &bvh->set[AB_ACTIVE];
    ab_bvh_unite_blocks(broad, AB_ACTIVE, first, end);
    if (s->tree.levels > 1)
    {
        fit_nodes(broad, s, 1, 0, first / AB_BLOCK, eighths(end));
    }
}

void ab_bvh_refit_upper(ab_broad *broad)
{
    ab_bvh *bvh = broad->state;
    ab_bvh_set *s = &bvh->set[AB_ACTIVE];
    for (uint32_t level = 1; level < s->tree.levels; ++level)
    {
        if (level > 1)
        {
            fit_nodes(broad, s, level, level_begin(s, level), 0, s->tree.count[level]);
        }
        empty_padding(s, level);
    }
    keep_levels(s);
}

bool ab_bvh_unite(ab_broad *broad, ab_set set)
{
    ab_bvh *bvh = broad->state;
    ab_bvh_set *s = &bvh->set[set];
    const bool maintained = broad->filters.drops;
    broad->filters.drops = true;
    const bool reserved = ab_bvh_reserve(broad, set, broad->proxies->region[set].tail);
    if (reserved)
    {
        ab_bvh_look(broad, set);
        ab_bvh_unite_blocks(broad, set, 0, s->tree.levels > 0 ? s->tree.count[0] : 0);
    }
    for (uint32_t level = 1; reserved && level < s->tree.levels; ++level)
    {
        ab_bvh_unite_nodes(broad, s, level, 0, s->tree.count[level]);
    }
    broad->filters.drops = maintained;
    return reserved;
}

abut_status ab_bvh_extend(ab_broad *broad, bool *extended)
{
    const ab_bvh *bvh = broad->state;
    const ab_tree *tree = &bvh->set[AB_ACTIVE].tree;
    const ab_region *active = &broad->proxies->region[AB_ACTIVE];
    const uint32_t had = tree->levels > 0 ? tree->count[0] : 0;
    *extended = active->blocks > had;
    broad->filters = (ab_proxy_filters){ 0 };
    if (*extended)
    {
        if (!ab_bvh_reserve(broad, AB_ACTIVE, active->tail))
        {
            return ABUT_OUT_OF_MEMORY;
        }
        ab_bvh_refit(broad, AB_ACTIVE, had);
    }
    return ABUT_OK;
}

static bool same_box(const ab_aabb *a, const ab_aabb *b)
{
    bool same = true;
    for (uint32_t k = 0; k < 3; ++k)
    {
        same = same && a->min[k] == b->min[k] && a->max[k] == b->max[k];
    }
    return same;
}

// The tree's pointers may be stale; its counts are not.
void ab_bvh_refit_above(ab_broad *broad, uint32_t block)
{
    const ab_bvh *bvh = broad->state;
    const ab_bvh_set *s = &bvh->set[AB_ACTIVE];
    const ab_aabb *children = broad->proxies->aabb + broad->proxies->region[AB_ACTIVE].first;
    size_t first = 0;
    for (uint32_t level = 1, node = block / AB_BLOCK; level < s->tree.levels; ++level, node /= AB_BLOCK)
    {
        ab_aabb *const aabb = &s->aabbs[first + node];
        const ab_aabb before = *aabb;
        broad->kernels->refit(children + (size_t)node * AB_BLOCK, 1, &s->nodes[first + node], aabb);
        if (same_box(aabb, &before))
        {
            return;
        }
        children = s->aabbs + first;
        first += padded(s->tree.count[level]);
    }
}

// Counts are those of the last update, and so are the nodes; where they lie may have changed since.
void ab_bvh_tree(const ab_broad *broad, ab_set set, ab_tree *out)
{
    const ab_bvh *bvh = broad->state;
    const ab_bvh_set *s = &bvh->set[set];
    const uint32_t levels = s->tree.levels;
    const ab_aabb8 *nodes = s->nodes;
    const ab_aabb *aabbs = s->aabbs;
    if (levels == 0)
    {
        return;
    }
    out->levels = levels;
    out->count[0] = s->tree.count[0];
    for (uint32_t level = 1; level < levels; ++level)
    {
        const uint32_t count = s->tree.count[level];
        out->count[level] = count;
        out->block[level] = nodes;
        out->aabb[level] = aabbs;
        nodes += padded(count);
        aabbs += padded(count);
    }
}

static bool is_empty(const ab_aabb *box)
{
    return box->min[0] > box->max[0];
}

// After edits the tree's pointers may be stale; its counts are not. The lowest level is the proxies' own.
void ab_bvh_visit_set(const ab_broad *broad, ab_set set, ab_broad_see *see, void *context)
{
    const ab_bvh *bvh = broad->state;
    const ab_bvh_set *s = &bvh->set[set];
    const ab_region *region = &broad->proxies->region[set];
    const ab_aabb *lowest = broad->proxies->aabb + region->first;
    const uint32_t blocks = region->blocks;
    size_t first = s->tree.levels > 0 ? nodes_over(s->tree.count[0]) : 0;
    for (uint32_t level = s->tree.levels; level-- > 0;)
    {
        const uint32_t count = s->tree.count[level];
        first -= level > 0 ? padded(count) : 0;
        for (uint32_t i = 0; i < (level > 0 ? count : blocks); ++i)
        {
            const ab_aabb *box = level > 0 ? &s->aabbs[first + i] : &lowest[i];
            if (!is_empty(box))
            {
                see(context, level, box);
            }
        }
    }
}

static void check_lane(const ab_aabb8 *node, uint32_t lane, const ab_aabb *child)
{
    AB_ASSERT(node->min_x[lane] <= child->min[0] && node->max_x[lane] >= child->max[0], lane);
    AB_ASSERT(node->min_y[lane] <= child->min[1] && node->max_y[lane] >= child->max[1], lane);
    AB_ASSERT(node->min_z[lane] <= child->min[2] && node->max_z[lane] >= child->max[2], lane);
}

static void check_aabb(const ab_aabb *aabb, const ab_aabb8 *node)
{
    for (uint32_t lane = 0; lane < AB_BLOCK; ++lane)
    {
        AB_ASSERT(aabb->min[0] <= node->min_x[lane] && aabb->max[0] >= node->max_x[lane], lane);
        AB_ASSERT(aabb->min[1] <= node->min_y[lane] && aabb->max[1] >= node->max_y[lane], lane);
        AB_ASSERT(aabb->min[2] <= node->min_z[lane] && aabb->max[2] >= node->max_z[lane], lane);
    }
}

void ab_bvh_check_tree(const ab_tree *tree)
{
    for (uint32_t level = 0; level < tree->levels; ++level)
    {
        for (uint32_t i = 0; i < tree->count[level]; ++i)
        {
            check_aabb(&tree->aabb[level][i], &tree->block[level][i]);
            for (uint32_t lane = 0; lane < AB_BLOCK && level > 0; ++lane)
            {
                check_lane(&tree->block[level][i], lane, &tree->aabb[level - 1][i * AB_BLOCK + lane]);
            }
        }
    }
    AB_ASSERT(tree->levels == 0 || tree->count[tree->levels - 1] == 1, tree->levels);
}
