// Laws of many bodies: whatever shape a crowd has, even one that a broad phase dislikes, every touching pair is found
// by every broad phase, frame after frame, and nothing else.
#include "random_pair.h"

#include <abut/contacts.h>
#include <abut/state.h>

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <setjmp.h>

#include <cmocka.h>

typedef enum layout
{
    GAS,      // anywhere in a cube
    POINT,    // all at one position
    LINE,     // along a diagonal
    PLANE,    // on one plane, z equal
    LATTICE,  // unit boxes side by side, sharing faces
    CLUSTERS, // dense groups far from each other
    SCALES,   // sizes over six orders of magnitude
    POINTS,   // mostly without size
    FAR,      // a gas a million metres away
    LAYOUTS
} layout;

static const char *const names[LAYOUTS] = { "gas",      "point",  "line",   "plane", "lattice",
                                            "clusters", "scales", "points", "far" };

typedef struct scene
{
    layout layout;
    uint32_t count;
    abut_body_def *defs;
} scene;

static dvec3 place(layout how, uint32_t k, uint32_t count, random_source *random)
{
    double side = cbrt((double)count);
    switch (how)
    {
    case POINT:
        return dvec3_make(1, 2, 3);
    case LINE:
        return dvec3_scale(dvec3_make(1, 1, 1), random_between(random, 0.0, 0.4 * (double)count));
    case PLANE:
        return dvec3_make(random_between(random, 0, 1.2 * sqrt((double)count)),
                          random_between(random, 0, 1.2 * sqrt((double)count)), 7);
    case LATTICE:
    {
        uint32_t edge = (uint32_t)ceil(side);
        return dvec3_make(k % edge, k / edge % edge, k / (edge * edge));
    }
    case CLUSTERS:
        return dvec3_add(dvec3_make(1000.0 * (k % 7), -500.0 * (k % 5), 0), random_in_box(random, 1.5));
    case FAR:
        return dvec3_add(dvec3_make(1e6, -1e6, 1e6), random_in_box(random, 0.6 * side));
    case GAS:
    case SCALES:
    case POINTS:
    default:
        return random_in_box(random, 0.6 * side);
    }
}

static abut_shape shape_of(layout how, random_source *random)
{
    abut_shape_kind kind = random_kind(random_below(random, RANDOM_KINDS));
    switch (how)
    {
    case LATTICE:
        return (abut_shape){ .kind = random_chance(random, 0.5) ? ABUT_AABB : ABUT_OBB,
                             .box.half_extents = { 0.5f, 0.5f, 0.5f } };
    case SCALES:
        return random_shape(random, kind, random_scale(random, 1e-5, 5.0));
    case POINTS:
        return random_chance(random, 0.9) ? (abut_shape){ .kind = kind } : random_shape(random, kind, 2.0);
    default:
        return random_shape(random, kind, random_between(random, 0.2, 0.6));
    }
}

static scene scene_of(layout how, uint32_t count, random_source *random)
{
    scene s = { how, count, calloc(count, sizeof *s.defs) };
    assert_non_null(s.defs);
    for (uint32_t k = 0; k < count; ++k)
    {
        abut_body_def *def = &s.defs[k];
        def->pose.position = random_narrow(place(how, k, count, random));
        def->pose.rotation = how == LATTICE ? abut_quat_identity() : random_narrow_rotation(random_rotation(random));
        def->velocity.linear = random_narrow(random_in_box(random, how == POINT ? 0.0 : 2.0));
        def->velocity.angular = random_narrow(random_in_box(random, how == LATTICE ? 0.0 : 2.0));
        def->motion = random_chance(random, 0.2) ? ABUT_STATIC : ABUT_DYNAMIC;
        def->collider.shape = shape_of(how, random);
        def->user_data = k;
    }
    return s;
}

static abut_world *world_of(const scene *s, abut_broad_kind broad, abut_body *handles)
{
    abut_world *world;
    assert_int_equal(abut_world_create(&(abut_world_def){ .broad = broad }, &world), ABUT_OK);
    assert_int_equal(abut_body_create_many(world, s->defs, s->count, handles), ABUT_OK);
    for (uint32_t k = 1; k < s->count; ++k)
    {
        assert_true(handles[k - 1].slot < handles[k].slot); // so that the order of contacts is that of the definitions
    }
    return world;
}

static void look(abut_world *world, const scene *s, const abut_body *handles, referee_collider *colliders)
{
    for (uint32_t k = 0; k < s->count; ++k)
    {
        const abut_body_def *def = &s->defs[k];
        colliders[k] = (referee_collider){ .shape = def->collider.shape, .motion = def->motion, .body = k };
        assert_int_equal(abut_body_pose(world, handles[k], &colliders[k].pose), ABUT_OK);
    }
}

