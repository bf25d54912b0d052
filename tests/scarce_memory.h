// An allocator that fails when configured to, and counts what it has lent.
#ifndef SCARCE_MEMORY_H
#define SCARCE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define NEVER UINT64_MAX

// Requests are numbered from 0; those from `first_failed` on fail until `lasting` says that one was enough, or until
// the error was reported to the caller.
typedef struct source
{
    uint64_t asked, first_failed;
    bool lasting, failing;
    uint32_t failed;
    int64_t blocks, bytes; // held
} source;

static inline void *lend(void *context, size_t size, size_t alignment)
{
    source *s = context;
    const bool starts = s->asked++ == s->first_failed;
    s->failing = (s->failing || starts) && (starts || s->lasting);
    if (s->failing)
    {
        ++s->failed;
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
static inline void fail_after(source *s, uint64_t granted)
{
    s->first_failed = granted == NEVER ? NEVER : s->asked + granted;
    s->failing = false;
}

#endif
