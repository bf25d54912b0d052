// The geometries of a recording are made again as they were, and entries that say what there cannot be are refused.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "damaged_entries.h"
#include "hull_clouds.h"

#include "shape/hull.h"

static void update(abut_world *world, abut_body body, abut_geometry *field)
{
    static const float heights[] = { 0.1f, 0.2f };
    static const uint8_t cells[] = { ABUT_CELL_SURFACE, ABUT_CELL_SURFACE };
    static const uint16_t materials[] = { 9, 8 };
    const bool has = abut_geometry_mesh_material(field, 0) != 0;
    const abut_heightfield_region regions[] = {
        { .column = 1, .row = 1, .columns = 2, .rows = 1, .heights = heights },
        { .columns = 2, .rows = 3, .cells = cells, .materials = has ? materials : NULL },
    };
    const abut_shape shape = abut_shape_mesh(field);
    abut_collider collider;
    uint32_t count;
    for (size_t i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_geometry_update_heightfield(field, &regions[i]), ABUT_OK);
    }
    assert_int_equal(abut_body_colliders(world, body, &collider, 1, &count), ABUT_OK);
    assert_int_equal(abut_collider_set_shape(world, collider, &shape), ABUT_OK);
}

// A recording of a ball over a static shape, which replays. If `field` is not NULL, it is the shape's, and updated.
static tape record_ball_over(abut_shape shape, abut_geometry *field)
{
    tape t = { 0 };
    abut_world *world;
    abut_body body, ground;
    const bool flat = shape.kind == ABUT_CHAIN;
    const abut_world_def world_def = { .dimension = flat ? 2 : 3 };
    assert_int_equal(abut_world_create(&world_def, &world), ABUT_OK);
    abut_recording *recording = tape_record(&t, world, 1);
    abut_body_def def = { .motion = ABUT_STATIC, .collider.shape = shape };
    assert_int_equal(abut_body_create(world, &def, &ground), ABUT_OK);
    def = (abut_body_def){ .pose.position = { 0.5f, 0.4f, 0 }, .collider.shape = abut_shape_sphere(0.5f) };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    for (uint32_t i = 0; i < 5; ++i)
    {
        abut_vec3 *const at = &abut_world_bodies(world).poses[body.slot].position;
        *(flat ? &at->x : &at->z) += 0.1f;
        if (field && i == 2)
        {
            update(world, ground, field);
        }
        assert_int_equal(abut_world_step(world, 0.01f), ABUT_OK);
        assert_true(abut_world_contacts(world, ABUT_AWAKE).count > 0);
    }
    assert_true(abut_recording_destroy(recording));
    abut_world_destroy(world);
    expect_replay(&t, 5, ABUT_BROAD_BVH, ABUT_ISA_SCALAR, 2);
    return t;
}

// Where an entry of a kind is, counted from zero.
static size_t entry_of(const tape *t, ab_entry_kind kind, uint32_t which, ab_entry_header *header)
{
    for (size_t at = sizeof(ab_stream_header);; at += sizeof *header + (size_t)header->size)
    {
        assert_true(at < t->size);
        memcpy(header, t->bytes + at, sizeof *header);
        if (header->kind == (uint32_t)kind && which-- == 0)
        {
            return at;
        }
    }
}

static size_t geometry_entry(const tape *t, uint32_t which, ab_entry_header *header)
{
    return entry_of(t, AB_ENTRY_GEOMETRY, which, header);
}

// With any damage to the geometry the recording is refused. Returns its payload, which the caller frees.
static unsigned char *damage_geometry(const tape *t, size_t at, const ab_entry_header *header)
{
    damage_entry(t, at);
    unsigned char *payload = calloc(1, header->size);
    assert_non_null(payload);
    memcpy(payload, t->bytes + at + sizeof *header, header->size);
    for (uint64_t size = 0; size < header->size; ++size)
    {
        assert_int_equal(replay_with(t, at, AB_ENTRY_GEOMETRY, payload, size), ABUT_REPLAY_BROKEN);
    }
    return payload;
}

