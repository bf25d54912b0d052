// What one box, shape or point overlaps: few candidates, in one list, which need no account of whose they are.
#include "query/overlap_query.h"

#ifndef AB_SMALL

#include "query/candidates.h"
#include "query/one_question.h"

// The exact test of some, of which those that overlap stay behind `kept` others. Returns how many these are then.
static uint32_t keep_tested(ab_one_question *one, const ab_overlap_asker *asker, const uint32_t *proxies,
                            uint32_t count, uint32_t kept)
{
    bool overlapping[AB_ONE_MOST];
    for (uint32_t i = 0, part; i < count; i += part)
    {
        part = count - i < AB_OVERLAP_BATCH ? count - i : AB_OVERLAP_BATCH;
        asker->test(asker->context, proxies + i, part, overlapping + i);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        one->proxy[kept] = proxies[i];
        kept += overlapping[i];
    }
    return kept;
}

// Keeps what overlaps. Bounds decide about what is in or out of a ball, without a branch: they cannot be predicted.
static AB_APART void keep_overlapping(ab_one_question *one, const ab_overlap_asker *asker)
{
    const ab_overlap_shape *shape = &asker->shape;
    uint32_t undecided[AB_ONE_MOST], left = 0, kept = 0;
    if (asker->test != ab_overlap_test_shape)
    {
        memcpy(undecided, one->proxy, one->count * sizeof *undecided);
        one->count = keep_tested(one, asker, undecided, one->count, 0);
        return;
    }
    const float inner = shape->inner > 0.0f ? shape->inner : -1.0f; // without a ball the centre may be outside
    float least[AB_ONE_MOST + AB_WIDEST], most[AB_ONE_MOST + AB_WIDEST];
    ab_proxies_near(one->asked->world, shape->pose.position, one->proxy, one->count, least, most);
    for (uint32_t i = 0; i < one->count; ++i)
    {
        const uint32_t proxy = one->proxy[i];
        const bool in = most[i] <= inner, out = !(least[i] <= shape->outer);
        one->proxy[kept] = proxy;
        kept += in;
        undecided[left] = proxy;
        left += !(in | out);
    }
    one->count = left > 0 ? keep_tested(one, asker, undecided, left, kept) : kept;
}

static void publish(const ab_overlap_questions *q, const ab_one_question *one, ab_query_lists *lists,
                    const ab_overlap_query *query)
{
    const ab_proxies *proxies = &q->asked.world->cache.proxies;
    uint32_t keys[AB_FEW_RESULTS + AB_WIDEST];
    if (one->count > AB_FEW_RESULTS || (q->asked.accepted.flags & ABUT_QUERY_ONE_PER_BODY) != 0)
    {
        ab_overlap_publish_many(query, lists, one->proxy, one->count);
        return;
    }
    for (uint32_t k = 0; k < one->count; ++k)
    {
        const uint32_t proxy = one->proxy[k];
        keys[k] = one->reads_records ? proxies->record[proxy].collider_key : proxies->collider_key[proxy];
    }
    memset(keys + one->count, 0, AB_WIDEST * sizeof *keys);
    ab_overlap_publish_few(q, lists, one->question, one->proxy, keys, one->count);
}

static bool answer(const ab_overlap_questions *q, ab_query_lists *lists, uint32_t i)
{
    const ab_query_index *index = q->asked.index;
    ab_overlap_asker asker;
    ab_index_box box;
    ab_one_question one;
    ab_overlap_lay(&asker, &box, q, i);
    one.asked = &q->asked;
    one.question = i;
    one.count = 0;
    one.reads_records = asker.test != NULL;
    if (!ab_index_descend_plain(&index->tree[AB_STATIC_SET], index->kernels->overlap, &box, ab_one_question_see,
                                &one) ||
        !ab_index_descend_plain(&index->tree[AB_ACTIVE], index->kernels->overlap, &box, ab_one_question_see, &one))
    {
        return false;
    }
    if (asker.test && one.count > 0)
    {
        keep_overlapping(&one, &asker);
    }
    const ab_overlap_query query = ab_overlap_query_of(q, &asker, &box, i);
    publish(q, &one, lists, &query);
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
