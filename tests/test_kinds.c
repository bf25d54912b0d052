// Kinds of shape and pair functions of a caller's own in a world: what is refused, who is called and when, and that a world
// of them is as sound as one without.
#include "own_kinds.h"
#include "random.h"

#include <abut/abut.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct told
{
    abut_status status;
    uint32_t index, times;
    const char *sentence;
} told;

static void refused(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    (void)call;
    told *t = context;
    *t = (told){ status, index, t->times + 1, sentence };
}

static abut_world *world_telling(told *t)
{
    abut_world *world;
    const abut_world_def def = { .refused = refused, .refused_context = t };
    assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
    return world;
}

static void register_all(abut_world *world)
{
    for (uint32_t k = 0; k < OWN_KINDS; ++k)
    {
        uint32_t id = 0;
        assert_int_equal(abut_world_register_kind(world, &own_kind[k], &id), ABUT_OK);
        assert_int_equal(id, ABUT_FIRST_KIND + k);
    }
}

static abut_body put(abut_world *world, abut_motion motion, abut_shape shape, abut_vec3 position)
{
    abut_body body;
    const abut_body_def def = { .motion = motion, .pose.position = position, .collider.shape = shape };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    return body;
}

static void audit(abut_world *world)
{
    abut_audit found;
    assert_int_equal(abut_world_audit(world, &found), ABUT_OK);
    if (found.what)
    {
        fail_msg("%s (%u and %u)", found.what, found.a.slot, found.b.slot);
    }
}

