// Callers' pair functions: they are called and believed, an invalid manifold fails, they come and go in any order, and
// each pair is collided by the function that was set for it last, or by the library.
#include "own_world.h"
#include "random.h"

enum
{
    CRATE = ABUT_FIRST_KIND + OWN_CRATE
};

typedef struct caller
{
    abut_world *world;
    uint32_t calls, pairs, kind_a;
    abut_status busy;
    abut_manifold answer;
    float least_margin;
} caller;

static void same_answer(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    caller *c = context;
    abut_body body;
    const abut_body_def def = { 0 };
    ++c->calls;
    c->busy = abut_body_create(c->world, &def, &body);
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        assert_int_equal(out[i].point_count, 0);
        const abut_shape *a = &pairs->shapes_a[i];
        assert_int_equal(a->kind == ABUT_CUSTOM ? a->custom.kind : (uint32_t)a->kind, c->kind_a);
        assert_true(pairs->margins[i] >= c->least_margin);
        ++c->pairs;
        out[i] = c->answer;
    }
}

static void a_pair_function_is_asked_and_believed(void **state)
{
    (void)state;
    error_note last = { 0 };
    abut_world *world = open_own_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &last });
    caller c = { .world = world, .kind_a = CRATE };
    c.answer = (abut_manifold){ { 0, 1, 0 }, -0.25f, 2, { { { 1, 2, 3 }, -0.25f, 77 }, { { 4, 5, 6 }, -0.1f, 78 } } };
    // the custom one has the lower slot, then the higher
    const abut_body first = add(world, own_shape(OWN_CRATE, 1, 1, 1), 100.0f, 0.0f, 0.0f, ABUT_DYNAMIC);
    const abut_body sphere = add(world, abut_shape_sphere(1.0f), 101.0f, 0.0f, 0.0f, ABUT_DYNAMIC);
    add(world, own_shape(OWN_CRATE, 1, 1, 1), 102.5f, 0.0f, 0.0f, ABUT_DYNAMIC);
    assert_int_equal(abut_world_set_pair_function(world, CRATE, ABUT_SPHERE, same_answer, &c), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_true(c.pairs >= 2); // a pair may be asked about more than once
    assert_int_equal(c.busy, ABUT_BUSY);
    assert_int_equal(touching(world), 2);
    const abut_contact *of_first = contact_at(world, ABUT_AWAKE, 0), *of_sphere = contact_at(world, ABUT_AWAKE, 1);
    assert_true(of_first->a.slot == first.slot && of_first->normal.y == 1.0f);
    assert_true(of_sphere->a.slot == sphere.slot && of_sphere->normal.y == -1.0f);
    assert_true(of_first->separation == -0.25f && of_first->point_count == 2);
    assert_true(of_first->points[1].offset.z == 6.0f && of_first->points[1].feature == 78);
    expect_sound(world);
    // the other way round, then none
    c.kind_a = ABUT_SPHERE;
    assert_int_equal(abut_world_set_pair_function(world, ABUT_SPHERE, CRATE, same_answer, &c), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_true(contact_at(world, ABUT_AWAKE, 0)->normal.y == -1.0f);
    c.answer.separation = 1.0f; // farther than the margin
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 0);
    assert_int_equal(abut_world_set_pair_function(world, CRATE, ABUT_SPHERE, NULL, NULL), ABUT_OK);
    assert_int_equal(abut_world_set_pair_function(world, CRATE, ABUT_OBB, NULL, NULL), ABUT_OK);
    const uint32_t calls = c.calls;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_int_equal(c.calls, calls);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 2);
    abut_world_destroy(world);
}

