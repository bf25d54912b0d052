// Radix sort of words and entries: picks the digits that cost least for the keys at hand, and finishes nearly sorted
// elements by insertion. The second half of the file divides a sort into tasks.
#include "base/radix.h"

#include "base/platform.h"

#include <stdbool.h>
#include <string.h>

#define LEAST_DIGIT_BITS 6u // when the lowest bits are left to insertion
#define MOST_DIGIT_BITS  12u
#define MOST_BINS        (1u << MOST_DIGIT_BITS)
#define MOST_DIGITS      6u     // digits counted in one pass
#define NEAR_ELEMENTS    65536u // more do not stay in the nearer caches

// Turns counts into first indices.
static void find_places(uint32_t *counts, uint32_t bins)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < bins; ++i)
    {
        const uint32_t here = counts[i];
        counts[i] = sum;
        sum += here;
    }
}

// How keys are divided: into digits, above `skipped` lowest bits that insertion sorts.
typedef struct cutting
{
    unsigned digits, digit_bits, skipped;
} cutting;

// The measured cost of such a sort, in units of about a quarter of a nanosecond. Each pass moves every element and
// walks its bins; with many bins, their write positions do not stay in the near caches. Insertion walks the elements
// once more, and costs where elements agree in all digits: about eight times as often as with random keys.
static uint64_t cost_of(const cutting *c, uint64_t count, unsigned bits)
{
    const unsigned sorted = bits - c->skipped, wide = c->digit_bits > 9 ? c->digit_bits - 9 : 0;
    const uint64_t move = 8 + wide * (count > NEAR_ELEMENTS ? 8 : 2);
    const uint64_t passes = c->digits * (count * move + ((uint64_t)4 << c->digit_bits));
    const uint64_t met = 48 * (count >> sorted / 2) * (count >> (sorted - sorted / 2));
    return passes + (c->skipped > 0 ? 4 * count + met : 0);
}

static cutting partition_all(unsigned digits, unsigned bits)
{
    return (cutting){ digits, (bits + digits - 1) / digits, 0 };
}

static void choose(cutting *best, uint64_t *least, cutting c, size_t count, unsigned bits)
{
    const uint64_t cost = c.digit_bits > MOST_DIGIT_BITS ? UINT64_MAX : cost_of(&c, count, bits);
    if (cost < *least)
    {
        *least = cost;
        *best = c;
    }
}

