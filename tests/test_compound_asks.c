// A compound that asks finds what its parts find. Casts: test_compound_casts.c.
#include "asking_compound.h"

#include <stdio.h>

enum
{
    MOST = 2000 // results
};

static int by_name(const void *one, const void *other)
{
    const abut_found *a = one, *b = other;
    const uint32_t x[3] = { a->body.slot, a->collider.slot, a->child },
                   y[3] = { b->body.slot, b->collider.slot, b->child };
    for (int k = 0; k < 3; ++k)
    {
        if (x[k] != y[k])
        {
            return x[k] < y[k] ? -1 : 1;
        }
    }
    return 0;
}

static uint32_t sorted_without_doubles(abut_found *found, uint32_t count)
{
    uint32_t kept = 0;
    qsort(found, count, sizeof *found, by_name);
    for (uint32_t i = 0; i < count; ++i)
    {
        found[kept] = found[i];
        kept += i == 0 || by_name(&found[i], &found[kept - 1]) != 0;
    }
    return kept;
}

static void overlaps_are_those_of_the_parts(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    uint64_t found = 0, several = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        asked_world w = open_asked(seed);
        for (uint32_t i = 0; i < 20; ++i)
        {
            static abut_found by_parts[COMPOUND_MOST * MOST], by_whole[MOST], again[MOST];
            const asker a = some_asker(&w, 0.7, hull_of(&w));
            const abut_query_filter filter = { .flags = i % 2 ? ABUT_QUERY_CHILDREN : 0 };
            uint32_t count = 0, own;
            uint64_t total;
            abut_range range;
            for (uint32_t k = 0; k < a.parts; ++k)
            {
                assert_int_equal(abut_world_overlap_shape(w.world, &a.part[k], &filter, by_parts + count, MOST, &own),
                                 ABUT_OK);
                count += own;
            }
            const uint32_t all = count;
            count = sorted_without_doubles(by_parts, count);
            several += all - count;
            assert_int_equal(abut_world_overlap_shape(w.world, &a.whole, &filter, by_whole, MOST, &own), ABUT_OK);
            assert_int_equal(own, count);
            bool any;
            assert_int_equal(abut_world_overlap_shape_any(w.world, &a.whole, &filter, &any), ABUT_OK);
            assert_int_equal(any, count > 0);
            for (uint32_t k = 0; k < own; ++k)
            {
                assert_memory_equal(&by_whole[k], &by_parts[k], sizeof *by_whole);
            }
            assert_int_equal(abut_world_overlap_shape_many(w.world, &a.whole, 1, &filter, &range, again, MOST, &total),
                             ABUT_OK);
            assert_int_equal(total, own);
            assert_memory_equal(again, by_whole, own * sizeof *again);
            found += own;
            abut_geometry_release(w.held[--w.held_count]);
        }
        close_asked(&w);
    }
    printf("%llu found, %llu by several parts\n", (unsigned long long)found, (unsigned long long)several);
    assert_true(!random_seeds_all() || (found > 500 && several > 500));
}

static void what_is_nearest_to_a_part_is_nearest(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    uint64_t apart = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        asked_world w = open_asked(seed);
        for (uint32_t i = 0; i < 20; ++i)
        {
            abut_near least[BODIES + 1], near[BODIES], again[BODIES];
            uint32_t count;
            uint64_t total;
            abut_range range;
            const asker a = some_asker(&w, 0.3, hull_of(&w));
            for (uint32_t k = 0; k <= BODIES; ++k)
            {
                least[k] = (abut_near){ .distance = INFINITY };
            }
            for (uint32_t k = 0; k < a.parts; ++k)
            {
                assert_int_equal(abut_world_nearest_shape(w.world, &a.part[k], INFINITY, NULL, near, BODIES, &count),
                                 ABUT_OK);
                for (uint32_t j = 0; j < count; ++j)
                {
                    abut_near *own = &least[near[j].body.slot];
                    *own = near[j].distance < own->distance ? near[j] : *own;
                }
            }
            assert_int_equal(abut_world_nearest_shape(w.world, &a.whole, INFINITY, NULL, near, BODIES, &count),
                             ABUT_OK);
            assert_int_equal(count, BODIES);
            for (uint32_t j = 0; j < count; ++j)
            {
                const float away = abut_vec3_length(abut_vec3_sub(near[j].on_collider, near[j].on_query));
                const float other = least[near[j].body.slot].distance;
                assert_true(fabsf(near[j].distance - other) <= 1e-6f * (1.0f + other));
                assert_true(fabsf(away - near[j].distance) <= 1e-5f * (1.0f + other));
                assert_true(j == 0 || near[j].distance >= near[j - 1].distance);
                apart += near[j].distance > 0.0f;
            }
            assert_int_equal(abut_world_nearest_shape_many(w.world, &a.whole, 1, INFINITY, BODIES, NULL, &range, again,
                                                           BODIES, &total),
                             ABUT_OK);
            assert_memory_equal(again, near, sizeof near);
            abut_geometry_release(w.held[--w.held_count]);
        }
        close_asked(&w);
    }
    printf("%llu near\n", (unsigned long long)apart);
    assert_true(!random_seeds_all() || apart > 10000);
}

