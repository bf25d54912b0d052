// One scene through one engine: frame by frame, timed, counted, hashed, and checked.
#ifndef ABUT_BENCH_RUN_H
#define ABUT_BENCH_RUN_H

#include "compare.h"
#include "engine.h"
#include "series.h"

typedef struct run_settings
{
    engine_settings engine;
    uint32_t after;  // frames run before those, for what grows worse with time
    uint32_t frames; // all of them at most those recorded
    bool
        hash_all; // every frame is hashed, which reads all that there is between two steps: for comparing, not for times
    double allowance_s; // leave the run off when its second frame predicts more; zero: take whatever time it needs
    void (*shown)(uint32_t frame, uint32_t frames); // called after each frame; NULL: nobody watches
} run_settings;

// How a peer did in comparison with abut, which ran before it and after it.
typedef struct run_beside
{
    double ours_before, ours_after; // medians in ns a body
    double ratio;                   // the peer's over the mean of both
    comparison found;               // in the last frame
} run_beside;

typedef struct run_result
{
    const char *scene; // its name; stands as long as the scene
    const bench_engine *engine;
    uint32_t bodies;
    uint32_t threads;
    uint32_t frames;                         // run
    uint32_t dropped;                        // of those, the first, which are not measured
    const char *clock;                       // of ns_per_body: "processor" (one thread) or "elapsed"
    series_summary ns_per_body;              // the whole step
    double elapsed_ns_per_body;              // the whole step by elapsed time, as stages are: a median
    double stage_ns_per_body[ENGINE_STAGES]; // medians, of elapsed time
    engine_frame last;                       // what the engine said of the last frame
    uint64_t allocations;                    // in the measured frames
    double bytes_per_body;                   // at the end; of a peer what malloc says, or 0 where it says nothing
    uint64_t hash;                           // of the last frame, or of all frames' hashes; 0 when the engine has none
    run_beside beside;                       // of a peer
} run_result;

typedef enum run_outcome
{
    RUN_DONE,
    RUN_LEFT_OUT, // would have taken longer than allowed: the complaint's sentence says by how much
    RUN_FAILED
} run_outcome;

// Steps `scene`, which shows frame 0, to the end of the run. `touching` takes the pairs of the last frame; NULL: nobody
// asks.
run_outcome run(const bench_engine *engine, bench_scene *scene, const run_settings *settings, run_result *out,
                pair_list *touching, bench_complaint *complaint);

#endif
