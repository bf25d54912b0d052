// Heightfields that are updated in place against ones that are made anew with the same heights: what they answer is the
// same to the bit, in worlds that keep contacts, too, and recordings replay.
#include "mesh_makers.h"
#include "recordings.h"
#include "shape/mesh.h"

#include <abut/query.h>
#include <abut/state.h>

#include <stdio.h>

enum
{
    MOST = 24, // columns and rows
    BODIES = 40
};

// What a field should have.
typedef struct model
{
    float heights[MOST * MOST];
    uint8_t cells[MOST * MOST];
    uint16_t materials[MOST * MOST];
    bool has_materials;
    abut_heightfield_def def; // without the arrays
    double high;
} model;

static uint8_t random_cell(random_source *random)
{
    return (uint8_t)(random_chance(random, 0.8) ? ABUT_CELL_SURFACE : random_below(random, 3));
}

static void open_model(random_source *random, model *m)
{
    m->high = random_scale(random, 0.1, 1.0);
    m->has_materials = true;
    m->def = (abut_heightfield_def){ .columns = 2 + random_below(random, MOST - 1),
                                     .rows = 2 + random_below(random, MOST - 1),
                                     .step_x = 0.75f,
                                     .step_z = 0.5f,
                                     .two_sided = random_chance(random, 0.3) };
    for (uint32_t i = 0; i < MOST * MOST; ++i)
    {
        m->heights[i] = (float)random_between(random, -m->high, m->high);
        m->cells[i] = i == 0 ? (uint8_t)ABUT_CELL_SURFACE : random_cell(random);
        m->materials[i] = (uint16_t)random_below(random, 65536);
    }
}

static abut_geometry *made(const model *m)
{
    abut_geometry *out;
    abut_heightfield_def def = m->def;
    def.heights = m->heights;
    def.cells = m->cells;
    def.materials = m->has_materials ? m->materials : NULL;
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &out), ABUT_OK);
    return out;
}

// Some rectangle, with values of its own.
typedef struct patch
{
    float heights[MOST * MOST];
    uint8_t cells[MOST * MOST];
    uint16_t materials[MOST * MOST];
    abut_heightfield_region region;
} patch;

static void random_patch(random_source *random, const model *m, patch *out)
{
    abut_heightfield_region *r = &out->region;
    const bool small = random_chance(random, 0.5);
    r->column = random_below(random, m->def.columns);
    r->row = random_below(random, m->def.rows);
    r->columns = 1 + random_below(random, small && m->def.columns - r->column > 4 ? 4 : m->def.columns - r->column);
    r->rows = 1 + random_below(random, small && m->def.rows - r->row > 4 ? 4 : m->def.rows - r->row);
    r->heights = random_chance(random, 0.8) ? out->heights : NULL;
    r->cells = random_chance(random, 0.5) ? out->cells : NULL;
    r->materials = random_chance(random, 0.3) ? out->materials : NULL;
    const double high = m->high * random_scale(random, 0.1, 3.0);
    for (uint32_t i = 0; i < MOST * MOST; ++i)
    {
        out->heights[i] = (float)random_between(random, -high, high);
        out->cells[i] = random_cell(random);
        out->materials[i] = (uint16_t)random_below(random, 65536);
    }
    if (r->column == 0 && r->row == 0)
    {
        out->cells[0] = ABUT_CELL_SURFACE; // some cell always is
    }
}

static void apply(model *m, const abut_heightfield_region *r)
{
    for (uint32_t row = 0; row < r->rows; ++row)
    {
        for (uint32_t column = 0; column < r->columns; ++column)
        {
            const uint32_t to_row = r->row + row, to_column = r->column + column;
            const uint32_t cell = to_row * (m->def.columns - 1) + to_column, from = row * (r->columns - 1) + column;
            if (r->heights)
            {
                m->heights[to_row * m->def.columns + to_column] = r->heights[row * r->columns + column];
            }
            if (row + 1 < r->rows && column + 1 < r->columns)
            {
                m->cells[cell] = r->cells ? r->cells[from] : m->cells[cell];
                m->materials[cell] = r->materials ? r->materials[from] : m->materials[cell];
            }
        }
    }
}

