// What is found of a hull by its map of directions and its tree of faces is what loops over all its vertices and faces
// find, bit for bit: also of clouds whose hulls are degenerate, and where several vertices or faces are as good.
#include "hull_clouds.h"

#include "base/memory.h"
#include "shape/hull.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A hull with a map and a tree of its own: made for small ones, too.
typedef struct searched
{
    ab_memory memory;
    abut_geometry *geometry;
    const ab_hull *hull;
    ab_hull_faces faces;
    ab_support_lists lists;
    ab_support_map map;
    ab_hull_tree tree;
    void *room;
    double size;
} searched;

// False where the points have no hull.
static bool make(searched *out, const abut_vec3 *points, uint32_t count)
{
    *out = (searched){ .geometry = NULL };
    if (abut_geometry_create_hull(points, count, 0, NULL, &out->geometry) != ABUT_OK)
    {
        return false;
    }
    out->hull = ab_hull_of_geometry(out->geometry);
    out->faces = ab_hull_faces_of(out->hull);
    for (uint32_t i = 0; i < out->hull->vertex_count; ++i)
    {
        const abut_vec3 v = out->hull->vertices[i];
        out->size = fmax(out->size, fabs((double)v.x) + fabs((double)v.y) + fabs((double)v.z));
    }
    assert_true(ab_memory_open(&out->memory, NULL));
    assert_true(ab_support_build(out->hull->vertices, out->hull->vertex_count, &out->memory, &out->lists));
    out->map = (ab_support_map){ out->lists.cells, out->lists.vertices };
    out->room = malloc(ab_hull_tree_bytes(out->hull->face_count));
    assert_non_null(out->room);
    assert_true(ab_hull_tree_build(&out->faces, out->hull->face_count, out->size, out->room, &out->memory, &out->tree));
    return true;
}

static void give(searched *s)
{
    ab_support_free(&s->lists);
    free(s->room);
    abut_geometry_release(s->geometry);
}

static double above(const ab_hull_face *face, const double p[3])
{
    return face->normal[0] * p[0] + face->normal[1] * p[1] + face->normal[2] * p[2] - face->offset;
}

static double along(const double n[3], const double v[3])
{
    return n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
}

static uint32_t support_of_all(const ab_hull *hull, const double d[3])
{
    uint32_t best = 0;
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < hull->vertex_count; ++i)
    {
        const double at[3] = { (double)hull->vertices[i].x, (double)hull->vertices[i].y, (double)hull->vertices[i].z };
        const double here = along(d, at);
        best = here > most ? i : best;
        most = here > most ? here : most;
    }
    return best;
}

static uint32_t facing_of_all(const ab_hull *hull, const double d[3])
{
    uint32_t best = 0;
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        const double here = along(hull->faces[i].normal, d);
        best = here > most ? i : best;
        most = here > most ? here : most;
    }
    return best;
}

static bool inside_all(const ab_hull *hull, const double p[3])
{
    bool inside = true;
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        inside = inside && above(&hull->faces[i], p) <= 0.0;
    }
    return inside;
}

static void closest_of_all(const searched *s, const double p[3], double out[3])
{
    double least = HUGE_VAL;
    memcpy(out, p, 3 * sizeof *out);
    for (uint32_t i = 0; i < s->hull->face_count; ++i)
    {
        double here[3], square = HUGE_VAL;
        if (above(&s->hull->faces[i], p) > 0.0)
        {
            square = ab_hull_closest_on_face(&s->faces, &s->hull->faces[i], p, here);
        }
        if (square < least)
        {
            least = square;
            memcpy(out, here, sizeof here);
        }
    }
}

static bool clip_by_all(const ab_hull *hull, const double from[3], const double way[3], ab_ray_entry *out)
{
    double enter = -HUGE_VAL, leave = HUGE_VAL;
    *out = (ab_ray_entry){ .fraction = 0.0 };
    for (uint32_t i = 0; i < hull->face_count; ++i)
    {
        const ab_hull_face *face = &hull->faces[i];
        const double height = above(face, from), rise = along(face->normal, way);
        if (rise == 0.0 && height > 0.0)
        {
            return false;
        }
        if (rise < 0.0 && -height / rise > enter)
        {
            enter = -height / rise;
            *out = (ab_ray_entry){ .fraction = enter, .normal = { face->normal[0], face->normal[1], face->normal[2] } };
        }
        leave = rise > 0.0 && -height / rise < leave ? -height / rise : leave;
    }
    if (enter <= 0.0 && leave >= 0.0)
    {
        *out = (ab_ray_entry){ .fraction = 0.0 };
        return true;
    }
    return enter <= 1.0 && enter <= leave && leave >= 0.0;
}

static void wide(dvec3 v, double out[3])
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

static void vertex_at(const searched *s, random_source *random, double out[3])
{
    const abut_vec3 v = s->hull->vertices[random_below(random, s->hull->vertex_count)];
    out[0] = (double)v.x;
    out[1] = (double)v.y;
    out[2] = (double)v.z;
}

static const ab_hull_face *some_face(const searched *s, random_source *random)
{
    return &s->hull->faces[random_below(random, s->hull->face_count)];
}

