// Queries that travel along a line: rays and casts. The index finds the proxies whose AABBs the line enters; a test
// decides.
#ifndef AB_TRAVEL_H
#define AB_TRAVEL_H

#include "query/query.h"

// Where a proxy's shape is hit. Sets all of `out` but body and collider.
typedef bool ab_travel_test(void *context, uint32_t proxy, abut_hit *out);

typedef struct ab_travel ab_travel;

// Gives each hit of a proxy's triangles or parts to ab_travel_list.
typedef void ab_travel_each(void *context, uint32_t proxy, ab_travel *travel);

// What is asked of each proxy.
typedef struct ab_travel_tests
{
    ab_travel_test *test;
    ab_travel_each *each; // for all hits; NULL: each proxy has one
} ab_travel_tests;

struct ab_travel
{
    const ab_questions *asked;
    uint32_t question; // its index
    ab_cast_line *line;
    double length; // of the line, metres
    const ab_travel_tests *tests;
    void *context;
    bool overlaps;       // hits at fraction 0 may have a depth, of which the deepest comes first;
    bool plain, solid;   // then: of a sphere, a capsule or a box; of one with an inside
    float first;         // length of its first segment, metres
    float end;           // of its segment, a fraction of the line
    float leave;         // where it has left all that is wanted; INFINITY: not known yet
    bool any, hit;       // any: only `hit` is needed
    abut_hit best;       // of the closest, without its names
    uint32_t proxy;      // of that
    uint64_t rank;       // of that
    ab_result_list *all; // NULL: only the closest
};

// Where answers go that are no lists: one of the two. Both NULL: they are lists.
typedef struct ab_travel_results
{
    abut_hit *closest;
    bool *any;
} ab_travel_results;

// The first hit of one cast or ray in a query of another sort, with its filter but for the flags. Its first question is
// asked.
void ab_cast_closest(const ab_questions *asked, uint32_t flags, const abut_cast *cast, abut_hit *out);
void ab_ray_closest(const ab_questions *asked, uint32_t flags, const abut_ray *ray, abut_hit *out);

// Answers question i. Of the travel all before `end` is set up, and `any` and `all`.
void ab_travel_answer(ab_travel *travel, const ab_travel_results *results, ab_query_lists *lists, uint32_t i);

// The steps of an answer. A travel begins with a segment of its line, sees proxies that the line may enter there (the
// context is the travel; false: it is over), and goes on with the next segment or not. Then its hit is published, where
// a list is not wanted.
#define AB_TRAVEL_OVER (-1.0f) // far end of a line of which no more is asked
void ab_travel_begin(ab_travel *travel);
ab_index_see ab_travel_see;
bool ab_travel_try(ab_travel *t, uint32_t proxy, float entered);  // one of them
void ab_travel_take(ab_travel *t, uint32_t proxy, abut_hit *hit); // a hit of one as a result; sets its names
void ab_travel_list(ab_travel *t, uint32_t proxy, abut_hit *hit); // lists one of several hits of a proxy
bool ab_travel_go_on(ab_travel *travel);
void ab_travel_publish(const ab_travel *travel, const ab_travel_results *results, uint32_t i);

#ifndef AB_SMALL
// Whether a proxy that the start of a travel with a hit at fraction 0 may overlap may be deeper than that hit.
bool ab_travel_may_be_deepest(const ab_travel *travel, uint32_t proxy);

// Notes a hit of a travel that wants the closest or any. NULL, or where all of it but its fraction and names goes.
// `depth` is zero but for an overlap.
abut_hit *ab_travel_note(ab_travel *travel, uint32_t proxy, float fraction, float depth);
#endif

// Sets the names of a hit of a proxy.
static inline void ab_travel_name(const abut_world *world, uint32_t proxy, abut_hit *out)
{
    const ab_contact_name *name = ab_query_name(world, proxy);
    out->body = name->body;
    out->collider = name->collider;
}

// Before a test: what is tested is mostly hit, and the names of a result are on their way meanwhile.
AB_INLINE void ab_travel_expect(const ab_travel *travel, uint32_t proxy)
{
    if (!travel->any)
    {
        ab_query_prefetch_name(travel->asked->world, proxy);
    }
}

// What rays and casts have each of their own. The context is the call.
typedef struct ab_travel_sort
{
    uint32_t flags; // that a filter may have
    const char *(*fault)(void *context, uint32_t i);
    void (*answer)(void *context, ab_query_lists *lists, uint32_t i);
    // Of the closest or any, and of all; both may be NULL.
    void (*answer_many)(void *context, ab_query_lists *lists, uint32_t first, uint32_t count);
    void (*answer_lists_many)(void *context, ab_query_lists *lists, uint32_t first, uint32_t count);
} ab_travel_sort;

// A call with one question or many.
typedef struct ab_travel_call
{
    ab_questions asked;
    const void *given; // the caller's rays or casts
    ab_travel_results results;
} ab_travel_call;

// The calls of a caller, with the checks of pointers.
abut_status ab_travel_closest(const ab_travel_sort *sort, const abut_world *world, const char *call, const void *given,
                              uint32_t count, const abut_query_filter *filter, abut_hit *out);
abut_status ab_travel_any(const ab_travel_sort *sort, const abut_world *world, const char *call, const void *given,
                          uint32_t count, const abut_query_filter *filter, bool *out);
abut_status ab_travel_all(const ab_travel_sort *sort, const abut_world *world, const char *call, const void *given,
                          const abut_query_filter *filter, abut_hit *out, uint32_t capacity, uint32_t *count);
abut_status ab_travel_all_many(const ab_travel_sort *sort, const abut_world *world, const char *call, const void *given,
                               uint32_t count, const abut_query_filter *filter, abut_range *ranges, abut_hit *out,
                               uint64_t capacity, uint64_t *total);

#endif
