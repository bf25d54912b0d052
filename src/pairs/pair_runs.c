#include "pairs/pair_runs.h"

size_t ab_pair_runs_length(const ab_pair_stream *stream, uint32_t first_bucket)
{
    size_t length = 0;
    for (uint32_t cell = 0; cell < AB_CELLS; ++cell)
    {
        length += stream->count[first_bucket + cell];
    }
    return length;
}

uint32_t ab_pair_runs_of(const ab_pair_stream *stream, uint32_t first_bucket, const ab_cut *cut, uint32_t task,
                         ab_pair_run out[AB_CELLS])
{
    const size_t first = ab_cut_first(cut, task), end = ab_cut_end(cut, task);
    size_t before = 0;
    uint32_t runs = 0;
    for (uint32_t cell = 0; cell < AB_CELLS; ++cell)
    {
        const uint32_t bucket = first_bucket + cell, at = stream->first[bucket];
        const size_t after = before + stream->count[bucket];
        const size_t from = first > before ? first : before, to = end < after ? end : after;
        if (from < to)
        {
            out[runs++] = (ab_pair_run){ cell, at + (uint32_t)(from - before), at + (uint32_t)(to - before) };
        }
        before = after;
    }
    return runs;
}
