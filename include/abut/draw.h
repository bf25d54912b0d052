// What a world looks like, as lines: for a debug view, drawn by whatever the caller draws with.
#ifndef ABUT_DRAW_H
#define ABUT_DRAW_H

#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// What to draw, one bit a kind of line.
enum
{
    ABUT_DRAW_TREE = 1u << 0,   // boxes of the broad phase's tree, root first, as the last detect and edits left it
    ABUT_DRAW_BOUNDS = 1u << 1, // the box around each collider (abut_collider_bounds)
    // Each collider's shape: edges of boxes (flat in two dimensions), three circles of a sphere, sides of a polygon; of
    // a kind of the caller's own, whose surface is not known, the box about its origin that contains it.
    ABUT_DRAW_SHAPES = 1u << 2,
    ABUT_DRAW_POINTS = 1u << 3,  // a cross at each point of the contacts of the last detect, awake and resting
    ABUT_DRAW_NORMALS = 1u << 4, // the normal at each of those points
    ABUT_DRAW_ALL = (1u << 5) - 1u
};

// Every field is valid when zero. Sizes are metres, finite and not negative.
typedef struct abut_draw_def
{
    uint32_t what;       // ABUT_DRAW_…, zero: shapes, points and normals
    float cross;         // half the length of a cross; zero: 0.05
    float normal_length; // of the normal at a point without depth; zero: 0.2
    float depth_scale;   // metres of normal beyond that for each metre of depth; zero: 1
} abut_draw_def;

typedef struct abut_line
{
    abut_vec3 from, to; // metres, world frame; a normal goes from the contact's point towards b
    uint32_t kind;      // the one bit of ABUT_DRAW_… it is drawn for
    uint32_t index;     // tree: the level, 0 standing over the leaves; bounds and shapes: the body's slot; points and
                        // normals: the contact's index among its set (awake ones first, then resting)
} abut_line;

// Writes the first `capacity` lines to `out` and the true number to *count: in the order of the bits above, then of
// levels from the root, of body slots and places of colliders, of contacts and points. `def` may be NULL; so may `out`
// when capacity is 0. Disabled bodies are drawn, sleeping ones too. Broad phases without a tree draw none. Nothing that
// can be observed of the world changes.
//
// ABUT_INVALID_ARGUMENT (a size or bit that is not valid; a pose of a body that was written in place and is not valid,
// when bounds or shapes are asked for) leaves `out` and *count alone.
ABUT_CHECKED ABUT_API abut_status abut_world_draw(abut_world *world, const abut_draw_def *def, abut_line *out,
                                                  uint64_t capacity, uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif
