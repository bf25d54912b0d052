// The one door to the caller's allocator. Counts what goes through it, so that a settled scene can be shown to ask for
// nothing, and refuses what it cannot get.
#ifndef AB_MEMORY_H
#define AB_MEMORY_H

#include <abut/base.h>

#define AB_CACHE_LINE 64u

typedef struct ab_memory
{
    abut_allocator allocator;
    uint64_t bytes, peak_bytes; // held now, and at most
    uint64_t allocations;       // asked for since the beginning
    void *grown;                // what ab_array_grow handed out last; read by the macro around it
    bool sparing;               // for tests: room for what is needed and no more, so that every request can be refused
} ab_memory;

// False when the allocator is half filled in. NULL or zero: the C library's.
bool ab_memory_open(ab_memory *memory, const abut_allocator *allocator);

// 64-aligned; NULL when refused. `give` takes back what `take` gave, with the same size; NULL is allowed.
void *ab_memory_take(ab_memory *memory, size_t size);
void ab_memory_give(ab_memory *memory, void *block, size_t size);

#endif
