// Slots and ids of contacts, through random sessions of every kind of call: a contact keeps both as long as it is listed,
// awake or asleep, and with them its impulses; nobody else ever has its id; events name contacts by it. All of that is
// the same in every world that is given the same calls.
#include "small_world.h"

#include "every_isa.h"
#include "observed.h"
#include "random_images.h"
#include "scarce_memory.h"

enum
{
    MOST_CONTACTS = 4096, // listed at a time
    MOST_SLOTS = 16384,
    CREATED = 70, // bodies that a session begins with
    OPERATIONS = 1200,
    TWINS = 6
};

// A contact as it was listed.
typedef struct entry
{
    abut_contact contact;
    abut_contact_colliders colliders;
    abut_impulse impulses[ABUT_CONTACT_POINTS];
    abut_contact_set set;
} entry;

// All contacts after a detect, sorted by colliders and child.
typedef struct listing
{
    entry one[MOST_CONTACTS];
    uint32_t count;
    uint32_t at[MOST_SLOTS]; // by slot: its index and one; zero: it is not listed
} listing;

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

static int order_of(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_pair(const entry *x, const entry *y)
{
    const abut_contact_colliders a = x->colliders, b = y->colliders;
    const int slots = order_of(a.a.slot, b.a.slot) ? order_of(a.a.slot, b.a.slot) : order_of(a.b.slot, b.b.slot);
    const int generations = order_of(a.a.generation, b.a.generation) ? order_of(a.a.generation, b.a.generation)
                                                                     : order_of(a.b.generation, b.b.generation);
    return slots ? slots : generations;
}

static int by_name(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    return by_pair(a, b) ? by_pair(a, b) : order_of(a->contact.child, b->contact.child);
}

static bool touches(const entry *e)
{
    return (e->contact.flags & ABUT_CONTACT_SPECULATIVE) == 0;
}

static const entry *find(const listing *all, const entry *wanted)
{
    return bsearch(wanted, all->one, all->count, sizeof *wanted, by_name);
}

// The contact with an id; NULL: none.
static const entry *named(const listing *all, abut_contact_id id)
{
    const uint32_t at = id.slot < MOST_SLOTS ? all->at[id.slot] : 0;
    return at && same_id(all->one[at - 1].contact.id, id) ? &all->one[at - 1] : NULL;
}

// Each is in the slot that its id says, which nobody else has, and can be asked for by its id.
static void list_set(watch *w, abut_contact_set set, listing *out)
{
    const abut_contacts all = abut_world_contacts(w->s.world, set);
    DEMAND(w, all.slots <= MOST_SLOTS && out->count + all.count <= MOST_CONTACTS, "no room for %u contacts", all.count);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const uint32_t slot = all.order[i];
        const abut_contact *contact = abut_contact_at(&all, i);
        entry *e = &out->one[out->count++];
        DEMAND(w, slot < all.slots && contact->id.slot == slot, "contact %u is in slot %u, not in its own", i, slot);
        DEMAND(w, contact->id.generation > 0, "the contact in slot %u has no generation", slot);
        DEMAND(w, abut_world_contact(w->s.world, contact->id) == contact, "contact %u has another's id", i);
        *e = (entry){ .contact = *contact, .colliders = abut_colliders_of(&all, contact), .set = set };
        memcpy(e->impulses, abut_impulses_of(&all, contact), sizeof e->impulses);
    }
}

