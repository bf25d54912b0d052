// Cylinders and cones: contacts, distances, rays and questions, judged in double by support functions and distances
// written anew, and by a search of directions.
#include "plain_cylinder.h"

#include <abut/abut.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define EXACT 1e-5 // of the scale of a pair
#define PLACE 5e-4 // of points: as of other kinds without kernels of their own

enum
{
    PAIRS = 1500,
    DEEP = 6000, // pairs
    RAYS = 40000,
    POINTS = 40000
};

// Of any proportions: rods, coins, needles, cones, discs.
static abut_shape random_cylinder(random_source *random, double size)
{
    const uint32_t sort = random_below(random, 8);
    const double wide = size * (sort == 0 ? random_scale(random, 1e-3, 0.1) : random_between(random, 0.2, 1.0));
    const double high = size * (sort == 1 ? random_scale(random, 1e-3, 0.1) : random_between(random, 0.2, 1.0));
    const double other = sort == 2 ? wide * random_unit(random) : wide;
    if (sort == 3)
    {
        return abut_shape_cone((float)wide, (float)high);
    }
    return sort == 4 ? abut_shape_tapered_cylinder((float)(0.5 * other), (float)wide, (float)high)
                     : abut_shape_tapered_cylinder((float)wide, (float)other, (float)high);
}

static abut_shape random_other(random_source *random, double size)
{
    static const abut_shape_kind kind[3] = { ABUT_SPHERE, ABUT_OBB, ABUT_CAPSULE };
    const uint32_t sort = random_below(random, 4);
    return sort < 3 ? random_shape(random, kind[sort], size) : random_cylinder(random, size);
}

static abut_pose any_pose(random_source *random, double spread)
{
    const dquat turn =
        random_chance(random, 0.3) ? random_cube_rotation(random_below(random, 24)) : random_rotation(random);
    return (abut_pose){ .position = random_narrow(random_in_box(random, spread)),
                        .rotation = random_narrow_rotation(turn) };
}

typedef struct couple
{
    abut_shape shape[2];
    abut_pose pose[2];
    plain a, b;
    double scale;
} couple;

// Two of which one is a cylinder, most of them near touching.
static couple random_couple(random_source *random)
{
    couple c;
    const double size = random_scale(random, 1e-2, 1e2), ratio = random_scale(random, 0.1, 10.0);
    const bool first = random_chance(random, 0.5);
    c.shape[0] = first ? random_cylinder(random, size) : random_other(random, size);
    c.shape[1] = first ? random_other(random, size * ratio) : random_cylinder(random, size * ratio);
    c.pose[0] = any_pose(random, size);
    c.pose[1] = any_pose(random, size);
    c.a = plain_of(&c.shape[0], &c.pose[0]);
    c.b = plain_of(&c.shape[1], &c.pose[1]);
    c.scale = c.a.reach + c.b.reach;
    const dvec3 way = random_direction(random);
    const double gap = random_chance(random, 0.7) ? random_sign(random) * random_scale(random, 1e-6, 0.1)
                                                  : random_between(random, -0.9, 0.3);
    const double apart = reach_along(&c.a, way) + reach_along(&c.b, dvec3_scale(way, -1.0)) + gap * c.scale;
    c.pose[1].position = random_narrow(dvec3_along(c.a.centre, apart, way));
    c.b = plain_of(&c.shape[1], &c.pose[1]);
    return c;
}

// Where to look first: any direction is a lower bound of the gap, wherever it is from.
static dvec3 nearest_way(const couple *c, random_source *random)
{
    abut_closest closest;
    assert_int_equal(abut_closest_points(&c->shape[0], &c->pose[0], &c->shape[1], &c->pose[1], &closest), ABUT_OK);
    const dvec3 way = dvec3_sub(widen(closest.on_b), widen(closest.on_a));
    const double length = dvec3_length(way);
    return length > 0.0 ? dvec3_scale(way, 1.0 / length) : random_direction(random);
}

// Points lie on the surfaces of both, as far as they are cylinders.
static void judge_points(const couple *c, const abut_manifold *m, uint64_t seed)
{
    const dvec3 n = widen(m->normal);
    double deepest = HUGE_VAL;
    for (uint32_t i = 0; i < m->point_count; ++i)
    {
        const double gap = (double)m->points[i].separation;
        const dvec3 at = dvec3_add(c->a.centre, widen(m->points[i].offset));
        for (int side = 0; side < 2; ++side)
        {
            const plain *solid = side == 0 ? &c->a : &c->b;
            const double off = c->shape[side].kind == ABUT_CYLINDER
                                   ? plain_distance(solid, dvec3_along(at, (side == 0 ? -0.5 : 0.5) * gap, n))
                                   : 0.0;
            if (fabs(off) > PLACE * c->scale)
            {
                fail_msg("seed %llu: point %u of %u misses the cylinder by %g of the scale", (unsigned long long)seed,
                         i, m->point_count, off / c->scale);
            }
        }
        for (uint32_t k = 0; k < i; ++k)
        {
            assert_true(m->points[k].feature != m->points[i].feature);
        }
        deepest = fmin(deepest, gap);
    }
    assert_true(fabs(deepest - (double)m->separation) <= PLACE * c->scale);
}

