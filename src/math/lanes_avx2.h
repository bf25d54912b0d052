// Eight lanes of AVX2, also for AVX-512 units whose data comes in groups of eight.
#ifndef AB_LANES_AVX2_H
#define AB_LANES_AVX2_H

#include "math/compress_lanes.h"

#include <immintrin.h>

#define LANES 8u

typedef __m256 f32w;
typedef __m256i u32w;
typedef __m256 maskw;

AB_INLINE f32w splatw(float x)
{
    return _mm256_set1_ps(x);
}

AB_INLINE f32w loadw(const float *from)
{
    return _mm256_loadu_ps(from);
}

AB_INLINE void storew(float *to, f32w a)
{
    _mm256_storeu_ps(to, a);
}

AB_INLINE f32w addw(f32w a, f32w b)
{
    return _mm256_add_ps(a, b);
}

AB_INLINE f32w subw(f32w a, f32w b)
{
    return _mm256_sub_ps(a, b);
}

AB_INLINE f32w mulw(f32w a, f32w b)
{
    return _mm256_mul_ps(a, b);
}

AB_INLINE f32w divw(f32w a, f32w b)
{
    return _mm256_div_ps(a, b);
}

AB_INLINE f32w sqrtw(f32w a)
{
    return _mm256_sqrt_ps(a);
}

AB_INLINE f32w negw(f32w a)
{
    return _mm256_xor_ps(a, _mm256_set1_ps(-0.0f));
}

AB_INLINE f32w absw(f32w a)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a);
}

AB_INLINE f32w minw(f32w a, f32w b)
{
    return _mm256_min_ps(a, b);
}

AB_INLINE f32w maxw(f32w a, f32w b)
{
    return _mm256_max_ps(a, b);
}

// The largest of all lanes, in each. Of zeros of both signs, either.
AB_INLINE f32w mostw(f32w a)
{
    const f32w four = maxw(a, _mm256_permute2f128_ps(a, a, 0x01));
    const f32w two = maxw(four, _mm256_permute_ps(four, 0x4e));
    return maxw(two, _mm256_permute_ps(two, 0xb1));
}

AB_INLINE u32w bitsw(f32w a)
{
    return _mm256_castps_si256(a);
}

AB_INLINE f32w floatu(u32w bits)
{
    return _mm256_castsi256_ps(bits);
}

AB_INLINE f32w signedw(f32w a, f32w sign)
{
    return _mm256_xor_ps(a, _mm256_and_ps(sign, _mm256_set1_ps(-0.0f)));
}

AB_INLINE maskw ltw(f32w a, f32w b)
{
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

AB_INLINE maskw lew(f32w a, f32w b)
{
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}

AB_INLINE maskw gtw(f32w a, f32w b)
{
    return _mm256_cmp_ps(a, b, _CMP_GT_OQ);
}

AB_INLINE maskw gew(f32w a, f32w b)
{
    return _mm256_cmp_ps(a, b, _CMP_GE_OQ);
}

AB_INLINE maskw eqw(f32w a, f32w b)
{
    return _mm256_cmp_ps(a, b, _CMP_EQ_OQ);
}

AB_INLINE maskw andm(maskw a, maskw b)
{
    return _mm256_and_ps(a, b);
}

AB_INLINE maskw orm(maskw a, maskw b)
{
    return _mm256_or_ps(a, b);
}

AB_INLINE maskw notm(maskw a)
{
    return _mm256_xor_ps(a, _mm256_castsi256_ps(_mm256_set1_epi32(-1)));
}

AB_INLINE maskw andnotm(maskw a, maskw b)
{
    return _mm256_andnot_ps(b, a);
}

AB_INLINE uint32_t bitsm(maskw a)
{
    return (uint32_t)_mm256_movemask_ps(a);
}

AB_INLINE uint32_t countm(maskw a)
{
    return (uint32_t)_mm_popcnt_u32(bitsm(a));
}

AB_INLINE f32w pickw(maskw m, f32w a, f32w b)
{
    return _mm256_blendv_ps(b, a, m);
}

AB_INLINE f32w keepw(maskw m, f32w a)
{
    return _mm256_and_ps(m, a);
}

AB_INLINE f32w negw_where(maskw m, f32w a)
{
    return _mm256_xor_ps(a, _mm256_and_ps(m, _mm256_set1_ps(-0.0f)));
}

AB_INLINE u32w splatu(uint32_t x)
{
    return _mm256_set1_epi32((int)x);
}

AB_INLINE u32w loadu(const uint32_t *from)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)from);
}

