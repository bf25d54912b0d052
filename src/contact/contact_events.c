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
}

// Prefetches the contact of a later event, and where the event goes.
AB_INLINE void event_ahead(abut_event *to, const ab_contact_pool *pool, uint32_t slot)
{
    AB_PREFETCH_TO(to);
    AB_PREFETCH(&pool->contacts[slot]);
    AB_PREFETCH(&pool->colliders[slot]);
}

// Joins the begins or ends of the contacts that were merged and of those that are kept, in order. All contacts of two
// bodies are of one sort. `slots`: of the merged ones, by index; NULL: those are slots.
static void join_events(const ab_contact_update *u, const uint32_t *merged, const uint32_t *slots,
                        uint32_t merged_count, const uint32_t *kept, uint32_t kept_count, ab_event_entry *out)
{
    const ab_contact_list *last = ab_contact_store_now(u->store);
    uint32_t i = 0, k = 0;
    while (i + k < merged_count + kept_count)
    {
        const uint32_t slot = i < merged_count ? (slots ? slots[merged[i]] : merged[i]) : 0;
        const uint32_t kept_slot = k < kept_count ? last->slots[kept[k]] : 0;
        const bool from_merged = k == kept_count || (i < merged_count && ab_bodies_in(&u->store->pool, slot) <
                                                                             ab_bodies_in(&u->store->pool, kept_slot));
        out[i + k] = from_merged ? (ab_event_entry){ slot, false } : (ab_event_entry){ kept_slot, true };
        i += from_merged;
        k += !from_merged;
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
        join_events(u, merge->begun, u->found.slots, merge->begun_count, u->kept->begun, u->kept->begun_count,
                    u->begins);
        join_events(u, merge->ended, NULL, merge->ended_count, u->kept->ended, u->kept->ended_count, u->ends);
    }
    ab_array_set_length(u->store->events[ABUT_BEGIN], ab_begins(u));
    ab_array_set_length(u->store->events[ABUT_END], ab_ends(u));
}

// Begin event `i`.
static ab_event_entry begin_at(const ab_contact_update *u, uint32_t i)
{
    return u->kept ? u->begins[i] : (ab_event_entry){ u->found.slots[u->merge.begun[i]], false };
}

// End event `i`.
static ab_event_entry end_at(const ab_contact_update *u, uint32_t i)
{
    return u->kept ? u->ends[i] : (ab_event_entry){ u->merge.ended[i], false };
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

static bool is_first(const ab_contact_update *u, ab_event_entry entry, uint32_t *at, uint64_t bodies)
{
    const ab_pair_lists *asleep = &u->store->asleep.lists;
    const bool touched =
        entry.kept ? ab_kept_any(u->kept, u->kept->touched, bodies) : touched_before(&u->before, at, bodies);
    return !touched &&
           (asleep->live == 0 || !ab_pair_lists_join(asleep, (uint32_t)(bodies >> 24), (uint32_t)bodies & 0xffffffu));
}

static bool is_last(const ab_contact_update *u, ab_event_entry entry, uint32_t *at, uint64_t bodies)
{
    return !(entry.kept ? ab_kept_any(u->kept, u->kept->touching, bodies) : touches_now(u, at, bodies));
}

static void write_begins(const ab_contact_update *u, uint32_t first, uint32_t end)
{
    const ab_contact_pool *pool = &u->store->pool;
    abut_event *const events = u->store->events[ABUT_BEGIN];
    uint32_t at = 0;
    uint64_t last = first > 0 ? ab_bodies_in(pool, begin_at(u, first - 1).slot) : UINT64_MAX;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t later = i + EVENTS_AHEAD < end ? i + EVENTS_AHEAD : end - 1;
        const ab_event_entry entry = begin_at(u, i);
        const uint64_t bodies = ab_bodies_in(pool, entry.slot);
        event_ahead(&events[later], pool, begin_at(u, later).slot);
        write_event(&events[i], pool, entry.slot, &u->names);
        events[i].flags = bodies != last && is_first(u, entry, &at, bodies) ? ABUT_EVENT_FIRST : 0;
        last = bodies;
    }
}

static void write_ends(const ab_contact_update *u, uint32_t first, uint32_t end)
{
    const ab_contact_pool *pool = &u->store->pool;
    abut_event *const events = u->store->events[ABUT_END];
    uint32_t at = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t later = i + EVENTS_AHEAD < end ? i + EVENTS_AHEAD : end - 1;
        const ab_event_entry entry = end_at(u, i);
        const uint64_t bodies = ab_bodies_in(pool, entry.slot);
        const bool more = i + 1 < ab_ends(u) && ab_bodies_in(pool, end_at(u, i + 1).slot) == bodies;
        event_ahead(&events[later], pool, end_at(u, later).slot);
        write_event(&events[i], pool, entry.slot, &u->names);
        events[i].flags = !more && is_last(u, entry, &at, bodies) ? ABUT_EVENT_LAST : 0;
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
