// Outlines of tile maps: the edges between what is solid and what is empty, walked with what is solid on the left.
#include <abut/tiles.h>

#include "base/memory.h"
#include "base/platform.h"

#include <string.h>

// The ways along edges, in the tile's own corners: those of the sides, and of the diagonals by the half that is solid.
enum
{
    BOTTOM,
    RIGHT,
    TOP,
    LEFT,
    DIAGONAL, // and one more for each half, in the order of abut_tile
    WAYS = DIAGONAL + 4
};

typedef struct tile_way
{
    uint32_t from_x, from_y, to_x, to_y; // corners: 0 or 1
    uint32_t direction;                  // in eighths of a turn, counter-clockwise from x
} tile_way;

static const tile_way ways[WAYS] = {
    [BOTTOM] = { 0, 0, 1, 0, 0 },       [RIGHT] = { 1, 0, 1, 1, 2 },        [TOP] = { 1, 1, 0, 1, 4 },
    [LEFT] = { 0, 1, 0, 0, 6 },         [DIAGONAL] = { 1, 0, 0, 1, 3 },     [DIAGONAL + 1] = { 1, 1, 0, 0, 5 },
    [DIAGONAL + 2] = { 0, 0, 1, 1, 1 }, [DIAGONAL + 3] = { 0, 1, 1, 0, 7 },
};

#define BIT(way) (1u << (way))

// The solid sides of a tile, by bits, and its diagonal.
static const uint32_t solid[ABUT_TILE_COUNT] = {
    [ABUT_TILE_FULL] = BIT(BOTTOM) | BIT(RIGHT) | BIT(TOP) | BIT(LEFT),
    [ABUT_TILE_LOWER_LEFT] = BIT(BOTTOM) | BIT(LEFT) | BIT(DIAGONAL),
    [ABUT_TILE_LOWER_RIGHT] = BIT(BOTTOM) | BIT(RIGHT) | BIT(DIAGONAL + 1),
    [ABUT_TILE_UPPER_LEFT] = BIT(TOP) | BIT(LEFT) | BIT(DIAGONAL + 2),
    [ABUT_TILE_UPPER_RIGHT] = BIT(TOP) | BIT(RIGHT) | BIT(DIAGONAL + 3),
};

// An edge of a tile. Columns and rows count from 1, so that what is left of a map and below has numbers, too.
typedef struct tile_edge
{
    uint32_t column, row, way;
} tile_edge;

// A corner of tiles: that at the lower left of the tile with these numbers.
typedef struct tile_corner
{
    uint32_t column, row;
} tile_corner;

// Marks of a tile, a bit for each way; all diagonals have one.
typedef struct tile_marks
{
    unsigned char led_to; // edges that another one of the part leads to
    unsigned char walked;
} tile_marks;

typedef struct tracer
{
    const abut_tile_map *map;
    abut_tile_part part;
    tile_marks *marks; // by tile of the part
    ab_memory memory;
    const abut_allocator *allocator; // of the chains
    abut_geometry **out;             // NULL: they are counted alone
    uint32_t count;
} tracer;

static uint32_t solid_at(const tracer *t, uint32_t column, uint32_t row)
{
    const abut_tile_map *map = t->map;
    const bool within = column - 1 < map->columns && row - 1 < map->rows;
    return within ? solid[map->tiles[(size_t)(row - 1) * map->columns + (column - 1)]] : 0;
}

// The edges of a tile, by bits: diagonals, and sides that no neighbour covers.
static uint32_t edges_of(const tracer *t, uint32_t column, uint32_t row)
{
    const uint32_t own = solid_at(t, column, row);
    uint32_t covered = 0;
    if (own == 0)
    {
        return 0;
    }
    covered |= solid_at(t, column, row - 1) & BIT(TOP) ? BIT(BOTTOM) : 0;
    covered |= solid_at(t, column + 1, row) & BIT(LEFT) ? BIT(RIGHT) : 0;
    covered |= solid_at(t, column, row + 1) & BIT(BOTTOM) ? BIT(TOP) : 0;
    covered |= solid_at(t, column - 1, row) & BIT(RIGHT) ? BIT(LEFT) : 0;
    return own & ~covered;
}

