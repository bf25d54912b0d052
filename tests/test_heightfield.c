// Heightfields against meshes of the same triangles: contacts, rays, casts, nearest points and overlaps are the same to
// the bit; what is refused, images, and out of memory.
#include "mesh_makers.h"
#include "scarce_memory.h"
#include "shape/mesh.h"

#include <abut/draw.h>
#include <abut/query.h>
#include <abut/state.h>

#include <stdio.h>

enum
{
    MOST = 20 // columns and rows
};

typedef struct field
{
    float heights[MOST * MOST];
    uint8_t cells[MOST * MOST];
    uint16_t materials[MOST * MOST];
    bool has_materials;
    abut_heightfield_def def;
} field;

static field random_field(random_source *random)
{
    field f = { .def = { .columns = 2 + random_below(random, MOST - 1),
                         .rows = 2 + random_below(random, MOST - 1),
                         .step_x = (float)random_scale(random, 0.1, 3.0),
                         .step_z = (float)random_scale(random, 0.1, 3.0),
                         .two_sided = random_chance(random, 0.3) } };
    const double high = random_chance(random, 0.2) ? 0.0 : random_scale(random, 1e-3, 2.0),
                 holes = random_chance(random, 0.5) ? 0.0 : 0.2, neighbours = random_chance(random, 0.6) ? 0.0 : 0.3;
    for (uint32_t i = 0; i < MOST * MOST; ++i)
    {
        f.heights[i] = (float)random_between(random, -high, high);
        const bool hole = random_chance(random, holes), neighbour = random_chance(random, neighbours);
        const abut_cell cell = hole ? ABUT_CELL_HOLE : neighbour ? ABUT_CELL_NEIGHBOUR : ABUT_CELL_SURFACE;
        f.cells[i] = (uint8_t)(i > 0 ? cell : ABUT_CELL_SURFACE);
        f.materials[i] = (uint16_t)random_below(random, 65536);
    }
    return f;
}

static abut_geometry *field_made(field *f)
{
    abut_geometry *out;
    f->def.heights = f->heights;
    f->def.cells = f->cells;
    f->def.materials = f->has_materials ? f->materials : NULL;
    assert_int_equal(abut_geometry_create_heightfield(&f->def, NULL, &out), ABUT_OK);
    return out;
}

static void cell_triangles(mesh_maker *m, const field *f, uint32_t cell, bool none)
{
    const abut_heightfield_def *d = &f->def;
    const uint32_t row = cell / (d->columns - 1), column = cell % (d->columns - 1);
    const uint32_t a = row * d->columns + column, b = a + 1, c = a + d->columns, e = c + 1;
    mesh_triangle(m, a, none ? a : c, b);
    mesh_triangle(m, e, none ? e : b, c);
}

// The same triangles; those of holes have no area, and those of neighbours are the last.
static abut_geometry *mesh_of(const field *f)
{
    const abut_heightfield_def *d = &f->def;
    mesh_maker m = { 0 };
    for (uint32_t row = 0; row < d->rows; ++row)
    {
        for (uint32_t column = 0; column < d->columns; ++column)
        {
            const double x = (double)column - 0.5 * (d->columns - 1.0), z = (double)row - 0.5 * (d->rows - 1.0);
            mesh_vertex(&m, x * (double)d->step_x, (double)f->heights[row * d->columns + column],
                        z * (double)d->step_z);
        }
    }
    const uint32_t cells = (d->columns - 1) * (d->rows - 1);
    for (uint32_t i = 0; i < cells; ++i)
    {
        cell_triangles(&m, f, i, f->cells[i] != ABUT_CELL_SURFACE);
    }
    for (uint32_t i = 0; i < cells; ++i)
    {
        if (f->cells[i] == ABUT_CELL_NEIGHBOUR)
        {
            cell_triangles(&m, f, i, false);
        }
    }
    abut_mesh_def def = mesh_def_of(&m);
    def.neighbour_count = m.triangle_count - 2 * cells;
    def.two_sided = d->two_sided;
    abut_geometry *out;
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &out), ABUT_OK);
    mesh_maker_close(&m);
    return out;
}

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

static void expect_same_contacts(const twins *t)
{
    const abut_contacts a = abut_world_contacts(t->world[0], ABUT_AWAKE),
                        b = abut_world_contacts(t->world[1], ABUT_AWAKE);
    assert_int_equal(a.count, b.count);
    for (uint32_t i = 0; i < a.count; ++i)
    {
        const abut_contact *p = abut_contact_at(&a, i), *q = abut_contact_at(&b, i);
        assert_int_equal(p->a.slot, q->a.slot);
        assert_int_equal(p->b.slot, q->b.slot);
        assert_int_equal(p->child, q->child);
        assert_int_equal(p->point_count, q->point_count);
        assert_memory_equal(&p->normal, &q->normal, sizeof p->normal);
        assert_memory_equal(&p->separation, &q->separation, sizeof p->separation);
        assert_memory_equal(p->points, q->points, p->point_count * sizeof *p->points);
        assert_true(same_id(p->id, q->id));
    }
}

static void expect_same_hit(const abut_hit *p, const abut_hit *q)
{
    assert_int_equal(p->body.slot, q->body.slot);
    assert_memory_equal(&p->fraction, &q->fraction, sizeof p->fraction);
    assert_memory_equal(&p->normal, &q->normal, sizeof p->normal);
    assert_int_equal(p->child, q->child);
    assert_int_equal(p->flags, q->flags);
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
        expect_same_hit(&hit[0], &hit[1]);
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(abut_world_cast_closest(t->world[i], &cast, NULL, &hit[i]), ABUT_OK);
        }
        expect_same_hit(&hit[0], &hit[1]);
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
        expect_same_contacts(&t);
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
        const abut_shape shape[2] = { abut_shape_mesh(geometry[0]), abut_shape_mesh(geometry[1]) };
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
            ab_ray_entry entry[2];
            memset(entry, 0, sizeof entry);
            const bool hit = ab_mesh_ray(&shape[0], from, way, &entry[0]);
            assert_true(hit == ab_mesh_ray(&shape[1], from, way, &entry[1]));
            assert_memory_equal(&entry[0].fraction, &entry[1].fraction, sizeof entry[0].fraction);
            assert_memory_equal(entry[0].normal, entry[1].normal, sizeof entry[0].normal);
            assert_int_equal(entry[0].child, entry[1].child);
            hits += hit;
        }
        abut_geometry_release(geometry[0]);
        abut_geometry_release(geometry[1]);
    }
    assert_true(!random_seeds_all() || hits > 1000);
}

static void triangles_are_numbered_by_cells(void **state)
{
    (void)state;
    field f = { .def = { .columns = 3, .rows = 4, .step_x = 2, .step_z = 1 } };
    f.cells[1] = ABUT_CELL_HOLE;
    f.heights[4] = 5.0f;
    abut_geometry *geometry = field_made(&f), *mesh = mesh_of(&f);
    abut_vec3 corner[3], of_mesh[3];
    assert_int_equal(abut_geometry_mesh_triangles(geometry), 12);
    for (uint32_t i = 0; i < 13; ++i)
    {
        const bool there = i / 2 != 1 && i < 12;
        assert_true(abut_geometry_mesh_triangle(geometry, i, corner) == there);
        assert_true(abut_geometry_mesh_triangle(mesh, i, of_mesh) == there);
        if (there)
        {
            assert_memory_equal(corner, of_mesh, sizeof corner);
        }
    }
    assert_true(abut_geometry_mesh_triangle(geometry, 0, corner));
    assert_true(corner[0].x == -2.0f && corner[0].z == -1.5f && corner[1].z == -0.5f && corner[2].x == 0.0f);
    assert_true(abut_geometry_mesh_triangle(geometry, 0, NULL));
    const abut_shape shape = abut_shape_mesh(geometry), same = abut_shape_mesh(mesh);
    assert_true(abut_shape_bounding_radius(&shape) == abut_shape_bounding_radius(&same));
    abut_geometry_release(geometry);
    abut_geometry_release(mesh);
}

static void materials_are_of_cells(void **state)
{
    (void)state;
    random_source random = random_start(7);
    field f = random_field(&random);
    const uint32_t cells = (f.def.columns - 1) * (f.def.rows - 1);
    for (int given = 0; given < 2; ++given)
    {
        f.has_materials = given != 0;
        abut_geometry *geometry = field_made(&f);
        for (uint32_t i = 0; i < 2 * cells; ++i)
        {
            assert_int_equal(abut_geometry_mesh_material(geometry, i), given ? f.materials[i / 2] : 0);
        }
        assert_int_equal(abut_geometry_mesh_material(geometry, 2 * cells), 0);
        abut_geometry_release(geometry);
    }
    assert_int_equal(abut_geometry_mesh_material(NULL, 0), 0);
}

static abut_status status_of(const abut_heightfield_def *def)
{
    abut_geometry *out;
    const abut_status status = abut_geometry_create_heightfield(def, NULL, &out);
    assert_true((status == ABUT_OK) == (out != NULL));
    abut_geometry_release(out);
    return status;
}

static void what_is_no_heightfield_is_refused(void **state)
{
    (void)state;
    float heights[4] = { 0 };
    const uint8_t cells[] = { ABUT_CELL_HOLE, ABUT_CELL_NEIGHBOUR, 3, 255 };
    const abut_heightfield_def good = { .heights = heights, .columns = 2, .rows = 2, .step_x = 1, .step_z = 1 };
    abut_heightfield_def bad = good;
    abut_geometry *out = (abut_geometry *)(void *)heights;
    assert_int_equal(status_of(&good), ABUT_OK);
    bad.columns = 1;
    assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    bad = good;
    bad.rows = 0;
    assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    bad.rows = bad.columns = 1u << 13;
    assert_int_equal(status_of(&bad), ABUT_LIMIT);
    const float steps[] = { 0.0f, -1.0f, NAN, INFINITY, 2.0f * ABUT_MAX_MAGNITUDE, 1e-40f };
    for (size_t i = 0; i < COUNT(steps); ++i)
    {
        bad = good;
        bad.step_x = steps[i];
        assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
        bad = good;
        bad.step_z = steps[i];
        assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    }
    bad = good;
    for (size_t i = 0; i < COUNT(cells); ++i)
    {
        bad.cells = &cells[i];
        assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    }
    bad = good;
    bad.heights = NULL;
    assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    const float values[] = { NAN, INFINITY, -2.0f * ABUT_MAX_MAGNITUDE };
    for (size_t i = 0; i < COUNT(values); ++i)
    {
        heights[3] = values[i];
        assert_int_equal(status_of(&good), ABUT_INVALID_ARGUMENT);
    }
    heights[3] = 1e6f;
    bad = good;
    bad.step_x = bad.step_z = 1e-7f;
    assert_int_equal(status_of(&bad), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_heightfield(NULL, NULL, &out), ABUT_INVALID_ARGUMENT);
    assert_null(out);
    assert_int_equal(abut_geometry_create_heightfield(&good, NULL, NULL), ABUT_INVALID_ARGUMENT);
    const abut_allocator half = { .allocate = lend };
    assert_int_equal(abut_geometry_create_heightfield(&good, &half, &out), ABUT_INVALID_ARGUMENT);
}

static void out_of_memory_is_reported(void **state)
{
    (void)state;
    const float heights[4] = { 0, 1, 2, 3 };
    const abut_heightfield_def def = { .heights = heights, .columns = 2, .rows = 2, .step_x = 1, .step_z = 1 };
    for (uint64_t granted = 0; granted < 2; ++granted)
    {
        source memory = { .first_failed = granted };
        const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
        abut_geometry *out;
        assert_int_equal(abut_geometry_create_heightfield(&def, &allocator, &out),
                         granted ? ABUT_OK : ABUT_OUT_OF_MEMORY);
        abut_geometry_release(out);
        assert_int_equal(memory.blocks, 0);
    }
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

static uint64_t hash_over(const abut_geometry *geometry)
{
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(geometry), 0, 0, 0, ABUT_STATIC);
    detect(world);
    const uint64_t hash = abut_world_state_hash(world);
    abut_world_destroy(world);
    return hash;
}

static void hashes_are_of_heights_cells_materials_and_sides(void **state)
{
    (void)state;
    random_source random = random_start(5);
    field f = random_field(&random);
    uint64_t hash[6];
    f.cells[1] = ABUT_CELL_SURFACE;
    for (uint32_t i = 0; i < 6; ++i)
    {
        field changed = f;
        changed.has_materials = true;
        changed.materials[1] = (uint16_t)(f.materials[1] ^ (i == 5 ? 1u : 0u));
        changed.cells[1] = i == 1 ? ABUT_CELL_HOLE : i == 4 ? ABUT_CELL_NEIGHBOUR : ABUT_CELL_SURFACE;
        changed.heights[2] += i == 2 ? 0.5f : 0.0f;
        changed.def.two_sided = i == 3 ? !f.def.two_sided : f.def.two_sided;
        abut_geometry *geometry = field_made(&changed);
        hash[i] = hash_over(geometry);
        assert_true(i == 0 || (hash[i] != hash[0] && (i != 4 || hash[4] != hash[1])));
        abut_geometry_release(geometry);
    }
}

static void images_name_a_heightfield(void **state)
{
    (void)state;
    random_source random = random_start(6);
    field f = random_field(&random);
    abut_geometry *geometry = field_made(&f);
    const abut_geometry *list[1] = { geometry };
    const abut_registry registry = { list, 1 };
    abut_world *world = open_world(NULL);
    add(world, abut_shape_mesh(geometry), 0, 0, 0, ABUT_STATIC);
    const abut_body body = add(world, abut_shape_sphere(1), 0, 0.5f, 0, ABUT_DYNAMIC);
    detect(world);
    size_t size;
    assert_int_equal(abut_world_save(world, 0, NULL, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_save(world, 0, &registry, NULL, 0, &size), ABUT_OK);
    void *image = malloc(size);
    assert_non_null(image);
    assert_int_equal(abut_world_save(world, 0, &registry, image, size, &size), ABUT_OK);
    const uint64_t before = abut_world_hash(world);
    abut_world_bodies(world).poses[body.slot].position.x += 0.3f;
    detect(world);
    assert_true(abut_world_hash(world) != before);
    assert_int_equal(abut_world_restore(world, &registry, image, size), ABUT_OK);
    assert_true(abut_world_hash(world) == before);
    free(image);
    abut_world_destroy(world);
    abut_geometry_release(geometry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_those_of_a_mesh),
        cmocka_unit_test(nearest_points_are_those_of_a_mesh),
        cmocka_unit_test(grazing_rays_are_those_of_a_mesh),
        cmocka_unit_test(triangles_are_numbered_by_cells),
        cmocka_unit_test(what_is_no_heightfield_is_refused),
        cmocka_unit_test(out_of_memory_is_reported),
        cmocka_unit_test(materials_are_of_cells),
        cmocka_unit_test(each_edge_is_drawn_once),
        cmocka_unit_test(hashes_are_of_heights_cells_materials_and_sides),
        cmocka_unit_test(images_name_a_heightfield),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
