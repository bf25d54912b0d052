// Another engine that answers questions about a scene at rest in frame 0.
#ifndef ABUT_BENCH_QUERY_ENGINE_H
#define ABUT_BENCH_QUERY_ENGINE_H

#include "query_set.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct query_engine
{
    bool (*knows)(query_kind kind);
    bool knows_hulls; // answers where scenes have some

    // With all bodies of the scene, its index up to date. NULL with a complaint.
    void *(*create)(const bench_scene *scene, bench_complaint *complaint);

    // Answers all questions of a set, one by one.
    void (*ask)(void *instance, const query_set *set, query_answers *out);

    // The same by calls for many at once; NULL: it has none.
    void (*ask_many)(void *instance, const query_set *set, query_answers *out);

    void (*destroy)(void *instance); // NULL is allowed
} query_engine;

#ifdef __cplusplus
}
#endif

#endif