static void an_invalid_manifold_fails_and_the_last_results_stay(void **state)
{
    (void)state;
    error_note last = { 0 };
    abut_world *world = open_own_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &last });
    const abut_manifold good = { { 0, 1, 0 }, -0.25f, 1, { { { 1, 2, 3 }, -0.25f, 77 } } };
    caller c = { .world = world, .kind_a = CRATE, .answer = good };
    const abut_body crate = add(world, own_shape(OWN_CRATE, 1, 1, 1), 0, 0, 0, ABUT_DYNAMIC);
    add(world, own_shape(OWN_CRATE, 1, 1, 1), 1, 0, 0, ABUT_DYNAMIC);
    add(world, own_shape(OWN_ROUND, 1, 1, 1), 0.5f, 1, 0, ABUT_STATIC);
    assert_int_equal(abut_world_set_pair_function(world, CRATE, CRATE, same_answer, &c), ABUT_OK);
    assert_int_equal(abut_world_step(world, 0.1f), ABUT_OK);
    const uint64_t hash = abut_world_hash(world);
    for (int k = 0; k < 9; ++k)
    {
        abut_manifold *m = &c.answer;
        *m = good;
        float *const numbers[] = { &m->normal.x,           &m->normal.y,
                                   &m->normal.z,           &m->separation,
                                   &m->points[0].offset.x, &m->points[0].offset.y,
                                   &m->points[0].offset.z, &m->points[0].separation };
        if (k < 8)
        {
            *numbers[k] = NAN;
        }
        m->point_count = k == 8 ? 5 : 1;
        assert_int_equal(abut_world_step(world, 0.1f), ABUT_INVALID_ARGUMENT);
        assert_int_equal(last.index, 0);
        assert_non_null(strstr(last.sentence, "pair function"));
        assert_true(abut_world_hash(world) == hash);
    }
    c.answer = good;
    c.answer.normal.y = 1.1f;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
    c.answer = good;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_true(abut_world_hash(world) != 0);

    // The same where one is a sensor.
    const abut_collider collider = first_collider(world, crate);
    assert_int_equal(abut_collider_set_flags(world, collider, ABUT_COLLIDER_SENSOR), ABUT_OK);
    detect(world);
    uint32_t inside = 0;
    assert_int_equal(abut_collider_overlaps(world, collider, NULL, 0, &inside), ABUT_OK);
    assert_int_equal(inside, 2);
    const uint64_t sensed = abut_world_hash(world);
    c.answer.separation = NAN;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
    assert_non_null(strstr(last.sentence, "pair function"));
    assert_true(abut_world_hash(world) == sensed);
    abut_world_destroy(world);
}

