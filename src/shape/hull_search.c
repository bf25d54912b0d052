// Searches of the trees of hull_tree.h: depth first, the most promising child first. Bounds are computed in float, with
// `near` for all that is rounded; what they do not rule out is decided in double, as for small hulls.
#include "shape/hull_tree.h"

#include "base/platform.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum
{
    WIDTH = AB_HULL_TREE_WIDTH,
    DEEPEST = 11 // levels of a tree of 2^32 faces
};

#define NEAR   0x1p-18 // of the size and the point's coordinates
#define SLIGHT 0x1p-18f

// A node or a group of faces that is still to be looked at, with a bound of what it holds.
typedef struct candidate
{
    uint32_t at;
    uint32_t child; // it is of the node above
    const ab_hull_node *above;
    float bound;
} candidate;

// The next one last.
typedef struct pending
{
    candidate of[DEEPEST * WIDTH];
    uint32_t count;
} pending;

static void begin(pending *p)
{
    p->of[0] = (candidate){ .bound = HUGE_VALF };
    p->count = 1;
}

// Adds the children whose bound is not below `least`, the one with the largest last.
static void add_children(pending *p, const ab_hull_node *node, const float bound[WIDTH], float least)
{
    const uint32_t first = p->count;
    uint32_t best = first;
    for (uint32_t k = 0; k < node->count; ++k)
    {
        const uint32_t at = p->count;
        p->of[at] = (candidate){ node->first + k, k, node, bound[k] };
        best = at == first || bound[k] > p->of[best].bound ? at : best;
        p->count += !(bound[k] < least);
    }
    if (p->count > first)
    {
        const candidate last = p->of[p->count - 1];
        p->of[p->count - 1] = p->of[best];
        p->of[best] = last;
    }
}

// The faces of a group.
typedef struct group
{
    const uint32_t *face;
    uint32_t count;
} group;

static group group_at(const ab_hull_tree *tree, uint32_t at)
{
    const uint32_t first = (at - tree->node_count) * WIDTH, left = tree->face_count - first;
    return (group){ tree->order + first, left < WIDTH ? left : WIDTH };
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

static float sum_of(const double v[3])
{
    return (float)(fabs(v[0]) + fabs(v[1]) + fabs(v[2]));
}

static float near_of(const ab_hull_tree *tree, const double point[3])
{
    return (float)NEAR * (sum_of(point) + (float)tree->size);
}

// How far a point is above any plane of a child, at most.
AB_INLINE float above_child(const ab_hull_node *node, uint32_t k, const float point[3], float near)
{
    const float x = point[0] - node->middle[0][k], y = point[1] - node->middle[1][k], z = point[2] - node->middle[2][k];
    const float at_middle = node->normal[0][k] * x + node->normal[1][k] * y + node->normal[2][k] * z;
    const float beside = node->spread[0][k] * fabsf(x) + node->spread[1][k] * fabsf(y) + node->spread[2][k] * fabsf(z);
    return (at_middle + beside) - node->inside[k] + near;
}

// The same of each. Apart, or GCC unrolls it and makes no vector instructions of it.
static AB_APART void bound_above(const ab_hull_node *node, const float point[3], float near, float out[WIDTH])
{
    for (uint32_t k = 0; k < WIDTH; ++k)
    {
        out[k] = above_child(node, k, point, near);
    }
}

static void narrow(const double v[3], float out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = (float)v[k];
    }
}

// A ray being clipped.
typedef struct clipping
{
    const double *from, *way;
    double enter, leave;
    uint32_t face;  // entered
    double at;      // where it is looked at: where it is entered, but not before it begins
    float point[3]; // there
} clipping;

static void move_point(clipping *c)
{
    c->at = c->enter > 0.0 ? c->enter : 0.0;
    for (int k = 0; k < 3; ++k)
    {
        c->point[k] = (float)(c->from[k] + c->at * c->way[k]);
    }
}

