// What a detect finds, and what begins and ends: through changes, filters, compounds, margins.
#include "small_world.h"

#include <math.h>

// Begin and end through everything that can part or join a pair.
static void begin_and_end_follow_touching(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body a = ball(world, 0), b = ball(world, 0.9f);
    expect(world, 1, 1, 0);
    const abut_contact_id first = contact_at(world, ABUT_AWAKE, 0)->id;
    assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->flags, ABUT_CONTACT_NEW);
    assert_true(same_id(abut_world_events(world, ABUT_BEGIN).data[0].contact, first));
    expect(world, 1, 0, 0);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->flags, 0);
    assert_true(same_id(contact_at(world, ABUT_AWAKE, 0)->id, first));
    assert_int_equal(abut_body_set_enabled(world, a, false), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_true(same_id(abut_world_events(world, ABUT_END).data[0].contact, first));
    assert_int_equal(abut_body_set_enabled(world, a, true), ABUT_OK);
    expect(world, 1, 1, 0);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->flags, ABUT_CONTACT_NEW);
    assert_false(same_id(contact_at(world, ABUT_AWAKE, 0)->id, first));
    assert_null(abut_world_contact(world, first));
    assert_int_equal(abut_body_set_pose(world, b, &(abut_pose){ { 7, 0, 0 }, 0, { 0, 0, 0, 1 } }), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(abut_body_set_pose(world, b, &(abut_pose){ { 0.5f, 0, 0 }, 0, { 0, 0, 0, 1 } }), ABUT_OK);
    expect(world, 1, 1, 0);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, b, &collider, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ .category = 2, .mask = 2 }), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(abut_collider_set_filter(world, collider, &(abut_filter){ 0 }), ABUT_OK);
    expect(world, 1, 1, 0);
    const abut_shape small = abut_shape_sphere(0.0f);
    assert_int_equal(abut_collider_set_shape(world, collider, &small), ABUT_OK);
    expect(world, 1, 0, 0); // its centre is on the other's surface
    assert_int_equal(abut_collider_detach(world, collider), ABUT_OK);
    assert_int_equal(abut_collider_detach(world, collider), ABUT_STALE_HANDLE);
    const abut_collider_def def = { .shape = abut_shape_obb(1, 1, 1) };
    assert_int_equal(abut_collider_attach(world, b, &def, &collider), ABUT_OK);
    expect(world, 1, 1, 1); // another collider, so another contact
    assert_int_equal(abut_body_set_motion(world, a, ABUT_STATIC), ABUT_OK);
    expect(world, 1, 0, 0);
    assert_int_equal(abut_body_set_motion(world, b, ABUT_KINEMATIC), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(abut_world_set_collides(world, ABUT_KINEMATIC, ABUT_STATIC, true), ABUT_OK);
    expect(world, 1, 1, 0);
    assert_int_equal(abut_body_destroy(world, a), ABUT_OK);
    expect(world, 0, 0, 1);
    abut_world_destroy(world);
}

