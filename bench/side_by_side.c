#include "side_by_side.h"

#include "storage.h"

// A row under way.
typedef struct sitting
{
    const plan_row *row;
    const run_settings *settings;
    const outputs *out;
    bench_complaint *complaint;
    pair_list ours; // of abut's last run
} sitting;

static void leave_out(const sitting *it, const bench_engine *engine, const bench_scene *scene)
{
    char sentence[sizeof it->complaint->sentence + 64];
    snprintf(sentence, sizeof sentence, "%-9.9s %8u is left out%s%s: %s", scene->name, scene->bodies,
             engine == &engine_abut ? "" : " of ", engine == &engine_abut ? "" : engine->name, it->complaint->sentence);
    outputs_note(it->out, sentence);
    *it->complaint = (bench_complaint){ 0 };
}

// Steps a scene of its own, which is left showing the last frame; it is closed by the caller, NULL or not.
static run_outcome run_through(const sitting *it, const bench_engine *engine, run_result *result, pair_list *touching,
                               bench_scene **scene)
{
    *scene = plan_open_scene(it->row, it->complaint);
    if (!*scene)
    {
        return RUN_FAILED;
    }
    const run_outcome outcome = run(engine, *scene, it->settings, result, touching, it->complaint);
    if (outcome == RUN_LEFT_OUT)
    {
        leave_out(it, engine, *scene);
    }
    return outcome;
}

static run_outcome run_ours(sitting *it, run_result *result, bench_scene **scene)
{
    it->ours.count = 0;
    return run_through(it, &engine_abut, result, &it->ours, scene);
}

// `ours` is abut's run before, and is replaced by the one after.
static bool run_beside_ours(sitting *it, const bench_engine *peer, run_result *ours)
{
    bench_scene *scene = NULL;
    pair_list theirs = { 0 };
    run_result result;
    run_outcome outcome = run_through(it, peer, &result, &theirs, &scene);
    if (outcome == RUN_DONE)
    {
        run_beside *beside = &result.beside;
        beside->found = compare(&it->ours, &theirs, scene);
        beside->ours_before = ours->ns_per_body.median;
        bench_scene *again = NULL;
        outcome = run_ours(it, ours, &again);
        if (outcome == RUN_DONE)
        {
            beside->ours_after = ours->ns_per_body.median;
            beside->ratio = 2.0 * result.ns_per_body.median / (beside->ours_before + beside->ours_after);
            outputs_row(it->out, &result);
        }
        scene_close(again);
    }
    pair_list_release(&theirs);
    scene_close(scene);
    return outcome != RUN_FAILED;
}

// Peers are given spheres and boxes in space, and meshes and hulls if they know them.
static bool knows(const bench_engine *peer, const bench_scene *scene)
{
    bool known = scene->dimension != 2;
    for (uint32_t i = 0; known && i < scene->count; ++i)
    {
        const abut_shape_kind kind = scene->defs[i].collider.shape.kind;
        known = kind == ABUT_SPHERE || kind == ABUT_AABB || kind == ABUT_OBB ||
                (kind == ABUT_MESH && peer->knows_meshes) || (kind == ABUT_HULL && peer->knows_hulls);
    }
    return known;
}

static bool all_peers(sitting *it, const bench_options *options, const bench_scene *scene, run_result *ours)
{
    bool sound = true;
    for (size_t i = 0; sound && i < arrlenu(options->peers); ++i)
    {
        if (!options->peers[i]->step) // it answers queries alone
        {
            continue;
        }
        if (knows(options->peers[i], scene))
        {
            sound = run_beside_ours(it, options->peers[i], ours);
            continue;
        }
        char sentence[128];
        snprintf(sentence, sizeof sentence, "%-9.9s %8u runs without %s, which does not have its shapes", scene->name,
                 scene->bodies, options->peers[i]->name);
        outputs_note(it->out, sentence);
    }
    return sound;
}

bool side_by_side(const plan_row *row, const bench_options *options, const run_settings *settings, const outputs *out,
                  bench_complaint *complaint)
{
    sitting it = { .row = row, .settings = settings, .out = out, .complaint = complaint };
    bench_scene *scene = NULL;
    run_result ours;
    const run_outcome outcome = run_ours(&it, &ours, &scene);
    bool sound = outcome != RUN_FAILED;
    if (outcome == RUN_DONE)
    {
        outputs_row(out, &ours);
        sound = all_peers(&it, options, scene, &ours);
    }
    scene_close(scene);
    pair_list_release(&it.ours);
    return sound;
}
