// The referee judged by hand-derived answers, and by faults planted where it must notice them.
#include "random_pair.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

static const double ROOT_2 = 1.41421356237309504880;

static void near(double ours, double theirs, double tolerance)
{
    if (!(fabs(ours - theirs) <= tolerance))
    {
        fail_msg("%.17g should be %.17g", ours, theirs);
    }
}

static dquat about_z(double radians)
{
    return dquat_turn(dvec3_make(0, 0, 1), radians);
}

static referee_solid cube(double x, double y, double z)
{
    return referee_box(dvec3_make(x, y, z), (dquat){ 1, 0, 0, 0 }, dvec3_make(1, 1, 1));
}

static void rotations_turn_counter_clockwise(void **state)
{
    (void)state;
    dvec3 turned = dquat_rotate(about_z(0.5 * acos(-1.0)), dvec3_make(3, 0, 0));
    near(turned.x, 0, 1e-15);
    near(turned.y, 3, 1e-15);
    for (uint32_t k = 0; k < 24; ++k)
    {
        dvec3 v = dquat_rotate(random_cube_rotation(k), dvec3_make(1, 2, 3));
        near(fabs(v.x) + fabs(v.y) + fabs(v.z), 6, 1e-14);
        for (uint32_t other = 0; other < k; ++other)
        {
            dvec3 w = dquat_rotate(random_cube_rotation(other), dvec3_make(1, 2, 3));
            assert_true(dvec3_length(dvec3_sub(v, w)) > 0.5);
        }
    }
}

static void shapes_become_solids_at_their_poses(void **state)
{
    (void)state;
    abut_pose pose = { .position = { 10, 0, 0 }, .rotation = { 0, 0, 2, 2 } }; // a quarter turn about z, not a unit
    abut_pose local = { .position = { 1, 0, 0 } };
    abut_shape obb = { .kind = ABUT_OBB, .box.half_extents = { 1, 2, 3 } };
    abut_shape aabb = { .kind = ABUT_AABB, .box.half_extents = { 1, 2, 3 } };
    referee_solid turned = referee_solid_of(&obb, &pose, &local);
    referee_solid kept = referee_solid_of(&aabb, &pose, &local);
    near(turned.centre.x, 10, 1e-15);
    near(turned.centre.y, 1, 1e-15);
    near(referee_extent(&turned, dvec3_make(1, 0, 0)), 2, 1e-15);
    near(referee_extent(&kept, dvec3_make(1, 0, 0)), 1, 0);
    near(kept.centre.y, 1, 1e-15);
    near(kept.reach, sqrt(14.0) + 1.0, 1e-15);
}

static void points_have_the_right_distance_from_a_solid(void **state)
{
    (void)state;
    referee_solid box = cube(0, 0, 0);
    near(referee_point_distance(&box, dvec3_make(0.25, 0, 0)), -0.75, 0);
    near(referee_point_distance(&box, dvec3_make(4, 5, 0)), 5, 0);
    near(referee_point_distance(&box, dvec3_make(2, 3, 3)), 3, 0);
    referee_solid ball = referee_ball(dvec3_make(1, 0, 0), 2);
    near(referee_point_distance(&ball, dvec3_make(1, 0, 0)), -2, 0);
    near(referee_point_distance(&ball, dvec3_make(1, 5, 0)), 3, 0);
}

static void balls_and_boxes_collide_as_worked_out_by_hand(void **state)
{
    (void)state;
    referee_solid box = cube(0, 0, 0);
    referee_solid beside = referee_ball(dvec3_make(3, 0, 0), 1.5);
    referee_solid corner = referee_ball(dvec3_make(3, 3, 2), 2);
    referee_solid inside = referee_ball(dvec3_make(0, -0.5, 0.25), 0.25);
    near(referee_collide(&box, &beside).separation, 0.5, 0);
    near(referee_collide(&box, &corner).separation, 1, 0);
    near(referee_distance(&box, &corner), 1, 0);
    referee_contact within = referee_collide(&inside, &box);
    near(within.separation, -0.75, 0);
    near(within.axis[within.best].normal.y, 1, 0);
    near(referee_collide(&box, &inside).axis[within.best].normal.y, -1, 0);
    near(referee_collide(&beside, &corner).separation, sqrt(13.0) - 3.5, 1e-15);
}

