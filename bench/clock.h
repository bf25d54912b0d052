// The clocks of the benchmark: processor time of this thread for figures of one thread, elapsed time for those of
// several and for waiting humans.
#ifndef ABUT_BENCH_CLOCK_H
#define ABUT_BENCH_CLOCK_H

#include <stdint.h>

// Nanoseconds from some fixed moment. Where the system cannot tell a thread's processor time, elapsed time stands in.
uint64_t clock_thread_ns(void);
uint64_t clock_elapsed_ns(void);

// The clock of a step's quoted time, on so many threads: "processor" or "elapsed".
uint64_t clock_step_ns(uint32_t threads);
const char *clock_step_name(uint32_t threads);

#endif