// Updates the model and the field.
static void update(random_source *random, model *m, abut_geometry *field)
{
    patch p;
    random_patch(random, m, &p);
    apply(m, &p.region);
    assert_int_equal(abut_geometry_update_heightfield(field, &p.region), ABUT_OK);
}

static void expect_same_geometry(const abut_geometry *one, const abut_geometry *other)
{
    const ab_mesh *p = ab_mesh_of_geometry(one), *q = ab_mesh_of_geometry(other);
    const abut_shape shape[2] = { abut_shape_mesh(one), abut_shape_mesh(other) };
    const abut_pose identity = abut_pose_identity();
    abut_aabb box[2];
    assert_int_equal(one->coordinate_count, other->coordinate_count);
    assert_memory_equal(one->coordinates, other->coordinates, one->coordinate_count * sizeof(float));
    for (uint32_t i = 0; i < p->triangle_count; ++i)
    {
        abut_vec3 corner[2][3];
        const bool there = abut_geometry_mesh_triangle(one, i, corner[0]);
        assert_true(there == abut_geometry_mesh_triangle(other, i, corner[1]));
        assert_true(!there || memcmp(corner[0], corner[1], sizeof corner[0]) == 0);
        assert_int_equal(abut_geometry_mesh_material(one, i), abut_geometry_mesh_material(other, i));
        for (int k = 0; there && k < 3; ++k)
        {
            assert_int_equal(ab_mesh_neighbour(p, i, k), ab_mesh_neighbour(q, i, k));
        }
    }
    assert_int_equal(p->grid.own, q->grid.own);
    assert_true(p->grid.least == q->grid.least && p->grid.most == q->grid.most);
    assert_true(abut_shape_bounding_radius(&shape[0]) == abut_shape_bounding_radius(&shape[1]));
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_shape_bounds(&shape[i], &identity, &box[i]), ABUT_OK);
    }
    assert_memory_equal(&box[0], &box[1], sizeof box[0]);
}

static void updated_fields_are_those_made_anew(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        model m;
        open_model(&random, &m);
        abut_geometry *field = made(&m);
        for (uint32_t i = 0; i < 10; ++i)
        {
            update(&random, &m, field);
            abut_geometry *anew = made(&m);
            expect_same_geometry(field, anew);
            for (uint32_t k = 0; k < 10; ++k)
            {
                const dvec3 at = random_in_box(&random, 8.0), to = random_in_box(&random, 8.0);
                const double from[3] = { at.x, at.y, at.z }, way[3] = { to.x - at.x, -to.y - at.y, to.z - at.z };
                const abut_shape shape[2] = { abut_shape_mesh(field), abut_shape_mesh(anew) };
                ab_ray_entry hit[2];
                double on[2][3];
                memset(hit, 0, sizeof hit);
                assert_true(ab_mesh_ray(&shape[0], from, way, &hit[0]) == ab_mesh_ray(&shape[1], from, way, &hit[1]));
                assert_memory_equal(&hit[0], &hit[1], sizeof hit[0]);
                assert_int_equal(ab_mesh_nearest(ab_mesh_of_geometry(field), from, on[0]),
                                 ab_mesh_nearest(ab_mesh_of_geometry(anew), from, on[1]));
                assert_memory_equal(on[0], on[1], sizeof on[0]);
            }
            abut_geometry_release(anew);
        }
        abut_geometry_release(field);
    }
}

// A world in which a field is updated, and one in which it is replaced; all else is the same.
typedef struct twins
{
    abut_world *world[2];
    abut_body ground[2];
    abut_geometry *field;
    model m;
} twins;

static abut_world_def world_of(random_source *random)
{
    return (abut_world_def){ .margin = random_chance(random, 0.5) ? 0.02f : 0.0f,
                             .recycle_distance = random_chance(random, 0.6) ? 0.05f : 0.0f };
}

