// Laws of abut_collide and abut_overlap: judged by the referee on every kind of meeting, and held to what must not change
// when a scene is turned, moved, scaled, mirrored or named differently.
#include "random_meeting.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

// Counts what went wrong in a test and shows the first few, each with the seed that brings it back.
typedef struct failures
{
    uint32_t count;
} failures;

static void blame(failures *f, uint64_t seed, const random_meeting *m, const char *format, ...)
{
    if (f->count++ < 8)
    {
        char text[2 * REFEREE_WHY];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        print_error("ABUT_SEED=%llu %s-%s (%s): %s\n", (unsigned long long)seed, abut_shape_kind_name(m->a.kind),
                    abut_shape_kind_name(m->b.kind), random_layout_name(m->layout), text);
    }
}

static void none(const failures *f)
{
    if (f->count)
    {
        fail_msg("%u cases went wrong", f->count);
    }
}

static abut_manifold collide(const random_meeting *m)
{
    abut_manifold out;
    memset(&out, 0xa5, sizeof out);
    assert_int_equal(abut_collide(&m->a, &m->pose_a, &m->b, &m->pose_b, m->margin, &out), ABUT_OK);
    return out;
}

static bool overlap(const random_meeting *m)
{
    bool answer;
    assert_int_equal(abut_overlap(&m->a, &m->pose_a, &m->b, &m->pose_b, &answer), ABUT_OK);
    return answer;
}

// Every kind with every kind, every layout.
static random_meeting meeting_of(uint64_t seed, random_source *random)
{
    const uint64_t kinds = ABUT_SHAPE_KIND_COUNT - 1;
    *random = random_start(seed);
    uint64_t rest = seed;
    abut_shape_kind a = (abut_shape_kind)(1 + rest % kinds);
    rest /= kinds;
    abut_shape_kind b = (abut_shape_kind)(1 + rest % kinds);
    rest /= kinds;
    return random_meeting_of(random, a, b, (random_layout)(rest % RANDOM_LAYOUT_COUNT));
}

static referee_verdict verdict_of(const random_meeting *m, double margin)
{
    referee_solid a = referee_solid_of(&m->a, &m->pose_a, NULL);
    referee_solid b = referee_solid_of(&m->b, &m->pose_b, NULL);
    return referee_decide(&a, &b, margin);
}

static bool agrees(referee_verdict verdict, bool touching)
{
    return verdict == REFEREE_UNDECIDED || (verdict == REFEREE_TOUCHING) == touching;
}

static double scale_of(const random_meeting *m)
{
    referee_solid a = referee_solid_of(&m->a, &m->pose_a, NULL);
    referee_solid b = referee_solid_of(&m->b, &m->pose_b, NULL);
    return a.reach + b.reach + (double)m->margin;
}

// By how much two answers to the same question may differ in separation.
static double freedom_of(const random_meeting *m)
{
    bool boxes = m->a.kind != ABUT_SPHERE && m->b.kind != ABUT_SPHERE;
    return (boxes ? REFEREE_PREFERENCE + REFEREE_EXACT : REFEREE_EXACT) * scale_of(m);
}

static bool same_bits(const abut_manifold *a, const abut_manifold *b)
{
    return memcmp(&a->normal, &b->normal, sizeof a->normal) == 0 &&
           memcmp(&a->separation, &b->separation, sizeof a->separation) == 0 && a->point_count == b->point_count &&
           memcmp(a->points, b->points, a->point_count * sizeof *a->points) == 0;
}

static referee_range range_of(const random_meeting *m)
{
    referee_solid a = referee_solid_of(&m->a, &m->pose_a, NULL);
    referee_solid b = referee_solid_of(&m->b, &m->pose_b, NULL);
    referee_meeting meeting = referee_meet(&a, &b);
    return referee_blur(&a, &b, &meeting);
}

