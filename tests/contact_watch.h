// A random session whose contacts are watched: after each detect, what slots, ids, events and impulses promise is held
// against the listing of the detect before.
#ifndef CONTACT_WATCH_H
#define CONTACT_WATCH_H

#include "contact_listing.h"
#include "observed.h"
#include "random_images.h"

#include <math.h>

enum
{
    CREATED = 70, // bodies that a session begins with
    OPERATIONS = 1200
};

// A session, and what is known of its contacts.
typedef struct watch
{
    session s;
    random_source random; // of impulses
    listing listings[2];
    uint32_t now;                 // which of them is the last detect's
    uint32_t highest[MOST_SLOTS]; // by slot: the highest generation so far
    uint64_t detects;             // of the world when it was last looked at
    uint32_t most;                // contacts at a time, with those that had just ended
    uint64_t seed;
    struct
    {
        uint64_t begun, ended, continued, slept, woken, children, impulses;
    } seen;
} watch;

#define DEMAND(w, condition, ...)                                                                                      \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
        {                                                                                                              \
            print_message("seed %llu, detect %llu: ", (unsigned long long)(w)->seed,                                   \
                          (unsigned long long)(w)->detects);                                                           \
            fail_msg(__VA_ARGS__);                                                                                     \
        }                                                                                                              \
    } while (0)

// Each is in the slot that its id says, which nobody else has, and can be asked for by its id.
static inline void list_set(watch *w, abut_contact_set set, listing *out)
{
    const abut_contacts all = abut_world_contacts(w->s.world, set);
    DEMAND(w, all.slots <= MOST_SLOTS && out->count + all.count <= MOST_CONTACTS, "no room for %u contacts", all.count);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const uint32_t slot = all.order[i];
        const abut_contact *contact = abut_contact_at(&all, i);
        listed_contact *e = &out->one[out->count++];
        DEMAND(w, slot < all.slots && contact->id.slot == slot, "contact %u is in slot %u, not in its own", i, slot);
        DEMAND(w, contact->id.generation > 0, "the contact in slot %u has no generation", slot);
        DEMAND(w, abut_world_contact(w->s.world, contact->id) == contact, "contact %u has another's id", i);
        *e = (listed_contact){ .contact = *contact, .colliders = abut_colliders_of(&all, contact), .set = set };
        memcpy(e->impulses, abut_impulses_of(&all, contact), sizeof e->impulses);
    }
}

static inline void list(watch *w, listing *out)
{
    out->count = 0;
    memset(out->at, 0, sizeof out->at);
    list_set(w, ABUT_AWAKE, out);
    list_set(w, ABUT_ASLEEP, out);
    qsort(out->one, out->count, sizeof *out->one, by_name);
    for (uint32_t i = 0; i < out->count; ++i)
    {
        const uint32_t slot = out->one[i].contact.id.slot;
        DEMAND(w, out->at[slot] == 0, "slot %u is listed twice", slot);
        DEMAND(w, i == 0 || by_name(&out->one[i - 1], &out->one[i]) < 0, "a pair is listed twice");
        out->at[slot] = i + 1;
    }
}

// One that was listed keeps its id; any other has an id that none had before, in a slot that none had just now.
static inline void ids_follow_contacts(watch *w, const listing *last, const listing *now)
{
    for (uint32_t i = 0; i < now->count; ++i)
    {
        const listed_contact *e = &now->one[i], *before = find(last, e);
        const abut_contact_id id = e->contact.id;
        const bool is_new = (e->contact.flags & ABUT_CONTACT_NEW) != 0;
        DEMAND(w, is_new == !before, "the contact in slot %u %s", id.slot, before ? "is not new" : "was not there");
        DEMAND(w, before || e->set == ABUT_AWAKE, "the contact in slot %u is asleep from the beginning", id.slot);
        if (before)
        {
            DEMAND(w, same_id(id, before->contact.id), "the contact in slot %u moved to slot %u",
                   before->contact.id.slot, id.slot);
            ++w->seen.continued;
            w->seen.slept += before->set == ABUT_AWAKE && e->set == ABUT_ASLEEP;
            w->seen.woken += before->set == ABUT_ASLEEP && e->set == ABUT_AWAKE;
            w->seen.children += e->contact.child > 0;
        }
        else
        {
            DEMAND(w, last->at[id.slot] == 0, "slot %u had another contact at the last detect", id.slot);
            DEMAND(w, id.generation > w->highest[id.slot], "slot %u has generation %u again", id.slot, id.generation);
            w->highest[id.slot] = id.generation;
        }
    }
}

