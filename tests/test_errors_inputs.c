// Wrong input that is no single argument: what is written in place, definitions of worlds, limits, calls without a status.
#include "errors_bench.h"

// What is written in place is found by the next call that reads it, whatever the field.
static void what_is_wrong_in_place_is_refused_by_the_step_that_reads_it(void **state)
{
    (void)state;
    enum
    {
        POSE_FLOATS = 8,
        UNUSED = 3,
        VELOCITY_FLOATS = 6
    };
    for (abut_broad_kind broad = ABUT_BROAD_BRUTE; broad < ABUT_BROAD_COUNT; ++broad)
    {
        bench b;
        open_bench(&b, broad);
        const uint32_t slot = b.good.body[1].slot;
        for (uint32_t field = 0; field < POSE_FLOATS + VELOCITY_FLOATS; ++field)
        {
            for (uint32_t w = 0; w < 4; ++w)
            {
                const bool rotation = field > UNUSED && field < POSE_FLOATS;
                const abut_bodies bodies = abut_world_bodies(b.world);
                float *at = field < POSE_FLOATS ? (float *)&bodies.poses[slot] + field
                                                : (float *)&bodies.velocities[slot] + (field - POSE_FLOATS);
                if (field == UNUSED || (rotation && w == 3))
                {
                    continue;
                }
                const uint64_t before = observed(b.world);
                const float was = *at;
                *at = wrong_number[w].value;
                const uint64_t during = abut_world_hash(b.world);
                b.told = 0;
                if (field < POSE_FLOATS)
                {
                    assert_int_equal(abut_world_detect(b.world, 0.0f), ABUT_INVALID_ARGUMENT);
                    assert_true(b.told == 1 && b.index == slot && strcmp(b.call, "abut_world_detect") == 0);
                }
                assert_int_equal(abut_world_detect(b.world, 0.1f), ABUT_INVALID_ARGUMENT);
                assert_int_equal(abut_world_move(b.world, 0.1f), ABUT_INVALID_ARGUMENT);
                assert_true(b.index == slot && strcmp(b.call, "abut_world_move") == 0);
                assert_int_equal(abut_world_step(b.world, 0.1f), ABUT_INVALID_ARGUMENT);
                assert_true(b.index == slot && strcmp(b.call, "abut_world_step") == 0);
                assert_true(abut_world_hash(b.world) == during || was != was);
                *at = was;
                assert_true(observed(b.world) == before);
            }
        }
        const abut_quat was = abut_world_bodies(b.world).poses[slot].rotation;
        abut_quat *rotation = &abut_world_bodies(b.world).poses[slot].rotation;
        const float lengths[] = { 0.0f, 1.0e-6f, 0.5f, 1.0e18f };
        for (uint32_t i = 0; i < COUNT(lengths); ++i)
        {
            *rotation = (abut_quat){ 0, 0, 0, lengths[i] };
            assert_int_equal(abut_world_detect(b.world, 0.0f), i ? ABUT_OK : ABUT_INVALID_ARGUMENT);
        }
        *rotation = was;
        assert_int_equal(abut_world_detect(b.world, 0.0f), ABUT_OK);
        close_bench(&b);
    }
}

// A refused detect is no edit: the audit still finds the contacts to be those of the last one that was not.
static void a_refused_detect_leaves_nothing_for_the_audit_to_find(void **state)
{
    (void)state;
    for (abut_broad_kind broad = ABUT_BROAD_BRUTE; broad < ABUT_BROAD_COUNT; ++broad)
    {
        bench b;
        open_bench(&b, broad);
        const abut_body_def lone = { .pose.position.x = 90, .velocity.linear.x = 50 };
        abut_body body;
        abut_audit audit;
        assert_int_equal(abut_body_create(b.world, &lone, &body), ABUT_OK);
        const abut_body_def pair[] = {
            { .pose.position.x = 50, .velocity.linear.x = 9, .collider.shape = abut_shape_sphere(1) },
            { .pose.position.x = 53, .collider.shape = abut_shape_sphere(1) },
            { .pose.position.x = 99, .collider.shape = abut_shape_sphere(1) }
        };
        abut_body made[3];
        assert_int_equal(abut_body_create_many(b.world, pair, 3, made), ABUT_OK);
        assert_int_equal(abut_world_detect(b.world, 0.0f), ABUT_OK);
        float *last = &abut_world_bodies(b.world).poses[made[2].slot].position.x;
        *last = NAN;
        assert_int_equal(abut_world_step(b.world, 0.2f), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_world_detect(b.world, 1.0f), ABUT_INVALID_ARGUMENT);
        *last = 99;
        assert_int_equal(abut_world_audit(b.world, &audit), ABUT_OK);
        if (audit.what)
        {
            fail_msg("%s", audit.what);
        }
        close_bench(&b);
    }
}

