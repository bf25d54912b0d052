// Geometries as bytes are made again as they were, to the bit, and share what they shared. Damage is refused, and bytes
// that were made to deceive lead nowhere outside.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "scarce_memory.h"
#include "some_geometries.h"

#include "shape/compound.h"
#include "shape/hull.h"
#include "shape/mesh.h"
#include "state/image.h"

#include <string.h>

// As saved; `bytes` is the caller's.
typedef struct file
{
    unsigned char *bytes;
    size_t size;
} file;

enum
{
    HEADER = 40, // bytes
    VERSION_AT = 8
};

static file saved(abut_geometry *const *all, uint32_t count)
{
    const abut_registry registry = { (const abut_geometry *const *)all, count };
    file out;
    size_t again = 0;
    assert_int_equal(abut_geometries_save(&registry, NULL, 0, &out.size), ABUT_OK);
    out.bytes = malloc(out.size);
    assert_non_null(out.bytes);
    memset(out.bytes, 0xa5, out.size);
    assert_int_equal(abut_geometries_save(&registry, out.bytes, out.size - 1, &again), ABUT_LIMIT);
    assert_true(again == out.size && out.bytes[0] == 0xa5);
    assert_int_equal(abut_geometries_save(&registry, out.bytes, out.size, &again), ABUT_OK);
    assert_true(again == out.size);
    return out;
}

static void load_all(const file *f, abut_geometry **out, uint32_t expected)
{
    uint32_t count = 0;
    assert_int_equal(abut_geometries_load(f->bytes, f->size, NULL, NULL, 0, &count), ABUT_OK);
    assert_int_equal(count, expected);
    assert_int_equal(abut_geometries_load(f->bytes, f->size, NULL, out, count, &count), ABUT_OK);
    assert_int_equal(count, expected);
}

// Says the checksum of bytes that were changed.
static void seal(file *f)
{
    const uint64_t sum = ab_header_seal(f->bytes, HEADER, f->bytes + HEADER, f->size - HEADER);
    memcpy(f->bytes + HEADER - sizeof sum, &sum, sizeof sum);
}

#define EXPECT_SAME(a, b, count) assert_memory_equal((a), (b), (count) * sizeof *(a))

static void expect_same_hull(const ab_hull *a, const ab_hull *b)
{
    EXPECT_SAME(a->faces, b->faces, a->face_count);
    EXPECT_SAME(a->corners, b->corners, a->faces[a->face_count - 1].first + a->faces[a->face_count - 1].count);
    EXPECT_SAME(&a->deviation, &b->deviation, 1);
    EXPECT_SAME(&a->bounding_radius, &b->bounding_radius, 1);
    assert_int_equal(a->polytope.face_count, b->polytope.face_count);
    assert_int_equal(a->polytope.edge_count, b->polytope.edge_count);
    assert_int_equal(a->tree.node_count, b->tree.node_count);
    if (a->tree.node_count > 0)
    {
        EXPECT_SAME(a->tree.nodes, b->tree.nodes, a->tree.node_count);
    }
}

// All that a mesh has of its own, not only what it was made of.
static void expect_same_mesh(const ab_mesh *a, const ab_mesh *b)
{
    const uint32_t blocks = (a->triangle_count + 7) / 8, leaves = (blocks + 7) / 8;
    assert_int_equal(a->levels, b->levels);
    EXPECT_SAME(a->first, b->first, AB_MESH_LEVELS);
    EXPECT_SAME(a->blocks, b->blocks, blocks);
    EXPECT_SAME(a->leaves, b->leaves, leaves);
    EXPECT_SAME(a->triangles.eights, b->triangles.eights, a->triangles.eight_count);
    EXPECT_SAME(a->triangles.group_at, b->triangles.group_at, ab_mesh_groups(a->joined_count));
    EXPECT_SAME(a->triangles.back, b->triangles.back, ab_mesh_back_count(a->given_count));
    EXPECT_SAME(&a->half, &b->half, 1);
    EXPECT_SAME(&a->bounding_radius, &b->bounding_radius, 1);
    for (uint32_t i = 0; i < a->given_count; ++i)
    {
        assert_int_equal(ab_mesh_find_child(a, i), ab_mesh_find_child(b, i));
    }
    for (uint32_t i = 0; i < a->joined_count; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            assert_int_equal(ab_mesh_own_neighbour(a, i, k), ab_mesh_own_neighbour(b, i, k));
            assert_int_equal(ab_mesh_edge_kind(a, i, k), ab_mesh_edge_kind(b, i, k));
        }
    }
}