// The manifold of a part with a child of a body's.
static const abut_collision *find_collision(const abut_collision *all, uint32_t count, const abut_collision *of,
                                            uint32_t child)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (all[i].body.slot == of->body.slot && all[i].child == child)
        {
            return &all[i];
        }
    }
    return NULL;
}

// Whether each point of a manifold is one of another's, so far away from it.
static bool has_points(const abut_manifold *m, const abut_manifold *of, abut_vec3 away)
{
    bool has = true;
    for (uint32_t i = 0; i < of->point_count; ++i)
    {
        const abut_vec3 at = abut_vec3_add(of->points[i].offset, away);
        bool found = false;
        for (uint32_t k = 0; k < m->point_count; ++k)
        {
            found = found || abut_vec3_length(abut_vec3_sub(m->points[k].offset, at)) <= 1e-4f;
        }
        has = has && found;
    }
    return has;
}

// Parts of a compound are placed in floats: how many points a manifold has is decided by thresholds, where rounding may
// decide otherwise. Then the points of one are among the other's, and of the features none is compared.
static bool in_doubt(const abut_manifold *m, const abut_manifold *n, abut_vec3 away)
{
    const bool fewer = m->point_count < n->point_count;
    const abut_vec3 back = abut_vec3_negate(away);
    return m->point_count != n->point_count && (fewer ? has_points(n, m, back) : has_points(m, n, away));
}

static void manifolds_are_those_of_the_parts(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    uint64_t manifolds = 0, doubts = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        asked_world w = open_asked(seed);
        for (uint32_t i = 0; i < 20; ++i)
        {
            static abut_collision by_part[COMPOUND_MOST][MOST], by_whole[MOST];
            uint32_t count[COMPOUND_MOST], whole, sum = 0;
            const asker a = some_asker(&w, 0.7, hull_of(&w));
            const float margin = i % 2 ? 0.1f : 0.0f;
            for (uint32_t k = 0; k < a.parts; ++k)
            {
                assert_int_equal(
                    abut_world_collide_shape(w.world, &a.part[k], margin, NULL, by_part[k], MOST, &count[k]), ABUT_OK);
                sum += count[k];
            }
            assert_int_equal(abut_world_collide_shape(w.world, &a.whole, margin, NULL, by_whole, MOST, &whole),
                             ABUT_OK);
            assert_int_equal(whole, sum);
            for (uint32_t j = 0; j < whole; ++j)
            {
                abut_collider_def its;
                uint32_t part, child;
                assert_int_equal(abut_collider_get(w.world, by_whole[j].collider, &its, NULL), ABUT_OK);
                abut_shape_children(&a.whole.shape, &its.shape, by_whole[j].child, &part, &child);
                assert_true(part < a.parts);
                const abut_collision *own = find_collision(by_part[part], count[part], &by_whole[j], child);
                assert_non_null(own);
                const abut_manifold *m = &by_whole[j].manifold, *n = &own->manifold;
                const abut_vec3 away = abut_vec3_sub(a.part[part].pose.position, a.whole.pose.position);
                const bool doubt = in_doubt(m, n, away);
                doubts += doubt;
                assert_true(doubt || m->point_count == n->point_count);
                assert_true(fabsf(m->separation - n->separation) <= 1e-5f);
                assert_true(abut_vec3_length(abut_vec3_sub(m->normal, n->normal)) <= 1e-4f);
                for (uint32_t p = 0; !doubt && p < m->point_count; ++p)
                {
                    const abut_vec3 at = abut_vec3_add(n->points[p].offset, away);
                    assert_true(abut_vec3_length(abut_vec3_sub(m->points[p].offset, at)) <= 1e-4f);
                    assert_int_equal(m->points[p].feature, n->points[p].feature);
                }
                assert_true(j == 0 || by_whole[j].body.slot > by_whole[j - 1].body.slot ||
                            by_whole[j].child > by_whole[j - 1].child);
            }
            manifolds += whole;
            abut_geometry_release(w.held[--w.held_count]);
        }
        close_asked(&w);
    }
    printf("%llu manifolds, %llu with points in doubt\n", (unsigned long long)manifolds, (unsigned long long)doubts);
    assert_true(doubts * 1000 <= manifolds + 1000);
    assert_true(!random_seeds_all() || manifolds > 1500);
}

