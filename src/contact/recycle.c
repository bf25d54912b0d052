#include "contact/recycle.h"

#include "base/array.h"
#include "base/platform.h"

#include <string.h>

#define CHUNK 64u // contacts that are looked at a time: so few that what they name is in the nearest cache when the kernel reads it

// Pairs waiting for a kernel.
typedef struct chunk
{
    uint32_t a[CHUNK + AB_WIDEST], b[CHUNK + AB_WIDEST];
    uint32_t reference[CHUNK + AB_WIDEST];
    uint32_t place[CHUNK + AB_WIDEST]; // in the last results, from the first contact on that is looked at
    uint32_t count;
} chunk;

static const ab_results *published(const ab_recycle_in *in)
{
    return &in->store->results[in->store->published];
}

static bool may_meet(const ab_recycle_in *in, uint32_t leaf_a, uint32_t leaf_b)
{
    const uint32_t code = ab_pair_code(in->rules, in->leaves, in->filters, (ab_pair){ leaf_a, leaf_b });
    return (code & AB_CODE_BUCKET) < AB_CELLS;
}

#define AHEAD CHUNK // contacts whose references the cache is asked for in advance: those of the next chunk

AB_INLINE void look_ahead(const ab_recycle_in *in, const ab_results *last, uint32_t i)
{
    const ab_references *references = &in->store->references;
    const uint32_t reference = i < arrlenu(last->remembered) ? last->remembered[i].reference : ABUT_NONE;
    ab_reference_ahead(references->data, reference != ABUT_NONE ? reference : 0);
}

// Takes up contacts [first, end) of the last results whose manifolds may be kept if they have not moved far, and asks for the records
// that the kernel will read.
static void choose(chunk *c, const ab_recycle_in *in, const ab_results *last, uint32_t first, uint32_t end)
{
    const ab_leaves *leaves = in->leaves;
    const uint32_t still = leaves->region[AB_STILL].first * AB_BLOCK;
    c->count = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        look_ahead(in, last, i + AHEAD);
        const ab_remembered *remembered = &last->remembered[i];
        const uint32_t slot_a = remembered->collider_a, slot_b = remembered->collider_b;
        const uint32_t a = leaves->leaf_of[slot_a], b = leaves->leaf_of[slot_b];
        if (remembered->reference == ABUT_NONE || a == ABUT_NONE || b == ABUT_NONE || (a >= still && b >= still) ||
            ((leaves->traits[a] | leaves->traits[b]) & AB_TRAIT_FAST) != 0 || in->edited[slot_a] == in->detect ||
            in->edited[slot_b] == in->detect || (in->rules && !may_meet(in, a, b)))
        {
            continue;
        }
        AB_PREFETCH(&leaves->record[a]);
        AB_PREFETCH(&leaves->record[b]);
        const uint32_t at = c->count++;
        c->a[at] = a;
        c->b[at] = b;
        c->reference[at] = remembered->reference;
        c->place[at] = i - first;
    }
}

static void pad(chunk *c)
{
    for (uint32_t i = c->count; i < c->count + AB_WIDEST; ++i)
    {
        c->a[i] = c->a[0];
        c->b[i] = c->b[0];
        c->reference[i] = c->reference[0];
        c->place[i] = c->place[0];
    }
}

static ab_recycle_batch batch_of(const chunk *c, const ab_recycle_in *in)
{
    return (ab_recycle_batch){
        .pairs = { .records = in->leaves->record,
                   .offsets = in->leaves->offset,
                   .colliders = in->leaves->collider,
                   .a = c->a,
                   .b = c->b,
                   .count = c->count,
                   .margin = in->margin },
        .references = in->store->references.data,
        .reference = c->reference,
        .place = c->place,
        .tolerance = in->tolerance,
    };
}

// Says of contacts [first, end), of which there are no more than a chunk, whether they are kept, and makes their manifolds, from
// `made` on.
static void judge(const ab_recycle_in *in, const ab_results *last, uint32_t first, uint32_t end, uint8_t is_kept[CHUNK],
                  ab_refreshed *made)
{
    chunk c;
    uint32_t kept[CHUNK + AB_WIDEST];
    choose(&c, in, last, first, end);
    memset(is_kept, 0, CHUNK);
    if (c.count > 0)
    {
        pad(&c);
        const ab_recycle_batch batch = batch_of(&c, in);
        const uint32_t count = in->kernel(&batch, kept, made);
        for (uint32_t i = 0; i < count; ++i)
        {
            is_kept[c.place[kept[i]]] = 1;
        }
    }
}

static abut_status prepare_parts(void *given, uint32_t *tasks)
{
    ab_recycle_pass *pass = given;
    ab_recycled *out = &pass->out;
    const size_t count = arrlenu(published(&pass->in)->remembered);
    *out = (ab_recycled){ 0 };
    pass->cut = ab_cut_into(&pass->grain, count, 1);
    *tasks = pass->cut.tasks;
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

// A part writes its lists where its contacts stand. Without branches: what is kept cannot be foretold.
static void judge_part(void *given, uint32_t task)
{
    const ab_recycle_pass *pass = given;
    const ab_results *last = published(&pass->in);
    const ab_recycled out = pass->out;
    const uint32_t begin = (uint32_t)ab_cut_first(&pass->cut, task), end = (uint32_t)ab_cut_end(&pass->cut, task);
    uint32_t kept = begin, given_up = begin, points = 0;
    for (uint32_t first = begin; first < end; first += CHUNK)
    {
        const uint32_t next = end - first < CHUNK ? end : first + CHUNK;
        uint8_t is_kept[CHUNK];
        judge(&pass->in, last, first, next, is_kept, out.made + first);
        for (uint32_t i = first; i < next; ++i)
        {
            const uint32_t is = is_kept[i - first], reference = last->remembered[i].reference;
            out.contacts[kept] = i;
            kept += is;
            out.given_up[given_up] = reference;
            given_up += (is == 0) & (reference != ABUT_NONE);
            points += (last->first_points[i + 1] - last->first_points[i]) & (0u - is);
            out.tags[i] = ab_settled_tag(last->keys[i], is != 0);
        }
    }
    pass->parts[task] = (ab_recycle_part){ kept - begin, given_up - begin, points };
}

// What the parts have written moves together.
static abut_status gather(void *given, uint32_t *tasks)
{
    ab_recycle_pass *pass = given;
    ab_recycled *out = &pass->out;
    (void)tasks;
    for (uint32_t i = 0; i < pass->cut.tasks; ++i)
    {
        const ab_recycle_part *part = &pass->parts[i];
        const size_t first = ab_cut_first(&pass->cut, i);
        memmove(out->contacts + out->count, out->contacts + first, part->count * sizeof *out->contacts);
        memmove(out->given_up + out->given_up_count, out->given_up + first,
                part->given_up_count * sizeof *out->given_up);
        out->count += part->count;
        out->given_up_count += part->given_up_count;
        out->points += part->points;
    }
    return ABUT_OK;
}

const ab_phase ab_recycle_phases[] = { { prepare_parts, judge_part }, { gather, NULL }, { NULL, NULL } };
