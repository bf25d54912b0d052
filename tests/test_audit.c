// The audit sees what is wrong. Worlds whose last detect is no longer true, by an edit or by a number changed behind
// their back: each time it names the fault and the pair.
#include "small_world.h"
#include "world/world.h"

#include <math.h>
#include <string.h>

static const char *found(abut_world *world)
{
    abut_audit audit = { .what = "nobody wrote here" };
    assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
    return audit.what;
}

// The audit names this fault, of these bodies.
static void tells(abut_world *world, const char *what, abut_body a, abut_body b)
{
    abut_audit audit = { 0 };
    assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
    assert_non_null(audit.what);
    assert_string_equal(audit.what, what);
    assert_int_equal(audit.a.slot, a.slot);
    assert_int_equal(audit.a.generation, a.generation);
    assert_int_equal(audit.b.slot, b.slot);
    assert_int_equal(audit.b.generation, b.generation);
}

static void put(abut_world *world, abut_body body, float x, float y)
{
    assert_int_equal(abut_body_set_pose(world, body, &(abut_pose){ { x, y, 0 }, 0, { 0, 0, 0, 1 } }), ABUT_OK);
}

static const char missing[] = "a pair that touches is not among the contacts";
static const char invented[] = "a contact is of a pair that does not touch";
static const char other[] = "a contact's manifold is not what its kernel gives";
static const char apart[] = "a vetoed pair does not touch";

static void contacts_that_are_no_longer_true_are_found(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body a = ball(world, 0), b = ball(world, 0.75f), c = ball(world, 5);
    expect(world, 1, 1, 0);
    assert_null(found(world));
    put(world, b, 0.7f, 0);
    tells(world, other, a, b);
    put(world, b, 3, 0);
    tells(world, invented, a, b);
    put(world, b, 0.75f, 0);
    assert_null(found(world));
    put(world, c, -0.5f, 0);
    tells(world, missing, a, c);
    detect(world);
    assert_null(found(world));
    abut_world_destroy(world);
}

static void every_number_of_a_contact_is_compared(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body a = add(world, abut_shape_obb(0.5f, 0.5f, 0.5f), 0, 0, 0, ABUT_DYNAMIC);
    const abut_body b = add(world, abut_shape_obb(0.4f, 0.5f, 0.4f), 0, 0.99f, 0, ABUT_DYNAMIC);
    expect(world, 1, 1, 0);
    assert_null(found(world));
    ab_contact_store *store = &world->state.store;
    abut_contact *c = &store->pool.contacts[ab_contact_store_now(store)->slots[0]];
    const abut_contact contact = *c;
    for (uint32_t which = 0; which < 7; ++which)
    {
        abut_point *p = &c->points[contact.point_count - 1];
        c->normal.x = which == 0 ? -contact.normal.x : contact.normal.x; // zero: another bit, the same value
        c->separation = which == 1 ? nextafterf(contact.separation, 1.0f) : contact.separation;
        c->point_count = (uint16_t)(which == 2 ? contact.point_count - 1 : contact.point_count);
        c->flags = which == 3 ? ABUT_CONTACT_SPECULATIVE : contact.flags;
        p->offset.z += which == 4 ? 0.001f : 0.0f;
        p->separation = which == 5 ? -p->separation : p->separation;
        p->feature ^= which == 6;
        tells(world, other, a, b);
        *c = contact;
        assert_null(found(world));
    }
    abut_world_destroy(world);
}

// Vetoes the pairs of bodies both of which have user data.
static void veto_marked(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    (void)context;
    for (uint32_t i = 0; i < count; ++i)
    {
        vetoed[i] = pairs[i].user_data_a != 0 && pairs[i].user_data_b != 0;
    }
}

static abut_body marked(abut_world *world, float x)
{
    const abut_body body = ball(world, x);
    assert_int_equal(abut_body_set_user_data(world, body, 1), ABUT_OK);
    return body;
}

static void vetoed_pairs_that_are_no_longer_true_are_found(void **state)
{
    (void)state;
    for (uint32_t asleep = 0; asleep < 2; ++asleep)
    {
        abut_world *world = open_world(&(abut_world_def){ .veto = veto_marked });
        const abut_body plain = ball(world, -0.75f), a = marked(world, 0), b = marked(world, 0.75f);
        expect(world, 1, 1, 0);
        assert_int_equal(abut_body_set_awake_many(world, (abut_body[]){ a, b }, 2, asleep == 0), ABUT_OK);
        for (uint32_t i = 0; i < 3; ++i)
        {
            detect(world);
            assert_null(found(world));
        }
        put(world, b, 3, 0);
        tells(world, apart, a, b);
        put(world, b, 0.75f, 0);
        assert_null(found(world));
        if (asleep == 0)
        {
            ab_cached_pairs *list = &world->state.store.vetoes.found[world->state.store.vetoes.published];
            const uint64_t key = list->keys[0];
            list->keys[0] = ab_contact_store_now(&world->state.store)->keys[0];
            tells(world, "a contact is of a pair that was vetoed", a, b);
            list->keys[0] = key;
            assert_null(found(world));
        }
        assert_int_equal(abut_body_destroy(world, plain), ABUT_OK);
        abut_world_destroy(world);
    }
}

