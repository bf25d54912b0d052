// The pairs of all cells as one sequence, cell by cell, for passes whose tasks share them out: those for contacts,
// whose buckets begin at 0, or those with a sensor, whose buckets begin at AB_PAIR_TYPES.
#ifndef AB_PAIR_RUNS_H
#define AB_PAIR_RUNS_H

#include "base/tasks.h"
#include "pairs/pair_stream.h"

// Pairs of one cell that lie side by side.
typedef struct ab_pair_run
{
    uint32_t type;
    uint32_t first, end; // in the stream
} ab_pair_run;

// The length of the sequence.
size_t ab_pair_runs_length(const ab_pair_stream *stream, uint32_t first_bin);

// The part of a sequence that is a task's, in order. Returns how many runs it is.
uint32_t ab_pair_runs_of(const ab_pair_stream *stream, uint32_t first_bin, const ab_partition *partition, uint32_t task,
                         ab_pair_run out[AB_PAIR_TYPES]);

#endif
