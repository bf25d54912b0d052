// Positions along a Hilbert curve through a cube of cells, by a table for two levels of the cube at a time.
#ifndef AB_HILBERT_H
#define AB_HILBERT_H

#include <stdint.h>

#define AB_HILBERT_STATES    12u
#define AB_HILBERT_MOST_BITS 10u // of each coordinate

// State << 6 | two bits each of x, y and z: the next state << 6 | six bits of the position.
typedef struct ab_hilbert
{
    uint16_t step[AB_HILBERT_STATES << 6];
} ab_hilbert;

void ab_hilbert_make(ab_hilbert *curve);

// The position of a cell, 3 * bits long; coordinates are below 2^bits, and bits is even. Cells at consecutive positions
// are neighbours in the cube.
static inline uint32_t ab_hilbert_position(const ab_hilbert *curve, uint32_t x, uint32_t y, uint32_t z, uint32_t bits)
{
    uint32_t state = 0, place = 0;
    for (uint32_t low = bits; low > 0;)
    {
        low -= 2;
        const uint32_t cell = (x >> low & 3u) << 4 | (y >> low & 3u) << 2 | (z >> low & 3u);
        const uint32_t step = curve->step[state << 6 | cell];
        place = place << 6 | (step & 63u);
        state = step >> 6;
    }
    return place;
}

#endif
