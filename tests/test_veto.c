// The veto: who is asked, when, and about what. How long an answer holds: test_veto_answers.c.
#include "veto_judge.h"

static void all_new_pairs_are_asked_about_at_once_and_in_order(void **state)
{
    (void)state;
    judge j;
    abut_world *world = open_judged(&j, (abut_world_def){ 0 });
    const abut_body a = marked(world, 0, 1), b = marked(world, 0.5f, 2), c = marked(world, 0.9f, 3);
    j.veto = 1u << 1;
    expect_asked(&j, 1, 1, 0, 3);
    assert_true(j.pairs[0].a.slot == a.slot && j.pairs[0].b.slot == b.slot && j.pairs[1].b.slot == c.slot &&
                j.pairs[2].a.slot == b.slot && j.pairs[2].b.slot == c.slot);
    assert_true(j.pairs[1].a.generation == a.generation && j.pairs[1].user_data_a == 1 && j.pairs[1].user_data_b == 3 &&
                j.pairs[1].collider_data_a == 101 && j.pairs[1].collider_data_b == 103 &&
                j.pairs[1].collider_a.slot == first_collider(world, a).slot);
    assert_true(j.pairs[0].normal.x == 1.0f && j.pairs[0].separation == -0.5f);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->a.slot, b.slot);
    assert_int_equal(vetoed(world), 2);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->point_count, 1);
    assert_int_equal(touching(world), 1);
    abut_world_destroy(world);
}

// What is apart is asked about in each detect, and once more when it touches: that answer holds.
static void speculative_contacts_are_asked_about_until_they_touch(void **state)
{
    (void)state;
    judge j;
    abut_world *world = open_judged(&j, (abut_world_def){ 0 });
    marked(world, 0, 1);
    const abut_body b = marked(world, 1.2f, 2);
    assert_int_equal(abut_body_set_velocity(world, b, &(abut_velocity){ .linear = { -10, 0, 0 } }), ABUT_OK);
    j.veto = 1u << 1;
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
        assert_int_equal(j.asked, 1);
        assert_true(j.pairs[0].separation > 0.0f);
        assert_int_equal(touching(world), 0);
        expect_sound(world);
    }
    put(world, b, 0.5f);
    expect_asked(&j, 0, 0, 0, 1);
    j.veto = 0;
    expect_asked(&j, 0, 0, 0, 0);
    put(world, b, 1.2f);
    expect_asked(&j, 0, 0, 0, 0); // not found without the horizon
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
        assert_int_equal(j.asked, 1);
        assert_int_equal(touching(world), 1);
        expect_sound(world);
    }
    put(world, b, 0.5f);
    expect_asked(&j, 1, 1, 0, 1);
    j.veto = 1u << 1;
    expect_asked(&j, 1, 0, 0, 0);
    put(world, b, 1.2f);
    j.calls = j.asked = 0;
    assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK); // it touched before: asked no more
    assert_int_equal(j.asked, 0);
    assert_int_equal(touching(world), 1);
    assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
    assert_int_equal(j.asked, 1);
    assert_int_equal(touching(world), 0);
    abut_world_destroy(world);
}

// A platform, whose top is at zero, that stops what has its feet above that, but for what a solver leaves.
static void stop_from_above(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    const float *feet = context;
    (void)pairs;
    for (uint32_t i = 0; i < count; ++i)
    {
        vetoed[i] = *feet < -0.01f;
    }
}

