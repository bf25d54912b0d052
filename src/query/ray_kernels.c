// Bounds for where rays enter shapes, for one instruction set.
//
// Why no hit is lost. The centre as the ray's origin sees it, and everything computed from it, is rounded by a few 2^-24
// of the distance and the size. Shapes are larger by 2^-18 of both, which is more than sixteen times that: the line still
// passes through what it hits, and enters it sooner. What is then computed along the line is rounded by a few 2^-24 of
// itself, or by 2^-20 of the distance for a ball, and lowered by more.
#include "query/ray_kernels.h"

#include "base/kernels.h"
#include "bounds/box8.h"

#include <math.h>

#define PAD     0x1p-18f
#define EARLIER (1.0f - 0x1p-20f)
#define LATER   (1.0f + 0x1p-20f)
#define LEAST   1e-30f // of a direction's components: keeps inverses finite

// What a vector of proxies has to do with their rays. Lengths are metres, along the ray from its origin.
typedef struct approach
{
    v3w centre, unit, half;
    const f32w *axis;
    f32w pad;
} approach;

typedef struct passage
{
    f32w enter, leave;
} passage;

// A ball that the line misses is left before it is entered.
AB_INLINE passage through_ball(const approach *a)
{
    const f32w along = v3w_dot(a->centre, a->unit), radius = addw(a->half.x, a->pad);
    const v3w off = v3w_sub(a->centre, v3w_scale(a->unit, along));
    const f32w square = subw(mulw(radius, radius), v3w_dot(off, off)), zero = splatw(0.0f);
    const f32w half_chord = addw(sqrtw(maxw(square, zero)), a->pad);
    const maskw missed = ltw(square, zero);
    return (passage){ pickw(missed, splatw(1.0f), subw(along, half_chord)),
                      pickw(missed, splatw(-1.0f), addw(along, half_chord)) };
}

AB_INLINE passage through_box(const approach *a)
{
    const f32w half[3] = { addw(a->half.x, a->pad), addw(a->half.y, a->pad), addw(a->half.z, a->pad) };
    passage p;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const v3w axis = v3w_make(a->axis[3 * k], a->axis[3 * k + 1], a->axis[3 * k + 2]);
        const f32w to_centre = v3w_dot(a->centre, axis), way = v3w_dot(a->unit, axis);
        const f32w inverse = divw(signedw(splatw(1.0f), way), maxw(absw(way), splatw(LEAST)));
        const f32w middle = mulw(to_centre, inverse), reach = mulw(half[k], absw(inverse));
        const f32w in = subw(middle, reach), out = addw(middle, reach);
        p.enter = k == 0 ? in : maxw(p.enter, in);
        p.leave = k == 0 ? out : minw(p.leave, out);
    }
    return p;
}

AB_INLINE maskw is_kind(u32w keys, uint32_t kind)
{
    return equ(keys, splatu(kind << 2));
}

// Rows of records and of rays, with the indices in index[].
AB_INLINE f32w bound_of(const ab_proxies *proxies, const uint32_t proxy[LANES], const f32w record[16],
                        const f32w ray[16])
{
    uint32_t flags[LANES];
    v3w offset = v3w_splat(0.0f, 0.0f, 0.0f);
    for (uint32_t k = 0; k < LANES; ++k)
    {
        flags[k] = proxies->proxy_flags[proxy[k]];
    }
    const u32w keys = andu(loadu(flags), splatu(AB_PROXY_TYPE_KEY & ~3u));
    if (proxies->offset)
    {
        float rows[3][LANES];
        for (uint32_t k = 0; k < LANES; ++k)
        {
            const abut_vec3 at = proxies->offset[proxy[k]];
            rows[0][k] = at.x, rows[1][k] = at.y, rows[2][k] = at.z;
        }
        offset = v3w_make(loadw(rows[0]), loadw(rows[1]), loadw(rows[2]));
    }
    const maskw capsule = is_kind(keys, ABUT_CAPSULE), ball = is_kind(keys, ABUT_SPHERE);
    const maskw box = orm(capsule, orm(is_kind(keys, ABUT_AABB), is_kind(keys, ABUT_OBB)));
    const v3w apart = v3w_sub(v3w_make(record[0], record[1], record[2]), v3w_make(ray[0], ray[1], ray[2]));
    approach a = { .centre = v3w_add(apart, offset),
                   .unit = v3w_make(ray[4], ray[5], ray[6]),
                   .half = v3w_make(record[3], addw(record[13], keepw(capsule, record[3])), record[14]),
                   .axis = record + 4 };
    const v3w far = v3w_add(v3w_abs(apart), v3w_abs(offset));
    const f32w distance = addw(addw(far.x, far.y), far.z), size = addw(addw(a.half.x, a.half.y), a.half.z);
    a.pad = mulw(addw(distance, size), splatw(PAD));
    passage p = through_box(&a);
    if (anym(ball))
    {
        const passage b = through_ball(&a);
        p = (passage){ pickw(ball, b.enter, p.enter), pickw(ball, b.leave, p.leave) };
    }
    const f32w enter = maxw(p.enter, splatw(0.0f)), bound = mulw(mulw(enter, splatw(EARLIER)), ray[3]);
    const maskw misses = ltw(mulw(p.leave, splatw(LATER)), mulw(enter, splatw(EARLIER)));
    return keepw(orm(box, ball), pickw(misses, splatw(INFINITY), bound));
}

static void bound(const ab_proxies *proxies, const ab_ray_row *rays, const uint32_t *proxy, const uint8_t *query,
                  uint32_t count, float *bounds)
{
    const float *records = (const float *)(const void *)proxies->record, *rows = (const float *)(const void *)rays;
    for (uint32_t i = 0; i < count; i += LANES)
    {
        uint32_t at[LANES], of[LANES];
        f32w record[16], ray[16];
        for (uint32_t k = 0; k < LANES; ++k)
        {
            const uint32_t one = i + k < count ? i + k : i;
            at[k] = proxy[one];
            of[k] = query[one];
        }
        gather_rows16(records, at, record);
        gather_columns4(rows, 0, of, ray);
        gather_columns4(rows, 4, of, ray + 4);
        storew(bounds + i, bound_of(proxies, at, record, ray));
    }
}

const ab_ray_kernels AB_ISA_NAME(ab_ray_kernels) = { .bound = bound };
