// What went wrong, as a sentence for whoever sits before the terminal, and the status to exit with.
#ifndef ABUT_BENCH_COMPLAINT_H
#define ABUT_BENCH_COMPLAINT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum
{
    EXIT_BROKEN = 1, // the run itself failed
    EXIT_ASKED = 2   // the request makes no sense, is not there, or cannot be read
};

typedef struct bench_complaint
{
    int status; // 0: none
    char sentence[512];
} bench_complaint;

// Always false, so that an error is one line.
#if defined(__MINGW32__)
__attribute__((format(gnu_printf, 3, 4))) // its own printf, which strict C chooses, and not Windows'
#elif defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
bool complain(bench_complaint *complaint, int status, const char *format, ...);

#ifdef __cplusplus
}
#endif

#endif