static void kinds_are_numbered_and_checked(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = world_telling(&t);
    abut_kind_def def = own_kind[OWN_CRATE], got;
    uint32_t id = 7;
    assert_int_equal(abut_world_register_kind(NULL, &def, &id), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_register_kind(world, NULL, &id), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_register_kind(world, &def, NULL), ABUT_INVALID_ARGUMENT);
    def.bounds = NULL;
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_INVALID_ARGUMENT);
    def = own_kind[OWN_CRATE];
    def.support = NULL;
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_INVALID_ARGUMENT);
    assert_int_equal(id, 7);
    register_all(world);
    assert_int_equal(abut_world_kind(world, ABUT_FIRST_KIND + OWN_ROUND, &got), ABUT_OK);
    assert_string_equal(got.name, "round");
    assert_int_equal(abut_world_kind(NULL, ABUT_FIRST_KIND, &got), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_kind(world, ABUT_FIRST_KIND, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_kind(world, ABUT_FIRST_KIND + OWN_KINDS, &got), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_kind(world, ABUT_OBB, &got), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

static void the_number_of_kinds_is_limited(void **state)
{
    (void)state;
    abut_world *world;
    uint32_t id;
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    for (uint32_t k = 0; k < ABUT_MAX_KINDS; ++k)
    {
        assert_int_equal(abut_world_register_kind(world, &own_kind[OWN_CRATE], &id), ABUT_OK);
    }
    assert_int_equal(id, ABUT_FIRST_KIND + ABUT_MAX_KINDS - 1);
    assert_int_equal(abut_world_register_kind(world, &own_kind[OWN_CRATE], &id), ABUT_LIMIT);
    abut_world_destroy(world);
}

// A kind whose answers are what its shape's parameters say.
typedef struct answers
{
    float low, high, support, rounding;
    bool invalid;
} answers;

static answers answers_of(const void *data)
{
    answers a;
    memcpy(&a, data, sizeof a);
    return a;
}

static abut_aabb said_bounds(void *context, const void *data)
{
    (void)context;
    const answers a = answers_of(data);
    return (abut_aabb){ { a.low, -1.0f, -1.0f }, { a.high, 1.0f, 1.0f } };
}

static void said_support(void *context, const void *data, const double direction[3], double out[3])
{
    (void)context, (void)direction;
    out[0] = (double)answers_of(data).support;
    out[1] = out[2] = 0.0;
}

static float said_rounding(void *context, const void *data)
{
    (void)context;
    return answers_of(data).rounding;
}

static bool said_valid(void *context, const void *data)
{
    (void)context;
    return !answers_of(data).invalid;
}

static void wrong_answers_are_found_when_a_shape_is_attached(void **state)
{
    (void)state;
    const abut_kind_def def = { NULL, NULL, said_bounds, said_support, said_rounding, said_valid };
    const struct
    {
        answers answers;
        abut_status status;
    } cases[] = {
        { { -1, 1, 0, 0, false }, ABUT_OK },
        { { -1, 1, 1, 0, false }, ABUT_OK },
        { { -1, 1, 0, 1, false }, ABUT_OK },
        { { 0.5f, 1, 0, 0, false }, ABUT_OK },
        { { 0, 0, 0, 0, false }, ABUT_OK },
        { { -1, 1, 0, 0, true }, ABUT_INVALID_ARGUMENT },
        { { 1, -1, 0, 0, false }, ABUT_INVALID_ARGUMENT },
        { { NAN, 1, 0, 0, false }, ABUT_INVALID_ARGUMENT },
        { { -1, NAN, 0, 0, false }, ABUT_INVALID_ARGUMENT },
        { { -INFINITY, 1, 0, 0, false }, ABUT_INVALID_ARGUMENT },
        { { -1, 2e8f, 0, 0, false }, ABUT_INVALID_ARGUMENT },
        { { -1, 1, 1.1f, 0, false }, ABUT_INVALID_ARGUMENT },
        { { -1, 1, NAN, 0, false }, ABUT_INVALID_ARGUMENT },
        { { -1, 1, 0, -0.1f, false }, ABUT_INVALID_ARGUMENT },
        { { -1, 1, 0, NAN, false }, ABUT_INVALID_ARGUMENT },
        { { -1, 1, 0, 1.5f, false }, ABUT_INVALID_ARGUMENT },
        { { -1, 1, 0.6f, 0.5f, false }, ABUT_INVALID_ARGUMENT }, // of the core alone
    };
    told t = { 0 };
    abut_world *world = world_telling(&t);
    uint32_t id;
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_OK);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    {
        abut_body body;
        const abut_body_def made = { .collider.shape = abut_shape_custom(id, &cases[k].answers, sizeof(answers)) };
        const uint32_t times = t.times;
        assert_int_equal(abut_body_create(world, &made, &body), cases[k].status);
        assert_int_equal(t.times, times + (cases[k].status != ABUT_OK));
    }
    abut_body_def unknown = { .collider.shape = abut_shape_custom(id + 1, NULL, 0) };
    abut_body body;
    assert_int_equal(abut_body_create(world, &unknown, &body), ABUT_INVALID_ARGUMENT);
    unknown.collider.shape = abut_shape_custom(id, &cases[0].answers, ABUT_CUSTOM_BYTES + 1);
    assert_int_equal(abut_body_create(world, &unknown, &body), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

// A world in which own and built-in shapes jostle, some of them placed away from their bodies' origins, some asleep.
static abut_world *crowd(uint32_t seed, uint32_t bodies, float margin, bool own)
{
    abut_world *world;
    random_source random = random_start(seed);
    const abut_world_def def = { .margin = margin };
    assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
    register_all(world);
    for (uint32_t i = 0; i < bodies; ++i)
    {
        abut_body body;
        abut_body_def made = { .motion = i % 4 == 0 ? ABUT_STATIC : ABUT_DYNAMIC,
                               .flags = i % 9 == 0 ? ABUT_BODY_ASLEEP : 0u };
        const float x = (float)random_between(&random, 0.1, 0.6), y = (float)random_between(&random, 0.1, 0.6);
        const float z = (float)random_between(&random, 0.1, 0.6);
        const uint32_t which = random_below(&random, own ? 8 : 3);
        made.collider.shape = which == 0   ? abut_shape_sphere(x)
                              : which == 1 ? abut_shape_aabb(x, y, z)
                              : which == 2 ? abut_shape_obb(x, y, z)
                                           : own_shape(which - 3, x, y, z);
        made.pose.position = random_narrow(random_in_box(&random, 2.0));
        made.pose.rotation = random_narrow_rotation(random_rotation(&random));
        made.velocity.linear = random_narrow(random_in_box(&random, 1.0));
        if (i % 5 == 0)
        {
            made.collider.local.position = random_narrow(random_in_box(&random, 0.5));
            made.collider.local.rotation = random_narrow_rotation(random_rotation(&random));
        }
        assert_int_equal(abut_body_create(world, &made, &body), ABUT_OK);
    }
    return world;
}

static void a_world_of_own_kinds_is_sound(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 12; ++seed)
    {
        abut_world *world = crowd(seed, 120, seed % 2 ? 0.05f : 0.0f, true);
        uint64_t touching = 0;
        for (uint32_t step = 0; step < 12; ++step)
        {
            assert_int_equal(step % 3 == 2 ? abut_world_detect(world, 0.1f) : abut_world_step(world, 0.02f), ABUT_OK);
            audit(world);
            abut_statistics s;
            abut_world_statistics(world, &s);
            touching += s.contacts;
        }
        assert_true(touching > 500);
        abut_world_destroy(world);
    }
}

static void twin_worlds_have_the_same_hash_on_all_instruction_sets(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
    {
        for (abut_broad_kind broad = ABUT_BROAD_BRUTE; abut_isa_available(isa) && broad < ABUT_BROAD_COUNT; ++broad)
        {
            abut_world *world;
            const abut_world_def def = { .isa = isa, .broad = broad };
            random_source random = random_start(3);
            assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
            register_all(world);
            for (uint32_t i = 0; i < 80; ++i)
            {
                const abut_shape shape = own_shape(i % OWN_KINDS, 0.4f, 0.3f, 0.5f);
                put(world, ABUT_DYNAMIC, shape, random_narrow(random_in_box(&random, 1.5)));
            }
            assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
            expected = expected ? expected : abut_world_hash(world);
            assert_true(abut_world_hash(world) == expected);
            abut_world_destroy(world);
        }
    }
}

static void what_does_not_fit_the_symmetric_box_is_bounded_all_the_same(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = world_telling(&t);
    const abut_kind_def def = { NULL, NULL, said_bounds, said_support, NULL, NULL };
    const answers lopsided = { 0.5f, 3.0f, 3.0f, 0.0f, false };
    uint32_t id;
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_OK);
    const abut_body body =
        put(world, ABUT_DYNAMIC, abut_shape_custom(id, &lopsided, sizeof lopsided), abut_vec3_make(10.0f, 0.0f, 0.0f));
    abut_collider collider;
    uint32_t count;
    abut_aabb box;
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    assert_int_equal(abut_collider_bounds(world, collider, &box), ABUT_OK);
    assert_true(box.min.x <= 7.0f && box.max.x >= 13.0f && box.max.x < 13.01f);
    put(world, ABUT_DYNAMIC, abut_shape_sphere(0.5f), abut_vec3_make(13.4f, 0.0f, 0.0f));
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 1);
    abut_world_destroy(world);
}