// Two answers, to two meetings that differ by rounding only.
static void compare(failures *f, uint64_t seed, const char *what, const random_meeting *m, const abut_manifold *answer,
                    const random_meeting *other, const abut_manifold *other_answer)
{
    if ((answer->point_count > 0) != (other_answer->point_count > 0))
    {
        if (verdict_of(m, (double)m->margin) != REFEREE_UNDECIDED &&
            verdict_of(other, (double)other->margin) != REFEREE_UNDECIDED)
        {
            blame(f, seed, m, "%s changes the decision", what);
        }
        return;
    }
    double change = fabs((double)answer->separation - (double)other_answer->separation);
    if (change > freedom_of(m))
    {
        referee_range one = range_of(m), two = range_of(other);
        if (change > freedom_of(m) + fmax(one.high, two.high) - fmin(one.low, two.low))
        {
            blame(f, seed, m, "%s changes the separation from %.9g to %.9g", what, (double)answer->separation,
                  (double)other_answer->separation);
        }
    }
}

static void every_manifold_is_right(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(240000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        abut_manifold out = collide(&m);
        char why[REFEREE_WHY];
        if (!referee_check_manifold(&m.a, &m.pose_a, &m.b, &m.pose_b, m.margin, &out, why))
        {
            blame(&f, seed, &m, "%s", why);
        }
    }
    none(&f);
}

static void overlap_is_a_manifold_without_margin(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(100000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        m.margin = 0.0f;
        bool overlapping = overlap(&m);
        if (overlapping != (collide(&m).point_count > 0))
        {
            blame(&f, seed, &m, "overlap says %d, the manifold otherwise", overlapping);
        }
    }
    none(&f);
}

static void swapping_mirrors_the_manifold(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        random_meeting swapped = m;
        swapped.a = m.b, swapped.b = m.a;
        swapped.pose_a = m.pose_b, swapped.pose_b = m.pose_a;
        abut_manifold one = collide(&m), other = collide(&swapped);
        compare(&f, seed, "swapping", &m, &one, &swapped, &other);
        if (m.a.kind == ABUT_SPHERE && m.b.kind == ABUT_SPHERE && one.point_count && one.normal.y != 1.0f)
        {
            abut_vec3 sum = abut_vec3_add(one.normal, other.normal);
            if (fabsf(sum.x) + fabsf(sum.y) + fabsf(sum.z) > 1e-6f)
            {
                blame(&f, seed, &m, "swapping does not turn the normal round");
            }
        }
    }
    none(&f);
}

static abut_quat opposite(abut_quat q)
{
    return (abut_quat){ -q.x, -q.y, -q.z, -q.w };
}

static void a_rotation_and_its_negative_give_the_same_bits(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        random_meeting negated = m;
        negated.pose_a.rotation = opposite(m.pose_a.rotation);
        negated.pose_b.rotation = random_chance(&random, 0.5) ? opposite(m.pose_b.rotation) : m.pose_b.rotation;
        abut_manifold one = collide(&m), other = collide(&negated);
        if (!same_bits(&one, &other))
        {
            blame(&f, seed, &m, "-q is not q");
        }
    }
    none(&f);
}

static void the_unused_word_of_a_pose_is_not_read(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(2000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        random_meeting other = m;
        other.pose_a.unused = NAN;
        other.pose_b.unused = INFINITY;
        abut_manifold one = collide(&m), two = collide(&other);
        if (!same_bits(&one, &two))
        {
            blame(&f, seed, &m, "the unused word changes bits");
        }
    }
    none(&f);
}

static float on_grid(double value)
{
    return (float)(floor(value * 1024.0) / 1024.0);
}

// On a grid where sums are exact only the difference of positions may count: bits stay.
static void moving_the_scene_changes_no_bit(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        double size = fmin(64.0, scale_of(&m));
        dvec3 apart = random_in_box(&random, 0.7 * size);
        m.pose_a.position = abut_vec3_make(0, 0, 0);
        m.pose_b.position = abut_vec3_make(on_grid(apart.x), on_grid(apart.y), on_grid(apart.z));
        random_meeting moved = m;
        dvec3 by = random_in_box(&random, 4000.0);
        abut_vec3 step = abut_vec3_make((float)floor(by.x), (float)floor(by.y), (float)floor(by.z));
        moved.pose_a.position = abut_vec3_add(m.pose_a.position, step);
        moved.pose_b.position = abut_vec3_add(m.pose_b.position, step);
        abut_manifold one = collide(&m), other = collide(&moved);
        if (!same_bits(&one, &other))
        {
            blame(&f, seed, &m, "moving both changes bits");
        }
    }
    none(&f);
}

static abut_shape scaled_shape(abut_shape shape, float by)
{
    if (shape.kind == ABUT_SPHERE)
    {
        shape.sphere.radius *= by;
        return shape;
    }
    shape.box.half_extents = abut_vec3_scale(shape.box.half_extents, by);
    return shape;
}

// Powers of two scale floats exactly, so every length scales exactly and every direction keeps its bits.
static void scaling_by_powers_of_two_scales_the_bits(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        float by = ldexpf(1.0f, (int)random_below(&random, 17) - 12);
        random_meeting scaled = m;
        scaled.a = scaled_shape(m.a, by);
        scaled.b = scaled_shape(m.b, by);
        scaled.pose_a.position = abut_vec3_scale(m.pose_a.position, by);
        scaled.pose_b.position = abut_vec3_scale(m.pose_b.position, by);
        scaled.margin = m.margin * by;
        abut_manifold one = collide(&m), other = collide(&scaled);
        one.separation *= by;
        for (uint32_t k = 0; k < one.point_count; ++k)
        {
            one.points[k].offset = abut_vec3_scale(one.points[k].offset, by);
            one.points[k].separation *= by;
        }
        if (!same_bits(&one, &other))
        {
            blame(&f, seed, &m, "scaling by %g does not scale the answer: %.9g and %.9g", (double)by,
                  (double)one.separation, (double)other.separation);
        }
    }
    none(&f);
}

static abut_vec3 turned(dquat q, abut_vec3 v)
{
    return random_narrow(dquat_rotate(q, dvec3_make((double)v.x, (double)v.y, (double)v.z)));
}

static abut_quat turned_rotation(dquat q, abut_quat r)
{
    return random_narrow_rotation(dquat_mul(q, (dquat){ (double)r.w, (double)r.x, (double)r.y, (double)r.z }));
}

static abut_vec3 magnitudes(abut_vec3 v)
{
    return abut_vec3_make(fabsf(v.x), fabsf(v.y), fabsf(v.z));
}

static void centre_on_origin(random_meeting *m)
{
    m->pose_b.position = abut_vec3_sub(m->pose_b.position, m->pose_a.position);
    m->pose_a.position = abut_vec3_make(0, 0, 0);
}

static void turning_the_scene_by_quarters_changes_nothing(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        centre_on_origin(&m);
        dquat quarter = random_cube_rotation((uint32_t)seed % 24);
        random_meeting other = m;
        other.pose_b.position = turned(quarter, m.pose_b.position);
        other.pose_a.rotation = turned_rotation(quarter, m.pose_a.rotation);
        other.pose_b.rotation = turned_rotation(quarter, m.pose_b.rotation);
        if (m.a.kind == ABUT_AABB)
        {
            other.a.box.half_extents = magnitudes(turned(quarter, m.a.box.half_extents));
        }
        if (m.b.kind == ABUT_AABB)
        {
            other.b.box.half_extents = magnitudes(turned(quarter, m.b.box.half_extents));
        }
        abut_manifold one = collide(&m), two = collide(&other);
        compare(&f, seed, "a quarter turn of the scene", &m, &one, &other, &two);
    }
    none(&f);
}

