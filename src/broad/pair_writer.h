// The output of a broad phase's tasks. A task collects pairs in a local buffer and writes them out in batches of a
// thousand: each batch claims the next free chunk of the pairs array by one atomic addition. So the array has no gaps,
// and no task needs an estimate. Every chunk is listed under its task, so later passes read the pairs in the order of
// tasks, which does not depend on threads. A task that is the only one writes in place, as long as there is room.
#ifndef AB_PAIR_WRITER_H
#define AB_PAIR_WRITER_H

#include "broad/broad.h"

#define AB_PAIR_BATCH       1024u // least pairs written out together
#define AB_PAIR_WRITER_MOST 1032u // pairs that may be written between two calls

typedef struct ab_pair_writer
{
    ab_broad *broad;
    uint32_t task;
    uint32_t count;
    bool only;
    bool ends;         // more were claimed than is of use: whatever the task finds now is for nothing
    ab_pair *gathered; // in `held`, or in place
    ab_pair held[AB_PAIR_BATCH + AB_PAIR_WRITER_MOST];
} ab_pair_writer;

// On the calling thread: reserves the notes of so many tasks and an estimate of their pairs. False when out of memory.
bool ab_pair_writers_open(ab_broad *broad, uint32_t tasks);
bool ab_pair_writers_open_again(ab_broad *broad, uint32_t tasks); // for other tasks of the same run

// After the tasks, twice: sets *tasks to run all of them again if there was too little room, after making it; else
// leaves *tasks alone. Where the pairs are very many, they run with the room there is first, and drop pairs by the
// filters: that sets broad->drops. ABUT_LIMIT past AB_MOST_PAIRS.
abut_status ab_pair_writers_repeat(ab_broad *broad, uint32_t *tasks);

// After that: lists the pairs in the order of the tasks, and sums the tests in their notes.
abut_status ab_pair_writers_finish(ab_broad *broad);

// Opens a task's pair writer and clears its note.
void ab_pair_writer_open(ab_pair_writer *writer, ab_broad *broad, uint32_t task);

// Room for up to AB_PAIR_WRITER_MOST pairs; the second says how many were written.
ab_pair *ab_pair_writer_room(ab_pair_writer *writer);

// Drops those of the pairs just written that do not collide. Returns how many are left.
uint32_t ab_pair_writer_drop(ab_pair_writer *writer, uint32_t count);

static inline void ab_pair_writer_took(ab_pair_writer *writer, uint32_t count)
{
    writer->count += writer->broad->drops ? ab_pair_writer_drop(writer, count) : count;
}

void ab_pair_writer_close(ab_pair_writer *writer);

// Gives back room that pairs have not needed for long; between runs.
void ab_pair_writers_trim(ab_broad *broad);

#endif
