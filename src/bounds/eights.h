// Blocks of eight boxes, whatever the width of the lanes: the box around a block, one box tested against eight, and appending
// the lanes that were hit. Nothing here branches on what it finds.
//
// A set of lanes is an integer whose bit k stands for lane k of the block.
#ifndef AB_EIGHTS_H
#define AB_EIGHTS_H

#define AB_LANES_EIGHT_AT_MOST
#include "base/platform.h"
#include "bounds/leaves.h"
#include "math/kept_lanes.h"
#include "math/lanes.h"

// One box in every lane.
typedef struct box_splat
{
    f32w min_x, min_y, min_z;
    f32w max_x, max_y, max_z;
} box_splat;

AB_INLINE box_splat splat_extent(const ab_extent *extent)
{
    return (box_splat){ splatw(extent->min[0]), splatw(extent->min[1]), splatw(extent->min[2]),
                        splatw(extent->max[0]), splatw(extent->max[1]), splatw(extent->max[2]) };
}

AB_INLINE box_splat splat_lane(const ab_block *block, uint32_t lane)
{
    return (box_splat){ splatw(block->min_x[lane]), splatw(block->min_y[lane]), splatw(block->min_z[lane]),
                        splatw(block->max_x[lane]), splatw(block->max_y[lane]), splatw(block->max_z[lane]) };
}

AB_INLINE uint32_t count_kept(uint32_t set)
{
#if defined(AB_LANES_AVX2) || defined(AB_LANES_AVX512)
    return (uint32_t)_mm_popcnt_u32(set);
#else
    const uint32_t pairs = set - (set >> 1 & 0x55u), quads = (pairs & 0x33u) + (pairs >> 2 & 0x33u);
    return (quads + (quads >> 4)) & 0xfu;
#endif
}

#ifdef AB_LANES_AVX512

// The lanes whose box shares a point with `box`.
AB_INLINE uint32_t overlapping(const ab_block *block, const box_splat *box)
{
    __mmask8 x = _mm256_cmp_ps_mask(_mm256_load_ps(block->min_x), box->max_x, _CMP_LE_OQ);
    __mmask8 y = _mm256_cmp_ps_mask(_mm256_load_ps(block->min_y), box->max_y, _CMP_LE_OQ);
    __mmask8 z = _mm256_cmp_ps_mask(_mm256_load_ps(block->min_z), box->max_z, _CMP_LE_OQ);
    x = _mm256_mask_cmp_ps_mask(x, _mm256_load_ps(block->max_x), box->min_x, _CMP_GE_OQ);
    y = _mm256_mask_cmp_ps_mask(y, _mm256_load_ps(block->max_y), box->min_y, _CMP_GE_OQ);
    z = _mm256_mask_cmp_ps_mask(z, _mm256_load_ps(block->max_z), box->min_z, _CMP_GE_OQ);
    return (uint32_t)x & y & z;
}

#else

// The lanes whose box shares a point with `box`.
AB_INLINE uint32_t overlapping(const ab_block *block, const box_splat *box)
{
    uint32_t set = 0;
    for (uint32_t k = 0; k < AB_BLOCK; k += LANES)
    {
        const maskw x = andm(lew(loadw(block->min_x + k), box->max_x), gew(loadw(block->max_x + k), box->min_x));
        const maskw y = andm(lew(loadw(block->min_y + k), box->max_y), gew(loadw(block->max_y + k), box->min_y));
        const maskw z = andm(lew(loadw(block->min_z + k), box->max_z), gew(loadw(block->max_z + k), box->min_z));
        set |= bitsm(andm(andm(x, y), z)) << k;
    }
    return set;
}

#endif

#if defined(AB_LANES_AVX2) || defined(AB_LANES_AVX512)

AB_INLINE __m256i kept_as_words(uint32_t set)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)&ab_kept_lanes[set]));
}

// Writes first + lane for the lanes of `set`, in order, and whatever up to eight entries in all.
AB_INLINE void store_kept(uint32_t *to, uint32_t first, uint32_t set)
{
    storeu(to, addu(splatu(first), kept_as_words(set)));
}

