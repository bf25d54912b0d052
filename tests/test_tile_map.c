// Outlines of tile maps: against what is solid beside each edge of the lattice; whole and in parts; what slides over
// them; inputs that are none; without memory.
#include "random.h"
#include "scarce_memory.h"
#include "small_world.h"

#include "shape/chain.h"

#include <math.h>
#include <string.h>

#define MOST 12u  // columns and rows
#define NEAR 0.01 // of a tile

typedef struct map_case
{
    abut_tile_map map;
    uint8_t tiles[MOST * MOST];
    int seen[4][MOST + 1]
            [MOST + 1]; // ways along edges by their direction: along x, along y, up and to the right or left
} map_case;

static bool is_solid(const map_case *m, double x, double y)
{
    const double column = floor(x), row = floor(y), u = x - column, v = y - row;
    if (column < 0.0 || row < 0.0 || column >= (double)m->map.columns || row >= (double)m->map.rows)
    {
        return false;
    }
    switch (m->tiles[(uint32_t)row * m->map.columns + (uint32_t)column])
    {
    case ABUT_TILE_EMPTY:
        return false;
    case ABUT_TILE_FULL:
        return true;
    case ABUT_TILE_LOWER_LEFT:
        return u + v < 1.0;
    case ABUT_TILE_LOWER_RIGHT:
        return v < u;
    case ABUT_TILE_UPPER_LEFT:
        return v > u;
    default:
        return u + v > 1.0;
    }
}

static const int step_x[4] = { 1, 0, 1, -1 }, step_y[4] = { 0, 1, 1, 1 };

// 1: an outline goes this way, for what is solid is on the left alone; -1: back; 0: neither.
static int wanted_way(const map_case *m, uint32_t direction, uint32_t x, uint32_t y)
{
    const double dx = step_x[direction], dy = step_y[direction];
    const double on_x = x + 0.25 * dx, on_y = y + 0.25 * dy;
    const bool left = is_solid(m, on_x - NEAR * dy, on_y + NEAR * dx),
               right = is_solid(m, on_x + NEAR * dy, on_y - NEAR * dx);
    return (int)left - (int)right;
}

static void make_map(map_case *m, uint64_t seed, uint32_t kinds)
{
    random_source random = random_start(seed);
    const double full = random_between(&random, 0.0, 1.0);
    memset(m, 0, sizeof *m);
    m->map.tiles = m->tiles;
    m->map.columns = 1 + random_below(&random, MOST);
    m->map.rows = 1 + random_below(&random, MOST);
    m->map.origin = (abut_vec2){ (float)random_below(&random, 20) - 10.0f, (float)random_below(&random, 20) - 10.0f };
    m->map.size = (abut_vec2){ random_chance(&random, 0.5) ? 0.5f : 1.0f, random_chance(&random, 0.5) ? 2.0f : 1.0f };
    for (uint32_t i = 0; i < m->map.columns * m->map.rows; ++i)
    {
        m->tiles[i] = (uint8_t)(random_chance(&random, full) ? random_below(&random, kinds) : 0);
    }
}

typedef struct lattice_point
{
    int x, y;
} lattice_point;