static abut_body_def random_body(random_source *random, double side)
{
    const float x = (float)random_between(random, 0.1, 0.6), y = (float)random_between(random, 0.1, 0.6);
    const uint32_t kind = random_below(random, 3);
    abut_body_def def = { .collider.shape = kind == 0   ? abut_shape_sphere(x)
                                            : kind == 1 ? abut_shape_obb(x, y, 0.3f)
                                                        : abut_shape_capsule(0.5f * x, y) };
    def.pose.position = random_narrow(random_in_box(random, side));
    def.pose.position.y = (float)random_between(random, -0.5, 1.0);
    def.pose.rotation = random_narrow_rotation(random_rotation(random));
    def.flags = random_chance(random, 0.4) ? ABUT_BODY_ASLEEP : random_chance(random, 0.1) ? ABUT_BODY_CCD : 0;
    def.velocity.linear = random_narrow(random_in_box(random, 0.5));
    def.collider.flags = random_chance(random, 0.1) ? ABUT_COLLIDER_SENSOR : 0;
    return def;
}

static twins open_twins(random_source *random)
{
    twins t;
    open_model(random, &t.m);
    t.field = made(&t.m);
    abut_geometry *own = made(&t.m);
    const abut_world_def def = world_of(random);
    abut_body_def ground = { .motion = random_chance(random, 0.7) ? ABUT_STATIC : ABUT_KINEMATIC,
                             .velocity.linear = { 0.1f, 0.05f, 0 } };
    for (int i = 0; i < 2; ++i)
    {
        t.world[i] = open_world(&def);
        ground.collider.shape = abut_shape_mesh(i ? own : t.field);
        assert_int_equal(abut_body_create(t.world[i], &ground, &t.ground[i]), ABUT_OK);
    }
    abut_geometry_release(own);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        const abut_body_def body = random_body(random, 6.0);
        abut_body out;
        assert_int_equal(abut_body_create(t.world[0], &body, &out), ABUT_OK);
        assert_int_equal(abut_body_create(t.world[1], &body, &out), ABUT_OK);
    }
    return t;
}

static void close_twins(twins *t)
{
    abut_world_destroy(t->world[0]);
    abut_world_destroy(t->world[1]);
    abut_geometry_release(t->field);
}

static void update_twins(random_source *random, twins *t)
{
    for (uint32_t i = random_below(random, 3); i < 3; ++i)
    {
        update(random, &t->m, t->field);
    }
    abut_geometry *anew = made(&t->m);
    for (int i = 0; i < 2; ++i)
    {
        const abut_shape shape = abut_shape_mesh(i ? anew : t->field);
        const abut_collider collider = first_collider(t->world[i], t->ground[i]);
        assert_int_equal(abut_collider_set_shape(t->world[i], collider, &shape), ABUT_OK);
    }
    abut_geometry_release(anew);
}

static void expect_same_answers(random_source *random, const twins *t)
{
    for (uint32_t k = 0; k < 5; ++k)
    {
        const abut_vec3 from = random_narrow(random_in_box(random, 8.0)),
                        to = random_narrow(random_in_box(random, 8.0));
        const abut_ray ray = { from, abut_vec3_sub(to, from) };
        abut_hit hit[2];
        abut_near near[2];
        uint32_t count[2];
        memset(hit, 0, sizeof hit);
        memset(near, 0, sizeof near);
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(abut_world_ray_closest(t->world[i], &ray, NULL, &hit[i]), ABUT_OK);
            assert_int_equal(abut_world_nearest(t->world[i], &from, 9.0f, NULL, &near[i], 1, &count[i]), ABUT_OK);
        }
        assert_memory_equal(&hit[0].fraction, &hit[1].fraction, sizeof hit[0].fraction);
        assert_int_equal(hit[0].child, hit[1].child);
        assert_int_equal(count[0], count[1]);
        assert_memory_equal(&near[0].distance, &near[1].distance, sizeof near[0].distance);
        assert_int_equal(near[0].child, near[1].child);
    }
}

// Sleeping bodies, bodies that hardly move, and a field that moves or does not.
static void go_on(random_source *random, twins *t, uint64_t seed, uint32_t frames, uint32_t *asleep_contacts)
{
    for (uint32_t frame = 0; frame < frames; ++frame)
    {
        if (random_chance(random, 0.3))
        {
            update_twins(random, t);
        }
        if (random_chance(random, 0.3))
        {
            expect_same_answers(random, t); // before a detect
        }
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(abut_world_step(t->world[i], 0.01f), ABUT_OK);
        }
        if (abut_world_hash(t->world[0]) != abut_world_hash(t->world[1]) ||
            abut_world_state_hash(t->world[0]) != abut_world_state_hash(t->world[1]) ||
            abut_world_results_hash(t->world[0]) != abut_world_results_hash(t->world[1]))
        {
            fail_msg("seed %llu: the worlds differ in frame %u", (unsigned long long)seed, frame);
        }
        expect_same_answers(random, t);
        *asleep_contacts += asleep(t->world[0]);
    }
}

