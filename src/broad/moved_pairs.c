// Lists the proxies that have moved, and finds the pairs of each in the trees over both sets.
#include "broad/moved_pairs.h"

#include "bounds/anchors.h"
#include "broad/pair_writer.h"

#define FEW    24u // times as many proxies may be searched for all pairs in the time that one descent takes
#define LITTLE 64u // blocks that need no node above them
#define DROPS  8u  // times as many pairs as proxies are dropped: the row's search ends where nothing collides

static bool has_moved(const ab_moved_pairs *m, uint32_t proxy)
{
    const ab_proxies *proxies = m->broad->proxies;
    return (m->known[proxies->collider_key[proxy] >> 8] & AB_ANCHOR_MOVED) != 0;
}

// Lists the active proxies that have moved, unless they are more than `most`.
static bool list_moved(ab_moved_pairs *m, uint32_t most)
{
    const ab_proxies *proxies = m->broad->proxies;
    const ab_region *active = &proxies->region[AB_ACTIVE];
    const uint32_t first = active->first * AB_BLOCK;
    for (uint32_t proxy = first; proxy < first + active->tail; ++proxy)
    {
        if (proxies->collider[proxy] != ABUT_NONE && has_moved(m, proxy))
        {
            if (m->count == most)
            {
                return false;
            }
            m->proxies[m->count++] = proxy;
        }
    }
    return true;
}

static bool is_tree(const ab_tree *tree)
{
    return tree->levels != 1 || tree->count[0] <= LITTLE;
}

static abut_status prepare(void *given, uint32_t *tasks)
{
    ab_moved_pairs *m = given;
    const uint32_t most = m->broad->proxies->region[AB_ACTIVE].live / FEW;
    if (!m->known || !m->only_active)
    {
        return ABUT_OK;
    }
    for (ab_set set = AB_ACTIVE; set < AB_SET_COUNT; ++set)
    {
        ab_broad_tree(m->broad, set, &m->trees[set]);
        if (!is_tree(&m->trees[set]))
        {
            return ABUT_OK;
        }
    }
    m->proxies = ab_arena_take(m->arena, (most + (size_t)1) * sizeof *m->proxies);
    if (!m->proxies)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    if (!list_moved(m, most))
    {
        return ABUT_OK;
    }
    m->few = true;
    m->most_dropped = (size_t)DROPS * m->broad->proxies->region[AB_ACTIVE].live;
    const ab_granularity granularity = { m->broad->granularity.chunk / FEW + 1, m->broad->granularity.whole / FEW + 1 };
    m->partition = ab_partition_into(&granularity, m->count, 1);
    *tasks = m->partition.tasks;
    return ab_pair_writers_open(m->broad, m->partition.tasks) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

typedef struct descent
{
    const ab_moved_pairs *m;
    ab_pair_writer *writer;
    uint32_t proxy;
    size_t dropped;
} descent;

// A pair of two that have moved is found from both.
static bool take(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    descent *d = context;
    const uint32_t *const collider = d->m->broad->proxies->collider;
    (void)values;
    ab_pair *room = ab_pair_writer_room(d->writer);
    const uint32_t before = d->writer->count;
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t other = proxies[i];
        const bool once = other != d->proxy && (!has_moved(d->m, other) || d->proxy < other);
        room[taken] = (ab_pair){ d->proxy, other };
        taken += once && collider[other] != ABUT_NONE;
    }
    ab_pair_writer_took(d->writer, taken);
    d->dropped += before + taken - d->writer->count;
    return true;
}

// Depends on the proxies alone: tasks go on until their total is too large.
static bool dropped_too_many(const ab_moved_pairs *m)
{
    return atomic_load_explicit(&m->dropped, memory_order_relaxed) > m->most_dropped;
}

static void find(void *given, uint32_t task)
{
    ab_moved_pairs *m = given;
    const ab_aabb8 *const blocks = m->broad->proxies->block;
    ab_pair_writer writer;
    ab_pair_writer_open(&writer, m->broad, task);
    const size_t end = ab_partition_end(&m->partition, task);
    for (size_t i = ab_partition_first(&m->partition, task); i < end && !writer.ends && !dropped_too_many(m); ++i)
    {
        descent d = { m, &writer, m->proxies[i], 0 };
        const ab_aabb8 *block = &blocks[d.proxy / AB_BLOCK];
        const uint32_t lane = d.proxy % AB_BLOCK;
        const ab_index_box box = { .min = { block->min_x[lane], block->min_y[lane], block->min_z[lane] },
                                   .max = { block->max_x[lane], block->max_y[lane], block->max_z[lane] } };
        for (ab_set set = AB_ACTIVE; set < AB_SET_COUNT; ++set)
        {
            (void)ab_index_descend(&m->trees[set], m->index->overlap, &box, take, &d);
        }
        atomic_fetch_add_explicit(&m->dropped, d.dropped, memory_order_relaxed);
    }
    ab_pair_writer_close(&writer);
}

static abut_status repeat(void *given, uint32_t *tasks)
{
    ab_moved_pairs *m = given;
    m->few &= !dropped_too_many(m);
    atomic_store_explicit(&m->dropped, 0, memory_order_relaxed);
    return m->few ? ab_pair_writers_repeat(m->broad, tasks) : ABUT_OK;
}

static abut_status finish(void *given, uint32_t *tasks)
{
    ab_moved_pairs *m = given;
    (void)tasks;
    m->few &= !dropped_too_many(m);
    return m->few ? ab_pair_writers_finish(m->broad) : ABUT_OK;
}

_Static_assert(AB_DESCEND_ROOM <= AB_PAIR_WRITER_MOST, "a pair writer takes what a descent reports at a time");

const ab_phase ab_moved_pair_phases[] = {
    { prepare, find }, { repeat, find }, { repeat, find }, { finish, NULL }, { NULL, NULL }
};
