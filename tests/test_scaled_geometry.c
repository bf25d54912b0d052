// Scaled meshes and heightfields as geometry: who holds what, out of memory, drawing, hashes, images and recordings.
#include "scaled_surfaces.h"
#include "scarce_memory.h"
#include "whole_image.h"

#include <abut/draw.h>
#include <abut/record.h>

#include "record/stream.h"
#include "recordings.h"
#include "shape/shared.h"

static surface bumpy(uint64_t seed)
{
    random_source random = random_start(seed);
    surface s = { .is_grid = false };
    mesh_field(&s.mesh, &random, 6, 6, 2.0, 2.0, 0.2, surface_bumps, &random);
    return s;
}

static surface some_grid(uint64_t seed)
{
    random_source random = random_start(seed);
    surface s = { .is_grid = true };
    surface_grid(&s, &random);
    return s;
}

static const abut_vec3 scale_of[] = { { 2, 3, 4 }, { 1, 1e-3f, 1 }, { 0.5f, 2, 0.25f } };

// The scaled one holds the original until its own end, from whichever allocator each is.
static void the_original_lives_as_long_as_what_shares_it(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        source memory[2] = { { .first_failed = NEVER }, { .first_failed = NEVER } };
        surface s = bumpy(seed);
        const abut_allocator allocator[2] = {
            { .allocate = lend, .release = take_back, .context = &memory[0] },
            { .allocate = lend, .release = take_back, .context = &memory[1] },
        };
        abut_geometry *original = NULL, *scaled = NULL, *again = NULL;
        const abut_mesh_def def = mesh_def_of(&s.mesh);
        assert_int_equal(abut_geometry_create_mesh(&def, &allocator[0], &original), ABUT_OK);
        const int64_t bytes = memory[0].bytes;
        assert_int_equal(abut_geometry_create_scaled(original, scale_of[seed % 3], &allocator[1], &scaled), ABUT_OK);
        assert_int_equal(abut_geometry_create_scaled(scaled, scale_of[0], &allocator[1], &again), ABUT_OK);
        assert_int_equal(memory[1].blocks, 2);
        assert_true(memory[1].bytes < 2 * 1024); // neither has the arrays
        abut_geometry_release(original);
        assert_true(memory[0].bytes == bytes);
        abut_geometry *const first = seed % 3 ? scaled : again, *const last = seed % 3 ? again : scaled;
        abut_geometry_release(first);
        assert_true(memory[0].bytes == bytes && memory[1].blocks == 1);
        abut_vec3 at[3];
        assert_true(abut_geometry_mesh_triangle(last, 0, at));
        abut_geometry_retain(last);
        abut_geometry_release(last);
        assert_true(memory[0].bytes == bytes);
        abut_geometry_release(last);
        assert_int_equal(memory[0].blocks, 0);
        assert_int_equal(memory[1].blocks, 0);
        surface_close(&s);
    }
}

// Nothing of a field is held, nor is there anything left of what it was made of.
static void a_scaled_field_holds_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        source memory[2] = { { .first_failed = NEVER }, { .first_failed = NEVER } };
        surface s = some_grid(seed);
        const abut_allocator allocator[2] = {
            { .allocate = lend, .release = take_back, .context = &memory[0] },
            { .allocate = lend, .release = take_back, .context = &memory[1] },
        };
        abut_heightfield_def def = s.field;
        def.heights = s.heights;
        abut_geometry *original, *scaled;
        assert_int_equal(abut_geometry_create_heightfield(&def, &allocator[0], &original), ABUT_OK);
        const int64_t bytes = memory[0].bytes;
        assert_int_equal(abut_geometry_create_scaled(original, scale_of[seed % 3], &allocator[1], &scaled), ABUT_OK);
        assert_int_equal(memory[1].blocks, 1);
        assert_true(memory[1].bytes == bytes);
        abut_geometry_release(original);
        assert_int_equal(memory[0].blocks, 0);
        abut_vec3 at[3];
        assert_true(abut_geometry_mesh_triangle(scaled, 0, at));
        abut_geometry_release(scaled);
        assert_int_equal(memory[1].blocks, 0);
    }
}

