// Queries and sweeps of chains beside the same ground made of solid polygons, one below each segment: what comes from
// in front hits, nears and overlaps both alike. From behind, a chain with one side is not there.
#include "plain_chain.h"

enum
{
    SCENES = 1500,
    ASKED = 8, // in each
    FINE = 24  // points of a ground at most
};

#define DEEP 4.0f // metres: of the polygons below the line

typedef struct twin
{
    plain_chain ground;
    abut_geometry *chain;
    abut_world *line, *solid; // of the chain, and of the polygons
} twin;

static void add_solid(abut_world *world, abut_vec2 p, abut_vec2 q)
{
    const abut_vec2 points[4] = { p, q, { q.x, q.y - DEEP }, { p.x, p.y - DEEP } };
    abut_geometry *polygon = NULL;
    assert_int_equal(abut_geometry_create_polygon(points, 4, NULL, &polygon), ABUT_OK);
    (void)add(world, abut_shape_polygon(polygon), 0, 0, 0, ABUT_STATIC);
    abut_geometry_release(polygon);
}

static void open_twin(twin *t, random_source *random)
{
    const abut_world_def def = chain_world_def();
    t->ground = random_ground(random, random_chance(random, 0.3) ? 0.0 : random_between(random, 0.0, 1.0));
    t->ground.count = t->ground.count < FINE ? t->ground.count : FINE;
    t->chain = made_chain(&t->ground);
    t->line = open_world(&def);
    t->solid = open_world(&def);
    (void)add(t->line, abut_shape_chain(t->chain), 0, 0, 0, ABUT_STATIC);
    for (uint32_t i = 0; i + 1 < t->ground.count; ++i)
    {
        add_solid(t->solid, t->ground.point[i], t->ground.point[i + 1]);
    }
    assert_int_equal(abut_world_update(t->line), ABUT_OK);
    assert_int_equal(abut_world_update(t->solid), ABUT_OK);
}

static void close_twin(twin *t)
{
    abut_world_destroy(t->line);
    abut_world_destroy(t->solid);
    abut_geometry_release(t->chain);
}

static abut_shape some_shape(random_source *random, abut_geometry **polygon)
{
    const abut_vec2 points[5] = { { -0.4f, -0.3f }, { 0.5f, -0.2f }, { 0.3f, 0.4f }, { -0.1f, 0.6f }, { -0.5f, 0.1f } };
    const float x = (float)random_between(random, 0.1, 0.6), y = (float)random_between(random, 0.1, 0.6);
    switch (random_below(random, 4))
    {
    case 0:
        return abut_shape_sphere(x);
    case 1:
        return abut_shape_capsule(x, y);
    case 2:
        assert_int_equal(abut_geometry_create_polygon(points, 5, NULL, polygon), ABUT_OK);
        return abut_shape_polygon(*polygon);
    default:
        return abut_shape_obb(x, y, 0);
    }
}

// Over the part of the ground that is there, above the highest of it by so much.
static abut_pose place_above(const twin *t, random_source *random, double low, double high)
{
    const double right = (double)t->ground.point[0].x - 1.5,
                 left = (double)t->ground.point[t->ground.count - 1].x + 1.5;
    return abut_pose_2d((float)(right < left ? right : random_between(random, left, right)),
                        (float)random_between(random, low, high), (float)random_between(random, -3, 3));
}

static void expect_near(uint64_t seed, const char *what, double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance))
    {
        fail_msg("seed %u: %s %.9g, expected %.9g", (unsigned)seed, what, found, expected);
    }
}

// A way down, and aside no farther than the ground is there.
static abut_vec3 some_way(random_source *random)
{
    return abut_vec3_make((float)random_between(random, -0.8, 0.8), (float)random_between(random, -6.0, 1.0), 0);
}

static bool is_apart(const twin *t, const abut_placed_shape *placed)
{
    uint32_t count;
    abut_found found;
    assert_int_equal(abut_world_overlap_shape(t->solid, placed, NULL, &found, 1, &count), ABUT_OK);
    return count == 0;
}

