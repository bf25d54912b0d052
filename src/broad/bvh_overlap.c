// Overlapping pairs of leaves of two trees, or of one with itself: both are descended at once from the roots, a chunk
// of node pairs at a time, so that the lists stay in the near caches and have a bound that no scene can pass. Trees in
// one space have nodes of about the same size at the same depth. The one with fewer leaves is down to its leaves first,
// and these go on down the other one by one.
//
// Of each pair the node of the tree of few is opened first, since its boxes are the larger ones, which leaves the fewer
// tests. Of one tree with itself that is the later node: large and new leaves come last in the order.
#include "base/array.h"
#include "broad/box_kernels.h"
#include "broad/bvh.h"

#include <string.h>

#define NODE_CHUNK 16u  // pairs opened on both sides
#define TWIG_CHUNK 64u  // the same, one level above blocks
#define LEAF_CHUNK 256u // pairs opened on one side
#define MOST_STEPS (2 * AB_BVH_LEVELS)

#define LEAVES (-1) // the level of single leaves, below that of blocks

typedef struct traversal
{
    ab_broad *broad;
    const ab_tree *few, *many;
    ab_node_pairs list[MOST_STEPS]; // by step, last first; opened: nodes of `few`, other: nodes of `many`
    ab_node_pairs between;          // when both sides are opened, the pairs of which one side is
} traversal;

// What is left to do counts down to zero, when leaves of the one meet blocks of the other.
static uint32_t steps_left(int level_of_few, int level_of_many)
{
    return (uint32_t)(level_of_few - LEAVES + level_of_many);
}

static uint32_t chunk_at(int level_of_few)
{
    return level_of_few > 1 ? NODE_CHUNK : level_of_few == 1 ? TWIG_CHUNK : LEAF_CHUNK;
}

// Takes a list for what comes of a chunk in which each pair becomes up to `fan`. Without memory: adds up what it would
// take.
static ab_node_pairs take_list(uint32_t *memory, size_t *taken, uint32_t chunk, uint32_t fan)
{
    const size_t room = (size_t)chunk * fan + AB_LIST_PADDING, at = *taken;
    *taken += 2 * room;
    return memory ? (ab_node_pairs){ memory + at, memory + at + room, 0 } : (ab_node_pairs){ 0 };
}

// Walks the levels as descend will and takes a list for each step. Returns the entries taken in all.
static size_t lay_out(traversal *t, uint32_t *memory)
{
    int few = (int)t->few->levels - 1, many = (int)t->many->levels - 1;
    size_t taken = 0;
    t->between = take_list(memory, &taken, TWIG_CHUNK, AB_BLOCK);
    t->list[steps_left(few, many)] = take_list(memory, &taken, 1, 1);
    while (few > LEAVES || many > 0)
    {
        const uint32_t chunk = chunk_at(few);
        const bool both = few > 0;
        many -= few > 0 || few == LEAVES;
        few -= few > LEAVES;
        t->list[steps_left(few, many)] = take_list(memory, &taken, chunk, both ? AB_BLOCK * AB_BLOCK : AB_BLOCK);
    }
    return taken;
}

// What kernels read ahead of a list's end are nodes, too: zeros, or what was there before.
static bool make_lists(traversal *t)
{
    ab_bvh *bvh = t->broad->state;
    const size_t needed = lay_out(t, NULL), before = arrlenu(bvh->lists);
    if (needed > before)
    {
        if (!ab_array_resize(bvh->lists, t->broad->memory, needed))
        {
            return false;
        }
        memset(bvh->lists + before, 0, (needed - before) * sizeof *bvh->lists);
    }
    lay_out(t, bvh->lists);
    return true;
}

static ab_node_pairs part_of(const ab_node_pairs *list, uint32_t first, uint32_t most)
{
    const uint32_t left = list->count - first;
    return (ab_node_pairs){ list->opened + first, list->other + first, left < most ? left : most };
}

static void count_tests(ab_broad *broad, int level, uint64_t tests)
{
    broad->box_tests += tests;
    broad->level_tests[level] += tests;
}

static void open_nodes(traversal *t, int level, const ab_node_sides *sides, const ab_node_pairs *in, ab_node_pairs *out)
{
    t->broad->kernels->open(sides, in, out);
    count_tests(t->broad, level, in->count);
}

// Opens nodes or blocks of `few` against nodes of `many`.
static void open_few(traversal *t, int few, int many, const ab_node_pairs *in, ab_node_pairs *out)
{
    const ab_node_sides sides = { t->few->block[few], t->many->extent[many], t->many->block[many], AB_CHILDREN_ALL };
    open_nodes(t, few, &sides, in, out);
}

