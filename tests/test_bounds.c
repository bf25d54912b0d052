#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "broad_crowd.h"
#include "math/rotation.h"

#define EVERY_ISA(isa)                                                                                                 \
    for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)                                                  \
        if (abut_isa_available(isa))

typedef struct dbox
{
    dvec3 centre, half;
} dbox;

static dquat widen_rotation(abut_quat q)
{
    const double length = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
    return (dquat){ q.w / length, q.x / length, q.y / length, q.z / length };
}

// The box around a collider in double precision, from the definition of its shape.
static dbox exact_box(const crowd *c, uint32_t collider)
{
    const abut_shape *shape = &c->shapes[collider];
    const abut_vec3 p = c->poses[collider].position, l = c->locals[collider].position;
    const dquat body = widen_rotation(c->poses[collider].rotation);
    const dquat both = dquat_mul(body, widen_rotation(c->locals[collider].rotation));
    const dvec3 axes[3] = { dquat_rotate(both, dvec3_make(1, 0, 0)), dquat_rotate(both, dvec3_make(0, 1, 0)),
                            dquat_rotate(both, dvec3_make(0, 0, 1)) };
    dbox box;
    box.centre = dvec3_add(dvec3_make(p.x, p.y, p.z), dquat_rotate(body, dvec3_make(l.x, l.y, l.z)));
    const abut_vec3 h = shape->box.half_extents;
    switch (shape->kind)
    {
    case ABUT_SPHERE:
        box.half = dvec3_make(shape->sphere.radius, shape->sphere.radius, shape->sphere.radius);
        break;
    case ABUT_AABB:
        box.half = dvec3_make(h.x, h.y, h.z);
        break;
    default:
        box.half = dvec3_make(fabs(axes[0].x) * h.x + fabs(axes[1].x) * h.y + fabs(axes[2].x) * h.z,
                              fabs(axes[0].y) * h.x + fabs(axes[1].y) * h.y + fabs(axes[2].y) * h.z,
                              fabs(axes[0].z) * h.x + fabs(axes[1].z) * h.y + fabs(axes[2].z) * h.z);
    }
    return box;
}

static double size_of(const crowd *c, uint32_t collider)
{
    const ab_proxy_def proxy = crowd_describe(c, collider, ABUT_DYNAMIC);
    const abut_vec3 l = c->locals[collider].position;
    return (double)proxy.half[0] + proxy.half[1] + proxy.half[2] + fabsf(l.x) + fabsf(l.y) + fabsf(l.z);
}

static void assert_around(double low, double high, double centre, double half, double grown, double size)
{
    const double slack = 0.7320510 * grown; // margin and reach count for sqrt 3
    const double most = slack + 2.0e-5 * (size + grown) + 5.0e-7 * (fabs(centre) + half + grown);
    assert_true(low <= centre - half - grown - slack);
    assert_true(high >= centre + half + grown + slack);
    assert_true(low >= centre - half - grown - most);
    assert_true(high <= centre + half + grown + most);
}

// Bodies anywhere within `spread`, of unit rotations or (every eighth) others, a quarter of them placed.
static void random_crowd(crowd *c, random_source *random, uint32_t count, double spread)
{
    crowd_open(c, count);
    assert_true(ab_proxies_need_offset(&c->proxies, &c->memory));
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_shape shape = crowd_random_shape(random, 1e-3, 1e2);
        const abut_vec3 position = random_narrow(random_in_box(random, spread));
        abut_quat rotation = random_narrow_rotation(random_rotation(random));
        if (i % 8 == 3)
        {
            const float s = (float)random_scale(random, 1e-5, 1e5);
            rotation = (abut_quat){ rotation.x * s, rotation.y * s, rotation.z * s, rotation.w * s };
        }
        const uint32_t collider = crowd_add(c, shape, position, rotation);
        if (i % 4 == 1)
        {
            c->placed[collider] = true;
            c->locals[collider].position = random_narrow(random_in_box(random, 50.0));
            c->locals[collider].rotation = random_narrow_rotation(random_rotation(random));
        }
        c->velocities[collider].linear = random_narrow(random_in_box(random, 20.0));
        c->velocities[collider].angular = random_narrow(random_in_box(random, 5.0));
        assert_true(crowd_append(c, collider));
    }
}

