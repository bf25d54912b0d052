// Running one kernel on one batch, watched: behind what is there already, and no farther than it is promised room. For
// tests that compare what kernels write.
#ifndef KERNEL_RUN_H
#define KERNEL_RUN_H

#include "base/kernels.h"
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
    ENTRIES_BEFORE = 3,
    UNTOUCHED = 0xa5
};

typedef struct results
{
    ab_packed_manifold line[LINES_BEFORE + AB_MANIFOLD_LINES(ROOM)];
    ab_manifold_entry entries[ENTRIES_BEFORE + AB_MANIFOLD_ENTRIES(ROOM)];
    const ab_manifold_entry *entry; // those of the batch
    ab_manifolds out;               // of the batch
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
static inline void run(const ab_pair_type *type, const ab_batch *batch, results *r)
{
    memset(r, UNTOUCHED, sizeof *r);
    r->out =
        (ab_manifolds){ .lines = r->line, .entries = r->entries, .line_count = LINES_BEFORE, .count = ENTRIES_BEFORE };
    type->kernel(batch, &r->out);
    r->entry = r->entries + ENTRIES_BEFORE;
    r->out.line_count -= LINES_BEFORE;
    r->out.count -= ENTRIES_BEFORE;
    const uint32_t lines = LINES_BEFORE + AB_MANIFOLD_LINES(batch->count);
    const uint32_t entries = ENTRIES_BEFORE + AB_MANIFOLD_ENTRIES(batch->count);
    untouched(r->line, LINES_BEFORE * sizeof *r->line);
    untouched(r->entries, ENTRIES_BEFORE * sizeof *r->entries);
    untouched(r->line + lines, sizeof r->line - lines * sizeof *r->line);
    untouched(r->entries + entries, sizeof r->entries - entries * sizeof *r->entries);
}

// Compares what is said; where there is no point a kernel may leave anything.
static inline void same_bits(const results *ours, const results *theirs, const char *isa, const char *type,
                             uint32_t count)
{
    const uint32_t n = theirs->out.count;
    if (ours->out.count != n || ours->out.point_count != theirs->out.point_count ||
        ours->out.line_count != theirs->out.line_count)
    {
        fail_msg("%s, %s, %u pairs: %u manifolds with %u points, should be %u with %u", isa, type, count,
                 ours->out.count, ours->out.point_count, n, theirs->out.point_count);
    }
    for (uint32_t k = 0; k < n; ++k)
    {
        const ab_manifold_entry *entry = &theirs->entry[k];
        const ab_packed_manifold *x = &ours->line[entry->line], *y = &theirs->line[entry->line];
        if (memcmp(&ours->entry[k], entry, sizeof *entry) != 0 || memcmp(x, y, sizeof *x) != 0)
        {
            fail_msg("%s, %s, %u pairs: manifold %u differs, of proxies %u and %u", isa, type, count, k, y->proxy_a,
                     y->proxy_b);
        }
        for (uint32_t i = 0; i < entry->child_points; ++i)
        {
            const abut_point p = ab_packed_manifold_point(x, i), q = ab_packed_manifold_point(y, i);
            if (memcmp(&p, &q, sizeof p) != 0)
            {
                fail_msg("%s, %s, %u pairs: point %u of %u is %a %a %a, %a, %#x; should be %a %a %a, %a, %#x", isa,
                         type, count, i, k, (double)p.offset.x, (double)p.offset.y, (double)p.offset.z,
                         (double)p.separation, p.feature, (double)q.offset.x, (double)q.offset.y, (double)q.offset.z,
                         (double)q.separation, q.feature);
            }
        }
    }
}

// The batch indices that the touching kernel writes are those of the manifolds, in order.
static inline void same_touching(const ab_pair_type *type, const ab_batch *batch, const results *r)
{
    static uint32_t touching[ROOM + AB_WIDEST];
    static bool found[ROOM];
    memset(found, 0, sizeof found);
    const uint32_t count = type->touching(batch, touching);
    assert_int_equal(count, r->out.count);
    for (uint32_t k = 0; k < count; ++k)
    {
        assert_true(k == 0 || touching[k - 1] < touching[k]);
        found[touching[k]] = true;
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        assert_true(found[r->line[r->entry[k].line].proxy_a / 2]);
    }
}

#endif
