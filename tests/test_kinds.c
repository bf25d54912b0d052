// Custom kinds of shape in a world: which definitions and shapes fail, which callbacks run and when, and that a world
// of them is as sound as one without.
#include "own_world.h"
#include "random.h"

static void kinds_are_numbered_and_checked(void **state)
{
    (void)state;
    error_note last = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &last });
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
    register_own_kinds(world);
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
    error_note last = { 0 };
    abut_world *world = open_world(&(abut_world_def){ .on_error = note_error, .on_error_context = &last });
    uint32_t id;
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_OK);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k)
    {
        abut_body body;
        const abut_body_def made = { .collider.shape = abut_shape_custom(id, &cases[k].answers, sizeof(answers)) };
        const uint32_t times = last.times;
        assert_int_equal(abut_body_create(world, &made, &body), cases[k].status);
        assert_int_equal(last.times, times + (cases[k].status != ABUT_OK));
    }
    abut_body_def unknown = { .collider.shape = abut_shape_custom(id + 1, NULL, 0) };
    abut_body body;
    assert_int_equal(abut_body_create(world, &unknown, &body), ABUT_INVALID_ARGUMENT);
    unknown.collider.shape = abut_shape_custom(id, &cases[0].answers, ABUT_CUSTOM_BYTES + 1);
    assert_int_equal(abut_body_create(world, &unknown, &body), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

// A world in which own and built-in shapes jostle, some of them placed away from their bodies' origins, some asleep.
static abut_world *crowd(uint32_t seed, uint32_t bodies, float margin)
{
    abut_world *world = open_own_world(&(abut_world_def){ .margin = margin });
    random_source random = random_start(seed);
    for (uint32_t i = 0; i < bodies; ++i)
    {
        abut_body body;
        abut_body_def made = { .motion = i % 4 == 0 ? ABUT_STATIC : ABUT_DYNAMIC,
                               .flags = i % 9 == 0 ? ABUT_BODY_ASLEEP : 0u };
        const float x = (float)random_between(&random, 0.1, 0.6), y = (float)random_between(&random, 0.1, 0.6);
        const float z = (float)random_between(&random, 0.1, 0.6);
        const uint32_t which = random_below(&random, 3 + OWN_KINDS);
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

// The bounds of a capsule are sums of floats, and the core is what they leave: rounded, whatever is thin beside the
// rest.
static void a_capsule_of_any_proportions_is_valid(void **state)
{
    (void)state;
    random_source random = random_start(21);
    const uint32_t first = 0, second = 1;
    for (uint32_t i = 0; i < 100000; ++i)
    {
        const float radius = (float)random_between(&random, 0.0, 2.0), part = (float)random_between(&random, 0.0, 1.0);
        const abut_shape shapes[2] = { own_shape(i % 2 ? OWN_CAPSULE : OWN_BARE, radius, 0, part * part * part),
                                       own_shape(OWN_ROUND, 1, 0, 0) };
        const abut_pose poses[2] = { abut_pose_identity(), abut_pose_identity() };
        const abut_pair_list list = { shapes, poses, 2, 1, &first, &second, own_kind, OWN_KINDS };
        bool overlapping = false;
        assert_int_equal(abut_overlap_many(&list, &overlapping), ABUT_OK);
        assert_true(overlapping);
    }
}

static void a_world_of_own_kinds_is_sound(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 12; ++seed)
    {
        abut_world *world = crowd(seed, 120, seed % 2 ? 0.05f : 0.0f);
        uint64_t touching = 0;
        for (uint32_t step = 0; step < 12; ++step)
        {
            assert_int_equal(step % 3 == 2 ? abut_world_detect(world, 0.1f) : abut_world_step(world, 0.02f), ABUT_OK);
            expect_sound(world);
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
            abut_world *world = open_own_world(&(abut_world_def){ .isa = isa, .broad = broad });
            random_source random = random_start(3);
            for (uint32_t i = 0; i < 80; ++i)
            {
                const abut_shape shape = own_shape(i % OWN_KINDS, 0.4f, 0.3f, 0.5f);
                const abut_vec3 at = random_narrow(random_in_box(&random, 1.5));
                add(world, shape, at.x, at.y, at.z, ABUT_DYNAMIC);
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
    abut_world *world = open_world(NULL);
    const abut_kind_def def = { NULL, NULL, said_bounds, said_support, NULL, NULL };
    const answers lopsided = { 0.5f, 3.0f, 3.0f, 0.0f, false };
    uint32_t id;
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_OK);
    const abut_body body =
        add(world, abut_shape_custom(id, &lopsided, sizeof lopsided), 10.0f, 0.0f, 0.0f, ABUT_DYNAMIC);
    abut_collider collider;
    uint32_t count;
    abut_aabb box;
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    assert_int_equal(abut_collider_bounds(world, collider, &box), ABUT_OK);
    assert_true(box.min.x <= 7.0f && box.max.x >= 13.0f && box.max.x < 13.01f);
    add(world, abut_shape_sphere(0.5f), 13.4f, 0.0f, 0.0f, ABUT_DYNAMIC);
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
    float most = 1.0f;
    abut_world *world = open_world(NULL);
    abut_kind_def def = own_kind[OWN_CRATE];
    def.bounds = fickle_bounds;
    def.context = &most;
    uint32_t id;
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_OK);
    const own_size size = { 1, 1, 1 };
    const abut_body body = add(world, abut_shape_custom(id, &size, sizeof size), 0, 0, 0, ABUT_DYNAMIC);
    add(world, abut_shape_sphere(1.0f), 1.5f, 0, 0, ABUT_DYNAMIC);
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

static void check_calls_from_inside(float recycle_distance)
{
    error_note last = { 0 };
    abut_world *world = open_world(
        &(abut_world_def){ .on_error = note_error, .on_error_context = &last, .recycle_distance = recycle_distance });
    nosy n = { .world = world };
    abut_kind_def def = { .context = &n, .bounds = nosy_bounds, .support = nosy_support };
    uint32_t id;
    const own_size size = { 1, 1, 1 };
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_OK);
    const abut_shape shape = abut_shape_custom(id, &size, sizeof size);
    add(world, shape, 0, 0, 0, ABUT_DYNAMIC);
    add(world, shape, 0, 1, 0, ABUT_DYNAMIC);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    expect_sound(world);
    add(world, shape, 50, 0, 0, ABUT_DYNAMIC); // no detect has seen it: the audit asks for its bounds
    abut_audit audit;
    assert_int_equal(abut_world_audit(world, &audit), ABUT_OK);
    assert_true(n.asked > 50);
    assert_int_equal(n.asked, n.busy);
    abut_world_destroy(world);
}

static void calls_from_inside_a_kind_fail(void **state)
{
    (void)state;
    check_calls_from_inside(0.0f);
    check_calls_from_inside(0.01f);
}

// What only reads asks with the world open to other readers: a query from inside is answered.
typedef struct curious
{
    const abut_world *world;
    uint32_t asked, answered;
} curious;

static abut_aabb curious_bounds(void *context, const void *data)
{
    curious *c = context;
    const abut_ray ray = { { 0, 5, 0 }, { 0, -10, 0 } };
    abut_hit hit;
    c->answered += c->world && abut_world_ray_closest(c->world, &ray, NULL, &hit) == ABUT_OK;
    c->asked += c->world != NULL;
    return own_bounds(NULL, data);
}

static void what_only_reads_leaves_queries_free(void **state)
{
    (void)state;
    curious c = { 0 };
    const abut_kind_def def = { .context = &c, .bounds = curious_bounds, .support = own_crate_support };
    const own_size size = { 1, 1, 1 };
    abut_world *world = open_world(NULL);
    uint32_t id, count;
    uint64_t line_count;
    abut_collider collider;
    abut_aabb box;
    abut_line lines[64];
    assert_int_equal(abut_world_register_kind(world, &def, &id), ABUT_OK);
    const abut_body body = add(world, abut_shape_custom(id, &size, sizeof size), 0, 0, 0, ABUT_DYNAMIC);
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    c.world = world;
    assert_int_equal(abut_collider_bounds(world, collider, &box), ABUT_OK);
    assert_int_equal(
        abut_world_draw(world, &(abut_draw_def){ .what = ABUT_DRAW_ALL }, lines, COUNT(lines), &line_count), ABUT_OK);
    assert_true(c.asked >= 2);
    assert_int_equal(c.asked, c.answered);
    c.world = NULL;
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_only_reads_leaves_queries_free),
        cmocka_unit_test(kinds_are_numbered_and_checked),
        cmocka_unit_test(the_number_of_kinds_is_limited),
        cmocka_unit_test(wrong_answers_are_found_when_a_shape_is_attached),
        cmocka_unit_test(a_capsule_of_any_proportions_is_valid),
        cmocka_unit_test(a_world_of_own_kinds_is_sound),
        cmocka_unit_test(twin_worlds_have_the_same_hash_on_all_instruction_sets),
        cmocka_unit_test(what_does_not_fit_the_symmetric_box_is_bounded_all_the_same),
        cmocka_unit_test(bounds_that_go_bad_later_are_survived),
        cmocka_unit_test(calls_from_inside_a_kind_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
