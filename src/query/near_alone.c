// The collider nearest to one point: what its ball meets is few, lies in one list, and only the first of it is likely
// to be measured.
#include "query/near_query.h"

#ifndef AB_SMALL

#define MOST AB_DESCEND_ROOM // candidates; of more, others take care

typedef struct alone
{
    ab_near_query *query;
    uint32_t count, proxy[MOST + AB_WIDEST];
} alone;

static bool see(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    alone *a = context;
    const ab_questions *asked = a->query->asked;
    const abut_world *world = asked->world;
    const ab_proxies *own = &world->cache.proxies;
    const uint32_t *flags = own->proxy_flags, doubtful = asked->accepted.doubtful;
    uint32_t kept = a->count;
    (void)values;
    if (count > MOST - kept)
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        AB_PREFETCH_AT(own->record, proxies[i]);
        ab_query_prefetch_name(world, proxies[i]);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t one = proxies[i];
        a->proxy[kept] = one;
        kept += AB_LIKELY((flags[one] & doubtful) == 0) ||
                ab_query_filter_wants(world, &asked->accepted, a->query->question, one);
    }
    a->count = kept;
    return true;
}

// Of keys whose lowest bits are the index, which takes no branch.
static uint32_t index_of_lowest(const float *least, uint32_t count)
{
    uint32_t lowest = UINT32_MAX;
    for (uint32_t i = 0; i < count; ++i)
    {
        uint32_t key;
        memcpy(&key, &least[i], sizeof key);
        key = (key & ~(MOST - 1u)) | i;
        lowest = key < lowest ? key : lowest;
    }
    return lowest % MOST;
}

static void try_all(alone *a)
{
    ab_near_query *q = a->query;
    const abut_world *world = q->asked->world;
    const float at[3] = { q->position.x, q->position.y, q->position.z };
    float least[MOST + AB_WIDEST], most[MOST + AB_WIDEST];
    if (a->count == 0)
    {
        return;
    }
    for (uint32_t i = 0; i < AB_WIDEST; ++i)
    {
        a->proxy[a->count + i] = a->proxy[0];
    }
    world->kernels->queries->near(&world->cache.proxies, at, a->proxy, a->count, least, most);
    const uint32_t first = index_of_lowest(least, a->count);
    ab_query_prefetch_shape(world, a->proxy[first]);
    if (least[first] <= q->reach)
    {
        ab_near_try(q, a->proxy[first]);
    }
    for (uint32_t i = 0; i < a->count; ++i)
    {
        if (i != first && least[i] <= q->reach)
        {
            ab_near_try(q, a->proxy[i]);
        }
    }
}

static bool look(alone *a)
{
    const ab_query_index *index = a->query->asked->index;
    a->count = 0;
    for (int set = AB_SET_COUNT - 1; set >= 0; --set)
    {
        if (!ab_index_descend_plain(&index->tree[set], index->kernels->near, a->query->box, see, a))
        {
            return false;
        }
    }
    try_all(a);
    return true;
}

static bool answer(const ab_near_questions *q, ab_query_lists *lists, uint32_t i)
{
    ab_near_query query;
    ab_result_list list;
    ab_index_box box;
    alone a;
    a.query = &query;
    ab_near_lay(&query, &box, NULL, q, i);
    ab_near_open_list(&query, &list, q, lists, i);
    float ball, farthest = ab_near_farthest(q);
    for (bool more = ab_near_first_ball(&query, farthest, &ball); more;
         more = ab_near_next_ball(&query, &ball, &farthest))
    {
        ab_result_list_empty(&list);
        ab_near_open_ball(&query, ball);
        if (!look(&a))
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
