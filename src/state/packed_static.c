// The static set as an image has it. It seldom changes, and is read in the order of slots but lies in that of the tree,
// which takes long: so a world keeps it from one save to the next.
#include "base/array.h"
#include "base/assert.h"
#include "state/state.h"

#include <string.h>

static ab_saved_static pack(const ab_proxies *proxies, uint32_t slot)
{
    ab_static_proxy proxy;
    ab_proxies_get_static(proxies, proxies->proxy_of[slot], &proxy);
    ab_saved_static out = { .collider = slot, .reach = proxy.reach };
    memcpy(out.record, &proxy.record, sizeof out.record);
    memcpy(out.min, &proxy.aabb.min, sizeof out.min);
    memcpy(out.max, &proxy.aabb.max, sizeof out.max);
    memcpy(out.offset, &proxy.offset, sizeof out.offset);
    return out;
}

void ab_static_pack(const abut_world *world, const unsigned char *joins, ab_saved_static *out)
{
    const ab_proxies *proxies = &world->cache.proxies;
    for (uint32_t slot = 0; slot < arrlenu(world->state.colliders.generation); ++slot)
    {
        const uint32_t proxy = proxies->proxy_of[slot];
        if (proxy != ABUT_NONE && ((joins && joins[slot]) || ab_proxies_set_of(proxies, proxy) == AB_STATIC_SET))
        {
            *out++ = pack(proxies, slot);
        }
    }
}

// What is there of the set follows from its colliders alone, which come and go and do not change.
static bool is_current(const abut_world *world)
{
    const ab_proxies *proxies = &world->cache.proxies;
    const ab_packed_static *packed = &world->cache.packed_static;
    return packed->made && packed->revision == proxies->region[AB_STATIC_SET].revision &&
           packed->reaches == (proxies->reach != NULL) && packed->offsets == (proxies->offset != NULL);
}

static bool pack_again(abut_world *world)
{
    const ab_proxies *proxies = &world->cache.proxies;
    const ab_region *region = &proxies->region[AB_STATIC_SET];
    ab_packed_static *packed = &world->cache.packed_static;
    const size_t words = sizeof(ab_saved_static) / sizeof(uint32_t);
    packed->made = false;
    if (!ab_array_resize(packed->words, &world->memory, words * region->live))
    {
        ++world->memory.forgone;
        return false;
    }
    ab_static_pack(world, NULL, (ab_saved_static *)(void *)packed->words);
    packed->checksum = ab_checksum_of(packed->words, region->live * sizeof(ab_saved_static));
    packed->revision = region->revision;
    packed->reaches = proxies->reach != NULL;
    packed->offsets = proxies->offset != NULL;
    packed->made = true;
    return true;
}

static void check(const abut_world *world)
{
#ifdef AB_CHECKED
    const ab_saved_static *packed = (const ab_saved_static *)(const void *)world->cache.packed_static.words;
    for (uint32_t i = 0; i < world->cache.proxies.region[AB_STATIC_SET].live; ++i)
    {
        const ab_saved_static now = pack(&world->cache.proxies, packed[i].collider);
        AB_ASSERT(ab_bytes_equal(&packed[i], &now, sizeof now), packed[i].collider);
    }
#endif
    (void)world;
}

const ab_saved_static *ab_static_packed(abut_world *world, bool make)
{
    if (world->cache.proxies.region[AB_STATIC_SET].live == 0 || (!is_current(world) && (!make || !pack_again(world))))
    {
        return NULL;
    }
    check(world);
    return (const ab_saved_static *)(const void *)world->cache.packed_static.words;
}
