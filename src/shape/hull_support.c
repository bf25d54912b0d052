// A vertex is left out of a cell's list if some other one is farther along all of the cell's directions by more than
// products are rounded. On a side of the cube that holds wherever it holds at the cell's four corners, for products are
// linear there. So the lists hold all that a search of all vertices can find, and in the same order.
#include "shape/hull_support.h"

#include "base/array.h"

#include <math.h>
#include <string.h>

enum
{
    FEW = 12,     // entries of a list that is not divided
    DEEPEST = 12, // times that a side may be halved
    ROOM = 12     // entries a vertex, about: past that no list is divided
};

#define MOST     ((size_t)1 << 31) // entries of all lists while they are made
#define CERTAIN  0x1p-40           // of the size: more than products are rounded by
#define SMALLEST 0x1p-800          // directions of a length at which nothing of note is lost
#define LARGEST  0x1p800

// A cell of a side: u and v from the lower corner on.
typedef struct square
{
    double u, v, width;
    uint32_t side, depth;
} square;

// The products of a vertex with the directions of a cell's corners.
typedef struct products
{
    double of[4];
} products;

typedef struct builder
{
    const abut_vec3 *vertices;
    ab_memory *memory;
    double certain;
    products *products; // of the vertices of a list
    square *squares;    // by cell
    uint32_t *entries;  // of all lists, those of divided cells, too
    ab_support_cell *cells;
    size_t used; // entries of lists that are not divided
} builder;

static products products_of(const square *s, abut_vec3 v)
{
    const double at[3] = { (double)v.x, (double)v.y, (double)v.z };
    const uint32_t axis = s->side / 2;
    const double base = s->side & 1u ? at[axis] : -at[axis], first = at[axis < 2 ? axis + 1 : 0],
                 second = at[axis > 0 ? axis - 1 : 2];
    const double low = base + s->u * first, high = low + s->width * first, by = s->v * second,
                 more = by + s->width * second;
    return (products){ { low + by, high + by, low + more, high + more } };
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

static bool is_farther(const products *a, const products *b, double certain)
{
    return lesser(lesser(a->of[0] - b->of[0], a->of[1] - b->of[1]), lesser(a->of[2] - b->of[2], a->of[3] - b->of[3])) >
           certain;
}

enum
{
    RIVALS = 5 // the farthest in the middle and at the corners
};

static void find_rivals(const products *of, uint32_t count, products out[RIVALS])
{
    double most[RIVALS] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
    for (uint32_t i = 0; i < count; ++i)
    {
        const products *here = &of[i];
        const double middle = (here->of[0] + here->of[1]) + (here->of[2] + here->of[3]);
        for (uint32_t k = 0; k < RIVALS; ++k)
        {
            const double value = k > 0 ? here->of[k - 1] : middle;
            if (value > most[k])
            {
                out[k] = *here;
                most[k] = value;
            }
        }
    }
}

// Adds a cell with those of a list that may be farthest there.
static bool add_cell(builder *b, const square *s, uint32_t from, uint32_t count)
{
    const size_t first = arrlenu(b->entries);
    products rivals[RIVALS];
    if (!ab_array_reserve(b->entries, b->memory, first + count) ||
        !ab_array_reserve(b->cells, b->memory, arrlenu(b->cells) + 1) ||
        !ab_array_reserve(b->squares, b->memory, arrlenu(b->squares) + 1))
    {
        return false;
    }
    const uint32_t *list = b->entries + from;
    uint32_t *kept = b->entries + first;
    for (uint32_t i = 0; i < count; ++i)
    {
        b->products[i] = products_of(s, b->vertices[list[i]]);
    }
    find_rivals(b->products, count, rivals);
    for (uint32_t i = 0; i < count; ++i)
    {
        bool beaten = false;
        for (uint32_t k = 0; k < RIVALS && !beaten; ++k)
        {
            beaten = is_farther(&rivals[k], &b->products[i], b->certain);
        }
        *kept = list[i];
        kept += !beaten;
    }
    const size_t end = (size_t)(kept - b->entries);
    const size_t cells = arrlenu(b->cells);
    ab_array_set_length(b->entries, end);
    ab_array_set_length(b->cells, cells + 1);
    ab_array_set_length(b->squares, cells + 1);
    b->cells[cells] = (ab_support_cell){ (uint32_t)first, (uint32_t)(end - first) };
    b->squares[cells] = *s;
    b->used += end - first;
    return true;
}

// Divides a cell in four.
static bool divide(builder *b, uint32_t cell)
{
    const square s = b->squares[cell];
    const ab_support_cell list = b->cells[cell];
    b->cells[cell] = (ab_support_cell){ (uint32_t)arrlenu(b->cells), 0 };
    b->used -= list.count;
    for (uint32_t k = 0; k < 4; ++k)
    {
        const double half = 0.5 * s.width;
        const square quarter = { k & 1u ? s.u + half : s.u, k & 2u ? s.v + half : s.v, half, s.side, s.depth + 1 };
        if (!add_cell(b, &quarter, list.first, list.count))
        {
            return false;
        }
    }
    return true;
}

static bool add_sides(builder *b, uint32_t count)
{
    if (!ab_array_resize(b->entries, b->memory, count) || !ab_array_resize(b->products, b->memory, count))
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        b->entries[i] = i;
    }
    for (uint32_t side = 0; side < 6; ++side)
    {
        const square whole = { -1.0, -1.0, 2.0, side, 0 };
        if (!add_cell(b, &whole, 0, count))
        {
            return false;
        }
    }
    return true;
}