// False when it misses for certain.
static bool clip(const ab_hull_faces *hull, const group *g, clipping *c)
{
    for (uint32_t i = 0; i < g->count; ++i)
    {
        const ab_hull_face *face = &hull->faces[g->face[i]];
        const double height = ab_hull_above(face, c->from), rise = ab_dot(face->normal, c->way);
        const double at = rise != 0.0 ? -height / rise : 0.0;
        if (rise == 0.0 && height > 0.0)
        {
            return false;
        }
        if (rise < 0.0 && (at > c->enter || (at == c->enter && g->face[i] < c->face)))
        {
            c->enter = at;
            c->face = g->face[i];
        }
        c->leave = rise > 0.0 && at < c->leave ? at : c->leave;
    }
    return c->enter <= 1.0 && c->leave >= 0.0 && c->enter <= c->leave;
}

// Looks at all planes that are not below the point, which moves on meanwhile. False when the ray misses for certain.
static bool clip_once(const ab_hull_tree *tree, const ab_hull_faces *hull, float near, clipping *c)
{
    uint32_t stale = 0; // candidates that the point has moved on from
    pending p;
    for (begin(&p); p.count > 0;)
    {
        const candidate next = p.of[--p.count];
        if (p.count < stale)
        {
            stale = p.count;
            if (above_child(next.above, next.child, c->point, near) < 0.0f)
            {
                continue;
            }
        }
        if (next.at < tree->node_count)
        {
            float above[WIDTH];
            bound_above(&tree->nodes[next.at], c->point, near, above);
            add_children(&p, &tree->nodes[next.at], above, 0.0f);
            continue;
        }
        const group g = group_at(tree, next.at);
        const double before = c->enter;
        if (!clip(hull, &g, c))
        {
            return false;
        }
        if (c->enter > before)
        {
            move_point(c);
            stale = p.count;
        }
    }
    return true;
}

// Planes below the point are entered before it, or left after it. Those that it moved past are looked at again.
bool ab_hull_tree_ray(const ab_hull_tree *tree, const ab_hull_faces *hull, const double from[3], const double way[3],
                      ab_ray_entry *out)
{
    clipping c = { .from = from, .way = way, .enter = -HUGE_VAL, .leave = HUGE_VAL, .face = UINT32_MAX };
    const float near = near_of(tree, from) + near_of(tree, way);
    double before;
    move_point(&c);
    do
    {
        before = c.at;
        if (!clip_once(tree, hull, near, &c))
        {
            return false;
        }
    } while (c.at > before);
    if (c.enter <= 0.0)
    {
        return ab_ray_begins_inside(out);
    }
    const double *n = hull->faces[c.face].normal;
    *out = (ab_ray_entry){ .fraction = c.enter, .normal = { n[0], n[1], n[2] } };
    return true;
}

bool ab_hull_tree_contains(const ab_hull_tree *tree, const ab_hull_faces *hull, const double point[3])
{
    const float near = near_of(tree, point);
    float at_point[3];
    pending p;
    narrow(point, at_point);
    for (begin(&p); p.count > 0;)
    {
        const uint32_t at = p.of[--p.count].at;
        if (at < tree->node_count)
        {
            float above[WIDTH];
            bound_above(&tree->nodes[at], at_point, near, above);
            add_children(&p, &tree->nodes[at], above, 0.0f);
            continue;
        }
        const group g = group_at(tree, at);
        for (uint32_t i = 0; i < g.count; ++i)
        {
            if (ab_hull_above(&hull->faces[g.face[i]], point) > 0.0)
            {
                return false;
            }
        }
    }
    return true;
}

