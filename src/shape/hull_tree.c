// Builds trees of a hull's faces: ranges are divided at the median of what differs most, the faces' places or their
// normals, so that every node but the last of a level is full.
#include "shape/hull_tree.h"

#include "base/array.h"
#include "math/outward.h"

#include <math.h>
#include <string.h>

enum
{
    WIDTH = AB_HULL_TREE_WIDTH
};

#define ANYWHERE 0x1p60f // the half extent of a face of which the nearest point may be anywhere
#define THIN     0x1p-40 // of the square of its length: twice a face's area at which it is such a face
#define ROUNDED  0x1p-30 // of its length to its width times its length: by how much more it may seem to extend
#define BESIDE   (1.0 + 0x1p-20)

// What a node knows of a face.
typedef struct face_bounds
{
    double trait[6];        // what faces are told apart by: where it is, of the size, and its normal
    double low[3], high[3]; // of the box of its corners
    double beside;          // how far outside of that the point of it that is nearest to another may be
} face_bounds;

typedef struct entry
{
    double key;
    uint32_t face;
} entry;

typedef struct builder
{
    const ab_hull_faces *hull;
    double size;
    double beside;
    face_bounds *bounds; // by face
    entry *entries;      // in the order of the tree
} builder;

static uint32_t groups_of(uint32_t faces)
{
    return (faces + WIDTH - 1) / WIDTH;
}

// Of all levels.
static uint32_t nodes_of(uint32_t faces)
{
    uint32_t nodes = 0, level = groups_of(faces);
    do
    {
        level = groups_of(level);
        nodes += level;
    } while (level > 1);
    return nodes;
}

size_t ab_hull_tree_bytes(uint32_t faces)
{
    return nodes_of(faces) * sizeof(ab_hull_node) + (size_t)faces * sizeof(uint32_t);
}

// Twice the area of a face, along its normal: M. Newell's sum.
static double area_of(const ab_hull_faces *hull, const ab_hull_face *face)
{
    double first[3], sum[3] = { 0.0, 0.0, 0.0 };
    ab_hull_widen(hull->vertices, hull->corners[face->first], first);
    for (uint32_t i = 1; i + 1 < face->count; ++i)
    {
        double a[3], b[3];
        ab_hull_widen(hull->vertices, hull->corners[face->first + i], a);
        ab_hull_widen(hull->vertices, hull->corners[face->first + i + 1], b);
        for (uint32_t k = 0; k < 3; ++k)
        {
            a[k] -= first[k];
            b[k] -= first[k];
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            sum[k] += a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
        }
    }
    return ab_dot(face->normal, sum);
}

// The plane of a face is above its corners by a little, and so may be the point of it that is nearest to another. What
// is beside a thin face may seem to be over it, by rounding.
static void bound_face(builder *b, const ab_hull_face *face, face_bounds *out)
{
    double gap = 0.0, longest = 0.0;
    for (uint32_t i = 0; i < face->count; ++i)
    {
        double at[3];
        ab_hull_widen(b->hull->vertices, b->hull->corners[face->first + i], at);
        const double below = fabs(ab_hull_above(face, at));
        gap = below > gap ? below : gap;
        for (uint32_t k = 0; k < 3; ++k)
        {
            out->low[k] = i > 0 && out->low[k] < at[k] ? out->low[k] : at[k];
            out->high[k] = i > 0 && out->high[k] > at[k] ? out->high[k] : at[k];
        }
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        longest += out->high[k] - out->low[k];
        out->trait[k] = (out->low[k] + out->high[k]) / b->size;
        out->trait[k + 3] = face->normal[k];
    }
    const double area = area_of(b->hull, face), square = longest * longest;
    const bool thin = !(area > THIN * square);
    out->beside = thin ? (double)ANYWHERE : gap * BESIDE + ROUNDED * square / area * longest;
    b->beside = out->beside > b->beside ? out->beside : b->beside;
}

static uint32_t widest_trait(const builder *b, uint32_t from, uint32_t count)
{
    double low[6], high[6];
    uint32_t widest = 0;
    memcpy(low, b->bounds[b->entries[from].face].trait, sizeof low);
    memcpy(high, low, sizeof high);
    for (uint32_t i = from + 1; i < from + count; ++i)
    {
        const double *trait = b->bounds[b->entries[i].face].trait;
        for (uint32_t k = 0; k < 6; ++k)
        {
            low[k] = trait[k] < low[k] ? trait[k] : low[k];
            high[k] = trait[k] > high[k] ? trait[k] : high[k];
        }
    }
    for (uint32_t k = 1; k < 6; ++k)
    {
        widest = high[k] - low[k] > high[widest] - low[widest] ? k : widest;
    }
    return widest;
}

static bool is_before(const entry *a, const entry *b)
{
    return a->key != b->key ? a->key < b->key : a->face < b->face;
}

static void exchange(entry *a, entry *b)
{
    const entry kept = *a;
    *a = *b;
    *b = kept;
}

static const entry *median(const entry *a, const entry *b, const entry *c)
{
    const bool ab = is_before(a, b), bc = is_before(b, c), ac = is_before(a, c);
    return ab == bc ? b : ab == ac ? c : a;
}