static void contacts_are_the_best_way_out(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(PAIRS);
    uint32_t touching = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const couple c = random_couple(&random);
        const float margin = (float)(random_chance(&random, 0.5) ? 0.0 : 0.1 * c.scale);
        abut_manifold m;
        assert_int_equal(abut_collide(&c.shape[0], &c.pose[0], &c.shape[1], &c.pose[1], margin, &m), ABUT_OK);
        const dvec3 guess = m.point_count ? dvec3_normalise(widen(m.normal)) : nearest_way(&c, &random);
        const double best = best_gap(&c.a, &c.b, guess, 1e-6, &random), band = EXACT * (c.scale + (double)margin);
        if (m.point_count == 0)
        {
            if (best < (double)margin - band)
            {
                fail_msg("seed %llu: missed %g of the scale", (unsigned long long)seed, best / c.scale);
            }
            continue;
        }
        const double along = gap_along(&c.a, &c.b, guess);
        ++touching;
        if (fabs(along - (double)m.separation) > band || best > (double)m.separation + band)
        {
            fail_msg("seed %llu, kinds %d and %d: separation %g of the scale, along the normal %g, at best %g",
                     (unsigned long long)seed, c.shape[0].kind, c.shape[1].kind, (double)m.separation / c.scale,
                     along / c.scale, best / c.scale);
        }
        judge_points(&c, &m, seed);
    }
    assert_true(seeds.end - seeds.first < PAIRS || touching > PAIRS / 3);
}

// Of alike size, their centres near each other: many ways out are nearly as short, in the middle of surfaces, over rims
// and over edges.
static void what_is_deep_leaves_by_the_shortest_way(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(DEEP);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed + 2000000);
        couple c = random_couple(&random);
        const double size = fmin(c.a.reach, c.b.reach);
        c.pose[1].position =
            random_narrow(dvec3_add(c.a.centre, random_in_box(&random, size * random_between(&random, 0.0, 0.6))));
        c.b = plain_of(&c.shape[1], &c.pose[1]);
        abut_manifold m;
        assert_int_equal(abut_collide(&c.shape[0], &c.pose[0], &c.shape[1], &c.pose[1], 0.0f, &m), ABUT_OK);
        if (m.point_count == 0)
        {
            continue;
        }
        const dvec3 way = dvec3_normalise(widen(m.normal));
        const double best = best_gap(&c.a, &c.b, way, 1e-3, &random), along = gap_along(&c.a, &c.b, way);
        if (fabs(along - (double)m.separation) > EXACT * c.scale || best > (double)m.separation + EXACT * c.scale)
        {
            fail_msg("seed %llu, kinds %d and %d: separation %g of the scale, along the normal %g, at best %g",
                     (unsigned long long)seed, c.shape[0].kind, c.shape[1].kind, (double)m.separation / c.scale,
                     along / c.scale, best / c.scale);
        }
        judge_points(&c, &m, seed);
    }
}

static void distances_are_the_best_gap(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(PAIRS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed + 1000000);
        const couple c = random_couple(&random);
        abut_closest closest;
        float distance;
        bool overlap;
        assert_int_equal(abut_distance(&c.shape[0], &c.pose[0], &c.shape[1], &c.pose[1], &distance), ABUT_OK);
        assert_int_equal(abut_overlap(&c.shape[0], &c.pose[0], &c.shape[1], &c.pose[1], &overlap), ABUT_OK);
        assert_int_equal(abut_closest_points(&c.shape[0], &c.pose[0], &c.shape[1], &c.pose[1], &closest), ABUT_OK);
        const dvec3 guess = nearest_way(&c, &random);
        const double best = best_gap(&c.a, &c.b, guess, 1e-6, &random), band = EXACT * c.scale;
        if (closest.distance != distance || (best > 0.0 && fabs((double)distance - best) > band) ||
            (best <= 0.0 && (double)distance > band) || (overlap && best > band) || (!overlap && best < -band))
        {
            fail_msg("seed %llu: distance %g of the scale, should be %g", (unsigned long long)seed,
                     (double)distance / c.scale, best / c.scale);
        }
    }
}

