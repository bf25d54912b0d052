// The tetrahedron that a hull grows from: four of the points, far from lying in a plane.
#include "cook/hull_build.h"

#include "math/frame.h"

#include <math.h>
#include <string.h>

static double square_between(abut_vec3 a, abut_vec3 b)
{
    double d[3];
    ab_hull_between(a, b, d);
    return ab_dot(d, d);
}

// The two farthest apart of the points that are extreme along an axis.
static void find_longest(const ab_hull_build *build, uint32_t out[4])
{
    uint32_t extreme[6] = { 0 };
    const abut_vec3 *p = build->points;
    for (uint32_t i = 1; i < build->count; ++i)
    {
        extreme[0] = p[i].x < p[extreme[0]].x ? i : extreme[0];
        extreme[1] = p[i].x > p[extreme[1]].x ? i : extreme[1];
        extreme[2] = p[i].y < p[extreme[2]].y ? i : extreme[2];
        extreme[3] = p[i].y > p[extreme[3]].y ? i : extreme[3];
        extreme[4] = p[i].z < p[extreme[4]].z ? i : extreme[4];
        extreme[5] = p[i].z > p[extreme[5]].z ? i : extreme[5];
    }
    double most = -1.0;
    for (int i = 0; i < 6; ++i)
    {
        for (int j = i + 1; j < 6; ++j)
        {
            const double square = square_between(p[extreme[i]], p[extreme[j]]);
            if (square > most)
            {
                most = square;
                out[0] = extreme[i];
                out[1] = extreme[j];
            }
        }
    }
}

bool ab_hull_find_first(const ab_hull_build *build, uint32_t out[4])
{
    const abut_vec3 *p = build->points;
    const double flat = AB_HULL_FLAT * build->size;
    double along[3], to[3], normal[3], best_normal[3] = { 0.0, 0.0, 0.0 }, most = 0.0;
    find_longest(build, out);
    ab_hull_between(p[out[0]], p[out[1]], along);
    const double length = sqrt(ab_dot(along, along));
    for (uint32_t i = 0; i < build->count; ++i)
    {
        ab_hull_between(p[out[0]], p[i], to);
        ab_hull_cross(along, to, normal);
        const double square = ab_dot(normal, normal);
        if (square > most)
        {
            most = square;
            out[2] = i;
            memcpy(best_normal, normal, sizeof normal);
        }
    }
    const double area = sqrt(most);
    if (!(area > flat * length))
    {
        return false;
    }
    most = 0.0;
    for (uint32_t i = 0; i < build->count; ++i)
    {
        ab_hull_between(p[out[0]], p[i], to);
        const double height = fabs(ab_dot(best_normal, to)) / area;
        if (height > most)
        {
            most = height;
            out[3] = i;
        }
    }
    return most > flat;
}