static void expect_surface(abut_geometry *geometry)
{
    ab_entry_header header;
    tape t = record_ball_over(abut_shape_mesh(geometry), NULL);
    const size_t at = geometry_entry(&t, 0, &header);
    unsigned char *payload = damage_geometry(&t, at, &header);
    abut_geometry_release(geometry);
    // Of a heightfield the numbers of columns and rows come first; of a mesh that of triangles.
    const float wrong[] = { 1.0f, 2.5f, NAN, -2.0f, 3e7f, 9999.0f, 16777216.0f };
    for (size_t i = 0; i < 3 * sizeof wrong / sizeof *wrong; ++i)
    {
        float *first = (float *)(void *)(payload + sizeof(ab_saved_geometry));
        memcpy(payload, t.bytes + at + sizeof header, header.size);
        first[0] = i % 3 != 1 ? wrong[i / 3] : first[0];
        first[1] = i % 3 != 0 ? wrong[i / 3] : first[1];
        assert_int_equal(replay_with(&t, at, AB_ENTRY_GEOMETRY, payload, header.size), ABUT_REPLAY_BROKEN);
    }
    free(payload);
    tape_close(&t);
}

// One triangle has no area, and one is a neighbour's.
static void meshes_are_checked(void **state)
{
    (void)state;
    static const abut_vec3 vertex[] = { { -2, 0, -2 }, { 2, 0, -2 }, { 2, 0, 2 }, { -2, 0, 2 }, { 4, 0, 0 } };
    static const uint32_t index[] = { 0, 2, 1, 1, 1, 3, 0, 3, 2, 1, 2, 4 };
    static const uint16_t materials[] = { 7, 0, 65535 };
    const abut_mesh_def mesh = { .vertices = vertex,
                                 .vertex_count = 5,
                                 .indices = index,
                                 .triangle_count = 4,
                                 .neighbour_count = 1,
                                 .materials = materials };
    abut_geometry *geometry;
    assert_int_equal(abut_geometry_create_mesh(&mesh, NULL, &geometry), ABUT_OK);
    expect_surface(geometry);
}

