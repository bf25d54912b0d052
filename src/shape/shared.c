// Creates, retains and releases the geometry that shapes share.
#include "shape/shared.h"

#include <string.h>

abut_geometry *ab_geometry_make(ab_geometry_kind kind, size_t bytes, ab_memory *memory)
{
    abut_geometry *geometry = ab_memory_take(memory, bytes);
    if (geometry)
    {
        memset(geometry, 0, bytes);
        geometry->memory = *memory;
        geometry->bytes = bytes;
        geometry->kind = kind;
        ab_counter_open(&geometry->references, 1);
    }
    return geometry;
}

// Every geometry is in writable memory.
void abut_geometry_retain(const abut_geometry *geometry)
{
    if (geometry)
    {
        ab_counter_up(&((abut_geometry *)geometry)->references);
    }
}

void abut_geometry_release(const abut_geometry *geometry)
{
    abut_geometry *own = (abut_geometry *)geometry;
    if (own && ab_counter_down(&own->references) == 0)
    {
        ab_memory memory = own->memory;
        if (own->close)
        {
            own->close(own);
        }
        ab_memory_give(&memory, own, own->bytes);
    }
}
