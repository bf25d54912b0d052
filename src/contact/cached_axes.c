// Looks up the separating axis that the last detect cached for a pair, by a per-body index into the sorted keys of the
// published contacts, then in the contacts of sleeping bodies.
#include "contact/cached_axes.h"

#include "base/array.h"
#include "base/platform.h"

#include <string.h>

#define AT_ONCE 32u // keys looked up together

static const ab_contact_list *published(const ab_cached_axis_index *index)
{
    return &index->store->lists[index->store->published];
}

static abut_status prepare_index(void *given, uint32_t *tasks)
{
    ab_cached_axis_index *index = given;
    const size_t had = arrlenu(index->first);
    const uint64_t listing = index->store->listings + 1;
    if (had < index->body_slots)
    {
        if (!ab_array_resize(index->first, index->memory, index->body_slots))
        {
            return ABUT_OUT_OF_MEMORY;
        }
        memset(index->first + had, 0, (index->body_slots - had) * sizeof *index->first);
    }
    if (index->body_slots > 0 && index->listing != listing)
    {
        index->partition = ab_partition_into(&index->granularity, arrlenu(published(index)->keys), 1);
        index->listing = listing;
        *tasks = index->partition.tasks;
    }
    return ABUT_OK;
}

// Runs backward, so that each body's first contact is written last. A body whose contacts begin in the range before
// belongs to that range.
static void index_contacts(void *given, uint32_t task)
{
    const ab_cached_axis_index *index = given;
    const uint64_t *const keys = published(index)->keys;
    uint32_t *const first = index->first;
    uint32_t begin = (uint32_t)ab_partition_first(&index->partition, task),
             i = (uint32_t)ab_partition_end(&index->partition, task);
    while (begin > 0 && begin < i && keys[begin] >> 40 == keys[begin - 1] >> 40)
    {
        ++begin;
    }
    for (; i >= begin + 4; i -= 4)
    {
        first[keys[i - 1] >> 40] = i - 1;
        first[keys[i - 2] >> 40] = i - 2;
        first[keys[i - 3] >> 40] = i - 3;
        first[keys[i - 4] >> 40] = i - 4;
    }
    while (i-- > begin)
    {
        first[keys[i] >> 40] = i;
    }
}

const ab_phase ab_cached_axis_phases[] = { { prepare_index, index_contacts }, { NULL, NULL } };

// Walks both bodies' lists in step, so the shorter one bounds the search.
static uint32_t find_asleep(const ab_contact_store *store, uint64_t key)
{
    const ab_pair_lists *lists = &store->asleep.lists;
    uint32_t a = ab_pair_lists_first(lists, (uint32_t)(key >> 40));
    uint32_t b = ab_pair_lists_first(lists, (uint32_t)(key >> 16) & 0xffffffu);
    while (a != ABUT_NONE && b != ABUT_NONE)
    {
        const uint32_t found = lists->keys[a / 2] == key ? a / 2 : lists->keys[b / 2] == key ? b / 2 : ABUT_NONE;
        if (found != ABUT_NONE)
        {
            return store->pool.axes[store->asleep.slots[found]];
        }
        a = lists->next[a];
        b = lists->next[b];
    }
    return AB_NO_AXIS;
}

ab_pair_index ab_cached_axis_pairs(const ab_cached_axis_index *index)
{
    const ab_contact_list *last = published(index);
    return (ab_pair_index){ last->keys, index->first, (uint32_t)arrlenu(last->keys) };
}

// Looks up at most AT_ONCE pairs. Prefetches for all of them first, so that their cache misses overlap. What is read
// for a pair that is not there is dropped, without a branch: whether it is there cannot be foreseen.
static void find_some(const ab_cached_axis_index *index, const ab_record *records, const uint32_t *a, const uint32_t *b,
                      uint32_t count, uint32_t *axes)
{
    const ab_contact_list *last = published(index);
    const uint8_t *const pool_axes = index->store->pool.axes;
    const ab_pair_index pair_index = ab_cached_axis_pairs(index);
    const bool none = pair_index.count == 0;
    uint64_t key[AT_ONCE];
    uint32_t slot[AT_ONCE];
    for (uint32_t k = 0; k < count; ++k)
    {
        key[k] = ab_pair_key_of(records[a[k]].collider_key, records[b[k]].collider_key);
        axes[k] = AB_NO_AXIS;
        ab_pair_index_prefetch(&pair_index, key[k]);
    }
    for (uint32_t k = 0; k < count && !none; ++k)
    {
        const uint32_t position = ab_pair_index_find_from(&pair_index, key[k]);
        axes[k] = pair_index.keys[position] == key[k] ? 0 : AB_NO_AXIS;
        slot[k] = position;
        AB_PREFETCH_AT(last->slots, position);
    }
    for (uint32_t k = 0; k < count && !none; ++k)
    {
        slot[k] = last->slots[slot[k]];
        AB_PREFETCH_AT(pool_axes, slot[k]);
    }
    for (uint32_t k = 0; k < count && !none; ++k)
    {
        axes[k] |= pool_axes[slot[k]]; // AB_NO_AXIS has all of its bits
    }
    for (uint32_t k = 0; k < count && index->store->asleep.lists.live > 0; ++k)
    {
        axes[k] = axes[k] == AB_NO_AXIS ? find_asleep(index->store, key[k]) : axes[k];
    }
}

static void find_axes(const void *given, const ab_record *records, const uint32_t *a, const uint32_t *b, uint32_t count,
                      uint32_t *axes)
{
    for (uint32_t done = 0; done < count; done += AT_ONCE)
    {
        const uint32_t some = count - done < AT_ONCE ? count - done : AT_ONCE;
        find_some(given, records, a + done, b + done, some, axes + done);
    }
}

ab_cached_axes ab_cached_axes_of(const ab_cached_axis_index *index)
{
    return (ab_cached_axes){ .find = find_axes, .store = index };
}

void ab_cached_axis_index_close(ab_cached_axis_index *index)
{
    arrfree(index->first);
}