static void a_static_body_is_tested_again_when_it_changes(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body floor = add(world, abut_shape_aabb(5, 1, 5), 0, -1, 0, ABUT_STATIC);
    const abut_body box = add(world, abut_shape_obb(1, 1, 1), 0, 0.9f, 0, ABUT_DYNAMIC);
    expect(world, 1, 1, 0);
    expect(world, 1, 0, 0);
    expect(world, 1, 0, 0);
    const abut_pose down = { .position = { 0, -2, 0 }, .rotation = { 0, 0, 0, 1 } };
    assert_int_equal(abut_body_set_pose(world, floor, &down), ABUT_OK);
    expect(world, 0, 0, 1);
    expect(world, 0, 0, 0);
    abut_world_bodies(world).poses[floor.slot].position.y = -1;
    assert_int_equal(abut_body_mark_moved(world, floor), ABUT_OK);
    expect(world, 1, 1, 0);
    expect(world, 1, 0, 0);
    abut_collider collider;
    uint32_t count;
    assert_int_equal(abut_body_colliders(world, floor, &collider, 1, &count), ABUT_OK);
    const abut_shape far_off = abut_shape_aabb(1, 0.5f, 1);
    assert_int_equal(abut_collider_set_shape(world, collider, &far_off), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_int_equal(abut_collider_set_local(world, collider, &(abut_pose){ { 0, 0.5f, 0 }, 0, { 0, 0, 0, 1 } }),
                     ABUT_OK);
    expect(world, 1, 1, 0);
    assert_int_equal(abut_body_set_motion(world, floor, ABUT_DYNAMIC), ABUT_OK);
    expect(world, 1, 0, 0);
    assert_int_equal(abut_body_set_enabled(world, floor, false), ABUT_OK);
    expect(world, 0, 0, 1);
    assert_true(abut_body_valid(world, box));
    abut_world_destroy(world);
}

static void statics_collide_with_each_other_when_the_rules_say_so(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    add(world, abut_shape_aabb(1, 1, 1), 0, 0, 0, ABUT_STATIC);
    add(world, abut_shape_obb(1, 1, 1), 1, 1, 1, ABUT_STATIC);
    expect(world, 0, 0, 0);
    expect(world, 0, 0, 0);
    assert_int_equal(abut_world_set_collides(world, ABUT_STATIC, ABUT_STATIC, true), ABUT_OK);
    expect(world, 1, 1, 0);
    expect(world, 0, 0, 0);
    expect(world, 0, 0, 0);
    assert_int_equal(asleep(world), 1);
    assert_int_equal(abut_world_set_collides(world, ABUT_STATIC, ABUT_STATIC, false), ABUT_OK);
    expect(world, 0, 0, 1);
    expect(world, 0, 0, 0);
    abut_world_destroy(world);
}

static void groups_decide_before_masks(void **state)
{
    (void)state;
    const struct
    {
        abut_filter a, b;
        uint32_t meets;
    } cases[] = {
        { { 0, 0, 0 }, { 0, 0, 0 }, 1 }, { { 2, 0, 0 }, { 1, 4, 0 }, 0 },   { { 2, 4, 0 }, { 4, 2, 0 }, 1 },
        { { 2, 4, 3 }, { 2, 4, 3 }, 1 }, { { 0, 0, -3 }, { 0, 0, -3 }, 0 }, { { 0, 0, -3 }, { 0, 0, 3 }, 1 },
        { { 2, 2, 3 }, { 4, 4, 4 }, 0 },
    };
    for (uint32_t i = 0; i < COUNT(cases); ++i)
    {
        abut_world *world = open_world(NULL);
        abut_body body;
        abut_body_def def = { .collider = { .shape = abut_shape_sphere(1), .filter = cases[i].a } };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        def.collider.filter = cases[i].b;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        detect(world);
        assert_int_equal(touching(world), cases[i].meets);
        abut_world_destroy(world);
    }
    abut_world *world = open_world(NULL);
    abut_body body;
    const abut_body_def def = { .collider = { .shape = abut_shape_sphere(1),
                                              .flags = ABUT_COLLIDER_COLLIDES_WITH_NOTHING } };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    ball(world, 0);
    expect(world, 0, 0, 0);
    abut_world_destroy(world);
}

static void colliders_of_one_body_never_collide_and_each_collides_with_others(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body dumbbell = ball(world, 0);
    const abut_collider_def def = { .shape = abut_shape_sphere(0.5f), .local.position = { 0.6f, 0, 0 } };
    abut_collider collider;
    assert_int_equal(abut_collider_attach(world, dumbbell, &def, &collider), ABUT_OK);
    expect(world, 0, 0, 0);
    ball(world, 0.3f);
    expect(world, 2, 2, 0);
    const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
    const abut_contact *near_contact = abut_contact_at(&all, 0), *far_contact = abut_contact_at(&all, 1);
    assert_true(abut_colliders_of(&all, near_contact).a.slot != abut_colliders_of(&all, far_contact).a.slot);
    // The far ball's contact is at its own position, offset from the body's position.
    assert_true(fabsf(far_contact->points[0].offset.x - 0.45f) < 1e-6f);
    abut_body owner;
    abut_collider_def got;
    assert_int_equal(abut_collider_get(world, collider, &got, &owner), ABUT_OK);
    assert_int_equal(owner.slot, dumbbell.slot);
    assert_true(got.local.position.x == 0.6f && got.filter.category == 1 && got.filter.mask == UINT32_MAX);
    // Turned half round about z, the far ball is on the other side.
    assert_int_equal(abut_body_set_pose(world, dumbbell, &(abut_pose){ .rotation = { 0, 0, 1, 0 } }), ABUT_OK);
    assert_int_equal(abut_body_set_pose(world, (abut_body){ 1, near_contact->b.generation },
                                        &(abut_pose){ { 1.2f, 0, 0 }, 0, { 0, 0, 0, 1 } }),
                     ABUT_OK);
    expect(world, 0, 0, 2);
    abut_world_destroy(world);
}

static void a_body_takes_so_many_colliders_and_no_more(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    abut_body body;
    assert_int_equal(abut_body_create(world, &(abut_body_def){ 0 }, &body), ABUT_OK);
    const abut_collider_def def = { .shape = abut_shape_sphere(0.1f) };
    abut_collider last = { 0 };
    for (uint32_t i = 0; i < ABUT_MAX_COLLIDERS_PER_BODY; ++i)
    {
        assert_int_equal(abut_collider_attach(world, body, &def, &last), ABUT_OK);
    }
    assert_int_equal(abut_collider_attach(world, body, &def, &last), ABUT_LIMIT);
    ball(world, 0);
    expect(world, 256, 256, 0);
    assert_int_equal(abut_collider_detach(world, last), ABUT_OK);
    assert_int_equal(abut_collider_attach(world, body, &def, &last),
                     ABUT_LIMIT); // its ordinal is retired until the next detect
    expect(world, 255, 0, 1);
    assert_int_equal(abut_collider_attach(world, body, &def, &last), ABUT_OK);
    expect(world, 256, 1, 0);
    abut_world_destroy(world);
}

static void impulses_stay_with_their_feature(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    add(world, abut_shape_aabb(5, 1, 5), 0, -1, 0, ABUT_STATIC);
    const abut_body box = add(world, abut_shape_obb(1, 1, 1), 0, 0.99f, 0, ABUT_DYNAMIC);
    expect(world, 1, 1, 0);
    const abut_contact *now = contact_at(world, ABUT_AWAKE, 0);
    abut_impulse *impulses = impulses_at(world, ABUT_AWAKE, 0);
    assert_int_equal(now->point_count, 4);
    uint32_t features[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        assert_true(impulses[i].normal == 0.0f);
        impulses[i].normal = (float)(i + 1);
        features[i] = now->points[i].feature;
    }
    abut_world_bodies(world).poses[box.slot].position.x = 0.01f;
    expect(world, 1, 0, 0);
    now = contact_at(world, ABUT_AWAKE, 0);
    impulses = impulses_at(world, ABUT_AWAKE, 0);
    for (uint32_t i = 0; i < now->point_count; ++i)
    {
        uint32_t old = 0;
        while (old < 4 && features[old] != now->points[i].feature)
        {
            ++old;
        }
        assert_true(impulses[i].normal == (old < 4 ? (float)(old + 1) : 0.0f));
    }
    abut_world_destroy(world);
}

static float number_of_corner(const abut_point *point)
{
    return 1.0f + (point->offset.x > 0.0f ? 1.0f : 0.0f) + (point->offset.z > 0.0f ? 2.0f : 0.0f);
}

// Of two crates that lie flush, corners and cut edges take turns when the upper one trembles.
static void tremble(float recycle_distance)
{
    abut_world *world = open_world(&(abut_world_def){ .margin = 0.01f, .recycle_distance = recycle_distance });
    add(world, abut_shape_obb(0.5f, 0.5f, 0.5f), 0, 0, 0, ABUT_STATIC);
    const abut_body crate = add(world, abut_shape_obb(0.5f, 0.5f, 0.5f), 0, 0.999f, 0, ABUT_DYNAMIC);
    uint32_t changes = 0, before[4] = { 0 };
    for (int i = 0; i < 100; ++i)
    {
        const float angle = (i % 2 ? 0.01f : -0.01f) * (float)(1 + i % 3);
        abut_pose *pose = &abut_world_bodies(world).poses[crate.slot];
        pose->rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 1, 0), angle);
        pose->position.x = 0.002f * (float)(i % 5);
        assert_int_equal(abut_world_detect(world, 0), ABUT_OK);
        const abut_contact *contact = contact_at(world, ABUT_AWAKE, 0);
        abut_impulse *impulses = impulses_at(world, ABUT_AWAKE, 0);
        assert_int_equal(contact->point_count, 4);
        for (uint32_t k = 0; k < 4; ++k)
        {
            const float number = number_of_corner(&contact->points[k]);
            assert_true(impulses[k].normal == (i == 0 ? 0.0f : number));
            impulses[k].normal = number;
            changes += contact->points[k].feature != before[k];
            before[k] = contact->points[k].feature;
        }
    }
    assert_true(changes > 100);
    abut_world_destroy(world);
}

