// The collider nearest to one point: what its ball meets is few, lies in one list, and only the first of it is likely
// to be measured.
#include "query/near_query.h"

#ifndef AB_SMALL

#include "query/one_question.h"

// Of keys whose lowest bits are the index, which takes no branch.
static uint32_t index_of_lowest(const float *least, uint32_t count)
{
    uint32_t lowest = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t key;
        memcpy(&key, &least[i], sizeof key);
        key = (key & ~(AB_ONE_MOST - 1u)) | i;
        lowest = key < lowest ? key : lowest;
    }
    return lowest % AB_ONE_MOST;
}

static void try_all(ab_near_query *q, ab_one_question *one)
{
    const abut_world *world = q->asked->world;
    uint32_t *proxy = one->proxy;
    const uint32_t count = one->count;
    float least[AB_ONE_MOST + AB_WIDEST], most[AB_ONE_MOST + AB_WIDEST];
    if (count == 0)
    {
        return;
    }
    ab_proxies_near(world, q->position, proxy, count, least, most);
    const uint32_t first = index_of_lowest(least, count);
    ab_query_prefetch_shape(world, proxy[first]);
    if (least[first] <= q->reach)
    {
        ab_near_try(q, proxy[first]);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (i != first && least[i] <= q->reach)
        {
            ab_near_try(q, proxy[i]);
        }
    }
}

static bool look(ab_near_query *q, ab_one_question *one)
{
    const ab_query_index *index = q->asked->index;
    one->count = 0;
    for (int set = AB_SET_COUNT - 1; set >= 0; --set)
    {
        if (!ab_index_descend_plain(&index->tree[set], index->kernels->near, q->box, ab_one_question_see, one))
        {
            return false;
        }
    }
    try_all(q, one);
    return true;
}

static bool answer(const ab_near_questions *q, ab_query_lists *lists, uint32_t i)
{
    ab_near_query query;
    ab_result_list list;
    ab_index_box box;
    ab_one_question one;
    one.asked = &q->asked;
    one.question = i;
    one.reads_records = true;
    ab_near_lay(&query, &box, NULL, q, i);
    ab_near_open_list(&query, &list, q, lists, i);
    float ball, farthest = ab_near_farthest(q);
    for (bool more = ab_near_first_ball(&query, farthest, &ball); more;
         more = ab_near_next_ball(&query, &ball, &farthest))
    {
        ab_result_list_empty(&list);
        ab_near_open_ball(&query, ball);
        if (!look(&query, &one))
        {
            return false;
        }
    }
    ab_near_close_list(q, lists, i, &list);
    return true;
}

void ab_near_answer_alone(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; ++i)
    {
        if (!answer(context, lists, i))
        {
            ab_near_answer_many(context, lists, i, 1);
        }
    }
}

#endif
