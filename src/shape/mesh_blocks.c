// The small boxes of a mesh's triangles, in steps of the box of their block of eight: one line of the cache says which of
// the eight may meet a box.
#include "shape/mesh.h"

#include <math.h>

static float lesser(float a, float b)
{
    return a < b ? a : b;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

// Of what has no extent, or one too small for floats, all is at one step.
static float scale_of(float min, float max)
{
    const float scale = (float)AB_MESH_STEPS / (max - min);
    return scale > 0.0f && scale < HUGE_VALF ? scale : 0.0f;
}

static void lay_block(const ab_mesh *mesh, uint32_t which, ab_mesh_block *out)
{
    const ab_mesh_node *node = &mesh->nodes[which / AB_MESH_WIDTH];
    const uint32_t child = which % AB_MESH_WIDTH;
    for (int k = 0; k < 3; ++k)
    {
        out->scale[k] = scale_of(node->min[k][child], node->max[k][child]);
        out->min[k] = out->max[k] = 0;
    }
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        const uint32_t triangle = which * AB_MESH_WIDTH + i;
        abut_vec3 v[3];
        if (triangle < mesh->triangle_count)
        {
            ab_mesh_positions(mesh, triangle, v);
        }
        for (int k = 0; k < 3; ++k)
        {
            const float origin = node->min[k][child], scale = out->scale[k];
            uint64_t min = AB_MESH_STEPS + 1, max = 0;
            if (triangle < mesh->triangle_count)
            {
                const float a = (&v[0].x)[k], b = (&v[1].x)[k], c = (&v[2].x)[k];
                min = ab_mesh_step_down(lesser(lesser(a, b), c), origin, scale);
                max = ab_mesh_step_up(larger(larger(a, b), c), origin, scale);
            }
            out->min[k] |= min << 8 * i;
            out->max[k] |= max << 8 * i;
        }
    }
}

void ab_mesh_lay_blocks(const ab_mesh *mesh, ab_mesh_block *out)
{
    for (uint32_t i = 0; i * AB_MESH_WIDTH < mesh->triangle_count; ++i)
    {
        lay_block(mesh, i, &out[i]);
    }
}
