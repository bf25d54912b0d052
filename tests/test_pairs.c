// Random sessions of creations, moves, sleep, filters, sensors, exclusions and vetoes: after every detect each pair of
// colliders agrees with a model without AABBs, trees and merging; each pair has as many begin events as end events and
// live contacts. Counted in pair-steps (live pairs, once per detect); ABUT_PAIR_STEPS sets how many.
#include "pair_session.h"

#include "world/world.h"

#include <stdlib.h>

enum
{
    DETECTS_A_WORLD = 400
};

static bool in_order(const abut_new_pair *a, const abut_new_pair *b)
{
    return a->a.slot < b->a.slot || (a->a.slot == b->a.slot && a->b.slot <= b->b.slot);
}

// Answers at random, notes what was asked, and finds the world busy.
static void veto(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    session *s = context;
    abut_pose pose;
    assert_int_equal(abut_body_pose(s->world, pairs[0].a, &pose), ABUT_BUSY);
    assert_int_equal(abut_world_detect(s->world, 0.0f), ABUT_BUSY);
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_new_pair *p = &pairs[i];
        model_pair *pair = model_pair_of(&s->m, p->collider_a.slot, p->collider_b.slot);
        DEMAND(s, !pair->asked, "asked twice about colliders %u and %u", p->collider_a.slot, p->collider_b.slot);
        DEMAND(s, i == 0 || in_order(p - 1, p), "question %u is out of order", i);
        DEMAND(s,
               p->user_data_a == s->m.body[p->a.slot].user_data && p->user_data_b == s->m.body[p->b.slot].user_data &&
                   p->collider_data_a == s->m.collider[p->collider_a.slot].def.user_data &&
                   p->collider_data_b == s->m.collider[p->collider_b.slot].def.user_data,
               "question %u carries other user data", i);
        DEMAND(s, !vetoed[i] && abut_vec3_length(p->normal) > 0.99f, "question %u is not what it should be", i);
        pair->asked = true;
        pair->answer = vetoed[i] = random_chance(&s->random, 0.3);
        ++s->asked;
        s->vetoed += vetoed[i];
    }
    s->told += count;
}

// Which of two touching colliders are vetoed. True when they are a contact.
static bool judge_touching(session *s, model_pair *pair, uint32_t i, uint32_t j)
{
    const abut_filter low = model_filter(&s->m.collider[i].def.filter),
                      high = model_filter(&s->m.collider[j].def.filter);
    const bool stands = model_same_filter(low, pair->low) && model_same_filter(high, pair->high);
    const bool remembered = stands && pair->vetoed;
    const bool refiltered = s->m.collider[i].refiltered || s->m.collider[j].refiltered;
    const bool due = s->m.vetoes && !remembered && (!pair->touched || refiltered);
    DEMAND(s, pair->asked == due, "colliders %u and %u: %s", i, j, due ? "nobody was asked" : "asked without need");
    pair->vetoed = remembered || (pair->asked && pair->answer);
    if (pair->asked)
    {
        pair->low = low;
        pair->high = high;
    }
    return !pair->vetoed;
}

// Two colliders that do not touch, of which only a horizon knows whether they are found: a veto ends.
static void judge_apart(session *s, model_pair *pair, bool may, uint32_t i, uint32_t j)
{
    DEMAND(s, !pair->asked || (may && s->horizon > 0.0f), "asked about colliders %u and %u", i, j);
    pair->vetoed = false;
}

