// The sums of the checksum for one instruction set.
#include "state/checksum.h"

#include "base/kernels.h"

#include <string.h>

static void add(ab_checksum *sum, const void *blocks, size_t count)
{
    const unsigned char *bytes = blocks;
    ab_checksum s = *sum;
    for (size_t i = 0; i < count; ++i, bytes += AB_CHECKSUM_BLOCK)
    {
        uint64_t word[AB_CHECKSUM_LANES];
        memcpy(word, bytes, sizeof word);
        for (uint32_t k = 0; k < AB_CHECKSUM_LANES; ++k)
        {
            s.low[k] += word[k] & 0xffffffffu;
            s.high[k] += word[k] >> 32;
            s.lows[k] += s.low[k];
            s.highs[k] += s.high[k];
        }
    }
    *sum = s;
}

const ab_checksum_kernels AB_ISA_NAME(ab_checksum_kernels) = { add };
