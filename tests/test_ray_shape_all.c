// Rays through one shape: every triangle and part that they hit, and triangles from behind.
#include "mesh_makers.h"

#include <abut/abut.h>

#include <stdio.h>
#include <string.h>

enum
{
    SURFACES = 120,
    RAYS = 60,
    MOST = 400 // triangles of a surface
};

// A surface, and each of its triangles as a mesh of its own.
typedef struct surface
{
    abut_geometry *whole, *both_sides;
    abut_geometry *alone[MOST];
    uint32_t count;
    double size;
} surface;

static double wave(void *context, double x, double z)
{
    const double *size = context;
    return 0.3 * *size * (sin(7.0 * x / *size) + cos(9.0 * z / *size));
}

static void open_alone(surface *s)
{
    static const uint32_t indices[3] = { 0, 1, 2 };
    s->count = abut_geometry_mesh_triangles(s->whole);
    assert_true(s->count <= MOST);
    for (uint32_t i = 0; i < s->count; ++i)
    {
        abut_vec3 corner[3];
        const abut_mesh_def def = {
            .vertices = corner, .indices = indices, .vertex_count = 3, .triangle_count = 1, .two_sided = false
        };
        s->alone[i] = NULL;
        if (abut_geometry_mesh_triangle(s->whole, i, corner))
        {
            assert_int_equal(abut_geometry_create_mesh(&def, NULL, &s->alone[i]), ABUT_OK);
        }
    }
}

static void scale(abut_geometry **mesh, abut_vec3 by)
{
    abut_geometry *scaled;
    assert_int_equal(abut_geometry_create_scaled(*mesh, by, NULL, &scaled), ABUT_OK);
    abut_geometry_release(*mesh);
    *mesh = scaled;
}

static void open_mesh(surface *s, random_source *random)
{
    mesh_maker m = { 0 };
    if (random_chance(random, 0.5))
    {
        mesh_soup(&m, random, 1 + random_below(random, 150), s->size);
    }
    else
    {
        mesh_field(&m, random, 1 + random_below(random, 13), 1 + random_below(random, 13), s->size, s->size, 0.3, wave,
                   &s->size);
    }
    abut_mesh_def def = mesh_def_of(&m);
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &s->whole), ABUT_OK);
    def.two_sided = true;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &s->both_sides), ABUT_OK);
    mesh_maker_close(&m);
    if (random_chance(random, 0.3))
    {
        const abut_vec3 by = abut_vec3_make(-1.5f, random_chance(random, 0.5) ? -0.75f : 0.75f, 1.25f);
        scale(&s->whole, by);
        scale(&s->both_sides, by);
    }
}

static void open_field(surface *s, random_source *random)
{
    float heights[14 * 14];
    uint8_t cells[13 * 13];
    abut_heightfield_def def = { .heights = heights,
                                 .cells = cells,
                                 .columns = 2 + random_below(random, 13),
                                 .rows = 2 + random_below(random, 13),
                                 .step_x = (float)s->size / 8.0f,
                                 .step_z = (float)s->size / 7.0f };
    for (uint32_t i = 0; i < sizeof cells; ++i)
    {
        cells[i] = i > 0 && random_chance(random, 0.1) ? ABUT_CELL_HOLE : ABUT_CELL_SURFACE;
    }
    for (uint32_t i = 0; i < def.columns * def.rows; ++i)
    {
        heights[i] = (float)random_between(random, -0.4 * s->size, 0.4 * s->size);
    }
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &s->whole), ABUT_OK);
    def.two_sided = true;
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &s->both_sides), ABUT_OK);
}

static void close_surface(surface *s)
{
    for (uint32_t i = 0; i < s->count; ++i)
    {
        abut_geometry_release(s->alone[i]);
    }
    abut_geometry_release(s->whole);
    abut_geometry_release(s->both_sides);
}

