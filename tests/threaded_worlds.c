// Stands in for abut_world_create in every test (the linker's --wrap): with ABUT_THREADS=N in the environment worlds
// that ask for no threads get N, and work is cut into tasks of ABUT_CHUNK items (16), so that the small worlds of tests
// have many; they are the same worlds. Without it this does nothing.
#include "world/world.h"

#include <stdlib.h>

abut_status __real_abut_world_create(const abut_world_def *def, abut_world **out);
abut_status __wrap_abut_world_create(const abut_world_def *def, abut_world **out);

static uint32_t number_of(const char *name, uint32_t otherwise)
{
    const char *text = getenv(name);
    return text ? (uint32_t)strtoul(text, NULL, 10) : otherwise;
}

abut_status __wrap_abut_world_create(const abut_world_def *def, abut_world **out)
{
    const uint32_t threads = number_of("ABUT_THREADS", 0);
    abut_world_def wanted = def ? *def : (abut_world_def){ 0 };
    if (threads == 0 || wanted.threads > 0)
    {
        return __real_abut_world_create(def, out);
    }
    wanted.threads = threads;
    const abut_status status = __real_abut_world_create(&wanted, out);
    if (status == ABUT_OK)
    {
        ab_world_set_granularity(*out, (ab_granularity){ .chunk = number_of("ABUT_CHUNK", 16), .whole = 0 });
    }
    return status;
}
