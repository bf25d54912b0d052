// Stable radix sort, least significant digit first, by as many upper bits as distinguish most keys, with insertion for
// the rest: Knuth, The Art of Computer Programming, volume 3, sections 5.2.5 and 5.2.1. The same in tasks: deals
// elements to ranges by their uppermost digit, then sorts the ranges one by one.
#ifndef AB_RADIX_H
#define AB_RADIX_H

#include <stddef.h>
#include <stdint.h>

// Sorts 64-bit words by `bits` bits from bit `shift` up; words equal there keep their order. `scratch` has the length
// of `words`. Returns whichever of the two holds the result. Bits in which all words agree cost nothing.
uint64_t *ab_radix_sort_words(uint64_t *words, uint64_t *scratch, size_t count, unsigned shift, unsigned bits);

typedef struct ab_sort_entry
{
    uint64_t key, payload;
} ab_sort_entry;

// The same for entries, by their whole keys.
ab_sort_entry *ab_radix_sort(ab_sort_entry *entries, ab_sort_entry *scratch, size_t count);

#define AB_RADIX_RANGE_BITS 8u
#define AB_RADIX_RANGES     (1u << AB_RADIX_RANGE_BITS) // the ranges that elements are dealt to

// Where a task's next element of each range goes.
typedef struct ab_radix_places
{
    uint32_t next[AB_RADIX_RANGES];
} ab_radix_places;

// A sort in tasks: three phases, `count`, `deal` and `finish`, with `place` after the first, on the calling thread.
// Ranges follow from the keys alone, so the result equals that of the undivided sort for any partition. The first two
// phases work on consecutive parts that the caller defines. The caller sets the members before `tasks`.
typedef struct ab_radix
{
    uint64_t *from, *to;  // input, and output; the sort destroys `from`
    unsigned width;       // words per element, the first of them its key: 1, or 2 for entries
    unsigned shift, bits; // of the key; no key has higher bits
    uint32_t parts;
    uint32_t chunk;          // least elements for a task of the last phase, if there are so many
    ab_radix_places *places; // by part

    uint32_t tasks;                      // of the last phase
    uint32_t first[AB_RADIX_RANGES + 1]; // by such a task: its first element; one more behind the last
    uint32_t range[AB_RADIX_RANGES + 1]; // by such a task: its first range; one more behind the last
} ab_radix;

// The range of a key, and the shift that finds it.
static inline unsigned ab_radix_range_shift(const ab_radix *sort)
{
    return sort->shift + (sort->bits > AB_RADIX_RANGE_BITS ? sort->bits - AB_RADIX_RANGE_BITS : 0);
}

static inline uint32_t ab_radix_range(const ab_radix *sort, uint64_t key)
{
    return (uint32_t)(key >> ab_radix_range_shift(sort)) & (AB_RADIX_RANGES - 1);
}

// Elements [first, end) are a part.
void ab_radix_count(const ab_radix *sort, uint32_t part, size_t first, size_t end);
void ab_radix_place(ab_radix *sort);
void ab_radix_deal(const ab_radix *sort, uint32_t part, size_t first, size_t end);

// Sorts all `count` elements on this thread, with no other call. Returns the result: `from` or `to`.
uint64_t *ab_radix_sort_all(const ab_radix *sort, size_t count);

// Sorts the elements of one task of the last phase: [first[task], first[task + 1]). Their keys are not lower than those
// of the task before it.
void ab_radix_finish(const ab_radix *sort, uint32_t task);

#endif