// How often making one fails, with ever more memory; each time nothing is left.
static uint64_t refusals_of(const abut_geometry *original, abut_vec3 scale)
{
    abut_geometry *out;
    abut_status status = ABUT_OUT_OF_MEMORY;
    uint64_t refused = 0;
    for (uint64_t granted = 0; status == ABUT_OUT_OF_MEMORY; ++granted)
    {
        source memory = { .first_failed = granted, .lasting = granted % 2 != 0 };
        const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
        status = abut_geometry_create_scaled(original, scale, &allocator, &out);
        assert_true((status == ABUT_OK) == (out != NULL));
        refused += status == ABUT_OUT_OF_MEMORY;
        assert_true(status == ABUT_OK || memory.blocks == 0);
        abut_geometry_release(out);
        assert_int_equal(memory.blocks, 0);
    }
    assert_int_equal(status, ABUT_OK);
    return refused;
}

static void out_of_memory_is_reported_and_undone(void **state)
{
    (void)state;
    // All of one mesh's triangles keep their area; of another's, one loses it.
    for (int loses = 0; loses < 2; ++loses)
    {
        surface s = bumpy(5);
        mesh_vertex(&s.mesh, 5.0, 0.0, 0.0);
        mesh_vertex(&s.mesh, 7.0, 0.0, 0.0);
        mesh_vertex(&s.mesh, 6.0, 1.0, 0.0);
        const uint32_t n = s.mesh.vertex_count - 3;
        mesh_triangle(&s.mesh, n, n + 1, n + 2);
        abut_geometry *original = surface_made(&s);
        // So flat that it has no area: less than 2^-44 of the square of an edge.
        const abut_vec3 scale = { 1, loses ? 1e-14f : 2, 1 };
        const uint64_t refused = refusals_of(original, scale);
        assert_true(loses ? refused > 5 : refused == 1);
        // Nothing of all that holds the original.
        abut_geometry_release(original);
        surface_close(&s);
    }
    surface grid = some_grid(5);
    abut_geometry *field = surface_made(&grid);
    assert_int_equal(refusals_of(field, scale_of[0]), 3); // what it is made of, and itself
    abut_geometry_release(field);
}

static int by_places(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(abut_vec3));
}

// The ends of all lines, each the lesser first, in an order.
static abut_vec3 *lines_of(const abut_geometry *geometry, uint64_t *count)
{
    abut_world *world = open_world(NULL);
    const abut_draw_def def = { .what = ABUT_DRAW_SHAPES };
    add(world, abut_shape_mesh(geometry), 0, 0, 0, ABUT_STATIC);
    detect(world);
    const abut_status counted = abut_world_draw(world, &def, NULL, 0, count);
    assert_true(counted == ABUT_OK || counted == ABUT_LIMIT);
    abut_line *lines = malloc(*count * sizeof *lines);
    abut_vec3 *ends = malloc(2 * *count * sizeof *ends);
    assert_true(lines && ends);
    assert_int_equal(abut_world_draw(world, &def, lines, *count, count), ABUT_OK);
    for (uint64_t i = 0; i < *count; ++i)
    {
        const bool turned = memcmp(&lines[i].from, &lines[i].to, sizeof lines[i].from) > 0;
        ends[2 * i] = turned ? lines[i].to : lines[i].from;
        ends[2 * i + 1] = turned ? lines[i].from : lines[i].to;
    }
    qsort(ends, *count, 2 * sizeof *ends, by_places);
    free(lines);
    abut_world_destroy(world);
    return ends;
}

