// Chooses the contacts whose manifolds stand, follows them to the present poses, and composes the new list of them and of
// those that were found.
#include "contact/kept_contacts.h"

#include "base/array.h"
#include "base/platform.h"
#include "bounds/anchors.h"

#include <string.h>

static abut_status prepare_parts(void *given, uint32_t *tasks)
{
    ab_kept_pass *pass = given;
    ab_kept *out = &pass->out;
    const size_t count = ab_contact_list_count(pass->last);
    *out = (ab_kept){ .last = pass->last };
    if (!pass->known || count == 0)
    {
        return ABUT_OK;
    }
    pass->partition = ab_partition_into(&pass->granularity, count, 1);
    pass->parts = ab_arena_take(pass->arena, pass->partition.tasks * sizeof *pass->parts);
    pass->changed = ab_arena_take(pass->arena, count * sizeof *pass->changed);
    out->contacts = ab_arena_take(pass->arena, count * sizeof *out->contacts);
    out->others = ab_arena_take(pass->arena, count * sizeof *out->others);
    pass->before = ab_arena_take(pass->arena, count * sizeof *pass->before);
    out->touching = ab_arena_take(pass->arena, count);
    out->touched = ab_arena_take(pass->arena, count);
    *tasks = pass->partition.tasks;
    return pass->parts && pass->changed && out->contacts && out->others && pass->before && out->touching && out->touched
               ? ABUT_OK
               : ABUT_OUT_OF_MEMORY;
}

// Without branches, because the choice is unpredictable.
static void choose(const ab_kept_pass *pass, uint32_t end, ab_kept_part *part)
{
    const uint64_t *const keys = pass->last->keys;
    const uint8_t *const known = pass->known;
    uint32_t *const kept = pass->out.contacts + part->first, *const others = pass->out.others + part->first;
    uint32_t count = 0, other_count = 0;
    for (uint32_t i = part->first; i < end; ++i)
    {
        const uint32_t a = known[keys[i] >> 40], b = known[keys[i] >> 16 & 0xffffffu];
        const bool stands = ab_anchors_stand(a, b) & ((a & b & AB_ANCHOR_IMMOBILE) == 0);
        kept[count] = i;
        others[other_count] = i;
        count += stands;
        other_count += !stands;
    }
    part->count = count;
    part->other_count = other_count;
}

// Lists the kept contacts of a part that changed.
static void list_changed(const ab_kept_pass *pass, ab_kept_part *part)
{
    const uint32_t *const kept = pass->out.contacts + part->first;
    const ab_followed_from *const before = pass->before;
    uint32_t *const changed = pass->changed + part->first;
    uint32_t count = 0;
    for (uint32_t k = 0; k < part->count; ++k)
    {
        const uint32_t i = kept[k];
        const bool did = (before[i].flags & ABUT_CONTACT_SPECULATIVE) == 0, does = pass->out.touching[i] != 0;
        pass->out.touched[i] = did;
        changed[count] = i;
        count += did != does;
        part->written.speculative += !does;
    }
    part->changed = count;
}

static void choose_range(void *given, uint32_t task)
{
    const ab_kept_pass *pass = given;
    const ab_follow_in in = { pass->pool->contacts, pass->pool->anchored, pass->shifts, pass->last->slots,
                              pass->margin };
    ab_kept_part part = { .first = (uint32_t)ab_partition_first(&pass->partition, task) };
    choose(pass, (uint32_t)ab_partition_end(&pass->partition, task), &part);
    part.written.points =
        pass->kernels->follow(&in, pass->out.contacts + part.first, part.count, pass->before, pass->out.touching);
    list_changed(pass, &part);
    pass->parts[task] = part;
}

void ab_kept_undo(const ab_kept_pass *pass)
{
    for (uint32_t k = 0; k < pass->out.count; ++k)
    {
        const uint32_t i = pass->out.contacts[k];
        const ab_followed_from *before = &pass->before[i];
        abut_contact *contact = &pass->pool->contacts[pass->last->slots[i]];
        for (uint32_t p = 0; p < AB_MAX_POINTS; ++p)
        {
            contact->points[p].separation = before->separations.gap[p];
        }
        contact->separation = before->separations.separation;
        contact->flags = (uint16_t)before->flags;
    }
}

static void join(uint32_t *list, uint32_t *count, uint32_t from, uint32_t more)
{
    memmove(list + *count, list + from, more * sizeof *list);
    *count += more;
}

