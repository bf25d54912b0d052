// Overlapping pairs of leaves of two trees, or of one with itself: both are descended at once from the roots, a chunk of node
// pairs at a time, so that the lists stay in the near caches and have a bound that no scene can pass. Where the trees are of
// unequal height the taller is descended alone until they are level.
//
// The second of a pair is opened first. In a tree's order what is large and what is new comes last, so it is the second, and
// opening what has the larger box first leaves the fewer tests.
#include "base/array.h"
#include "broad/box_kernels.h"
#include "broad/bvh.h"

#include <string.h>

#define NODE_CHUNK  16u  // pairs of nodes above level 1
#define TWIG_CHUNK  64u  // pairs of nodes of level 1
#define BLOCK_CHUNK 256u // pairs of blocks
#define FAN         (AB_BLOCK * AB_BLOCK)

// Entries of the list of pairs at a level below another, and of that between.
#define LIST_ROOM(chunk)    (FAN * (chunk) + AB_LIST_PADDING)
#define BETWEEN_ROOM(chunk) (AB_BLOCK * (chunk) + AB_LIST_PADDING)
#define LARGEST_BETWEEN     BETWEEN_ROOM(BLOCK_CHUNK)

typedef struct traversal
{
    ab_broad *broad;
    const ab_tree *a, *b;
    bool same;
    ab_node_pairs below[AB_BVH_LEVELS]; // opened: nodes of b, other: nodes of a
    ab_node_pairs between;
} traversal;

static size_t list_room(uint32_t depth)
{
    return depth == 0 ? LIST_ROOM(TWIG_CHUNK) : LIST_ROOM(NODE_CHUNK);
}

static uint32_t depth_of(const ab_bvh *bvh)
{
    const uint32_t active = bvh->set[AB_ACTIVE].tree.levels, still = bvh->set[AB_STILL].tree.levels;
    return active > still ? active : still;
}

bool ab_bvh_reserve_lists(ab_broad *broad)
{
    ab_bvh *bvh = broad->state;
    size_t entries = 2 * LARGEST_BETWEEN;
    for (uint32_t depth = 0; depth < depth_of(bvh); ++depth)
    {
        entries += 2 * list_room(depth);
    }
    const size_t before = arrlenu(bvh->lists);
    if (entries <= before)
    {
        return true;
    }
    if (!ab_array_resize(bvh->lists, broad->memory, entries))
    {
        return false;
    }
    memset(bvh->lists, 0, entries * sizeof *bvh->lists); // what is read ahead of a list's end are nodes, too
    return true;
}

static ab_node_pairs take_list(uint32_t **from, size_t room)
{
    ab_node_pairs list = { .opened = *from, .other = *from + room };
    *from += 2 * room;
    return list;
}

static ab_node_pairs part_of(const ab_node_pairs *list, uint32_t first, uint32_t most)
{
    const uint32_t left = list->count - first;
    return (ab_node_pairs){ list->opened + first, list->other + first, left < most ? left : most };
}

// Blocks of b against blocks of a: leaves of b whose box meets a block's, then those against the leaves of the block.
static abut_status meet_blocks(traversal *t, const ab_node_pairs *chunk)
{
    ab_broad *broad = t->broad;
    const ab_node_sides sides = { t->b->block[0], t->a->extent[0], t->a->block[0], false };
    broad->kernels->open(&sides, chunk, &t->between);
    const ab_node_pairs tasks = { t->between.other, t->between.opened, t->between.count };
    const size_t count = arrlenu(broad->pairs);
    if (!ab_array_reserve(broad->pairs, broad->memory, count + AB_BLOCK * ((size_t)tasks.count + 1)))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const ab_leaf_sides leaves = { t->a->block[0], t->b->block[0], t->a->first_leaf, t->b->first_leaf, t->same };
    ab_array_set_length(broad->pairs, count + broad->kernels->meet(&leaves, &tasks, broad->pairs + count));
    broad->box_tests += chunk->count + tasks.count;
    return ABUT_OK;
}

// Opens the taller side, or both, of a chunk of pairs at levels (level_a, level_b) into `out`.
static void open_chunk(traversal *t, uint32_t level_a, uint32_t level_b, const ab_node_pairs *chunk, ab_node_pairs *out)
{
    const ab_box_kernels *kernels = t->broad->kernels;
    const bool both = level_a == level_b;
    ab_node_pairs step = *chunk;
    if (level_b >= level_a)
    {
        const ab_node_sides sides = { t->b->block[level_b], t->a->extent[level_a], t->a->block[level_a], false };
        ab_node_pairs *into = both ? &t->between : out;
        t->broad->box_tests += step.count;
        kernels->open(&sides, &step, into);
        step = *into;
    }
    if (level_a >= level_b)
    {
        const uint32_t level_of_b = both ? level_b - 1 : level_b;
        const ab_node_sides sides = { t->a->block[level_a], t->b->extent[level_of_b], t->b->block[level_of_b],
                                      t->same };
        const ab_node_pairs turned = { step.other, step.opened, step.count };
        ab_node_pairs into = { out->other, out->opened, 0 };
        t->broad->box_tests += turned.count;
        kernels->open(&sides, &turned, &into);
        out->count = into.count;
    }
}

static abut_status descend(traversal *t, uint32_t level_a, uint32_t level_b, const ab_node_pairs *list)
{
    const uint32_t depth = level_a > level_b ? level_a : level_b;
    const uint32_t most = depth == 0 ? BLOCK_CHUNK : depth == 1 ? TWIG_CHUNK : NODE_CHUNK;
    abut_status status = ABUT_OK;
    for (uint32_t first = 0; first < list->count && status == ABUT_OK; first += most)
    {
        const ab_node_pairs chunk = part_of(list, first, most);
        if (depth == 0)
        {
            status = meet_blocks(t, &chunk);
            continue;
        }
        ab_node_pairs *below = &t->below[depth - 1];
        open_chunk(t, level_a, level_b, &chunk, below);
        status = descend(t, level_a - (level_a == depth), level_b - (level_b == depth), below);
    }
    return status;
}

abut_status ab_bvh_overlap(ab_broad *broad, const ab_tree *a, const ab_tree *b)
{
    const ab_bvh *bvh = broad->state;
    if (a->levels == 0 || b->levels == 0)
    {
        return ABUT_OK;
    }
    traversal t = { .broad = broad, .a = a, .b = b, .same = a == b };
    uint32_t *from = bvh->lists;
    t.between = take_list(&from, LARGEST_BETWEEN);
    for (uint32_t depth = 0; depth < depth_of(bvh); ++depth)
    {
        t.below[depth] = take_list(&from, list_room(depth));
    }
    ab_node_pairs *roots = &t.below[depth_of(bvh) - 1];
    roots->opened[0] = roots->other[0] = 0;
    roots->count = 1;
    return descend(&t, a->levels - 1, b->levels - 1, roots);
}
