// Descends the tree level by level: nothing branches on the result of a box test, and the loads of a level are
// independent. A level that outgrows its list is processed in parts.
#include "index/descend.h"

#include "base/platform.h"

#include <math.h>
#include <string.h>

#define FEW_NODES  4u     // fewer nodes need no root test
#define LEAST      1e-30f // of a direction's components: keeps inverses finite
#define NEAR_NODES 512u   // 96 KB
#define EARLIER    (1.0f - 0x1p-21f)
#define ROWS       3u       // from the row of a lower side to that of the upper
#define SUM_SLACK  0x1p-21f // of a sum of two floats: four times its rounding error

#ifdef AB_SMALL
#define MARKED 0 // whether trees may have marks
#else
#define MARKED 1
#endif

void ab_cast_line_make(ab_cast_line *out, const float origin[3], const float translation[3])
{
    out->near = 0.0f;
    out->far = 1.0f;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const float way = translation[k] + 0.0f; // no negative zero
        const float size = fabsf(way), least = size < LEAST ? LEAST : size;
        out->inverse[k] = -copysignf(EARLIER / least, way);
        out->enter_from[k] = out->leave_from[k] = origin[k];
        const uint32_t back = (signbit(way) != 0) * AB_BLOCK * ROWS; // no branch: signs cannot be predicted
        out->enter_at[k] = (uint16_t)(AB_BLOCK * k + back);
        out->leave_at[k] = (uint16_t)(AB_BLOCK * (k + ROWS) - back);
    }
}

void ab_cast_line_widen(ab_cast_line *out, const float origin[3], const float half[3])
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        const float outer = half[k] > 0.0f ? half[k] + (half[k] + fabsf(origin[k])) * SUM_SLACK : 0.0f;
        const float reach = copysignf(outer, -out->inverse[k]);
        out->enter_from[k] += reach;
        out->leave_from[k] -= reach;
    }
}

#ifndef AB_SMALL
void ab_cast_line_pass(const ab_cast_line *line, const ab_aabb *box, float *enter, float *leave)
{
    float in[3], out[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        const bool back = line->enter_at[k] >= AB_BLOCK * ROWS;
        const float first = back ? box->max[k] : box->min[k], last = back ? box->min[k] : box->max[k];
        in[k] = (line->enter_from[k] - first) * line->inverse[k];
        out[k] = (line->leave_from[k] - last) * line->inverse[k];
    }
    const float latest_in = in[0] > in[1] ? in[0] : in[1], first_out = out[0] < out[1] ? out[0] : out[1];
    *enter = latest_in > in[2] ? latest_in : in[2];
    *leave = (first_out < out[2] ? first_out : out[2]) * AB_LINE_LATEST;
}
#endif

void ab_index_plane_make(ab_index_plane *out, const double normal[3], double offset)
{
    out->offset = (float)offset;
    out->offset += fabsf(out->offset) * SUM_SLACK + LEAST;
    for (uint32_t k = 0; k < 3; ++k)
    {
        out->normal[k] = (float)normal[k];
        out->row[k] = normal[k] < 0.0 ? k + ROWS : k;
    }
}

typedef struct descent
{
    const ab_tree *tree;
    ab_index_kernel *kernel;
    const void *query;
    ab_index_see *see;
    void *context;
    float *values;                                                           // NULL: not wanted
    uint32_t list[AB_TREE_LEVELS + 1][AB_DESCEND_ROOM + AB_DESCEND_PADDING]; // of nodes by level; of proxies first
} descent;

// Nodes become proxies, and a list is padded: those of one set may begin anywhere.
static void number_proxies(const ab_tree *tree, uint32_t *proxies, uint32_t count)
{
    for (uint32_t i = 0; tree->first_proxy > 0 && i < count; ++i)
    {
        proxies[i] += tree->first_proxy;
    }
    const uint32_t first = proxies[0];
    uint32_t *const behind = proxies + count;
    for (uint32_t i = 0; i < AB_DESCEND_PADDING; ++i)
    {
        behind[i] = first;
    }
}

