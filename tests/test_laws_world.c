// Laws of a world under random edits: what it reports after each detect is what the referee finds by trying every pair, and
// its events, indices and impulses tell the same story from frame to frame.
#include "random_world.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>

#include <cmocka.h>

enum
{
    FRAMES = 40,
    ROOM = 4096 // contacts of a frame, and points
};

// What a detect reported, kept to be compared with the next.
typedef struct memory
{
    abut_contact contact[ROOM];
    abut_point point[ROOM];
    abut_impulse impulse[ROOM];
    uint32_t count;
} memory;

// The model's colliders in canonical order.
typedef struct lineup
{
    referee_collider collider[CROWD_BODIES * CROWD_COLLIDERS * 2];
    abut_collider handle[CROWD_BODIES * CROWD_COLLIDERS * 2];
    abut_body body[CROWD_BODIES * CROWD_COLLIDERS * 2];
    uint64_t user_data[CROWD_BODIES * CROWD_COLLIDERS * 2]; // of the body
    uint32_t count;
} lineup;

#define DEMAND(holds, ...)                                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(holds))                                                                                                  \
        {                                                                                                              \
            print_error("ABUT_SEED=%llu frame %u: ", (unsigned long long)seed, frame);                                 \
            fail_msg(__VA_ARGS__);                                                                                     \
        }                                                                                                              \
    } while (0)

static bool same_body(abut_body a, abut_body b)
{
    return a.slot == b.slot && a.life == b.life;
}

static bool same_collider(abut_collider a, abut_collider b)
{
    return a.slot == b.slot && a.life == b.life;
}

static int by_slot(const void *a, const void *b)
{
    const crowd_body *const *one = a, *const *other = b;
    return (*one)->handle.slot < (*other)->handle.slot ? -1 : (*one)->handle.slot > (*other)->handle.slot;
}

static const crowd_collider *collider_of(const crowd_body *body, abut_collider handle)
{
    for (uint32_t k = 0; k < body->colliders; ++k)
    {
        if (same_collider(body->collider[k].handle, handle))
        {
            return &body->collider[k];
        }
    }
    return NULL;
}

static void line_up(const crowd *c, lineup *out, uint64_t seed, uint32_t frame)
{
    const crowd_body *sorted[2 * CROWD_BODIES];
    for (uint32_t k = 0; k < c->bodies; ++k)
    {
        sorted[k] = &c->body[k];
    }
    qsort(sorted, c->bodies, sizeof *sorted, by_slot);
    out->count = 0;
    for (uint32_t k = 0; k < c->bodies; ++k)
    {
        const crowd_body *body = sorted[k];
        abut_collider handles[CROWD_COLLIDERS + 1];
        uint32_t count = 0;
        abut_pose pose;
        DEMAND(abut_body_colliders(c->world, body->handle, handles, CROWD_COLLIDERS + 1, &count) == ABUT_OK &&
                   abut_body_pose(c->world, body->handle, &pose) == ABUT_OK,
               "a body of the model is refused");
        DEMAND(count == body->colliders, "a body has %u colliders, not %u", count, body->colliders);
        for (uint32_t n = 0; n < count; ++n)
        {
            const crowd_collider *collider = collider_of(body, handles[n]);
            DEMAND(collider, "a collider that was never attached");
            uint32_t at = out->count++;
            out->collider[at] = (referee_collider){ .shape = collider->def.shape,
                                                    .pose = pose,
                                                    .local = collider->def.local,
                                                    .motion = body->motion,
                                                    .filter = collider->def.filter,
                                                    .flags = collider->def.flags,
                                                    .body = body->handle.slot,
                                                    .disabled = body->disabled };
            out->handle[at] = handles[n];
            out->body[at] = body->handle;
            out->user_data[at] = body->user_data;
        }
    }
}

static uint32_t place_of(const lineup *all, abut_collider handle)
{
    for (uint32_t k = 0; k < all->count; ++k)
    {
        if (same_collider(all->handle[k], handle))
        {
            return k;
        }
    }
    return ABUT_NONE;
}

