// Where two overlapping cores touch once they are moved apart along the best way out. Corners farthest along it need
// not be near each other: where long edges cross, they are the edges' ends.
#include "narrow/convex/epa_hull.h"

#include "math/frame.h"

#include <math.h>
#include <string.h>

#define TOUCHING 1e-6 // of a face and of the granularity: by how much either is missed at most

// The parts that the corners of a face have in where the best way out meets its plane. Returns the least: a negative
// one if that is outside the face or the hull is not grown there.
static double weigh_corners(const ab_epa_hull *h, const ab_epa_face *f, double weight[3])
{
    const double at = f->distance / ab_dot(f->normal, h->best.outward), most = TOUCHING * h->pair->granularity;
    double spoke[3][3], whole = 0.0, least = HUGE_VAL;
    if (!(fabs(h->best.depth - at) <= most))
    {
        return -HUGE_VAL; // the hull falls short there, or the way has left it before
    }
    for (int i = 0; i < 3; ++i)
    {
        ab_along(h->vertex[f->corner[i]].w, -at, h->best.outward, spoke[i]);
    }
    for (int i = 0; i < 3; ++i)
    {
        double area[3];
        ab_cross(spoke[(i + 1) % 3], spoke[(i + 2) % 3], area);
        weight[i] = ab_dot(area, f->normal);
        whole += weight[i];
    }
    double beside[3] = { 0.0, 0.0, 0.0 };
    for (int i = 0; i < 3; ++i)
    {
        weight[i] /= whole;
        least = weight[i] < least ? weight[i] : least;
        ab_along(beside, weight[i], spoke[i], beside);
    }
    // Of a face next to a line the parts are but rounding, and lead beside the way.
    const bool reached = ab_dot(beside, beside) <= most * most;
    return reached && whole > 0.0 && whole < HUGE_VAL ? least : -HUGE_VAL;
}

bool ab_epa_touching(const ab_epa_hull *h, double on_a[3], double on_b[3])
{
    double most = -TOUCHING, weight[3], best[3];
    const ab_epa_face *leaving = NULL;
    for (uint32_t i = 0; i < h->faces; ++i)
    {
        const ab_epa_face *f = &h->face[i];
        const double least = f->live && ab_dot(f->normal, h->best.outward) > 0.0 ? weigh_corners(h, f, weight) : most;
        if (least > most)
        {
            leaving = f;
            most = least;
            memcpy(best, weight, sizeof best);
        }
    }
    for (int k = 0; k < 3 && leaving; ++k)
    {
        on_a[k] = on_b[k] = 0.0;
        for (int i = 0; i < 3; ++i)
        {
            const ab_vertex *v = &h->vertex[leaving->corner[i]];
            on_a[k] += best[i] * v->a[k];
            on_b[k] += best[i] * (v->a[k] + v->w[k]);
        }
    }
    return leaving != NULL;
}
