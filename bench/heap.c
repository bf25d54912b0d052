#include "heap.h"

#include <stdlib.h>

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)

#include <malloc.h>

uint64_t heap_bytes(void)
{
    const struct mallinfo2 held = mallinfo2();
    return held.uordblks + held.hblkhd;
}

#else

uint64_t heap_bytes(void)
{
    return 0;
}

#endif
