// Moving pairs to their buckets, for one instruction set. With wide lanes a group of pairs is appended to each bucket in turn by
// compress and full-width store: no pair waits for where the last one went.
#include "math/lanes.h"
#include "pairs/pair_stream.h"

#if LANES >= 8

// Appends the pairs of whole groups of LANES; says how many pairs those were.
static size_t append_groups(uint32_t *a_out, uint32_t *b_out, const uint32_t *code, const ab_pair *pairs, size_t count,
                            const uint32_t *used, uint32_t used_count, uint32_t next[AB_BUCKETS])
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
    {
        u32w first, second;
        load_pairsu(&pairs[i].a, &first, &second);
        const u32w codes = loadu(code + i), bucket = andu(codes, splatu(AB_CODE_BUCKET));
        const maskw swap = gtu(codes, splatu(AB_CODE_BUCKET));
        const u32w a = picku(swap, second, first), b = picku(swap, first, second);
        for (uint32_t k = 0; k < used_count; ++k)
        {
            const uint32_t to = used[k], at = next[to];
            const maskw here = equ(bucket, splatu(to));
            appendu(b_out + at, b, here);
            next[to] = at + appendu(a_out + at, a, here);
        }
    }
    return i;
}

#endif

void AB_ISA_NAME(ab_pair_scatter)(ab_pair_stream *stream, const ab_pair *pairs, size_t count, uint32_t next[AB_BUCKETS])
{
    uint32_t *const a = stream->a, *const b = stream->b;
    const uint32_t *const code = stream->code;
    size_t i = 0;
#if LANES >= 8
    uint32_t used[AB_BUCKETS], used_count = 0;
    for (uint32_t bucket = 0; bucket < AB_BUCKETS; ++bucket)
    {
        used[used_count] = bucket;
        used_count += stream->count[bucket] != 0;
    }
    i = append_groups(a, b, code, pairs, count, used, used_count, next);
#endif
    for (; i < count; ++i)
    {
        const uint32_t bucket = code[i] & AB_CODE_BUCKET;
        if (bucket != AB_REFUSED)
        {
            const bool swap = (code[i] & AB_CODE_SWAP) != 0;
            const uint32_t at = next[bucket]++;
            a[at] = swap ? pairs[i].b : pairs[i].a;
            b[at] = swap ? pairs[i].a : pairs[i].b;
        }
    }
}
