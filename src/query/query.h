// Common parts of queries of a world: entry, filter, shapes for the convex algorithms, and the caller's arrays of
// results.
//
// A query only reads the world, so any number of threads may query at once.
#ifndef AB_QUERY_H
#define AB_QUERY_H

#include "base/platform.h"
#include "index/descend.h"
#include "narrow/convex/convex.h"
#include "world/world.h"

#include <abut/query.h>

#include <math.h>
#include <string.h>

// A filter with its defaults filled in.
typedef struct ab_query_filter
{
    uint32_t category, mask, motions, flags;
    const abut_body *ignore;
    uint32_t ignore_count;
    const abut_body *ignore_each; // an entry a question, or NULL
    const uint32_t *mask_each;    // likewise, in place of `mask`
    bool whole;                   // but for these, finds every collider that is no sensor and has no filter of its own
    uint32_t doubtful;            // flags of a proxy that needs a closer look: every proxy has some flag, its kind
} ab_query_filter;

// NULL when the filter is valid and has no flag but `flags`, else the sentence that says what is not. `filter` may be
// NULL.
const char *ab_query_filter_accept(ab_query_filter *out, const abut_query_filter *filter, uint32_t flags);

#define AB_ANY_QUESTION UINT32_MAX // what no question's own entry of ignore_each and mask_each leaves out

// What a filter says of a proxy that needs a closer look.
bool ab_query_filter_wants(const abut_world *world, const ab_query_filter *filter, uint32_t question, uint32_t proxy);

// Whether a question, or AB_ANY_QUESTION, may find a proxy; false for a dead one.
static inline bool ab_query_wants(const abut_world *world, const ab_query_filter *filter, uint32_t question,
                                  uint32_t proxy)
{
    return (world->cache.proxies.proxy_flags[proxy] & filter->doubtful) == 0 ||
           ab_query_filter_wants(world, filter, question, proxy);
}

// ab_world_enter, and the error when a pointer is missing.
abut_status ab_query_enter(const abut_world *world, bool pointers, const char *call);

// The trees over both sets, and their kernels.
typedef struct ab_query_index
{
    const ab_tree *tree; // by set
    const ab_index_kernels *kernels;
    float node_width;  // median, of nodes over 64 proxies
    float ray_segment; // how far a ray is looked for first
} ab_query_index;

// Where the answers of a call go that are lists: those of question i to ranges[i].
typedef struct ab_query_lists
{
    abut_range *ranges;
    void *results;
    size_t size; // of one
    uint64_t capacity, total;
    uint32_t
        each; // places that each question has to itself, so that they may be answered at once; 0: one after another
} ab_query_lists;

// A call with one question or many.
typedef struct ab_questions
{
    const abut_world *world;
    const char *call;
    uint32_t count;
    const abut_query_filter *filter;
    uint32_t flags; // that a filter may have
    void *context;
    ab_query_lists *lists; // NULL: answers are no lists
    // NULL when question i is valid, else the sentence that says what is not.
    const char *(*fault)(void *context, uint32_t i);
    // The lists are those above, or a thread's own.
    void (*answer)(void *context, ab_query_lists *lists, uint32_t i);
    // NULL, or the same for `count` questions from `first` on, at most AB_DESCEND_MANY.
    void (*answer_many)(void *context, ab_query_lists *lists, uint32_t first, uint32_t count);
    bool placed;              // where an answer goes does not depend on the others
    bool unmarked;            // an answer needs the stack that marks of wanted nodes would take
    ab_query_filter accepted; // both there before the first answer
    ab_query_index *index;
} ab_questions;

// Answers them all in our own floating-point environment; none, when one is not valid. Pointers are good.
abut_status ab_query_ask(ab_questions *questions);

#ifndef AB_SMALL
// A call with one question, in its own function.
typedef struct ab_lone_call
{
    ab_questions asked; // world, call, filter and flags; the rest is filled in
    ab_query_index index;
    ab_tree room[AB_SET_COUNT];
    uint64_t floats; // the caller's floating-point environment
} ab_lone_call;

// What comes before the answer; on any status but ABUT_OK, the call is over.
abut_status ab_query_open(ab_lone_call *call, bool pointers);

// What comes after it. `sentence`: NULL, or why the question was not valid and there is no answer.
abut_status ab_query_close(const ab_lone_call *call, const char *sentence);
#endif

// Answers questions that are valid, on all threads of the world that can be had.
void ab_query_answer_all(ab_questions *questions);

// Calls the caller's `on_error`, in the caller's floating-point environment, which must be restored before. Unlike
// ab_fail it does not touch the world.
abut_status ab_query_fail(const abut_world *world, abut_status status, const char *call, uint32_t index,
                          const char *sentence);

// Both trees, the static one first: most queries end at floors and walls.
bool ab_query_descend(const ab_query_index *index, ab_index_kernel *kernel, const void *query, ab_index_see *see,
                      void *context);

