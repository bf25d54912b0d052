// Where results go: a table on standard output, unless JSON or CSV wants it for itself, and files.
#ifndef ABUT_BENCH_OUTPUTS_H
#define ABUT_BENCH_OUTPUTS_H

#include "options.h"
#include "report.h"

#define OUTPUTS 3u

typedef struct outputs
{
    struct
    {
        const report_format *format;
        const char *name;
        FILE *file; // NULL: not wanted
    } to[OUTPUTS];
    FILE *notes;
} outputs;

// False with a complaint. Close either way.
bool outputs_open(outputs *out, const bench_options *options, bench_complaint *complaint);
void outputs_row(const outputs *out, const run_result *result);

// A sentence about what has no figures: in the table, or on standard error when there is none.
void outputs_note(const outputs *out, const char *sentence);

// False with a complaint when something could not be written.
bool outputs_close(outputs *out, bench_complaint *complaint);

#endif
