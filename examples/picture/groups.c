#include "groups.h"

#include <math.h>

enum
{
    EDGES = 12,
    SEVERAL = 3
};

abut_aabb groups_box(const abut_line *edges)
{
    return (abut_aabb){ edges[0].from, edges[EDGES - 1].to };
}

groups groups_of(const abut_line *lines, uint64_t count)
{
    uint32_t boxes[ABUT_TREE_LEVELS] = { 0 }, level = ABUT_TREE_LEVELS - 1;
    for (uint64_t i = 0; i < count; i += lines[i].kind == ABUT_DRAW_TREE ? EDGES : 1)
    {
        boxes[lines[i].kind == ABUT_DRAW_TREE ? lines[i].index : 0] += lines[i].kind == ABUT_DRAW_TREE;
    }
    while (level > 0 && boxes[level] < SEVERAL)
    {
        --level;
    }
    return (groups){ lines, count, level };
}

static float volume(const abut_aabb *box)
{
    const abut_vec3 h = abut_aabb_half_extents(box);
    return h.x * h.y * h.z;
}

canvas_colour groups_colour(const groups *g, const abut_aabb *box)
{
    static const unsigned colours[8] = {
        0xe07a3f, 0x3f88a5, 0x76a86b, 0xd6537a, 0x8f7fb0, 0xd9b343, 0x4fb0a5, 0x9c6b4e
    };
    unsigned colour = 0x9a9a9a;
    float least = INFINITY;
    uint32_t number = 0;
    for (uint64_t i = 0; i < g->count; i += g->lines[i].kind == ABUT_DRAW_TREE ? EDGES : 1)
    {
        if (g->lines[i].kind != ABUT_DRAW_TREE || g->lines[i].index != g->level)
        {
            continue;
        }
        const abut_aabb around = groups_box(&g->lines[i]);
        if (abut_aabb_contains(&around, box->min) && abut_aabb_contains(&around, box->max) && volume(&around) < least)
        {
            least = volume(&around);
            colour = colours[number % 8];
        }
        ++number;
    }
    return canvas_hex(colour, 1.0f);
}
