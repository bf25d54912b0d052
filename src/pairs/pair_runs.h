// The pairs of all pair types as one sequence, type by type, for passes that divide them among tasks: the pairs for
// contacts, whose bins begin at 0, or the pairs with a sensor, whose bins begin at AB_PAIR_TYPES.
#ifndef AB_PAIR_RUNS_H
#define AB_PAIR_RUNS_H

#include "base/tasks.h"
#include "pairs/pair_stream.h"

// Adjacent pairs of one type.
typedef struct ab_pair_run
{
    uint32_t type;
    uint32_t first, end; // in the stream
} ab_pair_run;

// The length of the sequence.
size_t ab_pair_runs_length(const ab_pair_stream *stream, uint32_t first_bin);

// A task's part of the sequence, in order. Returns the number of runs.
uint32_t ab_pair_runs_of(const ab_pair_stream *stream, uint32_t first_bin, const ab_partition *partition, uint32_t task,
                         ab_pair_run out[AB_PAIR_TYPES]);

#endif
