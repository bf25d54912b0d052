// Where rows of a mode go that has columns of its own: a table on standard output, unless JSON or CSV wants it for
// itself, and files.
#ifndef ABUT_BENCH_ROW_FILES_H
#define ABUT_BENCH_ROW_FILES_H

#include "options.h"

typedef struct row_files
{
    FILE *table, *json, *csv; // NULL: not wanted
} row_files;

// False with a complaint. Close either way.
bool row_files_open(row_files *files, const bench_options *options, bench_complaint *complaint);

// False with a complaint when something could not be written.
bool row_files_close(row_files *files, bench_complaint *complaint);

#endif