static void pair_functions_are_for_kinds_of_the_callers_own(void **state)
{
    (void)state;
    abut_world *world = open_own_world(NULL);
    const uint32_t none[] = { ABUT_SHAPE_NONE, ABUT_CUSTOM, ABUT_SHAPE_KIND_COUNT, 255, ABUT_FIRST_KIND + OWN_KINDS };
    for (size_t k = 0; k < sizeof none / sizeof *none; ++k)
    {
        assert_int_equal(abut_world_set_pair_function(world, none[k], CRATE, same_answer, NULL), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_world_set_pair_function(world, CRATE, none[k], same_answer, NULL), ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_world_set_pair_function(world, ABUT_SPHERE, ABUT_OBB, same_answer, NULL),
                     ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_set_pair_function(NULL, CRATE, CRATE, same_answer, NULL), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

// By the library's own kernels on the built-in twins: relative poses, many kinds, a horizon.
static void by_twins(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    _Atomic uint32_t *count = context; // called from all threads
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        const own_size a = own_size_of(pairs->shapes_a[i].custom.data);
        const own_size b = own_size_of(pairs->shapes_b[i].custom.data);
        const abut_shape box_a = abut_shape_obb(a.x, a.y, a.z), box_b = abut_shape_obb(b.x, b.y, b.z);
        assert_int_equal(
            abut_collide(&box_a, &pairs->poses_a[i], &box_b, &pairs->poses_b[i], pairs->margins[i], &out[i]), ABUT_OK);
        for (uint32_t k = 0; k < out[i].point_count; ++k)
        {
            out[i].points[k].offset = abut_vec3_add(out[i].points[k].offset, pairs->poses_a[i].position);
        }
        ++*count;
    }
}

#define NEAR_FACE (2.0f / 512.0f) // of the sizes of boxes: by so much a face may be worse than edges that are near it

// Whether a kernel has the separation that a function found within the margin and the reach. Past the margin the kernel
// has that of the best axis, also where a face is named that is worse.
static bool has_separation(const abut_contact *kernel, const abut_contact *own, float margin)
{
    const float size = 2.0f * (0.6f + 0.5f + 0.25f), more = kernel->separation - own->separation;
    return more >= -1e-3f && more <= 1e-3f + (kernel->separation > margin ? NEAR_FACE * size : 0.0f);
}

static void a_pair_function_stands_for_the_kernel_it_repeats(void **state)
{
    (void)state;
    _Atomic uint32_t pairs = 0;
    uint32_t touching = 0;
    for (uint32_t seed = 1; seed <= 8; ++seed)
    {
        abut_world *world[2];
        for (uint32_t w = 0; w < 2; ++w)
        {
            random_source random = random_start(seed);
            const abut_world_def def = { .margin = seed % 2 ? 0.1f : 0.0f };
            world[w] = open_own_world(&def);
            assert_int_equal(abut_world_set_pair_function(world[w], ABUT_FIRST_KIND, ABUT_FIRST_KIND, by_twins, &pairs),
                             ABUT_OK);
            for (uint32_t i = 0; i < 150; ++i)
            {
                abut_body body;
                const float x = (float)random_between(&random, 0.1, 0.6);
                abut_body_def made = { .collider.shape =
                                           w ? own_shape(OWN_CRATE, x, 0.5f, 0.25f) : abut_shape_obb(x, 0.5f, 0.25f) };
                made.pose.position = random_narrow(random_in_box(&random, 2.0));
                made.pose.rotation = random_narrow_rotation(random_rotation(&random));
                made.velocity.linear = random_narrow(random_in_box(&random, 1.0));
                made.collider.local.position = random_narrow(random_in_box(&random, i % 3 ? 0.0 : 0.3));
                assert_int_equal(abut_body_create(world[w], &made, &body), ABUT_OK);
            }
            assert_int_equal(abut_world_detect(world[w], seed % 3 ? 0.0f : 0.1f), ABUT_OK);
            expect_sound(world[w]);
        }
        const abut_contacts ours = abut_world_contacts(world[1], ABUT_AWAKE);
        const abut_contacts theirs = abut_world_contacts(world[0], ABUT_AWAKE);
        for (uint32_t i = 0; i < ours.count && i < theirs.count; ++i)
        {
            const abut_contact *own = abut_contact_at(&ours, i), *other = abut_contact_at(&theirs, i);
            assert_int_equal(own->b.slot, other->b.slot);
            // rotations are rounded once more on their way to the function, which may tip the choice of an axis
            assert_true(has_separation(other, own, seed % 2 ? 0.1f : 0.0f));
        }
        assert_int_equal(ours.count, theirs.count);
        touching += ours.count;
        abut_world_destroy(world[0]);
        abut_world_destroy(world[1]);
    }
    assert_true(touching > 1000 && pairs > touching);
}

// Sleeping contacts come from the old function.
static void setting_a_pair_function_wakes_sleeping_contacts(void **state)
{
    (void)state;
    abut_world *world = open_own_world(NULL);
    caller c = { .world = world, .kind_a = CRATE };
    c.answer = (abut_manifold){ { 1, 0, 0 }, -0.5f, 1, { { { 1, 2, 3 }, -0.5f, 9 } } };
    const abut_body body = add(world, own_shape(OWN_CRATE, 1, 1, 1), 0, 0, 0, ABUT_DYNAMIC);
    add(world, own_shape(OWN_CRATE, 1, 1, 1), 0, 1.9f, 0, ABUT_STATIC);
    assert_int_equal(abut_body_set_awake(world, body, false), ABUT_OK);
    for (int k = 0; k < 3; ++k)
    {
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    }
    assert_int_equal(abut_world_contacts(world, ABUT_ASLEEP).count, 1);
    assert_int_equal(abut_world_set_pair_function(world, CRATE, CRATE, same_answer, &c), ABUT_OK);
    for (int k = 0; k < 3; ++k)
    {
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
        expect_sound(world);
    }
    assert_int_equal(abut_world_contacts(world, ABUT_ASLEEP).count, 1);
    assert_true(contact_at(world, ABUT_ASLEEP, 0)->normal.x == 1.0f);
    abut_world_destroy(world);
}

enum
{
    KINDS = 4,
    BODIES = 2 * KINDS,
    PAIRS = KINDS * KINDS
};

// Says that every pair touches, with a feature of its own.
static void say(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    const uint32_t *mark = context;
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        out[i] = (abut_manifold){ { 0, 1, 0 }, -0.25f, 1, { { { 0, 0, 0 }, -0.25f, *mark } } };
    }
}

// What each pair of the world says it was made by: 0 for the library.
static void expect_marks(abut_world *world, const uint32_t *expected)
{
    detect(world);
    const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
    assert_int_equal(all.count, BODIES * (BODIES - 1) / 2);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&all, i);
        const uint32_t a = c->a.slot / 2, b = c->b.slot / 2;
        const uint32_t mark = expected[(a < b ? a : b) * KINDS + (a < b ? b : a)];
        const bool ours = c->point_count == 1 && c->points[0].feature >= 1000;
        assert_int_equal(ours ? c->points[0].feature : 0, mark);
    }
}

