// Which points become the corners of a polygon, where the answer hangs on the slack: straight sides of many points that
// rounding puts on either side of them, bulges, needles, crowds of points; and how it is answered when there are very
// many.
#include "random.h"
#include "scarce_memory.h"
#include "small_world.h"

#include <string.h>

enum
{
    ROOM = 16 * 8
};

typedef struct crowd
{
    abut_vec2 point[ROOM];
    uint32_t count;
    double rounding; // how far the floats lie from where they were meant to be, at most
} crowd;

typedef struct answer
{
    abut_status status;
    abut_vec2 corner[ABUT_MAX_VERTICES];
    uint32_t count;
} answer;

static answer ask(const abut_vec2 *points, uint32_t count)
{
    answer a = { .count = 0 };
    abut_geometry *polygon;
    const abut_vec2 *vertex;
    a.status = abut_geometry_create_polygon(points, count, NULL, &polygon);
    a.count = abut_geometry_vertices(polygon, &vertex);
    memcpy(a.corner, vertex ? vertex : a.corner, a.count * sizeof *a.corner);
    abut_geometry_release(polygon);
    return a;
}

static bool has(const abut_vec2 *points, uint32_t count, abut_vec2 p)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (points[i].x == p.x && points[i].y == p.y)
        {
            return true;
        }
    }
    return false;
}

static long double across(abut_vec2 a, abut_vec2 b, abut_vec2 p)
{
    return ((long double)b.x - a.x) * ((long double)p.y - a.y) - ((long double)b.y - a.y) * ((long double)p.x - a.x);
}

static double apart(abut_vec2 a, abut_vec2 b)
{
    return hypot((double)b.x - (double)a.x, (double)b.y - (double)a.y);
}

// How far p lies from the segment, on its right; zero on its left.
static double beyond(abut_vec2 a, abut_vec2 b, abut_vec2 p)
{
    const long double x = (long double)b.x - a.x, y = (long double)b.y - a.y;
    const long double along = (((long double)p.x - a.x) * x + ((long double)p.y - a.y) * y) / (x * x + y * y);
    const long double turn = across(a, b, p);
    return turn >= 0.0L    ? 0.0
           : along <= 0.0L ? apart(a, p)
           : along >= 1.0L ? apart(b, p)
                           : (double)(-turn / sqrtl(x * x + y * y));
}

// How far some point lies outside the polygon, at most, when the corner `without` is left out (ABUT_NONE: none is).
static double most_outside(const abut_vec2 *points, uint32_t count, const answer *a, uint32_t without)
{
    double most = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        double nearest = HUGE_VAL;
        bool outside = false;
        for (uint32_t k = 0; k < a->count; ++k)
        {
            const uint32_t from = k, next = (k + 1) % a->count;
            if (from == without)
            {
                continue;
            }
            const uint32_t to = next == without ? (next + 1) % a->count : next;
            const double here = beyond(a->corner[from], a->corner[to], points[i]);
            outside = outside || here > 0.0;
            nearest = here > 0.0 && here < nearest ? here : nearest;
        }
        most = outside && nearest > most ? nearest : most;
    }
    return most;
}

// What holds of every polygon that was made, however many points lie as near its sides as the slack.
static void judge(const abut_vec2 *points, uint32_t count, const answer *a, unsigned long long seed)
{
    double size = 0.0, first = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        size = fmax(size, apart(points[0], points[i]));
    }
    const double slack = size * 0x1p-20;
    assert_true(a->count >= 3 && a->count <= ABUT_MAX_VERTICES);
    for (uint32_t k = 0; k < a->count; ++k)
    {
        const abut_vec2 here = a->corner[k], next = a->corner[(k + 1) % a->count],
                        after = a->corner[(k + 2) % a->count];
        if (!has(points, count, here))
        {
            fail_msg("seed %llu: corner %u is none of the points", seed, k);
        }
        if (!(across(here, next, after) > 0.0L))
        {
            fail_msg("seed %llu: no left turn after corner %u", seed, k);
        }
        if (most_outside(points, count, a, k) < slack * (1.0 - 1e-6))
        {
            fail_msg("seed %llu: corner %u of %u could be left out", seed, k, a->count);
        }
        first = fmax(first, apart(points[0], here));
    }
    if (apart(points[0], a->corner[0]) < first * (1.0 - 1e-15))
    {
        fail_msg("seed %llu: another corner is farther from the first point", seed);
    }
    const double outside = most_outside(points, count, a, ABUT_NONE);
    if (outside > slack * (1.0 + 1e-6))
    {
        fail_msg("seed %llu: a point is %g of the slack outside", seed, outside / slack);
    }
}

// Whether all points lie within the slack of the segment between two of them: then the call may fail because they are a
// line.
static bool all_on_one_line(const abut_vec2 *points, uint32_t count)
{
    double size = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        size = fmax(size, apart(points[0], points[i]));
    }
    const double slack = size * 0x1p-20 * (1.0 + 1e-6);
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t j = 0; j < i; ++j)
        {
            uint32_t near = 0;
            while (near < count && beyond(points[i], points[j], points[near]) <= slack &&
                   beyond(points[j], points[i], points[near]) <= slack)
            {
                ++near;
            }
            if (near == count)
            {
                return true;
            }
        }
    }
    return false;
}

static void put(crowd *c, double x, double y)
{
    const abut_vec2 p = { (float)x, (float)y };
    c->rounding = fmax(c->rounding, hypot((double)p.x - x, (double)p.y - y));
    c->point[c->count++] = p;
}

static void shuffle(random_source *random, crowd *c)
{
    for (uint32_t i = c->count; i > 1; --i)
    {
        const uint32_t other = random_below(random, i);
        const abut_vec2 p = c->point[i - 1];
        c->point[i - 1] = c->point[other];
        c->point[other] = p;
    }
}

static void corners_lost_once_are_found(void **state)
{
    (void)state;
    // The point farthest from the first lies on a side but for the slack: three corners, of which it is none.
    for (int i = 0; i < 2; ++i)
    {
        const float y = i ? 0.0008f : 0.0007f;
        const abut_vec2 kite[4] = { { 0, 0 }, { 1, -y }, { 1.00000036f, 0 }, { 1, y } };
        const answer a = ask(kite, 4);
        assert_int_equal(a.status, ABUT_OK);
        assert_true(a.count == 3 && !has(a.corner, 3, kite[2]));
    }
    const abut_vec2 bent[5] = { { 2, 2.86e-6f }, { 1, 1 }, { 0, 0 }, { 0.5f, 0 }, { 1, 1.7e-6f } };
    answer a = ask(bent, 5);
    assert_int_equal(a.status, ABUT_OK);
    assert_true(a.count == 3 && has(a.corner, 3, bent[0]) && has(a.corner, 3, bent[1]) && has(a.corner, 3, bent[2]));

    const abut_vec2 far_square[12] = {
        { 9.458125114440918f, 9.545719146728516f },   { 10.209822654724121f, 10.483479499816895f },
        { 9.87777042388916f, 10.512677192687988f },   { 9.487322807312012f, 9.87777042388916f },
        { 10.541874885559082f, 10.454280853271484f }, { 9.790177345275879f, 9.516520500183105f },
        { 10.454280853271484f, 9.458125114440918f },  { 10.12222957611084f, 9.487322807312012f },
        { 10.512677192687988f, 10.12222957611084f },  { 9.516520500183105f, 10.209822654724121f },
        { 9.545719146728516f, 10.541874885559082f },  { 10.483479499816895f, 9.790177345275879f },
    };
    a = ask(far_square, 12);
    assert_int_equal(a.status, ABUT_OK);
    assert_true(a.count == 4 && has(a.corner, 4, far_square[0]) && has(a.corner, 4, far_square[4]) &&
                has(a.corner, 4, far_square[6]) && has(a.corner, 4, far_square[10]));
}

