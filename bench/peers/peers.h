// Other engines behind the interface of bench/engine.h, each in a file of its own. Which of them are in a build is
// known from ABUT_PEER_…, which CMake defines for those whose packages it finds.
//
// They are set up as somebody would who knows them: what is static is known to be so and costs nothing where the engine
// can do that, nothing sleeps, margins are zero where they can be set, and an AABB is a box that is never turned. In
// each frame they are given the new transforms, end and begin bodies, and find the manifolds of all pairs.
#ifndef ABUT_BENCH_PEERS_H
#define ABUT_BENCH_PEERS_H

#include "engine.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const bench_engine engine_bullet, engine_ode_hash, engine_ode_sap, engine_fcl, engine_embree, engine_sweep;

// One that this program knows of, compiled in or not.
typedef struct bench_peer
{
    const char *name;           // "ode-hash"; the part before the hyphen selects it together with its kin
    const char *package;        // Debian's, which has to be there when this program is configured; NULL: needs none
    const bench_engine *engine; // NULL: not compiled in
} bench_peer;

uint32_t peer_count(void);
const bench_peer *peer_at(uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
