// Images of random sessions, for the tests of saving and restoring.
#ifndef RANDOM_IMAGES_H
#define RANDOM_IMAGES_H

#include "random_session.h"

#include "state/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct image
{
    unsigned char *bytes;
    size_t size, room;
} image;

static inline abut_registry registry_of(const session *s)
{
    return (abut_registry){ (const abut_geometry *const *)s->polygon, s->polygons };
}

static inline void save(const session *s, uint32_t flags, image *out)
{
    const abut_registry registry = registry_of(s);
    assert_int_equal(abut_world_save(s->world, flags, &registry, NULL, 0, &out->size), ABUT_OK);
    if (out->size > out->room)
    {
        if (out->bytes)
        {
            test_free(out->bytes);
        }
        out->room = 2 * out->size;
        out->bytes = test_malloc(out->room);
    }
    assert_int_equal(abut_world_save(s->world, flags, &registry, out->bytes, out->room, &out->size), ABUT_OK);
}

static inline abut_status restore(const session *s, const image *from)
{
    const abut_registry registry = registry_of(s);
    return abut_world_restore(s->world, &registry, from->bytes, from->size);
}

// The other session's registry gets the same polygons.
static inline void lend_polygons(const session *from, const session *to)
{
    for (uint32_t i = 0; i < from->polygons; ++i)
    {
        abut_geometry_retain(from->polygon[i]);
        abut_geometry_release(to->polygon[i]);
        to->polygon[i] = from->polygon[i];
    }
}

static inline void read_directory(const image *from, ab_image_entry entry[AB_SECTION_COUNT])
{
    memcpy(entry, from->bytes + sizeof(ab_image_header), AB_SECTION_COUNT * sizeof *entry);
}

static inline void expect_same(const image *a, const image *b, const char *when)
{
    if (a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0)
    {
        return;
    }
    ab_image_entry one[AB_SECTION_COUNT], other[AB_SECTION_COUNT];
    read_directory(a, one);
    read_directory(b, other);
    for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
    {
        if (one[id].count != other[id].count || one[id].checksum != other[id].checksum)
        {
            fail_msg("%s: section %u of %llu and %llu elements differs", when, id, (unsigned long long)one[id].count,
                     (unsigned long long)other[id].count);
        }
    }
    fail_msg("%s: images of %zu and %zu bytes differ", when, a->size, b->size);
}

static inline abut_world_def def_of(uint64_t seed, abut_broad_kind broad, abut_isa isa)
{
    return (abut_world_def){ .broad = broad,
                             .isa = isa,
                             .margin = seed % 2 ? 0.02f : 0.0f,
                             .recycle_distance = seed % 4 ? 0.0f : 0.1f,
                             .separations = seed % 8 ? ABUT_FOLLOWED : ABUT_AT_ANCHORS,
                             .dimension = seed % 5 == 0 ? 2 : 3,
                             .veto = seed % 3 ? veto : NULL };
}

// An allocator of which one request fails.
typedef struct scarce
{
    uint32_t countdown; // requests until one fails; zero: none does
} scarce;

static inline void *allocate(void *context, size_t size, size_t alignment)
{
    scarce *memory = context;
    if (memory->countdown > 0 && --memory->countdown == 0)
    {
        return NULL;
    }
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static inline void release(void *context, void *block, size_t size, size_t alignment)
{
    (void)context;
    (void)size;
    (void)alignment;
    free(block);
}

#endif
