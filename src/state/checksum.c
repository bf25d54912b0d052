// Sums a section, whole or piece by piece, with the widest kernel there is: all give the same sums.
#include "state/checksum.h"

#include "base/kernels.h"

#include <string.h>

#define OFFSET_BASIS 0xcbf29ce484222325u
#define PRIME        0x100000001b3u

#define PIECE 65536u // bytes that are copied, then summed while they are in the cache

static uint64_t mixed(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * PRIME;
    return hash ^ hash >> 32; // multiplying moves no bit downwards
}

void ab_checksum_open(ab_checksum_stream *stream, const void *bytes, uint64_t size)
{
    *stream = (ab_checksum_stream){ .at = bytes,
                                    .end = size > 0 ? (const unsigned char *)bytes + size : bytes,
                                    .size = size,
                                    .add = ab_kernels_for(abut_isa_best())->checksum->add };
}

static void add_blocks(ab_checksum_stream *stream, size_t bytes)
{
    const size_t blocks = bytes / AB_CHECKSUM_BLOCK;
    if (blocks > 0)
    {
        stream->add(&stream->sum, stream->at, blocks);
        stream->at += blocks * AB_CHECKSUM_BLOCK;
    }
}

void ab_checksum_advance(ab_checksum_stream *stream, const void *end)
{
    const unsigned char *to = end;
    if (to > stream->at)
    {
        add_blocks(stream, (size_t)(to - stream->at));
    }
}

uint64_t ab_checksum_close(ab_checksum_stream *stream)
{
    const ab_checksum *sum = &stream->sum;
    uint64_t hash = OFFSET_BASIS ^ stream->size;
    if (stream->size > 0)
    {
        add_blocks(stream, (size_t)(stream->end - stream->at));
    }
    for (uint32_t k = 0; k < AB_CHECKSUM_LANES; ++k)
    {
        hash = mixed(mixed(hash, sum->low[k]), sum->high[k]);
        hash = mixed(mixed(hash, sum->lows[k]), sum->highs[k]);
    }
    for (uint64_t left = stream->size % AB_CHECKSUM_BLOCK; left > 0; --left)
    {
        hash = mixed(hash, *stream->at++);
    }
    return hash;
}

uint64_t ab_checksum_copy(void *out, const void *bytes, uint64_t size)
{
    const unsigned char *from = bytes;
    ab_checksum_stream sum;
    ab_checksum_open(&sum, bytes, size);
    for (uint64_t at = 0; at < size; at += PIECE)
    {
        const uint64_t here = size - at < PIECE ? size - at : PIECE;
        memcpy((unsigned char *)out + at, from + at, (size_t)here);
        ab_checksum_advance(&sum, from + at + here);
    }
    return ab_checksum_close(&sum);
}

uint64_t ab_checksum_of(const void *bytes, uint64_t size)
{
    ab_checksum_stream stream;
    ab_checksum_open(&stream, bytes, size);
    return ab_checksum_close(&stream);
}
