// A figure measured in every frame, and what is quoted of it: the median, the tenth and the ninetieth hundredth of the
// means over windows of four frames, because some engines alternate cheap and dear frames.
#ifndef ABUT_BENCH_SERIES_H
#define ABUT_BENCH_SERIES_H

#include <stdint.h>

#define SERIES_WINDOW 4u

typedef struct series_summary
{
    double median, p10, p90;
} series_summary;

// Windows lie side by side from the first frame on; an unfinished one at the end is dropped, unless it is the only one.
// `count` is at least 1. Percentiles between two windows are interpolated.
series_summary series_summarise(const double *frames, uint32_t count);

#endif
