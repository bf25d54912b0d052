// What may be wrong with a mesh: against every triangle with every other, on lattices where many share corners.
#include "mesh_makers.h"
#include "scarce_memory.h"

#define ROOM 20000

static abut_mesh_fault found[ROOM], right[ROOM];

static uint32_t check(const abut_mesh_def *def)
{
    uint32_t count = ABUT_NONE;
    assert_int_equal(abut_geometry_check_mesh(def, NULL, found, ROOM, &count), ABUT_OK);
    assert_in_range(count, 0, ROOM);
    return count;
}

static void expect_fault(uint32_t i, abut_mesh_fault_kind kind, uint32_t triangle, uint32_t edge, uint32_t other)
{
    const abut_mesh_fault f = found[i];
    if (f.kind != kind || f.triangle != triangle || f.edge != edge || f.other != other)
    {
        fail_msg("fault %u: kind %d, triangle %u, edge %u, other %u instead of %d, %u, %u, %u", i, (int)f.kind,
                 f.triangle, f.edge, f.other, (int)kind, triangle, edge, other);
    }
}

// The referee: by positions alone.
typedef struct tri
{
    dvec3 at[3];
    bool has_area;
} tri;

static bool alike(dvec3 a, dvec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static tri tri_of(const abut_mesh_def *def, uint32_t i)
{
    tri t;
    for (int k = 0; k < 3; ++k)
    {
        const abut_vec3 v = def->vertices[def->indices[3 * i + (uint32_t)k]];
        t.at[k] = dvec3_make((double)v.x, (double)v.y, (double)v.z);
    }
    const dvec3 n = dvec3_cross(dvec3_sub(t.at[1], t.at[0]), dvec3_sub(t.at[2], t.at[0]));
    t.has_area = dvec3_length(n) > 1e-9;
    return t;
}

// Whether edge k of one is an edge of the other: 1 along it, -1 the other way.
static int has_edge(const tri *of, const tri *other, int k)
{
    for (int j = 0; j < 3; ++j)
    {
        const dvec3 from = other->at[j], to = other->at[(j + 1) % 3];
        if (alike(of->at[k], from) && alike(of->at[(k + 1) % 3], to))
        {
            return 1;
        }
        if (alike(of->at[k], to) && alike(of->at[(k + 1) % 3], from))
        {
            return -1;
        }
    }
    return 0;
}

// How many others have an edge, the first of them, and of two whether it runs against this one.
static uint32_t sharing(const tri *all, uint32_t count, uint32_t i, int k, uint32_t *first, int *way)
{
    uint32_t others = 0;
    for (uint32_t j = 0; j < count; ++j)
    {
        const int has = j != i && all[j].has_area ? has_edge(&all[i], &all[j], k) : 0;
        *first = has != 0 && others == 0 ? j : *first;
        *way = has != 0 ? has : *way;
        others += has != 0;
    }
    return others;
}

static double from_edge(dvec3 at, dvec3 from, dvec3 to)
{
    const dvec3 along = dvec3_sub(to, from), off = dvec3_sub(at, from);
    const double part = fmin(1.0, fmax(0.0, dvec3_dot(off, along) / dvec3_dot(along, along)));
    return dvec3_length(dvec3_along(off, -part, along));
}

// Vertices of borders on edge k, each once: counts them, and marks the first triangles that have them in `others`.
static uint32_t junctions_of(const tri *all, uint32_t count, uint32_t i, int k, double near, uint32_t *others)
{
    uint32_t junctions = 0;
    static dvec3 seen[1000];
    for (uint32_t j = 0; j < count; ++j)
    {
        for (int e = 0; e < 6 && all[j].has_area; ++e)
        {
            uint32_t first = 0;
            int way = 0;
            const dvec3 at = all[j].at[(e / 2 + e % 2) % 3];
            bool is_new = sharing(all, count, j, e / 2, &first, &way) == 0;
            for (uint32_t s = 0; s < junctions && is_new; ++s)
            {
                is_new = !alike(seen[s], at);
            }
            if (is_new && !alike(at, all[i].at[k]) && !alike(at, all[i].at[(k + 1) % 3]) &&
                from_edge(at, all[i].at[k], all[i].at[(k + 1) % 3]) <= near)
            {
                seen[junctions] = at;
                others[junctions++] = j;
            }
        }
    }
    return junctions;
}

static uint32_t referee(const abut_mesh_def *def, double near)
{
    static tri all[400];
    uint32_t count = 0;
    const uint32_t own = def->triangle_count - def->neighbour_count;
    for (uint32_t i = 0; i < def->triangle_count; ++i)
    {
        all[i] = tri_of(def, i);
    }
    for (uint32_t i = 0; i < own; ++i)
    {
        uint32_t before = ABUT_NONE;
        if (!all[i].has_area)
        {
            right[count++] = (abut_mesh_fault){ ABUT_FAULT_DEGENERATE, i, 0, ABUT_NONE };
            continue;
        }
        for (uint32_t j = 0; j < i && before == ABUT_NONE; ++j)
        {
            for (int turn = 0; turn < 3; ++turn)
            {
                before = all[j].has_area && alike(all[i].at[0], all[j].at[turn]) &&
                                 alike(all[i].at[1], all[j].at[(turn + 1) % 3]) &&
                                 alike(all[i].at[2], all[j].at[(turn + 2) % 3])
                             ? j
                             : before;
            }
        }
        for (int k = 0; k < 3; ++k)
        {
            uint32_t others[1000], first = ABUT_NONE;
            int way = 0;
            if (k == 0 && before != ABUT_NONE)
            {
                right[count++] = (abut_mesh_fault){ ABUT_FAULT_DUPLICATE, i, 0, before };
            }
            const uint32_t with = sharing(all, def->triangle_count, i, k, &first, &way);
            const uint32_t other = first < own ? first : ABUT_NONE;
            if (with == 0)
            {
                const uint32_t junctions = junctions_of(all, def->triangle_count, i, k, near, others);
                for (uint32_t g = 0; g < junctions; ++g)
                {
                    right[count++] = (abut_mesh_fault){ ABUT_FAULT_T_JUNCTION, i, (uint32_t)k,
                                                        others[g] < own ? others[g] : ABUT_NONE };
                }
                right[count++] = (abut_mesh_fault){ ABUT_FAULT_BORDER, i, (uint32_t)k, ABUT_NONE };
            }
            else if (with > 1 || way > 0)
            {
                right[count++] =
                    (abut_mesh_fault){ with > 1 ? ABUT_FAULT_NON_MANIFOLD : ABUT_FAULT_FLIPPED, i, (uint32_t)k, other };
            }
        }
    }
    return count;
}

// T-junctions of one edge are in the order of vertices, which the referee does not know.
static int compare(const void *one, const void *other)
{
    const abut_mesh_fault *a = one, *b = other;
    const uint32_t x[4] = { a->triangle, a->edge, (uint32_t)a->kind, a->other },
                   y[4] = { b->triangle, b->edge, (uint32_t)b->kind, b->other };
    for (int i = 0; i < 4; ++i)
    {
        if (x[i] != y[i])
        {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

static void on_lattice(mesh_maker *m, random_source *random, uint32_t side, uint32_t count)
{
    for (uint32_t i = 0; i < 3 * count; ++i)
    {
        mesh_vertex(m, random_below(random, side), random_below(random, side), random_below(random, side));
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        mesh_triangle(m, 3 * i, 3 * i + 1, 3 * i + 2);
    }
}

static void triangles_on_a_lattice_have_the_faults_that_all_pairs_show(void **state)
{
    (void)state;
    uint32_t kinds[ABUT_FAULT_BORDER + 1] = { 0 };
    const random_seeds seeds = random_seeds_of(300);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        mesh_maker m = { 0 };
        const uint32_t side = 2 + random_below(&random, 3), count = 2 + random_below(&random, 60);
        on_lattice(&m, &random, side, count);
        abut_mesh_def def = mesh_def_of(&m);
        def.neighbour_count = random_chance(&random, 0.3) ? random_below(&random, count / 2) : 0;
        const uint32_t faults = check(&def), expected = referee(&def, 0x1p-18 * (side - 1));
        for (uint32_t i = 1; i < faults; ++i)
        {
            assert_true(found[i - 1].triangle < found[i].triangle ||
                        (found[i - 1].triangle == found[i].triangle &&
                         (found[i - 1].edge < found[i].edge ||
                          (found[i - 1].edge == found[i].edge && found[i - 1].kind <= found[i].kind))));
        }
        qsort(found, faults, sizeof *found, compare);
        qsort(right, expected, sizeof *right, compare);
        for (uint32_t i = 0; i < faults && i < expected; ++i)
        {
            if (compare(&found[i], &right[i]) != 0)
            {
                expect_fault(i, right[i].kind, right[i].triangle, right[i].edge, right[i].other);
            }
            ++kinds[found[i].kind];
        }
        assert_int_equal(faults, expected);
        mesh_maker_close(&m);
    }
    for (int kind = ABUT_FAULT_DEGENERATE; kind <= ABUT_FAULT_BORDER; ++kind)
    {
        assert_true(!random_seeds_all() || kinds[kind] > 100);
    }
}

// The corners of a cube, and its sides as triangles that look outward.
static const abut_vec3 cube[8] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 },
                                   { 0, 0, 1 }, { 1, 0, 1 }, { 0, 1, 1 }, { 1, 1, 1 } };
static const uint32_t sides[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                    2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5 };

static void a_closed_surface_has_none(void **state)
{
    (void)state;
    abut_mesh_def def = { .vertices = cube, .vertex_count = 8, .indices = sides, .triangle_count = 12 };
    uint32_t count = 7;
    assert_int_equal(check(&def), 0);
    assert_int_equal(abut_geometry_check_mesh(&def, NULL, NULL, 0, &count), ABUT_OK);
    assert_int_equal(count, 0);
    uint32_t turned[36];
    memcpy(turned, sides, sizeof turned);
    turned[0] = 2;
    turned[1] = 0;
    def.indices = turned;
    assert_int_equal(check(&def), 6); // three edges, each of two triangles
    expect_fault(0, ABUT_FAULT_FLIPPED, 0, 0, 8);
    expect_fault(1, ABUT_FAULT_FLIPPED, 0, 1, 4);
    expect_fault(2, ABUT_FAULT_FLIPPED, 0, 2, 1);
    def.triangle_count = 2;
    assert_int_equal(abut_geometry_check_mesh(&def, NULL, found, 1, &count), ABUT_OK); // the first of all
    assert_int_equal(count, 6);
    expect_fault(0, ABUT_FAULT_BORDER, 0, 0, ABUT_NONE);
}

static void what_cannot_be_made_is_said_alone(void **state)
{
    (void)state;
    abut_vec3 vertices[8];
    uint32_t indices[36];
    abut_geometry *mesh;
    memcpy(vertices, cube, sizeof vertices);
    memcpy(indices, sides, sizeof indices);
    vertices[3].y = NAN;
    vertices[7].z = -1.1f * ABUT_MAX_MAGNITUDE;
    indices[20] = 8;
    const abut_mesh_def def = { .vertices = vertices, .vertex_count = 8, .indices = indices, .triangle_count = 12 };
    assert_int_equal(abut_geometry_create_mesh(&def, NULL, &mesh), ABUT_INVALID_ARGUMENT);
    assert_int_equal(check(&def), 3);
    expect_fault(0, ABUT_FAULT_INDEX, 6, 2, ABUT_NONE);
    expect_fault(1, ABUT_FAULT_POSITION, ABUT_NONE, 0, 3);
    expect_fault(2, ABUT_FAULT_POSITION, ABUT_NONE, 0, 7);
    const uint32_t flat[6] = { 0, 0, 1, 2, 2, 2 };
    const abut_mesh_def none = { .vertices = cube, .vertex_count = 8, .indices = flat, .triangle_count = 2 };
    assert_int_equal(abut_geometry_create_mesh(&none, NULL, &mesh), ABUT_INVALID_ARGUMENT);
    assert_int_equal(check(&none), 2);
    expect_fault(1, ABUT_FAULT_DEGENERATE, 1, 0, ABUT_NONE);
}

static void bad_calls_are_refused(void **state)
{
    (void)state;
    abut_mesh_def def = { .vertices = cube, .vertex_count = 8, .indices = sides, .triangle_count = 12 };
    uint32_t count = 7;
    assert_int_equal(abut_geometry_check_mesh(NULL, NULL, found, ROOM, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_check_mesh(&def, NULL, NULL, 1, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometry_check_mesh(&def, NULL, found, ROOM, NULL), ABUT_INVALID_ARGUMENT);
    def.neighbour_count = 13;
    assert_int_equal(abut_geometry_check_mesh(&def, NULL, found, ROOM, &count), ABUT_INVALID_ARGUMENT);
    def.neighbour_count = 0;
    def.threads = ABUT_MAX_THREADS + 1;
    assert_int_equal(abut_geometry_check_mesh(&def, NULL, found, ROOM, &count), ABUT_INVALID_ARGUMENT);
    def.threads = 0;
    def.triangle_count = 0;
    assert_int_equal(abut_geometry_check_mesh(&def, NULL, found, ROOM, &count), ABUT_INVALID_ARGUMENT);
    def.triangle_count = ABUT_MAX_MESH_TRIANGLES + 1;
    assert_int_equal(abut_geometry_check_mesh(&def, NULL, found, ROOM, &count), ABUT_LIMIT);
    assert_int_equal(count, 7);
}

// Edges in a plate of which one side has twice as many as the other, and a corner that is a little off.
static void vertices_on_edges_are_t_junctions(void **state)
{
    (void)state;
    const abut_vec3 vertices[] = {
        { 0, 0, 0 }, { 2, 0, 0 }, { 2, 0, 2 }, { 1, 0, 0 }, { 1, 0, -1 }, { 2.000001f, 0, 0 }
    };
    const uint32_t indices[] = { 0, 2, 1, 0, 3, 4, 3, 5, 4 };
    const abut_mesh_def def = { .vertices = vertices, .vertex_count = 6, .indices = indices, .triangle_count = 3 };
    // the long edge has the middle and the end that is off; at that end, edges of both have each other's
    static const abut_mesh_fault expected[] = {
        { ABUT_FAULT_BORDER, 0, 0, ABUT_NONE }, { ABUT_FAULT_T_JUNCTION, 0, 1, 2 },
        { ABUT_FAULT_BORDER, 0, 1, ABUT_NONE }, { ABUT_FAULT_T_JUNCTION, 0, 2, 1 },
        { ABUT_FAULT_T_JUNCTION, 0, 2, 2 },     { ABUT_FAULT_BORDER, 0, 2, ABUT_NONE },
        { ABUT_FAULT_BORDER, 1, 0, ABUT_NONE }, { ABUT_FAULT_BORDER, 1, 2, ABUT_NONE },
        { ABUT_FAULT_T_JUNCTION, 2, 0, 0 },     { ABUT_FAULT_BORDER, 2, 0, ABUT_NONE },
        { ABUT_FAULT_T_JUNCTION, 2, 1, 0 },     { ABUT_FAULT_BORDER, 2, 1, ABUT_NONE },
    };
    assert_int_equal(check(&def), COUNT(expected));
    for (uint32_t i = 0; i < COUNT(expected); ++i)
    {
        expect_fault(i, expected[i].kind, expected[i].triangle, expected[i].edge, expected[i].other);
    }
}

// Every request for memory fails once: then nothing is found, and else all is.
static void out_of_memory_is_said(void **state)
{
    (void)state;
    random_source random = random_start(3);
    mesh_maker m = { 0 };
    on_lattice(&m, &random, 3, 150);
    const abut_mesh_def def = mesh_def_of(&m);
    const uint32_t all = check(&def);
    abut_status status = ABUT_OUT_OF_MEMORY;
    uint32_t count = ABUT_NONE, failed = 0;
    for (; status == ABUT_OUT_OF_MEMORY; ++failed)
    {
        source memory = { .first_failed = failed };
        const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
        status = abut_geometry_check_mesh(&def, &allocator, found, ROOM, &count);
        assert_int_equal(memory.blocks, 0);
        assert_true(memory.failed == (status == ABUT_OUT_OF_MEMORY));
        assert_int_equal(count, status == ABUT_OUT_OF_MEMORY ? ABUT_NONE : all);
    }
    assert_int_equal(status, ABUT_OK);
    assert_true(failed > 20 && all > 200);
    mesh_maker_close(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_on_a_lattice_have_the_faults_that_all_pairs_show),
        cmocka_unit_test(a_closed_surface_has_none),
        cmocka_unit_test(what_cannot_be_made_is_said_alone),
        cmocka_unit_test(bad_calls_are_refused),
        cmocka_unit_test(vertices_on_edges_are_t_junctions),
        cmocka_unit_test(out_of_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
