#include "base/radix.h"

#include <stdbool.h>
#include <string.h>

#define MOST_DIGIT_BITS 12u
#define MOST_BUCKETS    (1u << MOST_DIGIT_BITS)
#define MOST_DIGITS     6u // digits that are counted in one pass

// Turns counts into first places. False when one bucket holds everything, so that nothing would move.
static bool find_places(uint32_t *counts, uint32_t buckets, size_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < buckets; ++i)
    {
        const uint32_t here = counts[i];
        if (here == count)
        {
            return false;
        }
        counts[i] = sum;
        sum += here;
    }
    return true;
}

// How many digits to cut `bits` into: each pass moves every word, and walks over its buckets.
static unsigned digits_for(size_t count, unsigned bits)
{
    unsigned best = MOST_DIGITS;
    size_t least = SIZE_MAX;
    for (unsigned digits = 1; digits <= MOST_DIGITS; ++digits)
    {
        const unsigned width = (bits + digits - 1) / digits;
        const size_t cost = width > MOST_DIGIT_BITS ? SIZE_MAX : digits * (count + ((size_t)1 << width));
        if (cost < least)
        {
            least = cost;
            best = digits;
        }
    }
    return best;
}

// At most MOST_DIGITS * MOST_DIGIT_BITS bits.
static uint64_t *sort_words(uint64_t *words, uint64_t *scratch, size_t count, unsigned shift, unsigned bits)
{
    const unsigned digits = digits_for(count, bits), width = (bits + digits - 1) / digits;
    const uint32_t buckets = 1u << width;
    const uint64_t mask = buckets - 1, kept = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    uint32_t counts[MOST_DIGITS][MOST_BUCKETS];
    for (unsigned digit = 0; digit < digits; ++digit)
    {
        memset(counts[digit], 0, buckets * sizeof **counts);
    }
    for (size_t i = 0; i < count; ++i)
    {
        uint64_t rest = words[i] >> shift & kept;
        for (unsigned digit = 0; digit < digits; ++digit)
        {
            ++counts[digit][rest & mask];
            rest >>= width;
        }
    }
    for (unsigned digit = 0; digit < digits; ++digit)
    {
        uint32_t *next = counts[digit];
        if (!find_places(next, buckets, count))
        {
            continue;
        }
        const unsigned at = digit * width;
        for (size_t i = 0; i < count; ++i)
        {
            const uint64_t word = words[i];
            scratch[next[(word >> shift & kept) >> at & mask]++] = word;
        }
        uint64_t *other = words;
        words = scratch;
        scratch = other;
    }
    return words;
}

uint64_t *ab_radix_sort_words(uint64_t *words, uint64_t *scratch, size_t count, unsigned shift, unsigned bits)
{
    return count < 2 || bits == 0 ? words : sort_words(words, scratch, count, shift, bits);
}

// One pass by the digit from bit `shift` up. False when all agree in it, and nothing was moved.
static bool scatter(const ab_sort_entry *from, ab_sort_entry *to, size_t count, unsigned shift)
{
    uint32_t next[MOST_BUCKETS] = { 0 };
    for (size_t i = 0; i < count; ++i)
    {
        ++next[from[i].key >> shift & (MOST_BUCKETS - 1)];
    }
    if (!find_places(next, MOST_BUCKETS, count))
    {
        return false;
    }
    for (size_t i = 0; i < count; ++i)
    {
        to[next[from[i].key >> shift & (MOST_BUCKETS - 1)]++] = from[i];
    }
    return true;
}

ab_sort_entry *ab_radix_sort(ab_sort_entry *entries, ab_sort_entry *scratch, size_t count)
{
    for (unsigned shift = 0; shift < 64 && count > 1; shift += MOST_DIGIT_BITS)
    {
        if (scatter(entries, scratch, count, shift))
        {
            ab_sort_entry *other = entries;
            entries = scratch;
            scratch = other;
        }
    }
    return entries;
}
