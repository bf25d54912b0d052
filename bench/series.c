#include "series.h"

#include "storage.h"

#include <stdlib.h>

static int rising(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double quantile(const double *sorted, uint32_t count, double share)
{
    double place = share * (double)(count - 1);
    uint32_t below = (uint32_t)place;
    uint32_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

series_summary series_summarise(const double *frames, uint32_t count)
{
    uint32_t width = count < SERIES_WINDOW ? count : SERIES_WINDOW;
    uint32_t windows = count / width;
    double *means = storage_take(windows, sizeof *means);
    for (uint32_t i = 0; i < windows * width; ++i)
    {
        means[i / width] += frames[i] / width;
    }
    qsort(means, windows, sizeof *means, rising);
    series_summary summary = { quantile(means, windows, 0.5), quantile(means, windows, 0.1),
                               quantile(means, windows, 0.9) };
    storage_give(means);
    return summary;
}
