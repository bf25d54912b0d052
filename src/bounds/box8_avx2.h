// box8 with a row per register, and AVX-512's masks where available. box8_lanes.h specifies each function.
#ifndef AB_BOX8_AVX2_H
#define AB_BOX8_AVX2_H

// Loads a row as the second operand of a comparison: only that may be in memory.

AB_INLINE uint32_t count_kept(uint32_t set)
{
    return (uint32_t)_mm_popcnt_u32(set);
}

#ifdef AB_LANES_AVX512

AB_INLINE uint32_t overlapping(const ab_aabb8 *block, const box_splat *box)
{
    __mmask8 x = _mm256_cmp_ps_mask(box->max_x, _mm256_load_ps(block->min_x), _CMP_GE_OQ);
    __mmask8 y = _mm256_cmp_ps_mask(box->max_y, _mm256_load_ps(block->min_y), _CMP_GE_OQ);
    __mmask8 z = _mm256_cmp_ps_mask(box->max_z, _mm256_load_ps(block->min_z), _CMP_GE_OQ);
    x = _mm256_mask_cmp_ps_mask(x, box->min_x, _mm256_load_ps(block->max_x), _CMP_LE_OQ);
    y = _mm256_mask_cmp_ps_mask(y, box->min_y, _mm256_load_ps(block->max_y), _CMP_LE_OQ);
    z = _mm256_mask_cmp_ps_mask(z, box->min_z, _mm256_load_ps(block->max_z), _CMP_LE_OQ);
    return (uint32_t)x & y & z;
}

#else

AB_INLINE uint32_t overlapping(const ab_aabb8 *block, const box_splat *box)
{
    const maskw x = andm(gew(box->max_x, loadw(block->min_x)), lew(box->min_x, loadw(block->max_x)));
    const maskw y = andm(gew(box->max_y, loadw(block->min_y)), lew(box->min_y, loadw(block->max_y)));
    const maskw z = andm(gew(box->max_z, loadw(block->min_z)), lew(box->min_z, loadw(block->max_z)));
    return bitsm(andm(andm(x, y), z));
}

#endif

// AVX2 rotates a register in one step: nothing to prepare.
typedef const ab_aabb8 *turned_block;

AB_INLINE turned_block turn_block(const ab_aabb8 *block)
{
    return block;
}

AB_INLINE __m256 turn_lanes(const float *row, uint32_t by)
{
    const __m256i from = _mm256_add_epi32(lane_indices(), _mm256_set1_epi32((int)by));
    return _mm256_permutevar8x32_ps(_mm256_load_ps(row), from); // only an index's low three bits count
}

AB_INLINE uint32_t overlapping_turned(const ab_aabb8 *block, const turned_block *turned, uint32_t by)
{
    const ab_aabb8 *rows = *turned;
    const box_splat box = { turn_lanes(rows->min_x, by), turn_lanes(rows->min_y, by), turn_lanes(rows->min_z, by),
                            turn_lanes(rows->max_x, by), turn_lanes(rows->max_y, by), turn_lanes(rows->max_z, by) };
    return overlapping(block, &box);
}

AB_INLINE __m256i kept_as_words(uint32_t set)
{
    return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)&ab_compress_lanes[set]));
}

// Broadcasts straight from memory, without a detour through a general register.
AB_INLINE __m256i splat_from(const uint32_t *value)
{
    return _mm256_set1_epi32((int)*value);
}

AB_INLINE void store_children(uint32_t *to, const uint32_t *node, uint32_t set)
{
    storeu(to, addu(_mm256_slli_epi32(splat_from(node), 3), kept_as_words(set)));
}

AB_INLINE void store_eight(uint32_t *to, const uint32_t *value)
{
    storeu(to, splat_from(value));
}

#ifdef AB_LANES_AVX512

// A pair as one word, its second proxy in the upper half.
AB_INLINE __m512i words_of_pairs(size_t a, size_t b)
{
    return _mm512_set1_epi64((long long)((uint64_t)b << 32 | a));
}

AB_INLINE __m512i kept_as_pairs(uint32_t set)
{
    return _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)&ab_compress_lanes[set]));
}

AB_INLINE void store_pairs(uint32_t *to, size_t first, size_t other, uint32_t set)
{
    _mm512_storeu_si512(to, _mm512_add_epi64(words_of_pairs(first, other), kept_as_pairs(set)));
}

AB_INLINE void store_turned_pairs(uint32_t *to, uint32_t first, uint32_t by, uint32_t set)
{
    const __m512i kept = kept_as_pairs(set);
    const __m512i on = _mm512_and_si512(_mm512_add_epi64(kept, _mm512_set1_epi64(by)), _mm512_set1_epi64(7));
    const __m512i lanes = _mm512_add_epi64(kept, _mm512_slli_epi64(on, 32));
    _mm512_storeu_si512(to, _mm512_add_epi64(words_of_pairs(first, first), lanes));
}

#else

AB_INLINE __m256i four_as_pairs(const unsigned char *kept)
{
    int four;
    memcpy(&four, kept, sizeof four);
    return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(four));
}

AB_INLINE void store_pairs(uint32_t *to, size_t first, size_t other, uint32_t set)
{
    const __m256i base = _mm256_set1_epi64x((long long)((uint64_t)other << 32 | first));
    const unsigned char *kept = (const unsigned char *)&ab_compress_lanes[set];
    storeu(to, _mm256_add_epi64(base, four_as_pairs(kept)));
    storeu(to + 8, _mm256_add_epi64(base, four_as_pairs(kept + 4)));
}

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

AB_INLINE __m256 least_of_two(__m256 a, __m256 b)
{
    return _mm256_min_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b));
}

AB_INLINE __m256 least_of_pairs(__m256 a, __m256 b)
{
    return _mm256_min_ps(_mm256_shuffle_ps(a, b, 0x44), _mm256_shuffle_ps(a, b, 0xee));
}

// The AABB of all eight: the minimum of six rows at once, transposed while reducing; maxima are negated meanwhile.
AB_INLINE void fit_aabb(const ab_aabb8 *block, ab_aabb *aabb)
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
    _mm256_storeu_ps(aabb->min, _mm256_blend_ps(box, zero, 0x88));
}

#endif
