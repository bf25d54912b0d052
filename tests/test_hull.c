// Convex hulls of points in space: of every nasty kind of cloud the hull is closed and convex, its faces are flat and
// contain all points within the stated tolerance; clouds without volume, bad arguments and scarce memory fail.
#include "hull_clouds.h"
#include "referee_math.h"
#include "scarce_memory.h"
#include "small_world.h"

#include "math/orient.h"

#include <string.h>

static dvec3 wide(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

// Judges by edges and planes of its own: a face's plane is that of its largest corner triangle.
typedef struct judged_face
{
    dvec3 normal;
    double offset;
    double area; // twice that of the triangle
} judged_face;

static judged_face plane_of(const abut_vec3 *vertices, const uint32_t *corners, uint32_t count)
{
    judged_face face = { .area = -1.0 };
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t j = (i + count / 3) % count, k = (i + (2 * count) / 3) % count;
        const dvec3 a = wide(vertices[corners[i]]), u = dvec3_sub(wide(vertices[corners[j]]), a),
                    v = dvec3_sub(wide(vertices[corners[k]]), a), n = dvec3_cross(u, v);
        const double area = dvec3_length(n);
        if (area > face.area)
        {
            face.area = area;
            face.normal = dvec3_scale(n, 1.0 / area);
            face.offset = dvec3_dot(face.normal, a);
        }
    }
    return face;
}

static double size_of(const abut_vec3 *points, uint32_t count)
{
    double size = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        size = fmax(size, fmax(fabs((double)points[i].x), fmax(fabs((double)points[i].y), fabs((double)points[i].z))));
    }
    return size;
}

// Every edge belongs to two faces, once in each direction, and the numbers are Euler's.
static void expect_closed(const abut_geometry *hull, uint32_t seed)
{
    const uint32_t vertices = abut_geometry_hull_vertices(hull, NULL), faces = abut_geometry_hull_faces(hull);
    uint32_t edges = 0;
    for (uint32_t f = 0; f < faces; ++f)
    {
        edges += abut_geometry_hull_face(hull, f, NULL);
    }
    uint32_t *first = calloc(vertices + 1, sizeof *first), *end = malloc(edges * sizeof *end), *filled;
    filled = calloc(vertices, sizeof *filled);
    assert_true(first && end && filled);
    for (uint32_t f = 0; f < faces; ++f)
    {
        const uint32_t *corners, count = abut_geometry_hull_face(hull, f, &corners);
        assert_true(count >= 3);
        for (uint32_t i = 0; i < count; ++i)
        {
            assert_true(corners[i] < vertices);
            ++first[corners[i] + 1];
        }
    }
    for (uint32_t v = 0; v < vertices; ++v)
    {
        if (first[v + 1] < 2)
        {
            fail_msg("cloud %u: vertex %u has %u faces", seed, v, first[v + 1]);
        }
        first[v + 1] += first[v];
    }
    for (uint32_t f = 0; f < faces; ++f)
    {
        const uint32_t *corners, count = abut_geometry_hull_face(hull, f, &corners);
        for (uint32_t i = 0; i < count; ++i)
        {
            end[first[corners[i]] + filled[corners[i]]++] = corners[(i + 1) % count];
        }
    }
    for (uint32_t v = 0; v < vertices; ++v)
    {
        for (uint32_t e = first[v]; e < first[v + 1]; ++e)
        {
            uint32_t back = 0, again = 0;
            for (uint32_t k = first[end[e]]; k < first[end[e] + 1]; ++k)
            {
                back += end[k] == v;
            }
            for (uint32_t k = first[v]; k < first[v + 1]; ++k)
            {
                again += end[k] == end[e];
            }
            if (back != 1 || again != 1)
            {
                fail_msg("cloud %u: edge %u-%u is there %u times, back %u times", seed, v, end[e], again, back);
            }
        }
    }
    if (vertices + faces != edges / 2 + 2)
    {
        fail_msg("cloud %u: %u vertices, %u edges, %u faces", seed, vertices, edges / 2, faces);
    }
    free(first);
    free(end);
    free(filled);
}

