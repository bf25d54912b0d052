// Triangle meshes as geometry: what is refused, rays without leaks, nearest points, boxes, and their images.
#include "mesh_makers.h"
#include "scarce_mesh.h"
#include "shape/mesh.h"

#include <abut/query.h>

#include <float.h>
#include <stdio.h>

static abut_status made_of(const abut_vec3 *vertices, uint32_t vertex_count, const uint32_t *indices, uint32_t count)
{
    const abut_mesh_def def = {
        .vertices = vertices, .indices = indices, .vertex_count = vertex_count, .triangle_count = count
    };
    abut_geometry *mesh;
    const abut_status status = abut_geometry_create_mesh(&def, NULL, &mesh);
    assert_true((status == ABUT_OK) == (mesh != NULL));
    abut_geometry_release(mesh);
    return status;
}

static void what_is_no_mesh_is_refused(void **state)
{
    (void)state;
    abut_vec3 v[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 2, 0, 0 } };
    const uint32_t good[3] = { 0, 1, 2 }, far[3] = { 0, 1, 4 }, line[3] = { 0, 1, 3 }, same[3] = { 1, 1, 2 };
    const float bad[] = { NAN, INFINITY, -INFINITY, 2.0f * ABUT_MAX_MAGNITUDE };
    abut_geometry *mesh = (abut_geometry *)(void *)v;
    assert_int_equal(made_of(v, 4, good, 1), ABUT_OK);
    assert_int_equal(made_of(v, 4, far, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(made_of(v, 4, line, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(made_of(v, 4, same, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(made_of(v, 4, good, 0), ABUT_INVALID_ARGUMENT);
    assert_int_equal(made_of(NULL, 4, good, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(made_of(v, 4, NULL, 1), ABUT_INVALID_ARGUMENT);
    assert_int_equal(made_of(v, 4, good, ABUT_MAX_MESH_TRIANGLES + 1), ABUT_LIMIT);
    for (size_t i = 0; i < 3 * COUNT(bad); ++i)
    {
        v[3] = (abut_vec3){ 2, 0, 0 };
        (&v[3].x)[i % 3] = bad[i / 3];
        assert_int_equal(made_of(v, 4, good, 1), ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_geometry_create_mesh(NULL, NULL, &mesh), ABUT_INVALID_ARGUMENT);
    assert_null(mesh);
    const abut_mesh_def def = { .vertices = v, .indices = good, .vertex_count = 3, .triangle_count = 1 };
    const abut_allocator half = { .allocate = lend };
    assert_int_equal(abut_geometry_create_mesh(&def, &half, &mesh), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, NULL), ABUT_INVALID_ARGUMENT);
}

static void triangles_keep_their_numbers_and_those_without_area_are_left_out(void **state)
{
    (void)state;
    const abut_vec3 v[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 }, { -0.0f, 0, -0.0f } };
    const uint32_t indices[12] = { 0, 1, 2, 1, 1, 2, 1, 3, 2, 4, 0, 1 };
    const abut_mesh_def def = { .vertices = v, .indices = indices, .vertex_count = 5, .triangle_count = 4 };
    abut_geometry *geometry;
    abut_vec3 corner[3];
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &geometry), ABUT_OK);
    const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
    assert_int_equal(abut_geometry_mesh_triangles(geometry), 4);
    assert_int_equal(mesh->triangle_count, 2);
    assert_int_equal(mesh->vertex_count, 4);
    assert_false(abut_geometry_mesh_triangle(geometry, 1, corner));
    assert_false(abut_geometry_mesh_triangle(geometry, 3, corner));
    assert_false(abut_geometry_mesh_triangle(geometry, 4, corner));
    assert_true(abut_geometry_mesh_triangle(geometry, 2, corner));
    assert_memory_equal(&corner[1], &v[3], sizeof v[3]);
    assert_true(abut_geometry_mesh_triangle(geometry, 0, NULL));
    assert_int_equal(abut_geometry_mesh_triangles(NULL), 0);
    assert_false(abut_geometry_mesh_triangle(NULL, 0, corner));
    const uint32_t first = ab_mesh_find_child(mesh, 0), second = ab_mesh_find_child(mesh, 2);
    assert_int_equal(ab_mesh_neighbour(mesh, first, 1), second);
    assert_int_equal(ab_mesh_listed_edge(mesh, first, 1), AB_EDGE_FLAT);
    assert_int_equal(ab_mesh_listed_edge(mesh, first, 0), AB_EDGE_BORDER);
    abut_geometry_release(geometry);
}

static void materials_are_of_triangles_as_given(void **state)
{
    (void)state;
    random_source random = random_start(3);
    mesh_maker m = { 0 };
    uint16_t materials[201];
    mesh_field(&m, &random, 10, 10, 1.0, 1.0, 0.2, NULL, NULL);
    mesh_triangle(&m, 0, 0, 1); // without area
    assert_int_equal(m.triangle_count, COUNT(materials));
    for (uint32_t i = 0; i < COUNT(materials); ++i)
    {
        materials[i] = (uint16_t)random_below(&random, 65536);
    }
    abut_mesh_def def = mesh_def_of(&m);
    abut_geometry *with[2], *without;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &without), ABUT_OK);
    def.materials = materials;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &with[0]), ABUT_OK);
    for (uint32_t i = 0; i < COUNT(materials); ++i)
    {
        assert_int_equal(abut_geometry_mesh_material(with[0], i), materials[i]);
        assert_int_equal(abut_geometry_mesh_material(without, i), 0);
    }
    assert_int_equal(abut_geometry_mesh_material(with[0], COUNT(materials)), 0);
    assert_int_equal(with[0]->bytes - without->bytes, sizeof materials);
    ++materials[0];
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &with[1]), ABUT_OK);
    const uint64_t hash[3] = { hash_with_mesh(with[0]), hash_with_mesh(with[1]), hash_with_mesh(without) };
    assert_true(hash[0] != hash[1] && hash[1] != hash[2] && hash[0] != hash[2]);
    abut_geometry_release(with[0]);
    abut_geometry_release(with[1]);
    abut_geometry_release(without);
    mesh_maker_close(&m);
}

