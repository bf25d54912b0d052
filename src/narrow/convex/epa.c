// The depth of two overlapping cores: the expanding polytope algorithm of G. van den Bergen, "Proximity Queries and
// Penetration Depth Computation on 3D Game Objects" (2001), grown as an incremental convex hull.
//
// The hull is inside the difference and contains the origin. Its face nearest to the origin bounds the depth from
// below. The difference's reach along that face's normal bounds it from above, and is a true way out whatever else
// fails. So the answer, the best way out found, may be too long when the hull is abandoned (at its most vertices, or
// torn by rounding), but never too short.
//
// A new point replaces the faces that see it and also those whose plane it is in, up to rounding: no face is then
// thinner than that rounding, so every one has a normal.
#include "narrow/convex/epa_round.h"

#include "math/frame.h"
#include "narrow/convex/half_space.h"

#include <math.h>
#include <string.h>

enum
{
    ALL_OVER = 192, // vertices spent on the whole of the hull
    MOST_VERTICES = AB_EPA_VERTICES,
    MOST_FACES = AB_EPA_FACES,
    MOST_RIM = MOST_VERTICES, // a ring passes each vertex once
    MOST_POLISH = 40
};

// Of the granularity: what is small beside the larger shape may be the whole of the smaller one.
#define ENOUGH 1e-9  // between the bounds; or of the depth, which is reported as a float
#define PLANE  1e-10 // a point within this of a plane is in it

#define ABOUT 0.97 // the cosine of "near the best way out"

typedef ab_epa_face face;
typedef ab_epa_hull hull;

// An edge between a face that a new point sees and one that it does not.
typedef struct rim_edge
{
    uint16_t from, to, outer, slot; // outer.beyond[slot] is the face to remove
} rim_edge;

static face *nearest_face(hull *h)
{
    face *nearest = NULL;
    double least = HUGE_VAL;
    for (uint32_t i = 0; i < h->faces; ++i)
    {
        face *f = &h->face[i];
        if (f->distance < least && f->live)
        {
            nearest = f;
            least = f->distance;
        }
    }
    return nearest;
}

// The nearest of the faces whose normals are near the best way out.
static face *nearest_about(hull *h)
{
    face *nearest = NULL;
    for (uint32_t i = 0; i < h->faces; ++i)
    {
        face *f = &h->face[i];
        if (f->live && (!nearest || f->distance < nearest->distance) && ab_dot(f->normal, h->best.outward) >= ABOUT)
        {
            nearest = f;
        }
    }
    return nearest;
}

// Marks the faces that `point` sees, from the face `first` on, and lists the rim. Returns its number of edges; zero if
// more than MOST_RIM, which no ring has.
static uint32_t find_rim(hull *h, uint32_t first, const double point[3], uint16_t *seen, uint32_t *seen_count,
                         rim_edge *rim)
{
    const double plane = PLANE * h->pair->granularity;
    uint32_t edges = 0;
    *seen_count = 1;
    seen[0] = (uint16_t)first;
    h->face[first].seen = true;
    for (uint32_t i = 0; i < *seen_count; ++i)
    {
        const face *f = &h->face[seen[i]];
        for (uint32_t k = 0; k < 3; ++k)
        {
            face *other = &h->face[f->beyond[k]];
            if (other->seen)
            {
                continue;
            }
            if (ab_dot(other->normal, point) - other->distance >= -plane)
            {
                other->seen = true;
                seen[(*seen_count)++] = f->beyond[k];
                continue;
            }
            const uint16_t from = f->corner[k], to = f->corner[(k + 1) % 3];
            const uint16_t slot = (uint16_t)(other->corner[0] == to ? 0 : other->corner[1] == to ? 1 : 2);
            if (edges == MOST_RIM)
            {
                return 0;
            }
            rim[edges++] = (rim_edge){ from, to, f->beyond[k], slot };
        }
    }
    return edges;
}

// Sorts the edges around the rim. False when they are not one ring.
static bool order_rim(rim_edge *rim, uint32_t edges)
{
    for (uint32_t i = 0; i + 1 < edges; ++i)
    {
        uint32_t next = i + 1;
        while (next < edges && rim[next].from != rim[i].to)
        {
            ++next;
        }
        if (next == edges || rim[i].to == rim[0].from)
        {
            return false;
        }
        const rim_edge moved = rim[next];
        rim[next] = rim[i + 1];
        rim[i + 1] = moved;
    }
    return edges >= 3 && rim[edges - 1].to == rim[0].from;
}

static uint16_t take_face(hull *h)
{
    return h->spares ? h->spare[--h->spares] : (uint16_t)h->faces++;
}

