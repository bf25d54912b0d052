// Builds the table of the three-dimensional Hilbert curve: Hamilton, "Compact Hilbert Indices", Dalhousie University
// technical report CS-2006-07, section 2. A state is the corner where the curve enters the cube and the axis along
// which it leaves; twelve of the 24 combinations occur.
#include "broad/hilbert.h"

#include "base/assert.h"

typedef struct frame
{
    uint32_t entry;     // corner, one bit per axis
    uint32_t direction; // axis
} frame;

typedef struct frames
{
    frame known[AB_HILBERT_STATES];
    uint32_t count;
} frames;

static uint32_t gray(uint32_t i)
{
    return i ^ i >> 1;
}

static uint32_t gray_inverse(uint32_t g)
{
    return g ^ g >> 1 ^ g >> 2;
}

static uint32_t rotate_left(uint32_t v, uint32_t by)
{
    by %= 3;
    return (v << by | v >> (3 - by)) & 7u;
}

static uint32_t rotate_right(uint32_t v, uint32_t by)
{
    return rotate_left(v, 3 - by % 3);
}

static uint32_t trailing_ones(uint32_t v)
{
    uint32_t count = 0;
    for (; v & 1u; v >>= 1)
    {
        ++count;
    }
    return count;
}

// The corner where the curve enters the i-th of the eight parts, and the axis along which it crosses it, in the frame
// of the whole.
static uint32_t entry_of_part(uint32_t i)
{
    return i == 0 ? 0 : gray((i - 1) / 2 * 2);
}

static uint32_t direction_of_part(uint32_t i)
{
    return i == 0 ? 0 : trailing_ones(i % 2 == 0 ? i - 1 : i) % 3;
}

static uint32_t state_of(frames *all, frame f)
{
    for (uint32_t i = 0; i < all->count; ++i)
    {
        if (all->known[i].entry == f.entry && all->known[i].direction == f.direction)
        {
            return i;
        }
    }
    AB_ASSERT(all->count < AB_HILBERT_STATES, all->count);
    all->known[all->count] = f;
    return all->count++;
}

// The part of the eight that contains a cell of 4 x 4 x 4, by the higher bits of its coordinates; or within that, by
// the lower.
static uint32_t corner_of(uint32_t cell, uint32_t bit)
{
    return (cell >> (4 + bit) & 1u) << 2 | (cell >> (2 + bit) & 1u) << 1 | (cell >> bit & 1u);
}

void ab_hilbert_make(ab_hilbert *curve)
{
    uint32_t next[AB_HILBERT_STATES][8], place[AB_HILBERT_STATES][8];
    frames all = { .known = { { 0, 0 } }, .count = 1 };
    for (uint32_t state = 0; state < all.count; ++state)
    {
        const frame f = all.known[state];
        for (uint32_t corner = 0; corner < 8; ++corner)
        {
            const uint32_t part = gray_inverse(rotate_right(corner ^ f.entry, f.direction + 1));
            const frame inner = { f.entry ^ rotate_left(entry_of_part(part), f.direction + 1),
                                  (f.direction + direction_of_part(part) + 1) % 3 };
            place[state][corner] = part;
            next[state][corner] = state_of(&all, inner);
        }
    }
    for (uint32_t state = 0; state < AB_HILBERT_STATES; ++state)
    {
        for (uint32_t cell = 0; cell < 64; ++cell)
        {
            const uint32_t outer = corner_of(cell, 1), inner = corner_of(cell, 0), between = next[state][outer];
            curve->step[state << 6 | cell] =
                (uint16_t)(next[between][inner] << 6 | place[state][outer] << 3 | place[between][inner]);
        }
    }
}
