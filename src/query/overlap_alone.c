// What one box, shape or point overlaps: few candidates, in one list, which need no account of whose they are.
#include "query/overlap_query.h"

#ifndef AB_SMALL

#include "query/bound_kernels.h"

#define MOST AB_DESCEND_ROOM // candidates; of more, others take care

typedef struct alone
{
    const ab_overlap_questions *questions;
    uint32_t question, count;
    bool tested;
    uint32_t proxy[MOST + AB_WIDEST];
} alone;

static bool see(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    alone *a = context;
    const ab_questions *asked = &a->questions->asked;
    const abut_world *world = asked->world;
    const ab_proxies *own = &world->cache.proxies;
    const uint32_t *flags = own->proxy_flags, doubtful = asked->accepted.doubtful;
    uint32_t kept = a->count;
    (void)values;
    if (count > MOST - kept)
    {
        return false;
    }
    for (uint32_t i = 0; a->tested && i < count; ++i)
    {
        AB_PREFETCH_AT(own->record, proxies[i]);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        ab_query_prefetch_name(world, proxies[i]);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t one = proxies[i];
        a->proxy[kept] = one;
        kept +=
            AB_LIKELY((flags[one] & doubtful) == 0) || ab_query_filter_wants(world, &asked->accepted, a->question, one);
    }
    a->count = kept;
    return true;
}

// The exact test of some, of which those that overlap stay behind `kept` others. Returns how many these are then.
static uint32_t keep_tested(alone *a, const ab_overlap_asker *asker, const uint32_t *proxies, uint32_t count,
                            uint32_t kept)
{
    bool overlapping[MOST];
    for (uint32_t i = 0, part; i < count; i += part)
    {
        part = count - i < AB_OVERLAP_BATCH ? count - i : AB_OVERLAP_BATCH;
        asker->test(asker->context, proxies + i, part, overlapping + i);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        a->proxy[kept] = proxies[i];
        kept += overlapping[i];
    }
    return kept;
}

// Keeps what overlaps. Bounds decide about what is in or out of a ball, without a branch: they cannot be predicted.
static AB_APART void keep_overlapping(alone *a, const ab_overlap_asker *asker)
{
    const abut_world *world = a->questions->asked.world;
    const ab_overlap_shape *shape = &asker->shape;
    uint32_t undecided[MOST], left = 0, kept = 0;
    if (asker->test != ab_overlap_test_shape)
    {
        memcpy(undecided, a->proxy, a->count * sizeof *undecided);
        a->count = keep_tested(a, asker, undecided, a->count, 0);
        return;
    }
    const float at[3] = { shape->pose.position.x, shape->pose.position.y, shape->pose.position.z };
    const float inner = shape->inner > 0.0f ? shape->inner : -1.0f; // without a ball the centre may be outside
    float least[MOST + AB_WIDEST], most[MOST + AB_WIDEST];
    for (uint32_t i = 0; i < AB_WIDEST; ++i)
    {
        a->proxy[a->count + i] = a->proxy[0];
    }
    world->kernels->queries->near(&world->cache.proxies, at, a->proxy, a->count, least, most);
    for (uint32_t i = 0; i < a->count; ++i)
    {
        const uint32_t one = a->proxy[i];
        const bool in = most[i] <= inner, out = !(least[i] <= shape->outer);
        a->proxy[kept] = one;
        kept += in;
        undecided[left] = one;
        left += !(in | out);
    }
    a->count = left > 0 ? keep_tested(a, asker, undecided, left, kept) : kept;
}

static void publish(const alone *a, ab_query_lists *lists, const ab_overlap_query *query)
{
    const ab_overlap_questions *q = a->questions;
    const ab_proxies *proxies = &q->asked.world->cache.proxies;
    uint32_t keys[AB_FEW_RESULTS + AB_WIDEST];
    if (a->count > AB_FEW_RESULTS || (q->asked.accepted.flags & ABUT_QUERY_ONE_PER_BODY) != 0)
    {
        ab_overlap_publish_many(query, lists, a->proxy, a->count);
        return;
    }
    for (uint32_t k = 0; k < a->count; ++k)
    {
        const uint32_t proxy = a->proxy[k];
        keys[k] = a->tested ? proxies->record[proxy].collider_key : proxies->collider_key[proxy];
    }
    memset(keys + a->count, 0, AB_WIDEST * sizeof *keys);
    ab_overlap_publish_few(q, lists, a->question, a->proxy, keys, a->count);
}

static bool answer(const ab_overlap_questions *q, ab_query_lists *lists, uint32_t i)
{
    const ab_query_index *index = q->asked.index;
    ab_overlap_asker asker;
    ab_index_box box;
    alone a;
    ab_overlap_lay(&asker, &box, q, i);
    a.questions = q;
    a.question = i;
    a.count = 0;
    a.tested = asker.test != NULL;
    if (!ab_index_descend_plain(&index->tree[AB_STATIC_SET], index->kernels->overlap, &box, see, &a) ||
        !ab_index_descend_plain(&index->tree[AB_ACTIVE], index->kernels->overlap, &box, see, &a))
    {
        return false;
    }
    if (asker.test && a.count > 0)
    {
        keep_overlapping(&a, &asker);
    }
    const ab_overlap_query query = ab_overlap_query_of(q, &asker, &box, i);
    publish(&a, lists, &query);
    return true;
}

void ab_overlap_answer_alone(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; ++i)
    {
        if (!answer(context, lists, i))
        {
            ab_overlap_answer_many(context, lists, i, 1);
        }
    }
}

#endif
