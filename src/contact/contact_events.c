// Writes the begin and end events of an update, with the user data of bodies and colliders. Bodies with several colliders
// may have many touching pairs: the first pair of two bodies to begin and the last to end are flagged.
#include "base/array.h"
#include "base/platform.h"
#include "contact/contact_tasks.h"

#define EVENTS_AHEAD 16u // events prefetched ahead

// Writes members in place: assembling the event on the stack and copying it stalls on store forwarding.
AB_INLINE void write_event(abut_event *to, const ab_contact_pool *pool, uint32_t slot, const ab_contact_names *names)
{
    const abut_contact *contact = &pool->contacts[slot];
    const abut_contact_colliders colliders = pool->colliders[slot];
    const abut_body a = contact->a, b = contact->b;
    const uint64_t *const user_data = names->user_data, *const collider_user_data = names->collider_user_data;
    to->a = a;
    to->b = b;
    to->collider_a = colliders.a;
    to->collider_b = colliders.b;
    to->user_data_a = user_data[a.slot];
    to->user_data_b = user_data[b.slot];
    to->collider_data_a = collider_user_data[colliders.a.slot];
    to->collider_data_b = collider_user_data[colliders.b.slot];
    to->contact = contact->id;
    to->flags = 0;
}

// Prefetches the contact of a later event, and where the event goes.
AB_INLINE void event_ahead(abut_event *to, const ab_contact_pool *pool, uint32_t slot)
{
    AB_PREFETCH_TO(to);
    AB_PREFETCH(&pool->contacts[slot]);
    AB_PREFETCH(&pool->colliders[slot]);
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
    const uint64_t *keys = before->keys;
    for (uint32_t i = position; i > 0 && bodies_of(keys[i - 1]) == bodies; --i)
    {
        if (ab_merge_touched(before, i - 1))
        {
            return true;
        }
    }
    for (uint32_t i = position; i < before->count && bodies_of(keys[i]) == bodies; ++i)
    {
        if (ab_merge_touched(before, i))
        {
            return true;
        }
    }
    return false;
}

// Flags begin events [first, end): the first between two bodies of which no pair touched before. `asleep` are
// the sleeping pairs before this update.
static AB_APART void flag_first_begins(abut_event *events, const uint64_t *keys, const ab_merge *merge,
                                       const ab_merge_before *before, const ab_pair_lists *asleep, uint32_t first,
                                       uint32_t end)
{
    // The event before the range may not be written yet; its key is known.
    uint64_t last = first > 0 ? bodies_of(keys[merge->begun[first - 1]]) : AB_NO_KEY;
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

// Whether any of the contacts of these bodies touches now. They are adjacent on both sides of `position`.
static bool touches_now(const ab_contact_store *store, const ab_contact_list *now, uint32_t position, uint64_t bodies)
{
    const abut_contact *const contacts = store->pool.contacts;
    const uint32_t count = ab_contact_list_count(now);
    for (uint32_t i = position; i > 0 && bodies_of(now->keys[i - 1]) == bodies; --i)
    {
        if ((contacts[now->slots[i - 1]].flags & ABUT_CONTACT_SPECULATIVE) == 0)
        {
            return true;
        }
    }
    for (uint32_t i = position; i < count && bodies_of(now->keys[i]) == bodies; ++i)
    {
        if ((contacts[now->slots[i]].flags & ABUT_CONTACT_SPECULATIVE) == 0)
        {
            return true;
        }
    }
    return false;
}

static uint64_t bodies_in(const ab_contact_pool *pool, uint32_t slot)
{
    return (uint64_t)pool->contacts[slot].a.slot << 24 | pool->contacts[slot].b.slot;
}

// Flags end events [first, end): the last between two bodies of which no awake pair touches now.
static AB_APART void flag_last_ends(ab_contact_update *u, uint32_t first, uint32_t end)
{
    const ab_contact_list *now = ab_contact_store_next(u->store);
    abut_event *events = u->store->events[ABUT_END];
    for (uint32_t i = first; i < end; ++i)
    {
        const uint64_t bodies = bodies_named(&events[i]);
        const bool last = i + 1 == u->merge.ended_count || bodies != bodies_in(&u->store->pool, u->merge.ended[i + 1]);
        if (last && !touches_now(u->store, now, u->merge.ended_at[i], bodies))
        {
            events[i].flags |= ABUT_EVENT_LAST;
        }
    }
}

static void write_begins(ab_contact_update *u, uint32_t first, uint32_t end)
{
    const ab_contact_list *now = ab_contact_store_next(u->store);
    const ab_contact_pool *pool = &u->store->pool;
    abut_event *events = u->store->events[ABUT_BEGIN];
    const uint32_t *const begun = u->merge.begun;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t later = i + EVENTS_AHEAD < end ? i + EVENTS_AHEAD : end - 1;
        event_ahead(&events[later], pool, now->slots[begun[later]]);
        write_event(&events[i], pool, now->slots[begun[i]], &u->names);
    }
    flag_first_begins(events, now->keys, &u->merge, &u->before, &u->store->asleep.lists, first, end);
}

static void write_ends(ab_contact_update *u, uint32_t first, uint32_t end)
{
    const ab_contact_pool *pool = &u->store->pool;
    abut_event *events = u->store->events[ABUT_END];
    const uint32_t *const ended = u->merge.ended;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t later = i + EVENTS_AHEAD < end ? i + EVENTS_AHEAD : end - 1;
        event_ahead(&events[later], pool, ended[later]);
        write_event(&events[i], pool, ended[i], &u->names);
    }
    flag_last_ends(u, first, end);
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

void ab_contact_events_rejoin(abut_event *events, const ab_pair_lists *asleep)
{
    for (uint32_t i = 0; asleep->live > 0 && i < arrlenu(events); ++i)
    {
        if ((events[i].flags & ABUT_EVENT_LAST) != 0 && ab_pair_lists_join(asleep, events[i].a.slot, events[i].b.slot))
        {
            events[i].flags &= ~(uint32_t)ABUT_EVENT_LAST;
        }
    }
}
