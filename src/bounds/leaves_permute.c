// Reordering leaves through scratch memory, array by array.
#include "base/assert.h"
#include "bounds/leaf_lanes.h"

#define AHEAD 16u // leaves that the cache is asked for in advance

// What the bounds pass reads of a record and does not write.
typedef struct kept
{
    float half[3];
    uint32_t order;
} kept;

typedef struct naming
{
    uint32_t collider, traits, order;
} naming;

typedef struct travel
{
    abut_vec3 offset;
    float reach;
} travel;

static void permute_kept(ab_record *record, uint32_t to, const uint32_t *order, uint32_t count, kept *scratch)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH(&record[order[i + AHEAD < count ? i + AHEAD : i]]);
        const ab_record *from = &record[order[i]];
        scratch[i] = (kept){ .half = { from->half_x, from->half_y, from->half_z }, .order = from->order };
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        record[to + i].half_x = scratch[i].half[0];
        record[to + i].half_y = scratch[i].half[1];
        record[to + i].half_z = scratch[i].half[2];
        record[to + i].order = scratch[i].order;
    }
}

static void permute_records(ab_record *record, uint32_t to, const uint32_t *order, uint32_t count, ab_record *scratch)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH(&record[order[i + AHEAD < count ? i + AHEAD : i]]);
        scratch[i] = record[order[i]];
    }
    memcpy(record + to, scratch, count * sizeof *record);
}

static void permute_naming(ab_leaves *leaves, uint32_t to, const uint32_t *order, uint32_t count, naming *scratch)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        scratch[i] = (naming){ leaves->collider[order[i]], leaves->traits[order[i]], leaves->order[order[i]] };
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        leaves->collider[to + i] = scratch[i].collider;
        leaves->traits[to + i] = scratch[i].traits;
        leaves->order[to + i] = scratch[i].order;
        leaves->leaf_of[scratch[i].collider] = to + i;
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
    return (size_t)(count + AB_BLOCK) * (set == AB_ACTIVE ? sizeof(kept) : sizeof(ab_record));
}

void ab_leaves_permute(ab_leaves *leaves, ab_set set, uint32_t first, const uint32_t *order, uint32_t count,
                       void *scratch)
{
    ab_region *region = &leaves->region[set];
    const uint32_t to = region->first * AB_BLOCK + first, end = region->first * AB_BLOCK + region->tail;
    AB_ASSERT(first + count <= region->tail, count);
    if (set == AB_ACTIVE)
    {
        permute_kept(leaves->record, to, order, count, scratch);
    }
    else
    {
        permute_records(leaves->record, to, order, count, scratch);
        permute_boxes(leaves->block, to, order, count, scratch);
        if (leaves->reach || leaves->offset)
        {
            permute_travel(leaves, to, order, count, scratch);
        }
    }
    permute_naming(leaves, to, order, count, scratch);
    clear_leaves(leaves, to + count, end);
    for (uint32_t block = to / AB_BLOCK; set == AB_STILL && block < region->first + region->blocks; ++block)
    {
        fit_extent(&leaves->block[block], &leaves->extent[block]);
    }
    set_tail(region, first + count);
    region->ordered = region->tail;
}