// Two cubes, corner edge of one pointing at the crossing corner edge of the other: distance from centre to edge is root
// 2.
static void crossed_edges_part_the_boxes_that_no_face_parts(void **state)
{
    (void)state;
    dquat a_turn = about_z(acos(-1.0) / 4.0);
    dquat b_turn = dquat_turn(dvec3_make(0, 1, 0), acos(-1.0) / 4.0);
    referee_solid a = referee_box(dvec3_make(0, 0, 0), a_turn, dvec3_make(1, 1, 1));
    referee_solid b = referee_box(dvec3_make(2.0 * ROOT_2 + 0.125, 0, 0), b_turn, dvec3_make(1, 1, 1));
    referee_contact contact = referee_collide(&a, &b);
    near(contact.separation, 0.125, 1e-14);
    assert_true(contact.axis[contact.best].code >= 6);
    near(contact.axis[contact.best].normal.x, 1, 1e-14);
    near(referee_distance(&a, &b), 0.125, 1e-14);
    assert_int_equal(referee_decide(&a, &b, 0.0), REFEREE_APART);
    assert_int_equal(referee_decide(&a, &b, 0.13), REFEREE_TOUCHING);
    assert_int_equal(referee_decide(&a, &b, 0.125 + 1e-7), REFEREE_UNDECIDED);
}

// SAT is a lower bound of distance, and distance an upper bound of the gap along any direction.
static void separation_never_exceeds_distance(void **state)
{
    (void)state;
    random_seeds seeds = random_seeds_of(5000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        random_pair m = random_pair_any(&random);
        referee_solid a = referee_solid_of(&m.a, &m.pose_a, NULL);
        referee_solid b = referee_solid_of(&m.b, &m.pose_b, NULL);
        double distance = referee_distance(&a, &b);
        double separation = referee_collide(&a, &b).separation;
        double margin = separation * random_between(&random, 0.5, 2.0);
        if (separation > 0.0 && (referee_decide(&a, &b, margin) == REFEREE_APART) != (separation > margin) &&
            referee_decide(&a, &b, margin) != REFEREE_UNDECIDED)
        {
            fail_msg("ABUT_SEED=%llu: separation %.17g, margin %.17g", (unsigned long long)seed, separation, margin);
        }
        double widest = referee_separation_along(&a, &b, random_direction(&random));
        double slack = 1e-12 * (a.reach + b.reach + dvec3_length(a.centre));
        if (separation > distance + slack || widest > distance + slack || (separation > slack && distance <= 0.0))
        {
            fail_msg("ABUT_SEED=%llu: separation %.17g, distance %.17g, along some way %.17g", (unsigned long long)seed,
                     separation, distance, widest);
        }
    }
}

static void contact_patches_have_the_area_of_the_common_part(void **state)
{
    (void)state;
    referee_solid lower = cube(0, 0, 0);
    referee_solid shifted = cube(0.5, 1, 1.9);
    dvec3 up = { 0, 0, 1 };
    referee_patch patch = referee_clip(&lower, 2, up, &shifted, 2);
    near(patch.area, 1.5, 1e-15);
    near(patch.height[0], -0.1, 1e-15);
    assert_int_equal(patch.count, 4);
    near(referee_best_four(patch.vertex, patch.count, -1, up), 1.5, 1e-15);

    referee_solid turned = referee_box(dvec3_make(0, 0, 2), about_z(acos(-1.0) / 4.0), dvec3_make(1, 1, 1));
    referee_patch octagon = referee_clip(&lower, 2, up, &turned, 2);
    near(octagon.area, 8.0 * (ROOT_2 - 1.0), 1e-14);
    assert_int_equal(octagon.count, 8);
    near(referee_best_four(octagon.vertex, octagon.count, 0, up), octagon.area / ROOT_2, 1e-14);

    referee_solid away = cube(3, 0, 2);
    assert_int_equal(referee_clip(&lower, 2, up, &away, 2).count, 0);
}

// A unit cube sunk 0.25 into a slab, and the right answer to it.
typedef struct sunk
{
    abut_shape slab, cube;
    abut_pose slab_pose, cube_pose;
    abut_manifold m;
} sunk;

static sunk sunk_cube(void)
{
    sunk s = { .slab = { .kind = ABUT_AABB, .box.half_extents = { 10, 1, 10 } },
               .cube = { .kind = ABUT_OBB, .box.half_extents = { 1, 1, 1 } },
               .slab_pose = { .position = { 5, 0, 0 }, .rotation = { 0, 0, 0, 1 } },
               .cube_pose = { .position = { 4, 1.75f, 3 }, .rotation = { 0, 0, 0, 1 } } };
    s.m = (abut_manifold){ .normal = { 0, 1, 0 }, .separation = -0.25f, .point_count = 4 };
    for (int k = 0; k < 4; ++k)
    {
        s.m.points[k].offset = abut_vec3_make(k & 1 ? 0.0f : -2.0f, 0.875f, k & 2 ? 4.0f : 2.0f);
        s.m.points[k].separation = -0.25f;
        s.m.points[k].feature = 1u << 8 | (uint32_t)k;
    }
    return s;
}

