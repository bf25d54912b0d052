// The generic convex contact: spheres and boxes known only by their support functions, judged by the referee and by the
// kernels made for them.
#include "own_kinds.h"
#include "random_pair.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

// Of the scale of a pair.
#define EXACT 1e-5
#define BARE  2e-4 // of balls without a rounding, deep in others, seldom
#define PLACE 5e-4 // of points: edges that are nearly parallel count as parallel

enum
{
    PAIRS = 100000
};

// A pair, and which of its sides are custom.
typedef struct trial
{
    random_pair pair;
    abut_shape shape[2];
    abut_pose pose[2];
    referee_solid a, b;
    uint64_t seed;
    const char *how;
    bool bare; // a ball given by its support function alone
} trial;

static abut_status collide(const trial *t, float margin, abut_manifold *out)
{
    const uint32_t first = 0, second = 1;
    const abut_pair_list list = { t->shape, t->pose, 2, 1, &first, &second, own_kind, OWN_KINDS };
    return abut_collide_many(&list, margin, out);
}

static abut_pose straight(const abut_shape *shape, abut_pose pose)
{
    if (shape->kind == ABUT_AABB)
    {
        pose.rotation = (abut_quat){ 0.0f, 0.0f, 0.0f, 1.0f };
    }
    return pose;
}

static trial trial_of(uint64_t seed)
{
    random_source random = random_start(seed);
    trial t = { .pair = random_pair_any(&random), .seed = seed };
    const random_pair *m = &t.pair;
    const uint32_t custom = 1 + random_below(&random, 3); // a, b, both
    const bool rounded = random_chance(&random, 0.5);
    t.shape[0] = custom & 1 ? own_twin(&m->a, rounded) : m->a;
    t.shape[1] = custom & 2 ? own_twin(&m->b, rounded) : m->b;
    t.pose[0] = straight(&m->a, m->pose_a);
    t.pose[1] = straight(&m->b, m->pose_b);
    t.a = referee_solid_of(&m->a, &m->pose_a, NULL);
    t.b = referee_solid_of(&m->b, &m->pose_b, NULL);
    t.how = random_layout_name(m->layout);
    t.bare = !rounded && ((custom & 1 && m->a.kind == ABUT_SPHERE) || (custom & 2 && m->b.kind == ABUT_SPHERE));
    return t;
}

static double scale_of(const trial *t)
{
    return t->a.reach + t->b.reach;
}

// Negative: the depth of the overlap. Positive: the distance.
static double true_separation(const trial *t)
{
    const double separation = referee_collide(&t->a, &t->b).separation;
    return separation <= 0.0 ? separation : referee_distance(&t->a, &t->b);
}

