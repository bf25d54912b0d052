// A question about what overlaps, and a call with one or many of them.
#ifndef AB_OVERLAP_QUERY_H
#define AB_OVERLAP_QUERY_H

#include "query/overlap_tests.h"

// One question.
typedef struct ab_overlap_query
{
    const abut_world *world;
    const ab_query_filter *filter;
    uint32_t question;             // its index
    ab_overlap_test *test;         // NULL: AABBs decide
    ab_overlap_children *children; // NULL: none are asked for, or there are none
    const void *context;
    const ab_index_box *box; // of an AABB that decides
    ab_result_list *list;
} ab_overlap_query;

// A call: its questions, one kind of them.
typedef struct ab_overlap_questions
{
    ab_questions asked;
    const abut_aabb *boxes;
    const abut_placed_shape *shapes;
    const abut_vec3 *points;
    const abut_region *regions;
    ab_query_lists lists;
} ab_overlap_questions;

// What asks, other than half-spaces. It stays where it is.
typedef struct ab_overlap_asker
{
    ab_overlap_test *test; // NULL: AABBs decide
    ab_overlap_children *children;
    const void *context;
    abut_shape box; // that the shape is
    ab_overlap_shape shape;
    ab_overlap_point point;
} ab_overlap_asker;

// Sets question i up, which is not about half-spaces, and the box in which the index looks.
void ab_overlap_lay(ab_overlap_asker *out, ab_index_box *box, const ab_overlap_questions *q, uint32_t i);

// Whether a proxy is found by its triangles or parts.
bool ab_overlap_is_by_children(const ab_overlap_query *q, uint32_t proxy);

// Adds a proxy that overlaps to the list, unless it is not the first of its body and that is asked for; or those of its
// children that do.
void ab_overlap_take(const ab_overlap_query *q, uint32_t proxy);

#ifndef AB_SMALL
void ab_overlap_answer_many(void *context, ab_query_lists *lists, uint32_t first, uint32_t count); // as of ab_questions
void ab_overlap_answer_alone(void *context, ab_query_lists *lists, uint32_t first, uint32_t count); // one after another

// A question without children.
static inline ab_overlap_query ab_overlap_query_of(const ab_overlap_questions *q, const ab_overlap_asker *asker,
                                                   const ab_index_box *box, uint32_t i)
{
    return (ab_overlap_query){ .world = q->asked.world,
                               .filter = &q->asked.accepted,
                               .question = i,
                               .test = asker->test,
                               .context = asker->context,
                               .box = box };
}

// Lists the results of a question, whose list is not there yet.
void ab_overlap_publish_many(const ab_overlap_query *query, ab_query_lists *lists, const uint32_t *proxies,
                             uint32_t count);

// Lists the results of question i, at most AB_FEW_RESULTS: each goes where the keys that are lower leave it. `keys` has
// AB_WIDEST entries of padding.
void ab_overlap_publish_few(const ab_overlap_questions *q, ab_query_lists *lists, uint32_t i, const uint32_t *proxies,
                            const uint32_t *keys, uint32_t count);
#endif

#endif