static bool accepted(const sunk *s, float margin)
{
    char why[REFEREE_WHY];
    return referee_check_manifold(&s->slab, &s->slab_pose, &s->cube, &s->cube_pose, margin, &s->m, why);
}

static void a_right_manifold_is_accepted(void **state)
{
    (void)state;
    sunk s = sunk_cube();
    assert_true(accepted(&s, 0.0f));
    assert_true(accepted(&s, 0.5f));
    s.cube_pose.position.y = 2.25f;
    s.m = (abut_manifold){ .point_count = 0 };
    assert_true(accepted(&s, 0.0f));
    assert_false(accepted(&s, 0.5f));
}

static void every_planted_fault_is_noticed(void **state)
{
    (void)state;
    enum
    {
        EMPTY,
        FLIPPED,
        SIDEWAYS,
        LONG,
        TOO_SHALLOW,
        MISPLACED,
        OUTSIDE,
        SHALLOW_POINT,
        SAME_FEATURE,
        LOST_POINT,
        HUDDLED,
        OTHER_AXIS,
        NOT_A_NUMBER,
        FAULTS
    };
    for (int fault = 0; fault < FAULTS; ++fault)
    {
        sunk s = sunk_cube();
        abut_manifold *m = &s.m;
        switch (fault)
        {
        case EMPTY:
            *m = (abut_manifold){ .point_count = 0 };
            break;
        case FLIPPED:
            m->normal.y = -1.0f;
            break;
        case SIDEWAYS:
            m->normal = abut_vec3_make(0.01f, 0.99995f, 0.0f);
            break;
        case LONG:
            m->normal.y = 1.001f;
            break;
        case TOO_SHALLOW:
            m->separation = -0.249f;
            break;
        case MISPLACED:
            m->points[2].offset.y += 0.01f;
            break;
        case OUTSIDE:
            m->points[2].offset.x -= 0.01f;
            break;
        case SHALLOW_POINT:
            m->points[1].separation = -0.2f;
            break;
        case SAME_FEATURE:
            m->points[3].feature = m->points[0].feature;
            break;
        case LOST_POINT:
            m->point_count = 3;
            break;
        case HUDDLED:
            m->points[0].offset.x += 0.1f;
            break;
        case OTHER_AXIS:
            for (int k = 0; k < 4; ++k)
            {
                m->points[k].feature += 1u << 8;
            }
            break;
        case NOT_A_NUMBER:
            m->separation = (float)NAN;
            break;
        default:
            break;
        }
        if (accepted(&s, 0.0f))
        {
            fail_msg("fault %d went unnoticed", fault);
        }
    }
}

static void a_touch_beyond_the_margin_is_noticed(void **state)
{
    (void)state;
    sunk s = sunk_cube();
    s.cube_pose.position.y = 2.25f;
    s.m.separation = 0.25f;
    for (int k = 0; k < 4; ++k)
    {
        s.m.points[k].separation = 0.25f;
        s.m.points[k].offset.y = 1.125f;
    }
    assert_true(accepted(&s, 0.3f));
    assert_false(accepted(&s, 0.2f));
}

static void filters_decide_what_collides(void **state)
{
    (void)state;
    referee_rules rules = referee_default_rules();
    referee_collider a = { .shape = { .kind = ABUT_SPHERE }, .body = 1 };
    referee_collider b = { .shape = { .kind = ABUT_SPHERE }, .body = 2 };
    assert_true(referee_may_collide(&rules, &a, &b));
    b.body = 1;
    assert_false(referee_may_collide(&rules, &a, &b));
    b.body = 2;
    a.motion = b.motion = ABUT_KINEMATIC;
    assert_false(referee_may_collide(&rules, &a, &b));
    a.motion = ABUT_DYNAMIC;
    a.filter.mask = 2;
    assert_false(referee_may_collide(&rules, &a, &b));
    b.filter.category = 2;
    assert_true(referee_may_collide(&rules, &a, &b));
    a.flags = ABUT_COLLIDER_COLLIDES_WITH_NOTHING;
    assert_false(referee_may_collide(&rules, &a, &b));
    a.filter.group = b.filter.group = 7;
    assert_false(referee_may_collide(&rules, &a, &b));
    a.flags = 0;
    a.filter.mask = 1;
    assert_true(referee_may_collide(&rules, &a, &b));
    a.filter.group = b.filter.group = -7;
    assert_false(referee_may_collide(&rules, &a, &b));
    b.filter.group = 0;
    b.filter.category = 1;
    assert_true(referee_may_collide(&rules, &a, &b));
    b.disabled = true;
    assert_false(referee_may_collide(&rules, &a, &b));
}

