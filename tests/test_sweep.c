// Times of impact of two moving shapes: against cases of other projects' tests, against a referee that samples the
// motion, and against what no collision engine may do, which is to let something through.
#include "random_moving.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// "sphere .5|0 0 0|0 10 0" or "box 1 1 1|…": false for kinds that are not there.
static bool read_shape(const char *text, abut_moving_shape *out)
{
    double s[3], p[3], d[3];
    if (sscanf(text, "sphere %lf|%lf %lf %lf|%lf %lf %lf", &s[0], &p[0], &p[1], &p[2], &d[0], &d[1], &d[2]) == 7)
    {
        out->shape = abut_shape_sphere((float)s[0]);
    }
    else if (sscanf(text, "box %lf %lf %lf|%lf %lf %lf|%lf %lf %lf", &s[0], &s[1], &s[2], &p[0], &p[1], &p[2], &d[0],
                    &d[1], &d[2]) == 9)
    {
        out->shape = abut_shape_obb((float)s[0], (float)s[1], (float)s[2]);
    }
    else
    {
        return false;
    }
    out->pose = (abut_pose){ .position = { (float)p[0], (float)p[1], (float)p[2] }, .rotation = { .w = 1.0f } };
    out->velocity = (abut_velocity){ .linear = { (float)d[0], (float)d[1], (float)d[2] } };
    return true;
}

static void casts_of_other_projects_come_out_as_they_expect(void **state)
{
    (void)state;
    FILE *file = fopen(ABUT_SOURCE_DIR "/tests/data/lifted_casts.csv", "r");
    assert_non_null(file);
    char line[512];
    uint32_t tried = 0;
    while (fgets(line, sizeof line, file))
    {
        // Descriptions may hold commas; shapes are recognised by their bars.
        char *bar = strchr(line, '|'), *first = bar;
        while (first && *first != ',')
        {
            --first;
        }
        char *second = bar ? strchr(bar, ',') : NULL;
        char *rest = second ? strchr(second + 1, ',') : NULL;
        abut_moving_shape a, b;
        if (!rest || !read_shape(first + 1, &a) || !read_shape(second + 1, &b))
        {
            continue;
        }
        const int expected = atoi(rest + 1);
        char *time = strchr(rest + 1, ',') + 1, *tolerance = strchr(time, ',') + 1;
        const abut_impact found = impact_of(&a, &b, 1.0f);
        DEMAND_AT(tried, found.hit == (expected == 1), "%s", line);
        if (expected == 1)
        {
            const double slack = strtod(tolerance, NULL) + 1e-5;
            DEMAND_AT(tried, fabs((double)found.time - strtod(time, NULL)) <= slack, "%g: %s", (double)found.time,
                      line);
        }
        ++tried;
    }
    fclose(file);
    assert_int_equal(tried, 12);
}

static void a_ball_hits_a_wall_with_its_surface(void **state)
{
    (void)state;
    const abut_moving_shape ball = moving(abut_shape_sphere(0.5f), 0, 0, 0, 10, 0, 0);
    const abut_moving_shape wall = moving(abut_shape_aabb(0.0f, 5, 5), 5.5f, 0, 0, 0, 0, 0);
    const abut_impact found = impact_of(&ball, &wall, 1.0f);
    assert_true(found.hit);
    near((double)found.time, 0.5, 2e-5);
    near((double)found.normal.x, 1.0, 1e-6);
    near((double)found.offset.x, 0.5, 1e-4);
    assert_true(found.distance >= 0.0f && found.distance < 2e-4f);
    assert_int_equal(found.flags, 0);
    assert_false(impact_of(&ball, &wall, 0.499f).hit);
}

// A rod turns about its middle; a ball is in its way a quarter turn ahead.
static void rotation_alone_hits_what_is_in_the_way(void **state)
{
    (void)state;
    abut_moving_shape rod = moving(abut_shape_obb(2.0f, 0.0f, 0.0f), 0, 0, 0, 0, 0, 0);
    rod.velocity.angular.z = 3.0f;
    const abut_moving_shape ball = moving(abut_shape_sphere(0.25f), 0, 1.5f, 0, 0, 0, 0);
    const abut_impact found = impact_of(&rod, &ball, 1.0f);
    assert_true(found.hit);
    const double angle = 1.5707963267948966 - asin(0.25 / 1.5);
    near((double)found.time, angle / 3.0, 2e-5);
    assert_false(impact_of(&rod, &ball, (float)(0.99 * angle / 3.0)).hit);

    // A ball that only rotates in place hits nothing.
    abut_moving_shape spun = moving(abut_shape_sphere(0.5f), 0, 0, 0, 0, 0, 0);
    spun.velocity.angular.z = 1000.0f;
    const abut_moving_shape beside = moving(abut_shape_obb(1, 1, 1), 1.5f, 0, 0, 0, 0, 0);
    assert_false(impact_of(&spun, &beside, 1.0f).hit);
}

