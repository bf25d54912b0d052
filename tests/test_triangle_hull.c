// Hulls and triangles by their axes: what lanes leave out is beyond, on every instruction set alike, and what is
// measured is what the searches of GJK and EPA find.
#include "base/kernels.h"
#include "every_isa.h"
#include "shape/hull.h"
#include "shape/mesh_ray_kernels.h"
#include "triangle_couples.h"

#include <abut/shape.h>
#include <stdio.h>

enum
{
    PAIRS = 200000,
    MOST_POINTS = 60
};

// Of few points or many, flat or stout, some of them in a plane with others.
static abut_geometry *any_hull(random_source *random, double size)
{
    const double thin = random_below(random, 4) == 0 ? 0.02 : 1.0;
    const bool grid = random_below(random, 3) == 0;
    abut_geometry *hull = NULL;
    while (!hull)
    {
        const uint32_t count = 4 + random_below(random, MOST_POINTS - 3);
        abut_vec3 points[MOST_POINTS];
        for (uint32_t i = 0; i < count; ++i)
        {
            double at[3];
            any_direction(random, at);
            for (int k = 0; k < 3; ++k)
            {
                at[k] = (k == 1 ? thin : 1.0) * size * (grid ? (at[k] < -0.3 ? -1.0 : at[k] > 0.3 ? 1.0 : 0.0) : at[k]);
            }
            points[i] = abut_vec3_make((float)at[0], (float)at[1], (float)at[2]);
        }
        if (abut_geometry_create_hull(points, count, 0, NULL, &hull) != ABUT_OK)
        {
            hull = NULL;
        }
    }
    return hull;
}

static bool is_over(const ab_triangle_corners *triangle, const double at[3])
{
    bool over = true;
    for (int i = 0; i < 3; ++i)
    {
        double edge[3], outward[3], to[3];
        ab_sub(triangle->at[(i + 1) % 3], triangle->at[i], edge);
        ab_sub(at, triangle->at[i], to);
        ab_cross(edge, triangle->normal, outward);
        over = over && ab_dot(outward, to) <= 0.0;
    }
    return over;
}

// How far the hull reaches over the triangle's plane. Returns whether a corner is over the triangle and within `limit`.
static bool heights_of(const couple *c, const ab_hull *hull, double limit, ab_triangle_heights *out)
{
    bool over = false;
    out->low = HUGE_VAL;
    out->high = -HUGE_VAL;
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
    {
        const double v[3] = { hull->vertices[i].x, hull->vertices[i].y, hull->vertices[i].z };
        double at[3], to[3];
        for (int k = 0; k < 3; ++k)
        {
            at[k] = c->pair.centre[k];
            for (int j = 0; j < 3; ++j)
            {
                at[k] += c->pair.axis[3 * j + k] * v[j];
            }
        }
        ab_sub(at, c->corners.at[0], to);
        const double height = ab_dot(to, c->corners.normal);
        if (height < out->low)
        {
            out->low = height;
            memcpy(out->bottom, at, sizeof out->bottom);
        }
        if (height > out->high)
        {
            out->high = height;
            memcpy(out->top, at, sizeof out->top);
        }
        over = over || (height <= limit && is_over(&c->corners, at));
    }
    return over;
}

// What lanes leave of the triangle's axes, on all instruction sets.
static uint32_t axes_of(const couple *c, const ab_hull *hull, double limit)
{
    const uint32_t triangle = 0;
    uint32_t scalar[AB_AXES_ROW] = { AB_AXES_ALL }, axes[AB_AXES_ROW];
    ab_axes_row row = { { { { 0.0f } } } };
    ab_axes_box box;
    ab_axes_row_of(c->pair.mesh, &triangle, 1, &row);
    assert_true(ab_axes_box_of(&c->pair, limit, &box));
    ab_kernels_for(AB_SINGLE_ISA)->triangles->hull(&box, &hull->polytope, &row, 1, scalar);
    EVERY_ISA(isa)
    {
        axes[0] = AB_AXES_ALL;
        ab_kernels_for(isa)->triangles->hull(&box, &hull->polytope, &row, 1, axes);
        assert_int_equal(axes[0], scalar[0]);
    }
    return scalar[0];
}

// The two as a pair of convex shapes, as GJK and EPA find them.
static void search(const couple *c, ab_triangle *room, ab_convex_pair *pair, ab_convex_contact *out)
{
    pair->a = c->pair.convex;
    ab_triangle_place(c->pair.mesh, &c->pair.placed, 0, room, &pair->b);
    ab_convex_pair_up(pair);
    ab_convex_collide(pair, HUGE_VAL, out);
}

// How far the two are apart along a direction.
static double apart_along(const ab_convex_pair *pair, const double direction[3])
{
    const double back[3] = { -direction[0], -direction[1], -direction[2] };
    double a[3], b[3];
    ab_convex_support(&pair->a, direction, a);
    ab_convex_support(&pair->b, back, b);
    return ab_dot(b, direction) - ab_dot(a, direction);
}

