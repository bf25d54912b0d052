// Casts and sweeps at the borders of meshes with one side: what is in front all the way and comes deep into a border
// from beyond it is stopped where it touches; a ball whose middle is behind all the way goes free. Judged by distances
// in double precision.
#include "plain_geometry.h"
#include "small_world.h"

#include <stdio.h>

enum
{
    SCENES = 3000,
    ASKED = 12, // in each
    STEPS = 40, // of a way, where it is judged
    MOST = 2    // triangles
};

#define CLEAR 0.01 // metres: what is nearer to a plane, or less deep, is not judged

typedef struct scene
{
    abut_geometry *mesh;
    abut_world *world;
    plain_triangle triangle[MOST];
    uint32_t count;
} scene;

static dvec3 widened(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

// One triangle, or two that share an edge.
static bool open_scene(scene *s, random_source *random)
{
    static const uint32_t indices[6] = { 0, 1, 2, 2, 1, 3 };
    abut_vec3 vertex[4];
    for (int i = 0; i < 4; ++i)
    {
        vertex[i] = random_narrow(random_in_box(random, 1.0));
        vertex[i].y *= 0.5f;
    }
    *s = (scene){ .count = 1 + random_below(random, MOST) };
    for (uint32_t i = 0; i < s->count; ++i)
    {
        plain_triangle *t = &s->triangle[i];
        for (int k = 0; k < 3; ++k)
        {
            t->corner[k] = widened(vertex[indices[3 * i + (uint32_t)k]]);
        }
        const dvec3 n = dvec3_cross(dvec3_sub(t->corner[1], t->corner[0]), dvec3_sub(t->corner[2], t->corner[0]));
        t->normal = dvec3_scale(n, 1.0 / dvec3_length(n));
        if (dvec3_length(n) < 0.05)
        {
            return false;
        }
    }
    const abut_mesh_def def = { .vertices = vertex, .indices = indices, .vertex_count = 4, .triangle_count = s->count };
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &s->mesh), ABUT_OK);
    s->world = open_world(NULL);
    (void)add(s->world, abut_shape_mesh(s->mesh), 0, 0, 0, ABUT_STATIC);
    return true;
}

static void close_scene(scene *s)
{
    abut_world_destroy(s->world);
    abut_geometry_release(s->mesh);
}

static abut_cast some_cast(random_source *random, plain_solid *solid)
{
    abut_cast cast = { .pose = abut_pose_identity() };
    switch (random_below(random, 3))
    {
    case 0:
        cast.shape = abut_shape_sphere(0.35f);
        *solid = plain_ball((double)0.35f);
        break;
    case 1:
        cast.shape = abut_shape_capsule(0.35f, 0.55f);
        *solid = plain_capsule((double)0.35f, (double)0.55f);
        break;
    default:
        cast.shape = abut_shape_obb(0.3f, 0.4f, 0.2f);
        *solid = plain_box((double)0.3f, (double)0.4f, (double)0.2f);
    }
    if (random_chance(random, 0.5))
    {
        cast.pose.rotation = random_narrow_rotation(random_rotation(random));
    }
    cast.pose.position = random_narrow(random_in_box(random, 1.5));
    cast.translation = random_narrow(random_in_box(random, 0.4));
    return cast;
}

// Of a way: how near and how deep the shape comes, and where its middle is.
typedef struct way
{
    double start, least;    // distances
    double lowest, highest; // of the middle over any of the planes
} way;

static double distance_at(const scene *s, const plain_solid *solid, const abut_cast *cast, double fraction)
{
    const abut_quat r = cast->pose.rotation;
    const dvec3 at = dvec3_add(widened(cast->pose.position), dvec3_scale(widened(cast->translation), fraction));
    plain_solid placed;
    double least = HUGE_VAL;
    plain_place(solid, (dquat){ (double)r.w, (double)r.x, (double)r.y, (double)r.z }, at, &placed);
    for (uint32_t i = 0; i < s->count; ++i)
    {
        least = fmin(least, plain_distance(&placed, &s->triangle[i]));
    }
    return least;
}

