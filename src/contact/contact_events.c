// Writes the begin and end events of an update, with the user data of bodies and colliders. Bodies with several colliders
// may have many touching pairs: the first pair of two bodies to begin and the last to end are flagged.
#include "base/array.h"
#include "base/platform.h"
#include "contact/contact_tasks.h"

#define EVENTS_AHEAD 16u // events prefetched ahead

// Writes members in place: assembling the event on the stack and copying it stalls on store forwarding.
AB_INLINE void write_event(abut_event *to, const abut_contact *contact, const ab_contact_names *names)
{
    const abut_body a = contact->a, b = contact->b;
    const uint64_t *const user_data = names->user_data, *const collider_user_data = names->collider_user_data;
    to->a = a;
    to->b = b;
    to->collider_a = contact->collider_a;
    to->collider_b = contact->collider_b;
    to->user_data_a = user_data[a.slot];
    to->user_data_b = user_data[b.slot];
    to->collider_data_a = collider_user_data[contact->collider_a.slot];
    to->collider_data_b = collider_user_data[contact->collider_b.slot];
    to->flags = 0;
}

static uint64_t begun_key(const ab_contact_update *u, uint32_t i)
{
    return u->store->results[1 - u->store->published].keys[u->merge.begun[i]];
}

static uint64_t ended_key(const ab_contact_update *u, uint32_t i)
{
    const uint32_t origin = u->merge.ended[i];
    return origin & AB_FROM_ASLEEP ? u->store->asleep.lists.keys[origin & ~AB_FROM_ASLEEP]
                                   : u->store->results[u->store->published].keys[origin];
}

// Prefetches the inputs and the destination of a later event.
AB_INLINE void event_ahead(abut_event *to, const abut_contact *contact, uint64_t key, const uint64_t *user_data)
{
    AB_PREFETCH_TO(to);
    AB_PREFETCH(contact);
    AB_PREFETCH(&user_data[key >> 40]);
    AB_PREFETCH(&user_data[key >> 16 & 0xffffffu]);
}

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

// Flags begin events [first, end) of `now`: the first between two bodies of which no pair touched before. `asleep` are
// the sleeping pairs before this update.
static AB_APART void flag_first_begins(ab_results *now, const ab_merge *merge, const ab_merge_before *before,
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

// Flags end events [first, end) of `now`: the last between two bodies of which no awake pair touches now. `after` is
// the key of the contact that ended next, or AB_NO_KEY.
static AB_APART void flag_last_ends(ab_results *now, const ab_merge *merge, uint64_t after, uint32_t first,
                                    uint32_t end)
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

static void write_begins(ab_contact_update *u, uint32_t first, uint32_t end)
{
    ab_results *now = &u->store->results[1 - u->store->published];
    const uint32_t *const begun = u->merge.begun;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t later = i + EVENTS_AHEAD < end ? i + EVENTS_AHEAD : end - 1;
        event_ahead(&now->events[ABUT_BEGIN][later], &now->contacts[begun[later]], begun_key(u, later),
                    u->names.user_data);
        write_event(&now->events[ABUT_BEGIN][i], &now->contacts[begun[i]], &u->names);
    }
    flag_first_begins(now, &u->merge, &u->before, &u->store->asleep.lists, first, end);
}

static void write_ends(ab_contact_update *u, uint32_t first, uint32_t end)
{
    ab_results *now = &u->store->results[1 - u->store->published];
    const uint32_t *const ended = u->merge.ended;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t later = i + EVENTS_AHEAD < end ? i + EVENTS_AHEAD : end - 1;
        event_ahead(&now->events[ABUT_END][later], ab_contact_at(u->store, ended[later]), ended_key(u, later),
                    u->names.user_data);
        write_event(&now->events[ABUT_END][i], ab_contact_at(u->store, ended[i]), &u->names);
    }
    const uint64_t after = end < u->merge.ended_count ? ended_key(u, end) : AB_NO_KEY;
    flag_last_ends(now, &u->merge, after, first, end);
}

void ab_contact_events_write(void *given, uint32_t task)
{
    ab_contact_update *u = given;
    const uint32_t begun = u->merge.begun_count;
    const uint32_t first = (uint32_t)ab_partition_first(&u->events, task),
                   end = (uint32_t)ab_partition_end(&u->events, task);
    if (first < begun)
    {
        write_begins(u, first, end < begun ? end : begun);
    }
    if (end > begun)
    {
        write_ends(u, first > begun ? first - begun : 0, end - begun);
    }
}

void ab_contact_events_rejoin(ab_results *now, const ab_pair_lists *asleep)
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