// A square, of which the second half and what is beside it are neighbours', one of them without area.
static void neighbours_only_join_edges(void **state)
{
    (void)state;
    const abut_vec3 v[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 }, { 9, 1, 0 } };
    const uint32_t indices[12] = { 0, 1, 2, 1, 1, 2, 1, 3, 2, 1, 4, 3 };
    abut_mesh_def def = {
        .vertices = v, .indices = indices, .vertex_count = 5, .triangle_count = 4, .neighbour_count = 3
    };
    abut_geometry *geometry;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &geometry), ABUT_OK);
    const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
    const abut_shape shape = abut_shape_mesh(geometry);
    const abut_pose identity = abut_pose_identity();
    abut_vec3 on;
    ab_ray_entry entry;
    const double from[3] = { 0.9, 0.9, 1.0 }, near[3] = { 0.1, 0.1, 1.0 }, way[3] = { 0.0, 0.0, -2.0 };
    assert_int_equal(abut_geometry_mesh_triangles(geometry), 1);
    assert_false(abut_geometry_mesh_triangle(geometry, 1, NULL));
    assert_int_equal(mesh->triangle_count, 1);
    assert_int_equal(mesh->joined_count, 3);
    assert_int_equal(ab_mesh_neighbour(mesh, 0, 1), 1);
    assert_int_equal(ab_mesh_listed_edge(mesh, 0, 0), AB_EDGE_BORDER);
    assert_int_equal(ab_mesh_listed_edge(mesh, 0, 1), AB_EDGE_FLAT);
    assert_int_equal(ab_mesh_listed_edge(mesh, 1, 0), AB_EDGE_FLAT);
    assert_true(abut_shape_bounding_radius(&shape) < 1.001f);
    assert_int_equal(abut_shape_support(&shape, &identity, abut_vec3_make(1, 0.5f, 0), &on), ABUT_OK);
    assert_true(on.x == 1.0f && on.y == 0.0f);
    assert_int_equal(abut_shape_closest_point(&shape, &identity, abut_vec3_make(1, 1, 0), &on), ABUT_OK);
    assert_true(on.x == 0.5f && on.y == 0.5f);
    assert_false(ab_mesh_ray(&shape, from, way, &entry));
    assert_true(ab_mesh_ray(&shape, near, way, &entry));
    abut_geometry_release(geometry);
    for (def.neighbour_count = 4; def.neighbour_count < 6; ++def.neighbour_count)
    {
        assert_int_equal(abut_geometry_create_mesh(&def, NULL, &geometry), ABUT_INVALID_ARGUMENT);
    }
}