static void impulses_stay_at_corners_whose_features_change(void **state)
{
    (void)state;
    tremble(0.0f);
    tremble(0.005f);
}

// A point that comes where none was has none.
static void new_corners_have_no_impulses(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .margin = 0.01f });
    add(world, abut_shape_aabb(5, 1, 5), 0, -1, 0, ABUT_STATIC);
    const abut_body crate = add(world, abut_shape_obb(0.5f, 0.5f, 0.5f), 0, 0, 0, ABUT_DYNAMIC);
    abut_pose *pose = &abut_world_bodies(world).poses[crate.slot];
    pose->rotation = abut_quat_from_axis_angle(abut_vec3_make(0, 0, 1), 0.05f); // on the edge at -x
    pose->position.y = 0.52f;
    assert_int_equal(abut_world_detect(world, 0), ABUT_OK);
    const abut_contact *contact = contact_at(world, ABUT_AWAKE, 0);
    assert_int_equal(contact->point_count, 2);
    for (uint32_t k = 0; k < 2; ++k)
    {
        impulses_at(world, ABUT_AWAKE, 0)[k].normal = number_of_corner(&contact->points[k]);
    }
    pose->rotation = abut_quat_identity();
    pose->position.y = 0.499f;
    assert_int_equal(abut_world_detect(world, 0), ABUT_OK);
    assert_int_equal(contact->point_count, 4);
    for (uint32_t k = 0; k < 4; ++k)
    {
        const abut_point *point = &contact->points[k];
        const float number = point->offset.x < 0.0f ? number_of_corner(point) : 0.0f;
        assert_true(impulses_at(world, ABUT_AWAKE, 0)[k].normal == number);
    }
    abut_world_destroy(world);
}

