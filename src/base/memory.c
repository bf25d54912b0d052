// Calls the caller's allocator, or the C library's, and counts bytes and allocations.
#include "base/memory.h"

#include "base/platform.h"

static void *standard_allocate(void *context, size_t size, size_t alignment)
{
    (void)context;
    return ab_platform_allocate(size, alignment);
}

static void standard_release(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    ab_platform_release(block);
}

bool ab_memory_open(ab_memory *memory, const abut_allocator *allocator)
{
    *memory = (ab_memory){ 0 };
    if (!allocator || (!allocator->allocate && !allocator->release))
    {
        memory->allocator = (abut_allocator){ standard_allocate, standard_release, NULL };
        return true;
    }
    memory->allocator = *allocator;
    return allocator->allocate && allocator->release;
}

void *ab_memory_take(ab_memory *memory, size_t size)
{
    void *block = memory->allocator.allocate(memory->allocator.context, size, AB_CACHE_LINE);
    if (!block)
    {
        return NULL;
    }
    ++memory->allocations;
    memory->bytes += size;
    memory->peak_bytes = memory->bytes > memory->peak_bytes ? memory->bytes : memory->peak_bytes;
    return block;
}

void ab_memory_give(ab_memory *memory, void *block, size_t size)
{
    if (block)
    {
        memory->bytes -= size;
        memory->allocator.release(memory->allocator.context, block, size, AB_CACHE_LINE);
    }
}