// Whether any contact with a key from `least` up to `most` is noted.
static bool any_between(const ab_contact_list *list, const uint8_t *touch, uint64_t least, uint64_t most)
{
    const uint32_t count = ab_contact_list_count(list);
    for (uint32_t i = ab_key_position(list->keys, count, 0, least); i < count && list->keys[i] <= most; ++i)
    {
        if (touch[i])
        {
            return true;
        }
    }
    return false;
}

// A pair begins with its first contact and ends with its last.
static void list_events(ab_kept_pass *pass, uint32_t changed)
{
    ab_kept *out = &pass->out;
    const uint64_t *const keys = pass->last->keys;
    uint64_t last = 0;
    bool some = false;
    for (uint32_t k = 0; k < changed; ++k)
    {
        const uint32_t i = pass->changed[k];
        const bool known = some && keys[i] == last;
        const bool did = any_between(pass->last, out->touched, keys[i], keys[i]),
                   does = any_between(pass->last, out->touching, keys[i], keys[i]);
        last = keys[i];
        some = true;
        if (!known && does && !did)
        {
            out->begun[out->begun_count++] = i;
        }
        if (!known && did && !does)
        {
            out->ended[out->ended_count++] = i;
        }
    }
}

// Joins the lists of the parts.
static abut_status gather(void *given, uint32_t *tasks)
{
    ab_kept_pass *pass = given;
    ab_kept *out = &pass->out;
    uint32_t changed = 0;
    (void)tasks;
    for (uint32_t i = 0; out->contacts && i < pass->partition.tasks; ++i)
    {
        const ab_kept_part *part = &pass->parts[i];
        join(out->contacts, &out->count, part->first, part->count);
        join(out->others, &out->other_count, part->first, part->other_count);
        join(pass->changed, &changed, part->first, part->changed);
        out->written.points += part->written.points;
        out->written.speculative += part->written.speculative;
    }
    if (changed > 0)
    {
        out->begun = ab_arena_take(pass->arena, changed * sizeof *out->begun);
        out->ended = ab_arena_take(pass->arena, changed * sizeof *out->ended);
        if (!out->begun || !out->ended)
        {
            return ABUT_OUT_OF_MEMORY;
        }
        list_events(pass, changed);
    }
    return ABUT_OK;
}

const ab_phase ab_kept_phases[] = { { prepare_parts, choose_range }, { gather, NULL }, { NULL, NULL } };

bool ab_kept_any(const ab_kept *kept, const uint8_t *touch, uint64_t bodies)
{
    return any_between(kept->last, touch, bodies << 16, bodies << 16 | 0xffffu);
}

static uint32_t first_not_below(const uint32_t *ascending, uint32_t count, uint32_t value)
{
    uint32_t low = 0, high = count;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const bool below = ascending[middle] < value;
        low = below ? middle + 1 : low;
        high = below ? high : middle;
    }
    return low;
}

// Where the next contact that is not kept, or that is found, changes the list: at `from` or past it, at most `end`.
static uint32_t next_change(const ab_kept *kept, uint32_t other, const ab_contact_list *fresh, uint32_t next,
                            uint32_t stop, uint32_t from, uint32_t end)
{
    const uint32_t removed = other < kept->other_count && kept->others[other] < end ? kept->others[other] : end;
    if (next == stop || removed == from)
    {
        return removed;
    }
    return ab_key_position(kept->last->keys, removed, from, fresh->keys[next]);
}

void ab_kept_compose(const ab_kept *kept, const ab_contact_list *fresh, uint32_t fresh_count, uint32_t first,
                     uint32_t end, const ab_contact_list *to)
{
    const ab_contact_list last = *kept->last, out = *to;
    const uint32_t count = ab_contact_list_count(&last);
    uint32_t other = first_not_below(kept->others, kept->other_count, first);
    uint32_t next = first > 0 ? ab_key_position(fresh->keys, fresh_count, 0, last.keys[first]) : 0;
    const uint32_t stop = end < count ? ab_key_position(fresh->keys, fresh_count, 0, last.keys[end]) : fresh_count;
    uint32_t at = first - other + next;
    for (uint32_t i = first; i < end || next < stop;)
    {
        const uint32_t change = next_change(kept, other, fresh, next, stop, i, end), run = change - i;
        if (run > 0)
        {
            memcpy(out.keys + at, last.keys + i, run * sizeof *out.keys);
            memcpy(out.slots + at, last.slots + i, run * sizeof *out.slots);
        }
        at += run;
        i = change;
        for (; next < stop && (i == end || fresh->keys[next] <= last.keys[i]); ++next, ++at)
        {
            out.keys[at] = fresh->keys[next];
            out.slots[at] = fresh->slots[next];
        }
        for (; i < end && other < kept->other_count && kept->others[other] == i; ++i)
        {
            ++other;
        }
    }
}
