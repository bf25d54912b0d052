// One object a line, and nothing else. What an engine does not tell is null.
#include "report.h"

static void begin(FILE *out)
{
    (void)out;
}

// Bytes past 127 are taken to be UTF-8, as JSON is.
static void text(FILE *out, const char *key, const char *value)
{
    fprintf(out, "\"%s\":", key);
    if (!value)
    {
        fprintf(out, "null,");
        return;
    }
    fputc('"', out);
    for (const char *c = value; *c; ++c)
    {
        if ((unsigned char)*c < 0x20)
        {
            fprintf(out, "\\u%04x", (unsigned)*c);
        }
        else
        {
            fprintf(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        }
    }
    fprintf(out, "\",");
}

static void count(FILE *out, const char *key, bool is_known, uint64_t number)
{
    if (is_known)
    {
        fprintf(out, "\"%s\":%llu,", key, (unsigned long long)number);
    }
    else
    {
        fprintf(out, "\"%s\":null,", key);
    }
}

static void stages(FILE *out, const run_result *result)
{
    fprintf(out, "\"stages\":{");
    for (uint32_t stage = 0; stage < result->engine->stages; ++stage)
    {
        fprintf(out, "%s\"%s\":%.4f", stage ? "," : "", result->engine->stage_name(stage),
                result->stage_ns_per_body[stage]);
    }
    fprintf(out, "},");
}

// What each two kinds of shape cost, in all frames together; empty for a peer.
static void pair_types(FILE *out, const engine_frame *last)
{
    fprintf(out, "\"pair_types\":[");
    for (uint32_t i = 0; i < ABUT_PAIR_TYPE_MAX && last->pair_types[i].name; ++i)
    {
        const abut_pair_type_statistics *it = &last->pair_types[i];
        fprintf(out, "%s{\"name\":\"%s\",\"pairs\":%llu,\"touching\":%llu,\"elapsed_ns\":%llu}", i ? "," : "", it->name,
                (unsigned long long)it->pairs, (unsigned long long)it->touching, (unsigned long long)it->elapsed_ns);
    }
    fprintf(out, "],");
}

// How it did beside abut; all null for abut itself.
static void beside(FILE *out, const run_result *result)
{
    const run_beside *it = &result->beside;
    if (result->engine == &engine_abut)
    {
        fprintf(out, "\"ratio\":null,\"ours_before\":null,\"ours_after\":null,\"missed\":null,"
                     "\"missed_deepest\":null,\"more\":null,\"more_widest\":null,");
        return;
    }
    fprintf(out,
            "\"ratio\":%.4f,\"ours_before\":%.4f,\"ours_after\":%.4f,\"missed\":%llu,\"missed_deepest\":%.9f,"
            "\"more\":%llu,\"more_widest\":%.9f,",
            it->ratio, it->ours_before, it->ours_after, (unsigned long long)it->found.missed, it->found.missed_deepest,
            (unsigned long long)it->found.more, it->found.more_widest);
}

static void row(FILE *out, const run_result *result)
{
    const engine_frame *last = &result->last;
    fputc('{', out);
    text(out, "scene", result->scene);
    count(out, "bodies", true, result->bodies);
    char engine[64];
    report_engine(result->engine, engine, sizeof engine);
    text(out, "engine", engine);
    text(out, "broad", last->broad);
    text(out, "isa", last->isa);
    count(out, "threads", true, result->threads);
    count(out, "frames", true, result->frames);
    count(out, "dropped", true, result->dropped);
    fprintf(out, "\"clock\":\"%s\",\"elapsed_ns_per_body\":%.4f,", result->clock, result->elapsed_ns_per_body);
    fprintf(out, "\"ns_per_body\":%.4f,\"p10\":%.4f,\"p90\":%.4f,\"ms_per_frame\":%.6f,", result->ns_per_body.median,
            result->ns_per_body.p10, result->ns_per_body.p90, report_ms(result));
    stages(out, result);
    count(out, "candidates", report_tells(result, ENGINE_TELLS_CANDIDATES), last->candidates);
    count(out, "touching", true, last->touching);
    count(out, "recycled", report_tells(result, ENGINE_TELLS_CANDIDATES), last->recycled);
    count(out, "points", report_tells(result, ENGINE_TELLS_POINTS), last->points);
    count(out, "allocations", report_tells(result, ENGINE_TELLS_MEMORY), result->allocations);
    if (result->bytes_per_body > 0.0)
    {
        fprintf(out, "\"bytes_per_body\":%.2f,", result->bytes_per_body);
    }
    else
    {
        fprintf(out, "\"bytes_per_body\":null,");
    }
    pair_types(out, last);
    beside(out, result);
    if (result->engine->hash)
    {
        fprintf(out, "\"hash\":\"%016llx\"}\n", (unsigned long long)result->hash);
    }
    else
    {
        fprintf(out, "\"hash\":null}\n");
    }
}

const report_format report_json = { begin, row };
