// Debug drawing: a world as lines, for whatever the caller draws with. See docs/debugging.md.
#ifndef ABUT_DRAW_H
#define ABUT_DRAW_H

#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// What to draw: one bit for each kind of line.
enum
{
    ABUT_DRAW_TREE = 1u << 0,      // boxes of the broad phase's tree, root first
    ABUT_DRAW_BOUNDS = 1u << 1,    // the box around each collider (abut_collider_bounds)
    ABUT_DRAW_SHAPES = 1u << 2,    // each collider's shape
    ABUT_DRAW_POINTS = 1u << 3,    // a cross at each contact point, awake and asleep
    ABUT_DRAW_NORMALS = 1u << 4,   // the normal at each of those points
    ABUT_DRAW_IMPACTS = 1u << 5,   // five lines for each impact: the body's path to it, the normal, a cross
    ABUT_DRAW_ALL = (1u << 6) - 1u // all of them
};

// Flags of a line, for its colour. Bounds and shapes have the first five.
enum
{
    ABUT_LINE_STATIC = 1u << 0,      // of a static body
    ABUT_LINE_KINEMATIC = 1u << 1,   // of a kinematic body
    ABUT_LINE_ASLEEP = 1u << 2,      // of a sleeping body; points and normals: of an asleep contact
    ABUT_LINE_DISABLED = 1u << 3,    // of a disabled body
    ABUT_LINE_SENSOR = 1u << 4,      // of a sensor (trigger)
    ABUT_LINE_SPECULATIVE = 1u << 5, // points and normals: of a speculative contact
    ABUT_LINE_BOUND = 1u << 6        // of an impact that is a bound, not a hit
};

// The settings of a drawing. Zero selects the default after the colon; sizes are metres, finite and not negative.
typedef struct abut_draw_def
{
    uint32_t what;       // ABUT_DRAW_…, zero: shapes, points and normals
    float cross;         // half the length of a cross; zero: 0.05
    float normal_length; // of the normal at a point without depth and of an impact; zero: 0.2
    float depth_scale;   // metres of normal beyond that for each metre of depth; zero: 1
} abut_draw_def;

// One line of the picture.
typedef struct abut_line
{
    abut_vec3 from; // metres, world frame; a normal begins at its contact point
    abut_vec3 to;   // metres, world frame; a normal leads towards b
    uint32_t kind;  // the one bit of ABUT_DRAW_… it is drawn for
    uint32_t index; // tree: the level, 0 over the leaves; bounds and shapes: the body's slot; points and normals:
                    // the contact's index in its set (asleep ones count on from awake ones); impacts: the index
    uint32_t flags; // ABUT_LINE_…
} abut_line;

// Writes the first `capacity` lines to `out` and the true number to *count, in a fixed order; the world is unchanged.
// `def` may be NULL, and so may `out` if capacity is 0. Fails with ABUT_INVALID_ARGUMENT for an invalid size or bit, or
// for an invalid pose or velocity written in place that a line needs; `out` and *count are left alone then.
ABUT_CHECKED ABUT_API abut_status abut_world_draw(abut_world *world, const abut_draw_def *def, abut_line *out,
                                                  uint64_t capacity, uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif
