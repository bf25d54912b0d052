// Hands out slots of contacts and takes them back.
#include "contact/contact_pool.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"

#include <string.h>

static size_t words_for(size_t slots)
{
    return (slots + 63) / 64;
}

uint32_t ab_contact_pool_slots(const ab_contact_pool *pool)
{
    return (uint32_t)arrlenu(pool->contacts);
}

bool ab_contact_pool_lists(const ab_contact_pool *pool, abut_contact_id id)
{
    return id.slot < ab_contact_pool_slots(pool) && pool->contacts[id.slot].id.generation == id.generation &&
           pool->contacts[id.slot].point_count > 0;
}

bool ab_contact_pool_reserve_retired(ab_contact_pool *pool, ab_memory *memory, uint32_t count)
{
    return ab_array_make_room(pool->retired, memory, count);
}

bool ab_contact_pool_reserve(ab_contact_pool *pool, ab_memory *memory, size_t slots)
{
    return ab_array_reserve(pool->contacts, memory, slots) && ab_array_reserve(pool->colliders, memory, slots) &&
           ab_array_reserve(pool->impulses, memory, AB_MAX_POINTS * slots) &&
           ab_array_reserve(pool->axes, memory, slots) &&
           (!pool->follows || ab_array_reserve(pool->anchored, memory, slots)) &&
           ab_array_reserve(pool->is_free, memory, words_for(slots));
}

// When slots become more, makes room for some beyond: those of contacts that end are free only two detects later. Where
// separations follow, few end: contacts are listed as far as the recycle distance.
static bool make_room(ab_contact_pool *pool, ab_memory *memory, size_t needed)
{
    const bool beyond = arrcap(pool->contacts) < needed && !memory->sparing && !pool->follows;
    const size_t slots = beyond ? needed + needed / 16 * 3 : needed;
    return ab_array_make_room(pool->contacts, memory, slots) && ab_array_make_room(pool->colliders, memory, slots) &&
           ab_array_make_room(pool->impulses, memory, AB_MAX_POINTS * slots) &&
           ab_array_make_room(pool->axes, memory, slots) &&
           (!pool->follows || ab_array_make_room(pool->anchored, memory, slots)) &&
           ab_array_make_room(pool->is_free, memory, words_for(slots));
}

#define NEAR 16u // words of the set of free slots that are searched for one near the contact before

// The slots that may be taken, and where they are looked for.
typedef struct choice
{
    uint64_t *available; // a bit a slot
    size_t words;
    size_t lowest; // no word before this one has a bit
    size_t near;   // slots from here on are taken only when no lower one is free
    uint32_t next; // a slot past all that there are
} choice;

static uint32_t take_from(choice *c, size_t word, uint64_t bits)
{
    const uint32_t bit = ab_lowest_bit(bits);
    c->available[word] &= ~((uint64_t)1 << bit);
    return (uint32_t)(64 * word) + bit;
}

// A free slot a little past `before`, so that contacts which follow each other lie near each other; else the lowest
// one; else a new one.
static uint32_t take_slot(choice *c, uint32_t before)
{
    const size_t first = before / 64, near = first + NEAR < c->near / 64 ? first + NEAR : c->near / 64,
                 end = near < c->words ? near : c->words;
    if (first < end)
    {
        size_t word = first;
        uint64_t bits = c->available[word] & UINT64_MAX << before % 64;
        while (bits == 0 && ++word < end)
        {
            bits = c->available[word];
        }
        if (bits != 0)
        {
            return take_from(c, word, bits);
        }
    }
    while (c->lowest < c->words && c->available[c->lowest] == 0)
    {
        ++c->lowest;
    }
    return c->lowest < c->words ? take_from(c, c->lowest, c->available[c->lowest]) : c->next++;
}

static bool open_choice(choice *c, const ab_contact_pool *pool, ab_arena *arena)
{
    const size_t words = arrlenu(pool->is_free), slots = arrlenu(pool->contacts);
    const size_t used = slots - pool->free_count - arrlenu(pool->retired);
    *c = (choice){ ab_arena_take(arena, (words + 1) * sizeof *c->available), words, 0, 0, (uint32_t)slots };
    if (!c->available)
    {
        return false;
    }
    if (words > 0)
    {
        memcpy(c->available, pool->is_free, words * sizeof *c->available);
    }
    for (size_t i = 0; i < arrlenu(pool->retired); ++i)
    {
        c->available[pool->retired[i] / 64] |= (uint64_t)1 << pool->retired[i] % 64;
    }
    c->near = used + used / 4 + 64;
    return true;
}

