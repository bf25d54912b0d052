// A broken invariant of the library is a bug, not a status: checked builds abort and print the offending value.
#ifndef AB_ASSERT_H
#define AB_ASSERT_H

#include <stdint.h>

#ifdef AB_CHECKED
#define AB_ASSERT(condition, value)                                                                                    \
    ((condition) ? (void)0 : ab_assert_failed(#condition, __FILE__, __LINE__, (int64_t)(value)))
#else
#define AB_ASSERT(condition, value) ((void)sizeof(condition), (void)sizeof(value))
#endif

// Prints the condition, the position and the offending value to standard error, and aborts.
_Noreturn void ab_assert_failed(const char *condition, const char *file, int line, int64_t value);

#endif