// The first of some nodes; kernels do so for the others. Of the lowest also what is read first of their proxies: it is
// there when their boxes are tested. `keys`: the collider keys are among that; many queries ask for them by proxy, where
// they read them. A level that stays in the near caches needs none: its loads are independent.
AB_INLINE void prefetch_nodes(const ab_tree *tree, uint32_t level, const uint32_t *nodes, uint32_t count, bool keys)
{
    const uint32_t first = count < AB_DESCEND_AHEAD ? count : AB_DESCEND_AHEAD;
    const ab_aabb8 *blocks = tree->block[level];
    if (tree->count[level] <= NEAR_NODES)
    {
        return;
    }
    const ab_proxies *proxies = tree->proxies;
    for (uint32_t i = 0; i < first; ++i)
    {
        const uint32_t node = nodes[i], proxy = tree->first_proxy + node * AB_BLOCK;
        ab_aabb8_prefetch(&blocks[node]);
        if (level == 0)
        {
            AB_PREFETCH_AT(proxies->proxy_flags, proxy);
            if (keys)
            {
                AB_PREFETCH_AT(proxies->collider_key, proxy);
            }
        }
    }
}

// How many of `count` nodes from `first` on are expanded together.
static uint32_t part_from(uint32_t first, uint32_t count)
{
    return count - first < AB_DESCEND_CHUNK ? count - first : AB_DESCEND_CHUNK;
}

// Leaves out the nodes of a level that hold nothing wanted. Returns how many stay. `queries` is parallel, or NULL.
static uint32_t keep_wanted(const ab_tree *tree, uint32_t level, uint32_t *nodes, uint8_t *queries, uint32_t count)
{
    const uint64_t *wanted = MARKED && tree->wanted ? tree->wanted[level] : NULL;
    uint32_t kept = 0;
    if (!wanted)
    {
        return count;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t node = nodes[i];
        nodes[kept] = node;
        if (queries)
        {
            queries[kept] = queries[i];
        }
        kept += wanted[node / 64] >> node % 64 & 1u;
    }
    return kept;
}

// Expands nodes of a level and everything below them. Children of level l are in list l, nodes in list l + 1.
static bool go_down(descent *d, uint32_t level, const uint32_t *nodes, uint32_t count)
{
    while (count <= AB_DESCEND_CHUNK)
    {
        uint32_t *children = d->list[level];
        prefetch_nodes(d->tree, level, nodes, count, true);
        count = d->kernel(d->tree->block[level], d->query, nodes, count, children, level == 0 ? d->values : NULL);
        if (level == 0)
        {
            if (count == 0)
            {
                return true;
            }
            number_proxies(d->tree, children, count);
            return d->see(d->context, children, d->values, count);
        }
        --level;
        count = keep_wanted(d->tree, level, children, NULL, count);
        nodes = children;
    }
    for (uint32_t first = 0; first < count; first += AB_DESCEND_CHUNK)
    {
        if (!go_down(d, level, nodes + first, part_from(first, count)))
        {
            return false;
        }
    }
    return true;
}

uint32_t ab_index_first_level(const ab_tree *tree)
{
    uint32_t level = tree->levels > 0 ? tree->levels - 1 : 0;
    while (level > 0 && tree->count[level - 1] <= FEW_NODES)
    {
        --level;
    }
    return level;
}

static const uint32_t few_nodes[FEW_NODES] = { 0, 1, 2, 3 };

static bool descend(const ab_tree *tree, ab_index_kernel *kernel, const void *query, ab_index_see *see, void *context,
                    float *values)
{
    const uint32_t level = tree->first_level, count = tree->count[level];
    descent d;
    d.tree = tree;
    d.kernel = kernel;
    d.query = query;
    d.see = see;
    d.context = context;
    d.values = values;
    if (MARKED && count <= FEW_NODES && !tree->wanted)
    {
        return go_down(&d, level, few_nodes, count);
    }
    for (uint32_t first = 0; first < count; first += AB_DESCEND_CHUNK) // many where there are no levels above
    {
        const uint32_t part = part_from(first, count);
        uint32_t *top = d.list[level + 1];
        for (uint32_t i = 0; i < part; ++i)
        {
            top[i] = first + i;
        }
        if (!go_down(&d, level, top, keep_wanted(tree, level, top, NULL, part)))
        {
            return false;
        }
    }
    return true;
}

bool ab_index_descend(const ab_tree *tree, ab_index_kernel *kernel, const void *query, ab_index_see *see, void *context)
{
    float values[AB_DESCEND_ROOM + AB_DESCEND_PADDING];
    return tree->levels == 0 || descend(tree, kernel, query, see, context, values);
}

