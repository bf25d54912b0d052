#include "contact/merge.h"

#include "base/array.h"

static bool touched(const abut_contact *contact)
{
    return (contact->flags & ABUT_CONTACT_SPECULATIVE) == 0;
}

static bool precedes(const ab_results *before, uint32_t old, const ab_sort_entry *entry)
{
    const uint64_t key = before->keys[old];
    return key < entry->key || (key == entry->key && before->contacts[old].child < entry->child);
}

static bool same(const ab_results *before, uint32_t old, const ab_sort_entry *entry)
{
    return before->keys[old] == entry->key && before->contacts[old].child == entry->child;
}

static void end(ab_merge *merge, const ab_results *before, uint32_t old)
{
    merge->ended[merge->ended_count] = old;
    merge->ended_count += touched(&before->contacts[old]);
}

void ab_merge_contacts(ab_merge *merge, const ab_results *before, const ab_sort_entry *entries, uint32_t count,
                       const ab_manifold *manifolds, float margin)
{
    const uint32_t old_count = (uint32_t)arrlenu(before->contacts);
    uint32_t old = 0;
    merge->begun_count = merge->ended_count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_sort_entry *entry = &entries[i];
        const bool touches = manifolds[entry->index].separation <= margin;
        while (old < old_count && precedes(before, old, entry))
        {
            end(merge, before, old++);
        }
        const bool stays = old < old_count && same(before, old, entry);
        const bool touched_before = stays && touched(&before->contacts[old]);
        merge->previous[i] = stays ? old : ABUT_NONE;
        merge->begun[merge->begun_count] = i;
        merge->begun_count += touches && !touched_before;
        if (stays)
        {
            merge->ended[merge->ended_count] = old++;
            merge->ended_count += touched_before && !touches;
        }
    }
    while (old < old_count)
    {
        end(merge, before, old++);
    }
}