static void each_edge_is_drawn_once_where_it_is(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; ++seed)
    {
        random_source random = random_start(seed);
        surface s = random_surface(&random, true);
        abut_geometry *pair[2];
        uint64_t count[2];
        surface_pair(&s, random_scale_of(&random, &s), pair);
        abut_vec3 *one = lines_of(pair[0], &count[0]), *other = lines_of(pair[1], &count[1]);
        assert_true(count[0] == count[1] && count[0] > 0);
        assert_memory_equal(one, other, 2 * count[0] * sizeof *one);
        free(one);
        free(other);
        abut_geometry_release(pair[0]);
        abut_geometry_release(pair[1]);
        surface_close(&s);
    }
}

static void hashes_are_of_the_scale_and_the_original(void **state)
{
    (void)state;
    enum
    {
        SAME,
        MOVED,
        PAINTED,
        GIVEN,
        SURFACES
    };
    surface s[SURFACES];
    uint64_t hash[SURFACES];
    for (int i = 0; i < SURFACES; ++i)
    {
        s[i] = bumpy(1);
    }
    s[MOVED].mesh.vertices[3].y += 0.5f;
    s[PAINTED].has_materials = true;
    s[PAINTED].materials[7] = 1;
    s[GIVEN].neighbours = 1;
    abut_geometry *original = surface_made(&s[SAME]), *scaled = scaled_made(original, scale_of[0]);
    const uint64_t first = hash_with_mesh(scaled), plain = hash_with_mesh(original);
    for (int i = 0; i < SURFACES; ++i)
    {
        abut_geometry *other = surface_made(&s[i]), *scaled_other = scaled_made(other, scale_of[0]);
        hash[i] = hash_with_mesh(scaled_other);
        assert_true((hash[i] == first) == (i == SAME));
        for (int k = 0; k < i; ++k)
        {
            assert_true(hash[i] != hash[k]);
        }
        abut_geometry_release(other);
        abut_geometry_release(scaled_other);
        surface_close(&s[i]);
    }
    abut_geometry_release(scaled);
    scaled = scaled_made(original, scale_of[1]);
    assert_true(first != plain && hash_with_mesh(scaled) != first && hash_with_mesh(scaled) != plain);
    abut_geometry_release(scaled);
    abut_geometry_release(original);
}

// Scaled meshes and a field, one of them with the original beside it, and balls on them. They have neighbours and
// materials.
static abut_world *crowd(abut_geometry *held[5], abut_body ground[5])
{
    random_source random = random_start(11);
    surface s = bumpy(7), grid = some_grid(9);
    surface_give_away(&s, &random);
    surface_paint(&s, &random);
    surface_paint(&grid, &random);
    s.neighbours = 6;
    abut_world *world = open_world(NULL);
    abut_geometry *original = surface_made(&s), *field = surface_made(&grid);
    held[0] = scaled_made(original, scale_of[0]);
    held[1] = scaled_made(original, abut_vec3_make(-1, 0.1f, 2));
    held[2] = scaled_made(field, scale_of[0]);
    held[3] = scaled_made(held[0], scale_of[2]);
    held[4] = original;
    abut_geometry_release(field);
    for (int i = 0; i < 5; ++i)
    {
        ground[i] = add(world, abut_shape_mesh(held[i]), 20.0f * (float)i, 0, 0, ABUT_STATIC);
        const abut_body body = add(world, abut_shape_sphere(0.6f), 20.0f * (float)i, 0.5f, 0.1f, ABUT_DYNAMIC);
        add(world, abut_shape_obb(0.6f, 0.5f, 0.4f), 20.0f * (float)i + 0.9f, 0.3f, 0.2f, ABUT_DYNAMIC);
        abut_world_bodies(world).velocities[body.slot].linear = abut_vec3_make(0.4f, -0.2f, 0.3f);
    }
    surface_close(&s);
    return world;
}