static void expect_same(const abut_geometry *a, const abut_geometry *b)
{
    const ab_mesh *mesh = ab_mesh_of_geometry(a);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->coordinate_count, b->coordinate_count);
    EXPECT_SAME(a->coordinates, b->coordinates, a->coordinate_count);
    if (mesh)
    {
        for (uint32_t i = 0; i < mesh->given_count; ++i)
        {
            assert_int_equal(abut_geometry_mesh_material(a, i), abut_geometry_mesh_material(b, i));
        }
    }
    if (a->kind == AB_MESH_GEOMETRY)
    {
        expect_same_mesh(mesh, ab_mesh_of_geometry(b));
    }
    if (a->kind == AB_HULL_GEOMETRY)
    {
        expect_same_hull(ab_hull_of_geometry(a), ab_hull_of_geometry(b));
    }
}

// What the loaded ones are made of: those that are listed.
static void expect_shared(abut_geometry *const *all, abut_geometry *const *loaded, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_compound *compound = ab_compound_of_geometry(loaded[i]);
        for (uint32_t k = 0; compound && k < compound->count; ++k)
        {
            const abut_shape *part = &compound->parts[k].shape;
            assert_true(part->kind != ABUT_HULL || part->hull == loaded[0]);
        }
        if (loaded[i]->kind == AB_SCALED_GEOMETRY)
        {
            assert_ptr_equal(&ab_mesh_of_geometry(loaded[i])->original->head, loaded[3]);
        }
        for (uint32_t k = 0; k < i; ++k)
        {
            assert_true((all[i] == all[k]) == (loaded[i] == loaded[k]));
        }
    }
}

static void come_back_as_they_were(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(400);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        some_geometries some = make_some_geometries(&random);
        abut_geometry *loaded[GEOMETRIES];
        file f = saved(some.all, some.count);
        load_all(&f, loaded, some.count);
        for (uint32_t i = 0; i < some.count; ++i)
        {
            expect_same(some.all[i], loaded[i]);
        }
        expect_shared(some.all, loaded, some.count);
        release_all(some.all, some.count); // before: those that are loaded need nothing of them
        file again = saved(loaded, some.count);
        assert_true(again.size == f.size);
        assert_memory_equal(again.bytes, f.bytes, f.size);
        release_all(loaded, some.count);
        free(again.bytes);
        free(f.bytes);
    }
}

// Of a compound and a scaled mesh alone, what they are made of comes with them, and goes with them.
static void hold_what_they_are_made_of(void **state)
{
    (void)state;
    random_source random = random_start(1), *r = &random;
    some_geometries some = make_some_geometries(r);
    abut_geometry *const few[] = { some.all[1], some.all[4] };
    source memory = { .first_failed = NEVER };
    const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
    abut_geometry *loaded[2];
    uint32_t count;
    file f = saved(few, 2);
    assert_int_equal(abut_geometries_load(f.bytes, f.size, &allocator, loaded, 2, &count), ABUT_OK);
    assert_true(memory.blocks >= 3);
    expect_same(few[0], loaded[0]);
    expect_same(few[1], loaded[1]);
    release_all(loaded, 2);
    assert_int_equal(memory.blocks, 0);
    release_all(some.all, some.count);
    free(f.bytes);
}

