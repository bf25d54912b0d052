// Four lanes of WebAssembly's simd128. No relaxed-simd, whose results differ between processors.
#ifndef AB_LANES_WASM_H
#define AB_LANES_WASM_H

#include <wasm_simd128.h>

#define LANES 4u

typedef v128_t f32w;
typedef v128_t u32w;
typedef v128_t maskw;

// clang 14 merges a load and a splat of its result into one instruction, and moves that past stores to the same
// address.
#define HIDE_FROM_SPLAT(x)                                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!__builtin_constant_p(x))                                                                                  \
        {                                                                                                              \
            __asm__("" : "+r"(x));                                                                                     \
        }                                                                                                              \
    } while (0)

AB_INLINE f32w splatw(float x)
{
    HIDE_FROM_SPLAT(x);
    return wasm_f32x4_splat(x);
}

AB_INLINE f32w loadw(const float *from)
{
    return wasm_v128_load(from);
}

AB_INLINE void storew(float *to, f32w a)
{
    wasm_v128_store(to, a);
}

AB_INLINE f32w addw(f32w a, f32w b)
{
    return wasm_f32x4_add(a, b);
}

AB_INLINE f32w subw(f32w a, f32w b)
{
    return wasm_f32x4_sub(a, b);
}

AB_INLINE f32w mulw(f32w a, f32w b)
{
    return wasm_f32x4_mul(a, b);
}

AB_INLINE f32w divw(f32w a, f32w b)
{
    return wasm_f32x4_div(a, b);
}

AB_INLINE f32w sqrtw(f32w a)
{
    return wasm_f32x4_sqrt(a);
}

AB_INLINE f32w negw(f32w a)
{
    return wasm_f32x4_neg(a);
}

AB_INLINE f32w absw(f32w a)
{
    return wasm_f32x4_abs(a);
}

// pmin(x, y) is y < x ? y : x, pmax(x, y) is x < y ? y : x; the plain minimum and maximum order zeros and propagate
// NaN.
AB_INLINE f32w minw(f32w a, f32w b)
{
    return wasm_f32x4_pmin(b, a);
}

AB_INLINE f32w maxw(f32w a, f32w b)
{
    return wasm_f32x4_pmax(b, a);
}

// The largest of all lanes, in each. Of zeros of both signs, either.
AB_INLINE f32w mostw(f32w a)
{
    const f32w two = maxw(a, wasm_i32x4_shuffle(a, a, 2, 3, 0, 1));
    return maxw(two, wasm_i32x4_shuffle(two, two, 1, 0, 3, 2));
}

AB_INLINE u32w bitsw(f32w a)
{
    return a;
}

AB_INLINE f32w floatu(u32w bits)
{
    return bits;
}

AB_INLINE f32w signedw(f32w a, f32w sign)
{
    return wasm_v128_xor(a, wasm_v128_and(sign, wasm_f32x4_const_splat(-0.0f)));
}

AB_INLINE maskw ltw(f32w a, f32w b)
{
    return wasm_f32x4_lt(a, b);
}

AB_INLINE maskw lew(f32w a, f32w b)
{
    return wasm_f32x4_le(a, b);
}

AB_INLINE maskw gtw(f32w a, f32w b)
{
    return wasm_f32x4_gt(a, b);
}

AB_INLINE maskw gew(f32w a, f32w b)
{
    return wasm_f32x4_ge(a, b);
}

AB_INLINE maskw eqw(f32w a, f32w b)
{
    return wasm_f32x4_eq(a, b);
}

AB_INLINE maskw andm(maskw a, maskw b)
{
    return wasm_v128_and(a, b);
}

AB_INLINE maskw orm(maskw a, maskw b)
{
    return wasm_v128_or(a, b);
}

AB_INLINE maskw notm(maskw a)
{
    return wasm_v128_not(a);
}

AB_INLINE maskw andnotm(maskw a, maskw b)
{
    return wasm_v128_andnot(a, b);
}

AB_INLINE uint32_t bitsm(maskw a)
{
    return wasm_i32x4_bitmask(a);
}

AB_INLINE uint32_t countm(maskw a)
{
    return (uint32_t)__builtin_popcount(bitsm(a));
}

AB_INLINE f32w pickw(maskw m, f32w a, f32w b)
{
    return wasm_v128_bitselect(a, b, m);
}

AB_INLINE f32w keepw(maskw m, f32w a)
{
    return wasm_v128_and(m, a);
}

AB_INLINE f32w negw_where(maskw m, f32w a)
{
    return wasm_v128_xor(a, wasm_v128_and(m, wasm_f32x4_const_splat(-0.0f)));
}

AB_INLINE u32w splatu(uint32_t x)
{
    HIDE_FROM_SPLAT(x);
    return wasm_u32x4_splat(x);
}

AB_INLINE u32w loadu(const uint32_t *from)
{
    return wasm_v128_load(from);
}