static void a_box_contains_its_shape_and_little_more(void **state)
{
    (void)state;
    static const double spreads[] = { 0.0, 1.0, 1e3, 1e6, 9e7 };
    for (uint32_t seed = 1; seed <= 50; ++seed)
    {
        random_source random = random_start(seed);
        const float growth = seed % 3 ? 0.0f : (float)random_scale(&random, 1e-4, 1.0);
        crowd c;
        random_crowd(&c, &random, 200, spreads[seed % 5]);
        EVERY_ISA(isa)
        {
            assert_int_equal(crowd_bound(&c, isa, growth, 0.0f), ABUT_NONE);
            for (uint32_t i = 0; i < c.count; ++i)
            {
                const abut_aabb box = crowd_box(&c, c.proxies.proxy_of[i]);
                const dbox exact = exact_box(&c, i);
                const double size = size_of(&c, i) + growth;
                assert_around(box.min.x, box.max.x, exact.centre.x, exact.half.x, growth, size);
                assert_around(box.min.y, box.max.y, exact.centre.y, exact.half.y, growth, size);
                assert_around(box.min.z, box.max.z, exact.centre.z, exact.half.z, growth, size);
            }
        }
        crowd_close(&c);
    }
}

static void a_block_aabb_encloses_its_eight(void **state)
{
    (void)state;
    random_source random = random_start(3);
    crowd c;
    random_crowd(&c, &random, 203, 100.0);
    // Points at -0, where a box must not have one sign of zero here and another there.
    for (uint32_t i = 40; i < 80; i += 3)
    {
        c.placed[i] = true;
        c.locals[i].position = c.poses[i].position = abut_vec3_make(-0.0f, i & 1 ? 0.0f : -0.0f, -0.0f);
        c.locals[i].rotation = c.poses[i].rotation = abut_quat_identity();
        c.shapes[i] = abut_shape_obb(0.0f, 0.0f, 0.0f);
        const ab_proxy_def proxy = crowd_describe(&c, i, ABUT_DYNAMIC);
        ab_proxies_describe(&c.proxies, c.proxies.proxy_of[i], &proxy);
    }
    ab_proxies_remove(&c.proxies, c.proxies.proxy_of[17]);
    EVERY_ISA(isa)
    {
        crowd_bound(&c, isa, 0.0f, 0.0f);
        for (uint32_t block = 0; block < c.proxies.region[AB_ACTIVE].room; ++block)
        {
            abut_aabb around = crowd_box(&c, block * AB_BLOCK);
            for (uint32_t lane = 1; lane < AB_BLOCK; ++lane)
            {
                const abut_aabb box = crowd_box(&c, block * AB_BLOCK + lane);
                assert_true(box.min.x != 0.0f || !signbit(box.min.x));
                around.min.x = fminf(around.min.x, box.min.x), around.max.x = fmaxf(around.max.x, box.max.x);
                around.min.y = fminf(around.min.y, box.min.y), around.max.y = fmaxf(around.max.y, box.max.y);
                around.min.z = fminf(around.min.z, box.min.z), around.max.z = fmaxf(around.max.z, box.max.z);
            }
            const ab_aabb *aabb = &c.proxies.aabb[block];
            assert_memory_equal(aabb->min, &around.min, sizeof aabb->min);
            assert_memory_equal(aabb->max, &around.max, sizeof aabb->max);
        }
    }
    crowd_close(&c);
}

