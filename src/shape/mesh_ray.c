// A ray against a triangle mesh: down its tree, nearest child first, to watertight tests of triangles.
#include "shape/mesh.h"

#include <math.h>
#include <string.h>

#define SLACK 0x1p-48 // of a fraction, for the rounding of where a ray enters and leaves a box

// A ray as S. Woop, C. Benthin and I. Wald see it in "Watertight Ray/Triangle Intersection" (2013): along the third of
// its axes, so that neighbours compute their common edge from the same numbers.
typedef struct sheared
{
    const ab_mesh *mesh;
    const double *from, *way;
    int axis[3]; // the third is the one along which the ray goes farthest
    double shear[3];
    double best; // fraction
    uint32_t triangle;
    double normal[3];
} sheared;

static void shear(const sheared *s, const double corner[3], double out[3])
{
    const double x = corner[s->axis[0]] - s->from[s->axis[0]], y = corner[s->axis[1]] - s->from[s->axis[1]],
                 z = corner[s->axis[2]] - s->from[s->axis[2]];
    out[0] = x - s->shear[0] * z;
    out[1] = y - s->shear[1] * z;
    out[2] = s->shear[2] * z;
}

static void see(sheared *s, uint32_t triangle)
{
    double corner[3][3], p[3][3], normal[3];
    ab_mesh_corners(s->mesh, triangle, corner);
    for (int i = 0; i < 3; ++i)
    {
        shear(s, corner[i], p[i]);
    }
    const double u = p[2][0] * p[1][1] - p[2][1] * p[1][0], v = p[0][0] * p[2][1] - p[0][1] * p[2][0],
                 w = p[1][0] * p[0][1] - p[1][1] * p[0][0];
    const double all = u + v + w;
    const bool within = (u >= 0.0 && v >= 0.0 && w >= 0.0) || (u <= 0.0 && v <= 0.0 && w <= 0.0);
    if (!within || all == 0.0)
    {
        return;
    }
    const double at = (u * p[0][2] + v * p[1][2] + w * p[2][2]) / all;
    ab_mesh_triangle_normal(corner, normal);
    const double against = normal[0] * s->way[0] + normal[1] * s->way[1] + normal[2] * s->way[2];
    const bool front = against < 0.0 || s->mesh->two_sided;
    const bool nearer =
        at < s->best || (at == s->best && (s->triangle == AB_NO_TRIANGLE ||
                                           s->mesh->triangles[triangle].child < s->mesh->triangles[s->triangle].child));
    if (front && at >= 0.0 && at <= 1.0 && nearer)
    {
        s->best = at;
        s->triangle = triangle;
        for (int k = 0; k < 3; ++k)
        {
            s->normal[k] = against < 0.0 ? normal[k] : -normal[k];
        }
    }
}

// Where a ray enters a child of a node, or infinity.
static double enter(const sheared *s, const ab_mesh_node *node, uint32_t child)
{
    double near = 0.0, far = s->best;
    for (int k = 0; k < 3; ++k)
    {
        const double min = (double)node->min[k][child] - s->from[k], max = (double)node->max[k][child] - s->from[k];
        if (s->way[k] == 0.0)
        {
            if (min > 0.0 || max < 0.0)
            {
                return HUGE_VAL;
            }
            continue;
        }
        const double one = min / s->way[k], other = max / s->way[k];
        const double in = one < other ? one : other, out = one < other ? other : one;
        near = in - SLACK * fabs(in) > near ? in - SLACK * fabs(in) : near;
        far = out + SLACK * fabs(out) < far ? out + SLACK * fabs(out) : far;
    }
    return near <= far ? near : HUGE_VAL;
}

// A child that waits: a node, or a block of triangles below level 0.
typedef struct waiting
{
    double near;
    uint32_t level, index; // level 0: a block; else a node of the level below
} waiting;

#define MOST_WAITING (AB_MESH_LEVELS * AB_MESH_WIDTH + 1)

// Puts the children that the ray enters on the stack, the nearest on top; of equally near ones the first.
static uint32_t put_children(const sheared *s, waiting at, waiting *stack, uint32_t depth)
{
    const ab_mesh_node *node = &s->mesh->nodes[s->mesh->first[at.level - 1] + at.index];
    const uint32_t floor = depth;
    for (uint32_t i = AB_MESH_WIDTH; i-- > 0;)
    {
        const double near = enter(s, node, i);
        if (near < HUGE_VAL)
        {
            uint32_t to = depth++;
            for (; to > floor && stack[to - 1].near < near; --to)
            {
                stack[to] = stack[to - 1];
            }
            stack[to] = (waiting){ near, at.level - 1, AB_MESH_WIDTH * at.index + i };
        }
    }
    return depth;
}

static void see_block(sheared *s, uint32_t block)
{
    const uint32_t first = block * AB_MESH_WIDTH, end = first + AB_MESH_WIDTH;
    for (uint32_t i = first; i < end && i < s->mesh->triangle_count; ++i)
    {
        see(s, i);
    }
}

static void descend(sheared *s)
{
    waiting stack[MOST_WAITING] = { { 0.0, s->mesh->levels, 0 } };
    for (uint32_t depth = 1; depth > 0;)
    {
        const waiting at = stack[--depth];
        if (at.near > s->best)
        {
            continue;
        }
        if (at.level == 0)
        {
            see_block(s, at.index);
        }
        else
        {
            depth = put_children(s, at, stack, depth);
        }
    }
}

bool ab_mesh_ray(const abut_shape *shape, const double from[3], const double way[3], ab_ray_entry *out)
{
    sheared s = { .mesh = ab_mesh_of_valid(shape), .from = from, .way = way, .best = 1.0, .triangle = AB_NO_TRIANGLE };
    const double x = fabs(way[0]), y = fabs(way[1]), z = fabs(way[2]);
    s.axis[2] = x >= y ? (x >= z ? 0 : 2) : y >= z ? 1 : 2;
    s.axis[0] = (s.axis[2] + 1) % 3;
    s.axis[1] = (s.axis[2] + 2) % 3;
    const double along = way[s.axis[2]];
    if (along == 0.0)
    {
        return false;
    }
    s.shear[0] = way[s.axis[0]] / along;
    s.shear[1] = way[s.axis[1]] / along;
    s.shear[2] = 1.0 / along;
    descend(&s);
    if (s.triangle == AB_NO_TRIANGLE)
    {
        return false;
    }
    *out = (ab_ray_entry){ .fraction = s.best, .child = s.mesh->triangles[s.triangle].child };
    memcpy(out->normal, s.normal, sizeof s.normal);
    return true;
}
