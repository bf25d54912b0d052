#include "base/platform.h"
#include "contact/contact_tasks.h"

#define WAITING 32u // references that are made at a time: the cache is asked first for what all will read and write

typedef struct waiting
{
    uint32_t line[WAITING + AB_WIDEST], point_count[WAITING + AB_WIDEST], slot[WAITING + AB_WIDEST];
    uint32_t count;
} waiting;

// Asks for what making the reference of a contact will read and write.
AB_INLINE void look_ahead(const ab_contact_update *u, const ab_remembered *remembered, uint32_t line, uint32_t points)
{
    const ab_leaves *leaves = u->names.leaves;
    const char *patch = (const char *)&u->patches->lines[line];
    const char *reference = (const char *)&u->store->references.data[remembered->reference];
    AB_PREFETCH(patch);
    AB_PREFETCH(patch + (points > AB_NEAR_POINTS ? AB_CACHE_LINE : 0));
    AB_PREFETCH(&leaves->record[leaves->leaf_of[remembered->collider_a]]);
    AB_PREFETCH(&leaves->record[leaves->leaf_of[remembered->collider_b]]);
    AB_PREFETCH_TO(reference);
    AB_PREFETCH_TO(reference + AB_CACHE_LINE);
}

static void make_references(const ab_contact_update *u, waiting *w)
{
    for (uint32_t i = w->count; i < w->count + AB_WIDEST; ++i)
    {
        w->line[i] = w->line[0];
        w->point_count[i] = w->point_count[0];
        w->slot[i] = w->slot[0];
    }
    const ab_remember_batch batch = {
        .leaves = u->names.leaves,
        .patches = u->patches->lines,
        .line = w->line,
        .point_count = w->point_count,
        .slot = w->slot,
        .references = u->store->references.data,
        .count = w->count,
    };
    u->recycling->in.kernels->remember(&batch);
    w->count = 0;
}

void ab_contact_references_write(void *given, uint32_t task)
{
    const ab_contact_update *u = given;
    const ab_contact_part *part = &u->parts[task];
    const uint32_t first = (uint32_t)ab_cut_first(&u->cut, task), end = (uint32_t)ab_cut_end(&u->cut, task);
    ab_remembered *const remembered = u->store->results[1 - u->store->published].remembered;
    uint32_t next = part->first_reference;
    waiting w;
    w.count = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        if (remembered[i].reference == AB_WANTED)
        {
            const uint32_t line = u->order.line[i], points = u->order.points[i];
            remembered[i].reference = ab_references_slot(&u->store->references, u->references, next++);
            look_ahead(u, &remembered[i], line, points);
            w.line[w.count] = line;
            w.point_count[w.count] = points;
            w.slot[w.count++] = remembered[i].reference;
            if (w.count == WAITING)
            {
                make_references(u, &w);
            }
        }
    }
    if (w.count > 0)
    {
        make_references(u, &w);
    }
}