// A box walks over the pieces of such a platform, a hair deep in them, as a solver leaves it, and meets each from the
// side first; then it jumps through from below, and lands.
static void platforms_of_pieces_hold_what_walks_on_them(void **state)
{
    (void)state;
    const float depths[3] = { 0.0f, 0.002f, 0.004f };
    for (int horizon = 0; horizon < 2; ++horizon)
    {
        for (int i = 0; i < 3; ++i)
        {
            float feet = -depths[i];
            abut_world *world = open_world(&(abut_world_def){ .veto = stop_from_above, .veto_context = &feet });
            for (int piece = 0; piece < 8; ++piece)
            {
                abut_body body;
                const abut_body_def def = { .pose.position = { (float)piece, -0.05f, 0 },
                                            .user_data = 1,
                                            .motion = ABUT_STATIC,
                                            .collider.shape = abut_shape_aabb(0.5f, 0.05f, 1) };
                assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
            }
            const abut_body walker = add(world, abut_shape_obb(0.3f, 0.5f, 0.3f), 0, 0, 0, ABUT_DYNAMIC);
            const float dt = 1.0f / 60.0f, seen = horizon ? dt : 0.0f;
            const abut_velocity walks = { .linear = { 3, 0, 0 } }, jumps = { .linear = { 0, 5, 0 } },
                                falls = { .linear = { 0, -5, 0 } };
            assert_int_equal(abut_body_set_velocity(world, walker, &walks), ABUT_OK);
            for (float x = 0.0f; x < 6.5f; x += 3.0f * dt)
            {
                assert_int_equal(
                    abut_body_set_pose(world, walker, &(abut_pose){ { x, 0.5f - depths[i], 0 }, 0, { 0, 0, 0, 1 } }),
                    ABUT_OK);
                assert_int_equal(abut_world_detect(world, seen), ABUT_OK);
                assert_true(touching(world) > 0);
                expect_sound(world);
            }
            for (int way = 0; way < 2; ++way)
            {
                assert_int_equal(abut_body_set_velocity(world, walker, way ? &falls : &jumps), ABUT_OK);
                for (float y = -1.0f; y < 0.7f; y += 5.0f * dt)
                {
                    const float at = way == 0 ? y : -y > 0.499f ? -y : 0.499f; // a millimetre deep
                    feet = at - 0.5f;
                    assert_int_equal(abut_body_set_pose(world, walker, &(abut_pose){ { 6, at, 0 }, 0, { 0, 0, 0, 1 } }),
                                     ABUT_OK);
                    assert_int_equal(abut_world_detect(world, seen), ABUT_OK);
                    assert_true(way == 1 || at > 0.5f || touching(world) == 0);
                    assert_true(way == 0 || at > 0.4991f || touching(world) == 1);
                }
            }
            abut_world_destroy(world);
        }
    }
}

// A ball that was apart over one triangle of a mesh touches another: it is asked about, and by what touches.
static void a_mesh_is_asked_about_when_it_is_touched(void **state)
{
    (void)state;
    const abut_vec3 points[6] = { { -10, 0, -10 }, { -10, 0, 10 }, { 0, 0, -10 },
                                  { 0, 0, 10 },    { 10, 0, -10 }, { 10, 0, 10 } };
    const uint32_t indices[12] = { 0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4 };
    const abut_mesh_def mesh_def = { .vertices = points, .indices = indices, .vertex_count = 6, .triangle_count = 4 };
    abut_geometry *mesh = NULL;
    judge j;
    assert_int_equal(abut_geometry_create_mesh(&mesh_def, NULL, &mesh), ABUT_OK);
    abut_world *world = open_judged(&j, (abut_world_def){ 0 });
    add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
    const abut_body ball = marked(world, -3, 1);
    const abut_velocity falls = { .linear = { 0, -6, 0 } };
    assert_int_equal(abut_body_set_velocity(world, ball, &falls), ABUT_OK);
    for (int i = 0; i < 3; ++i)
    {
        const abut_pose pose = { .position = { i == 0 ? -3.0f : 3.0f, i == 0 ? 0.6f : 0.4f, -8 },
                                 .rotation = { 0, 0, 0, 1 } };
        j.asked = 0;
        j.veto = i == 0 ? 0 : 1u << 1;
        assert_int_equal(abut_body_set_pose(world, ball, &pose), ABUT_OK);
        assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
        assert_int_equal(j.asked, i < 2);
        assert_true(i == 2 || (j.pairs[0].separation > 0.0f) == (i == 0));
        assert_true((touching(world) > 0) == (i == 0));
        assert_int_equal(abut_world_events(world, ABUT_END).count, 0);
    }
    abut_world_destroy(world);
    abut_geometry_release(mesh);
}

static void sensors_are_not_asked_about(void **state)
{
    (void)state;
    judge j;
    abut_world *world = open_judged(&j, (abut_world_def){ 0 });
    abut_body body;
    const abut_body_def def = { .collider = { .shape = abut_shape_sphere(1), .flags = ABUT_COLLIDER_SENSOR } };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    marked(world, 0, 1);
    j.veto = 1u << 1;
    expect_asked(&j, 0, 0, 0, 0);
    assert_int_equal(abut_world_events(world, ABUT_SENSOR_BEGIN).count, 1);
    abut_world_destroy(world);
}