static dvec3 widen(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

#define WRONG(t, ...)                                                                                                  \
    do                                                                                                                 \
    {                                                                                                                  \
        print_message("seed %llu, kinds %d and %d, %s: ", (unsigned long long)(t)->seed, (t)->pair.a.kind,             \
                      (t)->pair.b.kind, (t)->how);                                                                     \
        fail_msg(__VA_ARGS__);                                                                                         \
    } while (0)

static void judge_points(const trial *t, const abut_manifold *m, double limit, dvec3 normal)
{
    const double scale = scale_of(t);
    double deepest = HUGE_VAL;
    for (uint32_t k = 0; k < m->point_count; ++k)
    {
        const double gap = (double)m->points[k].separation;
        const dvec3 point = dvec3_add(widen(t->pose[0].position), widen(m->points[k].offset));
        const double off_a = fabs(referee_point_distance(&t->a, dvec3_along(point, -0.5 * gap, normal)));
        const double off_b = fabs(referee_point_distance(&t->b, dvec3_along(point, 0.5 * gap, normal)));
        if (off_a > PLACE * scale || off_b > PLACE * scale)
        {
            WRONG(t, "point %u of %u misses the surfaces by %g and %g of the scale (separation %g, of the whole %g)", k,
                  m->point_count, off_a / scale, off_b / scale, gap, (double)m->separation);
        }
        if (gap > limit + EXACT * scale || gap < (double)m->separation - EXACT * scale)
        {
            WRONG(t, "point %u has separation %g, the whole %g, the limit is %g", k, gap, (double)m->separation, limit);
        }
        for (uint32_t other = 0; other < k; ++other)
        {
            if (m->points[other].feature == m->points[k].feature)
            {
                WRONG(t, "points %u and %u have the feature %x", other, k, m->points[k].feature);
            }
        }
        deepest = fmin(deepest, gap);
    }
    if (deepest > (double)m->separation + PLACE * scale)
    {
        WRONG(t, "the deepest point has %g, the whole %g", deepest, (double)m->separation);
    }
}

// Returns by how much the separation is wrong, of the scale.
static double judge(const trial *t, const abut_manifold *m, double limit)
{
    const double scale = scale_of(t), expected = true_separation(t);
    const double band = (t->bare && expected < 0.0 ? BARE : EXACT) * (scale + limit);
    if (m->point_count == 0)
    {
        if (expected < limit - band)
        {
            WRONG(t, "missed: separation %.9g, margin %g, scale %g", expected, limit, scale);
        }
        return 0.0;
    }
    if (expected > limit + band || fabs((double)m->separation - expected) > band)
    {
        WRONG(t, "separation %.9g, should be %.9g: off by %g of the scale; margin %g", (double)m->separation, expected,
              fabs((double)m->separation - expected) / scale, limit);
    }
    const dvec3 normal = widen(m->normal);
    const double length = dvec3_length(normal);
    const double along = referee_separation_along(&t->a, &t->b, dvec3_scale(normal, 1.0 / length));
    if (fabs(length - 1.0) > 1e-6 || fabs(along - (double)m->separation) > band)
    {
        WRONG(t, "normal of length %.9g: along it the separation is %.9g, not %.9g (off by %g of the scale)", length,
              along, (double)m->separation, fabs(along - (double)m->separation) / scale);
    }
    judge_points(t, m, limit, normal);
    return fabs((double)m->separation - expected) / scale;
}

static void what_support_functions_tell_is_what_the_shapes_do(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(PAIRS);
    uint32_t touching = 0, points = 0, inexact = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const trial t = trial_of(seed);
        abut_manifold m;
        assert_int_equal(collide(&t, t.pair.margin, &m), ABUT_OK);
        inexact += judge(&t, &m, (double)t.pair.margin) > EXACT;
        touching += m.point_count > 0;
        points += m.point_count;
    }
    assert_true(seeds.end - seeds.first < PAIRS || (touching > PAIRS / 3 && points > touching));
    assert_true(inexact <= PAIRS / 2000);
}

// Deep in a ball of which only the supports are known, the normal is off by some hundredths, and so is the place where the
// ball is farthest along it: by half a metre here. The point is on the edge of the small box all the same.
static void points_are_on_what_is_small_and_flat_in_a_large_ball(void **state)
{
    (void)state;
    static const uint64_t seeds[] = { 0x6000000025b, 0x11000000b764 };
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; ++i)
    {
        const trial t = trial_of(seeds[i]);
        abut_manifold m;
        assert_int_equal(collide(&t, t.pair.margin, &m), ABUT_OK);
        judge(&t, &m, (double)t.pair.margin);
    }
}

// Both see the same pair; where the special kernel reports a depth, the generic one does too.
static void the_kernels_made_for_them_give_the_same_depth(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(PAIRS / 5);
    uint32_t overlapping = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const trial t = trial_of(seed);
        abut_manifold m, special;
        bool overlap;
        assert_int_equal(collide(&t, 0.0f, &m), ABUT_OK);
        assert_int_equal(abut_collide(&t.pair.a, &t.pair.pose_a, &t.pair.b, &t.pair.pose_b, 0.0f, &special), ABUT_OK);
        const uint32_t first = 0, second = 1;
        const abut_pair_list list = { t.shape, t.pose, 2, 1, &first, &second, own_kind, OWN_KINDS };
        assert_int_equal(abut_overlap_many(&list, &overlap), ABUT_OK);
        assert_int_equal(overlap, m.point_count > 0);
        const double scale = scale_of(&t), band = (t.bare ? BARE : EXACT) * scale;
        // a face is preferred that is worse by a thousandth of the least half extent, or than edges near a face
        const referee_contact contact = referee_collide(&t.a, &t.b);
        const double yield = 1e-3 * scale + referee_near_face_yield(&t.a, &t.b, &contact);
        if (m.point_count && special.point_count)
        {
            ++overlapping;
            const double more = (double)m.separation - (double)special.separation;
            if (more < -band || more > band + yield)
            {
                WRONG(&t, "separation %.9g, of the special kernel %.9g", (double)m.separation,
                      (double)special.separation);
            }
        }
        else if ((m.point_count && (double)m.separation < -band) ||
                 (special.point_count && (double)special.separation < -(band + yield))) // of that face, too
        {
            WRONG(&t, "%u points, of the special kernel %u", m.point_count, special.point_count);
        }
    }
    assert_true(seeds.end - seeds.first < PAIRS / 5 || overlapping > PAIRS / 20);
}

