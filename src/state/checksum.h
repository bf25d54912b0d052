// The checksum of images: J. Fletcher, "An Arithmetic Checksum for Serial Transmissions" (1982), sums of 32-bit words
// and sums of these, in lanes of 64 bits, of which compilers make vector instructions. Any two bits that are wrong
// change some sum. It finds damage, not intent.
#ifndef AB_CHECKSUM_H
#define AB_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define AB_CHECKSUM_LANES 4u
#define AB_CHECKSUM_BLOCK (AB_CHECKSUM_LANES * sizeof(uint64_t)) // bytes that are summed at a time

// Begins as zeros. Of the lower and the upper halves of words: sums, and sums of sums.
typedef struct ab_checksum
{
    uint64_t low[AB_CHECKSUM_LANES], high[AB_CHECKSUM_LANES], lows[AB_CHECKSUM_LANES], highs[AB_CHECKSUM_LANES];
} ab_checksum;

// Adds so many blocks.
typedef void ab_checksum_kernel(ab_checksum *sum, const void *blocks, size_t count);

typedef struct ab_checksum_kernels
{
    ab_checksum_kernel *add;
} ab_checksum_kernels;

// The bytes of one section, summed piece by piece as they are read.
typedef struct ab_checksum_stream
{
    ab_checksum sum;
    const unsigned char *at, *end;
    uint64_t size; // of all
    ab_checksum_kernel *add;
} ab_checksum_stream;

void ab_checksum_open(ab_checksum_stream *stream, const void *bytes, uint64_t size);

// Adds what lies before `end`, a pointer into the bytes, up to the last whole block.
void ab_checksum_advance(ab_checksum_stream *stream, const void *end);

// Adds the rest.
uint64_t ab_checksum_close(ab_checksum_stream *stream);

// Copies bytes and returns their sum.
uint64_t ab_checksum_copy(void *out, const void *bytes, uint64_t size);

// Of all at once.
uint64_t ab_checksum_of(const void *bytes, uint64_t size);

#endif
