// Runs a detect: passes in sequence, each a list of phases, with the time of each stage. If a phase fails, nothing is
// published and nothing observable has changed. The built-in pool and callers that drive tasks themselves take the same
// steps: open, advance and run until there are no more tasks, close.
#include "base/array.h"
#include "base/platform.h"
#include "shape/shape_table.h"
#include "world/journal.h"
#include "world/world.h"

#include <string.h>

void ab_world_count_results(abut_world *world)
{
    abut_statistics *s = &world->statistics;
    const ab_contact_store *store = &world->state.store;
    s->impacts = arrlenu(world->state.impacts[store->published]);
    s->contacts = ab_contact_list_count(&store->lists[store->published]);
    s->speculative = store->speculative;
    s->asleep = store->asleep.lists.live;
    s->points = store->points;
    s->begun = arrlenu(store->events[ABUT_BEGIN]);
    s->ended = arrlenu(store->events[ABUT_END]);
    s->overlaps =
        arrlenu(ab_pair_cache_found(&world->state.sensors.overlaps)->keys) + world->state.sensors.overlaps.asleep.live;
    s->vetoed = arrlenu(ab_pair_cache_found(&store->vetoes)->keys) + store->vetoes.asleep.live;
}

static void count(abut_world *world)
{
    abut_statistics *s = &world->statistics;
    ++world->state.detects;
    s->broad = world->cache.broad.ran;
    s->isa = world->isa;
    s->box_tests = world->cache.broad.box_tests;
    memcpy(s->level_tests, world->cache.broad.level_tests, sizeof s->level_tests);
    s->tree_depth = world->cache.broad.depth;
    s->sorts = world->cache.broad.sorts;
    s->candidates = arrlenu(world->cache.broad.pairs);
    s->recycled = ab_world_recycles(world) ? world->work.keeping.out.count : 0;
    s->filtered = world->work.stream.filtered;
    ab_world_count_results(world);
}

static void open_detection(abut_world *world, float horizon, bool caller_driven)
{
    ab_detection *d = &world->work.detection;
    ab_world_trim(world);
    d->caller_driven = caller_driven;
    world->cache.broad.single_threaded = !world->pool && !caller_driven;
    d->before = world->statistics;
    d->horizon_before = world->state.horizon;
    d->status = ABUT_OK;
    d->tasks = 0;
    world->work.keeping = (ab_kept_pass){ .pool = NULL };
    d->since = ab_platform_now_ns();
    world->state.horizon = horizon;
    memset(&world->statistics.elapsed_ns[ABUT_STAGE_BOUNDS], 0,
           (ABUT_STAGE_COUNT - ABUT_STAGE_BOUNDS) * sizeof *world->statistics.elapsed_ns);
    ab_world_list_passes(world, d->passes);
    d->pass = d->passes;
    d->phase = d->pass->phases;
}

// Goes on to the next pass; reads the clock when a stage ends.
static void end_pass(abut_world *world)
{
    ab_detection *d = &world->work.detection;
    const abut_stage stage = d->pass->stage;
    do
    {
        ++d->pass;
    } while (d->pass->unless && *d->pass->unless);
    d->phase = d->pass->phases;
    if (!d->phase || d->pass->stage != stage)
    {
        const uint64_t now = ab_platform_now_ns();
        world->statistics.elapsed_ns[stage] += now - d->since;
        d->since = now;
    }
}

// Prepares phases until one has tasks. Returns their number; zero at the end of the sequence.
static uint32_t advance(abut_world *world)
{
    ab_detection *d = &world->work.detection;
    uint32_t tasks = 0;
    while (tasks == 0 && d->phase)
    {
        const ab_phase *phase = d->phase;
        if (!phase->prepare)
        {
            end_pass(world);
            continue;
        }
        d->status = phase->prepare(d->pass->context, &tasks);
        d->task = phase->task;
        d->phase = d->status == ABUT_OK ? phase + 1 : NULL;
        tasks = d->status == ABUT_OK ? tasks : 0;
    }
    d->tasks = tasks;
    return tasks;
}

