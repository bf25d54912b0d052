// What queries cost: rays, casts, overlaps and nearest colliders of a scene, one by one and in a batch, beside other
// engines that answer the same.
#ifndef ABUT_BENCH_QUERIES_H
#define ABUT_BENCH_QUERIES_H

#include "query_set.h"
#include "row_files.h"

typedef struct queries_row
{
    const char *scene, *query, *engine; // "terrain-mesh": the ground of terrain without its bodies
    uint32_t bodies, batch;             // asked in one call
    double ns;                          // a query, the median of the passes
    double ratio;                       // of a peer to abut in the same form; zero: none
    uint64_t hits;                      // of all questions
    uint64_t hash;                      // of all answers; of abut only
    bool has_hash;
    uint32_t differing; // questions whose answer is not abut's
} queries_row;

// For every row of the plan; adds to the options what is not given. False with a complaint.
bool queries_run(bench_options *options, bench_complaint *complaint);

// Writes what is above the rows.
void queries_report_head(const row_files *files);
void queries_report_row(const row_files *files, const queries_row *row);

#endif
