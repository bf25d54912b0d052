// Makes a level up: bumpy ground with a wall around it, rooms with doors, a terrace with stairs, a ramp and pillars.
#ifndef ABUT_LEVEL_MAKE_H
#define ABUT_LEVEL_MAKE_H

#include "plan.h"

// The same plan for the same seed, everywhere. False: out of memory.
bool make_plan(plan *out, uint32_t seed);

#endif
