// Answers do not depend on the floating-point environment a caller has set (rounding, denormals as zeros), no call
// changes that environment, and the callback for errors runs in it.
#include "small_world.h"

#include <abut/draw.h>
#include <abut/state.h>

#include <fenv.h>
#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <xmmintrin.h>
#define CONTROL    0xffc0u // all but the exceptions that were raised
#define FLUSHED    0x9fc0u // denormals are zeros, as operands and as results
#define TOWARDS(r) (0x1f80u | (unsigned)(r) << 13)

static const unsigned environments[] = { 0x1f80u, FLUSHED, TOWARDS(1), TOWARDS(2), TOWARDS(3), TOWARDS(1) | 0x8040u };

static void set_environment(unsigned which)
{
    _mm_setcsr(environments[which]);
}

static bool environment_is(unsigned which)
{
    return (_mm_getcsr() & CONTROL) == (environments[which] & CONTROL);
}

#elif defined(__arm__) && defined(__ARM_FP)
#define CONTROL    0x0fffff60u // all but what came of comparisons, and the exceptions that were raised
#define FLUSHED    (1u << 24)  // denormals are zeros
#define TOWARDS(r) ((unsigned)(r) << 22)

static const unsigned environments[] = { 0, FLUSHED, TOWARDS(1), TOWARDS(2), TOWARDS(3), TOWARDS(1) | FLUSHED };

static void set_environment(unsigned which)
{
    __asm__ volatile("vmsr fpscr, %0" : : "r"(environments[which]));
}

static bool environment_is(unsigned which)
{
    uint32_t now;
    __asm__ volatile("vmrs %0, fpscr" : "=r"(now));
    return (now & CONTROL) == environments[which];
}

#else

static const int environments[] = { FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO };

static void set_environment(unsigned which)
{
    fesetround(environments[which]);
}

static bool environment_is(unsigned which)
{
    return fegetround() == environments[which];
}

#endif

// What the math calls answer; the arguments are volatile so that nothing is computed beforehand.
typedef struct math_answers
{
    float length, angle, sine, cosine;
    abut_quat quat[4];
    abut_mat3 matrix[3];
    abut_vec3 vector[5];
    abut_pose pose[3];
    abut_aabb box;
    bool contains[2];
} math_answers;

static void ask_math(math_answers *out)
{
    volatile float third = 0.33333334f, tiny = 1e-40f;
    const float t = third, d = tiny;
    const abut_vec3 v = { t, 0.7f, -1.1f };
    const abut_quat turned = { 0.1f, t, 0.2f, 0.9f };
    const abut_velocity velocity = { { t, 1, 2 }, { t, 3, 0.1f } };
    memset(out, 0, sizeof *out);
    out->length = abut_vec3_length(v);
    out->quat[0] = abut_quat_normalise(turned);
    out->quat[1] = abut_quat_from_axis_angle(v, t);
    out->quat[2] = abut_quat_from_euler(t, 0.7f, 1.3f, ABUT_EULER_YXZ);
    out->matrix[0] = abut_mat3_from_quat(turned);
    out->matrix[1] = abut_mat3_from_axis_angle(v, 1.7f);
    out->matrix[2] = abut_mat3_from_euler(t, t, 2.1f, ABUT_EULER_XZY);
    out->quat[3] = abut_quat_from_mat3(&out->matrix[1]);
    out->vector[0] = abut_quat_rotate(out->quat[0], v);
    out->pose[0] = (abut_pose){ .position = v, .rotation = out->quat[0] };
    out->vector[1] = abut_pose_apply(&out->pose[0], v);
    out->pose[1] = abut_pose_compose(&out->pose[0], &out->pose[0]);
    out->pose[2] = abut_pose_2d(t, 1, t);
    out->angle = abut_pose_angle(&out->pose[2]);
    assert_true(abut_pose_move(&out->pose[1], &velocity, t));
    out->box = abut_aabb_from_centre(v, (abut_vec3){ 1e-9f, t, 1.1f });
    out->vector[2] = abut_aabb_centre(&out->box);
    out->vector[3] = abut_aabb_half_extents(&out->box);
    const abut_aabb above = { { d, d, d }, { 1, 1, 1 } };
    out->contains[0] = abut_aabb_contains(&above, (abut_vec3){ 0, 0, 0 });
    out->contains[1] = abut_aabb_contains(&above, (abut_vec3){ d, d, d });
    out->vector[4] = abut_aabb_closest_point(&above, (abut_vec3){ 0, 0, 0 });
    abut_sincos(t, &out->sine, &out->cosine);
}