static abut_ray some_ray(random_source *random, double size)
{
    const dvec3 a = random_direction(random), b = random_direction(random);
    const double from = random_scale(random, 0.1, 3.0) * size, to = random_scale(random, 0.1, 3.0) * size;
    const abut_vec3 origin = abut_vec3_make((float)(from * a.x), (float)(from * a.y), (float)(from * a.z));
    const abut_vec3 end = abut_vec3_make((float)(to * b.x), (float)(to * b.y), (float)(to * b.z));
    return (abut_ray){ origin, abut_vec3_make(end.x - origin.x, end.y - origin.y, end.z - origin.z) };
}

static abut_pose some_pose(random_source *random, double size)
{
    abut_pose pose = abut_pose_identity();
    const dvec3 axis = random_direction(random);
    if (random_chance(random, 0.7))
    {
        const double angle = random_between(random, 0.0, 3.0), s = sin(angle);
        pose.position = abut_vec3_make((float)(random_between(random, -0.2, 0.2) * size), 0.0f, (float)(0.1 * size));
        pose.rotation = (abut_quat){ (float)(s * axis.x), (float)(s * axis.y), (float)(s * axis.z), (float)cos(angle) };
    }
    return pose;
}

static bool comes_before(const abut_ray_hit *a, const abut_ray_hit *b)
{
    const bool leaves_a = (a->flags & ABUT_HIT_BACK) != 0, leaves_b = (b->flags & ABUT_HIT_BACK) != 0;
    return a->fraction < b->fraction ||
           (a->fraction == b->fraction && (leaves_a == leaves_b ? a->child < b->child : leaves_b));
}

// By one question for each triangle, and insertion.
static uint32_t expect_each(const surface *s, const abut_ray *ray, const abut_pose *pose, uint32_t flags,
                            abut_ray_hit *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        abut_ray_hit hit;
        if (!s->alone[i])
        {
            continue;
        }
        const abut_shape shape = abut_shape_mesh(s->alone[i]);
        assert_int_equal(abut_ray_shape(ray, &shape, pose, flags, &hit), ABUT_OK);
        if (!hit.hit)
        {
            continue;
        }
        uint32_t at = count++;
        hit.child = i;
        for (; at > 0 && comes_before(&hit, &out[at - 1]); --at)
        {
            out[at] = out[at - 1];
        }
        out[at] = hit;
    }
    return count;
}

static void assert_hit_equal(const abut_ray_hit *a, const abut_ray_hit *b)
{
    assert_true(a->hit == b->hit && a->fraction == b->fraction && a->child == b->child && a->flags == b->flags);
    assert_memory_equal(&a->offset, &b->offset, sizeof a->offset);
    assert_true(a->normal.x == b->normal.x && a->normal.y == b->normal.y && a->normal.z == b->normal.z);
    assert_true(a->depth == 0.0f && b->depth == 0.0f);
}

// A mesh with two sides is hit where one with one side is, and its normals are against the ray.
static void assert_sides_agree(const surface *s, const abut_ray *ray, const abut_pose *pose)
{
    const abut_shape one = abut_shape_mesh(s->whole), two = abut_shape_mesh(s->both_sides);
    abut_ray_hit a, b;
    assert_int_equal(abut_ray_shape(ray, &one, pose, ABUT_QUERY_BACK_FACES, &a), ABUT_OK);
    assert_int_equal(abut_ray_shape(ray, &two, pose, ABUT_QUERY_BACK_FACES, &b), ABUT_OK);
    assert_int_equal(b.flags, 0);
    const float turn = a.flags & ABUT_HIT_BACK ? -1.0f : 1.0f;
    a.normal = abut_vec3_make(turn * a.normal.x, turn * a.normal.y, turn * a.normal.z);
    a.flags = 0;
    assert_hit_equal(&a, &b);
    const abut_vec3 n = b.normal, t = ray->translation;
    assert_true(!b.hit || n.x * t.x + n.y * t.y + n.z * t.z <= 1e-5f * (fabsf(t.x) + fabsf(t.y) + fabsf(t.z)));
}

typedef struct counts
{
    uint64_t hits, backs, several;
} counts;

