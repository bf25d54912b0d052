// Heightfields against meshes of the same triangles: contacts, rays, casts, nearest points and overlaps are the same to
// the bit, and so is what is drawn.
#include "mesh_twins.h"
#include "random_field.h"
#include "twin_worlds.h"

#include <abut/draw.h>
#include <abut/query.h>

#include <stdio.h>

// A world with the field, and another with the mesh; all else is the same.
typedef struct twins
{
    abut_world *world[2];
    abut_geometry *geometry[2];
    abut_pose pose; // of the surface
    double side;
} twins;

static abut_shape random_convex(random_source *random, const abut_geometry *hull)
{
    const float a = (float)random_scale(random, 0.05, 1.0), b = (float)random_scale(random, 0.05, 1.0),
                c = (float)random_scale(random, 0.05, 1.0);
    switch (random_below(random, 5))
    {
    case 0:
        return abut_shape_sphere(a);
    case 1:
        return abut_shape_aabb(a, b, c);
    case 2:
        return abut_shape_obb(a, b, c);
    case 3:
        return abut_shape_capsule(a, b);
    default:
        return abut_shape_hull(hull);
    }
}

static abut_quat random_turn(random_source *random)
{
    const abut_quat q = { (float)random_between(random, -1, 1), (float)random_between(random, -1, 1),
                          (float)random_between(random, -1, 1), (float)random_between(random, -1, 1) };
    return abut_quat_normalise(q);
}

static abut_pose random_pose(random_source *random, const twins *t)
{
    const abut_vec3 at = { (float)random_between(random, -t->side, t->side), (float)random_between(random, -2, 2),
                           (float)random_between(random, -t->side, t->side) };
    return (abut_pose){ .position = abut_vec3_add(at, t->pose.position), .rotation = random_turn(random) };
}

static twins twins_made(random_source *random, field *f)
{
    twins t = { .pose = abut_pose_identity() };
    t.side = 0.6 * fmax((f->def.columns - 1) * (double)f->def.step_x, (f->def.rows - 1) * (double)f->def.step_z);
    t.geometry[0] = field_made(f);
    t.geometry[1] = mesh_of(f);
    if (random_chance(random, 0.5))
    {
        t.pose.position = abut_vec3_make(3, -1, 2);
        t.pose.rotation = random_turn(random);
    }
    const float margin = random_chance(random, 0.5) ? 0.05f : 0.0f;
    for (int i = 0; i < 2; ++i)
    {
        const abut_world_def def = { .margin = margin };
        t.world[i] = open_world(&def);
        abut_body body;
        const abut_body_def ground = { .pose = t.pose,
                                       .motion = ABUT_STATIC,
                                       .collider.shape = abut_shape_mesh(t.geometry[i]) };
        assert_int_equal(abut_body_create(t.world[i], &ground, &body), ABUT_OK);
    }
    const abut_vec3 corners[5] = {
        { -0.5f, -0.4f, -0.3f }, { 0.6f, -0.4f, 0 }, { 0, 0.7f, 0 }, { 0, -0.3f, 0.8f }, { 0.3f, 0.3f, 0.4f }
    };
    abut_geometry *hull;
    assert_int_equal(abut_geometry_create_hull(corners, 5, 0, NULL, &hull), ABUT_OK);
    for (uint32_t k = 0; k < 40; ++k)
    {
        const abut_body_def def = { .pose = random_pose(random, &t),
                                    .collider = { .shape = random_convex(random, hull),
                                                  .filter = { .category = 2, .mask = 1 } } };
        for (int i = 0; i < 2; ++i)
        {
            abut_body body;
            assert_int_equal(abut_body_create(t.world[i], &def, &body), ABUT_OK);
        }
    }
    abut_geometry_release(hull);
    return t;
}

static void twins_close(twins *t)
{
    for (int i = 0; i < 2; ++i)
    {
        abut_world_destroy(t->world[i]);
        abut_geometry_release(t->geometry[i]);
    }
}

