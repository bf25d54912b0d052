// The farthest vertex of a convex hull along a direction, without looking at them all: a cube of directions whose sides
// are divided as quadtrees, with a list in each cell of the vertices that some direction of the cell may have.
#ifndef AB_SHAPE_HULL_SUPPORT_H
#define AB_SHAPE_HULL_SUPPORT_H

#include "base/memory.h"

#include <abut/math.h>

#include <math.h>

#define AB_SUPPORT_LEAST 33u // vertices: of fewer, all are looked at

// A cell: its quarters, or the vertices of its list in ascending order.
typedef struct ab_support_cell
{
    uint32_t first; // of four cells; of a list's entries
    uint32_t count; // entries; zero: it has quarters
} ab_support_cell;

typedef struct ab_support_map
{
    const ab_support_cell *cells; // the first six are the sides of the cube: -x, +x, -y, +y, -z, +z; NULL: no map
    const uint32_t *vertices;     // entries
} ab_support_map;

// A map under construction; its arrays are the caller's, see base/array.h.
typedef struct ab_support_lists
{
    ab_support_cell *cells;
    uint32_t *vertices;
} ab_support_lists;

// The map of some vertices, of which none is NaN. False when out of memory. The caller frees the arrays in any case.
bool ab_support_build(const abut_vec3 *vertices, uint32_t count, ab_memory *memory, ab_support_lists *out);

void ab_support_free(ab_support_lists *lists);

static inline double ab_support_along(const double direction[3], abut_vec3 v)
{
    return direction[0] * v.x + direction[1] * v.y + direction[2] * v.z;
}

// The vertex with the largest product with a direction; of several, the first. Looks at all.
static inline uint32_t ab_support_of_all(const abut_vec3 *vertices, uint32_t count, const double direction[3])
{
    uint32_t best = 0;
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double here = ab_support_along(direction, vertices[i]);
        best = here > most ? i : best;
        most = here > most ? here : most;
    }
    return best;
}

// The same by a map.
uint32_t ab_support_of(const ab_support_map *map, const abut_vec3 *vertices, uint32_t count, const double direction[3]);

#endif
