// What there is of geometries as bytes in a build without them.
#include <abut/state.h>

abut_status abut_geometries_save(const abut_registry *geometries, void *bytes, size_t capacity, size_t *size)
{
    (void)geometries, (void)bytes, (void)capacity, (void)size;
    return ABUT_UNSUPPORTED;
}

abut_status abut_geometries_load(const void *bytes, size_t size, const abut_allocator *allocator, abut_geometry **out,
                                 uint32_t capacity, uint32_t *count)
{
    (void)bytes, (void)size, (void)allocator, (void)out, (void)capacity, (void)count;
    return ABUT_UNSUPPORTED;
}