static void list(watch *w, listing *out)
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
static void ids_follow_contacts(watch *w, const listing *last, const listing *now)
{
    for (uint32_t i = 0; i < now->count; ++i)
    {
        const entry *e = &now->one[i], *before = find(last, e);
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
static void only_listed_ids_name_contacts(watch *w, const listing *now)
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

// The first contact of a pair that touches; NULL: the pair does not touch. `first` is the first of the pair.
static const entry *first_touching(const listing *all, const entry *first)
{
    const entry *end = all->one + all->count, *e = first;
    while (e < end && by_pair(e, first) == 0 && !touches(e))
    {
        ++e;
    }
    return e < end && by_pair(e, first) == 0 ? e : NULL;
}

static bool begins_pair(const listing *all, const entry *e)
{
    return e == all->one || by_pair(e - 1, e) != 0;
}

// The first contact of that pair; NULL: it has none.
static const entry *find_pair(const listing *all, const entry *wanted)
{
    uint32_t low = 0, high = all->count;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const bool earlier = by_pair(&all->one[middle], wanted) < 0;
        low = earlier ? middle + 1 : low;
        high = earlier ? high : middle;
    }
    return low < all->count && by_pair(&all->one[low], wanted) == 0 ? &all->one[low] : NULL;
}

// Pairs that touch in one listing and not in the other have an event each, which names the pair's first contact.
static void expect_events(watch *w, abut_event_kind kind, const listing *with, const listing *without)
{
    const abut_events events = abut_world_events(w->s.world, kind);
    uint32_t expected = 0;
    for (uint32_t i = 0; i < with->count; ++i)
    {
        const entry *e = &with->one[i];
        const entry *there = begins_pair(with, e) && first_touching(with, e) ? find_pair(without, e) : e;
        expected += !there || (there != e && !first_touching(without, there));
    }
    DEMAND(w, events.count == expected, "%u events of kind %d, not %u", events.count, (int)kind, expected);
    for (uint32_t i = 0; i < events.count; ++i)
    {
        const abut_event *event = &events.data[i];
        const entry wanted = { .colliders = { event->collider_a, event->collider_b } };
        const entry *pair = find_pair(with, &wanted), *other = find_pair(without, &wanted);
        DEMAND(w, pair && first_touching(with, pair) && (!other || !first_touching(without, other)),
               "event %u of kind %d is of a pair that did neither", i, (int)kind);
        DEMAND(w, same_id(event->contact, first_touching(with, pair)->contact.id),
               "event %u of kind %d names slot %u, not the pair's first contact", i, (int)kind, event->contact.slot);
    }
    *(kind == ABUT_BEGIN ? &w->seen.begun : &w->seen.ended) += expected;
}

// While an end event names a slot, no contact has it but the one it names: which is speculative now.
static void ends_keep_their_slots(watch *w, const listing *now)
{
    const abut_events ends = abut_world_events(w->s.world, ABUT_END);
    for (uint32_t i = 0; i < ends.count; ++i)
    {
        const abut_contact_id id = ends.data[i].contact;
        const uint32_t slot = id.slot % MOST_SLOTS;
        const entry *listed = named(now, id);
        DEMAND(w, slot == id.slot, "an end is of slot %u", id.slot);
        DEMAND(w, now->at[slot] == 0 || (listed && !touches(listed)), "slot %u of an end has a contact", slot);
    }
}

static bool had(const entry *before, uint32_t feature, const abut_impulse *impulse)
{
    bool had_feature = false;
    for (uint32_t k = 0; before && k < before->contact.point_count; ++k)
    {
        const bool same = before->contact.points[k].feature == feature;
        had_feature = had_feature || same;
        if (same && memcmp(&before->impulses[k], impulse, sizeof *impulse) == 0)
        {
            return true;
        }
    }
    static const abut_impulse none = { 0 };
    return !had_feature && memcmp(impulse, &none, sizeof none) == 0;
}

// Impulses stay with their features; those of new points are zero. A sleeping contact keeps everything.
static void impulses_follow_features(watch *w, const listing *last, const listing *now)
{
    for (uint32_t i = 0; i < now->count; ++i)
    {
        const entry *e = &now->one[i], *before = find(last, e);
        const uint32_t points = e->contact.point_count;
        DEMAND(w, points >= 1 && points <= ABUT_CONTACT_POINTS, "the contact in slot %u has %u points",
               e->contact.id.slot, points);
        for (uint32_t k = 0; k < points; ++k)
        {
            DEMAND(w, had(before, e->contact.points[k].feature, &e->impulses[k]),
                   "point %u of the contact in slot %u has another's impulse", k, e->contact.id.slot);
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
static void write_impulses(watch *w, listing *now)
{
    const abut_contacts all = abut_world_contacts(w->s.world, ABUT_AWAKE);
    for (uint32_t i = 0; i < now->count; ++i)
    {
        entry *e = &now->one[i];
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
static void slots_are_dense(watch *w, const listing *last, const listing *now)
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
static void look_at_contacts(watch *w)
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
static bool detected(watch *w)
{
    abut_statistics statistics;
    abut_world_statistics(w->s.world, &statistics);
    const bool some = statistics.detects != w->detects;
    w->detects = statistics.detects;
    return some;
}

static watch *watch_open(uint64_t seed, const abut_world_def *def, bool restless)
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

static void watch_close(watch *w)
{
    session_close(&w->s);
    test_free(w);
}

static void watch_go_on(watch *w, uint64_t done)
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

static abut_world_def some_def(uint64_t seed)
{
    return (abut_world_def){ .broad = (abut_broad_kind)(seed % ABUT_BROAD_COUNT),
                             .margin = seed % 2 ? 0.02f : 0.0f,
                             .recycle_distance = seed % 8 < 4 ? 0.05f : 0.0f,
                             .dimension = seed % 5 == 0 ? 2 : 3,
                             .threads = seed % 4 == 3 ? 3 : 0,
                             .veto = seed % 3 ? veto : NULL };
}

static void contacts_keep_their_ids_and_impulses_while_they_are_listed(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(16);
    watch sum = { 0 };
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const abut_world_def def = some_def(seed);
        watch *w = watch_open(seed, &def, seed % 2 == 0);
        for (uint64_t done = 0; done < 3 * OPERATIONS; ++done)
        {
            watch_go_on(w, done);
        }
        sum.seen.begun += w->seen.begun;
        sum.seen.ended += w->seen.ended;
        sum.seen.continued += w->seen.continued;
        sum.seen.slept += w->seen.slept;
        sum.seen.woken += w->seen.woken;
        sum.seen.children += w->seen.children;
        sum.seen.impulses += w->seen.impulses;
        watch_close(w);
    }
    print_message("%llu begins, %llu ends, %llu continued, %llu fell asleep, %llu woke, %llu children, %llu impulses\n",
                  (unsigned long long)sum.seen.begun, (unsigned long long)sum.seen.ended,
                  (unsigned long long)sum.seen.continued, (unsigned long long)sum.seen.slept,
                  (unsigned long long)sum.seen.woken, (unsigned long long)sum.seen.children,
                  (unsigned long long)sum.seen.impulses);
    assert_true(!random_seeds_all() || (sum.seen.begun > 5000 && sum.seen.ended > 5000 && sum.seen.slept > 500 &&
                                        sum.seen.woken > 100 && sum.seen.children > 1000 && sum.seen.impulses > 10000));
}

// Ids, order and all else that can be seen.
static uint64_t listed_of(const watch *w)
{
    const uint32_t slots = abut_world_contacts(w->s.world, ABUT_AWAKE).slots;
    uint64_t hash = 1;
    OBSERVE(hash, slots);
    return observed_results(hash, w->s.world);
}

// How the twins of a world differ from it.
static abut_world_def twin_def(uint64_t seed, uint32_t which)
{
    abut_world_def def = some_def(seed);
    uint32_t isas = 0;
    abut_isa isa[ABUT_ISA_COUNT];
    EVERY_ISA(one)
    {
        isa[isas++] = one;
    }
    def.broad = (abut_broad_kind)((seed + which) % ABUT_BROAD_COUNT);
    def.isa = isa[(seed + which) % isas];
    def.threads = which % 2 ? 2 + (uint32_t)seed % 3 : 0;
    return def;
}

static void ids_and_order_are_the_same_in_every_world(void **state)
{
    (void)state;
    static uint64_t expected[OPERATIONS];
    const random_seeds seeds = random_seeds_of(6);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        for (uint32_t which = 0; which < TWINS; ++which)
        {
            const abut_world_def def = twin_def(seed, which);
            watch *w = watch_open(seed, &def, false);
            for (uint64_t done = 0; done < OPERATIONS; ++done)
            {
                watch_go_on(w, done);
                const uint64_t found = listed_of(w);
                expected[done] = which == 0 ? found : expected[done];
                DEMAND(w, found == expected[done], "another world: %s, %s, %u threads", abut_broad_name(def.broad),
                       abut_isa_name(def.isa), def.threads);
            }
            watch_close(w);
        }
    }
}

// The watch goes on in the other's world.
static void move_over(const watch *from, watch *to)
{
    abut_world *world = to->s.world;
    abut_geometry **polygon = to->s.polygon;
    *to = *from;
    to->s.world = world;
    to->s.polygon = polygon;
    lend_polygons(&from->s, &to->s);
}

static void a_restored_world_goes_on_with_the_same_ids(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(12);
    image saved = { 0 };
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const abut_world_def def = twin_def(seed, 0), of_other = twin_def(seed, 1);
        const uint32_t flags = seed % 2 ? ABUT_SAVE_LEAN : 0;
        const uint64_t middle = 200 + random_below(&(random_source){ .state = seed }, OPERATIONS / 2);
        watch *w = watch_open(seed, &def, false), *other = watch_open(seed + 1, &of_other, false);
        for (uint64_t done = 0; done < OPERATIONS; ++done)
        {
            watch_go_on(w, done);
            if (done == middle)
            {
                save(&w->s, flags, &saved);
                move_over(w, other);
                assert_int_equal(restore(&other->s, &saved), ABUT_OK);
                (void)detected(other);
            }
            if (done > middle)
            {
                watch_go_on(other, done);
            }
            // A lean image has no events until the next detect.
            if (done > middle + OPERATIONS_A_DETECT || (done >= middle && flags == 0))
            {
                DEMAND(w, listed_of(w) == listed_of(other), "the restored world is another");
            }
        }
        watch_close(w);
        watch_close(other);
    }
    test_free(saved.bytes);
}

// Fails each request of the detect in turn, until none is left. After each the world is what it was.
static void detect_with_scarce_memory(watch *w, source *memory, float horizon, uint64_t *refused)
{
    const uint64_t before = observed(w->s.world), listed = listed_of(w);
    for (uint64_t site = 0;; ++site, ++*refused)
    {
        fail_after(memory, site);
        const abut_status status = abut_world_detect(w->s.world, horizon);
        fail_after(memory, NEVER);
        if (status == ABUT_OK)
        {
            return;
        }
        assert_int_equal(status, ABUT_OUT_OF_MEMORY);
        DEMAND(w, listed_of(w) == listed, "request %u that failed changed contacts", (unsigned)site);
        DEMAND(w, observed(w->s.world) == before, "request %u that failed changed the world", (unsigned)site);
    }
}

static void refused_detects_change_nothing_and_later_ones_go_on(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(6);
    uint64_t refused = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        source memory = { .first_failed = NEVER };
        abut_world_def def = some_def(seed);
        def.threads = 0;
        watch *plain = watch_open(seed, &def, false);
        def.allocator = (abut_allocator){ lend, take_back, &memory };
        watch *failing = watch_open(seed, &def, false);
        failing->s.world->memory.sparing = seed % 2 == 0;
        for (uint64_t done = 0; done < OPERATIONS; ++done)
        {
            watch_go_on(plain, done);
            watch_go_on(failing, done);
            if (done % OPERATIONS_A_DETECT == OPERATIONS_A_DETECT / 2)
            {
                const float horizon = done % 5 == 0 ? 0.05f : 0.0f;
                assert_int_equal(abut_world_detect(plain->s.world, horizon), ABUT_OK);
                detect_with_scarce_memory(failing, &memory, horizon, &refused);
                count_events(&plain->s);
                count_events(&failing->s);
                look_at_contacts(plain);
                look_at_contacts(failing);
                assert_true(detected(plain) && detected(failing));
            }
            DEMAND(failing, listed_of(plain) == listed_of(failing), "after refused detects the world is another");
        }
        watch_close(plain);
        watch_close(failing);
        assert_true(memory.blocks == 0);
    }
    print_message("%llu detects refused\n", (unsigned long long)refused);
    assert_true(!random_seeds_all() || refused > 1000);
}

enum
{
    PAIRS = 30, // that stay
    SIDE = 14,  // of a lattice of balls
    CROWD = SIDE * SIDE * SIDE,
    PERIODS = 2 * 256 // detects after which what a spike took has been given back
};

// Pairs of balls that touch, which outlive every spike.
static void make_pairs(abut_world *world, abut_contact_id ids[PAIRS])
{
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        (void)add(world, abut_shape_sphere(0.5f), 3.0f * (float)i, -50, 0, ABUT_DYNAMIC);
        (void)add(world, abut_shape_sphere(0.5f), 3.0f * (float)i + 0.75f, -50, 0, ABUT_DYNAMIC);
    }
    expect(world, PAIRS, PAIRS, 0);
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        ids[i] = contact_at(world, ABUT_AWAKE, i)->id;
        impulses_at(world, ABUT_AWAKE, i)->normal = (float)(i + 1);
    }
}

