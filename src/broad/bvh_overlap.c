// Finds the overlapping pairs of proxies of the active tree: within its blocks, with itself, and with the static tree.
// The calling thread expands the trees from their roots down to level 2, which is little work; each pair on the
// resulting list has about five hundred proxies a side, and a task takes the next few of them.
#include "base/array.h"
#include "broad/bvh_descend.h"

#include <string.h>

#define TOP_LEVEL           2   // of the tree with fewer proxies, where tasks begin
#define PROXIES_A_PAIR      128 // of the list: the work of a pair, in proxies
#define SELF_OVERLAP_BLOCKS 36u // searched together
#define WITHIN_BLOCK        (AB_BLOCK * (AB_BLOCK - 1) / 2)

_Static_assert(SELF_OVERLAP_BLOCKS *WITHIN_BLOCK + AB_BLOCK <= AB_PAIR_WRITER_MOST,
               "a pair writer takes what blocks give");

static ab_step step_of(const ab_broad *broad, const ab_descent *descent, uint64_t *level_tests)
{
    return (ab_step){ broad, descent->few, descent->many, descent->few_level, descent->many_level, level_tests };
}

static bool set_list(ab_node_list *list, ab_memory *memory, uint32_t count)
{
    return ab_array_reserve(list->opened, memory, count + AB_LIST_PADDING) &&
           ab_array_reserve(list->other, memory, count + AB_LIST_PADDING);
}

// Expands every pair of the list into the spare list and swaps the two.
static bool expand_all(ab_broad *broad, ab_descent *descent)
{
    ab_bvh *bvh = broad->state;
    ab_node_list *in = &descent->list, *out = &bvh->spare;
    const ab_step step = step_of(broad, descent, bvh->top_tests), below = ab_step_below(&step);
    uint32_t opened[AB_NODE_CHUNK * AB_BLOCK + AB_LIST_PADDING], other[AB_NODE_CHUNK * AB_BLOCK + AB_LIST_PADDING];
    uint32_t count = 0;
    for (uint32_t first = 0; first < descent->count; first += AB_NODE_CHUNK)
    {
        if (!set_list(out, broad->memory, count + AB_NODE_CHUNK * AB_BLOCK * AB_BLOCK))
        {
            return false;
        }
        const uint32_t left = descent->count - first;
        const ab_node_pairs chunk = { in->opened + first, in->other + first,
                                      left < AB_NODE_CHUNK ? left : AB_NODE_CHUNK };
        ab_node_pairs between = { opened, other, 0 }, found = { out->opened + count, out->other + count, 0 };
        ab_step_down(&step, &chunk, &between, &found);
        count += found.count;
        ab_array_set_length(out->opened, count + AB_LIST_PADDING);
        ab_array_set_length(out->other, count + AB_LIST_PADDING);
    }
    const ab_node_list emptied = *in;
    *in = *out;
    *out = emptied;
    descent->count = count;
    descent->few_level = below.few_level;
    descent->many_level = below.many_level;
    return true;
}

// Expands from the roots to the level where tasks begin. False when out of memory.
static bool expand_top(ab_broad *broad, ab_descent *descent, const ab_tree *a, const ab_tree *b)
{
    descent->count = 0;
    if (a->levels == 0 || b->levels == 0 || (a == b && a->levels == 1))
    {
        return true;
    }
    const bool a_is_few = a->count[0] < b->count[0];
    descent->few = a_is_few ? a : b;
    descent->many = a_is_few ? b : a;
    descent->few_level = (int)descent->few->levels - 1;
    descent->many_level = (int)descent->many->levels - 1;
    if (!set_list(&descent->list, broad->memory, 1))
    {
        return false;
    }
    ab_array_set_length(descent->list.opened, 1 + AB_LIST_PADDING);
    ab_array_set_length(descent->list.other, 1 + AB_LIST_PADDING);
    memset(descent->list.opened, 0, (1 + AB_LIST_PADDING) * sizeof *descent->list.opened);
    memset(descent->list.other, 0, (1 + AB_LIST_PADDING) * sizeof *descent->list.other);
    descent->count = 1;
    while (descent->few_level > TOP_LEVEL && descent->count > 0)
    {
        if (!expand_all(broad, descent))
        {
            return false;
        }
    }
    return true;
}

// Tasks for the insides of blocks, then those of each descent; one task for everything when there is little to do.
static void share_out(ab_broad *broad, size_t proxies, uint32_t *tasks)
{
    ab_bvh *bvh = broad->state;
    const uint32_t a_task = broad->granularity.chunk / PROXIES_A_PAIR + 1;
    broad->partition = ab_partition_into(&broad->granularity, proxies, AB_BLOCK);
    *tasks = broad->partition.tasks;
    for (uint32_t i = 0; i < AB_BVH_DESCENTS; ++i)
    {
        ab_descent *descent = &bvh->descent[i];
        descent->first_task = *tasks;
        descent->a_task = a_task;
        *tasks += (descent->count + a_task - 1) / a_task;
    }
    bvh->in_one = proxies <= broad->granularity.whole;
    *tasks = bvh->in_one ? broad->partition.tasks : *tasks;
}

