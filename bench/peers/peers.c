// The peers there are. A new one is a file, a row here, and a package to look for in CMakeLists.txt.
#include "peers.h"

#ifdef ABUT_PEER_BULLET
#define BULLET &engine_bullet
#else
#define BULLET NULL
#endif

#ifdef ABUT_PEER_ODE
#define ODE_HASH &engine_ode_hash
#define ODE_SAP  &engine_ode_sap
#else
#define ODE_HASH NULL
#define ODE_SAP  NULL
#endif

#ifdef ABUT_PEER_FCL
#define FCL &engine_fcl
#else
#define FCL NULL
#endif

#ifdef ABUT_PEER_EMBREE
#define EMBREE &engine_embree
#else
#define EMBREE NULL
#endif

static const bench_peer rows[] = {
    { "bullet", "libbullet-dev", BULLET }, { "ode-hash", "libode-dev", ODE_HASH }, { "ode-sap", "libode-dev", ODE_SAP },
    { "fcl", "libfcl-dev", FCL },          { "embree", "libembree-dev", EMBREE },  { "sweep", NULL, &engine_sweep },
};

uint32_t peer_count(void)
{
    return sizeof rows / sizeof rows[0];
}

const bench_peer *peer_at(uint32_t index)
{
    return &rows[index];
}
