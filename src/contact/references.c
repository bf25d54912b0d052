#include "contact/references.h"

#include "base/array.h"
#include "base/assert.h"

#include <string.h>

// Of `taken`, how many take slots that are free.
static uint32_t count_reused(const ab_references *references, uint32_t taken)
{
    const size_t unused = arrlenu(references->free);
    return taken < unused ? taken : (uint32_t)unused;
}

bool ab_references_reserve(ab_references *references, ab_memory *memory, uint32_t taken, uint32_t given_up)
{
    const size_t slots = arrlenu(references->data), unused = arrlenu(references->free);
    const uint32_t reused = count_reused(references, taken);
    const bool made = ab_array_resize(references->data, memory, slots + taken - reused) &&
                      ab_array_resize(references->free, memory, unused - reused + given_up);
    ab_array_set_length(references->data, slots);
    ab_array_set_length(references->free, unused);
    return made;
}

uint32_t ab_references_slot(const ab_references *references, uint32_t taken, uint32_t which)
{
    const uint32_t reused = count_reused(references, taken);
    const size_t first = arrlenu(references->free) - reused;
    return which < reused ? references->free[first + which] : (uint32_t)arrlenu(references->data) + which - reused;
}

void ab_references_exchange(ab_references *references, uint32_t taken, const uint32_t *given_up,
                            uint32_t given_up_count)
{
    const uint32_t reused = count_reused(references, taken);
    const size_t unused = arrlenu(references->free) - reused;
    ab_array_set_length(references->data, arrlenu(references->data) + taken - reused);
    ab_array_set_length(references->free, unused + given_up_count);
    if (given_up_count > 0)
    {
        memcpy(references->free + unused, given_up, given_up_count * sizeof *given_up);
    }
}

void ab_references_close(ab_references *references)
{
    arrfree(references->data);
    arrfree(references->free);
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
}
