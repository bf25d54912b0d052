// An engine under measurement: is given a scene, then its frames one by one. Ours is the first; a peer is another row.
#ifndef ABUT_BENCH_ENGINE_H
#define ABUT_BENCH_ENGINE_H

#include "pair_list.h"
#include "scenes.h"

#include <abut/statistics.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ENGINE_STAGES 16u // at most

typedef struct engine_settings
{
    abut_broad_kind broad;
    abut_isa isa;
    uint32_t threads;
    float recycle_distance; // metres; for an engine that keeps manifolds of pairs that hardly moved
    abut_separations separations;
} engine_settings;

enum
{
    ENGINE_TELLS_CANDIDATES = 1u << 0,
    ENGINE_TELLS_POINTS = 1u << 1,
    ENGINE_TELLS_MEMORY = 1u << 2, // bytes and allocations
    ENGINE_TELLS_EVENTS = 1u << 3  // begun and ended
};

// What an engine says of the frame it was just given; what it does not tell is zero.
typedef struct engine_frame
{
    uint64_t touching;
    uint64_t candidates;
    uint64_t recycled; // of those that touch: kept from an earlier frame
    uint64_t points;
    uint64_t begun, ended;
    uint64_t bytes;       // held now
    uint64_t allocations; // allocated since the beginning
    double stage_ns[ENGINE_STAGES];
    const char *broad, *isa;                                  // that ran
    abut_pair_type_statistics pair_types[ABUT_PAIR_TYPE_MAX]; // of all steps together; a NULL name ends the list
} engine_frame;

typedef struct bench_engine
{
    const char *name;                   // "abut", or the peer's
    const char *version;                // of the peer, as its package says it; NULL: ours, or one without
    const char *built;                  // a line on how a peer was built and is set up; NULL: nothing to say
    uint32_t tells;                     // ENGINE_TELLS_…
    bool single_threaded;               // whatever the settings say
    bool knows_meshes;                  // of a peer: it can be given triangle meshes
    bool knows_hulls;                   // of a peer: it can be given convex hulls
    const struct query_engine *queries; // what it answers of --queries; NULL: nothing
    uint32_t stages;
    const char *(*stage_name)(uint32_t stage);

    // All of what follows is NULL in an engine that answers queries alone.

    // With all bodies of the scene where they are in frame 0. NULL with a complaint when the settings or memory do not
    // allow.
    void *(*create)(const bench_scene *scene, const engine_settings *settings, bench_complaint *complaint);

    // What is timed: takes over the poses of the frame shown, ends and begins bodies, finds all contacts.
    bool (*step)(void *instance, const bench_scene *scene, bench_complaint *complaint);

    void (*inspect)(void *instance, engine_frame *out);

    // Of poses and results of the last step; NULL: there is none.
    uint64_t (*hash)(void *instance);

    // Adds the bodies that touched in the last step, by their indices in the scene; a pair may be there more than once.
    void (*touching)(void *instance, pair_list *out);

    void (*destroy)(void *instance); // NULL is allowed
} bench_engine;

extern const bench_engine engine_abut;

#ifdef __cplusplus
}
#endif

#endif