// Bounds that were sound once.
static abut_aabb fickle_bounds(void *context, const void *data)
{
    const float most = *(const float *)context;
    (void)data;
    return (abut_aabb){ { -most, -most, -most }, { most, most, most } };
}

static void bounds_that_go_bad_later_are_survived(void **state)
{
    (void)state;
    told t = { 0 };
    float most = 1.0f;
    abut_world *world = world_telling(&t);
    abut_kind_def def = own_kind[OWN_CRATE];
    def.bounds = fickle_bounds;
    def.context = &most;
    uint32_t id;
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_OK);
    const own_size size = { 1, 1, 1 };
    const abut_body body = put(world, ABUT_DYNAMIC, abut_shape_custom(id, &size, sizeof size), abut_vec3_make(0, 0, 0));
    put(world, ABUT_DYNAMIC, abut_shape_sphere(1.0f), abut_vec3_make(1.5f, 0, 0));
    const float bad[] = { NAN, -1.0f, INFINITY };
    for (size_t k = 0; k < 3; ++k)
    {
        most = bad[k];
        assert_int_equal(abut_body_set_motion(world, body, k % 2 ? ABUT_DYNAMIC : ABUT_KINEMATIC), ABUT_OK);
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
        assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 1);
    }
    abut_world_destroy(world);
}