// What has become of a pair, and how many events of it are due: begins in .begun, ends in .ended.
static void judge(session *s, uint32_t i, uint32_t j, uint32_t due[4])
{
    model_pair *pair = &s->m.pair[i][j];
    const bool may = model_may_touch(&s->m, i, j), senses = model_may_sense(&s->m, i, j);
    const bool touch = (may || senses) && model_touch(&s->m, s->world, i, j);
    bool contact = false;
    pair->touched = pair->touching;
    if (may && touch)
    {
        contact = judge_touching(s, pair, i, j);
    }
    else
    {
        judge_apart(s, pair, may, i, j);
    }
    const uint32_t sensor = (s->m.collider[i].def.flags & ABUT_COLLIDER_SENSOR) != 0 ? i : j;
    const bool sensed = senses && touch, stays = sensed && pair->sensed && pair->sensor == sensor;
    const bool enters = sensed && !stays, leaves = pair->sensed && !stays; // both where they change parts
    due[ABUT_BEGIN] += contact && !pair->touching;
    due[ABUT_END] += !contact && pair->touching;
    due[ABUT_SENSOR_BEGIN] += enters;
    due[ABUT_SENSOR_END] += leaves;
    pair->begun += (contact && !pair->touching ? 1u : 0u) + (enters ? 1u : 0u);
    pair->ended += (!contact && pair->touching ? 1u : 0u) + (leaves ? 1u : 0u);
    DEMAND(s, pair->begun == pair->ended + contact + sensed, "colliders %u and %u: begin is not end + alive", i, j);
    const uint32_t a = s->m.collider[i].body.slot, b = s->m.collider[j].body.slot;
    s->bodies_before[a][b] = (uint16_t)(s->bodies_before[a][b] + pair->touching);
    s->bodies_now[a][b] = (uint16_t)(s->bodies_now[a][b] + contact);
    pair->touching = contact;
    pair->sensed = sensed;
    pair->sensor = sensor;
    s->pair_steps += contact || sensed || pair->vetoed;
}

static uint32_t both_ways(uint16_t counts[MODEL_BODIES][MODEL_BODIES], uint32_t a, uint32_t b)
{
    return (uint32_t)counts[a][b] + counts[b][a];
}

static bool same_bodies(const abut_event *x, const abut_event *y)
{
    return x->a.slot == y->a.slot && x->b.slot == y->b.slot;
}

// The flags of contacts' events, from how many pairs of the two bodies touched before and touch now.
static void flags_are_right(session *s, const abut_events *events, uint32_t i, bool begins)
{
    const abut_event *event = &events->data[i];
    const uint32_t a = event->a.slot, b = event->b.slot;
    const uint32_t others = begins ? both_ways(s->bodies_before, a, b) : both_ways(s->bodies_now, a, b);
    const bool at_edge =
        begins ? i == 0 || !same_bodies(event - 1, event) : i + 1 == events->count || !same_bodies(event, event + 1);
    const uint32_t flag = begins ? ABUT_EVENT_FIRST : ABUT_EVENT_LAST;
    DEMAND(s, event->flags == (at_edge && others == 0 ? flag : 0u), "event %u of bodies %u and %u: flags %u", i, a, b,
           event->flags);
}

// With the number of events as due and each of them one that is due, they are those that are due.
static void events_are_right(session *s, const uint32_t due[4])
{
    for (abut_event_kind kind = ABUT_BEGIN; kind <= ABUT_SENSOR_END; ++kind)
    {
        const abut_events events = abut_world_events(s->world, kind);
        const bool begins = kind == ABUT_BEGIN || kind == ABUT_SENSOR_BEGIN, senses = kind >= ABUT_SENSOR_BEGIN;
        DEMAND(s, events.count == due[kind], "%u events of kind %d, not %u", events.count, (int)kind, due[kind]);
        *(begins ? &s->begun : &s->ended) += events.count;
        for (uint32_t i = 0; i < events.count; ++i)
        {
            const abut_event *e = &events.data[i];
            const model_pair *pair = model_pair_of(&s->m, e->collider_a.slot, e->collider_b.slot);
            const bool is_in = pair->sensed && pair->sensor == e->collider_a.slot;
            DEMAND(s, (senses ? is_in : pair->touching) == begins, "event %u of kind %d is not due", i, (int)kind);
            DEMAND(s,
                   s->m.body[e->a.slot].handle.generation && e->user_data_a == s->m.body[e->a.slot].user_data &&
                       e->user_data_b == s->m.body[e->b.slot].user_data,
                   "event %u carries other user data", i);
            if (senses)
            {
                DEMAND(s, e->flags == 0, "an event of a sensor has flags");
            }
            else
            {
                flags_are_right(s, &events, i, begins);
            }
        }
    }
}