#ifndef AB_SMALL
// A descent of a tree that is no more than a few nodes.
static bool see_few(const ab_tree *tree, ab_index_kernel *kernel, const void *query, ab_index_see *see, void *context)
{
    uint32_t proxies[FEW_NODES * AB_BLOCK + AB_DESCEND_PADDING];
    const uint32_t count = kernel(tree->block[0], query, few_nodes, tree->count[0], proxies, NULL);
    if (count == 0)
    {
        return true;
    }
    number_proxies(tree, proxies, count);
    return see(context, proxies, NULL, count);
}

// Apart, for room that few nodes do not need.
static AB_APART bool descend_plain(const ab_tree *tree, ab_index_kernel *kernel, const void *query, ab_index_see *see,
                                   void *context)
{
    return descend(tree, kernel, query, see, context, NULL);
}

bool ab_index_descend_plain(const ab_tree *tree, ab_index_kernel *kernel, const void *query, ab_index_see *see,
                            void *context)
{
    if (tree->levels == 0)
    {
        return true;
    }
    return tree->first_level == 0 && tree->count[0] <= FEW_NODES && !tree->wanted
               ? see_few(tree, kernel, query, see, context)
               : descend_plain(tree, kernel, query, see, context);
}
#endif

#define MANY_ROOM (3u * AB_DESCEND_ROOM)

// As a descent, with the lists of all levels one behind the other: mostly only the last ones are long.
typedef struct descent_of_many
{
    const ab_tree *tree;
    ab_index_many_kernel *kernel;
    const void *all;
    ab_index_see_many *see;
    void *context;
    uint32_t node[MANY_ROOM + AB_DESCEND_PADDING];
    uint8_t query[MANY_ROOM + AB_DESCEND_PADDING]; // parallel
} descent_of_many;

_Static_assert(MANY_ROOM >= AB_DESCEND_CHUNK + (AB_TREE_LEVELS + 1) * AB_BLOCK, "each level has room for a node more");

// go_down for many: nodes from `first` on, below which all before `top` is kept. A node has at most eight children, and
// room stays for those of one at each level below.
static bool go_down_many(descent_of_many *d, uint32_t level, uint32_t first, uint32_t count, uint32_t top)
{
    uint32_t part = AB_DESCEND_CHUNK;
    for (;;)
    {
        const uint32_t room = (MANY_ROOM - top) / AB_BLOCK - level;
        part = room < AB_DESCEND_CHUNK ? room : AB_DESCEND_CHUNK;
        if (count > part)
        {
            break;
        }
        const uint32_t *nodes = d->node + first;
        uint32_t *children = d->node + top;
        uint8_t *of = d->query + top;
        prefetch_nodes(d->tree, level, nodes, count, false);
        count = d->kernel(d->tree->block[level], d->all, nodes, d->query + first, count, children, of);
        if (level == 0)
        {
            if (count == 0)
            {
                return true;
            }
            number_proxies(d->tree, children, count);
            memset(of + count, of[0], AB_DESCEND_PADDING);
            return d->see(d->context, children, of, count);
        }
        --level;
        count = keep_wanted(d->tree, level, children, of, count);
        first = top;
        top += count;
    }
    for (uint32_t done = 0; done < count; done += part)
    {
        const uint32_t left = count - done;
        if (!go_down_many(d, level, first + done, left < part ? left : part, top))
        {
            return false;
        }
    }
    return true;
}

// Most queries miss most nodes of the upper levels, so that all of them begin at the top.
bool ab_index_descend_many(const ab_tree *tree, ab_index_many_kernel *kernel, const void *all, const uint8_t *active,
                           uint32_t count, ab_index_see_many *see, void *context)
{
    if (tree->levels == 0)
    {
        return true;
    }
    const uint32_t level = tree->levels - 1, nodes = tree->count[level];
    descent_of_many d;
    d.tree = tree;
    d.kernel = kernel;
    d.all = all;
    d.see = see;
    d.context = context;
    uint32_t part = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t node = 0; node < nodes; ++node)
        {
            d.node[part] = node;
            d.query[part++] = active[i];
            if (part == AB_DESCEND_CHUNK)
            {
                if (!go_down_many(&d, level, 0, part, part))
                {
                    return false;
                }
                part = 0;
            }
        }
    }
    return go_down_many(&d, level, 0, part, part);
}
