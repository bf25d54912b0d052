// Each kind of question is asked in passes over all of its questions, first one by one, then in a batch, then of other
// engines. abut's own two forms must agree in every bit; what another engine finds else is counted.
#include "queries.h"

#include "clock.h"
#include "peers/query_engine.h"
#include "plan.h"
#include "query_abut.h"
#include "storage.h"

#include <math.h>
#include <stdlib.h>

#define PASSES      7u
#define PEER_PASSES 3u

typedef struct course
{
    const bench_options *options;
    const row_files *files;
    const bench_scene *scene; // of the plan
    query_worlds worlds;
    const bench_scene *asked;     // the scene, or its ground alone
    abut_world *world;            // that holds this
    const bench_engine **engines; // stb_ds: others that answer queries
    void **instances;             // of them
    query_answers *own, *theirs;
    bench_complaint *complaint;
} course;

// ABUT_OK or a complaint.
static bool accepted(const course *it, abut_status status, const char *what)
{
    const int exit_status = status == ABUT_UNSUPPORTED ? EXIT_ASKED : EXIT_BROKEN;
    return status == ABUT_OK ||
           complain(it->complaint, exit_status, "abut's %s failed: %s", what, abut_status_text(status));
}

static int rising(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_of(double *ns, uint32_t passes)
{
    qsort(ns, passes, sizeof *ns, rising);
    return ns[passes / 2] / QUERY_COUNT;
}

typedef abut_status ask(query_found *found, const query_set *set, const abut_world *world);

// The median in *ns; the answers are those of the last pass.
static bool time_own(const course *it, const query_set *set, ask *asked, query_found *found, double *ns)
{
    const uint32_t threads = it->options->settings.threads;
    const uint32_t passes = options_passes(it->options, PASSES);
    double times[PASSES];
    for (uint32_t pass = 0; pass < passes; ++pass)
    {
        const uint64_t began = clock_step_ns(threads);
        const abut_status status = asked(found, set, it->world);
        times[pass] = (double)(clock_step_ns(threads) - began);
        if (!accepted(it, status, query_name(set->kind)))
        {
            return false;
        }
    }
    *ns = median_of(times, passes);
    return true;
}

static uint64_t sum_of(const query_answers *answers)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        sum += answers->hits[i];
    }
    return sum;
}

static float length_of(const query_set *set, uint32_t i)
{
    return set->rays    ? abut_vec3_length(set->rays[i].translation)
           : set->casts ? abut_vec3_length(set->casts[i].translation)
                        : 0.0f;
}

static uint32_t count_differing(const query_set *set, const query_answers *own, const query_answers *theirs)
{
    uint32_t differing = 0;
    for (uint32_t i = 0; i < QUERY_COUNT; ++i)
    {
        const float apart = fabsf(own->fractions[i] - theirs->fractions[i]) * length_of(set, i);
        differing += own->hits[i] != theirs->hits[i] || !(apart <= QUERY_BAND);
    }
    return differing;
}

// A peer's answers of one form; ours of the same form is `own`.
static void run_peer(const course *it, size_t e, const query_set *set, const queries_row *own)
{
    const query_engine *engine = it->engines[e]->queries;
    const uint32_t passes = options_passes(it->options, PEER_PASSES);
    double times[PEER_PASSES];
    for (uint32_t pass = 0; pass < passes; ++pass)
    {
        const uint64_t began = clock_thread_ns();
        (own->batch > 1 ? engine->ask_many : engine->ask)(it->instances[e], set, it->theirs);
        times[pass] = (double)(clock_thread_ns() - began);
    }
    queries_row row = *own;
    row.engine = it->engines[e]->name;
    row.ns = median_of(times, passes);
    row.ratio = row.ns / own->ns;
    row.hits = sum_of(it->theirs);
    row.has_hash = false;
    row.differing = count_differing(set, it->own, it->theirs);
    queries_report_row(it->files, &row);
}