// Without a world: as of a world with that shape alone.
static void calls_for_one_shape_take_compounds(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(40);
    uint64_t hits = 0, children = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        asked_world w = open_asked(seed);
        for (uint32_t i = 0; i < BODIES; ++i)
        {
            static uint32_t own[MOST];
            static abut_found found[MOST];
            abut_body body;
            abut_body_def def = { .motion = ABUT_STATIC };
            asker a = some_asker(&w, 0.7, hull_of(&w)), other = some_asker(&w, 0.7, hull_of(&w));
            def.collider.shape = i % 3 == 0   ? random_part(&w.random, 0.7, hull_of(&w))
                                 : i % 3 == 1 ? other.whole.shape
                                              : abut_shape_mesh(w.held[1]);
            def.pose.position = some_place(&w.random, 2.0);
            def.pose.rotation = abut_quat_normalise(random_narrow_rotation(random_rotation(&w.random)));
            abut_world *alone = open_world(NULL);
            assert_int_equal(abut_body_create(alone, &def, &body), ABUT_OK);
            assert_int_equal(abut_world_update(alone), ABUT_OK);
            const abut_cast cast = { .shape = i % 2 ? a.whole.shape : random_part(&w.random, 0.4, NULL),
                                     .pose = a.whole.pose,
                                     .translation = some_place(&w.random, 9.0) };
            abut_hit hit;
            abut_ray_hit lone;
            uint32_t count, same;
            assert_int_equal(abut_cast_shape(&cast, &def.collider.shape, &def.pose, 0, &lone), ABUT_OK);
            assert_int_equal(abut_world_cast_closest(alone, &cast, NULL, &hit), ABUT_OK);
            assert_true(lone.hit == (hit.collider.generation != 0));
            assert_int_equal(lone.child, hit.child);
            assert_int_equal(lone.flags, hit.flags);
            assert_true(lone.fraction == hit.fraction && lone.depth == hit.depth);
            hits += lone.hit;
            a.whole.pose.position = abut_vec3_scale(a.whole.pose.position, 0.5f);
            const abut_query_filter filter = { .flags = ABUT_QUERY_CHILDREN };
            assert_int_equal(abut_overlap_shape_all(&a.whole, &def.collider.shape, &def.pose, own, MOST, &count),
                             ABUT_OK);
            assert_int_equal(abut_world_overlap_shape(alone, &a.whole, &filter, found, MOST, &same), ABUT_OK);
            assert_int_equal(count, same);
            for (uint32_t k = 0; k < count; ++k)
            {
                assert_int_equal(own[k], found[k].child);
            }
            children += count;
            abut_world_destroy(alone);
            abut_geometry_release(w.held[--w.held_count]);
            abut_geometry_release(w.held[--w.held_count]);
        }
        close_asked(&w);
    }
    printf("%llu hits, %llu children\n", (unsigned long long)hits, (unsigned long long)children);
    assert_true(!random_seeds_all() || (hits > 100 && children > 300));
}

