// The texts of status codes, and the report of a failed assertion.
#include "base/assert.h"

#include <abut/base.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

const char *abut_status_text(abut_status status)
{
    static const char *const text[] = {
        [ABUT_OK] = "no error",
        [ABUT_INVALID_ARGUMENT] = "an argument is not valid",
        [ABUT_STALE_HANDLE] = "the handle names nothing that exists in this world",
        [ABUT_OUT_OF_MEMORY] = "the allocator returned no memory",
        [ABUT_LIMIT] = "a limit on counts was reached",
        [ABUT_BUSY] = "the world was called from one of its callbacks, or during a detect",
        [ABUT_UNSUPPORTED] = "not compiled in, or not available on this processor",
    };
    const bool known = (unsigned)status < sizeof text / sizeof *text;
    return known ? text[status] : "unknown status";
}

_Noreturn void ab_assert_failed(const char *condition, const char *file, int line, int64_t value)
{
    (void)fprintf(stderr, "abut: broken invariant: %s (%s:%d), value %" PRId64 "\n", condition, file, line, value);
    abort();
}
