// Stable radix sort, least significant digit first: Knuth, The Art of Computer Programming, volume 3, section 5.2.5.
#ifndef AB_RADIX_H
#define AB_RADIX_H

#include <stddef.h>
#include <stdint.h>

// Sorts 64-bit words by `bits` bits from bit `shift` up; words that agree there keep their order. `scratch` has the length of
// `words`. Returns whichever of the two holds the result.
uint64_t *ab_radix_sort_words(uint64_t *words, uint64_t *scratch, size_t count, unsigned shift, unsigned bits);

typedef struct ab_sort_entry
{
    uint64_t key, payload;
} ab_sort_entry;

// The same for entries, by their whole keys. Digits in which all agree cost nothing.
ab_sort_entry *ab_radix_sort(ab_sort_entry *entries, ab_sort_entry *scratch, size_t count);

#endif
