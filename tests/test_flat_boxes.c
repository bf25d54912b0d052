// Plates and rods, boxes without an inside, beside hulls: they are as far and as deep as boxes a hair thicker, and
// their contact points lie on both.
#include "random.h"
#include "small_world.h"

#include <math.h>

enum
{
    SCENES = 60000
};

#define HAIR   1e-5f // metres
#define MARGIN 0.4f

typedef struct pair
{
    abut_geometry *geometry;
    abut_shape hull, box, thicker;
    abut_pose of_hull, of_box;
} pair;

// A cube of any sides, or what some points span.
static abut_geometry *random_hull(random_source *random, bool cube)
{
    abut_vec3 point[12];
    abut_geometry *out = NULL;
    abut_status status;
    do
    {
        const uint32_t count = cube ? 8 : 4 + random_below(random, 9);
        const double x = random_between(random, 0.2, 1.0), y = random_between(random, 0.2, 1.0),
                     z = random_between(random, 0.2, 1.0);
        for (uint32_t i = 0; i < count; ++i)
        {
            const dvec3 any = random_in_box(random, 1.0);
            const dvec3 corner = { (i & 1) != 0 ? x : -x, (i & 2) != 0 ? y : -y, (i & 4) != 0 ? z : -z };
            point[i] = random_narrow(cube ? corner : any);
        }
        status = abut_geometry_create_hull(point, count, 0, NULL, &out);
    } while (status == ABUT_INVALID_ARGUMENT); // nearly of one plane
    assert_int_equal(status, ABUT_OK);
    return out;
}

static abut_quat turned(random_source *random, bool level)
{
    return random_narrow_rotation(level ? random_cube_rotation(random_below(random, 24)) : random_rotation(random));
}

static void open_pair(random_source *random, pair *out)
{
    const bool cube = random_chance(random, 0.3), level = cube && random_chance(random, 0.5);
    const uint32_t which = random_below(random, 3);
    const bool rod = random_chance(random, 0.5);
    float half[3];
    for (uint32_t k = 0; k < 3; ++k)
    {
        half[k] = (float)random_between(random, 0.1, 1.0);
        half[k] = (k == which) != rod ? 0.0f : half[k];
    }
    out->geometry = random_hull(random, cube);
    out->hull = abut_shape_hull(out->geometry);
    out->box = abut_shape_obb(half[0], half[1], half[2]);
    out->thicker = abut_shape_obb(half[0] + HAIR, half[1] + HAIR, half[2] + HAIR);
    const dvec3 way = random_direction(random);
    const double far = random_between(random, 0.0, 2.2);
    out->of_hull = (abut_pose){ .rotation = turned(random, level) };
    out->of_box = (abut_pose){ .position = random_narrow((dvec3){ far * way.x, far * way.y, far * way.z }),
                               .rotation = turned(random, level) };
}

static float distance_of(const abut_shape *a, const abut_pose *pose_a, const abut_shape *b, const abut_pose *pose_b)
{
    float out = -1.0f;
    assert_int_equal(abut_distance(a, pose_a, b, pose_b, &out), ABUT_OK);
    return out;
}

static void expect_near(uint64_t seed, const char *what, float is, float due, float by)
{
    if (!(fabsf(is - due) <= by))
    {
        fail_msg("seed %u: %s is %g, expected %g", (unsigned)seed, what, (double)is, (double)due);
    }
}

// Halfway between the two surfaces.
static void expect_point(uint64_t seed, const pair *p, const abut_point *point)
{
    const abut_shape nothing = abut_shape_sphere(0.0f);
    const abut_pose at = { .position = abut_vec3_add(p->of_box.position, point->offset), .rotation = { 0, 0, 0, 1 } };
    const float due = 0.5f * fabsf(point->separation) + 1e-3f;
    if (distance_of(&p->box, &p->of_box, &nothing, &at) > due ||
        distance_of(&p->hull, &p->of_hull, &nothing, &at) > due)
    {
        fail_msg("seed %u: a point is beside the shapes", (unsigned)seed);
    }
}

static void plates_and_rods_touch_hulls_where_they_are(void **state)
{
    (void)state;
    uint32_t apart = 0, overlapping = 0;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        pair p;
        abut_manifold flat, thicker;
        open_pair(&random, &p);
        const float distance = distance_of(&p.box, &p.of_box, &p.hull, &p.of_hull);
        assert_int_equal(abut_collide(&p.box, &p.of_box, &p.hull, &p.of_hull, MARGIN, &flat), ABUT_OK);
        assert_int_equal(abut_collide(&p.thicker, &p.of_box, &p.hull, &p.of_hull, MARGIN, &thicker), ABUT_OK);
        if (distance > HAIR && distance < MARGIN - HAIR)
        {
            ++apart;
            assert_true(flat.point_count > 0);
            expect_near(seed, "the separation of what is apart", flat.separation, distance, 2.0f * HAIR);
        }
        if (distance == 0.0f)
        {
            ++overlapping;
            assert_true(flat.point_count > 0);
            expect_near(seed, "the separation of what overlaps", flat.separation, thicker.separation, 1e-3f);
        }
        for (uint32_t i = 0; i < flat.point_count; ++i)
        {
            expect_point(seed, &p, &flat.points[i]);
        }
        abut_geometry_release(p.geometry);
    }
    assert_true(!random_seeds_all() || (apart > SCENES / 10 && overlapping > SCENES / 10));
}

// A rod whose nearest end is beside the hull's face: by the faces alone it was 0.088 m away.
static void a_rod_beside_a_hull_is_as_far_as_its_end(void **state)
{
    (void)state;
    const abut_vec3 point[] = { { -0.640f, 0.931f, -0.437f }, { 0.057f, 0.713f, 0.437f },   { 0.733f, 0.439f, -0.422f },
                                { 0.649f, 0.246f, -0.215f },  { -0.883f, 0.454f, -0.883f }, { 0.618f, -0.736f, 0.103f },
                                { 0.837f, -0.377f, -0.589f }, { -0.456f, 0.207f, 0.809f } };
    abut_geometry *geometry = NULL;
    assert_int_equal(abut_geometry_create_hull(point, 8, 0, NULL, &geometry), ABUT_OK);
    const abut_shape hull = abut_shape_hull(geometry), rod = abut_shape_obb(0.192f, 0, 0);
    const abut_pose of_hull = { { -3.737f, 0.097f, 5.936f }, 0, { 0.2553f, -0.4337f, -0.1763f, 0.8459f } };
    const abut_pose of_rod = { { -2.783f, 0.674f, 5.720f }, 0, { -0.3415f, 0.1806f, 0.1703f, 0.9064f } };
    abut_manifold m;
    assert_int_equal(abut_collide(&rod, &of_rod, &hull, &of_hull, 0.3f, &m), ABUT_OK);
    expect_near(0, "the separation", m.separation, distance_of(&rod, &of_rod, &hull, &of_hull), 1e-5f);
    assert_true(m.separation > 0.22f);
    abut_geometry_release(geometry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plates_and_rods_touch_hulls_where_they_are),
        cmocka_unit_test(a_rod_beside_a_hull_is_as_far_as_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
