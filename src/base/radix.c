// Least-significant-digit radix sort; Knuth, The Art of Computer Programming, volume 3, section 5.2.5. One pass counts all
// digits; digits in which all keys agree cost nothing more.
#include "base/radix.h"

#include <stdbool.h>
#include <string.h>

#define DIGIT_BITS   11u
#define BUCKETS      (1u << DIGIT_BITS)
#define DIGIT_MASK   (BUCKETS - 1u)
#define WORD_DIGITS  6u // 64 bits
#define CHILD_DIGITS 3u // 32 bits

// Turns counts into first places. False when one bucket holds everything: nothing to do.
static bool places(uint32_t counts[BUCKETS], size_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < BUCKETS; ++i)
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

static bool any_child(const ab_sort_entry *entries, size_t count)
{
    uint32_t seen = 0;
    for (size_t i = 0; i < count; ++i)
    {
        seen |= entries[i].child;
    }
    return seen != 0;
}

// Few entries: insertion costs less than clearing the counts.
static void insertion_sort(ab_sort_entry *entries, size_t count)
{
    for (size_t i = 1; i < count; ++i)
    {
        const ab_sort_entry moved = entries[i];
        size_t j = i;
        while (j > 0 && (entries[j - 1].key > moved.key ||
                         (entries[j - 1].key == moved.key && entries[j - 1].child > moved.child)))
        {
            entries[j] = entries[j - 1];
            --j;
        }
        entries[j] = moved;
    }
}

static ab_sort_entry *sort_by_child(ab_sort_entry *entries, ab_sort_entry *scratch, size_t count)
{
    for (unsigned digit = 0; digit < CHILD_DIGITS; ++digit)
    {
        uint32_t counts[BUCKETS] = { 0 };
        const unsigned shift = digit * DIGIT_BITS;
        for (size_t i = 0; i < count; ++i)
        {
            ++counts[entries[i].child >> shift & DIGIT_MASK];
        }
        if (!places(counts, count))
        {
            continue;
        }
        for (size_t i = 0; i < count; ++i)
        {
            scratch[counts[entries[i].child >> shift & DIGIT_MASK]++] = entries[i];
        }
        ab_sort_entry *other = entries;
        entries = scratch;
        scratch = other;
    }
    return entries;
}

static ab_sort_entry *sort_by_key(ab_sort_entry *entries, ab_sort_entry *scratch, size_t count)
{
    uint32_t counts[WORD_DIGITS][BUCKETS];
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < count; ++i)
    {
        const uint64_t key = entries[i].key;
        for (unsigned digit = 0; digit < WORD_DIGITS; ++digit)
        {
            ++counts[digit][key >> (digit * DIGIT_BITS) & DIGIT_MASK];
        }
    }
    for (unsigned digit = 0; digit < WORD_DIGITS; ++digit)
    {
        if (!places(counts[digit], count))
        {
            continue;
        }
        const unsigned shift = digit * DIGIT_BITS;
        for (size_t i = 0; i < count; ++i)
        {
            scratch[counts[digit][entries[i].key >> shift & DIGIT_MASK]++] = entries[i];
        }
        ab_sort_entry *other = entries;
        entries = scratch;
        scratch = other;
    }
    return entries;
}

ab_sort_entry *ab_radix_sort(ab_sort_entry *entries, ab_sort_entry *scratch, size_t count)
{
    if (count <= 64)
    {
        insertion_sort(entries, count);
        return entries;
    }
    if (any_child(entries, count))
    {
        ab_sort_entry *sorted = sort_by_child(entries, scratch, count);
        scratch = sorted == entries ? scratch : entries;
        entries = sorted;
    }
    return sort_by_key(entries, scratch, count);
}

uint64_t *ab_radix_sort_words(uint64_t *words, uint64_t *scratch, size_t count, unsigned shift, unsigned bits)
{
    for (unsigned done = 0; done < bits; done += DIGIT_BITS)
    {
        const unsigned width = bits - done < DIGIT_BITS ? bits - done : DIGIT_BITS;
        const uint64_t mask = ((uint64_t)1 << width) - 1;
        const unsigned at = shift + done;
        uint32_t counts[BUCKETS] = { 0 };
        for (size_t i = 0; i < count; ++i)
        {
            ++counts[words[i] >> at & mask];
        }
        if (!places(counts, count))
        {
            continue;
        }
        for (size_t i = 0; i < count; ++i)
        {
            scratch[counts[words[i] >> at & mask]++] = words[i];
        }
        uint64_t *other = words;
        words = scratch;
        scratch = other;
    }
    return words;
}
