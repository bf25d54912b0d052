// Laws of abut_collide: what must not change when a scene is turned, moved, scaled, or its boxes named differently.
#include "random_judged.h"

static abut_quat opposite(abut_quat q)
{
    return (abut_quat){ -q.x, -q.y, -q.z, -q.w };
}

static void a_rotation_and_its_negative_give_the_same_bits(failures *f, uint64_t seed, random_source *random,
                                                           random_pair m)
{
    random_pair negated = m;
    negated.pose_a.rotation = opposite(m.pose_a.rotation);
    negated.pose_b.rotation = random_chance(random, 0.5) ? opposite(m.pose_b.rotation) : m.pose_b.rotation;
    abut_manifold one = collide(&m), other = collide(&negated);
    if (!same_bits(&one, &other))
    {
        blame(f, seed, &m, "-q is not q");
    }
}

static void the_unused_word_of_a_pose_is_not_read(failures *f, uint64_t seed, random_source *random, random_pair m)
{
    (void)random;
    random_pair other = m;
    other.pose_a.unused = NAN;
    other.pose_b.unused = INFINITY;
    abut_manifold one = collide(&m), two = collide(&other);
    if (!same_bits(&one, &two))
    {
        blame(f, seed, &m, "the unused word changes bits");
    }
}

static float on_grid(double value)
{
    return (float)(floor(value * 1024.0) / 1024.0);
}

// On a grid where sums are exact only the difference of positions may count: bits stay.
static void moving_the_scene_changes_no_bit(failures *f, uint64_t seed, random_source *random, random_pair m)
{
    double size = fmin(64.0, scale_of(&m));
    dvec3 apart = random_in_box(random, 0.7 * size);
    m.pose_a.position = abut_vec3_make(0, 0, 0);
    m.pose_b.position = abut_vec3_make(on_grid(apart.x), on_grid(apart.y), on_grid(apart.z));
    random_pair moved = m;
    dvec3 by = random_in_box(random, 4000.0);
    abut_vec3 step = abut_vec3_make((float)floor(by.x), (float)floor(by.y), (float)floor(by.z));
    moved.pose_a.position = abut_vec3_add(m.pose_a.position, step);
    moved.pose_b.position = abut_vec3_add(m.pose_b.position, step);
    abut_manifold one = collide(&m), other = collide(&moved);
    if (!same_bits(&one, &other))
    {
        blame(f, seed, &m, "moving both changes bits");
    }
}

static abut_shape scaled_shape(abut_shape shape, float by)
{
    if (shape.kind == ABUT_SPHERE)
    {
        shape.sphere.radius *= by;
        return shape;
    }
    if (shape.kind == ABUT_CAPSULE)
    {
        return abut_shape_capsule(shape.capsule.radius * by, shape.capsule.half_height * by);
    }
    shape.box.half_extents = abut_vec3_scale(shape.box.half_extents, by);
    return shape;
}

// Powers of two scale floats exactly, so every length scales exactly and every direction keeps its bits.
static void scaling_by_powers_of_two_scales_the_bits(failures *f, uint64_t seed, random_source *random, random_pair m)
{
    float by = ldexpf(1.0f, (int)random_below(random, 17) - 12);
    random_pair scaled = m;
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
        blame(f, seed, &m, "scaling by %g does not scale the answer: %.9g and %.9g", (double)by, (double)one.separation,
              (double)other.separation);
    }
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

static void turning_the_scene_by_quarters_changes_nothing(failures *f, uint64_t seed, random_source *random,
                                                          random_pair m)
{
    (void)random;
    centre_on_origin(&m);
    dquat quarter = random_cube_rotation((uint32_t)seed % 24);
    random_pair other = m;
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
    compare(f, seed, "a quarter turn of the scene", &m, &one, &other, &two);
}

// The same box, its axes named otherwise.
static void naming_a_box_by_its_symmetries_changes_nothing(failures *f, uint64_t seed, random_source *random,
                                                           random_pair m)
{
    *random = random_start(seed);
    random_layout layout = (random_layout)(seed % RANDOM_LAYOUT_COUNT);
    abut_shape_kind kind = (abut_shape_kind)(1 + random_below(random, 3));
    m = random_pair_of(random, kind, ABUT_OBB, layout);
    dquat quarter = random_cube_rotation(random_below(random, 24));
    abut_quat r = m.pose_b.rotation;
    random_pair other = m;
    other.pose_b.rotation =
        random_narrow_rotation(dquat_mul((dquat){ (double)r.w, (double)r.x, (double)r.y, (double)r.z }, quarter));
    other.b.box.half_extents = magnitudes(turned(dquat_conjugate(quarter), m.b.box.half_extents));
    abut_manifold one = collide(&m), two = collide(&other);
    compare(f, seed, "naming b's axes otherwise", &m, &one, &other, &two);
}

static void turning_the_scene_changes_no_decision(failures *f, uint64_t seed, random_source *random, random_pair m)
{
    *random = random_start(seed);
    abut_shape_kind a = random_chance(random, 0.2) ? ABUT_SPHERE : ABUT_OBB;
    abut_shape_kind b = random_chance(random, 0.2) ? ABUT_SPHERE : ABUT_OBB;
    m = random_pair_of(random, a, b, (random_layout)(seed % RANDOM_LAYOUT_COUNT));
    centre_on_origin(&m);
    dquat turn = random_rotation(random);
    random_pair other = m;
    other.pose_b.position = turned(turn, m.pose_b.position);
    other.pose_a.rotation = turned_rotation(turn, m.pose_a.rotation);
    other.pose_b.rotation = turned_rotation(turn, m.pose_b.rotation);
    abut_manifold one = collide(&m), two = collide(&other);
    compare(f, seed, "turning the scene", &m, &one, &other, &two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RANDOM_LAW(a_rotation_and_its_negative_give_the_same_bits, 20000),
        RANDOM_LAW(the_unused_word_of_a_pose_is_not_read, 2000),
        RANDOM_LAW(moving_the_scene_changes_no_bit, 20000),
        RANDOM_LAW(scaling_by_powers_of_two_scales_the_bits, 20000),
        RANDOM_LAW(turning_the_scene_by_quarters_changes_nothing, 20000),
        RANDOM_LAW(naming_a_box_by_its_symmetries_changes_nothing, 20000),
        RANDOM_LAW(turning_the_scene_changes_no_decision, 20000),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
