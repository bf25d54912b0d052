#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "broad_crowd.h"
#include "every_isa.h"

#include <math.h>

enum
{
    COLLIDERS = 60,
    MOST_POINTS = 400
};

// What the box of a collider is to be around, in the collider's own frame.
typedef struct outline
{
    uint32_t count;
    abut_vec3 points[MOST_POINTS];
    bool exact; // its box is that of the points, not only around them
} outline;

static abut_vec3 random_point(random_source *random, abut_vec3 middle, double size)
{
    return abut_vec3_add(middle, random_narrow(random_in_box(random, size)));
}

// A cloud about `middle`; with more faces than a polytope has, of points on a sphere.
static abut_geometry *random_hull(random_source *random, abut_vec3 middle, double size, outline *out)
{
    abut_vec3 points[MOST_POINTS];
    const bool many = random_chance(random, 0.1);
    const uint32_t count = many ? MOST_POINTS : 4 + random_below(random, 60);
    for (uint32_t i = 0; i < count; ++i)
    {
        points[i] = many ? abut_vec3_add(middle, random_narrow(dvec3_scale(random_direction(random), size)))
                         : random_point(random, middle, size);
    }
    abut_geometry *hull;
    const abut_vec3 *vertices;
    assert_int_equal(abut_geometry_create_hull(points, count, 0, NULL, &hull), ABUT_OK);
    out->count = abut_geometry_hull_vertices(hull, &vertices);
    out->exact = abut_geometry_hull_faces(hull) <= 256;
    memcpy(out->points, vertices, out->count * sizeof *vertices);
    return hull;
}

static abut_geometry *random_polygon(random_source *random, abut_vec3 middle, double size, outline *out)
{
    abut_vec2 points[ABUT_MAX_VERTICES];
    const uint32_t count = 3 + random_below(random, ABUT_MAX_VERTICES - 2);
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_vec3 at = random_point(random, middle, size);
        points[i] = (abut_vec2){ at.x, at.y };
    }
    abut_geometry *polygon;
    const abut_vec2 *vertices;
    assert_int_equal(abut_geometry_create_polygon(points, count, NULL, &polygon), ABUT_OK);
    out->count = abut_geometry_vertices(polygon, &vertices);
    out->exact = true;
    for (uint32_t i = 0; i < out->count; ++i)
    {
        out->points[i] = abut_vec3_make(vertices[i].x, vertices[i].y, 0.0f);
    }
    return polygon;
}

// Boxes along the axes about `middle`.
static abut_geometry *random_compound(random_source *random, abut_vec3 middle, double size, outline *out)
{
    abut_placed_shape parts[6];
    const uint32_t count = 1 + random_below(random, 6);
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_vec3 at = random_point(random, middle, size);
        const float half = (float)random_between(random, 0.1, 1.0) * (float)size;
        parts[i] = (abut_placed_shape){ .shape = abut_shape_obb(half, 0.5f * half, half), .pose.position = at };
        for (uint32_t k = 0; k < 8; ++k)
        {
            out->points[8 * i + k] = abut_vec3_make(at.x + (k & 1 ? half : -half), at.y + (k & 2 ? half : -half) * 0.5f,
                                                    at.z + (k & 4 ? half : -half));
        }
    }
    out->count = 8 * count;
    out->exact = count == 1;
    abut_geometry *compound;
    assert_int_equal(abut_geometry_create_compound(parts, count, NULL, &compound), ABUT_OK);
    return compound;
}

