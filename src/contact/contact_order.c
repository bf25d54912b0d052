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

#define COUNT_BITS 2u // of the number of points, less one

_Static_assert(AB_MAX_POINTS <= 1u << COUNT_BITS, "a number of points fits");

// With one collider a body a key, an index and a number of points fit one word: slot a | slot b | index | points - 1.
uint32_t ab_contact_order_pack(const ab_contact_order *order, const ab_manifolds *manifolds, const ab_record *records,
                               uint32_t first, uint32_t end)
{
    uint64_t *const words = order->words;
    const ab_manifold *const data = manifolds->data;
    const unsigned slot_bits = order->slot_bits, index_bits = order->index_bits;
    uint32_t places = 0;
    for (uint32_t i = words ? first : end; i < end; ++i)
    {
        const uint32_t a = records[data[i].leaf_a].order, b = records[data[i].leaf_b].order;
        const uint64_t pair = (uint64_t)(a >> 8) << slot_bits | b >> 8;
        places |= a | b;
        words[i] = (pair << index_bits | i) << COUNT_BITS | (data[i].point_count - 1);
    }
    return places & 0xffu;
}

static inline uint64_t key_of_word(uint64_t word, unsigned slot_bits, unsigned index_bits)
{
    const uint64_t pair = word >> (index_bits + COUNT_BITS), slot_mask = ((uint64_t)1 << slot_bits) - 1;
    return pair >> slot_bits << 40 | (pair & slot_mask) << 16;
}

static uint32_t count_points(const ab_contact_order *order, const ab_manifolds *manifolds, uint32_t first, uint32_t end)
{
    uint32_t points = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        points += manifolds->data[order->index[i]].point_count;
    }
    return points;
}

uint32_t ab_contact_order_unpack(const ab_contact_order *order, const ab_manifolds *manifolds, uint32_t first,
                                 uint32_t end)
{
    const uint64_t *const words = order->words;
    uint64_t *const keys = order->keys;
    uint32_t *const index = order->index;
    const unsigned slot_bits = order->slot_bits, index_bits = order->index_bits;
    const uint64_t index_mask = ((uint64_t)1 << index_bits) - 1;
    uint32_t points = end - first;
    if (!words)
    {
        return count_points(order, manifolds, first, end);
    }
    for (uint32_t i = first; i < end; ++i)
    {
        const uint64_t word = words[i];
        keys[i] = key_of_word(word, slot_bits, index_bits);
        index[i] = (uint32_t)(word >> COUNT_BITS & index_mask);
        points += (uint32_t)word & ((1u << COUNT_BITS) - 1);
    }
    return points;
}

uint64_t ab_contact_order_key(const ab_contact_order *order, uint32_t i)
{
    return order->words ? key_of_word(order->words[i], order->slot_bits, order->index_bits) : order->keys[i];
}

static bool sort_whole_keys(ab_contact_order *out, ab_arena *arena, const ab_manifolds *manifolds,
                            const ab_record *records)
{
    const uint32_t count = out->count;
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

bool ab_contact_order_begin(ab_contact_order *order, ab_arena *arena, uint32_t count, uint32_t sorted,
                            uint32_t body_slots)
{
    order->count = count;
    order->sorted = sorted;
    order->slot_bits = bits_for(body_slots);
    order->index_bits = bits_for(count);
    order->words = order->scratch = NULL;
    if (2 * order->slot_bits + order->index_bits + COUNT_BITS > 64)
    {
        return true;
    }
    order->words = ab_arena_take(arena, (count + 1u) * sizeof *order->words);
    order->scratch = ab_arena_take(arena, (count + 1u) * sizeof *order->scratch);
    return order->words && order->scratch;
}

// Sorts the words behind those that are in order, and puts the two together.
static bool sort_words(ab_contact_order *order, ab_arena *arena)
{
    const uint32_t count = order->count, sorted = order->sorted;
    const uint64_t *first = order->words, *first_end = first + sorted;
    uint64_t *rest = ab_radix_sort_words(order->words + sorted, order->scratch + sorted, count - sorted,
                                         order->index_bits + COUNT_BITS, 2 * order->slot_bits);
    if (sorted == 0)
    {
        order->words = rest;
        return true;
    }
    const uint64_t *second = rest, *second_end = rest + (count - sorted);
    uint64_t *words = ab_arena_take(arena, (count + 1u) * sizeof *words);
    for (uint32_t i = 0; words && i < count; ++i)
    {
        const bool from_first = second == second_end || (first != first_end && *first < *second);
        words[i] = from_first ? *first++ : *second++;
    }
    order->words = words;
    return words != NULL;
}

bool ab_contact_order_sort(ab_contact_order *order, ab_arena *arena, const ab_manifolds *manifolds,
                           const ab_record *records, uint32_t places)
{
    if (!order->words || places != 0) // some collider has a higher place than the first
    {
        order->words = NULL;
        return sort_whole_keys(order, arena, manifolds, records);
    }
    return sort_words(order, arena);
}
