// Bounds for where rays enter shapes, where casts hit them, and how near they are, for one instruction set.
//
// Why no hit is lost. The centre as the ray's origin sees it, and everything computed from it, is rounded by a few
// 2^-24 of the distance and the size. Shapes are larger by 2^-18 of both, which is more than sixteen times that: the
// line still passes through what it hits, and enters it sooner. What is then computed along the line is rounded by a
// few 2^-24 of itself, or by 2^-20 of the distance for a ball, and lowered by more. Of a cast, its own size counts as
// well: fifteen axes that may part two boxes say when they may meet. A distance from a point is off by no more than the
// centre, the size and its own rounding are, for which 2^-18 of them is enough as well.
#include "query/bound_kernels.h"

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

// Rows of records as a query at `origin` sees them: a box or a ball, or unknown.
typedef struct standing
{
    v3w centre;
    f32w distance; // of it, at most
    const f32w *record;
    maskw ball, capsule, known;
} standing;

AB_INLINE standing stand(const ab_proxies *proxies, const uint32_t proxy[LANES], const f32w record[16], v3w origin)
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
    const v3w apart = v3w_sub(v3w_make(record[0], record[1], record[2]), origin);
    const v3w far = v3w_add(v3w_abs(apart), v3w_abs(offset));
    standing s = { .centre = v3w_add(apart, offset), .distance = addw(addw(far.x, far.y), far.z), .record = record };
    s.capsule = is_kind(keys, ABUT_CAPSULE);
    s.ball = is_kind(keys, ABUT_SPHERE);
    s.known = orm(orm(s.ball, s.capsule), orm(is_kind(keys, ABUT_AABB), is_kind(keys, ABUT_OBB)));
    return s;
}

AB_INLINE f32w fraction_of(const standing *s, passage p, f32w inverse)
{
    const f32w enter = maxw(p.enter, splatw(0.0f)), bound = mulw(mulw(enter, splatw(EARLIER)), inverse);
    const maskw misses = ltw(mulw(p.leave, splatw(LATER)), mulw(enter, splatw(EARLIER)));
    return keepw(s->known, pickw(misses, splatw(INFINITY), bound));
}

AB_INLINE f32w bound_of(const standing *s, const f32w ray[8])
{
    const f32w *record = s->record;
    approach a = { .centre = s->centre,
                   .unit = v3w_make(ray[4], ray[5], ray[6]),
                   .half = v3w_make(record[3], addw(record[13], keepw(s->capsule, record[3])), record[14]),
                   .axis = record + 4 };
    a.pad = mulw(addw(s->distance, addw(addw(a.half.x, a.half.y), a.half.z)), splatw(PAD));
    passage p = through_box(&a);
    if (anym(s->ball))
    {
        const passage b = through_ball(&a);
        p = (passage){ pickw(s->ball, b.enter, p.enter), pickw(s->ball, b.leave, p.leave) };
    }
    return fraction_of(s, p, ray[3]);
}

// Four columns of the rows of queries, which are so many lines of 16 apart. NULL: all have the first.
AB_INLINE void gather_query(const float *rows, uint32_t first, const uint8_t *query, uint32_t lines, f32w out[4])
{
    uint32_t of[LANES];
    if (!query)
    {
        for (uint32_t k = 0; k < 4; ++k)
        {
            out[k] = splatw(rows[first + k]);
        }
        return;
    }
    for (uint32_t k = 0; k < LANES; ++k)
    {
        of[k] = lines * query[k];
    }
    gather_columns4(rows, first, of, out);
}

AB_INLINE void bound_rays(const ab_proxies *proxies, const ab_ray_row *rays, const uint32_t *proxy,
                          const uint8_t *query, uint32_t count, float *bounds)
{
    const float *records = (const float *)(const void *)proxies->record, *rows = (const float *)(const void *)rays;
    for (uint32_t i = 0; i < count; i += LANES)
    {
        const uint8_t *own = query ? query + i : NULL;
        f32w record[16], ray[8];
        gather_rows16(records, proxy + i, record);
        gather_query(rows, 0, own, 1, ray);
        gather_query(rows, 4, own, 1, ray + 4);
        const standing s = stand(proxies, proxy + i, record, v3w_make(ray[0], ray[1], ray[2]));
        storew(bounds + i, bound_of(&s, ray));
    }
}

static void bound_ray_many(const ab_proxies *proxies, const ab_ray_row *rays, const uint32_t *proxy,
                           const uint8_t *query, uint32_t count, float *bounds)
{
    bound_rays(proxies, rays, proxy, query, count, bounds);
}

#ifndef AB_SMALL

static void bound_ray(const ab_proxies *proxies, const ab_ray_row *ray, const uint32_t *proxy, uint32_t count,
                      float *bounds)
{
    bound_rays(proxies, ray, proxy, NULL, count, bounds);
}

// While an axis does not part two shapes that reach so far along it.
AB_INLINE void cut(passage *p, f32w to_centre, f32w way, f32w reach)
{
    const f32w inverse = divw(signedw(splatw(1.0f), way), maxw(absw(way), splatw(LEAST)));
    const f32w middle = mulw(to_centre, inverse), half = mulw(reach, absw(inverse));
    p->enter = maxw(p->enter, subw(middle, half));
    p->leave = minw(p->leave, addw(middle, half));
}

