// Which points of a flat contact are kept: four that span nearly as much area as any, the deepest among them.
//
// The first chosen decides where the other three are. Were it the deepest, four of a face with many corners would go
// round with the side to which a body leans at the moment, and with them what carries it: a stack of prisms that rocks
// by a thousandth of a radian would have other points, without the impulses of the last step, in every detect, and fall.
// So where faces are nearly parallel the first is one that turns with the shape, and what is deeper replaces one point
// only.
#include "narrow/convex/convex_outline.h"

#include <math.h>

// Depth by distance: the slope up to which depths do not choose the first point. Where no shape has faces with many
// corners, rounding.
#ifdef AB_HULLS
#define LEVEL 0x1p-7
#else
#define LEVEL 0x1p-14
#endif

#define AS_GOOD 0x1p-12 // of the squared extent: distances and areas that are the same
#define AS_DEEP 0x1p-15 // of the extent: depths that are the same

static void swap_points(ab_flat_points *p, uint32_t i, uint32_t j)
{
    const ab_flat_point moved = p->point[i];
    p->point[i] = p->point[j];
    p->point[j] = moved;
}

// Moves the best remaining point to index `at`: of those that are as good up to `slack`, the first. Where faces are
// regular, many are as good but for rounding.
static void choose(ab_flat_points *p, uint32_t at, const double *worth, double slack)
{
    double most = -HUGE_VAL;
    uint32_t best = at;
    for (uint32_t i = at; i < p->count; ++i)
    {
        most = worth[i] > most ? worth[i] : most;
    }
    while (best + 1 < p->count && worth[best] < most - slack)
    {
        ++best;
    }
    swap_points(p, at, best);
}

// The deepest. A fixed direction decides between points that are as deep, up to the slope.
static void choose_first(ab_flat_points *p)
{
    double worth[AB_FLAT_POINTS];
    for (uint32_t i = 0; i < p->count; ++i)
    {
        worth[i] = LEVEL * (0.8 * p->point[i].u + 0.6 * p->point[i].v) - p->point[i].separation;
    }
    choose(p, 0, worth, 0.0);
}

// The farthest from the first. Returns the square of their distance.
static double choose_farthest(ab_flat_points *p)
{
    double worth[AB_FLAT_POINTS], most = 0.0;
    for (uint32_t i = 1; i < p->count; ++i)
    {
        const double u = p->point[i].u - p->point[0].u, v = p->point[i].v - p->point[0].v;
        worth[i] = u * u + v * v;
        most = worth[i] > most ? worth[i] : most;
    }
    choose(p, 1, worth, AS_GOOD * most);
    return most;
}

// The farthest on one side of the line through the first two, 1, or on the other, -1.
static void choose_beside(ab_flat_points *p, uint32_t at, double side, double slack)
{
    const ab_flat_point *first = &p->point[0], *second = &p->point[1];
    const double along_u = side * (second->u - first->u), along_v = side * (second->v - first->v);
    double worth[AB_FLAT_POINTS];
    for (uint32_t i = at; i < p->count; ++i)
    {
        worth[i] = along_u * (p->point[i].v - first->v) - along_v * (p->point[i].u - first->u);
    }
    choose(p, at, worth, slack);
}

#ifdef AB_HULLS
// The nearest of the chosen points to one.
static uint32_t nearest_chosen(const ab_flat_points *p, const ab_flat_point *to)
{
    double least = HUGE_VAL;
    uint32_t nearest = 0;
    for (uint32_t i = 0; i < AB_MAX_POINTS; ++i)
    {
        const double u = p->point[i].u - to->u, v = p->point[i].v - to->v, square = u * u + v * v;
        nearest = square < least ? i : nearest;
        least = square < least ? square : least;
    }
    return nearest;
}

// Puts the deepest point in the place of the nearest of the chosen ones, if all of these are higher by more than
// `slack`: the others stay.
static void keep_deepest(ab_flat_points *p, double slack)
{
    double chosen = HUGE_VAL;
    uint32_t deepest = 0;
    for (uint32_t i = 0; i < p->count; ++i)
    {
        const double gap = p->point[i].separation;
        chosen = i < AB_MAX_POINTS && gap < chosen ? gap : chosen;
        deepest = gap < p->point[deepest].separation ? i : deepest;
    }
    if (p->point[deepest].separation < chosen - slack)
    {
        swap_points(p, nearest_chosen(p, &p->point[deepest]), deepest);
    }
}
#endif

void ab_flat_points_reduce(ab_flat_points *p)
{
    if (p->count > AB_MAX_POINTS)
    {
        choose_first(p);
        const double square = choose_farthest(p), slack = AS_GOOD * square;
        choose_beside(p, 2, 1.0, slack);
        choose_beside(p, 3, -1.0, slack);
#ifdef AB_HULLS
        keep_deepest(p, AS_DEEP * sqrt(square));
#endif
        p->count = AB_MAX_POINTS;
    }
}
