// The collider nearest to one point: what its ball meets is few, lies in one list, and only the first of it is likely
// to be measured.
#include "query/near_query.h"

#ifndef AB_SMALL

#include "base/assert.h"
#include "query/near_points.h"
#include "query/one_question.h"

AB_INLINE ab_d3 axis_of(const ab_record *record, uint32_t axis)
{
    const float *a = record->axis + 3 * axis;
    return (ab_d3){ (double)a[0], (double)a[1], (double)a[2] };
}

// ab_near_try of the first, which is mostly the only one: without a branch on what it is, if a sphere or a box.
static void try_first(ab_near_query *q, uint32_t proxy)
{
    const ab_proxies *proxies = &q->asked->world->cache.proxies;
    const ab_record *record = &proxies->record[proxy];
    const ab_exact_sort sort = ab_exact_sort_of(proxies->proxy_flags[proxy]);
    if (sort == AB_EXACT_NONE)
    {
        ab_near_try(q, proxy);
        return;
    }
    double to[3];
    ab_query_place(q->asked->world, proxy, q->position, to);
    const ab_d3 from = { -to[0], -to[1], -to[2] };
    const ab_d3 half = { (double)record->half_x, (double)record->half_y, (double)record->half_z };
    const ab_nearest_point ball = ab_near_on_ball(from, half.x),
                           box = ab_near_on_box(from, axis_of(record, 0), axis_of(record, 1), axis_of(record, 2), half),
                           near = sort == AB_EXACT_SPHERES ? ball : box;
    ab_near_try_at(
        q, proxy, record->collider_key, (float)sqrt(ab_d3_dot(near.on, near.on)), near.inside,
        abut_vec3_make(ab_positive_zero(near.on.x), ab_positive_zero(near.on.y), ab_positive_zero(near.on.z)));
}

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
        try_first(q, proxy[first]);
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

static bool answer(const ab_near_questions *q, ab_query_lists *lists)
{
    ab_near_query query;
    ab_result_list list;
    ab_index_box box;
    ab_one_question one;
    one.asked = &q->asked;
    one.question = 0;
    one.reads_records = true;
    ab_near_lay(&query, &box, NULL, q, 0);
    ab_near_open_one(&query, &list, lists, 0);
    float ball, farthest = ab_near_farthest(q);
    for (bool more = ab_near_first_ball(&query, farthest, &ball); more;
         more = list.count == 0 && ab_near_next_ball(&query, &ball, &farthest))
    {
        ab_near_open_ball(&query, ball);
        if (!look(&query, &one))
        {
            return false;
        }
    }
    ab_near_close_one(lists, 0, &list);
    lists->total = lists->ranges[0].count;
    return true;
}

void ab_near_answer_alone(void *context, ab_query_lists *lists, uint32_t first, uint32_t count)
{
    AB_ASSERT(first == 0 && count == 1 && lists->capacity == 1, count);
    if (!answer(context, lists))
    {
        ab_near_answer_many(context, lists, first, count);
    }
}

#endif
