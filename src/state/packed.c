// The colliders as an image has them. They seldom change, so a world keeps them from one save to the next.
#include "base/array.h"
#include "base/assert.h"
#include "shape/shape_table.h"
#include "state/state.h"

#include <string.h>

uint32_t ab_registry_index(const abut_registry *registry, const abut_geometry *geometry)
{
    for (uint32_t i = 0; registry && i < registry->geometry_count; ++i)
    {
        if (registry->geometries[i] == geometry)
        {
            return i;
        }
    }
    return ABUT_NONE;
}

ab_saved_shape ab_shape_pack(const abut_shape *shape, const abut_registry *registry)
{
    ab_saved_shape out = { .kind = (uint32_t)shape->kind };
    const ab_shape_row *row = ab_shape_row_for(shape->kind);
    if (row->geometry)
    {
        out.word[0] = ab_registry_index(registry, row->geometry(shape));
        return out;
    }
    memcpy(out.word, &shape->custom, row->words * sizeof *out.word);
    return out;
}

// A slot without a collider has no shape.
static ab_saved_collider pack(const ab_colliders *colliders, const abut_registry *registry, size_t slot)
{
    ab_saved_collider out = {
        .filter = colliders->filter[slot],
        .uses = colliders->uses[slot],
        .collider_key = colliders->collider_key[slot],
        .edited = colliders->edited[slot],
    };
    if (colliders->generation[slot] != 0)
    {
        out.shape = ab_shape_pack(&colliders->shape[slot], registry);
    }
    return out;
}

void ab_colliders_pack(const ab_colliders *colliders, const abut_registry *registry, ab_saved_collider *out)
{
    for (size_t slot = 0; slot < arrlenu(colliders->generation); ++slot)
    {
        out[slot] = pack(colliders, registry, slot);
    }
}

static uint32_t geometries_of(const abut_registry *registry)
{
    return registry ? registry->geometry_count : 0;
}

AB_APART static bool has_registry(const ab_packed_colliders *packed, const abut_registry *registry)
{
    const uint32_t count = geometries_of(registry);
    return arrlenu(packed->geometries) == count &&
           (count == 0 || memcmp(packed->geometries, registry->geometries, count * sizeof *packed->geometries) == 0);
}

static bool is_current(const abut_world *world, const abut_registry *registry)
{
    const ab_packed_colliders *packed = &world->cache.packed;
    return packed->revision == world->state.colliders.revision + 1 && has_registry(packed, registry);
}

// Small builds have few kinds with geometry, and look for it one by one.
#ifdef AB_SMALL
#define SORTS false
#else
#define SORTS true
#endif

// What is loaded: of a level that streams, most places may be empty.
static bool sort_registry(abut_world *world)
{
    ab_packed_colliders *packed = &world->cache.packed;
    const size_t places = arrlenu(packed->geometries);
    size_t count = 0;
    for (size_t i = 0; i < places; ++i)
    {
        count += packed->geometries[i] != NULL;
    }
    ab_sort_entry *scratch = ab_arena_take(&world->work.arena, (count + 1) * sizeof *scratch);
    if (!scratch || !ab_array_resize(packed->sorted, &world->memory, count))
    {
        ab_array_set_length(packed->geometries, 0);
        return false;
    }
    for (size_t i = 0, end = 0; i < places; ++i)
    {
        if (packed->geometries[i])
        {
            packed->sorted[end++] = (ab_sort_entry){ (uint64_t)(uintptr_t)packed->geometries[i], i };
        }
    }
    if (count > 0 && ab_radix_sort(packed->sorted, scratch, count) == scratch)
    {
        memcpy(packed->sorted, scratch, count * sizeof *scratch);
    }
    return true;
}

// Keeps the registry, and sorts it. False when out of memory.
static bool keep_registry(abut_world *world, const abut_registry *registry)
{
    ab_packed_colliders *packed = &world->cache.packed;
    const uint32_t count = geometries_of(registry);
    if (SORTS && has_registry(packed, registry))
    {
        return true;
    }
    ab_array_set_length(packed->geometries, 0);
    if (!ab_array_resize(packed->geometries, &world->memory, count))
    {
        return false;
    }
    if (count > 0)
    {
        memcpy(packed->geometries, registry->geometries, count * sizeof *packed->geometries);
    }
    return !SORTS || sort_registry(world);
}