// A proxy's shape, which lies in *room if the record holds all of it: records are in the order of the index, and what
// is by slot is far apart.
const abut_shape *ab_query_shape(const abut_world *world, uint32_t proxy, abut_shape *room);

// The same where a call costs too much.
AB_INLINE const abut_shape *ab_query_shape_in(const abut_world *world, uint32_t proxy, abut_shape *room)
{
    const ab_proxies *proxies = &world->cache.proxies;
    const uint32_t flags = proxies->proxy_flags[proxy];
    if (!(flags & AB_PROXY_SIZED))
    {
        return &world->state.colliders.shape[proxies->collider[proxy]];
    }
    const ab_record *record = &proxies->record[proxy];
    room->kind = (abut_shape_kind)((flags & AB_PROXY_TYPE_KEY) >> 2);
    room->box.half_extents = abut_vec3_make(record->half_x, record->half_y, record->half_z); // or another's members
    return room;
}

// The handles of a proxy's collider and body.
AB_INLINE const ab_contact_name *ab_query_name(const abut_world *world, uint32_t proxy)
{
    const ab_proxies *proxies = &world->cache.proxies;
#ifdef AB_SMALL
    return &world->state.colliders.name[proxies->collider[proxy]];
#else
    return &proxies->name[proxy];
#endif
}

AB_INLINE void ab_query_prefetch_name(const abut_world *world, uint32_t proxy)
{
#ifdef AB_SMALL
    AB_PREFETCH_AT(world->state.colliders.name, world->cache.proxies.collider[proxy]);
#else
    AB_PREFETCH_AT(world->cache.proxies.name, proxy);
#endif
}

// Asks the cache for what a test of a proxy reads beside its record.
AB_INLINE void ab_query_prefetch_shape(const abut_world *world, uint32_t proxy)
{
    if (!(world->cache.proxies.proxy_flags[proxy] & AB_PROXY_SIZED))
    {
        AB_PREFETCH_AT(world->state.colliders.shape, world->cache.proxies.collider[proxy]);
    }
}

// The same, and for the names of a result.
AB_INLINE void ab_query_prefetch(const abut_world *world, uint32_t proxy)
{
    ab_query_prefetch_shape(world, proxy);
    ab_query_prefetch_name(world, proxy);
}

// Where a proxy's shape is from `origin`, world axes.
static inline void ab_query_place(const abut_world *world, uint32_t proxy, abut_vec3 origin, double out[3])
{
    const ab_record *record = &world->cache.proxies.record[proxy];
    const abut_vec3 *offset = world->cache.proxies.offset;
    out[0] = (double)record->position[0] - (double)origin.x;
    out[1] = (double)record->position[1] - (double)origin.y;
    out[2] = (double)record->position[2] - (double)origin.z;
    if (offset)
    {
        out[0] += (double)offset[proxy].x;
        out[1] += (double)offset[proxy].y;
        out[2] += (double)offset[proxy].z;
    }
}

// A proxy's shape, its centre from `origin`. It may lie in *room.
void ab_query_convex(const abut_world *world, uint32_t proxy, abut_vec3 origin, abut_shape *room, ab_convex *out);

// NULL when a point is valid in this world, else the sentence that says why not.
const char *ab_query_point_fault(const abut_world *world, abut_vec3 point);

// NULL when a shape may ask at a pose, which it normalises; else the sentence that says why not.
const char *ab_query_shape_fault(const abut_world *world, const abut_shape *shape, abut_pose *pose);

// The asking shape, its centre at zero; and a box of the world's axes about that centre that contains it with some
// room.
void ab_query_asker(const abut_world *world, const abut_shape *shape, const abut_pose *pose, ab_convex *out);
void ab_query_box(const ab_convex *asker, abut_vec3 centre, ab_index_box *out);

#define AB_QUERY_SIZE_SLACK 0x1p-17 // of the size: what kernels round is part of the boxes on both sides

// Half of that box's extents, of a core that is a box, about zero.
AB_INLINE void ab_query_half_extents(const ab_convex *asker, double out[3])
{
    const double *half = asker->core.half, *axis = asker->axis;
    const double own = asker->core.rounding + AB_QUERY_SIZE_SLACK * asker->size;
    for (int k = 0; k < 3; ++k)
    {
        out[k] = half[0] * fabs(axis[k]) + half[1] * fabs(axis[3 + k]) + half[2] * fabs(axis[6 + k]) + own;
    }
}

// Balls about the asking shape's centre: the shape contains the one, and the other contains the shape.
void ab_query_balls(const ab_convex *asker, const ab_index_box *box, abut_vec3 centre, float *inner, float *outer);

// The box and the balls of a sphere that asks, to the bit, with fewer steps. Not in a small build.
void ab_query_ball(float radius, abut_vec3 centre, ab_index_box *box, float *inner, float *outer);