// The lists of contacts hold what touches, each pair once, and with a horizon what may.
static void contacts_are_right(session *s)
{
    uint32_t touching = 0, listed = 0;
    static bool there[MODEL_COLLIDERS][MODEL_COLLIDERS];
    memset(there, 0, sizeof there);
    for (abut_contact_set set = ABUT_AWAKE; set <= ABUT_ASLEEP; ++set)
    {
        const abut_contacts all = abut_world_contacts(s->world, set);
        for (uint32_t i = 0; i < all.count; ++i)
        {
            const abut_contact *contact = abut_contact_at(&all, i);
            const abut_contact_colliders own = abut_colliders_of(&all, contact);
            const uint32_t one = own.a.slot, other = own.b.slot;
            const model_pair *pair = model_pair_of(&s->m, one, other);
            const bool speculative = (contact->flags & ABUT_CONTACT_SPECULATIVE) != 0;
            DEMAND(s, pair->touching != speculative && (!speculative || s->horizon > 0.0f),
                   "colliders %u and %u are a contact", one, other);
            const bool known = pair->touched || (set == ABUT_ASLEEP && pair->listed);
            DEMAND(s, !speculative || known || !s->m.vetoes || (pair->asked && !pair->answer),
                   "colliders %u and %u are a contact and nobody was asked", one, other);
            there[one < other ? one : other][one < other ? other : one] = true;
            touching += !speculative;
            ++listed;
        }
    }
    uint32_t found = 0, expected = 0;
    for (uint32_t i = 0; i < MODEL_COLLIDERS; ++i)
    {
        s->m.collider[i].refiltered = false;
        for (uint32_t j = i + 1; j < MODEL_COLLIDERS; ++j)
        {
            model_pair *pair = &s->m.pair[i][j];
            pair->listed = there[i][j];
            pair->asked = pair->answer = false;
            found += there[i][j];
            expected += pair->touching;
        }
    }
    DEMAND(s, found == listed && touching == expected, "%u contacts, %u of them touch, not %u", listed, touching,
           expected);
}

static void overlaps_are_right(session *s)
{
    const model_collider *sensor = one_collider(s);
    abut_sensor_overlap out[MODEL_COLLIDERS];
    uint32_t count, expected = 0;
    if (!sensor)
    {
        return;
    }
    for (uint32_t i = 0; i < MODEL_COLLIDERS; ++i)
    {
        expected += i != sensor->handle.slot && model_pair_of(&s->m, i, sensor->handle.slot)->sensed &&
                    (sensor->def.flags & ABUT_COLLIDER_SENSOR) != 0;
    }
    const uint32_t capacity = random_below(&s->random, 6);
    assert_int_equal(abut_collider_overlaps(s->world, sensor->handle, out, capacity, &count), ABUT_OK);
    DEMAND(s, count == expected, "%u colliders in sensor %u, not %u", count, sensor->handle.slot, expected);
    for (uint32_t i = 0; i < count && i < capacity; ++i)
    {
        DEMAND(s, model_pair_of(&s->m, out[i].collider.slot, sensor->handle.slot)->sensed, "overlap %u is missing", i);
        DEMAND(s, i == 0 || out[i - 1].body.slot <= out[i].body.slot, "overlap %u is out of order", i);
    }
}

static void contacts_of_a_body_are_right(session *s)
{
    const model_body *body = some_body(s);
    uint32_t slots[MODEL_COLLIDERS], count;
    for (abut_contact_set set = ABUT_AWAKE; body && set <= ABUT_ASLEEP; ++set)
    {
        const abut_contacts all = abut_world_contacts(s->world, set);
        const uint32_t capacity = random_below(&s->random, 2) ? MODEL_COLLIDERS : random_below(&s->random, 4);
        assert_int_equal(abut_body_contacts(s->world, body->handle, set, slots, capacity, &count), ABUT_OK);
        uint32_t found = 0;
        for (uint32_t i = 0; i < all.count; ++i)
        {
            const abut_contact *contact = abut_contact_at(&all, i);
            if (contact->a.slot == body->handle.slot || contact->b.slot == body->handle.slot)
            {
                DEMAND(s, found >= capacity || slots[found] == all.order[i], "contact %u of body %u is missing", i,
                       body->handle.slot);
                ++found;
            }
        }
        DEMAND(s, found == count, "body %u has %u contacts, not %u", body->handle.slot, found, count);
    }
}

