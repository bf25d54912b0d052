// abut-bench: reads the options, runs them row by row, and writes each row as it comes.
#include "clock.h"
#include "pairs.h"
#include "progress.h"
#include "queries.h"
#include "side_by_side.h"
#include "state.h"
#include "storage.h"

// Of the default set: a row may take a third of a minute at most, and all together stay under it.
#define ROW_S 20.0
#define ALL_S 55.0

// Zero: as long as it takes.
static double allowance_s(const plan_row *row, const bench_options *options, uint64_t started_ns)
{
    if (!row->by_default || options->limit_s > 0)
    {
        return options->limit_s;
    }
    double left = ALL_S - 1e-9 * (double)(clock_elapsed_ns() - started_ns);
    return left < 1e-3 ? 1e-3 : left < ROW_S ? left : ROW_S;
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
        const run_settings settings = {
            .engine = options->settings,
            .after = options->after,
            .frames = options->frames,
            .hash_all = options->hash_all,
            .allowance_s = allowance_s(row, options, started_ns),
            .shown = progress_frame,
        };
        progress_row(i, row->file ? row->file : scene_describe(row->kind).name, row->bodies);
        if (!side_by_side(row, options, &settings, out, complaint))
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

// Whether a peer can be measured that was asked for, or none was.
static bool peers_step(const bench_options *options, bench_complaint *complaint)
{
    const size_t peers = arrlenu(options->peers);
    bool some = peers == 0;
    for (size_t i = 0; i < peers; ++i)
    {
        some = some || options->peers[i]->step;
    }
    return some || complain(complaint, EXIT_ASKED, "peer '%s' answers --queries alone", options->peers[0]->name);
}

static bool measure(const bench_options *options, bench_complaint *complaint)
{
    bench_plan plan = { 0 };
    outputs out = { 0 };
    bool sound = peers_step(options, complaint) && plan_make(&plan, options, complaint) &&
                 outputs_open(&out, options, complaint) && run_plan(&plan, options, &out, complaint);
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
    else if (sound && options.pairs)
    {
        sound = pairs_run(&options, &complaint);
    }
    else if (sound && options.state)
    {
        sound = state_run(&options, &complaint);
    }
    else if (sound && options.queries)
    {
        sound = queries_run(&options, &complaint);
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
