// What is built in an ODE world: stacks, a wall, or a pile poured into a bin.
#ifndef ABUT_ODE_BUILD_H
#define ABUT_ODE_BUILD_H

#include "finder.h"

typedef struct site
{
    dWorldID world;
    finder *finder;
    dBodyID *bodies;
    int count, room;
    bool failed; // out of memory, or a geom failed
} site;

void build_stacks(site *s, int bodies);
void build_wall(site *s, int bodies);
void build_pile(site *s, int bodies);

#endif