// Invalid input shows up in the bounds pass, or as a pair function's manifold; the index is the body's slot.
static abut_status fail_detect(abut_world *world, abut_status status, const char *call)
{
    const ab_record *records = world->cache.proxies.record;
    if (world->work.detection.pass >
        world->work.detection.passes + 1) // past those in which the broad phase has no part
    {
        ab_world_index_lost(world);
    }
    if (status != ABUT_INVALID_ARGUMENT)
    {
        return ab_fail(world, status, call, 0, abut_status_text(status));
    }
    if (world->work.detection.pass->stage == ABUT_STAGE_NARROW)
    {
        return ab_fail(
            world, status, call, records[world->work.narrow.invalid_proxy].collider_key >> 8,
            "the pair function of the body in this slot gave no unit normal, more than 4 points, or a number "
            "that is not finite");
    }
    return ab_fail(world, status, call, records[world->cache.broad.bad_proxy].collider_key >> 8,
                   "the pose or velocity of the body in this slot is not valid");
}

// Publishes, or undoes everything.
static abut_status close_detection(abut_world *world)
{
    ab_detection *d = &world->work.detection;
    const abut_status status = d->status;
    if (status == ABUT_OK)
    {
        ab_contact_store_publish(&world->work.update);
        ab_anchors_publish(world);
        ab_sensors_publish(&world->work.sensing, &world->state.sensors);
        ab_world_publish(world);
        ab_world_indexed(world);
        count(world);
        ab_world_cut(world);
        ab_world_judge_filters(world);
        AB_WORLD_CHECK(world);
        return ABUT_OK;
    }
    ab_kept_undo(&world->work.keeping);
    world->statistics = d->before;
    world->state.horizon = d->horizon_before;
    return status;
}

static abut_status detect(abut_world *world, float horizon)
{
    const ab_detection *d = &world->work.detection;
    open_detection(world, horizon, false);
    for (uint32_t tasks = advance(world); tasks > 0; tasks = advance(world))
    {
        world->work.busy = true; // kinds and pair functions of the caller may run
        ab_pool_run(world->pool, d->task, d->pass->context, tasks);
        world->work.busy = false;
    }
    return close_detection(world);
}

// Checks that a detect may begin, and empties the arena.
static abut_status enter(abut_world *world, float horizon, const char *call)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!ab_size_valid(horizon))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "the horizon is negative, not finite or past the limit");
    }
    ab_arena_empty(&world->work.arena);
    return ABUT_OK;
}

abut_status abut_world_detect(abut_world *world, float horizon)
{
    static const char *const call = "abut_world_detect";
    abut_status status = enter(world, horizon, call);
    if (status == ABUT_OK)
    {
        AB_TELL(world, .kind = AB_CHANGE_BEGINS, .bits = AB_RUNNING_DETECT, .seconds = horizon);
        const uint64_t mode = ab_platform_float_enter();
        status = detect(world, horizon);
        ab_platform_float_leave(mode);
        status = status == ABUT_OK ? ABUT_OK : fail_detect(world, status, call);
        AB_TELL(world, .kind = AB_CHANGE_ENDS, .bits = AB_RUNNING_DETECT, .status = status);
    }
    return status;
}

abut_status abut_world_step(abut_world *world, float dt)
{
    static const char *const call = "abut_world_step";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    AB_TELL(world, .kind = AB_CHANGE_BEGINS, .bits = AB_RUNNING_STEP, .seconds = dt);
    ab_world_float_enter(world);
    ab_undo undo;
    abut_status status = ab_move(world, dt, &undo, call);
    if (status == ABUT_OK)
    {
        status = detect(world, 0.0f);
        if (status != ABUT_OK)
        {
            ab_move_undo(world, &undo);
            (void)fail_detect(world, status, call);
        }
    }
    ab_world_float_leave(world);
    AB_TELL(world, .kind = AB_CHANGE_ENDS, .bits = AB_RUNNING_STEP, .status = status);
    return status;
}