static way way_of(const scene *s, const plain_solid *solid, const abut_cast *cast)
{
    way w = { distance_at(s, solid, cast, 0.0), HUGE_VAL, HUGE_VAL, -HUGE_VAL };
    for (int k = 0; k <= STEPS; ++k)
    {
        w.least = fmin(w.least, distance_at(s, solid, cast, (double)k / STEPS));
    }
    for (uint32_t i = 0; i < 2 * s->count; ++i)
    {
        const plain_triangle *t = &s->triangle[i / 2];
        const dvec3 at =
            dvec3_add(widened(cast->pose.position), dvec3_scale(widened(cast->translation), (double)(i % 2)));
        const double height = dvec3_dot(dvec3_sub(at, t->corner[0]), t->normal);
        w.lowest = fmin(w.lowest, height);
        w.highest = fmax(w.highest, height);
    }
    return w;
}

static uint32_t impacts_of(scene *s, const abut_cast *cast)
{
    const abut_body_def def = {
        .pose = cast->pose, .velocity.linear = cast->translation, .flags = ABUT_BODY_CCD, .collider.shape = cast->shape
    };
    abut_body body;
    assert_int_equal(abut_body_create(s->world, &def, &body), ABUT_OK);
    assert_int_equal(abut_world_detect(s->world, 1.0f), ABUT_OK);
    const uint32_t count = abut_world_impacts(s->world).count;
    assert_int_equal(abut_body_destroy(s->world, body), ABUT_OK);
    return count;
}

typedef struct counts
{
    uint64_t stopped, backwards, free;
} counts;

static void expect_stopped(scene *s, const plain_solid *solid, const abut_cast *cast, const abut_hit *hit, counts *seen)
{
    assert_true(hit->collider.generation != 0);
    assert_in_range((int)(1e6 * fabs(distance_at(s, solid, cast, (double)hit->fraction))), 0, 100);
    assert_true(dvec3_dot(widened(hit->normal), widened(cast->translation)) < 0.0);
    assert_true(impacts_of(s, cast) > 0);
    ++seen->stopped;
    bool backwards = true;
    for (uint32_t i = 0; i < s->count; ++i)
    {
        backwards = backwards && dvec3_dot(widened(hit->normal), s->triangle[i].normal) < -0.01;
    }
    seen->backwards += backwards;
}

static void borders_stop_what_is_in_front(void **state)
{
    (void)state;
    counts seen = { 0 };
    const random_seeds seeds = random_seeds_of(SCENES);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        scene s;
        if (!open_scene(&s, &random))
        {
            continue;
        }
        for (int i = 0; i < ASKED; ++i)
        {
            plain_solid solid;
            abut_hit hit;
            const abut_cast cast = some_cast(&random, &solid);
            const way w = way_of(&s, &solid, &cast);
            assert_int_equal(abut_world_update(s.world), ABUT_OK);
            assert_int_equal(abut_world_cast_closest(s.world, &cast, NULL, &hit), ABUT_OK);
            if (w.start > CLEAR && w.least < -CLEAR && w.lowest > CLEAR)
            {
                expect_stopped(&s, &solid, &cast, &hit, &seen);
            }
            else if (w.start > CLEAR && w.least < -CLEAR && w.highest < -CLEAR && cast.shape.kind == ABUT_SPHERE)
            {
                assert_int_equal(hit.collider.generation, 0);
                assert_int_equal(impacts_of(&s, &cast), 0);
                ++seen.free;
            }
        }
        close_scene(&s);
    }
    printf("%llu ways stopped, %llu by a normal that goes backwards; %llu balls from behind go free\n",
           (unsigned long long)seen.stopped, (unsigned long long)seen.backwards, (unsigned long long)seen.free);
    assert_true(seen.stopped > 0 && seen.free > 0);
    assert_true(!random_seeds_all() || (seen.backwards > 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_stop_what_is_in_front),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