static void distances_of_own_kinds_are_the_referees(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const trial t = trial_of(seed);
        const uint32_t first = 0, second = 1;
        const abut_pair_list list = { t.shape, t.pose, 2, 1, &first, &second, own_kind, OWN_KINDS };
        abut_closest closest;
        float distance;
        assert_int_equal(abut_closest_points_many(&list, &closest), ABUT_OK);
        assert_int_equal(abut_distance_many(&list, &distance), ABUT_OK);
        const double scale = scale_of(&t), truth = referee_distance(&t.a, &t.b);
        if (closest.distance != distance || fabs((double)distance - truth) > EXACT * scale + 1e-6 * truth)
        {
            WRONG(&t, "distance %.9g, should be %.9g", (double)distance, truth);
        }
        const dvec3 gap = dvec3_sub(widen(closest.on_b), widen(closest.on_a));
        const dvec3 on_a = dvec3_add(widen(t.pose[0].position), widen(closest.on_a));
        if (truth > EXACT * scale && (fabs(dvec3_length(gap) - truth) > EXACT * (scale + truth) ||
                                      fabs(referee_point_distance(&t.a, on_a)) > EXACT * (scale + truth)))
        {
            WRONG(&t, "the nearest points are %.9g apart, should be %.9g", dvec3_length(gap), truth);
        }
    }
}

static abut_pose at(float x, float y, float z)
{
    return (abut_pose){ .position = { x, y, z }, .rotation.w = 1.0f };
}

static abut_manifold meet(abut_shape a, abut_pose pose_a, abut_shape b, abut_pose pose_b, float margin)
{
    const abut_shape shapes[2] = { a, b };
    const abut_pose poses[2] = { pose_a, pose_b };
    const uint32_t first = 0, second = 1;
    const abut_pair_list list = { shapes, poses, 2, 1, &first, &second, own_kind, OWN_KINDS };
    abut_manifold m;
    assert_int_equal(abut_collide_many(&list, margin, &m), ABUT_OK);
    return m;
}