static void worlds_with_updated_fields_are_those_with_new_ones(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100);
    uint32_t contacts = 0, kept = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        twins t = open_twins(&random);
        go_on(&random, &t, seed, 30, &kept);
        expect_sound(t.world[0]);
        contacts += touching(t.world[0]);
        close_twins(&t);
    }
    printf("%u contacts; %u asleep\n", contacts, kept);
    assert_true(!random_seeds_all() || (contacts > 1000 && kept > 1000));
}

// One begins when the field was updated already, and both worlds have it.
static void recordings_learn_of_updates(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(30);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        tape tapes[2] = { { 0 }, { 0 } };
        uint32_t kept = 0;
        twins t = open_twins(&random);
        abut_world *const other = open_world(NULL);
        const abut_body ground = add(other, abut_shape_mesh(t.field), 0, 0, 0, ABUT_STATIC);
        abut_recording *recording[2] = { tape_record(&tapes[0], t.world[0], 7), NULL };
        add(other, abut_shape_sphere(1.0f), 0, 0.5f, 0, ABUT_DYNAMIC);
        go_on(&random, &t, seed, 10, &kept);
        recording[1] = tape_record(&tapes[1], other, 0);
        for (uint32_t i = 0; i < 6; ++i)
        {
            const abut_shape shape = abut_shape_mesh(t.field);
            go_on(&random, &t, seed, 3, &kept);
            assert_int_equal(abut_collider_set_shape(other, first_collider(other, ground), &shape), ABUT_OK);
            assert_int_equal(abut_world_step(other, 0.01f), ABUT_OK);
        }
        assert_true(abut_recording_destroy(recording[0]));
        assert_true(abut_recording_destroy(recording[1]));
        close_twins(&t);
        abut_world_destroy(other);
        expect_replay(&tapes[0], 28, ABUT_BROAD_GRID, ABUT_ISA_SCALAR, 2);
        expect_replay(&tapes[1], 6, ABUT_BROAD_BVH, ABUT_ISA_AUTO, 1);
        tape_close(&tapes[0]);
        tape_close(&tapes[1]);
    }
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

// A hash over some steps.
static uint64_t hash_of_steps(abut_world *world)
{
    uint64_t hash = abut_world_state_hash(world);
    for (uint32_t i = 0; i < 5; ++i)
    {
        assert_int_equal(abut_world_step(world, 0.01f), ABUT_OK);
        hash = hash * 31 + abut_world_hash(world);
    }
    return hash;
}

// An image has no heights: a world that gets the old ones again, and then the image, goes on as it did.
static void images_go_with_the_heights_of_their_time(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(100);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        uint32_t kept = 0;
        size_t size;
        twins t = open_twins(&random);
        go_on(&random, &t, seed, 10, &kept);
        const abut_geometry *list[1] = { t.field };
        const abut_registry registry = { list, 1 };
        assert_int_equal(abut_world_save(t.world[0], 0, &registry, NULL, 0, &size), ABUT_OK);
        void *image = malloc(size);
        assert_non_null(image);
        assert_int_equal(abut_world_save(t.world[0], 0, &registry, image, size, &size), ABUT_OK);
        const model before = t.m;
        const abut_heightfield_region whole = { .columns = before.def.columns,
                                                .rows = before.def.rows,
                                                .heights = before.heights,
                                                .cells = before.cells,
                                                .materials = before.materials };
        const uint64_t hash = hash_of_steps(t.world[0]);
        assert_true(hash_of_steps(t.world[1]) == hash);
        go_on(&random, &t, seed, 10, &kept);
        const abut_shape shape = abut_shape_mesh(t.field);
        const abut_collider collider = first_collider(t.world[0], t.ground[0]);
        assert_int_equal(abut_geometry_update_heightfield(t.field, &whole), ABUT_OK);
        assert_int_equal(abut_collider_set_shape(t.world[0], collider, &shape), ABUT_OK);
        assert_int_equal(abut_world_restore(t.world[0], &registry, image, size), ABUT_OK);
        assert_true(hash_of_steps(t.world[0]) == hash);
        expect_sound(t.world[0]);
        free(image);
        close_twins(&t);
    }
}

