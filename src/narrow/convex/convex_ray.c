// A ray against a shape given by its support function: the distance from a point that moves along the ray is a convex
// function of the time, so I. Newton's method from outside converges to its root and never passes it. Each distance is
// one GJK run; a shape with corners takes one per region that the ray passes, a round shape about six.
#include "narrow/convex/convex.h"

#include <math.h>

#define MOST_ROUNDS 64
#define CLOSE       1e-12 // of the shape's size and the ray's length

static const ab_shape_row *point_row(void)
{
    return ab_shape_row_for(ABUT_SPHERE);
}

// A hit's normal: against the way from the point to the shape.
static void look_back(const ab_convex_contact *contact, double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = 0.0 - contact->normal[k];
    }
}

bool ab_convex_ray(const ab_convex *convex, const double from[3], const double way[3], ab_ray_entry *out)
{
    static const abut_shape point = { .kind = ABUT_SPHERE };
    const double close = CLOSE * (convex->size + sqrt(ab_dot(way, way)));
    ab_convex_pair pair = { .a = { .row = point_row(), .shape = &point, .is_2d = convex->is_2d }, .b = *convex };
    ab_convex_contact contact;
    *out = (ab_ray_entry){ .fraction = 0.0, .normal = { 0.0, 0.0, 0.0 } };
    ab_convex_pair_up(&pair);
    for (int round = 0; round < MOST_ROUNDS; ++round)
    {
        ab_along(from, out->fraction, way, pair.a.centre);
        if (!ab_gjk(&pair, HUGE_VAL, &contact))
        {
            return true; // in the core, or on it
        }
        const double gap = contact.separation - convex->core.rounding, closing = ab_dot(contact.normal, way);
        if (gap <= close)
        {
            if (round > 0)
            {
                look_back(&contact, out->normal);
            }
            return true;
        }
        const double next = out->fraction + gap / closing;
        if (!(closing > 0.0 && next <= 1.0))
        {
            return false;
        }
        look_back(&contact, out->normal);
        if (!(next > out->fraction))
        {
            return true;
        }
        out->fraction = next;
    }
    return true;
}
