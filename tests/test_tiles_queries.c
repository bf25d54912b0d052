// Surfaces in tiles, each of which knows what is beside it: together they have the hits and distances of the whole.
#include "tile_twins.h"

#include <stdio.h>

// A hit of the whole, or of the tiles: the latter's child is as the whole has it.
static abut_hit hit_of(const twins *w, int i, const abut_ray *ray, const abut_cast *cast)
{
    abut_hit hit;
    assert_int_equal(ray ? abut_world_ray_closest(w->world[i], ray, NULL, &hit)
                         : abut_world_cast_closest(w->world[i], cast, NULL, &hit),
                     ABUT_OK);
    if (i && hit.body.generation != 0)
    {
        hit.child = w->tiling->child_of[hit.body.slot][hit.child];
    }
    return hit;
}

static bool expect_same_hit(const twins *w, const abut_ray *ray, const abut_cast *cast)
{
    const abut_hit one = hit_of(w, 0, ray, cast), other = hit_of(w, 1, ray, cast);
    const double off = w->tiling->off;
    assert_int_equal(one.body.generation != 0, other.body.generation != 0);
    assert_true(fabs((double)one.fraction - (double)other.fraction) <= off);
    assert_true(one.child != other.child || near_vectors(one.normal, other.normal, 10.0 * off));
    return one.body.generation != 0;
}

// The nearest point may be on an edge of two triangles, either of which is measured: then their floats may differ.
static void expect_same_distance(const twins *w, const abut_near near[2])
{
    const double one = (double)near[0].distance, other = (double)near[1].distance;
    assert_true(fabs(one - other) <= w->tiling->off + 0x1p-23 * one);
}

// What a shape overlaps, and how far it is from the rest.
static void expect_same_nearness(const twins *w, const abut_placed_shape *asker)
{
    abut_near near[2];
    abut_found found[TILES];
    uint32_t count[2];
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_world_overlap_shape(w->world[i], asker, NULL, found, TILES, &count[i]), ABUT_OK);
    }
    assert_int_equal(count[0] > 0, count[1] > 0);
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(abut_world_nearest_shape(w->world[i], asker, 100.0f, NULL, &near[i], 1, &count[i]), ABUT_OK);
        assert_int_equal(count[i] > 0, true);
    }
    expect_same_distance(w, near);
    for (int i = 0; i < 2; ++i)
    {
        const abut_vec3 at = asker->pose.position;
        assert_int_equal(abut_world_nearest(w->world[i], &at, 100.0f, NULL, &near[i], 1, &count[i]), ABUT_OK);
    }
    expect_same_distance(w, near);
}

static void queries_of_tiles_are_those_of_the_whole(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(200);
    uint32_t hits = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        tiling t = (seed % 2 ? tiled_mesh : tiled_field)(&random, (relief)(seed % 3), 1 + random_below(&random, 3));
        twins w = { .world = { open_world(NULL), open_world(NULL) }, .tiling = &t };
        abut_geometry *hull = some_hull(&random, 0.4 * t.cell);
        add_surfaces(&w);
        assert_int_equal(abut_world_update(w.world[0]), ABUT_OK);
        assert_int_equal(abut_world_update(w.world[1]), ABUT_OK);
        for (uint32_t i = 0; i < 40; ++i)
        {
            const abut_pose from = some_pose(&random, &t, t.cell), to = some_pose(&random, &t, t.cell);
            abut_ray ray = { from.position, abut_vec3_sub(to.position, from.position) };
            ray.origin.y += (float)t.cell;
            ray.translation.y -= (float)(2.0 * t.cell);
            const abut_cast cast = { .shape = some_shape(&random, 0.4 * t.cell, hull),
                                     .pose = { .position = ray.origin, .rotation = from.rotation },
                                     .translation = ray.translation };
            hits += expect_same_hit(&w, &ray, NULL);
            hits += expect_same_hit(&w, NULL, &cast);
            expect_same_nearness(&w, &(abut_placed_shape){ cast.shape, from });
        }
        abut_geometry_release(hull);
        close_twins(&w);
        give_tiling(&t);
    }
    printf("%u hits\n", hits);
    assert_true(!random_seeds_all() || hits > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(queries_of_tiles_are_those_of_the_whole) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