AB_INLINE f32w reach_of(const f32w half[3], f32w x, f32w y, f32w z)
{
    return addw(addw(mulw(half[0], absw(x)), mulw(half[1], absw(y))), mulw(half[2], absw(z)));
}

// An edge of the travelling box by one of the other's, `across` being the products of their axes. Whatever direction
// the rounded product has, both shapes reach along it as computed, but for rounding.
AB_INLINE void cut_edges(passage *p, const f32w place[3], const f32w way[3], const f32w own[3], const f32w half[3],
                         const f32w across[9], f32w rounding)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint32_t u = (k + 1) % 3, v = (k + 2) % 3;
        for (uint32_t i = 0; i < 3; ++i)
        {
            const f32w along_u = across[3 * v + i], along_v = across[3 * u + i];
            const uint32_t next = 3 * k + (i + 1) % 3, last = 3 * k + (i + 2) % 3;
            const f32w ours = addw(mulw(own[u], absw(along_u)), mulw(own[v], absw(along_v)));
            const f32w theirs =
                addw(mulw(half[(i + 1) % 3], absw(across[last])), mulw(half[(i + 2) % 3], absw(across[next])));
            cut(p, subw(mulw(along_v, place[v]), mulw(along_u, place[u])),
                subw(mulw(along_v, way[v]), mulw(along_u, way[u])), addw(addw(ours, theirs), rounding));
        }
    }
}

// The axes of both. `cast` is its row up to the axes.
AB_INLINE f32w bound_of_cast(const standing *s, const f32w cast[12], const f32w axis[12])
{
    const f32w *record = s->record, *own = cast + 8, zero = splatw(0.0f);
    const maskw round = orm(s->ball, s->capsule);
    const f32w half[3] = { pickw(round, zero, record[3]), pickw(s->ball, zero, record[13]),
                           pickw(round, zero, record[14]) };
    const f32w size = addw(addw(addw(record[3], record[13]), record[14]), cast[11]);
    const f32w rounding = addw(addw(keepw(round, record[3]), cast[7]), mulw(addw(s->distance, size), splatw(PAD)));
    const v3w unit = v3w_make(cast[4], cast[5], cast[6]);
    v3w theirs[3];
    passage p = { zero, splatw(INFINITY) };
    f32w across[9], place[3], way[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        theirs[i] = v3w_make(record[4 + 3 * i], record[5 + 3 * i], record[6 + 3 * i]);
    }
    for (uint32_t k = 0; k < 3; ++k)
    {
        const v3w ours = v3w_make(axis[3 * k], axis[3 * k + 1], axis[3 * k + 2]);
        f32w *row = across + 3 * k;
        for (uint32_t i = 0; i < 3; ++i)
        {
            row[i] = v3w_dot(ours, theirs[i]);
        }
        place[k] = v3w_dot(s->centre, ours);
        way[k] = v3w_dot(unit, ours);
        cut(&p, place[k], way[k], addw(addw(own[k], rounding), reach_of(half, row[0], row[1], row[2])));
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        cut(&p, v3w_dot(s->centre, theirs[i]), v3w_dot(unit, theirs[i]),
            addw(addw(half[i], rounding), reach_of(own, across[i], across[3 + i], across[6 + i])));
    }
    cut_edges(&p, place, way, own, half, across, rounding);
    return fraction_of(s, p, cast[3]);
}

AB_INLINE void bound_casts(const ab_proxies *proxies, const ab_cast_row *casts, const uint32_t *proxy,
                           const uint8_t *query, uint32_t count, float *bounds)
{
    const float *records = (const float *)(const void *)proxies->record, *rows = (const float *)(const void *)casts;
    for (uint32_t i = 0; i < count; i += LANES)
    {
        const uint8_t *own = query ? query + i : NULL;
        f32w record[16], cast[12], axis[12];
        gather_rows16(records, proxy + i, record);
        for (uint32_t c = 0; c < 12; c += 4)
        {
            gather_query(rows, c, own, 2, cast + c);
            gather_query(rows, c + 16, own, 2, axis + c);
        }
        const standing s = stand(proxies, proxy + i, record, v3w_make(cast[0], cast[1], cast[2]));
        storew(bounds + i, bound_of_cast(&s, cast, axis));
    }
}

static void bound_cast(const ab_proxies *proxies, const ab_cast_row *cast, const uint32_t *proxy, uint32_t count,
                       float *bounds)
{
    bound_casts(proxies, cast, proxy, NULL, count, bounds);
}

static void bound_cast_many(const ab_proxies *proxies, const ab_cast_row *casts, const uint32_t *proxy,
                            const uint8_t *query, uint32_t count, float *bounds)
{
    bound_casts(proxies, casts, proxy, query, count, bounds);
}

