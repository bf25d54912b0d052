#include "contact/contact_order.h"

#include "base/platform.h"

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

static bool take_room(ab_contact_order *order, ab_arena *arena)
{
    const size_t bytes = (order->count + (size_t)1) * order->sort.width * sizeof *order->sort.from;
    order->sort.from = ab_arena_take(arena, bytes);
    order->sort.to = ab_arena_take(arena, bytes);
    return order->sort.from && order->sort.to;
}

bool ab_contact_order_begin(ab_contact_order *order, ab_arena *arena, const ab_cut *cut, bool alone, uint32_t lines,
                            uint32_t sorted, uint32_t body_slots)
{
    const unsigned slot_bits = bits_for(body_slots), line_bits = bits_for(lines);
    order->count = (uint32_t)cut->count;
    order->sorted = sorted;
    order->slot_bits = slot_bits;
    order->line_bits = line_bits;
    order->rest = NULL;
    order->divided = cut->tasks > 1 && !alone;
    order->cut = *cut;
    order->sort = (ab_radix){
        .width = 1,
        .shift = line_bits + COUNT_BITS,
        .bits = 2 * slot_bits,
        .skip = sorted,
        .parts = cut->tasks,
        .chunk = (uint32_t)cut->chunk,
    };
    if (order->divided)
    {
        order->sort.places = ab_arena_take(arena, cut->tasks * sizeof *order->sort.places);
        if (!order->sort.places)
        {
            return false;
        }
    }
    return 2 * slot_bits + line_bits + COUNT_BITS > 64 || take_room(order, arena);
}

// Where the part begins of what is not in order yet.
static size_t first_of(const ab_contact_order *order, uint32_t task)
{
    const size_t first = ab_cut_first(&order->cut, task);
    return first > order->sorted ? first : order->sorted;
}

static void count_part(const ab_contact_order *order, uint32_t task)
{
    if (order->divided)
    {
        ab_radix_count(&order->sort, task, first_of(order, task), ab_cut_end(&order->cut, task));
    }
}

// With one collider a body a key, a line and a number of points fit one word: slot a | slot b | line | points - 1.
uint32_t ab_contact_order_pack(const ab_contact_order *order, const ab_brief *briefs, uint32_t task)
{
    uint64_t *const words = order->sort.from;
    const unsigned slot_bits = order->slot_bits, line_bits = order->line_bits;
    const uint32_t end = (uint32_t)ab_cut_end(&order->cut, task);
    uint64_t places = 0;
    if (!words)
    {
        return 0;
    }
    for (uint32_t i = (uint32_t)ab_cut_first(&order->cut, task); i < end; ++i)
    {
        const uint64_t key = briefs[i].key, pair = key >> 40 << slot_bits | (key >> 16 & 0xffffffu);
        places |= key;
        words[i] = (pair << line_bits | briefs[i].line) << COUNT_BITS | (briefs[i].point_count - 1);
    }
    count_part(order, task);
    return places & 0xffffu;
}

bool ab_contact_order_choose(ab_contact_order *order, ab_arena *arena, uint32_t places, uint32_t *tasks)
{
    if (order->sort.from && places == 0)
    {
        return true;
    }
    // Some collider has a higher place than the first, or slots are many: a whole key, and line << 8 | points.
    order->sort.width = 2;
    order->sort.shift = 0;
    order->sort.bits = order->slot_bits + 40;
    *tasks = order->cut.tasks;
    return take_room(order, arena);
}

void ab_contact_order_repack(const ab_contact_order *order, const ab_brief *briefs, uint32_t task)
{
    const uint32_t end = (uint32_t)ab_cut_end(&order->cut, task);
    for (uint32_t i = (uint32_t)ab_cut_first(&order->cut, task); i < end; ++i)
    {
        order->sort.from[2 * (size_t)i] = briefs[i].key;
        order->sort.from[2 * (size_t)i + 1] = (uint64_t)briefs[i].line << 8 | briefs[i].point_count;
    }
    count_part(order, task);
}

uint32_t ab_contact_order_prepare_deal(ab_contact_order *order)
{
    ab_radix *sort = &order->sort;
    const size_t skipped = (size_t)order->sorted * sort->width;
    if (!order->divided)
    {
        order->rest = ab_radix_sort_all(sort, order->count);
        return 0;
    }
    ab_radix_place(sort);
    order->rest = sort->to + skipped;
    return order->cut.tasks;
}