// The progress of a task in a caller-driven detect.
enum
{
    TO_RUN,
    RUNNING,
    RUN
};

// Whether no task is running now.
static bool is_idle(const ab_detection *d)
{
    bool running = false;
    for (uint32_t i = 0; i < d->tasks; ++i)
    {
        running |= atomic_load_explicit(&d->progress[i], memory_order_acquire) == RUNNING;
    }
    return !running;
}

static abut_status run_task(ab_detection *d, uint32_t task)
{
    unsigned char found = TO_RUN;
    if (!atomic_compare_exchange_strong_explicit(&d->progress[task], &found, RUNNING, memory_order_acquire,
                                                 memory_order_relaxed))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    d->task(d->pass->context, task);
    atomic_store_explicit(&d->progress[task], RUN, memory_order_release);
    return ABUT_OK;
}

// Runs the tasks that no thread took, then advances. Without memory to note their progress, the tasks of a phase run
// here: late phases write results in place, and no phase may fail after them.
static uint32_t next(abut_world *world)
{
    ab_detection *d = &world->work.detection;
    for (uint32_t i = 0; i < d->tasks; ++i)
    {
        (void)run_task(d, i);
    }
    uint32_t tasks = advance(world);
    while (!ab_array_resize(d->progress, &world->memory, tasks))
    {
        ++world->memory.forgone;
        for (uint32_t i = 0; i < tasks; ++i)
        {
            d->task(d->pass->context, i);
        }
        tasks = advance(world);
    }
    for (uint32_t i = 0; i < tasks; ++i)
    {
        atomic_init(&d->progress[i], TO_RUN);
    }
    return tasks;
}

bool ab_detect_is_running(const abut_world *world)
{
    return world->work.detection.caller_driven && !is_idle(&world->work.detection);
}

abut_status abut_world_detect_begin(abut_world *world, float horizon)
{
    const abut_status status = enter(world, horizon, "abut_world_detect_begin");
    if (status == ABUT_OK)
    {
        AB_TELL(world, .kind = AB_CHANGE_BEGINS, .bits = AB_RUNNING_DETECT, .seconds = horizon);
        open_detection(world, horizon, true);
    }
    return status;
}

uint32_t abut_world_detect_next(abut_world *world)
{
    if (!world || world->work.busy || !world->work.detection.caller_driven)
    {
        return 0;
    }
    if (!is_idle(&world->work.detection))
    {
        return ABUT_NONE;
    }
    const uint64_t mode = ab_platform_float_enter();
    const uint32_t tasks = next(world);
    ab_platform_float_leave(mode);
    return tasks;
}

abut_status abut_world_detect_task(abut_world *world, uint32_t task)
{
    if (!world)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_status status = ABUT_INVALID_ARGUMENT;
    if (world->work.detection.caller_driven && task < world->work.detection.tasks)
    {
        const uint64_t mode = ab_platform_float_enter();
        status = run_task(&world->work.detection, task);
        ab_platform_float_leave(mode);
    }
    return status != ABUT_OK && world->work.busy ? ABUT_BUSY : status; // tasks that run side by side do not read it
}

abut_status abut_world_detect_end(abut_world *world)
{
    static const char *const call = "abut_world_detect_end";
    if (!world)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (world->work.busy || ab_detect_is_running(world))
    {
        return ABUT_BUSY;
    }
    if (!world->work.detection.caller_driven)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "no detect was begun");
    }
    const uint64_t mode = ab_platform_float_enter();
    while (next(world) > 0)
    {
    }
    world->work.detection.caller_driven = false;
    abut_status status = close_detection(world);
    ab_platform_float_leave(mode);
    status = status == ABUT_OK ? ABUT_OK : fail_detect(world, status, call);
    AB_TELL(world, .kind = AB_CHANGE_ENDS, .bits = AB_RUNNING_DETECT, .status = status);
    return status;
}