static void every_instruction_set_writes_the_same_bits(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        random_source random = random_start(seed);
        crowd c;
        random_crowd(&c, &random, 1 + random_below(&random, 300), 1e4);
        const float horizon = seed % 2 ? 0.5f : 0.0f;
        assert_true(ab_proxies_need_reach(&c.proxies, &c.memory));
        assert_int_equal(crowd_bound(&c, ABUT_ISA_SCALAR, 0.01f, horizon), ABUT_NONE);
        const size_t blocks = c.proxies.region[AB_ACTIVE].blocks, count = blocks * AB_BLOCK;
        ab_aabb8 *block = malloc(blocks * sizeof *block);
        ab_aabb *aabb = malloc(blocks * sizeof *aabb);
        ab_record *record = malloc(count * sizeof *record);
        float *reach = malloc(count * sizeof *reach);
        abut_vec3 *offset = malloc(count * sizeof *offset);
        memcpy(block, c.proxies.block, blocks * sizeof *block);
        memcpy(aabb, c.proxies.aabb, blocks * sizeof *aabb);
        memcpy(record, c.proxies.record, count * sizeof *record);
        memcpy(reach, c.proxies.reach, count * sizeof *reach);
        memcpy(offset, c.proxies.offset, count * sizeof *offset);
        EVERY_ISA(isa)
        {
            memset(c.proxies.block, 0xcc, blocks * sizeof *block);
            memset(c.proxies.aabb, 0xcc, blocks * sizeof *aabb);
            memset(c.proxies.offset, 0xcc, count * sizeof *offset);
            memset(c.proxies.reach, 0xcc, count * sizeof *reach);
            assert_int_equal(crowd_bound(&c, isa, 0.01f, horizon), ABUT_NONE);
            assert_memory_equal(block, c.proxies.block, blocks * sizeof *block);
            assert_memory_equal(aabb, c.proxies.aabb, blocks * sizeof *aabb);
            assert_memory_equal(record, c.proxies.record, count * sizeof *record);
            assert_memory_equal(reach, c.proxies.reach, count * sizeof *reach);
            assert_memory_equal(offset, c.proxies.offset, count * sizeof *offset);
        }
        free(block);
        free(aabb);
        free(record);
        free(reach);
        free(offset);
        crowd_close(&c);
    }
}

static void a_record_has_the_axes_of_the_composed_pose_and_the_position_of_the_body(void **state)
{
    (void)state;
    random_source random = random_start(11);
    crowd c;
    random_crowd(&c, &random, 500, 10.0);
    EVERY_ISA(isa)
    {
        crowd_bound(&c, isa, 0.0f, 0.0f);
        for (uint32_t i = 0; i < c.count; ++i)
        {
            const ab_record *record = &c.proxies.record[c.proxies.proxy_of[i]];
            const abut_pose pose = c.placed[i] ? abut_pose_compose(&c.poses[i], &c.locals[i]) : c.poses[i];
            float axis[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
            if (ab_shape_row_for(c.shapes[i].kind)->turns)
            {
                ab_rotation_axes(pose.rotation, axis);
            }
            assert_memory_equal(record->axis, axis, sizeof axis);
            assert_memory_equal(record->position, &c.poses[i].position, sizeof record->position);
            assert_int_equal(record->collider_key, i << 8);
        }
    }
    crowd_close(&c);
}

static void a_box_with_a_horizon_contains_the_shape_wherever_it_goes_within_it(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 20; ++seed)
    {
        random_source random = random_start(seed);
        const float horizon = (float)random_scale(&random, 1e-3, 1.0);
        crowd c;
        random_crowd(&c, &random, 100, 100.0);
        assert_true(ab_proxies_need_reach(&c.proxies, &c.memory));
        abut_pose *start = malloc(c.count * sizeof *start);
        memcpy(start, c.poses, c.count * sizeof *start);
        crowd_bound(&c, abut_isa_best(), 0.0f, horizon);
        for (uint32_t step = 0; step <= 4; ++step)
        {
            for (uint32_t i = 0; i < c.count; ++i)
            {
                const float t = horizon * (float)step / 4.0f;
                const abut_vec3 w = c.velocities[i].angular;
                const abut_quat turn = abut_quat_from_axis_angle(w, abut_vec3_length(w) * t);
                c.poses[i].position = abut_vec3_add(start[i].position, abut_vec3_scale(c.velocities[i].linear, t));
                c.poses[i].rotation = abut_quat_mul(turn, start[i].rotation);
                const dbox exact = exact_box(&c, i);
                const abut_aabb box = crowd_box(&c, c.proxies.proxy_of[i]);
                assert_true(box.min.x <= exact.centre.x - exact.half.x && box.max.x >= exact.centre.x + exact.half.x);
                assert_true(box.min.y <= exact.centre.y - exact.half.y && box.max.y >= exact.centre.y + exact.half.y);
                assert_true(box.min.z <= exact.centre.z - exact.half.z && box.max.z >= exact.centre.z + exact.half.z);
            }
        }
        free(start);
        crowd_close(&c);
    }
}