// A direction: any, or one along which several vertices or faces are equally far, of any length.
static void some_direction(const searched *s, random_source *random, double out[3])
{
    const uint32_t kind = random_below(random, 6);
    const ab_hull_face *a = some_face(s, random), *b = some_face(s, random);
    double p[3], q[3];
    wide(random_direction(random), out);
    vertex_at(s, random, p);
    vertex_at(s, random, q);
    for (uint32_t k = 0; k < 3; ++k)
    {
        const double n = a->normal[k], m = b->normal[k], w = q[k] - p[k];
        out[k] = kind == 1 ? n : kind == 2 ? n + m : kind == 3 ? w : kind == 4 ? trunc(1.5 * out[k]) : out[k];
    }
    const double tiny = random_scale(random, 1e-250, 1e200);
    for (uint32_t k = 0; k < 3 && random_chance(random, 0.1); ++k)
    {
        out[k] *= tiny;
    }
    out[0] = along(out, out) > 0.0 ? out[0] : 1.0;
}

// A point: anywhere, far away, a vertex, or in the middle of an edge or face; or beside these.
static void some_point(const searched *s, random_source *random, double out[3])
{
    const uint32_t kind = random_below(random, 5);
    const ab_hull_face *face = some_face(s, random);
    const double off = random_chance(random, 0.5) ? 0.0 : s->size * random_scale(random, 1e-16, 10.0);
    wide(random_in_box(random, s->size * (kind == 1 ? random_scale(random, 1.0, 1e5) : 1.0)), out);
    if (kind == 2)
    {
        vertex_at(s, random, out);
    }
    const uint32_t corners = kind == 3 ? 2 : face->count;
    for (uint32_t k = 0; k < 3 && kind >= 3; ++k)
    {
        double sum = 0.0;
        for (uint32_t i = 0; i < corners; ++i)
        {
            const abut_vec3 v = s->hull->vertices[s->hull->corners[face->first + i]];
            sum += k == 0 ? (double)v.x : k == 1 ? (double)v.y : (double)v.z;
        }
        out[k] = sum / corners;
    }
    for (uint32_t k = 0; k < 3 && kind >= 2; ++k)
    {
        out[k] += off * face->normal[k];
    }
}

// Makes hulls of all clouds and has each asked.
static void ask_hulls(uint32_t seeds_wanted, void (*ask)(const searched *s, random_source *random, uint32_t seed))
{
    static abut_vec3 points[HULL_CLOUD_MOST];
    const random_seeds seeds = random_seeds_of(seeds_wanted);
    uint32_t asked = 0; // hulls
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const hull_cloud kind = (hull_cloud)random_below(&random, HULL_CLOUDS);
        searched s;
        if (make(&s, points, hull_cloud_of(&random, kind, 1e-5, points)))
        {
            for (uint32_t i = 0; i < 60 && s.size >= AB_HULL_TREE_SIZE; ++i)
            {
                ask(&s, &random, (uint32_t)seed);
            }
            give(&s);
            ++asked;
        }
    }
    assert_true(asked > 0 || !random_seeds_all());
}

static void ask_direction(const searched *s, random_source *random, uint32_t seed)
{
    double direction[3];
    some_direction(s, random, direction);
    const uint32_t vertex = ab_support_of(&s->map, s->hull->vertices, s->hull->vertex_count, direction),
                   right = support_of_all(s->hull, direction);
    const double square = along(direction, direction);
    const uint32_t right_face = facing_of_all(s->hull, direction),
                   face = square >= 0x1p-800 && square <= 0x1p800 ? ab_hull_tree_facing(&s->tree, &s->faces, direction)
                                                                  : right_face;
    if (vertex != right || face != right_face)
    {
        fail_msg("%u: vertex %u of %u, right %u; face %u, right %u", seed, vertex, s->hull->vertex_count, right, face,
                 right_face);
    }
}

static void a_map_finds_the_first_farthest_vertex_and_a_tree_the_first_face(void **state)
{
    (void)state;
    ask_hulls(3000, ask_direction);
}

static void ask_point(const searched *s, random_source *random, uint32_t seed)
{
    double point[3], closest[3], right[3];
    some_point(s, random, point);
    assert_int_equal(ab_hull_tree_contains(&s->tree, &s->faces, point), inside_all(s->hull, point));
    ab_hull_tree_closest(&s->tree, &s->faces, point, closest);
    closest_of_all(s, point, right);
    if (memcmp(closest, right, sizeof right) != 0)
    {
        fail_msg("%u: closest %.17g %.17g %.17g, right %.17g %.17g %.17g", seed, closest[0], closest[1], closest[2],
                 right[0], right[1], right[2]);
    }
}

static void a_tree_finds_the_first_closest_point(void **state)
{
    (void)state;
    ask_hulls(3000, ask_point);
}

