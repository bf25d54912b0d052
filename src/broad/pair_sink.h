// Where the tasks of a broad phase put their pairs. A task gathers pairs near at hand and hands them over a thousand at a time:
// each handful gets the next free stretch of the pairs array, by one atomic addition. So the array has no gaps and needs no
// guess of who will find how much; and since every stretch is listed under its task, what follows reads the pairs in the order
// of the tasks, which is the same however they were run. A task that is the only one has nobody to share the array with: it
// writes to where its pairs will stay, as long as there is room.
#ifndef AB_PAIR_SINK_H
#define AB_PAIR_SINK_H

#include "broad/broad.h"

#define AB_SINK_HANDFUL 1024u // pairs that are handed over together, or more
#define AB_SINK_MOST    1032u // pairs that may be written between two calls

typedef struct ab_pair_sink
{
    ab_broad *broad;
    uint32_t task;
    uint32_t count;
    bool only;
    ab_pair *gathered; // in `held`, or in place
    ab_pair held[AB_SINK_HANDFUL + AB_SINK_MOST];
} ab_pair_sink;

// On the thread that called in: room for the notes of so many tasks and for what they find, as far as can be told. False when
// memory is refused.
bool ab_sinks_open(ab_broad *broad, uint32_t tasks);

// After the tasks: whether all of them must run once more, since there was too little room; it has been made. *tasks is how many
// are to be run, or untouched. ABUT_LIMIT past AB_MOST_PAIRS.
abut_status ab_sinks_repeat(ab_broad *broad, uint32_t *tasks);

// After that: lists the pairs in the order of the tasks, and adds up the tests that these have noted.
abut_status ab_sinks_finish(ab_broad *broad);

// Opens a task's sink. Its note is emptied.
void ab_sink_open(ab_pair_sink *sink, ab_broad *broad, uint32_t task);

// Where up to AB_SINK_MOST pairs may be written, and how many were.
ab_pair *ab_sink_room(ab_pair_sink *sink);
static inline void ab_sink_took(ab_pair_sink *sink, uint32_t count)
{
    sink->count += count;
}

void ab_sink_close(ab_pair_sink *sink);

#endif
