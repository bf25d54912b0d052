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

// Asks for the memory of a child. The blocks below a leaf come with it: they are a few lines, and mostly one is wanted.
AB_INLINE void fetch(const ab_mesh *mesh, uint32_t level, uint32_t index)
{
    if (level == 0)
    {
        AB_PREFETCH(&mesh->triangles.eights[index].corner);
        AB_PREFETCH(&mesh->triangles.eights[index].number);
    }
    else if (level == 1)
    {
        const ab_mesh_block *blocks = &mesh->blocks[AB_MESH_WIDTH * index];
        AB_PREFETCH(&mesh->leaves[index]);
        AB_PREFETCH(&mesh->triangles.group_at[index]);
        AB_PREFETCH(blocks);
        AB_PREFETCH((const char *)blocks + AB_CACHE_LINE);
        AB_PREFETCH((const char *)blocks + 2 * AB_CACHE_LINE);
    }
    else
    {
        const ab_mesh_node *node = &mesh->nodes[mesh->first[level - 1] + index];
        AB_PREFETCH(node->min[0]);
        AB_PREFETCH(node->min[2]);
        AB_PREFETCH(node->max[1]);
    }
}

// What a line enters below a child: of a block its triangles, else children, and where; by bits.
AB_INLINE uint32_t enter(const ab_mesh *mesh, const slabs *s, const ab_mesh_line *line, const waiting *at,
                         float near[AB_MESH_WIDTH])
{
    if (at->level == 0)
    {
        return enter_triangles(mesh, at->index, line);
    }
    if (at->level == 1)
    {
        ab_mesh_fetch_group(&mesh->triangles, at->index * AB_MESH_GROUP);
        return enter_blocks(&mesh->leaves[at->index], s, line->far, near);
    }
    return enter_children(&mesh->nodes[mesh->first[at->level - 1] + at->index], s, line->far, near);
}

AB_INLINE bool is_one(uint32_t mask)
{
    return mask != 0 && (mask & (mask - 1)) == 0;
}

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
        waiting at = stack[--depth];
        float near[AB_MESH_WIDTH];
        if (at.near > line->far)
        {
            continue;
        }
        uint32_t mask;
        while (mask = enter(mesh, &s, line, &at, near), at.level > 0 && is_one(mask)) // an only child does not wait
        {
            at = (waiting){ 0.0f, at.level - 1, AB_MESH_WIDTH * at.index + ab_lowest_bit(mask) };
            fetch(mesh, at.level, at.index);
        }
        if (at.level == 0)
        {
            if (mask != 0)
            {
                see(context, at.index, mask);
            }
            continue;
        }
        // Those that are put first are looked at last: of equally near ones the first is on top.
        for (const uint32_t floor = depth; mask != 0; mask &= mask - 1)
        {
            const uint32_t child = ab_lowest_bit(mask), level = at.level - 1, index = AB_MESH_WIDTH * at.index + child;
            uint32_t to = depth++;
            for (; to > floor && stack[to - 1].near <= near[child]; --to)
            {
                stack[to] = stack[to - 1];
            }
            stack[to] = (waiting){ near[child], level, index };
            fetch(mesh, level, index);
        }
    }
}

#include "shape/mesh_box.inl"

const ab_mesh_ray_kernels AB_ISA_NAME(ab_mesh_ray_kernels) = {
    .descend = descend,
    .find_leaves = find_leaves,
    .find_all_leaves = find_all_leaves,
    .blocks_of = blocks_of,
    .find_blocks = find_blocks,
    .list_blocks = list_blocks,
};