static void images_name_scaled_ones(void **state)
{
    (void)state;
    abut_geometry *held[5];
    abut_body ground[5];
    abut_world *world = crowd(held, ground);
    const abut_geometry *list[5] = { held[4], held[3], held[2], held[1], held[0] };
    const abut_registry registry = { list, 5 }, lacking = { list, 4 };
    detect(world);
    assert_true(touching(world) > 5);
    size_t size;
    assert_int_equal(abut_world_save(world, 0, &lacking, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    void *image = image_of(world, &registry, &size);
    const uint64_t before = abut_world_hash(world);
    assert_int_equal(abut_world_step(world, 0.5f), ABUT_OK);
    assert_true(abut_world_hash(world) != before);
    const uint64_t after = abut_world_hash(world);
    assert_int_equal(abut_world_restore(world, &registry, image, size), ABUT_OK);
    assert_true(abut_world_hash(world) == before);
    assert_int_equal(abut_world_step(world, 0.5f), ABUT_OK);
    assert_true(abut_world_hash(world) == after);
    free(image);
    for (int i = 0; i < 5; ++i)
    {
        abut_geometry_release(held[i]);
    }
    abut_world_destroy(world);
}

// How many geometries of a kind a recording has.
static uint32_t geometries_in(const tape *t, ab_geometry_kind kind)
{
    uint32_t count = 0;
    ab_entry_header header;
    for (size_t at = sizeof(ab_stream_header); at < t->size; at += sizeof header + (size_t)header.size)
    {
        ab_saved_geometry entry;
        memcpy(&header, t->bytes + at, sizeof header);
        if (header.kind == AB_ENTRY_GEOMETRY)
        {
            memcpy(&entry, t->bytes + at + sizeof header, sizeof entry);
            count += entry.kind == (uint32_t)kind;
        }
    }
    return count;
}

static void change_field(abut_world *world, abut_geometry *field, abut_body ground, float height)
{
    const abut_heightfield_region region = { .columns = 1, .rows = 1, .heights = &height };
    const abut_shape shape = abut_shape_mesh(field);
    assert_int_equal(abut_geometry_update_heightfield(field, &region), ABUT_OK);
    assert_int_equal(abut_collider_set_shape(world, first_collider(world, ground), &shape), ABUT_OK);
}

// Those that come while it is recorded, too.
static void recordings_have_each_original_once(void **state)
{
    (void)state;
    abut_geometry *held[5];
    abut_body ground[5];
    tape t = { 0 };
    abut_world *world = crowd(held, ground);
    abut_recording *recording = tape_record(&t, world, 3);
    for (int i = 0; i < 8; ++i)
    {
        abut_geometry *late = i < 5 ? scaled_made(held[i], abut_vec3_make(1, 1.5f, 2))
                                    : scaled_made(held[4], abut_vec3_make(0.5f, 1e-6f * (float)i, 3));
        add(world, abut_shape_mesh(late), 20.0f * (float)i, 0.2f, 0, ABUT_STATIC);
        abut_geometry_release(late);
        change_field(world, held[2], ground[2], 0.1f * (float)i);
        assert_int_equal(abut_world_step(world, 0.1f), ABUT_OK);
    }
    assert_true(abut_recording_destroy(recording));
    assert_int_equal(geometries_in(&t, AB_MESH_GEOMETRY), 1);
    assert_int_equal(geometries_in(&t, AB_HEIGHTFIELD_GEOMETRY), 1 + 1); // as any other
    assert_int_equal(geometries_in(&t, AB_SCALED_GEOMETRY), 3 + 7);
    for (int i = 0; i < 5; ++i)
    {
        abut_geometry_release(held[i]);
    }
    abut_world_destroy(world);
    expect_replay(&t, 8, ABUT_BROAD_AUTO, ABUT_ISA_AUTO, 1);
    expect_replay(&t, 8, ABUT_BROAD_BRUTE, ABUT_ISA_SCALAR, 1);
    tape_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_original_lives_as_long_as_what_shares_it),
        cmocka_unit_test(a_scaled_field_holds_nothing),
        cmocka_unit_test(out_of_memory_is_reported_and_undone),
        cmocka_unit_test(each_edge_is_drawn_once_where_it_is),
        cmocka_unit_test(hashes_are_of_the_scale_and_the_original),
        cmocka_unit_test(images_name_scaled_ones),
        cmocka_unit_test(recordings_have_each_original_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
