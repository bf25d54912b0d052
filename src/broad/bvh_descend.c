// Descends two trees in chunks: each chunk of pairs goes all the way down, so that the lists stay in the near caches
// and their length is bounded for any scene: they are on the stack of the task.
#include "broad/bvh_descend.h"

#include <string.h>

#define TWIG_CHUNK  32u  // pairs expanded on both sides, one level above blocks
#define PROXY_CHUNK 128u // pairs expanded on one side
#define DOWN_CHUNK  64u  // the same, for proxies on their way down

#define NEAR_NODES        4096u // of one level, with their AABBs
#define NEAR_NODES_OF_ONE 1024u

#define FAN       (AB_BLOCK * AB_BLOCK)
#define ROOM(n)   ((n) + AB_LIST_PADDING) // of one side of a list
#define MOST_DOWN AB_TREE_LEVELS          // lists of proxies on their way down

// Two sides for each of the lists below.
#define ENTRIES                                                                                                        \
    (2 * (ROOM(TWIG_CHUNK * AB_BLOCK) + ROOM(AB_NODE_CHUNK * FAN) + ROOM(TWIG_CHUNK * FAN) +                           \
          ROOM(PROXY_CHUNK * AB_BLOCK) + MOST_DOWN * ROOM(DOWN_CHUNK * AB_BLOCK)))

_Static_assert(PROXY_CHUNK *AB_BLOCK + AB_BLOCK <= AB_PAIR_WRITER_MOST, "a pair writer takes what a chunk gives");

typedef struct descent
{
    ab_pair_writer *writer;
    ab_node_pairs between; // when both sides are expanded, the pairs of which one side is
    uint32_t taken;        // of `entries`
    uint32_t entries[ENTRIES];
} descent;

static ab_node_pairs take_list(descent *d, uint32_t pairs)
{
    uint32_t *const side = d->entries + d->taken;
    d->taken += 2 * ROOM(pairs);
    return (ab_node_pairs){ side, side + ROOM(pairs), 0 };
}

// Pads a list with nodes, because kernels read past its end.
static void pad(ab_node_pairs *list)
{
    memset(list->opened + list->count, 0, AB_LIST_PADDING * sizeof *list->opened);
    memset(list->other + list->count, 0, AB_LIST_PADDING * sizeof *list->other);
}

static void expand_nodes(const ab_step *step, int level, const ab_node_sides *sides, const ab_node_pairs *in,
                         ab_node_pairs *out)
{
    step->broad->kernels->expand(sides, in, out);
    step->level_tests[level] += in->count;
}

// Whether nodes of a level need prefetching because they do not stay in the near caches. A tree with itself competes
// with everything below its nodes.
static bool is_distant(const ab_step *step, const ab_tree *tree, int level)
{
    return tree->count[level] > (step->few == step->many ? NEAR_NODES_OF_ONE : NEAR_NODES);
}

// Drops the pairs of a list, of nodes of these levels or proxies of `few`, below which nothing collides. The caller
// pads the list afterwards.
static void drop_filtered(const ab_step *step, int few, int many, ab_node_pairs *list)
{
    const ab_proxy_filters *filters = &step->broad->filters;
    const ab_filter_union *unions = step->many->unions[many];
    uint32_t kept = 0;
    for (uint32_t i = 0; unions && i < list->count; ++i)
    {
        const uint32_t a = list->opened[i], b = list->other[i];
        const ab_filter_union here = few == AB_PROXIES
                                         ? ab_filter_of_proxy(filters, step->broad->proxies, step->few->first_proxy + a)
                                         : step->few->unions[few][a];
        list->opened[kept] = a;
        list->other[kept] = b;
        kept += ab_unions_collide(filters, &here, &unions[b]);
    }
    list->count = unions ? kept : list->count;
}

