// Follows the contacts whose manifolds stand to the present poses, and composes the new list of them and of those that
// were found.
#include "contact/kept_contacts.h"

#include "bounds/anchors.h"

#include <string.h>

// Room for what follows the bodies. False when out of memory.
static bool take_followed(ab_kept_pass *pass, size_t count)
{
    ab_kept *out = &pass->out;
    const size_t separations = count + pass->partition.tasks * (size_t)AB_FOLLOW_MOST;
    pass->changed = ab_arena_take(pass->arena, count * sizeof *pass->changed);
    pass->before =
        pass->shifts_before ? NULL : ab_arena_take(pass->arena, separations * AB_FOLLOW_BEFORE * sizeof *pass->before);
    out->flags_before = ab_arena_take(pass->arena, count);
    return pass->changed && (pass->before || pass->shifts_before) && out->flags_before;
}

static abut_status prepare_parts(void *given, uint32_t *tasks)
{
    ab_kept_pass *pass = given;
    ab_kept *out = &pass->out;
    const size_t count = ab_contact_list_count(pass->last);
    *out = (ab_kept){ .last = pass->last, .pool = pass->pool, .known = pass->known };
    if (!pass->known || count == 0)
    {
        return ABUT_OK;
    }
    pass->partition = ab_partition_into(&pass->granularity, count, 1);
    pass->parts = ab_arena_take(pass->arena, pass->partition.tasks * sizeof *pass->parts);
    out->others = ab_arena_take(pass->arena, count * sizeof *out->others);
    *tasks = pass->partition.tasks;
    return pass->parts && out->others && (pass->at_anchors || take_followed(pass, count)) ? ABUT_OK
                                                                                          : ABUT_OUT_OF_MEMORY;
}

static ab_follow_in follow_in(const ab_kept_pass *pass)
{
    return (ab_follow_in){
        .contacts = pass->pool->contacts,
        .anchored = pass->pool->anchored,
        .shifts = pass->shifts,
        .shifts_before = pass->shifts_before,
        .keys = pass->last->keys,
        .slots = pass->last->slots,
        .margin = pass->margin,
    };
}

static ab_follow_out follow_out(const ab_kept_pass *pass, uint32_t task)
{
    const size_t first = ab_partition_first(&pass->partition, task);
    return (ab_follow_out){
        .flags_before = pass->out.flags_before,
        .before = pass->before ? pass->before + (first + task * (size_t)AB_FOLLOW_MOST) * AB_FOLLOW_BEFORE : NULL,
        .others = pass->out.others + first,
        .changed = pass->changed + first,
    };
}

static bool is_kept(const uint8_t *known, uint32_t body_a, uint32_t body_b)
{
    const uint32_t a = known[body_a], b = known[body_b];
    return ((a | b) & AB_ANCHOR_MOVED) == 0 && (a & b & AB_ANCHOR_IMMOBILE) == 0;
}

// Tells the contacts [first, end) of the last detect that are kept from the others, and counts what those had.
static ab_follow_counts tell(const ab_kept_pass *pass, uint32_t first, uint32_t end)
{
    const uint64_t *const keys = pass->last->keys;
    const uint32_t *const slots = pass->last->slots;
    const uint8_t *const known = pass->known;
    uint32_t *const others = pass->out.others + first;
    ab_follow_counts counts = { 0 };
    for (uint32_t i = first; i < end; ++i)
    {
        others[counts.others] = i;
        counts.others += !is_kept(known, (uint32_t)(keys[i] >> 40), (uint32_t)(keys[i] >> 16) & 0xffffffu);
    }
    for (uint32_t i = 0; i < counts.others; ++i)
    {
        const abut_contact *contact = &pass->pool->contacts[slots[others[i]]];
        counts.points += contact->point_count;
        counts.speculative += contact->flags & ABUT_CONTACT_SPECULATIVE;
    }
    return counts;
}

void ab_kept_flag(const uint8_t *known, abut_contact *contacts, const uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        abut_contact *contact = &contacts[slots[i]];
        if (is_kept(known, contact->a.slot, contact->b.slot))
        {
            contact->flags = (uint16_t)(ABUT_CONTACT_RECYCLED | (contact->flags & ABUT_CONTACT_SPECULATIVE));
        }
    }
}

static ab_follow_counts follow(const ab_kept_pass *pass, uint32_t task, uint32_t first, uint32_t end)
{
    const ab_follow_in in = follow_in(pass);
    const ab_follow_out out = follow_out(pass, task);
    return pass->kernels->follow(&in, first, end, &out);
}

static void follow_range(void *given, uint32_t task)
{
    const ab_kept_pass *pass = given;
    const uint32_t first = (uint32_t)ab_partition_first(&pass->partition, task),
                   end = (uint32_t)ab_partition_end(&pass->partition, task);
    ab_kept_part *part = &pass->parts[task];
    part->first = first;
    part->counts = pass->at_anchors ? tell(pass, first, end) : follow(pass, task, first, end);
}

