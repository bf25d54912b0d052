// Casts of a compound find what those of its parts find, and turning ones stop where something is touched.
#include "asking_compound.h"

#include <stdio.h>

// The first of all hits of the parts: what overlaps comes first, the deepest first.
static bool comes_first(const abut_hit *a, const abut_hit *b)
{
    if (a->collider.generation == 0 || b->collider.generation == 0)
    {
        return b->collider.generation == 0 && a->collider.generation != 0;
    }
    return a->depth != b->depth ? a->depth > b->depth : a->fraction < b->fraction;
}

static void casts_are_those_of_the_parts(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    uint64_t hits = 0, inside = 0, cases = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        asked_world w = open_asked(seed);
        for (uint32_t i = 0; i < 20; ++i)
        {
            const uint32_t flags[3] = { 0, ABUT_QUERY_SKIP_INSIDE, ABUT_QUERY_SKIP_LEAVING };
            const abut_query_filter filter = { .flags = flags[i % 3] };
            const asker a = some_asker(&w, 0.3, hull_of(&w));
            const abut_vec3 way = some_place(&w.random, 9.0);
            const abut_cast cast = { .shape = a.whole.shape, .pose = a.whole.pose, .translation = way };
            abut_hit first = { .fraction = 1.0f }, hit, again;
            abut_vec3 from = cast.pose.position;
            bool any;
            for (uint32_t k = 0; k < a.parts; ++k)
            {
                const abut_cast own = { .shape = a.part[k].shape, .pose = a.part[k].pose, .translation = way };
                assert_int_equal(abut_world_cast_closest(w.world, &own, &filter, &hit), ABUT_OK);
                from = comes_first(&hit, &first) ? own.pose.position : from;
                first = comes_first(&hit, &first) ? hit : first;
            }
            first.offset = abut_vec3_add(first.offset, abut_vec3_sub(from, cast.pose.position));
            assert_int_equal(abut_world_cast_closest(w.world, &cast, &filter, &hit), ABUT_OK);
            assert_int_equal(hit.body.slot, first.body.slot);
            assert_int_equal(hit.collider.slot, first.collider.slot);
            assert_int_equal(hit.child, first.child);
            assert_int_equal(hit.flags, first.flags);
            assert_true(fabsf(hit.fraction - first.fraction) <= 1e-6f);
            assert_true(fabsf(hit.depth - first.depth) <= 1e-5f);
            assert_true(abut_vec3_length(abut_vec3_sub(hit.normal, first.normal)) <= 1e-4f);
            assert_true(abut_vec3_length(abut_vec3_sub(hit.offset, first.offset)) <= 1e-4f);
            assert_int_equal(abut_world_cast_any(w.world, &cast, &filter, &any), ABUT_OK);
            assert_true(any == (hit.collider.generation != 0));
            assert_int_equal(abut_world_cast_closest_many(w.world, &cast, 1, &filter, &again), ABUT_OK);
            assert_memory_equal(&again, &hit, sizeof hit);
            hits += any;
            inside += hit.flags & ABUT_HIT_INSIDE;
            ++cases;
            abut_geometry_release(w.held[--w.held_count]);
        }
        close_asked(&w);
    }
    printf("%llu casts, %llu hit, %llu at the start\n", (unsigned long long)cases, (unsigned long long)hits,
           (unsigned long long)inside);
    assert_true(!random_seeds_all() || (hits > 600 && inside > 100 && hits < cases));
}

// All but meshes, which have one side only.
static const abut_query_filter solids = { .mask = 1 };

