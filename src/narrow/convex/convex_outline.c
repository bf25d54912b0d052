// Finds the flat face or edge of a convex shape towards a direction, by support points of slightly tilted directions,
// and makes a convex polygon of them.
#include "narrow/convex/convex_outline.h"

#include "math/frame.h"
#include "shape/hull.h"
#include "shape/polygon.h"

#include <math.h>
#include <string.h>

enum
{
    DIRECTIONS = 8,
    POLYGON_PARTS = 14 // of two corners beside each other, of at most ABUT_MAX_VERTICES, no two are alike
};

#define BESIDE 0.0625 // of the normal: the tilt of the directions
#define ALIKE  1e-6   // of the shape's own size: points closer than this are one

static void normalise(double v[3])
{
    const double length = sqrt(ab_dot(v, v));
    for (int k = 0; k < 3; ++k)
    {
        v[k] /= length;
    }
}

ab_contact_frame ab_contact_frame_of(const ab_convex *shape, const double n[3])
{
    ab_contact_frame t = { .n = { n[0], n[1], n[2] } };
    const double *axis = shape->axis;
    if (fabs(ab_dot(axis, n)) > 0.75)
    {
        axis += 3;
    }
    ab_along(axis, -ab_dot(axis, n), n, t.u);
    normalise(t.u);
    ab_cross(n, t.u, t.v);
    return t;
}

static double fall(const ab_outline_point *from, const ab_outline_point *to)
{
    const double u = to->u - from->u, v = to->v - from->v;
    const double apart = sqrt(u * u + v * v);
    return apart > 0.0 ? fabs(from->height - to->height) / apart : 0.0;
}

static bool alike(const ab_outline_point *p, const ab_outline_point *q, double size)
{
    return fabs(p->u - q->u) <= ALIKE * size && fabs(p->v - q->v) <= ALIKE * size;
}

static void add_corner(ab_outline *o, const ab_outline_point *p, double size)
{
    for (uint32_t i = 0; i < o->count; ++i)
    {
        if (alike(&o->corner[i], p, size))
        {
            return;
        }
    }
    o->corner[o->count++] = *p;
}

static ab_outline_point place_at(const ab_contact_frame *frame, const double point[3], uint32_t part)
{
    return (ab_outline_point){ ab_dot(point, frame->u), ab_dot(point, frame->v), ab_dot(point, frame->n), part };
}

#if defined(AB_HULLS) || defined(AB_MESHES)
// The corners of the face that lies flat, of a shape that has faces. False when none does.
static bool gather_face(const ab_convex *shape, const double n[3], double slope, const ab_contact_frame *frame,
                        ab_outline *out)
{
    double corner[AB_OUTLINE_CORNERS][3], local[3], point[3];
    for (int i = 0; i < 3; ++i)
    {
        local[i] = ab_dot(n, shape->axis + 3 * i);
    }
    const uint32_t count = shape->row->face(shape->shape, local, slope, AB_OUTLINE_CORNERS, corner);
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_convex_place(shape, corner[i], point);
        const ab_outline_point at = place_at(frame, point, i);
        add_corner(out, &at, shape->size);
    }
    return count > 0;
}

// The corners of a hull that lie no lower than the flat tolerance, none of whose faces lies flat. False for what is no
// hull, and for more than two: these are in no one plane, and those of them count that are farthest some way.
static bool gather_vertices(const ab_convex *shape, const double n[3], const ab_contact_frame *frame, ab_outline *out)
{
    const ab_shape_row *row = shape->row;
    const ab_hull *hull = row->geometry ? ab_hull_of_geometry(row->geometry(shape->shape)) : NULL;
    const double least = ab_dot(n, frame->n) * out->top.height - 2.0 * AB_OUTLINE_FLAT * shape->size,
                 base = ab_dot(n, shape->centre);
    double down[3];
    for (int i = 0; i < 3; ++i)
    {
        down[i] = ab_dot(n, shape->axis + 3 * i);
    }
    for (uint32_t i = 0; hull && i < hull->vertex_count; ++i)
    {
        const double local[3] = { (double)hull->vertices[i].x, (double)hull->vertices[i].y,
                                  (double)hull->vertices[i].z };
        double point[3];
        if (base + ab_dot(down, local) < least)
        {
            continue;
        }
        ab_convex_place(shape, local, point);
        const ab_outline_point at = place_at(frame, point, out->count);
        if (fall(&out->top, &at) <= AB_OUTLINE_FLAT)
        {
            add_corner(out, &at, shape->size);
        }
        if (out->count > 2)
        {
            return false;
        }
    }
    return out->count > 0;
}
#endif