static void each_pair_is_collided_by_the_function_set_last(void **state)
{
    (void)state;
    random_source random = random_start(11);
    abut_world *world = open_world(NULL);
    uint32_t marks[PAIRS], expected[PAIRS] = { 0 };
    for (uint32_t i = 0; i < KINDS; ++i)
    {
        uint32_t id;
        assert_int_equal(abut_world_register_kind(world, &own_kind[OWN_CRATE], &id), ABUT_OK);
        assert_int_equal(id, ABUT_FIRST_KIND + i);
    }
    // Two of each kind, all in one heap.
    for (uint32_t i = 0; i < KINDS; ++i)
    {
        for (uint32_t k = 0; k < 2; ++k)
        {
            add(world, own_shape(i, 1, 1, 1), 0.01f * (float)i, k ? 0.5f : 0.0f, 0, ABUT_DYNAMIC);
        }
    }
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        marks[i] = 1000 + i;
    }
    for (uint32_t round = 0; round < 300; ++round)
    {
        uint32_t a = random_below(&random, KINDS), b = random_below(&random, KINDS);
        const bool set = random_chance(&random, 0.6);
        assert_int_equal(abut_world_set_pair_function(world, ABUT_FIRST_KIND + a, ABUT_FIRST_KIND + b, set ? say : NULL,
                                                      &marks[round % PAIRS]),
                         ABUT_OK);
        expected[(a < b ? a : b) * KINDS + (a < b ? b : a)] = set ? marks[round % PAIRS] : 0;
        expect_marks(world, expected);
    }
    abut_world_destroy(world);
}

// Says that every pair is as far apart as it is told.
static void say_apart(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    const float separation = *(const float *)context;
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        out[i] = (abut_manifold){ { 0, 1, 0 }, separation, 1, { { { 0, 0, 0 }, separation, 7 } } };
    }
}

static void a_separation_of_exactly_the_margin_touches(void **state)
{
    (void)state;
    static const float separations[] = { 0.25f, 0.24999999f, 0.25000003f, 0.0f, -0.25f };
    for (uint32_t k = 0; k < 2 * COUNT(separations); ++k)
    {
        float separation = separations[k / 2];
        abut_world *world = open_own_world(&(abut_world_def){ .margin = 0.25f });
        assert_int_equal(abut_world_set_pair_function(world, CRATE, CRATE, say_apart, &separation), ABUT_OK);
        add(world, own_shape(OWN_CRATE, 1, 1, 1), 0, 0, 0, ABUT_DYNAMIC);
        add(world, own_shape(OWN_CRATE, 1, 1, 1), 0, 1.5f, 0, ABUT_DYNAMIC);
        assert_int_equal(abut_world_detect(world, k % 2 ? 0.5f : 0.0f), ABUT_OK); // nothing moves
        assert_int_equal(touching(world), separation <= 0.25f);
        assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, separation <= 0.25f);
        abut_world_destroy(world);
    }
}

