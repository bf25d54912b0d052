// Running one kernel on one batch, watched: behind what is there already, and no farther than it is promised room. For tests that
// compare what kernels write.
#ifndef KERNEL_RUN_H
#define KERNEL_RUN_H

#include "narrow/narrow.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

enum
{
    BATCH = AB_CHUNK,
    ROOM = BATCH + AB_WIDEST,
    LINES_BEFORE = 5,
    BRIEFS_BEFORE = 3,
    UNTOUCHED = 0xa5
};

typedef struct results
{
    ab_patch line[LINES_BEFORE + AB_MANIFOLD_LINES(ROOM)];
    ab_brief briefs[BRIEFS_BEFORE + AB_MANIFOLD_BRIEFS(ROOM)];
    const ab_brief *brief; // those of the batch
    ab_manifolds out;      // of the batch
} results;

static inline void untouched(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < size; ++i)
    {
        assert_int_equal(at[i], UNTOUCHED);
    }
}

// Behind what is there already, and no farther than a kernel is promised room.
static inline void run(const ab_meeting *cell, const ab_batch *batch, results *r)
{
    memset(r, UNTOUCHED, sizeof *r);
    r->out =
        (ab_manifolds){ .lines = r->line, .briefs = r->briefs, .line_count = LINES_BEFORE, .count = BRIEFS_BEFORE };
    cell->kernel(batch, &r->out);
    r->brief = r->briefs + BRIEFS_BEFORE;
    r->out.line_count -= LINES_BEFORE;
    r->out.count -= BRIEFS_BEFORE;
    const uint32_t lines = LINES_BEFORE + AB_MANIFOLD_LINES(batch->count);
    const uint32_t briefs = BRIEFS_BEFORE + AB_MANIFOLD_BRIEFS(batch->count);
    untouched(r->line, LINES_BEFORE * sizeof *r->line);
    untouched(r->briefs, BRIEFS_BEFORE * sizeof *r->briefs);
    untouched(r->line + lines, sizeof r->line - lines * sizeof *r->line);
    untouched(r->briefs + briefs, sizeof r->briefs - briefs * sizeof *r->briefs);
}

// Compares what is said; where there is no point a kernel may leave anything.
static inline void same_bits(const results *ours, const results *theirs, const char *isa, const char *cell,
                             uint32_t count)
{
    const uint32_t n = theirs->out.count;
    if (ours->out.count != n || ours->out.point_count != theirs->out.point_count ||
        ours->out.line_count != theirs->out.line_count)
    {
        fail_msg("%s, %s, %u pairs: %u manifolds with %u points, should be %u with %u", isa, cell, count,
                 ours->out.count, ours->out.point_count, n, theirs->out.point_count);
    }
    for (uint32_t k = 0; k < n; ++k)
    {
        const ab_brief *brief = &theirs->brief[k];
        const ab_patch *x = &ours->line[brief->line], *y = &theirs->line[brief->line];
        if (memcmp(&ours->brief[k], brief, sizeof *brief) != 0 || memcmp(x, y, offsetof(ab_patch, near)) != 0)
        {
            fail_msg("%s, %s, %u pairs: manifold %u differs, of leaves %u and %u", isa, cell, count, k, y->leaf_a,
                     y->leaf_b);
        }
        for (uint32_t i = 0; i < brief->point_count; ++i)
        {
            const abut_point p = ab_patch_point(x, i), q = ab_patch_point(y, i);
            if (memcmp(&p, &q, sizeof p) != 0)
            {
                fail_msg("%s, %s, %u pairs: point %u of %u is %a %a %a, %a, %#x; should be %a %a %a, %a, %#x", isa,
                         cell, count, i, k, (double)p.offset.x, (double)p.offset.y, (double)p.offset.z,
                         (double)p.separation, p.feature, (double)q.offset.x, (double)q.offset.y, (double)q.offset.z,
                         (double)q.separation, q.feature);
            }
        }
    }
}

// The places that the touching kernel names are those of the manifolds, in order.
static inline void same_touching(const ab_meeting *cell, const ab_batch *batch, const results *r)
{
    static uint32_t touching[ROOM + AB_WIDEST];
    static bool found[ROOM];
    memset(found, 0, sizeof found);
    const uint32_t count = cell->touching(batch, touching);
    assert_int_equal(count, r->out.count);
    for (uint32_t k = 0; k < count; ++k)
    {
        assert_true(k == 0 || touching[k - 1] < touching[k]);
        found[touching[k]] = true;
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        assert_true(found[r->line[r->brief[k].line].leaf_a / 2]);
    }
}

#endif
