// Builds and searches the trees of part_tree.h.
#include "shape/part_tree.h"

#include <math.h>

// Whether a leaf comes before another along an axis, by the middles of their boxes.
static bool is_before(const ab_part_node *a, const ab_part_node *b, int axis)
{
    const double of_a = (double)a->min[axis] + (double)a->max[axis], of_b = (double)b->min[axis] + (double)b->max[axis];
    return of_a != of_b ? of_a < of_b : a->part < b->part;
}

static void exchange(ab_part_node *a, ab_part_node *b)
{
    const ab_part_node kept = *a;
    *a = *b;
    *b = kept;
}

static uint32_t median(const ab_part_node *leaves, uint32_t a, uint32_t b, uint32_t c, int axis)
{
    const bool ab = is_before(&leaves[a], &leaves[b], axis), bc = is_before(&leaves[b], &leaves[c], axis),
               ac = is_before(&leaves[a], &leaves[c], axis);
    return ab == bc ? b : ab == ac ? c : a;
}

// A leaf near the middle: the median of three medians of three from all over the range, for an outline goes there and
// back (J. W. Tukey, "The Ninther", 1978).
static uint32_t pivot_of(const ab_part_node *leaves, uint32_t low, uint32_t high, int axis)
{
    const uint32_t step = (high - low) / 8;
    uint32_t of[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t first = low + 3 * i * step;
        of[i] = median(leaves, first, first + step, first + 2 * step, axis);
    }
    return median(leaves, of[0], of[1], of[2], axis);
}

// Brings the leaves that come before the middle one in front of it: C. A. R. Hoare, Algorithm 65: Find (1961).
static void divide(ab_part_node *leaves, uint32_t count, int axis)
{
    const uint32_t middle = count / 2;
    for (uint32_t low = 0, high = count - 1; low < high;)
    {
        uint32_t next = low;
        exchange(&leaves[pivot_of(leaves, low, high, axis)], &leaves[high]);
        for (uint32_t i = low; i < high; ++i)
        {
            if (is_before(&leaves[i], &leaves[high], axis))
            {
                exchange(&leaves[i], &leaves[next++]);
            }
        }
        exchange(&leaves[next], &leaves[high]);
        low = next < middle ? next + 1 : low;
        high = next > middle ? next - 1 : next < middle ? high : low;
    }
}

// The axis along which the middles of some leaves are farthest apart.
static int widest(const ab_part_node *leaves, uint32_t count)
{
    double width[3];
    for (int k = 0; k < 3; ++k)
    {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (uint32_t i = 0; i < count; ++i)
        {
            const double middle = (double)leaves[i].min[k] + (double)leaves[i].max[k];
            low = middle < low ? middle : low;
            high = middle > high ? middle : high;
        }
        width[k] = high - low;
    }
    const int first = width[1] > width[0] ? 1 : 0;
    return width[2] > width[first] ? 2 : first;
}

static float lesser(float a, float b)
{
    return a < b ? a : b;
}

static float larger(float a, float b)
{
    return a > b ? a : b;
}

// Writes the tree over some leaves from node `at` on; returns the node behind it.
static uint32_t build(ab_part_node *nodes, ab_part_node *leaves, uint32_t count, uint32_t at)
{
    ab_part_node *node = &nodes[at];
    if (count == 1)
    {
        *node = leaves[0];
        node->next = at + 1;
        return at + 1;
    }
    const uint32_t middle = count / 2;
    divide(leaves, count, widest(leaves, count));
    const uint32_t second = build(nodes, leaves, middle, at + 1);
    node->next = build(nodes, leaves + middle, count - middle, second);
    node->part = AB_NO_PART;
    for (int k = 0; k < 3; ++k)
    {
        const ab_part_node *a = &nodes[at + 1], *b = &nodes[second];
        node->min[k] = lesser(a->min[k], b->min[k]);
        node->max[k] = larger(a->max[k], b->max[k]);
    }
    return node->next;
}

void ab_part_tree_build(ab_part_node *nodes, ab_part_node *leaves, uint32_t count)
{
    (void)build(nodes, leaves, count, 0);
}

bool ab_part_node_meets(const ab_part_node *node, const ab_mesh_box *box)
{
    bool meets = true;
    for (int k = 0; k < 3; ++k)
    {
        meets = meets && node->min[k] <= box->max[k] && node->max[k] >= box->min[k];
    }
    return meets;
}

bool ab_part_tree_overlap(const ab_part_tree *tree, const ab_mesh_box *box, ab_mesh_see *see, void *context)
{
    for (uint32_t i = 0; i < tree->count;)
    {
        const ab_part_node *node = &tree->nodes[i];
        const bool meets = ab_part_node_meets(node, box);
        if (meets && node->part != AB_NO_PART && !see(context, node->part))
        {
            return false;
        }
        i = meets ? i + 1 : node->next;
    }
    return true;
}

// No more than the squared distance of a point from the parts within a node.
static double square_to(const ab_part_node *node, const double point[3])
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        const double below = (double)node->min[k] - point[k], above = point[k] - (double)node->max[k];
        const double away = below > 0.0 ? below : above > 0.0 ? above : 0.0;
        square += away * away;
    }
    return square;
}

#define DEEPEST 32u // nodes above a leaf, of 2^32 parts

bool ab_part_tree_overlap_from(const ab_part_tree *tree, const double point[3], const ab_mesh_box *box,
                               ab_mesh_see *see, void *context)
{
    uint32_t later[DEEPEST + 1] = { 0 }, count = 1; // nodes still to be looked at, the next one last
    while (count > 0)
    {
        const uint32_t at = later[--count];
        const ab_part_node *node = &tree->nodes[at];
        if (!ab_part_node_meets(node, box))
        {
            continue;
        }
        if (node->part != AB_NO_PART)
        {
            if (!see(context, node->part))
            {
                return false;
            }
            continue;
        }
        const uint32_t first = at + 1, second = tree->nodes[first].next;
        const bool turned = square_to(&tree->nodes[second], point) < square_to(&tree->nodes[first], point);
        later[count++] = turned ? first : second;
        later[count++] = turned ? second : first;
    }
    return true;
}

ab_part_nearest ab_part_nearest_to(const double point[3])
{
    ab_part_nearest out = { .square = HUGE_VAL, .part = AB_NO_PART, .box = ab_mesh_box_all() };
    for (int k = 0; k < 3; ++k)
    {
        out.point[k] = point[k];
        out.on[k] = HUGE_VAL;
    }
    return out;
}

void ab_part_nearest_take(ab_part_nearest *n, uint32_t part, const double on[3])
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        square += (on[k] - n->point[k]) * (on[k] - n->point[k]);
    }
    if (square < n->square || (square == n->square && part < n->part))
    {
        n->square = square;
        n->part = part;
        n->box = ab_mesh_box_of(n->point, n->point, sqrt(square));
        for (int k = 0; k < 3; ++k)
        {
            n->on[k] = on[k];
        }
    }
}

double ab_part_node_most_along(const ab_part_node *node, const double direction[3])
{
    double most = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        most += direction[k] * (double)(direction[k] >= 0.0 ? node->max[k] : node->min[k]);
    }
    return most;
}