// From inside, every call on the world fails and does nothing, a detect in pieces included.
static void call_everything(void *context, const abut_new_pair *pairs, uint32_t count, bool *vetoed)
{
    abut_world *world = *(abut_world **)context;
    const abut_body a = pairs[0].a, b = pairs[0].b;
    const abut_body_def def = { .collider.shape = abut_shape_sphere(1) };
    abut_body body;
    uint32_t number;
    assert_true(count == 1 && !vetoed[0]);
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_BUSY);
    assert_int_equal(abut_body_destroy(world, a), ABUT_BUSY);
    assert_int_equal(abut_body_exclude(world, a, b, true), ABUT_BUSY);
    assert_int_equal(abut_body_excluded(world, a, b, &number), ABUT_BUSY);
    assert_int_equal(abut_body_contacts(world, a, ABUT_AWAKE, NULL, 0, &number), ABUT_BUSY);
    assert_int_equal(abut_collider_overlaps(world, pairs[0].collider_a, NULL, 0, &number), ABUT_BUSY);
    assert_int_equal(abut_body_move_to(world, a, &(abut_pose){ .rotation = { 0, 0, 0, 1 } }, 1.0f), ABUT_BUSY);
    assert_int_equal(abut_world_step(world, 0.1f), ABUT_BUSY);
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_BUSY);
    assert_int_equal(abut_world_detect_next(world), 0);
    assert_int_equal(abut_world_detect_task(world, 0), ABUT_BUSY);
    assert_int_equal(abut_world_detect_end(world), ABUT_BUSY);
    assert_null(abut_world_bodies(world).poses);
    abut_world_destroy(world);
}

static void everything_is_busy_from_inside(void **state)
{
    (void)state;
    abut_world *world = NULL;
    const abut_world_def def = { .veto = call_everything, .veto_context = &world };
    assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
    marked(world, 0, 1);
    const abut_body b = marked(world, 0.5f, 2);
    expect(world, 1, 1, 0);
    put(world, b, 5);
    expect(world, 0, 0, 1);
    put(world, b, 0.5f);
    assert_int_equal(abut_world_detect_begin(world, 0.0f), ABUT_OK);
    while (abut_world_detect_next(world) > 0)
    {
    }
    assert_int_equal(abut_world_detect_end(world), ABUT_OK);
    assert_int_equal(touching(world), 1);
    abut_world_destroy(world);
}

// Without a single allowed pair, and with all of them, over a crowd of compounds: the vetoed pairs are not there.
static void half_of_a_crowd_is_vetoed(void **state)
{
    (void)state;
    judge j;
    abut_world *world = open_judged(&j, (abut_world_def){ 0 });
    for (uint32_t i = 0; i < 10; ++i)
    {
        const abut_body body = marked(world, 0.1f * (float)i, i);
        abut_collider collider;
        if (i < 2)
        {
            const abut_collider_def def = { .shape = abut_shape_obb(0.1f, 0.1f, 0.1f) };
            assert_int_equal(abut_collider_attach(world, body, &def, &collider), ABUT_OK);
        }
    }
    j.veto = 0x2aa;
    detect(world);
    const uint32_t pairs = j.asked, left = touching(world);
    assert_true(pairs >= 45 && left >= 10 && vetoed(world) == pairs - left);
    const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
    for (uint32_t i = 0; i < all.count; ++i)
    {
        const abut_contact *contact = abut_contact_at(&all, i);
        assert_true(contact->a.slot % 2 == 0 && contact->b.slot % 2 == 0);
    }
    expect_asked(&j, left, 0, 0, 0);
    assert_int_equal(vetoed(world), pairs - left);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_new_pairs_are_asked_about_at_once_and_in_order),
        cmocka_unit_test(speculative_contacts_are_asked_about_until_they_touch),
        cmocka_unit_test(platforms_of_pieces_hold_what_walks_on_them),
        cmocka_unit_test(a_mesh_is_asked_about_when_it_is_touched),
        cmocka_unit_test(sensors_are_not_asked_about),
        cmocka_unit_test(everything_is_busy_from_inside),
        cmocka_unit_test(half_of_a_crowd_is_vetoed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