// How far a compound that turns is from what is nearest, at a share of its way.
static float gap_at(const asked_world *w, const abut_cast *cast, float share)
{
    abut_placed_shape there = { cast->shape, cast->pose };
    abut_near near;
    uint32_t count;
    const float angle = abut_vec3_length(cast->rotation) * share;
    there.pose.position = abut_vec3_add(there.pose.position, abut_vec3_scale(cast->translation, share));
    there.pose.rotation =
        abut_quat_mul(abut_quat_from_axis_angle(cast->rotation, angle), abut_quat_normalise(there.pose.rotation));
    assert_int_equal(abut_world_nearest_shape(w->world, &there, INFINITY, &solids, &near, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    return near.distance;
}

static void turning_casts_stop_where_they_touch(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    uint64_t hits = 0, free = 0, far = 0, passed = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        asked_world w = open_asked(seed);
        for (uint32_t i = 0; i < 12; ++i)
        {
            const asker a = some_asker(&w, 0.6, hull_of(&w));
            abut_cast cast = { .shape = a.whole.shape, .pose = a.whole.pose };
            cast.pose.rotation = random_narrow_rotation(random_rotation(&w.random));
            cast.translation = some_place(&w.random, 5.0);
            cast.rotation = random_narrow(random_in_box(&w.random, 2.0));
            abut_hit hit;
            if (gap_at(&w, &cast, 0.0f) > 0.01f)
            {
                assert_int_equal(abut_world_cast_closest(w.world, &cast, &solids, &hit), ABUT_OK);
                hits += hit.collider.generation != 0;
                free += hit.collider.generation == 0;
                far += hit.collider.generation != 0 && gap_at(&w, &cast, hit.fraction) > 1e-3f;
                for (int k = 1; k <= 20; ++k)
                {
                    passed += !(gap_at(&w, &cast, hit.fraction * 0.0495f * (float)k) > 0.0f);
                }
            }
            abut_geometry_release(w.held[--w.held_count]);
        }
        close_asked(&w);
    }
    printf("%llu hit, %llu are free, %llu stop too early, %llu places are past what is hit\n", (unsigned long long)hits,
           (unsigned long long)free, (unsigned long long)far, (unsigned long long)passed);
    assert_true(!random_seeds_all() || (hits > 100 && free > 50));
    assert_int_equal(far, 0);
    assert_int_equal(passed, 0);
}

// Two balls at the ends of a rod that is not there turn about its middle, where something long stands: its middle is
// far from the balls, and its ends are in their way.
static void turning_casts_meet_what_is_long(void **state)
{
    (void)state;
    abut_placed_shape balls[2] = { { abut_shape_sphere(0.1f), abut_pose_identity() },
                                   { abut_shape_sphere(0.1f), abut_pose_identity() } };
    balls[0].pose.position.x = 5.0f;
    balls[1].pose.position.x = -5.0f;
    abut_geometry *compound = compound_of(balls, 2);
    const abut_shape longs[3] = { abut_shape_aabb(0.1f, 10, 0.1f), abut_shape_obb(0.1f, 10, 0.1f),
                                  abut_shape_capsule(0.1f, 10) };
    const abut_pose pose = abut_pose_identity();
    const abut_cast cast = { .shape = abut_shape_compound(compound), .pose = pose, .rotation = { 0, 0, 3 } };
    for (size_t i = 0; i < COUNT(longs); ++i)
    {
        abut_world *world = open_world(NULL);
        abut_ray_hit lone;
        abut_hit hit;
        add(world, longs[i], 0, 0, 0, ABUT_STATIC);
        assert_int_equal(abut_world_update(world), ABUT_OK);
        assert_int_equal(abut_cast_shape(&cast, &longs[i], &pose, 0, &lone), ABUT_OK);
        assert_int_equal(abut_world_cast_closest(world, &cast, NULL, &hit), ABUT_OK);
        // a ball is 0.2 from the middle plane when it touches: a quarter turn less asin(0.2 / 5)
        assert_true(lone.hit && fabs((double)lone.fraction - (1.5707963 - 0.0400107) / 3.0) <= 1e-4);
        assert_true(hit.fraction == lone.fraction);
        abut_world_destroy(world);
    }
    abut_geometry_release(compound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_are_those_of_the_parts),
        cmocka_unit_test(turning_casts_stop_where_they_touch),
        cmocka_unit_test(turning_casts_meet_what_is_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