// What another collider of the same body has to do with a result: see ab_query_is_first.
typedef bool ab_query_before(void *context, uint32_t proxy);

// Whether a proxy is the first of its body that a question finds: `before` says so of each other one that it may find.
bool ab_query_is_first(const abut_world *world, const ab_query_filter *filter, uint32_t question, uint32_t proxy,
                       ab_query_before *before, void *context);

// A number that is never negative zero.
static inline float ab_positive_zero(double x)
{
    return (float)x + 0.0f;
}

static inline abut_vec3 ab_query_vec3(const double v[3])
{
    return abut_vec3_make(ab_positive_zero(v[0]), ab_positive_zero(v[1]), ab_positive_zero(v[2]));
}

#define AB_MOST_RESULT_BYTES 120u

#define AB_FEW_RESULTS 64u // that are not a heap

// A number that orders results: by one that is not negative, then by collider, which is in a list once, or has a tie.
static inline uint64_t ab_result_rank_of(float number, uint32_t collider_key)
{
    const float positive = number + 0.0f; // zero may be negative
    uint32_t bits;
    memcpy(&bits, &positive, sizeof bits);
    return (uint64_t)bits << 32 | collider_key;
}

// Of results that are no more than a collider or its child.
static inline uint64_t ab_child_rank_of(uint32_t collider_key, uint32_t child)
{
    return (uint64_t)collider_key << 32 | child;
}

// The same of a hit: what a cast overlaps at its start comes first, the deepest first of all; then what it hits, by
// fraction.
#define AB_AFTER_OVERLAPS ((uint64_t)1 << 63)

static inline uint64_t ab_hit_rank_of(float fraction, float depth, uint32_t collider_key)
{
    uint32_t bits;
    memcpy(&bits, &depth, sizeof bits);
    return depth > 0.0f ? (uint64_t)(INT32_MAX - bits) << 32 | collider_key
                        : ab_result_rank_of(fraction, collider_key) | AB_AFTER_OVERLAPS;
}

// The same of a result.
typedef uint64_t ab_result_rank(const abut_world *world, const void *result);

// The first `capacity` of all results added; and the number of results added.
typedef struct ab_result_list
{
    const abut_world *world;
    void *results;
    size_t size;                // of one, at most AB_MOST_RESULT_BYTES
    ab_result_rank *rank, *tie; // the second, if any, orders those of one rank
    uint64_t capacity;
    uint32_t count;
    bool is_heap, is_sorted;
    uint64_t ranks[AB_FEW_RESULTS]; // while it is no heap; sorted once it is full
} ab_result_list;

void ab_result_list_add(ab_result_list *list, uint64_t rank, const void *result);

// Where the caller writes one result more, which counts as added; NULL: there is no room for it and `room` more, or
// they are many.
static inline void *ab_result_list_next(ab_result_list *list, uint64_t rank, uint32_t room)
{
    const uint32_t count = list->count;
    if (count + 1 >= AB_FEW_RESULTS || count + room >= list->capacity)
    {
        return NULL;
    }
    list->is_sorted &= count == 0 || list->ranks[count - 1] < rank;
    list->ranks[count] = rank;
    list->count = count + 1;
    return (char *)list->results + count * list->size;
}

static inline void *ab_result_list_place(ab_result_list *list, uint64_t rank)
{
    return ab_result_list_next(list, rank, 1);
}

#ifndef AB_SMALL
// The same where there is room for this one. Once it is written and the list full, ab_result_list_wrote goes on.
static inline void *ab_result_list_room(ab_result_list *list, uint64_t rank)
{
    return ab_result_list_next(list, rank, 0);
}

void ab_result_list_wrote(ab_result_list *list);
#endif

const void *ab_result_list_last(const ab_result_list *list); // in order, of those kept; of a list that is full
void ab_result_list_empty(ab_result_list *list);
void ab_result_list_sort(ab_result_list *list);

// The orders: of hits by fraction, of near colliders by distance, and of all by collider; found ones and collisions
// then by child.
ab_result_rank ab_hit_rank, ab_found_rank, ab_near_rank, ab_collision_rank;

// Of hits of one collider at one fraction: those where a ray enters come first, then by child.
ab_result_rank ab_hit_tie;

// Small builds answer one after another.
static inline uint32_t ab_query_lists_each(const ab_query_lists *lists)
{
#ifdef AB_SMALL
    (void)lists;
    return 0;
#else
    return lists->each;
#endif
}

// Where the results of question `i` go, and what its caller gets of them.
void ab_query_lists_next(const ab_query_lists *lists, const abut_world *world, ab_result_rank *rank, uint32_t i,
                         ab_result_list *out);
void ab_query_lists_took(ab_query_lists *lists, uint32_t i, ab_result_list *list);

// Moves the results of `count` questions with places of their own together.
void ab_query_lists_close_up(ab_query_lists *lists, uint32_t count);

#endif