static void run_peers(const course *it, const query_set *set, const queries_row *each, const queries_row *batch)
{
    for (size_t e = 0; e < arrlenu(it->engines); ++e)
    {
        const query_engine *engine = it->engines[e]->queries;
        const bool known = engine->knows(set->kind) && (engine->knows_hulls || it->asked->hull_count == 0);
        if (known)
        {
            run_peer(it, e, set, each);
        }
        if (known && engine->ask_many)
        {
            run_peer(it, e, set, batch);
        }
    }
}

static bool run_set(const course *it, const query_set *set, query_found *found)
{
    queries_row each = { .scene = it->asked->name,
                         .query = query_name(set->kind),
                         .engine = engine_abut.name,
                         .bodies = it->scene->bodies,
                         .batch = 1,
                         .has_hash = true };
    if (!accepted(it, query_found_make(found, set, it->world), each.query) ||
        !time_own(it, set, query_ask_each, found, &each.ns))
    {
        return false;
    }
    each.hash = query_found_hash(found);
    const uint32_t miscounted = found->miscounted;
    queries_row batch = each;
    batch.batch = QUERY_COUNT;
    if (!time_own(it, set, query_ask_many, found, &batch.ns))
    {
        return false;
    }
    batch.hash = query_found_hash(found);
    query_found_answers(found, set, it->own);
    each.hits = batch.hits = sum_of(it->own);
    queries_report_row(it->files, &each);
    queries_report_row(it->files, &batch);
    run_peers(it, set, &each, &batch);
    return (batch.hash == each.hash && miscounted == 0) ||
           complain(it->complaint, EXIT_BROKEN, "%s in scene %s: a batch has other answers than one by one", each.query,
                    each.scene);
}

static bool run_kinds(const course *it, query_kind kinds)
{
    bool sound = true;
    for (query_kind kind = 0; sound && kind < kinds; ++kind)
    {
        query_set set;
        query_found found = { 0 };
        sound = query_set_make(&set, kind, it->scene, &it->worlds, it->complaint) && run_set(it, &set, &found);
        query_found_release(&found);
        query_set_release(&set);
    }
    return sound;
}

// The others hold the scene while abut answers, too, so that all find the same caches.
static bool open_peers(course *it)
{
    for (size_t e = 0; e < arrlenu(it->engines); ++e)
    {
        arrput(it->instances, it->engines[e]->queries->create(it->asked, it->complaint));
        if (!it->instances[e])
        {
            return false;
        }
    }
    return true;
}

static void close_peers(course *it)
{
    for (size_t e = 0; e < arrlenu(it->instances); ++e)
    {
        it->engines[e]->queries->destroy(it->instances[e]);
    }
    arrfree(it->instances);
}

static bool open_world(const course *it, const bench_scene *scene, abut_world **out)
{
    const engine_settings *settings = &it->options->settings;
    const abut_world_def def = { .broad = settings->broad, .isa = settings->isa, .threads = settings->threads };
    abut_body *bodies = storage_take(scene->count, sizeof *bodies);
    const bool sound =
        accepted(it, abut_world_create(&def, out), "abut_world_create") &&
        accepted(it, abut_body_create_many(*out, scene->defs, scene->count, bodies), "abut_body_create_many") &&
        accepted(it, abut_world_detect(*out, 0.0f), "abut_world_detect");
    storage_give(bodies);
    return sound;
}

static bool ask_of(course *it, const bench_scene *asked, abut_world *world, query_kind kinds)
{
    it->asked = asked;
    it->world = world;
    const bool sound = open_peers(it) && run_kinds(it, kinds);
    close_peers(it);
    return sound;
}

// The ground of a scene that has one, without the bodies on it.
static bench_scene ground_of(const bench_scene *scene, const char *name)
{
    bench_scene ground = *scene;
    uint32_t first = scene->moving;
    while (ground.ground && scene->defs[first].collider.shape.kind != ABUT_MESH)
    {
        ++first;
    }
    ground.name = name;
    ground.count = 1;
    ground.moving = 0;
    ground.defs += first;
    ground.poses += first;
    return ground;
}