AB_INLINE void storeu(uint32_t *to, u32w a)
{
    _mm256_storeu_si256((__m256i *)(void *)to, a);
}

AB_INLINE u32w lane_indices(void)
{
    return _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
}

AB_INLINE u32w addu(u32w a, u32w b)
{
    return _mm256_add_epi32(a, b);
}

AB_INLINE u32w subu(u32w a, u32w b)
{
    return _mm256_sub_epi32(a, b);
}

AB_INLINE u32w andu(u32w a, u32w b)
{
    return _mm256_and_si256(a, b);
}

AB_INLINE u32w oru(u32w a, u32w b)
{
    return _mm256_or_si256(a, b);
}

AB_INLINE u32w mergeu(u32w a, u32w keep, u32w bits)
{
    return _mm256_or_si256(_mm256_and_si256(a, keep), bits);
}

AB_INLINE u32w shlu(u32w a, int by)
{
    return _mm256_sll_epi32(a, _mm_cvtsi32_si128(by));
}

AB_INLINE u32w shru(u32w a, int by)
{
    return _mm256_srl_epi32(a, _mm_cvtsi32_si128(by));
}

AB_INLINE maskw equ(u32w a, u32w b)
{
    return _mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b));
}

AB_INLINE maskw gtu(u32w a, u32w b)
{
    const u32w sign = splatu(0x80000000u);
    return _mm256_castsi256_ps(_mm256_cmpgt_epi32(_mm256_xor_si256(a, sign), _mm256_xor_si256(b, sign)));
}

AB_INLINE u32w picku(maskw m, u32w a, u32w b)
{
    return bitsw(pickw(m, floatu(a), floatu(b)));
}

AB_INLINE u32w countu(u32w a, maskw m)
{
    return _mm256_sub_epi32(a, _mm256_castps_si256(m));
}

// The source lanes of a compress under mask m.
AB_INLINE u32w compress_lanes(maskw m)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)&ab_compress_lanes[bitsm(m)]));
}

AB_INLINE uint32_t appendu(uint32_t *to, u32w a, maskw m)
{
#ifdef AB_LANES_AVX512
    storeu(to, _mm256_maskz_compress_epi32((__mmask8)bitsm(m), a));
#else
    storeu(to, _mm256_permutevar8x32_epi32(a, compress_lanes(m)));
#endif
    return countm(m);
}

AB_INLINE u32w sum_before(u32w a)
{
    const u32w lower = _mm256_permute2x128_si256(a, a, 0x08), one = _mm256_alignr_epi8(a, lower, 12);
    const u32w two = addu(one, _mm256_slli_si256(one, 4)), four = addu(two, _mm256_slli_si256(two, 8));
    const u32w last = _mm256_shuffle_epi32(four, 0xff);
    return addu(four, _mm256_permute2x128_si256(last, last, 0x08));
}

// Transposes the two blocks of 4 x 4 within the 128-bit halves of four registers. By shuffles alone: two ports shuffle,
// one unpacks.
AB_INLINE void transpose4(f32w r[4])
{
    f32w low01 = _mm256_shuffle_ps(r[0], r[1], 0x44), high01 = _mm256_shuffle_ps(r[0], r[1], 0xee);
    f32w low23 = _mm256_shuffle_ps(r[2], r[3], 0x44), high23 = _mm256_shuffle_ps(r[2], r[3], 0xee);
    r[0] = _mm256_shuffle_ps(low01, low23, 0x88);
    r[1] = _mm256_shuffle_ps(low01, low23, 0xdd);
    r[2] = _mm256_shuffle_ps(high01, high23, 0x88);
    r[3] = _mm256_shuffle_ps(high01, high23, 0xdd);
}

