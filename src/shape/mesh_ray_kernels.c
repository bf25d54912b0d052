// A ray and a box down a mesh's tree for one instruction set.
//
// Why no hit is lost. What is computed of a box is rounded by a few 2^-24 of the distances to its planes and of the
// size of its block, which are less than the mesh's size and the distance from it. The line is wider than the ray by
// 2^-18 of both: see make_axis. Fractions are rounded by a few 2^-24 of themselves; the inverses that they
// are products of are lowered and raised by more.
#include "shape/mesh_ray_kernels.h"

#define AB_LANES_EIGHT_AT_MOST // as boxes come in eights
#include "base/kernels.h"
#include "math/compress_lanes.h"
#include "math/lanes.h"

#include <math.h>

#define WHOLE 0x1p23f // whole numbers below it are the last bits of a float that is as large

// A ray in the frame of a mesh's arrays, made wider by more than all rounding: by axis, what the plane of a box that it
// enters first, and the other, are measured from, and 1 / its length along the axis, a little less and a little more.
typedef struct mesh_line
{
    float near_from[3], far_from[3], near_inverse[3], far_inverse[3];
} mesh_line;

#define PAD      0x1p-18f // of the mesh's size and the distance from it: more than the kernels and what follows round
#define THINNEST 1e-19f   // metres
#define LEAST    1e-20f   // of a ray's length along an axis: keeps inverses and their products finite
#define FARTHEST 1e16f    // in the frame of the arrays; what is farther tells nothing
#define BEYOND   1e25f    // all that is not
#define EARLIER  (1.0f - 0x1p-20f)
#define LATER    (1.0f + 0x1p-20f)

// Of an axis along which the ray or the mesh is so far away that it tells nothing.
static void forget_axis(mesh_line *out, int k, bool forward)
{
    out->near_from[k] = forward ? BEYOND : -BEYOND;
    out->far_from[k] = forward ? -BEYOND : BEYOND;
    out->near_inverse[k] = out->far_inverse[k] = forward ? LEAST : -LEAST;
}

// Axis k, of a mesh that reaches so far from its origin. Nothing branches on signs, which cannot be predicted.
AB_INLINE void make_axis(mesh_line *out, int k, float at, float way, float half, float rounded)
{
    const float along = way + 0.0f; // no negative zero
    const float size = half + fabsf(at), length = fabsf(along) > LEAST ? fabsf(along) : LEAST;
    const float pad = PAD * size + rounded, ahead = copysignf(pad, along), inverse = copysignf(1.0f / length, along);
    out->near_from[k] = at + ahead;
    out->far_from[k] = at - ahead;
    out->near_inverse[k] = inverse * EARLIER;
    out->far_inverse[k] = inverse * LATER;
    if (!(size + pad + length < FARTHEST))
    {
        forget_axis(out, k, along >= 0.0f);
    }
}

// Products of vertices are rounded by half the smallest float, too.
static AB_APART void make_scaled(mesh_line *out, const ab_mesh *mesh, const double from[3], const double way[3])
{
    for (int k = 0; k < 3; ++k)
    {
        const double scale = (double)(&mesh->scale.x)[k], size = fabs(scale);
        make_axis(out, k, (float)(from[k] / scale), (float)(way[k] / scale), (float)((double)(&mesh->half.x)[k] / size),
                  (float)(0x1p-148 / size) + THINNEST);
    }
}

AB_INLINE void make_line(mesh_line *out, const ab_mesh *mesh, const double from[3], const double way[3])
{
    if (mesh->is_scaled)
    {
        make_scaled(out, mesh, from, way);
        return;
    }
    make_axis(out, 0, (float)from[0], (float)way[0], mesh->half.x, THINNEST);
    make_axis(out, 1, (float)from[1], (float)way[1], mesh->half.y, THINNEST);
    make_axis(out, 2, (float)from[2], (float)way[2], mesh->half.z, THINNEST);
}

#define ROWS (3 * AB_MESH_WIDTH) // from the lower side of boxes along an axis to the upper one

// Of a line: where in a node or leaf, in floats or bytes from `min` on, are the planes of boxes that come first along
// each axis, and those that come last.
typedef struct slabs
{
    f32w near_from[3], far_from[3], near_inverse[3], far_inverse[3];
    uint8_t near_at[3], far_at[3];
} slabs;