static void one_cast(const twin *t, random_source *random, uint64_t seed)
{
    abut_geometry *polygon = NULL;
    abut_cast cast = { .shape = some_shape(random, &polygon), .pose = place_above(t, random, 0.3, 3.0) };
    cast.translation = some_way(random);
    cast.rotation.z = random_chance(random, 0.3) ? (float)random_between(random, -3, 3) : 0.0f;
    const abut_placed_shape start = { cast.shape, cast.pose };
    abut_hit line, solid;
    assert_int_equal(abut_world_cast_closest(t->line, &cast, NULL, &line), ABUT_OK);
    assert_int_equal(abut_world_cast_closest(t->solid, &cast, NULL, &solid), ABUT_OK);
    if (is_apart(t, &start))
    {
        const double tolerance = 2e-3 / sqrt((double)abut_vec3_dot(cast.translation, cast.translation) + 1e-6);
        expect_near(seed, "a cast ends at", (double)line.fraction, (double)solid.fraction, tolerance);
        if (line.fraction < 1.0f && line.flags == 0)
        {
            assert_true(line.normal.y > -1e-3f);
            assert_true(line.child + 1 < t->ground.count);
        }
    }
    abut_geometry_release(polygon);
}

static void one_nearest(const twin *t, random_source *random, uint64_t seed)
{
    abut_geometry *polygon = NULL;
    const abut_placed_shape asker = { some_shape(random, &polygon), place_above(t, random, -1.0, 3.0) };
    abut_near line[1], solid[1];
    uint32_t count;
    assert_int_equal(abut_world_nearest_shape(t->line, &asker, INFINITY, NULL, line, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(abut_world_nearest_shape(t->solid, &asker, INFINITY, NULL, solid, 1, &count), ABUT_OK);
    if (is_apart(t, &asker))
    {
        expect_near(seed, "a shape is as near as", (double)line->distance, (double)solid->distance, 1e-5);
    }
    const double at[2] = { (double)asker.pose.position.x, (double)asker.pose.position.y };
    assert_int_equal(abut_world_nearest(t->line, &asker.pose.position, INFINITY, NULL, line, 1, &count), ABUT_OK);
    expect_near(seed, "a point is as near as", (double)line->distance, plain_distance_to(&t->ground, at), 1e-5);
    abut_geometry_release(polygon);
}

// What overlaps a solid with its middle well in front of the line overlaps the line; what is apart does not.
static void one_overlap(const twin *t, random_source *random, uint64_t seed)
{
    abut_geometry *polygon = NULL;
    const abut_placed_shape asker = { some_shape(random, &polygon), place_above(t, random, -0.5, 2.5) };
    const abut_ray down = { abut_vec3_add(asker.pose.position, abut_vec3_make(0, 8, 0)), { 0, -20, 0 } };
    abut_collision collision;
    abut_found found;
    abut_hit hit;
    uint32_t count, collisions;
    assert_int_equal(abut_world_overlap_shape(t->line, &asker, NULL, &found, 1, &count), ABUT_OK);
    assert_int_equal(abut_world_collide_shape(t->line, &asker, 0.0f, NULL, &collision, 1, &collisions), ABUT_OK);
    assert_int_equal(count > 0, collisions > 0);
    assert_int_equal(abut_world_ray_closest(t->line, &down, NULL, &hit), ABUT_OK);
    const bool apart = is_apart(t, &asker), ball = asker.shape.kind == ABUT_SPHERE;
    const double above = 20.0 * (double)hit.fraction - 8.0; // of the middle over the line
    if ((apart && count > 0) || (!apart && ball && above > 1e-4 && count == 0))
    {
        fail_msg("seed %u: %u overlaps", (unsigned)seed, count);
    }
    abut_geometry_release(polygon);
}

// From below nothing is hit, unless from behind is asked for.
static void one_from_below(const twin *t, random_source *random)
{
    abut_vec3 from = place_above(t, random, 0, 0).position;
    from.y = -9.0f;
    const abut_ray ray = { from, { 0, 18, 0 } };
    const abut_cast cast = { .shape = abut_shape_sphere(0.4f),
                             .pose = { .position = from, .rotation = abut_quat_identity() },
                             .translation = { 0, 5, 0 } };
    const abut_query_filter backs = { .flags = ABUT_QUERY_BACK_FACES };
    abut_hit hit;
    assert_int_equal(abut_world_ray_closest(t->line, &ray, NULL, &hit), ABUT_OK);
    assert_true(hit.fraction == 1.0f);
    assert_int_equal(abut_world_ray_closest(t->line, &ray, &backs, &hit), ABUT_OK);
    assert_true(hit.fraction < 1.0f && (hit.flags & ABUT_HIT_BACK));
    assert_int_equal(abut_world_cast_closest(t->line, &cast, NULL, &hit), ABUT_OK);
    assert_true(hit.fraction == 1.0f);
}

static void chains_answer_as_solids_do(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        twin t;
        open_twin(&t, &random);
        for (int i = 0; i < ASKED; ++i)
        {
            one_cast(&t, &random, seed);
            one_nearest(&t, &random, seed);
            one_overlap(&t, &random, seed);
        }
        one_from_below(&t, &random);
        close_twin(&t);
    }
}

// What has come down on a straight line and stopped there can be moved along it.
static void what_slides_is_not_stopped(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_geometry *polygon = NULL;
        plain_chain line = random_ground(&random, 0.0);
        const abut_world_def def = chain_world_def();
        abut_world *world = open_world(&def);
        abut_geometry *chain = made_chain(&line);
        (void)add(world, abut_shape_chain(chain), 0, 0, 0, ABUT_STATIC);
        assert_int_equal(abut_world_update(world), ABUT_OK);
        abut_cast cast = { .shape = some_shape(&random, &polygon), .translation = { 0, -3, 0 } };
        cast.pose =
            abut_pose_2d((float)random_between(&random, -2, 2), 1.5f, random_chance(&random, 0.5) ? 0.0f : 1.5707963f);
        abut_hit hit;
        assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
        assert_true(hit.fraction < 1.0f && hit.normal.y > 0.9999f);
        cast.pose.position.y -= 3.0f * hit.fraction;
        cast.translation = abut_vec3_make((float)random_between(&random, -2, 2), 0, 0);
        assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
        if (hit.fraction < 1.0f)
        {
            fail_msg("seed %u: stopped at %g of a way along the ground", (unsigned)seed, (double)hit.fraction);
        }
        abut_world_destroy(world);
        abut_geometry_release(chain);
        abut_geometry_release(polygon);
    }
}

