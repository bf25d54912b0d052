// A question about the nearest colliders, and a call with one or many of them.
#ifndef AB_NEAR_QUERY_H
#define AB_NEAR_QUERY_H

#include "query/candidates.h"
#include "query/exact_kernels.h"
#include "query/query.h"

#define AB_NEAR_FARTHEST 1.0e9f // spans every world

#ifdef AB_SMALL
#define AB_NEAR_SHORT_CUTS false
#else
#define AB_NEAR_SHORT_CUTS true
#endif

typedef struct ab_near_query
{
    const ab_questions *asked;
    uint32_t question; // its index
    abut_vec3 position;
    const ab_convex *shape; // that asks; NULL: a point
    ab_index_box *box;
    float radius;  // of a ball about the position that contains the shape; zero for a point
    float least;   // nothing that is wanted is nearer
    float beyond;  // the least distance that was measured beyond the present ball
    float reach;   // of the present ball, or less once there are enough
    uint32_t most; // results
    ab_result_list *list;
#ifdef AB_MESHES
    float limit; // nothing farther is a result
#endif
    uint32_t kept; // of what was measured beyond a ball, the last that was the least: not measured again
    abut_near far; // of that
} ab_near_query;

// A call: points or shapes.
typedef struct ab_near_questions
{
    ab_questions asked;
    const abut_vec3 *points;
    const abut_placed_shape *shapes;
    float max_distance;
    uint32_t most;
    ab_query_lists lists;
} ab_near_questions;

static inline float ab_near_farthest(const ab_near_questions *q)
{
    return q->max_distance < AB_NEAR_FARTHEST ? q->max_distance : AB_NEAR_FARTHEST;
}

// Sets question i up, but for its list. `shape` is there for one that asks.
void ab_near_lay(ab_near_query *out, ab_index_box *box, ab_convex *shape, const ab_near_questions *q, uint32_t i);

// Where the results of question i go; and once they are there.
void ab_near_open_list(ab_near_query *query, ab_result_list *list, const ab_near_questions *q,
                       const ab_query_lists *lists, uint32_t i);
void ab_near_close_list(const ab_near_questions *q, ab_query_lists *lists, uint32_t i, ab_result_list *list);

// Sets *ball to the radius of the first ball. False when nothing that is wanted can be within `farthest`.
bool ab_near_first_ball(ab_near_query *q, float farthest, float *ball);

// After a ball whose results are in the list: false when there are enough, or none can be farther. Sets *ball to the
// radius of the next, and *farthest to less if all that is wanted is nearer.
bool ab_near_next_ball(const ab_near_query *q, float *ball, float *farthest);

// The next ball, of which nothing is known.
void ab_near_open_ball(ab_near_query *q, float ball);

#define AB_NEAR_SQUARE_UP (1.0f + 0x1p-20f)

AB_INLINE void ab_near_set_reach(ab_near_query *q, float reach)
{
    q->reach = reach;
    q->box->square = reach * reach * AB_NEAR_SQUARE_UP;
}

// Once there are enough, those farther than the last of them do not count.
AB_INLINE void ab_near_narrow(ab_near_query *q)
{
    if (q->list->count >= q->most && q->list->capacity == q->most)
    {
        const abut_near *last = ab_result_list_last(q->list);
        ab_near_set_reach(q, last->distance);
#ifdef AB_MESHES
        q->limit = q->reach;
#endif
    }
}

// Names a result within the reach, and adds it to the list; the reach may become less.
void ab_near_take(ab_near_query *q, uint32_t proxy, abut_near *near);

// Measures a proxy, and adds it to the list if it is within the reach, which may become less.
void ab_near_try(ab_near_query *q, uint32_t proxy);

#ifndef AB_SMALL
// The same of one result, whose place is known: that of question i.
AB_INLINE void ab_near_open_one(ab_near_query *query, ab_result_list *list, const ab_query_lists *lists, uint32_t i)
{
    list->world = query->asked->world;
    list->results = (char *)lists->results + i * lists->size;
    list->size = lists->size;
    list->rank = ab_near_rank;
    list->tie = NULL;
    list->capacity = 1;
    list->count = 0;
    list->is_heap = false;
    list->is_sorted = true;
    query->list = list;
}

AB_INLINE void ab_near_close_one(ab_query_lists *lists, uint32_t i, const ab_result_list *list)
{
    lists->ranges[i] = (abut_range){ i, list->count > 0 };
}

#define AB_NEAR_FIRSTS 8u // of a question's candidates, the nearest, which may be measured together

// ab_near_take of a result at a point. Written where it goes: what was just stored in parts would have to be waited for
// to be copied.
AB_INLINE void ab_near_take_at(ab_near_query *q, uint32_t proxy, uint32_t collider_key, float distance, abut_vec3 on)
{
    const abut_world *world = q->asked->world;
    const uint64_t rank = ab_result_rank_of(distance, collider_key);
    const bool one_per_body = (q->asked->accepted.flags & ABUT_QUERY_ONE_PER_BODY) != 0;
    abut_near *place = one_per_body ? NULL : ab_result_list_room(q->list, rank);
    if (!place)
    {
        abut_near near = { .distance = distance, .on_collider = on };
        ab_near_take(q, proxy, &near);
        return;
    }
    const ab_contact_name *name = ab_query_name(world, proxy);
    *place = (abut_near){ .body = name->body, .collider = name->collider, .distance = distance, .on_collider = on };
    if (q->list->count == q->list->capacity)
    {
        ab_result_list_wrote(q->list);
        ab_near_narrow(q);
    }
}

// ab_near_try of a proxy that was measured.
AB_INLINE void ab_near_try_at(ab_near_query *q, uint32_t proxy, uint32_t collider_key, float distance, bool inside,
                              abut_vec3 on)
{
    const bool skipped = inside && (q->asked->accepted.flags & ABUT_QUERY_SKIP_INSIDE);
    if (distance <= q->reach && !skipped)
    {
        ab_near_take_at(q, proxy, collider_key, distance, on);
    }
    else if (distance < q->beyond && !skipped)
    {
        q->beyond = distance;
    }
}

AB_INLINE void ab_near_try_point(ab_near_query *q, uint32_t proxy, const ab_near_points *points, uint32_t lane)
{
    ab_near_try_at(q, proxy, points->collider_key[lane], points->distance[lane], points->inside[lane] != 0,
                   abut_vec3_make(points->on[0][lane], points->on[1][lane], points->on[2][lane]));
}

// Tries the first candidates of a point, those of one sort together. Returns how many.
uint32_t ab_near_try_firsts(ab_near_query *q, const ab_candidates *candidates);

// Answers questions together where there is room for all results, else each by itself.
void ab_near_answer_many(void *context, ab_query_lists *lists, uint32_t first, uint32_t count);

// The same of one point that wants one result.
void ab_near_answer_alone(void *context, ab_query_lists *lists, uint32_t first, uint32_t count);
#endif

#endif