// Brings those entries in front that come before the one that belongs at `middle`: C. A. R. Hoare, Algorithm 65: Find
// (1961), by the median of three medians of three (J. W. Tukey, "The Ninther", 1978).
static void find(entry *of, uint32_t count, uint32_t middle)
{
    for (uint32_t low = 0, high = count - 1; low < high;)
    {
        const uint32_t step = (high - low) / 8;
        const entry *e = of + low;
        const entry *thirds[3];
        for (uint32_t i = 0; i < 3; ++i, e += 3 * step)
        {
            thirds[i] = median(e, e + step, e + 2 * step);
        }
        uint32_t next = low;
        exchange(&of[median(thirds[0], thirds[1], thirds[2]) - of], &of[high]);
        for (uint32_t i = low; i < high; ++i)
        {
            if (is_before(&of[i], &of[high]))
            {
                exchange(&of[i], &of[next++]);
            }
        }
        exchange(&of[next], &of[high]);
        low = next < middle ? next + 1 : low;
        high = next > middle ? next - 1 : next < middle ? high : low;
    }
}

// Divides a range into whole children of `unit` faces, and those in turn.
static void arrange(builder *b, uint32_t from, uint32_t count, uint32_t unit)
{
    while (count <= unit)
    {
        if (unit <= WIDTH)
        {
            return;
        }
        unit /= WIDTH;
    }
    const uint32_t first = (count + unit - 1) / unit / 2 * unit;
    const uint32_t trait = widest_trait(b, from, count);
    for (uint32_t i = from; i < from + count; ++i)
    {
        b->entries[i].key = b->bounds[b->entries[i].face].trait[trait];
    }
    find(b->entries + from, count, first);
    arrange(b, from, first, unit);
    arrange(b, from + first, count - first, unit);
}

// The middle and half of an interval, and of what is `beside` it; rounded outward.
static void halve(double low, double high, double beside, float *middle, float *half)
{
    *middle = ab_float_nearest(0.5 * (low + high));
    const double below = (double)*middle - low, above = high - (double)*middle;
    *half = ab_float_up(((below > above ? below : above) + beside) * BESIDE);
}

static void bound_child(const builder *b, uint32_t from, uint32_t count, uint32_t child, ab_hull_node *out)
{
    double middle[3], inside = HUGE_VAL;
    for (uint32_t k = 0; k < 3; ++k)
    {
        double low = HUGE_VAL, high = -HUGE_VAL, least = HUGE_VAL, most = -HUGE_VAL, beside = 0.0;
        for (uint32_t i = from; i < from + count; ++i)
        {
            const uint32_t face = b->entries[i].face;
            const face_bounds *f = &b->bounds[face];
            const double normal = b->hull->faces[face].normal[k];
            low = f->low[k] < low ? f->low[k] : low;
            high = f->high[k] > high ? f->high[k] : high;
            beside = f->beside > beside ? f->beside : beside;
            least = normal < least ? normal : least;
            most = normal > most ? normal : most;
        }
        halve(low, high, beside, &out->middle[k][child], &out->half[k][child]);
        halve(least, most, 0.0, &out->normal[k][child], &out->spread[k][child]);
        middle[k] = (double)out->middle[k][child];
    }
    for (uint32_t i = from; i < from + count; ++i)
    {
        const double depth = -ab_hull_above(&b->hull->faces[b->entries[i].face], middle);
        inside = depth < inside ? depth : inside;
    }
    out->inside[child] = ab_float_down(inside);
}

// The nodes of a level whose children have `unit` faces; returns how many.
static uint32_t lay_level(const builder *b, uint32_t faces, uint32_t unit, uint32_t below, ab_hull_node *out)
{
    uint32_t nodes = 0;
    for (uint32_t from = 0; from < faces; ++nodes)
    {
        ab_hull_node *node = &out[nodes];
        memset(node, 0, sizeof *node);
        node->first = below + WIDTH * nodes;
        for (; node->count < WIDTH && from < faces; from += unit)
        {
            bound_child(b, from, faces - from < unit ? faces - from : unit, node->count++, node);
        }
    }
    return nodes;
}

static void lay_nodes(const builder *b, uint32_t faces, ab_hull_node *nodes)
{
    const uint32_t all = nodes_of(faces);
    uint32_t unit = WIDTH, below = all, first = all;
    for (uint32_t level = groups_of(faces); first > 0; level = groups_of(level), unit *= WIDTH)
    {
        first -= groups_of(level);
        (void)lay_level(b, faces, unit, below, nodes + first);
        below = first;
    }
}

bool ab_hull_tree_build(const ab_hull_faces *hull, uint32_t faces, double size, void *room, ab_memory *memory,
                        ab_hull_tree *out)
{
    builder b = { .hull = hull, .size = size };
    const uint32_t nodes = nodes_of(faces);
    uint32_t *order = (uint32_t *)(void *)((ab_hull_node *)room + nodes), unit = WIDTH;
    const bool done = ab_array_resize(b.bounds, memory, faces) && ab_array_resize(b.entries, memory, faces);
    if (done)
    {
        for (uint32_t i = 0; i < faces; ++i)
        {
            bound_face(&b, &hull->faces[i], &b.bounds[i]);
            b.entries[i] = (entry){ 0.0, i };
        }
        while (unit < faces)
        {
            unit *= WIDTH;
        }
        arrange(&b, 0, faces, unit);
        lay_nodes(&b, faces, room);
        for (uint32_t i = 0; i < faces; ++i)
        {
            order[i] = b.entries[i].face;
        }
        *out = (ab_hull_tree){ room, order, nodes, faces, size, ab_float_up(b.beside) };
    }
    arrfree(b.bounds);
    arrfree(b.entries);
    return done;
}