// The squared distance between a point and each child's box, at least.
static AB_APART void bound_square(const float middle[3][WIDTH], const float half[3][WIDTH], const float point[3],
                                  float near, float out[WIDTH])
{
    for (uint32_t k = 0; k < WIDTH; ++k)
    {
        const float x = fabsf(point[0] - middle[0][k]) - (half[0][k] + near),
                    y = fabsf(point[1] - middle[1][k]) - (half[1][k] + near),
                    z = fabsf(point[2] - middle[2][k]) - (half[2][k] + near);
        const float out_x = x > 0.0f ? x : 0.0f, out_y = y > 0.0f ? y : 0.0f, out_z = z > 0.0f ? z : 0.0f;
        out[k] = (out_x * out_x + out_y * out_y) + out_z * out_z;
    }
}

// Of unit normals the one with the largest product with a unit direction is the nearest to it.
uint32_t ab_hull_tree_facing(const ab_hull_tree *tree, const ab_hull_faces *hull, const double direction[3])
{
    const double length = sqrt(ab_dot(direction, direction));
    double most = -HUGE_VAL;
    uint32_t best = UINT32_MAX;
    float unit[3], most_square = HUGE_VALF; // of the distance
    pending p;
    for (int k = 0; k < 3; ++k)
    {
        unit[k] = (float)(direction[k] / length);
    }
    for (begin(&p); p.count > 0;)
    {
        const uint32_t at = p.of[--p.count].at;
        if (p.of[p.count].bound < -most_square)
        {
            continue;
        }
        if (at < tree->node_count)
        {
            const ab_hull_node *node = &tree->nodes[at];
            float square[WIDTH];
            bound_square(node->normal, node->spread, unit, 0.0f, square);
            for (uint32_t k = 0; k < WIDTH; ++k)
            {
                square[k] = -square[k];
            }
            add_children(&p, node, square, -most_square);
            continue;
        }
        const group g = group_at(tree, at);
        for (uint32_t i = 0; i < g.count; ++i)
        {
            const double here = ab_dot(hull->faces[g.face[i]].normal, direction);
            if (here > most || (here == most && g.face[i] < best))
            {
                best = g.face[i];
                most = here;
            }
        }
        most_square = (float)(2.0 - 2.0 * (most / length)) + SLIGHT;
    }
    return best;
}

// Whether the box of a face is as near to a point as the root of `most`, within what is not on its corners.
static bool may_be_nearest(const ab_hull_faces *hull, const ab_hull_face *face, const float point[3], float within,
                           float most)
{
    const uint32_t *const corner = hull->corners + face->first;
    abut_vec3 low = hull->vertices[corner[0]], high = low;
    for (uint32_t i = 1; i < face->count; ++i)
    {
        const abut_vec3 v = hull->vertices[corner[i]];
        low.x = v.x < low.x ? v.x : low.x;
        low.y = v.y < low.y ? v.y : low.y;
        low.z = v.z < low.z ? v.z : low.z;
        high.x = v.x > high.x ? v.x : high.x;
        high.y = v.y > high.y ? v.y : high.y;
        high.z = v.z > high.z ? v.z : high.z;
    }
    const float x = larger(low.x - point[0], point[0] - high.x), y = larger(low.y - point[1], point[1] - high.y),
                z = larger(low.z - point[2], point[2] - high.z);
    const float out_x = larger(x - within, 0.0f), out_y = larger(y - within, 0.0f), out_z = larger(z - within, 0.0f);
    return !((out_x * out_x + out_y * out_y) + out_z * out_z > most);
}

