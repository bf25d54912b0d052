// The shortest way is a sum of the normals of up to three planes that it ends on, none of them backwards, and it
// leads out of the others, too (the conditions of Karush, Kuhn and Tucker): the sets are few enough to try all.
#include "query/half_spaces.h"

#include <math.h>

#define SLACK  1e-5 // of the farthest plane's distance: ways are in floats
#define SINGLE 1e-9 // determinant of normals that are one, or in one plane

static double dot(const abut_vec3 *a, const abut_vec3 *b)
{
    return (double)a->x * (double)b->x + (double)a->y * (double)b->y + (double)a->z * (double)b->z;
}

typedef struct sum
{
    const ab_half_space *of[3];
    double share[3];
    uint32_t count;
} sum;

static bool lead_on(const sum *s)
{
    bool on = true;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        on = on && s->share[i] >= 0.0;
    }
    return on;
}

// Finds the shares with which the sum ends on all of its planes. False: there are none. Normals are unit but for
// rounding, which shares that are a hundred times the way out of one plane make more of than ways may be off.
static bool end_on_planes(sum *s)
{
    const ab_half_space *const *of = s->of;
    if (s->count <= 1)
    {
        s->share[0] = s->count == 1 ? of[0]->at : 0.0;
        return true;
    }
    const double p = dot(&of[0]->normal, &of[0]->normal), q = dot(&of[1]->normal, &of[1]->normal);
    const double g = dot(&of[0]->normal, &of[1]->normal), square = p * q - g * g;
    if (s->count == 2)
    {
        s->share[0] = (q * of[0]->at - g * of[1]->at) / square;
        s->share[1] = (p * of[1]->at - g * of[0]->at) / square;
        return square > SINGLE;
    }
    const double r = dot(&of[2]->normal, &of[2]->normal);
    const double h = dot(&of[0]->normal, &of[2]->normal), k = dot(&of[1]->normal, &of[2]->normal);
    const double x = of[0]->at, y = of[1]->at, z = of[2]->at;
    const double all = r * square - q * h * h - p * k * k + 2.0 * g * h * k;
    s->share[0] = ((q * r - k * k) * x + (h * k - r * g) * y + (g * k - q * h) * z) / all;
    s->share[1] = ((h * k - r * g) * x + (p * r - h * h) * y + (g * h - p * k) * z) / all;
    s->share[2] = ((g * k - q * h) * x + (g * h - p * k) * y + square * z) / all;
    return all > SINGLE;
}

static void add_up(const sum *s, double out[3])
{
    out[0] = out[1] = out[2] = 0.0;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        out[0] += s->share[i] * (double)s->of[i]->normal.x;
        out[1] += s->share[i] * (double)s->of[i]->normal.y;
        out[2] += s->share[i] * (double)s->of[i]->normal.z;
    }
}

static bool leads_out(const ab_half_space *spaces, uint32_t count, double slack, const abut_vec3 *way)
{
    bool out = true;
    for (uint32_t i = 0; i < count; ++i)
    {
        out = out && dot(&spaces[i].normal, way) >= spaces[i].at - slack;
    }
    return out;
}

// The sum of the planes in a set, a bit each. False: there are more than three.
static bool sum_of(const ab_half_space *spaces, uint32_t count, uint32_t set, sum *out)
{
    out->count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        if ((set >> i & 1u) != 0 && out->count++ < 3)
        {
            out->of[out->count - 1] = &spaces[i];
        }
    }
    return out->count <= 3;
}

bool ab_half_spaces_way_out(const ab_half_space *spaces, uint32_t count, abut_vec3 *out)
{
    double farthest = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        farthest = fmax(farthest, fabs(spaces[i].at));
    }
    const double most = AB_WAY_OUT_MOST * farthest;
    for (uint32_t set = 0; set < 1u << count; ++set)
    {
        sum s;
        double way[3];
        if (sum_of(spaces, count, set, &s) && end_on_planes(&s) && lead_on(&s))
        {
            add_up(&s, way);
            *out = abut_vec3_make((float)way[0], (float)way[1], (float)way[2]);
            if (dot(out, out) <= most * most && leads_out(spaces, count, SLACK * farthest, out))
            {
                return true;
            }
        }
    }
    return false;
}
