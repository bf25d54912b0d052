// An allocator that refuses what it is told to, and counts what it has lent.
#ifndef SCARCE_MEMORY_H
#define SCARCE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define NEVER UINT64_MAX

// Requests are numbered from 0; those from `first_refused` on are refused until `lasting` says that one was enough, or
// the caller has been told.
typedef struct source
{
    uint64_t asked, first_refused;
    bool lasting, refusing;
    uint32_t refused;
    int64_t blocks, bytes; // held
} source;

static inline void *lend(void *context, size_t size, size_t alignment)
{
    source *s = context;
    const bool starts = s->asked++ == s->first_refused;
    s->refusing = (s->refusing || starts) && (starts || s->lasting);
    if (s->refusing)
    {
        ++s->refused;
        return NULL;
    }
    ++s->blocks;
    s->bytes += (int64_t)size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void take_back(void *context, void *block, size_t size, size_t alignment)
{
    source *s = context;
    (void)alignment;
    --s->blocks;
    s->bytes -= (int64_t)size;
    free(block);
}

// Grants so many more requests; then none, or all but one.
static inline void refuse_after(source *s, uint64_t granted)
{
    s->first_refused = granted == NEVER ? NEVER : s->asked + granted;
    s->refusing = false;
}

#endif
