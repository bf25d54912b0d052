// Cylinders and cones in worlds: what they stand on, the same results everywhere, saved, and refused.
#include "every_isa.h"
#include "random_pair.h"
#include "small_world.h"

#include <string.h>

#define ROUGH 1e-5

static abut_shape random_cylinder(random_source *random, double size)
{
    const float a = (float)(size * random_between(random, 0.2, 1.0)), b = (float)(size * random_unit(random));
    const float h = (float)(size * random_between(random, 0.1, 1.0));
    const uint32_t sort = random_below(random, 4);
    return sort == 0   ? abut_shape_cone(a, h)
           : sort == 1 ? abut_shape_tapered_cylinder(b, a, h)
                       : abut_shape_cylinder(a, h);
}

static abut_pose turned(float x, float y, float z, abut_vec3 axis, float radians)
{
    return (abut_pose){ .position = { x, y, z }, .rotation = abut_quat_from_axis_angle(axis, radians) };
}

static const abut_vec3 along_z = { 0, 0, 1 };

typedef struct ground
{
    const char *name;
    abut_shape shape;
    abut_geometry *geometry;
} ground;

enum
{
    GROUNDS = 4,
    CELLS = 12, // of a mesh or field, each way
    CORNERS = (CELLS + 1) * (CELLS + 1)
};

// A floor whose top is at zero: a box, a half-space, a mesh, a heightfield.
static ground ground_of(uint32_t kind)
{
    static abut_vec3 vertices[CORNERS];
    static uint32_t indices[6 * CELLS * CELLS];
    static float heights[CORNERS];
    ground g = { 0 };
    if (kind == 0)
    {
        return (ground){ "half-space", abut_shape_half_space(), NULL };
    }
    if (kind == 1)
    {
        const abut_heightfield_def def = {
            .heights = heights, .columns = CELLS + 1, .rows = CELLS + 1, .step_x = 0.7f, .step_z = 0.7f
        };
        assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &g.geometry), ABUT_OK);
        g.name = "heightfield";
        g.shape = abut_shape_mesh(g.geometry);
        return g;
    }
    for (uint32_t i = 0; i < CORNERS; ++i)
    {
        const float x = (float)(i % (CELLS + 1)), z = (float)(i / (CELLS + 1));
        vertices[i] = abut_vec3_make(0.7f * x - 4.2f, 0.0f, 0.7f * z - 4.2f);
    }
    for (uint32_t i = 0; i < CELLS * CELLS; ++i)
    {
        const uint32_t a = i / CELLS * (CELLS + 1) + i % CELLS, b = a + 1, c = a + CELLS + 1, d = c + 1;
        const uint32_t cell[6] = { a, c, b, b, c, d };
        memcpy(indices + (size_t)6 * i, cell, sizeof cell);
    }
    const abut_mesh_def def = {
        .vertices = vertices, .indices = indices, .vertex_count = CORNERS, .triangle_count = 2 * CELLS * CELLS
    };
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &g.geometry), ABUT_OK);
    g.name = "mesh";
    g.shape = abut_shape_mesh(g.geometry);
    return g;
}

// The lowest point, from what a cylinder is.
static double lowest(const abut_shape *shape, const abut_pose *pose)
{
    const abut_cylinder *c = &shape->cylinder;
    const dquat turn = { (double)pose->rotation.w, (double)pose->rotation.x, (double)pose->rotation.y,
                         (double)pose->rotation.z };
    const dvec3 axis = dquat_rotate(turn, dvec3_make(0, 1, 0));
    const double across = sqrt(fmax(0.0, 1.0 - axis.y * axis.y)), h = (double)c->half_height * axis.y;
    return (double)pose->position.y + fmin(h - (double)c->top_radius * across, -h - (double)c->bottom_radius * across);
}

// However it lies on however many triangles.
static void flat_ground_has_one_normal(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 3; ++kind)
    {
        const ground g = ground_of(kind);
        const random_seeds seeds = random_seeds_of(3000);
        abut_world *world = open_world(NULL);
        (void)add(world, g.shape, 0, 0, 0, ABUT_STATIC);
        const abut_body body = add(world, abut_shape_cylinder(1, 1), 0, 5, 0, ABUT_DYNAMIC);
        for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
        {
            random_source random = random_start(seed);
            const abut_shape shape = random_cylinder(&random, random_scale(&random, 0.05, 2.0));
            abut_pose pose = { .rotation = random_narrow_rotation(random_chance(&random, 0.3)
                                                                      ? random_cube_rotation(random_below(&random, 24))
                                                                      : random_rotation(&random)) };
            const double deep = 0.3 * random_unit(&random) *
                                fmin((double)shape.cylinder.half_height, (double)shape.cylinder.bottom_radius);
            pose.position =
                abut_vec3_make((float)random_between(&random, -2, 2), 0.0f, (float)random_between(&random, -2, 2));
            pose.position.y = (float)(-lowest(&shape, &pose) - deep);
            assert_int_equal(abut_collider_set_shape(world, first_collider(world, body), &shape), ABUT_OK);
            assert_int_equal(abut_body_set_pose(world, body, &pose), ABUT_OK);
            detect(world);
            const abut_contacts all = abut_world_contacts(world, ABUT_AWAKE);
            double least = 0.0;
            for (uint32_t i = 0; i < all.count; ++i)
            {
                const abut_contact *c = abut_contact_at(&all, i);
                if (fabs(fabs((double)c->normal.y) - 1.0) > 1e-6)
                {
                    fail_msg("%s, seed %llu: a normal leans by %g", g.name, (unsigned long long)seed,
                             1.0 - fabs((double)c->normal.y));
                }
                least = fmin(least, (double)c->separation);
            }
            const double truth = lowest(&shape, &pose);
            // of a triangle under a short end of what is lowest the neighbour's contact may be all
            const double most = kind == 0 ? truth : 0.98 * truth;
            if (least < truth - ROUGH || least > fmin(most, 0.0) + ROUGH)
            {
                fail_msg("%s, seed %llu: %g deep, should be %g", g.name, (unsigned long long)seed, least, truth);
            }
        }
        abut_world_destroy(world);
        abut_geometry_release(g.geometry);
    }
}

typedef struct standing
{
    abut_shape shape;
    abut_pose pose;
    uint32_t points;
} standing;

// On its disc four points, about its middle; on its side two, at the ends of the line.
static void what_lies_flat_has_all_its_points(void **state)
{
    (void)state;
    const float right = 1.5707963f, lean = 0.24497866f; // of a cone's side: the tangent is a quarter
    const standing cases[] = {
        { abut_shape_cylinder(0.5f, 1), turned(0, 0.99f, 0, along_z, 0), 4 },
        { abut_shape_cylinder(0.5f, 1), turned(0, 0.99f, 0, along_z, 2 * right), 4 },
        { abut_shape_cylinder(0.5f, 1), turned(0, 0.49f, 0, along_z, right), 2 },
        { abut_shape_cone(0.5f, 1), turned(0, 0.99f, 0, along_z, 0), 4 },
        { abut_shape_cone(0.5f, 1), turned(0, 0.2325f, 0, along_z, right + lean), 2 },
        { abut_shape_tapered_cylinder(0.2f, 0.7f, 1), turned(0, 0.99f, 0, along_z, 0), 4 },
        { abut_shape_cylinder(0.5f, 1), turned(0, 0.9925f, 0, abut_vec3_make(0.96592583f, 0, 0.25881905f), 0.005f), 4 },
        { abut_shape_cylinder(0.5f, 0), turned(0, -0.01f, 0, along_z, 0), 4 },
        { abut_shape_cylinder(0, 1), turned(0, -0.01f, 0, along_z, right), 2 },
    };
    for (size_t i = 0; i < COUNT(cases); ++i)
    {
        const abut_shape floor = abut_shape_obb(5, 1, 5);
        const abut_pose below = turned(0, -1, 0, along_z, 0);
        abut_manifold m;
        assert_int_equal(abut_collide(&floor, &below, &cases[i].shape, &cases[i].pose, 0.0f, &m), ABUT_OK);
        double x = 0.0, wide = 0.0, least = 0.0;
        if (m.point_count != cases[i].points ||
            fabs((double)m.separation - lowest(&cases[i].shape, &cases[i].pose)) > 1e-5)
        {
            fail_msg("case %zu: %u points, %g deep", i, m.point_count, (double)m.separation);
        }
        for (uint32_t k = 0; k < m.point_count; ++k)
        {
            least = fmin(least, (double)m.points[k].separation);
            x += (double)m.points[k].offset.x / m.point_count;
            wide = fmax(wide, fabs((double)m.points[k].offset.x));
        }
        if (fabs(x) > 0.15 || wide < 0.17 || fabs(least - (double)m.separation) > 1e-6)
        {
            fail_msg("case %zu: points about %g, as far as %g, %g deep", i, x, wide, least);
        }
    }
}

// With geometries of its own if `surfaces`.
static void fill(abut_world *world, uint64_t seed, bool surfaces)
{
    random_source random = random_start(seed);
    abut_placed_shape parts[3] = { { abut_shape_cylinder(0.2f, 0.6f), abut_pose_identity() },
                                   { abut_shape_cone(0.4f, 0.3f), turned(0, 0.9f, 0, along_z, 0) },
                                   { abut_shape_sphere(0.3f), turned(0, -0.7f, 0, along_z, 0) } };
    abut_geometry *compound;
    const ground g = ground_of(surfaces ? 2 : 0);
    (void)add(world, g.shape, 0, 0, 0, ABUT_STATIC);
    abut_geometry_release(g.geometry);
    assert_int_equal(abut_geometry_create_compound(parts, 3, NULL, &compound), ABUT_OK);
    for (uint32_t i = 0; i < 120; ++i)
    {
        const uint32_t sort = random_below(&random, 8);
        abut_body_def def = { .pose.position = random_narrow(random_in_box(&random, 2.5)),
                              .velocity.linear = random_narrow(random_in_box(&random, 3.0)),
                              .velocity.angular = random_narrow(random_in_box(&random, 3.0)) };
        def.pose.rotation = random_narrow_rotation(random_rotation(&random));
        def.flags = sort == 7 ? ABUT_BODY_CCD : 0;
        def.collider.shape = sort == 0               ? abut_shape_obb(0.3f, 0.4f, 0.5f)
                             : sort == 1             ? abut_shape_capsule(0.2f, 0.4f)
                             : sort == 2 && surfaces ? abut_shape_compound(compound)
                                                     : random_cylinder(&random, 0.6);
        abut_body body;
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    }
    abut_geometry_release(compound);
}

// Hashes of some steps.
static void run(abut_world *world, uint64_t out[8])
{
    for (int i = 0; i < 8; ++i)
    {
        assert_int_equal(abut_world_step(world, 1.0f / 60), ABUT_OK);
        out[i] = abut_world_hash(world);
    }
}

static void worlds_are_the_same_everywhere(void **state)
{
    (void)state;
    uint64_t truth[8], found[8];
    bool known = false;
    EVERY_ISA(isa)
    {
        for (abut_broad_kind broad = ABUT_BROAD_AUTO; broad < ABUT_BROAD_COUNT; ++broad)
        {
            abut_world *world = open_world(&(abut_world_def){ .isa = isa, .broad = broad, .threads = 1 + broad % 2 });
            fill(world, 7, true);
            run(world, known ? found : truth);
            assert_true(!known || memcmp(found, truth, sizeof truth) == 0);
            assert_true(touching(world) > 100);
            expect_sound(world);
            known = true;
            abut_world_destroy(world);
        }
    }
}

static void a_saved_world_goes_on(void **state)
{
    (void)state;
    abut_world *world = open_world(&(abut_world_def){ .recycle_distance = 0.01f }),
               *other = open_world(&(abut_world_def){ .recycle_distance = 0.01f });
    static unsigned char image[1 << 20];
    uint64_t truth[8], found[8];
    size_t size = 0;
    fill(world, 8, false);
    fill(other, 8, false);
    run(world, truth);
    assert_int_equal(abut_world_save(world, 0, NULL, image, sizeof image, &size), ABUT_OK);
    run(world, truth);
    assert_int_equal(abut_world_restore(other, NULL, image, size), ABUT_OK);
    run(other, found);
    assert_memory_equal(found, truth, sizeof truth);
    abut_world_destroy(world);
    abut_world_destroy(other);
}

// Two circles of 32 lines, and four lines of the side.
static void wires_lie_on_the_surface(void **state)
{
    (void)state;
    const abut_shape shapes[] = { abut_shape_cylinder(0.5f, 1), abut_shape_cone(1, 0.25f),
                                  abut_shape_tapered_cylinder(0.5f, 2, 1) };
    for (size_t i = 0; i < COUNT(shapes); ++i)
    {
        abut_world *world = open_world(NULL);
        abut_line lines[100];
        const abut_cylinder *c = &shapes[i].cylinder;
        (void)add(world, shapes[i], 0, 0, 0, ABUT_STATIC);
        detect(world);
        uint64_t count = 0;
        assert_int_equal(
            abut_world_draw(world, &(abut_draw_def){ .what = ABUT_DRAW_SHAPES }, lines, COUNT(lines), &count), ABUT_OK);
        assert_int_equal(count, 68);
        for (uint64_t k = 0; k < 2 * count; ++k)
        {
            const abut_vec3 at = k % 2 ? lines[k / 2].to : lines[k / 2].from;
            const double radius = (double)(at.y > 0 ? c->top_radius : c->bottom_radius);
            assert_true(fabs(fabs((double)at.y) - (double)c->half_height) < 1e-6);
            assert_true(fabs(hypot((double)at.x, (double)at.z) - radius) < 1e-6);
        }
        abut_world_destroy(world);
    }
}

static void wrong_cylinders_are_refused(void **state)
{
    (void)state;
    const abut_shape wrong[] = { abut_shape_cylinder(-1, 1),
                                 abut_shape_cylinder(1, -1),
                                 abut_shape_cylinder(NAN, 1),
                                 abut_shape_cone(1, INFINITY),
                                 abut_shape_tapered_cylinder(1, -1, 1),
                                 abut_shape_tapered_cylinder(1, 2e8f, 1) };
    const abut_shape right[] = { abut_shape_cylinder(0, 0), abut_shape_cone(0, 1),
                                 abut_shape_tapered_cylinder(0, 1, 1) };
    abut_world *world = open_world(NULL), *flat = open_world(&(abut_world_def){ .dimension = 2 });
    abut_body body;
    for (size_t i = 0; i < COUNT(wrong); ++i)
    {
        const abut_body_def def = { .collider.shape = wrong[i] };
        assert_false(abut_shape_valid(&wrong[i]));
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_INVALID_ARGUMENT);
    }
    for (size_t i = 0; i < COUNT(right); ++i)
    {
        const abut_body_def def = { .collider.shape = right[i] };
        assert_true(abut_shape_valid(&right[i]));
        assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
        assert_int_equal(abut_body_create(flat, &def, &body), ABUT_INVALID_ARGUMENT);
    }
    detect(world);
    expect_sound(world);
    abut_world_destroy(world);
    abut_world_destroy(flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_lies_flat_has_all_its_points), cmocka_unit_test(flat_ground_has_one_normal),
        cmocka_unit_test(worlds_are_the_same_everywhere),    cmocka_unit_test(a_saved_world_goes_on),
        cmocka_unit_test(wires_lie_on_the_surface),          cmocka_unit_test(wrong_cylinders_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