static const lineup *compared; // by in_order

// Canonical: body a, body b, then the colliders' places.
static int in_order(const void *one, const void *other)
{
    const referee_pair *x = one, *y = other;
    const uint32_t keys[4][2] = { { compared->body[x->a].slot, compared->body[y->a].slot },
                                  { compared->body[x->b].slot, compared->body[y->b].slot },
                                  { x->a, y->a },
                                  { x->b, y->b } };
    for (int k = 0; k < 4; ++k)
    {
        if (keys[k][0] != keys[k][1])
        {
            return keys[k][0] < keys[k][1] ? -1 : 1;
        }
    }
    return 0;
}

static bool speculative(const abut_contact *contact)
{
    return (contact->flags & ABUT_CONTACT_SPECULATIVE) != 0;
}

static dvec3 widen(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

// The contact's own manifold, at the bodies' poses.
static bool manifold_is_right(const crowd *c, const lineup *all, uint32_t a, uint32_t b, const abut_contact *contact,
                              const abut_point *points, char why[REFEREE_WHY])
{
    abut_manifold m = { .normal = contact->normal,
                        .separation = contact->separation,
                        .point_count = contact->point_count };
    for (uint32_t k = 0; k < contact->point_count && k < 4; ++k)
    {
        m.points[k] = points[contact->first_point + k];
    }
    const referee_collider *one = &all->collider[a], *other = &all->collider[b];
    referee_solid solid_a = referee_solid_of(&one->shape, &one->pose, &one->local);
    referee_solid solid_b = referee_solid_of(&other->shape, &other->pose, &other->local);
    return referee_check(&solid_a, &solid_b, widen(one->pose.position), c->rules.margin, &m, NULL, why);
}

static void tell(const lineup *all, const referee_pair *pair)
{
    const uint32_t both[2] = { pair->a, pair->b };
    for (int k = 0; k < 2; ++k)
    {
        const referee_collider *one = &all->collider[both[k]];
        const abut_vec3 *p = &one->pose.position, *h = &one->shape.box.half_extents, *o = &one->local.position;
        print_error("\n  body %u collider %u: %s, motion %d, position %a %a %a, offset %g %g %g, size %g %g %g",
                    one->body, all->handle[both[k]].slot, abut_shape_kind_name(one->shape.kind), one->motion,
                    (double)p->x, (double)p->y, (double)p->z, (double)o->x, (double)o->y, (double)o->z, (double)h->x,
                    (double)h->y, (double)h->z);
    }
    referee_solid a =
        referee_solid_of(&all->collider[pair->a].shape, &all->collider[pair->a].pose, &all->collider[pair->a].local);
    referee_solid b =
        referee_solid_of(&all->collider[pair->b].shape, &all->collider[pair->b].pose, &all->collider[pair->b].local);
    print_error("\n  separation %.9g\n", referee_meet(&a, &b).separation);
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

// Contacts stand in canonical order, name what they should, and are those that the referee finds.
static void contacts_are_right(const crowd *c, const lineup *all, double horizon, referee_pairs *pairs, uint64_t seed,
                               uint32_t frame)
{
    abut_contacts contacts = abut_world_contacts(c->world, ABUT_AWAKE);
    referee_touching(&c->rules, all->collider, all->count, pairs);
    compared = all;
    if (pairs->count)
    {
        qsort(pairs->data, pairs->count, sizeof *pairs->data, in_order);
    }
    size_t next = 0;
    uint32_t first_point = 0;
    referee_pair before = { 0, 0, false };
    for (uint32_t k = 0; k < contacts.count; ++k)
    {
        const abut_contact *contact = &contacts.data[k];
        uint32_t a = place_of(all, contact->collider_a), b = place_of(all, contact->collider_b);
        DEMAND(a != ABUT_NONE && b != ABUT_NONE, "contact %u is of a collider that is not there", k);
        DEMAND(same_body(all->body[a], contact->a) && same_body(all->body[b], contact->b),
               "contact %u names other bodies", k);
        DEMAND(contact->a.slot < contact->b.slot, "contact %u: a has no lower slot than b", k);
        const referee_pair pair = { a, b, false };
        DEMAND(k == 0 || in_order(&before, &pair) < 0, "contact %u is out of order", k);
        DEMAND(contact->first_point == first_point && contact->point_count >= 1 && contact->point_count <= 4 &&
                   contact->child == 0,
               "contact %u: its points are not packed", k);
        before = pair;
        first_point += contact->point_count;

        for (; next < pairs->count && in_order(&pairs->data[next], &pair) < 0; ++next)
        {
            none_is_missing(all, &pairs->data[next], seed, frame);
        }
        bool found = next < pairs->count && in_order(&pairs->data[next], &pair) == 0;
        bool undecided = found && pairs->data[next].undecided;
        next += found;
        DEMAND(horizon > 0.0 || !speculative(contact), "contact %u is speculative, without a horizon", k);
        if (!undecided && found == speculative(contact))
        {
            tell(all, &pair);
        }
        DEMAND(undecided || found != speculative(contact), "contact %u %s, separation %g, margin %g", k,
               found ? "is called speculative" : "does not touch", (double)contact->separation, c->rules.margin);
        DEMAND(referee_may_meet(&c->rules, &all->collider[a], &all->collider[b]), "contact %u may not be", k);
        char why[REFEREE_WHY];
        if (horizon <= 0.0 && !manifold_is_right(c, all, a, b, contact, contacts.points, why))
        {
            DEMAND(false, "contact %u: %s", k, why);
        }
    }
    for (; next < pairs->count; ++next)
    {
        none_is_missing(all, &pairs->data[next], seed, frame);
    }
    DEMAND(first_point == contacts.point_count, "%u points, not %u", contacts.point_count, first_point);
}

static bool same_contact(const abut_contact *a, const abut_contact *b)
{
    return same_collider(a->collider_a, b->collider_a) && same_collider(a->collider_b, b->collider_b) &&
           same_body(a->a, b->a) && same_body(a->b, b->b) && a->child == b->child;
}

static uint32_t find_in(const abut_contact *list, uint32_t count, const abut_contact *contact)
{
    for (uint32_t k = 0; k < count; ++k)
    {
        if (same_contact(&list[k], contact))
        {
            return k;
        }
    }
    return ABUT_NONE;
}

static bool same_event(const abut_event *a, const abut_event *b)
{
    return same_body(a->a, b->a) && same_body(a->b, b->b) && same_collider(a->collider_a, b->collider_a) &&
           same_collider(a->collider_b, b->collider_b) && a->user_data_a == b->user_data_a &&
           a->user_data_b == b->user_data_b;
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

static abut_event event_of(const crowd *c, const abut_contact *contact)
{
    return (abut_event){ contact->a,
                         contact->b,
                         contact->collider_a,
                         contact->collider_b,
                         user_data_of(c, contact->a),
                         user_data_of(c, contact->b) };
}

// begin = touching now and not before, end = before and not now, each in the order of contacts, with the user data the
// bodies have, or had when they were destroyed. To be called while the model still knows the destroyed.
static void events_are_right(const crowd *c, const memory *last, uint64_t seed, uint32_t frame)
{
    abut_contacts now = abut_world_contacts(c->world, ABUT_AWAKE);
    abut_events begun = abut_world_events(c->world, ABUT_BEGIN), ended = abut_world_events(c->world, ABUT_END);
    uint32_t begins = 0, ends = 0;
    for (uint32_t k = 0; k < now.count; ++k)
    {
        const abut_contact *contact = &now.data[k];
        uint32_t before = find_in(last->contact, last->count, contact);
        DEMAND(contact->previous == before, "contact %u was %u, it says %u", k, before, contact->previous);
        if (!speculative(contact) && (before == ABUT_NONE || speculative(&last->contact[before])))
        {
            abut_event event = event_of(c, contact);
            DEMAND(begins < begun.count && same_event(&begun.data[begins], &event),
                   "begin %u is not that of contact %u", begins, k);
            ++begins;
        }
    }
    for (uint32_t k = 0; k < last->count; ++k)
    {
        uint32_t after = find_in(now.data, now.count, &last->contact[k]);
        if (!speculative(&last->contact[k]) && (after == ABUT_NONE || speculative(&now.data[after])))
        {
            abut_event event = event_of(c, &last->contact[k]);
            DEMAND(ends < ended.count && same_event(&ended.data[ends], &event),
                   "end %u is not that of the last contact %u", ends, k);
            ++ends;
        }
    }
    DEMAND(begins == begun.count && ends == ended.count, "%u begins and %u ends too many", begun.count - begins,
           ended.count - ends);
}

static abut_impulse impulse_before(const memory *last, const abut_contact *contact, uint32_t feature)
{
    if (contact->previous != ABUT_NONE)
    {
        const abut_contact *before = &last->contact[contact->previous];
        for (uint32_t k = before->first_point; k < before->first_point + before->point_count; ++k)
        {
            if (last->point[k].feature == feature)
            {
                return last->impulse[k];
            }
        }
    }
    return (abut_impulse){ 0 };
}

// Impulses follow their feature. Then a solver writes new ones.
static void impulses_are_right(crowd *c, const memory *last, uint64_t seed, uint32_t frame)
{
    abut_contacts now = abut_world_contacts(c->world, ABUT_AWAKE);
    for (uint32_t k = 0; k < now.count; ++k)
    {
        const abut_contact *contact = &now.data[k];
        for (uint32_t p = contact->first_point; p < contact->first_point + contact->point_count; ++p)
        {
            abut_impulse due = impulse_before(last, contact, now.points[p].feature);
            DEMAND(memcmp(&due, &now.impulses[p], sizeof due) == 0, "point %u of contact %u has another impulse", p, k);
            float size = (float)random_unit(&c->random);
            now.impulses[p] = (abut_impulse){ size, { size + 1.0f, size + 2.0f }, size + 3.0f };
        }
    }
}

static void remember(const crowd *c, memory *last)
{
    abut_contacts now = abut_world_contacts(c->world, ABUT_AWAKE);
    assert_true(now.count <= ROOM && now.point_count <= ROOM);
    last->count = now.count;
    if (now.count)
    {
        memcpy(last->contact, now.data, now.count * sizeof *now.data);
        memcpy(last->point, now.points, now.point_count * sizeof *now.points);
        memcpy(last->impulse, now.impulses, now.point_count * sizeof *now.impulses);
    }
}

static void every_frame_is_what_the_referee_finds(void **state)
{
    (void)state;
    crowd *c = malloc(sizeof *c);
    memory *last = malloc(sizeof *last);
    lineup *all = malloc(sizeof *all);
    assert_true(c && last && all);
    referee_pairs pairs = { NULL, 0, 0 };
    uint64_t contacts = 0, speculatives = 0;
    random_seeds seeds = random_seeds_of(200);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        assert_int_equal(crowd_open(c, seed, (abut_world_def){ 0 }), ABUT_OK);
        last->count = 0;
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            double dt;
            double horizon = crowd_frame(c, &dt);
            DEMAND(!c->broken && horizon >= 0.0, "a call was refused");
            events_are_right(c, last, seed, frame);
            crowd_bury(c);
            line_up(c, all, seed, frame);
            contacts_are_right(c, all, horizon, &pairs, seed, frame);
            impulses_are_right(c, last, seed, frame);
            remember(c, last);
            contacts += last->count;
            for (uint32_t k = 0; k < last->count; ++k)
            {
                speculatives += speculative(&last->contact[k]);
            }
        }
        abut_world_destroy(c->world);
    }
    if (getenv("ABUT_VERBOSE"))
    {
        print_message("%llu contacts, %llu speculative\n", (unsigned long long)contacts,
                      (unsigned long long)speculatives);
    }
    assert_true(getenv("ABUT_SEED") || (contacts > 10000 && speculatives > 100));
    free(pairs.data);
    free(all);
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
