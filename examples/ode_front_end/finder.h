// Finds the contacts of an ODE world, with ODE's own collision or with abut. Both get the same geoms and fill the same
// list, so that bodies, joints and solver are the same ODE.
#ifndef ABUT_ODE_FINDER_H
#define ABUT_ODE_FINDER_H

#include <ode/ode.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum
{
    FINDER_POINTS = 4 // of two geoms, at most
};

// A point where two bodies touch; b is NULL for what does not move.
typedef struct touch_point
{
    dBodyID a, b;
    dContactGeom geom; // as dJointCreateContact takes it: the normal points into a
} touch_point;

typedef struct pair_types
{
    touch_point *data; // owned by the finder
    size_t count, room;
    size_t pairs; // of geoms that touch
    bool failed;  // out of memory, or a call to abut failed
} pair_types;

typedef struct finder
{
    const char *name;
    void *state;
    pair_types found;
    bool (*add_box)(struct finder *f, dBodyID body, const dVector3 position, const dReal sides[3]); // body NULL: fixed
    bool (*add_ball)(struct finder *f, dBodyID body, dReal radius);
    void (*find)(struct finder *f); // at the bodies' present poses
    void (*close)(struct finder *f);
} finder;

// How abut keeps contacts of bodies that hardly move: anew in each step, recycled, or recycled with separations at the
// anchors, from which the finder gets those of now.
typedef enum keeping
{
    KEEP_NONE,
    KEEP_FOLLOWED,
    KEEP_AT_ANCHORS
} keeping;

// NULL state: out of memory.
finder finder_of_ode(void);
finder finder_of_abut(keeping contacts);

touch_point *finder_append(finder *f); // NULL: out of memory, and noted

#endif
