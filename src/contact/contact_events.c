// Writes the begin and end events of an update, with the user data of bodies and colliders.
#include "base/platform.h"
#include "contact/body_events.h"
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
    ab_flag_first_begins(now, &u->merge, &u->before, &u->store->asleep.lists, first, end);
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
    ab_flag_last_ends(now, &u->merge, after, first, end);
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
