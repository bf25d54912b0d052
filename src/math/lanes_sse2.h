// Four lanes of SSE2.
#ifndef AB_LANES_SSE2_H
#define AB_LANES_SSE2_H

#include <emmintrin.h>

#define LANES 4u

typedef __m128 f32w;
typedef __m128i u32w;
typedef __m128 maskw;

AB_INLINE f32w splatw(float x)
{
    return _mm_set1_ps(x);
}

AB_INLINE f32w loadw(const float *from)
{
    return _mm_loadu_ps(from);
}

AB_INLINE void storew(float *to, f32w a)
{
    _mm_storeu_ps(to, a);
}

AB_INLINE f32w addw(f32w a, f32w b)
{
    return _mm_add_ps(a, b);
}

AB_INLINE f32w subw(f32w a, f32w b)
{
    return _mm_sub_ps(a, b);
}

AB_INLINE f32w mulw(f32w a, f32w b)
{
    return _mm_mul_ps(a, b);
}

AB_INLINE f32w divw(f32w a, f32w b)
{
    return _mm_div_ps(a, b);
}

AB_INLINE f32w sqrtw(f32w a)
{
    return _mm_sqrt_ps(a);
}

AB_INLINE f32w negw(f32w a)
{
    return _mm_xor_ps(a, _mm_set1_ps(-0.0f));
}

AB_INLINE f32w absw(f32w a)
{
    return _mm_andnot_ps(_mm_set1_ps(-0.0f), a);
}

AB_INLINE f32w minw(f32w a, f32w b)
{
    return _mm_min_ps(a, b);
}

AB_INLINE f32w maxw(f32w a, f32w b)
{
    return _mm_max_ps(a, b);
}

// The largest of all lanes, in each. Of zeros of both signs, either.
AB_INLINE f32w mostw(f32w a)
{
    const f32w two = maxw(a, _mm_shuffle_ps(a, a, 0x4e));
    return maxw(two, _mm_shuffle_ps(two, two, 0xb1));
}

AB_INLINE u32w bitsw(f32w a)
{
    return _mm_castps_si128(a);
}

AB_INLINE f32w floatu(u32w bits)
{
    return _mm_castsi128_ps(bits);
}

AB_INLINE f32w signedw(f32w a, f32w sign)
{
    return _mm_xor_ps(a, _mm_and_ps(sign, _mm_set1_ps(-0.0f)));
}

AB_INLINE maskw ltw(f32w a, f32w b)
{
    return _mm_cmplt_ps(a, b);
}

AB_INLINE maskw lew(f32w a, f32w b)
{
    return _mm_cmple_ps(a, b);
}

AB_INLINE maskw gtw(f32w a, f32w b)
{
    return _mm_cmpgt_ps(a, b);
}

AB_INLINE maskw gew(f32w a, f32w b)
{
    return _mm_cmpge_ps(a, b);
}

AB_INLINE maskw eqw(f32w a, f32w b)
{
    return _mm_cmpeq_ps(a, b);
}

AB_INLINE maskw andm(maskw a, maskw b)
{
    return _mm_and_ps(a, b);
}

AB_INLINE maskw orm(maskw a, maskw b)
{
    return _mm_or_ps(a, b);
}

AB_INLINE maskw notm(maskw a)
{
    return _mm_xor_ps(a, _mm_castsi128_ps(_mm_set1_epi32(-1)));
}

AB_INLINE maskw andnotm(maskw a, maskw b)
{
    return _mm_andnot_ps(b, a);
}

AB_INLINE uint32_t bitsm(maskw a)
{
    return (uint32_t)_mm_movemask_ps(a);
}

AB_INLINE uint32_t countm(maskw a)
{
    uint32_t bits = bitsm(a);
    bits = (bits & 5u) + (bits >> 1 & 5u);
    return (bits & 3u) + (bits >> 2);
}

AB_INLINE f32w pickw(maskw m, f32w a, f32w b)
{
    return _mm_or_ps(_mm_and_ps(m, a), _mm_andnot_ps(m, b));
}