static void any_damage_is_refused(void **state)
{
    (void)state;
    random_source random = random_start(2);
    some_geometries some = make_some_geometries(&random);
    abut_geometry *out[GEOMETRIES];
    uint32_t count = 77;
    file f = saved(some.all, some.count);
    for (size_t i = 0; i < f.size; i += i < 512 ? 1 : 1 + random_below(&random, 61))
    {
        const unsigned char before = f.bytes[i], bit = (unsigned char)(1u << random_below(&random, 8));
        f.bytes[i] ^= bit;
        const abut_status status = abut_geometries_load(f.bytes, f.size, NULL, out, GEOMETRIES, &count);
        const bool is_version = i >= VERSION_AT && i < VERSION_AT + sizeof(uint32_t);
        assert_int_equal(status, is_version ? ABUT_UNSUPPORTED : ABUT_INVALID_ARGUMENT);
        f.bytes[i] = before;
    }
    for (size_t size = 0; size < f.size; size += 1 + random_below(&random, 61))
    {
        assert_int_equal(abut_geometries_load(f.bytes, size, NULL, out, GEOMETRIES, &count), ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_geometries_load(f.bytes, f.size, NULL, out, some.count - 1, &count), ABUT_LIMIT);
    assert_int_equal(count, some.count);
    release_all(some.all, some.count);
    free(f.bytes);
}

// Asks what reads all parts of a geometry.
static void use(const abut_geometry *geometry, random_source *random)
{
    const abut_pose pose = abut_pose_identity();
    const abut_shape shape = geometry->kind == AB_HULL_GEOMETRY       ? abut_shape_hull(geometry)
                             : geometry->kind == AB_POLYGON_GEOMETRY  ? abut_shape_polygon(geometry)
                             : geometry->kind == AB_COMPOUND_GEOMETRY ? abut_shape_compound(geometry)
                             : geometry->kind == AB_CHAIN_GEOMETRY    ? abut_shape_chain(geometry)
                                                                      : abut_shape_mesh(geometry);
    const abut_shape ball = abut_shape_sphere(0.4f);
    const ab_mesh *mesh = ab_mesh_of_geometry(geometry);
    abut_vec3 point, corner[3];
    abut_world *world = open_world(NULL);
    abut_body body;
    for (uint32_t i = 0; i < 4; ++i)
    {
        const abut_vec3 at = random_narrow(random_in_box(random, 1.5));
        (void)!abut_shape_closest_point(&shape, &pose, at, &point);
    }
    for (uint32_t i = 0; mesh && i < mesh->given_count; ++i)
    {
        (void)abut_geometry_mesh_triangle(geometry, i, corner);
    }
    for (uint32_t i = 0; mesh && !ab_mesh_is_grid(mesh) && i < mesh->joined_count; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            const uint32_t other = ab_mesh_neighbour(mesh, i, k);
            assert_true(other == AB_NO_TRIANGLE || other < mesh->joined_count);
        }
    }
    const abut_body_def def = { .motion = ABUT_STATIC, .collider.shape = shape };
    if (abut_body_create(world, &def, &body) == ABUT_OK)
    {
        (void)add(world, ball, 0.2f, 0.3f, 0.1f, ABUT_DYNAMIC);
        (void)add(world, abut_shape_obb(0.3f, 0.2f, 0.4f), -0.2f, 0.3f, 0.1f, ABUT_DYNAMIC);
        (void)!abut_world_detect(world, 0.0f);
    }
    abut_world_destroy(world);
}

// Bytes whose checksums are right: refused, or geometries that can be used.
static void lies_lead_nowhere(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(3000);
    uint32_t accepted = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        some_geometries some = make_some_geometries(&random);
        abut_geometry *out[GEOMETRIES], **one = &some.all[random_below(&random, some.count)];
        uint32_t count;
        file f = saved(one, 1);
        const uint32_t lies = 1 + random_below(&random, 3);
        for (uint32_t i = 0; i < lies; ++i)
        {
            const size_t words = (f.size - HEADER) / sizeof(uint32_t), near = words < 64 ? words : 64;
            const uint32_t most = (uint32_t)(random_chance(&random, 0.5) ? near : words);
            unsigned char *at = f.bytes + HEADER + sizeof(uint32_t) * random_below(&random, most);
            uint32_t word, other;
            memcpy(&word, at, sizeof word);
            memcpy(&other, f.bytes + HEADER + sizeof word * random_below(&random, (uint32_t)words), sizeof other);
            const uint32_t wrong[] = {
                word + 1, word - 1, 0, UINT32_MAX, other, word ^ 1u << random_below(&random, 32)
            };
            memcpy(at, &wrong[random_below(&random, COUNT(wrong))], sizeof word);
        }
        seal(&f);
        if (abut_geometries_load(f.bytes, f.size, NULL, out, GEOMETRIES, &count) == ABUT_OK)
        {
            for (uint32_t i = 0; i < count; ++i)
            {
                use(out[i], &random);
            }
            release_all(out, count);
            ++accepted;
        }
        release_all(some.all, some.count);
        free(f.bytes);
    }
    assert_true(accepted > 0);
}