static bool before(const abut_contact *contact, const abut_body *handles, const referee_pair *pair)
{
    uint32_t a = handles[pair->a].slot, b = handles[pair->b].slot;
    return contact->a.slot < a || (contact->a.slot == a && contact->b.slot < b);
}

static bool names_pair(const abut_contact *contact, const abut_body *handles, const referee_pair *pair)
{
    return contact->a.slot == handles[pair->a].slot && contact->b.slot == handles[pair->b].slot;
}

// Both lists are in canonical order.
static void compare(abut_world *world, const scene *s, const abut_body *handles, const referee_pairs *pairs,
                    uint64_t seed, uint32_t frame)
{
    abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    uint32_t k = 0;
    for (size_t n = 0; n < pairs->count; ++n)
    {
        const referee_pair *pair = &pairs->data[n];
        if (k < contacts.count && before(abut_contact_at(&contacts, k), handles, pair))
        {
            fail_msg("ABUT_SEED=%llu %s frame %u: bodies %u and %u do not touch", (unsigned long long)seed,
                     names[s->layout], frame, abut_contact_at(&contacts, k)->a.slot,
                     abut_contact_at(&contacts, k)->b.slot);
        }
        bool found = k < contacts.count && names_pair(abut_contact_at(&contacts, k), handles, pair);
        if (!found && !pair->undecided)
        {
            fail_msg("ABUT_SEED=%llu %s frame %u: bodies %u and %u touch, unreported", (unsigned long long)seed,
                     names[s->layout], frame, handles[pair->a].slot, handles[pair->b].slot);
        }
        k += found;
    }
    if (k != contacts.count)
    {
        fail_msg("ABUT_SEED=%llu %s frame %u: a contact too many", (unsigned long long)seed, names[s->layout], frame);
    }
}

// One world for each broad phase, all stepped alike.
static void watch(layout how, uint32_t count, uint32_t frames, uint64_t seed)
{
    random_source random = random_start(seed);
    scene s = scene_of(how, count, &random);
    referee_collider *colliders = calloc(count, sizeof *colliders);
    abut_body *handles = calloc(count, sizeof *handles);
    assert_true(colliders && handles);
    referee_rules rules = referee_default_rules();
    referee_pairs pairs = { NULL, 0, 0 };
    abut_world *worlds[ABUT_BROAD_COUNT];
    for (int broad = ABUT_BROAD_COUNT - 1; broad >= 0; --broad)
    {
        worlds[broad] = world_of(&s, (abut_broad_kind)broad, handles); // those of the first world stay
    }
    size_t found = 0;
    for (uint32_t frame = 0; frame < frames; ++frame)
    {
        uint64_t hash = 0;
        for (int broad = 0; broad < ABUT_BROAD_COUNT; ++broad)
        {
            assert_int_equal(abut_world_step(worlds[broad], frame ? 1.0f / 60.0f : 0.0f), ABUT_OK);
            if (broad == 0)
            {
                look(worlds[0], &s, handles, colliders);
                referee_touching(&rules, colliders, count, &pairs);
                compare(worlds[0], &s, handles, &pairs, seed, frame);
                hash = abut_world_hash(worlds[0]);
                found += pairs.count;
            }
            if (abut_world_hash(worlds[broad]) != hash)
            {
                fail_msg("ABUT_SEED=%llu %s frame %u: %s finds something else", (unsigned long long)seed, names[how],
                         frame, abut_broad_name((abut_broad_kind)broad));
            }
        }
    }
    assert_true(found > 0);
    for (int broad = 0; broad < ABUT_BROAD_COUNT; ++broad)
    {
        abut_world_destroy(worlds[broad]);
    }
    free(pairs.data);
    free(handles);
    free(colliders);
    free(s.defs);
}

static void every_shape_of_crowd_is_seen_through(void **state)
{
    (void)state;
    random_seeds seeds = random_seeds_of(4);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        for (int how = 0; how < LAYOUTS; ++how)
        {
            watch((layout)how, how == POINT ? 120 : 200 + (uint32_t)(seed * 37) % 100, 15, seed);
        }
    }
}

static void a_thousand_bodies_are_followed_for_a_second(void **state)
{
    (void)state;
    random_seeds seeds = random_seeds_of(1);
    watch(GAS, 1000, 60, seeds.first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_shape_of_crowd_is_seen_through),
        cmocka_unit_test(a_thousand_bodies_are_followed_for_a_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