// The two points are as far from each other, one along the normal from the other.
static void expect_between(const ab_convex_contact *c, double near)
{
    double on_b[3], off[3];
    ab_along(c->on_a, c->separation, c->normal, on_b);
    ab_sub(on_b, c->on_b, off);
    assert_true(sqrt(ab_dot(off, off)) <= near);
}

// A point on the hull and one on the triangle: neither is outside by more.
static void expect_on_both(const couple *c, const ab_hull *hull, const ab_convex_contact *contact, double near)
{
    double local[3], in_mesh[3], to[3];
    ab_triangle_into_mesh(&c->pair, contact->on_a, in_mesh);
    ab_triangle_into_shape(&c->pair, in_mesh, local);
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        assert_true(ab_dot(hull->faces[i].normal, local) - hull->faces[i].offset <= near);
    }
    ab_triangle_into_mesh(&c->pair, contact->on_b, in_mesh);
    ab_sub(in_mesh, c->corners.at[0], to);
    assert_true(fabs(ab_dot(to, c->corners.normal)) <= near);
    for (int i = 0; i < 3; ++i)
    {
        double along[3], inward[3];
        ab_sub(c->corners.at[(i + 1) % 3], c->corners.at[i], along);
        ab_sub(in_mesh, c->corners.at[i], to);
        ab_cross(c->corners.normal, along, inward);
        assert_true(ab_dot(inward, to) >= -near * sqrt(ab_dot(along, along)));
    }
}

typedef struct outcomes
{
    uint64_t dropped, without, beyond, apart, nearest, overlaps, placed;
} outcomes;

static void judge(const couple *c, const ab_hull *hull, double limit, outcomes *seen)
{
    ab_triangle room;
    ab_convex_pair pair;
    ab_convex_contact searched, found = { .separation = 0.0 };
    ab_triangle_heights heights;
    search(c, &room, &pair, &searched);
    const bool over = heights_of(c, hull, limit, &heights);
    const uint32_t axes = axes_of(c, hull, limit);
    const double near = 1e-6 * pair.granularity + 2e-7 * pair.scale; // of merged faces, too
    const bool behind = !c->pair.mesh->two_sided && heights.high < near;
    if (axes == 0)
    {
        assert_true(searched.separation > limit - near || behind);
        ++seen->dropped;
    }
    assert_true(axes == 0 || !over || (axes & AB_AXES_CORNERS) != 0);
    seen->without += axes != 0 && (axes & AB_AXES_CORNERS) == 0;
    switch (ab_triangle_measure_hull(&c->pair, &c->corners, &heights, limit, &found))
    {
    case AB_GAP_BEYOND:
        assert_true(searched.separation > limit - near);
        ++seen->beyond;
        break;
    case AB_GAP_UNKNOWN:
        assert_true(searched.separation > -near);
        ++seen->apart;
        break;
    default:
        assert_true(found.overlap == (found.separation <= 0.0));
        assert_true(fabs(found.separation - searched.separation) <= near);
        assert_true(fabs(apart_along(&pair, found.normal) - found.separation) <= near);
        if (!found.overlap)
        {
            expect_between(&found, near);
            ++seen->nearest;
            break;
        }
        ++seen->overlaps;
        if (found.touching)
        {
            expect_between(&found, near);
            expect_on_both(c, hull, &found, 4.0 * near);
            ++seen->placed;
        }
    }
}

static void axes_find_what_searches_find(void **state)
{
    (void)state;
    outcomes seen = { 0 };
    const random_seeds seeds = random_seeds_of(PAIRS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double scale = random_below(&random, 4) == 0 ? random_scale(&random, 1e-6, 1e6) : 1.0,
                     size = scale * random_scale(&random, 0.01, 100.0);
        abut_geometry *geometry = any_hull(&random, size);
        const abut_shape shape = abut_shape_hull(geometry);
        couple c;
        couple_open(&c, &random, &shape, size);
        const ab_hull *hull = ab_triangle_hull_of(&c.pair);
        if (hull)
        {
            judge(&c, hull, random_below(&random, 2) == 0 ? 0.0 : 0.2 * size, &seen);
        }
        abut_geometry_release(c.geometry);
        abut_geometry_release(geometry);
    }
    printf("%llu dropped by lanes, %llu have no corner over the triangle; %llu beyond, %llu apart, of %llu more the "
           "nearest points, %llu overlap, %llu have a place for that\n",
           (unsigned long long)seen.dropped, (unsigned long long)seen.without, (unsigned long long)seen.beyond,
           (unsigned long long)seen.apart, (unsigned long long)seen.nearest, (unsigned long long)seen.overlaps,
           (unsigned long long)seen.placed);
    assert_true(!random_seeds_all() || (4 * seen.dropped > 3 * seen.beyond && seen.without > PAIRS / 20 &&
                                        seen.overlaps > PAIRS / 20 && 20 * seen.placed > 19 * seen.overlaps));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_find_what_searches_find),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