// The ids of contacts that are listed name them, and no other id names anything.
static inline void only_listed_ids_name_contacts(watch *w, const listing *now)
{
    const uint32_t slots = abut_world_contacts(w->s.world, ABUT_AWAKE).slots;
    for (uint32_t slot = 0; slot < slots + 2 && slot < MOST_SLOTS; ++slot)
    {
        const uint32_t highest = w->highest[slot];
        const uint32_t generations[] = { 0, 1 + random_below(&w->random, highest + 1), highest, highest + 1 };
        for (uint32_t i = 0; i < COUNT(generations); ++i)
        {
            const abut_contact_id id = { slot, generations[i] };
            DEMAND(w, (abut_world_contact(w->s.world, id) != NULL) == (named(now, id) != NULL),
                   "generation %u of slot %u is named or not", id.generation, slot);
        }
    }
    DEMAND(w, !abut_world_contact(w->s.world, (abut_contact_id){ UINT32_MAX, 1 }), "a slot past all is named");
}

// Pairs that touch in one listing and not in the other have an event each, which names the pair's first contact.
static inline void expect_events(watch *w, abut_event_kind kind, const listing *with, const listing *without)
{
    const abut_events events = abut_world_events(w->s.world, kind);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < with->count; ++i)
    {
        const listed_contact *e = &with->one[i];
        const listed_contact *there = begins_pair(with, e) && first_touching(with, e) ? find_pair(without, e) : e;
        expected += !there || (there != e && !first_touching(without, there));
    }
    DEMAND(w, events.count == expected, "%u events of kind %d, not %u", events.count, (int)kind, expected);
    for (uint32_t i = 0; i < events.count; ++i)
    {
        const abut_event *event = &events.data[i];
        const listed_contact wanted = { .colliders = { event->collider_a, event->collider_b } };
        const listed_contact *pair = find_pair(with, &wanted), *other = find_pair(without, &wanted);
        DEMAND(w, pair && first_touching(with, pair) && (!other || !first_touching(without, other)),
               "event %u of kind %d is of a pair that did neither", i, (int)kind);
        DEMAND(w, same_id(event->contact, first_touching(with, pair)->contact.id),
               "event %u of kind %d names slot %u, not the pair's first contact", i, (int)kind, event->contact.slot);
    }
    *(kind == ABUT_BEGIN ? &w->seen.begun : &w->seen.ended) += expected;
}

// While an end event names a slot, no contact has it but the one it names: which is speculative now.
static inline void ends_keep_their_slots(watch *w, const listing *now)
{
    const abut_events ends = abut_world_events(w->s.world, ABUT_END);
    for (uint32_t i = 0; i < ends.count; ++i)
    {
        const abut_contact_id id = ends.data[i].contact;
        const uint32_t slot = id.slot % MOST_SLOTS;
        const listed_contact *listed = named(now, id);
        DEMAND(w, slot == id.slot, "an end is of slot %u", id.slot);
        DEMAND(w, now->at[slot] == 0 || (listed && !touches(listed)), "slot %u of an end has a contact", slot);
    }
}

static inline double points_apart(const abut_point *a, const abut_point *b)
{
    const abut_vec3 by = abut_vec3_sub(a->offset, b->offset);
    return sqrt((double)abut_vec3_dot(by, by));
}

static inline bool has_feature(const listed_contact *e, uint32_t feature)
{
    bool has = false;
    for (uint32_t k = 0; k < e->contact.point_count; ++k)
    {
        has = has || e->contact.points[k].feature == feature;
    }
    return has;
}

// Whether point j of the contact before is gone, and point k is in its place.
static inline bool replaces(const listed_contact *before, uint32_t j, const listed_contact *e, uint32_t k)
{
    double extent = 0.0;
    for (uint32_t i = 0; i < e->contact.point_count; ++i)
    {
        extent = fmax(extent, points_apart(&e->contact.points[i], &before->contact.points[0]));
    }
    return !has_feature(e, before->contact.points[j].feature) &&
           points_apart(&e->contact.points[k], &before->contact.points[j]) < extent / 7.999;
}

static inline bool had(const listed_contact *before, const listed_contact *e, uint32_t k)
{
    static const abut_impulse none = { 0 };
    const uint32_t feature = e->contact.points[k].feature;
    const bool keeps = before && has_feature(before, feature);
    bool found = !keeps && memcmp(&e->impulses[k], &none, sizeof none) == 0;
    for (uint32_t j = 0; before && j < before->contact.point_count; ++j)
    {
        const bool from = keeps ? before->contact.points[j].feature == feature : replaces(before, j, e, k);
        found = found || (from && memcmp(&before->impulses[j], &e->impulses[k], sizeof none) == 0);
    }
    return found;
}

