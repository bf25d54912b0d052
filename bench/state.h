// What saving and restoring a world costs: time beside copies of the same bytes, and bytes.
#ifndef ABUT_BENCH_STATE_H
#define ABUT_BENCH_STATE_H

#include "options.h"

// For every row of the plan. False with a complaint.
bool state_run(const bench_options *options, bench_complaint *complaint);

#endif