// Replaces the visible faces by a cone of faces from the rim to the new vertex. False when rounding has torn the hull,
// which is then unusable.
static bool expand(hull *h, uint32_t first, const ab_vertex *vertex)
{
    uint16_t seen[MOST_FACES], made[MOST_FACES];
    rim_edge rim[MOST_RIM];
    uint32_t seen_count;
    const uint32_t edges = find_rim(h, first, vertex->w, seen, &seen_count, rim);
    if (!order_rim(rim, edges))
    {
        return false;
    }
    const uint32_t apex = h->vertices++;
    h->vertex[apex] = *vertex;
    for (uint32_t i = 0; i < seen_count; ++i)
    {
        h->face[seen[i]].live = false;
        h->spare[h->spares++] = seen[i];
    }
    bool sound = true;
    for (uint32_t i = 0; i < edges; ++i)
    {
        made[i] = take_face(h);
        sound = ab_epa_lay_face(h, &h->face[made[i]], rim[i].from, rim[i].to, apex) && sound;
    }
    for (uint32_t i = 0; i < edges; ++i)
    {
        face *f = &h->face[made[i]];
        f->beyond[0] = rim[i].outer;
        f->beyond[1] = made[(i + 1) % edges];
        f->beyond[2] = made[(i + edges - 1) % edges];
        h->face[rim[i].outer].beyond[rim[i].slot] = made[i];
    }
    return sound;
}

// Between the bounds.
static double enough_of(const hull *h)
{
    const double granularity = h->pair->granularity;
    return ENOUGH * (h->best.depth > granularity ? h->best.depth : granularity);
}

// Grows the hull where it is nearest to the origin. True when the bounds have met. Where very many faces are nearly
// equally near, as deep inside surfaces that are round without a rounding radius, the last vertices go near the best
// way out: it is then a valid way out, but possibly not the shortest. `round`: NULL, or of cores with discs.
static bool grow(hull *h, ab_epa_round *round)
{
    for (;;)
    {
        const bool all_over = h->vertices < ALL_OVER;
        const face *f = all_over ? NULL : nearest_about(h), *nearest = f = f ? f : nearest_face(h);
        ab_vertex farthest;
#ifdef AB_HULLS
        f = round ? ab_epa_round_open(round, h, f, enough_of(h)) : f;
        if (!f)
        {
            return true;
        }
#else
        (void)round;
#endif
        ab_epa_probe(h, f->normal, &farthest);
        const double enough = enough_of(h);
        const bool flat = ab_dot(f->normal, farthest.w) - f->distance <= enough;
        if (f == nearest && (flat || h->best.depth - f->distance <= enough))
        {
            return all_over;
        }
        if (flat) // only the nearest face's way is the shortest
        {
            round = NULL;
            continue;
        }
        if (h->vertices == MOST_VERTICES || !expand(h, (uint32_t)(f - h->face), &farthest))
        {
            return false;
        }
    }
}

// Probes along the axes of both: the ways out of a box from deep inside something round and much larger, whose hull of
// few vertices is coarser than the box.
static void look_along_axes(hull *h)
{
    const ab_convex *const side[2] = { &h->pair->a, &h->pair->b };
    for (int i = 0; i < 6; ++i)
    {
        const double *axis = side[i / 3]->axis + 3 * (i % 3), length = sqrt(ab_dot(axis, axis));
        for (int sign = -1; sign <= 1; sign += 2)
        {
            ab_vertex farthest;
            const double direction[3] = { sign * axis[0] / length, sign * axis[1] / length, sign * axis[2] / length };
            ab_epa_probe(h, direction, &farthest);
        }
    }
}

// Gradient descent on the reach: the last digits, where the hull has not reached them.
static void polish(hull *h)
{
    double step = 1.0 / h->pair->scale;
    for (int round = 0; round < MOST_POLISH; ++round)
    {
        double slope[3], trial[3];
        ab_vertex farthest;
        ab_along(h->best.farthest.w, -h->best.depth, h->best.outward, slope);
        ab_along(h->best.outward, -step, slope, trial);
        const double length = sqrt(ab_dot(trial, trial));
        for (int k = 0; k < 3; ++k)
        {
            trial[k] /= length;
        }
        step *= ab_epa_probe(h, trial, &farthest) ? 2.0 : 0.25;
    }
}

void ab_epa(const ab_convex_pair *pair, ab_convex_contact *out)
{
    if (ab_has_half_space(pair))
    {
        ab_half_space_measure(pair, out);
        return;
    }
    hull h;
    h.pair = pair;
    h.vertices = h.faces = h.spares = 0;
    h.best = (ab_way_out){ .depth = HUGE_VAL };
#ifdef AB_HULLS
    ab_epa_round round;
    const bool is_round = ab_epa_round_begin(&round, pair);
    const bool solid = (is_round && ab_epa_begin_at(&h, out)) || ab_epa_begin(&h);
    const bool known = solid && grow(&h, is_round ? &round : NULL);
#else
    const bool solid = ab_epa_begin(&h), known = solid && grow(&h, NULL);
#endif
    if (solid && !known)
    {
        look_along_axes(&h);
        polish(&h);
    }
    const double depth = h.best.depth > 0.0 ? h.best.depth : 0.0;
    for (int k = 0; k < 3; ++k)
    {
        out->normal[k] = 0.0 - h.best.outward[k];
        out->on_a[k] = h.best.farthest.a[k];
        out->on_b[k] = h.best.farthest.a[k] + h.best.farthest.w[k];
    }
    out->touching = false;
#ifdef AB_HULLS
    if (is_round && round.ended)
    {
        memcpy(out->on_a, round.least.on_a, sizeof out->on_a);
        memcpy(out->on_b, round.least.on_b, sizeof out->on_b);
        out->touching = true;
    }
    else
    {
        out->touching = solid && ab_epa_touching(&h, out->on_a, out->on_b);
    }
#endif
    out->separation = -depth;
    out->overlap = true;
}
