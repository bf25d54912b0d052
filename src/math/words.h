// Compares four 16-bit numbers in a 64-bit word with four others at once, with instructions that every processor of the
// architecture has, so there is nothing to dispatch at run time.
#ifndef AB_WORDS_H
#define AB_WORDS_H

#include "base/platform.h"

#if defined(__SSE2__) && defined(__x86_64__)
#include <emmintrin.h>
#elif defined(__aarch64__) && defined(__ARM_NEON)
#include <arm_neon.h>
#endif

// Bit 4 i + j is set where the i-th number of `of`, from the lowest, equals the j-th of `among`.
AB_INLINE uint32_t ab_words_equal(uint64_t of, uint64_t among)
{
#if defined(__SSE2__) && defined(__x86_64__)
    const __m128i one = _mm_cvtsi64_si128((long long)of), twice = _mm_unpacklo_epi16(one, one);
    const __m128i other = _mm_set1_epi64x((long long)among);
    const __m128i low = _mm_cmpeq_epi16(_mm_unpacklo_epi32(twice, twice), other);
    const __m128i high = _mm_cmpeq_epi16(_mm_unpackhi_epi32(twice, twice), other);
    return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#elif defined(__aarch64__) && defined(__ARM_NEON)
    const uint16x4_t one = vcreate_u16(of), other = vcreate_u16(among), bit = vcreate_u16(0x0008000400020001u);
    const uint16x4_t a = vand_u16(vceq_u16(vdup_lane_u16(one, 0), other), bit);
    const uint16x4_t b = vand_u16(vceq_u16(vdup_lane_u16(one, 1), other), bit);
    const uint16x4_t c = vand_u16(vceq_u16(vdup_lane_u16(one, 2), other), bit);
    const uint16x4_t d = vand_u16(vceq_u16(vdup_lane_u16(one, 3), other), bit);
    return (uint32_t)vaddv_u16(a) | (uint32_t)vaddv_u16(b) << 4 | (uint32_t)vaddv_u16(c) << 8 |
           (uint32_t)vaddv_u16(d) << 12;
#else
    uint32_t equal = 0;
    for (uint32_t i = 0; i < 16; ++i)
    {
        equal |= (uint32_t)((of >> 16 * (i / 4) & 0xffffu) == (among >> 16 * (i % 4) & 0xffffu)) << i;
    }
    return equal;
#endif
}

#endif