// How near shapes are to the points that they are seen from: no nearer than *least and no farther than *most.
AB_INLINE void bounds_of_near(const standing *s, f32w *least, f32w *most)
{
    const f32w *record = s->record, zero = splatw(0.0f);
    const maskw round = orm(s->ball, s->capsule);
    const f32w half[3] = { pickw(round, zero, record[3]), pickw(s->ball, zero, record[13]),
                           pickw(round, zero, record[14]) };
    f32w square = zero;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const v3w axis = v3w_make(record[4 + 3 * k], record[5 + 3 * k], record[6 + 3 * k]);
        const f32w beyond = maxw(subw(absw(v3w_dot(s->centre, axis)), half[k]), zero);
        square = addw(square, mulw(beyond, beyond));
    }
    const f32w size = addw(addw(record[3], record[13]), record[14]);
    const f32w pad = mulw(addw(s->distance, size), splatw(PAD));
    const f32w distance = subw(sqrtw(square), keepw(round, record[3]));
    *least = keepw(s->known, maxw(subw(distance, pad), zero));
    *most = pickw(s->known, maxw(addw(distance, pad), zero), splatw(INFINITY));
}

static void bound_near(const ab_proxies *proxies, const float point[3], const uint32_t *proxy, uint32_t count,
                       float *least, float *most)
{
    const float *records = (const float *)(const void *)proxies->record;
    for (uint32_t i = 0; i < count; i += LANES)
    {
        f32w record[16], low, high;
        gather_rows16(records, proxy + i, record);
        const standing s = stand(proxies, proxy + i, record, v3w_splat(point[0], point[1], point[2]));
        bounds_of_near(&s, &low, &high);
        storew(least + i, low);
        storew(most + i, high);
    }
}

static void bound_near_many(const ab_proxies *proxies, const ab_near_row *rows, const uint32_t *proxy,
                            const uint8_t *query, uint32_t count, float *least, float *most)
{
    const float *records = (const float *)(const void *)proxies->record, *points = (const float *)(const void *)rows;
    for (uint32_t i = 0; i < count; i += LANES)
    {
        f32w record[16], row[4], low, high;
        gather_rows16(records, proxy + i, record);
        gather_query(points, 0, query + i, 1, row);
        const standing s = stand(proxies, proxy + i, record, v3w_make(row[0], row[1], row[2]));
        bounds_of_near(&s, &low, &high);
        storew(least + i, maxw(subw(low, row[3]), splatw(0.0f)));
        storew(most + i, high);
    }
}

static void rank(const uint32_t *keys, uint32_t count, uint32_t *below)
{
    for (uint32_t i = 0; i < count; i += LANES)
    {
        const u32w own = loadu(keys + i);
        u32w sum = splatu(0);
        for (uint32_t k = 0; k < count; ++k)
        {
            sum = countu(sum, gtu(own, splatu(keys[k])));
        }
        storeu(below + i, sum);
    }
}

#define TOP_KEY 0x7fffffffu // no key is above it

// How many keys, two and two, are below each of three vectors of them.
AB_INLINE void count_below(const uint32_t *keys, const uint32_t *own, uint32_t count, uint32_t *below)
{
    const u32w a = loadu(own), b = loadu(own + LANES), c = loadu(own + 2 * LANES);
    u32w sum_a = splatu(0), sum_b = sum_a, sum_c = sum_a;
    for (const uint32_t *key = keys, *end = keys + count; key < end; key += 2)
    {
        const u32w first = splatu(key[0]), second = splatu(key[1]);
        sum_a = countu(countu(sum_a, gtu(a, first)), gtu(a, second));
        sum_b = countu(countu(sum_b, gtu(b, first)), gtu(b, second));
        sum_c = countu(countu(sum_c, gtu(c, first)), gtu(c, second));
    }
    storeu(below, sum_a);
    storeu(below + LANES, sum_b);
    storeu(below + 2 * LANES, sum_c);
}

// The lowest bits of a key become its index, so that no two are the same.
static void sort(const float *keys, uint32_t count, uint8_t *order)
{
    uint32_t distinct[AB_ORDERED + 3 * AB_WIDEST], below[AB_ORDERED + 3 * AB_WIDEST];
    const u32w top = splatu(TOP_KEY);
    uint32_t end = 0;
    for (u32w indices = lane_indices(); end < count; end += LANES)
    {
        storeu(distinct + end, oru(andu(bitsw(loadw(keys + end)), splatu(~(AB_ORDERED - 1u))), indices));
        indices = addu(indices, splatu(LANES));
    }
    storeu(distinct + count, top);
    storeu(distinct + end, top);
    storeu(distinct + end + LANES, top);
    for (uint32_t i = 0; i < count; i += 3 * LANES)
    {
        count_below(distinct, distinct + i, count, below + i);
    }
    for (size_t i = 0; i < count; ++i)
    {
        order[below[i]] = (uint8_t)i;
    }
}

#endif

const ab_query_kernels AB_ISA_NAME(ab_query_kernels) = {
    .ray_many = bound_ray_many,
#ifndef AB_SMALL
    .ray = bound_ray,
    .cast = bound_cast,
    .cast_many = bound_cast_many,
    .near = bound_near,
    .near_many = bound_near_many,
    .rank = rank,
    .sort = sort,
#endif
};