// Each request for memory fails in turn.
static void nothing_is_made_without_memory(void **state)
{
    (void)state;
    random_source random = random_start(3);
    some_geometries some = make_some_geometries(&random);
    abut_geometry *out[GEOMETRIES];
    uint32_t count;
    file f = saved(some.all, some.count);
    abut_status status = ABUT_OUT_OF_MEMORY;
    for (uint64_t granted = 0; status != ABUT_OK; ++granted)
    {
        source memory = { .first_failed = granted };
        const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
        status = abut_geometries_load(f.bytes, f.size, &allocator, out, GEOMETRIES, &count);
        assert_true(status == ABUT_OK || (status == ABUT_OUT_OF_MEMORY && memory.blocks == 0));
        if (status == ABUT_OK)
        {
            release_all(out, count);
            assert_int_equal(memory.blocks, 0);
        }
        assert_true(granted < 1000);
    }
    release_all(some.all, some.count);
    free(f.bytes);
}

// A world's image and the geometries of its registry make the world again elsewhere.
static void a_level_comes_back(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(50);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        surface s = random_surface(&random, true);
        abut_geometry *level[2] = { surface_made(&s), random_hull(&random) }, *loaded[2];
        surface_close(&s);
        abut_world *world = open_world(NULL), *other = open_world(NULL);
        (void)add(world, abut_shape_mesh(level[0]), 0, 0, 0, ABUT_STATIC);
        for (uint32_t i = 0; i < 12; ++i)
        {
            const abut_shape shape = i % 2 ? abut_shape_hull(level[1]) : abut_shape_obb(0.2f, 0.3f, 0.1f);
            const abut_vec3 at = random_narrow(random_in_box(&random, 1.0));
            (void)add(world, shape, at.x, at.y, at.z, ABUT_DYNAMIC);
        }
        assert_int_equal(abut_world_detect(world, 0.0f), ABUT_OK);
        const abut_registry registry = { (const abut_geometry *const *)level, 2 };
        size_t size;
        assert_int_equal(abut_world_save(world, 0, &registry, NULL, 0, &size), ABUT_OK);
        void *image = malloc(size);
        assert_non_null(image);
        assert_int_equal(abut_world_save(world, 0, &registry, image, size, &size), ABUT_OK);
        file f = saved(level, 2);
        load_all(&f, loaded, 2);
        const abut_registry elsewhere = { (const abut_geometry *const *)loaded, 2 };
        assert_int_equal(abut_world_restore(other, &elsewhere, image, size), ABUT_OK);
        assert_true(abut_world_hash(world) == abut_world_hash(other));
        for (uint32_t i = 0; i < 3; ++i)
        {
            assert_int_equal(abut_world_step(world, 0.01f), ABUT_OK);
            assert_int_equal(abut_world_step(other, 0.01f), ABUT_OK);
            assert_true(abut_world_hash(world) == abut_world_hash(other));
        }
        abut_world_destroy(world);
        abut_world_destroy(other);
        release_all(level, 2);
        release_all(loaded, 2);
        free(f.bytes);
        free(image);
    }
}