// The corner of a box that is farthest along the normal, and those that are beside it along axes that lie flat. A part
// is a corner of the box.
static void gather_corners(const ab_convex *shape, const double n[3], const ab_contact_frame *frame, ab_outline *out)
{
    double corner[3];
    bool flat[3];
    uint32_t part = 0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const double along = ab_dot(n, shape->axis + 3 * k), half = shape->core.half[k];
        corner[k] = along >= 0.0 ? half : -half;
        part |= (along >= 0.0 ? 1u : 0u) << k;
        flat[k] = half > 0.0 && along * along <= AB_OUTLINE_FLAT * AB_OUTLINE_FLAT * (1.0 - along * along);
    }
    out->count = 0;
    for (uint32_t i = 0; i < 8; ++i)
    {
        double local[3], point[3];
        bool of_it = true;
        for (uint32_t k = 0; k < 3; ++k)
        {
            const bool other = (i >> k & 1u) != 0;
            of_it = of_it && (flat[k] || !other);
            local[k] = other ? -corner[k] : corner[k];
        }
        if (of_it)
        {
            ab_convex_place(shape, local, point);
            const ab_outline_point at = place_at(frame, point, part ^ i);
            out->top = i == 0 ? at : out->top;
            add_corner(out, &at, shape->size);
        }
    }
}

// The corners of a polygon that follow its highest one on one side, are no lower than the flat tolerance and go on the
// same way: past its ends the sides on its back begin, which may be as flat.
static void gather_sides(const ab_outline_point *corner, uint32_t count, uint32_t step, uint32_t top, double size,
                         ab_outline *out)
{
    uint32_t before = top, at = (top + step) % count;
    const double way = corner[at].u - corner[top].u;
    while (at != top && out->count < AB_OUTLINE_CORNERS && (corner[at].u - corner[before].u) * way > 0.0 &&
           fall(&corner[top], &corner[at]) <= AB_OUTLINE_FLAT)
    {
        add_corner(out, &corner[at], size);
        before = at;
        at = (at + step) % count;
    }
}

// A polygon's sides that lie flat. False for what is no polygon.
static bool gather_polygon(const ab_convex *shape, const double n[3], const ab_contact_frame *frame, ab_outline *out)
{
    const ab_shape_row *row = shape->row;
    const ab_polygon *polygon = row->geometry ? ab_polygon_of_geometry(row->geometry(shape->shape)) : NULL;
    const uint32_t count = polygon ? polygon->count : 0;
    const double across[2] = { ab_dot(n, shape->axis), ab_dot(n, shape->axis + 3) };
    ab_outline_point corner[ABUT_MAX_VERTICES];
    double height[ABUT_MAX_VERTICES];
    uint32_t top = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double local[3] = { (double)polygon->x[i], (double)polygon->y[i], 0.0 };
        double point[3];
        ab_convex_place(shape, local, point);
        corner[i] = place_at(frame, point, i % POLYGON_PARTS);
        height[i] = across[0] * local[0] + across[1] * local[1];
        top = height[i] > height[top] ? i : top;
    }
    if (count > 0)
    {
        out->top = corner[top];
        add_corner(out, &corner[top], shape->size);
        gather_sides(corner, count, 1, top, shape->size, out);
        gather_sides(corner, count, count - 1, top, shape->size, out);
    }
    return count > 0;
}

// The support points about the normal that are no lower than the flat tolerance, and the top.
static void gather(const ab_convex *shape, double side, double slope, const ab_contact_frame *frame, ab_outline *out)
{
    (void)slope; // without shapes that have faces
    // of 22.5 + 45 k degrees: not along the sides of a box, where two corners would be equally far
    static const double cosine[4] = { 0.92387953251128674, 0.38268343236508977, -0.38268343236508977,
                                      -0.92387953251128674 };
    static const double sine[4] = { 0.38268343236508977, 0.92387953251128674, 0.92387953251128674,
                                    0.38268343236508977 };
    const double n[3] = { side * frame->n[0], side * frame->n[1], side * frame->n[2] };
    double point[3], direction[3];
    if (shape->row->box_core)
    {
        gather_corners(shape, n, frame, out);
        return;
    }
    ab_convex_support(shape, n, point);
    const ab_outline_point top = place_at(frame, point, DIRECTIONS);
    out->top = top;
    out->count = 0;
#if defined(AB_HULLS) || defined(AB_MESHES)
    if (shape->row->face && (gather_face(shape, n, slope, frame, out) || gather_vertices(shape, n, frame, out)))
    {
        return;
    }
    out->count = 0;
#endif
    if (shape->is_2d && gather_polygon(shape, n, frame, out))
    {
        return;
    }
    const ab_contact_frame own = ab_contact_frame_of(shape, n);
    for (uint32_t k = 0; k < DIRECTIONS; ++k)
    {
        const double by = k < 4 ? BESIDE : -BESIDE;
        ab_along(n, by * cosine[k & 3], own.u, direction);
        ab_along(direction, by * sine[k & 3], own.v, direction);
        ab_convex_support(shape, direction, point);
        const ab_outline_point beside = place_at(frame, point, k);
        if (fall(&top, &beside) <= AB_OUTLINE_FLAT)
        {
            add_corner(out, &beside, shape->size);
        }
    }
    add_corner(out, &top, shape->size);
}

