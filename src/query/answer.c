// Answers the questions of a call, some to a task. Answers whose places are known beforehand are given on all threads of
// the world. So are lists: each task has a share of the caller's array, and what it wrote is moved to its place once it is
// known how long the lists before it are. Where a share is too small, the tasks from there on run again, each at its place.
#include "query/query.h"

#include "base/assert.h"

#include <string.h>

static uint32_t tasks_of(const ab_questions *q)
{
    return q->count / AB_DESCEND_MANY + (q->count % AB_DESCEND_MANY != 0);
}

// Some of the questions, whichever thread it is on.
static void answer_some(const ab_questions *q, ab_query_lists *lists, uint32_t task)
{
    const uint32_t first = task * AB_DESCEND_MANY, left = q->count - first;
    const uint32_t count = left < AB_DESCEND_MANY ? left : AB_DESCEND_MANY;
    if (q->answer_many)
    {
        q->answer_many(q->context, lists, first, count);
        return;
    }
    for (uint32_t i = first; i < first + count; ++i)
    {
        q->answer(q->context, lists, i);
    }
}

static void answer_task(void *context, uint32_t task)
{
    const ab_questions *q = context;
    answer_some(q, q->lists, task);
}

#ifndef AB_SMALL
// Lists that are made on several threads.
typedef struct shared
{
    const ab_questions *q;
    uint64_t share; // results of a task
    uint32_t first; // task that runs again; all behind it do
} shared;

// A task's part of the lists: `room` results from one on.
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
    answer_some(s->q, &part, task);
}

// The results of a task's questions, listed or not.
static uint64_t found_by(const ab_questions *q, uint32_t task)
{
    uint64_t found = 0;
    for (uint32_t k = 0, i = task * AB_DESCEND_MANY; k < AB_DESCEND_MANY && i < q->count; ++k, ++i)
    {
        found += q->lists->ranges[i].count;
    }
    return found;
}

// Where the lists of a task begin.
static void place(const ab_questions *q, uint32_t task, uint64_t first)
{
    for (uint32_t k = 0, i = task * AB_DESCEND_MANY; k < AB_DESCEND_MANY && i < q->count; ++k, ++i)
    {
        q->lists->ranges[i].first = first;
        first += q->lists->ranges[i].count;
    }
}

// Each list of a task has its place by now.
static void answer_in_place(void *context, uint32_t task)
{
    const shared *s = context;
    const ab_query_lists *lists = s->q->lists;
    const uint32_t own = s->first + task;
    const uint64_t first = lists->ranges[own * AB_DESCEND_MANY].first, found = found_by(s->q, own);
    const uint64_t left = first < lists->capacity ? lists->capacity - first : 0;
    if (found == 0 || left == 0)
    {
        return;
    }
    ab_query_lists part = part_of(lists, first, found < left ? found : left);
    answer_some(s->q, &part, own);
    place(s->q, own, first);
}

// Moves the lists of the tasks to their places, up to the first task whose share was too small. Returns how many are there.
static uint32_t close_up(const shared *s, uint32_t tasks)
{
    ab_query_lists *lists = s->q->lists;
    for (uint32_t task = 0; task < tasks; ++task)
    {
        const uint64_t found = found_by(s->q, task);
        if (found > s->share && lists->capacity > 0)
        {
            return task;
        }
        if (lists->capacity > 0 && found > 0)
        {
            memmove((char *)lists->results + lists->total * lists->size,
                    (const char *)lists->results + task * s->share * lists->size, (size_t)found * lists->size);
        }
        place(s->q, task, lists->total);
        lists->total += found;
    }
    return tasks;
}

static void list_on_all_threads(const ab_questions *q, ab_pool *pool, uint32_t tasks)
{
    shared s = { q, q->lists->capacity / tasks, 0 };
    AB_ASSERT(q->lists->total == 0 && q->lists->each == 0, q->lists->each);
    ab_pool_run(pool, answer_in_share, &s, tasks);
    s.first = close_up(&s, tasks);
    for (uint32_t task = s.first; task < tasks; ++task)
    {
        place(q, task, q->lists->total);
        q->lists->total += found_by(q, task);
    }
    if (s.first < tasks)
    {
        ab_pool_run(pool, answer_in_place, &s, tasks - s.first);
    }
}

void ab_query_answer_all(ab_questions *q)
{
    const uint32_t tasks = tasks_of(q);
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
