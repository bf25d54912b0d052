// A line of names, then a line a run. The stages are abut's; what an engine does not tell is empty.
#include "report.h"

#include <string.h>

static void begin(FILE *out)
{
    fprintf(out, "scene,bodies,engine,broad,isa,threads,frames,dropped,clock,ns_per_body,p10,p90,ms_per_frame,elapsed_"
                 "ns_per_body");
    for (uint32_t stage = 0; stage < engine_abut.stages; ++stage)
    {
        fprintf(out, ",%s", engine_abut.stage_name(stage));
    }
    fprintf(out, ",candidates,touching,points,allocations,bytes_per_body,hash,"
                 "ratio,ours_before,ours_after,missed,missed_deepest,more,more_widest\n");
}

// Quoted when it has to be (RFC 4180).
static void text(FILE *out, const char *value)
{
    if (!strpbrk(value, ",\"\r\n"))
    {
        fprintf(out, "%s", value);
        return;
    }
    fputc('"', out);
    for (const char *c = value; *c; ++c)
    {
        fprintf(out, *c == '"' ? "\"\"" : "%c", *c);
    }
    fputc('"', out);
}

static void count(FILE *out, bool is_known, uint64_t number)
{
    fputc(',', out);
    if (is_known)
    {
        fprintf(out, "%llu", (unsigned long long)number);
    }
}

// How it did beside abut; all empty for abut itself.
static void beside(FILE *out, const run_result *result)
{
    const run_beside *it = &result->beside;
    if (result->engine == &engine_abut)
    {
        fprintf(out, ",,,,,,,\n");
        return;
    }
    fprintf(out, ",%.4f,%.4f,%.4f,%llu,%.9f,%llu,%.9f\n", it->ratio, it->ours_before, it->ours_after,
            (unsigned long long)it->found.missed, it->found.missed_deepest, (unsigned long long)it->found.more,
            it->found.more_widest);
}

static void row(FILE *out, const run_result *result)
{
    const engine_frame *last = &result->last;
    char engine[64];
    report_engine(result->engine, engine, sizeof engine);
    text(out, result->scene);
    fprintf(out, ",%u,%s,%s,%s,%u,%u,%u,%s,%.4f,%.4f,%.4f,%.6f,%.4f", result->bodies, engine,
            last->broad ? last->broad : "", last->isa ? last->isa : "", result->threads, result->frames,
            result->dropped, result->clock, result->ns_per_body.median, result->ns_per_body.p10,
            result->ns_per_body.p90, report_ms(result), result->elapsed_ns_per_body);
    for (uint32_t stage = 0; stage < engine_abut.stages; ++stage)
    {
        fputc(',', out);
        if (result->engine == &engine_abut)
        {
            fprintf(out, "%.4f", result->stage_ns_per_body[stage]);
        }
    }
    count(out, report_tells(result, ENGINE_TELLS_CANDIDATES), last->candidates);
    count(out, true, last->touching);
    count(out, report_tells(result, ENGINE_TELLS_POINTS), last->points);
    count(out, report_tells(result, ENGINE_TELLS_MEMORY), result->allocations);
    if (result->bytes_per_body > 0.0)
    {
        fprintf(out, ",%.2f", result->bytes_per_body);
    }
    else
    {
        fputc(',', out);
    }
    if (result->engine->hash)
    {
        fprintf(out, ",%016llx", (unsigned long long)result->hash);
    }
    else
    {
        fputc(',', out);
    }
    beside(out, result);
}

const report_format report_csv = { begin, row };