// The header, the list and the length of an entry, with a checksum that is right.
static void made_up_headers_are_refused(void **state)
{
    (void)state;
    static const struct
    {
        size_t at; // of a word
        uint32_t word;
    } lies[] = {
        { 0, 0 },           { 12, 0x40000000u }, { 12, 0 },           { 16, UINT32_MAX }, { 16, 0 },
        { 16, 2 },          { 20, 1 },           { 24, 8 },           { 28, 1 },          { HEADER, 1 },
        { 48, 7 },          { 48, 23 },          { 48, 0x7fffffffu }, { 48, UINT32_MAX }, { 52, 1 },
        { 52, UINT32_MAX }, { 56, 99 },          { 60, 1 },
    };
    random_source random = random_start(4);
    abut_geometry *polygon = random_polygon(&random), *out;
    uint32_t count = 5;
    file f = saved(&polygon, 1);
    for (size_t i = 0; i < COUNT(lies); ++i)
    {
        uint32_t before;
        memcpy(&before, f.bytes + lies[i].at, sizeof before);
        memcpy(f.bytes + lies[i].at, &lies[i].word, sizeof before);
        seal(&f);
        assert_int_equal(abut_geometries_load(f.bytes, f.size, NULL, &out, 1, &count), ABUT_INVALID_ARGUMENT);
        memcpy(f.bytes + lies[i].at, &before, sizeof before);
    }
    seal(&f);
    assert_int_equal(count, 5);
    assert_int_equal(abut_geometries_load(f.bytes, f.size, NULL, &out, 1, &count), ABUT_OK);
    abut_geometry_release(out);
    abut_geometry_release(polygon);
    free(f.bytes);
}

// A save asks for the memory of the first geometry.
static void without_memory_nothing_is_saved(void **state)
{
    (void)state;
    source memory = { .first_failed = NEVER };
    const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
    const abut_vec3 points[] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const abut_geometry *all[40];
    abut_geometry *made;
    for (size_t i = 0; i < COUNT(all); ++i)
    {
        assert_int_equal(abut_geometry_create_hull(points, 4, 0, &allocator, &made), ABUT_OK);
        all[i] = made;
    }
    const abut_registry registry = { all, COUNT(all) };
    const int64_t blocks = memory.blocks;
    abut_status status = ABUT_OUT_OF_MEMORY;
    size_t size = 5;
    for (uint64_t granted = 0; status != ABUT_OK; ++granted)
    {
        // A geometry has a copy of its allocator: the context is the same.
        fail_after(&memory, granted);
        memory.lasting = true;
        status = abut_geometries_save(&registry, NULL, 0, &size);
        assert_true(status == ABUT_OK || (status == ABUT_OUT_OF_MEMORY && size == 5));
        assert_true(memory.blocks == blocks && granted < 100);
    }
    fail_after(&memory, NEVER);
    for (size_t i = 0; i < COUNT(all); ++i)
    {
        abut_geometry_release(all[i]);
    }
    assert_int_equal(memory.blocks, 0);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    const abut_geometry *none = NULL;
    const abut_registry nothing = { NULL, 0 }, lacking = { &none, 1 }, missing = { NULL, 1 };
    abut_geometry *out;
    size_t size = 5;
    uint32_t count = 7;
    uint64_t bytes[16];
    assert_int_equal(abut_geometries_save(&nothing, NULL, 0, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometries_save(NULL, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometries_save(&lacking, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometries_save(&missing, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometries_save(&nothing, NULL, 1, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometries_save(&nothing, (char *)bytes + 1, 100, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(size, 5);
    assert_int_equal(abut_geometries_save(&nothing, bytes, sizeof bytes, &size), ABUT_OK);
    assert_int_equal(size, HEADER);
    assert_int_equal(abut_geometries_load(NULL, size, NULL, NULL, 0, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometries_load(bytes, size, NULL, NULL, 0, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometries_load(bytes, size, NULL, NULL, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometries_load((char *)bytes + 1, size, NULL, NULL, 0, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(count, 7);
    assert_int_equal(abut_geometries_load(bytes, size, NULL, &out, 1, &count), ABUT_OK);
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(come_back_as_they_were),         cmocka_unit_test(hold_what_they_are_made_of),
        cmocka_unit_test(any_damage_is_refused),          cmocka_unit_test(lies_lead_nowhere),
        cmocka_unit_test(nothing_is_made_without_memory), cmocka_unit_test(a_level_comes_back),
        cmocka_unit_test(made_up_headers_are_refused),    cmocka_unit_test(without_memory_nothing_is_saved),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
