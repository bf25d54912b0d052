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
    // Each collider's shape: 12 edges of a box, three circles of a sphere, sides of a polygon. In 2D a box has 4 sides
    // and a circle is one. A kind of the caller's own: an outline about each axis of its frame that its support
    // function gives, two where it has two rims. Circles and outlines have 32 segments.
    ABUT_DRAW_SHAPES = 1u << 2,
    ABUT_DRAW_POINTS = 1u << 3,  // a cross at each point of the contacts of the last detect, awake and asleep
    ABUT_DRAW_NORMALS = 1u << 4, // the normal at each of those points
    // Five lines for each impact of the last detect: the body's path to it, the normal, a cross at the point.
    ABUT_DRAW_IMPACTS = 1u << 5,
    ABUT_DRAW_ALL = (1u << 6) - 1u
};

// Tells lines of one kind apart, to colour them. Bounds and shapes have the first five.
enum
{
    ABUT_LINE_STATIC = 1u << 0,      // of a static body
    ABUT_LINE_KINEMATIC = 1u << 1,   // of a kinematic body
    ABUT_LINE_ASLEEP = 1u << 2,      // of a sleeping body; points and normals: of an asleep contact
    ABUT_LINE_DISABLED = 1u << 3,    // of a disabled body
    ABUT_LINE_SENSOR = 1u << 4,      // of a sensor (elsewhere: trigger)
    ABUT_LINE_SPECULATIVE = 1u << 5, // points and normals: of a speculative contact
    ABUT_LINE_BOUND = 1u << 6        // of an impact that is a bound, not a hit
};

// Every field is valid when zero. Sizes are metres, finite and not negative.
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
    abut_vec3 from, to; // metres, world frame; a normal goes from the point towards b
    uint32_t kind;      // the one bit of ABUT_DRAW_… it is drawn for
    uint32_t index;     // tree: the level, 0 over the leaves; bounds and shapes: the body's slot; points and normals:
                        // the contact's index in its set (asleep ones count on from awake ones); impacts: the index
    uint32_t flags;     // ABUT_LINE_…
} abut_line;

// Writes the first `capacity` lines to `out` and the true number to *count: in the order of the bits above, then of
// levels from the root, of body slots and ordinals of colliders, of contacts and points, of impacts. `def` may be NULL;
// so may `out` when capacity is 0. Disabled bodies are drawn, sleeping ones too. Broad phases without a tree draw none.
// Impacts are drawn from present poses and velocities, so before the bodies move; those of destroyed bodies are left
// out. Nothing that can be observed of the world changes.
//
// Fails with ABUT_INVALID_ARGUMENT, `out` and *count left alone, for an invalid size or bit, and for an invalid pose or
// velocity written in place when bounds, shapes or impacts need it.
ABUT_CHECKED ABUT_API abut_status abut_world_draw(abut_world *world, const abut_draw_def *def, abut_line *out,
                                                  uint64_t capacity, uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif
