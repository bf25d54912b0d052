// Rays down the tree of a mesh, over every instruction set: the same bits everywhere, and the first of all triangles.
#include "base/kernels.h"
#include "every_isa.h"
#include "mesh_makers.h"
#include "narrow/convex/convex.h"
#include "shape/mesh.h"

#include <stdio.h>

enum
{
    SURFACES = 400,
    RAYS = 150
};

typedef struct surface
{
    abut_geometry *geometry;
    abut_shape shape;
    const ab_mesh *mesh;
    double (*corner)[3][3]; // as the mesh has them; by triangle
    double size;            // of the arrays
} surface;

typedef struct counts
{
    uint64_t rays, hits, aimed;
} counts;

static double wave(void *context, double x, double z)
{
    const double *high = context;
    return high[0] * (sin(x / high[1]) + cos(1.3 * z / high[1]));
}

static void make_soup(mesh_maker *m, random_source *random, double size)
{
    const uint32_t count = 1 + random_below(random, 300);
    for (uint32_t i = 0; i < count; ++i)
    {
        const double near = size * random_scale(random, 1e-3, 1.0);
        double at[3];
        uint32_t vertex[3];
        for (int k = 0; k < 3; ++k)
        {
            at[k] = random_between(random, -size, size);
        }
        for (int j = 0; j < 3; ++j)
        {
            vertex[j] =
                mesh_vertex(m, at[0] + random_between(random, -near, near), at[1] + random_between(random, -near, near),
                            at[2] + random_between(random, -near, near));
        }
        mesh_triangle(m, vertex[0], vertex[1], vertex[2]);
    }
}

static void make_surface(mesh_maker *m, random_source *random, surface *s)
{
    double high[2] = { s->size * random_scale(random, 1e-5, 0.5), s->size * 0.3 };
    const uint32_t sort = random_below(random, 3), x = 1 + random_below(random, 20), z = 1 + random_below(random, 20);
    if (sort == 0)
    {
        mesh_field(m, random, x, z, s->size, s->size, 0.3, random_chance(random, 0.2) ? NULL : wave, high);
    }
    else if (sort == 1)
    {
        mesh_cylinder(m, random, 3 + x, z, s->size, s->size, random_chance(random, 0.5));
    }
    else
    {
        make_soup(m, random, s->size);
    }
}

static void open_surface(surface *s, random_source *random)
{
    mesh_maker m = { 0 };
    s->size = random_scale(random, 1e-3, 1e5);
    make_surface(&m, random, s);
    abut_mesh_def def = mesh_def_of(&m);
    def.two_sided = true;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &s->geometry), ABUT_OK);
    mesh_maker_close(&m);
    if (random_chance(random, 0.4))
    {
        float by[3];
        for (int k = 0; k < 3; ++k)
        {
            by[k] = (float)(random_scale(random, 0.1, 8.0) * (random_chance(random, 0.5) ? 1.0 : -1.0));
        }
        abut_geometry *scaled;
        assert_int_equal(abut_geometry_create_scaled(s->geometry, abut_vec3_make(by[0], by[1], by[2]), NULL, &scaled),
                         ABUT_OK);
        abut_geometry_release(s->geometry);
        s->geometry = scaled;
    }
    s->shape = abut_shape_mesh(s->geometry);
    s->mesh = ab_mesh_of(&s->shape);
    s->corner = malloc(s->mesh->triangle_count * sizeof *s->corner);
    assert_non_null(s->corner);
    for (uint32_t i = 0; i < s->mesh->triangle_count; ++i)
    {
        ab_mesh_corners(s->mesh, i, s->corner[i]);
    }
}

static void close_surface(surface *s)
{
    free(s->corner);
    abut_geometry_release(s->geometry);
}

// A point of a triangle: often a corner, or on an edge, or inside by a hair.
static void aim(const surface *s, random_source *random, double out[3])
{
    const uint32_t which = random_below(random, s->mesh->triangle_count), sort = random_below(random, 3);
    const double inside = random_chance(random, 0.5) ? 0.0 : random_scale(random, 1e-12, 1e-3);
    double u = random_between(random, 0.0, 1.0), v = random_between(random, 0.0, 1.0);
    u = sort == 0 ? 0.0 : u;
    v = sort < 2 ? 0.0 : v * (1.0 - u);
    u += inside * (1.0 / 3.0 - u);
    v += inside * (1.0 / 3.0 - v);
    for (int k = 0; k < 3; ++k)
    {
        const double a = s->corner[which][0][k], b = s->corner[which][1][k], c = s->corner[which][2][k];
        out[k] = a + u * (b - a) + v * (c - a);
    }
}

