// Reordering leaves through scratch memory, array by array.
#include "base/assert.h"
#include "bounds/leaf_lanes.h"

#define AHEAD 16u // leaves that the cache is asked for in advance

typedef struct travel
{
    abut_vec3 offset;
    float reach;
} travel;

static void take_kept(const ab_record *record, const uint32_t *order, uint32_t count, ab_leaf_kept *kept)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH(&record[order[i + AHEAD < count ? i + AHEAD : i]]);
        const ab_record *from = &record[order[i]];
        kept[i] = (ab_leaf_kept){ .half = { from->half_x, from->half_y, from->half_z }, .order = from->order };
    }
}

static void put_kept(ab_leaves *leaves, uint32_t to, uint32_t count, const ab_leaf_kept *kept)
{
    ab_record *record = leaves->record;
    for (uint32_t i = 0; i < count; ++i)
    {
        record[to + i].half_x = kept[i].half[0];
        record[to + i].half_y = kept[i].half[1];
        record[to + i].half_z = kept[i].half[2];
        record[to + i].order = leaves->order[to + i] = kept[i].order;
    }
}

static void permute_records(ab_leaves *leaves, uint32_t to, const uint32_t *order, uint32_t count, ab_record *scratch)
{
    ab_record *record = leaves->record;
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH(&record[order[i + AHEAD < count ? i + AHEAD : i]]);
        scratch[i] = record[order[i]];
    }
    memcpy(record + to, scratch, count * sizeof *record);
    for (uint32_t i = 0; i < count; ++i)
    {
        leaves->order[to + i] = scratch[i].order;
    }
}

static void take_naming(const ab_leaves *leaves, const uint32_t *order, uint32_t count, ab_leaf_naming *naming)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        naming[i] = (ab_leaf_naming){ leaves->collider[order[i]], leaves->traits[order[i]] };
    }
}

static void put_naming(ab_leaves *leaves, uint32_t to, uint32_t count, const ab_leaf_naming *naming)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        leaves->collider[to + i] = naming[i].collider;
        leaves->traits[to + i] = naming[i].traits;
        leaves->leaf_of[naming[i].collider] = to + i;
    }
}

static void permute_boxes(ab_block *block, uint32_t to, const uint32_t *order, uint32_t count, ab_block *scratch)
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

static void permute_travel(ab_leaves *leaves, uint32_t to, const uint32_t *order, uint32_t count, travel *scratch)
{
    const abut_vec3 zero = { 0.0f, 0.0f, 0.0f };
    for (uint32_t i = 0; i < count; ++i)
    {
        scratch[i].offset = leaves->offset ? leaves->offset[order[i]] : zero;
        scratch[i].reach = leaves->reach ? leaves->reach[order[i]] : 0.0f;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (leaves->offset)
        {
            leaves->offset[to + i] = scratch[i].offset;
        }
        if (leaves->reach)
        {
            leaves->reach[to + i] = scratch[i].reach;
        }
    }
}

size_t ab_leaves_permute_bytes(ab_set set, uint32_t count)
{
    return (size_t)(count + AB_BLOCK) * (set == AB_ACTIVE ? sizeof(ab_leaf_kept) : sizeof(ab_record));
}

void ab_leaves_take_up(const ab_leaves *leaves, const uint32_t *order, uint32_t count, ab_leaf_kept *kept,
                       ab_leaf_naming *naming)
{
    take_kept(leaves->record, order, count, kept);
    take_naming(leaves, order, count, naming);
}

void ab_leaves_put_down(ab_leaves *leaves, uint32_t place, uint32_t count, const ab_leaf_kept *kept,
                        const ab_leaf_naming *naming)
{
    const uint32_t to = leaves->region[AB_ACTIVE].first * AB_BLOCK + place;
    put_kept(leaves, to, count, kept);
    put_naming(leaves, to, count, naming);
}

void ab_leaves_end_permute(ab_leaves *leaves, ab_set set, uint32_t first, uint32_t count)
{
    ab_region *region = &leaves->region[set];
    const uint32_t to = region->first * AB_BLOCK + first, end = region->first * AB_BLOCK + region->tail;
    AB_ASSERT(first + count <= region->tail, count);
    clear_leaves(leaves, to + count, end);
    for (uint32_t block = to / AB_BLOCK; set == AB_STILL && block < region->first + region->blocks; ++block)
    {
        fit_extent(&leaves->block[block], &leaves->extent[block]);
    }
    set_tail(region, first + count);
    region->ordered = region->tail;
}

void ab_leaves_permute(ab_leaves *leaves, ab_set set, uint32_t first, const uint32_t *order, uint32_t count,
                       void *scratch)
{
    const uint32_t to = leaves->region[set].first * AB_BLOCK + first;
    if (set == AB_ACTIVE)
    {
        take_kept(leaves->record, order, count, scratch);
        put_kept(leaves, to, count, scratch);
    }
    else
    {
        permute_records(leaves, to, order, count, scratch);
        permute_boxes(leaves->block, to, order, count, scratch);
        if (leaves->reach || leaves->offset)
        {
            permute_travel(leaves, to, order, count, scratch);
        }
    }
    take_naming(leaves, order, count, scratch);
    put_naming(leaves, to, count, scratch);
    ab_leaves_end_permute(leaves, set, first, count);
}