static void expect_same_answers(random_source *random, const twins *t)
{
    for (uint32_t k = 0; k < 40; ++k)
    {
        const abut_pose from = random_pose(random, t), to = random_pose(random, t);
        abut_ray ray = { from.position, abut_vec3_sub(to.position, from.position) };
        if (random_chance(random, 0.2))
        {
            ray.translation = abut_vec3_make(0, random_chance(random, 0.5) ? -4.0f : 4.0f, 0);
        }
        else if (random_chance(random, 0.2))
        {
            ray.translation.x = 0.0f;
        }
        const abut_cast cast = { .shape = random_convex(random, NULL).kind == ABUT_HULL
                                              ? abut_shape_sphere(0.3f)
                                              : abut_shape_obb(0.2f, 0.3f, 0.1f),
                                 .pose = from,
                                 .translation = ray.translation };
        abut_hit hit[2];
        abut_near near[2][50];
        abut_found found[2][50];
        uint32_t count[2];
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(abut_world_ray_closest(t->world[i], &ray, NULL, &hit[i]), ABUT_OK);
        }
        expect_same_hit(hit);
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(abut_world_cast_closest(t->world[i], &cast, NULL, &hit[i]), ABUT_OK);
        }
        expect_same_hit(hit);
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(abut_world_nearest(t->world[i], &from.position, 50.0f, NULL, near[i], 50, &count[i]),
                             ABUT_OK);
        }
        assert_int_equal(count[0], count[1]);
        for (uint32_t i = 0; i < count[0] && i < 50; ++i)
        {
            assert_int_equal(near[0][i].body.slot, near[1][i].body.slot);
            assert_memory_equal(&near[0][i].distance, &near[1][i].distance, sizeof(float));
            assert_int_equal(near[0][i].child, near[1][i].child);
        }
        const abut_placed_shape asker = { cast.shape, from };
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(abut_world_overlap_shape(t->world[i], &asker, NULL, found[i], 50, &count[i]), ABUT_OK);
        }
        assert_int_equal(count[0], count[1]);
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(abut_world_nearest_shape(t->world[i], &asker, 9.0f, NULL, near[i], 50, &count[i]),
                             ABUT_OK);
        }
        assert_int_equal(count[0], count[1]);
        const abut_plane plane = { ray.translation, (float)random_between(random, -3, 3) };
        const abut_region region = { .planes = &plane, .plane_count = 1 };
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(abut_world_overlap_region(t->world[i], &region, NULL, found[i], 50, &count[i]), ABUT_OK);
        }
        assert_int_equal(count[0], count[1]);
    }
}

// Whether both have a contact with the same pair, and the same to the bit.
static bool same_contact(const abut_contact *p, const abut_contact *q)
{
    return p->a.slot == q->a.slot && p->b.slot == q->b.slot && p->child == q->child &&
           p->point_count == q->point_count && memcmp(&p->normal, &q->normal, sizeof p->normal) == 0 &&
           memcmp(&p->separation, &q->separation, sizeof p->separation) == 0 &&
           memcmp(p->points, q->points, p->point_count * sizeof *p->points) == 0;
}

// Beside a hole that is next to a neighbour's cells a field knows that the surface ends; a mesh cannot tell that from
// triangles that it was not given. So it may have a contact with a shape that the field leaves to the neighbour.
static void expect_contacts_among(const twins *t)
{
    const abut_contacts of_field = abut_world_contacts(t->world[0], ABUT_AWAKE),
                        of_mesh = abut_world_contacts(t->world[1], ABUT_AWAKE);
    uint32_t found = 0;
    for (uint32_t i = 0; i < of_mesh.count; ++i)
    {
        const abut_contact *c = abut_contact_at(&of_mesh, i);
        bool has_shape = false; // whether the field has a contact with it
        for (uint32_t k = 0; k < of_field.count; ++k)
        {
            has_shape = has_shape || abut_contact_at(&of_field, k)->b.slot == c->b.slot;
        }
        assert_true(!has_shape || (found < of_field.count && same_contact(abut_contact_at(&of_field, found), c)));
        found += has_shape;
    }
    assert_int_equal(found, of_field.count);
}

static bool has_cell(const field *f, abut_cell cell)
{
    bool has = false;
    for (uint32_t i = 0; i < (f->def.columns - 1) * (f->def.rows - 1); ++i)
    {
        has = has || f->cells[i] == cell;
    }
    return has;
}

static void answers_are_those_of_a_mesh(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    uint32_t contacts = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        field f = random_field(&random);
        twins t = twins_made(&random, &f);
        detect(t.world[0]);
        detect(t.world[1]);
        if (has_cell(&f, ABUT_CELL_HOLE) && has_cell(&f, ABUT_CELL_NEIGHBOUR))
        {
            expect_contacts_among(&t);
        }
        else
        {
            expect_same_contacts(t.world);
        }
        expect_sound(t.world[0]);
        expect_same_answers(&random, &t);
        contacts += touching(t.world[0]);
        twins_close(&t);
    }
    printf("%u contacts\n", contacts);
    assert_true(!random_seeds_all() || contacts > 1000);
}

// From high above, and from far beside, over surfaces with holes.
static void nearest_points_are_those_of_a_mesh(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(200);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        field f = random_field(&random);
        abut_geometry *geometry[2] = { field_made(&f), mesh_of(&f) };
        const double far = random_scale(&random, 0.1, 1e3);
        for (uint32_t i = 0; i < 20; ++i)
        {
            const dvec3 at = random_in_box(&random, far);
            const double point[3] = { at.x, at.y, at.z };
            double on[2][3], corner[3][3], again[3];
            const ab_mesh *grid = ab_mesh_of_geometry(geometry[0]), *mesh = ab_mesh_of_geometry(geometry[1]);
            const uint32_t one = ab_mesh_nearest(grid, point, on[0]), other = ab_mesh_nearest(mesh, point, on[1]);
            assert_true(ab_mesh_is_triangle(grid, one));
            assert_memory_equal(on[0], on[1], sizeof on[0]);
            assert_int_equal(ab_mesh_child(grid, one), ab_mesh_child(mesh, other));
            ab_mesh_corners(grid, one, corner);
            ab_mesh_nearest_on(corner, point, again);
            assert_memory_equal(again, on[0], sizeof again);
        }
        abut_geometry_release(geometry[0]);
        abut_geometry_release(geometry[1]);
    }
}

// Through corners, along rows and columns, and so nearly level that they cross the heights over many cells.
static void grazing_rays_are_those_of_a_mesh(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(200);
    uint32_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        field f = random_field(&random);
        abut_geometry *geometry[2] = { field_made(&f), mesh_of(&f) };
        const ab_mesh *grid = ab_mesh_of_geometry(geometry[0]);
        for (uint32_t i = 0; i < 40; ++i)
        {
            const abut_vec3 at = ab_mesh_position(grid, random_below(&random, grid->vertex_count));
            const double x = random_chance(&random, 0.3) ? 0.0 : random_between(&random, -9, 9),
                         z = random_chance(&random, 0.3) ? 0.0 : random_between(&random, -9, 9),
                         fall = random_chance(&random, 0.2) ? 0.0 : random_scale(&random, 1e-9, 2.0);
            const double far = random_scale(&random, 0.1, 100.0), way[3] = { far * x, -far * fall, far * z };
            const double from[3] = { (double)at.x - 0.6 * way[0], (double)at.y - 0.6 * way[1],
                                     (double)at.z - 0.6 * way[2] };
            hits += ray_at_twins(geometry, from, way);
        }
        abut_geometry_release(geometry[0]);
        abut_geometry_release(geometry[1]);
    }
    assert_true(!random_seeds_all() || hits > 1000);
}

// Plains with a few peaks and pits, also where blocks of eight cells meet: rays pass whole blocks.
static void rays_over_plains_are_those_of_a_mesh(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(400);
    uint32_t hits = 0, misses = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        field f = random_field(&random);
        for (uint32_t i = 0; i < f.def.columns * f.def.rows; ++i)
        {
            const bool border = i % f.def.columns % 8 == 0 || i / f.def.columns % 8 == 0;
            f.heights[i] = random_chance(&random, border ? 0.03 : 0.01) ? (float)random_between(&random, -2, 2) : 0.0f;
        }
        abut_geometry *geometry[2] = { field_made(&f), mesh_of(&f) };
        const double wide = 0.6 * (double)(f.def.step_x * (float)f.def.columns),
                     deep = 0.6 * (double)(f.def.step_z * (float)f.def.rows);
        for (uint32_t i = 0; i < 100; ++i)
        {
            const double low = random_chance(&random, 0.2) ? 0.0 : random_between(&random, -1, 1),
                         fall = random_chance(&random, 0.5) ? 0.0 : random_between(&random, -2, 2),
                         from[3] = { random_between(&random, -wide, wide), low, random_between(&random, -deep, deep) },
                         way[3] = { random_between(&random, -wide, wide) - from[0], fall,
                                    random_between(&random, -deep, deep) - from[2] };
            const bool hit = ray_at_twins(geometry, from, way);
            hits += hit;
            misses += !hit;
        }
        abut_geometry_release(geometry[0]);
        abut_geometry_release(geometry[1]);
    }
    assert_true(!random_seeds_all() || (hits > 1000 && misses > 1000));
}

static uint64_t lines_of(abut_world *world)
{
    const abut_draw_def def = { .what = ABUT_DRAW_SHAPES };
    uint64_t count = 0;
    const abut_status status = abut_world_draw(world, &def, NULL, 0, &count);
    assert_true(status == ABUT_OK || status == ABUT_LIMIT);
    return count;
}

static void each_edge_is_drawn_once(void **state)
{
    (void)state;
    random_source random = random_start(5);
    field f = random_field(&random);
    twins t = twins_made(&random, &f);
    assert_true(lines_of(t.world[0]) == lines_of(t.world[1]));
    twins_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_a_mesh),      cmocka_unit_test(nearest_points_are_those_of_a_mesh),
        cmocka_unit_test(grazing_rays_are_those_of_a_mesh), cmocka_unit_test(rays_over_plains_are_those_of_a_mesh),
        cmocka_unit_test(each_edge_is_drawn_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