// `whole`: skips no bits.
static cutting partition(size_t count, unsigned bits, bool whole)
{
    cutting best = { 0 };
    uint64_t least = UINT64_MAX;
    for (unsigned digits = 1; digits <= MOST_DIGITS; ++digits)
    {
        choose(&best, &least, partition_all(digits, bits), count, bits);
        for (unsigned width = LEAST_DIGIT_BITS; width <= MOST_DIGIT_BITS && digits * width < bits && !whole; ++width)
        {
            choose(&best, &least, (cutting){ digits, width, bits - digits * width }, count, bits);
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

// Elements, and the bits of their keys to sort by: `bits` from bit `shift` up.
typedef struct sorting
{
    uint64_t *from, *to;
    size_t count;
    unsigned shift, bits;
    uint32_t (*counts)[MOST_BINS]; // room for MOST_DIGITS digits
} sorting;

static uint64_t lowest(unsigned bits)
{
    return bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
}

AB_INLINE void move_all(const sorting *s, uint32_t *next, unsigned shift, uint64_t mask, unsigned width)
{
    const uint64_t *const from = s->from;
    uint64_t *const to = s->to;
    const size_t count = s->count;
    for (size_t i = 0; i < count; ++i)
    {
        const uint64_t *element = from + i * width;
        const uint32_t place = next[*element >> shift & mask]++;
        move_element(to + (size_t)place * width, element, width);
    }
}

static void exchange(sorting *s)
{
    uint64_t *const from = s->from;
    s->from = s->to;
    s->to = from;
}

// The width, and a small number of digits, are compile-time constants.
AB_INLINE void sort_by(sorting *s, const cutting *c, unsigned digits, unsigned width)
{
    const unsigned shift = s->shift + c->skipped, digit_bits = c->digit_bits;
    const uint32_t bins = 1u << digit_bits;
    const size_t count = s->count;
    const uint64_t *const from = s->from;
    const uint64_t mask = bins - 1, kept = lowest(s->bits - c->skipped);
    uint32_t(*const counts)[MOST_BINS] = s->counts;
    for (unsigned digit = 0; digit < digits; ++digit)
    {
        memset(counts[digit], 0, bins * sizeof **counts);
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
        find_places(counts[digit], bins);
        move_all(s, counts[digit], shift + digit * digit_bits, kept >> digit * digit_bits & mask, width);
        exchange(s);
    }
}

static void sort_words_by(sorting *s, const cutting *c)
{
#ifndef AB_SMALL // unrolled; a module of small size goes without
    switch (c->digits)
    {
    case 1:
        sort_by(s, c, 1, 1);
        return;
    case 2:
        sort_by(s, c, 2, 1);
        return;
    case 3:
        sort_by(s, c, 3, 1);
        return;
    case 4:
        sort_by(s, c, 4, 1);
        return;
    default:
        break;
    }
#endif
    sort_by(s, c, c->digits, 1);
}

static void sort_entries_by(sorting *s, const cutting *c)
{
    sort_by(s, c, c->digits, 2);
}

AB_INLINE void sort_cut(sorting *s, const cutting *c, unsigned width)
{
    if (width == 1)
    {
        sort_words_by(s, c);
    }
    else
    {
        sort_entries_by(s, c);
    }
}

// In-place insertion: Knuth, section 5.2.1. False when too many are out of order; the elements are then a stable
// partial sort.
AB_INLINE bool insert(const sorting *s, unsigned width)
{
    const uint64_t kept = lowest(s->bits);
    const unsigned shift = s->shift;
    uint64_t *const elements = s->from;
    uint64_t last = elements[0] >> shift & kept;
    size_t moves = 0;
    for (size_t i = 1; i < s->count && moves <= s->count; ++i)
    {
        uint64_t element[2];
        const uint64_t key = elements[i * width] >> shift & kept;
        if (key >= last)
        {
            last = key;
            continue;
        }
        move_element(element, elements + i * width, width);
        size_t place = i;
        for (; place > 0 && (elements[(place - 1) * width] >> shift & kept) > key; --place)
        {
            move_element(elements + place * width, elements + (place - 1) * width, width);
        }
        move_element(elements + place * width, element, width);
        moves += i - place;
    }
    return moves <= s->count;
}

// The bits in which any keys differ.
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

// Sorts by the upper differing bits and then inserts, where that should be cheaper because most keys differ there. If
// insertion gives up, sorts by all bits, so that no input costs more than a constant factor.
AB_INLINE uint64_t *sort(uint64_t *from, uint64_t *to, size_t count, unsigned shift, unsigned bits, unsigned width)
{
    uint32_t counts[MOST_DIGITS][MOST_BINS];
    sorting s = { from, to, count, shift, 0, counts };
    uint64_t differ = differing(from, count, width) >> shift & lowest(bits);
    if (differ == 0)
    {
        return from;
    }
    for (; (differ & 1) == 0; differ >>= 1)
    {
        ++s.shift;
    }
    for (; differ != 0; differ >>= 1)
    {
        ++s.bits;
    }
    cutting c = partition(count, s.bits, false);
    sort_cut(&s, &c, width);
    if (c.skipped > 0 && !insert(&s, width))
    {
        c = partition(count, s.bits, true);
        sort_cut(&s, &c, width);
    }
    return s.from;
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
    if (count < 2) // the array may be NULL
    {
        return entries;
    }
    return (ab_sort_entry *)sort_entries(&entries->key, &scratch->key, count, 0, 64);
}

// The sort in tasks.

void ab_radix_count(const ab_radix *sort, uint32_t part, size_t first, size_t end)
{
    uint32_t *counts = sort->places[part].next;
    memset(counts, 0, sizeof sort->places[part].next);
    for (size_t i = first; i < end; ++i)
    {
        ++counts[ab_radix_range(sort, sort->from[i * sort->width])];
    }
}

// Adds up the elements of each range. Part by part, in the order of memory.
static void sum_ranges(const ab_radix *sort, uint32_t sums[AB_RADIX_RANGES])
{
    memset(sums, 0, AB_RADIX_RANGES * sizeof *sums);
    for (uint32_t part = 0; part < sort->parts; ++part)
    {
        const uint32_t *const counts = sort->places[part].next;
        for (uint32_t range = 0; range < AB_RADIX_RANGES; ++range)
        {
            sums[range] += counts[range];
        }
    }
}

// Assigns adjacent ranges to a task until it has enough elements.
void ab_radix_place(ab_radix *sort)
{
    uint32_t next[AB_RADIX_RANGES], sum = 0;
    sum_ranges(sort, next);
    sort->tasks = 0;
    for (uint32_t range = 0; range < AB_RADIX_RANGES; ++range)
    {
        if (sort->tasks == 0 || sum - sort->first[sort->tasks - 1] >= sort->chunk)
        {
            sort->range[sort->tasks] = range;
            sort->first[sort->tasks++] = sum;
        }
        const uint32_t here = next[range];
        next[range] = sum;
        sum += here;
    }
    sort->range[sort->tasks] = AB_RADIX_RANGES;
    sort->first[sort->tasks] = sum;
    for (uint32_t part = 0; part < sort->parts; ++part)
    {
        uint32_t *const places = sort->places[part].next;
        for (uint32_t range = 0; range < AB_RADIX_RANGES; ++range)
        {
            const uint32_t here = places[range];
            places[range] = next[range];
            next[range] += here;
        }
    }
}

AB_INLINE void deal(const ab_radix *sort, uint32_t part, size_t first, size_t end, unsigned width)
{
    uint32_t *next = sort->places[part].next;
    for (size_t i = first; i < end; ++i)
    {
        const uint64_t *element = sort->from + i * width;
        const uint32_t place = next[ab_radix_range(sort, *element)]++;
        uint64_t *const to = sort->to + (size_t)place * width;
        AB_PREFETCH_TO_AT(to, 8); // a cache line ahead: other threads wrote it last
        move_element(to, element, width);
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

// The elements are in `to`; `from` is scratch now.
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