// As ab_registry_index, by halves.
static uint32_t index_of(const ab_packed_colliders *packed, const abut_geometry *geometry)
{
    const uint64_t key = (uint64_t)(uintptr_t)geometry;
    size_t first = 0, end = arrlenu(packed->sorted);
    const size_t count = end;
    while (first < end)
    {
        const size_t middle = first + (end - first) / 2;
        const bool before = packed->sorted[middle].key < key;
        first = before ? middle + 1 : first;
        end = before ? end : middle;
    }
    return first < count && packed->sorted[first].key == key ? (uint32_t)packed->sorted[first].payload : ABUT_NONE;
}

// Names the geometry of a packed shape by its index. Returns whether the registry lacks it.
static bool name_geometry(const ab_packed_colliders *packed, const ab_colliders *colliders, ab_saved_collider *out,
                          size_t slot)
{
    const ab_shape_row *row = colliders->generation[slot] ? ab_shape_row_for(colliders->shape[slot].kind) : NULL;
    if (!row || !row->geometry)
    {
        return false;
    }
    out[slot].shape.word[0] =
        SORTS ? index_of(packed, row->geometry(&colliders->shape[slot])) : out[slot].shape.word[0];
    return out[slot].shape.word[0] == ABUT_NONE;
}

static bool name_geometries(const ab_packed_colliders *packed, const ab_colliders *colliders, ab_saved_collider *out)
{
    bool lacks = false;
    for (size_t slot = 0; slot < arrlenu(colliders->generation); ++slot)
    {
        lacks = name_geometry(packed, colliders, out, slot) || lacks;
    }
    return lacks;
}

// Small builds pack all of them again.
#ifdef AB_SMALL
#define pack_changes(world, registry) false
#else
// Packs those again that changed since, where it is known which. False: more have changed, or the registry has.
static bool pack_changes(abut_world *world, const abut_registry *registry)
{
    ab_packed_colliders *packed = &world->cache.packed;
    const ab_colliders *colliders = &world->state.colliders;
    const size_t count = arrlenu(colliders->generation), words = sizeof(ab_saved_collider) / sizeof(uint32_t);
    if (packed->revision == 0 || packed->lacks || colliders->revision + 1 - packed->revision > AB_PACKED_CHANGES ||
        !has_registry(packed, registry) || !ab_array_resize(packed->words, &world->memory, words * count))
    {
        return false;
    }
    ab_saved_collider *const out = (ab_saved_collider *)(void *)packed->words;
    for (uint64_t at = packed->revision - 1; at < colliders->revision; ++at)
    {
        const uint32_t slot = packed->changed[at % AB_PACKED_CHANGES];
        if (slot < count)
        {
            out[slot] = pack(colliders, NULL, slot);
            packed->lacks = name_geometry(packed, colliders, out, slot) || packed->lacks;
        }
    }
    packed->checksum = ab_checksum_of(packed->words, count * sizeof(ab_saved_collider));
    packed->revision = colliders->revision + 1;
    return true;
}
#endif

static bool pack_again(abut_world *world, const abut_registry *registry)
{
    ab_packed_colliders *packed = &world->cache.packed;
    const size_t count = arrlenu(world->state.colliders.generation),
                 words = sizeof(ab_saved_collider) / sizeof(uint32_t);
    if (pack_changes(world, registry))
    {
        return true;
    }
    packed->revision = 0;
    if (!ab_array_resize(packed->words, &world->memory, words * count) || !keep_registry(world, registry))
    {
        ++world->memory.forgone;
        return false;
    }
    ab_saved_collider *const out = (ab_saved_collider *)(void *)packed->words;
    ab_colliders_pack(&world->state.colliders, SORTS ? NULL : registry, out);
    packed->lacks = name_geometries(packed, &world->state.colliders, out);
    packed->checksum = ab_checksum_of(packed->words, count * sizeof(ab_saved_collider));
    packed->revision = world->state.colliders.revision + 1;
    return true;
}

static void check(const abut_world *world, const abut_registry *registry)
{
#ifdef AB_CHECKED
    const ab_saved_collider *packed = (const ab_saved_collider *)(const void *)world->cache.packed.words;
    for (size_t slot = 0; slot < arrlenu(world->state.colliders.generation); ++slot)
    {
        const ab_saved_collider now = pack(&world->state.colliders, registry, slot);
        AB_ASSERT(memcmp(&packed[slot], &now, sizeof now) == 0, slot);
    }
#endif
    (void)world, (void)registry;
}

const ab_saved_collider *ab_colliders_packed(abut_world *world, const abut_registry *registry)
{
    if (arrlenu(world->state.colliders.generation) == 0 ||
        (!is_current(world, registry) && !pack_again(world, registry)))
    {
        return NULL;
    }
    check(world, registry);
    return (const ab_saved_collider *)(const void *)world->cache.packed.words;
}
