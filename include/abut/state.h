// The state of a world as a number.
#ifndef ABUT_STATE_H
#define ABUT_STATE_H

#include <abut/world.h>

#ifdef __cplusplus
extern "C" {
#endif

// Returns a 64-bit hash of poses, velocities, the last results and everything that later results follow from; 0 for a
// NULL world. Equal calls give equal hashes, on any machine, broad phase and number of threads. User data and
// generations are left out. FNV-1a by words of 32 bits. See docs/determinism.md.
ABUT_API uint64_t abut_world_hash(abut_world *world);

#ifdef __cplusplus
}
#endif

#endif
