// The depth of two overlapping 2D cores: the polytope of G. van den Bergen (2001, see epa.c) is a polygon here, grown
// at the side nearest to the origin. The difference's reach along that side's normal is a true way out, so the answer,
// the best way out found, is never too short, whatever rounding does.
#include "narrow/convex/convex.h"

#include "math/frame.h"
#include "narrow/convex/half_space.h"

#include <math.h>
#include <string.h>

enum
{
    MOST_CORNERS = 192
};

// Of the scale.
#define ENOUGH 1e-10 // between the bounds
#define FLAT   1e-9  // a thinner difference has no interior

typedef struct hull
{
    const ab_convex_pair *pair;
    ab_vertex corner[MOST_CORNERS]; // counter-clockwise
    uint32_t count;
    double outward[3]; // unit: the best way out of the difference
    double depth;
    ab_vertex farthest; // along it
} hull;

// Computes the difference's reach along a unit direction, and keeps it if it is the shortest way out so far.
static double probe(hull *h, const double direction[3], ab_vertex *farthest)
{
    ab_difference_support(h->pair, direction, farthest);
    const double depth = ab_dot(direction, farthest->w);
    if (depth < h->depth)
    {
        h->depth = depth;
        h->farthest = *farthest;
        memcpy(h->outward, direction, sizeof h->outward);
    }
    return depth;
}

// Chooses a fixed direction for a difference without interior, so that rounding does not choose it.
static void leave_along(hull *h, double x, double y)
{
    ab_vertex farthest;
    const double outward[3] = { x, y, 0.0 };
    h->depth = HUGE_VAL;
    probe(h, outward, &farthest);
}

// The outward normal of the side from p to q. False when it has none.
static bool side_normal(const ab_vertex *p, const ab_vertex *q, double out[3])
{
    const double x = q->w[0] - p->w[0], y = q->w[1] - p->w[1], length = sqrt(x * x + y * y);
    out[0] = y / length;
    out[1] = -x / length;
    out[2] = 0.0;
    return length > 0.0;
}

// Finds three or four corners around an interior. False when there is none: the way out is then known.
static bool begin(hull *h)
{
    ab_vertex end[2][2], aside[2];
    double along[3], widest = -1.0;
    uint32_t wide = 0;
    for (uint32_t k = 0; k < 2; ++k)
    {
        double direction[3] = { 0.0, 0.0, 0.0 };
        direction[k] = -1.0;
        const double below = probe(h, direction, &end[k][0]);
        direction[k] = 1.0;
        const double width = below + probe(h, direction, &end[k][1]);
        wide = width > widest ? k : wide;
        widest = width > widest ? width : widest;
    }
    if (!(widest > FLAT * h->pair->scale))
    {
        leave_along(h, 0.0, -1.0);
        return false;
    }
    const ab_vertex *first = &end[wide][0], *last = &end[wide][1];
    side_normal(first, last, along);
    const double back[3] = { -along[0], -along[1], 0.0 }, height = ab_dot(along, first->w);
    const double right = probe(h, along, &aside[0]) - height, left = probe(h, back, &aside[1]) + height;
    if (!(right > FLAT * h->pair->scale) && !(left > FLAT * h->pair->scale))
    {
        const double up = along[1] != 0.0 ? along[1] : along[0]; // a normal that points up, or to the right
        leave_along(h, up > 0.0 ? -along[0] : along[0], up > 0.0 ? -along[1] : along[1]);
        return false;
    }
    h->count = 0;
    h->corner[h->count++] = *first;
    if (right > FLAT * h->pair->scale)
    {
        h->corner[h->count++] = aside[0];
    }
    h->corner[h->count++] = *last;
    if (left > FLAT * h->pair->scale)
    {
        h->corner[h->count++] = aside[1];
    }
    return true;
}

// Adds corners at the side nearest to the origin until the bounds have met.
static void grow(hull *h)
{
    const double enough = ENOUGH * h->pair->scale;
    for (;;)
    {
        double nearest = HUGE_VAL, normal[3], direction[3];
        uint32_t side = 0;
        for (uint32_t i = 0; i < h->count; ++i)
        {
            if (side_normal(&h->corner[i], &h->corner[(i + 1) % h->count], direction))
            {
                const double distance = ab_dot(direction, h->corner[i].w);
                side = distance < nearest ? i : side;
                if (distance < nearest)
                {
                    nearest = distance;
                    memcpy(normal, direction, sizeof normal);
                }
            }
        }
        ab_vertex farthest;
        if (nearest == HUGE_VAL || probe(h, normal, &farthest) - nearest <= enough || h->depth - nearest <= enough ||
            h->count == MOST_CORNERS)
        {
            return;
        }
        memmove(&h->corner[side + 2], &h->corner[side + 1], (h->count - side - 1) * sizeof *h->corner);
        h->corner[side + 1] = farthest;
        ++h->count;
    }
}

void ab_epa_2d(const ab_convex_pair *pair, ab_convex_contact *out)
{
    if (ab_has_half_space(pair))
    {
        ab_half_space_measure(pair, out);
        return;
    }
    hull h;
    h.pair = pair;
    h.count = 0;
    h.depth = HUGE_VAL;
    if (begin(&h))
    {
        grow(&h);
    }
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = 0.0 - h.outward[k];
        out->on_a[k] = h.farthest.a[k];
        out->on_b[k] = h.farthest.a[k] + h.farthest.w[k];
    }
    out->separation = h.depth > 0.0 ? -h.depth : 0.0;
    out->overlap = true;
    out->touching = false;
}