// Two triangles that meet at an edge; the other corner of the second is so high.
static ab_edge_kind edge_kind(float height, float x, bool turned)
{
    const abut_vec3 v[4] = { { 0, 0, 0 }, { 0, 0, 1 }, { 1, 0, 0 }, { x, height, 0 } };
    const uint32_t indices[2][6] = { { 0, 1, 2, 1, 0, 3 }, { 0, 1, 2, 0, 1, 3 } };
    const abut_mesh_def def = { .vertices = v, .indices = indices[turned], .vertex_count = 4, .triangle_count = 2 };
    abut_geometry *geometry;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &geometry), ABUT_OK);
    const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
    const ab_edge_kind kind = ab_mesh_listed_edge(mesh, ab_mesh_find_child(mesh, 0), 0);
    assert_int_equal(ab_mesh_listed_edge(mesh, ab_mesh_find_child(mesh, 1), 0), kind);
    abut_geometry_release(geometry);
    return kind;
}

static void edges_are_ridges_valleys_or_flat(void **state)
{
    (void)state;
    assert_int_equal(edge_kind(0.0f, -1.0f, false), AB_EDGE_FLAT);
    assert_int_equal(edge_kind(0.1f, -1.0f, false), AB_EDGE_CONCAVE);
    assert_int_equal(edge_kind(-0.1f, -1.0f, false), AB_EDGE_CONVEX);
    assert_int_equal(edge_kind(-1.0f, 0.5f, false), AB_EDGE_CONVEX);
    assert_int_equal(edge_kind(0.0f, 0.5f, false), AB_EDGE_CONVEX); // folded
    assert_int_equal(edge_kind(0.0f, -1.0f, true), AB_EDGE_BORDER); // faces the other way
}

// A surface without order: triangles of any size in a box.
static abut_geometry *crumbs(random_source *random, uint32_t count, double size)
{
    mesh_maker m = { 0 };
    for (uint32_t i = 0; i < count; ++i)
    {
        const dvec3 at = random_in_box(random, 1.0);
        uint32_t v[3];
        for (int k = 0; k < 3; ++k)
        {
            const dvec3 p = dvec3_add(at, random_in_box(random, random_scale(random, 1e-3, 0.5)));
            v[k] = mesh_vertex(&m, size * p.x, size * p.y, size * p.z);
        }
        mesh_triangle(&m, v[0], v[1], v[2]);
    }
    return mesh_made(&m);
}

static dvec3 wide(const double v[3])
{
    return dvec3_make(v[0], v[1], v[2]);
}

// T. Moeller, B. Trumbore, "Fast, minimum storage ray/triangle intersection" (1997). How near the ray comes to the
// triangle's border, as a share of the triangle; the fraction in *at.
static double ray_inside(const dvec3 corner[3], dvec3 from, dvec3 way, double *at)
{
    const dvec3 u = dvec3_sub(corner[1], corner[0]), v = dvec3_sub(corner[2], corner[0]), p = dvec3_cross(way, v);
    const double det = dvec3_dot(u, p);
    const dvec3 t = dvec3_sub(from, corner[0]), q = dvec3_cross(t, u);
    const double a = dvec3_dot(t, p) / det, b = dvec3_dot(way, q) / det;
    *at = dvec3_dot(v, q) / det;
    return fmin(fmin(a, b), 1.0 - a - b);
}

static void rays_hit_what_brute_force_says(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    uint64_t hits = 0, rays = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double size = random_scale(&random, 1e-3, 1e5);
        const uint32_t count = 1 + random_below(&random, 700);
        abut_geometry *geometry = crumbs(&random, count, size);
        const abut_shape shape = abut_shape_mesh(geometry);
        const abut_pose pose = abut_pose_identity();
        for (uint32_t i = 0; i < 200; ++i, ++rays)
        {
            const dvec3 from = random_in_box(&random, 2.0 * size), to = random_in_box(&random, size);
            const abut_ray ray = { random_narrow(from), random_narrow(dvec3_scale(dvec3_sub(to, from), 1.5)) };
            abut_ray_hit hit;
            assert_int_equal(abut_ray_shape(&ray, &shape, &pose, 0, &hit), ABUT_OK);
            const dvec3 o = dvec3_make(ray.origin.x, ray.origin.y, ray.origin.z);
            const dvec3 w = dvec3_make(ray.translation.x, ray.translation.y, ray.translation.z);
            double sure = 2.0, likely = 2.0; // the first that is surely hit, and that may be
            for (uint32_t k = 0; k < count; ++k)
            {
                abut_vec3 narrow[3];
                dvec3 corner[3];
                double at;
                if (!abut_geometry_mesh_triangle(geometry, k, narrow))
                {
                    continue;
                }
                for (int j = 0; j < 3; ++j)
                {
                    corner[j] = dvec3_make(narrow[j].x, narrow[j].y, narrow[j].z);
                }
                const dvec3 normal = dvec3_cross(dvec3_sub(corner[1], corner[0]), dvec3_sub(corner[2], corner[0]));
                const double inside = ray_inside(corner, o, w, &at);
                const double against = dvec3_dot(normal, w) / (dvec3_length(normal) * dvec3_length(w));
                if (against < 1e-6 && inside > -1e-6 && at > -1e-9 && at < 1.0 + 1e-9)
                {
                    likely = fmin(likely, at);
                    sure = against < -1e-6 && inside > 1e-6 && at > 1e-9 && at < 1.0 - 1e-9 ? fmin(sure, at) : sure;
                }
            }
            hits += hit.hit;
            if (hit.hit ? hit.fraction > sure + 1e-6 || hit.fraction < likely - 1e-6 : sure < 1.5)
            {
                fail_msg("seed %llu: ray %u ends at %a, not between %a and %a", (unsigned long long)seed, i,
                         hit.hit ? (double)hit.fraction : 2.0, likely, sure);
            }
        }
        abut_geometry_release(geometry);
    }
    printf("%llu rays, %llu hits\n", (unsigned long long)rays, (unsigned long long)hits);
}