static void sliding_or_parting_shapes_do_not_hit(void **state)
{
    (void)state;
    const abut_moving_shape floor = moving(abut_shape_obb(50, 1, 50), 0, -1, 0, 0, 0, 0);
    abut_moving_shape crate = moving(abut_shape_obb(0.5f, 0.5f, 0.5f), 0, 0.5f, 0, 100, 0, 0);
    assert_false(impact_of(&crate, &floor, 0.4f).hit);
    crate.velocity.linear.y = 1.0f;
    assert_false(impact_of(&crate, &floor, 0.4f).hit);
    crate.velocity.linear.y = -1.0f;
    const abut_impact down = impact_of(&crate, &floor, 0.4f);
    assert_true(down.hit && down.time == 0.0f && down.flags == 0);

    // A ball that rolls comes no closer either.
    abut_moving_shape ball = moving(abut_shape_sphere(0.5f), 0, 0.5f, 0, 10, 0, 0);
    ball.velocity.angular.z = -20.0f;
    assert_false(impact_of(&ball, &floor, 1.0f).hit);
}

static void an_overlap_at_the_start_hits_at_once_along_the_way_out(void **state)
{
    (void)state;
    const abut_moving_shape a = moving(abut_shape_obb(1, 1, 1), 0, 0, 0, 5, 0, 0);
    const abut_moving_shape b = moving(abut_shape_obb(1, 1, 1), 0.3f, 1.9f, 0.1f, 0, 0, 0);
    const abut_impact found = impact_of(&a, &b, 1.0f);
    assert_true(found.hit && found.time == 0.0f);
    assert_int_equal(found.flags, ABUT_IMPACT_INITIAL);
    near((double)found.normal.y, 1.0, 1e-6);
    near((double)found.distance, -0.1, 1e-6);
    near((double)found.offset.y, 0.95, 1e-6);
    const abut_moving_shape inside = moving(abut_shape_sphere(0.1f), 0.2f, 0, 0.95f, 0, 0, 0);
    const abut_impact out = impact_of(&inside, &a, 1.0f);
    assert_int_equal(out.flags, ABUT_IMPACT_INITIAL);
    near((double)out.normal.z, -1.0, 1e-6);
}

static void a_miss_by_a_hair_is_a_miss_and_by_less_than_the_tolerance_a_hit(void **state)
{
    (void)state;
    const abut_moving_shape still = moving(abut_shape_sphere(1), 0, 0, 0, 0, 0, 0);
    const abut_moving_shape past = moving(abut_shape_sphere(1), -10, 2.001f, 0, 20, 0, 0);
    const abut_moving_shape grazing = moving(abut_shape_sphere(1), -10, 1.999f, 0, 20, 0, 0);
    assert_false(impact_of(&past, &still, 1.0f).hit);
    assert_true(impact_of(&grazing, &still, 1.0f).hit);
    abut_impact wide;
    assert_int_equal(abut_time_of_impact(&past, &still, 1.0f, 0.01f, &wide), ABUT_OK);
    assert_true(wide.hit && wide.distance <= 0.01f);
}

static void invalid_input_fails_and_leaves_the_output_alone(void **state)
{
    (void)state;
    const abut_moving_shape good = moving(abut_shape_sphere(1), 0, 0, 0, 1, 0, 0);
    abut_moving_shape wrong[4] = { good, good, good, good };
    wrong[0].shape.kind = ABUT_SHAPE_NONE;
    wrong[1].pose.position.x = NAN;
    wrong[2].velocity.linear.y = INFINITY;
    wrong[3].velocity.angular.z = 1.1e8f;
    abut_impact out, before;
    memset(&out, 0x5a, sizeof out);
    before = out;
    for (int i = 0; i < 4; ++i)
    {
        assert_int_equal(abut_time_of_impact(&wrong[i], &good, 1, 0, &out), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_time_of_impact(&good, &wrong[i], 1, 0, &out), ABUT_INVALID_ARGUMENT);
    }
    assert_int_equal(abut_time_of_impact(NULL, &good, 1, 0, &out), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_time_of_impact(&good, &good, 1, 0, NULL), ABUT_INVALID_ARGUMENT);
    const float numbers[] = { -1.0f, NAN, INFINITY, 1.1e8f };
    for (int i = 0; i < 4; ++i)
    {
        assert_int_equal(abut_time_of_impact(&good, &good, numbers[i], 0, &out), ABUT_INVALID_ARGUMENT);
        assert_int_equal(abut_time_of_impact(&good, &good, 1, numbers[i], &out), ABUT_INVALID_ARGUMENT);
    }
    assert_memory_equal(&out, &before, sizeof out);
}

