// Stable radix sort of keys with a payload: least significant byte groups first; groups in which all keys agree are skipped.
#ifndef AB_RADIX_H
#define AB_RADIX_H

#include <stddef.h>
#include <stdint.h>

// Sorted by key, then by `child`; entries equal in both keep their order.
typedef struct ab_sort_entry
{
    uint64_t key;
    uint32_t child;
    uint32_t index; // payload
} ab_sort_entry;

// Sorts `entries`, using `scratch` of the same length. Returns whichever of the two holds the result.
ab_sort_entry *ab_radix_sort(ab_sort_entry *entries, ab_sort_entry *scratch, size_t count);

// The same for 64-bit words by their `bits` highest-valued bits from bit `shift` up.
uint64_t *ab_radix_sort_words(uint64_t *words, uint64_t *scratch, size_t count, unsigned shift, unsigned bits);

#endif
