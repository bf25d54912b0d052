// Writes the begin and end events of an update, with the user data of bodies and colliders. Bodies with several
// colliders may have many touching pairs: the first pair of two bodies to begin and the last to end are flagged.
#include "base/array.h"
#include "base/platform.h"
#include "contact/contact_tasks.h"

#define EVENTS_AHEAD 24u // how many events ahead user data is prefetched; contacts are twice as far

// What events are made from. By value: the compiler need not assume that stores change it.
typedef struct event_sources
{
    const abut_contact *contacts;
    const abut_contact_colliders *colliders;
    const uint64_t *user_data, *collider_user_data;
} event_sources;

// Writes members in place: assembling the event on the stack and copying it stalls on store forwarding.
AB_INLINE void write_event(abut_event *to, const event_sources *from, uint32_t slot, uint32_t flags)
{
    const abut_contact *contact = &from->contacts[slot];
    const abut_contact_colliders colliders = from->colliders[slot];
    const abut_body a = contact->a, b = contact->b;
    to->a = a;
    to->b = b;
    to->collider_a = colliders.a;
    to->collider_b = colliders.b;
    to->user_data_a = from->user_data[a.slot];
    to->user_data_b = from->user_data[b.slot];
    to->collider_data_a = from->collider_user_data[colliders.a.slot];
    to->collider_data_b = from->collider_user_data[colliders.b.slot];
    to->contact = contact->id;
    to->flags = flags;
}

// Prefetches the contact of a later event.
AB_INLINE void contact_ahead(const event_sources *from, uint32_t slot)
{
    AB_PREFETCH(&from->contacts[slot]);
    AB_PREFETCH(&from->colliders[slot]);
}

// Prefetches what an event reads whose contact is in cache, and where it goes.
AB_INLINE void event_ahead(abut_event *to, const event_sources *from, uint32_t slot)
{
    const abut_contact *contact = &from->contacts[slot];
    const abut_contact_colliders *colliders = &from->colliders[slot];
    AB_PREFETCH_TO(to);
    AB_PREFETCH(&from->user_data[contact->a.slot]);
    AB_PREFETCH(&from->user_data[contact->b.slot]);
    AB_PREFETCH(&from->collider_user_data[colliders->a.slot]);
    AB_PREFETCH(&from->collider_user_data[colliders->b.slot]);
}

// The contacts of begins or ends, in order. By value, likewise.
typedef struct event_contacts
{
    const ab_event_entry *joined; // where manifolds are recycled; NULL elsewhere, where the next two count
    const uint32_t *index;        // indices in `slots`; if that is NULL, slots
    const uint32_t *slots;        // of the contacts that were found
} event_contacts;

AB_INLINE ab_event_entry contact_of(const event_contacts *contacts, uint32_t i)
{
    if (contacts->joined)
    {
        return contacts->joined[i];
    }
    const uint32_t index = contacts->index[i];
    return (ab_event_entry){ contacts->slots ? contacts->slots[index] : index, false };
}

// Joins the begins or ends of the contacts that were merged and of those that are kept, in order. All contacts of two
// bodies are of one sort.
static void join_events(const ab_contact_update *u, const event_contacts *merged, uint32_t merged_count,
                        const uint32_t *kept, uint32_t kept_count, ab_event_entry *out)
{
    const ab_contact_list last = *ab_contact_store_now(u->store);
    uint32_t k = 0;
    for (uint32_t i = 0; i < merged_count; ++i)
    {
        const ab_event_entry own = contact_of(merged, i);
        const uint64_t bodies = ab_bodies_in(&u->store->pool, own.slot);
        for (; k < kept_count && last.keys[kept[k]] >> 16 < bodies; ++k)
        {
            out[i + k] = (ab_event_entry){ last.slots[kept[k]], true };
        }
        out[i + k] = own;
    }
    for (; k < kept_count; ++k)
    {
        out[merged_count + k] = (ab_event_entry){ last.slots[kept[k]], true };
    }
}

bool ab_contact_events_reserve(ab_contact_update *u)
{
    abut_event **const events = u->store->events;
    if (u->kept)
    {
        u->begins = ab_arena_take(u->arena, (ab_begins(u) + (size_t)1) * sizeof *u->begins);
        u->ends = ab_arena_take(u->arena, (ab_ends(u) + (size_t)1) * sizeof *u->ends);
    }
    return (!u->kept || (u->begins && u->ends)) && ab_array_make_room(events[ABUT_BEGIN], u->memory, ab_begins(u)) &&
           ab_array_make_room(events[ABUT_END], u->memory, ab_ends(u));
}

void ab_contact_events_join(ab_contact_update *u)
{
    const ab_merge *merge = &u->merge;
    if (u->kept)
    {
        const event_contacts begun = { NULL, merge->begun, u->found.slots }, ended = { NULL, merge->ended, NULL };
        join_events(u, &begun, merge->begun_count, u->kept->begun, u->kept->begun_count, u->begins);
        join_events(u, &ended, merge->ended_count, u->kept->ended, u->kept->ended_count, u->ends);
    }
    ab_array_set_length(u->store->events[ABUT_BEGIN], ab_begins(u));
    ab_array_set_length(u->store->events[ABUT_END], ab_ends(u));
}

