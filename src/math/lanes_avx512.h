// Sixteen lanes of AVX-512 (F, VL, DQ and BW). Masks have registers of their own.
#ifndef AB_LANES_AVX512_H
#define AB_LANES_AVX512_H

#include <immintrin.h>

#define LANES 16u

typedef __m512 f32w;
typedef __m512i u32w;
typedef __mmask16 maskw;

AB_INLINE f32w splatw(float x)
{
    return _mm512_set1_ps(x);
}

AB_INLINE f32w loadw(const float *from)
{
    return _mm512_loadu_ps(from);
}

AB_INLINE void storew(float *to, f32w a)
{
    _mm512_storeu_ps(to, a);
}

AB_INLINE f32w addw(f32w a, f32w b)
{
    return _mm512_add_ps(a, b);
}

AB_INLINE f32w subw(f32w a, f32w b)
{
    return _mm512_sub_ps(a, b);
}

AB_INLINE f32w mulw(f32w a, f32w b)
{
    return _mm512_mul_ps(a, b);
}

AB_INLINE f32w divw(f32w a, f32w b)
{
    return _mm512_div_ps(a, b);
}

AB_INLINE f32w sqrtw(f32w a)
{
    return _mm512_sqrt_ps(a);
}

AB_INLINE f32w negw(f32w a)
{
    return _mm512_xor_ps(a, _mm512_set1_ps(-0.0f));
}

AB_INLINE f32w absw(f32w a)
{
    return _mm512_abs_ps(a);
}

AB_INLINE f32w minw(f32w a, f32w b)
{
    return _mm512_min_ps(a, b);
}

AB_INLINE f32w maxw(f32w a, f32w b)
{
    return _mm512_max_ps(a, b);
}

// The largest of all lanes, in each. Of zeros of both signs, either.
AB_INLINE f32w mostw(f32w a)
{
    const f32w eight = maxw(a, _mm512_shuffle_f32x4(a, a, 0x4e));
    const f32w four = maxw(eight, _mm512_shuffle_f32x4(eight, eight, 0xb1));
    const f32w two = maxw(four, _mm512_permute_ps(four, 0x4e));
    return maxw(two, _mm512_permute_ps(two, 0xb1));
}

AB_INLINE u32w bitsw(f32w a)
{
    return _mm512_castps_si512(a);
}

AB_INLINE f32w floatu(u32w bits)
{
    return _mm512_castsi512_ps(bits);
}

AB_INLINE f32w signedw(f32w a, f32w sign)
{
    return _mm512_xor_ps(a, _mm512_and_ps(sign, _mm512_set1_ps(-0.0f)));
}

AB_INLINE maskw ltw(f32w a, f32w b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

AB_INLINE maskw lew(f32w a, f32w b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}

AB_INLINE maskw gtw(f32w a, f32w b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GT_OQ);
}

AB_INLINE maskw gew(f32w a, f32w b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_GE_OQ);
}

AB_INLINE maskw eqw(f32w a, f32w b)
{
    return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}

AB_INLINE maskw andm(maskw a, maskw b)
{
    return (maskw)(a & b);
}

AB_INLINE maskw orm(maskw a, maskw b)
{
    return (maskw)(a | b);
}

AB_INLINE maskw notm(maskw a)
{
    return (maskw)~a;
}

AB_INLINE maskw andnotm(maskw a, maskw b)
{
    return (maskw)(a & ~b);
}

AB_INLINE uint32_t bitsm(maskw a)
{
    return a;
}

AB_INLINE uint32_t countm(maskw a)
{
    return (uint32_t)_mm_popcnt_u32(a);
}

AB_INLINE f32w pickw(maskw m, f32w a, f32w b)
{
    return _mm512_mask_blend_ps(m, b, a);
}

AB_INLINE f32w keepw(maskw m, f32w a)
{
    return _mm512_maskz_mov_ps(m, a);
}

AB_INLINE f32w negw_where(maskw m, f32w a)
{
    return _mm512_mask_xor_ps(a, m, a, _mm512_set1_ps(-0.0f));
}

AB_INLINE u32w splatu(uint32_t x)
{
    return _mm512_set1_epi32((int)x);
}

AB_INLINE u32w loadu(const uint32_t *from)
{
    return _mm512_loadu_si512(from);
}

AB_INLINE void storeu(uint32_t *to, u32w a)
{
    _mm512_storeu_si512(to, a);
}

