// The small boxes of a mesh's triangles, in steps of the box of their block of eight: they say which of the eight may
// meet a box.
#include "cook/mesh_cook.h"

#include "base/platform.h"
#include "math/three.h"

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

void ab_mesh_lay_block(const ab_mesh_parts *parts, uint32_t which, float min[3], float max[3], ab_mesh_block *out)
{
    const uint32_t first = which * AB_MESH_WIDTH, left = parts->own - first;
    const uint32_t count = left < AB_MESH_WIDTH ? left : AB_MESH_WIDTH;
    ranges r[3];
    measure(parts, first, count, r);
    const uint64_t absent = count < AB_MESH_WIDTH ? ~(uint64_t)0 << 8 * count : 0; // AB_MESH_ABSENT
    for (uint32_t k = 0; k < 3; ++k)
    {
        min[k] = least_of(r[k].min);
        max[k] = most_of(r[k].max);
        out->inset[k] = insets_of(&r[k], min[k], max[k]) | absent;
    }
}