// A point of a new feature has none of a point that is gone elsewhere: a crate leaps half over the edge of its ground.
static void impulses_do_not_go_far(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .margin = 0.01f });
    add(world, abut_shape_obb(5, 1, 5), -5, -1, 0, ABUT_STATIC); // up to x = 0
    const abut_body crate = add(world, abut_shape_obb(0.5f, 0.5f, 0.5f), -1.0f, 0.499f, 0, ABUT_DYNAMIC);
    assert_int_equal(abut_world_detect(world, 0), ABUT_OK);
    const abut_contact *contact = contact_at(world, ABUT_AWAKE, 0);
    uint32_t before[4], new_points = 0;
    assert_int_equal(contact->point_count, 4);
    for (uint32_t k = 0; k < 4; ++k)
    {
        before[k] = contact->points[k].feature;
        impulses_at(world, ABUT_AWAKE, 0)[k].normal = 1.0f + (float)k;
    }
    abut_world_bodies(world).poses[crate.slot].position.x = 0.2f;
    assert_int_equal(abut_world_detect(world, 0), ABUT_OK);
    assert_int_equal(contact->point_count, 4);
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint32_t feature = contact->points[k].feature;
        const bool had = feature == before[0] || feature == before[1] || feature == before[2] || feature == before[3];
        assert_true(had == (impulses_at(world, ABUT_AWAKE, 0)[k].normal != 0.0f));
        new_points += !had;
    }
    assert_true(new_points > 0);
    abut_world_destroy(world);
}