// A scene of the plan at frame 0: all questions of all of it, and the same rays against its ground alone.
static bool run_scene(course *it, const plan_row *row)
{
    bench_scene *scene = plan_open_scene(row, it->complaint);
    it->scene = scene;
    it->worlds = (query_worlds){ 0 };
    bool sound = scene && open_world(it, scene, &it->worlds.all);
    if (sound && scene->ground)
    {
        char name[64];
        snprintf(name, sizeof name, "%s-mesh", scene->name);
        const bench_scene ground = ground_of(scene, name);
        sound = open_world(it, &ground, &it->worlds.ground) && ask_of(it, scene, it->worlds.all, QUERY_KINDS) &&
                ask_of(it, &ground, it->worlds.ground, QUERY_RAY_ALL);
    }
    else
    {
        sound = sound && ask_of(it, scene, it->worlds.all, QUERY_KINDS);
    }
    abut_world_destroy(it->worlds.all);
    abut_world_destroy(it->worlds.ground);
    scene_close(scene);
    return sound;
}

static bool is_2d(const plan_row *row, bool *out, bench_complaint *complaint)
{
    plan_row small = *row;
    small.bodies = 1;
    bench_scene *scene = plan_open_scene(&small, complaint);
    *out = scene && scene->dimension == 2;
    scene_close(scene);
    return scene != NULL;
}

// Without a scene or file: gas, dense and sizes. Without a number of bodies: 10,000.
static void choose_defaults(bench_options *options)
{
    static const char *const names[] = { "gas", "dense", "sizes" };
    const bool none = !options->kinds && !options->all_scenes && !options->file;
    for (uint32_t i = 0; none && i < sizeof names / sizeof *names; ++i)
    {
        arrput(options->kinds, scene_find(names[i]));
    }
    if (!options->bodies && (options->kinds || options->all_scenes))
    {
        arrput(options->bodies, 10000);
    }
}

static bool choose_peers(course *it)
{
    const size_t wanted = arrlenu(it->options->peers);
    for (size_t i = 0; i < wanted; ++i)
    {
        if (it->options->peers[i]->queries)
        {
            arrput(it->engines, it->options->peers[i]);
        }
    }
    return wanted == 0 || it->engines ||
           complain(it->complaint, EXIT_ASKED, "peer '%s' answers no queries", it->options->peers[0]->name);
}

static bool run_plan(course *it, const bench_plan *plan)
{
    queries_report_head(it->files);
    for (size_t i = 0; i < arrlenu(plan->rows); ++i)
    {
        const plan_row *row = &plan->rows[i];
        bool skipped;
        if (!is_2d(row, &skipped, it->complaint))
        {
            return false;
        }
        if (skipped && !it->options->all_scenes)
        {
            return complain(it->complaint, EXIT_ASKED, "scene %s is in 2D, where queries are not measured",
                            scene_describe(row->kind).name);
        }
        if (!skipped && !run_scene(it, row))
        {
            return false;
        }
    }
    return true;
}

bool queries_run(bench_options *options, bench_complaint *complaint)
{
    bench_plan plan = { 0 };
    row_files files = { 0 };
    course it = { .options = options, .files = &files, .complaint = complaint };
    choose_defaults(options);
    bool sound =
        choose_peers(&it) && plan_make(&plan, options, complaint) && row_files_open(&files, options, complaint);
    if (sound)
    {
        it.own = storage_take(1, sizeof *it.own);
        it.theirs = storage_take(1, sizeof *it.theirs);
        sound = run_plan(&it, &plan);
    }
    bench_complaint unwritten;
    if (!row_files_close(&files, &unwritten) && sound)
    {
        *complaint = unwritten;
        sound = false;
    }
    storage_give(it.own);
    storage_give(it.theirs);
    arrfree(it.engines);
    plan_release(&plan);
    return sound;
}
