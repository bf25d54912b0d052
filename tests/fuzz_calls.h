// The calls that a fuzzed input is made of: decoded from bytes, and made of a world whose handles are kept by number.
#ifndef FUZZ_CALLS_H
#define FUZZ_CALLS_H

#include "fuzz_bytes.h"

#include <stdio.h>

enum
{
    NAMES = 40,     // handles recorded of each sort, live or stale
    MOST_LIVE = 48, // bodies
    MANY = 4
};

#define REQUIRE(condition)                                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(condition))                                                                                              \
        {                                                                                                              \
            (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                              \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

typedef enum operation_kind
{
    CREATE,
    CREATE_MANY,
    DESTROY,
    DESTROY_MANY,
    SET_POSE,
    SET_POSE_MANY,
    SET_VELOCITY,
    SET_VELOCITY_MANY,
    SET_MOTION,
    SET_ENABLED,
    SET_AWAKE,
    SET_AWAKE_MANY,
    SET_BODY_DATA,
    TOUCH,
    WRITE_IN_PLACE,
    ATTACH,
    DETACH,
    SET_COLLIDER,
    SET_SHAPE,
    SET_LOCAL,
    SET_FILTER,
    SET_COLLIDER_DATA,
    SET_MEETS,
    RESERVE,
    MOVE,
    DETECT,
    STEP,
    LOOK,
    LOAD_IMPULSES,
    EXCLUDE, // from here on named by the highest bytes
    MOVE_TO,
    ASK,
    OPERATIONS
} operation_kind;

// Decoded once, made of both worlds: bodies and colliders are named by where their handles are kept.
typedef struct operation
{
    operation_kind kind;
    uint8_t body[MANY], collider, count, bits;
    abut_body_def body_def[MANY];
    abut_pose pose[MANY];
    abut_velocity velocity[MANY];
    abut_collider_def collider_def;
    abut_motion motion, other_motion;
    float number;
} operation;

typedef struct side
{
    abut_world *world;
    struct side *other;
    abut_body body[NAMES];
    abut_collider collider[NAMES];
    uint32_t bodies, colliders; // named so far
    uint32_t told, reported_index;
    int64_t alive, sensed;
    bool restless;    // its broad phase may change
    bool edited, ran; // since the last detect; a detect among the operation's calls
} side;

// The next call that the bytes ask for; all zeros past their end.
operation take_operation(bytes *b);

// Makes the call and returns its result; an error was passed to `on_error`.
abut_status make(side *s, const operation *o);

// Counts a world's errors; the context is the side.
void note_error(void *context, abut_status status, const char *call, uint32_t index, const char *sentence);

#endif