static void bad_updates_change_nothing(void **state)
{
    (void)state;
    random_source random = random_start(1);
    model m;
    do
    {
        open_model(&random, &m);
    } while (m.def.columns < 5 || m.def.rows < 5);
    abut_geometry *field = made(&m);
    const uint64_t hash = hash_over(field);
    float heights[9] = { 0 };
    uint8_t cells[MOST * MOST] = { 0 };
    const uint16_t materials[4] = { 1, 2, 3, 4 };
    const abut_heightfield_region good = {
        .column = 1, .row = 2, .columns = 3, .rows = 3, .heights = heights, .cells = cells, .materials = materials
    };
    const abut_heightfield_region past[] = {
        { .columns = 0, .rows = 1 },
        { .columns = 1, .rows = 0 },
        { .column = m.def.columns, .columns = 1, .rows = 1 },
        { .row = m.def.rows, .columns = 1, .rows = 1 },
        { .column = 1, .columns = m.def.columns, .rows = 1 },
        { .row = 1, .columns = 1, .rows = m.def.rows },
        { .column = 1, .columns = UINT32_MAX, .rows = 1 },
        { .row = UINT32_MAX, .columns = 1, .rows = 2 },
    };
    for (size_t i = 0; i < COUNT(past); ++i)
    {
        assert_int_equal(abut_geometry_update_heightfield(field, &past[i]), ABUT_INVALID_ARGUMENT);
    }
    const float values[] = { NAN, INFINITY, -INFINITY, 2.0f * ABUT_MAX_MAGNITUDE };
    for (size_t i = 0; i < COUNT(values); ++i)
    {
        heights[8] = values[i];
        assert_int_equal(abut_geometry_update_heightfield(field, &good), ABUT_INVALID_ARGUMENT);
    }
    heights[8] = 0.0f;
    cells[3] = 3;
    assert_int_equal(abut_geometry_update_heightfield(field, &good), ABUT_INVALID_ARGUMENT);
    memset(cells, ABUT_CELL_HOLE, sizeof cells);
    const abut_heightfield_region holes = { .columns = m.def.columns, .rows = m.def.rows, .cells = cells };
    assert_int_equal(abut_geometry_update_heightfield(field, &holes), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_update_heightfield(field, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_update_heightfield(NULL, &good), ABUT_INVALID_ARGUMENT);
    assert_true(hash_over(field) == hash);
    memset(cells, 0, sizeof cells);
    assert_int_equal(abut_geometry_update_heightfield(field, &good), ABUT_OK);
    assert_true(hash_over(field) != hash);
    abut_geometry_release(field);
    // No materials; too steep beside the region; a mesh.
    m.has_materials = false;
    m.def.step_x = m.def.step_z = 1e-6f;
    field = made(&m);
    assert_int_equal(abut_geometry_update_heightfield(field, &good), ABUT_INVALID_ARGUMENT);
    heights[0] = 9e6f;
    const abut_heightfield_region steep = { .column = 2, .row = 2, .columns = 1, .rows = 1, .heights = heights };
    assert_int_equal(abut_geometry_update_heightfield(field, &steep), ABUT_INVALID_ARGUMENT);
    heights[0] = 9e5f;
    assert_int_equal(abut_geometry_update_heightfield(field, &steep), ABUT_OK);
    abut_geometry_release(field);
    mesh_maker maker = { 0 };
    mesh_field(&maker, &random, 2, 2, 1.0, 1.0, 0.0, NULL, NULL);
    abut_geometry *mesh = mesh_made(&maker);
    const abut_heightfield_region one = { .columns = 1, .rows = 1 };
    assert_int_equal(abut_geometry_update_heightfield(mesh, &one), ABUT_INVALID_ARGUMENT);
    abut_geometry_release(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updated_fields_are_those_made_anew),
        cmocka_unit_test(worlds_with_updated_fields_are_those_with_new_ones),
        cmocka_unit_test(recordings_learn_of_updates),
        cmocka_unit_test(images_go_with_the_heights_of_their_time),
        cmocka_unit_test(bad_updates_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