static void sensors_that_are_no_longer_true_are_found(void **state)
{
    (void)state;
    for (uint32_t asleep = 0; asleep < 2; ++asleep)
    {
        abut_body zone;
        abut_world *world = open_world(NULL);
        const abut_body_def def = { .motion = ABUT_STATIC,
                                    .collider = { .shape = abut_shape_aabb(1, 1, 1), .flags = ABUT_COLLIDER_SENSOR } };
        assert_int_equal(abut_body_create(world, &def, &zone), ABUT_OK);
        const abut_body inside = ball(world, 0), outside = ball(world, 5);
        assert_int_equal(abut_body_set_awake(world, inside, asleep == 0), ABUT_OK);
        for (uint32_t i = 0; i < 4; ++i)
        {
            detect(world);
            assert_null(found(world));
        }
        put(world, outside, 0, 1.2f);
        assert_int_equal(abut_body_set_enabled(world, outside, true), ABUT_OK);
        put(world, inside, 0, -1.2f);
        tells(world, "a collider in a sensor is not among its overlaps", zone, outside);
        put(world, outside, 5, 0);
        put(world, inside, 4, 0);
        // There they touch, which comes first.
        tells(world, missing, inside, outside);
        put(world, inside, 0, -5);
        tells(world, "an overlap is of a collider that is not in its sensor", zone, inside);
        abut_world_destroy(world);
    }
}

// A crate on another that has moved a little since it was anchored.
typedef struct kept
{
    abut_world *world;
    abut_body below, above;
} kept;

static kept kept_pair(abut_shape below, abut_shape above)
{
    kept k = { .world = open_world(&(abut_world_def){ .recycle_distance = 0.01f }) };
    k.below = add(k.world, below, 0, 0, 0, ABUT_DYNAMIC);
    k.above = add(k.world, above, 0.896f, 0.999f, 0, ABUT_DYNAMIC);
    expect(k.world, 1, 1, 0);
    put(k.world, k.above, 0.899f, 0.998f);
    expect(k.world, 1, 0, 0);
    assert_int_equal(contact_at(k.world, ABUT_AWAKE, 0)->flags, ABUT_CONTACT_RECYCLED);
    return k;
}

// The audit computes manifolds at the anchors and follows them, so it is exact for kept contacts, too.
static void kept_contacts_are_compared_to_the_bit(void **state)
{
    (void)state;
    const abut_shape shapes[] = { abut_shape_obb(0.5f, 0.5f, 0.5f), abut_shape_aabb(0.5f, 0.5f, 0.5f),
                                  abut_shape_obb(0.4f, 0.5f, 0.4f), abut_shape_aabb(0.4f, 0.5f, 0.4f) };
    for (uint32_t i = 0; i < 12; ++i)
    {
        kept k = kept_pair(shapes[i % 2], shapes[2 + i / 2 % 2]);
        abut_contact *contact = &k.world->state.store.pool.contacts[contact_at(k.world, ABUT_AWAKE, 0)->id.slot];
        assert_null(found(k.world));
        if (i < 4)
        {
            float *const numbers[] = { &contact->separation, &contact->normal.y, &contact->points[1].separation,
                                       &contact->points[0].offset.x };
            const float before = *numbers[i];
            *numbers[i] = nextafterf(before, 2.0f);
            tells(k.world, other, k.below, k.above);
            *numbers[i] = before;
            assert_null(found(k.world));
            put(k.world, k.above, 0.899f, 0.9981f); // its separation is another
            tells(k.world, other, k.below, k.above);
        }
        else if (i < 8)
        {
            assert_int_equal(abut_body_set_enabled(k.world, k.above, false), ABUT_OK);
            tells(k.world, invented, k.below, k.above);
        }
        else
        {
            abut_collider collider;
            uint32_t count;
            assert_int_equal(abut_body_colliders(k.world, k.above, &collider, 1, &count), ABUT_OK);
            assert_int_equal(abut_collider_set_filter(k.world, collider, &(abut_filter){ .category = 2, .mask = 2 }),
                             ABUT_OK);
            tells(k.world, invented, k.below, k.above);
        }
        abut_world_destroy(k.world);
    }
}

static void an_invalid_pose_fails_the_audit(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body a = ball(world, 0);
    ball(world, 0.75f);
    detect(world);
    float *x = &abut_world_bodies(world).poses[a.slot].position.x;
    abut_audit audit = { .pairs = 77 };
    *x = NAN;
    assert_int_equal(abut_world_audit(world, &audit), ABUT_INVALID_ARGUMENT);
    assert_true(audit.pairs == 77 && !audit.what);
    *x = 0;
    assert_null(found(world));
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_that_are_no_longer_true_are_found),
        cmocka_unit_test(every_number_of_a_contact_is_compared),
        cmocka_unit_test(vetoed_pairs_that_are_no_longer_true_are_found),
        cmocka_unit_test(sensors_that_are_no_longer_true_are_found),
        cmocka_unit_test(kept_contacts_are_compared_to_the_bit),
        cmocka_unit_test(an_invalid_pose_fails_the_audit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