// Also makes the outline of a shape whose AABB is that of its half extents, which may stand in the same block.
static abut_shape random_shape(random_source *random, outline *out)
{
    const double size = random_scale(random, 1e-2, 1e1);
    const abut_vec3 middle = random_narrow(random_in_box(random, random_chance(random, 0.5) ? 0.0 : 5.0 * size));
    switch (random_below(random, 4))
    {
    case 0:
        return abut_shape_hull(random_hull(random, middle, size, out));
    case 1:
        return abut_shape_polygon(random_polygon(random, middle, size, out));
    case 2:
        return abut_shape_compound(random_compound(random, middle, size, out));
    default:
        *out = (outline){ .count = 8, .exact = true };
        for (uint32_t k = 0; k < 8; ++k)
        {
            out->points[k] = abut_vec3_make(k & 1 ? 1.0f : -1.0f, k & 2 ? 2.0f : -2.0f, k & 4 ? 3.0f : -3.0f);
        }
        return abut_shape_obb(1.0f, 2.0f, 3.0f);
    }
}

static void random_crowd(crowd *c, random_source *random, outline *outlines, double spread)
{
    crowd_open(c, COLLIDERS);
    assert_true(ab_proxies_need_offset(&c->proxies, &c->memory));
    assert_true(ab_proxies_need_reach(&c->proxies, &c->memory));
    for (uint32_t i = 0; i < COLLIDERS; ++i)
    {
        const abut_shape shape = random_shape(random, &outlines[i]);
        const uint32_t collider = crowd_add(c, shape, random_narrow(random_in_box(random, spread)),
                                            random_narrow_rotation(random_rotation(random)));
        c->velocities[collider].linear = random_narrow(random_in_box(random, 1.0));
        if (i % 4 == 1)
        {
            c->placed[collider] = true;
            c->locals[collider] = (abut_pose){ .position = random_narrow(random_in_box(random, 5.0)),
                                               .rotation = random_narrow_rotation(random_rotation(random)) };
        }
        assert_true(crowd_append(c, collider));
    }
}

static void close_crowd(crowd *c)
{
    for (uint32_t i = 0; i < COLLIDERS; ++i)
    {
        const ab_shape_row *row = ab_shape_row_for(c->shapes[i].kind);
        if (row->geometry)
        {
            ab_shape_release(&c->shapes[i]);
        }
    }
    crowd_close(c);
}

static dquat widened(abut_quat q)
{
    const double length = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
    return (dquat){ q.w / length, q.x / length, q.y / length, q.z / length };
}

static dvec3 placed_point(const crowd *c, uint32_t i, abut_vec3 at)
{
    const abut_vec3 p = c->poses[i].position, l = c->locals[i].position;
    const dvec3 in_body = dvec3_add(dquat_rotate(widened(c->locals[i].rotation), dvec3_make(at.x, at.y, at.z)),
                                    dvec3_make(l.x, l.y, l.z));
    return dvec3_add(dquat_rotate(widened(c->poses[i].rotation), in_body), dvec3_make(p.x, p.y, p.z));
}

static double size_of(const crowd *c, uint32_t i)
{
    const ab_proxy_def proxy = crowd_describe(c, i, ABUT_DYNAMIC);
    const abut_vec3 l = c->locals[i].position;
    return (double)proxy.half[0] + proxy.half[1] + proxy.half[2] + fabsf(l.x) + fabsf(l.y) + fabsf(l.z);
}

// A side of a box: no point is past it, and one of them is near it.
static void assert_side(double side, double farthest, double growth, double size, bool exact)
{
    const double slack = 1e-6 + 2e-5 * (size + growth) + 5e-7 * fabs(farthest);
    assert_true(side >= farthest + growth);
    assert_true(!exact || side <= farthest + 1.7320510 * growth + slack);
}

