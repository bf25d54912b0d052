// A ray and a box down a mesh's tree for one instruction set.
//
// Why no hit is lost. What is computed of a box is rounded by a few 2^-24 of the distances to its planes and of the
// size of its block, which are less than the mesh's size and the distance from it. The line is wider than the ray by
// 2^-18 of both: see ab_mesh_line_make. Fractions, rounded by a few 2^-24 of themselves, are lowered and raised by
// more.
#include "shape/mesh_ray_kernels.h"

#define AB_LANES_EIGHT_AT_MOST // as boxes come in eights
#include "base/kernels.h"
#include "math/compress_lanes.h"
#include "math/lanes.h"

#define EARLIER (1.0f - 0x1p-20f)
#define LATER   (1.0f + 0x1p-20f)
#define WHOLE   0x1p23f // whole numbers below it are the last bits of a float that is as large

// Of a line: which planes of boxes come first, as rows of ab_mesh_node or ab_mesh_leaf.
typedef struct slabs
{
    f32w near_from[3], far_from[3], inverse[3];
    uint32_t near_row[3], far_row[3];
} slabs;

// The lanes that a line enters; `near` is where, no later.
AB_INLINE maskw cut(const f32w in[3], const f32w out[3], f32w most, f32w *near)
{
    const f32w first = mulw(maxw(maxw(in[0], in[1]), maxw(in[2], splatw(0.0f))), splatw(EARLIER));
    const f32w last = minw(mulw(minw(minw(out[0], out[1]), out[2]), splatw(LATER)), most);
    *near = first;
    return lew(first, last);
}

// The children of a node that a line enters, by bits.
AB_INLINE uint32_t enter_children(const ab_mesh_node *node, const slabs *s, float most, float near[AB_MESH_WIDTH])
{
    const float *const rows = node->min[0];
    uint32_t mask = 0;
    AB_UNROLL
    for (uint32_t i = 0; i < AB_MESH_WIDTH; i += LANES)
    {
        f32w in[3], out[3], entered;
        for (uint32_t k = 0; k < 3; ++k)
        {
            in[k] = mulw(subw(loadw(rows + AB_MESH_WIDTH * s->near_row[k] + i), s->near_from[k]), s->inverse[k]);
            out[k] = mulw(subw(loadw(rows + AB_MESH_WIDTH * s->far_row[k] + i), s->far_from[k]), s->inverse[k]);
        }
        mask |= bitsm(cut(in, out, splatw(most), &entered)) << i;
        storew(near + i, entered);
    }
    return mask;
}

AB_INLINE f32w floats_of(u32w small)
{
    return subw(floatu(oru(small, bitsw(splatw(WHOLE)))), splatw(WHOLE));
}

AB_INLINE f32w bytes_at(const unsigned char *bytes)
{
    uint32_t wide[LANES];
    for (uint32_t i = 0; i < LANES; ++i)
    {
        wide[i] = bytes[i];
    }
    return floats_of(loadu(wide));
}

// The same of a leaf.
AB_INLINE uint32_t enter_blocks(const ab_mesh_leaf *leaf, const slabs *s, float most, float near[AB_MESH_WIDTH])
{
    const unsigned char *const rows = leaf->min[0];
    f32w first[3], last[3], step[3];
    uint32_t mask = 0;
    for (int k = 0; k < 3; ++k)
    {
        const f32w origin = splatw(leaf->origin[k]);
        first[k] = mulw(subw(origin, s->near_from[k]), s->inverse[k]);
        last[k] = mulw(subw(origin, s->far_from[k]), s->inverse[k]);
        step[k] = mulw(splatw(ab_mesh_leaf_step(leaf, k)), s->inverse[k]);
    }
    AB_UNROLL
    for (uint32_t i = 0; i < AB_MESH_WIDTH; i += LANES)
    {
        f32w in[3], out[3], entered;
        for (uint32_t k = 0; k < 3; ++k)
        {
            in[k] = addw(first[k], mulw(bytes_at(rows + AB_MESH_WIDTH * s->near_row[k] + i), step[k]));
            out[k] = addw(last[k], mulw(bytes_at(rows + AB_MESH_WIDTH * s->far_row[k] + i), step[k]));
        }
        mask |= bitsm(cut(in, out, splatw(most), &entered)) << i;
        storew(near + i, entered);
    }
    return mask & leaf->there;
}

