// Who finds the contacts of an ODE world: ODE's own collision, or abut. Both are told the same solids and fill the same
// list, so that what stands behind them, bodies, joints and solver, is the same ODE.
#ifndef ABUT_ODE_FINDER_H
#define ABUT_ODE_FINDER_H

#include <ode/ode.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum
{
    FINDER_POINTS = 4 // of two solids, at most
};

// A point where two bodies touch; b is NULL for what does not move.
typedef struct meeting
{
    dBodyID a, b;
    dContactGeom geom; // as dJointCreateContact takes it: the normal points into a
} meeting;

typedef struct pair_types
{
    meeting *data; // owned by the finder
    size_t count, room;
    size_t pairs; // of solids that touch
    bool failed;  // out of memory, or abut refused
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

// NULL state: out of memory.
finder finder_of_ode(void);
finder finder_of_abut(void);

meeting *finder_append(finder *f); // NULL: out of memory, and noted

#endif
