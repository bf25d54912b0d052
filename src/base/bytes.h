// Writing one thing behind the other.
#ifndef AB_BYTES_H
#define AB_BYTES_H

#include <stddef.h>
#include <string.h>

// Returns where the next goes.
static inline unsigned char *ab_put_bytes(unsigned char *out, const void *from, size_t size)
{
    memcpy(out, from, size);
    return out + size;
}

#endif