// Four floats from each address; the load itself inserts the upper half.
AB_INLINE f32w load_halves(const float *low, const float *high)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high), 1);
}

AB_INLINE void gather_columns4(const float *rows, uint32_t first, const uint32_t *index, f32w out[4])
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        out[k] = load_halves(row_at(rows, index[k]) + first, row_at(rows, index[k + 4]) + first);
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
            out[c + k] = load_halves(rows[k] + c, rows[k + 4] + c);
        }
        transpose4(out + c);
    }
}

AB_INLINE void store_halves(float *low, float *high, f32w r)
{
    _mm_storeu_ps(low, _mm256_castps256_ps128(r));
    _mm_storeu_ps(high, _mm256_extractf128_ps(r, 1));
}

AB_INLINE void scatter_rows16(float *rows, const f32w in[16])
{
    for (uint32_t c = 0; c < 16; c += 4)
    {
        f32w r[4] = { in[c], in[c + 1], in[c + 2], in[c + 3] };
        transpose4(r);
        for (uint32_t k = 0; k < 4; ++k)
        {
            store_halves(rows + 16 * (size_t)k + c, rows + 16 * (size_t)(k + 4) + c, r[k]);
        }
    }
}

AB_INLINE void scatter4(float *to, const uint32_t *at, const f32w in[4])
{
    f32w r[4] = { in[0], in[1], in[2], in[3] };
    transpose4(r);
    for (uint32_t k = 0; k < 4; ++k)
    {
        _mm_storeu_ps(to + at[k], _mm256_castps256_ps128(r[k]));
    }
    for (uint32_t k = 0; k < 4; ++k)
    {
        _mm_storeu_ps(to + at[k + 4], _mm256_extractf128_ps(r[k], 1));
    }
}

typedef u32w packing; // source lanes, those for even destinations first, so that two rows share a register

AB_INLINE packing packing_of(maskw m)
{
    const __m128i from = _mm_loadl_epi64((const __m128i *)(const void *)&ab_compress_lanes[bitsm(m)]);
    return _mm256_cvtepu8_epi32(
        _mm_shuffle_epi8(from, _mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, -1, -1, -1, -1, -1, -1, -1, -1)));
}

AB_INLINE f32w packw(packing p, f32w a)
{
    return _mm256_permutevar8x32_ps(a, p);
}

AB_INLINE u32w packed_places(packing p)
{
    (void)p;
    return _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
}

AB_INLINE void store_packed4(float *to, uint32_t stride, packing p, const f32w in[4])
{
    f32w r[4] = { in[0], in[1], in[2], in[3] };
    (void)p;
    transpose4(r);
    for (uint32_t k = 0; k < 4; ++k)
    {
        if (stride == 4)
        {
            storew(to + 8 * (size_t)k, r[k]);
        }
        else
        {
            store_halves(to + stride * (2 * k), to + stride * (2 * k + 1), r[k]);
        }
    }
}

AB_INLINE f32w entryw(const f32w *table, u32w index)
{
    return _mm256_i32gather_ps((const float *)(const void *)table, addu(shlu(index, 3), lane_indices()), 4);
}

AB_INLINE u32w lookupu(const uint32_t *from, u32w index)
{
    return _mm256_i32gather_epi32((const int *)(const void *)from, index, 4);
}

// Splits LANES pairs, stored a b a b …, into their firsts and their seconds.
AB_INLINE void load_pairsu(const uint32_t *from, u32w *first, u32w *second)
{
    const __m256 low = _mm256_castsi256_ps(_mm256_loadu_si256((const void *)from));
    const __m256 high = _mm256_castsi256_ps(_mm256_loadu_si256((const void *)(from + 8)));
    const __m256i even = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88));
    const __m256i odd = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0xdd));
    *first = _mm256_permute4x64_epi64(even, 0xd8);
    *second = _mm256_permute4x64_epi64(odd, 0xd8);
}

#endif