static void ask(const surface *s, random_source *random, counts *seen)
{
    const abut_ray ray = some_ray(random, s->size);
    const abut_pose pose = some_pose(random, s->size);
    const abut_shape shape = abut_shape_mesh(s->whole);
    const uint32_t flags = random_chance(random, 0.5) ? ABUT_QUERY_BACK_FACES : 0u;
    const uint32_t capacity = random_chance(random, 0.5) ? MOST : random_below(random, 12);
    abut_ray_hit wanted[MOST], got[MOST], first;
    uint32_t count = 0;
    memset(got, 0x5a, sizeof got);
    const uint32_t all = expect_each(s, &ray, &pose, flags, wanted);
    assert_int_equal(abut_ray_shape_all(&ray, &shape, &pose, flags, capacity > 0 ? got : NULL, capacity, &count),
                     ABUT_OK);
    assert_int_equal(count, all);
    for (uint32_t i = 0; i < all && i < capacity; ++i)
    {
        assert_hit_equal(&got[i], &wanted[i]);
        seen->backs += (got[i].flags & ABUT_HIT_BACK) != 0;
    }
    assert_int_equal(abut_ray_shape(&ray, &shape, &pose, flags, &first), ABUT_OK);
    assert_true(first.hit == (all > 0));
    if (all > 0 && (all == 1 || wanted[0].fraction < wanted[1].fraction))
    {
        assert_hit_equal(&first, &wanted[0]);
    }
    const uint32_t written = all < capacity ? all : capacity;
    for (size_t i = written * sizeof *got; i < sizeof got; ++i)
    {
        assert_int_equal(((const unsigned char *)got)[i], 0x5a);
    }
    assert_sides_agree(s, &ray, &pose);
    seen->hits += all;
    seen->several += all > 8;
}

static void each_triangle_is_found_as_if_it_were_alone(void **state)
{
    (void)state;
    counts seen = { 0 };
    const random_seeds seeds = random_seeds_of(SURFACES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        surface s = { .size = random_scale(&random, 1e-2, 1e3) };
        (seed % 3 == 0 ? open_field : open_mesh)(&s, &random);
        open_alone(&s);
        for (int i = 0; i < RAYS; ++i)
        {
            ask(&s, &random, &seen);
        }
        close_surface(&s);
    }
    printf("%llu hits, %llu from behind; %llu rays with more than 8\n", (unsigned long long)seen.hits,
           (unsigned long long)seen.backs, (unsigned long long)seen.several);
    assert_true(seen.hits > 0 && 8 * seen.backs > seen.hits && (seen.several > 0 || !random_seeds_all()));
}

// Parts a metre apart along x, about -2, 0 and 2.
static void each_part_of_a_compound_is_found(void **state)
{
    (void)state;
    abut_placed_shape parts[3];
    abut_geometry *compound;
    for (int i = 0; i < 3; ++i)
    {
        parts[i] = (abut_placed_shape){ .shape = i == 1 ? abut_shape_sphere(0.5f) : abut_shape_obb(0.5f, 0.5f, 0.5f),
                                        .pose = abut_pose_identity() };
        parts[i].pose.position.x = 2.0f * (float)(1 - i);
    }
    assert_int_equal(abut_geometry_create_compound(parts, 3, NULL, &compound), ABUT_OK);
    const abut_shape shape = abut_shape_compound(compound);
    const abut_pose pose = abut_pose_identity();
    const abut_ray through = { { -4, 0, 0 }, { 8, 0, 0 } }, within = { { 0, 0, 0 }, { 8, 0, 0 } };
    abut_ray_hit hits[3];
    uint32_t count;
    assert_int_equal(abut_ray_shape_all(&through, &shape, &pose, 0, hits, 3, &count), ABUT_OK);
    assert_int_equal(count, 3);
    for (uint32_t i = 0; i < 3; ++i)
    {
        assert_int_equal(hits[i].child, 2 - i);
        assert_true(fabsf(hits[i].fraction - (1.5f + 2.0f * (float)i) / 8.0f) < 1e-6f);
    }
    assert_int_equal(abut_ray_shape_all(&within, &shape, &pose, ABUT_QUERY_HOLLOW, hits, 3, &count), ABUT_OK);
    assert_int_equal(count, 2);
    assert_true(hits[0].child == 1 && hits[0].flags == ABUT_HIT_BACK && hits[0].fraction == 0.0625f);
    assert_true(hits[1].child == 0 && hits[1].flags == 0 && hits[1].fraction == 0.1875f);
    assert_int_equal(abut_ray_shape_all(&within, &shape, &pose, 0, hits, 1, &count), ABUT_OK);
    assert_true(count == 2 && hits[0].child == 1 && hits[0].flags == ABUT_HIT_INSIDE);
    const abut_shape ball = abut_shape_sphere(1.0f);
    assert_int_equal(abut_ray_shape_all(&through, &ball, &pose, 0, hits, 3, &count), ABUT_OK);
    assert_true(count == 1 && hits[0].fraction == 0.375f);
    abut_geometry_release(compound);
}

