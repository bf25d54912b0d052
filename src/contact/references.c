#include "contact/references.h"

#include "base/array.h"
#include "base/assert.h"

#define WANTED (ABUT_NONE - 1u)

bool ab_references_reserve(ab_references *references, ab_memory *memory, uint32_t count)
{
    return ab_array_reserve(references->data, memory, count) && ab_array_reserve(references->free, memory, count);
}

static uint32_t take_slot(ab_references *references)
{
    const size_t unused = arrlenu(references->free), slots = arrlenu(references->data);
    if (unused > 0)
    {
        ab_array_set_length(references->free, unused - 1);
        return references->free[unused - 1];
    }
    ab_array_set_length(references->data, slots + 1);
    return (uint32_t)slots;
}

static void give_slot(ab_references *references, uint32_t slot)
{
    const size_t unused = arrlenu(references->free);
    ab_array_set_length(references->free, unused + 1);
    references->free[unused] = slot;
}

// Each slot is named by one old contact at most, and the old contact is nobody's but one new one's previous.
void ab_references_pass_on(ab_references *references, ab_results *now, ab_results *before, const uint32_t *previous)
{
    const size_t count = arrlenu(now->remembered);
    for (size_t i = 0; i < count; ++i)
    {
        const uint32_t origin = previous[i];
        const bool had =
            origin != ABUT_NONE && (origin & AB_FROM_RESTING) == 0 && before->remembered[origin].reference != ABUT_NONE;
        if (now->remembered[i].reference != ABUT_NONE)
        {
            now->remembered[i].reference = had ? before->remembered[origin].reference : WANTED;
            if (had)
            {
                before->remembered[origin].reference = ABUT_NONE;
            }
        }
    }
    for (size_t i = 0; i < arrlenu(before->remembered); ++i)
    {
        if (before->remembered[i].reference != ABUT_NONE)
        {
            give_slot(references, before->remembered[i].reference);
            before->remembered[i].reference = ABUT_NONE;
        }
    }
    for (size_t i = 0; i < count; ++i)
    {
        now->remembered[i].reference =
            now->remembered[i].reference == WANTED ? take_slot(references) : now->remembered[i].reference;
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