// All vertices, and all points if `tolerance` says so, are behind all planes; corners are in their faces' planes, and
// turn one way. A sliver's plane is unsure and does not judge.
static void expect_convex(const abut_geometry *hull, const abut_vec3 *points, uint32_t count, double tolerance,
                          double slack, uint32_t seed)
{
    const abut_vec3 *vertices;
    const uint32_t vertex_count = abut_geometry_hull_vertices(hull, &vertices);
    const uint32_t stride = count > 20000 && vertex_count > 200 ? 97 : 1;
    for (uint32_t f = 0; f < abut_geometry_hull_faces(hull); ++f)
    {
        const uint32_t *corners, corner_count = abut_geometry_hull_face(hull, f, &corners);
        const judged_face face = plane_of(vertices, corners, corner_count);
        double width = HUGE_VAL, longest = 0.0;
        for (uint32_t i = 0; i < corner_count; ++i)
        {
            const dvec3 a = wide(vertices[corners[i]]), b = wide(vertices[corners[(i + 1) % corner_count]]);
            longest = fmax(longest, dvec3_length(dvec3_sub(b, a)));
        }
        width = face.area / longest;
        if (width < 64.0 * slack)
        {
            continue;
        }
        for (uint32_t i = 0; i < corner_count; ++i)
        {
            const dvec3 a = wide(vertices[corners[i]]), b = wide(vertices[corners[(i + 1) % corner_count]]),
                        c = wide(vertices[corners[(i + 2) % corner_count]]);
            const dvec3 u = dvec3_sub(b, a), v = dvec3_sub(c, a);
            const double off = dvec3_dot(face.normal, a) - face.offset;
            const double turn = dvec3_dot(face.normal, dvec3_cross(u, v)) / dvec3_length(v);
            if (fabs(off) > 4.0 * slack || turn < -4.0 * slack)
            {
                fail_msg("cloud %u: face %u: corner off by %g, turn %g; %g allowed", seed, f, off, turn, slack);
            }
        }
        for (uint32_t i = 0; i < vertex_count; ++i)
        {
            const double beyond = dvec3_dot(face.normal, wide(vertices[i])) - face.offset;
            if (beyond > 4.0 * slack)
            {
                fail_msg("cloud %u: vertex %u is %g beyond face %u; %g allowed", seed, i, beyond, f, slack);
            }
        }
        for (uint32_t i = f % stride; i < count; i += stride)
        {
            const double beyond = dvec3_dot(face.normal, wide(points[i])) - face.offset;
            if (beyond > tolerance)
            {
                fail_msg("cloud %u: point %u is %g beyond face %u; %g allowed", seed, i, beyond, f, tolerance);
            }
        }
    }
}

static void expect_hull(const abut_geometry *hull, const abut_vec3 *points, uint32_t count, uint32_t seed)
{
    const double size = size_of(points, count), stated = size * 0x1p-18;
    const double deviation = (double)abut_geometry_hull_deviation(hull);
    expect_closed(hull, seed);
    expect_convex(hull, points, count, (deviation > stated ? deviation : 0.0) + stated, size * 0x1p-20, seed);
}

static void every_cloud_has_a_closed_convex_hull_around_it(void **state)
{
    (void)state;
    static abut_vec3 points[HULL_CLOUD_MOST];
    uint32_t made[HULL_CLOUDS] = { 0 }, tried[HULL_CLOUDS] = { 0 };
    const random_seeds seeds = random_seeds_of(20000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const hull_cloud kind = (hull_cloud)random_below(&random, HULL_CLOUDS);
        const uint32_t count = hull_cloud_of(&random, kind, 2e-5, points);
        const uint32_t most = random_chance(&random, 0.2) ? 4 + random_below(&random, 60) : 0;
        abut_geometry *hull;
        const abut_status status = abut_geometry_create_hull(points, count, most, NULL, &hull);
        ++tried[kind];
        if (status != ABUT_OK)
        {
            assert_int_equal(status, ABUT_INVALID_ARGUMENT);
            assert_null(hull);
            continue;
        }
        ++made[kind];
        assert_true(most == 0 || abut_geometry_hull_vertices(hull, NULL) <= most);
        expect_hull(hull, points, count, (uint32_t)seed);
        abut_geometry_release(hull);
    }
    for (uint32_t kind = 0; kind < HULL_CLOUDS && random_seeds_all(); ++kind)
    {
        if (kind == HULL_FLAT ? made[kind] > 0 : 10 * made[kind] < 9 * tried[kind])
        {
            fail_msg("kind %u: %u hulls of %u clouds", kind, made[kind], tried[kind]);
        }
    }
}

