// Queries, impacts and sensors of compounds: as those of the same parts as colliders of their own.
#include "compound_twins.h"
#include "mesh_makers.h"

#include <abut/query.h>

#include <stdio.h>

enum
{
    FIELD = 300
};

// Of a hit, which collider's and which part's.
static bool same_hit(const twins *t, const abut_hit *hit)
{
    const bool hits = hit[0].body.generation != 0;
    if (hits != (hit[1].body.generation != 0))
    {
        return false;
    }
    return !hits || (hit[0].body.slot == hit[1].body.slot && fabsf(hit[0].fraction - hit[1].fraction) <= 1e-5f &&
                     hit[0].flags == hit[1].flags && near_vec3(hit[0].normal, hit[1].normal, 1e-3f) &&
                     hit[0].child == ordinal_of(t->world[1], hit[1].body, hit[1].collider));
}

static void queries_are_those_of_the_parts(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(60);
    uint64_t hits = 0, others = 0, cases = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        twins t;
        open_twins(&t, seed, NULL);
        for (uint32_t i = 0; i < 8; ++i)
        {
            abut_body bodies[2];
            const abut_body_def def = some_body(&t, 4.0, true);
            add_compound(&t, &def, 1.0, true, bodies);
        }
        assert_int_equal(abut_world_update(t.world[0]), ABUT_OK);
        assert_int_equal(abut_world_update(t.world[1]), ABUT_OK);
        for (uint32_t i = 0; i < 60; ++i)
        {
            const uint32_t flags[3] = { 0, ABUT_QUERY_HOLLOW, ABUT_QUERY_SKIP_INSIDE };
            const abut_query_filter filter = { .flags = flags[i % 3] },
                                    skip = { .flags = i % 2 ? ABUT_QUERY_SKIP_INSIDE : 0 },
                                    once = { .flags = ABUT_QUERY_ONE_PER_BODY };
            const abut_vec3 from = random_narrow(random_in_box(&t.random, 5.0));
            const abut_ray ray = { from, random_narrow(random_in_box(&t.random, 9.0)) };
            abut_cast cast = { .shape = random_part(&t.random, 0.5, t.hull),
                               .pose = { .position = from },
                               .translation = ray.translation };
            cast.pose.rotation = random_narrow_rotation(random_rotation(&t.random));
            if (i % 4 == 0)
            {
                cast.rotation = random_narrow(random_in_box(&t.random, 1.0));
            }
            const abut_placed_shape asker = { cast.shape, cast.pose };
            const abut_plane planes[2] = { { { 1, 0, 0 }, from.x }, { { 0, -1, 0.5f }, -from.y } };
            const abut_region region = { .planes = planes, .plane_count = 2 };
            abut_hit hit[2], thrown[2];
            abut_near near[2][8];
            abut_found found[8];
            uint32_t count[2], overlaps[2], points[2], regions[2];
            for (int k = 0; k < 2; ++k)
            {
                abut_world *w = t.world[k];
                assert_int_equal(abut_world_ray_closest(w, &ray, &filter, &hit[k]), ABUT_OK);
                assert_int_equal(abut_world_cast_closest(w, &cast, &skip, &thrown[k]), ABUT_OK);
                assert_int_equal(abut_world_nearest_shape(w, &asker, 20.0f, &once, near[k], 8, &count[k]), ABUT_OK);
                const abut_query_filter of_all = { .flags = ABUT_QUERY_ONE_PER_BODY };
                assert_int_equal(abut_world_overlap_shape(w, &asker, &of_all, found, 8, &overlaps[k]), ABUT_OK);
                assert_int_equal(abut_world_overlap_point(w, &from, &of_all, found, 8, &points[k]), ABUT_OK);
                assert_int_equal(abut_world_overlap_region(w, &region, &of_all, found, 8, &regions[k]), ABUT_OK);
            }
            ++cases;
            hits += hit[0].body.generation != 0;
            others += !same_hit(&t, hit);
            others += !same_hit(&t, thrown);
            others += overlaps[0] != overlaps[1];
            others += points[0] != points[1];
            others += regions[0] != regions[1];
            assert_int_equal(count[0], 8);
            assert_int_equal(count[1], 8);
            for (uint32_t k = 0; k < 8; ++k)
            {
                others += !(fabsf(near[0][k].distance - near[1][k].distance) <= 1e-5f);
            }
            abut_near at[2];
            for (int k = 0; k < 2; ++k)
            {
                uint32_t one;
                assert_int_equal(abut_world_nearest(t.world[k], &from, 30.0f, NULL, &at[k], 1, &one), ABUT_OK);
                assert_int_equal(one, 1);
            }
            others += !(fabsf(at[0].distance - at[1].distance) <= 1e-5f);
            others += at[0].distance > 0.0f && at[0].child != ordinal_of(t.world[1], at[1].body, at[1].collider);
        }
        close_twins(&t);
    }
    printf("%llu cases, %llu rays hit, %llu answers are others\n", (unsigned long long)cases, (unsigned long long)hits,
           (unsigned long long)others);
    assert_true(!random_seeds_all() || hits > 100);
    assert_true(others * 1000 <= cases);
}

// Which part of each shape an impact is of: of twins' bodies a collider, else a part or a triangle.
static void children_of(abut_world *world, const abut_body_impact *x, uint32_t out[2])
{
    abut_collider_def own, other;
    assert_int_equal(abut_collider_get(world, x->collider, &own, NULL), ABUT_OK);
    assert_int_equal(abut_collider_get(world, x->other_collider, &other, NULL), ABUT_OK);
    abut_shape_children(&own.shape, &other.shape, x->child, &out[0], &out[1]);
    out[0] += ordinal_of(world, x->body, x->collider);
    out[1] += ordinal_of(world, x->other, x->other_collider);
}

static bool same_impact(const twins *t, const abut_body_impact *x, const abut_body_impact *y)
{
    uint32_t own[2], its[2];
    children_of(t->world[0], x, own);
    children_of(t->world[1], y, its);
    return own[0] == its[0] && own[1] == its[1] && x->body.slot == y->body.slot && x->other.slot == y->other.slot &&
           fabsf(x->impact.time - y->impact.time) <= 1e-5f && near_vec3(x->impact.normal, y->impact.normal, 1e-2f);
}

// Sensors, and what comes fast: compounds that fly at compounds, at triggers and at a mesh.
static void nothing_fast_passes_a_compound(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(120);
    uint64_t impacts = 0, others = 0, begun = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        twins t;
        mesh_maker m = { 0 };
        open_twins(&t, seed, NULL);
        mesh_field(&m, &t.random, 4, 4, 20.0, 20.0, 0.2, NULL, NULL);
        t.held[t.held_count++] = mesh_made(&m);
        for (int k = 0; k < 2; ++k)
        {
            add(t.world[k], abut_shape_mesh(t.held[0]), 0, -12, 0, ABUT_STATIC);
        }
        for (uint32_t i = 0; i < 12; ++i)
        {
            abut_body bodies[2];
            abut_body_def def = some_body(&t, 8.0, true);
            def.flags = i % 2 ? ABUT_BODY_CCD : 0;
            def.motion = i % 2 ? ABUT_DYNAMIC : i % 4 ? ABUT_STATIC : ABUT_KINEMATIC;
            def.collider.flags = i == 4 ? ABUT_COLLIDER_SENSOR : 0;
            def.velocity.linear = random_narrow(random_in_box(&t.random, 1000.0));
            def.velocity.angular = random_narrow(random_in_box(&t.random, i % 3 ? 0.0 : 5.0));
            if (i % 3 == 1)
            {
                add_convex(&t, &def, 0.5, bodies);
            }
            else
            {
                add_compound(&t, &def, 1.5, true, bodies);
            }
        }
        for (int k = 0; k < 2; ++k)
        {
            assert_int_equal(abut_world_detect(t.world[k], 1.0f / 60.0f), ABUT_OK);
            begun += k == 0 ? abut_world_events(t.world[k], ABUT_SENSOR_BEGIN).count : 0;
        }
        const abut_impacts x = abut_world_impacts(t.world[0]), y = abut_world_impacts(t.world[1]);
        others += x.count > y.count ? x.count - y.count : y.count - x.count;
        for (uint32_t i = 0; i < x.count && x.count == y.count; ++i)
        {
            others += !same_impact(&t, &x.data[i], &y.data[i]);
        }
        impacts += x.count;
        close_twins(&t);
    }
    printf("%llu impacts, %llu others, %llu sensor begins\n", (unsigned long long)impacts, (unsigned long long)others,
           (unsigned long long)begun);
    assert_true(!random_seeds_all() || impacts > 100);
    assert_true(others * 200 <= impacts);
}

