// Random pairs for a kernel, in batches with margins, offsets and reaches or without.
#ifndef KERNEL_PAIRS_H
#define KERNEL_PAIRS_H

#include "kernel_run.h"
#include "random.h"

#include <stdlib.h>

// Pairs of one type, as a kernel takes them: proxy 2i with proxy 2i + 1.
typedef struct pairs
{
    ab_record *record;
    abut_vec3 offset[2 * ROOM];
    float reach[2 * ROOM];
    uint32_t own[2 * ROOM];
    abut_shape shape[2 * ROOM];
    uint32_t a[ROOM], b[ROOM];
} pairs;

static inline void pairs_open(pairs *p)
{
    p->record = aligned_alloc(64, 2 * ROOM * sizeof *p->record);
    assert_non_null(p->record);
}

static inline void pairs_close(pairs *p)
{
    free(p->record);
}

// Pair i: the two shapes, with these keys and random offsets and reaches.
static inline void pairs_put(pairs *p, uint32_t i, const abut_placed_shape *a, uint32_t key_a,
                             const abut_placed_shape *b, uint32_t key_b, random_source *random)
{
    ab_record_make(&p->record[2 * i], NULL, &a->shape, &a->pose, key_a);
    ab_record_make(&p->record[2 * i + 1], NULL, &b->shape, &b->pose, key_b);
    p->shape[2 * i] = a->shape;
    p->shape[2 * i + 1] = b->shape;
    p->a[i] = 2 * i;
    p->b[i] = 2 * i + 1;
    for (uint32_t k = 2 * i; k < 2 * i + 2; ++k)
    {
        p->own[k] = k;
        p->offset[k] = random_narrow(random_in_box(random, 0.1));
        p->reach[k] = (float)random_between(random, 0.0, 0.1);
    }
}

static inline ab_batch batch_of(const pairs *p, uint32_t count, uint32_t variety, bool is_2d)
{
    return (ab_batch){
        .records = p->record,
        .offsets = variety & 2u ? p->offset : NULL,
        .reach = variety & 4u ? p->reach : NULL,
        .colliders = p->own,
        .shapes = p->shape,
        .a = p->a,
        .b = p->b,
        .count = count,
        .is_2d = is_2d,
        .margin = variety & 1u ? 0.05f : 0.0f,
    };
}

#endif