void ab_hull_tree_closest(const ab_hull_tree *tree, const ab_hull_faces *hull, const double point[3], double out[3])
{
    const float near = near_of(tree, point), within = near + tree->beside;
    double least = HUGE_VAL;
    uint32_t best = UINT32_MAX;
    float at_point[3], most = HUGE_VALF; // of the squared distance
    pending p;
    narrow(point, at_point);
    memcpy(out, point, 3 * sizeof *out);
    for (begin(&p); p.count > 0;)
    {
        const uint32_t at = p.of[--p.count].at;
        if (p.of[p.count].bound < -most)
        {
            continue;
        }
        if (at < tree->node_count)
        {
            const ab_hull_node *node = &tree->nodes[at];
            float square[WIDTH], above[WIDTH];
            bound_square(node->middle, node->half, at_point, near, square);
            bound_above(node, at_point, near, above);
            for (uint32_t k = 0; k < WIDTH; ++k)
            {
                square[k] = above[k] < 0.0f ? -HUGE_VALF : -square[k];
            }
            add_children(&p, node, square, most < HUGE_VALF ? -most : -FLT_MAX);
            continue;
        }
        const group g = group_at(tree, at);
        for (uint32_t i = 0; i < g.count; ++i)
        {
            const ab_hull_face *face = &hull->faces[g.face[i]];
            double here[3];
            const double square = ab_hull_above(face, point) > 0.0 && may_be_nearest(hull, face, at_point, within, most)
                                      ? ab_hull_closest_on_face(hull, face, point, here)
                                      : HUGE_VAL;
            if (square < least || (square == least && g.face[i] < best && square < HUGE_VAL))
            {
                least = square;
                best = g.face[i];
                memcpy(out, here, sizeof here);
            }
        }
        most = least < 0.5 * (double)FLT_MAX ? (float)least * (1.0f + SLIGHT) : HUGE_VALF;
    }
}

// How far each child's box reaches along a direction, at most.
static AB_APART void bound_along(const float middle[3][WIDTH], const float half[3][WIDTH], const float direction[3],
                                 float out[WIDTH])
{
    for (uint32_t k = 0; k < WIDTH; ++k)
    {
        const float at_middle = direction[0] * middle[0][k] + direction[1] * middle[1][k] + direction[2] * middle[2][k];
        const float beside =
            fabsf(direction[0]) * half[0][k] + fabsf(direction[1]) * half[1][k] + fabsf(direction[2]) * half[2][k];
        out[k] = at_middle + beside;
    }
}

static bool has_corner_beyond(const ab_hull_faces *hull, const ab_hull_face *face, const ab_hull_beyond *beyond)
{
    bool has = false;
    for (uint32_t i = 0; i < face->count; ++i)
    {
        double at[3];
        ab_hull_widen(hull->vertices, hull->corners[face->first + i], at);
        has = has || ab_dot(beyond->along, at) >= beyond->least;
    }
    return has;
}

void ab_hull_tree_mark_beyond(const ab_hull_tree *tree, const ab_hull_faces *hull, const ab_hull_beyond *beyond,
                              uint64_t *out)
{
    const float near = (float)NEAR * (sum_of(beyond->along) * (float)tree->size + fabsf((float)beyond->least)),
                least = (float)beyond->least - near, cosine = (float)beyond->cosine - SLIGHT;
    float facing[3], along[3];
    pending p;
    narrow(beyond->facing, facing);
    narrow(beyond->along, along);
    for (begin(&p); p.count > 0;)
    {
        const uint32_t at = p.of[--p.count].at;
        if (at < tree->node_count)
        {
            const ab_hull_node *node = &tree->nodes[at];
            float towards[WIDTH], reach[WIDTH];
            bound_along(node->normal, node->spread, facing, towards);
            bound_along(node->middle, node->half, along, reach);
            for (uint32_t k = 0; k < WIDTH; ++k)
            {
                reach[k] = towards[k] < cosine ? -HUGE_VALF : reach[k];
            }
            add_children(&p, node, reach, least);
            continue;
        }
        const group g = group_at(tree, at);
        for (uint32_t i = 0; i < g.count; ++i)
        {
            const uint32_t which = g.face[i];
            const ab_hull_face *face = &hull->faces[which];
            if (ab_dot(face->normal, beyond->facing) >= beyond->cosine && has_corner_beyond(hull, face, beyond))
            {
                out[which / 64] |= (uint64_t)1 << which % 64;
            }
        }
    }
}