// The manifold that the next detect is to find.
typedef struct saying
{
    uint32_t count;
    uint32_t features[4];
} saying;

static void say_all(void *context, const abut_pair_batch *pairs, abut_manifold *out)
{
    const saying *said = context;
    for (uint32_t i = 0; i < pairs->count; ++i)
    {
        out[i] = (abut_manifold){ .normal = { 0, 1, 0 }, .separation = -0.25f, .point_count = said->count };
        for (uint32_t k = 0; k < said->count; ++k)
        {
            out[i].points[k] = (abut_point){ { 0, 0, 0 }, -0.25f, said->features[k] };
        }
    }
}

// Of the features of two detects one after the other, each of which may need all its bits, may be the greatest there
// is, or be one that no point had: an impulse stays with its feature and with nothing else.
static void impulses_stay_with_features_of_any_size(void **state)
{
    (void)state;
    static const uint32_t choices[] = { 0, 1, 2, 0xfffe, 0xffff, 0x10000, 0x10001, 0x20002, 0xfffffffe, 0xffffffff };
    enum
    {
        CHOICES = sizeof choices / sizeof choices[0]
    };
    random_source random = random_start(12);
    abut_world *world = open_world(NULL);
    uint32_t id;
    assert_int_equal(abut_world_register_kind(world, &own_kind[OWN_CRATE], &id), ABUT_OK);
    add(world, own_shape(0, 1, 1, 1), 0, 0, 0, ABUT_DYNAMIC);
    add(world, own_shape(0, 1, 1, 1), 0, 0.5f, 0, ABUT_DYNAMIC);
    saying said = { 0 }, before = { 0 };
    float kept[4] = { 0 };
    assert_int_equal(abut_world_set_pair_function(world, id, id, say_all, &said), ABUT_OK);
    uint32_t stayed = 0, recomputed = 0;
    for (uint32_t frame = 0; frame < 3000; ++frame)
    {
        // Features of one manifold differ from each other; half of the time as many as possible are from one end of the
        // list.
        const uint32_t range = random_chance(&random, 0.5) ? 5 : CHOICES;
        const uint32_t first = random_below(&random, CHOICES), step = 1 + random_below(&random, 2);
        said.count = 1 + random_below(&random, 4);
        for (uint32_t k = 0; k < said.count; ++k)
        {
            said.features[k] = choices[(first + (step * k) % range) % CHOICES];
        }
        detect(world);
        assert_int_equal(touching(world), 1);
        const abut_contact *contact = contact_at(world, ABUT_AWAKE, 0);
        abut_impulse *impulses = impulses_at(world, ABUT_AWAKE, 0);
        assert_int_equal(contact->point_count, said.count);
        for (uint32_t k = 0; k < said.count; ++k)
        {
            float wanted = 0.0f;
            for (uint32_t j = 0; j < before.count; ++j)
            {
                wanted = before.features[j] == said.features[k] ? kept[j] : wanted;
            }
            assert_int_equal(contact->points[k].feature, said.features[k]);
            assert_true(impulses[k].normal == wanted && impulses[k].torsion == 2.0f * wanted);
            stayed += wanted != 0.0f;
            recomputed += wanted == 0.0f;
        }
        for (uint32_t k = 0; k < said.count; ++k)
        {
            kept[k] = (float)(4 * frame + k + 1);
            impulses[k].normal = kept[k];
            impulses[k].torsion = 2.0f * kept[k];
        }
        before = said;
    }
    assert_true(stayed > 1000 && recomputed > 1000);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_function_is_asked_and_believed),
        cmocka_unit_test(an_invalid_manifold_fails_and_the_last_results_stay),
        cmocka_unit_test(pair_functions_are_for_kinds_of_the_callers_own),
        cmocka_unit_test(a_pair_function_stands_for_the_kernel_it_repeats),
        cmocka_unit_test(setting_a_pair_function_wakes_sleeping_contacts),
        cmocka_unit_test(each_pair_is_collided_by_the_function_set_last),
        cmocka_unit_test(a_separation_of_exactly_the_margin_touches),
        cmocka_unit_test(impulses_stay_with_features_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