static void the_margin_counts_as_touching_and_the_horizon_does_not(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .margin = 0.1f });
    ball(world, 0);
    const abut_body near = ball(world, 1.05f), away = ball(world, 3.0f);
    expect(world, 1, 1, 0);
    assert_true(contact_at(world, ABUT_AWAKE, 0)->separation > 0.0f);
    assert_int_equal(abut_body_set_velocity(world, away, &(abut_velocity){ .linear = { -10, 0, 0 } }), ABUT_OK);
    assert_int_equal(abut_world_detect(world, 0.1f), ABUT_OK);
    assert_int_equal(touching(world), 2);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->flags, 0);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 1)->flags, ABUT_CONTACT_SPECULATIVE | ABUT_CONTACT_NEW);
    assert_int_equal(contact_at(world, ABUT_AWAKE, 1)->a.slot, near.slot);
    assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, 0);
    expect(world, 1, 0, 0);
    assert_int_equal(abut_world_detect(world, INFINITY), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

// A gap of exactly the margin touches, of whatever kinds: it begins, and is not speculative, with a horizon or without.
static void a_gap_of_exactly_the_margin_touches(void **state)
{
    (void)state;
    const abut_shape shapes[] = { abut_shape_sphere(0.5f), abut_shape_aabb(0.5f, 0.5f, 0.5f),
                                  abut_shape_obb(0.5f, 0.5f, 0.5f) };
    for (uint32_t k = 0; k < 9 * 4; ++k)
    {
        const float horizon = k & 1 ? 0.5f : 0.0f, recycle_distance = k & 2 ? 0.01f : 0.0f;
        abut_world *world = open_world(&(abut_world_def){ .margin = 0.25f, .recycle_distance = recycle_distance });
        const abut_body_def def = { .pose.position = { 1.25f, 0, 0 },
                                    .velocity.linear = { -1, 0, 0 },
                                    .collider.shape = shapes[k / 12] };
        abut_body body;
        add(world, shapes[k / 4 % 3], 0, 0, 0, ABUT_DYNAMIC);
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        for (uint32_t frame = 0; frame < 3; ++frame)
        {
            assert_int_equal(abut_world_detect(world, horizon), ABUT_OK);
            assert_int_equal(touching(world), 1);
            assert_true(contact_at(world, ABUT_AWAKE, 0)->separation == 0.25f);
            assert_int_equal(contact_at(world, ABUT_AWAKE, 0)->flags & ABUT_CONTACT_SPECULATIVE, 0);
            assert_int_equal(abut_world_events(world, ABUT_BEGIN).count, frame == 0);
            assert_int_equal(abut_world_events(world, ABUT_END).count, 0);
        }
        abut_world_destroy(world);
    }
}

// Slots that are no longer used go now and then; not with a detect that fails.
static void a_failed_detect_drops_no_slot(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body a = ball(world, 0), b = ball(world, 0.9f);
    expect(world, 1, 1, 0);
    assert_int_equal(abut_body_set_pose(world, b, &(abut_pose){ { 7, 0, 0 }, 0, { 0, 0, 0, 1 } }), ABUT_OK);
    for (uint32_t frame = 0; frame < 300; ++frame)
    {
        const uint64_t hash = abut_world_hash(world);
        const uint32_t slots = abut_world_contacts(world, ABUT_AWAKE).slots;
        float *x = &abut_world_bodies(world).poses[a.slot].position.x;
        *x = NAN;
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_INVALID_ARGUMENT);
        *x = 0.0f;
        assert_true(abut_world_hash(world) == hash);
        assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).slots, slots);
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    }
    assert_int_equal(abut_world_contacts(world, ABUT_AWAKE).slots, 0);
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begin_and_end_follow_touching),
        cmocka_unit_test(a_static_body_is_tested_again_when_it_changes),
        cmocka_unit_test(statics_collide_with_each_other_when_the_rules_say_so),
        cmocka_unit_test(groups_decide_before_masks),
        cmocka_unit_test(colliders_of_one_body_never_collide_and_each_collides_with_others),
        cmocka_unit_test(a_body_takes_so_many_colliders_and_no_more),
        cmocka_unit_test(impulses_stay_with_their_feature),
        cmocka_unit_test(impulses_stay_at_corners_whose_features_change),
        cmocka_unit_test(new_corners_have_no_impulses),
        cmocka_unit_test(impulses_do_not_go_far),
        cmocka_unit_test(the_margin_counts_as_touching_and_the_horizon_does_not),
        cmocka_unit_test(a_gap_of_exactly_the_margin_touches),
        cmocka_unit_test(a_failed_detect_drops_no_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