static void assert_around(const crowd *c, uint32_t i, const outline *around, double growth)
{
    const abut_aabb box = crowd_box(c, c->proxies.proxy_of[i]);
    dvec3 low = dvec3_make(HUGE_VAL, HUGE_VAL, HUGE_VAL), high = dvec3_scale(low, -1.0);
    for (uint32_t k = 0; k < around->count; ++k)
    {
        const dvec3 at = placed_point(c, i, around->points[k]);
        low = dvec3_make(fmin(low.x, at.x), fmin(low.y, at.y), fmin(low.z, at.z));
        high = dvec3_make(fmax(high.x, at.x), fmax(high.y, at.y), fmax(high.z, at.z));
    }
    const double size = size_of(c, i);
    assert_side(box.max.x, high.x, growth, size, around->exact);
    assert_side(box.max.y, high.y, growth, size, around->exact);
    assert_side(box.max.z, high.z, growth, size, around->exact);
    assert_side(-box.min.x, -low.x, growth, size, around->exact);
    assert_side(-box.min.y, -low.y, growth, size, around->exact);
    assert_side(-box.min.z, -low.z, growth, size, around->exact);
}

static void the_box_of_a_shape_with_points_is_theirs(void **state)
{
    (void)state;
    static const double spreads[] = { 0.0, 10.0, 1e4 };
    outline *outlines = malloc(COLLIDERS * sizeof *outlines);
    const random_seeds seeds = random_seeds_of(60);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const float growth = seed % 2 ? 0.0f : (float)random_scale(&random, 1e-3, 1.0);
        crowd c;
        random_crowd(&c, &random, outlines, spreads[seed % 3]);
        const size_t bytes = c.proxies.region[AB_ACTIVE].blocks * sizeof *c.proxies.block;
        ab_aabb8 *scalar = malloc(bytes);
        EVERY_ISA(isa)
        {
            assert_int_equal(crowd_bound(&c, isa, growth, 0.0f), ABUT_NONE);
            memcpy(scalar, c.proxies.block, isa == ABUT_ISA_SCALAR ? bytes : 0);
            assert_memory_equal(scalar, c.proxies.block, bytes);
            for (uint32_t i = 0; i < COLLIDERS; ++i)
            {
                assert_around(&c, i, &outlines[i], growth);
            }
        }
        free(scalar);
        close_crowd(&c);
    }
    free(outlines);
}

// Of whatever extent: what a point can travel is added on every side.
static void a_horizon_adds_to_every_side(void **state)
{
    (void)state;
    outline *outlines = malloc(COLLIDERS * sizeof *outlines);
    random_source random = random_start(1);
    crowd c;
    random_crowd(&c, &random, outlines, 10.0);
    EVERY_ISA(isa)
    {
        assert_int_equal(crowd_bound(&c, isa, 0.0f, 0.5f), ABUT_NONE);
        for (uint32_t i = 0; i < COLLIDERS; ++i)
        {
            assert_around(&c, i, &outlines[i], c.proxies.reach[c.proxies.proxy_of[i]]);
        }
    }
    close_crowd(&c);
    free(outlines);
}

static void a_side_of_a_box_is_never_negative_zero(void **state)
{
    (void)state;
    const abut_vec3 corners[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    abut_geometry *hull;
    assert_int_equal(abut_geometry_create_hull(corners, 4, 0, NULL, &hull), ABUT_OK);
    crowd c;
    crowd_open(&c, 8);
    for (uint32_t i = 0; i < 8; ++i)
    {
        const abut_vec3 at = abut_vec3_make(i & 1 ? -0.0f : -1.0f, -0.0f, i & 2 ? 0.0f : -0.0f);
        assert_true(crowd_append(&c, crowd_add(&c, abut_shape_hull(hull), at, abut_quat_identity())));
    }
    EVERY_ISA(isa)
    {
        assert_int_equal(crowd_bound(&c, isa, 0.0f, 0.0f), ABUT_NONE);
        for (uint32_t i = 0; i < 8; ++i)
        {
            const abut_aabb box = crowd_box(&c, i);
            assert_true(box.min.x < 0.0f || !signbit(box.min.x));
            assert_true(box.max.x > 0.0f || !signbit(box.max.x));
        }
    }
    crowd_close(&c);
    abut_geometry_release(hull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_box_of_a_shape_with_points_is_theirs),
        cmocka_unit_test(a_horizon_adds_to_every_side),
        cmocka_unit_test(a_side_of_a_box_is_never_negative_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