static void points_are_in_or_out(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(POINTS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double size = random_scale(&random, 1e-2, 1e2);
        const abut_shape shape = random_cylinder(&random, size);
        const abut_pose pose = any_pose(&random, size);
        const plain p = plain_of(&shape, &pose);
        const abut_vec3 point = random_narrow(dvec3_add(p.centre, random_in_box(&random, 2.0 * size)));
        const double truth = plain_distance(&p, widen(point)), band = 1e-6 * (size + dvec3_length(p.centre));
        bool contains;
        abut_vec3 nearest;
        abut_aabb box;
        assert_int_equal(abut_shape_contains(&shape, &pose, point, &contains), ABUT_OK);
        assert_int_equal(abut_shape_closest_point(&shape, &pose, point, &nearest), ABUT_OK);
        assert_int_equal(abut_shape_bounds(&shape, &pose, &box), ABUT_OK);
        if (fabs(truth) > band)
        {
            assert_int_equal(contains, truth < 0.0);
        }
        assert_true(fabs(dvec3_length(dvec3_sub(widen(nearest), widen(point))) - fmax(truth, 0.0)) <= band);
        assert_true(p.reach <= (double)abut_shape_bounding_radius(&shape));
        if (contains)
        {
            assert_true((double)point.x >= (double)box.min.x - band && (double)point.x <= (double)box.max.x + band);
            assert_true((double)point.y >= (double)box.min.y - band && (double)point.y <= (double)box.max.y + band);
            assert_true((double)point.z >= (double)box.min.z - band && (double)point.z <= (double)box.max.z + band);
        }
    }
}

// The first point of a ray that is in the shape, by its distance: a convex function of the way.
static double least_distance(const plain *p, dvec3 from, dvec3 way, double low, double high)
{
    const double golden = 0.6180339887498949;
    double best = fmin(plain_distance(p, dvec3_along(from, low, way)), plain_distance(p, dvec3_along(from, high, way)));
    for (int i = 0; i < 100; ++i)
    {
        const double x = high - golden * (high - low), y = low + golden * (high - low);
        const double at_x = plain_distance(p, dvec3_along(from, x, way)),
                     at_y = plain_distance(p, dvec3_along(from, y, way));
        best = fmin(best, fmin(at_x, at_y));
        *(at_x < at_y ? &high : &low) = at_x < at_y ? y : x;
    }
    return best;
}

static abut_ray random_ray(random_source *random, const plain *p)
{
    const double far = p->reach * random_scale(random, 0.1, 1e5);
    const dvec3 from = dvec3_along(p->centre, far, random_direction(random));
    const dvec3 to = dvec3_add(p->centre, random_in_box(random, 1.2 * p->reach));
    const dvec3 way = dvec3_scale(dvec3_sub(to, from), random_between(random, 0.8, 3.0));
    const dvec3 axis = dquat_rotate(p->turn, dvec3_make(0, 1, 0));
    const uint32_t sort = random_below(random, 6);
    // along the axis, or across it
    const dvec3 aside = sort == 1 ? dvec3_along(way, -dvec3_dot(way, axis), axis) : dvec3_scale(axis, far);
    return (abut_ray){ .origin = random_narrow(from), .translation = random_narrow(sort < 2 ? aside : way) };
}

static void rays_enter_where_the_distance_ends(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(RAYS);
    uint32_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed + 2000000);
        const double size = random_scale(&random, 1e-2, 1e2);
        const abut_shape shape = random_cylinder(&random, size);
        const abut_pose pose = any_pose(&random, size);
        const plain p = plain_of(&shape, &pose);
        const abut_ray ray = random_ray(&random, &p);
        const dvec3 from = widen(ray.origin), way = widen(ray.translation);
        const double length = dvec3_length(way), band = 1e-6 * size + 3e-7 * (length + dvec3_length(from));
        abut_ray_hit hit;
        assert_int_equal(abut_ray_shape(&ray, &shape, &pose, 0, &hit), ABUT_OK);
        const bool found = hit.hit;
        const double until = found ? (double)hit.fraction - band / length : 1.0;
        if (plain_distance(&p, from) > band && until > 0.0 && least_distance(&p, from, way, 0.0, until) < -band)
        {
            fail_msg("seed %llu: a ray is in the shape before %g", (unsigned long long)seed, until);
        }
        if (!found)
        {
            continue;
        }
        ++hits;
        const dvec3 at = dvec3_along(from, (double)hit.fraction, way), n = widen(hit.normal);
        const double off = plain_distance(&p, at);
        if (off > band || (hit.fraction > 0.0f && off < -band))
        {
            fail_msg("seed %llu: a hit is off by %g", (unsigned long long)seed, off);
        }
        if (hit.fraction > 0.0f)
        {
            // nothing of the shape is beyond the plane of the normal, and the ray goes in
            const double beyond = reach_along(&p, n) - dvec3_dot(dvec3_sub(at, p.centre), n);
            assert_true(fabs(dvec3_length(n) - 1.0) < 1e-6 && dvec3_dot(n, way) <= 1e-6 * length);
            assert_true(beyond <= 2.0 * band + 1e-5 * p.reach);
        }
    }
    assert_true(seeds.end - seeds.first < RAYS || hits > RAYS / 4);
}

typedef struct known_ray
{
    abut_shape shape;
    abut_vec3 from, way, normal;
    float fraction; // 2: it misses
} known_ray;

// Along the axis, along the side, past a rim, at what has no thickness; and points.
static void special_rays_are_known(void **state)
{
    (void)state;
    const abut_shape barrel = abut_shape_cylinder(1, 2), cone = abut_shape_cone(1, 0.5f),
                     rod = abut_shape_cylinder(0, 1), coin = abut_shape_cylinder(1, 0),
                     funnel = abut_shape_tapered_cylinder(0, 1, 0.5f);
    const known_ray rays[] = {
        { barrel, { 0, 4, 0 }, { 0, -4, 0 }, { 0, 1, 0 }, 0.5f },
        { barrel, { 1, 4, 0 }, { 0, -4, 0 }, { 0, 1, 0 }, 0.5f }, // down the side itself
        { barrel, { 1.5f, 4, 0 }, { 0, -8, 0 }, { 0, 0, 0 }, 2 },
        { barrel, { -3, 2, 0 }, { 4, 0, 0 }, { -1, 0, 0 }, 0.5f }, // over the disc
        { barrel, { -3, 2.5f, 0 }, { 4, 0, 0 }, { 0, 0, 0 }, 2 },
        { barrel, { -3, 1, 0 }, { 1, 0, 0 }, { 0, 0, 0 }, 2 },
        { barrel, { 0.5f, 1, 0 }, { 4, 0, 0 }, { 0, 0, 0 }, 0 },
        { barrel, { 0.5f, 1, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, 0 },
        { barrel, { 2, 1, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, 2 },
        { cone, { 0, 1.5f, 0 }, { 0, -2, 0 }, { 0, 1, 0 }, 0.5f }, // at its tip
        { cone, { 0, -1.5f, 0 }, { 0, 2, 0 }, { 0, -1, 0 }, 0.5f },
        { cone, { 1.5f, -1, 0 }, { -2, 2, 0 }, { 0, -1, 0 }, 0.25f }, // along its side on the far side
        { cone, { -1, 1, 0 }, { 2, -2, 0 }, { -0.70710678f, 0.70710678f, 0 }, 0.375f },
        { cone, { -1.25f, -0.25f, 0 }, { 1, 1, 0 }, { -0.70710678f, 0.70710678f, 0 }, 2 },
        { cone, { -1, 0, 0 }, { 1, 0, 0 }, { -0.70710678f, 0.70710678f, 0 }, 0.5f },
        { funnel, { -1, 0, 0 }, { 1, 0, 0 }, { -0.70710678f, -0.70710678f, 0 }, 0.5f },
        { funnel, { -1.5f, 1, 0 }, { 2, -2, 0 }, { 0, 1, 0 }, 0.25f },
        { rod, { -1, 0, 0 }, { 2, 0, 0 }, { -1, 0, 0 }, 0.5f },
        { rod, { 0, 3, 0 }, { 0, -4, 0 }, { 0, 1, 0 }, 0.5f },
        { coin, { 0.5f, 1, 0 }, { 0, -2, 0 }, { 0, 1, 0 }, 0.5f },
        { coin, { 2, 0, 0 }, { -2, 0, 0 }, { 1, 0, 0 }, 0.5f },
        { coin, { 1.5f, 1, 0 }, { 0, -2, 0 }, { 0, 0, 0 }, 2 },
    };
    for (size_t i = 0; i < sizeof rays / sizeof *rays; ++i)
    {
        const abut_ray ray = { .origin = rays[i].from, .translation = rays[i].way };
        const abut_pose pose = abut_pose_identity();
        abut_ray_hit hit;
        assert_int_equal(abut_ray_shape(&ray, &rays[i].shape, &pose, 0, &hit), ABUT_OK);
        const double off = dvec3_length(dvec3_sub(widen(hit.normal), widen(rays[i].normal)));
        if (hit.hit != (rays[i].fraction <= 1.0f) ||
            (hit.hit && (fabs((double)hit.fraction - (double)rays[i].fraction) > 1e-6 || off > 1e-6)))
        {
            fail_msg("ray %zu: hit %d at %g with (%g, %g, %g)", i, hit.hit, (double)hit.fraction, (double)hit.normal.x,
                     (double)hit.normal.y, (double)hit.normal.z);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_are_the_best_way_out),      cmocka_unit_test(what_is_deep_leaves_by_the_shortest_way),
        cmocka_unit_test(distances_are_the_best_gap),         cmocka_unit_test(points_are_in_or_out),
        cmocka_unit_test(rays_enter_where_the_distance_ends), cmocka_unit_test(special_rays_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