AB_INLINE u32w lane_indices(void)
{
    return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

AB_INLINE u32w addu(u32w a, u32w b)
{
    return _mm512_add_epi32(a, b);
}

AB_INLINE u32w subu(u32w a, u32w b)
{
    return _mm512_sub_epi32(a, b);
}

AB_INLINE u32w andu(u32w a, u32w b)
{
    return _mm512_and_si512(a, b);
}

AB_INLINE u32w oru(u32w a, u32w b)
{
    return _mm512_or_si512(a, b);
}

AB_INLINE u32w mergeu(u32w a, u32w keep, u32w bits)
{
    return _mm512_ternarylogic_epi32(a, keep, bits, 0xea);
}

AB_INLINE u32w shlu(u32w a, int by)
{
    return _mm512_sll_epi32(a, _mm_cvtsi32_si128(by));
}

AB_INLINE u32w shru(u32w a, int by)
{
    return _mm512_srl_epi32(a, _mm_cvtsi32_si128(by));
}

AB_INLINE maskw equ(u32w a, u32w b)
{
    return _mm512_cmpeq_epi32_mask(a, b);
}

AB_INLINE maskw gtu(u32w a, u32w b)
{
    return _mm512_cmpgt_epu32_mask(a, b);
}

AB_INLINE u32w picku(maskw m, u32w a, u32w b)
{
    return _mm512_mask_blend_epi32(m, b, a);
}

AB_INLINE u32w countu(u32w a, maskw m)
{
    return _mm512_mask_add_epi32(a, m, a, splatu(1));
}

AB_INLINE uint32_t appendu(uint32_t *to, u32w a, maskw m)
{
    storeu(to, _mm512_maskz_compress_epi32(m, a));
    return countm(m);
}

// Transposes the four blocks of 4 x 4 within the 128-bit quarters of four registers.
AB_INLINE void transpose4(f32w r[4])
{
    f32w low01 = _mm512_unpacklo_ps(r[0], r[1]), high01 = _mm512_unpackhi_ps(r[0], r[1]);
    f32w low23 = _mm512_unpacklo_ps(r[2], r[3]), high23 = _mm512_unpackhi_ps(r[2], r[3]);
    r[0] = _mm512_shuffle_ps(low01, low23, 0x44);
    r[1] = _mm512_shuffle_ps(low01, low23, 0xee);
    r[2] = _mm512_shuffle_ps(high01, high23, 0x44);
    r[3] = _mm512_shuffle_ps(high01, high23, 0xee);
}

// After transpose4 on each four registers: transposes the quarters between them.
AB_INLINE void transpose_quarters(f32w r[16])
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        f32w even_low = _mm512_shuffle_f32x4(r[k], r[k + 4], 0x88),
             odd_low = _mm512_shuffle_f32x4(r[k], r[k + 4], 0xdd);
        f32w even_high = _mm512_shuffle_f32x4(r[k + 8], r[k + 12], 0x88);
        f32w odd_high = _mm512_shuffle_f32x4(r[k + 8], r[k + 12], 0xdd);
        r[k] = _mm512_shuffle_f32x4(even_low, even_high, 0x88);
        r[k + 4] = _mm512_shuffle_f32x4(odd_low, odd_high, 0x88);
        r[k + 8] = _mm512_shuffle_f32x4(even_low, even_high, 0xdd);
        r[k + 12] = _mm512_shuffle_f32x4(odd_low, odd_high, 0xdd);
    }
}

// Four floats from each address; the loads themselves insert.
AB_INLINE f32w load_quarters(const float *a, const float *b, const float *c, const float *d)
{
    __m512 r = _mm512_castps128_ps512(_mm_loadu_ps(a));
    r = _mm512_insertf32x4(r, _mm_loadu_ps(b), 1);
    r = _mm512_insertf32x4(r, _mm_loadu_ps(c), 2);
    return _mm512_insertf32x4(r, _mm_loadu_ps(d), 3);
}

AB_INLINE void gather_columns4(const float *rows, uint32_t first, const uint32_t *index, f32w out[4])
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        out[k] = load_quarters(row_at(rows, index[k]) + first, row_at(rows, index[k + 4]) + first,
                               row_at(rows, index[k + 8]) + first, row_at(rows, index[k + 12]) + first);
    }
    transpose4(out);
}

