// Characters: shapes that are moved by queries. They slide along what is in their way, climb steps and slopes, stay on
// the ground and are pushed out of what moves into them. See docs/characters.md.
#ifndef ABUT_CHARACTER_H
#define ABUT_CHARACTER_H

#include <abut/query.h>

#ifdef __cplusplus
extern "C" {
#endif

// A character, and where it wants to go. A caller keeps it, and writes position and footing back after a move.
typedef struct abut_character
{
    abut_pose pose;        // where it is; it does not turn on its way
    abut_shape shape;      // convex: usually a capsule
    abut_vec3 up;          // away from the ground, of any length; zero: y
    abut_vec3 translation; // metres, where it wants to go: its velocity times the time of a tick
    float max_slope;       // radians, less than half pi: of the steepest ground it stands on; zero: 45 degrees
    float step_height;     // metres: of the highest step it climbs while it stands; zero: none
    float snap_distance;   // metres: how far down it follows the ground while it stands; at least the skin
    float skin;            // metres: the gap that it keeps; zero: 1 cm
    bool stands;           // whether the last move ended with ABUT_FOOTING_GROUND
} abut_character;

// What is below a character.
typedef enum abut_footing
{
    ABUT_FOOTING_NONE,  // nothing near: it falls, or rises
    ABUT_FOOTING_STEEP, // ground that is too steep: it slides down
    ABUT_FOOTING_GROUND // ground that it stands on
} abut_footing;

// Something that a character met.
typedef struct abut_touch
{
    abut_body body;         // its body
    abut_collider collider; // its collider
    uint32_t child;         // which triangle of a mesh, part of a compound or segment of a chain; else 0
    abut_vec3 offset;       // of the point, from where the character was at the start
    abut_vec3 normal;       // unit, of the surface, towards the character
    abut_vec3 stopped;      // metres: the part of its way that it could not go, for pushing what is in the way
    float depth;            // metres of overlap that it was pushed out of
} abut_touch;

#define ABUT_CHARACTER_TOUCHES 20 // a move meets no more walls than that

// How a move ended.
typedef struct abut_character_move
{
    abut_vec3 position;    // where the character is now
    abut_vec3 translation; // the wanted one less what obstacles took of it: over the tick's time, the new velocity
    abut_footing footing;  // what is below it
    abut_touch ground;     // the body of that footing, all zero if none; on an edge the normal is that of the face
    uint32_t touch_count;  // entries of touches that are in use
    abut_touch touches[ABUT_CHARACTER_TOUCHES]; // what it was pushed out of, then what was in the way, in order
    bool stuck;                                 // it overlaps something, and no way out was found
} abut_character_move;

// Moves a character through a world that stays as it is: what a query finds (`filter`, without flags) is solid. First
// it is pushed out of what it overlaps. Without footing it flies: along what it meets, of which too steep ground does
// not lift it, and lands on ground. On the ground it walks: by the translation across `up`, with slopes up to the
// steepest taken at full speed, around walls, over steps, and down with the ground; where that ends it falls by the
// translation along `up`. A translation along `up` takes off. It slides along the planes that it has met (J. Linahan,
// "Improving the Numerical Robustness of Sphere Swept Collision Detection", 2012). Fails with ABUT_INVALID_ARGUMENT for
// a shape that is not convex or not of the world's dimension, for a flag of the filter, and for numbers that are not
// finite, negative, or past ABUT_MAX_MAGNITUDE; *out is then as it was.
ABUT_CHECKED ABUT_API abut_status abut_world_move_character(const abut_world *world, const abut_character *character,
                                                            const abut_query_filter *filter, abut_character_move *out);

// Moves each of `count` characters, on all threads of the world, as if it were alone: none sees where another one goes.
// out[i] belongs to characters[i].
ABUT_CHECKED ABUT_API abut_status abut_world_move_character_many(const abut_world *world,
                                                                 const abut_character *characters, uint32_t count,
                                                                 const abut_query_filter *filter,
                                                                 abut_character_move *out);

#ifdef __cplusplus
}
#endif

#endif
