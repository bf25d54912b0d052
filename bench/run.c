// Moving the scene, counting and hashing are outside the time that is taken.
#include "run.h"

#include "clock.h"
#include "heap.h"
#include "storage.h"

#define DROPPED 10u // the first frames: caches warm up, arrays grow, sort orders adapt

// A run under way. times[stage][frame], in ns; the two rows after the last stage are the whole step, by the clock that
// is quoted and by elapsed time.
typedef struct course
{
    const bench_engine *engine;
    bench_scene *scene;
    void *instance;
    double *times;
    uint32_t frames, dropped;
    uint32_t threads;
    uint64_t alive;              // contacts begun and not ended
    uint64_t allocations_before; // the measured frames
    bool hash_all;
    uint64_t hash;        // of the frames so far, when all are hashed
    uint64_t heap_before; // the engine was created
    engine_frame last;
    bench_complaint *complaint;
} course;

static uint64_t fnv_1a(uint64_t hash, uint64_t word)
{
    for (int byte = 0; byte < 8; ++byte)
    {
        hash = (hash ^ (word >> (8 * byte) & 0xff)) * 0x100000001b3u;
    }
    return hash;
}

static double *times_of(const course *it, uint32_t stage)
{
    return it->times + (size_t)stage * it->frames;
}

// begin = end + alive: what has begun and not ended is what touches.
static bool events_add_up(course *it)
{
    it->alive += it->last.begun - it->last.ended;
    if (!(it->engine->tells & ENGINE_TELLS_EVENTS) || it->alive == it->last.touching)
    {
        return true;
    }
    return complain(it->complaint, EXIT_BROKEN,
                    "%s with %u bodies, frame %u: %llu contacts touch, but by their events %llu should",
                    it->scene->name, it->scene->bodies, it->scene->frame, (unsigned long long)it->last.touching,
                    (unsigned long long)it->alive);
}

static bool step(course *it)
{
    const uint64_t elapsed_before = clock_elapsed_ns(), start = clock_step_ns(it->threads);
    if (!it->engine->step(it->instance, it->scene, it->complaint))
    {
        return false;
    }
    const uint64_t end = clock_step_ns(it->threads), elapsed_after = clock_elapsed_ns();
    uint32_t frame = it->scene->frame;
    it->engine->inspect(it->instance, &it->last);
    times_of(it, it->engine->stages)[frame] = (double)(end - start);
    times_of(it, it->engine->stages + 1)[frame] = (double)(elapsed_after - elapsed_before);
    for (uint32_t stage = 0; stage < it->engine->stages; ++stage)
    {
        times_of(it, stage)[frame] = it->last.stage_ns[stage];
    }
    if (it->hash_all && it->engine->hash)
    {
        it->hash = fnv_1a(it->hash, it->engine->hash(it->instance));
    }
    if (frame + 1 == it->dropped)
    {
        it->allocations_before = it->last.allocations;
    }
    return events_add_up(it);
}

// What is quoted of a stage, in ns a body.
static series_summary quoted(const course *it, uint32_t stage)
{
    series_summary ns = series_summarise(times_of(it, stage) + it->dropped, it->frames - it->dropped);
    double bodies = it->scene->bodies;
    return (series_summary){ ns.median / bodies, ns.p10 / bodies, ns.p90 / bodies };
}

// By its own account, or else by malloc's.
static uint64_t bytes_held(const course *it)
{
    const uint64_t heap = heap_bytes();
    return it->engine->tells & ENGINE_TELLS_MEMORY ? it->last.bytes
           : heap > it->heap_before                ? heap - it->heap_before
                                                   : 0;
}

static void conclude(const course *it, run_result *out)
{
    out->scene = it->scene->name;
    out->engine = it->engine;
    out->bodies = it->scene->bodies;
    out->frames = it->frames;
    out->dropped = it->dropped;
    out->clock = clock_step_name(it->threads);
    out->ns_per_body = quoted(it, it->engine->stages);
    out->elapsed_ns_per_body = quoted(it, it->engine->stages + 1).median;
    for (uint32_t stage = 0; stage < it->engine->stages; ++stage)
    {
        out->stage_ns_per_body[stage] = quoted(it, stage).median;
    }
    out->last = it->last;
    out->allocations = it->last.allocations - it->allocations_before;
    out->bytes_per_body = (double)bytes_held(it) / it->scene->bodies;
    if (it->engine->hash)
    {
        out->hash = it->hash_all ? it->hash : it->engine->hash(it->instance);
    }
}

// From the second frame, since the first grows arrays and warms caches.
static bool takes_too_long(const course *it, double allowance_s, double frame_s)
{
    double expected_s = frame_s * it->frames;
    if (it->scene->frame != 1 || allowance_s == 0.0 || expected_s <= allowance_s)
    {
        return false;
    }
    complain(it->complaint, 0, "%u frames would take about %.0f s; give --bodies to run it", it->frames, expected_s);
    return true;
}

static run_outcome all_frames(course *it, const run_settings *settings)
{
    for (;;)
    {
        uint64_t start = clock_elapsed_ns();
        if (!step(it))
        {
            return RUN_FAILED;
        }
        uint32_t done = it->scene->frame + 1;
        if (settings->shown)
        {
            settings->shown(done, it->frames);
        }
        if (done == it->frames)
        {
            return RUN_DONE;
        }
        if (takes_too_long(it, settings->allowance_s, 1e-9 * (double)(clock_elapsed_ns() - start)))
        {
            return RUN_LEFT_OUT;
        }
        scene_advance(it->scene);
    }
}

run_outcome run(const bench_engine *engine, bench_scene *scene, const run_settings *settings, run_result *out,
                pair_list *touching, bench_complaint *complaint)
{
    *out = (run_result){ .threads = engine->single_threaded ? 1 : settings->engine.threads };
    uint32_t frames = settings->after + settings->frames;
    uint32_t after = settings->after;
    if (scene->frames > 0 && scene->frames < frames)
    {
        frames = scene->frames;
        after = after < frames ? after : frames - 1;
    }
    uint32_t kept = frames - after;
    course it = {
        .engine = engine,
        .scene = scene,
        .frames = frames,
        .dropped = after + (kept < 2 * DROPPED ? kept / 2 : DROPPED),
        .threads = engine->single_threaded ? 1 : settings->engine.threads,
        .hash_all = settings->hash_all,
        .hash = 0xcbf29ce484222325u,
        .complaint = complaint,
    };
    it.times = storage_take((size_t)frames * (engine->stages + 2), sizeof *it.times);
    it.heap_before = heap_bytes();
    it.instance = engine->create(scene, &settings->engine, complaint);
    if (!it.instance)
    {
        storage_give(it.times);
        return RUN_FAILED;
    }
    engine->inspect(it.instance, &it.last);
    it.allocations_before = it.last.allocations;
    run_outcome outcome = all_frames(&it, settings);
    if (outcome == RUN_DONE)
    {
        conclude(&it, out);
        if (touching)
        {
            engine->touching(it.instance, touching);
        }
    }
    storage_give(it.times);
    engine->destroy(it.instance);
    return outcome;
}