// Whole rows and a full transposition: less load on the one shuffle port than sixteen times four insertions.
AB_INLINE void gather_rows16(const float *rows, const uint32_t *index, f32w out[16])
{
    for (uint32_t k = 0; k < 16; ++k)
    {
        out[k] = _mm512_load_ps(rows + 16 * (size_t)index[k]);
    }
    for (uint32_t k = 0; k < 16; k += 4)
    {
        transpose4(out + k);
    }
    transpose_quarters(out);
}

AB_INLINE void gather_rows8(const float *const rows[], f32w out[8])
{
    for (uint32_t c = 0; c < 8; c += 4)
    {
        for (uint32_t k = 0; k < 4; ++k)
        {
            out[c + k] = load_quarters(rows[k] + c, rows[k + 4] + c, rows[k + 8] + c, rows[k + 12] + c);
        }
        transpose4(out + c);
    }
}

AB_INLINE void scatter_rows16(float *rows, const f32w in[16])
{
    f32w r[16];
    memcpy(r, in, sizeof r);
    for (uint32_t k = 0; k < 16; k += 4)
    {
        transpose4(r + k);
    }
    transpose_quarters(r);
    for (uint32_t k = 0; k < 16; ++k)
    {
        _mm512_storeu_ps(rows + 16 * (size_t)k, r[k]);
    }
}

AB_INLINE void scatter4(float *to, const uint32_t *at, const f32w in[4])
{
    f32w r[4] = { in[0], in[1], in[2], in[3] };
    transpose4(r);
    for (uint32_t k = 0; k < 4; ++k)
    {
        _mm_storeu_ps(to + at[k], _mm512_castps512_ps128(r[k]));
    }
    for (uint32_t k = 0; k < 4; ++k)
    {
        _mm_storeu_ps(to + at[k + 4], _mm512_extractf32x4_ps(r[k], 1));
    }
    for (uint32_t k = 0; k < 4; ++k)
    {
        _mm_storeu_ps(to + at[k + 8], _mm512_extractf32x4_ps(r[k], 2));
    }
    for (uint32_t k = 0; k < 4; ++k)
    {
        _mm_storeu_ps(to + at[k + 12], _mm512_extractf32x4_ps(r[k], 3));
    }
}

AB_INLINE u32w sum_before(u32w a)
{
    const u32w none = splatu(0), one = _mm512_alignr_epi32(a, none, 15);
    const u32w two = addu(one, _mm512_alignr_epi32(one, none, 15)),
               four = addu(two, _mm512_alignr_epi32(two, none, 14));
    const u32w eight = addu(four, _mm512_alignr_epi32(four, none, 12));
    return addu(eight, _mm512_alignr_epi32(eight, none, 8));
}

typedef maskw packing;

AB_INLINE packing packing_of(maskw m)
{
    return m;
}

AB_INLINE f32w packw(packing p, f32w a)
{
    return _mm512_maskz_compress_ps(p, a);
}

AB_INLINE u32w packed_places(packing p)
{
    (void)p;
    return lane_indices();
}

AB_INLINE void store_packed4(float *to, uint32_t stride, packing p, const f32w in[4])
{
    f32w r[4] = { in[0], in[1], in[2], in[3] };
    (void)p;
    transpose4(r);
    for (uint32_t k = 0; k < 4; ++k)
    {
        _mm_storeu_ps(to + stride * k, _mm512_castps512_ps128(r[k]));
        _mm_storeu_ps(to + stride * (k + 4), _mm512_extractf32x4_ps(r[k], 1));
        _mm_storeu_ps(to + stride * (k + 8), _mm512_extractf32x4_ps(r[k], 2));
        _mm_storeu_ps(to + stride * (k + 12), _mm512_extractf32x4_ps(r[k], 3));
    }
}

// (Without optimisation, gcc defines these intrinsics as macros that cause warnings.)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
AB_INLINE f32w entryw(const f32w *table, u32w index)
{
    return _mm512_i32gather_ps(addu(shlu(index, 4), lane_indices()), table, 4);
}

AB_INLINE u32w lookupu(const uint32_t *from, u32w index)
{
    return _mm512_i32gather_epi32(index, (const int *)from, 4);
}
#pragma GCC diagnostic pop

// Splits LANES pairs, stored a b a b …, into their firsts and their seconds.
AB_INLINE void load_pairsu(const uint32_t *from, u32w *first, u32w *second)
{
    const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 16);
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    *first = _mm512_permutex2var_epi32(low, even, high);
    *second = _mm512_permutex2var_epi32(low, _mm512_add_epi32(even, _mm512_set1_epi32(1)), high);
}

#endif