// One cell is a hole, and one a neighbour's.
static void heightfields_are_checked(void **state)
{
    (void)state;
    static const float heights[9] = { 0, 0, 0.25f };
    static const uint16_t materials[4] = { 1, 2, 0, 4 };
    static const uint8_t cells[4] = { ABUT_CELL_SURFACE, ABUT_CELL_HOLE, ABUT_CELL_NEIGHBOUR, ABUT_CELL_SURFACE };
    const abut_heightfield_def field = { .heights = heights,
                                         .cells = cells,
                                         .materials = materials,
                                         .columns = 3,
                                         .rows = 3,
                                         .step_x = 2,
                                         .step_z = 2,
                                         .two_sided = true };
    abut_geometry *geometry;
    assert_int_equal(abut_geometry_create_heightfield(&field, NULL, &geometry), ABUT_OK);
    expect_surface(geometry);
    // All its rows are updated at once, two cells to a row.
    ab_entry_header header;
    const uint32_t due[] = { 0, 0, 3, 1 };
    uint32_t words[4];
    const size_t size = sizeof due + 9 * sizeof(float) + 4 + 4 * sizeof(uint16_t);
    assert_int_equal(abut_geometry_create_heightfield(&field, NULL, &geometry), ABUT_OK);
    tape t = record_ball_over(abut_shape_mesh(geometry), geometry);
    const size_t at = entry_of(&t, AB_ENTRY_HEIGHTS, 0, &header);
    memcpy(words, t.bytes + at + sizeof header, sizeof words);
    assert_memory_equal(words, due, sizeof due);
    assert_int_equal(header.size, size);
    damage_entry(&t, at);
    unsigned char *payload = malloc(header.size);
    assert_non_null(payload);
    static const uint32_t wrong[][2] = { { 0, 1 }, { 0, ABUT_NONE }, { 1, 1 }, { 2, 0 }, { 2, 2 }, { 3, 0 }, { 3, 2 } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    {
        memcpy(payload, t.bytes + at + sizeof header, header.size);
        memcpy(payload + 4 * wrong[i][0], &wrong[i][1], 4);
        assert_int_equal(replay_with(&t, at, AB_ENTRY_HEIGHTS, payload, header.size), ABUT_REPLAY_BROKEN);
    }
    free(payload);
    abut_geometry_release(geometry);
    tape_close(&t);
    abut_heightfield_def plain = field;
    plain.materials = NULL;
    assert_int_equal(abut_geometry_create_heightfield(&plain, NULL, &geometry), ABUT_OK);
    t = record_ball_over(abut_shape_mesh(geometry), geometry);
    damage_entry(&t, entry_of(&t, AB_ENTRY_HEIGHTS, 0, &header));
    assert_int_equal(header.size, size - 4 * sizeof(uint16_t));
    abut_geometry_release(geometry);
    tape_close(&t);
}

// What it shares comes first: it has index 0.
static void scaled_ones_are_checked(void **state)
{
    (void)state;
    static const abut_vec3 vertex[] = { { -2, 0, -2 }, { 2, 0, -2 }, { 2, 0, 2 } };
    static const uint32_t index[] = { 0, 2, 1 };
    const abut_mesh_def mesh = { .vertices = vertex, .vertex_count = 3, .indices = index, .triangle_count = 1 };
    abut_geometry *original, *scaled;
    assert_int_equal(abut_geometry_create_mesh(&mesh, NULL, &original), ABUT_OK);
    assert_int_equal(abut_geometry_create_scaled(original, abut_vec3_make(2, 1, -3), NULL, &scaled), ABUT_OK);
    abut_geometry_release(original);
    ab_entry_header header;
    tape t = record_ball_over(abut_shape_mesh(scaled), NULL);
    abut_geometry_release(scaled);
    const size_t at = geometry_entry(&t, 1, &header);
    unsigned char *payload = damage_geometry(&t, at, &header);
    ab_saved_scaled *entry = (ab_saved_scaled *)(void *)(payload + sizeof(ab_saved_geometry));
    assert_int_equal(entry->original, 0);
    const uint32_t indices[] = { 1, 2, ABUT_NONE }; // its own, and none
    const float factors[] = { 0.0f, NAN, INFINITY, 1e38f, 2.5f };
    for (size_t i = 0; i < sizeof indices / sizeof *indices; ++i)
    {
        entry->original = indices[i];
        assert_int_equal(replay_with(&t, at, AB_ENTRY_GEOMETRY, payload, header.size), ABUT_REPLAY_BROKEN);
    }
    entry->original = 0;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; ++i)
    {
        entry->scale.x = factors[i];
        assert_int_equal(replay_with(&t, at, AB_ENTRY_GEOMETRY, payload, header.size), ABUT_REPLAY_BROKEN);
    }
    free(payload);
    tape_close(&t);
}

// In place of a geometry others of any kind, all zeros: with no vertices, parts or original that there can be.
static void try_other_kinds(const tape *t, size_t at)
{
    static const size_t sizes[] = { 0, 4, (ABUT_MAX_VERTICES + 1) * sizeof(abut_vec2), sizeof(ab_saved_scaled),
                                    (ABUT_MAX_COMPOUND_PARTS + 1) * sizeof(ab_saved_part) };
    unsigned char *payload = calloc(1, sizeof(ab_saved_geometry) + sizes[4]);
    assert_non_null(payload);
    for (uint32_t kind = AB_POLYGON_GEOMETRY; kind <= AB_CHAIN_GEOMETRY + 1; ++kind)
    {
        memcpy(payload, &kind, sizeof kind);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        {
            const size_t size = sizeof(ab_saved_geometry) + sizes[i];
            assert_int_equal(replay_with(t, at, AB_ENTRY_GEOMETRY, payload, size), ABUT_REPLAY_BROKEN);
        }
    }
    free(payload);
}

