// One row of the plan: abut alone, or abut, a peer, abut, the next peer, abut, and so on, in one process, each on the
// same scene from its first frame. A ratio is of a peer's time to the mean of abut's just before and just after it, so
// that a machine that grows slower or faster in the meantime does not favour either.
#ifndef ABUT_BENCH_SIDE_BY_SIDE_H
#define ABUT_BENCH_SIDE_BY_SIDE_H

#include "outputs.h"
#include "plan.h"

// Writes the rows as they come. False with a complaint when a run fails.
bool side_by_side(const plan_row *row, const bench_options *options, const run_settings *settings, const outputs *out,
                  bench_complaint *complaint);

#endif
