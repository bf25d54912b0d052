// Chooses the contacts of the last detect whose manifolds the kernel may reuse, runs it on batches, and lists what it
// keeps and the anchors it frees.
#include "contact/recycle.h"

#include "base/array.h"
#include "base/platform.h"

#include <string.h>

// Contacts per batch: few enough that what they name is still in the L1 cache when the kernel reads it.
#define CHUNK 64u

// Pairs for the kernel.
typedef struct chunk
{
    uint32_t a[CHUNK + AB_WIDEST], b[CHUNK + AB_WIDEST];
    uint32_t anchor[CHUNK + AB_WIDEST];
    uint32_t position[CHUNK + AB_WIDEST]; // in the last results, relative to the batch's first contact
    ab_recycle_batch batch;
} chunk;

static const ab_results *published(const ab_recycle_in *in)
{
    return &in->store->results[in->store->published];
}

static bool may_collide(const ab_recycle_in *in, uint32_t proxy_a, uint32_t proxy_b)
{
    const uint32_t type_key = ab_pair_key_exact(in->rules, in->proxies, in->filters, (ab_pair){ proxy_a, proxy_b });
    return (type_key & AB_KEY_BIN) < AB_PAIR_TYPES;
}

// What decides whether a manifold may be reused if its pair has moved little; a copy, so that stores cannot alias it.
typedef struct choice
{
    const uint32_t *proxy_of, *edited;
    uint32_t first_static; // the first proxy of the static set
    uint32_t detect;
} choice;

static choice choice_of(const ab_recycle_in *in)
{
    const ab_proxies *proxies = in->proxies;
    return (choice){ proxies->proxy_of, in->edited, proxies->region[AB_STATIC_SET].first * AB_BLOCK, in->detect };
}

// Selects the contacts [first, end) of the last results whose manifolds may be reused. Without branches, because the
// choice is unpredictable. `some_edited` is a constant after inlining.
AB_INLINE void choose_by(chunk *c, choice by, const ab_results *last, uint32_t first, uint32_t end, bool some_edited)
{
    const ab_contact_anchor *const anchored = last->anchored;
    uint32_t count = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        const uint32_t anchor = anchored[i].anchor;
        const uint32_t slot_a = anchored[i].collider_a, slot_b = anchored[i].collider_b;
        const uint32_t a = by.proxy_of[slot_a], b = by.proxy_of[slot_b];
        const bool there = (a != ABUT_NONE) & (b != ABUT_NONE), moves = (a < by.first_static) | (b < by.first_static);
        const bool edited = some_edited && ((by.edited[slot_a] == by.detect) | (by.edited[slot_b] == by.detect)) != 0;
        c->a[count] = a;
        c->b[count] = b;
        c->anchor[count] = anchor;
        c->position[count] = i - first;
        count += (anchor != ABUT_NONE) & there & moves & !edited;
    }
    c->batch.pairs.count = count;
}

static void choose(chunk *c, const ab_recycle_in *in, const ab_results *last, uint32_t first, uint32_t end)
{
    const choice by = choice_of(in);
    if (by.edited)
    {
        choose_by(c, by, last, first, end, true);
    }
    else
    {
        choose_by(c, by, last, first, end, false);
    }
}

// Filter rules have changed: removes the pairs that may not collide any more.
static AB_APART void drop_filtered(chunk *c, const ab_recycle_in *in)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->batch.pairs.count; ++i)
    {
        c->a[count] = c->a[i];
        c->b[count] = c->b[i];
        c->anchor[count] = c->anchor[i];
        c->position[count] = c->position[i];
        count += may_collide(in, c->a[i], c->b[i]);
    }
    c->batch.pairs.count = count;
}

static void pad(chunk *c)
{
    const uint32_t count = c->batch.pairs.count;
    for (uint32_t i = count; count > 0 && i < count + AB_WIDEST; ++i)
    {
        c->a[i] = c->a[0];
        c->b[i] = c->b[0];
        c->anchor[i] = c->anchor[0];
        c->position[i] = c->position[0];
    }
}

static void open_chunk(chunk *c, const ab_recycle_in *in, const chunk *next)
{
    c->batch = (ab_recycle_batch){
        .pairs = { .records = in->proxies->record,
                   .offsets = in->proxies->offset,
                   .colliders = in->proxies->collider,
                   .a = c->a,
                   .b = c->b,
                   .margin = in->margin },
        .anchors = in->store->anchors.data,
        .anchor = c->anchor,
        .position = c->position,
        .tolerance = in->tolerance,
        .next = &next->batch,
    };
}

// Selects from the contacts from `first` on, at most CHUNK of them, and stops before `end`.
static void fill(chunk *c, const ab_recycle_pass *pass, uint32_t first, uint32_t end)
{
    const ab_recycle_in *in = &pass->in;
    choose(c, in, published(in), first, end - first < CHUNK ? end : first + CHUNK);
    if (in->rules)
    {
        drop_filtered(c, in);
    }
    pad(c);
}