// The lanes that a line enters; `near` is where, no later.
AB_INLINE maskw cut(const f32w in[3], const f32w out[3], f32w most, f32w *near)
{
    const f32w first = maxw(maxw(in[0], in[1]), maxw(in[2], splatw(0.0f)));
    const f32w last = minw(minw(out[0], out[1]), minw(out[2], most));
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
            in[k] = mulw(subw(loadw(rows + s->near_at[k] + i), s->near_from[k]), s->near_inverse[k]);
            out[k] = mulw(subw(loadw(rows + s->far_at[k] + i), s->far_from[k]), s->far_inverse[k]);
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
    f32w first[3], last[3], first_step[3], last_step[3];
    uint32_t mask = 0;
    for (int k = 0; k < 3; ++k)
    {
        const f32w origin = splatw(leaf->origin[k]), step = splatw(ab_mesh_leaf_step(leaf, k));
        first[k] = mulw(subw(origin, s->near_from[k]), s->near_inverse[k]);
        last[k] = mulw(subw(origin, s->far_from[k]), s->far_inverse[k]);
        first_step[k] = mulw(step, s->near_inverse[k]);
        last_step[k] = mulw(step, s->far_inverse[k]);
    }
    AB_UNROLL
    for (uint32_t i = 0; i < AB_MESH_WIDTH; i += LANES)
    {
        f32w in[3], out[3], entered;
        for (uint32_t k = 0; k < 3; ++k)
        {
            in[k] = addw(first[k], mulw(bytes_at(rows + s->near_at[k] + i), first_step[k]));
            out[k] = addw(last[k], mulw(bytes_at(rows + s->far_at[k] + i), last_step[k]));
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

// The halves of bytes from this bit on, as floats, of triangles `first` and on.
AB_INLINE f32w insets_at(uint64_t inset, uint32_t half, uint32_t first)
{
    const uint64_t lower = inset >> half & 0x0f0f0f0f0f0f0f0fu;
    return floats_of(bytes_of(&lower, first));
}

// The triangles of a block whose boxes a line enters, by bits. Nothing branches on the signs of its direction, which
// cannot be predicted.
AB_INLINE uint32_t enter_triangles(const ab_mesh *mesh, uint32_t which, const slabs *s, const mesh_line *line,
                                   float most)
{
    const ab_mesh_block *block = &mesh->blocks[which];
    const ab_mesh_leaf *leaf = &mesh->leaves[which / AB_MESH_WIDTH];
    const unsigned char *const corners = leaf->min[0] + which % AB_MESH_WIDTH;
    f32w first[3], last[3], first_step[3], last_step[3];
    uint32_t mask = 0;
    for (int k = 0; k < 3; ++k)
    {
        const float near = ab_mesh_leaf_place(leaf, k, corners[s->near_at[k]]),
                    far = ab_mesh_leaf_place(leaf, k, corners[s->far_at[k]]);
        const float size = fabsf(far - near) * (1.0f / (float)AB_MESH_STEPS);
        first[k] = splatw((near - line->near_from[k]) * line->near_inverse[k]);
        last[k] = splatw((far - line->far_from[k]) * line->far_inverse[k]);
        first_step[k] = splatw(size * fabsf(line->near_inverse[k]));
        last_step[k] = splatw(size * fabsf(line->far_inverse[k]));
    }
    AB_UNROLL
    for (uint32_t i = 0; i < AB_MESH_WIDTH; i += LANES)
    {
        f32w in[3], out[3], near;
        for (uint32_t k = 0; k < 3; ++k)
        {
            const uint32_t near_half = s->near_at[k] < ROWS ? 0 : 4, far_half = 4 - near_half;
            in[k] = addw(first[k], mulw(insets_at(block->inset[k], near_half, i), first_step[k]));
            out[k] = subw(last[k], mulw(insets_at(block->inset[k], far_half, i), last_step[k]));
        }
        mask |= bitsm(cut(in, out, splatw(most), &near)) << i;
    }
    return mask;
}

// A child that waits: a block of triangles below level 0, or a node of the level below; and where it is entered.
typedef struct waiting
{
    float near;
    uint32_t child;
} waiting;

#define LEVEL_BIT 24u // of a child, below which is its index

_Static_assert(ABUT_MAX_MESH_TRIANGLES / AB_MESH_WIDTH < 1u << LEVEL_BIT, "a block's index is below its level");

#define MOST_WAITING ((AB_MESH_LEVELS + 3) * AB_MESH_WIDTH + 1)

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
        const char *eights = (const char *)&mesh->triangles.eights[AB_MESH_WIDTH * index];
        for (uint32_t i = 0; i < AB_MESH_WIDTH * sizeof *mesh->triangles.eights; i += AB_CACHE_LINE)
        {
            AB_PREFETCH(eights + i);
        }
    }
    else
    {
        const ab_mesh_node *node = &mesh->nodes[mesh->first[level - 1] + index];
        AB_PREFETCH(node->min[0]);
        AB_PREFETCH(node->min[2]);
        AB_PREFETCH(node->max[1]);
    }
}

// Asks for the memory of the vertices of a block: those of two of its triangles, which others are mostly next to.
AB_INLINE void fetch_vertices(const ab_mesh *mesh, uint32_t block)
{
    ab_mesh_fetch_vertices(&mesh->triangles, mesh->vertices, block * AB_MESH_WIDTH);
    ab_mesh_fetch_vertices(&mesh->triangles, mesh->vertices, block * AB_MESH_WIDTH + AB_MESH_WIDTH / 2);
}

// What a line enters below a child: of a block its triangles, else children, and where; by bits.
AB_INLINE uint32_t enter(const ab_mesh *mesh, const slabs *s, const mesh_line *line, float most, uint32_t level,
                         uint32_t index, float near[AB_MESH_WIDTH])
{
    if (level == 0)
    {
        fetch_vertices(mesh, index);
        return enter_triangles(mesh, index, s, line, most);
    }
    if (level == 1)
    {
        ab_mesh_fetch_group(&mesh->triangles, index * AB_MESH_GROUP);
        return enter_blocks(&mesh->leaves[index], s, most, near);
    }
    return enter_children(&mesh->nodes[mesh->first[level - 1] + index], s, most, near);
}

AB_INLINE void lay_slabs(const mesh_line *line, slabs *out)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        uint32_t bits;
        memcpy(&bits, &line->near_inverse[k], sizeof bits);
        const uint32_t back = (0u - (bits >> 31)) & ROWS;
        out->near_from[k] = splatw(line->near_from[k]);
        out->far_from[k] = splatw(line->far_from[k]);
        out->near_inverse[k] = splatw(line->near_inverse[k]);
        out->far_inverse[k] = splatw(line->far_inverse[k]);
        out->near_at[k] = (uint8_t)(AB_MESH_WIDTH * k + back); // bytes: gcc makes slow vectors of wider ones
        out->far_at[k] = (uint8_t)(AB_MESH_WIDTH * k + ROWS - back);
    }
}

