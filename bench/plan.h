// What is to be measured: which scene with how many bodies, row by row.
#ifndef ABUT_BENCH_PLAN_H
#define ABUT_BENCH_PLAN_H

#include "options.h"

typedef struct plan_row
{
    uint32_t kind;    // of scene; ABUT_NONE: from the file
    const char *file; // NULL: none
    uint32_t bodies;
    bool by_default; // its size was not given: left out when it would take too long
} plan_row;

typedef struct bench_plan
{
    plan_row *rows; // stb_ds
    char **notes;   // stb_ds: sentences on what is not in the plan, and why
} bench_plan;

// Reads the file, if there is one, so that a bad one is known before anything runs. False with a complaint. Release
// either way.
bool plan_make(bench_plan *plan, const bench_options *options, bench_complaint *complaint);
void plan_release(bench_plan *plan);

// The row's scene at frame 0; NULL with a complaint.
bench_scene *plan_open_scene(const plan_row *row, bench_complaint *complaint);

#endif
