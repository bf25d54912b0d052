// Places along a Hilbert curve through a cube of cells, by a table that takes two levels of the cube at a time.
#ifndef AB_HILBERT_H
#define AB_HILBERT_H

#include <stdint.h>

#define AB_HILBERT_STATES    12u
#define AB_HILBERT_MOST_BITS 10u // of each coordinate

// Entry state << 6 | six bits of the cell (x, y, z of one level, then of the next): the next state << 6 | six bits of the
// place.
typedef struct ab_hilbert
{
    uint16_t step[AB_HILBERT_STATES << 6];
} ab_hilbert;

void ab_hilbert_make(ab_hilbert *curve);

// Two zeros between each two bits of the ten.
static inline uint32_t ab_hilbert_spread(uint32_t v)
{
    v = (v | v << 16) & 0x030000ffu;
    v = (v | v << 8) & 0x0300f00fu;
    v = (v | v << 4) & 0x030c30c3u;
    return (v | v << 2) & 0x09249249u;
}

// The place of a cell, 3 * bits long; coordinates are below 2^bits, and bits is even. Cells next to each other in place are
// next to each other in the cube.
static inline uint32_t ab_hilbert_place(const ab_hilbert *curve, uint32_t x, uint32_t y, uint32_t z, uint32_t bits)
{
    const uint32_t cell = ab_hilbert_spread(x) << 2 | ab_hilbert_spread(y) << 1 | ab_hilbert_spread(z);
    uint32_t state = 0, place = 0;
    for (uint32_t done = 0; done < bits; done += 2)
    {
        const uint32_t step = curve->step[state << 6 | (cell >> 3 * (bits - 2 - done) & 63u)];
        place = place << 6 | (step & 63u);
        state = step >> 6;
    }
    return place;
}

#endif