static abut_status prepare_parts(void *given, uint32_t *tasks)
{
    ab_recycle_pass *pass = given;
    ab_recycled *out = &pass->out;
    const size_t count = arrlenu(published(&pass->in)->anchored);
    *out = (ab_recycled){ 0 };
    pass->partition = ab_partition_into(&pass->granularity, count, 1);
    *tasks = pass->partition.tasks;
    if (count == 0)
    {
        return ABUT_OK;
    }
    out->contacts = ab_arena_take(pass->arena, count * sizeof *out->contacts);
    out->given_up = ab_arena_take(pass->arena, count * sizeof *out->given_up);
    out->tags = ab_arena_take(pass->arena, count * sizeof *out->tags);
    out->made = ab_arena_take(pass->arena, count * sizeof *out->made);
    pass->parts = ab_arena_take(pass->arena, *tasks * sizeof *pass->parts);
    return out->contacts && out->given_up && out->tags && out->made && pass->parts ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

// Appends the reused contacts to the part's list, and marks them.
static void keep(const ab_recycle_pass *pass, ab_recycle_part *part, const chunk *c, uint32_t first,
                 uint8_t is_kept[CHUNK])
{
    const uint32_t *const first_points = published(&pass->in)->first_points + first;
    uint32_t *const contacts = pass->out.contacts + part->first + part->count;
    uint32_t kept[CHUNK + AB_WIDEST], points = 0;
    const uint32_t count = pass->in.kernels->keep(&c->batch, kept, pass->out.made + first);
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t position = c->position[kept[i]];
        is_kept[position] = 1;
        contacts[i] = first + position;
        points += first_points[position + 1] - first_points[position];
    }
    part->count += count;
    part->points += points;
}

// Appends the anchors of the others to the part's list, and writes a tag for each contact. Without branches, because
// reuse is unpredictable.
static void give_up(const ab_recycled *out, ab_recycle_part *part, const ab_results *last, uint32_t first, uint32_t end,
                    const uint8_t is_kept[CHUNK])
{
    const ab_contact_anchor *const anchored = last->anchored + first;
    const uint64_t *const keys = last->keys + first;
    uint32_t *const tags = out->tags + first, *const given_up = out->given_up + part->first;
    uint32_t count = part->given_up_count;
    for (uint32_t i = 0; i < end - first; ++i)
    {
        const uint32_t anchor = anchored[i].anchor;
        tags[i] = ab_reused_tag(keys[i], is_kept[i] != 0);
        given_up[count] = anchor;
        count += (is_kept[i] == 0) & (anchor != ABUT_NONE);
    }
    part->given_up_count = count;
}

// A part writes its lists at its first contact's index. It selects the next batch before it runs the present one.
static void judge_part(void *given, uint32_t task)
{
    const ab_recycle_pass *pass = given;
    const uint32_t begin = (uint32_t)ab_partition_first(&pass->partition, task),
                   end = (uint32_t)ab_partition_end(&pass->partition, task);
    ab_recycle_part part = { .first = begin };
    chunk chunks[2];
    open_chunk(&chunks[0], &pass->in, &chunks[1]);
    open_chunk(&chunks[1], &pass->in, &chunks[0]);
    fill(&chunks[0], pass, begin, end);
    for (uint32_t first = begin, which = 0; first < end; which ^= 1)
    {
        const uint32_t next = end - first < CHUNK ? end : first + CHUNK;
        uint8_t is_kept[CHUNK] = { 0 };
        fill(&chunks[which ^ 1], pass, next, end);
        keep(pass, &part, &chunks[which], first, is_kept);
        give_up(&pass->out, &part, published(&pass->in), first, next, is_kept);
        first = next;
    }
    pass->parts[task] = part;
}

// Joins the lists of the parts.
static abut_status gather(void *given, uint32_t *tasks)
{
    ab_recycle_pass *pass = given;
    ab_recycled *out = &pass->out;
    (void)tasks;
    for (uint32_t i = 0; i < pass->partition.tasks; ++i)
    {
        const ab_recycle_part *part = &pass->parts[i];
        memmove(out->contacts + out->count, out->contacts + part->first, part->count * sizeof *out->contacts);
        memmove(out->given_up + out->given_up_count, out->given_up + part->first,
                part->given_up_count * sizeof *out->given_up);
        out->count += part->count;
        out->given_up_count += part->given_up_count;
        out->points += part->points;
    }
    return ABUT_OK;
}

const ab_phase ab_recycle_phases[] = { { prepare_parts, judge_part }, { gather, NULL }, { NULL, NULL } };
