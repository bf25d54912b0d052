// Where the tasks of a broad phase put their pairs. A task gathers pairs near at hand and hands them over a thousand at
// a time: each handful gets the next free stretch of the pairs array, by one atomic addition. So the array has no gaps
// and needs no guess of who will find how much; and since every stretch is listed under its task, what follows reads
// the pairs in the order of the tasks, which is the same however they were run. A task that is the only one has nobody
// to share the array with: it writes to where its pairs will stay, as long as there is room.
#ifndef AB_PAIR_WRITER_H
#define AB_PAIR_WRITER_H

#include "broad/broad.h"

#define AB_PAIR_BATCH       1024u // pairs that are handed over together, or more
#define AB_PAIR_WRITER_MOST 1032u // pairs that may be written between two calls

typedef struct ab_pair_writer
{
    ab_broad *broad;
    uint32_t task;
    uint32_t count;
    bool only;
    ab_pair *gathered; // in `held`, or in place
    ab_pair held[AB_PAIR_BATCH + AB_PAIR_WRITER_MOST];
} ab_pair_writer;

// On the thread that called in: room for the notes of so many tasks and for what they find, as far as can be told.
// False when out of memory.
bool ab_pair_writers_open(ab_broad *broad, uint32_t tasks);

// After the tasks: whether all of them must run once more, since there was too little room; it has been made. *tasks is
// how many are to be run, or untouched. ABUT_LIMIT past AB_MOST_PAIRS.
abut_status ab_pair_writers_repeat(ab_broad *broad, uint32_t *tasks);

// After that: lists the pairs in the order of the tasks, and adds up the tests that these have noted.
abut_status ab_pair_writers_finish(ab_broad *broad);

// Opens a task's sink. Its note is emptied.
void ab_pair_writer_open(ab_pair_writer *writer, ab_broad *broad, uint32_t task);

// Where up to AB_PAIR_WRITER_MOST pairs may be written, and how many were.
ab_pair *ab_pair_writer_room(ab_pair_writer *writer);

// Drops those of the pairs just written that do not collide. Returns how many are left.
uint32_t ab_pair_writer_drop(ab_pair_writer *writer, uint32_t count);

static inline void ab_pair_writer_took(ab_pair_writer *writer, uint32_t count)
{
    writer->count += writer->broad->filters.collides ? ab_pair_writer_drop(writer, count) : count;
}

void ab_pair_writer_close(ab_pair_writer *writer);

#endif
