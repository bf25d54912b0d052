// Computes the type keys of pairs and scatters pairs to their bins, for one instruction set. Wide lanes compute a
// vector of keys at a time, and append a group of pairs to each of its bins by compress and full-width store, so no
// pair waits for the store of the one before it.
#include "base/kernels.h"
#include "base/platform.h"
#include "math/lanes.h"
#include "pairs/pair_stream.h"

// The bits that any of some type keys have, and those that all have.
typedef struct common_bits
{
    uint32_t any, all;
} common_bits;

AB_INLINE void add_bits(common_bits *common, uint32_t any, uint32_t all)
{
    common->any |= any;
    common->all &= all;
}

#if LANES >= 8

#define AHEAD 32u // pairs whose proxy flags and collider keys are prefetched

// Prefetches for a later group, proxies a only: consecutive pairs often share proxy b.
AB_INLINE void look_ahead(const ab_proxies *proxies, const ab_pair *pairs)
{
    for (uint32_t k = 0; k < LANES; ++k)
    {
        AB_PREFETCH(&proxies->proxy_flags[pairs[k].a]);
        AB_PREFETCH(&proxies->collider_key[pairs[k].a]);
    }
}

// Encodes whole groups of LANES pairs; returns the number of pairs.
static size_t encode_groups(const ab_pair_rules *rules, const ab_proxies *proxies, const ab_pair *pairs, size_t count,
                            uint32_t *type_keys, common_bits *common)
{
    u32w any = splatu(0), all = splatu(UINT32_MAX);
    const uint32_t *const bins = &rules->bin[0][0], *const proxy_flags = proxies->proxy_flags,
                          *const orders = proxies->collider_key;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
    {
        u32w a, b;
        if (i + AHEAD + LANES <= count)
        {
            look_ahead(proxies, &pairs[i + AHEAD]);
        }
        load_pairsu(&pairs[i].a, &a, &b);
        const u32w flags_a = lookupu(proxy_flags, a), flags_b = lookupu(proxy_flags, b);
        const u32w key_a = lookupu(orders, a), key_b = lookupu(orders, b);
        const u32w row = shlu(andu(flags_a, splatu(AB_PROXY_TYPE_KEY)), AB_TYPE_KEY_BITS);
        const u32w bin = lookupu(bins, addu(row, andu(flags_b, splatu(AB_PROXY_TYPE_KEY))));
        const u32w kind_a = andu(flags_a, splatu(AB_TYPE_KEY_KIND)), kind_b = andu(flags_b, splatu(AB_TYPE_KEY_KIND));
        const maskw swap = orm(gtu(kind_a, kind_b), andm(equ(kind_a, kind_b), gtu(key_a, key_b)));
        const maskw decided = equ(andu(oru(flags_a, flags_b), splatu(AB_PROXY_TO_ASK)), splatu(0));
        u32w type_key = oru(bin, picku(swap, splatu(AB_KEY_SWAP), splatu(0)));
        type_key = oru(type_key, picku(decided, splatu(0), splatu(AB_KEY_ASK)));
        type_key = picku(equ(shru(key_a, 8), shru(key_b, 8)), splatu(AB_BIN_FILTERED), type_key);
        storeu(type_keys + i, type_key);
        any = oru(any, type_key);
        all = andu(all, type_key);
    }
    uint32_t some[LANES], every[LANES];
    storeu(some, any);
    storeu(every, all);
    for (uint32_t k = 0; k < LANES; ++k)
    {
        add_bits(common, some[k], every[k]);
    }
    return i;
}

// Pair by pair, where a whole group would write into the next part.
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

// Appends whole groups of LANES pairs; returns the number of pairs.
static size_t append_groups(uint32_t *a_out, uint32_t *b_out, const uint32_t *type_key, const ab_pair *pairs,
                            size_t count, const uint32_t *used, uint32_t used_count, const uint32_t *room_end,
                            uint32_t *next)
{
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
    {
        u32w first, second;
        load_pairsu(&pairs[i].a, &first, &second);
        const u32w type_keys = loadu(type_key + i), bin = andu(type_keys, splatu(AB_KEY_BIN));
        const maskw swap = gtu(type_keys, splatu(AB_KEY_BIN));
        const u32w a = picku(swap, second, first), b = picku(swap, first, second);
        for (uint32_t k = 0; k < used_count; ++k)
        {
            const uint32_t to = used[k], at = next[to];
            const maskw here = equ(bin, splatu(to));
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

static AB_ALIKE encode(const ab_pair_rules *rules, const ab_proxies *proxies, const ab_pair *pairs, size_t count,
                       uint32_t *type_keys)
{
    common_bits common = { 0, UINT32_MAX };
    size_t i = 0;
#if LANES >= 8
    i = encode_groups(rules, proxies, pairs, count, type_keys, &common);
#endif
    for (; i < count; ++i)
    {
        type_keys[i] = ab_pair_type_key(rules, proxies, pairs[i]);
        add_bits(&common, type_keys[i], type_keys[i]);
    }
#ifdef AB_COUNTS_ALIKE
    return ((common.any ^ common.all) & AB_KEY_BIN) == 0 && (common.any & AB_KEY_ASK) == 0;
#endif
}

static void scatter(ab_pair_stream *stream, const ab_pair *all, size_t first, size_t count, ab_pair_part *part)
{
    uint32_t *const a = stream->a, *const b = stream->b, *const next = part->next;
    const uint32_t *const type_key = stream->type_key + first;
    const ab_pair *const pairs = all + first;
    size_t i = 0;
#if LANES >= 8
    uint32_t used[AB_BINS], room_end[AB_BINS], used_count = 0;
    for (uint32_t bin = 0; bin < AB_BINS; ++bin)
    {
        const uint32_t end = part->end[bin], bin_end = stream->first[bin] + stream->count[bin];
        used[used_count] = bin;
        room_end[used_count] = end == bin_end ? end + AB_WIDEST : end;
        used_count += next[bin] != end;
    }
    i = append_groups(a, b, type_key, pairs, count, used, used_count, room_end, next);
#endif
    for (; i < count; ++i)
    {
        const uint32_t bin = type_key[i] & AB_KEY_BIN;
        if (bin < AB_BINS)
        {
            const bool swap = (type_key[i] & AB_KEY_SWAP) != 0;
            const uint32_t at = next[bin]++;
            a[at] = swap ? pairs[i].b : pairs[i].a;
            b[at] = swap ? pairs[i].a : pairs[i].b;
        }
    }
}

const ab_pair_kernels AB_ISA_NAME(ab_pair_kernels) = { encode, scatter };
