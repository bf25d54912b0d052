// Transposes rows of four floats to four columns of lanes, and back: the bounds pass reads poses and writes records
// with it. With eight lanes, loads and stores pair the rows, which costs no shuffle.
#ifndef AB_TRANSPOSE4_H
#define AB_TRANSPOSE4_H

#include "bounds/box8.h"

#if LANES == 8

// Rows k and k + 4 share a vector.
AB_INLINE void transpose_paired(f32w r[4])
{
    const f32w low01 = _mm256_unpacklo_ps(r[0], r[1]), high01 = _mm256_unpackhi_ps(r[0], r[1]);
    const f32w low23 = _mm256_unpacklo_ps(r[2], r[3]), high23 = _mm256_unpackhi_ps(r[2], r[3]);
    r[0] = _mm256_shuffle_ps(low01, low23, 0x44);
    r[1] = _mm256_shuffle_ps(low01, low23, 0xee);
    r[2] = _mm256_shuffle_ps(high01, high23, 0x44);
    r[3] = _mm256_shuffle_ps(high01, high23, 0xee);
}

// Lane k of out[c] is from[k][c].
AB_INLINE void gather_transpose4(const float *const from[], f32w out[4])
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        out[k] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(from[k])), _mm_loadu_ps(from[k + 4]), 1);
    }
    transpose_paired(out);
}

// Columns of eight rows: lane k of low[c] is row[k][c], of high[c] row[k][4 + c].
AB_INLINE void columns_of_eight(const f32w row[8], f32w low[4], f32w high[4])
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        low[k] = _mm256_insertf128_ps(row[k], _mm256_castps256_ps128(row[k + 4]), 1);
        high[k] = _mm256_permute2f128_ps(row[k], row[k + 4], 0x31);
    }
    transpose_paired(low);
    transpose_paired(high);
}

// The inverse, to rows `stride` floats apart.
AB_INLINE void scatter_transpose4(float *to, uint32_t stride, const f32w in[4])
{
    f32w r[4] = { in[0], in[1], in[2], in[3] };
    transpose_paired(r);
    for (uint32_t k = 0; k < 4; ++k)
    {
        _mm_storeu_ps(to + (size_t)k * stride, _mm256_castps256_ps128(r[k]));
        _mm_storeu_ps(to + (size_t)(k + 4) * stride, _mm256_extractf128_ps(r[k], 1));
    }
}

#elif LANES == 4

AB_INLINE void gather_transpose4(const float *const from[], f32w out[4])
{
    for (uint32_t k = 0; k < 4; ++k)
    {
        out[k] = loadw(from[k]);
    }
    transpose4(out);
}

AB_INLINE void scatter_transpose4(float *to, uint32_t stride, const f32w in[4])
{
    f32w r[4] = { in[0], in[1], in[2], in[3] };
    transpose4(r);
    for (uint32_t k = 0; k < 4; ++k)
    {
        storew(to + (size_t)k * stride, r[k]);
    }
}

#else

// Lane k of out[c] is from[k][c].
AB_INLINE void gather_transpose4(const float *const from[], f32w out[4])
{
    memcpy(out, from[0], 4 * sizeof *out);
}

// The inverse, to rows `stride` floats apart.
AB_INLINE void scatter_transpose4(float *to, uint32_t stride, const f32w in[4])
{
    (void)stride;
    memcpy(to, in, 4 * sizeof *in);
}

#endif

#endif