abut_status ab_contact_pool_choose(ab_contact_pool *pool, ab_memory *memory, ab_arena *arena, const uint32_t *previous,
                                   const uint32_t *new_contacts, uint32_t new, ab_slot_exchange *out)
{
    const uint32_t slots = ab_contact_pool_slots(pool);
    choice c;
    *out = (ab_slot_exchange){ .taken = ab_arena_take(arena, (new + (size_t)1) * sizeof *out->taken) };
    if (!out->taken || !open_choice(&c, pool, arena))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0, last = 0; i < new; ++i)
    {
        const uint32_t own = new_contacts[i];
        const bool follows = own > 0 && previous[own - 1] != ABUT_NONE; // a contact that has a slot
        last = out->taken[i] = take_slot(&c, follows ? previous[own - 1] : last);
    }
    out->is_free = c.available;
    out->slots = c.next;
    out->free_count = pool->free_count + (uint32_t)arrlenu(pool->retired) - (new - (c.next - slots));
    return c.next >= INT32_MAX ? ABUT_LIMIT : make_room(pool, memory, c.next) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void set_length(ab_contact_pool *pool, size_t slots)
{
    const size_t had = arrlenu(pool->is_free), words = words_for(slots);
    ab_array_set_length(pool->contacts, slots);
    ab_array_set_length(pool->colliders, slots);
    ab_array_set_length(pool->axes, slots);
    ab_array_set_length(pool->anchored, pool->follows ? slots : 0);
    ab_array_set_length(pool->impulses, AB_MAX_POINTS * slots);
    ab_array_set_length(pool->is_free, words);
    for (size_t word = had; word < words; ++word)
    {
        pool->is_free[word] = 0;
    }
}

static bool is_free(const ab_contact_pool *pool, size_t slot)
{
    return (pool->is_free[slot / 64] >> slot % 64 & 1u) != 0;
}

static void set_free(ab_contact_pool *pool, uint32_t slot)
{
    pool->is_free[slot / 64] |= (uint64_t)1 << slot % 64;
    ++pool->free_count;
}

static void set_taken(ab_contact_pool *pool, uint32_t slot)
{
    pool->free_count -= is_free(pool, slot);
    pool->is_free[slot / 64] &= ~((uint64_t)1 << slot % 64);
}

void ab_contact_pool_exchange(ab_contact_pool *pool, const ab_slot_exchange *exchange)
{
    const size_t words = arrlenu(pool->is_free);
    set_length(pool, exchange->slots);
    if (words > 0)
    {
        memcpy(pool->is_free, exchange->is_free, words * sizeof *pool->is_free);
    }
    pool->free_count = exchange->free_count;
    ab_array_set_length(pool->retired, exchange->gone_count);
    for (uint32_t i = 0; i < exchange->gone_count; ++i)
    {
        pool->retired[i] = exchange->gone[i];
        pool->contacts[exchange->gone[i]].point_count = 0;
    }
}

bool ab_contact_pool_reset(ab_contact_pool *pool, uint32_t slots, const uint32_t *retired, uint32_t retired_count)
{
    set_length(pool, slots);
    for (size_t word = 0; word < arrlenu(pool->is_free); ++word)
    {
        pool->is_free[word] = 0;
    }
    pool->free_count = 0;
    for (uint32_t slot = 0; slot < slots; ++slot)
    {
        if (pool->contacts[slot].point_count == 0)
        {
            set_free(pool, slot);
        }
    }
    ab_array_set_length(pool->retired, retired_count);
    bool valid = true;
    for (uint32_t i = 0; i < retired_count && valid; ++i)
    {
        const uint32_t slot = retired[i];
        valid = slot < slots && is_free(pool, slot);
        pool->retired[i] = slot;
        if (valid)
        {
            set_taken(pool, slot);
        }
    }
    return valid;
}

void ab_contact_pool_cut(ab_contact_pool *pool)
{
    size_t slots = arrlenu(pool->contacts);
    for (; slots > 0 && is_free(pool, slots - 1); --slots)
    {
        const uint32_t generation = pool->contacts[slots - 1].id.generation;
        pool->dropped = generation > pool->dropped ? generation : pool->dropped;
        set_taken(pool, (uint32_t)slots - 1);
    }
    set_length(pool, slots);
}

void ab_contact_pool_trim(ab_contact_pool *pool, ab_memory *memory, size_t slots)
{
    ab_array_trim(pool->contacts, memory, slots);
    ab_array_trim(pool->colliders, memory, slots);
    ab_array_trim(pool->axes, memory, slots);
    ab_array_trim(pool->anchored, memory, slots);
    ab_array_trim(pool->impulses, memory, AB_MAX_POINTS * slots);
    ab_array_trim(pool->is_free, memory, words_for(slots));
    ab_array_trim(pool->retired, memory, 0);
}

void ab_contact_pool_close(ab_contact_pool *pool)
{
    arrfree(pool->contacts);
    arrfree(pool->colliders);
    arrfree(pool->axes);
    arrfree(pool->anchored);
    arrfree(pool->impulses);
    arrfree(pool->is_free);
    arrfree(pool->retired);
}

void ab_contact_pool_check(const ab_contact_pool *pool)
{
    const size_t slots = arrlenu(pool->contacts);
    size_t unlisted = arrlenu(pool->retired), free = 0;
    AB_ASSERT(arrlenu(pool->colliders) == slots && arrlenu(pool->impulses) == AB_MAX_POINTS * slots, slots);
    for (size_t slot = 0; slot < slots; ++slot)
    {
        AB_ASSERT(pool->contacts[slot].id.slot == slot, slot);
        free += is_free(pool, slot);
        AB_ASSERT(!is_free(pool, slot) || pool->contacts[slot].point_count == 0, slot);
        unlisted -= pool->contacts[slot].point_count == 0 && !is_free(pool, slot);
    }
    AB_ASSERT(unlisted == 0, unlisted);
    AB_ASSERT(free == pool->free_count, free);
    AB_ASSERT(slots % 64 == 0 || pool->is_free[slots / 64] >> slots % 64 == 0, slots);
}