static void a_bulk_call_of_nothing_needs_no_pointers(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, ABUT_BROAD_BVH);
    const uint64_t before = observed(b.world);
    assert_int_equal(abut_body_create_many(b.world, NULL, 0, NULL), ABUT_OK);
    assert_int_equal(abut_body_destroy_many(b.world, NULL, 0), ABUT_OK);
    assert_int_equal(abut_body_set_pose_many(b.world, NULL, NULL, 0), ABUT_OK);
    assert_int_equal(abut_body_pose_many(b.world, NULL, 0, NULL), ABUT_OK);
    assert_int_equal(abut_body_set_velocity_many(b.world, NULL, NULL, 0), ABUT_OK);
    assert_int_equal(abut_body_velocity_many(b.world, NULL, 0, NULL), ABUT_OK);
    assert_int_equal(abut_body_set_awake_many(b.world, NULL, 0, true), ABUT_OK);
    assert_true(observed(b.world) == before && b.told == 0);
    close_bench(&b);
}

static void *no_memory(void *context, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    return NULL;
}

static void nothing_to_release(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)block;
    (void)size;
    (void)alignment;
}

// A world that is not created tells its definition's `refused` as well.
static void every_fault_of_a_world_definition_is_told(void **state)
{
    (void)state;
    abut_isa absent = ABUT_ISA_AUTO;
    for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
    {
        absent = abut_isa_available(isa) ? absent : isa;
    }
    const struct
    {
        abut_world_def def;
        abut_status status;
    } wrong[] = {
        { { .margin = NAN }, ABUT_INVALID_ARGUMENT },
        { { .margin = INFINITY }, ABUT_INVALID_ARGUMENT },
        { { .margin = -0.001f }, ABUT_INVALID_ARGUMENT },
        { { .margin = 1.1e8f }, ABUT_INVALID_ARGUMENT },
        { { .recycle_distance = NAN }, ABUT_INVALID_ARGUMENT },
        { { .recycle_distance = INFINITY }, ABUT_INVALID_ARGUMENT },
        { { .recycle_distance = -0.001f }, ABUT_INVALID_ARGUMENT },
        { { .recycle_distance = 1.1e8f }, ABUT_INVALID_ARGUMENT },
        { { .broad = ABUT_BROAD_COUNT }, ABUT_INVALID_ARGUMENT },
        { { .broad = (abut_broad_kind)-1 }, ABUT_INVALID_ARGUMENT },
        { { .isa = ABUT_ISA_COUNT }, ABUT_INVALID_ARGUMENT },
        { { .isa = (abut_isa)-1 }, ABUT_INVALID_ARGUMENT },
        { { .body_capacity = ABUT_MAX_BODIES + 1 }, ABUT_INVALID_ARGUMENT },
        { { .allocator.allocate = no_memory }, ABUT_INVALID_ARGUMENT },
        { { .allocator.release = nothing_to_release }, ABUT_INVALID_ARGUMENT },
        { { .allocator = { no_memory, nothing_to_release, NULL } }, ABUT_OUT_OF_MEMORY },
        { { .isa = absent }, ABUT_UNSUPPORTED },
    };
    for (uint32_t i = 0; i < COUNT(wrong) - (absent == ABUT_ISA_AUTO); ++i)
    {
        bench b = { 0 };
        abut_world_def def = wrong[i].def;
        def.refused = refused;
        def.refused_context = &b;
        abut_world *world = (abut_world *)&b;
        assert_int_equal(abut_world_create(&def, &world), wrong[i].status);
        assert_null(world);
        assert_int_equal(b.told, 1);
        assert_true(b.status == wrong[i].status && b.index == 0 && strcmp(b.call, "abut_world_create") == 0);
        assert_non_null(strchr(b.sentence, ' '));
    }
    assert_int_equal(abut_world_create(NULL, NULL), ABUT_INVALID_ARGUMENT);
}

