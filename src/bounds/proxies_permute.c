// Reorders proxies through scratch memory, array by array.
#include "base/assert.h"
#include "bounds/proxy_lanes.h"

#define AHEAD 16u // proxies prefetched ahead

typedef struct travel
{
    abut_vec3 offset;
    float reach;
} travel;

static void take_kept(const ab_record *record, const uint32_t *order, uint32_t count, ab_proxy_moved *kept)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH(&record[order[i + AHEAD < count ? i + AHEAD : i]]);
        const ab_record *from = &record[order[i]];
        kept[i] = (ab_proxy_moved){ .half = { from->half_x, from->half_y, from->half_z },
                                    .collider_key = from->collider_key };
    }
}

static void put_kept(ab_proxies *proxies, uint32_t to, uint32_t count, const ab_proxy_moved *kept)
{
    ab_record *record = proxies->record;
    for (uint32_t i = 0; i < count; ++i)
    {
        record[to + i].half_x = kept[i].half[0];
        record[to + i].half_y = kept[i].half[1];
        record[to + i].half_z = kept[i].half[2];
        record[to + i].collider_key = proxies->collider_key[to + i] = kept[i].collider_key;
    }
}

static void permute_records(ab_proxies *proxies, uint32_t to, const uint32_t *order, uint32_t count, ab_record *scratch)
{
    ab_record *record = proxies->record;
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH(&record[order[i + AHEAD < count ? i + AHEAD : i]]);
        scratch[i] = record[order[i]];
    }
    memcpy(record + to, scratch, count * sizeof *record);
    for (uint32_t i = 0; i < count; ++i)
    {
        proxies->collider_key[to + i] = scratch[i].collider_key;
    }
}

static void take_naming(const ab_proxies *proxies, const uint32_t *order, uint32_t count, ab_proxy_naming *naming)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        naming[i] = (ab_proxy_naming){ proxies->collider[order[i]], proxies->proxy_flags[order[i]] };
    }
}

static void put_naming(ab_proxies *proxies, uint32_t to, uint32_t count, const ab_proxy_naming *naming)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        proxies->collider[to + i] = naming[i].collider;
        proxies->proxy_flags[to + i] = naming[i].proxy_flags;
        proxies->proxy_of[naming[i].collider] = to + i;
    }
}

static void take_names(const ab_proxies *proxies, const uint32_t *order, uint32_t count, ab_contact_name *names)
{
#ifdef AB_SMALL
    (void)proxies, (void)order, (void)count, (void)names;
#else
    for (uint32_t i = 0; i < count; ++i)
    {
        names[i] = proxies->name[order[i]];
    }
#endif
}

static void put_names(ab_proxies *proxies, uint32_t to, uint32_t count, const ab_contact_name *names)
{
#ifdef AB_SMALL
    (void)proxies, (void)to, (void)count, (void)names;
#else
    memcpy(proxies->name + to, names, count * sizeof *names);
#endif
}

static void permute_boxes(ab_aabb8 *block, uint32_t to, const uint32_t *order, uint32_t count, ab_aabb8 *scratch)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        copy_lane(&scratch[i / AB_BLOCK], i % AB_BLOCK, &block[order[i] / AB_BLOCK], order[i] % AB_BLOCK);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        copy_lane(&block[(to + i) / AB_BLOCK], (to + i) % AB_BLOCK, &scratch[i / AB_BLOCK], i % AB_BLOCK);
    }
}

static void permute_travel(ab_proxies *proxies, uint32_t to, const uint32_t *order, uint32_t count, travel *scratch)
{
    const abut_vec3 zero = { 0.0f, 0.0f, 0.0f };
    for (uint32_t i = 0; i < count; ++i)
    {
        scratch[i].offset = proxies->offset ? proxies->offset[order[i]] : zero;
        scratch[i].reach = proxies->reach ? proxies->reach[order[i]] : 0.0f;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (proxies->offset)
        {
            proxies->offset[to + i] = scratch[i].offset;
        }
        if (proxies->reach)
        {
            proxies->reach[to + i] = scratch[i].reach;
        }
    }
}

_Static_assert(sizeof(ab_contact_name) <= sizeof(ab_proxy_moved), "names are moved through the same scratch memory");

size_t ab_proxies_permute_bytes(ab_set set, uint32_t count)
{
    return (size_t)(count + AB_BLOCK) * (set == AB_ACTIVE ? sizeof(ab_proxy_moved) : sizeof(ab_record));
}

void ab_proxies_take_up(const ab_proxies *proxies, const uint32_t *order, uint32_t count, const ab_proxies_taken *out)
{
    take_kept(proxies->record, order, count, out->kept);
    take_naming(proxies, order, count, out->naming);
    take_names(proxies, order, count, out->names);
}

void ab_proxies_put_down(ab_proxies *proxies, uint32_t place, uint32_t count, const ab_proxies_taken *taken)
{
    const uint32_t to = proxies->region[AB_ACTIVE].first * AB_BLOCK + place;
    put_kept(proxies, to, count, taken->kept);
    put_naming(proxies, to, count, taken->naming);
    put_names(proxies, to, count, taken->names);
}

void ab_proxies_end_permute(ab_proxies *proxies, ab_set set, uint32_t first, uint32_t count)
{
    ab_region *region = &proxies->region[set];
    const uint32_t to = region->first * AB_BLOCK + first, end = region->first * AB_BLOCK + region->tail;
    AB_ASSERT(first + count <= region->tail, count);
    clear_proxies(proxies, to + count, end);
    for (uint32_t block = to / AB_BLOCK; set == AB_STATIC_SET && block < region->first + region->blocks; ++block)
    {
        fit_aabb(&proxies->block[block], &proxies->aabb[block]);
    }
    set_tail(region, first + count);
    region->ordered = region->tail;
}

void ab_proxies_permute(ab_proxies *proxies, ab_set set, uint32_t first, const uint32_t *order, uint32_t count,
                        void *scratch)
{
    const uint32_t to = proxies->region[set].first * AB_BLOCK + first;
    if (set == AB_ACTIVE)
    {
        take_kept(proxies->record, order, count, scratch);
        put_kept(proxies, to, count, scratch);
    }
    else
    {
        permute_records(proxies, to, order, count, scratch);
        permute_boxes(proxies->block, to, order, count, scratch);
        if (proxies->reach || proxies->offset)
        {
            permute_travel(proxies, to, order, count, scratch);
        }
    }
    take_names(proxies, order, count, scratch);
    put_names(proxies, to, count, scratch);
    take_naming(proxies, order, count, scratch);
    put_naming(proxies, to, count, scratch);
    ab_proxies_end_permute(proxies, set, first, count);
}