// Expands nodes or blocks of `few` against nodes of `many`.
static void expand_few(const ab_step *step, const ab_node_pairs *in, ab_node_pairs *out)
{
    const int few = step->few_level, many = step->many_level;
    const ab_node_sides sides = { step->few->block[few], step->many->aabb[many], step->many->block[many],
                                  AB_CHILDREN_ALL, is_distant(step, step->many, many) };
    expand_nodes(step, few, &sides, in, out);
    drop_filtered(step, few - 1, many, out);
    pad(out);
}

// Expands nodes of `many` against nodes, or proxies, of `few`. A block is not paired with itself.
static void expand_many(const ab_step *step, int few, const ab_node_pairs *in, ab_node_pairs *out)
{
    const bool proxies = few == AB_PROXIES;
    const ab_children own = few == 0 ? AB_CHILDREN_BEFORE_OTHER : AB_CHILDREN_UP_TO_OTHER;
    const ab_node_sides sides = { step->many->block[step->many_level], proxies ? NULL : step->few->aabb[few],
                                  step->few->block[proxies ? 0 : few], step->few == step->many ? own : AB_CHILDREN_ALL,
                                  proxies ? is_distant(step, step->many, step->many_level)
                                          : is_distant(step, step->few, few) };
    const ab_node_pairs turned = { in->other, in->opened, in->count };
    ab_node_pairs into = { out->other, out->opened, 0 };
    expand_nodes(step, step->many_level, &sides, &turned, &into);
    out->count = into.count;
    drop_filtered(step, few, step->many_level - 1, out);
    pad(out);
}

void ab_step_down(const ab_step *step, const ab_node_pairs *in, ab_node_pairs *between, ab_node_pairs *out)
{
    if (step->few_level > 0)
    {
        expand_few(step, in, between);
        expand_many(step, step->few_level - 1, between, out);
    }
    else if (step->few_level == 0)
    {
        expand_few(step, in, out);
    }
    else
    {
        expand_many(step, AB_PROXIES, in, out);
    }
}

// Tests proxies of `few` against blocks of `many`.
static void leaf_test(const ab_step *step, const ab_node_pairs *in, ab_pair_writer *writer)
{
    const ab_proxy_sides sides = { step->many->block[0], step->few->block[0], step->many->first_proxy,
                                   step->few->first_proxy, step->few != step->many && is_distant(step, step->many, 0) };
    const ab_node_pairs turned = { in->other, in->opened, in->count };
    ab_pair_writer_took(writer, step->broad->kernels->leaf_test(&sides, &turned, ab_pair_writer_room(writer)));
    step->level_tests[0] += in->count;
}

static uint32_t chunk_at(const ab_step *step)
{
    const uint32_t of_proxies = step->many_level == 0 ? PROXY_CHUNK : DOWN_CHUNK;
    return step->few_level > 1    ? AB_NODE_CHUNK
           : step->few_level == 1 ? TWIG_CHUNK
           : step->few_level == 0 ? PROXY_CHUNK
                                  : of_proxies;
}

static void go_down(descent *d, const ab_step *step, const ab_node_pairs *list)
{
    const uint32_t most = chunk_at(step), taken = d->taken;
    const bool at_proxies = step->few_level == AB_PROXIES && step->many_level == 0;
    const ab_step below = ab_step_below(step);
    ab_node_pairs out = { 0 };
    if (!at_proxies)
    {
        out = take_list(d, most * (step->few_level > 0 ? FAN : AB_BLOCK));
    }
    for (uint32_t first = 0; first < list->count && !d->writer->ends; first += most)
    {
        const uint32_t left = list->count - first;
        const ab_node_pairs chunk = { list->opened + first, list->other + first, left < most ? left : most };
        if (at_proxies)
        {
            leaf_test(step, &chunk, d->writer);
            continue;
        }
        ab_step_down(step, &chunk, &d->between, &out);
        go_down(d, &below, &out);
    }
    d->taken = taken;
}

void ab_step_to_proxies(const ab_step *step, const ab_node_pairs *in, ab_pair_writer *writer)
{
    descent d;
    d.writer = writer;
    d.taken = 0;
    d.between = take_list(&d, TWIG_CHUNK * AB_BLOCK);
    go_down(&d, step, in);
}
