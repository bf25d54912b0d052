// box8 over lanes of any width up to eight: the specification of box8_avx2.h.
#ifndef AB_BOX8_LANES_H
#define AB_BOX8_LANES_H

AB_INLINE uint32_t count_kept(uint32_t set)
{
    const uint32_t pairs = set - (set >> 1 & 0x55u), fours = (pairs & 0x33u) + (pairs >> 2 & 0x33u);
    return (fours + (fours >> 4)) & 0xfu;
}

// The lanes whose AABB overlaps `box`; touching counts.
AB_INLINE uint32_t overlapping(const ab_aabb8 *block, const box_splat *box)
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

// A block prepared for comparison with itself rotated: each row twice in a row.
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

AB_INLINE turned_block turn_block(const ab_aabb8 *block)
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

// The lanes whose AABB overlaps the one `by` lanes further on, cyclically.
AB_INLINE uint32_t overlapping_turned(const ab_aabb8 *block, const turned_block *turned, uint32_t by)
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

// Writes 8 * *node + lane for the lanes of `set`, in order, then arbitrary entries up to eight in all.
AB_INLINE void store_children(uint32_t *to, const uint32_t *node, uint32_t set)
{
    const uint64_t kept = ab_compress_lanes[set];
    const uint32_t first = *node * AB_BLOCK;
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        to[k] = first + (uint32_t)(kept >> 8 * k & 0xffu);
    }
}

AB_INLINE void store_eight(uint32_t *to, const uint32_t *value)
{
    const uint32_t each = *value;
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        to[k] = each;
    }
}

// Writes (first + lane, other) for the lanes of `set`, in order, then arbitrary pairs up to eight in all.
AB_INLINE void store_pairs(uint32_t *to, size_t first, size_t other, uint32_t set)
{
    const uint64_t kept = ab_compress_lanes[set];
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        to[2 * k] = (uint32_t)first + (uint32_t)(kept >> 8 * k & 0xffu);
        to[2 * k + 1] = (uint32_t)other;
    }
}

// Writes (first + lane, first + the lane `by` further on) for the lanes of `set`, then arbitrary pairs up to eight in
// all.
AB_INLINE void store_turned_pairs(uint32_t *to, uint32_t first, uint32_t by, uint32_t set)
{
    const uint64_t kept = ab_compress_lanes[set];
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        const uint32_t lane = (uint32_t)(kept >> 8 * k & 0xffu);
        to[2 * k] = first + lane;
        to[2 * k + 1] = first + (lane + by) % AB_BLOCK;
    }
}

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

// The AABB of all eight.
AB_INLINE void fit_aabb(const ab_aabb8 *block, ab_aabb *aabb)
{
    fit_axis(block->min_x, block->max_x, &aabb->min[0], &aabb->max[0]);
    fit_axis(block->min_y, block->max_y, &aabb->min[1], &aabb->max[1]);
    fit_axis(block->min_z, block->max_z, &aabb->min[2], &aabb->max[2]);
    aabb->spare_a = aabb->spare_b = 0;
}

#endif
