// abut-bench: reads what is asked for, runs it row by row, and writes each row as it comes.
#include "clock.h"
#include "outputs.h"
#include "plan.h"
#include "progress.h"
#include "storage.h"

// Of the default set: a row may take a third of a minute at most, and all together stay under it.
#define ROW_S 20.0
#define ALL_S 55.0

// Zero: as long as it takes.
static double allowance_s(const plan_row *row, uint64_t started_ns)
{
    if (!row->by_default)
    {
        return 0.0;
    }
    double left = ALL_S - 1e-9 * (double)(clock_elapsed_ns() - started_ns);
    return left < 1e-3 ? 1e-3 : left < ROW_S ? left : ROW_S;
}

static bool run_row(const plan_row *row, const run_settings *settings, const outputs *out, bench_complaint *complaint)
{
    bench_scene *scene = plan_open_scene(row, complaint);
    if (!scene)
    {
        return false;
    }
    run_result result;
    run_outcome outcome = run(&engine_abut, scene, settings, &result, complaint);
    if (outcome == RUN_DONE)
    {
        outputs_row(out, &result);
    }
    else if (outcome == RUN_LEFT_OUT)
    {
        char sentence[sizeof complaint->sentence + 64];
        snprintf(sentence, sizeof sentence, "%-9.9s %8u is left out: %s", scene->name, scene->bodies,
                 complaint->sentence);
        outputs_note(out, sentence);
    }
    scene_close(scene);
    return outcome != RUN_FAILED;
}

static bool run_plan(const bench_plan *plan, const bench_options *options, const outputs *out,
                     bench_complaint *complaint)
{
    uint64_t started_ns = clock_elapsed_ns();
    uint32_t rows = (uint32_t)arrlenu(plan->rows);
    progress_open(rows);
    for (uint32_t i = 0; i < rows; ++i)
    {
        const plan_row *row = &plan->rows[i];
        run_settings settings = { .engine = options->settings, .frames = options->frames, .shown = progress_frame };
        settings.allowance_s = allowance_s(row, started_ns);
        progress_row(i, row->file ? row->file : scene_describe(row->kind).name, row->bodies);
        if (!run_row(row, &settings, out, complaint))
        {
            progress_clear();
            return false;
        }
    }
    for (uint32_t i = 0; i < arrlenu(plan->notes); ++i)
    {
        outputs_note(out, plan->notes[i]);
    }
    return true;
}

static bool measure(const bench_options *options, bench_complaint *complaint)
{
    bench_plan plan = { 0 };
    outputs out = { 0 };
    bool sound = plan_make(&plan, options, complaint) && outputs_open(&out, options, complaint) &&
                 run_plan(&plan, options, &out, complaint);
    bench_complaint unwritten;
    if (!outputs_close(&out, &unwritten) && sound)
    {
        *complaint = unwritten;
        sound = false;
    }
    plan_release(&plan);
    return sound;
}

int main(int count, char **words)
{
    bench_options options;
    bench_complaint complaint = { 0 };
    bool sound = options_read(&options, count, words, &complaint);
    if (sound && options.help)
    {
        options_print_help(stdout);
    }
    else if (sound && options.list)
    {
        options_print_list(stdout);
    }
    else if (sound)
    {
        sound = measure(&options, &complaint);
    }
    options_release(&options);
    if (!sound)
    {
        fprintf(stderr, "abut-bench: %s\n", complaint.sentence);
        return complaint.status;
    }
    return 0;
}