// Impulses stay with their features; those of new points are zero, or of what was in their place. A sleeping contact
// keeps everything.
static inline void impulses_follow_features(watch *w, const listing *last, const listing *now)
{
    for (uint32_t i = 0; i < now->count; ++i)
    {
        const listed_contact *e = &now->one[i], *before = find(last, e);
        const uint32_t points = e->contact.point_count;
        DEMAND(w, points >= 1 && points <= ABUT_CONTACT_POINTS, "the contact in slot %u has %u points",
               e->contact.id.slot, points);
        for (uint32_t k = 0; k < points; ++k)
        {
            DEMAND(w, had(before, e, k), "point %u of the contact in slot %u has another's impulse", k,
                   e->contact.id.slot);
            w->seen.impulses += e->impulses[k].normal != 0.0f;
        }
        DEMAND(w,
               e->set == ABUT_AWAKE ||
                   (points == before->contact.point_count && e->contact.separation == before->contact.separation &&
                    memcmp(e->contact.points, before->contact.points, points * sizeof(abut_point)) == 0 &&
                    memcmp(e->impulses, before->impulses, points * sizeof(abut_impulse)) == 0),
               "the sleeping contact in slot %u changes", e->contact.id.slot);
    }
}

// As a solver does, awake or asleep.
static inline void write_impulses(watch *w, listing *now)
{
    const abut_contacts all = abut_world_contacts(w->s.world, ABUT_AWAKE);
    for (uint32_t i = 0; i < now->count; ++i)
    {
        listed_contact *e = &now->one[i];
        for (uint32_t k = 0; k < e->contact.point_count; ++k)
        {
            if (random_chance(&w->random, 0.4))
            {
                const float size = (float)random_between(&w->random, 0.5, 2.0);
                e->impulses[k] = (abut_impulse){ size, { size + 1, size + 2 }, size + 3 };
                abut_impulses_of(&all, &e->contact)[k] = e->impulses[k];
            }
        }
    }
}

// New contacts go to free slots before to new ones.
static inline void slots_are_dense(watch *w, const listing *last, const listing *now)
{
    uint32_t gone = 0;
    for (uint32_t i = 0; i < last->count; ++i)
    {
        gone += !named(now, last->one[i].contact.id);
    }
    w->most = now->count + gone > w->most ? now->count + gone : w->most;
    const uint32_t slots = abut_world_contacts(w->s.world, ABUT_AWAKE).slots;
    DEMAND(w, slots == abut_world_contacts(w->s.world, ABUT_ASLEEP).slots, "the sets have other slots");
    DEMAND(w, slots <= w->most + w->most / 4 + 64 + 64, "%u slots for at most %u contacts", slots, w->most);
}

// After a detect.
static inline void look_at_contacts(watch *w)
{
    listing *last = &w->listings[w->now], *now = &w->listings[1 - w->now];
    list(w, now);
    ids_follow_contacts(w, last, now);
    only_listed_ids_name_contacts(w, now);
    expect_events(w, ABUT_BEGIN, now, last);
    expect_events(w, ABUT_END, last, now);
    ends_keep_their_slots(w, now);
    impulses_follow_features(w, last, now);
    slots_are_dense(w, last, now);
    write_impulses(w, now);
    w->now = 1 - w->now;
}

// Some operations detect by themselves.
static inline bool detected(watch *w)
{
    abut_statistics statistics;
    abut_world_statistics(w->s.world, &statistics);
    const bool some = statistics.detects != w->detects;
    w->detects = statistics.detects;
    return some;
}

static inline watch *watch_open(uint64_t seed, const abut_world_def *def, bool restless)
{
    watch *w = test_calloc(1, sizeof *w);
    w->seed = seed;
    w->random = random_start(~seed);
    session_open(&w->s, seed, def, restless);
    w->s.world->state.first_generation = 0; // the same in every world, however many there were before
    if (def->threads > 0)
    {
        ab_world_set_granularity(w->s.world, (ab_granularity){ 16, 0 });
    }
    for (uint32_t i = 0; i < CREATED; ++i)
    {
        create(&w->s);
    }
    return w;
}

static inline void watch_close(watch *w)
{
    session_close(&w->s);
    test_free(w);
}

static inline void watch_go_on(watch *w, uint64_t done)
{
    if (done % 16 == 0)
    {
        add_polygon(&w->s);
    }
    operate(&w->s);
    if (detected(w))
    {
        look_at_contacts(w);
    }
    if (done % OPERATIONS_A_DETECT == 0)
    {
        look(&w->s);
        (void)detected(w);
        look_at_contacts(w);
    }
}

static inline abut_world_def some_def(uint64_t seed)
{
    return (abut_world_def){ .broad = (abut_broad_kind)(seed % ABUT_BROAD_COUNT),
                             .margin = seed % 2 ? 0.02f : 0.0f,
                             .recycle_distance = seed % 8 < 4 ? 0.05f : 0.0f,
                             .dimension = seed % 5 == 0 ? 2 : 3,
                             .threads = seed % 4 == 3 ? 3 : 0,
                             .veto = seed % 3 ? veto : NULL };
}

// Ids, order and all else that can be seen.
static inline uint64_t listed_of(const watch *w)
{
    const uint32_t slots = abut_world_contacts(w->s.world, ABUT_AWAKE).slots;
    uint64_t hash = 1;
    OBSERVE(hash, slots);
    return observed_results(hash, w->s.world);
}

#endif