AB_INLINE void store_eight(uint32_t *to, uint32_t value)
{
    storeu(to, splatu(value));
}

#ifdef AB_LANES_AVX512

// A pair is one word, its second leaf in the upper half.
AB_INLINE __m512i words_of_pairs(uint32_t a, uint32_t b)
{
    return _mm512_set1_epi64((long long)((uint64_t)b << 32 | a));
}

AB_INLINE __m512i kept_as_pairs(uint32_t set)
{
    return _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)&ab_kept_lanes[set]));
}

// Writes (first + lane, other) for the lanes of `set`, in order, and whatever up to eight pairs in all.
AB_INLINE void store_kept_pairs(uint32_t *to, uint32_t first, uint32_t other, uint32_t set)
{
    _mm512_storeu_si512(to, _mm512_add_epi64(words_of_pairs(first, other), kept_as_pairs(set)));
}

// Writes (first + lane, first + the lane `by` further on) for the lanes of `set`, and whatever up to eight pairs in all.
AB_INLINE void store_turned_pairs(uint32_t *to, uint32_t first, uint32_t by, uint32_t set)
{
    const __m512i kept = kept_as_pairs(set);
    const __m512i on = _mm512_and_si512(_mm512_add_epi64(kept, _mm512_set1_epi64(by)), _mm512_set1_epi64(7));
    const __m512i lanes = _mm512_add_epi64(kept, _mm512_slli_epi64(on, 32));
    _mm512_storeu_si512(to, _mm512_add_epi64(words_of_pairs(first, first), lanes));
}

#else

// Writes (first + lane, other) for the lanes of `set`, in order, and whatever up to eight pairs in all.
AB_INLINE void store_kept_pairs(uint32_t *to, uint32_t first, uint32_t other, uint32_t set)
{
    const __m256i base = _mm256_set1_epi64x((long long)((uint64_t)other << 32 | first));
    const __m128i kept = _mm_loadl_epi64((const __m128i *)(const void *)&ab_kept_lanes[set]);
    const __m256i low = _mm256_cvtepu8_epi64(kept), high = _mm256_cvtepu8_epi64(_mm_srli_si128(kept, 4));
    storeu(to, _mm256_add_epi64(base, low));
    storeu(to + 8, _mm256_add_epi64(base, high));
}

// Writes (first + lane, first + the lane `by` further on) for the lanes of `set`, and whatever up to eight pairs in all.
AB_INLINE void store_turned_pairs(uint32_t *to, uint32_t first, uint32_t by, uint32_t set)
{
    const __m256i kept = kept_as_words(set), base = _mm256_set1_epi32((int)first);
    const __m256i on = _mm256_and_si256(_mm256_add_epi32(kept, _mm256_set1_epi32((int)by)), _mm256_set1_epi32(7));
    const __m256i a = _mm256_add_epi32(base, kept), b = _mm256_add_epi32(base, on);
    const __m256i low = _mm256_unpacklo_epi32(a, b), high = _mm256_unpackhi_epi32(a, b);
    storeu(to, _mm256_permute2x128_si256(low, high, 0x20));
    storeu(to + 8, _mm256_permute2x128_si256(low, high, 0x31));
}

#endif

// What it takes to compare a block with itself turned: nothing, as registers turn in one step.
typedef struct turned_block
{
    char unused;
} turned_block;

AB_INLINE turned_block turn_block(const ab_block *block)
{
    (void)block;
    return (turned_block){ 0 };
}

AB_INLINE __m256 turn_lanes(const float *row, uint32_t by)
{
    const __m256i from = _mm256_add_epi32(lane_indices(), _mm256_set1_epi32((int)by));
    return _mm256_permutevar8x32_ps(_mm256_load_ps(row), from); // of each index the low three bits count
}