static void bury(session *s)
{
    for (uint32_t i = 0; i < MODEL_COLLIDERS; ++i)
    {
        if (s->m.collider[i].ended)
        {
            s->m.collider[i] = (model_collider){ 0 };
        }
    }
    for (uint32_t i = 0; i < MODEL_BODIES; ++i)
    {
        if (s->m.body[i].ended)
        {
            s->m.body[i] = (model_body){ 0 };
        }
    }
}

static void look(session *s)
{
    uint32_t due[4] = { 0 };
    s->horizon = random_chance(&s->random, 0.1) ? 0.05f : 0.0f;
    const bool step = s->horizon == 0.0f && random_chance(&s->random, 0.5);
    assert_int_equal(step ? abut_world_step(s->world, 0.02f) : abut_world_detect(s->world, s->horizon), ABUT_OK);
    memset(s->bodies_before, 0, sizeof s->bodies_before);
    memset(s->bodies_now, 0, sizeof s->bodies_now);
    for (uint32_t i = 0; i < MODEL_COLLIDERS; ++i)
    {
        for (uint32_t j = i + 1; j < MODEL_COLLIDERS && s->m.collider[i].handle.generation; ++j)
        {
            if (s->m.collider[j].handle.generation)
            {
                judge(s, i, j, due);
            }
        }
    }
    events_are_right(s, due);
    contacts_are_right(s);
    bury(s);
    overlaps_are_right(s);
    contacts_of_a_body_are_right(s);
    if (++s->detects % 16 == 0)
    {
        abut_audit audit;
        assert_int_equal(abut_world_audit(s->world, &audit), ABUT_OK);
        DEMAND(s, !audit.what, "%s: bodies %u and %u", audit.what, audit.a.slot, audit.b.slot);
    }
}

static void open_session(session *s, uint64_t seed)
{
    memset(&s->m, 0, sizeof s->m);
    s->seed = seed;
    s->random = random_start(seed);
    s->m.vetoes = seed % 3 != 0;
    s->m.margin = seed % 4 == 1 ? 0.03f : 0.0f;
    for (uint32_t motion = 0; motion < ABUT_MOTION_COUNT; ++motion)
    {
        s->m.meets[motion][ABUT_DYNAMIC] = s->m.meets[ABUT_DYNAMIC][motion] = true;
    }
    abut_isa isa = (abut_isa)(seed % ABUT_ISA_COUNT);
    isa = abut_isa_available(isa) ? isa : ABUT_ISA_AUTO;
    s->world = open_world(&(abut_world_def){ .margin = s->m.margin,
                                             .broad = seed % 2 ? ABUT_BROAD_BVH : ABUT_BROAD_BRUTE,
                                             .isa = isa,
                                             .threads = seed % 5 == 0 ? 2 : 0,
                                             .veto = s->m.vetoes ? veto : NULL,
                                             .veto_context = s });
    if (seed % 5 == 0)
    {
        ab_world_set_granularity(s->world, (ab_granularity){ .chunk = 16, .whole = 16 }); // many tasks of a few pairs
    }
}

static uint64_t steps_wanted(void)
{
    const char *text = getenv("ABUT_PAIR_STEPS");
    return text ? strtoull(text, NULL, 10) : 300000;
}

static void every_pair_is_what_a_plain_model_says(void **state)
{
    (void)state;
    const uint64_t wanted = steps_wanted();
    const char *text = getenv("ABUT_SEED");
    session *s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (uint64_t seed = text ? strtoull(text, NULL, 10) : 1; s->pair_steps < wanted; ++seed)
    {
        open_session(s, seed);
        for (uint32_t k = 0; k < DETECTS_A_WORLD; ++k)
        {
            for (uint32_t edits = random_below(&s->random, 10); edits > 0; --edits)
            {
                edit(s);
            }
            look(s);
        }
        abut_world_destroy(s->world);
    }
    print_message("%llu pair-steps in %llu detects: %llu begins, %llu ends, %llu pairs asked about, %llu vetoed\n",
                  (unsigned long long)s->pair_steps, (unsigned long long)s->detects, (unsigned long long)s->begun,
                  (unsigned long long)s->ended, (unsigned long long)s->asked, (unsigned long long)s->vetoed);
    assert_true(s->begun > wanted / 200 && s->vetoed > wanted / 1000);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_pair_is_what_a_plain_model_says) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
