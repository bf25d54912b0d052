// Ends the program rather than return NULL.
#include "storage.h"

#include <stdio.h>
#include <stdlib.h>

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

void *storage_take(size_t count, size_t size)
{
    return or_end(calloc(count, size), count * size);
}

void storage_give(void *block)
{
    free(block);
}