static lattice_point on_lattice(const map_case *m, abut_vec2 at)
{
    const float x = (at.x - m->map.origin.x) / m->map.size.x, y = (at.y - m->map.origin.y) / m->map.size.y;
    const lattice_point out = { (int)x, (int)y };
    assert_true((float)out.x == x && (float)out.y == y);
    return out;
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

// Notes a segment, edge by edge.
static void note_segment(map_case *m, lattice_point from, lattice_point to)
{
    const int dx = sign(to.x - from.x), dy = sign(to.y - from.y);
    const int way = dy > 0 || (dy == 0 && dx > 0) ? 1 : -1;
    const uint32_t direction = dy == 0 ? 0 : dx == 0 ? 1 : dx == dy ? 2 : 3;
    assert_true(dx == 0 || dy == 0 || abs(to.x - from.x) == abs(to.y - from.y));
    for (lattice_point at = from; at.x != to.x || at.y != to.y; at.x += dx, at.y += dy)
    {
        const int x = way > 0 ? at.x : at.x + dx, y = way > 0 ? at.y : at.y + dy;
        assert_int_equal(m->seen[direction][y][x], 0);
        m->seen[direction][y][x] = way;
    }
}

static uint32_t eighth_of(int dx, int dy)
{
    static const uint32_t eighths[3][3] = { { 5, 6, 7 }, { 4, 8, 0 }, { 3, 2, 1 } };
    return eighths[sign(dy) + 1][sign(dx) + 1];
}

// All between two segments on their right is empty.
static void check_turn(const map_case *m, lattice_point from, lattice_point at, lattice_point to, bool bends)
{
    const uint32_t back = eighth_of(from.x - at.x, from.y - at.y), on = eighth_of(to.x - at.x, to.y - at.y);
    assert_true(back != on && (!bends || (back + 4) % 8 != on));
    for (uint32_t k = back; k % 8 != on; ++k)
    {
        const double angle = (k + 0.5) * 0.78539816339744831;
        assert_false(is_solid(m, at.x + NEAR * cos(angle), at.y + NEAR * sin(angle)));
    }
}

static void note_chain(map_case *m, const abut_geometry *geometry)
{
    const ab_chain *chain = ab_chain_of_geometry(geometry);
    const uint32_t count = chain->point_count;
    lattice_point *points = calloc(count + 2, sizeof *points), *own = points + 1;
    assert_non_null(points);
    for (uint32_t i = 0; i < count; ++i)
    {
        own[i] = on_lattice(m, chain->points[i]);
    }
    assert_true(chain->loop == !chain->goes_on[0] && chain->loop == !chain->goes_on[1] && !chain->two_sided);
    points[0] = chain->loop ? own[count - 1] : on_lattice(m, chain->beyond[0]);
    points[count + 1] = chain->loop ? own[0] : on_lattice(m, chain->beyond[1]);
    for (uint32_t i = 0; i < count; ++i)
    {
        check_turn(m, own[(int)i - 1], own[i], own[i + 1], chain->loop || (i > 0 && i + 1 < count));
        if (chain->loop || i + 1 < count)
        {
            note_segment(m, own[i], own[i + 1]);
        }
    }
    free(points);
}

// The chains of a part; returns how many are no loops.
static uint32_t note_part(map_case *m, const abut_tile_part *part)
{
    uint32_t count = 99, again, open = 0;
    assert_int_equal(abut_geometries_of_tiles(&m->map, part, NULL, NULL, 0, &count), ABUT_OK);
    abut_geometry **chains = calloc(count + 1, sizeof *chains);
    assert_non_null(chains);
    if (count > 0)
    {
        assert_int_equal(abut_geometries_of_tiles(&m->map, part, NULL, chains, count - 1, &again), ABUT_LIMIT);
        assert_int_equal(again, count);
        assert_null(chains[0]);
    }
    assert_int_equal(abut_geometries_of_tiles(&m->map, part, NULL, chains, count, &again), ABUT_OK);
    assert_int_equal(again, count);
    for (uint32_t i = 0; i < count; ++i)
    {
        note_chain(m, chains[i]);
        open += !ab_chain_of_geometry(chains[i])->loop;
        abut_geometry_release(chains[i]);
    }
    free(chains);
    return open;
}

static void expect_all_edges(map_case *m, uint64_t seed)
{
    for (uint32_t direction = 0; direction < 4; ++direction)
    {
        for (uint32_t y = 0; y <= m->map.rows; ++y)
        {
            for (uint32_t x = 0; x <= m->map.columns; ++x)
            {
                if (m->seen[direction][y][x] != wanted_way(m, direction, x, y))
                {
                    fail_msg("seed %llu: edge %u at %u, %u goes %d, not %d", (unsigned long long)seed, direction, x, y,
                             m->seen[direction][y][x], wanted_way(m, direction, x, y));
                }
            }
        }
    }
    memset(m->seen, 0, sizeof m->seen);
}

static void outlines_are_between_solid_and_empty(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(4000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        map_case m;
        make_map(&m, seed, seed % 2 ? 2 : ABUT_TILE_COUNT);
        assert_int_equal(note_part(&m, NULL), 0);
        expect_all_edges(&m, seed);
    }
}

// Parts of any size, which have the edges of the whole between them.
static void parts_make_the_whole(void **state)
{
    (void)state;
    uint32_t open = 0;
    const random_seeds seeds = random_seeds_of(3000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        map_case m;
        random_source random = random_start(seed + 1000000);
        make_map(&m, seed, seed % 2 ? 2 : ABUT_TILE_COUNT);
        uint32_t columns;
        for (uint32_t x = 0; x < m.map.columns; x += columns)
        {
            uint32_t rows;
            columns = 1 + random_below(&random, m.map.columns - x);
            for (uint32_t y = 0; y < m.map.rows; y += rows)
            {
                rows = 1 + random_below(&random, m.map.rows - y);
                open += note_part(&m, &(abut_tile_part){ x, y, columns, rows });
            }
        }
        expect_all_edges(&m, seed);
    }
    assert_true(open > 0);
}

#define LENGTH 24u

// Adds the chains of a map, part by part.
static void add_parts(abut_world *world, const abut_tile_map *map, uint32_t columns)
{
    for (uint32_t x = 0; x < map->columns; x += columns)
    {
        abut_geometry *chains[8];
        uint32_t count;
        const abut_tile_part part = { x, 0, columns, map->rows };
        assert_int_equal(abut_geometries_of_tiles(map, &part, NULL, chains, 8, &count), ABUT_OK);
        for (uint32_t i = 0; i < count; ++i)
        {
            (void)add(world, abut_shape_chain(chains[i]), 0, 0, 0, ABUT_STATIC);
            abut_geometry_release(chains[i]);
        }
    }
}

// Over a floor, or up a slope, of tiles in parts of 3 columns: all normals are those of the surface.
static void nothing_bumps_between_tiles_and_parts(void **state)
{
    (void)state;
    for (uint32_t slope = 0; slope < 2; ++slope)
    {
        uint8_t tiles[LENGTH * LENGTH] = { 0 };
        for (uint32_t x = 0; x < LENGTH; ++x)
        {
            const uint32_t top = slope ? x : 0;
            for (uint32_t y = 0; y <= top; ++y)
            {
                tiles[y * LENGTH + x] = slope && y == top ? ABUT_TILE_LOWER_RIGHT : ABUT_TILE_FULL;
            }
        }
        const abut_tile_map map = { tiles, LENGTH, LENGTH, { 0, 0 }, { 1, 1 } };
        const abut_world_def def = { .dimension = 2 };
        abut_world *world = open_world(&def);
        add_parts(world, &map, 3);
        const abut_vec2 up = slope ? (abut_vec2){ -0.70710678f, 0.70710678f } : (abut_vec2){ 0, 1 };
        const abut_shape shapes[] = { abut_shape_sphere(0.4f), abut_shape_obb(0.7f, 0.4f, 0),
                                      abut_shape_capsule(0.4f, 0.3f) };
        for (uint32_t k = 0; k < COUNT(shapes); ++k)
        {
            const abut_body body = add(world, shapes[k], 0, 0, 0, ABUT_DYNAMIC);
            uint32_t touched = 0;
            for (uint32_t step = 0; step < 2000; ++step)
            {
                const float along = 2.0f + 0.01f * (float)step, rise = slope ? along : 1.0f;
                // a capsule lies along its y axis
                const float angle = (slope ? 0.78539816f : 0.0f) + (k == 2 ? 1.57079633f : 0.0f);
                abut_world_bodies(world).poses[body.slot] =
                    abut_pose_2d(along + 0.395f * up.x, rise + 0.395f * up.y, angle);
                detect(world);
                const abut_contacts contacts = abut_world_contacts(world, ABUT_AWAKE);
                for (uint32_t i = 0; i < contacts.count; ++i)
                {
                    const abut_contact *c = abut_contact_at(&contacts, i);
                    const float way = c->a.slot == body.slot ? -1.0f : 1.0f;
                    assert_true(fabsf(way * c->normal.x - up.x) < 1e-5f && fabsf(way * c->normal.y - up.y) < 1e-5f);
                }
                touched += contacts.count > 0;
            }
            assert_int_equal(touched, 2000);
            assert_int_equal(abut_body_destroy(world, body), ABUT_OK);
        }
        abut_world_destroy(world);
    }
}

static void maps_and_parts_that_are_none_are_refused(void **state)
{
    (void)state;
    uint8_t tiles[6] = { 1, 0, 1, 2, 5, 1 };
    const abut_tile_map good = { tiles, 3, 2, { 0, 0 }, { 1, 1 } };
    uint32_t count = 7;
    abut_geometry *chains[8];
    abut_tile_map bad[10];
    for (size_t i = 0; i < COUNT(bad); ++i)
    {
        bad[i] = good;
    }
    bad[0].tiles = NULL;
    bad[1].columns = 0;
    bad[2].rows = 0;
    bad[3].size.x = 0;
    bad[4].size.y = -1;
    bad[5].size.x = NAN;
    bad[6].origin.y = INFINITY;
    bad[7].origin.x = 2 * ABUT_MAX_MAGNITUDE;
    bad[8].origin.x = ABUT_MAX_MAGNITUDE; // corners reach past it
    bad[8].size.x = 100;
    bad[9].origin.x = 1e7f; // corners round to one
    bad[9].size.x = 0.01f;
    for (size_t i = 0; i < COUNT(bad); ++i)
    {
        assert_int_equal(abut_geometries_of_tiles(&bad[i], NULL, NULL, chains, 8, &count), ABUT_INVALID_ARGUMENT);
    }
    const abut_tile_part parts[] = { { 0, 0, 0, 1 }, { 0, 0, 1, 0 }, { 3, 0, 1, 1 },  { 0, 2, 1, 1 },
                                     { 1, 0, 3, 1 }, { 0, 1, 1, 2 }, { 1, 1, ~0u, 1 } };
    for (size_t i = 0; i < COUNT(parts); ++i)
    {
        assert_int_equal(abut_geometries_of_tiles(&good, &parts[i], NULL, chains, 8, &count), ABUT_INVALID_ARGUMENT);
    }
    const abut_allocator half = { .allocate = lend };
    assert_int_equal(abut_geometries_of_tiles(NULL, NULL, NULL, chains, 8, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometries_of_tiles(&good, NULL, &half, chains, 8, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometries_of_tiles(&good, NULL, NULL, NULL, 8, &count), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_geometries_of_tiles(&good, NULL, NULL, chains, 8, NULL), ABUT_INVALID_ARGUMENT);
    tiles[3] = ABUT_TILE_COUNT;
    assert_int_equal(abut_geometries_of_tiles(&good, NULL, NULL, chains, 8, &count), ABUT_INVALID_ARGUMENT);
}

// No tile is read farther away from a part than those around it that are asked for what they are.
static void far_tiles_do_not_matter(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(3000);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        map_case m;
        random_source random = random_start(seed + 2000000);
        make_map(&m, seed, ABUT_TILE_COUNT);
        const uint32_t column = random_below(&random, m.map.columns), row = random_below(&random, m.map.rows);
        const abut_tile_part part = { column, row, 1, 1 };
        abut_geometry *chains[4];
        uint32_t count;
        for (uint32_t i = 0; i < m.map.columns * m.map.rows; ++i)
        {
            const int away_x = abs((int)(i % m.map.columns) - (int)column),
                      away_y = abs((int)(i / m.map.columns) - (int)row);
            m.tiles[i] = away_x > 3 || away_y > 3 ? 255 : m.tiles[i]; // sanitizers see where it is used
        }
        assert_int_equal(abut_geometries_of_tiles(&m.map, &part, NULL, chains, 4, &count), ABUT_OK);
        while (count > 0)
        {
            abut_geometry_release(chains[--count]);
        }
        for (uint32_t i = 0; i < m.map.columns * m.map.rows; ++i)
        {
            const int away_x = abs((int)(i % m.map.columns) - (int)column),
                      away_y = abs((int)(i / m.map.columns) - (int)row);
            if (away_x == 3 && away_y <= 3)
            {
                m.tiles[i] = ABUT_TILE_COUNT;
                assert_int_equal(abut_geometries_of_tiles(&m.map, &part, NULL, chains, 4, &count),
                                 ABUT_INVALID_ARGUMENT);
                break;
            }
        }
    }
}

// Every request fails once: nothing is left over.
static void without_memory_none_is_made(void **state)
{
    (void)state;
    map_case m;
    make_map(&m, 31, ABUT_TILE_COUNT);
    source memory = { .first_failed = NEVER, .lasting = true };
    const abut_allocator allocator = { .allocate = lend, .release = take_back, .context = &memory };
    abut_geometry *chains[MOST * MOST];
    uint32_t count, failures = 0;
    for (abut_status status = ABUT_OUT_OF_MEMORY; status != ABUT_OK; ++failures)
    {
        fail_after(&memory, failures);
        status = abut_geometries_of_tiles(&m.map, NULL, &allocator, chains, MOST * MOST, &count);
        assert_true(status == ABUT_OK || (status == ABUT_OUT_OF_MEMORY && memory.blocks == 0));
    }
    assert_true(failures > 3 && count > 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_geometry_release(chains[i]);
    }
    assert_int_equal(memory.blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outlines_are_between_solid_and_empty),
        cmocka_unit_test(parts_make_the_whole),
        cmocka_unit_test(nothing_bumps_between_tiles_and_parts),
        cmocka_unit_test(maps_and_parts_that_are_none_are_refused),
        cmocka_unit_test(far_tiles_do_not_matter),
        cmocka_unit_test(without_memory_none_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
