// Results on paper: a table to read, JSON and CSV to compute with. One row a run, written as soon as it is known.
#ifndef ABUT_BENCH_REPORT_H
#define ABUT_BENCH_REPORT_H

#include "run.h"

#include <stdio.h>

typedef struct report_format
{
    void (*begin)(FILE *out);
    void (*row)(FILE *out, const run_result *result);
} report_format;

extern const report_format report_table, report_json, report_csv;

// The whole step in milliseconds a frame.
static inline double report_ms(const run_result *result)
{
    return result->ns_per_body.median * result->bodies * 1e-6;
}

// "abut", or the peer's name and version.
static inline void report_engine(const bench_engine *engine, char *out, size_t room)
{
    snprintf(out, room, "%s%s%s", engine->name, engine->version ? " " : "", engine->version ? engine->version : "");
}

static inline bool report_tells(const run_result *result, uint32_t what)
{
    return (result->engine->tells & what) == what;
}

#endif
