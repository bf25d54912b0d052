// abut's answers: one by one and in a batch, into the same arrays.
#ifndef ABUT_BENCH_QUERY_ABUT_H
#define ABUT_BENCH_QUERY_ABUT_H

#include "query_set.h"

// Answers of one form. Entries are abut_hit, bool, abut_found or abut_near.
typedef struct query_found
{
    void *entries;
    size_t entry_size;
    abut_range *ranges; // of each question; NULL: one entry each
    uint64_t room, total;
    uint32_t miscounted; // questions that had another number of answers alone
} query_found;

// Counts and makes room. Release.
abut_status query_found_make(query_found *found, const query_set *set, const abut_world *world);
void query_found_release(query_found *found);

// Both write all entries anew.
abut_status query_ask_each(query_found *found, const query_set *set, const abut_world *world);
abut_status query_ask_many(query_found *found, const query_set *set, const abut_world *world);

// Of all answers, as words.
uint64_t query_found_hash(const query_found *found);

// What they are compared with others by.
void query_found_answers(const query_found *found, const query_set *set, query_answers *out);

#endif
