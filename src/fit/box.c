// Fits an oriented box of nearly least volume: the best of the axis-aligned, the principal and the searched one,
// compared after rounding to floats.
#include "fit/principal.h"
#include "fit/search.h"

#include <abut/fit.h>

static double size_of(const ab_cloud *cloud, const abut_placed_shape *box)
{
    const abut_vec3 h = box->shape.box.half_extents;
    return ab_cloud_measure(cloud, h.x, h.y, h.z);
}

// Keeps the box with these axes if it is smaller than the best so far.
static void compete(const ab_cloud *cloud, const double axis[9], abut_placed_shape *best, bool *found)
{
    abut_placed_shape box;
    if (ab_cloud_box(cloud, axis, &box) && (!*found || size_of(cloud, &box) < size_of(cloud, best)))
    {
        *best = box;
        *found = true;
    }
}

abut_status abut_fit_obb(const float *points, uint32_t count, size_t stride, abut_placed_shape *out)
{
    static const double world[9] = { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 };
    ab_cloud cloud;
    if (!out || !ab_cloud_open(&cloud, points, count, stride, 3))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    double searched[9];
    ab_principal principal = ab_principal_of(&cloud);
    ab_search_box(&cloud, principal.axis, searched);
    ab_least_turned(principal.axis, true);
    ab_least_turned(searched, true);

    abut_placed_shape box;
    bool found = false;
    compete(&cloud, world, &box, &found); // the axis-aligned one first: it wins ties
    compete(&cloud, principal.axis, &box, &found);
    compete(&cloud, searched, &box, &found);
    ab_cloud_close(&cloud);
    *out = found ? box : *out;
    return found ? ABUT_OK : ABUT_INVALID_ARGUMENT;
}