static void make_crowd(abut_world *world, abut_body *crowd)
{
    static abut_body_def defs[CROWD];
    for (uint32_t i = 0; i < CROWD; ++i)
    {
        const abut_vec3 at = { (float)(i % SIDE), (float)(i / SIDE % SIDE), (float)(i / SIDE / SIDE) };
        defs[i] =
            (abut_body_def){ .pose.position = abut_vec3_scale(at, 0.9f), .collider.shape = abut_shape_sphere(0.5f) };
    }
    assert_int_equal(abut_body_create_many(world, defs, CROWD, crowd), ABUT_OK);
}

// Ends a crowd's contacts in one of several ways, awake or asleep.
static void end_crowd(abut_world *world, const abut_body *crowd, uint32_t way, float height)
{
    if (way % 2 == 1)
    {
        assert_int_equal(abut_body_set_awake_many(world, crowd, CROWD, false), ABUT_OK);
        detect(world);
        detect(world);
        assert_true(asleep(world) > CROWD);
    }
    for (uint32_t i = 0; i < CROWD; ++i)
    {
        const abut_pose apart = { .position = { 3.0f * (float)i, height, 0 }, .rotation = { .w = 1 } };
        assert_int_equal(way / 2 == 0   ? abut_body_destroy(world, crowd[i])
                         : way / 2 == 1 ? abut_body_set_enabled(world, crowd[i], false)
                                        : abut_body_set_pose(world, crowd[i], &apart),
                         ABUT_OK);
    }
}