static void some_ray(const surface *s, random_source *random, bool *aimed, double from[3], double way[3])
{
    const double size = (double)s->mesh->bounding_radius, far = size * random_scale(random, 1e-6, 1e4),
                 back = random_scale(random, 1e-4, 1.0);
    double target[3];
    *aimed = random_chance(random, 0.7);
    const dvec3 direction = random_direction(random);
    const double unit[3] = { direction.x, direction.y, direction.z };
    if (*aimed)
    {
        aim(s, random, target);
    }
    for (int k = 0; k < 3; ++k)
    {
        way[k] = random_chance(random, 0.2) ? 0.0 : far * unit[k];
        target[k] = *aimed ? target[k] : random_between(random, -size, size);
        from[k] = target[k] - back * way[k];
    }
}

// What a ray does with a triangle's plane: how far inside the triangle's edges it goes through, as a share, and where,
// as a fraction; and what both may be off by.
typedef struct meeting
{
    double depth, at, depth_band, at_band;
} meeting;

// By T. Moeller and B. Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997).
static meeting meet(double corner[3][3], const double from[3], const double way[3])
{
    double a[3], b[3], t[3], p[3], q[3];
    for (int k = 0; k < 3; ++k)
    {
        a[k] = corner[1][k] - corner[0][k];
        b[k] = corner[2][k] - corner[0][k];
        t[k] = from[k] - corner[0][k];
    }
    ab_cross(way, b, p);
    ab_cross(t, a, q);
    const double along = ab_dot(a, p), u = ab_dot(t, p) / along, v = ab_dot(way, q) / along, w = 1.0 - u - v;
    const double sides = sqrt(ab_dot(a, a)) + sqrt(ab_dot(b, b));
    const double away = sqrt(ab_dot(t, t)) + sqrt(ab_dot(from, from)), off = 1e-14 * away * sides / fabs(along);
    return (meeting){ u < v ? (u < w ? u : w) : (v < w ? v : w), ab_dot(b, q) / along, off * sqrt(ab_dot(way, way)),
                      off * sides + 1e-14 };
}

// NaN, of a ray along a triangle, is neither sure nor impossible.
static void judge(surface *s, const double from[3], const double way[3], bool hits, const ab_ray_entry *found)
{
    bool is_one = false, is_first = true;
    for (uint32_t i = 0; i < s->mesh->triangle_count; ++i)
    {
        const meeting m = meet(s->corner[i], from, way);
        const bool sure =
            m.depth > m.depth_band && m.at > m.at_band && m.at < (hits ? found->fraction : 1.0) - m.at_band;
        const bool beside = m.depth < -m.depth_band || fabs(m.at - found->fraction) > m.at_band;
        is_first = is_first && !sure;
        is_one = is_one || (hits && ab_mesh_child(s->mesh, i) == found->child && !beside);
    }
    assert_true(is_first && is_one == hits);
}

static void ask(surface *s, random_source *random, counts *seen)
{
    ab_ray_entry first = { 0 };
    double from[3], way[3];
    bool aimed, hits = false, has_first = false;
    some_ray(s, random, &aimed, from, way);
    EVERY_ISA(isa)
    {
        ab_ray_entry found = { 0 };
        const bool hit = ab_mesh_ray_by(ab_kernels_for(isa), &s->shape, from, way, false, &found);
        if (has_first)
        {
            assert_true(hit == hits);
            assert_memory_equal(&found, &first, sizeof found);
        }
        has_first = true;
        hits = hit;
        first = found;
    }
    judge(s, from, way, hits, &first);
    ++seen->rays;
    seen->hits += hits;
    seen->aimed += aimed;
}

static void the_first_of_all_triangles_is_hit(void **state)
{
    (void)state;
    counts seen = { 0 };
    const random_seeds seeds = random_seeds_of(SURFACES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        surface s;
        open_surface(&s, &random);
        for (int i = 0; i < RAYS; ++i)
        {
            ask(&s, &random, &seen);
        }
        close_surface(&s);
    }
    printf("%llu rays, %llu hits, %llu aimed\n", (unsigned long long)seen.rays, (unsigned long long)seen.hits,
           (unsigned long long)seen.aimed);
    assert_true(3 * seen.hits > seen.rays);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_first_of_all_triangles_is_hit) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