// What has the same centre has no direction between its centres, and what is flat has no inside.
static void coincident_and_flat_shapes_have_an_answer(void **state)
{
    (void)state;
    const float sizes[] = { 0.0f, 1e-4f, 1.0f };
    for (int k = 0; k < 27 * 27; ++k)
    {
        const abut_shape a = own_shape(OWN_CRATE, sizes[k % 3], sizes[k / 3 % 3], sizes[k / 9 % 3]);
        const abut_shape b = own_shape(OWN_CRATE, sizes[k / 27 % 3], sizes[k / 81 % 3], sizes[k / 243 % 3]);
        const abut_manifold m = meet(a, at(1.0f, 2.0f, 3.0f), b, at(1.0f, 2.0f, 3.0f), 0.0f);
        assert_true(m.point_count >= 1 && m.separation <= 0.0f);
        float depth = HUGE_VALF;
        for (int i = 0; i < 3; ++i)
        {
            const int of[3] = { 1, 3, 9 };
            depth = fminf(depth, sizes[k / of[i] % 3] + sizes[k / (27 * of[i]) % 3]);
        }
        assert_true(fabsf(m.separation + depth) <= 1e-6f);
    }
    const abut_shape balls[] = { abut_shape_sphere(1.0f), own_shape(OWN_ROUND, 1.0f, 0, 0),
                                 own_shape(OWN_BALL, 1.0f, 0, 0), own_shape(OWN_BALL, 0.0f, 0, 0) };
    for (int k = 4; k < 16; ++k)
    {
        const abut_manifold m = meet(balls[k / 4], at(0, 0, 0), balls[k % 4], at(0, 0, 0), 0.0f);
        const float depth = (k / 4 == 3 ? 0.0f : 1.0f) + (k % 4 == 3 ? 0.0f : 1.0f);
        assert_true(m.point_count == 1 && fabsf(m.separation + depth) <= 2e-5f);
    }
    // a centre on the segment of a capsule leaves at right angles to it
    const abut_manifold m =
        meet(own_shape(OWN_CAPSULE, 0.5f, 0, 2.0f), at(0, 0, 0), abut_shape_sphere(1.0f), at(0, 0, 0.7f), 0.0f);
    assert_true(m.point_count == 1 && m.separation == -1.5f && m.normal.y == 1.0f);
    // two segments that cross
    const abut_pose turned = { .rotation = { 0.0f, 0.70710678f, 0.0f, 0.70710678f } };
    const abut_manifold cross =
        meet(own_shape(OWN_CAPSULE, 0.5f, 0, 2.0f), at(0, 0, 0), own_shape(OWN_CAPSULE, 0.25f, 0, 2.0f), turned, 0.0f);
    assert_true(fabsf(cross.separation + 0.75f) <= 1e-6f && fabsf(fabsf(cross.normal.y) - 1.0f) <= 1e-6f);
    assert_int_equal(cross.point_count, 1);
}

// A hull of few points about a ball is coarser than the box in its middle.
static void a_small_box_in_the_middle_of_a_large_ball_leaves_by_its_nearest_face(void **state)
{
    (void)state;
    const double radius = 12.0;
    for (uint64_t seed = 1; seed <= 200; ++seed)
    {
        random_source random = random_start(seed);
        const dquat turn = random_rotation(&random);
        float half[3];
        double least = HUGE_VAL;
        for (int k = 0; k < 3; ++k)
        {
            half[k] = (float)random_between(&random, 0.1, 0.13);
            least = fmin(least, (double)half[k]);
        }
        const abut_pose pose = { .rotation = random_narrow_rotation(turn) };
        const abut_manifold m = meet(own_shape(OWN_BALL, (float)radius, 0, 0), at(0, 0, 0),
                                     abut_shape_obb(half[0], half[1], half[2]), pose, 0.0f);
        assert_true(m.point_count > 0 && fabs((double)m.separation + radius + least) <= 1e-6 * radius);
    }
}

static void what_lies_flat_has_several_points(void **state)
{
    (void)state;
    const abut_shape crate = own_shape(OWN_CRATE, 0.5f, 0.5f, 0.5f), capsule = own_shape(OWN_CAPSULE, 0.5f, 0, 2.0f);
    const abut_shape floor = abut_shape_aabb(50.0f, 1.0f, 50.0f), bare = own_shape(OWN_BARE, 0.5f, 0, 2.0f);
    assert_int_equal(meet(floor, at(0, 0, 0), crate, at(3, 1.499f, 4), 0.0f).point_count, 4);
    assert_int_equal(meet(crate, at(3, 1.499f, 4), crate, at(3.2f, 2.498f, 4.3f), 0.0f).point_count, 4);
    assert_int_equal(meet(floor, at(0, 0, 0), capsule, at(3, 1.499f, 4), 0.0f).point_count, 2);
    assert_true(meet(floor, at(0, 0, 0), bare, at(3, 1.499f, 4), 0.0f).point_count >= 2);
    assert_int_equal(meet(capsule, at(0, 0, 0), capsule, at(0.0f, 0.999f, 1.0f), 0.0f).point_count, 2);
    assert_int_equal(meet(capsule, at(0, 0, 0), crate, at(0.0f, 0.999f, 1.0f), 0.0f).point_count, 2);
    assert_int_equal(meet(floor, at(0, 0, 0), own_shape(OWN_BALL, 1.0f, 0, 0), at(3, 1.999f, 4), 0.0f).point_count, 1);
    // within the margin, and not touching
    const abut_manifold near = meet(floor, at(0, 0, 0), crate, at(3, 1.6f, 4), 0.2f);
    assert_true(near.point_count == 4 && fabsf(near.separation - 0.1f) < 1e-6f);
    assert_int_equal(meet(floor, at(0, 0, 0), crate, at(3, 1.6f, 4), 0.05f).point_count, 0);
}