static void slots_and_their_memory_fall_after_a_spike(void **state)
{
    (void)state;
    static abut_body crowd[CROWD];
    const uint64_t a_slot = sizeof(abut_contact) + sizeof(abut_contact_colliders) + 4 * sizeof(abut_impulse);
    for (uint32_t way = 0; way < 6; ++way)
    {
        abut_contact_id ids[PAIRS];
        abut_statistics high, low;
        abut_world *world = open_world(NULL);
        make_pairs(world, ids);
        uint32_t highest = 0; // generation of any slot so far
        for (uint32_t spike = 0; spike < 2; ++spike)
        {
            make_crowd(world, crowd);
            detect(world);
            const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
            assert_true(all.count > 2 * CROWD && all.slots >= all.count && all.slots < all.count + all.count / 4);
            uint32_t later = 0;
            for (uint32_t i = 0; i < all.count; ++i)
            {
                const abut_contact *contact = abut_contact_at(&all, i);
                const bool is_new = (contact->flags & ABUT_CONTACT_NEW) != 0;
                // Those of the first spike are never seen again, though their slots were given back.
                assert_true(!is_new || spike == 0 || contact->id.slot < 2 * PAIRS || contact->id.generation > highest);
                later = contact->id.generation > later ? contact->id.generation : later;
            }
            highest = later;
            abut_world_statistics(world, &high);
            const uint32_t many = all.slots;
            end_crowd(world, crowd, way, 50.0f + 10.0f * (float)spike);
            for (uint32_t i = 0; i < PERIODS; ++i)
            {
                detect(world);
            }
            abut_world_statistics(world, &low);
            assert_int_equal(touching(world) + asleep(world), PAIRS);
            assert_true(abut_world_contacts(world, ABUT_AWAKE).slots <= 2 * PAIRS);
            assert_true(low.bytes + (uint64_t)many * a_slot * 3 / 4 < high.bytes);
            for (uint32_t i = 0; i < PAIRS; ++i)
            {
                assert_true(same_id(contact_at(world, ABUT_AWAKE, i)->id, ids[i]));
                assert_true(impulses_at(world, ABUT_AWAKE, i)->normal == (float)(i + 1));
            }
            expect_sound(world);
        }
        abut_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_keep_their_ids_and_impulses_while_they_are_listed),
        cmocka_unit_test(ids_and_order_are_the_same_in_every_world),
        cmocka_unit_test(a_restored_world_goes_on_with_the_same_ids),
        cmocka_unit_test(refused_detects_change_nothing_and_later_ones_go_on),
        cmocka_unit_test(slots_and_their_memory_fall_after_a_spike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