// A cube of twelve triangles that faces outward.
static abut_geometry *make_cube(void)
{
    static const abut_vec3 vertices[8] = { { -1, -1, -1 }, { 1, -1, -1 }, { -1, 1, -1 }, { 1, 1, -1 },
                                           { -1, -1, 1 },  { 1, -1, 1 },  { -1, 1, 1 },  { 1, 1, 1 } };
    static const uint32_t indices[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };
    const abut_mesh_def def = { .vertices = vertices, .indices = indices, .vertex_count = 8, .triangle_count = 12 };
    abut_geometry *cube;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &cube), ABUT_OK);
    return cube;
}

static void a_world_finds_walls_from_behind(void **state)
{
    (void)state;
    abut_world *world;
    abut_geometry *cube = make_cube();
    abut_body body;
    const abut_body_def def = { .motion = ABUT_STATIC,
                                .pose = { .position = { 10, 0, 0 } },
                                .collider = { .shape = abut_shape_mesh(cube) } };
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    const abut_query_filter backs = { .flags = ABUT_QUERY_BACK_FACES };
    const abut_ray rays[2] = { { { 10, 0.25f, 0.5f }, { 4, 0, 0 } }, { { 4, 0.25f, 0.5f }, { 8, 0, 0 } } };
    abut_hit hit[2], alone;
    bool any;
    assert_int_equal(abut_world_ray_closest(world, &rays[0], NULL, &alone), ABUT_OK);
    assert_true(alone.fraction == 1.0f && alone.collider.generation == 0);
    assert_int_equal(abut_world_ray_closest_many(world, rays, 2, &backs, hit), ABUT_OK);
    assert_true(hit[0].fraction == 0.25f && hit[0].flags == ABUT_HIT_BACK && hit[0].normal.x == 1.0f);
    assert_true(hit[1].fraction == 0.625f && hit[1].flags == 0 && hit[1].normal.x == -1.0f);
    for (uint32_t i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_world_ray_closest(world, &rays[i], &backs, &alone), ABUT_OK);
        assert_memory_equal(&alone, &hit[i], sizeof alone);
    }
    assert_int_equal(abut_world_ray_any(world, &rays[0], &backs, &any), ABUT_OK);
    assert_true(any);
    assert_int_equal(abut_world_ray_any(world, &rays[0], NULL, &any), ABUT_OK);
    assert_false(any);
    const abut_cast cast = { .shape = abut_shape_sphere(1.0f),
                             .pose = abut_pose_identity(),
                             .translation = { 1, 0, 0 } };
    assert_int_equal(abut_world_cast_closest(world, &cast, &backs, &alone), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
    abut_geometry_release(cube);
}