AB_INLINE f32w keepw(maskw m, f32w a)
{
    return _mm_and_ps(m, a);
}

AB_INLINE f32w negw_where(maskw m, f32w a)
{
    return _mm_xor_ps(a, _mm_and_ps(m, _mm_set1_ps(-0.0f)));
}

AB_INLINE u32w splatu(uint32_t x)
{
    return _mm_set1_epi32((int)x);
}

AB_INLINE u32w loadu(const uint32_t *from)
{
    return _mm_loadu_si128((const __m128i *)(const void *)from);
}

AB_INLINE void storeu(uint32_t *to, u32w a)
{
    _mm_storeu_si128((__m128i *)(void *)to, a);
}

AB_INLINE u32w lane_indices(void)
{
    return _mm_setr_epi32(0, 1, 2, 3);
}

AB_INLINE u32w addu(u32w a, u32w b)
{
    return _mm_add_epi32(a, b);
}

AB_INLINE u32w subu(u32w a, u32w b)
{
    return _mm_sub_epi32(a, b);
}

AB_INLINE u32w andu(u32w a, u32w b)
{
    return _mm_and_si128(a, b);
}

AB_INLINE u32w oru(u32w a, u32w b)
{
    return _mm_or_si128(a, b);
}

AB_INLINE u32w mergeu(u32w a, u32w keep, u32w bits)
{
    return _mm_or_si128(_mm_and_si128(a, keep), bits);
}

AB_INLINE u32w shlu(u32w a, int by)
{
    return _mm_sll_epi32(a, _mm_cvtsi32_si128(by));
}

AB_INLINE u32w shru(u32w a, int by)
{
    return _mm_srl_epi32(a, _mm_cvtsi32_si128(by));
}

AB_INLINE maskw equ(u32w a, u32w b)
{
    return _mm_castsi128_ps(_mm_cmpeq_epi32(a, b));
}

AB_INLINE maskw gtu(u32w a, u32w b)
{
    const u32w sign = splatu(0x80000000u);
    return _mm_castsi128_ps(_mm_cmpgt_epi32(_mm_xor_si128(a, sign), _mm_xor_si128(b, sign)));
}

AB_INLINE u32w picku(maskw m, u32w a, u32w b)
{
    return bitsw(pickw(m, floatu(a), floatu(b)));
}

AB_INLINE u32w countu(u32w a, maskw m)
{
    return _mm_sub_epi32(a, _mm_castps_si128(m));
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
    f32w low01 = _mm_unpacklo_ps(r[0], r[1]), high01 = _mm_unpackhi_ps(r[0], r[1]);
    f32w low23 = _mm_unpacklo_ps(r[2], r[3]), high23 = _mm_unpackhi_ps(r[2], r[3]);
    r[0] = _mm_movelh_ps(low01, low23);
    r[1] = _mm_movehl_ps(low23, low01);
    r[2] = _mm_movelh_ps(high01, high23);
    r[3] = _mm_movehl_ps(high23, high01);
}

AB_INLINE void gather_columns4(const float *rows, uint32_t first, const uint32_t *index, f32w out[4])
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        out[k] = _mm_loadu_ps(row_at(rows, index[k]) + first);
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
            out[c + k] = _mm_loadu_ps(rows[k] + c);
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
            _mm_storeu_ps(rows + 16 * (size_t)k + c, r[k]);
        }
    }
}

AB_INLINE void scatter4(float *to, const uint32_t *at, const f32w in[4])
{
    f32w r[4] = { in[0], in[1], in[2], in[3] };
    transpose4(r);
    for (uint32_t k = 0; k < 4; ++k)
    {
        _mm_storeu_ps(to + at[k], r[k]);
    }
}

AB_INLINE u32w sum_before(u32w a)
{
    const u32w one = _mm_slli_si128(a, 4), two = addu(one, _mm_slli_si128(one, 4));
    return addu(two, _mm_slli_si128(two, 8));
}

#endif
