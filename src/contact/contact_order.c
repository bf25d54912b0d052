#include "contact/contact_order.h"

#include "base/radix.h"

static unsigned bits_for(uint64_t count)
{
    unsigned bits = 0;
    while (count > 0)
    {
        ++bits;
        count >>= 1;
    }
    return bits;
}

// With one collider a body a key and an index fit one word: slot a | slot b | index. False when some collider has a higher
// place than the first.
static bool pack(uint64_t *words, const ab_manifolds *manifolds, const ab_record *records, unsigned slot_bits,
                 unsigned index_bits)
{
    uint32_t places = 0;
    for (uint32_t i = 0; i < manifolds->count; ++i)
    {
        const ab_manifold *m = &manifolds->data[i];
        const uint32_t a = records[m->leaf_a].order, b = records[m->leaf_b].order;
        places |= a | b;
        words[i] = ((uint64_t)(a >> 8) << slot_bits | b >> 8) << index_bits | i;
    }
    return (places & 0xffu) == 0;
}

static void unpack(ab_contact_order *out, const uint64_t *words, uint32_t count, unsigned slot_bits,
                   unsigned index_bits)
{
    const uint64_t slot_mask = ((uint64_t)1 << slot_bits) - 1, index_mask = ((uint64_t)1 << index_bits) - 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint64_t pair = words[i] >> index_bits;
        out->keys[i] = pair >> slot_bits << 40 | (pair & slot_mask) << 16;
        out->index[i] = (uint32_t)(words[i] & index_mask);
    }
}

static bool sort_whole_keys(ab_contact_order *out, ab_arena *arena, const ab_manifolds *manifolds,
                            const ab_record *records)
{
    const uint32_t count = manifolds->count;
    ab_sort_entry *entries = ab_arena_take(arena, (count + 1u) * sizeof *entries);
    ab_sort_entry *scratch = ab_arena_take(arena, (count + 1u) * sizeof *scratch);
    if (!entries || !scratch)
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_manifold *m = &manifolds->data[i];
        entries[i] = (ab_sort_entry){ ab_contact_key(records[m->leaf_a].order, records[m->leaf_b].order), i };
    }
    entries = ab_radix_sort(entries, scratch, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        out->keys[i] = entries[i].key;
        out->index[i] = (uint32_t)entries[i].payload;
    }
    return true;
}

bool ab_contact_order_make(ab_contact_order *out, ab_arena *arena, const ab_manifolds *manifolds,
                           const ab_record *records, uint32_t body_slots)
{
    const uint32_t count = out->count = manifolds->count;
    const unsigned slot_bits = bits_for(body_slots), index_bits = bits_for(count);
    if (2 * slot_bits + index_bits > 64)
    {
        return sort_whole_keys(out, arena, manifolds, records);
    }
    uint64_t *words = ab_arena_take(arena, (count + 1u) * sizeof *words);
    uint64_t *scratch = ab_arena_take(arena, (count + 1u) * sizeof *scratch);
    if (!words || !scratch)
    {
        return false;
    }
    if (!pack(words, manifolds, records, slot_bits, index_bits))
    {
        return sort_whole_keys(out, arena, manifolds, records);
    }
    words = ab_radix_sort_words(words, scratch, count, index_bits, 2 * slot_bits);
    unpack(out, words, count, slot_bits, index_bits);
    return true;
}