void ab_kept_undo(const ab_kept_pass *pass)
{
    if (pass->out.count == 0 || pass->at_anchors) // nothing was written
    {
        return;
    }
    const ab_follow_in in = follow_in(pass);
    for (uint32_t i = 0; i < pass->partition.tasks; ++i)
    {
        const ab_follow_out out = follow_out(pass, i);
        pass->kernels->undo(&in, pass->parts[i].first, (uint32_t)ab_partition_end(&pass->partition, i), &out);
    }
}

static void join(uint32_t *list, uint32_t *count, uint32_t from, uint32_t more)
{
    memmove(list + *count, list + from, more * sizeof *list);
    *count += more;
}

// The contacts of a pair, one for each child that was found.
typedef struct pair_range
{
    uint32_t first, end;
} pair_range;

static pair_range pair_of(const uint64_t *keys, uint32_t count, uint32_t i)
{
    pair_range pair = { i, i + 1 };
    while (AB_HAS_CHILDREN && pair.first > 0 && keys[pair.first - 1] == keys[i])
    {
        --pair.first;
    }
    while (AB_HAS_CHILDREN && pair.end < count && keys[pair.end] == keys[i])
    {
        ++pair.end;
    }
    return pair;
}

static bool touches(const ab_kept *kept, bool before, uint32_t i)
{
    const uint32_t flags = before ? kept->flags_before[i] : kept->pool->contacts[kept->last->slots[i]].flags;
    return (flags & ABUT_CONTACT_SPECULATIVE) == 0;
}

static bool any_touches(const ab_kept *kept, bool before, pair_range pair)
{
    bool any = false;
    for (uint32_t i = pair.first; i < pair.end; ++i)
    {
        any |= touches(kept, before, i);
    }
    return any;
}

// A pair begins with its first contact and ends with its last.
static void list_events(ab_kept_pass *pass, uint32_t changed)
{
    ab_kept *out = &pass->out;
    const uint64_t *const keys = pass->last->keys;
    const uint32_t count = ab_contact_list_count(pass->last);
    uint32_t *const begun = out->begun, *const ended = out->ended;
    uint32_t begins = 0, ends = 0, told = 0; // the pairs of contacts before `told` are done
    for (uint32_t k = 0; k < changed; ++k)
    {
        const uint32_t i = pass->changed[k];
        if (i < told)
        {
            continue;
        }
        const pair_range pair = pair_of(keys, count, i);
        const bool only = pair.end - pair.first == 1; // then whether it touches is what has changed
        const bool did = any_touches(out, true, pair), does = only ? !did : any_touches(out, false, pair);
        begun[begins] = ended[ends] = i;
        begins += does & !did;
        ends += did & !does;
        told = pair.end;
    }
    out->begun_count = begins;
    out->ended_count = ends;
}

// Joins the lists of the parts.
static abut_status gather(void *given, uint32_t *tasks)
{
    ab_kept_pass *pass = given;
    ab_kept *out = &pass->out;
    uint32_t changed = 0;
    (void)tasks;
    for (uint32_t i = 0; out->others && i < pass->partition.tasks; ++i)
    {
        const ab_kept_part *part = &pass->parts[i];
        join(out->others, &out->other_count, part->first, part->counts.others);
        if (!pass->at_anchors)
        {
            join(pass->changed, &changed, part->first, part->counts.changed);
        }
        out->written.points += part->counts.points;
        out->written.speculative += part->counts.speculative;
    }
    if (pass->at_anchors && out->others) // those are of the contacts that are not kept
    {
        out->written.points = pass->written.points - out->written.points;
        out->written.speculative = pass->written.speculative - out->written.speculative;
    }
    out->count = out->others ? ab_contact_list_count(out->last) - out->other_count : 0;
    if (changed > 0)
    {
        out->begun = ab_arena_take(pass->arena, (changed + (size_t)1) * sizeof *out->begun);
        out->ended = ab_arena_take(pass->arena, (changed + (size_t)1) * sizeof *out->ended);
        if (!out->begun || !out->ended)
        {
            return ABUT_OUT_OF_MEMORY;
        }
        list_events(pass, changed);
    }
    return ABUT_OK;
}

const ab_phase ab_kept_phases[] = { { prepare_parts, follow_range }, { gather, NULL }, { NULL, NULL } };

bool ab_kept_touch(const ab_kept *kept, bool before, uint64_t bodies)
{
    const uint64_t *const keys = kept->last->keys;
    const uint32_t count = ab_contact_list_count(kept->last);
    for (uint32_t i = ab_key_position(keys, count, 0, bodies << 16); i < count && keys[i] >> 16 == bodies; ++i)
    {
        if (touches(kept, before, i))
        {
            return true;
        }
    }
    return false;
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
