#include "contact/references.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"

// Of `taken`, how many take slots that are free.
static uint32_t count_reused(const ab_references *references, uint32_t taken)
{
    const size_t unused = arrlenu(references->free);
    return taken < unused ? taken : (uint32_t)unused;
}

static size_t words_for(size_t slots)
{
    return (slots + 63) / 64;
}

bool ab_references_make_room(ab_references *references, ab_memory *memory, size_t slots)
{
    return ab_array_reserve(references->data, memory, slots) && ab_array_reserve(references->free, memory, slots) &&
           ab_array_reserve(references->is_free, memory, words_for(slots));
}

bool ab_references_reserve(ab_references *references, ab_memory *memory, uint32_t taken, uint32_t given_up)
{
    const size_t slots = arrlenu(references->data), unused = arrlenu(references->free);
    const uint32_t reused = count_reused(references, taken);
    references->stride = reused > 0 ? ((uint64_t)unused << 32) / reused : 0;
    const bool made = ab_array_resize(references->data, memory, slots + taken - reused) &&
                      ab_array_resize(references->free, memory, unused - reused + given_up) &&
                      ab_array_resize(references->is_free, memory, words_for(slots + taken - reused));
    ab_array_set_length(references->data, slots);
    ab_array_set_length(references->free, unused);
    ab_array_set_length(references->is_free, words_for(slots));
    return made;
}

uint32_t ab_references_slot(const ab_references *references, uint32_t taken, uint32_t which)
{
    const uint32_t reused = count_reused(references, taken);
    return which < reused ? references->free[which * references->stride >> 32]
                          : (uint32_t)arrlenu(references->data) + which - reused;
}

static void mark(ab_references *references, uint32_t slot)
{
    references->is_free[slot / 64] ^= (uint64_t)1 << slot % 64;
}

// Lists the slots that are marked, of which there are so many.
static void list_free(ab_references *references, size_t count)
{
    uint32_t listed = 0;
    ab_array_set_length(references->free, count);
    for (size_t word = 0; word < arrlenu(references->is_free); ++word)
    {
        for (uint64_t left = references->is_free[word]; left != 0; left &= left - 1)
        {
            references->free[listed++] = (uint32_t)(64 * word) + ab_lowest_bit(left);
        }
    }
    AB_ASSERT(listed == count, listed);
}

void ab_references_exchange(ab_references *references, uint32_t taken, const uint32_t *given_up,
                            uint32_t given_up_count)
{
    const uint32_t reused = count_reused(references, taken);
    const size_t words = arrlenu(references->is_free), slots = arrlenu(references->data) + taken - reused;
    for (uint32_t i = 0; i < reused; ++i)
    {
        mark(references, ab_references_slot(references, taken, i));
    }
    ab_array_set_length(references->data, slots);
    ab_array_set_length(references->is_free, words_for(slots));
    for (size_t word = words; word < words_for(slots); ++word)
    {
        references->is_free[word] = 0;
    }
    for (uint32_t i = 0; i < given_up_count; ++i)
    {
        mark(references, given_up[i]);
    }
    list_free(references, arrlenu(references->free) - reused + given_up_count);
}

void ab_references_close(ab_references *references)
{
    arrfree(references->data);
    arrfree(references->free);
    arrfree(references->is_free);
}

void ab_references_check(const ab_references *references, const ab_results *published)
{
    size_t named = 0;
    for (size_t i = 0; i < arrlenu(published->remembered); ++i)
    {
        const uint32_t slot = published->remembered[i].reference;
        AB_ASSERT(slot == ABUT_NONE || slot < arrlenu(references->data), slot);
        named += slot != ABUT_NONE;
    }
    AB_ASSERT(named + arrlenu(references->free) == arrlenu(references->data), named);
    for (size_t i = 0; i < arrlenu(references->free); ++i)
    {
        const uint32_t slot = references->free[i];
        AB_ASSERT(i == 0 || references->free[i - 1] < slot, slot);
        AB_ASSERT((references->is_free[slot / 64] >> slot % 64 & 1) == 1, slot);
    }
}