static void immobile_bodies_have_no_reach_whatever_their_velocity(void **state)
{
    (void)state;
    crowd c;
    crowd_open(&c, 4);
    assert_true(ab_proxies_need_reach(&c.proxies, &c.memory));
    const uint32_t wall = crowd_add(&c, abut_shape_sphere(1.0f), abut_vec3_make(0, 0, 0), abut_quat_identity());
    c.velocities[wall].linear = abut_vec3_make(NAN, 1.0f, 1.0f);
    assert_true(crowd_append_motion(&c, wall, ABUT_STATIC));
    EVERY_ISA(isa)
    {
        assert_int_equal(crowd_bound(&c, isa, 0.0f, 1.0f), ABUT_NONE);
        assert_true(c.proxies.reach[0] == 0.0f && crowd_box(&c, 0).max.x < 1.001f);
    }
    crowd_close(&c);
}

static void a_bad_pose_or_velocity_is_found_and_named(void **state)
{
    (void)state;
    static const float bad[] = { NAN, INFINITY, -INFINITY, 1.1e8f, -1.1e8f };
    random_source random = random_start(5);
    crowd c;
    random_crowd(&c, &random, 45, 10.0);
    assert_true(ab_proxies_need_reach(&c.proxies, &c.memory));
    EVERY_ISA(isa)
    {
        for (uint32_t i = 0; i < c.count; ++i)
        {
            const abut_pose pose = c.poses[i];
            const abut_velocity velocity = c.velocities[i];
            for (uint32_t k = 0; k < 5; ++k)
            {
                ((float *)&c.poses[i])[i % 3] = bad[k];
                assert_int_equal(crowd_bound(&c, isa, 0.0f, 0.0f), c.proxies.proxy_of[i]);
                c.poses[i] = pose;
                ((float *)&c.velocities[i])[i % 6] = bad[k];
                assert_int_equal(crowd_bound(&c, isa, 0.0f, 0.1f), c.proxies.proxy_of[i]);
                assert_int_equal(crowd_bound(&c, isa, 0.0f, 0.0f), ABUT_NONE);
                c.velocities[i] = velocity;
            }
            c.poses[i].rotation = (abut_quat){ 0, 0, 0, 0 };
            assert_int_equal(crowd_bound(&c, isa, 0.0f, 0.0f), c.proxies.proxy_of[i]);
            c.poses[i].rotation = (abut_quat){ 0, 1e30f, 0, 0 };
            assert_int_equal(crowd_bound(&c, isa, 0.0f, 0.0f), c.proxies.proxy_of[i]);
            c.poses[i].rotation = (abut_quat){ 0, 0, NAN, 1 };
            assert_int_equal(crowd_bound(&c, isa, 0.0f, 0.0f), c.proxies.proxy_of[i]);
            c.poses[i] = pose;
        }
        assert_int_equal(crowd_bound(&c, isa, 0.0f, 0.1f), ABUT_NONE);
    }
    crowd_close(&c);
}

static void dead_lanes_are_empty_whatever_lies_in_the_pose_they_name(void **state)
{
    (void)state;
    crowd c;
    crowd_open(&c, 3);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const abut_vec3 position = abut_vec3_make((float)i, 0, 0);
        assert_true(crowd_append(&c, crowd_add(&c, abut_shape_sphere(1.0f), position, abut_quat_identity())));
    }
    ab_proxies_remove(&c.proxies, c.proxies.proxy_of[0]);
    c.poses[0].position.x = NAN;
    EVERY_ISA(isa)
    {
        assert_int_equal(crowd_bound(&c, isa, 0.0f, 0.0f), ABUT_NONE);
        ab_proxies_check(&c.proxies);
        assert_true(crowd_box(&c, 0).min.x == AB_EMPTY_BOX && crowd_box(&c, 0).max.z == -AB_EMPTY_BOX);
        assert_true(c.proxies.aabb[0].min[0] < 1.0f);
    }
    crowd_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_contains_its_shape_and_little_more),
        cmocka_unit_test(a_block_aabb_encloses_its_eight),
        cmocka_unit_test(every_instruction_set_writes_the_same_bits),
        cmocka_unit_test(a_record_has_the_axes_of_the_composed_pose_and_the_position_of_the_body),
        cmocka_unit_test(a_box_with_a_horizon_contains_the_shape_wherever_it_goes_within_it),
        cmocka_unit_test(immobile_bodies_have_no_reach_whatever_their_velocity),
        cmocka_unit_test(a_bad_pose_or_velocity_is_found_and_named),
        cmocka_unit_test(dead_lanes_are_empty_whatever_lies_in_the_pose_they_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
