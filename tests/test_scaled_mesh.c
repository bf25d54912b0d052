// Scaled meshes and heightfields by themselves, against those made by hand from the products: triangles, neighbours,
// materials, boxes, rays and nearest points.
#include "scaled_surfaces.h"
#include "shape/mesh.h"

#include <float.h>
#include <stdio.h>

enum
{
    MOST = 1024 // triangles
};

// The same surface twice: scaled, and made by hand.
typedef struct couple
{
    surface surface;
    abut_vec3 scale;
    abut_geometry *geometry[2];
    const ab_mesh *mesh[2];
} couple;

static couple random_couple(random_source *random, uint64_t seed)
{
    couple c = { .surface = random_surface(random, true) };
    c.scale = random_scale_of(random, &c.surface);
    for (int k = 0; k < 3 && !c.surface.is_grid && seed % 8 == 0; ++k) // products lose their last bits
    {
        float *factor = &c.scale.x + k;
        *factor = copysignf((float)random_scale(random, 1e-40, 1e-37), *factor);
    }
    surface_pair(&c.surface, c.scale, c.geometry);
    for (int i = 0; i < 2; ++i)
    {
        c.mesh[i] = ab_mesh_of_geometry(c.geometry[i]);
        assert_true(c.mesh[i]->given_count <= MOST);
    }
    return c;
}

static void couple_close(couple *c)
{
    abut_geometry_release(c->geometry[0]);
    abut_geometry_release(c->geometry[1]);
    surface_close(&c->surface);
}

// Where the caller's triangle is in a mesh; those of neighbours have the numbers behind. There is one.
static uint32_t place_of(const ab_mesh *mesh, uint32_t child)
{
    return ab_mesh_is_grid(mesh)       ? child
           : child < mesh->given_count ? ab_mesh_find_child(mesh, child)
                                       : mesh->triangle_count + (child - mesh->given_count);
}

// The caller's number of what is across an edge.
static uint32_t across(const ab_mesh *mesh, uint32_t child, int k)
{
    const uint32_t neighbour = ab_mesh_neighbour(mesh, place_of(mesh, child), k);
    return neighbour == AB_NO_TRIANGLE ? AB_NO_TRIANGLE : ab_mesh_child(mesh, neighbour);
}

static uint32_t neighbours_of(const ab_mesh *mesh)
{
    return ab_mesh_is_grid(mesh) ? 0 : mesh->joined_count - mesh->triangle_count;
}

static void expect_same_edges(const couple *c, uint32_t child)
{
    for (int k = 0; k < 3; ++k)
    {
        assert_int_equal(across(c->mesh[0], child, k), across(c->mesh[1], child, k));
        assert_int_equal(ab_mesh_edge_kind(c->mesh[0], place_of(c->mesh[0], child), k),
                         ab_mesh_edge_kind(c->mesh[1], place_of(c->mesh[1], child), k));
    }
}

static void expect_same_neighbours(const couple *c)
{
    const uint32_t count = neighbours_of(c->mesh[0]), given = c->mesh[0]->given_count;
    assert_int_equal(neighbours_of(c->mesh[1]), count);
    for (uint32_t i = given; i < given + count; ++i)
    {
        abut_vec3 at[2][3];
        for (int k = 0; k < 2; ++k)
        {
            assert_false(abut_geometry_mesh_triangle(c->geometry[k], i, NULL));
            assert_int_equal(abut_geometry_mesh_material(c->geometry[k], i), 0);
            ab_mesh_positions(c->mesh[k], place_of(c->mesh[k], i), at[k]);
        }
        assert_memory_equal(at[0], at[1], sizeof at[0]);
        expect_same_edges(c, i);
    }
}

static void triangles_and_their_edges_are_those_of_the_products(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(1000);
    uint32_t own_kinds = 0, mirrored = 0, joined = 0, made_anew = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        couple c = random_couple(&random, seed);
        assert_int_equal(abut_geometry_mesh_triangles(c.geometry[0]), abut_geometry_mesh_triangles(c.geometry[1]));
        own_kinds += c.mesh[0]->edges != NULL;
        mirrored += c.mesh[0]->is_mirrored;
        joined += c.mesh[0]->is_scaled && neighbours_of(c.mesh[0]) > 0;
        made_anew += c.mesh[0]->original && !c.mesh[0]->is_scaled && neighbours_of(c.mesh[0]) > 0;
        expect_same_neighbours(&c);
        for (uint32_t i = 0; i < c.mesh[0]->given_count; ++i)
        {
            abut_vec3 at[2][3];
            const bool there = abut_geometry_mesh_triangle(c.geometry[0], i, at[0]);
            assert_int_equal(abut_geometry_mesh_triangle(c.geometry[1], i, at[1]), there);
            assert_int_equal(abut_geometry_mesh_material(c.geometry[0], i),
                             abut_geometry_mesh_material(c.geometry[1], i));
            if (there)
            {
                assert_memory_equal(at[0], at[1], sizeof at[0]);
                expect_same_edges(&c, i);
            }
        }
        couple_close(&c);
    }
    printf("%u with kinds of edges of their own, %u mirrored, %u with neighbours, %u of these made anew\n", own_kinds,
           mirrored, joined + made_anew, made_anew);
    assert_true(!random_seeds_all() || (own_kinds > 20 && mirrored > 100 && joined > 200 && made_anew > 4));
}