static void calls_without_a_status_answer_nonsense_with_nothing(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, ABUT_BROAD_BVH);
    const abut_contact contact = { .a = b.good.body[0] }, lost = { .a.slot = 1u << 30 };
    const abut_point point = { .offset = { 1, 2, 3 } };
    const abut_contact *contacts[] = { NULL, &contact, &lost };
    for (uint32_t i = 0; i < 3; ++i)
    {
        const abut_vec3 at = abut_contact_position(i == 1 ? NULL : b.world, contacts[i], &point);
        assert_true(at.x == 0 && at.y == 0 && at.z == 0);
    }
    assert_true(abut_contact_position(b.world, &contact, NULL).z == 0);
    assert_true(abut_contact_position(b.world, &contact, &point).z == 3);
    assert_true(abut_world_contacts(NULL, ABUT_AWAKE).count == 0 &&
                !abut_world_contacts(b.world, (abut_contact_set)2).data);
    assert_true(abut_world_events(NULL, ABUT_BEGIN).count == 0 &&
                !abut_world_events(b.world, (abut_event_kind)-1).data);
    assert_true(abut_world_bodies(NULL).count == 0 && abut_world_hash(NULL) == 0);
    assert_false(abut_world_meets(NULL, ABUT_DYNAMIC, ABUT_DYNAMIC) ||
                 abut_world_meets(b.world, ABUT_MOTION_COUNT, ABUT_DYNAMIC) ||
                 abut_world_meets(b.world, ABUT_DYNAMIC, (abut_motion)-1));
    assert_false(abut_body_valid(NULL, b.good.body[0]) || abut_body_valid(b.world, b.stale) ||
                 abut_body_valid(b.world, b.foreign));
    assert_false(abut_collider_valid(NULL, b.good.collider) || abut_collider_valid(b.world, b.stale_collider) ||
                 abut_collider_valid(b.world, b.foreign_collider));
    abut_statistics statistics;
    memset(&statistics, 0xa5, sizeof statistics);
    abut_world_statistics(NULL, &statistics);
    assert_true(statistics.bodies == 0 && statistics.allocations == 0 && !statistics.meetings[0].name);
    abut_world_statistics(b.world, NULL);
    assert_string_equal(abut_broad_name(ABUT_BROAD_COUNT), "unknown");
    assert_string_equal(abut_broad_name(ABUT_BROAD_BVH), "bvh");
    assert_string_equal(abut_stage_name(ABUT_STAGE_COUNT), "unknown");
    assert_string_equal(abut_stage_name(ABUT_STAGE_BOUNDS), "bounds");
    assert_int_equal(b.told, 0);
    close_bench(&b);
}

// A body's places are a limit, and a refusal there is one like any other.
static void a_full_body_is_a_limit(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, ABUT_BROAD_BVH);
    abut_collider last;
    for (uint32_t i = 1; i < ABUT_MAX_COLLIDERS_PER_BODY; ++i)
    {
        assert_int_equal(abut_collider_attach(b.world, b.good.body[0], &b.good.collider_def, &last), ABUT_OK);
    }
    const call attach = ROW(collider_attach, WORLD);
    expect_refusal(&b, &attach, &b.good, ABUT_LIMIT, 0, "a full body");
    close_bench(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_in_place_is_refused_by_the_step_that_reads_it),
        cmocka_unit_test(a_refused_detect_leaves_nothing_for_the_audit_to_find),
        cmocka_unit_test(a_bulk_call_of_nothing_needs_no_pointers),
        cmocka_unit_test(every_fault_of_a_world_definition_is_told),
        cmocka_unit_test(calls_without_a_status_answer_nonsense_with_nothing),
        cmocka_unit_test(a_full_body_is_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
