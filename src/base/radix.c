#include "base/radix.h"

#include "base/platform.h"

#include <stdbool.h>
#include <string.h>

#define MOST_DIGIT_BITS 12u
#define MOST_BUCKETS    (1u << MOST_DIGIT_BITS)
#define MOST_DIGITS     6u // digits that are counted in one pass

// Turns counts into first places.
static void find_places(uint32_t *counts, uint32_t buckets)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < buckets; ++i)
    {
        const uint32_t here = counts[i];
        counts[i] = sum;
        sum += here;
    }
}

// How many digits to cut `bits` into: each pass counts and moves every element, and walks over its buckets, which costs half as
// much.
static unsigned digits_for(size_t count, unsigned bits)
{
    unsigned best = MOST_DIGITS;
    size_t least = SIZE_MAX;
    for (unsigned digits = 1; digits <= MOST_DIGITS; ++digits)
    {
        const unsigned width = (bits + digits - 1) / digits;
        const size_t cost = width > MOST_DIGIT_BITS ? SIZE_MAX : digits * (2 * count + ((size_t)1 << width));
        if (cost < least)
        {
            least = cost;
            best = digits;
        }
    }
    return best;
}

AB_INLINE void move_element(uint64_t *to, const uint64_t *from, unsigned width)
{
    for (unsigned i = 0; i < width; ++i)
    {
        to[i] = from[i];
    }
}

// Elements of `width` words by `bits` bits from bit `shift` up.
typedef struct sorting
{
    uint64_t *from, *to;
    size_t count;
    unsigned shift, bits, digit_bits;
} sorting;

AB_INLINE void move_all(const uint64_t *from, uint64_t *to, size_t count, uint32_t *next, unsigned shift, uint64_t mask,
                        unsigned width)
{
    for (size_t i = 0; i < count; ++i)
    {
        const uint64_t *element = from + i * width;
        const uint32_t place = next[*element >> shift & mask]++;
        move_element(to + (size_t)place * width, element, width);
    }
}

// The number of digits and the width are constants to the compiler.
AB_INLINE uint64_t *sort_by(const sorting *s, unsigned digits, unsigned width)
{
    const uint32_t buckets = 1u << s->digit_bits;
    const unsigned shift = s->shift, digit_bits = s->digit_bits;
    const size_t count = s->count;
    const uint64_t mask = buckets - 1, kept = s->bits < 64 ? ((uint64_t)1 << s->bits) - 1 : UINT64_MAX;
    uint64_t *from = s->from, *to = s->to;
    uint32_t counts[MOST_DIGITS][MOST_BUCKETS];
    for (unsigned digit = 0; digit < digits; ++digit)
    {
        memset(counts[digit], 0, buckets * sizeof **counts);
    }
    for (size_t i = 0; i < count; ++i)
    {
        uint64_t rest = from[i * width] >> shift & kept;
        for (unsigned digit = 0; digit < digits; ++digit)
        {
            ++counts[digit][rest & mask];
            rest >>= digit_bits;
        }
    }
    for (unsigned digit = 0; digit < digits; ++digit)
    {
        find_places(counts[digit], buckets);
        move_all(from, to, count, counts[digit], shift + digit * digit_bits, kept >> digit * digit_bits & mask, width);
        uint64_t *other = from;
        from = to;
        to = other;
    }
    return from;
}

// The bits in which some keys differ.
AB_INLINE uint64_t differing(const uint64_t *elements, size_t count, unsigned width)
{
    const uint64_t first = elements[0];
    uint64_t bits = 0;
    for (size_t i = 1; i < count; ++i)
    {
        bits |= elements[i * width] ^ first;
    }
    return bits;
}

// At most MOST_DIGITS * MOST_DIGIT_BITS bits.
AB_INLINE uint64_t *sort(uint64_t *from, uint64_t *to, size_t count, unsigned shift, unsigned bits, unsigned width)
{
    const uint64_t kept = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    uint64_t differ = differing(from, count, width) >> shift & kept;
    if (differ == 0)
    {
        return from;
    }
    sorting s = { from, to, count, shift, 0, 0 };
    for (; (differ & 1) == 0; differ >>= 1)
    {
        ++s.shift;
    }
    for (; differ != 0; differ >>= 1)
    {
        ++s.bits;
    }
    const unsigned digits = digits_for(count, s.bits);
    s.digit_bits = (s.bits + digits - 1) / digits;
    switch (digits)
    {
    case 1:
        return sort_by(&s, 1, width);
    case 2:
        return sort_by(&s, 2, width);
    case 3:
        return sort_by(&s, 3, width);
    case 4:
        return sort_by(&s, 4, width);
    case 5:
        return sort_by(&s, 5, width);
    default:
        return sort_by(&s, MOST_DIGITS, width);
    }
}

