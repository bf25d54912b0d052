// Flags the first begin event and the last end event of each pair of bodies.
#include "contact/body_events.h"

#include "base/array.h"

static uint64_t bodies_of(uint64_t key)
{
    return key >> 16;
}

static uint64_t bodies_named(const abut_event *event)
{
    return (uint64_t)event->a.slot << 24 | event->b.slot;
}

// Whether any pair of these bodies touched before. Their pairs are adjacent in key order, on both sides of `position`.
static bool touched_before(const ab_merge_before *before, uint32_t position, uint64_t bodies)
{
    const uint64_t *keys = before->list.keys;
    for (uint32_t i = position; i > 0 && bodies_of(keys[i - 1]) == bodies; --i)
    {
        if (ab_merge_touched(before, i - 1))
        {
            return true;
        }
    }
    for (uint32_t i = position; i < before->list.count && bodies_of(keys[i]) == bodies; ++i)
    {
        if (ab_merge_touched(before, i))
        {
            return true;
        }
    }
    return false;
}

void ab_flag_first_begins(ab_results *now, const ab_merge *merge, const ab_merge_before *before,
                          const ab_pair_lists *asleep, uint32_t first, uint32_t end)
{
    abut_event *events = now->events[ABUT_BEGIN];
    // The event before the range may not be written yet; its key is known.
    uint64_t last = first > 0 ? bodies_of(now->keys[merge->begun[first - 1]]) : AB_NO_KEY;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint64_t bodies = bodies_named(&events[i]);
        if (bodies != last && !touched_before(before, merge->begun_at[i], bodies) &&
            (asleep->live == 0 || !ab_pair_lists_join(asleep, events[i].a.slot, events[i].b.slot)))
        {
            events[i].flags |= ABUT_EVENT_FIRST;
        }
        last = bodies;
    }
}

static bool touches_now(const ab_results *now, uint32_t position, uint64_t bodies)
{
    const uint32_t count = (uint32_t)arrlenu(now->contacts);
    for (uint32_t i = position; i > 0 && bodies_of(now->keys[i - 1]) == bodies; --i)
    {
        if ((now->contacts[i - 1].flags & ABUT_CONTACT_SPECULATIVE) == 0)
        {
            return true;
        }
    }
    for (uint32_t i = position; i < count && bodies_of(now->keys[i]) == bodies; ++i)
    {
        if ((now->contacts[i].flags & ABUT_CONTACT_SPECULATIVE) == 0)
        {
            return true;
        }
    }
    return false;
}

void ab_flag_last_ends(ab_results *now, const ab_merge *merge, uint64_t after, uint32_t first, uint32_t end)
{
    abut_event *events = now->events[ABUT_END];
    for (uint32_t i = first; i < end; ++i)
    {
        const uint64_t bodies = bodies_named(&events[i]);
        const bool last = bodies != (i + 1 < end ? bodies_named(&events[i + 1]) : bodies_of(after));
        if (last && !touches_now(now, merge->ended_at[i], bodies))
        {
            events[i].flags |= ABUT_EVENT_LAST;
        }
    }
}

void ab_flag_rejoined_ends(ab_results *now, const ab_pair_lists *asleep)
{
    abut_event *events = now->events[ABUT_END];
    for (uint32_t i = 0; asleep->live > 0 && i < arrlenu(events); ++i)
    {
        if ((events[i].flags & ABUT_EVENT_LAST) != 0 && ab_pair_lists_join(asleep, events[i].a.slot, events[i].b.slot))
        {
            events[i].flags &= ~(uint32_t)ABUT_EVENT_LAST;
        }
    }
}
