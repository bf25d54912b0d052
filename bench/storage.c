// Ends the program rather than return NULL.
#define _DEFAULT_SOURCE // madvise
#include "storage.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

static void *or_end(void *block, size_t size)
{
    if (!block && size)
    {
        fprintf(stderr, "out of memory: no %zu bytes for the benchmark itself\n", size);
        exit(EXIT_FAILURE);
    }
    return block;
}

void storage_end(const char *sentence)
{
    fprintf(stderr, "%s\n", sentence);
    exit(EXIT_FAILURE);
}

void *storage_grow(void *block, size_t size)
{
    return or_end(realloc(block, size), size);
}

#if defined(__linux__) && defined(MADV_HUGEPAGE)
#define HUGE_PAGE ((size_t)1 << 21)

// Questions and answers are read and written in an order of their own: with small pages it would be measured how long
// these take to be found.
static void *take_huge(size_t size)
{
    void *block;
    if (posix_memalign(&block, HUGE_PAGE, size) != 0)
    {
        return NULL;
    }
    (void)madvise(block, size / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    return memset(block, 0, size);
}
#endif

void *storage_take(size_t count, size_t size)
{
#ifdef HUGE_PAGE
    if (count <= SIZE_MAX / size && count * size >= HUGE_PAGE)
    {
        return or_end(take_huge(count * size), count * size);
    }
#endif
    return or_end(calloc(count, size), count * size);
}

void storage_give(void *block)
{
    free(block);
}