// A. Andrew, "Another efficient algorithm for convex hulls in two dimensions" (1979).
static void make_convex(ab_outline *o, double size)
{
    ab_outline_point sorted[AB_OUTLINE_CORNERS], chain[2 * AB_OUTLINE_CORNERS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < o->count; ++i)
    {
        uint32_t at = i;
        for (; at > 0 && (sorted[at - 1].u > o->corner[i].u ||
                          (sorted[at - 1].u == o->corner[i].u && sorted[at - 1].v > o->corner[i].v));
             --at)
        {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = o->corner[i];
    }
    const double least = ALIKE * ALIKE * size * size;
    for (uint32_t i = 0; i < o->count; ++i)
    {
        while (count >= 2 && ab_outline_turn(&chain[count - 2], &chain[count - 1], &sorted[i]) <= least)
        {
            --count;
        }
        chain[count++] = sorted[i];
    }
    const uint32_t lower = count + 1;
    for (uint32_t i = o->count - 1; i-- > 0;)
    {
        while (count >= lower && ab_outline_turn(&chain[count - 2], &chain[count - 1], &sorted[i]) <= least)
        {
            --count;
        }
        chain[count++] = sorted[i];
    }
    o->count = count > 1 ? count - 1 : 1;
    for (uint32_t i = 0; i < o->count; ++i)
    {
        o->corner[i] = chain[i];
    }
}

// The corners between the two that are left of several sides, in the order of u. Of these the sides go on.
static void keep_bends(ab_outline *out, const ab_outline_point *corner, uint32_t count)
{
    const ab_outline_point *first = &out->corner[0], *last = &out->corner[out->count - 1];
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t at = out->bends;
        if (corner[i].u <= first->u || corner[i].u >= last->u)
        {
            continue;
        }
        for (; at > 0 && out->bend[at - 1].u > corner[i].u; --at)
        {
            out->bend[at] = out->bend[at - 1];
        }
        out->bend[at] = corner[i];
        ++out->bends;
    }
}

void ab_outline_of(const ab_convex *shape, double side, double slope, const ab_contact_frame *frame, ab_outline *out)
{
    ab_outline_point corner[AB_OUTLINE_CORNERS];
    gather(shape, side, slope, frame, out);
    const uint32_t count = shape->is_2d && out->count > 2 ? out->count : 0;
    memcpy(corner, out->corner, count * sizeof *corner);
    make_convex(out, shape->size);
    out->bends = 0;
    if (count > 0)
    {
        keep_bends(out, corner, count);
    }
}

double ab_outline_surface(const ab_outline *o, const ab_outline_point *at)
{
    const ab_outline_point *p = &o->corner[0];
    uint32_t i = 0;
    if (o->bends == 0)
    {
        return ab_outline_height(o, at);
    }
    for (; i < o->bends && o->bend[i].u < at->u; ++i)
    {
        p = &o->bend[i];
    }
    const ab_outline_point *q = i < o->bends ? &o->bend[i] : &o->corner[1];
    return p->height + (at->u - p->u) / (q->u - p->u) * (q->height - p->height);
}

// The plane of an outline: M. Newell's normal, by sums over its edges; for two corners, the line through them.
void ab_outline_lay_frame(ab_outline *o)
{
    double sum_u = 0.0, sum_v = 0.0, sum_n = 0.0, middle_u = 0.0, middle_v = 0.0, middle = 0.0;
    for (uint32_t i = 0; i < o->count; ++i)
    {
        const ab_outline_point *p = &o->corner[i], *q = &o->corner[(i + 1) % o->count];
        sum_u += (p->v - q->v) * (p->height + q->height);
        sum_v += (p->height - q->height) * (p->u + q->u);
        sum_n += (p->u - q->u) * (p->v + q->v);
        middle_u += p->u / o->count;
        middle_v += p->v / o->count;
        middle += p->height / o->count;
    }
    o->lean_u = o->lean_v = 0.0;
    if (o->count >= 3)
    {
        o->lean_u = -sum_u / sum_n;
        o->lean_v = -sum_v / sum_n;
    }
    else if (o->count == 2)
    {
        const ab_outline_point *p = &o->corner[0], *q = &o->corner[1];
        const double u = q->u - p->u, v = q->v - p->v, rise = (q->height - p->height) / (u * u + v * v);
        o->lean_u = rise * u;
        o->lean_v = rise * v;
    }
    o->height = middle - o->lean_u * middle_u - o->lean_v * middle_v;
}