static abut_body add_fast(abut_world *world, abut_shape shape, abut_pose pose, abut_vec3 velocity)
{
    abut_body body;
    const abut_body_def def = {
        .pose = pose, .velocity.linear = velocity, .flags = ABUT_BODY_CCD, .collider.shape = shape
    };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    return body;
}

// The time of a body's impact in a detect; 1: it has none.
static double impact_of(abut_world *world)
{
    assert_int_equal(abut_world_detect(world, 1.0f), ABUT_OK);
    const abut_impacts all = abut_world_impacts(world);
    return all.count > 0 ? (double)all.data[0].impact.time : 1.0;
}

static void fast_bodies_are_stopped(void **state)
{
    (void)state;
    uint32_t stopped = 0;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        abut_geometry *polygon = NULL;
        twin t;
        open_twin(&t, &random);
        const abut_placed_shape start = { some_shape(&random, &polygon), place_above(&t, &random, 1.0, 3.0) };
        const abut_vec3 way = some_way(&random);
        if (is_apart(&t, &start))
        {
            (void)add_fast(t.line, start.shape, start.pose, way);
            (void)add_fast(t.solid, start.shape, start.pose, way);
            const double line = impact_of(t.line), solid = impact_of(t.solid);
            expect_near(seed, "an impact is at", line, solid, 2e-3 / sqrt((double)abut_vec3_dot(way, way) + 1e-6));
            stopped += line < 1.0;
        }
        close_twin(&t);
        abut_geometry_release(polygon);
    }
    assert_true(!random_seeds_all() || stopped > SCENES / 4);
}

// A ball or capsule that rolls over a straight line, a hair in it or above it, has no impact with the next segment.
static void what_rolls_is_not_stopped(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const plain_chain line = random_ground(&random, 0.0);
        const abut_world_def def = chain_world_def();
        abut_world *world = open_world(&def);
        abut_geometry *chain = made_chain(&line);
        (void)add(world, abut_shape_chain(chain), 0, 0, 0, ABUT_STATIC);
        const bool ball = random_chance(&random, 0.5);
        const float depth = (float)(random_sign(&random) * random_scale(&random, 1e-7, 1e-3));
        const abut_pose pose =
            abut_pose_2d((float)random_between(&random, -2, 2), 0.5f - depth, ball ? 0.0f : 1.5707963f);
        (void)add_fast(world, ball ? abut_shape_sphere(0.5f) : abut_shape_capsule(0.5f, 0.3f), pose,
                       abut_vec3_make((float)random_between(&random, -2, 2), 0, 0));
        if (impact_of(world) < 1.0)
        {
            fail_msg("seed %u: stopped, %g deep", (unsigned)seed, (double)depth);
        }
        abut_world_destroy(world);
        abut_geometry_release(chain);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(chains_answer_as_solids_do),
                                        cmocka_unit_test(what_slides_is_not_stopped),
                                        cmocka_unit_test(fast_bodies_are_stopped),
                                        cmocka_unit_test(what_rolls_is_not_stopped) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
