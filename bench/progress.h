// A line on standard error that says how far the benchmark is. Only a terminal sees it, and it is gone when it is
// cleared.
#ifndef ABUT_BENCH_PROGRESS_H
#define ABUT_BENCH_PROGRESS_H

#include <stdint.h>

void progress_open(uint32_t rows);
void progress_row(uint32_t row, const char *scene, uint32_t bodies);
void progress_frame(uint32_t frame, uint32_t frames);
void progress_clear(void);

#endif