// Past an edge from outside: two triangles at one point, of which one is seen from behind.
static void at_an_edge_the_front_goes_first(void **state)
{
    (void)state;
    abut_geometry *cube = make_cube();
    const abut_shape shape = abut_shape_mesh(cube);
    const abut_pose pose = abut_pose_identity();
    const abut_ray past[2] = { { { 2, 0, 0.25f }, { -2, 2, 0 } }, { { 0, 2, 0.25f }, { 2, -2, 0 } } };
    for (int i = 0; i < 2; ++i)
    {
        abut_ray_hit hits[3], first;
        uint32_t count;
        assert_int_equal(abut_ray_shape_all(&past[i], &shape, &pose, ABUT_QUERY_BACK_FACES, hits, 3, &count), ABUT_OK);
        assert_true(count == 2 && hits[0].fraction == 0.5f && hits[1].fraction == 0.5f);
        assert_true(hits[0].flags == 0 && hits[1].flags == ABUT_HIT_BACK);
        assert_int_equal(abut_ray_shape(&past[i], &shape, &pose, ABUT_QUERY_BACK_FACES, &first), ABUT_OK);
        assert_hit_equal(&first, &hits[0]);
    }
    abut_geometry_release(cube);
}

static void equal_fractions_are_in_the_order_of_children(void **state)
{
    (void)state;
    abut_geometry *cube = make_cube();
    const abut_shape shape = abut_shape_mesh(cube);
    const abut_pose pose = abut_pose_identity();
    const abut_ray through_diagonals = { { -4, 0, 0 }, { 8, 0, 0 } };
    abut_ray_hit hits[4];
    uint32_t count;
    for (uint32_t capacity = 1; capacity <= 4; ++capacity)
    {
        assert_int_equal(
            abut_ray_shape_all(&through_diagonals, &shape, &pose, ABUT_QUERY_BACK_FACES, hits, capacity, &count),
            ABUT_OK);
        assert_int_equal(count, 4);
        for (uint32_t i = 0; i < capacity; ++i)
        {
            assert_true(hits[i].child == 8 + i && hits[i].fraction == (i < 2 ? 0.375f : 0.625f));
        }
    }
    abut_geometry_release(cube);
}

static void what_is_not_valid_is_refused(void **state)
{
    (void)state;
    abut_geometry *cube = make_cube();
    const abut_shape shape = abut_shape_mesh(cube), negative = abut_shape_sphere(-1.0f);
    const abut_pose pose = abut_pose_identity();
    const abut_ray ray = { { -4, 0.25f, 0.5f }, { 8, 0, 0 } }, bad = { { NAN, 0, 0 }, { 8, 0, 0 } };
    abut_ray_hit hits[2];
    uint32_t count = 77;
    assert_int_equal(abut_ray_shape_all(NULL, &shape, &pose, 0, hits, 2, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape_all(&bad, &shape, &pose, 0, hits, 2, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape_all(&ray, &negative, &pose, 0, hits, 2, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape_all(&ray, &shape, NULL, 0, hits, 2, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape_all(&ray, &shape, &pose, ABUT_QUERY_SENSORS, hits, 2, &count),
                     ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape_all(&ray, &shape, &pose, 0, NULL, 2, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_ray_shape_all(&ray, &shape, &pose, 0, hits, 2, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(count, 77);
    assert_int_equal(abut_ray_shape_all(&ray, &shape, &pose, 0, NULL, 0, &count), ABUT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(abut_ray_shape_all(&ray, &shape, &pose, ABUT_QUERY_BACK_FACES, hits, 2, &count), ABUT_OK);
    assert_true(count == 2 && hits[0].fraction == 0.375f && hits[1].fraction == 0.625f);
    assert_true(hits[0].flags == 0 && hits[1].flags == ABUT_HIT_BACK);
    abut_geometry_release(cube);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_triangle_is_found_as_if_it_were_alone),
        cmocka_unit_test(each_part_of_a_compound_is_found),
        cmocka_unit_test(a_world_finds_walls_from_behind),
        cmocka_unit_test(at_an_edge_the_front_goes_first),
        cmocka_unit_test(equal_fractions_are_in_the_order_of_children),
        cmocka_unit_test(what_is_not_valid_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