// The lanes whose box overlaps the one `by` lanes further on, around the block.
AB_INLINE uint32_t overlapping_turned(const ab_block *block, const turned_block *turned, uint32_t by)
{
    (void)turned;
    const box_splat box = { turn_lanes(block->min_x, by), turn_lanes(block->min_y, by), turn_lanes(block->min_z, by),
                            turn_lanes(block->max_x, by), turn_lanes(block->max_y, by), turn_lanes(block->max_z, by) };
    return overlapping(block, &box);
}

#elif defined(AB_LANES_SSE2)

AB_INLINE void store_kept(uint32_t *to, uint32_t first, uint32_t set)
{
    const __m128i zero = _mm_setzero_si128();
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)&ab_kept_lanes[set]);
    const __m128i halves = _mm_unpacklo_epi8(bytes, zero);
    storeu(to, addu(splatu(first), _mm_unpacklo_epi16(halves, zero)));
    storeu(to + 4, addu(splatu(first), _mm_unpackhi_epi16(halves, zero)));
}

AB_INLINE void store_eight(uint32_t *to, uint32_t value)
{
    storeu(to, splatu(value));
    storeu(to + 4, splatu(value));
}

AB_INLINE void store_kept_pairs(uint32_t *to, uint32_t first, uint32_t other, uint32_t set)
{
    const __m128i zero = _mm_setzero_si128(), base = _mm_setr_epi32((int)first, (int)other, (int)first, (int)other);
    const __m128i bytes = _mm_loadl_epi64((const __m128i *)(const void *)&ab_kept_lanes[set]);
    const __m128i halves = _mm_unpacklo_epi8(bytes, zero);
    const __m128i low = _mm_unpacklo_epi16(halves, zero), high = _mm_unpackhi_epi16(halves, zero);
    storeu(to, addu(base, _mm_unpacklo_epi32(low, zero)));
    storeu(to + 4, addu(base, _mm_unpackhi_epi32(low, zero)));
    storeu(to + 8, addu(base, _mm_unpacklo_epi32(high, zero)));
    storeu(to + 12, addu(base, _mm_unpackhi_epi32(high, zero)));
}

#else

// Writes first + lane for the lanes of `set`, in order, and whatever up to eight entries in all.
AB_INLINE void store_kept(uint32_t *to, uint32_t first, uint32_t set)
{
    const uint64_t kept = ab_kept_lanes[set];
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        to[k] = first + (uint32_t)(kept >> 8 * k & 0xffu);
    }
}

AB_INLINE void store_eight(uint32_t *to, uint32_t value)
{
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        to[k] = value;
    }
}

// Writes (first + lane, other) for the lanes of `set`, in order, and whatever up to eight pairs in all.
AB_INLINE void store_kept_pairs(uint32_t *to, uint32_t first, uint32_t other, uint32_t set)
{
    const uint64_t kept = ab_kept_lanes[set];
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        to[2 * k] = first + (uint32_t)(kept >> 8 * k & 0xffu);
        to[2 * k + 1] = other;
    }
}

#endif

#if !defined(AB_LANES_AVX2) && !defined(AB_LANES_AVX512)

// What it takes to compare a block with itself turned: each row twice in a row.
typedef struct turned_block
{
    float min_x[2 * AB_BLOCK], min_y[2 * AB_BLOCK], min_z[2 * AB_BLOCK];
    float max_x[2 * AB_BLOCK], max_y[2 * AB_BLOCK], max_z[2 * AB_BLOCK];
} turned_block;

AB_INLINE void write_twice(float to[2 * AB_BLOCK], const float from[AB_BLOCK])
{
    memcpy(to, from, AB_BLOCK * sizeof *to);
    memcpy(to + AB_BLOCK, from, AB_BLOCK * sizeof *to);
}

AB_INLINE turned_block turn_block(const ab_block *block)
{
    turned_block t;
    write_twice(t.min_x, block->min_x);
    write_twice(t.min_y, block->min_y);
    write_twice(t.min_z, block->min_z);
    write_twice(t.max_x, block->max_x);
    write_twice(t.max_y, block->max_y);
    write_twice(t.max_z, block->max_z);
    return t;
}