static void a_shape_is_as_large_as_that_of_the_products(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        couple c = random_couple(&random, seed);
        const abut_shape shape[2] = { abut_shape_mesh(c.geometry[0]), abut_shape_mesh(c.geometry[1]) };
        const float radius = abut_shape_bounding_radius(&shape[0]);
        assert_true(radius == abut_shape_bounding_radius(&shape[1]));
        assert_memory_equal(&c.mesh[0]->half, &c.mesh[1]->half, sizeof c.mesh[0]->half);
        for (uint32_t i = 0; i < 10; ++i)
        {
            const abut_pose pose = { .position = random_narrow(random_in_box(&random, 1.0)),
                                     .rotation = random_narrow_rotation(random_rotation(&random)) };
            const abut_vec3 way = random_narrow(random_direction(&random)),
                            point = random_narrow(random_in_box(&random, (double)radius));
            abut_aabb box[2];
            abut_vec3 closest[2];
            float reach[2];
            for (int k = 0; k < 2; ++k)
            {
                assert_int_equal(abut_shape_bounds(&shape[k], &pose, &box[k]), ABUT_OK);
                assert_int_equal(abut_shape_projection_radius(&shape[k], &pose, way, &reach[k]), ABUT_OK);
                assert_int_equal(abut_shape_closest_point(&shape[k], &pose, point, &closest[k]), ABUT_OK);
            }
            assert_memory_equal(&box[0], &box[1], sizeof box[0]);
            assert_memory_equal(&closest[0], &closest[1], sizeof closest[0]);
            assert_true(reach[0] == reach[1]);
        }
        couple_close(&c);
    }
}

// Who counts how often each triangle is seen, and shrinks the box while it sees.
typedef struct seen
{
    const ab_mesh *mesh;
    uint8_t times[MOST];
    ab_mesh_box *shrinks; // by one side; NULL: it does not
} seen;

static bool note(void *context, uint32_t triangle)
{
    seen *s = context;
    const uint32_t child = ab_mesh_child(s->mesh, triangle);
    assert_true(child < MOST && s->times[child] == 0 && ab_mesh_is_triangle(s->mesh, triangle));
    s->times[child] = 1;
    if (s->shrinks)
    {
        s->shrinks->max[triangle % 3] = s->shrinks->min[triangle % 3];
    }
    return true;
}

// A box with sides that are coordinates of corners, to the bit, or the next floats.
static ab_mesh_box box_at_corners(random_source *random, const ab_mesh *mesh)
{
    ab_mesh_box box;
    for (int k = 0; k < 3; ++k)
    {
        float side[2];
        for (int i = 0; i < 2; ++i)
        {
            const abut_vec3 at = ab_mesh_position(mesh, random_below(random, mesh->vertex_count));
            side[i] = (&at.x)[k];
            side[i] = random_chance(random, 0.2) ? nextafterf(side[i], random_chance(random, 0.5) ? -FLT_MAX : FLT_MAX)
                                                 : side[i];
        }
        box.min[k] = side[0] < side[1] ? side[0] : side[1];
        box.max[k] = random_chance(random, 0.5) ? box.min[k] : side[0] < side[1] ? side[1] : side[0];
        if (random_chance(random, 0.6))
        {
            box.min[k] = -FLT_MAX;
            box.max[k] = FLT_MAX;
        }
    }
    return box;
}

static void see_by_blocks(const ab_mesh *mesh, const ab_mesh_box *box, seen *out)
{
    ab_mesh_leaves leaves;
    ab_mesh_blocks blocks;
    if (ab_mesh_find_leaves(mesh, box, &leaves) && ab_mesh_find_blocks(mesh, box, &leaves, &blocks))
    {
        assert_true(ab_mesh_see_blocks(mesh, &blocks, note, out));
    }
    else
    {
        assert_true(ab_mesh_may_overlap(mesh, box, note, out));
    }
}

static void boxes_find_all_triangles_that_they_touch(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(1000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        couple c = random_couple(&random, seed);
        for (uint32_t i = 0; i < 60; ++i)
        {
            const ab_mesh_box box = box_at_corners(&random, c.mesh[1]);
            ab_mesh_box shrinking = box;
            seen exact = { .mesh = c.mesh[0] }, some = exact, shrunk = exact;
            shrunk.shrinks = &shrinking;
            assert_true(ab_mesh_overlap(c.mesh[0], &box, note, &exact));
            assert_true(ab_mesh_overlap(c.mesh[0], &shrinking, note, &shrunk));
            see_by_blocks(c.mesh[0], &box, &some);
            for (uint32_t child = 0; child < c.mesh[1]->given_count; ++child)
            {
                const uint32_t at = place_of(c.mesh[1], child);
                const bool touches = at != AB_NO_TRIANGLE && ab_mesh_is_triangle(c.mesh[1], at) &&
                                     ab_mesh_triangle_within(c.mesh[1], at, &box);
                assert_int_equal(exact.times[child], touches);
                assert_true(some.times[child] || !touches);
                assert_true(exact.times[child] || !shrunk.times[child]);
                // What is in the box to the end is seen to the end.
                assert_true(shrunk.times[child] || !touches || !ab_mesh_triangle_within(c.mesh[1], at, &shrinking));
            }
        }
        couple_close(&c);
    }
}