// The same box, its axes named otherwise.
static void naming_a_box_by_its_symmetries_changes_nothing(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        random_layout layout = (random_layout)(seed % RANDOM_LAYOUT_COUNT);
        abut_shape_kind kind = (abut_shape_kind)(1 + random_below(&random, 3));
        random_meeting m = random_meeting_of(&random, kind, ABUT_OBB, layout);
        dquat quarter = random_cube_rotation(random_below(&random, 24));
        abut_quat r = m.pose_b.rotation;
        random_meeting other = m;
        other.pose_b.rotation =
            random_narrow_rotation(dquat_mul((dquat){ (double)r.w, (double)r.x, (double)r.y, (double)r.z }, quarter));
        other.b.box.half_extents = magnitudes(turned(dquat_conjugate(quarter), m.b.box.half_extents));
        abut_manifold one = collide(&m), two = collide(&other);
        compare(&f, seed, "naming b's axes otherwise", &m, &one, &other, &two);
    }
    none(&f);
}

static void turning_the_scene_changes_no_decision(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_shape_kind a = random_chance(&random, 0.2) ? ABUT_SPHERE : ABUT_OBB;
        abut_shape_kind b = random_chance(&random, 0.2) ? ABUT_SPHERE : ABUT_OBB;
        random_meeting m = random_meeting_of(&random, a, b, (random_layout)(seed % RANDOM_LAYOUT_COUNT));
        centre_on_origin(&m);
        dquat turn = random_rotation(&random);
        random_meeting other = m;
        other.pose_b.position = turned(turn, m.pose_b.position);
        other.pose_a.rotation = turned_rotation(turn, m.pose_a.rotation);
        other.pose_b.rotation = turned_rotation(turn, m.pose_b.rotation);
        abut_manifold one = collide(&m), two = collide(&other);
        compare(&f, seed, "turning the scene", &m, &one, &other, &two);
    }
    none(&f);
}

static random_meeting moved_apart(const random_meeting *m, const abut_manifold *hit, double by)
{
    random_meeting moved = *m;
    const abut_vec3 *p = &m->pose_b.position, *n = &hit->normal;
    moved.margin = 0.0f;
    moved.pose_b.position =
        abut_vec3_make((float)((double)p->x + by * (double)n->x), (float)((double)p->y + by * (double)n->y),
                       (float)((double)p->z + by * (double)n->z));
    return moved;
}

static void moving_by_the_depth_just_parts(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(40000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        centre_on_origin(&m);
        abut_manifold hit = collide(&m);
        if (hit.point_count && hit.separation < 0.0f)
        {
            double depth = -(double)hit.separation;
            double blur = REFEREE_EXACT * scale_of(&m);
            random_meeting parted = moved_apart(&m, &hit, depth + blur);
            random_meeting within = moved_apart(&m, &hit, depth - freedom_of(&m) - blur);
            if (overlap(&parted))
            {
                blame(&f, seed, &m, "they overlap after moving by the depth %.9g", depth);
            }
            if (depth > freedom_of(&m) + blur && !overlap(&within))
            {
                blame(&f, seed, &m, "they part before moving by the depth %.9g", depth);
            }
        }
    }
    none(&f);
}

// A margin widens the shapes: what is found with less is found with more, with the same separation.
static void a_wider_margin_loses_nothing(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        abut_manifold narrow = collide(&m);
        random_meeting wide = m;
        wide.margin = (float)(2.0 * (double)m.margin + random_between(&random, 0.0, 0.3) * scale_of(&m));
        abut_manifold broad = collide(&wide);
        if (narrow.point_count &&
            (!broad.point_count || memcmp(&broad.separation, &narrow.separation, sizeof(float)) != 0))
        {
            blame(&f, seed, &m, "a wider margin: %.9g becomes %.9g", (double)narrow.separation,
                  (double)broad.separation);
        }
        if (!agrees(verdict_of(&wide, (double)wide.margin), broad.point_count > 0))
        {
            blame(&f, seed, &wide, "wrong decision at margin %.9g", (double)wide.margin);
        }
    }
    none(&f);
}

