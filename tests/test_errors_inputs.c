// Invalid input that is no single argument: values written in place, definitions of worlds, limits, calls without a
// status.
#include "errors_bench.h"

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#define FLUSHED(on) _mm_setcsr((on) ? 0x9fc0u : 0x1f80u) // denormals are zeros, as operands and as results
#endif

// The next call that reads an invalid value written in place finds it, whatever the field.
static void invalid_values_written_in_place_fail_the_step_that_reads_them(void **state)
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

// A failed detect is no edit: the audit still finds the contacts to be those of the last one that did not fail.
static void a_failed_detect_leaves_nothing_for_the_audit_to_find(void **state)
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
    assert_int_equal(abut_body_set_pose_many(b.world, NULL, 0, NULL), ABUT_OK);
    assert_int_equal(abut_body_pose_many(b.world, NULL, 0, NULL), ABUT_OK);
    assert_int_equal(abut_body_set_velocity_many(b.world, NULL, 0, NULL), ABUT_OK);
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

// A failing abut_world_create calls its definition's `on_error` as well.
static void every_fault_of_a_world_definition_is_reported(void **state)
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
        const char *word; // of the sentence
    } wrong[] = {
        { { .margin = NAN }, ABUT_INVALID_ARGUMENT, "margin or a distance" },
        { { .margin = INFINITY }, ABUT_INVALID_ARGUMENT, "margin or a distance" },
        { { .margin = -0.001f }, ABUT_INVALID_ARGUMENT, "margin or a distance" },
        { { .margin = 1.1e8f }, ABUT_INVALID_ARGUMENT, "margin or a distance" },
        { { .recycle_distance = NAN }, ABUT_INVALID_ARGUMENT, "margin or a distance" },
        { { .recycle_distance = INFINITY }, ABUT_INVALID_ARGUMENT, "margin or a distance" },
        { { .recycle_distance = -0.001f }, ABUT_INVALID_ARGUMENT, "margin or a distance" },
        { { .recycle_distance = 1.1e8f }, ABUT_INVALID_ARGUMENT, "margin or a distance" },
        { { .separations = ABUT_AT_ANCHORS }, ABUT_INVALID_ARGUMENT, "anchors need" },
        { { .recycle_distance = 0.1f, .separations = (abut_separations)7 }, ABUT_INVALID_ARGUMENT, "unknown" },
        { { .speculative_distance = -1.0f }, ABUT_INVALID_ARGUMENT, "margin or a distance" },
        { { .dimension = 4 }, ABUT_INVALID_ARGUMENT, "dimension" },
        { { .threads = ABUT_MAX_THREADS + 1 }, ABUT_INVALID_ARGUMENT, "threads" },
        { { .broad = ABUT_BROAD_COUNT }, ABUT_INVALID_ARGUMENT, "unknown" },
        { { .broad = (abut_broad_kind)-1 }, ABUT_INVALID_ARGUMENT, "unknown" },
        { { .isa = ABUT_ISA_COUNT }, ABUT_INVALID_ARGUMENT, "unknown" },
        { { .isa = (abut_isa)-1 }, ABUT_INVALID_ARGUMENT, "unknown" },
        { { .body_capacity = ABUT_MAX_BODIES + 1 }, ABUT_INVALID_ARGUMENT, "too many bodies" },
        { { .allocator.allocate = no_memory }, ABUT_INVALID_ARGUMENT, "pointer" },
        { { .allocator.release = nothing_to_release }, ABUT_INVALID_ARGUMENT, "pointer" },
        { { .allocator = { no_memory, nothing_to_release, NULL } }, ABUT_OUT_OF_MEMORY, "memory" },
        { { .isa = absent }, ABUT_UNSUPPORTED, "processor" },
    };
    for (uint32_t i = 0; i < COUNT(wrong) - (absent == ABUT_ISA_AUTO); ++i)
    {
        bench b = { 0 };
        abut_world_def def = wrong[i].def;
        def.on_error = note_error;
        def.on_error_context = &b;
        abut_world *world = (abut_world *)&b;
        assert_int_equal(abut_world_create(&def, &world), wrong[i].status);
        assert_null(world);
        assert_int_equal(b.told, 1);
        assert_true(b.status == wrong[i].status && b.index == 0 && strcmp(b.call, "abut_world_create") == 0);
        assert_non_null(strstr(b.sentence, wrong[i].word));
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
    assert_true(!abut_world_contact(NULL, (abut_contact_id){ 0, 1 }) &&
                !abut_world_contact(b.world, (abut_contact_id){ 0 }) &&
                !abut_world_contact(b.world, (abut_contact_id){ UINT32_MAX, 1 }));
    assert_true(abut_world_events(NULL, ABUT_BEGIN).count == 0 &&
                !abut_world_events(b.world, (abut_event_kind)-1).data);
    assert_true(abut_world_bodies(NULL).count == 0 && abut_world_hash(NULL) == 0);
    assert_false(abut_world_collides(NULL, ABUT_DYNAMIC, ABUT_DYNAMIC) ||
                 abut_world_collides(b.world, ABUT_MOTION_COUNT, ABUT_DYNAMIC) ||
                 abut_world_collides(b.world, ABUT_DYNAMIC, (abut_motion)-1));
    assert_false(abut_body_valid(NULL, b.good.body[0]) || abut_body_valid(b.world, b.stale) ||
                 abut_body_valid(b.world, b.foreign));
    assert_false(abut_collider_valid(NULL, b.good.collider) || abut_collider_valid(b.world, b.stale_collider) ||
                 abut_collider_valid(b.world, b.foreign_collider));
    abut_statistics statistics;
    memset(&statistics, 0xa5, sizeof statistics);
    abut_world_statistics(NULL, &statistics);
    assert_true(statistics.bodies == 0 && statistics.allocations == 0 && !statistics.pair_types[0].name);
    abut_world_statistics(b.world, NULL);
    assert_string_equal(abut_broad_name(ABUT_BROAD_COUNT), "unknown");
    assert_string_equal(abut_broad_name(ABUT_BROAD_BVH), "bvh");
    assert_string_equal(abut_stage_name(ABUT_STAGE_COUNT), "unknown");
    assert_string_equal(abut_stage_name(ABUT_STAGE_BOUNDS), "bounds");
    assert_int_equal(b.told, 0);
    close_bench(&b);
}