// Which neighbours are seen.
typedef struct seen_neighbours
{
    const ab_mesh *mesh;
    uint8_t times[2 * MOST];
} seen_neighbours;

static bool note_neighbour(void *context, uint32_t triangle)
{
    seen_neighbours *s = context;
    const uint32_t child = ab_mesh_child(s->mesh, triangle);
    assert_true(child < COUNT(s->times) && s->times[child] == 0 && !ab_mesh_is_triangle(s->mesh, triangle));
    s->times[child] = 1;
    return true;
}

static void boxes_find_the_same_neighbours(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    uint32_t found = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        couple c = random_couple(&random, seed);
        for (uint32_t i = 0; i < 60; ++i)
        {
            const ab_mesh_box box = box_at_corners(&random, c.mesh[1]);
            seen_neighbours one = { .mesh = c.mesh[0] }, other = { .mesh = c.mesh[1] };
            assert_true(ab_mesh_overlap_neighbours(c.mesh[0], &box, note_neighbour, &one));
            assert_true(ab_mesh_overlap_neighbours(c.mesh[1], &box, note_neighbour, &other));
            assert_memory_equal(one.times, other.times, sizeof one.times);
            found += memchr(one.times, 1, sizeof one.times) != NULL;
        }
        couple_close(&c);
    }
    printf("%u boxes with neighbours\n", found);
    assert_true(!random_seeds_all() || found > 500);
}

// A point of the surface: a corner, on an edge, or within a triangle.
static void point_on(random_source *random, const ab_mesh *mesh, double out[3])
{
    double corner[3][3], share[3] = { 1.0, 0.0, 0.0 };
    uint32_t triangle = random_below(random, mesh->triangle_count);
    while (!ab_mesh_is_triangle(mesh, triangle))
    {
        triangle = random_below(random, mesh->triangle_count);
    }
    ab_mesh_corners(mesh, triangle, corner);
    if (random_chance(random, 0.7))
    {
        share[1] = random_unit(random);
        share[2] = random_chance(random, 0.5) ? 0.0 : (1.0 - share[1]) * random_unit(random);
        share[0] = 1.0 - share[1] - share[2];
    }
    for (int k = 0; k < 3; ++k)
    {
        out[k] = share[0] * corner[0][k] + share[1] * corner[1][k] + share[2] * corner[2][k];
    }
}

static void rays_and_nearest_points_are_those_of_the_products(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(1000);
    uint32_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        couple c = random_couple(&random, seed);
        const abut_shape shape[2] = { abut_shape_mesh(c.geometry[0]), abut_shape_mesh(c.geometry[1]) };
        const float *half = &c.mesh[0]->half.x;
        for (uint32_t i = 0; i < 40; ++i)
        {
            double from[3], way[3], to[3], on[2][3];
            ab_ray_entry entry[2];
            point_on(&random, c.mesh[1], to);
            const bool along_axis = random_chance(&random, 0.2);
            const uint32_t axis = random_below(&random, 3);
            for (uint32_t k = 0; k < 3; ++k)
            {
                from[k] = along_axis && k != axis ? to[k] : random_between(&random, -2, 2) * (double)half[k];
                way[k] = 1.5 * (to[k] - from[k]);
            }
            const bool hit = ab_mesh_ray(&shape[0], from, way, &entry[0]);
            assert_int_equal(ab_mesh_ray(&shape[1], from, way, &entry[1]), hit);
            hits += hit;
            if (hit)
            {
                assert_memory_equal(&entry[0].fraction, &entry[1].fraction, sizeof entry[0].fraction);
                assert_memory_equal(entry[0].normal, entry[1].normal, sizeof entry[0].normal);
                assert_int_equal(entry[0].child, entry[1].child);
            }
            const double *point = random_chance(&random, 0.5) ? from : to;
            const uint32_t one = ab_mesh_nearest(c.mesh[0], point, on[0]),
                           other = ab_mesh_nearest(c.mesh[1], point, on[1]);
            assert_memory_equal(on[0], on[1], sizeof on[0]);
            assert_int_equal(ab_mesh_child(c.mesh[0], one), ab_mesh_child(c.mesh[1], other));
        }
        couple_close(&c);
    }
    printf("%u hits\n", hits);
    assert_true(!random_seeds_all() || hits > 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_and_their_edges_are_those_of_the_products),
        cmocka_unit_test(a_shape_is_as_large_as_that_of_the_products),
        cmocka_unit_test(boxes_find_all_triangles_that_they_touch),
        cmocka_unit_test(boxes_find_the_same_neighbours),
        cmocka_unit_test(rays_and_nearest_points_are_those_of_the_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
