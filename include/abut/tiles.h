// Tile maps of the plane: their outlines as chains, so that nothing bumps between tiles. See docs/2d.md.
#ifndef ABUT_TILES_H
#define ABUT_TILES_H

#include <abut/shape.h>

#ifdef __cplusplus
extern "C" {
#endif

// What of a tile is solid. Lower is where y is less.
typedef enum abut_tile
{
    ABUT_TILE_EMPTY,       // nothing
    ABUT_TILE_FULL,        // all
    ABUT_TILE_LOWER_LEFT,  // the half below the line from the lower right to the upper left
    ABUT_TILE_LOWER_RIGHT, // that below the line from the lower left to the upper right: a slope up to the right
    ABUT_TILE_UPPER_LEFT,  // that above the latter
    ABUT_TILE_UPPER_RIGHT, // that above the former
    ABUT_TILE_COUNT        // number of these
} abut_tile;

// A map, which is read and not kept. What is around it is empty.
typedef struct abut_tile_map
{
    const uint8_t *tiles; // columns * rows, row by row, the lowest first: an abut_tile each
    uint32_t columns;     // at least 1
    uint32_t rows;        // at least 1
    abut_vec2 origin;     // the map's lower left corner
    abut_vec2 size;       // of a tile, in metres; above zero
} abut_tile_map;

// A part of a map, to be made anew when a tile in it, or one beside it, changes.
typedef struct abut_tile_part
{
    uint32_t first_column; // from zero
    uint32_t first_row;    // the lowest of its rows
    uint32_t columns;      // at least 1, and within the map
    uint32_t rows;         // likewise
} abut_tile_part;

// Makes the outlines of what is solid as chains, the front towards what is empty, and writes their number to *count;
// the caller releases each. Outlines are walked along the edges between solid and empty, which are joined where they
// lie on one line; where two tiles meet in a point, what is solid is joined there. `part`: the edges of these tiles
// alone, as loops, or as chains that go on in those of other parts; NULL: of the whole map. Tiles more than three away
// from it are not looked at. The order follows from the map. With NULL and capacity 0 only the number is written; fails
// with ABUT_LIMIT, no geometry made, if the capacity is too small, and for an outline with more than
// ABUT_MAX_CHAIN_POINTS corners; with ABUT_INVALID_ARGUMENT for a map or part that is not valid, and for corners past
// ABUT_MAX_MAGNITUDE or so close that they round to one; and with ABUT_UNSUPPORTED where meshes are not compiled in
// (small builds). On failure none is made. Takes two bytes a tile of the part and what the longest outline needs from
// `allocator`, which may be NULL, during the call; the chains keep theirs.
ABUT_CHECKED ABUT_API abut_status abut_geometries_of_tiles(const abut_tile_map *map, const abut_tile_part *part,
                                                           const abut_allocator *allocator, abut_geometry **out,
                                                           uint32_t capacity, uint32_t *count);

#ifdef __cplusplus
}
#endif

#endif