// Bytes of a number, by lane, from byte `first` on.
AB_INLINE u32w bytes_of(const uint64_t *number, uint32_t first)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    const uint32_t reversed = AB_MESH_WIDTH - 1;
#else
    const uint32_t reversed = 0;
#endif
    const unsigned char *bytes = (const unsigned char *)number;
    uint32_t wide[LANES];
    for (uint32_t i = 0; i < LANES; ++i)
    {
        wide[i] = bytes[(first + i) ^ reversed];
    }
    return loadu(wide);
}

// How many steps triangles `first` and on begin and end from their block's corners, by lane.
AB_INLINE void insets_at(const uint64_t *inset, uint32_t first, f32w *from_least, f32w *from_last)
{
    const u32w both = bytes_of(inset, first);
    *from_least = floats_of(andu(both, splatu(15)));
    *from_last = floats_of(shru(both, 4));
}

// The triangles of a block whose boxes a line enters, by bits.
AB_INLINE uint32_t enter_triangles(const ab_mesh *mesh, uint32_t which, const ab_mesh_line *line)
{
    const ab_mesh_block *block = &mesh->blocks[which];
    const ab_mesh_leaf *leaf = &mesh->leaves[which / AB_MESH_WIDTH];
    const uint32_t child = which % AB_MESH_WIDTH;
    f32w first[3], last[3], step[3];
    uint32_t mask = 0;
    for (int k = 0; k < 3; ++k)
    {
        const float min = ab_mesh_leaf_place(leaf, k, leaf->min[k][child]),
                    max = ab_mesh_leaf_place(leaf, k, leaf->max[k][child]), inverse = line->inverse[k];
        const float size = (max - min) * (1.0f / (float)AB_MESH_STEPS);
        const bool forward = inverse > 0.0f;
        first[k] = splatw(((forward ? min : max) - line->near_from[k]) * inverse);
        last[k] = splatw(((forward ? max : min) - line->far_from[k]) * inverse);
        step[k] = splatw(size * (forward ? inverse : -inverse));
    }
    AB_UNROLL
    for (uint32_t i = 0; i < AB_MESH_WIDTH; i += LANES)
    {
        f32w in[3], out[3], near;
        for (uint32_t k = 0; k < 3; ++k)
        {
            const bool forward = line->inverse[k] > 0.0f;
            f32w from_least, from_last;
            insets_at(&block->inset[k], i, &from_least, &from_last);
            in[k] = addw(first[k], mulw(forward ? from_least : from_last, step[k]));
            out[k] = subw(last[k], mulw(forward ? from_last : from_least, step[k]));
        }
        mask |= bitsm(cut(in, out, splatw(line->far), &near)) << i;
    }
    return mask;
}

// A child that waits: a node, or a block of triangles below level 0.
typedef struct waiting
{
    float near;
    uint32_t level, index; // level 0: a block; else a node of the level below
} waiting;

#define MOST_WAITING (AB_MESH_LEVELS * AB_MESH_WIDTH + 1)

