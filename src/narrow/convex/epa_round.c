// When the expanding polytope algorithm may end early: a way out that is the least of all near it is the shortest, by
// two bounds. The directions along which the hull reaches less are all near it, see is_open. And near it the features
// reach farther: along d + t, t at right angles to d, |(d + t) x axis| is at least
// across + t . out + (t . beside)^2 / (2 across + 3 |t|), so that one of the features reaches at least
// depth + steep |t| + the squares of the rims. That is no less than depth |d + t|, see rises_within.
#include "narrow/convex/epa_round.h"

#include "math/frame.h"

#include <math.h>

enum
{
    MOST_TRIES = 12, // to find a minimum
    TANGENTS = 12    // that are tried
};

#define MOST_TANGENT 2.0
#define LESS_TANGENT 0.75
#define ONE_SIDE     0.999 // less than one, for rounding
#define HOPEFUL      0.75  // of the depth: how far a face may be for the way out to be looked for

bool ab_epa_round_begin(ab_epa_round *round, const ab_convex_pair *pair)
{
    const ab_convex *const side[2] = { &pair->a, &pair->b };
    round->found = round->ended = false;
    round->tries = 0;
    for (int k = 0; k < 2; ++k)
    {
        round->axis[k] = side[k]->row->discs ? side[k]->axis : NULL;
        round->disc[k][0] = round->disc[k][1] = 0.0;
        if (round->axis[k])
        {
            side[k]->row->discs(side[k]->shape, round->disc[k]);
        }
    }
    return round->axis[0] || round->axis[1];
}

// Whether the features reach farther than the depth as far from the way as this tangent.
static bool rises_within(const ab_local_minimum *m, double tangent)
{
    const double half = 0.5 * m->way.depth;
    if (m->features == 0 || m->features == 3)
    {
        return m->steep * tangent >= m->way.depth * (sqrt(1.0 + tangent * tangent) - 1.0);
    }
    double along = 0.0, both = 0.0, across = 0.0;
    for (int k = 0; k < 2; ++k)
    {
        const double curve = m->radius[k] / (2.0 * m->across[k] + 3.0 * tangent);
        along += curve * m->beside[k][0] * m->beside[k][0];
        both += curve * m->beside[k][0] * m->beside[k][1];
        across += curve * m->beside[k][1] * m->beside[k][1];
    }
    // Features of unlike rims reach, one of them, at least a part of the steepest and the rest of the mean.
    const double part = m->alike ? 0.0 : 0.5 * (1.0 - half / across), rest = 1.0 - part;
    const double left_along = rest * along - half, left_across = rest * across - half;
    if (!(left_across > 0.0))
    {
        return false;
    }
    const double least = left_along - rest * both * (rest * both) / left_across;
    return least >= 0.0 || (m->features == 2 && (m->alike ? 1.0 : part) * m->steep >= -least * tangent);
}

// The square of the largest tangent within which they do, of some: zero if of none.
static double square_of_rise(const ab_local_minimum *m)
{
    double tangent = MOST_TANGENT;
    for (int i = 0; i < TANGENTS; ++i)
    {
        if (rises_within(m, tangent))
        {
            return tangent * tangent;
        }
        tangent *= LESS_TANGENT;
    }
    return 0.0;
}

// Whether the tangent of a point's angle with a direction is larger.
static bool is_beyond(const double point[3], const double direction[3], double square)
{
    const double along = ab_dot(point, direction);
    return !(along > 0.0 && ab_dot(point, point) <= (1.0 + square) * along * along);
}

// Whether the hull reaches less than `depth` along directions about a face's normal that are farther from `direction`
// than the tangent with this square. The points x with x . v <= 1 for all vertices v are a polytope whose vertices are
// the faces' normals by their distances; the hull reaches less along what of it is outside a sphere. What sticks out
// there is bounded by circles that bend inwards, between points of its edges: these are the farthest.
static bool is_open(const ab_epa_hull *h, const ab_epa_face *f, const double direction[3], double depth, double square)
{
    if (is_beyond(f->normal, direction, square))
    {
        return true;
    }
    const double sphere = f->distance * f->distance / (depth * depth);
    for (int k = 0; k < 3; ++k)
    {
        const ab_epa_face *g = &h->face[f->beyond[k]];
        if (g->distance < depth)
        {
            continue; // it is looked at itself
        }
        // of the squares of the edge's distances, which is convex along it: the edge is in the sphere at this part of it
        const double by = f->distance / g->distance, part = (1.0 - sphere) / (1.0 - by * by);
        double point[3];
        for (int i = 0; i < 3; ++i)
        {
            point[i] = (1.0 - part) * f->normal[i] + part * by * g->normal[i];
        }
        if (is_beyond(point, direction, square))
        {
            return true;
        }
    }
    return false;
}

// The nearest face that is open about a minimum.
static const ab_epa_face *find_open(const ab_epa_hull *h, const ab_epa_face *nearest, const ab_local_minimum *m,
                                    double enough)
{
    const double depth = m->way.depth - enough, left = depth * depth - nearest->distance * nearest->distance;
    // else there might be such directions on the other side
    const double most = ONE_SIDE * nearest->distance * nearest->distance / left;
    const double square = left > 0.0 && most < m->square ? most : m->square;
    const ab_epa_face *open = NULL;
    for (uint32_t i = 0; i < h->faces; ++i)
    {
        const ab_epa_face *f = &h->face[i];
        if (f->live && f->distance < depth && (!open || f->distance < open->distance) &&
            is_open(h, f, m->way.outward, depth, square))
        {
            open = f;
        }
    }
    return open;
}

const ab_epa_face *ab_epa_round_open(ab_epa_round *round, ab_epa_hull *h, const ab_epa_face *nearest, double enough)
{
    if (round->found && h->best.depth < round->least.way.depth - 0.5 * enough)
    {
        round->found = false;
    }
    if (!round->found && round->tries < MOST_TRIES && nearest->distance > 0.0 &&
        nearest->distance >= HOPEFUL * h->best.depth)
    {
        ++round->tries;
        round->found = ab_epa_find_minimum(round, h, nearest, enough, &round->least);
        round->least.square = round->found ? square_of_rise(&round->least) : 0.0;
    }
    if (!round->found)
    {
        return nearest;
    }
    h->best = round->least.way.depth < h->best.depth ? round->least.way : h->best;
    const ab_epa_face *open = find_open(h, nearest, &round->least, enough);
    if (!open)
    {
        h->best = round->least.way;
        round->ended = true;
    }
    return open;
}
