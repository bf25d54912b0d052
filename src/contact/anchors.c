// The slots of the anchors of reused manifolds: reserves them, exchanges freed slots for new ones after a detect, and
// keeps a bitmap so that the free list stays sorted. Anchors of new manifolds are computed in batches for the recycling
// kernel and written into free slots.
#include "contact/anchors.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"
#include "contact/contact_tasks.h"

#include <string.h>

// How many of the `taken` slots come from the free list.
static uint32_t count_reused(const ab_anchors *anchors, uint32_t taken)
{
    const size_t unused = arrlenu(anchors->free);
    return taken < unused ? taken : (uint32_t)unused;
}

static size_t words_for(size_t slots)
{
    return (slots + 63) / 64;
}

bool ab_anchors_make_room(ab_anchors *anchors, ab_memory *memory, size_t slots)
{
    return ab_array_reserve(anchors->data, memory, slots) && ab_array_reserve(anchors->free, memory, slots) &&
           ab_array_reserve(anchors->is_free, memory, words_for(slots));
}

bool ab_anchors_reserve(ab_anchors *anchors, ab_memory *memory, uint32_t taken, uint32_t given_up)
{
    const size_t slots = arrlenu(anchors->data), unused = arrlenu(anchors->free);
    const uint32_t reused = count_reused(anchors, taken);
    anchors->stride = reused > 0 ? ((uint64_t)unused << 32) / reused : 0;
    const bool made = ab_array_resize(anchors->data, memory, slots + taken - reused) &&
                      ab_array_resize(anchors->free, memory, unused - reused + given_up) &&
                      ab_array_resize(anchors->is_free, memory, words_for(slots + taken - reused));
    ab_array_set_length(anchors->data, slots);
    ab_array_set_length(anchors->free, unused);
    ab_array_set_length(anchors->is_free, words_for(slots));
    return made;
}

uint32_t ab_anchors_slot(const ab_anchors *anchors, uint32_t taken, uint32_t which)
{
    const uint32_t reused = count_reused(anchors, taken);
    return which < reused ? anchors->free[which * anchors->stride >> 32]
                          : (uint32_t)arrlenu(anchors->data) + which - reused;
}

static void mark(ab_anchors *anchors, uint32_t slot)
{
    anchors->is_free[slot / 64] ^= (uint64_t)1 << slot % 64;
}

// Rebuilds the free list from the bitmap, which has `count` bits set.
static void list_free(ab_anchors *anchors, size_t count)
{
    uint32_t listed = 0;
    ab_array_set_length(anchors->free, count);
    for (size_t word = 0; word < arrlenu(anchors->is_free); ++word)
    {
        for (uint64_t left = anchors->is_free[word]; left != 0; left &= left - 1)
        {
            anchors->free[listed++] = (uint32_t)(64 * word) + ab_lowest_bit(left);
        }
    }
    AB_ASSERT(listed == count, listed);
}

void ab_anchors_exchange(ab_anchors *anchors, uint32_t taken, const uint32_t *given_up, uint32_t given_up_count)
{
    const uint32_t reused = count_reused(anchors, taken);
    const size_t words = arrlenu(anchors->is_free), slots = arrlenu(anchors->data) + taken - reused;
    for (uint32_t i = 0; i < reused; ++i)
    {
        mark(anchors, ab_anchors_slot(anchors, taken, i));
    }
    ab_array_set_length(anchors->data, slots);
    ab_array_set_length(anchors->is_free, words_for(slots));
    for (size_t word = words; word < words_for(slots); ++word)
    {
        anchors->is_free[word] = 0;
    }
    for (uint32_t i = 0; i < given_up_count; ++i)
    {
        mark(anchors, given_up[i]);
    }
    list_free(anchors, arrlenu(anchors->free) - reused + given_up_count);
    const size_t named = slots - arrlenu(anchors->free);
    anchors->most = named > anchors->most ? named : anchors->most;
}

// Moves the anchors into arrays with room for so many.
static void move_together(ab_anchors *anchors, ab_memory *memory, ab_results *published, size_t room)
{
    ab_anchors moved = { .most = anchors->most };
    if (!ab_anchors_make_room(&moved, memory, room) || !moved.data || !moved.is_free) // room is not zero
    {
        ab_anchors_close(&moved);
        ++memory->forgone;
        return;
    }
    uint32_t count = 0;
    for (size_t i = 0; i < arrlenu(published->anchored); ++i)
    {
        uint32_t *slot = &published->anchored[i].anchor;
        if (*slot != ABUT_NONE)
        {
            moved.data[count] = anchors->data[*slot];
            *slot = count++;
        }
    }
    ab_array_set_length(moved.data, count);
    ab_array_set_length(moved.is_free, words_for(count));
    memset(moved.is_free, 0, words_for(count) * sizeof *moved.is_free);
    ab_anchors_close(anchors);
    *anchors = moved;
}

void ab_anchors_trim(ab_anchors *anchors, ab_memory *memory, ab_results *published, size_t slots)
{
    const size_t most = anchors->most > slots ? anchors->most : slots, needed = most + most / 4 + 1;
    const size_t capacity = arrcap(anchors->data);
    anchors->most = arrlenu(anchors->data) - arrlenu(anchors->free);
    if (capacity / 2 > needed && (capacity - needed) * sizeof(ab_anchor) >= AB_TRIM_LEAST)
    {
        move_together(anchors, memory, published, needed);
    }
}

void ab_anchors_reset(ab_anchors *anchors, uint32_t count)
{
    ab_array_set_length(anchors->data, count);
    ab_array_set_length(anchors->free, 0);
    ab_array_set_length(anchors->is_free, words_for(count));
    for (size_t word = 0; word < words_for(count); ++word)
    {
        anchors->is_free[word] = 0;
    }
}

void ab_anchors_close(ab_anchors *anchors)
{
    arrfree(anchors->data);
    arrfree(anchors->free);
    arrfree(anchors->is_free);
}

void ab_anchors_check(const ab_anchors *anchors, const ab_results *published)
{
    size_t named = 0;
    for (size_t i = 0; i < arrlenu(published->anchored); ++i)
    {
        const uint32_t slot = published->anchored[i].anchor;
        AB_ASSERT(slot == ABUT_NONE || slot < arrlenu(anchors->data), slot);
        named += slot != ABUT_NONE;
    }
    AB_ASSERT(named + arrlenu(anchors->free) == arrlenu(anchors->data), named);
    for (size_t i = 0; i < arrlenu(anchors->free); ++i)
    {
        const uint32_t slot = anchors->free[i];
        AB_ASSERT(i == 0 || anchors->free[i - 1] < slot, slot);
        AB_ASSERT((anchors->is_free[slot / 64] >> slot % 64 & 1) == 1, slot);
    }
}

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
