// Answers the questions of a call, some to a task. Answers whose places are known beforehand are given on all threads
// of the world. So are lists: each task has a share of the caller's array, and what it wrote is moved to its place once
// it is known how long the lists before it are. The lists that a share had no room for are made again, each at its
// place.
#include "query/query.h"

#include "base/assert.h"

#include <string.h>

static uint32_t tasks_of(const ab_questions *q)
{
    return q->count / AB_DESCEND_MANY + (q->count % AB_DESCEND_MANY != 0);
}

static uint32_t first_of(uint32_t task)
{
    return task * AB_DESCEND_MANY;
}

static uint32_t end_of(const ab_questions *q, uint32_t task)
{
    const uint32_t first = first_of(task), left = q->count - first;
    return first + (left < AB_DESCEND_MANY ? left : AB_DESCEND_MANY);
}

// Questions [first, end), whichever thread it is on.
static void answer_some(const ab_questions *q, ab_query_lists *lists, uint32_t first, uint32_t end)
{
    if (q->answer_many)
    {
        q->answer_many(q->context, lists, first, end - first);
        return;
    }
    for (uint32_t i = first; i < end; ++i)
    {
        q->answer(q->context, lists, i);
    }
}

static void answer_task(void *context, uint32_t task)
{
    const ab_questions *q = context;
    answer_some(q, q->lists, first_of(task), end_of(q, task));
}

#ifndef AB_SMALL
// Lists that are made on several threads.
typedef struct shared
{
    const ab_questions *q;
    uint64_t share; // results of a task
} shared;

// A part of the lists: `room` results from one on.
static ab_query_lists part_of(const ab_query_lists *lists, uint64_t first, uint64_t room)
{
    ab_query_lists part = *lists;
    part.results = room > 0 ? (char *)lists->results + first * lists->size : NULL;
    part.capacity = room;
    part.total = 0;
    return part;
}

static void answer_in_share(void *context, uint32_t task)
{
    const shared *s = context;
    ab_query_lists part = part_of(s->q->lists, task * s->share, s->share);
    answer_some(s->q, &part, first_of(task), end_of(s->q, task));
}

// The results of questions [first, end), listed or not.
static uint64_t found_by(const ab_questions *q, uint32_t first, uint32_t end)
{
    uint64_t found = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        found += q->lists->ranges[i].count;
    }
    return found;
}

// The first question of a task whose list found no room in its share, or the end; and how many results the lists before
// it have.
static uint32_t end_of_stored(const shared *s, uint32_t task, uint64_t *stored)
{
    const uint32_t end = end_of(s->q, task);
    uint32_t i = first_of(task);
    *stored = 0;
    for (; i < end && *stored + s->q->lists->ranges[i].count <= s->share; ++i)
    {
        *stored += s->q->lists->ranges[i].count;
    }
    return i;
}

// Where the lists of questions [first, end) begin.
static void place(const ab_questions *q, uint32_t first, uint32_t end, uint64_t at)
{
    for (uint32_t i = first; i < end; ++i)
    {
        q->lists->ranges[i].first = at;
        at += q->lists->ranges[i].count;
    }
}

// Moves what a task wrote to its place, as far as the caller's array reaches.
static void move(const shared *s, uint32_t task, uint64_t to)
{
    const ab_query_lists *lists = s->q->lists;
    const uint64_t from = task * s->share, left = to < lists->capacity ? lists->capacity - to : 0;
    uint64_t stored;
    (void)end_of_stored(s, task, &stored);
    const size_t count = (size_t)(stored < left ? stored : left);
    if (count > 0)
    {
        memmove((char *)lists->results + to * lists->size, (const char *)lists->results + from * lists->size,
                count * lists->size);
    }
}

// Shares and places are both in order and do not overlap. So what moves up is not in the way of what moves down, nor
// the other way round; the last of those that move up goes first, and the first of those that move down.
static void close_up(const shared *s, uint32_t tasks)
{
    const ab_questions *q = s->q;
    const uint64_t total = found_by(q, 0, q->count);
    uint64_t at = total;
    for (uint32_t task = tasks; task-- > 0;)
    {
        at -= found_by(q, first_of(task), end_of(q, task));
        if (at > task * s->share)
        {
            move(s, task, at);
        }
    }
    for (uint32_t task = 0; task < tasks; ++task)
    {
        if (at < task * s->share)
        {
            move(s, task, at);
        }
        place(q, first_of(task), end_of(q, task), at);
        at += found_by(q, first_of(task), end_of(q, task));
    }
    q->lists->total = total;
}

// Makes the lists again that a task's share had no room for. Their places are known by now.
static void answer_in_place(void *context, uint32_t task)
{
    const shared *s = context;
    const ab_query_lists *lists = s->q->lists;
    uint64_t stored;
    const uint32_t first = end_of_stored(s, task, &stored), end = end_of(s->q, task);
    const uint64_t at = first < end ? lists->ranges[first].first : lists->capacity;
    const uint64_t left = at < lists->capacity ? lists->capacity - at : 0, found = found_by(s->q, first, end);
    if (found > 0 && left > 0)
    {
        ab_query_lists part = part_of(lists, at, found < left ? found : left);
        answer_some(s->q, &part, first, end);
        place(s->q, first, end, at);
    }
}

static void list_on_all_threads(const ab_questions *q, ab_pool *pool, uint32_t tasks)
{
    shared s = { q, q->lists->capacity / tasks };
    AB_ASSERT(q->lists->total == 0 && q->lists->each == 0, q->lists->each);
    ab_pool_run(pool, answer_in_share, &s, tasks);
    close_up(&s, tasks);
    if (q->lists->capacity > 0)
    {
        ab_pool_run(pool, answer_in_place, &s, tasks);
    }
}

void ab_query_answer_all(ab_questions *q)
{
    const uint32_t tasks = tasks_of(q);
    if (tasks == 1)
    {
        answer_some(q, q->lists, 0, q->count);
        return;
    }
    ab_pool *pool = q->placed || q->lists ? q->world->pool : NULL;
    if (tasks > 1 && ab_pool_claim(pool)) // unless another call has it
    {
        if (q->lists && !q->placed)
        {
            list_on_all_threads(q, pool, tasks);
        }
        else
        {
            ab_pool_run(pool, answer_task, q, tasks);
        }
        ab_pool_give_back(pool);
        return;
    }
    ab_pool_run(NULL, answer_task, q, tasks);
}
#else
// Small builds have no threads.
void ab_query_answer_all(ab_questions *q)
{
    for (uint32_t task = 0; task < tasks_of(q); ++task)
    {
        answer_task(q, task);
    }
}
#endif