// A closed ball of triangles; rays from its middle to points on its edges and to its corners.
static void surfaces_are_watertight(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(20);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker m = { 0 };
        const uint32_t facets = 3 + random_below(&random, 30);
        mesh_cylinder(&m, &random, facets, 1 + random_below(&random, 12), 1.0, 2.0, true);
        const uint32_t low = mesh_vertex(&m, 0, 0, -2.5), high = mesh_vertex(&m, 0, 0, 2.5);
        const uint32_t last = m.vertex_count - 2 - facets;
        for (uint32_t i = 0; i < facets; ++i)
        {
            mesh_triangle(&m, low, i, (i + 1) % facets);
            mesh_triangle(&m, high, last + (i + 1) % facets, last + i);
        }
        abut_geometry *geometry = mesh_made(&m);
        const abut_shape shape = abut_shape_mesh(geometry);
        const abut_pose pose = abut_pose_identity();
        const uint32_t count = abut_geometry_mesh_triangles(geometry);
        for (uint32_t i = 0; i < 2000; ++i)
        {
            abut_vec3 corner[3];
            abut_ray_hit hit;
            assert_true(abut_geometry_mesh_triangle(geometry, random_below(&random, count), corner));
            const float part = random_chance(&random, 0.3) ? 0.0f : (float)random_unit(&random);
            const abut_vec3 at =
                abut_vec3_add(abut_vec3_scale(corner[0], 1.0f - part), abut_vec3_scale(corner[1], part));
            const abut_vec3 from = random_narrow(random_in_box(&random, random_chance(&random, 0.5) ? 0.0 : 0.3));
            const abut_ray ray = { from, abut_vec3_scale(abut_vec3_sub(at, from), 1.5f) };
            assert_int_equal(abut_ray_shape(&ray, &shape, &pose, 0, &hit), ABUT_OK);
            assert_true(hit.hit);
            assert_true(fabs((double)hit.fraction * 1.5 - 1.0) < 1e-4);
        }
        abut_geometry_release(geometry);
    }
}

static bool note(void *context, uint32_t triangle)
{
    uint8_t *seen = context;
    assert_int_equal(seen[triangle], 0);
    seen[triangle] = 1;
    return true;
}

static bool stop(void *context, uint32_t triangle)
{
    (void)triangle;
    return --*(int *)context > 0;
}

static void boxes_find_each_triangle_that_they_meet_once(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_geometry *geometry = crumbs(&random, 1 + random_below(&random, 3000), 1.0);
        const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
        static uint8_t seen[3000];
        for (uint32_t i = 0; i < 20; ++i)
        {
            const dvec3 at = random_in_box(&random, 1.2);
            const double half = random_scale(&random, 1e-3, 1.0), middle[3] = { at.x, at.y, at.z };
            const ab_mesh_box box = ab_mesh_box_of(middle, middle, half);
            memset(seen, 0, sizeof seen);
            int found = 0;
            assert_true(ab_mesh_overlap(mesh, &box, note, seen));
            for (uint32_t k = 0; k < mesh->triangle_count; ++k)
            {
                double corner[3][3];
                bool apart = false;
                ab_mesh_corners(mesh, k, corner);
                for (int j = 0; j < 3; ++j)
                {
                    const double least = fmin(corner[0][j], fmin(corner[1][j], corner[2][j]));
                    const double most = fmax(corner[0][j], fmax(corner[1][j], corner[2][j]));
                    apart = apart || least > box.max[j] || most < box.min[j];
                }
                assert_int_equal(seen[k], !apart);
                found += !apart;
            }
            int left = 1;
            assert_true(ab_mesh_overlap(mesh, &box, stop, &left) == (found == 0));
        }
        abut_geometry_release(geometry);
    }
}

