// Finding the codes of pairs and moving pairs to their buckets, for one instruction set. With wide lanes codes are found a vector at a
// time, and a group of pairs is appended to each bucket in turn by compress and full-width store: no pair waits for where the last
// one went.
#include "base/platform.h"
#include "math/lanes.h"
#include "pairs/pair_stream.h"

#if LANES >= 8

#define AHEAD 32u // pairs whose traits and orders are asked for in advance

// Asks for what a later group will look up. The first leaves only: of the second ones several pairs in a row have the same.
AB_INLINE void look_ahead(const ab_leaves *leaves, const ab_pair *pairs)
{
    for (uint32_t k = 0; k < LANES; ++k)
    {
        AB_PREFETCH(&leaves->traits[pairs[k].a]);
        AB_PREFETCH(&leaves->order[pairs[k].a]);
    }
}

// Encodes the pairs of whole groups of LANES; says how many pairs those were.
static size_t encode_groups(const ab_pair_rules *rules, const ab_leaves *leaves, const ab_pair *pairs, size_t count,
                            uint32_t *codes)
{
    const uint32_t *const buckets = &rules->bucket[0][0], *const traits = leaves->traits, *const orders = leaves->order;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
    {
        u32w a, b;
        if (i + AHEAD + LANES <= count)
        {
            look_ahead(leaves, &pairs[i + AHEAD]);
        }
        load_pairsu(&pairs[i].a, &a, &b);
        const u32w traits_a = lookupu(traits, a), traits_b = lookupu(traits, b);
        const u32w order_a = lookupu(orders, a), order_b = lookupu(orders, b);
        const u32w row = shlu(andu(traits_a, splatu(AB_TRAIT_CLASS)), AB_CLASS_BITS);
        const u32w bucket = lookupu(buckets, addu(row, andu(traits_b, splatu(AB_TRAIT_CLASS))));
        const u32w kind_a = andu(traits_a, splatu(AB_CLASS_KIND)), kind_b = andu(traits_b, splatu(AB_CLASS_KIND));
        const maskw swap = orm(gtu(kind_a, kind_b), andm(equ(kind_a, kind_b), gtu(order_a, order_b)));
        const maskw told = equ(andu(oru(traits_a, traits_b), splatu(AB_TRAITS_TO_ASK)), splatu(0));
        u32w code = oru(bucket, picku(swap, splatu(AB_CODE_SWAP), splatu(0)));
        code = oru(code, picku(told, splatu(0), splatu(AB_CODE_ASK)));
        code = picku(equ(shru(order_a, 8), shru(order_b, 8)), splatu(AB_REFUSED), code);
        storeu(codes + i, code);
    }
    return i;
}

// Pair by pair, where a whole group would reach into the next part.
static uint32_t append_few(uint32_t *a_out, uint32_t *b_out, u32w a, u32w b, maskw here)
{
    uint32_t first[LANES], second[LANES], to = 0;
    storeu(first, a);
    storeu(second, b);
    const uint32_t bits = bitsm(here);
    for (uint32_t k = 0; k < LANES; ++k)
    {
        if (bits >> k & 1u)
        {
            a_out[to] = first[k];
            b_out[to++] = second[k];
        }
    }
    return to;
}

// Appends the pairs of whole groups of LANES; says how many pairs those were.
static size_t append_groups(uint32_t *a_out, uint32_t *b_out, const uint32_t *code, const ab_pair *pairs, size_t count,
                            const uint32_t *used, uint32_t used_count, const uint32_t *room_end, uint32_t *next)
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
            if (AB_LIKELY(at + LANES <= room_end[k]))
            {
                appendu(b_out + at, b, here);
                next[to] = at + appendu(a_out + at, a, here);
            }
            else
            {
                next[to] = at + append_few(a_out + at, b_out + at, a, b, here);
            }
        }
    }
    return i;
}

#endif

static void encode(const ab_pair_rules *rules, const ab_leaves *leaves, const ab_pair *pairs, size_t count,
                   uint32_t *codes)
{
    size_t i = 0;
#if LANES >= 8
    i = encode_groups(rules, leaves, pairs, count, codes);
#endif
    for (; i < count; ++i)
    {
        codes[i] = ab_pair_class_code(rules, leaves, pairs[i]);
    }
}

static void scatter(ab_pair_stream *stream, const ab_pair *all, size_t first, size_t count, ab_pair_part *part)
{
    uint32_t *const a = stream->a, *const b = stream->b, *const next = part->next;
    const uint32_t *const code = stream->code + first;
    const ab_pair *const pairs = all + first;
    size_t i = 0;
#if LANES >= 8
    uint32_t used[AB_BUCKETS], room_end[AB_BUCKETS], used_count = 0;
    for (uint32_t bucket = 0; bucket < AB_BUCKETS; ++bucket)
    {
        const uint32_t end = part->end[bucket], bucket_end = stream->first[bucket] + stream->count[bucket];
        used[used_count] = bucket;
        room_end[used_count] = end == bucket_end ? end + AB_WIDEST : end;
        used_count += next[bucket] != end;
    }
    i = append_groups(a, b, code, pairs, count, used, used_count, room_end, next);
#endif
    for (; i < count; ++i)
    {
        const uint32_t bucket = code[i] & AB_CODE_BUCKET;
        if (bucket < AB_BUCKETS)
        {
            const bool swap = (code[i] & AB_CODE_SWAP) != 0;
            const uint32_t at = next[bucket]++;
            a[at] = swap ? pairs[i].b : pairs[i].a;
            b[at] = swap ? pairs[i].a : pairs[i].b;
        }
    }
}

extern const ab_pair_kernels AB_ISA_NAME(ab_pair_kernels);
const ab_pair_kernels AB_ISA_NAME(ab_pair_kernels) = { encode, scatter };
