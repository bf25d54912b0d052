// Recycled manifolds at every scale: worlds of sizes from 1e-6 m to 1e6 m, near the origin and far from it, with
// recycle distances up to a tenth of the sizes, pass the audit while their bodies creep, turn and jump.
#include "random.h"
#include "small_world.h"

#include <math.h>

enum
{
    BODIES = 12,
    FRAMES = 8,
    WORLDS = 600
};

typedef struct scene
{
    double scale, far_off, distance, spread;
    abut_world *world;
    abut_body body[BODIES];
    abut_vec3 centre;
} scene;

static float between(random_source *random, double low, double high)
{
    return (float)random_between(random, low, high);
}

static abut_vec3 random_vec3(random_source *random, double most)
{
    return abut_vec3_make(between(random, -most, most), between(random, -most, most), between(random, -most, most));
}

static abut_quat random_turn(random_source *random, double most)
{
    const abut_vec3 axis = abut_vec3_make(between(random, -1, 1), between(random, -1, 1), 1.0f);
    return abut_quat_from_axis_angle(axis, between(random, -most, most));
}

static abut_shape random_shape(random_source *random, double size)
{
    const float x = between(random, 0.1 * size, size), y = between(random, 0.1 * size, size);
    const float z = random_chance(random, 0.1) ? 0.0f : between(random, 0.1 * size, size);
    switch (random_below(random, 4))
    {
    case 0:
        return abut_shape_aabb(x, y, z);
    case 1:
        return abut_shape_capsule(x, y);
    default:
        return abut_shape_obb(x, y, z);
    }
}

static void make(scene *s, random_source *random)
{
    s->scale = random_scale(random, 1e-6, 1e6);
    s->far_off = random_chance(random, 0.4) ? 0.0 : fmin(s->scale * random_scale(random, 1.0, 1e4), 9e7);
    s->distance = s->scale * random_scale(random, 1e-4, 0.1);
    s->spread = s->scale * random_between(random, 0.5, 2.0);
    s->centre = random_vec3(random, s->far_off);
    abut_world_def def = {
        .margin = random_chance(random, 0.5) ? 0.0f : between(random, 0.0, 0.2 * s->scale),
        .recycle_distance = (float)s->distance,
        .broad = (abut_broad_kind)random_below(random, ABUT_BROAD_COUNT),
    };
    assert_int_equal(abut_world_create(&def, &s->world), ABUT_OK);
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        const abut_body_def body = {
            .pose.position = abut_vec3_add(s->centre, random_vec3(random, s->spread)),
            .pose.rotation = random_turn(random, 3.0),
            .collider.shape = random_shape(random, s->scale * random_scale(random, 0.1, 1.0)),
        };
        assert_int_equal(abut_body_create(s->world, &body, &s->body[i]), ABUT_OK);
        if (random_chance(random, 0.2))
        {
            const abut_collider_def part = { .shape = random_shape(random, s->scale * random_scale(random, 0.1, 1.0)),
                                             .local.position = random_vec3(random, s->scale),
                                             .local.rotation = random_turn(random, 3.0) };
            abut_collider added;
            assert_int_equal(abut_collider_attach(s->world, s->body[i], &part, &added), ABUT_OK);
        }
    }
}

static void jostle(scene *s, random_source *random)
{
    for (uint32_t i = 0; i < BODIES; ++i)
    {
        abut_pose *pose = &abut_world_bodies(s->world).poses[s->body[i].slot];
        const double most = random_chance(random, 0.1) ? 0.5 * s->scale : s->distance * random_scale(random, 1e-3, 1.0);
        pose->position = abut_vec3_add(pose->position, random_vec3(random, most));
        pose->rotation = abut_quat_mul(random_turn(random, most / s->scale), pose->rotation);
    }
}

static void recycled_manifolds_pass_the_audit_at_every_scale(void **state)
{
    (void)state;
    uint64_t contacts = 0, recycled = 0, faults = 0;
    const random_seeds seeds = random_seeds_of(WORLDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed + 770000u);
        scene s;
        make(&s, &random);
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            abut_statistics statistics;
            abut_audit audit;
            jostle(&s, &random);
            assert_int_equal(abut_world_detect(s.world, random_chance(&random, 0.7) ? 0.0f : 0.1f), ABUT_OK);
            assert_int_equal(abut_world_audit(s.world, &audit), ABUT_OK);
            abut_world_statistics(s.world, &statistics);
            contacts += statistics.contacts;
            recycled += statistics.recycled;
            if (audit.what && faults++ < 5)
            {
                print_error("seed %llu, frame %u, scale %g, far off %g, distance %g: %s\n", (unsigned long long)seed,
                            frame, s.scale, s.far_off, s.distance, audit.what);
            }
        }
        abut_world_destroy(s.world);
    }
    print_message("%llu contacts, %llu recycled: %llu frames fail the audit\n", (unsigned long long)contacts,
                  (unsigned long long)recycled, (unsigned long long)faults);
    assert_int_equal(faults, 0);
    assert_true(!random_seeds_all() || recycled > contacts / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(recycled_manifolds_pass_the_audit_at_every_scale) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