// Regular polygons with more points on their sides. While rounding moves no point by half the slack, no side is off by
// all of it, and the corners are the ones that were meant.
static void sides_of_many_points_are_straight(void **state)
{
    (void)state;
    const uint32_t sides_of[4] = { 3, 4, 12, 16 };
    uint32_t fine = 0, coarse = 0, made = 0;
    const random_seeds seeds = random_seeds_of(40000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const uint32_t sides = sides_of[random_below(&random, 4)], extra = random_below(&random, 8);
        const double size = random_scale(&random, 1e-3, 1e3), turn = random_between(&random, 0, 7);
        const double away = size * random_between(&random, 0, random_chance(&random, 0.5) ? 5 : 50),
                     bearing = random_between(&random, 0, 7), step = 6.283185307179586 / sides;
        crowd c = { .count = 0 };
        abut_vec2 meant[16];
        for (uint32_t i = 0; i < sides; ++i)
        {
            const double from = turn + i * step, to = from + step;
            for (uint32_t k = 0; k <= extra; ++k)
            {
                const double part = (double)k / (extra + 1);
                put(&c, away * cos(bearing) + size * (cos(from) * (1 - part) + cos(to) * part),
                    away * sin(bearing) + size * (sin(from) * (1 - part) + sin(to) * part));
            }
            meant[i] = c.point[i * (extra + 1)];
        }
        shuffle(&random, &c);
        const answer a = ask(c.point, c.count);
        // The first point may be anywhere on the polygon; from there the farthest is at least the circle's radius away.
        if (c.rounding < 0.49 * size * 0x1p-20)
        {
            ++fine;
            bool right = a.status == ABUT_OK && a.count == sides;
            for (uint32_t i = 0; i < sides; ++i)
            {
                right = right && has(a.corner, a.count, meant[i]);
            }
            if (!right)
            {
                fail_msg("seed %llu: %u corners of %u, status %d", (unsigned long long)seed, a.count, sides, a.status);
            }
        }
        coarse += c.rounding > size * 0x1p-20;
        assert_true(a.status == ABUT_OK || a.status == ABUT_LIMIT);
        if (a.status == ABUT_OK)
        {
            ++made;
            judge(c.point, c.count, &a, seed);
        }
    }
    assert_true(!random_seeds_all() || (fine > 20000 && coarse > 1000 && made > 30000));
}

// Few corners, and about each of them and along each side points off by up to three times the slack: flat bulges,
// corners that are rounded by less than the slack, needles not much thicker than it.
static void whatever_lies_as_near_as_the_slack_is_judged_alike(void **state)
{
    (void)state;
    uint32_t made = 0, thin = 0;
    const random_seeds seeds = random_seeds_of(60000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const uint32_t sides = 3 + random_below(&random, 4), extra = random_below(&random, 15);
        const bool needle = random_chance(&random, 0.3);
        const double height = needle ? random_scale(&random, 0x1p-21, 0x1p-16) : 1.0,
                     off = random_scale(&random, 0x1p-24, 0x1p-18), start = random_between(&random, 0, 7);
        const double tilt = random_chance(&random, 0.5) ? random_between(&random, 0, 7) : 0.0;
        crowd c = { .count = 0 };
        double x[8], y[8];
        for (uint32_t i = 0; i <= sides; ++i)
        {
            const double angle = start + 6.283185307179586 * (i % sides) / sides;
            x[i] = cos(angle);
            y[i] = height * sin(angle);
        }
        for (uint32_t i = 0; i < sides; ++i)
        {
            for (uint32_t k = 0; k <= extra; ++k)
            {
                const double part = k == 0                        ? 0.0
                                    : random_chance(&random, 0.3) ? random_below(&random, 2) + 0.0
                                                                  : random_unit(&random);
                const double px = x[i] * (1 - part) + x[i + 1] * part + off * random_between(&random, -1, 1),
                             py = y[i] * (1 - part) + y[i + 1] * part + off * random_between(&random, -1, 1);
                put(&c, px * cos(tilt) - py * sin(tilt), px * sin(tilt) + py * cos(tilt));
            }
        }
        shuffle(&random, &c);
        const answer a = ask(c.point, c.count);
        if (a.status == ABUT_OK)
        {
            ++made;
            judge(c.point, c.count, &a, seed);
            continue;
        }
        thin += a.status == ABUT_INVALID_ARGUMENT;
        if (!(a.status == ABUT_INVALID_ARGUMENT && all_on_one_line(c.point, c.count)) &&
            !(a.status == ABUT_LIMIT && off > 0x1p-22))
        {
            fail_msg("seed %llu: status %d", (unsigned long long)seed, a.status);
        }
    }
    assert_true(!random_seeds_all() || (made > 40000 && thin > 1000));
}

// Coordinates whose differences no double holds, anywhere, on one line but for the slack, or between two others.
static void points_of_all_magnitudes_are_judged_alike(void **state)
{
    (void)state;
    uint32_t made = 0;
    const random_seeds seeds = random_seeds_of(30000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const uint32_t count = 3 + random_below(&random, 37), layout = random_below(&random, 3);
        const double low = random_scale(&random, 1e-30, 1), high = random_chance(&random, 0.5) ? 1 : 1e7;
        abut_vec2 p[40];
        for (uint32_t i = 0; i < count; ++i)
        {
            p[i].x = (float)(random_sign(&random) * random_scale(&random, low, high));
            p[i].y = (float)(random_sign(&random) * random_scale(&random, low, high));
            if (layout == 1)
            {
                p[i].y = (float)(2.0 * (double)p[i].x + high * 5e-6 * random_unit(&random));
            }
            else if (layout == 2 && i > 2)
            {
                const abut_vec2 a = p[random_below(&random, i)], b = p[random_below(&random, i)];
                const double part = random_unit(&random);
                p[i].x = (float)((double)a.x * (1 - part) + (double)b.x * part);
                p[i].y = (float)((double)a.y * (1 - part) + (double)b.y * part);
            }
        }
        const answer a = ask(p, count);
        if (a.status == ABUT_OK)
        {
            ++made;
            judge(p, count, &a, seed);
        }
        else if (a.status != ABUT_INVALID_ARGUMENT || !all_on_one_line(p, count))
        {
            fail_msg("seed %llu: status %d", (unsigned long long)seed, a.status);
        }
    }
    assert_true(!random_seeds_all() || (made > 15000 && made < 29000));
}

enum
{
    MANY = 100000
};

// Every one of the many points is a vertex of the hull. What they borrow is given back.
static void very_many_points_are_answered_soon(void **state)
{
    (void)state;
    source memory = { .first_failed = NEVER };
    const abut_allocator allocator = { lend, take_back, &memory };
    abut_vec2 *points = malloc(MANY * sizeof *points);
    abut_geometry *polygon;
    assert_non_null(points);
    for (uint32_t i = 0; i < MANY; ++i)
    {
        const double angle = 6.283185307179586 / MANY * i;
        points[i] = (abut_vec2){ (float)cos(angle), (float)sin(angle) };
    }
    assert_int_equal(abut_geometry_create_polygon(points, MANY, &allocator, &polygon), ABUT_LIMIT);
    assert_int_equal(memory.blocks, 0);

    // A side that bulges by less than the slack, under a roof.
    for (uint32_t i = 0; i < MANY; ++i)
    {
        const double x = 2.0 * i / (MANY - 1) - 1.0;
        points[i] = (abut_vec2){ (float)x, (float)(1e-6 * (x * x - 1.0)) };
    }
    points[MANY / 3] = (abut_vec2){ 0, 1 };
    assert_int_equal(abut_geometry_create_polygon(points, MANY, &allocator, &polygon), ABUT_OK);
    const abut_vec2 *corner;
    assert_int_equal(abut_geometry_vertices(polygon, &corner), 3);
    assert_true(has(corner, 3, points[0]) && has(corner, 3, points[MANY - 1]) && has(corner, 3, points[MANY / 3]));
    assert_int_equal(memory.blocks, 1);
    abut_geometry_release(polygon);

    for (uint64_t granted = 0; granted < 2; ++granted)
    {
        fail_after(&memory, granted);
        assert_int_equal(abut_geometry_create_polygon(points, MANY, &allocator, &polygon), ABUT_OUT_OF_MEMORY);
        assert_true(polygon == NULL && memory.blocks == 0 && memory.bytes == 0);
    }
    free(points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_lost_once_are_found),
        cmocka_unit_test(sides_of_many_points_are_straight),
        cmocka_unit_test(whatever_lies_as_near_as_the_slack_is_judged_alike),
        cmocka_unit_test(points_of_all_magnitudes_are_judged_alike),
        cmocka_unit_test(very_many_points_are_answered_soon),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
