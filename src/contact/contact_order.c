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

// With one collider a body a key, a line and a number of points fit one word: slot a | slot b | line | points - 1.
uint32_t ab_contact_order_pack(const ab_contact_order *order, const ab_brief *briefs, uint32_t first, uint32_t end)
{
    uint64_t *const words = order->words;
    const unsigned slot_bits = order->slot_bits, line_bits = order->line_bits;
    uint64_t places = 0;
    for (uint32_t i = words ? first : end; i < end; ++i)
    {
        const uint64_t key = briefs[i].key, pair = key >> 40 << slot_bits | (key >> 16 & 0xffffffu);
        places |= key;
        words[i] = (pair << line_bits | briefs[i].line) << COUNT_BITS | (briefs[i].point_count - 1);
    }
    return places & 0xffffu;
}

static inline uint64_t key_of_word(uint64_t word, unsigned slot_bits, unsigned line_bits)
{
    const uint64_t pair = word >> (line_bits + COUNT_BITS), slot_mask = ((uint64_t)1 << slot_bits) - 1;
    return pair >> slot_bits << 40 | (pair & slot_mask) << 16;
}

static uint32_t count_points(const ab_contact_order *order, uint32_t first, uint32_t end)
{
    uint32_t points = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        points += order->points[i];
    }
    return points;
}

uint32_t ab_contact_order_unpack(const ab_contact_order *order, uint32_t first, uint32_t end)
{
    const ab_contact_order o = *order; // so that no store is taken for a change of where things lie
    const uint64_t line_mask = ((uint64_t)1 << o.line_bits) - 1;
    uint32_t points = end - first;
    if (!o.words)
    {
        return count_points(order, first, end);
    }
    for (uint32_t i = first; i < end; ++i)
    {
        const uint64_t word = o.words[i];
        const uint32_t more = (uint32_t)word & ((1u << COUNT_BITS) - 1);
        o.keys[i] = key_of_word(word, o.slot_bits, o.line_bits);
        o.line[i] = (uint32_t)(word >> COUNT_BITS & line_mask);
        o.points[i] = (uint8_t)(more + 1);
        points += more;
    }
    return points;
}

uint64_t ab_contact_order_key(const ab_contact_order *order, uint32_t i)
{
    return order->words ? key_of_word(order->words[i], order->slot_bits, order->line_bits) : order->keys[i];
}

static bool sort_whole_keys(ab_contact_order *out, ab_arena *arena, const ab_brief *briefs)
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
        entries[i] = (ab_sort_entry){ briefs[i].key, i };
    }
    entries = ab_radix_sort(entries, scratch, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        out->keys[i] = entries[i].key;
        const ab_brief *brief = &briefs[entries[i].payload];
        out->line[i] = brief->line;
        out->points[i] = (uint8_t)brief->point_count;
    }
    return true;
}

bool ab_contact_order_begin(ab_contact_order *order, ab_arena *arena, uint32_t count, uint32_t lines, uint32_t sorted,
                            uint32_t body_slots)
{
    order->count = count;
    order->sorted = sorted;
    order->slot_bits = bits_for(body_slots);
    order->line_bits = bits_for(lines);
    order->words = order->scratch = NULL;
    if (2 * order->slot_bits + order->line_bits + COUNT_BITS > 64)
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
                                         order->line_bits + COUNT_BITS, 2 * order->slot_bits);
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

bool ab_contact_order_sort(ab_contact_order *order, ab_arena *arena, const ab_brief *briefs, uint32_t places)
{
    if (!order->words || places != 0) // some collider has a higher place than the first
    {
        order->words = NULL;
        return sort_whole_keys(order, arena, briefs);
    }
    return sort_words(order, arena);
}
