// Queries of worlds about half-spaces are those of the calls without a world.
#include "ground_scene.h"

#include <math.h>

enum
{
    SEEDS = 60
};

static bool is_plane(const ground_scene *s, abut_body body)
{
    return body.slot == s->plane[0].slot || body.slot == s->plane[1].slot;
}

static uint32_t which_of(const ground_scene *s, abut_body body)
{
    return body.slot == s->plane[1].slot;
}

// A shape that asks about the two planes alone, and where it goes.
typedef struct ground_asker
{
    const ground_scene *scene;
    uint64_t seed;
    abut_shape ground;
    abut_pose at[2]; // of the planes
    abut_query_filter only;
    abut_placed_shape shape;
    abut_vec3 way;
} ground_asker;

#define ROUNDED 1e-6f // metres: planes five metres away, once with the offset in the pose, and once beside it

// What rounding may make of the fraction at which a way comes to a plane: so much more as it goes along that.
static float play_of(abut_vec3 way, abut_vec3 normal)
{
    return ROUNDED * (1.0f + 1.0f / fmaxf(fabsf(abut_vec3_dot(way, normal)), ROUNDED));
}

static uint32_t judge_ray(const ground_asker *q)
{
    const abut_ray ray = { q->shape.pose.position, q->way };
    abut_ray_hit right[2];
    abut_hit hit[2];
    uint32_t count;
    for (uint32_t k = 0; k < 2; ++k)
    {
        assert_int_equal(abut_ray_shape(&ray, &q->ground, &q->at[k], 0, &right[k]), ABUT_OK);
    }
    assert_int_equal(abut_world_ray_all(q->scene->world, &ray, &q->only, hit, 2, &count), ABUT_OK);
    DEMAND_AT(q->seed, count == (uint32_t)right[0].hit + right[1].hit, "%u planes hit by a ray", count);
    for (uint32_t k = 0; k < count; ++k)
    {
        const abut_ray_hit *own = &right[which_of(q->scene, hit[k].body)];
        DEMAND_AT(q->seed,
                  is_plane(q->scene, hit[k].body) &&
                      fabsf(own->fraction - hit[k].fraction) <= play_of(q->way, own->normal),
                  "the ray hits at %g, not %g", (double)hit[k].fraction, (double)own->fraction);
    }
    return count;
}

static void judge_cast(const ground_asker *q)
{
    const abut_cast cast = { .shape = q->shape.shape, .pose = q->shape.pose, .translation = q->way };
    abut_hit hit[2];
    float first = 1.0f;
    for (uint32_t k = 0; k < 2; ++k)
    {
        abut_ray_hit right;
        assert_int_equal(abut_cast_shape(&cast, &q->ground, &q->at[k], 0, &right), ABUT_OK);
        first = right.hit ? fminf(first, right.fraction) : first;
    }
    assert_int_equal(abut_world_cast_closest(q->scene->world, &cast, &q->only, hit), ABUT_OK);
    assert_int_equal(abut_world_cast_closest_many(q->scene->world, &cast, 1, &q->only, hit + 1), ABUT_OK);
    assert_memory_equal(hit, hit + 1, sizeof *hit);
    DEMAND_AT(q->seed, fabsf(hit[0].fraction - first) <= 1e-5f, "the cast hits at %g, not %g", (double)hit[0].fraction,
              (double)first);
}

// What the functions without a world say about the planes.
typedef struct ground_answers
{
    uint32_t overlapped, near, touched; // planes: within 2 m, within 0.1 m
    float nearest;
    bool undecided; // a distance is as long as what is asked for, or next to nothing
} ground_answers;

static ground_answers answers_without_a_world(const ground_asker *q)
{
    const abut_shape *shape = &q->shape.shape;
    const abut_pose *pose = &q->shape.pose;
    ground_answers right = { .nearest = HUGE_VALF };
    for (uint32_t k = 0; k < 2; ++k)
    {
        bool overlaps;
        float distance;
        abut_manifold m;
        assert_int_equal(abut_overlap(shape, pose, &q->ground, &q->at[k], &overlaps), ABUT_OK);
        assert_int_equal(abut_distance(shape, pose, &q->ground, &q->at[k], &distance), ABUT_OK);
        assert_int_equal(abut_collide(shape, pose, &q->ground, &q->at[k], 0.1f, &m), ABUT_OK);
        right.overlapped += overlaps;
        right.near += distance <= 2.0f;
        right.touched += m.point_count > 0;
        right.nearest = fminf(right.nearest, distance);
        right.undecided |= fabsf(distance - 2.0f) < 1e-4f || fabsf(distance - 0.1f) < 1e-4f ||
                           (distance > 0.0f && distance < 1e-4f) || (overlaps && m.separation > -1e-4f);
    }
    return right;
}

static void judge_shape(const ground_asker *q)
{
    const abut_world *world = q->scene->world;
    const ground_answers right = answers_without_a_world(q);
    abut_found found[4];
    abut_near near_ones[2];
    abut_collision collision[4];
    abut_range range;
    uint32_t count;
    uint64_t batched;
    if (right.undecided)
    {
        return;
    }
    assert_int_equal(abut_world_overlap_shape(world, &q->shape, &q->only, found, 4, &count), ABUT_OK);
    DEMAND_AT(q->seed, count == right.overlapped, "%u planes overlapped, not %u", count, right.overlapped);
    assert_int_equal(abut_world_overlap_shape_many(world, &q->shape, 1, &q->only, &range, found, 4, &batched), ABUT_OK);
    DEMAND_AT(q->seed, batched == right.overlapped, "%u planes in a batch", (uint32_t)batched);
    assert_int_equal(abut_world_collide_shape(world, &q->shape, 0.1f, &q->only, collision, 4, &count), ABUT_OK);
    DEMAND_AT(q->seed, count == right.touched, "%u planes touched, not %u", count, right.touched);
    assert_int_equal(abut_world_nearest_shape(world, &q->shape, 2.0f, &q->only, near_ones, 2, &count), ABUT_OK);
    DEMAND_AT(q->seed, count == right.near, "%u planes near, not %u", count, right.near);
    DEMAND_AT(q->seed, count == 0 || fabsf(near_ones[0].distance - right.nearest) <= 1e-5f, "%g away, not %g",
              (double)near_ones[0].distance, (double)right.nearest);
}

static void judge_point(const ground_asker *q)
{
    const abut_world *world = q->scene->world;
    const abut_vec3 *point = &q->shape.pose.position;
    abut_found found[4];
    abut_near near_ones[2];
    uint32_t count;
    assert_int_equal(abut_world_nearest(world, point, 100.0f, &q->only, near_ones, 2, &count), ABUT_OK);
    DEMAND_AT(q->seed, count == 2 && near_ones[0].distance <= near_ones[1].distance, "a plane is not found");
    const uint32_t below = (uint32_t)(near_ones[0].distance == 0.0f) + (near_ones[1].distance == 0.0f);
    assert_int_equal(abut_world_overlap_point(world, point, &q->only, found, 4, &count), ABUT_OK);
    DEMAND_AT(q->seed, count == below, "%u planes contain a point, not %u", count, below);
}

static void judge_box(const ground_asker *q)
{
    const abut_vec3 half = { 0.3f, 0.4f, 0.5f };
    const abut_aabb box = abut_aabb_from_centre(q->shape.pose.position, half);
    const abut_shape shape = abut_shape_aabb(half.x, half.y, half.z);
    abut_found found[4];
    uint32_t count, right = 0;
    bool undecided = false;
    for (uint32_t k = 0; k < 2; ++k)
    {
        abut_manifold m;
        assert_int_equal(abut_collide(&shape, &q->shape.pose, &q->ground, &q->at[k], 1.0f, &m), ABUT_OK);
        right += m.point_count > 0 && m.separation < 0.0f;
        undecided = undecided || (m.point_count > 0 && fabsf(m.separation) < 1e-4f);
    }
    assert_int_equal(abut_world_overlap_aabb(q->scene->world, &box, &q->only, found, 4, &count), ABUT_OK);
    DEMAND_AT(q->seed, undecided || count == right, "%u planes in a box, not %u", count, right);
}

static void queries_are_those_without_a_world(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS);
    uint32_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ground_scene s;
        open_scene(&s, seed, (abut_world_def){ 0 });
        assert_int_equal(abut_world_update(s.world), ABUT_OK);
        ground_asker q = { .scene = &s,
                           .seed = seed,
                           .ground = abut_shape_half_space(),
                           .at = { plane_pose(&s, 0), plane_pose(&s, 1) },
                           .only = { .ignore = s.body, .ignore_count = GROUND_BODIES } };
        for (uint32_t i = 0; i < 50; ++i)
        {
            q.shape.shape = random_shape(&s.random, random_kind(random_below(&s.random, 4)), 0.6);
            q.shape.pose = random_pose_of(&s.random, 8.0, false);
            q.way = random_narrow(random_in_box(&s.random, 12.0));
            hits += judge_ray(&q);
            judge_cast(&q);
            judge_shape(&q);
            judge_point(&q);
            judge_box(&q);
        }
        close_scene(&s);
    }
    assert_true(hits > 20 * (seeds.end - seeds.first));
}

// A compound overlaps what one of its parts overlaps, and has a manifold for each that touches; a sensor, too.
static void parts_of_compounds_ask(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(SEEDS);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        ground_scene s;
        open_scene(&s, seed, (abut_world_def){ 0 });
        assert_int_equal(abut_world_update(s.world), ABUT_OK);
        const abut_shape ground = abut_shape_half_space();
        const abut_query_filter only = { .ignore = s.body, .ignore_count = GROUND_BODIES };
        for (uint32_t i = 0; i < 20; ++i)
        {
            const abut_placed_shape asker = { abut_shape_compound(s.compound), random_pose_of(&s.random, 8.0, false) };
            abut_found found[2];
            abut_collision collision[2 * COMPOUND_MOST];
            uint32_t overlapped = 0, touched = 0, count;
            bool undecided = false;
            for (uint32_t plane = 0; plane < 2; ++plane)
            {
                const abut_pose at = plane_pose(&s, plane);
                uint32_t parts = 0;
                for (uint32_t k = 0; k < s.part_count; ++k)
                {
                    const abut_pose part = abut_pose_compose(&asker.pose, &s.parts[k].pose);
                    abut_manifold m;
                    assert_int_equal(abut_collide(&s.parts[k].shape, &part, &ground, &at, 1.0f, &m), ABUT_OK);
                    parts += m.point_count > 0 && m.separation <= 0.0f;
                    undecided = undecided || (m.point_count > 0 && fabsf(m.separation) < 1e-4f);
                }
                overlapped += parts > 0;
                touched += parts;
            }
            if (undecided)
            {
                continue;
            }
            assert_int_equal(abut_world_overlap_shape(s.world, &asker, &only, found, 2, &count), ABUT_OK);
            DEMAND_AT(seed, count == overlapped, "%u planes overlapped, not %u", count, overlapped);
            assert_int_equal(
                abut_world_collide_shape(s.world, &asker, 0.0f, &only, collision, 2 * COMPOUND_MOST, &count), ABUT_OK);
            DEMAND_AT(seed, count == touched, "%u parts touch, not %u", count, touched);
        }
        close_scene(&s);
    }
}

static void regions_find_ground_that_reaches_into_them(void **state)
{
    (void)state;
    abut_world *world = open_world(NULL);
    const abut_body ground = add(world, abut_shape_half_space(), 0, 2, 0, ABUT_STATIC);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    for (uint32_t i = 0; i < 2; ++i)
    {
        const float low = i == 0 ? 2.5f : 1.5f; // from there to 5, and from 100 to 101 along x
        const abut_plane planes[4] = {
            { { 0, 1, 0 }, 5 }, { { 0, -1, 0 }, -low }, { { 1, 0, 0 }, 101 }, { { -1, 0, 0 }, -100 }
        };
        const abut_region region = { .planes = planes, .plane_count = 4 };
        abut_found found;
        uint32_t count;
        assert_int_equal(abut_world_overlap_region(world, &region, NULL, &found, 1, &count), ABUT_OK);
        assert_int_equal(count, i);
        assert_true(i == 0 || found.body.slot == ground.slot);
    }
    abut_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_those_without_a_world),
        cmocka_unit_test(parts_of_compounds_ask),
        cmocka_unit_test(regions_find_ground_that_reaches_into_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
