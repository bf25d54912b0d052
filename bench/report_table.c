// Columns of fixed width, so that rows can be printed as they come. Counts are those of the last frame.
#include "report.h"

#include <string.h>

// Scenes write poses and move nothing by velocity.
static bool shown(uint32_t stage)
{
    return strcmp(engine_abut.stage_name(stage), abut_stage_name(ABUT_STAGE_MOVE)) != 0;
}

static void begin(FILE *out)
{
    fprintf(out,
            "ns/body (median, p10, p90) and ms/frame: processor time of the step, with several threads elapsed time.\n"
            "elapsed and its stages behind it: elapsed time in ns a body.\n"
            "Counts are of the last frame; memory is in bytes a body, allocations are those while measured.\n"
            "A peer's time is also given as a multiple of abut's just before and just after it.\n\n");
    fprintf(out, "%-9s %8s %-5s %-6s %8s %8s %8s %8s %8s ", "scene", "bodies", "broad", "isa", "ns/body", "p10", "p90",
            "ms/frame", "elapsed");
    for (uint32_t stage = 0; stage < engine_abut.stages; ++stage)
    {
        if (shown(stage))
        {
            fprintf(out, "%7s ", engine_abut.stage_name(stage));
        }
    }
    fprintf(out, "%10s %8s %8s %6s %6s %s\n", "candidates", "touching", "points", "bytes", "allocs", "hash");
}

static void count(FILE *out, int width, bool is_known, uint64_t number)
{
    if (is_known)
    {
        fprintf(out, "%*llu ", width, (unsigned long long)number);
    }
    else
    {
        fprintf(out, "%*s ", width, "-");
    }
}

// A peer has stages of its own, which the table's columns do not name.
static void stages(FILE *out, const run_result *result)
{
    for (uint32_t stage = 0; stage < engine_abut.stages; ++stage)
    {
        if (!shown(stage))
        {
            continue;
        }
        if (result->engine == &engine_abut)
        {
            fprintf(out, "%7.1f ", result->stage_ns_per_body[stage]);
        }
        else
        {
            fprintf(out, "%7s ", "-");
        }
    }
}

// A peer's name replaces broad phase and instruction set.
static void beginning(FILE *out, const run_result *result)
{
    char engine[16];
    if (result->engine == &engine_abut)
    {
        snprintf(engine, sizeof engine, "%-5.5s %-6.6s", result->last.broad, result->last.isa);
    }
    else
    {
        snprintf(engine, sizeof engine, "%.12s", result->engine->name);
    }
    fprintf(out, "%-9.9s %8u %-12s %8.2f %8.2f %8.2f %8.3f %8.2f ", result->scene, result->bodies, engine,
            result->ns_per_body.median, result->ns_per_body.p10, result->ns_per_body.p90, report_ms(result),
            result->elapsed_ns_per_body);
}

static void beside(FILE *out, const run_result *result)
{
    const run_beside *it = &result->beside;
    fprintf(out, "  %.2f times abut's %.2f and %.2f;", it->ratio, it->ours_before, it->ours_after);
    if (it->found.missed + it->found.more == 0)
    {
        fprintf(out, " the same pairs touch\n");
        return;
    }
    fprintf(out, " of abut's touching pairs %llu are missed", (unsigned long long)it->found.missed);
    if (it->found.missed > 0)
    {
        fprintf(out, " (at most %.2g deep)", it->found.missed_deepest);
    }
    fprintf(out, ", %llu more are found", (unsigned long long)it->found.more);
    if (it->found.more > 0)
    {
        fprintf(out, " (at most %.2g apart)", it->found.more_widest);
    }
    fputc('\n', out);
}

static void row(FILE *out, const run_result *result)
{
    beginning(out, result);
    stages(out, result);
    count(out, 10, report_tells(result, ENGINE_TELLS_CANDIDATES), result->last.candidates);
    count(out, 8, true, result->last.touching);
    count(out, 8, report_tells(result, ENGINE_TELLS_POINTS), result->last.points);
    count(out, 6, result->bytes_per_body > 0.0, (uint64_t)(result->bytes_per_body + 0.5));
    count(out, 6, report_tells(result, ENGINE_TELLS_MEMORY), result->allocations);
    if (result->engine->hash)
    {
        fprintf(out, "%016llx\n", (unsigned long long)result->hash);
    }
    else
    {
        fprintf(out, "-\n");
    }
    if (result->engine != &engine_abut)
    {
        beside(out, result);
    }
}

const report_format report_table = { begin, row };