static void rotations_of_any_length_are_normalised(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(10000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        float by = (float)random_scale(&random, 1e-30, 1e30);
        random_meeting other = m;
        abut_quat q = m.pose_b.rotation;
        other.pose_b.rotation = (abut_quat){ q.x * by, q.y * by, q.z * by, q.w * by };
        abut_manifold two = collide(&other);
        char why[REFEREE_WHY];
        if (!referee_check_manifold(&other.a, &other.pose_a, &other.b, &other.pose_b, other.margin, &two, why))
        {
            blame(&f, seed, &m, "b's rotation times %g: %s", (double)by, why);
        }
    }
    none(&f);
}

// Whatever is accepted is answered with numbers.
static void the_ends_of_the_range_give_finite_answers(void **state)
{
    (void)state;
    failures f = { 0 };
    random_seeds seeds = random_seeds_of(40000);
    static const float sizes[] = {
        0.0f, 1e-45f, 1e-38f, 1e-30f, 1e-20f, 1e-15f, 1e-6f, 1.0f, 1e6f, ABUT_MAX_MAGNITUDE
    };
    const uint32_t count = sizeof sizes / sizeof *sizes;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random;
        random_meeting m = meeting_of(seed, &random);
        float *numbers[] = { &m.a.box.half_extents.x, &m.a.box.half_extents.y, &m.a.box.half_extents.z,
                             &m.b.box.half_extents.x, &m.b.box.half_extents.y, &m.b.box.half_extents.z,
                             &m.pose_a.position.x,    &m.pose_a.position.y,    &m.pose_a.position.z,
                             &m.pose_b.position.x,    &m.pose_b.position.y,    &m.pose_b.position.z };
        for (uint32_t k = 0; k < 12; ++k)
        {
            float size = sizes[random_below(&random, count)];
            *numbers[k] = k >= 6 && random_chance(&random, 0.5) ? -size : size;
        }
        m.margin = sizes[random_below(&random, count)];
        abut_manifold out = collide(&m);
        bool finite = isfinite(out.separation);
        for (uint32_t k = 0; k < out.point_count && k < 4; ++k)
        {
            const abut_point *p = &out.points[k];
            finite = finite && isfinite(p->offset.x) && isfinite(p->offset.y) && isfinite(p->offset.z) &&
                     isfinite(p->separation);
        }
        double length = dvec3_length(dvec3_make((double)out.normal.x, (double)out.normal.y, (double)out.normal.z));
        bool unit = out.point_count ? fabs(length - 1.0) <= 1e-6 : length == 0.0;
        if (!finite || !unit || out.point_count > 4)
        {
            blame(&f, seed, &m, "%u points, separation %g, normal of length %g", out.point_count,
                  (double)out.separation, length);
        }
    }
    none(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_manifold_is_right),
        cmocka_unit_test(overlap_is_a_manifold_without_margin),
        cmocka_unit_test(swapping_mirrors_the_manifold),
        cmocka_unit_test(a_rotation_and_its_negative_give_the_same_bits),
        cmocka_unit_test(the_unused_word_of_a_pose_is_not_read),
        cmocka_unit_test(moving_the_scene_changes_no_bit),
        cmocka_unit_test(scaling_by_powers_of_two_scales_the_bits),
        cmocka_unit_test(turning_the_scene_by_quarters_changes_nothing),
        cmocka_unit_test(naming_a_box_by_its_symmetries_changes_nothing),
        cmocka_unit_test(turning_the_scene_changes_no_decision),
        cmocka_unit_test(moving_by_the_depth_just_parts),
        cmocka_unit_test(a_wider_margin_loses_nothing),
        cmocka_unit_test(rotations_of_any_length_are_normalised),
        cmocka_unit_test(the_ends_of_the_range_give_finite_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
