// What is built, and what must be true of it in the end.
#ifndef ABUT_STACK_SCENES_H
#define ABUT_STACK_SCENES_H

#include "solver.h"

typedef struct stage
{
    abut_world *world;
    solver *solver;
    abut_body *bodies; // those that were built, the floor not among them
    abut_pose *placed; // where they were put
    uint32_t count, room;
    abut_status status; // of the first call that failed; ABUT_OK: none
} stage;

typedef struct stack_scene
{
    const char *name;
    float seconds; // it is run for, unless asked otherwise
    bool settles;  // so that its contacts ought to be steady
    void (*build)(stage *s);
    bool (*judge)(const stage *s, float seconds); // prints what became of it; whether that is as it must be
} stack_scene;

extern const stack_scene stack_scenes[];
extern const uint32_t stack_scene_count;

#endif
