// Contacts with surfaces whose normals are known: planes and pipes, however they are divided into triangles.
#include "mesh_visitors.h"

#include <stdio.h>

// One plane in triangles of every size: each normal is the plane's, and nothing is lost.
static void a_plane_is_flat_however_it_is_divided(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(40);
    uint64_t contacts = 0, cases = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker m = { 0 };
        const double cell = random_scale(&random, 0.03, 10.0), fitting = 6.0 / cell + 2.0;
        const uint32_t count = fitting > 60.0 ? 60 : (uint32_t)fitting;
        const double half = 0.5 * cell * count, size = half > 4.0 ? 1.0 : half / 4.0;
        mesh_field(&m, &random, count, count, half, half, seed % 3 == 0 ? 0.0 : 0.2, NULL, NULL);
        abut_geometry *mesh = mesh_made(&m);
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
        for (uint32_t i = 0; i < 100; ++i)
        {
            const uint32_t kind = random_below(&random, 4);
            abut_body body;
            abut_body_def def = { .pose = some_pose(&random, random_chance(&random, 0.5)),
                                  .collider.shape = some_shape(&random, kind, size) };
            const double wanted = size * random_scale(&random, 1e-6, 0.05);
            def.pose.rotation = kind == 3 ? abut_pose_identity().rotation : def.pose.rotation;
            def.pose.position.x = (float)random_between(&random, -0.5 * half, 0.5 * half);
            def.pose.position.z = (float)random_between(&random, -0.5 * half, 0.5 * half);
            def.pose.position.y = (float)(-support_below(&def.collider.shape, &def.pose) - wanted);
            const double depth = -support_below(&def.collider.shape, &def.pose);
            if (depth < 2e-7 * size)
            {
                continue;
            }
            const abut_contacts found = contacts_with(world, &def, &body);
            for (uint32_t k = 0; k < found.count; ++k)
            {
                const abut_vec3 n = abut_contact_at(&found, k)->normal;
                if (n.y != 1.0f || n.x != 0.0f || n.z != 0.0f)
                {
                    fail_msg("seed %llu: shape %u has a normal of %g %g %g", (unsigned long long)seed, i, (double)n.x,
                             (double)n.y, (double)n.z);
                }
            }
            if (found.count == 0 || fabs((double)deepest(found) + depth) > 1e-5 * size)
            {
                fail_msg("seed %llu: shape %u is %g deep in %u contacts, not %g", (unsigned long long)seed, i,
                         -(double)deepest(found), found.count, depth);
            }
            contacts += found.count;
            ++cases;
            assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        }
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
    printf("%llu shapes on a plane, %llu contacts\n", (unsigned long long)cases, (unsigned long long)contacts);
}

// The inside of a pipe has the normals of its facets and no other.
static void a_pipe_has_the_normals_of_its_facets(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(20);
    uint64_t contacts = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker m = { 0 };
        const uint32_t facets = 8 + random_below(&random, 100);
        const double turn = 6.283185307179586 / facets;
        mesh_cylinder(&m, &random, facets, 4 + random_below(&random, 40), 2.0, 5.0, true);
        abut_geometry *mesh = mesh_made(&m);
        abut_world *world = open_world(NULL);
        add(world, abut_shape_mesh(mesh), 0, 0, 0, ABUT_STATIC);
        for (uint32_t i = 0; i < 100; ++i)
        {
            abut_body body;
            abut_vec3 out;
            abut_body_def def = { .pose = some_pose(&random, false),
                                  .collider.shape = some_shape(&random, random_below(&random, 3), 0.4) };
            const double angle = random_between(&random, 0.0, 6.283185307179586), x = cos(angle), y = sin(angle);
            assert_int_equal(
                abut_shape_support(&def.collider.shape, &def.pose, abut_vec3_make((float)x, (float)y, 0), &out),
                ABUT_OK);
            const double reach = x * (double)out.x + y * (double)out.y;
            const double away = 2.0 - reach + random_scale(&random, 1e-5, 5e-3);
            def.pose.position =
                abut_vec3_make((float)(away * x), (float)(away * y), (float)random_between(&random, -3.0, 3.0));
            const abut_contacts found = contacts_with(world, &def, &body);
            for (uint32_t k = 0; k < found.count; ++k)
            {
                const abut_vec3 n = abut_contact_at(&found, k)->normal;
                const double at = atan2(-(double)n.y, -(double)n.x) / turn - 0.5;
                if (fabs((double)n.z) > 1e-6 || fabs(at - floor(at + 0.5)) * turn > 1e-5)
                {
                    fail_msg("seed %llu: shape %u has a normal of %g %g %g", (unsigned long long)seed, i, (double)n.x,
                             (double)n.y, (double)n.z);
                }
            }
            contacts += found.count;
            assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        }
        abut_world_destroy(world);
        abut_geometry_release(mesh);
    }
    printf("%llu contacts in pipes\n", (unsigned long long)contacts);
    assert_true(contacts > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plane_is_flat_however_it_is_divided),
        cmocka_unit_test(a_pipe_has_the_normals_of_its_facets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
