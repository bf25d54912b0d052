// Sorts manifolds by pair key with a radix sort.
#include "contact/contact_order.h"

#include "base/platform.h"
#include "pairs/pair_index.h"

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

#define CHILD_AT 32u // in the second word of a manifold that has two

// Manifolds that one thread sorts as a whole; above it, dividing the sort pays even on one thread.
#define MOST_WHOLE 131072u

static bool take_room(ab_contact_order *order, ab_arena *arena)
{
    const size_t bytes = (order->partition.count + 1) * order->sort.width * sizeof *order->sort.from;
    order->sort.from = ab_arena_take(arena, bytes);
    order->sort.to = ab_arena_take(arena, bytes);
    return order->sort.from && order->sort.to;
}

bool ab_contact_order_begin(ab_contact_order *order, ab_arena *arena, const ab_partition *partition,
                            bool single_threaded, uint32_t body_slots)
{
    const unsigned slot_bits = bits_for(body_slots), found_bits = bits_for(partition->count);
    order->count = (uint32_t)partition->count;
    order->slot_bits = slot_bits;
    order->found_bits = found_bits;
    order->rest = NULL;
    order->divided = partition->tasks > 1 && (!single_threaded || partition->count > MOST_WHOLE);
    order->partition = *partition;
    order->sort = (ab_radix){
        .width = 1,
        .shift = found_bits,
        .bits = 2 * slot_bits,
        .parts = partition->tasks,
        .chunk = (uint32_t)partition->chunk,
    };
    if (order->divided)
    {
        order->sort.places = ab_arena_take(arena, partition->tasks * sizeof *order->sort.places);
        if (!order->sort.places)
        {
            return false;
        }
    }
    return 2 * slot_bits + found_bits > 64 || take_room(order, arena);
}

static void count_part(const ab_contact_order *order, uint32_t task)
{
    if (order->divided)
    {
        ab_radix_count(&order->sort, task, ab_partition_first(&order->partition, task),
                       ab_partition_end(&order->partition, task));
    }
}

// With one collider per body, a pair key and the index of a manifold fit one word: slot a | slot b | index.
uint32_t ab_contact_order_pack(const ab_contact_order *order, const ab_manifold_entry *entries, uint32_t task)
{
    uint64_t *const words = order->sort.from;
    const unsigned slot_bits = order->slot_bits, found_bits = order->found_bits;
    const uint32_t end = (uint32_t)ab_partition_end(&order->partition, task);
    uint32_t ordinals = 0;
    if (!words)
    {
        return UINT32_MAX;
    }
    for (uint32_t i = (uint32_t)ab_partition_first(&order->partition, task); i < end; ++i)
    {
        const uint32_t key_a = entries[i].key_a, key_b = entries[i].key_b;
        const uint64_t pair = (uint64_t)(key_a >> 8) << slot_bits | key_b >> 8;
        ordinals |= key_a | key_b;
        words[i] = pair << found_bits | i;
    }
    count_part(order, task);
    return ordinals & 0xffu;
}

bool ab_contact_order_choose(ab_contact_order *order, ab_arena *arena, uint32_t ordinals, uint32_t *tasks)
{
    if (order->sort.from && ordinals == 0 && !(AB_HAS_CHILDREN && order->child))
    {
        return true;
    }
    // Some collider has an ordinal above 0, or some contact a child, or there are too many slots: sort the whole key,
    // with child << 32 | index.
    order->sort.width = 2;
    order->sort.shift = 0;
    order->sort.bits = order->slot_bits + 40;
    *tasks = order->partition.tasks;
    return take_room(order, arena);
}

void ab_contact_order_repack(const ab_contact_order *order, const ab_manifold_entry *entries, uint32_t task)
{
    const uint32_t end = (uint32_t)ab_partition_end(&order->partition, task);
    for (uint32_t i = (uint32_t)ab_partition_first(&order->partition, task); i < end; ++i)
    {
        order->sort.from[2 * (size_t)i] = ab_pair_key(entries[i].key_a, entries[i].key_b);
        const uint64_t child = entries[i].child_points >> AB_CHILD_SHIFT;
        order->sort.from[2 * (size_t)i + 1] = child << CHILD_AT | i;
    }
    count_part(order, task);
}

