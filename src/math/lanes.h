// Wide floats: LANES numbers at a time, with the instruction set of the unit. The scalar file is the specification;
// each of the others gives the same bits, lane by lane.
//
// f32w  LANES floats       splatw loadw storew entryw  addw subw mulw divw sqrtw negw absw minw maxw mostw
// u32w  LANES uint32_t     splatu loadu storeu lookupu  addu subu countu andu oru mergeu shlu shru
// maskw LANES truths       ltw lew gtw gew eqw  equ gtu  andm orm notm andnotm  pickw picku  bitsm countm
//
// Loads and stores need no alignment beyond that of their elements. Nothing here fuses, reorders or approximates.
#ifndef AB_LANES_H
#define AB_LANES_H

#include "base/platform.h"

#include <stdbool.h>
#include <string.h>

// Row `index` of rows of 16 floats. Computed in bytes: a compiler would otherwise scale the row and the offset in it
// separately.
AB_INLINE const float *row_at(const float *rows, uint32_t index)
{
    return (const float *)(const void *)((const char *)rows + 64 * (size_t)index);
}

// A unit whose data comes in groups of eight can use eight lanes with AVX-512 too.
#if defined(AB_LANES_AVX512) && defined(AB_LANES_EIGHT_AT_MOST)
#include "math/lanes_avx2.h"
#elif defined(AB_LANES_AVX512)
#include "math/lanes_avx512.h"
#elif defined(AB_LANES_AVX2)
#include "math/lanes_avx2.h"
#elif defined(AB_LANES_SSE2)
#include "math/lanes_sse2.h"
#elif defined(AB_LANES_NEON)
#include "math/lanes_neon.h"
#elif defined(AB_LANES_SIMD128)
#include "math/lanes_wasm.h"
#else
#include "math/lanes_scalar.h"
#endif

#define LANES_ALL ((1u << (LANES - 1) << 1) - 1u) // bitsm of a mask that is true everywhere

// Stores the lanes where a mask is true to rows of their own. packw moves them to the front, in order, or leaves that
// to the store, whichever suits the instruction set; values equal in all lanes need no packing. packed_places gives the
// number of each packed lane. The store, to rows `stride` floats apart, writes four floats of LANES rows whatever the
// mask. Wider sets have their own.
#if LANES <= 4

typedef maskw packing;

AB_INLINE packing packing_of(maskw m)
{
    return m;
}

AB_INLINE f32w packw(packing p, f32w a)
{
    (void)p;
    return a;
}

AB_INLINE u32w packed_places(packing p)
{
    return sum_before(picku(p, splatu(1), splatu(0)));
}

#endif

#if LANES == 1

AB_INLINE void store_packed4(float *to, uint32_t stride, packing p, const f32w in[4])
{
    (void)stride, (void)p;
    memcpy(to, in, 16);
}

#endif

#if LANES == 4

// As specified in the scalar file, for every set of four lanes.
AB_INLINE void store_packed4(float *to, uint32_t stride, packing p, const f32w in[4])
{
    f32w r[4] = { in[0], in[1], in[2], in[3] };
    const uint32_t bits = bitsm(p);
    transpose4(r);
    for (uint32_t k = 0; k < 4; ++k)
    {
        storew(to, r[k]);
        to += bits >> k & 1u ? stride : 0;
    }
}

AB_INLINE f32w entryw(const f32w *table, u32w index)
{
    const float *const entries = (const float *)(const void *)table;
    uint32_t at[4];
    storeu(at, shlu(index, 2));
    const float found[4] = { entries[at[0]], entries[at[1] + 1], entries[at[2] + 2], entries[at[3] + 3] };
    return loadw(found);
}

AB_INLINE u32w lookupu(const uint32_t *from, u32w index)
{
    uint32_t at[4];
    storeu(at, index);
    const uint32_t found[4] = { from[at[0]], from[at[1]], from[at[2]], from[at[3]] };
    return loadu(found);
}

#endif

AB_INLINE void prefetch(const void *line)
{
    AB_PREFETCH(line);
}

AB_INLINE bool anym(maskw a)
{
    return bitsm(a) != 0;
}

AB_INLINE maskw pickm(maskw m, maskw a, maskw b)
{
    return orm(andm(m, a), andnotm(b, m));
}

// True in the first n lanes.
AB_INLINE maskw first_lanes(uint32_t n)
{
    return gtu(splatu(n), lane_indices());
}

// a x b + c and c - a x b, each rounded twice.
AB_INLINE f32w mul_addw(f32w a, f32w b, f32w c)
{
    return addw(mulw(a, b), c);
}

AB_INLINE f32w mul_subw(f32w c, f32w a, f32w b)
{
    return subw(c, mulw(a, b));
}

AB_INLINE f32w clampw(f32w a, f32w low, f32w high)
{
    return minw(maxw(a, low), high);
}

typedef struct v3w
{
    f32w x, y, z;
} v3w;

AB_INLINE v3w v3w_make(f32w x, f32w y, f32w z)
{
    v3w v;
    v.x = x;
    v.y = y;
    v.z = z;
    return v;
}

AB_INLINE v3w v3w_splat(float x, float y, float z)
{
    return v3w_make(splatw(x), splatw(y), splatw(z));
}

AB_INLINE v3w v3w_add(v3w a, v3w b)
{
    return v3w_make(addw(a.x, b.x), addw(a.y, b.y), addw(a.z, b.z));
}

AB_INLINE v3w v3w_sub(v3w a, v3w b)
{
    return v3w_make(subw(a.x, b.x), subw(a.y, b.y), subw(a.z, b.z));
}

AB_INLINE v3w v3w_scale(v3w v, f32w s)
{
    return v3w_make(mulw(v.x, s), mulw(v.y, s), mulw(v.z, s));
}

// base + v x s
AB_INLINE v3w v3w_along(v3w base, v3w v, f32w s)
{
    return v3w_add(base, v3w_scale(v, s));
}

AB_INLINE v3w v3w_abs(v3w v)
{
    return v3w_make(absw(v.x), absw(v.y), absw(v.z));
}

AB_INLINE f32w v3w_dot(v3w a, v3w b)
{
    return addw(addw(mulw(a.x, b.x), mulw(a.y, b.y)), mulw(a.z, b.z));
}

AB_INLINE v3w v3w_cross(v3w a, v3w b)
{
    return v3w_make(subw(mulw(a.y, b.z), mulw(a.z, b.y)), subw(mulw(a.z, b.x), mulw(a.x, b.z)),
                    subw(mulw(a.x, b.y), mulw(a.y, b.x)));
}

AB_INLINE v3w v3w_pick(maskw m, v3w a, v3w b)
{
    return v3w_make(pickw(m, a.x, b.x), pickw(m, a.y, b.y), pickw(m, a.z, b.z));
}

AB_INLINE v3w v3w_keep(maskw m, v3w v)
{
    return v3w_make(keepw(m, v.x), keepw(m, v.y), keepw(m, v.z));
}

AB_INLINE v3w v3w_negate_where(maskw m, v3w v)
{
    return v3w_make(negw_where(m, v.x), negw_where(m, v.y), negw_where(m, v.z));
}

// v, negated in the lanes where the sign bit of `sign` is set.
AB_INLINE v3w v3w_signed(v3w v, f32w sign)
{
    return v3w_make(signedw(v.x, sign), signedw(v.y, sign), signedw(v.z, sign));
}

#endif