// The lists of cells that are not divided, one behind the other.
static bool gather_lists(builder *b, ab_support_lists *out)
{
    if (!ab_array_resize(out->vertices, b->memory, b->used))
    {
        return false;
    }
    uint32_t at = 0;
    for (size_t i = 0; i < arrlenu(b->cells); ++i)
    {
        ab_support_cell *cell = &b->cells[i];
        if (cell->count > 0)
        {
            memcpy(out->vertices + at, b->entries + cell->first, cell->count * sizeof *out->vertices);
            cell->first = at;
            at += cell->count;
        }
    }
    return true;
}

bool ab_support_build(const abut_vec3 *vertices, uint32_t count, ab_memory *memory, ab_support_lists *out)
{
    builder b = { .vertices = vertices, .memory = memory };
    double size = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_vec3 v = vertices[i];
        const double here = fabs((double)v.x) + fabs((double)v.y) + fabs((double)v.z);
        size = here > size ? here : size;
    }
    b.certain = CERTAIN * size;
    *out = (ab_support_lists){ 0 };
    bool done = add_sides(&b, count);
    for (uint32_t i = 0; done && i < arrlenu(b.cells); ++i)
    {
        const bool is_room = b.used < (size_t)ROOM * count && arrlenu(b.entries) < MOST;
        if (is_room && b.cells[i].count > FEW && b.squares[i].depth < DEEPEST)
        {
            done = divide(&b, i);
        }
    }
    done = done && gather_lists(&b, out);
    out->cells = b.cells;
    arrfree(b.products);
    arrfree(b.entries);
    arrfree(b.squares);
    return done;
}

void ab_support_free(ab_support_lists *lists)
{
    arrfree(lists->cells);
    arrfree(lists->vertices);
}

// The number of a direction's cell along one side of the square, of 2^DEEPEST.
static uint32_t step_of(double part)
{
    const uint32_t step = (uint32_t)((part + 1.0) * (double)(1u << (DEEPEST - 1)));
    return step < 1u << DEEPEST ? step : (1u << DEEPEST) - 1u;
}

uint32_t ab_support_of(const ab_support_map *map, const abut_vec3 *vertices, uint32_t count, const double direction[3])
{
    const double x = fabs(direction[0]), y = fabs(direction[1]), z = fabs(direction[2]);
    const uint32_t axis = x >= y ? (x >= z ? 0 : 2) : (y >= z ? 1 : 2);
    const double most = axis == 0 ? x : axis == 1 ? y : z;
    if (!(most >= SMALLEST && most <= LARGEST))
    {
        return ab_support_of_all(vertices, count, direction);
    }
    const double u = direction[axis < 2 ? axis + 1 : 0] / most, v = direction[axis > 0 ? axis - 1 : 2] / most;
    if (!(fabs(u) <= 1.0 && fabs(v) <= 1.0)) // NaN
    {
        return ab_support_of_all(vertices, count, direction);
    }
    const uint32_t across = step_of(u), up = step_of(v);
    const ab_support_cell *cell = &map->cells[2 * axis + (direction[axis] > 0.0)];
    for (uint32_t level = DEEPEST - 1; cell->count == 0; --level)
    {
        cell = &map->cells[cell->first + ((across >> level & 1u) | (up >> level & 1u) << 1)];
    }
    const uint32_t *list = map->vertices + cell->first;
    uint32_t best = list[0];
    double farthest = ab_support_along(direction, vertices[best]);
    for (uint32_t i = 1; i < cell->count; ++i)
    {
        const double here = ab_support_along(direction, vertices[list[i]]);
        best = here > farthest ? list[i] : best;
        farthest = here > farthest ? here : farthest;
    }
    return best;
}