static abut_geometry *hull_of(const abut_vec3 *points, uint32_t count, uint32_t most)
{
    abut_geometry *hull = NULL;
    assert_int_equal(abut_geometry_create_hull(points, count, most, NULL, &hull), ABUT_OK);
    return hull;
}

static void a_turned_box_has_eight_vertices_and_six_faces(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(2000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const dquat turn = random_rotation(&random);
        const dvec3 half = dvec3_make(random_between(&random, 0.1, 1.0), random_scale(&random, 1e-3, 1.0),
                                      random_scale(&random, 1e-3, 1.0));
        const dvec3 away = random_chance(&random, 0.5) ? dvec3_make(0, 0, 0) : random_in_box(&random, 2.0);
        abut_vec3 points[200];
        for (uint32_t i = 0; i < COUNT(points); ++i)
        {
            dvec3 p = i < 8 ? dvec3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1) : random_in_box(&random, 1.0);
            p.x = i > 100 ? random_sign(&random) : p.x; // on a face, up to rounding
            p.y = i > 150 ? random_sign(&random) : p.y; // on an edge
            points[i] = random_narrow(
                dvec3_add(dquat_rotate(turn, dvec3_make(p.x * half.x, p.y * half.y, p.z * half.z)), away));
        }
        abut_geometry *hull = hull_of(points, COUNT(points), 0);
        const abut_vec3 *vertices;
        if (abut_geometry_hull_vertices(hull, &vertices) != 8 || abut_geometry_hull_faces(hull) != 6)
        {
            fail_msg("box %u: %u vertices, %u faces", (uint32_t)seed, abut_geometry_hull_vertices(hull, NULL),
                     abut_geometry_hull_faces(hull));
        }
        for (uint32_t f = 0; f < 6; ++f)
        {
            assert_int_equal(abut_geometry_hull_face(hull, f, NULL), 4);
        }
        abut_geometry_release(hull);
    }
}

static void a_prism_has_two_large_faces(void **state)
{
    (void)state;
    abut_vec3 points[2000];
    for (uint32_t sides = 3; sides <= COUNT(points) / 2; sides += sides < 70 ? 1 : 310)
    {
        for (uint32_t i = 0; i < 2 * sides; ++i)
        {
            const double turn = 6.283185307179586 * (i / 2) / sides;
            points[i] = random_narrow(dvec3_make(cos(turn), i & 1 ? 0.3 : -0.3, sin(turn)));
        }
        abut_geometry *hull = hull_of(points, 2 * sides, 0);
        assert_int_equal(abut_geometry_hull_vertices(hull, NULL), 2 * sides);
        assert_int_equal(abut_geometry_hull_faces(hull), sides + 2);
        uint32_t large = 0;
        for (uint32_t f = 0; f < sides + 2; ++f)
        {
            const uint32_t corners = abut_geometry_hull_face(hull, f, NULL);
            assert_true(corners == 4 || corners == sides);
            large += corners == sides;
        }
        assert_true(large >= 2);
        abut_geometry_release(hull);
    }
}

static void a_hundred_thousand_points_have_a_hull(void **state)
{
    (void)state;
    enum
    {
        MANY = 100000
    };
    abut_vec3 *points = malloc(MANY * sizeof *points);
    assert_non_null(points);
    for (uint32_t kind = 0; kind < 4; ++kind)
    {
        random_source random = random_start(kind);
        for (uint32_t i = 0; i < MANY; ++i)
        {
            const dvec3 p = kind == 0 ? random_direction(&random)
                            : kind == 1
                                ? random_in_box(&random, 1.0)
                                : dvec3_scale(random_direction(&random), kind == 2 ? 1.0 : random_unit(&random));
            points[i] = random_narrow(p);
        }
        const uint32_t most = kind == 2 ? 64 : 0;
        abut_geometry *hull = hull_of(points, MANY, most);
        const uint32_t vertices = abut_geometry_hull_vertices(hull, NULL);
        expect_closed(hull, kind);
        assert_true(most == 0 || vertices == most);
        abut_geometry_release(hull);
    }
    free(points);
}