// Pair functions --------------------------------------------------------------------------------------------------------

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
    told t = { 0 };
    abut_world *world = world_telling(&t);
    register_all(world);
    const uint32_t crate = ABUT_FIRST_KIND + OWN_CRATE;
    caller c = { .world = world, .kind_a = crate };
    c.answer = (abut_manifold){ { 0, 1, 0 }, -0.25f, 2, { { { 1, 2, 3 }, -0.25f, 77 }, { { 4, 5, 6 }, -0.1f, 78 } } };
    // the custom one has the lower slot, then the higher
    const abut_body first = put(world, ABUT_DYNAMIC, own_shape(OWN_CRATE, 1, 1, 1), abut_vec3_make(100.0f, 0.0f, 0.0f));
    const abut_body ball = put(world, ABUT_DYNAMIC, abut_shape_sphere(1.0f), abut_vec3_make(101.0f, 0.0f, 0.0f));
    put(world, ABUT_DYNAMIC, own_shape(OWN_CRATE, 1, 1, 1), abut_vec3_make(102.5f, 0.0f, 0.0f));
    assert_int_equal(abut_world_set_pair_function(world, crate, ABUT_SPHERE, same_answer, &c), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_true(c.pairs >= 2); // a pair may be asked about more than once
    assert_int_equal(c.busy, ABUT_BUSY);
    const abut_contacts found = abut_world_contacts(world, ABUT_AWAKE);
    assert_int_equal(found.count, 2);
    assert_true(found.data[0].a.slot == first.slot && found.data[0].normal.y == 1.0f);
    assert_true(found.data[1].a.slot == ball.slot && found.data[1].normal.y == -1.0f);
    assert_true(found.data[0].separation == -0.25f && found.data[0].point_count == 2);
    assert_true(found.points[1].offset.z == 6.0f && found.points[1].feature == 78);
    audit(world);
    // the other way round, then none
    c.kind_a = ABUT_SPHERE;
    assert_int_equal(abut_world_set_pair_function(world, ABUT_SPHERE, crate, same_answer, &c), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_true(abut_world_contacts(world, ABUT_AWAKE).data[0].normal.y == -1.0f);
    c.answer.separation = 1.0f; // farther than was asked for
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 0);
    assert_int_equal(abut_world_set_pair_function(world, crate, ABUT_SPHERE, NULL, NULL), ABUT_OK);
    assert_int_equal(abut_world_set_pair_function(world, crate, ABUT_OBB, NULL, NULL), ABUT_OK);
    const uint32_t calls = c.calls;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_int_equal(c.calls, calls);
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).count, 2);
    abut_world_destroy(world);
}

static void what_is_no_manifold_is_refused_and_the_last_results_stand(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = world_telling(&t);
    register_all(world);
    const uint32_t crate = ABUT_FIRST_KIND + OWN_CRATE;
    const abut_manifold good = { { 0, 1, 0 }, -0.25f, 1, { { { 1, 2, 3 }, -0.25f, 77 } } };
    caller c = { .world = world, .kind_a = crate, .answer = good };
    put(world, ABUT_DYNAMIC, own_shape(OWN_CRATE, 1, 1, 1), abut_vec3_make(0, 0, 0));
    put(world, ABUT_DYNAMIC, own_shape(OWN_CRATE, 1, 1, 1), abut_vec3_make(1, 0, 0));
    put(world, ABUT_STATIC, own_shape(OWN_ROUND, 1, 1, 1), abut_vec3_make(0.5f, 1, 0));
    assert_int_equal(abut_world_set_pair_function(world, crate, crate, same_answer, &c), ABUT_OK);
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
        assert_int_equal(t.index, 0);
        assert_non_null(strstr(t.sentence, "pair function"));
        assert_true(abut_world_hash(world) == hash);
    }
    c.answer = good;
    c.answer.normal.y = 1.1f;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
    c.answer = good;
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_true(abut_world_hash(world) != 0);
    abut_world_destroy(world);
}

static void pair_functions_are_for_kinds_of_the_callers_own(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = world_telling(&t);
    register_all(world);
    const uint32_t crate = ABUT_FIRST_KIND + OWN_CRATE;
    const uint32_t none[] = { ABUT_SHAPE_NONE, ABUT_CUSTOM, ABUT_SHAPE_KIND_COUNT, 255, ABUT_FIRST_KIND + OWN_KINDS };
    for (size_t k = 0; k < sizeof none / sizeof *none; ++k)
    {
        assert_int_equal(abut_world_set_pair_function(world, none[k], crate, same_answer, NULL), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_world_set_pair_function(world, crate, none[k], same_answer, NULL), ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_world_set_pair_function(world, ABUT_SPHERE, ABUT_OBB, same_answer, NULL),
                     ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_set_pair_function(NULL, crate, crate, same_answer, NULL), ABUT_INVALID_ARGUMENT);
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
            assert_int_equal(abut_world_create(&def, &world[w]), ABUT_OK);
            register_all(world[w]);
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
            audit(world[w]);
        }
        const abut_contacts ours = abut_world_contacts(world[1], ABUT_AWAKE);
        const abut_contacts theirs = abut_world_contacts(world[0], ABUT_AWAKE);
        for (uint32_t i = 0; i < ours.count && i < theirs.count; ++i)
        {
            assert_int_equal(ours.data[i].b.slot, theirs.data[i].b.slot);
            // rotations are rounded once more on their way to the function, which may tip the choice of an axis
            assert_true(fabsf(ours.data[i].separation - theirs.data[i].separation) <= 1e-3f);
        }
        assert_int_equal(ours.count, theirs.count);
        touching += ours.count;
        abut_world_destroy(world[0]);
        abut_world_destroy(world[1]);
    }
    assert_true(touching > 1000 && pairs > touching);
}

