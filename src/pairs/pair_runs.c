// Divides the pairs of all bins, taken as one sequence, among tasks.
#include "pairs/pair_runs.h"

size_t ab_pair_runs_length(const ab_pair_stream *stream, uint32_t first_bin)
{
    size_t length = 0;
    for (uint32_t type = 0; type < AB_PAIR_TYPES; ++type)
    {
        length += stream->count[first_bin + type];
    }
    return length;
}

uint32_t ab_pair_runs_of(const ab_pair_stream *stream, uint32_t first_bin, const ab_partition *partition, uint32_t task,
                         ab_pair_run out[AB_PAIR_TYPES])
{
    const size_t first = ab_partition_first(partition, task), end = ab_partition_end(partition, task);
    size_t before = 0;
    uint32_t runs = 0;
    for (uint32_t type = 0; type < AB_PAIR_TYPES; ++type)
    {
        const uint32_t bin = first_bin + type, at = stream->first[bin];
        const size_t after = before + stream->count[bin];
        const size_t from = first > before ? first : before, to = end < after ? end : after;
        if (from < to)
        {
            out[runs++] = (ab_pair_run){ type, at + (uint32_t)(from - before), at + (uint32_t)(to - before) };
        }
        before = after;
    }
    return runs;
}