// A body's number of colliders is limited; exceeding it is an error like any other.
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
    expect_error(&b, &attach, &b.good, ABUT_LIMIT, 0, "a full body");
    close_bench(&b);
}

#if defined(FLUSHED)

// The status, and the bits of the answer, of every call without a world that looks at shapes and poses.
typedef struct answers
{
    abut_status status[16];
    bool overlapping, contains, valid;
    abut_manifold one, many;
    abut_closest closest;
    abut_impact impact;
    abut_vec3 place[2], corner[8], rectangle[4];
    abut_aabb bounds;
    abut_placed_shape ball;
    float distance, reach, radius;
} answers;

static void ask_all(const abut_shape shape[2], const abut_pose pose[2], answers *out)
{
    static const uint32_t first = 0, second = 1;
    const abut_pair_list list = {
        .shapes = shape, .poses = pose, .shape_count = 2, .pair_count = 1, .a = &first, .b = &second
    };
    const abut_moving_shape a = { .shape = shape[0], .pose = pose[0], .velocity.linear.x = 1 },
                            b = { .shape = shape[1], .pose = pose[1] };
    const abut_vec3 up = { 0.25f, 1, 0.5f };
    const abut_shape *s = &shape[1];
    const abut_pose *p = &pose[1];
    abut_status *status = out->status;
    memset(out, 0, sizeof *out);
    status[0] = abut_collide(&shape[0], &pose[0], s, p, 0.5f, &out->one);
    status[1] = abut_collide_many(&list, 0.5f, &out->many);
    status[2] = abut_overlap_many(&list, &out->overlapping);
    status[3] = abut_closest_points_many(&list, &out->closest);
    status[4] = abut_distance(&shape[0], &pose[0], s, p, &out->distance);
    status[5] = abut_time_of_impact(&a, &b, 9.0f, 0.0f, &out->impact);
    status[6] = abut_shape_contains(s, p, up, &out->contains);
    status[7] = abut_shape_closest_point(s, p, up, &out->place[0]);
    status[8] = abut_shape_support(s, p, up, &out->place[1]);
    status[9] = abut_shape_projection_radius(s, p, up, &out->reach);
    status[10] = abut_shape_bounds(s, p, &out->bounds);
    status[11] = abut_shape_bounding_sphere(s, p, &out->ball);
    status[12] = abut_shape_corners(s, p, out->corner);
    status[13] = abut_shape_rectangle_corners(s, p, out->rectangle);
    out->valid = abut_shape_valid(s);
    out->radius = abut_shape_bounding_radius(s);
}