// Puts children on the stack, the nearest on top; of equally near ones that is the first. Returns how many wait.
AB_INLINE uint32_t wait(waiting *stack, uint32_t depth, uint32_t mask, uint32_t first, const float near[AB_MESH_WIDTH])
{
    const uint32_t one = ab_lowest_bit(mask), rest = mask & (mask - 1), other = ab_lowest_bit(rest);
    const uint32_t nearer = near[one] <= near[other]; // no branch: it cannot be predicted
    stack[depth + nearer] = (waiting){ near[one], first + one };
    stack[depth + 1 - nearer] = (waiting){ near[other], first + other };
    const uint32_t floor = depth;
    depth += 2;
    for (uint32_t left = rest & (rest - 1); left != 0; left &= left - 1)
    {
        const uint32_t child = ab_lowest_bit(left);
        uint32_t to = depth++;
        for (; to > floor && stack[to - 1].near <= near[child]; --to)
        {
            stack[to] = stack[to - 1];
        }
        stack[to] = (waiting){ near[child], first + child };
    }
    return depth;
}

#define FEW_NODES 4u // a level of so many needs no step above it: their tests do not wait for each other

// The first step: at the lowest level above the leaves that has few nodes, all of them.
AB_INLINE uint32_t enter_first(const ab_mesh *mesh, const slabs *s, const mesh_line *line, float most, uint32_t *level,
                               float near[FEW_NODES * AB_MESH_WIDTH])
{
    uint32_t top = mesh->levels, count = 1, mask = 0;
    if (top == 1)
    {
        *level = top;
        return enter(mesh, s, line, most, 1, 0, near);
    }
    while (top > 2 && mesh->first[top - 1] - mesh->first[top - 2] <= FEW_NODES)
    {
        --top;
        count = mesh->first[top] - mesh->first[top - 1];
    }
    const ab_mesh_node *nodes = &mesh->nodes[mesh->first[top - 1]];
    for (uint32_t i = 0; i < count; ++i)
    {
        mask |= enter_children(&nodes[i], s, most, near + AB_MESH_WIDTH * i) << AB_MESH_WIDTH * i;
    }
    *level = top;
    return mask;
}

static void descend(const ab_mesh *mesh, const double from[3], const double way[3], const float *far,
                    ab_mesh_see_some *see, void *context)
{
    waiting stack[MOST_WAITING];
    mesh_line line;
    slabs s;
    float near[FEW_NODES * AB_MESH_WIDTH];
    uint32_t depth = 0, level, index = 0;
    make_line(&line, mesh, from, way);
    lay_slabs(&line, &s);
    uint32_t mask = enter_first(mesh, &s, &line, *far, &level, near);
    for (;;)
    {
        if (mask != 0 && level > 0)
        {
            --level;
            index *= AB_MESH_WIDTH;
            if ((mask & (mask - 1)) != 0)
            {
                const uint32_t before = depth;
                depth = wait(stack, depth, mask, level << LEVEL_BIT | index, near);
                for (uint32_t i = before; i < depth; ++i)
                {
                    fetch(mesh, level, stack[i].child & ((1u << LEVEL_BIT) - 1));
                }
                index = stack[--depth].child & ((1u << LEVEL_BIT) - 1);
            }
            else
            {
                index += ab_lowest_bit(mask); // an only child does not wait
                fetch(mesh, level, index);
            }
        }
        else
        {
            if (mask != 0)
            {
                see(context, index, mask);
            }
            do
            {
                if (depth == 0)
                {
                    return;
                }
                --depth;
            } while (stack[depth].near > *far);
            level = stack[depth].child >> LEVEL_BIT;
            index = stack[depth].child & ((1u << LEVEL_BIT) - 1);
        }
        mask = enter(mesh, &s, &line, *far, level, index, near);
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