static double separation_at(const abut_moving_shape *a, const abut_moving_shape *b, double time)
{
    const referee_solid solid_a = solid_at(a, time), solid_b = solid_at(b, time);
    return referee_collide(&solid_a, &solid_b).separation;
}

static double distance_at(const abut_moving_shape *a, const abut_moving_shape *b, double time)
{
    const referee_solid solid_a = solid_at(a, time), solid_b = solid_at(b, time);
    return referee_distance(&solid_a, &solid_b);
}

// The first sample at which they overlap by more than the slack, narrowed down by bisection to the last time at which
// they do not overlap at all; or -1.
static double sampled(const abut_moving_shape *a, const abut_moving_shape *b, double slack)
{
    enum
    {
        SAMPLES = 400
    };
    for (int i = 1; i <= SAMPLES; ++i)
    {
        if (separation_at(a, b, (double)i / SAMPLES) < -slack)
        {
            double low = (double)(i - 1) / SAMPLES, high = (double)i / SAMPLES;
            for (int k = 0; k < 50; ++k)
            {
                const double middle = 0.5 * (low + high);
                *(separation_at(a, b, middle) < 0.0 ? &high : &low) = middle;
            }
            return low;
        }
    }
    return -1.0;
}

// Within a tolerance of the caller's, up to that of zero: no sample before the time is, and there it is.
static void shapes_are_within_a_tolerance_from_the_time_of_impact_on(void **state)
{
    (void)state;
    enum
    {
        SAMPLES = 200
    };
    const uint32_t cases = random_share_of(1500, 400);
    uint32_t hits = 0, misses = 0;
    for (uint64_t seed = 1; seed <= cases; ++seed)
    {
        random_source random = random_start(seed);
        const double spin = random_chance(&random, 0.5) ? 6.0 : 0.0;
        abut_moving_shape a = some(&random, 12.0, spin), b = some(&random, 2.0, spin);
        const dvec3 way = dvec3_sub(wide(b.pose.position), wide(a.pose.position));
        if (seed % 3 != 0) // at each other, more or less
        {
            const dvec3 aimed = dvec3_scale(way, random_between(&random, 0.5, 2.0));
            a.velocity.linear = random_narrow(dvec3_add(aimed, random_in_box(&random, 2.0)));
        }
        const double size = size_of(&a.shape) + size_of(&b.shape), slack = 2e-5 * size;
        if (size == 0.0) // two points
        {
            continue;
        }
        const double tolerance = (double)(float)random_scale(&random, 1e-3 * size, 0.5 * size);
        abut_impact found;
        if (distance_at(&a, &b, 0.0) < tolerance + slack)
        {
            continue;
        }
        assert_int_equal(abut_time_of_impact(&a, &b, 1.0f, (float)tolerance, &found), ABUT_OK);
        const double end = found.hit ? (double)found.time : 1.0;
        double least = HUGE_VAL;
        for (int i = 0; i <= SAMPLES; ++i)
        {
            least = fmin(least, distance_at(&a, &b, end * i / SAMPLES));
        }
        DEMAND_AT(seed, least > tolerance - slack, "%g apart before it is within %g", least, tolerance);
        DEMAND_AT(seed, !found.hit || distance_at(&a, &b, end) < tolerance + slack, "not within %g", tolerance);
        hits += found.hit;
        misses += !found.hit;
    }
    print_message("%u hits, %u misses\n", hits, misses);
    assert_true(15 * hits > cases && 15 * misses > cases);
}