static uint32_t in_sensors(abut_world *world)
{
    const abut_events events = abut_world_events(world, ABUT_SENSOR_BEGIN);
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < events.count; ++i)
    {
        pairs += i == 0 || events.data[i].a.slot != events.data[i - 1].a.slot ||
                 events.data[i].b.slot != events.data[i - 1].b.slot;
    }
    return pairs;
}

static void sensors_see_every_part(void **state)
{
    (void)state;
    uint64_t pairs = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed)
    {
        twins t;
        open_twins(&t, seed, NULL);
        for (uint32_t i = 0; i < 14; ++i)
        {
            abut_body bodies[2];
            abut_body_def def = some_body(&t, 2.5, false);
            def.motion = ABUT_DYNAMIC;
            def.collider.flags = i % 4 == 0 ? ABUT_COLLIDER_SENSOR : 0;
            add_compound(&t, &def, 0.8, false, bodies);
        }
        detect(t.world[0]);
        detect(t.world[1]);
        // The events of several colliders of one body need not follow each other.
        const abut_events x = abut_world_events(t.world[0], ABUT_SENSOR_BEGIN),
                          y = abut_world_events(t.world[1], ABUT_SENSOR_BEGIN);
        for (uint32_t i = 0; i < y.count; ++i)
        {
            bool found = false;
            for (uint32_t k = 0; k < x.count; ++k)
            {
                found = found || (x.data[k].a.slot == y.data[i].a.slot && x.data[k].b.slot == y.data[i].b.slot);
            }
            assert_true(found);
        }
        for (uint32_t k = 0; k < x.count; ++k)
        {
            bool found = false;
            for (uint32_t i = 0; i < y.count; ++i)
            {
                found = found || (x.data[k].a.slot == y.data[i].a.slot && x.data[k].b.slot == y.data[i].b.slot);
            }
            assert_true(found);
        }
        assert_int_equal(in_sensors(t.world[0]), x.count);
        pairs += x.count;
        close_twins(&t);
    }
    assert_true(pairs > 100);
}

// Parts all over a field, more than are looked at together: of what a plate that falls on them
// hits one by one, the first is what it hits of the compound.
static void a_field_of_parts(random_source *random, abut_placed_shape parts[FIELD])
{
    for (uint32_t i = 0; i < FIELD; ++i)
    {
        const dvec3 at = random_in_box(random, 10.0);
        parts[i] = (abut_placed_shape){
            .shape = random_chance(random, 0.5) ? abut_shape_sphere(0.4f) : abut_shape_obb(0.3f, 0.4f, 0.5f),
            .pose.position = abut_vec3_make((float)at.x, (float)(0.2 * at.y), (float)at.z),
            .pose.rotation = random_narrow_rotation(random_rotation(random)),
        };
    }
}

static void of_many_parts_the_first_counts(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(40);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed + 4711);
        abut_placed_shape parts[FIELD];
        abut_geometry *geometry;
        a_field_of_parts(&random, parts);
        assert_int_equal(abut_geometry_create_compound(parts, FIELD, NULL, &geometry), ABUT_OK);
        const abut_shape whole = abut_shape_compound(geometry);
        const abut_pose pose = abut_pose_identity();
        abut_cast cast = { .shape = abut_shape_obb(8.0f, 0.1f, 8.0f), .translation = { 0.5f, -9.0f, 0.0f } };
        cast.pose.position = abut_vec3_make(0.0f, 6.0f, 0.0f);
        cast.pose.rotation = abut_quat_from_axis_angle(abut_vec3_make(0.0f, 0.0f, 1.0f), 0.2f);
        cast.rotation.y = random_chance(&random, 0.5) ? 0.3f : 0.0f;
        abut_ray_hit hit, first = { .fraction = 2.0f };
        uint32_t part = ABUT_NONE;
        for (uint32_t i = 0; i < FIELD; ++i)
        {
            abut_ray_hit own;
            assert_int_equal(abut_cast_shape(&cast, &parts[i].shape, &parts[i].pose, 0, &own), ABUT_OK);
            part = own.hit && own.fraction < first.fraction ? i : part;
            first = own.hit && own.fraction < first.fraction ? own : first;
        }
        assert_int_equal(abut_cast_shape(&cast, &whole, &pose, 0, &hit), ABUT_OK);
        assert_true(hit.hit && hit.child == part);
        assert_float_equal(hit.fraction, first.fraction, 1e-6);
        abut_geometry_release(geometry);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_are_those_of_the_parts),
        cmocka_unit_test(nothing_fast_passes_a_compound),
        cmocka_unit_test(sensors_see_every_part),
        cmocka_unit_test(of_many_parts_the_first_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
