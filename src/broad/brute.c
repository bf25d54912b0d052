// Brute force, the referee: tests every active proxy against every later active and every static one, in blocks. Also
// the fastest for few bodies. Keeps the proxies in their order, and closes gaps when there are many.
#include "base/array.h"
#include "broad/box_kernels.h"
#include "broad/pair_writer.h"
#include "broad/rows.h"

static abut_status brute_create(ab_broad *broad)
{
    (void)broad;
    return ABUT_OK;
}

static void brute_release(ab_broad *broad)
{
    (void)broad;
}

// Moves live proxies up in their order. The last run's pairs are dead, so their memory serves as scratch.
static abut_status close_gaps(ab_broad *broad, ab_set set)
{
    const ab_region *region = &broad->proxies->region[set];
    if (region->tail - region->live <= region->live / 4 + 64)
    {
        return ABUT_OK;
    }
    const size_t order_pairs = (region->live + 15) / 16 * 8; // a multiple of 64 bytes
    const size_t bytes = ab_proxies_permute_bytes(set, region->live);
    broad->borrowed = order_pairs + bytes / sizeof(ab_pair) + 1;
    ab_array_set_length(broad->pairs, 0);
    if (!ab_array_reserve(broad->pairs, broad->memory, broad->borrowed))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    uint32_t *order = (uint32_t *)(void *)broad->pairs;
    const uint32_t first = region->first * AB_BLOCK;
    uint32_t count = 0;
    for (uint32_t proxy = first; proxy < first + region->tail; ++proxy)
    {
        order[count] = proxy;
        count += broad->proxies->collider[proxy] != ABUT_NONE;
    }
    ab_proxies_permute(broad->proxies, set, 0, order, count, broad->pairs + order_pairs);
    return ABUT_OK;
}

static abut_status prepare_update(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    for (ab_set set = AB_ACTIVE; set < AB_SET_COUNT; ++set)
    {
        const abut_status status = close_gaps(broad, set);
        if (status != ABUT_OK)
        {
            return status;
        }
    }
    return ab_broad_prepare_bounds(broad, tasks);
}

// The pairs of `proxy` with the proxies of blocks [first, end).
static void scan(ab_pair_writer *writer, uint32_t proxy, uint32_t first, uint32_t end)
{
    const ab_broad *broad = writer->broad;
    const uint32_t most = AB_PAIR_WRITER_MOST / AB_BLOCK - 1;
    for (uint32_t begin = first; begin < end; begin += most)
    {
        const uint32_t part = end - begin < most ? end : begin + most;
        ab_pair_writer_took(
            writer, broad->kernels->brute_scan(broad->proxies, proxy, begin, part, ab_pair_writer_room(writer)));
    }
    broad->notes[writer->task].box_tests += end - first;
}

static abut_status prepare_pairs(void *pass, uint32_t *tasks)
{
    ab_broad *broad = pass;
    const ab_region *active = &broad->proxies->region[AB_ACTIVE];
    broad->depth = 0;
    broad->partition = ab_partition_into(&broad->granularity, (size_t)active->blocks * AB_BLOCK, AB_BLOCK);
    *tasks = broad->partition.tasks;
    return ab_pair_writers_open(broad, broad->partition.tasks) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void find_pairs(void *pass, uint32_t task)
{
    ab_broad *broad = pass;
    const ab_proxies *proxies = broad->proxies;
    const ab_region *active = &proxies->region[AB_ACTIVE], *static_region = &proxies->region[AB_STATIC_SET];
    const uint32_t active_end = active->first + active->blocks,
                   static_end = static_region->first + static_region->blocks;
    const uint32_t first = active->first * AB_BLOCK;
    const uint32_t end = first + (uint32_t)ab_partition_end(&broad->partition, task);
    ab_pair_writer writer;
    ab_pair_writer_open(&writer, broad, task);
    for (uint32_t proxy = first + (uint32_t)ab_partition_first(&broad->partition, task); proxy < end; ++proxy)
    {
        if (proxies->collider[proxy] != ABUT_NONE)
        {
            scan(&writer, proxy, proxy / AB_BLOCK, active_end);
            scan(&writer, proxy, static_region->first, static_end);
        }
    }
    ab_pair_writer_close(&writer);
}

static abut_status repeat_pairs(void *pass, uint32_t *tasks)
{
    return ab_pair_writers_repeat(pass, tasks);
}

static abut_status finish_pairs(void *pass, uint32_t *tasks)
{
    (void)tasks;
    return ab_pair_writers_finish(pass);
}

static void brute_check(const ab_broad *broad)
{
    ab_proxies_check(broad->proxies);
}

static const ab_phase update_phases[] = { { prepare_update, ab_broad_bound },
                                          { ab_broad_bounded, NULL },
                                          { NULL, NULL } };
static const ab_phase pairs_phases[] = { { prepare_pairs, find_pairs },
                                         { repeat_pairs, find_pairs },
                                         { repeat_pairs, find_pairs },
                                         { finish_pairs, NULL },
                                         { NULL, NULL } };

const ab_broad_row ab_broad_brute = {
    .name = "brute",
    .create = brute_create,
    .release = brute_release,
    .update_phases = update_phases,
    .pairs_phases = pairs_phases,
    .check = brute_check,
};