static tile_corner begin_of(tile_edge edge)
{
    return (tile_corner){ edge.column + ways[edge.way].from_x, edge.row + ways[edge.way].from_y };
}

static tile_corner end_of(tile_edge edge)
{
    return (tile_corner){ edge.column + ways[edge.way].to_x, edge.row + ways[edge.way].to_y };
}

static bool is_corner(tile_corner a, tile_corner b)
{
    return a.column == b.column && a.row == b.row;
}

static bool is_edge(tile_edge a, tile_edge b)
{
    return a.column == b.column && a.row == b.row && a.way == b.way;
}

// The edges that begin at a corner, or end there: at most one of each tile.
typedef struct tile_fan
{
    tile_edge edge[4];
    uint32_t count;
} tile_fan;

static void fan_at(const tracer *t, tile_corner at, bool ends, tile_fan *out)
{
    out->count = 0;
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint32_t column = at.column - (k & 1), row = at.row - (k >> 1), edges = edges_of(t, column, row);
        for (uint32_t way = 0; way < WAYS; ++way)
        {
            const tile_edge edge = { column, row, way };
            if ((edges & BIT(way)) != 0 && is_corner(ends ? end_of(edge) : begin_of(edge), at))
            {
                out->edge[out->count++] = edge;
            }
        }
    }
}

// The edge that goes on at the end of another one: what is empty on its right is beside that, too, so that of several it
// is the first from there on, counter-clockwise.
static tile_edge next_of(const tracer *t, tile_edge edge)
{
    tile_fan fan;
    fan_at(t, end_of(edge), false, &fan);
    tile_edge best = fan.edge[0];
    uint32_t least = 8;
    for (uint32_t i = 0; i < fan.count; ++i)
    {
        const uint32_t turn = (ways[fan.edge[i].way].direction - ways[edge.way].direction + 4) % 8;
        best = turn < least ? fan.edge[i] : best;
        least = turn < least ? turn : least;
    }
    return best;
}

// The edge whose next one this is.
static tile_edge previous_of(const tracer *t, tile_edge edge)
{
    tile_fan fan;
    fan_at(t, begin_of(edge), true, &fan);
    uint32_t i = 0;
    while (i + 1 < fan.count && !is_edge(next_of(t, fan.edge[i]), edge))
    {
        ++i;
    }
    return fan.edge[i];
}

// NULL outside of the part.
static tile_marks *marks_of(const tracer *t, tile_edge edge)
{
    const uint32_t column = edge.column - 1 - t->part.first_column, row = edge.row - 1 - t->part.first_row;
    const bool within = column < t->part.columns && row < t->part.rows;
    return within ? &t->marks[(size_t)row * t->part.columns + column] : NULL;
}

static unsigned char mark_of(tile_edge edge)
{
    return (unsigned char)BIT(edge.way < DIAGONAL ? edge.way : DIAGONAL);
}

static abut_vec2 point_of(const tracer *t, tile_corner at)
{
    const abut_tile_map *map = t->map;
    return (abut_vec2){ (float)((double)map->origin.x + (double)(at.column - 1) * (double)map->size.x),
                        (float)((double)map->origin.y + (double)(at.row - 1) * (double)map->size.y) };
}

static bool bends(tile_edge edge, tile_edge next)
{
    return ways[edge.way].direction != ways[next.way].direction;
}

// An outline from one edge on, which marks it as walked: its corners, written if there is room, and its last edge.
typedef struct outline
{
    tile_edge first, last;
    bool loop;
    uint64_t count;
} outline;

