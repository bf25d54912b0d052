// Rays against shapes in their own frames: by the rows' own functions, and by support functions alone. The referees say
// how far the ray passes, and where the surface is.
#include "random_pair.h"
#include "stock_2d.h"

#include "narrow/convex/convex.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum
{
    RAYS = 50000
};

typedef struct ray
{
    abut_shape shape;
    double from[3], way[3];
    double depth; // of the ray in the shape; negative: it passes
    double start; // from its beginning to the surface; negative: inside
    double size;  // of the shape, and of the ray
    bool is_2d;
} ray;

static const abut_pose own_frame = { .rotation = { .w = 1.0f } };

static double distance_at(const ray *r, double fraction, const double beside[3], double by)
{
    double at[3];
    for (int k = 0; k < 3; ++k)
    {
        at[k] = r->from[k] + fraction * r->way[k] + by * beside[k];
    }
    if (r->is_2d)
    {
        const solid_2d solid = solid_2d_of(&r->shape, &own_frame, NULL);
        return point_distance_2d(&solid, (dvec2){ at[0], at[1] });
    }
    const referee_solid solid = referee_solid_of(&r->shape, &own_frame, NULL);
    return referee_point_distance(&solid, dvec3_make(at[0], at[1], at[2]));
}

// Towards a point about the shape, along an axis at times, from inside at times.
static ray ray_of(uint64_t seed)
{
    static const double none[3] = { 0, 0, 0 };
    random_source random = random_start(seed);
    ray r = { .is_2d = seed % 2 != 0 };
    const double size = random_scale(&random, 0.01, 100.0);
    r.shape = r.is_2d ? random_shape_2d(&random, &stock, random_kind_2d(&random), size)
                      : random_shape(&random, random_kind(random_below(&random, RANDOM_KINDS)), size);
    const double reach =
        r.is_2d ? solid_2d_of(&r.shape, &own_frame, NULL).reach : referee_solid_of(&r.shape, &own_frame, NULL).reach;
    const bool along_axis = random_chance(&random, 0.3), inside = random_chance(&random, 0.1);
    const uint32_t axis = random_below(&random, r.is_2d ? 2 : 3);
    double to[3], length = 0.0;
    for (int k = 0; k < (r.is_2d ? 2 : 3); ++k)
    {
        r.from[k] = random_between(&random, -1, 1) * reach * (inside ? 0.3 : random_between(&random, 1.0, 5.0));
        to[k] = random_between(&random, -1.1, 1.1) * reach;
        r.way[k] = along_axis ? ((uint32_t)k == axis ? 4.0 * (to[k] - r.from[k]) : 0.0)
                              : random_between(&random, 0.6, 3.0) * (to[k] - r.from[k]);
        length += r.way[k] * r.way[k];
    }
    length = sqrt(length);
    const dvec3 from = { r.from[0], r.from[1], r.from[2] }, way = { r.way[0], r.way[1], r.way[2] };
    if (r.is_2d)
    {
        const solid_2d path = { .corner = { { from.x, from.y }, { from.x + way.x, from.y + way.y } }, .count = 2 };
        const solid_2d solid = solid_2d_of(&r.shape, &own_frame, NULL);
        const contact_2d contact = collide_2d(&path, &solid);
        r.depth = contact.depth > 0.0 ? contact.depth : -contact.distance;
    }
    else
    {
        referee_solid path = referee_capsule(dvec3_along(from, 0.5, way), (dquat){ 1, 0, 0, 0 }, 0.0, 0.5 * length);
        path.axis[1] = length > 0.0 ? dvec3_scale(way, 1.0 / length) : path.axis[1];
        path.axis[0] = dvec3_beside(path.axis[1]);
        path.axis[2] = dvec3_cross(path.axis[0], path.axis[1]);
        const referee_solid solid = referee_solid_of(&r.shape, &own_frame, NULL);
        r.depth = -referee_collide(&path, &solid).separation;
    }
    r.start = distance_at(&r, 0.0, none, 0.0);
    r.size = reach + length;
    return r;
}

// What is wrong with an answer, or NULL.
static const char *fault_of(const ray *r, bool hit, const ab_ray_entry *entry)
{
    static const double none[3] = { 0, 0, 0 };
    const double slack = 1e-9 * r->size, *n = entry->normal, *w = r->way;
    if (!hit)
    {
        return r->depth > slack ? "missed" : NULL;
    }
    if (r->depth < -slack || !(entry->fraction >= 0.0 && entry->fraction <= 1.0))
    {
        return "hit";
    }
    const double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2], way = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    if (square == 0.0)
    {
        return entry->fraction == 0.0 && r->start <= slack ? NULL : "no normal, and it does not begin inside";
    }
    const double gap = distance_at(r, entry->fraction, none, 0.0), beside = 1e-4 * r->size;
    return fabs(gap) > slack                                                                   ? "not on the surface"
           : fabs(square - 1.0) > 1e-9                                                         ? "no unit normal"
           : n[0] * w[0] + n[1] * w[1] + n[2] * w[2] > 1e-9 * sqrt(way)                        ? "it leaves there"
           : fabs(distance_at(r, entry->fraction, n, beside) - beside) > 1e-3 * beside + slack ? "another normal"
                                                                                               : NULL;
}

static void rays_enter_shapes_where_the_referee_says(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(RAYS);
    uint32_t hits = 0, inside = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const ray r = ray_of(seed);
        const ab_shape_row *row = ab_shape_row_for(r.shape.kind);
        const ab_frame frame = { .axis = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
        ab_convex convex;
        ab_ray_entry entry, by_support;
        const bool hit = row->ray(&r.shape, r.from, r.way, &entry);
        ab_convex_at(&convex, NULL, &r.shape, &frame, r.is_2d);
        const bool hit_by_support = ab_convex_ray(&convex, r.from, r.way, &by_support);
        const char *fault = fault_of(&r, hit, &entry), *other = fault_of(&r, hit_by_support, &by_support);
        if (fault || other)
        {
            fail_msg("seed %llu, a %s, by its %s: %s (depth %g of %g, start %g, fraction %g or %g)",
                     (unsigned long long)seed, row->name, fault ? "row" : "support", fault ? fault : other, r.depth,
                     r.size, r.start, entry.fraction, by_support.fraction);
        }
        hits += hit;
        inside += hit && entry.fraction == 0.0;
    }
    assert_true(seeds.end - seeds.first < RAYS || (hits > RAYS / 4 && inside > 100));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_enter_shapes_where_the_referee_says),
    };
    return cmocka_run_group_tests(tests, open_stock, close_stock);
}
