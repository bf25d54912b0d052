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
            "Times: processor time in ns a body (median, p10, p90) and ms a frame; stages: elapsed time in ns a body.\n"
            "Counts are of the last frame; memory is in bytes a body, allocations are those while measured.\n\n");
    fprintf(out, "%-9s %8s %-5s %-6s %8s %8s %8s %8s ", "scene", "bodies", "broad", "isa", "ns/body", "p10", "p90",
            "ms/frame");
    for (uint32_t stage = 0; stage < engine_abut.stages; ++stage)
    {
        if (shown(stage))
        {
            fprintf(out, "%7s ", engine_abut.stage_name(stage));
        }
    }
    fprintf(out, "%10s %8s %8s %6s %6s %s\n", "candidates", "touching", "points", "bytes", "allocs", "hash");
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

static void row(FILE *out, const run_result *result)
{
    bool ours = result->engine == &engine_abut;
    fprintf(out, "%-9.9s %8u %-5.5s %-6s %8.2f %8.2f %8.2f %8.3f ", result->scene, result->bodies,
            ours ? result->last.broad : result->engine->name, ours ? result->last.isa : "-", result->ns_per_body.median,
            result->ns_per_body.p10, result->ns_per_body.p90, report_ms(result));
    stages(out, result);
    count(out, 10, report_tells(result, ENGINE_TELLS_CANDIDATES), result->last.candidates);
    count(out, 8, true, result->last.touching);
    count(out, 8, report_tells(result, ENGINE_TELLS_POINTS), result->last.points);
    count(out, 6, report_tells(result, ENGINE_TELLS_MEMORY), (uint64_t)(result->bytes_per_body + 0.5));
    count(out, 6, report_tells(result, ENGINE_TELLS_MEMORY), result->allocations);
    if (report_tells(result, ENGINE_TELLS_HASH))
    {
        fprintf(out, "%016llx\n", (unsigned long long)result->hash);
    }
    else
    {
        fprintf(out, "-\n");
    }
}

const report_format report_table = { begin, row };
