// The row of custom shapes. Validates the results of a definition's callbacks.
#include "shape/kinds.h"

#include "shape/shape_table.h"

#include <math.h>

const abut_kind_def *ab_kind_find(const ab_kind_set *kinds, uint32_t id)
{
    return kinds && id >= ABUT_FIRST_KIND && id - ABUT_FIRST_KIND < kinds->count ? &kinds->def[id - ABUT_FIRST_KIND]
                                                                                 : NULL;
}

const abut_kind_def *ab_shape_def(const ab_kind_set *kinds, const abut_shape *shape)
{
    return shape->kind == ABUT_CUSTOM ? ab_kind_find(kinds, shape->custom.kind) : NULL;
}

const char *ab_kind_objection(const abut_kind_def *def)
{
    return !def->bounds ? "the kind has no bounds function" : !def->support ? "the kind has no support function" : NULL;
}

// Half the box about the origin that contains the range; NaN for an invalid range.
static float half_of(float low, float high)
{
    const float larger = -low > high ? -low : high;
    return low <= high && ab_size_valid(fabsf(low)) && ab_size_valid(fabsf(high)) ? larger : NAN;
}

static abut_vec3 half_extents_of(const abut_kind_def *def, const abut_shape *shape)
{
    const abut_aabb box = def->bounds(def->context, shape->custom.data);
    return abut_vec3_make(half_of(box.min.x, box.max.x), half_of(box.min.y, box.max.y), half_of(box.min.z, box.max.z));
}

// Tests the support function along the axes and diagonals: every result must be a point within the bounds, up to
// rounding.
static bool supports_valid(const abut_kind_def *def, const abut_shape *shape, const float half[3], double slack)
{
    for (int k = 0; k < 27; ++k)
    {
        const int corner[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
        const double direction[3] = { corner[0], corner[1], corner[2] };
        double point[3] = { NAN, NAN, NAN };
        if (k == 13)
        {
            continue; // the zero vector
        }
        def->support(def->context, shape->custom.data, direction, point);
        for (int i = 0; i < 3; ++i)
        {
            if (!(fabs(point[i]) <= (double)half[i] + slack))
            {
                return false;
            }
        }
    }
    return true;
}

static const char *custom_objection(const abut_kind_def *def, const abut_shape *shape)
{
    if (!def || shape->custom.size > ABUT_CUSTOM_BYTES)
    {
        return def ? "a custom shape has more parameters than fit" : "no kind of that number is registered";
    }
    if (def->valid && !def->valid(def->context, shape->custom.data))
    {
        return "the kind's own check rejects the shape's parameters";
    }
    const abut_vec3 half = half_extents_of(def, shape);
    if (!(ab_size_valid(half.x) && ab_size_valid(half.y) && ab_size_valid(half.z)))
    {
        return "the kind's bounds are not a box, not finite or past the limit";
    }
    const float rounding = def->rounding ? def->rounding(def->context, shape->custom.data) : 0.0f;
    if (!(ab_size_valid(rounding) && rounding <= half.x && rounding <= half.y && rounding <= half.z))
    {
        return "the kind's rounding is negative, not finite or past its bounds";
    }
    const float core[3] = { half.x - rounding, half.y - rounding, half.z - rounding };
    // The bounds and the core are floats of the size of the whole, whatever the size of the core.
    const double slack = 1e-6 * ((double)half.x + (double)half.y + (double)half.z);
    return supports_valid(def, shape, core, slack) ? NULL
                                                   : "the kind's support lies outside its bounds, or is not finite";
}

static abut_vec3 custom_size(const abut_kind_def *def, const abut_shape *shape)
{
    const abut_vec3 half = half_extents_of(def, shape);
    return abut_vec3_make(ab_size_valid(half.x) ? half.x : ABUT_MAX_MAGNITUDE,
                          ab_size_valid(half.y) ? half.y : ABUT_MAX_MAGNITUDE,
                          ab_size_valid(half.z) ? half.z : ABUT_MAX_MAGNITUDE);
}

// Its box less the rounding.
static void custom_core(const abut_kind_def *def, const abut_shape *shape, const float size[3], ab_core *out)
{
    const double rounding = def->rounding ? (double)def->rounding(def->context, shape->custom.data) : 0.0;
    out->rounding = rounding > 0.0 && rounding <= (double)ABUT_MAX_MAGNITUDE ? rounding : 0.0;
    for (int k = 0; k < 3; ++k)
    {
        out->half[k] = (double)size[k] > out->rounding ? (double)size[k] - out->rounding : 0.0;
    }
}

static void custom_support(const abut_kind_def *def, const abut_shape *shape, const double direction[3], double out[3])
{
    def->support(def->context, shape->custom.data, direction, out);
}

const ab_shape_row ab_custom_row = {
    .name = "custom",
    .words = sizeof(abut_custom) / 4,
    .changes = true,
    .turns = true,
    .objection = custom_objection,
    .size = custom_size,
    .core = custom_core,
    .support = custom_support,
};