static void features_stay_while_shapes_hardly_move(void **state)
{
    (void)state;
    const abut_shape crate = own_shape(OWN_CRATE, 0.5f, 0.25f, 0.5f), floor = own_shape(OWN_CRATE, 5.0f, 1.0f, 5.0f);
    random_source random = random_start(11);
    const abut_quat turn = { 0.0f, 0.3826834f, 0.0f, 0.9238795f };
    abut_manifold first = { 0 };
    for (uint32_t step = 0; step < 500; ++step)
    {
        abut_pose pose = { { 1.0f, 1.2499f, 2.0f }, 0.0f, turn };
        pose.position.x += (float)random_between(&random, -1e-6, 1e-6);
        pose.position.y += (float)random_between(&random, -1e-6, 1e-6);
        pose.rotation.x += (float)random_between(&random, -1e-6, 1e-6);
        pose.rotation.z += (float)random_between(&random, -1e-6, 1e-6);
        const abut_manifold m = meet(floor, at(0, 0, 0), crate, pose, 0.0f);
        first = step == 0 ? m : first;
        assert_int_equal(m.point_count, 4);
        for (uint32_t k = 0; k < 4; ++k)
        {
            assert_int_equal(m.points[k].feature, first.points[k].feature);
        }
    }
}

static void turning_a_pair_round_turns_its_manifold_round(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5000; ++seed)
    {
        const trial t = trial_of(seed);
        trial back = t;
        abut_manifold m, other;
        back.shape[0] = t.shape[1], back.shape[1] = t.shape[0];
        back.pose[0] = t.pose[1], back.pose[1] = t.pose[0];
        assert_int_equal(collide(&t, t.pair.margin, &m), ABUT_OK);
        assert_int_equal(collide(&back, t.pair.margin, &other), ABUT_OK);
        const double band = 2.0 * (t.bare ? BARE : EXACT) * scale_of(&t); // either may be off by so much
        if (m.point_count && other.point_count && fabs((double)m.separation - (double)other.separation) > band)
        {
            WRONG(&t, "separation %.9g one way, %.9g the other", (double)m.separation, (double)other.separation);
        }
        const double least = (double)(m.point_count ? m.separation : other.separation);
        if ((m.point_count == 0) != (other.point_count == 0) && least < (double)t.pair.margin - band)
        {
            WRONG(&t, "touches one way only");
        }
    }
}

// Answers of no meaning: everything ends, and every number that comes out is finite.
static void wild_support(void *context, const void *data, const double direction[3], double out[3])
{
    random_source *random = context;
    const double wild[] = { NAN, HUGE_VAL, -HUGE_VAL, 1e300, -1e300, 0.0, 1.0, -1.0 };
    (void)data, (void)direction;
    for (int k = 0; k < 3; ++k)
    {
        out[k] = random_chance(random, 0.5) ? random_between(random, -1.0, 1.0) : wild[random_below(random, 8)];
    }
}

static uint32_t asked;

static void late_support(void *context, const void *data, const double direction[3], double out[3])
{
    if (++asked % 4096 < 200) // what looks the shapes over gets an answer
    {
        own_crate_support(NULL, data, direction, out);
        return;
    }
    wild_support(context, data, direction, out);
}