static void impacts_are_where_a_referee_finds_them(void **state)
{
    (void)state;
    const uint32_t cases = random_share_of(3000, 600);
    uint32_t hits = 0, misses = 0, bounds = 0;
    for (uint64_t seed = 1; seed <= cases; ++seed)
    {
        random_source random = random_start(seed);
        const double speed = random_scale(&random, 0.5, 20.0), spin = random_chance(&random, 0.5) ? 6.0 : 0.0;
        abut_moving_shape a = some(&random, speed, spin), b = some(&random, 0.3 * speed, spin);
        const dvec3 way = dvec3_sub(wide(b.pose.position), wide(a.pose.position));
        if (random_chance(&random, 0.7)) // at each other, more or less
        {
            const dvec3 aimed = dvec3_scale(way, random_between(&random, 0.5, 4.0));
            a.velocity.linear =
                random_narrow(dvec3_add(aimed, dvec3_add(wide(b.velocity.linear), random_in_box(&random, 0.5))));
        }
        const double size = size_of(&a.shape) + size_of(&b.shape), slack = 2e-5 * size;
        if (separation_at(&a, &b, 0.0) < slack)
        {
            continue;
        }
        const abut_impact found = impact_of(&a, &b, 1.0f);
        const double when = sampled(&a, &b, slack);
        abut_impact early; // however wide the tolerance, nothing is passed through
        const float tolerance = (float)random_scale(&random, 1e-4, 3.0);
        assert_int_equal(abut_time_of_impact(&a, &b, 1.0f, tolerance, &early), ABUT_OK);
        DEMAND_AT(seed, early.hit ? early.distance <= tolerance : when < 0.0, "missed within %g", (double)tolerance);
        DEMAND_AT(seed, when < 0.0 || (double)early.time <= when + 1e-6, "%g is later than %g", (double)early.time,
                  when);
        DEMAND_AT(seed, found.hit || when < 0.0, "an impact at %g was missed", when);
        if (!found.hit)
        {
            ++misses;
            continue;
        }
        ++hits;
        bounds += (found.flags & ABUT_IMPACT_BOUND) != 0;
        DEMAND_AT(seed, when < 0.0 || (double)found.time <= when + 1e-6, "%g is later than %g", (double)found.time,
                  when);
        DEMAND_AT(seed, separation_at(&a, &b, (double)found.time) > -1e-6 * size, "they overlap at the time");
        if ((found.flags & ABUT_IMPACT_BOUND) == 0)
        {
            const double gap = distance_at(&a, &b, (double)found.time);
            DEMAND_AT(seed, gap <= 1e-4 * size, "they are %g apart at the time", gap);
            near(gap, (double)found.distance, 1e-5 * size + 2e-7 * speed);
            near(dvec3_length(wide(found.normal)), 1.0, 1e-6);
        }
        const abut_impact swapped = impact_of(&b, &a, 1.0f);
        DEMAND_AT(seed, swapped.hit, "not the other way round");
    }
    print_message("%u hits, of which %u bounds, and %u misses\n", hits, bounds, misses);
    assert_true(6 * hits > cases && 6 * misses > cases && bounds * 50 <= hits);
}

// Up to a hundred sizes in the time, at a wall that may be a sheet of no thickness.
static void nothing_tunnels(void **state)
{
    (void)state;
    random_source random = random_start(77);
    uint32_t bounds = 0;
    for (uint64_t k = 0; k < 100000; ++k)
    {
        abut_moving_shape wall = { .shape = abut_shape_obb(0.0f, 40.0f, 40.0f), .pose.rotation.w = 1.0f };
        wall.shape.box.half_extents.x = random_chance(&random, 0.3) ? 0.0f : (float)random_scale(&random, 1e-4, 0.1);
        abut_moving_shape fast = some(&random, 1.0, 0.0);
        const double size = size_of(&fast.shape), reach = 2.0 * size + 0.2;
        const double way = random_between(&random, 1.0, 100.0) * size;
        const double start = reach + random_between(&random, 0.0, 0.5) * way;
        fast.pose.position.x = (float)-start;
        fast.velocity.linear = random_narrow(random_in_box(&random, 10.0));
        fast.velocity.linear.x = (float)(start + reach + way);
        fast.velocity.angular = random_narrow(random_in_box(&random, random_chance(&random, 0.5) ? 20.0 : 0.0));
        abut_impact found = impact_of(&fast, &wall, 1.0f);
        DEMAND_AT(k, found.hit, "a shape has gone through a wall");
        DEMAND_AT(k, separation_at(&fast, &wall, (double)found.time) > -1e-6 * (size + 80.0), "it is in the wall");
        bounds += (found.flags & ABUT_IMPACT_BOUND) != 0;
        found = impact_of(&wall, &fast, 1.0f);
        DEMAND_AT(k, found.hit, "a wall has gone through a shape");
    }
    print_message("%u bounds\n", bounds);
    assert_true(bounds < 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(casts_of_other_projects_come_out_as_they_expect),
        cmocka_unit_test(a_ball_hits_a_wall_with_its_surface),
        cmocka_unit_test(rotation_alone_hits_what_is_in_the_way),
        cmocka_unit_test(sliding_or_parting_shapes_do_not_hit),
        cmocka_unit_test(an_overlap_at_the_start_hits_at_once_along_the_way_out),
        cmocka_unit_test(a_miss_by_a_hair_is_a_miss_and_by_less_than_the_tolerance_a_hit),
        cmocka_unit_test(invalid_input_fails_and_leaves_the_output_alone),
        cmocka_unit_test(shapes_are_within_a_tolerance_from_the_time_of_impact_on),
        cmocka_unit_test(impacts_are_where_a_referee_finds_them),
        cmocka_unit_test(nothing_tunnels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
