// Formats and prints error messages.
#include "complaint.h"

#include <stdarg.h>
#include <stdio.h>

bool complain(bench_complaint *complaint, int status, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    complaint->status = status;
    vsnprintf(complaint->sentence, sizeof complaint->sentence, format, values);
    va_end(values);
    return false;
}