static void wild_answers_are_survived(void **state)
{
    (void)state;
    random_source random = random_start(5);
    const abut_kind_def kind = { .context = &random, .bounds = own_bounds, .support = late_support };
    const float size[3] = { 1.0f, 1.0f, 1.0f };
    const abut_shape shapes[3] = { abut_shape_custom(ABUT_FIRST_KIND, size, sizeof size),
                                   abut_shape_custom(ABUT_FIRST_KIND, size, sizeof size), abut_shape_obb(1, 1, 1) };
    enum
    {
        LISTED = 2000
    };
    static uint32_t a[LISTED], b[LISTED];
    static abut_manifold out[LISTED];
    for (uint32_t k = 0; k < LISTED; ++k)
    {
        a[k] = k % 2;
        b[k] = 1 + k % 2;
    }
    const abut_pose poses[3] = { at(0, 0, 0), at(0.5f, 0.5f, 0.5f), at(1, 0, 0) };
    const abut_pair_list list = { shapes, poses, 3, LISTED, a, b, &kind, 1 };
    for (uint32_t round = 0; round < 10; ++round)
    {
        asked = 0;
        assert_int_equal(abut_collide_many(&list, 0.5f, out), ABUT_OK);
        for (uint32_t k = 0; k < LISTED; ++k)
        {
            assert_true(isfinite(out[k].separation) && isfinite(out[k].normal.x) && out[k].point_count <= 4);
            assert_true(isfinite(out[k].normal.y) && isfinite(out[k].normal.z));
            for (uint32_t i = 0; i < out[k].point_count; ++i)
            {
                const abut_vec3 p = out[k].points[i].offset;
                assert_true(isfinite(p.x) && isfinite(p.y) && isfinite(p.z) && isfinite(out[k].points[i].separation));
            }
        }
    }
}

static void lists_without_their_kinds_fail(void **state)
{
    (void)state;
    const uint32_t first = 0, second = 1;
    const abut_pose poses[2] = { at(0, 0, 0), at(1, 0, 0) };
    abut_shape shapes[2] = { abut_shape_sphere(1), own_shape(OWN_CRATE, 1, 1, 1) };
    abut_kind_def broken = own_kind[OWN_CRATE];
    abut_manifold m;
    bool overlapping;
    abut_pair_list list = { shapes, poses, 2, 1, &first, &second, own_kind, OWN_KINDS };
    assert_int_equal(abut_collide_many(&list, 0.0f, &m), ABUT_OK);
    list.kind_count = 0;
    assert_int_equal(abut_collide_many(&list, 0.0f, &m), ABUT_INVALID_ARGUMENT);
    list.kinds = NULL;
    assert_int_equal(abut_overlap_many(&list, &overlapping), ABUT_INVALID_ARGUMENT);
    list.kind_count = 1;
    assert_int_equal(abut_overlap_many(&list, &overlapping), ABUT_INVALID_ARGUMENT);
    broken.support = NULL;
    list.kinds = &broken;
    assert_int_equal(abut_overlap_many(&list, &overlapping), ABUT_INVALID_ARGUMENT);
    list.kinds = own_kind;
    list.kind_count = ABUT_MAX_KINDS + 1;
    assert_int_equal(abut_overlap_many(&list, &overlapping), ABUT_INVALID_ARGUMENT);
    list.kind_count = OWN_KINDS;
    shapes[1].custom.size = ABUT_CUSTOM_BYTES + 1;
    assert_int_equal(abut_overlap_many(&list, &overlapping), ABUT_INVALID_ARGUMENT);
    shapes[1] = own_shape(OWN_CRATE, 1, 1, 1);
    assert_int_equal(abut_overlap(&shapes[0], &poses[0], &shapes[1], &poses[1], &overlapping), ABUT_INVALID_ARGUMENT);
    assert_false(abut_shape_valid(&shapes[1]));
    assert_true(abut_shape_bounding_radius(&shapes[1]) == 0.0f);
    assert_string_equal(abut_shape_kind_name(ABUT_CUSTOM), "custom");
    assert_true(sizeof(abut_shape) <= 64);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_support_functions_tell_is_what_the_shapes_do),
        cmocka_unit_test(points_are_on_what_is_small_and_flat_in_a_large_ball),
        cmocka_unit_test(the_kernels_made_for_them_give_the_same_depth),
        cmocka_unit_test(distances_of_own_kinds_are_the_referees),
        cmocka_unit_test(coincident_and_flat_shapes_have_an_answer),
        cmocka_unit_test(a_small_box_in_the_middle_of_a_large_ball_leaves_by_its_nearest_face),
        cmocka_unit_test(what_lies_flat_has_several_points),
        cmocka_unit_test(features_stay_while_shapes_hardly_move),
        cmocka_unit_test(turning_a_pair_round_turns_its_manifold_round),
        cmocka_unit_test(wild_answers_are_survived),
        cmocka_unit_test(lists_without_their_kinds_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
