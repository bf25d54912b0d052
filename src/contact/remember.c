#include "contact/remember.h"

#include "base/platform.h"

#define AHEAD 8u // contacts that the cache is asked for in advance

void ab_mark_kept(const ab_contact_writing *w, uint32_t first, uint32_t end)
{
    const ab_leaves *leaves = w->names.leaves;
    for (uint32_t i = first; i < end; ++i)
    {
        abut_contact *contact = &w->now.contacts[i];
        const uint32_t leaf_a = leaves->leaf_of[contact->collider_a.slot];
        const uint32_t leaf_b = leaves->leaf_of[contact->collider_b.slot];
        const bool kept = w->order.line[i] < w->kept_lines;
        const bool wanted = kept || ab_recycles(w->names.table, leaves->traits[leaf_a], leaves->traits[leaf_b]);
        contact->flags |= kept ? ABUT_CONTACT_RECYCLED : 0;
        w->now.remembered[i] =
            (ab_remembered){ wanted ? 0 : ABUT_NONE, contact->collider_a.slot, contact->collider_b.slot };
    }
}

// Asks for what remembering contact `i` will need.
static void prefetch_reference(const ab_references *references, const ab_contact_writing *w, uint32_t i)
{
    const ab_leaves *leaves = w->names.leaves;
    const ab_remembered *remembered = &w->now.remembered[i];
    const char *lines = (const char *)&references->data[remembered->reference];
    AB_PREFETCH(lines);
    AB_PREFETCH(lines + AB_CACHE_LINE);
    AB_PREFETCH(&leaves->record[leaves->leaf_of[remembered->collider_a]]);
    AB_PREFETCH(&leaves->record[leaves->leaf_of[remembered->collider_b]]);
}

// Whether contact `i` was computed anew and is to be remembered.
static bool is_fresh(const ab_contact_writing *w, uint32_t i)
{
    return w->order.line[i] >= w->kept_lines && w->now.remembered[i].reference != ABUT_NONE;
}

void ab_remember(ab_references *references, const ab_contact_writing *w, ab_results *now, ab_results *before)
{
    const uint32_t count = w->order.count;
    ab_references_pass_on(references, now, before, w->previous);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (i + AHEAD < count && is_fresh(w, i + AHEAD))
        {
            prefetch_reference(references, w, i + AHEAD);
        }
        if (is_fresh(w, i))
        {
            ab_reference_make(&references->data[now->remembered[i].reference], w->names.leaves,
                              &w->lines[w->order.line[i]], w->order.points[i]);
        }
    }
}