// Parts of each kind; the hull has an entry of its own, in front of the compound's.
static void compounds_are_checked(void **state)
{
    (void)state;
    static const abut_vec3 points[] = { { -1, -1, -1 }, { 1, -1, -1 }, { 0, 1, 0 }, { 0, -1, 1 } };
    abut_geometry *hull, *compound;
    ab_entry_header header;
    assert_int_equal(abut_geometry_create_hull(points, 4, 0, NULL, &hull), ABUT_OK);
    const abut_placed_shape parts[] = {
        { abut_shape_hull(hull), { .position = { 0.2f, -0.5f, 0 } } },
        { abut_shape_obb(2, 0.2f, 1), { .position = { 0, -0.1f, 0 }, .rotation = { 0, 0.1f, 0, 1 } } },
        { abut_shape_sphere(0.5f), { .position = { 1, 0, 1 } } },
        { abut_shape_capsule(0.2f, 1), { .rotation = { 1, 0, 0, 1 } } },
    };
    assert_int_equal(abut_geometry_create_compound(parts, 4, NULL, &compound), ABUT_OK);
    abut_geometry_release(hull);
    tape t = record_ball_over(abut_shape_compound(compound), NULL);
    abut_geometry_release(compound);
    (void)geometry_entry(&t, 0, &header);
    damage_entry(&t, geometry_entry(&t, 0, &header));
    const size_t at = geometry_entry(&t, 1, &header);
    unsigned char *payload = damage_geometry(&t, at, &header);
    assert_int_equal(header.size, sizeof(ab_saved_geometry) + 4 * sizeof(ab_saved_part));
    for (size_t word = 0; word < header.size / 4; ++word)
    {
        memcpy(payload, t.bytes + at + sizeof header, header.size);
        memset(payload + 4 * word, 0xff, 4);
        (void)replay_with(&t, at, AB_ENTRY_GEOMETRY, payload, header.size);
    }
    try_other_kinds(&t, at);
    free(payload);
    tape_close(&t);
}

static void chains_are_checked(void **state)
{
    (void)state;
    static const abut_vec2 points[] = { { 4, 0 }, { 2, 0.1f }, { 0, 0 }, { -3, 0.2f } }, after = { -4, 1 };
    const abut_chain_def def = { .points = points, .point_count = 4, .two_sided = true, .after = &after };
    abut_geometry *chain;
    ab_entry_header header;
    assert_int_equal(abut_geometry_create_chain(&def, NULL, &chain), ABUT_OK);
    tape t = record_ball_over(abut_shape_chain(chain), NULL);
    abut_geometry_release(chain);
    const size_t at = geometry_entry(&t, 0, &header);
    unsigned char *payload = damage_geometry(&t, at, &header);
    float *const coordinates = (float *)(void *)(payload + sizeof(ab_saved_geometry));
    static const float wrong[] = { 5.0f, 64.0f, -1.0f, NAN };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i)
    {
        memcpy(payload, t.bytes + at + sizeof header, header.size);
        coordinates[0] = wrong[i];
        assert_int_equal(replay_with(&t, at, AB_ENTRY_GEOMETRY, payload, header.size), ABUT_REPLAY_BROKEN);
    }
    memcpy(payload, t.bytes + at + sizeof header, header.size);
    assert_int_equal(replay_with(&t, at, AB_ENTRY_GEOMETRY, payload, header.size - 4), ABUT_REPLAY_BROKEN);
    assert_int_equal(replay_with(&t, at, AB_ENTRY_GEOMETRY, payload, sizeof(ab_saved_geometry) + 16),
                     ABUT_REPLAY_BROKEN);
    try_other_kinds(&t, at);
    free(payload);
    tape_close(&t);
}

static tape record_two(const abut_geometry *hull)
{
    tape t = { 0 };
    abut_world *world;
    abut_body bodies[2];
    assert_int_equal(abut_world_create(NULL, &world), ABUT_OK);
    abut_recording *recording = tape_record(&t, world, 1);
    const abut_body_def def = { .collider.shape = abut_shape_hull(hull) };
    for (uint32_t i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_body_create(world, &def, &bodies[i]), ABUT_OK);
    }
    assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
    assert_true(abut_recording_destroy(recording));
    abut_world_destroy(world);
    return t;
}