uint64_t *ab_radix_sort_words(uint64_t *words, uint64_t *scratch, size_t count, unsigned shift, unsigned bits)
{
    return count < 2 || bits == 0 ? words : sort(words, scratch, count, shift, bits, 1);
}

static uint64_t *sort_entries(uint64_t *entries, uint64_t *scratch, size_t count, unsigned shift, unsigned bits)
{
    return count < 2 || bits == 0 ? entries : sort(entries, scratch, count, shift, bits, 2);
}

_Static_assert(sizeof(ab_sort_entry) == 2 * sizeof(uint64_t), "an entry is two words");

ab_sort_entry *ab_radix_sort(ab_sort_entry *entries, ab_sort_entry *scratch, size_t count)
{
    if (count < 2) // there may be no array
    {
        return entries;
    }
    return (ab_sort_entry *)sort_entries(&entries->key, &scratch->key, count, 0, 64);
}

// In tasks ---------------------------------------------------------------------------------------------------------------

void ab_radix_count(const ab_radix *sort, uint32_t part, size_t first, size_t end)
{
    uint32_t *counts = sort->places[part].next;
    memset(counts, 0, sizeof sort->places[part].next);
    for (size_t i = first; i < end; ++i)
    {
        ++counts[ab_radix_range(sort, sort->from[i * sort->width])];
    }
}

// Ranges that lie side by side go to one task until it has enough.
void ab_radix_place(ab_radix *sort)
{
    uint32_t sum = 0;
    sort->tasks = 0;
    for (uint32_t range = 0; range < AB_RADIX_RANGES; ++range)
    {
        if (sort->tasks == 0 || sum - sort->first[sort->tasks - 1] >= sort->chunk)
        {
            sort->range[sort->tasks] = range;
            sort->first[sort->tasks++] = sum;
        }
        for (uint32_t part = 0; part < sort->parts; ++part)
        {
            const uint32_t here = sort->places[part].next[range];
            sort->places[part].next[range] = sum;
            sum += here;
        }
    }
    sort->range[sort->tasks] = AB_RADIX_RANGES;
    sort->first[sort->tasks] = sum;
}

AB_INLINE void deal(const ab_radix *sort, uint32_t part, size_t first, size_t end, unsigned width)
{
    uint32_t *next = sort->places[part].next;
    for (size_t i = first; i < end; ++i)
    {
        const uint64_t *element = sort->from + i * width;
        const uint32_t place = next[ab_radix_range(sort, *element)]++;
        move_element(sort->to + (size_t)place * width, element, width);
    }
}

void ab_radix_deal(const ab_radix *sort, uint32_t part, size_t first, size_t end)
{
    if (sort->width == 1)
    {
        deal(sort, part, first, end, 1);
    }
    else
    {
        deal(sort, part, first, end, 2);
    }
}

static uint64_t *sort_part(const ab_radix *sort, uint64_t *words, uint64_t *scratch, size_t count)
{
    return sort->width == 1 ? ab_radix_sort_words(words, scratch, count, sort->shift, sort->bits)
                            : sort_entries(words, scratch, count, sort->shift, sort->bits);
}

uint64_t *ab_radix_sort_all(const ab_radix *sort, size_t count)
{
    return sort_part(sort, sort->from, sort->to, count);
}

// The elements lie in `to`; what they were dealt from is scratch.
void ab_radix_finish(const ab_radix *sort, uint32_t task)
{
    const size_t first = (size_t)sort->first[task] * sort->width, count = sort->first[task + 1] - sort->first[task];
    uint64_t *words = sort->to + first;
    const uint64_t *sorted = sort_part(sort, words, sort->from + first, count);
    if (sorted != words)
    {
        memcpy(words, sorted, count * sort->width * sizeof *words);
    }
}
