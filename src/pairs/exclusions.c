// The hash table of excluded body pairs: linear probing, deletion by moving later entries back (Knuth, volume 3,
// section 6.4), and lists by body.
#include "pairs/exclusions.h"

#include "base/array.h"
#include "base/assert.h"

#include <string.h>

#define LEAST_BITS 4u

static uint64_t key_of(uint32_t body_a, uint32_t body_b)
{
    return body_a < body_b ? (uint64_t)body_a << 32 | body_b : (uint64_t)body_b << 32 | body_a;
}

// Fibonacci hashing (Knuth, the same section): the top bits of the product with 2^64 over the golden ratio.
static uint32_t home_of(const ab_exclusions *exclusions, uint64_t key)
{
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> (64u - exclusions->bits));
}

static uint32_t after(const ab_exclusions *exclusions, uint32_t at)
{
    return (at + 1u) & (((uint32_t)1 << exclusions->bits) - 1u);
}

// The index of the key in the table, or of the empty entry where it belongs.
static uint32_t find(const ab_exclusions *exclusions, uint64_t key)
{
    uint32_t at = home_of(exclusions, key);
    while (exclusions->table[at] != 0 && exclusions->lists.keys[exclusions->table[at] - 1] != key)
    {
        at = after(exclusions, at);
    }
    return at;
}

static bool grow_table(ab_exclusions *exclusions, ab_memory *memory)
{
    const unsigned bits = exclusions->table ? exclusions->bits + 1 : LEAST_BITS;
    const size_t length = (size_t)1 << bits;
    uint32_t *table = NULL;
    if (!ab_array_reserve(table, memory, length))
    {
        return false;
    }
    AB_ASSERT(table, length);
    ab_array_set_length(table, length);
    memset(table, 0, length * sizeof *table);
    arrfree(exclusions->table);
    exclusions->table = table;
    exclusions->bits = bits;
    for (uint32_t slot = 0; slot < arrlenu(exclusions->lists.keys); ++slot)
    {
        if (exclusions->lists.keys[slot] != AB_NO_KEY)
        {
            table[find(exclusions, exclusions->lists.keys[slot])] = slot + 1;
        }
    }
    return true;
}

bool ab_exclusions_reserve_all(ab_exclusions *exclusions, ab_memory *memory, uint32_t pairs, uint32_t body_slots)
{
    const uint32_t live = exclusions->lists.live, more = pairs > live ? pairs - live : 0;
    while (2 * (size_t)pairs > arrlenu(exclusions->table))
    {
        if (!grow_table(exclusions, memory))
        {
            return false;
        }
    }
    return ab_pair_lists_reserve(&exclusions->lists, memory, more, body_slots) &&
           ab_array_reserve(exclusions->times, memory, ab_pair_lists_slots(&exclusions->lists, more));
}

bool ab_exclusions_reserve(ab_exclusions *exclusions, ab_memory *memory, uint32_t body_slots)
{
    return ab_exclusions_reserve_all(exclusions, memory, exclusions->lists.live + 1, body_slots);
}

uint32_t ab_exclusions_times(const ab_exclusions *exclusions, uint32_t body_a, uint32_t body_b)
{
    if (exclusions->lists.live == 0)
    {
        return 0;
    }
    const uint32_t entry = exclusions->table[find(exclusions, key_of(body_a, body_b))];
    return entry ? exclusions->times[entry - 1] : 0;
}

void ab_exclusions_clear(ab_exclusions *exclusions)
{
    ab_pair_lists_clear(&exclusions->lists);
    if (exclusions->table)
    {
        memset(exclusions->table, 0, arrlenu(exclusions->table) * sizeof *exclusions->table);
    }
}

void ab_exclusions_put(ab_exclusions *exclusions, uint32_t body_a, uint32_t body_b, uint32_t times)
{
    const uint64_t key = key_of(body_a, body_b);
    const ab_pair_end ends[2] = { { .body = body_a }, { .body = body_b } };
    const uint32_t at = find(exclusions, key), slot = ab_pair_lists_put(&exclusions->lists, key, ends);
    AB_ASSERT(exclusions->table[at] == 0, at);
    ab_array_set_length(exclusions->times, arrlenu(exclusions->lists.keys));
    exclusions->times[slot] = times;
    exclusions->table[at] = slot + 1;
}

void ab_exclusions_add(ab_exclusions *exclusions, uint32_t body_a, uint32_t body_b)
{
    const uint64_t key = key_of(body_a, body_b);
    const uint32_t at = find(exclusions, key);
    if (exclusions->table[at])
    {
        ++exclusions->times[exclusions->table[at] - 1];
        return;
    }
    ab_exclusions_put(exclusions, body_a, body_b, 1);
}

// Empties a table entry and moves back the entries that were displaced past it.
static void empty_place(ab_exclusions *exclusions, uint32_t gap)
{
    exclusions->table[gap] = 0;
    for (uint32_t at = after(exclusions, gap); exclusions->table[at]; at = after(exclusions, at))
    {
        const uint32_t mask = ((uint32_t)1 << exclusions->bits) - 1u;
        const uint32_t home = home_of(exclusions, exclusions->lists.keys[exclusions->table[at] - 1]);
        if (((at - home) & mask) >= ((at - gap) & mask))
        {
            exclusions->table[gap] = exclusions->table[at];
            exclusions->table[at] = 0;
            gap = at;
        }
    }
}

static void end(ab_exclusions *exclusions, uint32_t slot)
{
    empty_place(exclusions, find(exclusions, exclusions->lists.keys[slot]));
    ab_pair_lists_remove(&exclusions->lists, slot);
}

void ab_exclusions_take(ab_exclusions *exclusions, uint32_t body_a, uint32_t body_b)
{
    const uint32_t slot = exclusions->table[find(exclusions, key_of(body_a, body_b))] - 1;
    if (--exclusions->times[slot] == 0)
    {
        end(exclusions, slot);
    }
}

void ab_exclusions_forget(ab_exclusions *exclusions, uint32_t body)
{
    for (uint32_t node = ab_pair_lists_first(&exclusions->lists, body); node != ABUT_NONE;
         node = ab_pair_lists_first(&exclusions->lists, body))
    {
        end(exclusions, node / 2);
    }
}

bool ab_exclusions_concern(const ab_exclusions *exclusions, uint32_t body)
{
    return ab_pair_lists_first(&exclusions->lists, body) != ABUT_NONE;
}

void ab_exclusions_close(ab_exclusions *exclusions)
{
    ab_pair_lists_close(&exclusions->lists);
    arrfree(exclusions->times);
    arrfree(exclusions->table);
}

void ab_exclusions_check(const ab_exclusions *exclusions)
{
    ab_pair_lists_check(&exclusions->lists);
    uint32_t found = 0;
    for (uint32_t at = 0; at < arrlenu(exclusions->table); ++at)
    {
        const uint32_t entry = exclusions->table[at];
        AB_ASSERT(entry == 0 || find(exclusions, exclusions->lists.keys[entry - 1]) == at, at);
        AB_ASSERT(entry == 0 || exclusions->times[entry - 1] > 0, at);
        found += entry != 0;
    }
    AB_ASSERT(found == exclusions->lists.live, found);
}
