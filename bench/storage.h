// Memory for the benchmark's own bookkeeping: given, or the program ends with a sentence. Growable arrays are stb_ds,
// behind this one header.
#ifndef ABUT_BENCH_STORAGE_H
#define ABUT_BENCH_STORAGE_H

#include <stddef.h>

void *storage_grow(void *block, size_t size);  // as realloc
void *storage_take(size_t count, size_t size); // zeroed
void storage_give(void *block);

// Ends the program with a sentence: of what a scene is made and cannot be.
_Noreturn void storage_end(const char *sentence);

#define STBDS_REALLOC(context, block, size) storage_grow((block), (size))
#define STBDS_FREE(context, block)          storage_give(block)

#include <stb_ds.h>

#endif