static void descend(const ab_mesh *mesh, ab_mesh_line *line, ab_mesh_see_some *see, void *context)
{
    waiting stack[MOST_WAITING];
    slabs s;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const bool forward = line->inverse[k] > 0.0f;
        s.near_from[k] = splatw(line->near_from[k]);
        s.far_from[k] = splatw(line->far_from[k]);
        s.inverse[k] = splatw(line->inverse[k]);
        s.near_row[k] = forward ? k : 3 + k;
        s.far_row[k] = forward ? 3 + k : k;
    }
    stack[0] = (waiting){ 0.0f, mesh->levels, 0 };
    for (uint32_t depth = 1; depth > 0;)
    {
        const waiting at = stack[--depth];
        if (at.near > line->far)
        {
            continue;
        }
        if (at.level == 0)
        {
            const uint32_t mask = enter_triangles(mesh, at.index, line);
            if (mask != 0)
            {
                see(context, at.index, mask);
            }
            continue;
        }
        float near[AB_MESH_WIDTH];
        if (at.level == 1)
        {
            ab_mesh_fetch_group(&mesh->triangles, at.index * AB_MESH_GROUP);
        }
        const uint32_t floor = depth, level = at.level - 1;
        // Those that are put first are looked at last: of equally near ones the first is on top.
        for (uint32_t mask = level > 0
                                 ? enter_children(&mesh->nodes[mesh->first[level] + at.index], &s, line->far, near)
                                 : enter_blocks(&mesh->leaves[at.index], &s, line->far, near);
             mask != 0; mask &= mask - 1)
        {
            const uint32_t child = ab_lowest_bit(mask), index = AB_MESH_WIDTH * at.index + child;
            uint32_t to = depth++;
            for (; to > floor && stack[to - 1].near <= near[child]; --to)
            {
                stack[to] = stack[to - 1];
            }
            stack[to] = (waiting){ near[child], level, index };
            if (level == 0)
            {
                AB_PREFETCH(&mesh->blocks[index]);
                AB_PREFETCH(&mesh->triangles.eights[index].corner);
                AB_PREFETCH(&mesh->triangles.eights[index].number);
            }
            else if (level == 1)
            {
                AB_PREFETCH(&mesh->leaves[index]);
            }
            else
            {
                const ab_mesh_node *node = &mesh->nodes[mesh->first[level - 1] + index];
                AB_PREFETCH(node->min[0]);
                AB_PREFETCH(node->min[2]);
                AB_PREFETCH(node->max[1]);
            }
        }
    }
}

// A box that is looked for.
typedef struct sought
{
    f32w min[3], max[3];
} sought;

AB_INLINE void seek(const ab_mesh_box *box, sought *out)
{
    for (int k = 0; k < 3; ++k)
    {
        out->min[k] = splatw(box->min[k]);
        out->max[k] = splatw(box->max[k]);
    }
}

// The children of a node that meet it, by bits.
AB_INLINE uint32_t meet_children(const ab_mesh_node *node, const sought *s)
{
    uint32_t mask = 0;
    AB_UNROLL
    for (uint32_t i = 0; i < AB_MESH_WIDTH; i += LANES)
    {
        const maskw x = andm(lew(loadw(node->min[0] + i), s->max[0]), lew(s->min[0], loadw(node->max[0] + i))),
                    y = andm(lew(loadw(node->min[1] + i), s->max[1]), lew(s->min[1], loadw(node->max[1] + i))),
                    z = andm(lew(loadw(node->min[2] + i), s->max[2]), lew(s->min[2], loadw(node->max[2] + i)));
        mask |= bitsm(andm(andm(x, y), z)) << i;
    }
    return mask;
}

#define DOWN 0.4999f // less than a half: what is rounded to the nearest whole number is no less than rounded down

// As ab_mesh_step_at, or a step more.
AB_INLINE u32w steps_of(f32w away, f32w scale)
{
    const f32w steps = subw(mulw(away, scale), splatw(DOWN));
    const f32w some = minw(maxw(steps, splatw(0.0f)), splatw((float)AB_MESH_STEPS));
    return andu(bitsw(addw(some, splatw(WHOLE))), splatu(15));
}

// The blocks of a leaf that meet it, by bits, and it in steps of each one's: see ab_mesh_blocks.
AB_INLINE uint32_t meet_blocks(const ab_mesh_leaf *leaf, const sought *s, uint32_t steps[AB_MESH_WIDTH])
{
    uint32_t mask = 0;
    AB_UNROLL
    for (uint32_t i = 0; i < AB_MESH_WIDTH; i += LANES)
    {
        u32w all = splatu(0);
        maskw meets[3];
        for (int k = 0; k < 3; ++k)
        {
            const f32w origin = splatw(leaf->origin[k]), step = splatw(ab_mesh_leaf_step(leaf, k));
            const f32w min = addw(origin, mulw(bytes_at(leaf->min[k] + i), step)),
                       max = addw(origin, mulw(bytes_at(leaf->max[k] + i), step));
            const f32w scale = divw(splatw((float)AB_MESH_STEPS), subw(max, min));
            const u32w end = steps_of(subw(s->max[k], min), scale), begin = steps_of(subw(max, s->min[k]), scale);
            meets[k] = andm(lew(min, s->max[k]), lew(s->min[k], max));
            all = oru(all, oru(shlu(end, 8 * k), shlu(begin, 8 * k + 4)));
        }
        mask |= bitsm(andm(andm(meets[0], meets[1]), meets[2])) << i;
        storeu(steps + i, all);
    }
    return mask & leaf->there;
}