static bool prepare(ab_broad *broad, uint32_t *tasks)
{
    ab_bvh *bvh = broad->state;
    const ab_tree *active = &bvh->set[AB_ACTIVE].tree, *still = &bvh->set[AB_STATIC_SET].tree;
    const size_t proxies = active->levels > 0 ? (size_t)active->count[0] * AB_BLOCK : 0;
    memset(bvh->top_tests, 0, sizeof bvh->top_tests);
    if (!expand_top(broad, &bvh->descent[0], active, active) || !expand_top(broad, &bvh->descent[1], active, still))
    {
        return false;
    }
    share_out(broad, proxies, tasks);
    return true;
}

abut_status ab_bvh_prepare_pairs(ab_broad *broad, uint32_t *tasks)
{
    return prepare(broad, tasks) && ab_pair_writers_open(broad, *tasks) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

abut_status ab_bvh_prepare_dropping(ab_broad *broad, uint32_t *tasks)
{
    const bool prepared = ab_bvh_unite(broad, AB_ACTIVE) && ab_bvh_unite(broad, AB_STATIC_SET) &&
                          prepare(broad, tasks) && ab_pair_writers_open_again(broad, *tasks);
    return prepared ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

// Pairs of proxies in one block, for a task's part of the blocks.
static void find_within(ab_broad *broad, uint32_t task, ab_pair_writer *writer)
{
    const ab_bvh *bvh = broad->state;
    const ab_tree *tree = &bvh->set[AB_ACTIVE].tree;
    const uint32_t first = (uint32_t)(ab_partition_first(&broad->partition, task) / AB_BLOCK);
    const uint32_t end = (uint32_t)(ab_partition_end(&broad->partition, task) / AB_BLOCK);
    for (uint32_t block = first; block < end && !writer->ends; block += SELF_OVERLAP_BLOCKS)
    {
        const uint32_t blocks = end - block < SELF_OVERLAP_BLOCKS ? end - block : SELF_OVERLAP_BLOCKS;
        ab_pair_writer_took(writer, broad->kernels->overlap_self(tree->block[0] + block, blocks,
                                                                 tree->first_proxy + block * AB_BLOCK,
                                                                 ab_pair_writer_room(writer)));
    }
    broad->notes[task].level_tests[0] += (uint64_t)(AB_BLOCK / 2) * (end - first);
}

static void descend(const ab_descent *descent, uint32_t first, uint32_t most, ab_pair_writer *writer)
{
    const uint32_t left = descent->count - first;
    if (left == 0)
    {
        return; // a descent without a list
    }
    const ab_node_pairs list = { descent->list.opened + first, descent->list.other + first, left < most ? left : most };
    const ab_step step = step_of(writer->broad, descent, writer->broad->notes[writer->task].level_tests);
    ab_step_to_proxies(&step, &list, writer);
}

void ab_bvh_find_pairs(ab_broad *broad, uint32_t task)
{
    const ab_bvh *bvh = broad->state;
    ab_pair_writer writer;
    ab_pair_writer_open(&writer, broad, task);
    if (task < broad->partition.tasks)
    {
        find_within(broad, task, &writer);
    }
    else
    {
        const ab_descent *descent = &bvh->descent[task >= bvh->descent[1].first_task];
        descend(descent, (task - descent->first_task) * descent->a_task, descent->a_task, &writer);
    }
    for (uint32_t i = 0; bvh->in_one && i < AB_BVH_DESCENTS; ++i)
    {
        descend(&bvh->descent[i], 0, bvh->descent[i].count, &writer);
    }
    ab_pair_writer_close(&writer);
}

abut_status ab_bvh_prepare_static(ab_broad *broad, uint32_t *tasks)
{
    ab_bvh *bvh = broad->state;
    const ab_tree *active = &bvh->set[AB_ACTIVE].tree, *still = &bvh->set[AB_STATIC_SET].tree;
    memset(bvh->top_tests, 0, sizeof bvh->top_tests);
    if (!expand_top(broad, &bvh->descent[1], active, still))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_descent *descent = &bvh->descent[1];
    descent->first_task = *tasks;
    descent->a_task = broad->proxies->region[AB_ACTIVE].tail <= broad->granularity.whole
                          ? descent->count
                          : broad->granularity.chunk / PROXIES_A_PAIR + 1;
    *tasks += descent->count > 0 ? (descent->count - 1) / descent->a_task + 1 : 0;
    return ABUT_OK;
}

void ab_bvh_find_static(ab_broad *broad, uint32_t task, ab_pair_writer *writer)
{
    const ab_bvh *bvh = broad->state;
    const ab_descent *descent = &bvh->descent[1];
    descend(descent, (task - descent->first_task) * descent->a_task, descent->a_task, writer);
}

void ab_bvh_count_top(ab_broad *broad)
{
    const ab_bvh *bvh = broad->state;
    for (uint32_t level = 0; level < ABUT_TREE_LEVELS; ++level)
    {
        broad->level_tests[level] += bvh->top_tests[level];
        broad->box_tests += broad->level_tests[level];
    }
}
