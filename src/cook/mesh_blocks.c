// The small boxes of a mesh: of blocks in steps of their leaf's, and of triangles in steps of their block's. They say
// which may meet a box.
#include "cook/mesh_cook.h"

#include "base/array.h"
#include "base/platform.h"
#include "math/three.h"

#include <math.h>
#include <string.h>

// Of eight triangles, along one axis.
typedef struct ranges
{
    float min[AB_MESH_WIDTH], max[AB_MESH_WIDTH];
} ranges;

// Of eight triangles along one axis, as in ab_mesh_block. Compilers make vector instructions of the first loop, but not
// inside others.
AB_APART static uint64_t insets_of(const ranges *r, float min, float max)
{
    const float scale = ab_mesh_step_scale(min, max);
    uint32_t step[AB_MESH_WIDTH];
    uint64_t out = 0;
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        step[i] = (uint32_t)ab_mesh_step_at(r->min[i] - min, scale) | (uint32_t)ab_mesh_step_at(max - r->max[i], scale)
                                                                          << 4;
    }
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        out |= (uint64_t)step[i] << 8 * i;
    }
    return out;
}

static void measure(const ab_mesh_parts *parts, uint32_t first, uint32_t count, ranges out[3])
{
    for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
    {
        const uint32_t *v = parts->triangles[first + (i < count ? i : 0)].vertex;
        const abut_vec3 *a = &parts->vertices[v[0]], *b = &parts->vertices[v[1]], *c = &parts->vertices[v[2]];
        out[0].min[i] = ab_least_of_3(a->x, b->x, c->x);
        out[0].max[i] = ab_most_of_3(a->x, b->x, c->x);
        out[1].min[i] = ab_least_of_3(a->y, b->y, c->y);
        out[1].max[i] = ab_most_of_3(a->y, b->y, c->y);
        out[2].min[i] = ab_least_of_3(a->z, b->z, c->z);
        out[2].max[i] = ab_most_of_3(a->z, b->z, c->z);
    }
}

static float least_of(const float *at)
{
    float least = at[0];
    for (uint32_t i = 1; i < AB_MESH_WIDTH; ++i)
    {
        least = at[i] < least ? at[i] : least;
    }
    return least;
}

static float most_of(const float *at)
{
    float most = at[0];
    for (uint32_t i = 1; i < AB_MESH_WIDTH; ++i)
    {
        most = at[i] > most ? at[i] : most;
    }
    return most;
}

// The exponent of the least step of which a byte has enough for an extent, and one more for rounding.
static unsigned char step_of(float extent)
{
    const float most = 254.0f;
    uint32_t bits;
    memcpy(&bits, &extent, sizeof bits);
    const uint32_t exponent = bits >> 23, least = exponent > 8 ? exponent - 7 : 1;
    if (extent == 0.0f)
    {
        return 0;
    }
    return (unsigned char)(least + (extent * ldexpf(1.0f, 127 - (int)least) > most));
}

// Rounds the places of children outward along axis k of a leaf.
static void write_steps(const float *min, const float *max, uint32_t count, int k, ab_mesh_leaf *out)
{
    const float inverse = out->step[k] > 0 ? ldexpf(1.0f, 127 - out->step[k]) : 0.0f;
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t low = (uint32_t)((min[i] - out->origin[k]) * inverse),
                 high = (uint32_t)((max[i] - out->origin[k]) * inverse);
        low -= ab_mesh_leaf_place(out, k, low) > min[i];
        high += ab_mesh_leaf_place(out, k, high) < max[i];
        high += ab_mesh_leaf_place(out, k, high) < max[i];
        out->min[k][i] = (unsigned char)low;
        out->max[k][i] = (unsigned char)high;
    }
}

void ab_mesh_lay_leaf(const ab_mesh_parts *parts, uint32_t which, float min[3], float max[3])
{
    const uint32_t blocks = (uint32_t)arrlenu(parts->blocks), first = which * AB_MESH_WIDTH;
    const uint32_t count = blocks - first < AB_MESH_WIDTH ? blocks - first : AB_MESH_WIDTH;
    ab_mesh_leaf *const leaf = &parts->leaves[which];
    ranges triangles[AB_MESH_WIDTH][3], box[3];
    memset(leaf, 0, sizeof *leaf);
    leaf->there = (unsigned char)((1u << count) - 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t at = (first + i) * AB_MESH_WIDTH, left = parts->own - at;
        measure(parts, at, left < AB_MESH_WIDTH ? left : AB_MESH_WIDTH, triangles[i]);
    }
    for (int k = 0; k < 3; ++k)
    {
        for (uint32_t i = 0; i < AB_MESH_WIDTH; ++i)
        {
            box[k].min[i] = least_of(triangles[i < count ? i : 0][k].min);
            box[k].max[i] = most_of(triangles[i < count ? i : 0][k].max);
        }
        min[k] = least_of(box[k].min);
        max[k] = most_of(box[k].max);
        leaf->origin[k] = min[k];
        leaf->step[k] = step_of(max[k] - min[k]);
        write_steps(box[k].min, box[k].max, count, k, leaf);
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint32_t left = parts->own - (first + i) * AB_MESH_WIDTH;
            const uint64_t absent = left < AB_MESH_WIDTH ? ~(uint64_t)0 << 8 * left : 0; // AB_MESH_ABSENT
            parts->blocks[first + i].inset[k] =
                absent | insets_of(&triangles[i][k], ab_mesh_leaf_place(leaf, k, leaf->min[k][i]),
                                   ab_mesh_leaf_place(leaf, k, leaf->max[k][i]));
        }
    }
}