// Half the vertices at least halve the distance; the deviation is what a brute search over all planes finds.
static void fewer_vertices_leave_the_nearest_points_out(void **state)
{
    (void)state;
    random_source random = random_start(7);
    abut_vec3 points[1500];
    for (uint32_t i = 0; i < COUNT(points); ++i)
    {
        points[i] = random_narrow(random_direction(&random));
    }
    double last = HUGE_VAL;
    for (uint32_t most = 4; most <= 1024; most *= 2)
    {
        abut_geometry *hull = hull_of(points, COUNT(points), most);
        const double deviation = (double)abut_geometry_hull_deviation(hull);
        assert_int_equal(abut_geometry_hull_vertices(hull, NULL), most);
        assert_true(deviation < last && deviation < 16.0 / most);
        expect_hull(hull, points, COUNT(points), most);
        last = deviation;
        abut_geometry_release(hull);
    }
}

static void clouds_without_volume_and_bad_arguments_fail(void **state)
{
    (void)state;
    const abut_vec3 point[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const float wrong[] = { NAN, INFINITY, -INFINITY, 2.0f * ABUT_MAX_MAGNITUDE };
    const abut_allocator half = { .allocate = lend };
    abut_geometry *hull = NULL;
    assert_int_equal(abut_geometry_create_hull(point, 4, 0, NULL, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_hull(NULL, 4, 0, NULL, &hull), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_hull(point, 0, 0, NULL, &hull), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_hull(point, 4, 3, NULL, &hull), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_hull(point, 4, 0, &half, &hull), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_create_hull(point, ABUT_MAX_HULL_POINTS + 1, 0, NULL, &hull), ABUT_LIMIT);
    for (uint32_t count = 1; count < 4; ++count)
    {
        assert_int_equal(abut_geometry_create_hull(point, count, 0, NULL, &hull), ABUT_INVALID_ARGUMENT);
    }
    for (uint32_t i = 0; i < 12 * COUNT(wrong); ++i)
    {
        abut_vec3 bad[4];
        memcpy(bad, point, sizeof bad);
        memcpy((char *)bad + i % 12 * sizeof(float), &wrong[i / 12], sizeof(float));
        assert_int_equal(abut_geometry_create_hull(bad, 4, 0, NULL, &hull), ABUT_INVALID_ARGUMENT);
        assert_null(hull);
    }
    hull = hull_of(point, 4, 4);
    const abut_vec2 *flat;
    const uint32_t *corners;
    assert_int_equal(abut_geometry_hull_vertices(hull, NULL), 4);
    assert_int_equal(abut_geometry_hull_faces(hull), 4);
    assert_int_equal(abut_geometry_hull_face(hull, 3, &corners), 3);
    assert_int_equal(abut_geometry_hull_face(hull, 4, &corners), 0);
    assert_null(corners);
    assert_int_equal(abut_geometry_vertices(hull, &flat), 0);
    assert_null(flat);
    assert_true(abut_geometry_centroid(hull).x == 0.0f && abut_geometry_centroid(hull).y == 0.0f);
    assert_false(abut_shape_valid(&(abut_shape){ .kind = ABUT_POLYGON, .polygon = hull }));
    abut_geometry_release(hull);

    const abut_vec3 *vertices;
    abut_geometry *polygon;
    const abut_vec2 triangle[3] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
    assert_int_equal(abut_geometry_create_polygon(triangle, 3, NULL, &polygon), ABUT_OK);
    for (int i = 0; i < 2; ++i)
    {
        const abut_geometry *other = i ? polygon : NULL;
        const abut_shape shape = abut_shape_hull(other);
        assert_false(abut_shape_valid(&shape));
        assert_int_equal(abut_geometry_hull_vertices(other, &vertices), 0);
        assert_null(vertices);
        assert_int_equal(abut_geometry_hull_faces(other), 0);
        assert_int_equal(abut_geometry_hull_face(other, 0, NULL), 0);
        assert_true(abut_geometry_hull_deviation(other) == 0.0f);
    }
    abut_geometry_release(polygon);
}

static void every_failed_request_for_memory_is_reported_and_leaves_nothing(void **state)
{
    (void)state;
    static abut_vec3 points[HULL_CLOUD_MOST];
    for (uint32_t kind = 0; kind < 2 * HULL_FLAT; ++kind)
    {
        random_source random = random_start(kind);
        const uint32_t most = kind < HULL_FLAT ? 0 : 16;
        const uint32_t count = hull_cloud_of(&random, (hull_cloud)(kind % HULL_FLAT), 1e-3, points);
        bool done = false;
        for (uint64_t granted = 0; !done; ++granted)
        {
            source memory = { .lasting = true };
            const abut_allocator allocator = { lend, take_back, &memory };
            abut_geometry *hull = NULL;
            fail_after(&memory, granted);
            const abut_status status = abut_geometry_create_hull(points, count, most, &allocator, &hull);
            assert_int_equal(status, memory.failed ? ABUT_OUT_OF_MEMORY : ABUT_OK);
            assert_true((hull != NULL) == (status == ABUT_OK));
            assert_int_equal(memory.blocks, hull ? 1 : 0);
            done = hull != NULL;
            abut_geometry_release(hull);
            assert_int_equal(memory.blocks, 0);
            assert_int_equal(memory.bytes, 0);
        }
    }
}

static void the_side_of_a_plane_is_exact(void **state)
{
    (void)state;
    // Integers: products of three differences fit in 64 bits, and the third is chosen for the point to be in or next to
    // the plane. Scaled by powers of two, which changes no sign.
    const random_seeds seeds = random_seeds_of(200000);
    uint32_t zeros = 0;
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        int64_t v[4][3], u[3], w[3], to[3];
        for (int i = 0; i < 12; ++i)
        {
            v[i / 3][i % 3] = (int64_t)random_below(&random, 200001) - 100000;
        }
        const int64_t s = (int64_t)random_below(&random, 9) - 4, t = (int64_t)random_below(&random, 9) - 4;
        for (int k = 0; k < 3; ++k)
        {
            u[k] = v[1][k] - v[0][k];
            w[k] = v[2][k] - v[0][k];
            v[3][k] = v[0][k] + s * u[k] + t * w[k] +
                      (random_chance(&random, 0.2) ? (int64_t)random_below(&random, 3) - 1 : 0);
            to[k] = v[3][k] - v[0][k];
        }
        const int64_t value = to[0] * (u[1] * w[2] - u[2] * w[1]) + to[1] * (u[2] * w[0] - u[0] * w[2]) +
                              to[2] * (u[0] * w[1] - u[1] * w[0]);
        const float scale = ldexpf(1.0f, (int)random_below(&random, 8) * 20 - 120);
        abut_vec3 p[4];
        for (int i = 0; i < 4; ++i)
        {
            p[i] = abut_vec3_make((float)v[i][0] * scale, (float)v[i][1] * scale, (float)v[i][2] * scale);
        }
        zeros += value == 0;
        assert_int_equal(ab_orient(p[0], p[1], p[2], p[3]), (value > 0) - (value < 0));
        assert_int_equal(ab_orient(p[1], p[0], p[2], p[3]), (value < 0) - (value > 0));
        assert_int_equal(ab_orient(p[3], p[2], p[1], p[0]), (value > 0) - (value < 0));
    }
    assert_true(!random_seeds_all() || zeros > 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cloud_has_a_closed_convex_hull_around_it),
        cmocka_unit_test(a_turned_box_has_eight_vertices_and_six_faces),
        cmocka_unit_test(a_prism_has_two_large_faces),
        cmocka_unit_test(a_hundred_thousand_points_have_a_hull),
        cmocka_unit_test(fewer_vertices_leave_the_nearest_points_out),
        cmocka_unit_test(clouds_without_volume_and_bad_arguments_fail),
        cmocka_unit_test(the_side_of_a_plane_is_exact),
        cmocka_unit_test(every_failed_request_for_memory_is_reported_and_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