// What rests was found by the function before.
static void setting_a_pair_function_wakes_what_rests(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = world_telling(&t);
    register_all(world);
    const uint32_t crate = ABUT_FIRST_KIND + OWN_CRATE;
    caller c = { .world = world, .kind_a = crate };
    c.answer = (abut_manifold){ { 1, 0, 0 }, -0.5f, 1, { { { 1, 2, 3 }, -0.5f, 9 } } };
    const abut_body body = put(world, ABUT_DYNAMIC, own_shape(OWN_CRATE, 1, 1, 1), abut_vec3_make(0, 0, 0));
    put(world, ABUT_STATIC, own_shape(OWN_CRATE, 1, 1, 1), abut_vec3_make(0, 1.9f, 0));
    assert_int_equal(abut_body_set_awake(world, body, false), ABUT_OK);
    for (int k = 0; k < 3; ++k)
    {
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    }
    assert_int_equal(abut_world_contacts(world, ABUT_RESTING).count, 1);
    assert_int_equal(abut_world_set_pair_function(world, crate, crate, same_answer, &c), ABUT_OK);
    for (int k = 0; k < 3; ++k)
    {
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
        audit(world);
    }
    assert_int_equal(abut_world_contacts(world, ABUT_RESTING).count, 1);
    assert_true(abut_world_contacts(world, ABUT_RESTING).data[0].normal.x == 1.0f);
    abut_world_destroy(world);
}

// Everything a kind can be asked, answered by calling in.
typedef struct nosy
{
    abut_world *world;
    uint32_t asked, busy;
} nosy;

static void call_in(nosy *n)
{
    ++n->asked;
    n->busy += n->world && abut_world_detect(n->world, 0.0f) == ABUT_BUSY;
}

static abut_aabb nosy_bounds(void *context, const void *data)
{
    call_in(context);
    return own_bounds(NULL, data);
}

static void nosy_support(void *context, const void *data, const double direction[3], double out[3])
{
    call_in(context);
    own_crate_support(NULL, data, direction, out);
}

static void calls_from_inside_a_kind_are_refused(void **state)
{
    (void)state;
    told t = { 0 };
    abut_world *world = world_telling(&t);
    nosy n = { .world = world };
    abut_kind_def def = { .context = &n, .bounds = nosy_bounds, .support = nosy_support };
    uint32_t id;
    const own_size size = { 1, 1, 1 };
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_OK);
    const abut_shape shape = abut_shape_custom(id, &size, sizeof size);
    put(world, ABUT_DYNAMIC, shape, abut_vec3_make(0, 0, 0));
    put(world, ABUT_DYNAMIC, shape, abut_vec3_make(0, 1, 0));
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    audit(world);
    assert_true(n.asked > 50);
    assert_int_equal(n.asked, n.busy);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_numbered_and_checked),
        cmocka_unit_test(the_number_of_kinds_is_limited),
        cmocka_unit_test(wrong_answers_are_found_when_a_shape_is_attached),
        cmocka_unit_test(a_world_of_own_kinds_is_sound),
        cmocka_unit_test(twin_worlds_have_the_same_hash_on_all_instruction_sets),
        cmocka_unit_test(what_does_not_fit_the_symmetric_box_is_bounded_all_the_same),
        cmocka_unit_test(bounds_that_go_bad_later_are_survived),
        cmocka_unit_test(a_pair_function_is_asked_and_believed),
        cmocka_unit_test(what_is_no_manifold_is_refused_and_the_last_results_stand),
        cmocka_unit_test(pair_functions_are_for_kinds_of_the_callers_own),
        cmocka_unit_test(a_pair_function_stands_for_the_kernel_it_repeats),
        cmocka_unit_test(setting_a_pair_function_wakes_what_rests),
        cmocka_unit_test(calls_from_inside_a_kind_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
