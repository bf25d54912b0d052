// The only access to the caller's allocator. Counts allocations, so that tests can show that a scene of constant size
// makes none.
#ifndef AB_MEMORY_H
#define AB_MEMORY_H

#include <abut/base.h>

#define AB_CACHE_LINE 64u

typedef struct ab_memory
{
    abut_allocator allocator;
    uint64_t bytes, peak_bytes; // now, and at most
    uint64_t forgone;           // failed requests for a block to replace a larger one or several; no caller sees them
    uint64_t allocations;       // requests since the beginning
    void *grown;                // the last result of ab_array_grow; read by the macro around it
    bool sparing;               // for tests: allocates no more than needed, so that every request can be made to fail
} ab_memory;

// False when the allocator has only one of its two functions. NULL or zero: the C library's.
bool ab_memory_open(ab_memory *memory, const abut_allocator *allocator);

// 64-aligned; NULL when out of memory. `give` frees a block of `take` with the same size; NULL is allowed.
void *ab_memory_take(ab_memory *memory, size_t size);
void ab_memory_give(ab_memory *memory, void *block, size_t size);

#endif
