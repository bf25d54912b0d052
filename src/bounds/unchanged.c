// Tells groups of bodies that need no look from those that do, by their states alone.
#include "bounds/unchanged.h"

#ifndef AB_SMALL

#include "base/array.h"

#include <string.h>

_Static_assert(AB_UNCHANGED_GROUP >= AB_WIDEST, "a kernel's vector of bodies is in one group");

bool ab_unchanged_grow(ab_unchanged *unchanged, ab_memory *memory, size_t bodies)
{
    const size_t had = arrlenu(unchanged->sides), count = (bodies + AB_UNCHANGED_GROUP - 1) / AB_UNCHANGED_GROUP;
    if (!ab_array_resize(unchanged->sides, memory, count))
    {
        return false;
    }
    if (count > had)
    {
        memset(unchanged->sides + had, 0, count - had);
    }
    return true;
}

static uint32_t end_of_group(uint32_t first, uint32_t end)
{
    return end - first < AB_UNCHANGED_GROUP ? end : first + AB_UNCHANGED_GROUP;
}

// A body that is created in a free slot is stale, whatever is known of the slot.
static bool needs_no_look(const ab_anchor_in *in, const uint8_t *known, uint32_t first, uint32_t end)
{
    const uint32_t *const states = in->states;
    uint32_t busy = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        const bool immobile = (states[i] & in->motion_mask) == in->static_motion || (states[i] & in->asleep) != 0;
        busy |= (states[i] & in->stale) | (immobile ? 0u : known[i] & (uint32_t)AB_ANCHOR_IMMOBILE);
    }
    return busy == 0;
}

static bool is_unchanged(const ab_unchanged *unchanged, const ab_anchor_in *in, const uint8_t *known, uint32_t first,
                         uint32_t end)
{
    const uint32_t sides = unchanged->sides[first / AB_UNCHANGED_GROUP];
    return (sides >> unchanged->side & 1u) != 0 && needs_no_look(in, known, first, end_of_group(first, end));
}

uint32_t ab_unchanged_skip(const ab_unchanged *unchanged, const ab_anchor_in *in, const uint8_t *known, uint32_t first,
                           uint32_t end)
{
    while (first < end && is_unchanged(unchanged, in, known, first, end))
    {
        first = end_of_group(first, end);
    }
    return first;
}

uint32_t ab_unchanged_run(const ab_unchanged *unchanged, const ab_anchor_in *in, const uint8_t *known, uint32_t first,
                          uint32_t end)
{
    while (first < end && !is_unchanged(unchanged, in, known, first, end))
    {
        first = end_of_group(first, end);
    }
    return first;
}

void ab_unchanged_note(ab_unchanged *unchanged, const ab_anchor_in *in, const uint8_t *known, uint32_t first,
                       uint32_t end)
{
    for (uint32_t next; first < end; first = next)
    {
        uint8_t *const sides = &unchanged->sides[first / AB_UNCHANGED_GROUP];
        bool immobile = true;
        next = end_of_group(first, end);
        for (uint32_t i = first; i < next && immobile; ++i)
        {
            immobile =
                (in->states[i] & in->stale) == 0 && ((known[i] & AB_ANCHOR_IMMOBILE) != 0 || in->generations[i] == 0);
        }
        *sides = (uint8_t)(immobile ? *sides | 1u << unchanged->side : 0u);
    }
}

#endif