void ab_contact_order_deal(const ab_contact_order *order, uint32_t task)
{
    ab_radix_deal(&order->sort, task, first_of(order, task), ab_cut_end(&order->cut, task));
}

uint32_t ab_contact_order_prepare_finish(const ab_contact_order *order)
{
    return order->divided ? order->sort.tasks : 0;
}

static inline uint64_t key_of_word(uint64_t word, unsigned slot_bits, unsigned line_bits)
{
    const uint64_t pair = word >> (line_bits + COUNT_BITS), slot_mask = ((uint64_t)1 << slot_bits) - 1;
    return pair >> slot_bits << 40 | (pair & slot_mask) << 16;
}

// How many of the first `place` patches in order are of those that were in order from the start.
static uint32_t count_sorted_before(const ab_contact_order *order, uint32_t place)
{
    const size_t width = order->sort.width;
    const uint32_t others = order->count - order->sorted;
    uint32_t low = place > others ? place - others : 0, high = place < order->sorted ? place : order->sorted;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const bool earlier = order->sort.from[middle * width] < order->rest[(place - middle - 1) * width];
        low = earlier ? middle + 1 : low;
        high = earlier ? high : middle;
    }
    return low;
}

// Both lists from a place in the whole on, as far as they go.
typedef struct woven
{
    const uint64_t *sorted, *sorted_end, *rest, *rest_end;
} woven;

static woven weave_from(const ab_contact_order *order, uint32_t place)
{
    const size_t width = order->sort.width, before = count_sorted_before(order, place);
    return (woven){
        .sorted = order->sort.from + before * width,
        .sorted_end = order->sort.from + order->sorted * width,
        .rest = order->rest + (place - before) * width,
        .rest_end = order->rest + (order->count - order->sorted) * width,
    };
}

AB_INLINE const uint64_t *next_of(woven *w, size_t width)
{
    const bool from_sorted = w->rest == w->rest_end || (w->sorted != w->sorted_end && *w->sorted < *w->rest);
    const uint64_t *element = from_sorted ? w->sorted : w->rest;
    w->sorted += from_sorted ? width : 0;
    w->rest += from_sorted ? 0 : width;
    return element;
}

// Each gives its number of points less one.
AB_INLINE uint32_t unpack_word(const ab_contact_order *order, uint64_t word, uint32_t i)
{
    const uint64_t line_mask = ((uint64_t)1 << order->line_bits) - 1;
    const uint32_t more = (uint32_t)word & ((1u << COUNT_BITS) - 1);
    order->keys[i] = key_of_word(word, order->slot_bits, order->line_bits);
    order->line[i] = (uint32_t)(word >> COUNT_BITS & line_mask);
    order->points[i] = (uint8_t)(more + 1);
    return more;
}

AB_INLINE uint32_t unpack_entry(const ab_contact_order *order, const uint64_t *entry, uint32_t i)
{
    order->keys[i] = entry[0];
    order->line[i] = (uint32_t)(entry[1] >> 8);
    order->points[i] = (uint8_t)entry[1];
    return (uint32_t)(entry[1] & 0xffu) - 1;
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
    uint32_t points = end - first;
    if (!o.rest)
    {
        return count_points(order, first, end);
    }
    if (o.sorted == 0 && o.sort.width == 1)
    {
        for (uint32_t i = first; i < end; ++i)
        {
            points += unpack_word(&o, o.rest[i], i);
        }
        return points;
    }
    woven both = weave_from(order, first);
    for (uint32_t i = first; i < end; ++i)
    {
        const uint64_t *element = next_of(&both, o.sort.width);
        points += o.sort.width == 1 ? unpack_word(&o, *element, i) : unpack_entry(&o, element, i);
    }
    return points;
}

uint64_t ab_contact_order_key(const ab_contact_order *order, uint32_t i)
{
    if (!order->rest)
    {
        return order->keys[i];
    }
    woven both = weave_from(order, i);
    const uint64_t first = *next_of(&both, order->sort.width);
    return order->sort.width == 1 ? key_of_word(first, order->slot_bits, order->line_bits) : first;
}
