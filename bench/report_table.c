// Columns of fixed width, so that rows can be printed as they come. Counts are those of the last frame.
#include "report.h"

#include <stdlib.h>

static void begin(FILE *out)
{
    fprintf(
        out,
        "times: ns a body (median, p10, p90 and the stages), ms a frame; counts: in the last frame; memory: bytes a\n"
        "body, allocations while measured\n\n");
    fprintf(out, "%-10s %9s %-6s %-7s %8s %8s %8s %9s ", "scene", "bodies", "broad", "isa", "ns/body", "p10", "p90",
            "ms/frame");
    for (uint32_t stage = 0; stage < engine_abut.stages; ++stage)
    {
        fprintf(out, "%8s ", engine_abut.stage_name(stage));
    }
    fprintf(out, "%10s %9s %9s %8s %6s  %s\n", "candidates", "touching", "points", "bytes", "allocs", "hash");
}

static void count(FILE *out, int width, bool told, uint64_t number)
{
    if (told)
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
        if (result->engine == &engine_abut)
        {
            fprintf(out, "%8.2f ", result->stage_ns_per_body[stage]);
        }
        else
        {
            fprintf(out, "%8s ", "-");
        }
    }
}

static void row(FILE *out, const run_result *result)
{
    bool ours = result->engine == &engine_abut;
    fprintf(out, "%-10.10s %9u %-6.6s %-7s %8.2f %8.2f %8.2f %9.3f ", result->scene, result->bodies,
            ours ? result->last.broad : result->engine->name, ours ? result->last.isa : "-", result->ns_per_body.median,
            result->ns_per_body.p10, result->ns_per_body.p90, report_ms(result));
    stages(out, result);
    count(out, 10, report_tells(result, ENGINE_TELLS_CANDIDATES), result->last.candidates);
    count(out, 9, true, result->last.touching);
    count(out, 9, report_tells(result, ENGINE_TELLS_POINTS), result->last.points);
    count(out, 8, report_tells(result, ENGINE_TELLS_MEMORY), (uint64_t)(result->bytes_per_body + 0.5));
    count(out, 6, report_tells(result, ENGINE_TELLS_MEMORY), result->allocations);
    if (report_tells(result, ENGINE_TELLS_HASH))
    {
        fprintf(out, " %016llx\n", (unsigned long long)result->hash);
    }
    else
    {
        fprintf(out, " -\n");
    }
}

const report_format report_table = { begin, row };