static void a_row_of_balls_touches_neighbour_to_neighbour(void **state)
{
    (void)state;
    enum
    {
        COUNT = 10
    };
    referee_collider row[COUNT];
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        // The gap between the last two is exactly zero: nobody's to judge.
        float x = i + 1 == COUNT ? 15.0f + 2.0f : 1.875f * (float)i;
        row[i] = (referee_collider){ .shape = { .kind = ABUT_SPHERE, .sphere.radius = 1.0f },
                                     .pose = { .position = { x, 0, 0 } },
                                     .body = i };
    }
    referee_rules rules = referee_default_rules();
    referee_pairs pairs = { NULL, 0, 0 };
    referee_touching(&rules, row, COUNT, &pairs);
    assert_int_equal(pairs.count, COUNT - 1);
    for (uint32_t i = 0; i + 1 < COUNT; ++i)
    {
        assert_int_equal(pairs.data[i].a, i);
        assert_int_equal(pairs.data[i].b, i + 1);
        assert_int_equal(pairs.data[i].undecided, i + 2 == COUNT);
    }
    free(pairs.data);
}

// The generators must reach the cases they are for.
static void random_pairs_reach_every_verdict_and_axis(void **state)
{
    (void)state;
    uint32_t verdicts[RANDOM_LAYOUT_COUNT][3] = { { 0 } };
    uint32_t edges[RANDOM_LAYOUT_COUNT] = { 0 };
    for (uint64_t seed = 1; seed <= 20000; ++seed)
    {
        random_source random = random_start(seed);
        random_layout layout = (random_layout)(seed % RANDOM_LAYOUT_COUNT);
        random_pair m = random_pair_of(&random, ABUT_OBB, ABUT_OBB, layout);
        referee_solid a = referee_solid_of(&m.a, &m.pose_a, NULL);
        referee_solid b = referee_solid_of(&m.b, &m.pose_b, NULL);
        ++verdicts[layout][referee_decide(&a, &b, 0.0)];
        referee_contact contact = referee_collide(&a, &b);
        edges[layout] += contact.axis[contact.best].code >= 6;
    }
    for (int layout = 0; layout < RANDOM_LAYOUT_COUNT; ++layout)
    {
        if (getenv("ABUT_VERBOSE"))
        {
            print_message("%-22s apart %u touching %u undecided %u, best axis an edge %u\n",
                          random_layout_name((random_layout)layout), verdicts[layout][0], verdicts[layout][1],
                          verdicts[layout][2], edges[layout]);
        }
        assert_true(verdicts[layout][REFEREE_TOUCHING] > 100);
        assert_true(layout == RANDOM_INSIDE || verdicts[layout][REFEREE_APART] > 100);
    }
    assert_true(edges[RANDOM_EDGES_NEARLY] > 300);
    assert_true(edges[RANDOM_EDGES_CROSSED] > 300);
    assert_true(edges[RANDOM_EDGES_ANY] > 300);
}

// The checks can be passed: the plain answer in double, rounded to float, passes them.
static void the_plain_answer_is_accepted(void **state)
{
    (void)state;
    random_seeds seeds = random_seeds_of(50000);
    uint32_t failed = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        random_pair m = random_pair_any(&random);
        referee_solid a = referee_solid_of(&m.a, &m.pose_a, NULL);
        referee_solid b = referee_solid_of(&m.b, &m.pose_b, NULL);
        if (a.capsule || b.capsule)
        {
            continue; // there is no plain answer of points
        }
        abut_manifold answer = referee_answer(&a, &b, a.centre, (double)m.margin);
        char why[REFEREE_WHY];
        if (!referee_check_manifold(&m.a, &m.pose_a, &m.b, &m.pose_b, m.margin, &answer, why))
        {
            print_error("ABUT_SEED=%llu (%s): %s\n", (unsigned long long)seed, random_layout_name(m.layout), why);
            ++failed;
        }
    }
    assert_int_equal(failed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_turn_counter_clockwise),
        cmocka_unit_test(shapes_become_solids_at_their_poses),
        cmocka_unit_test(points_have_the_right_distance_from_a_solid),
        cmocka_unit_test(balls_and_boxes_collide_as_worked_out_by_hand),
        cmocka_unit_test(crossed_edges_part_the_boxes_that_no_face_parts),
        cmocka_unit_test(separation_never_exceeds_distance),
        cmocka_unit_test(contact_patches_have_the_area_of_the_common_part),
        cmocka_unit_test(a_right_manifold_is_accepted),
        cmocka_unit_test(every_planted_fault_is_noticed),
        cmocka_unit_test(a_touch_beyond_the_margin_is_noticed),
        cmocka_unit_test(the_plain_answer_is_accepted),
        cmocka_unit_test(filters_decide_what_collides),
        cmocka_unit_test(a_row_of_balls_touches_neighbour_to_neighbour),
        cmocka_unit_test(random_pairs_reach_every_verdict_and_axis),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
