// What a world's state is, as a number.
#ifndef ABUT_STATE_H
#define ABUT_STATE_H

#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// A number of poses and velocities of all bodies in slot order and of the results of the last detect: contacts (awake
// and resting), points, impulses, events, impacts, what is in sensors; with it what later results follow from:
// exclusions, refused pairs, with a recycle distance also where manifolds were computed. Handles are fed as slots; user
// data, which may be addresses, lives and whatever depends on the broad phase, on threads or on the instruction set are
// left out; -0 counts as 0. Two worlds that were given the same calls have equal hashes, in any process. FNV-1a
// (Fowler, Noll, Vo) with 32-bit words in the place of bytes. 0 for a NULL world.
ABUT_API uint64_t abut_world_hash(abut_world *world);

#ifdef __cplusplus
}
#endif

#endif