static void ask_ray(const searched *s, random_source *random, uint32_t seed)
{
    const uint32_t kind = random_below(random, 5);
    double from[3], to[3], way[3];
    ab_ray_entry entry, right;
    some_point(s, random, from);
    some_point(s, random, to);
    for (uint32_t k = 0; k < 3; ++k)
    {
        const double whole = to[k] - from[k];
        way[k] = kind == 0 ? 2.0 * whole : kind == 1 ? 0.0 : whole;
    }
    way[random_below(random, 3)] *= kind == 2 ? 0.0 : 1.0;
    way[0] = kind == 1 ? s->size * random_between(random, -2.0, 2.0) : way[0];
    const bool hit = ab_hull_tree_ray(&s->tree, &s->faces, from, way, &entry),
               right_hit = clip_by_all(s->hull, from, way, &right);
    if (hit != right_hit ||
        (hit && (entry.fraction != right.fraction || memcmp(entry.normal, right.normal, sizeof entry.normal) != 0)))
    {
        fail_msg("%u: %d %.17g, right %d %.17g", seed, hit, hit ? entry.fraction : 0.0, right_hit, right.fraction);
    }
}

static void a_tree_finds_the_first_face_that_a_ray_enters(void **state)
{
    (void)state;
    ask_hulls(3000, ask_ray);
}

static bool is_beyond(const searched *s, const ab_hull_face *face, const ab_hull_beyond *beyond)
{
    bool has = false;
    for (uint32_t i = 0; i < face->count; ++i)
    {
        const abut_vec3 v = s->hull->vertices[s->hull->corners[face->first + i]];
        const double at[3] = { (double)v.x, (double)v.y, (double)v.z };
        has = has || along(beyond->along, at) >= beyond->least;
    }
    return has && along(face->normal, beyond->facing) >= beyond->cosine;
}

static void ask_beyond(const searched *s, random_source *random, uint32_t seed)
{
    static uint64_t marks[AB_HULL_MARKS];
    double facing[3], towards[3], at[3];
    wide(random_direction(random), facing);
    wide(dvec3_scale(random_direction(random), random_scale(random, 0.5, 2.0)), towards);
    vertex_at(s, random, at);
    const ab_hull_beyond beyond = { facing, towards, random_between(random, -1.0, 1.0), along(towards, at) };
    memset(marks, 0, sizeof marks);
    ab_hull_tree_mark_beyond(&s->tree, &s->faces, &beyond, marks);
    for (uint32_t i = 0; i < s->hull->face_count; ++i)
    {
        if ((marks[i / 64] >> i % 64 & 1u) != is_beyond(s, &s->hull->faces[i], &beyond))
        {
            fail_msg("%u: face %u", seed, i);
        }
    }
}

static void a_tree_finds_all_faces_with_a_corner_beyond(void **state)
{
    (void)state;
    ask_hulls(1000, ask_beyond);
}

// By the row: from the numbers on from which hulls have a map and a tree.
static void large_hulls_answer_as_all_their_faces_do(void **state)
{
    (void)state;
    static abut_vec3 points[2000];
    const random_seeds seeds = random_seeds_of(40);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const uint32_t count = 20 + random_below(&random, random_chance(&random, 0.2) ? 1980 : 300);
        searched s;
        for (uint32_t i = 0; i < count; ++i)
        {
            points[i] = random_narrow(random_direction(&random));
        }
        assert_true(make(&s, points, count));
        assert_int_equal(s.hull->support.cells != NULL, s.hull->vertex_count >= AB_SUPPORT_LEAST);
        assert_int_equal(s.hull->tree.nodes != NULL, s.hull->face_count >= AB_HULL_TREE_LEAST);
        const abut_shape shape = abut_shape_hull(s.geometry);
        for (uint32_t i = 0; i < 100; ++i)
        {
            double a[3], b[3], way[3], direction[3], out[3], right[3], at[3];
            ab_ray_entry entry, right_entry;
            some_direction(&s, &random, direction);
            some_point(&s, &random, a);
            some_point(&s, &random, b);
            ab_hull_row.support(NULL, &shape, direction, out);
            const abut_vec3 v = s.hull->vertices[support_of_all(s.hull, direction)];
            wide((dvec3){ (double)v.x, (double)v.y, (double)v.z }, at);
            assert_memory_equal(out, at, sizeof at);
            assert_int_equal(ab_hull_row.contains(&shape, a), inside_all(s.hull, a));
            ab_hull_row.closest(&shape, a, out);
            closest_of_all(&s, a, right);
            assert_memory_equal(out, right, sizeof right);
            for (uint32_t k = 0; k < 3; ++k)
            {
                way[k] = b[k] - a[k];
            }
            const bool hit = ab_hull_row.ray(&shape, a, way, &entry);
            assert_int_equal(hit, clip_by_all(s.hull, a, way, &right_entry));
            assert_true(!hit || entry.fraction == right_entry.fraction);
            assert_true(!hit || memcmp(entry.normal, right_entry.normal, sizeof entry.normal) == 0);
        }
        give(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_finds_the_first_farthest_vertex_and_a_tree_the_first_face),
        cmocka_unit_test(a_tree_finds_the_first_closest_point),
        cmocka_unit_test(a_tree_finds_the_first_face_that_a_ray_enters),
        cmocka_unit_test(a_tree_finds_all_faces_with_a_corner_beyond),
        cmocka_unit_test(large_hulls_answer_as_all_their_faces_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