// The lanes whose box overlaps the one `by` lanes further on, around the block.
AB_INLINE uint32_t overlapping_turned(const ab_block *block, const turned_block *turned, uint32_t by)
{
    uint32_t set = 0;
    for (uint32_t k = 0; k < AB_BLOCK; k += LANES)
    {
        const uint32_t on = k + by;
        const maskw x = andm(lew(loadw(block->min_x + k), loadw(turned->max_x + on)),
                             gew(loadw(block->max_x + k), loadw(turned->min_x + on)));
        const maskw y = andm(lew(loadw(block->min_y + k), loadw(turned->max_y + on)),
                             gew(loadw(block->max_y + k), loadw(turned->min_y + on)));
        const maskw z = andm(lew(loadw(block->min_z + k), loadw(turned->max_z + on)),
                             gew(loadw(block->max_z + k), loadw(turned->min_z + on)));
        set |= bitsm(andm(andm(x, y), z)) << k;
    }
    return set;
}

// Writes (first + lane, first + the lane `by` further on) for the lanes of `set`, and whatever up to eight pairs in all.
AB_INLINE void store_turned_pairs(uint32_t *to, uint32_t first, uint32_t by, uint32_t set)
{
    const uint64_t kept = ab_kept_lanes[set];
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        const uint32_t lane = (uint32_t)(kept >> 8 * k & 0xffu);
        to[2 * k] = first + lane;
        to[2 * k + 1] = first + (lane + by) % AB_BLOCK;
    }
}

#endif

#if defined(AB_LANES_AVX2) || defined(AB_LANES_AVX512)

AB_INLINE __m256 least_of_two(__m256 a, __m256 b)
{
    return _mm256_min_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
}

AB_INLINE __m256 least_of_pairs(__m256 a, __m256 b)
{
    return _mm256_min_ps(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xee));
}

// The box around all eight: the least of six rows at once, transposing while reducing; maxima are negated on the way.
AB_INLINE void fit_extent(const ab_block *block, ab_extent *extent)
{
    const __m256 sign = _mm256_set1_ps(-0.0f), zero = _mm256_setzero_ps();
    const __m256 min_xy = least_of_two(_mm256_load_ps(block->min_x), _mm256_load_ps(block->min_y));
    const __m256 min_z = least_of_two(_mm256_load_ps(block->min_z), zero);
    const __m256 max_xy = least_of_two(_mm256_xor_ps(sign, _mm256_load_ps(block->max_x)),
                                       _mm256_xor_ps(sign, _mm256_load_ps(block->max_y)));
    const __m256 max_z = least_of_two(_mm256_xor_ps(sign, _mm256_load_ps(block->max_z)), zero);
    const __m256 min = least_of_pairs(min_xy, min_z), max = least_of_pairs(max_xy, max_z);
    const __m256 low = _mm256_permute2f128_ps(min, max, 0x20), high = _mm256_permute2f128_ps(min, max, 0x31);
    const __m256 upper_signs = _mm256_insertf128_ps(zero, _mm256_castps256_ps128(sign), 1);
    const __m256 box = _mm256_xor_ps(_mm256_min_ps(low, high), upper_signs);
    _mm256_storeu_ps(extent->min, _mm256_blend_ps(box, zero, 0x88));
}

#else

AB_INLINE void fit_axis(const float min[AB_BLOCK], const float max[AB_BLOCK], float *low, float *high)
{
    *low = min[0];
    *high = max[0];
    for (uint32_t lane = 1; lane < AB_BLOCK; ++lane)
    {
        *low = min[lane] < *low ? min[lane] : *low;
        *high = max[lane] > *high ? max[lane] : *high;
    }
}

// The box around all eight.
AB_INLINE void fit_extent(const ab_block *block, ab_extent *extent)
{
    fit_axis(block->min_x, block->max_x, &extent->min[0], &extent->max[0]);
    fit_axis(block->min_y, block->max_y, &extent->min[1], &extent->max[1]);
    fit_axis(block->min_z, block->max_z, &extent->min[2], &extent->max[2]);
    extent->spare_a = extent->spare_b = 0;
}

#endif

#endif