AB_INLINE void storeu(uint32_t *to, u32w a)
{
    wasm_v128_store(to, a);
}

AB_INLINE u32w lane_indices(void)
{
    return wasm_u32x4_const(0, 1, 2, 3);
}

AB_INLINE u32w addu(u32w a, u32w b)
{
    return wasm_i32x4_add(a, b);
}

AB_INLINE u32w subu(u32w a, u32w b)
{
    return wasm_i32x4_sub(a, b);
}

AB_INLINE u32w andu(u32w a, u32w b)
{
    return wasm_v128_and(a, b);
}

AB_INLINE u32w oru(u32w a, u32w b)
{
    return wasm_v128_or(a, b);
}

AB_INLINE u32w mergeu(u32w a, u32w keep, u32w bits)
{
    return wasm_v128_or(wasm_v128_and(a, keep), bits);
}

AB_INLINE u32w shlu(u32w a, int by)
{
    return wasm_i32x4_shl(a, (uint32_t)by);
}

AB_INLINE u32w shru(u32w a, int by)
{
    return wasm_u32x4_shr(a, (uint32_t)by);
}

AB_INLINE maskw equ(u32w a, u32w b)
{
    return wasm_i32x4_eq(a, b);
}

AB_INLINE maskw gtu(u32w a, u32w b)
{
    return wasm_u32x4_gt(a, b);
}

AB_INLINE u32w picku(maskw m, u32w a, u32w b)
{
    return wasm_v128_bitselect(a, b, m);
}

AB_INLINE u32w countu(u32w a, maskw m)
{
    return wasm_i32x4_sub(a, m);
}

// Four stores, each to where the next selected lane goes.
AB_INLINE uint32_t appendu(uint32_t *to, u32w a, maskw m)
{
    uint32_t lane[4];
    uint32_t bits = bitsm(m), kept = 0;
    storeu(lane, a);
    for (uint32_t k = 0; k < 4; ++k)
    {
        to[kept] = lane[k];
        kept += bits >> k & 1u;
    }
    return kept;
}

// Transposes four rows of four; its own inverse.
AB_INLINE void transpose4(f32w r[4])
{
    const f32w low01 = wasm_i32x4_shuffle(r[0], r[1], 0, 4, 1, 5), high01 = wasm_i32x4_shuffle(r[0], r[1], 2, 6, 3, 7);
    const f32w low23 = wasm_i32x4_shuffle(r[2], r[3], 0, 4, 1, 5), high23 = wasm_i32x4_shuffle(r[2], r[3], 2, 6, 3, 7);
    r[0] = wasm_i64x2_shuffle(low01, low23, 0, 2);
    r[1] = wasm_i64x2_shuffle(low01, low23, 1, 3);
    r[2] = wasm_i64x2_shuffle(high01, high23, 0, 2);
    r[3] = wasm_i64x2_shuffle(high01, high23, 1, 3);
}

AB_INLINE void gather_columns4(const float *rows, uint32_t first, const uint32_t *index, f32w out[4])
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        out[k] = wasm_v128_load(row_at(rows, index[k]) + first);
    }
    transpose4(out);
}

AB_INLINE void gather_rows16(const float *rows, const uint32_t *index, f32w out[16])
{
    for (uint32_t c = 0; c < 16; c += 4)
    {
        gather_columns4(rows, c, index, out + c);
    }
}

AB_INLINE void gather_rows8(const float *const rows[], f32w out[8])
{
    for (uint32_t c = 0; c < 8; c += 4)
    {
        for (uint32_t k = 0; k < 4; ++k)
        {
            out[c + k] = wasm_v128_load(rows[k] + c);
        }
        transpose4(out + c);
    }
}

AB_INLINE void scatter_rows16(float *rows, const f32w in[16])
{
    for (uint32_t c = 0; c < 16; c += 4)
    {
        f32w r[4] = { in[c], in[c + 1], in[c + 2], in[c + 3] };
        transpose4(r);
        for (uint32_t k = 0; k < 4; ++k)
        {
            wasm_v128_store(rows + 16 * (size_t)k + c, r[k]);
        }
    }
}

AB_INLINE void scatter4(float *to, const uint32_t *at, const f32w in[4])
{
    f32w r[4] = { in[0], in[1], in[2], in[3] };
    transpose4(r);
    for (uint32_t k = 0; k < 4; ++k)
    {
        wasm_v128_store(to + at[k], r[k]);
    }
}

AB_INLINE u32w sum_before(u32w a)
{
    const u32w none = splatu(0), one = wasm_i32x4_shuffle(none, a, 0, 4, 5, 6);
    const u32w two = addu(one, wasm_i32x4_shuffle(none, one, 0, 4, 5, 6));
    return addu(two, wasm_i32x4_shuffle(none, two, 0, 1, 4, 5));
}

#endif
