// Laws of a world under random edits: what it reports after each detect is what the referee finds by trying every pair,
// and its events, indices and impulses tell the same story from frame to frame.
#include "random_lineup.h"

#include <stdio.h>
#include <stdlib.h>

enum
{
    FRAMES = 40,
    ROOM = 4096 // contacts of a frame
};

// A contact as it was reported, with its colliders and impulses.
typedef struct report
{
    abut_contact contact;
    abut_contact_colliders colliders;
    abut_impulse impulse[ABUT_CONTACT_POINTS];
    bool asleep;
    uint32_t a, b; // indices of its colliders in the line-up of its frame
} report;

// What a detect reported, awake and sleeping together in canonical order.
typedef struct reports
{
    report one[ROOM];
    uint32_t count;
} reports;

static bool speculative(const abut_contact *contact)
{
    return (contact->flags & ABUT_CONTACT_SPECULATIVE) != 0;
}

static dvec3 widen(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

// The contact's own manifold, at the bodies' poses.
static bool manifold_is_right(const crowd *c, const lineup *all, const report *r, char why[REFEREE_WHY])
{
    abut_manifold m = { .normal = r->contact.normal,
                        .separation = r->contact.separation,
                        .point_count = r->contact.point_count };
    memcpy(m.points, r->contact.points, sizeof m.points);
    const referee_collider *one = &all->collider[r->a], *other = &all->collider[r->b];
    referee_solid solid_a = referee_solid_of(&one->shape, &one->pose, &one->local);
    referee_solid solid_b = referee_solid_of(&other->shape, &other->pose, &other->local);
    return referee_check(&solid_a, &solid_b, widen(one->pose.position), c->rules.margin, &m, NULL, why);
}

// Nothing that touches may be left out between one contact and the next.
static void none_is_missing(const lineup *all, const referee_pair *pair, uint64_t seed, uint32_t frame)
{
    if (!pair->undecided)
    {
        tell(all, pair);
        DEMAND(false, "this pair touches and is not reported");
    }
}

static referee_pair pair_of(const report *r)
{
    return (referee_pair){ r->a, r->b, false };
}

// Reads one of the sets: in slots of their own, in canonical order, naming what is there.
static void read_set(const crowd *c, const lineup *all, abut_contact_set set, reports *out, uint64_t seed,
                     uint32_t frame)
{
    abut_contacts contacts = abut_world_contacts(c->world, set);
    for (uint32_t k = 0; k < contacts.count; ++k)
    {
        const abut_contact *contact = abut_contact_at(&contacts, k);
        assert_true(out->count < ROOM);
        report *r = &out->one[out->count++];
        memset(r, 0, sizeof *r);
        r->contact = *contact;
        r->colliders = abut_colliders_of(&contacts, contact);
        r->asleep = set == ABUT_ASLEEP;
        r->a = place_of(all, r->colliders.a);
        r->b = place_of(all, r->colliders.b);
        DEMAND(r->a != ABUT_NONE && r->b != ABUT_NONE, "contact %u is of a collider that is not there", k);
        DEMAND(same_body(all->body[r->a], contact->a) && same_body(all->body[r->b], contact->b),
               "contact %u names other bodies", k);
        DEMAND(contact->a.slot < contact->b.slot, "contact %u: a has no lower slot than b", k);
        DEMAND(contact->id.slot == contacts.order[k] && contact->id.slot < contacts.slots &&
                   abut_world_contact(c->world, contact->id) == contact,
               "contact %u is in another slot than its id says", k);
        DEMAND(contact->point_count >= 1 && contact->point_count <= 4 && contact->child == 0,
               "contact %u: its points are not right", k);
        memcpy(r->impulse, abut_impulses_of(&contacts, contact), contact->point_count * sizeof *r->impulse);
        const referee_pair pair = pair_of(r), before = k ? pair_of(r - 1) : pair;
        DEMAND(k == 0 || in_order(&before, &pair) < 0, "contact %u is out of order", k);
    }
}

static int by_pair(const void *one, const void *other)
{
    const referee_pair x = pair_of(one), y = pair_of(other);
    return in_order(&x, &y);
}

// No two contacts have one slot.
static void slots_are_apart(const reports *all, uint64_t seed, uint32_t frame)
{
    static bool used[2 * ROOM];
    memset(used, 0, sizeof used);
    for (uint32_t k = 0; k < all->count; ++k)
    {
        const uint32_t slot = all->one[k].contact.id.slot;
        DEMAND(slot < 2 * ROOM && !used[slot], "slot %u is used twice", slot);
        used[slot] = true;
    }
}

static void read_reports(const crowd *c, const lineup *all, reports *out, uint64_t seed, uint32_t frame)
{
    compared = all;
    out->count = 0;
    read_set(c, all, ABUT_AWAKE, out, seed, frame);
    read_set(c, all, ABUT_ASLEEP, out, seed, frame);
    qsort(out->one, out->count, sizeof *out->one, by_pair);
    for (uint32_t k = 1; k < out->count; ++k)
    {
        DEMAND(by_pair(&out->one[k - 1], &out->one[k]) < 0, "a contact is both awake and asleep");
    }
    slots_are_apart(out, seed, frame);
}

// The contacts whose bodies are static or asleep, and were so at the last detect, are asleep; but all are awake while
// static bodies collide with each other.
static void set_is_right(const crowd *c, const lineup *all, const report *r, uint64_t seed, uint32_t frame)
{
    const crowd_body *a = all->owner[r->a], *b = all->owner[r->b];
    bool both_stay = crowd_stays(a) && crowd_stays(b);
    bool is_static = a->immobile >= 1 && b->immobile >= 1 && !c->rules.meets[ABUT_STATIC][ABUT_STATIC];
    DEMAND(!r->asleep || both_stay, "a contact of bodies %u and %u is asleep while one is awake", a->handle.slot,
           b->handle.slot);
    DEMAND(r->asleep || !both_stay || !is_static, "a contact of bodies %u and %u is awake", a->handle.slot,
           b->handle.slot);
}

static void contact_is_right(const crowd *c, const lineup *all, const report *r, const referee_pair *found,
                             double horizon, uint64_t seed, uint32_t frame)
{
    bool undecided = found && found->undecided;
    const referee_pair pair = pair_of(r);
    DEMAND(horizon > 0.0 || !speculative(&r->contact), "a contact is speculative, without a horizon");
    if (!undecided && (found != NULL) == speculative(&r->contact))
    {
        tell(all, &pair);
        DEMAND(false, "this contact %s, separation %g, margin %g", found ? "is called speculative" : "does not touch",
               (double)r->contact.separation, c->rules.margin);
    }
    DEMAND(referee_may_collide(&c->rules, &all->collider[r->a], &all->collider[r->b]), "this contact may not be");
    char why[REFEREE_WHY];
    if (horizon <= 0.0 && !manifold_is_right(c, all, r, why))
    {
        DEMAND(false, "%s", why);
    }
    set_is_right(c, all, r, seed, frame);
}

// Contacts are those that the referee finds.
static void contacts_are_right(const crowd *c, const lineup *all, const reports *now, double horizon,
                               referee_pairs *pairs, uint64_t seed, uint32_t frame)
{
    referee_touching(&c->rules, all->collider, all->count, pairs);
    if (pairs->count)
    {
        qsort(pairs->data, pairs->count, sizeof *pairs->data, in_order);
    }
    size_t next = 0;
    for (uint32_t k = 0; k < now->count; ++k)
    {
        const referee_pair pair = pair_of(&now->one[k]);
        for (; next < pairs->count && in_order(&pairs->data[next], &pair) < 0; ++next)
        {
            none_is_missing(all, &pairs->data[next], seed, frame);
        }
        bool found = next < pairs->count && in_order(&pairs->data[next], &pair) == 0;
        contact_is_right(c, all, &now->one[k], found ? &pairs->data[next] : NULL, horizon, seed, frame);
        next += found;
    }
    for (; next < pairs->count; ++next)
    {
        none_is_missing(all, &pairs->data[next], seed, frame);
    }
}

static bool same_contact(const report *a, const report *b)
{
    return same_collider(a->colliders.a, b->colliders.a) && same_collider(a->colliders.b, b->colliders.b) &&
           same_body(a->contact.a, b->contact.a) && same_body(a->contact.b, b->contact.b) &&
           a->contact.child == b->contact.child;
}

static bool same_id(abut_contact_id a, abut_contact_id b)
{
    return a.slot == b.slot && a.generation == b.generation;
}

static const report *find_in(const reports *list, const report *wanted)
{
    for (uint32_t k = 0; k < list->count; ++k)
    {
        if (same_contact(&list->one[k], wanted))
        {
            return &list->one[k];
        }
    }
    return NULL;
}

static bool same_event(const abut_event *a, const abut_event *b)
{
    return same_body(a->a, b->a) && same_body(a->b, b->b) && same_collider(a->collider_a, b->collider_a) &&
           same_collider(a->collider_b, b->collider_b) && a->user_data_a == b->user_data_a &&
           a->user_data_b == b->user_data_b && same_id(a->contact, b->contact);
}

static uint64_t user_data_of(const crowd *c, abut_body handle)
{
    for (uint32_t k = 0; k < c->bodies; ++k)
    {
        if (same_body(c->body[k].handle, handle))
        {
            return c->body[k].user_data;
        }
    }
    return UINT64_MAX;
}

static abut_event event_of(const crowd *c, const report *r)
{
    return (abut_event){ .a = r->contact.a,
                         .b = r->contact.b,
                         .collider_a = r->colliders.a,
                         .collider_b = r->colliders.b,
                         .user_data_a = user_data_of(c, r->contact.a),
                         .user_data_b = user_data_of(c, r->contact.b),
                         .contact = r->contact.id };
}

// Touching in one list of reports and not in the other.
static bool turned(const reports *others, const report *r)
{
    const report *other = find_in(others, r);
    return !speculative(&r->contact) && (!other || speculative(&other->contact));
}

static void expect_event(const crowd *c, abut_events events, uint32_t at, const report *r, uint64_t seed,
                         uint32_t frame)
{
    abut_event event = event_of(c, r);
    DEMAND(at < events.count && same_event(&events.data[at], &event), "event %u is not that of bodies %u and %u", at,
           r->contact.a.slot, r->contact.b.slot);
}

// begin = touching now and not before, end = before and not now, each in the order of contacts, with the user data the
// bodies have, or had when they were destroyed. To be called while the model still knows the destroyed.
static void events_are_right(const crowd *c, const reports *last, const reports *now, uint64_t seed, uint32_t frame)
{
    abut_events begun = abut_world_events(c->world, ABUT_BEGIN), ended = abut_world_events(c->world, ABUT_END);
    uint32_t begins = 0, ends = 0;
    for (uint32_t k = 0; k < now->count; ++k)
    {
        if (turned(last, &now->one[k]))
        {
            expect_event(c, begun, begins++, &now->one[k], seed, frame);
        }
    }
    for (uint32_t k = 0; k < last->count; ++k)
    {
        if (turned(now, &last->one[k]))
        {
            expect_event(c, ended, ends++, &last->one[k], seed, frame);
        }
    }
    DEMAND(begins == begun.count && ends == ended.count, "%u begins and %u ends too many", begun.count - begins,
           ended.count - ends);
}

static double square_apart(const abut_point *a, const abut_point *b)
{
    const double x = (double)a->offset.x - (double)b->offset.x, y = (double)a->offset.y - (double)b->offset.y,
                 z = (double)a->offset.z - (double)b->offset.z;
    return x * x + y * y + z * z;
}

// The impulses that a contact is to begin with. Of each point the one of its feature before; or of the nearest point
// whose feature is gone, within an eighth of the contact's length; or none.
static void find_due(const report *before, const report *now, abut_impulse due[ABUT_CONTACT_POINTS])
{
    const uint32_t had = before ? before->contact.point_count : 0, has = now->contact.point_count;
    uint32_t from[ABUT_CONTACT_POINTS];
    bool gone[ABUT_CONTACT_POINTS];
    double within = 0.0;
    for (uint32_t k = 0; k < had; ++k)
    {
        gone[k] = true;
    }
    for (uint32_t p = 0; p < has; ++p)
    {
        from[p] = had;
        for (uint32_t k = had; k-- > 0;)
        {
            const bool same = before->contact.points[k].feature == now->contact.points[p].feature;
            from[p] = same ? k : from[p];
            gone[k] = gone[k] && !same;
        }
        within = had > 0 ? fmax(within, square_apart(&now->contact.points[p], &before->contact.points[0]) / 64.0) : 0.0;
    }
    for (uint32_t p = 0; p < has; ++p)
    {
        double least = within;
        uint32_t nearest = had;
        for (uint32_t k = 0; k < had; ++k)
        {
            const double square = square_apart(&now->contact.points[p], &before->contact.points[k]);
            const bool nearer = gone[k] && square < least;
            nearest = nearer ? k : nearest;
            least = nearer ? square : least;
        }
        from[p] = from[p] == had ? nearest : from[p];
        due[p] = from[p] < had ? before->impulse[from[p]] : (abut_impulse){ 0 };
        if (from[p] < had)
        {
            gone[from[p]] = false;
        }
    }
}

// Nobody had a new contact's id or slot at the last detect.
static void newcomer_is_apart(const reports *last, const report *r, uint64_t seed, uint32_t frame)
{
    for (uint32_t k = 0; k < last->count; ++k)
    {
        DEMAND(last->one[k].contact.id.slot != r->contact.id.slot, "a new contact is in the slot %u of one before",
               r->contact.id.slot);
    }
}

// What continues from the last detect: the contact's id, and impulses by feature or place; and of a sleeping contact,
// every bit.
static void what_lasts_is_right(const reports *last, const reports *now, uint64_t seed, uint32_t frame)
{
    for (uint32_t k = 0; k < now->count; ++k)
    {
        const report *r = &now->one[k], *before = find_in(last, r);
        DEMAND(!before || same_id(r->contact.id, before->contact.id), "contact %u had another id", k);
        DEMAND(((r->contact.flags & ABUT_CONTACT_NEW) != 0) == !before, "contact %u is new or not", k);
        if (!before)
        {
            newcomer_is_apart(last, r, seed, frame);
        }
        DEMAND(!r->asleep || before, "contact %u is asleep from the beginning", k);
        abut_impulse due[ABUT_CONTACT_POINTS];
        find_due(before, r, due);
        for (uint32_t p = 0; p < r->contact.point_count; ++p)
        {
            DEMAND(memcmp(&due[p], &r->impulse[p], sizeof due[p]) == 0, "point %u of contact %u has another impulse", p,
                   k);
        }
        DEMAND(!r->asleep || (memcmp(r->contact.points, before->contact.points,
                                     r->contact.point_count * sizeof(abut_point)) == 0 &&
                              memcmp(&r->contact.normal, &before->contact.normal, sizeof(abut_vec3)) == 0 &&
                              r->contact.separation == before->contact.separation),
               "contact %u is asleep and changes", k);
    }
}

// A solver writes impulses into the awake contacts.
static void solve(crowd *c, reports *now)
{
    abut_contacts awake = abut_world_contacts(c->world, ABUT_AWAKE);
    for (uint32_t k = 0; k < now->count; ++k)
    {
        report *r = &now->one[k];
        for (uint32_t p = 0; !r->asleep && p < r->contact.point_count; ++p)
        {
            float size = (float)random_unit(&c->random);
            r->impulse[p] = (abut_impulse){ size, { size + 1.0f, size + 2.0f }, size + 3.0f };
            abut_impulses_of(&awake, &r->contact)[p] = r->impulse[p];
        }
    }
}

static void every_frame_is_what_the_referee_finds(void **state)
{
    (void)state;
    crowd *c = malloc(sizeof *c);
    reports *last = malloc(sizeof *last), *now = malloc(sizeof *now);
    lineup *all = malloc(sizeof *all);
    assert_true(c && last && now && all);
    referee_pairs pairs = { NULL, 0, 0 };
    uint64_t contacts = 0, speculatives = 0, sleeps = 0;
    random_seeds seeds = random_seeds_of(200);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        assert_int_equal(crowd_open(c, seed, (abut_world_def){ 0 }), ABUT_OK);
        last->count = 0;
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            double dt;
            double horizon = crowd_frame(c, &dt);
            DEMAND(!c->broken && horizon >= 0.0, "a call failed");
            line_up(c, all, seed, frame);
            read_reports(c, all, now, seed, frame);
            contacts_are_right(c, all, now, horizon, &pairs, seed, frame);
            events_are_right(c, last, now, seed, frame);
            what_lasts_is_right(last, now, seed, frame);
            crowd_bury(c);
            solve(c, now);
            for (uint32_t k = 0; k < now->count; ++k)
            {
                ++contacts;
                speculatives += speculative(&now->one[k].contact);
                sleeps += now->one[k].asleep;
            }
            reports *swap = last;
            last = now;
            now = swap;
        }
        abut_world_destroy(c->world);
    }
    if (getenv("ABUT_VERBOSE"))
    {
        print_message("%llu contacts, %llu speculative, %llu asleep\n", (unsigned long long)contacts,
                      (unsigned long long)speculatives, (unsigned long long)sleeps);
    }
    assert_true(!random_seeds_all() || (contacts > 10000 && speculatives > 100 && sleeps > 1000));
    free(pairs.data);
    free(all);
    free(now);
    free(last);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_frame_is_what_the_referee_finds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