static void expect_hull_to_replay(const abut_vec3 *points, uint32_t count, uint32_t most)
{
    abut_geometry *hull;
    assert_int_equal(abut_geometry_create_hull(points, count, most, NULL, &hull), ABUT_OK);
    tape t = record_two(hull);
    abut_geometry_release(hull);
    expect_replay(&t, 1, ABUT_BROAD_BRUTE, ABUT_ISA_AUTO, 1);
    tape_close(&t);
}

// Made again of its vertices alone, a hull may have its faces in another order, other planes, or fewer.
static void hulls_keep_their_faces(void **state)
{
    (void)state;
    static const uint64_t others[] = { 15781, 18373 }; // which have fewer faces, made of their vertices alone
    static abut_vec3 points[HULL_CLOUD_MOST];
    const random_seeds seeds = random_seeds_of(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const uint32_t count = hull_cloud_of(&random, (hull_cloud)(seed % HULL_FLAT), 1e-2, points);
        expect_hull_to_replay(points, count, seed % 3 ? 4 + random_below(&random, 30) : 0);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    {
        random_source random = random_start(others[i]);
        expect_hull_to_replay(points, hull_cloud_of(&random, HULL_NOISE, 1e-5, points), 0);
    }
}

static void hulls_are_checked(void **state)
{
    (void)state;
    static const abut_vec3 points[] = { { -1, -1, -1 }, { 1, -1, -1 }, { 0, 1, 0 }, { 0, -1, 1 } };
    static const double wrong[] = { NAN, -INFINITY, 1e300 };
    abut_geometry *hull;
    ab_entry_header header;
    assert_int_equal(abut_geometry_create_hull(points, 4, 0, NULL, &hull), ABUT_OK);
    tape t = record_two(hull);
    abut_geometry_release(hull);
    const size_t at = geometry_entry(&t, 0, &header);
    unsigned char *payload = damage_geometry(&t, at, &header);
    const size_t head = sizeof(ab_saved_geometry) + 24; // see hull_bytes.c
    ab_hull_face *face = (ab_hull_face *)(void *)(payload + head);
    uint32_t *corner = (uint32_t *)(void *)(payload + head + 4 * sizeof *face + sizeof points);
    assert_int_equal(header.size, head + 4 * sizeof *face + sizeof points + 12 * sizeof *corner);
    for (uint32_t i = 0; i < 3 * 4; ++i)
    {
        double *const value = i % 4 < 3 ? &face[2].normal[i % 4] : &face[2].offset, before = *value;
        *value = wrong[i / 4];
        assert_int_equal(replay_with(&t, at, AB_ENTRY_GEOMETRY, payload, header.size), ABUT_REPLAY_BROKEN);
        *value = before;
    }
    static const uint32_t others[] = { 0, 1, 2, 3, 4, ABUT_NONE };
    for (uint32_t i = 0; i < 6 * 12; ++i)
    {
        const uint32_t before = corner[i / 6];
        corner[i / 6] = others[i % 6] == before ? 4 : others[i % 6];
        assert_int_equal(replay_with(&t, at, AB_ENTRY_GEOMETRY, payload, header.size), ABUT_REPLAY_BROKEN);
        corner[i / 6] = before;
    }
    for (uint32_t i = 0; i < 2 * 4; ++i)
    {
        uint32_t *const count = i % 2 ? &face[i / 2].count : &face[i / 2].first;
        ++*count;
        assert_int_equal(replay_with(&t, at, AB_ENTRY_GEOMETRY, payload, header.size), ABUT_REPLAY_BROKEN);
        --*count;
    }
    free(payload);
    tape_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_checked),      cmocka_unit_test(heightfields_are_checked),
        cmocka_unit_test(scaled_ones_are_checked), cmocka_unit_test(compounds_are_checked),
        cmocka_unit_test(chains_are_checked),      cmocka_unit_test(hulls_keep_their_faces),
        cmocka_unit_test(hulls_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