AB_INLINE void add_blocks(const ab_mesh *mesh, uint32_t first, uint32_t mask, const uint32_t steps[AB_MESH_WIDTH],
                          ab_mesh_blocks *out)
{
    uint32_t count = out->count;
    for (uint32_t left = mask; left != 0; left &= left - 1)
    {
        const uint32_t child = ab_lowest_bit(left), block = first + child;
        AB_PREFETCH(mesh->blocks[block].inset);
        out->block[count] = block;
        out->steps[count++] = steps[child];
    }
    out->count = count;
}

// A node of a level.
typedef struct node_at
{
    uint32_t level, index;
} node_at;

// Lets the children of a node wait, all but the first one; of those that wait the first is on top.
AB_INLINE uint32_t push_nodes(const ab_mesh *mesh, node_at at, uint32_t mask, node_at *stack, uint32_t depth)
{
    const size_t first = AB_MESH_WIDTH * (size_t)at.index;
    const ab_mesh_leaf *leaves = mesh->leaves + first;
    const ab_mesh_node *children = mesh->nodes + mesh->first[at.level - 1] + first;
    for (uint32_t left = mask & (mask - 1); left != 0;)
    {
        const uint32_t child = ab_highest_bit(left);
        left ^= 1u << child;
        stack[depth++] = (node_at){ at.level - 1, AB_MESH_WIDTH * at.index + child };
        if (at.level == 1)
        {
            AB_PREFETCH(&leaves[child]);
            continue;
        }
        AB_PREFETCH(children[child].min[0]);
        AB_PREFETCH(children[child].min[2]);
        AB_PREFETCH(children[child].max[1]);
    }
    return depth;
}

// A way down the tree, as far as it has been gone.
typedef struct descent
{
    node_at stack[AB_MESH_LEVELS * AB_MESH_WIDTH], at; // seven wait on each level at most
    uint32_t depth;
    bool ended;
} descent;

AB_INLINE void begin_descent(const ab_mesh *mesh, descent *d)
{
    d->at = (node_at){ mesh->levels - 1, 0 };
    d->depth = 0;
    d->ended = false;
}

AB_INLINE void add_leaves(const ab_mesh *mesh, uint32_t first, uint32_t mask, ab_mesh_leaves *out)
{
    for (uint32_t left = mask; left != 0; left &= left - 1)
    {
        const uint32_t leaf = first + ab_lowest_bit(left);
        AB_PREFETCH(&mesh->leaves[leaf]);
        out->leaf[out->count++] = leaf;
    }
}

// Goes on until there is no room for leaves, or no more of them. Those of a node for which there is room do not wait.
AB_INLINE void find_more_leaves(const ab_mesh *mesh, const sought *s, descent *d, ab_mesh_leaves *out)
{
    out->count = 0;
    while (!d->ended && out->count < AB_MESH_LEAVES)
    {
        const node_at at = d->at;
        const uint32_t mask = at.level > 0 ? meet_children(&mesh->nodes[mesh->first[at.level] + at.index], s) : 0;
        if (at.level == 1 && out->count <= AB_MESH_LEAVES - AB_MESH_WIDTH)
        {
            add_leaves(mesh, AB_MESH_WIDTH * at.index, mask, out);
        }
        else if (mask != 0)
        {
            d->depth = push_nodes(mesh, at, mask, d->stack, d->depth);
            d->at = (node_at){ at.level - 1, AB_MESH_WIDTH * at.index + ab_lowest_bit(mask) };
            continue;
        }
        else if (at.level == 0)
        {
            AB_PREFETCH(&mesh->leaves[at.index]);
            out->leaf[out->count++] = at.index;
        }
        d->ended = d->depth == 0;
        d->at = d->ended ? at : d->stack[--d->depth];
    }
}

static bool find_leaves(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_leaves *out)
{
    sought s;
    descent d;
    seek(box, &s);
    begin_descent(mesh, &d);
    find_more_leaves(mesh, &s, &d, out);
    return d.ended;
}

