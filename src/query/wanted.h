// Which nodes of the trees hold something that a filter wants, for calls with many questions and one filter: a descent
// leaves out the others. And the AABB around all that is wanted, where a nearest query begins. Found for one call, on
// the asking thread's stack, so that nothing is kept up to date.
#ifndef AB_WANTED_H
#define AB_WANTED_H

#include "query/query.h"

#define AB_WANTED_WORDS 1024u // for each set: bits for the blocks of half a million proxies and all nodes above

typedef struct ab_wanted
{
    uint64_t words[AB_SET_COUNT][AB_WANTED_WORDS];
    const uint64_t *levels[AB_SET_COUNT][AB_TREE_LEVELS]; // the first word of each, or NULL
    ab_aabb around[AB_SET_COUNT];                         // the AABB around what is wanted
    ab_tree tree[AB_SET_COUNT];                           // those of the questions, with marks and AABBs
} ab_wanted;

// Gives the questions trees in `room` with marks and AABBs where that is worth it: where the filter leaves
// something out, and there are enough questions. Lower levels for which there is no room have none.
void ab_wanted_mark(ab_questions *questions, ab_wanted *room);

#endif