static void nearest_points_are_the_nearest(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double size = random_scale(&random, 1e-3, 1e5);
        abut_geometry *geometry = crumbs(&random, 1 + random_below(&random, 500), size);
        const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
        for (uint32_t i = 0; i < 20; ++i)
        {
            const dvec3 at = random_in_box(&random, 2.0 * size);
            const double point[3] = { at.x, at.y, at.z };
            double on[3], least = DBL_MAX;
            const uint32_t found = ab_mesh_nearest(mesh, point, on);
            assert_true(found < mesh->triangle_count);
            for (uint32_t k = 0; k < mesh->triangle_count; ++k)
            {
                // by sampling the triangle's border and its plane
                double corner[3][3], here[3];
                ab_mesh_corners(mesh, k, corner);
                ab_mesh_nearest_on(corner, point, here);
                const double distance = dvec3_length(dvec3_sub(wide(here), at));
                least = fmin(least, distance);
                for (uint32_t s = 0; s < 30; ++s)
                {
                    const double u = random_unit(&random), v = random_unit(&random) * (1.0 - u);
                    dvec3 p = dvec3_scale(wide(corner[0]), 1.0 - u - v);
                    p = dvec3_add(p, dvec3_add(dvec3_scale(wide(corner[1]), u), dvec3_scale(wide(corner[2]), v)));
                    assert_true(distance <= dvec3_length(dvec3_sub(p, at)) + 1e-12 * size);
                }
            }
            assert_true(fabs(dvec3_length(dvec3_sub(wide(on), at)) - least) <= 1e-12 * size);
        }
        const abut_shape shape = abut_shape_mesh(geometry);
        const abut_pose pose = abut_pose_identity();
        const abut_vec3 vertex = mesh->vertices[random_below(&random, mesh->vertex_count)];
        abut_vec3 closest;
        bool inside;
        assert_int_equal(abut_shape_closest_point(&shape, &pose, vertex, &closest), ABUT_OK);
        assert_memory_equal(&closest, &vertex, sizeof closest);
        assert_int_equal(abut_shape_contains(&shape, &pose, vertex, &inside), ABUT_OK);
        assert_true(inside);
        assert_true(abut_shape_bounding_radius(&shape) >= size * 0.1);
        abut_geometry_release(geometry);
    }
}

static void calls_of_two_shapes_refuse_meshes(void **state)
{
    (void)state;
    random_source random = random_start(1);
    abut_geometry *geometry = crumbs(&random, 10, 1.0);
    const abut_shape mesh = abut_shape_mesh(geometry), ball = abut_shape_sphere(1.0f), none = abut_shape_mesh(NULL);
    const abut_pose pose = abut_pose_identity();
    abut_manifold manifold;
    bool overlap;
    assert_false(abut_shape_valid(&none));
    assert_true(abut_shape_valid(&mesh));
    assert_int_equal(abut_collide(&mesh, &pose, &ball, &pose, 0, &manifold), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_overlap(&ball, &pose, &mesh, &pose, &overlap), ABUT_INVALID_ARGUMENT);
    abut_geometry_release(geometry);
}

static void out_of_memory_is_reported_at_each_request(void **state)
{
    (void)state;
    random_source random = random_start(1);
    mesh_maker m = { 0 };
    mesh_field(&m, &random, 20, 20, 1.0, 1.0, 0.2, NULL, NULL);
    const abut_mesh_def def = mesh_def_of(&m);
    expect_each_request_can_fail(&def);
    mesh_maker_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_mesh_is_refused),
        cmocka_unit_test(triangles_keep_their_numbers_and_those_without_area_are_left_out),
        cmocka_unit_test(neighbours_only_join_edges),
        cmocka_unit_test(materials_are_of_triangles_as_given),
        cmocka_unit_test(edges_are_ridges_valleys_or_flat),
        cmocka_unit_test(rays_hit_what_brute_force_says),
        cmocka_unit_test(surfaces_are_watertight),
        cmocka_unit_test(boxes_find_each_triangle_that_they_meet_once),
        cmocka_unit_test(nearest_points_are_the_nearest),
        cmocka_unit_test(calls_of_two_shapes_refuse_meshes),
        cmocka_unit_test(out_of_memory_is_reported_at_each_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