static void walk(const tracer *t, outline *o, abut_vec2 *room)
{
    tile_edge edge = o->first, next;
    o->count = 0;
    if (!o->loop)
    {
        o->count = 1;
        if (room)
        {
            room[0] = point_of(t, begin_of(edge));
        }
    }
    for (bool more = true; more; edge = next)
    {
        next = next_of(t, edge);
        more = o->loop ? !is_edge(next, o->first) : marks_of(t, next) != NULL;
        marks_of(t, edge)->walked |= mark_of(edge);
        o->last = edge;
        if (bends(edge, next) || !more)
        {
            if (room)
            {
                room[o->count] = point_of(t, end_of(edge));
            }
            ++o->count;
        }
    }
}

static abut_status make_chain(tracer *t, outline *o)
{
    const size_t size = (size_t)o->count * sizeof(abut_vec2);
    abut_vec2 *points = ab_memory_take(&t->memory, size);
    if (!points)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    walk(t, o, points);
    abut_chain_def def = { .points = points, .point_count = (uint32_t)o->count, .loop = o->loop };
    abut_vec2 beyond[2];
    if (!o->loop)
    {
        beyond[0] = point_of(t, begin_of(previous_of(t, o->first)));
        beyond[1] = point_of(t, end_of(next_of(t, o->last)));
        def.before = &beyond[0];
        def.after = &beyond[1];
    }
    const abut_status status = abut_geometry_create_chain(&def, t->allocator, &t->out[t->count]);
    ab_memory_give(&t->memory, points, size);
    return status;
}

static abut_status trace(tracer *t, tile_edge first, bool loop)
{
    outline o = { .first = first, .loop = loop };
    for (tile_edge next; loop; o.first = next) // a loop begins at a corner
    {
        next = next_of(t, o.first);
        if (bends(o.first, next))
        {
            o.first = next;
            break;
        }
    }
    walk(t, &o, NULL);
    if (o.count > ABUT_MAX_CHAIN_POINTS || t->count == UINT32_MAX)
    {
        return ABUT_LIMIT;
    }
    const abut_status status = t->out ? make_chain(t, &o) : ABUT_OK;
    t->count += status == ABUT_OK;
    return status;
}

// Calls `see` for each edge of the part, tile by tile, until it fails.
typedef abut_status see_edge(tracer *t, tile_edge edge, tile_marks *marks);

static abut_status for_each_edge(tracer *t, see_edge *see)
{
    abut_status status = ABUT_OK;
    const abut_tile_part *p = &t->part;
    for (uint32_t row = p->first_row + 1; row <= p->first_row + p->rows; ++row)
    {
        for (uint32_t column = p->first_column + 1; column <= p->first_column + p->columns; ++column)
        {
            const uint32_t edges = edges_of(t, column, row);
            for (uint32_t way = 0; edges >> way != 0 && status == ABUT_OK; ++way)
            {
                const tile_edge edge = { column, row, way };
                status = (edges & BIT(way)) != 0 ? see(t, edge, marks_of(t, edge)) : ABUT_OK;
            }
        }
    }
    return status;
}

static abut_status lead(tracer *t, tile_edge edge, tile_marks *marks)
{
    const tile_edge next = next_of(t, edge);
    tile_marks *const of_next = marks_of(t, next);
    marks->walked = 0;
    if (of_next)
    {
        of_next->led_to |= mark_of(next);
    }
    return ABUT_OK;
}

static abut_status trace_open(tracer *t, tile_edge edge, tile_marks *marks)
{
    return marks->led_to & mark_of(edge) ? ABUT_OK : trace(t, edge, false);
}

static abut_status trace_loop(tracer *t, tile_edge edge, tile_marks *marks)
{
    return marks->walked & mark_of(edge) ? ABUT_OK : trace(t, edge, true);
}

