// Images cross machines: what one program writes, another restores and goes on from to the same bits, whatever
// compiler, instruction set and broad phase either has. ABUT_IMAGES names a file: the first program to run writes it,
// those after it read it. Without one, this program does both.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "random_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum
{
    SESSIONS = 20,
    BEFORE = 400, // operations
    AFTER = 60    // detects
};

// What is written for each session, and then the image.
typedef struct record
{
    uint64_t size, state, hash[AFTER];
} record;

static float nudge(random_source *random)
{
    return (float)(int)random_below(random, 2001) / 1000.0f -
           1.0f; // without libm, which differs from machine to machine
}

// Bodies move, end and begin, as the seed says.
static void stir(abut_world *world, random_source *random)
{
    const abut_bodies bodies = abut_world_bodies(world);
    abut_body_def def = { .collider.shape = abut_shape_obb(0.5f, 0.25f, 0.5f) };
    for (uint32_t slot = 0; slot < bodies.count; ++slot)
    {
        if (bodies.generations[slot] == 0)
        {
            continue;
        }
        bodies.poses[slot].position.x += 0.1f * nudge(random);
        bodies.velocities[slot].linear.y = nudge(random);
        if (random_below(random, 50) == 0)
        {
            def.pose.position = bodies.poses[slot].position;
            const abut_body body = { slot, bodies.generations[slot] };
            assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        }
    }
    abut_body made;
    assert_int_equal(abut_body_create(world, &def, &made), ABUT_OK);
}

static void go_on(abut_world *world, uint64_t seed, uint64_t hashes[AFTER])
{
    random_source random = random_start(seed);
    for (uint32_t i = 0; i < AFTER; ++i)
    {
        stir(world, &random);
        const abut_status status = abut_world_detect(world, i % 3 ? 0.0f : 0.125f);
        hashes[i] = abut_world_hash(world) ^ 3 * abut_world_state_hash(world) ^ (uint64_t)status;
    }
}

static abut_world_def def_in_space(uint64_t seed, abut_broad_kind broad, abut_isa isa)
{
    abut_world_def def = def_of(seed, broad, isa);
    def.dimension = 3;
    def.veto = NULL;
    return def;
}

// A part of a compound; a hull's vertices follow.
typedef struct written_part
{
    uint32_t kind, vertices;
    float size[3];
    abut_pose pose;
} written_part;

static void write_parts(FILE *file, const abut_geometry *compound)
{
    abut_placed_shape part;
    for (uint32_t i = 0; abut_geometry_compound_part(compound, i, &part); ++i)
    {
        const bool hull = part.shape.kind == ABUT_HULL;
        const abut_vec3 *vertices = NULL;
        written_part w = { .kind = (uint32_t)part.shape.kind, .pose = part.pose };
        w.vertices = hull ? abut_geometry_hull_vertices(part.shape.hull, &vertices) : 0;
        memcpy(w.size, &part.shape.box, hull ? 0 : sizeof w.size);
        assert_int_equal(fwrite(&w, sizeof w, 1, file), 1);
        assert_true(!hull || fwrite(vertices, sizeof *vertices, w.vertices, file) == w.vertices);
    }
}

static abut_status read_parts(FILE *file, uint32_t count, abut_geometry **out)
{
    abut_placed_shape parts[8];
    abut_geometry *hull[8] = { NULL };
    assert_true(count <= 8);
    for (uint32_t i = 0; i < count; ++i)
    {
        written_part w;
        abut_vec3 points[20];
        assert_int_equal(fread(&w, sizeof w, 1, file), 1);
        parts[i] = (abut_placed_shape){ { .kind = (abut_shape_kind)w.kind }, w.pose };
        memcpy(&parts[i].shape.box, w.size, sizeof w.size);
        if (w.vertices > 0)
        {
            assert_true(w.vertices <= 20 && fread(points, sizeof *points, w.vertices, file) == w.vertices);
            assert_int_equal(abut_geometry_create_hull(points, w.vertices, 0, NULL, &hull[i]), ABUT_OK);
            parts[i].shape = abut_shape_hull(hull[i]);
        }
    }
    const abut_status status = abut_geometry_create_compound(parts, count, NULL, out);
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_geometry_release(hull[i]);
    }
    return status;
}