// Opens nodes of `many` against nodes, or leaves, of `few`. A block is not paired with itself.
static void open_many(traversal *t, int few, int many, const ab_node_pairs *in, ab_node_pairs *out)
{
    const bool leaves = few == LEAVES;
    const ab_children own = few == 0 ? AB_CHILDREN_BEFORE_OTHER : AB_CHILDREN_UP_TO_OTHER;
    const ab_node_sides sides = { t->many->block[many], leaves ? NULL : t->few->extent[few],
                                  t->few->block[leaves ? 0 : few], t->few == t->many ? own : AB_CHILDREN_ALL };
    const ab_node_pairs turned = { in->other, in->opened, in->count };
    ab_node_pairs into = { out->other, out->opened, 0 };
    open_nodes(t, many, &sides, &turned, &into);
    out->count = into.count;
}

// Leaves of `few` against blocks of `many`.
static abut_status meet(traversal *t, const ab_node_pairs *tasks)
{
    ab_broad *broad = t->broad;
    const size_t count = arrlenu(broad->pairs);
    if (!ab_array_reserve(broad->pairs, broad->memory, count + AB_BLOCK * ((size_t)tasks->count + 1)))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const ab_leaf_sides sides = { t->many->block[0], t->few->block[0], t->many->first_leaf, t->few->first_leaf,
                                  t->few != t->many };
    const ab_node_pairs turned = { tasks->other, tasks->opened, tasks->count };
    ab_array_set_length(broad->pairs, count + broad->kernels->meet(&sides, &turned, broad->pairs + count));
    count_tests(broad, 0, tasks->count);
    return ABUT_OK;
}

static abut_status descend(traversal *t, int few, int many);

// One step down for a chunk of pairs, and on from there.
static abut_status descend_chunk(traversal *t, int few, int many, const ab_node_pairs *chunk)
{
    if (few == LEAVES && many == 0)
    {
        return meet(t, chunk);
    }
    const int few_below = few > LEAVES ? few - 1 : few, many_below = few > 0 || few == LEAVES ? many - 1 : many;
    ab_node_pairs *below = &t->list[steps_left(few_below, many_below)];
    if (few > 0)
    {
        open_few(t, few, many, chunk, &t->between);
        open_many(t, few_below, many, &t->between, below);
    }
    else if (few == 0)
    {
        open_few(t, few, many, chunk, below);
    }
    else
    {
        open_many(t, few, many, chunk, below);
    }
    return descend(t, few_below, many_below);
}

static abut_status descend(traversal *t, int few, int many)
{
    const ab_node_pairs *list = &t->list[steps_left(few, many)];
    const uint32_t most = chunk_at(few);
    abut_status status = ABUT_OK;
    for (uint32_t first = 0; first < list->count && status == ABUT_OK; first += most)
    {
        const ab_node_pairs chunk = part_of(list, first, most);
        status = descend_chunk(t, few, many, &chunk);
    }
    return status;
}

// Pairs of leaves that lie in one block.
static abut_status meet_within(ab_broad *broad, const ab_tree *tree)
{
    const uint32_t pairs_in_block = AB_BLOCK * (AB_BLOCK - 1) / 2, turns = AB_BLOCK / 2;
    for (uint32_t first = 0; first < tree->count[0]; first += LEAF_CHUNK)
    {
        const uint32_t left = tree->count[0] - first, blocks = left < LEAF_CHUNK ? left : LEAF_CHUNK;
        const size_t count = arrlenu(broad->pairs);
        if (!ab_array_reserve(broad->pairs, broad->memory, count + (size_t)pairs_in_block * blocks + AB_BLOCK))
        {
            return ABUT_OUT_OF_MEMORY;
        }
        const uint32_t found = broad->kernels->mingle(tree->block[0] + first, blocks,
                                                      tree->first_leaf + first * AB_BLOCK, broad->pairs + count);
        ab_array_set_length(broad->pairs, count + found);
        count_tests(broad, 0, (uint64_t)turns * blocks);
    }
    return ABUT_OK;
}

abut_status ab_bvh_overlap(ab_broad *broad, const ab_tree *a, const ab_tree *b)
{
    if (a->levels == 0 || b->levels == 0)
    {
        return ABUT_OK;
    }
    const abut_status within = a == b ? meet_within(broad, a) : ABUT_OK;
    if (within != ABUT_OK || (a == b && a->levels == 1))
    {
        return within;
    }
    const bool a_is_few = a->count[0] < b->count[0];
    traversal t = { .broad = broad, .few = a_is_few ? a : b, .many = a_is_few ? b : a };
    if (!make_lists(&t))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const int few = (int)t.few->levels - 1, many = (int)t.many->levels - 1;
    ab_node_pairs *roots = &t.list[steps_left(few, many)];
    roots->opened[0] = roots->other[0] = 0;
    roots->count = 1;
    return descend(&t, few, many);
}