#define MOST 128u // nodes of a level that boxes meet together

// Nodes of one level, with the box that meets each: those of one box together, in their order.
typedef struct met_nodes
{
    uint32_t count, node[MOST + AB_MESH_WIDTH], box[MOST + AB_MESH_WIDTH];
} met_nodes;

// The children of nodes that their boxes meet. None waits for what is found of the one before: eight are written of
// each, and those that are too many are written over. False where there may be too many.
AB_INLINE bool meet_all(const ab_mesh_node *nodes, const ab_mesh_box *boxes, const met_nodes *from, met_nodes *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < from->count && count <= MOST; ++i)
    {
        const uint32_t node = from->node[i], box = from->box[i];
        sought s;
        seek(&boxes[box], &s);
        const uint32_t mask = meet_children(&nodes[node], &s);
        for (uint32_t k = 0; k < AB_MESH_WIDTH; k += LANES)
        {
            storeu(to->node + count + k, addu(splatu(AB_MESH_WIDTH * node), bytes_of(&ab_compress_lanes[mask], k)));
            storeu(to->box + count + k, splatu(box));
        }
        count += ab_bits_of(mask);
    }
    to->count = count;
    return count <= MOST;
}

static bool find_all_leaves(const ab_mesh *mesh, const ab_mesh_box *boxes, uint32_t count, ab_mesh_leaves *out)
{
    met_nodes two[2], *from = &two[0], *to = &two[1];
    from->count = count;
    for (uint32_t i = 0; i < count; ++i)
    {
        from->node[i] = 0;
        from->box[i] = i;
        out[i].count = 0;
    }
    for (uint32_t level = mesh->levels - 1; level > 0; --level)
    {
        met_nodes *const last = from;
        if (!meet_all(mesh->nodes + mesh->first[level], boxes, from, to))
        {
            return false;
        }
        from = to;
        to = last;
    }
    bool room = true;
    for (uint32_t i = 0; i < from->count && room; ++i)
    {
        ab_mesh_leaves *leaves = &out[from->box[i]];
        AB_PREFETCH(&mesh->leaves[from->node[i]]);
        leaves->leaf[leaves->count] = from->node[i];
        room = ++leaves->count < AB_MESH_LEAVES;
    }
    return room;
}

AB_INLINE void add_blocks_of(const ab_mesh *mesh, uint32_t leaf, const sought *s, ab_mesh_blocks *out)
{
    uint32_t steps[AB_MESH_WIDTH];
    const uint32_t mask = meet_blocks(&mesh->leaves[leaf], s, steps);
    add_blocks(mesh, AB_MESH_WIDTH * leaf, mask, steps, out);
}

static bool blocks_of(const ab_mesh *mesh, const ab_mesh_box *box, const ab_mesh_leaves *leaves, ab_mesh_blocks *out)
{
    sought s;
    seek(box, &s);
    out->count = 0;
    for (uint32_t i = 0; i < leaves->count; ++i)
    {
        if (out->count > AB_MESH_BLOCKS - AB_MESH_WIDTH)
        {
            return false;
        }
        add_blocks_of(mesh, leaves->leaf[i], &s, out);
    }
    return true;
}

static bool find_blocks(const ab_mesh *mesh, const ab_mesh_box *box, ab_mesh_blocks *found, ab_mesh_see_found *see,
                        void *context)
{
    sought s;
    descent d;
    seek(box, &s);
    begin_descent(mesh, &d);
    found->count = 0;
    while (!d.ended)
    {
        ab_mesh_leaves leaves;
        find_more_leaves(mesh, &s, &d, &leaves);
        for (uint32_t i = 0; i < leaves.count; ++i)
        {
            if (found->count > AB_MESH_BLOCKS - AB_MESH_WIDTH)
            {
                if (!see(context))
                {
                    return false;
                }
                found->count = 0;
                seek(box, &s);
            }
            add_blocks_of(mesh, leaves.leaf[i], &s, found);
        }
    }
    return true;
}

const ab_mesh_ray_kernels AB_ISA_NAME(ab_mesh_ray_kernels) = {
    .descend = descend,
    .find_leaves = find_leaves,
    .find_all_leaves = find_all_leaves,
    .blocks_of = blocks_of,
    .find_blocks = find_blocks,
};
