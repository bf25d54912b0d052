// What a world's state is, as a number.
#ifndef ABUT_STATE_H
#define ABUT_STATE_H

#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// FNV-1a over the poses of all bodies in slot order and the results of the last detect: contacts (awake and resting), points, impulses,
// events, impacts; with a recycle distance also where manifolds were computed. Fields are fed as little-endian words, without padding and without anything that depends on the broad phase, on
// threads or on the instruction set; -0 counts as 0. Two worlds that were given the same calls have equal hashes.
// 0 for a NULL world.
ABUT_API uint64_t abut_world_hash(abut_world *world);

#ifdef __cplusplus
}
#endif

#endif