static abut_geometry *many_balls(uint32_t count)
{
    static abut_placed_shape parts[ABUT_MAX_COMPOUND_PARTS];
    for (uint32_t i = 0; i < count; ++i)
    {
        parts[i] = (abut_placed_shape){ abut_shape_sphere(0.25f), abut_pose_identity() };
        parts[i].pose.position = abut_vec3_make((float)(i % 64), 0.0f, (float)(i / 64));
    }
    return compound_of(parts, count);
}

// Of 4,096 parts and 131,072 triangles there are more pairs than numbers.
static void queries_of_compounds_fail_where_they_cannot_be_answered(void **state)
{
    (void)state;
    enum
    {
        SIDE = 257
    };
    static float heights[SIDE * SIDE];
    abut_geometry *field = NULL, *balls = many_balls(ABUT_MAX_COMPOUND_PARTS), *few = many_balls(2);
    const abut_heightfield_def def = { .heights = heights, .columns = SIDE, .rows = SIDE, .step_x = 1, .step_z = 1 };
    assert_int_equal(abut_geometry_create_heightfield(&def, NULL, &field), ABUT_OK);
    abut_world *world = open_world(NULL), *flat = open_world(&(abut_world_def){ .dimension = 2 });
    add(world, abut_shape_mesh(field), 0, 0, 0, ABUT_STATIC);
    add(flat, abut_shape_sphere(1.0f), 0, 0, 0, ABUT_STATIC);
    assert_int_equal(abut_world_update(world), ABUT_OK);
    assert_int_equal(abut_world_update(flat), ABUT_OK);
    static abut_collision collisions[2 * ABUT_MAX_COMPOUND_PARTS];
    static abut_found found[2 * ABUT_MAX_COMPOUND_PARTS];
    const uint32_t room = 2 * ABUT_MAX_COMPOUND_PARTS;
    abut_placed_shape asks = { abut_shape_compound(balls), abut_pose_identity() };
    abut_near near;
    abut_hit hit;
    uint32_t count = 7;
    asks.pose.position = abut_vec3_make(-31.5f, 0.125f, -31.5f);
    assert_int_equal(abut_world_collide_shape(world, &asks, 0.0f, NULL, collisions, room, &count), ABUT_LIMIT);
    assert_int_equal(count, 7);
    assert_int_equal(abut_world_overlap_shape(world, &asks, NULL, found, room, &count), ABUT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(abut_world_nearest_shape(world, &asks, 1.0f, NULL, &near, 1, &count), ABUT_OK);
    assert_int_equal(count, 1);
    asks.shape = abut_shape_compound(few);
    assert_int_equal(abut_world_collide_shape(world, &asks, 0.0f, NULL, collisions, room, &count), ABUT_OK);
    assert_true(count >= 2);

    // In two dimensions there are no such shapes, and a mesh asks nowhere.
    const abut_cast cast = { .shape = asks.shape, .pose = abut_pose_2d(3, 0, 0), .translation = { -3, 0, 0 } };
    const abut_placed_shape in_flat = { asks.shape, cast.pose };
    assert_int_equal(abut_world_cast_closest(flat, &cast, NULL, &hit), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_overlap_shape(flat, &in_flat, NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_nearest_shape(flat, &in_flat, 1, NULL, &near, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_collide_shape(flat, &in_flat, 0, NULL, collisions, 1, &count), ABUT_INVALID_ARGUMENT);
    random_source random = random_start(3);
    abut_geometry *hull = random_lump(&random, 1.0);
    const abut_placed_shape lump = { abut_shape_hull(hull), cast.pose };
    assert_int_equal(abut_world_overlap_shape(flat, &lump, NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    asks.shape = abut_shape_mesh(field);
    assert_int_equal(abut_world_overlap_shape(world, &asks, NULL, found, 1, &count), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(world);
    abut_world_destroy(flat);
    abut_geometry_release(field);
    abut_geometry_release(balls);
    abut_geometry_release(few);
    abut_geometry_release(hull);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_are_those_of_the_parts),
        cmocka_unit_test(what_is_nearest_to_a_part_is_nearest),
        cmocka_unit_test(manifolds_are_those_of_the_parts),
        cmocka_unit_test(calls_for_one_shape_take_compounds),
        cmocka_unit_test(queries_of_compounds_fail_where_they_cannot_be_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
