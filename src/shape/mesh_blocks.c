// The small boxes of a mesh's triangles, in steps of the box of their block of eight: they say which of the eight may
// meet a box.
#include "shape/mesh.h"

#include "base/array.h"
#include "base/platform.h"
#include "math/three.h"

// Of eight triangles, along one axis.
typedef struct ranges
{
    float min[AB_MESH_WIDTH], max[AB_MESH_WIDTH];
} ranges;

// Compilers make vector instructions of these loops, but not inside others.
AB_APART static uint64_t steps_down(const float *restrict at, float origin, float scale)
{
    int32_t step[AB_MESH_WIDTH];
    uint64_t out = 0;
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        step[i] = ab_mesh_step_down(at[i], origin, scale);
    }
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        out |= (uint64_t)(uint32_t)step[i] << 8 * i;
    }
    return out;
}

AB_APART static uint64_t steps_up(const float *restrict at, float origin, float scale)
{
    int32_t step[AB_MESH_WIDTH];
    uint64_t out = 0;
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        step[i] = ab_mesh_step_up(at[i], origin, scale);
    }
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        out |= (uint64_t)(uint32_t)step[i] << 8 * i;
    }
    return out;
}

// Those behind the last triangle are of no height.
static void measure(const ab_mesh_parts *parts, uint32_t first, uint32_t count, ranges out[3])
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t *v = parts->triangles[first + i].vertex;
        const abut_vec3 *a = &parts->vertices[v[0]], *b = &parts->vertices[v[1]], *c = &parts->vertices[v[2]];
        out[0].min[i] = ab_least_of_3(a->x, b->x, c->x);
        out[0].max[i] = ab_most_of_3(a->x, b->x, c->x);
        out[1].min[i] = ab_least_of_3(a->y, b->y, c->y);
        out[1].max[i] = ab_most_of_3(a->y, b->y, c->y);
        out[2].min[i] = ab_least_of_3(a->z, b->z, c->z);
        out[2].max[i] = ab_most_of_3(a->z, b->z, c->z);
    }
}

static void lay_block(const ab_mesh_parts *parts, uint32_t which, ab_mesh_block *out)
{
    const ab_mesh_node *node = &parts->nodes[which / AB_MESH_WIDTH];
    const uint32_t child = which % AB_MESH_WIDTH, first = which * AB_MESH_WIDTH, left = parts->own - first;
    const uint32_t count = left < AB_MESH_WIDTH ? left : AB_MESH_WIDTH;
    ranges r[3] = { { { 0.0f }, { 0.0f } } };
    measure(parts, first, count, r);
    const uint64_t none = count < AB_MESH_WIDTH ? ~(uint64_t)0 << 8 * count : 0,
                   behind = none & 0x0101010101010101u * (AB_MESH_STEPS + 1);
    for (uint32_t k = 0; k < 3; ++k)
    {
        const float origin = node->min[k][child], scale = ab_mesh_step_scale(origin, node->max[k][child]);
        out->min[k] = (steps_down(r[k].min, origin, scale) & ~none) | behind;
        out->max[k] = steps_up(r[k].max, origin, scale) & ~none;
    }
}

void ab_mesh_lay_blocks(const ab_mesh_parts *parts, ab_mesh_block *out)
{
    for (uint32_t i = 0; i * AB_MESH_WIDTH < parts->own; ++i)
    {
        lay_block(parts, i, &out[i]);
    }
}
