// Computes anchors for new manifolds, in batches for the recycling kernel, and writes them into free slots.
#include "base/platform.h"
#include "contact/contact_tasks.h"

#define WAITING 32u // anchors computed per batch; their inputs and outputs are prefetched first

typedef struct waiting
{
    uint32_t line[WAITING + AB_WIDEST], point_count[WAITING + AB_WIDEST], slot[WAITING + AB_WIDEST];
    uint32_t count;
} waiting;

// Prefetches what computing a contact's anchor reads and writes.
AB_INLINE void look_ahead(const ab_contact_update *u, const ab_contact_anchor *anchored, uint32_t line, uint32_t points)
{
    const ab_proxies *proxies = u->names.proxies;
    const char *packed = (const char *)&u->manifolds->lines[line];
    const char *anchor = (const char *)&u->store->anchors.data[anchored->anchor];
    AB_PREFETCH(packed);
    AB_PREFETCH(packed + (points > AB_NEAR_POINTS ? AB_CACHE_LINE : 0));
    AB_PREFETCH(&proxies->record[proxies->proxy_of[anchored->collider_a]]);
    AB_PREFETCH(&proxies->record[proxies->proxy_of[anchored->collider_b]]);
    AB_PREFETCH_TO(anchor);
    AB_PREFETCH_TO(anchor + AB_CACHE_LINE);
}

static void make_anchors(const ab_contact_update *u, waiting *w)
{
    for (uint32_t i = w->count; i < w->count + AB_WIDEST; ++i)
    {
        w->line[i] = w->line[0];
        w->point_count[i] = w->point_count[0];
        w->slot[i] = w->slot[0];
    }
    const ab_anchor_batch batch = {
        .proxies = u->names.proxies,
        .manifolds = u->manifolds->lines,
        .line = w->line,
        .point_count = w->point_count,
        .slot = w->slot,
        .anchors = u->store->anchors.data,
        .count = w->count,
    };
    u->recycling->in.kernels->make_anchors(&batch);
    w->count = 0;
}

void ab_contact_anchors_write(void *given, uint32_t task)
{
    const ab_contact_update *u = given;
    const ab_contact_part *part = &u->parts[task];
    const uint32_t first = (uint32_t)ab_partition_first(&u->partition, task),
                   end = (uint32_t)ab_partition_end(&u->partition, task);
    ab_contact_anchor *const anchored = u->store->results[1 - u->store->published].anchored;
    uint32_t next = part->first_anchor;
    waiting w;
    w.count = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        if (anchored[i].anchor == AB_WANTED)
        {
            const uint32_t line = u->order.line[i], points = u->order.points[i];
            anchored[i].anchor = ab_anchors_slot(&u->store->anchors, u->anchors, next++);
            look_ahead(u, &anchored[i], line, points);
            w.line[w.count] = line;
            w.point_count[w.count] = points;
            w.slot[w.count++] = anchored[i].anchor;
            if (w.count == WAITING)
            {
                make_anchors(u, &w);
            }
        }
    }
    if (w.count > 0)
    {
        make_anchors(u, &w);
    }
}
