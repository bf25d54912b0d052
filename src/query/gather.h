// The candidates of many queries that descend the index together, query after query: for answers that are lists. Small
// builds answer one query after another.
#ifndef AB_GATHER_H
#define AB_GATHER_H

#include "query/bound_kernels.h"
#include "query/query.h"

#define AB_TOGETHER 64u   // queries
#define AB_GATHERED 2048u // candidates of all of them

// What will be read of most candidates: the cache is asked for it early.
typedef enum ab_gather_reads
{
    AB_GATHER_NAMES,
    AB_GATHER_RECORDS,
    AB_GATHER_SHAPES // and records, and names
} ab_gather_reads;

typedef struct ab_gathered
{
    const ab_questions *asked;
    uint32_t question; // the first query's
    uint32_t count;
    uint8_t only; // query, of a descent for one
    ab_gather_reads reads;
    uint32_t first[AB_TOGETHER + 1]; // of each query's; behind the last, their number
    uint32_t proxy[AB_GATHERED + AB_DESCEND_ROOM];
    uint8_t query[AB_GATHERED + AB_DESCEND_ROOM];
} ab_gathered;

// What descends: `count` queries of `size` bytes, side by side.
typedef struct ab_gather_queries
{
    ab_index_kernel *one;
    ab_index_many_kernel *many;
    const void *all;
    size_t size;
    uint32_t count;
    uint32_t question; // the first one's
    ab_gather_reads reads;
} ab_gather_queries;

// Descends both trees for the active ones, and keeps the proxies that the filter wants. False if there are too many of
// them.
bool ab_gather(ab_gathered *out, const ab_questions *asked, const ab_gather_queries *queries, const uint8_t *active,
               uint32_t count);

// Asks the cache for what a test of each candidate reads beside its record.
AB_INLINE void ab_gathered_prefetch(const ab_gathered *gathered)
{
    for (uint32_t i = 0; i < gathered->count; ++i)
    {
        ab_query_prefetch(gathered->asked->world, gathered->proxy[i]);
    }
}

// The indices of 0 to count - 1, at most AB_GATHER_SORTED, in the order of their keys. Keys are not negative, and of
// keys that are nearly the same the order is any. `keys` has AB_WIDEST entries of padding.
#define AB_GATHER_SORTED AB_ORDERED
void ab_gather_order(const ab_questions *asked, const float *keys, uint32_t count, uint8_t *order);

// Answers questions first, first + 1, … together, or one. False, with nothing answered, when there are too many
// candidates.
typedef bool ab_answer_together(void *context, ab_query_lists *lists, uint32_t first, uint32_t count);

// Answers `count` questions from `first` on: as many together as have room, or one by one.
void ab_gather_answers(const ab_questions *asked, ab_query_lists *lists, uint32_t first, uint32_t count,
                       ab_answer_together *together);

#endif