// Calls f in every environment and compares `size` bytes of what it writes with what it writes in the first.
static void same_everywhere(void (*f)(void *), void *first, void *other, size_t size)
{
    f(first);
    for (unsigned e = 1; e < COUNT(environments); ++e)
    {
        set_environment(e);
        f(other);
        const bool kept = environment_is(e);
        set_environment(0);
        assert_true(kept);
        assert_memory_equal(first, other, size);
    }
}

static void call_math(void *out)
{
    ask_math(out);
}

static void rotations_and_boxes_are_the_same_in_every_environment(void **state)
{
    (void)state;
    math_answers first, other;
    same_everywhere(call_math, &first, &other, sizeof first);
}

enum
{
    CORNERS = 7
};

typedef struct polygon_answers
{
    abut_vec2 vertex[ABUT_MAX_VERTICES];
    abut_vec2 centroid;
    float radius;
    uint64_t hash;
} polygon_answers;

// Irregular, so that nothing about it is exact.
static void ask_polygon(void *given)
{
    polygon_answers *out = given;
    static const abut_vec2 corner[CORNERS] = { { 0.1f, 0.3f },  { 1.7f, 0.2f },   { 2.3f, 1.1f }, { 2.1f, 1.9f },
                                               { 1.3f, 2.43f }, { 0.37f, 2.17f }, { -0.1f, 1.3f } };
    abut_geometry *geometry;
    const abut_vec2 *vertex;
    abut_world *world;
    memset(out, 0, sizeof *out);
    assert_int_equal(abut_geometry_create_polygon(corner, CORNERS, NULL, &geometry), ABUT_OK);
    const abut_shape shape = abut_shape_polygon(geometry);
    const uint32_t count = abut_geometry_vertices(geometry, &vertex);
    memcpy(out->vertex, vertex, count * sizeof *vertex);
    out->centroid = abut_geometry_centroid(geometry);
    out->radius = abut_shape_bounding_radius(&shape);
    assert_int_equal(abut_world_create(&(abut_world_def){ .dimension = 2 }, &world), ABUT_OK);
    for (uint32_t i = 0; i < 12; ++i)
    {
        abut_body body;
        const abut_body_def def = { .pose = { .position = { (float)(i % 4) * 1.75f, (float)(i / 4) * 2.0f, 0 } },
                                    .velocity = { .angular = { 0, 0, 1.1f } },
                                    .collider.shape = shape };
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    for (uint32_t i = 0; i < 5; ++i)
    {
        assert_int_equal(abut_world_step(world, 0.1f), ABUT_OK);
    }
    out->hash = abut_world_hash(world);
    abut_world_destroy(world);
    abut_geometry_release(geometry);
}

static void a_polygon_is_the_same_in_every_environment(void **state)
{
    (void)state;
    polygon_answers first, other;
    same_everywhere(ask_polygon, &first, &other, sizeof first);
}

// Statuses of what is wrong by a denormal number, which is no zero.
static void ask_margins(void *given)
{
    abut_status *status = given;
    volatile float below = -1e-40f;
    const abut_shape ball = abut_shape_sphere(1);
    const abut_pose at = abut_pose_identity();
    const abut_moving_shape moving = { .shape = ball, .pose = at };
    abut_manifold manifold;
    abut_impact impact;
    abut_world *world = NULL, *none;
    uint64_t lines;
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    status[0] = abut_world_create(&(abut_world_def){ .margin = below }, &none);
    abut_world_destroy(none);
    status[1] = abut_world_create(&(abut_world_def){ .recycle_distance = below }, &none);
    abut_world_destroy(none);
    status[2] = abut_world_detect(world, below);
    status[3] = abut_world_detect_begin(world, below);
    status[4] = abut_collide(&ball, &at, &ball, &at, below, &manifold);
    status[5] = abut_collide_2d(&ball, &at, &ball, &at, below, &manifold);
    status[6] = abut_time_of_impact(&moving, &moving, below, 0, &impact);
    status[7] = abut_time_of_impact(&moving, &moving, 1, below, &impact);
    status[8] = abut_world_draw(world, &(abut_draw_def){ .cross = below }, NULL, 0, &lines);
    status[9] = abut_world_draw(world, &(abut_draw_def){ .normal_length = below }, NULL, 0, &lines);
    abut_world_destroy(world);
}

static void a_margin_is_negative_in_every_environment(void **state)
{
    (void)state;
    abut_status first[10], other[10];
    same_everywhere(ask_margins, first, other, sizeof first);
    for (uint32_t i = 0; i < COUNT(first); ++i)
    {
        assert_int_equal(first[i], ABUT_INVALID_ARGUMENT);
    }
}

typedef struct witness
{
    unsigned environment;
    uint32_t calls, at_home; // times the callback ran, and ran in that environment
} witness;

static void look_round(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    (void)status, (void)call, (void)index, (void)sentence;
    witness *w = context;
    ++w->calls;
    w->at_home += environment_is(w->environment);
}

enum
{
    WRONG_CALLS = 14
};

static void call_wrongly(const witness *w)
{
    volatile float below = -1.0f;
    const abut_world_def def = { .margin = below, .on_error = look_round, .on_error_context = (void *)w };
    const abut_world_def fine = { .on_error = look_round, .on_error_context = (void *)w };
    const abut_collider_def bad_collider = { .shape = abut_shape_sphere(below) };
    const abut_body_def bad_body = { .collider = bad_collider };
    const abut_pose bad_pose = { .position = { 1e30f, 0, 0 } };
    const abut_velocity bad_velocity = { .linear = { 1e30f, 0, 0 } };
    const abut_shape ball = abut_shape_sphere(1);
    abut_world *world = NULL;
    abut_collider collider = { 0 };
    uint64_t lines;
    assert_int_equal(abut_world_create(&def, &world), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_create(&fine, &world), ABUT_OK);
    const abut_body body = add(world, ball, 0, 0, 0, ABUT_DYNAMIC);
    abut_body none;
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &(uint32_t){ 0 }), ABUT_OK);
    assert_int_equal(abut_body_create(world, &bad_body, &none), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_set_pose(world, body, &bad_pose), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_set_velocity(world, body, &bad_velocity), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_body_move_to(world, body, &bad_pose, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collider_attach(world, body, &bad_collider, &collider), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collider_set(world, collider, &bad_collider), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_collider_set_local(world, collider, &bad_pose), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_draw(world, &(abut_draw_def){ .cross = below }, NULL, 0, &lines),
                     ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_detect(world, below), ABUT_INVALID_ARGUMENT);
    abut_world_bodies(world).velocities[body.slot].linear.x = 1e30f;
    assert_int_equal(abut_world_move(world, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_step(world, 1), ABUT_INVALID_ARGUMENT);
    abut_world_bodies(world).velocities[body.slot].linear.x = 0;
    abut_world_bodies(world).poses[body.slot] = bad_pose;
    assert_int_equal(abut_world_detect(world, 0), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_step(world, 0), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
}

static void the_callback_for_errors_runs_in_the_callers_environment(void **state)
{
    (void)state;
    for (unsigned e = 0; e < COUNT(environments); ++e)
    {
        witness w = { .environment = e };
        set_environment(e);
        call_wrongly(&w);
        const bool kept = environment_is(e);
        set_environment(0);
        assert_true(kept);
        assert_int_equal(w.calls, WRONG_CALLS);
        assert_int_equal(w.at_home, WRONG_CALLS);
    }
}

// A contact's position and a collider's box, of a scene whose numbers are not exact.
typedef struct scene_answers
{
    abut_vec3 position;
    abut_aabb box;
    uint64_t hash;
} scene_answers;

static void ask_scene(void *given)
{
    scene_answers *out = given;
    abut_world *world;
    abut_collider collider;
    memset(out, 0, sizeof *out);
    assert_int_equal(abut_world_create(&(abut_world_def){ .margin = 0.01f }, &world), ABUT_OK);
    const abut_body_def turned = { .pose = { .position = { 1000.1f, 0.3f, 0.7f },
                                             .rotation = { 0.1f, 0.2f, 0.3f, 0.9f } },
                                   .velocity = { .angular = { 0.3f, 0.1f, 0.2f } },
                                   .collider.shape = abut_shape_obb(1.1f, 0.7f, 0.9f) };
    abut_body body;
    assert_int_equal(abut_body_create(world, &turned, &body), ABUT_OK);
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &(uint32_t){ 0 }), ABUT_OK);
    add(world, abut_shape_obb(3, 0.1f, 3), 1000, -0.5f, 0, ABUT_STATIC);
    assert_int_equal(abut_world_step(world, 0.1f), ABUT_OK);
    const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
    assert_int_equal(contacts.count, 1);
    out->position = abut_contact_position(world, abut_contact_at(&contacts, 0), abut_contact_at(&contacts, 0)->points);
    assert_int_equal(abut_collider_bounds(world, collider, &out->box), ABUT_OK);
    out->hash = abut_world_hash(world);
    abut_world_destroy(world);
}

static void a_scene_is_the_same_in_every_environment(void **state)
{
    (void)state;
    scene_answers first, other;
    same_everywhere(ask_scene, &first, &other, sizeof first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_and_boxes_are_the_same_in_every_environment),
        cmocka_unit_test(a_polygon_is_the_same_in_every_environment),
        cmocka_unit_test(a_margin_is_negative_in_every_environment),
        cmocka_unit_test(a_scene_is_the_same_in_every_environment),
        cmocka_unit_test(the_callback_for_errors_runs_in_the_callers_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