// The hulls and meshes of a session as their points, its compounds as their parts.
static void write_geometry(FILE *file, const session *s)
{
    assert_int_equal(fwrite(&s->polygons, sizeof s->polygons, 1, file), 1);
    for (uint32_t i = 0; i < s->polygons; ++i)
    {
        abut_vec3 points[STRIP_MOST];
        const abut_vec3 *vertices = points;
        const uint32_t mesh = abut_geometry_mesh_triangles(s->polygon[i]);
        const uint32_t count[3] = { mesh, mesh > 0 ? mesh : abut_geometry_hull_vertices(s->polygon[i], &vertices),
                                    abut_geometry_compound_parts(s->polygon[i]) };
        assert_true(mesh == 0 || strip_mesh_points(s->polygon[i], points));
        assert_int_equal(fwrite(count, sizeof count, 1, file), 1);
        assert_true(count[1] == 0 || fwrite(vertices, sizeof *vertices, count[1], file) == count[1]);
        write_parts(file, s->polygon[i]);
    }
}

// Makes them again. Returns their number.
static uint32_t read_geometry(FILE *file, abut_geometry *out[MOST_POLYGONS])
{
    uint32_t all, count[3];
    assert_int_equal(fread(&all, sizeof all, 1, file), 1);
    assert_true(all <= MOST_POLYGONS);
    for (uint32_t i = 0; i < all; ++i)
    {
        abut_vec3 points[20];
        assert_int_equal(fread(count, sizeof count, 1, file), 1);
        assert_true(count[1] <= 20);
        assert_int_equal(fread(points, sizeof *points, count[1], file), count[1]);
        assert_int_equal(count[2] > 0   ? read_parts(file, count[2], &out[i])
                         : count[0] > 0 ? strip_mesh(points, count[1], &out[i])
                                        : abut_geometry_create_hull(points, count[1], 0, NULL, &out[i]),
                         ABUT_OK);
    }
    return all;
}

static void write_all(FILE *file)
{
    image it = { 0 };
    for (uint64_t seed = 1; seed <= SESSIONS; ++seed)
    {
        session s;
        record r;
        const abut_world_def def = def_in_space(seed, ABUT_BROAD_BVH, abut_isa_best());
        session_open(&s, seed, &def, false);
        for (uint64_t i = 0; i < BEFORE; ++i)
        {
            session_go_on(&s, i);
        }
        save(&s, 0, &it);
        r.size = it.size;
        r.state = abut_world_state_hash(s.world);
        go_on(s.world, seed, r.hash);
        assert_int_equal(fwrite(&r, sizeof r, 1, file), 1);
        assert_int_equal(fwrite(it.bytes, 1, it.size, file), it.size);
        write_geometry(file, &s);
        session_close(&s);
    }
    test_free(it.bytes);
}

static void read_all(FILE *file)
{
    for (uint64_t seed = 1; seed <= SESSIONS; ++seed)
    {
        static uint64_t hash[AFTER];
        abut_world *world;
        record r;
        const abut_isa isa = seed % 2 ? ABUT_ISA_SCALAR : abut_isa_best();
        const abut_world_def def = def_in_space(seed, (abut_broad_kind)(seed % ABUT_BROAD_COUNT), isa);
        assert_int_equal(abut_world_create(&def, &world), ABUT_OK);
        assert_int_equal(fread(&r, sizeof r, 1, file), 1);
        unsigned char *bytes = test_malloc((size_t)r.size);
        assert_int_equal(fread(bytes, 1, (size_t)r.size, file), r.size);
        static abut_geometry *hull[MOST_POLYGONS];
        const uint32_t hulls = read_geometry(file, hull);
        const abut_registry registry = { (const abut_geometry *const *)hull, hulls };
        assert_int_equal(abut_world_restore(world, &registry, bytes, (size_t)r.size), ABUT_OK);
        assert_true(abut_world_state_hash(world) == r.state);
        go_on(world, seed, hash);
        assert_memory_equal(hash, r.hash, sizeof hash);
        abut_world_destroy(world);
        for (uint32_t i = 0; i < hulls; ++i)
        {
            abut_geometry_release(hull[i]);
        }
        test_free(bytes);
    }
}

static void images_of_other_programs_go_on_as_they_did(void **state)
{
    (void)state;
    const char *path = getenv("ABUT_IMAGES");
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file)
    {
        file = path ? fopen(path, "w+b") : tmpfile();
        assert_non_null(file);
        write_all(file);
        rewind(file);
    }
    read_all(file);
    assert_int_equal(fclose(file), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(images_of_other_programs_go_on_as_they_did) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