// Whether any contact of these bodies, which was not kept, touched before. `at`: where the search begins, and ends.
static bool touched_before(const ab_merge_before *before, uint32_t *at, uint64_t bodies)
{
    *at = ab_key_position(before->keys, before->count, *at, bodies << 16);
    for (uint32_t i = *at; i < before->count && before->keys[i] >> 16 == bodies; ++i)
    {
        if (ab_merge_touched(before, i))
        {
            return true;
        }
    }
    return false;
}

// The same of contacts that were found, now.
static bool touches_now(const ab_contact_update *u, uint32_t *at, uint64_t bodies)
{
    const uint64_t *const keys = u->found.keys;
    const uint32_t count = u->order.count;
    *at = ab_key_position(keys, count, *at, bodies << 16);
    for (uint32_t i = *at; i < count && keys[i] >> 16 == bodies; ++i)
    {
        if ((u->store->pool.contacts[u->found.slots[i]].flags & ABUT_CONTACT_SPECULATIVE) == 0)
        {
            return true;
        }
    }
    return false;
}

// Events [first, end) of these contacts, all with the flag.
AB_INLINE void write_events(const ab_contact_update *u, event_contacts contacts, abut_event *events, uint32_t first,
                            uint32_t end, uint32_t flag)
{
    const event_sources from = { u->store->pool.contacts, u->store->pool.colliders, u->names.user_data,
                                 u->names.collider_user_data };
    for (uint32_t i = first; i < end; ++i)
    {
        if (AB_PREFETCHES)
        {
            const uint32_t last = end - 1, soon = i + EVENTS_AHEAD < last ? i + EVENTS_AHEAD : last,
                           later = soon + EVENTS_AHEAD < last ? soon + EVENTS_AHEAD : last;
            contact_ahead(&from, contact_of(&contacts, later).slot);
            event_ahead(&events[soon], &from, contact_of(&contacts, soon).slot);
        }
        write_event(&events[i], &from, contact_of(&contacts, i).slot, flag);
    }
}

static uint64_t bodies_named(const abut_event *event)
{
    return (uint64_t)event->a.slot << 24 | event->b.slot;
}

static bool touched_already(const ab_contact_update *u, bool kept, uint32_t *at, uint64_t bodies)
{
    return u->store->several && (kept ? ab_kept_touch(u->kept, true, bodies) : touched_before(&u->before, at, bodies));
}

// Clears the flag of begin events that are not the first of two bodies, or whose bodies touched before, perhaps asleep.
static AB_APART void check_first_begins(const ab_contact_update *u, const event_contacts *contacts, uint32_t first,
                                        uint32_t end)
{
    const ab_pair_lists *asleep = &u->store->asleep.lists;
    abut_event *const events = u->store->events[ABUT_BEGIN];
    // The event before the range may not be written yet.
    uint64_t last = first > 0 ? ab_bodies_in(&u->store->pool, contact_of(contacts, first - 1).slot) : UINT64_MAX;
    uint32_t at = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint64_t bodies = bodies_named(&events[i]);
        if (bodies == last || touched_already(u, contact_of(contacts, i).kept, &at, bodies) ||
            (asleep->live > 0 && ab_pair_lists_join(asleep, events[i].a.slot, events[i].b.slot)))
        {
            events[i].flags &= ~(uint32_t)ABUT_EVENT_FIRST;
        }
        last = bodies;
    }
}

// Clears the flag of end events that are not the last of two bodies, or whose bodies touch with other colliders.
static AB_APART void check_last_ends(const ab_contact_update *u, const event_contacts *contacts, uint32_t first,
                                     uint32_t end)
{
    abut_event *const events = u->store->events[ABUT_END];
    uint32_t at = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint64_t bodies = bodies_named(&events[i]);
        const ab_event_entry own = contact_of(contacts, i);
        if ((i + 1 < ab_ends(u) && ab_bodies_in(&u->store->pool, contact_of(contacts, i + 1).slot) == bodies) ||
            (own.kept ? ab_kept_touch(u->kept, false, bodies) : touches_now(u, &at, bodies)))
        {
            events[i].flags &= ~(uint32_t)ABUT_EVENT_LAST;
        }
    }
}

// Two bodies with one collider each are one pair: where all are, each pair that begins is the first, each that ends the
// last.
static void write_begins(const ab_contact_update *u, uint32_t first, uint32_t end)
{
    const event_contacts contacts = { u->begins, u->merge.begun, u->found.slots };
    write_events(u, contacts, u->store->events[ABUT_BEGIN], first, end, ABUT_EVENT_FIRST);
    if (u->store->several || u->store->asleep.lists.live > 0)
    {
        check_first_begins(u, &contacts, first, end);
    }
}

static void write_ends(const ab_contact_update *u, uint32_t first, uint32_t end)
{
    const event_contacts contacts = { u->ends, u->merge.ended, NULL };
    write_events(u, contacts, u->store->events[ABUT_END], first, end, ABUT_EVENT_LAST);
    if (u->store->several)
    {
        check_last_ends(u, &contacts, first, end);
    }
}

void ab_contact_events_write(void *given, uint32_t task)
{
    const ab_contact_update *u = given;
    const uint32_t begun = ab_begins(u);
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