// All outlines: those that other parts lead to first. What is left are loops.
static abut_status trace_all(tracer *t)
{
    t->count = 0;
    abut_status status = for_each_edge(t, lead);
    status = status == ABUT_OK ? for_each_edge(t, trace_open) : status;
    return status == ABUT_OK ? for_each_edge(t, trace_loop) : status;
}

static bool is_number(abut_vec2 v, float least)
{
    return v.x >= least && v.x <= ABUT_MAX_MAGNITUDE && v.y >= least && v.y <= ABUT_MAX_MAGNITUDE; // false for NaN
}

static bool is_map(const abut_tile_map *map)
{
    return map && map->tiles && map->columns > 0 && map->rows > 0 && map->columns < UINT32_MAX &&
           map->rows < UINT32_MAX && is_number(map->origin, -ABUT_MAX_MAGNITUDE) && is_number(map->size, 0.0f) &&
           map->size.x > 0.0f && map->size.y > 0.0f;
}

static bool is_part(const abut_tile_map *map, const abut_tile_part *part)
{
    return part->columns > 0 && part->rows > 0 && part->first_column < map->columns && part->first_row < map->rows &&
           part->columns <= map->columns - part->first_column && part->rows <= map->rows - part->first_row;
}

#define READ_AROUND 3u // tiles on either side of a part that its outlines may depend on

static uint32_t first_around(uint32_t first)
{
    return first > READ_AROUND ? first - READ_AROUND : 0;
}

static uint32_t end_around(uint32_t first, uint32_t count, uint32_t all)
{
    return all - first - count > READ_AROUND ? first + count + READ_AROUND : all;
}

// Whether all tiles that are read are of a kind.
static bool are_tiles(const abut_tile_map *map, const abut_tile_part *p)
{
    const uint32_t end_column = end_around(p->first_column, p->columns, map->columns),
                   end_row = end_around(p->first_row, p->rows, map->rows);
    bool known = true;
    for (uint32_t row = first_around(p->first_row); row < end_row; ++row)
    {
        const uint8_t *tiles = map->tiles + (size_t)row * map->columns;
        for (uint32_t column = first_around(p->first_column); column < end_column; ++column)
        {
            known &= tiles[column] < ABUT_TILE_COUNT;
        }
    }
    return known;
}

static abut_status make_all(tracer *t, abut_geometry **out, uint32_t capacity, uint32_t *count)
{
    abut_status status = trace_all(t);
    if (status != ABUT_OK)
    {
        return status;
    }
    *count = t->count;
    if (t->count > capacity)
    {
        return out ? ABUT_LIMIT : ABUT_OK;
    }
    t->out = out;
    status = out ? trace_all(t) : ABUT_OK;
    while (status != ABUT_OK && t->count > 0)
    {
        abut_geometry_release(out[--t->count]);
    }
    return status;
}

abut_status abut_geometries_of_tiles(const abut_tile_map *map, const abut_tile_part *part,
                                     const abut_allocator *allocator, abut_geometry **out, uint32_t capacity,
                                     uint32_t *count)
{
    tracer t = { .map = map, .allocator = allocator };
    if (!count || (!out && capacity > 0) || !ab_memory_open(&t.memory, allocator) || !is_map(map) ||
        (part && !is_part(map, part)))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    t.part = part ? *part : (abut_tile_part){ 0, 0, map->columns, map->rows };
    if (!are_tiles(map, &t.part))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const uint64_t tiles = (uint64_t)t.part.columns * t.part.rows;
    if (tiles > PTRDIFF_MAX / sizeof *t.marks)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    const size_t size = (size_t)tiles * sizeof *t.marks;
    t.marks = ab_memory_take(&t.memory, size);
    if (!t.marks)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    memset(t.marks, 0, size);
    const uint64_t environment = ab_platform_float_enter();
    const abut_status status = make_all(&t, out, capacity, count);
    ab_platform_float_leave(environment);
    ab_memory_give(&t.memory, t.marks, size);
    return status;
}