uint32_t ab_contact_order_prepare_deal(ab_contact_order *order)
{
    ab_radix *sort = &order->sort;
    if (!order->divided)
    {
        order->rest = ab_radix_sort_all(sort, order->partition.count);
        return 0;
    }
    ab_radix_place(sort);
    order->rest = sort->to;
    return order->partition.tasks;
}

void ab_contact_order_deal(const ab_contact_order *order, uint32_t task)
{
    ab_radix_deal(&order->sort, task, ab_partition_first(&order->partition, task),
                  ab_partition_end(&order->partition, task));
}

uint32_t ab_contact_order_prepare_finish(const ab_contact_order *order)
{
    return order->divided ? order->sort.tasks : 0;
}

uint32_t *ab_contact_order_spare(const ab_contact_order *order)
{
    const ab_radix *sort = &order->sort;
    _Static_assert(sizeof *sort->from == 2 * sizeof(uint32_t), "a word has room for two");
    return (uint32_t *)(void *)(order->rest == sort->from ? sort->to : sort->from);
}

static inline uint64_t key_of_word(uint64_t word, unsigned slot_bits, unsigned found_bits)
{
    const uint64_t pair = word >> found_bits, slot_mask = ((uint64_t)1 << slot_bits) - 1;
    return pair >> slot_bits << 40 | (pair & slot_mask) << 16;
}

// The key of sorted manifold `i`, still packed.
AB_INLINE uint64_t packed_key(const ab_contact_order *order, size_t i)
{
    return order->sort.width == 1 ? key_of_word(order->rest[i], order->slot_bits, order->found_bits)
                                  : order->rest[2 * i];
}

// A loop of which compilers make vectors.
static void unpack_words(const uint64_t *restrict words, uint32_t count, unsigned slot_bits, unsigned found_bits,
                         uint64_t *restrict keys, uint32_t *restrict found)
{
    const uint64_t found_mask = ((uint64_t)1 << found_bits) - 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        keys[i] = key_of_word(words[i], slot_bits, found_bits);
        found[i] = (uint32_t)(words[i] & found_mask);
    }
}

AB_INLINE void unpack_entry(const ab_contact_order *order, const uint64_t *entry, uint32_t i)
{
    order->keys[i] = entry[0];
    order->found[i] = (uint32_t)entry[1];
    if (AB_HAS_CHILDREN && order->child)
    {
        order->child[i] = (uint32_t)(entry[1] >> CHILD_AT);
    }
}

void ab_contact_order_unpack(const ab_contact_order *order, uint32_t first, uint32_t end)
{
    const ab_contact_order o = *order; // a copy: the compiler need not assume that stores change it
    if (!o.rest || first == end)
    {
        return;
    }
    if (o.sort.width == 1)
    {
        unpack_words(o.rest + first, end - first, o.slot_bits, o.found_bits, o.keys + first, o.found + first);
        return;
    }
    for (uint32_t i = first; i < end; ++i)
    {
        unpack_entry(&o, &o.rest[2 * (size_t)i], i);
    }
}

// Heap sort of the second words of a run.
static void sort_run(uint64_t *run, uint32_t count)
{
    for (uint32_t built = count / 2, left = count; left > 1;)
    {
        uint64_t top;
        if (built > 0)
        {
            top = run[2 * (size_t)--built + 1];
        }
        else
        {
            top = run[2 * (size_t)--left + 1];
            run[2 * (size_t)left + 1] = run[1];
        }
        uint32_t at = built;
        for (uint32_t child = 2 * at + 1; child < left; child = 2 * at + 1)
        {
            child += child + 1 < left && run[2 * (size_t)child + 3] > run[2 * (size_t)child + 1];
            if (run[2 * (size_t)child + 1] <= top)
            {
                break;
            }
            run[2 * (size_t)at + 1] = run[2 * (size_t)child + 1];
            at = child;
        }
        run[2 * (size_t)at + 1] = top;
    }
}

void ab_contact_order_by_child(const ab_contact_order *order)
{
    uint64_t *const words = order->rest;
    const size_t count = order->partition.count;
    for (size_t i = 0, end; words && i < count; i = end)
    {
        for (end = i + 1; end < count && words[2 * end] == words[2 * i];)
        {
            ++end;
        }
        sort_run(words + 2 * i, (uint32_t)(end - i));
    }
}

uint64_t ab_contact_order_key(const ab_contact_order *order, uint32_t i)
{
    return order->rest ? packed_key(order, i) : order->keys[i];
}