// A turn by a quarter about z given in denormals, one so short that there is no such float but the smallest, and sizes
// that are positive, or negative, by ever so little.
static void the_callers_float_environment_does_not_affect_validity(void **state)
{
    (void)state;
    const abut_quat rotation[] = { { 0, 0, 1e-40f, 1e-40f }, { 1e-45f, 0, 0, 0 }, { 0, 0, 0, 1 }, { 0, 0, 0, 0 } };
    const float half[] = { 1.0f, 1e-40f, -1e-40f };
    for (uint32_t i = 0; i < COUNT(rotation) * COUNT(half); ++i)
    {
        const abut_shape shape[2] = { abut_shape_obb(1, 2, 3), abut_shape_obb(half[i % COUNT(half)], 2, 1) };
        const abut_pose pose[2] = { { .rotation = { 0, 0, 0, 1 } },
                                    { .position = { 2, 0.25f, 0 }, .rotation = rotation[i / COUNT(half)] } };
        answers kept, flushed;
        ask_all(shape, pose, &kept);
        FLUSHED(true);
        ask_all(shape, pose, &flushed);
        FLUSHED(false);
        assert_memory_equal(&kept, &flushed, sizeof kept);
        const bool valid = i / COUNT(half) != 3 && i % COUNT(half) != 2;
        for (uint32_t k = 0; k < 14; ++k)
        {
            assert_int_equal(kept.status[k], valid ? ABUT_OK : ABUT_INVALID_ARGUMENT);
        }
    }
}

static abut_world *world_made_of(abut_quat rotation, float half, abut_status status[7])
{
    abut_world *world;
    abut_body body = { 0 };
    abut_collider collider = { 0 };
    const abut_pose pose = { .position = { 1, 2, 3 }, .rotation = rotation };
    const abut_collider_def fine = { .shape = abut_shape_obb(1, 2, 3) };
    const abut_collider_def odd = { .shape = abut_shape_obb(half, 2, 3), .local = pose };
    const abut_body_def made = { .pose = pose, .collider = odd }, plain = { .collider = fine };
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    status[0] = abut_body_create(world, &made, &body);
    assert_int_equal(abut_body_create(world, &plain, &body), ABUT_OK);
    status[1] = abut_body_set_pose(world, body, &pose);
    assert_int_equal(abut_collider_attach(world, body, &fine, &collider), ABUT_OK);
    status[2] = abut_collider_set_local(world, collider, &pose);
    status[3] = abut_collider_set(world, collider, &odd);
    status[4] = abut_collider_set_shape(world, collider, &odd.shape);
    status[5] = abut_collider_attach(world, body, &odd, &collider);
    status[6] = abut_world_detect(world, 0.0f);
    return world;
}

static void nor_in_a_world(void **state)
{
    (void)state;
    const abut_quat rotation[] = { { 0, 0, 1e-40f, 1e-40f }, { 1e-45f, 0, 0, 0 }, { 0, 0, 0, 1 } };
    const float half[] = { 1.0f, 1e-40f, -1e-40f };
    for (uint32_t i = 0; i < COUNT(rotation) * COUNT(half); ++i)
    {
        abut_status kept[7], flushed[7];
        abut_world *one = world_made_of(rotation[i / COUNT(half)], half[i % COUNT(half)], kept);
        FLUSHED(true);
        abut_world *other = world_made_of(rotation[i / COUNT(half)], half[i % COUNT(half)], flushed);
        FLUSHED(false);
        assert_memory_equal(kept, flushed, sizeof kept);
        const uint64_t hash = abut_world_hash(one);
        assert_true(hash == abut_world_hash(other));
        FLUSHED(true);
        const uint64_t hash_flushed = abut_world_hash(one);
        FLUSHED(false);
        assert_true(hash == hash_flushed);
        assert_int_equal(kept[5], i % COUNT(half) == 2 ? ABUT_INVALID_ARGUMENT : ABUT_OK);
        abut_world_destroy(one);
        abut_world_destroy(other);
    }
    abut_world *world_2d;
    abut_body body;
    const abut_body_def def = { .velocity.linear.x = 1 };
    assert_int_equal(abut_world_create(&(abut_world_def){ .dimension = 2 }, &world_2d), ABUT_OK);
    assert_int_equal(abut_body_create(world_2d, &def, &body), ABUT_OK);
    FLUSHED(true);
    const abut_status status = abut_body_set_velocity(world_2d, body, &(abut_velocity){ .linear.z = 1e-40f });
    FLUSHED(false);
    assert_int_equal(status, ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world_2d);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(invalid_values_written_in_place_fail_the_step_that_reads_them),
        cmocka_unit_test(a_failed_detect_leaves_nothing_for_the_audit_to_find),
        cmocka_unit_test(a_bulk_call_of_nothing_needs_no_pointers),
        cmocka_unit_test(every_fault_of_a_world_definition_is_reported),
        cmocka_unit_test(calls_without_a_status_answer_nonsense_with_nothing),
        cmocka_unit_test(a_full_body_is_a_limit),
#if defined(FLUSHED)
        cmocka_unit_test(the_callers_float_environment_does_not_affect_validity),
        cmocka_unit_test(nor_in_a_world),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
