#include "contact/recycle.h"

#include "base/array.h"
#include "base/platform.h"

// Pairs waiting for the kernel.
typedef struct chunk
{
    uint32_t a[AB_CHUNK + AB_WIDEST], b[AB_CHUNK + AB_WIDEST];
    uint32_t reference[AB_CHUNK + AB_WIDEST];
    uint32_t point_count[AB_CHUNK + AB_WIDEST];
    uint32_t count;
} chunk;

static bool may_meet(const ab_recycle_in *in, uint32_t leaf_a, uint32_t leaf_b)
{
    const uint32_t code = ab_pair_code(in->rules, in->leaves, in->filters, (ab_pair){ leaf_a, leaf_b });
    return (code & AB_CODE_BUCKET) < AB_CELLS;
}

// Asks for what the kernel will read when the chunk is full.
static void prefetch_pair(const ab_recycle_in *in, uint32_t leaf_a, uint32_t leaf_b, uint32_t reference)
{
    const char *lines = (const char *)&in->store->references.data[reference];
    AB_PREFETCH(lines);
    AB_PREFETCH(lines + AB_CACHE_LINE);
    AB_PREFETCH(&in->leaves->record[leaf_a]);
    AB_PREFETCH(&in->leaves->record[leaf_b]);
}

// Takes up contacts [first, end) of the last results whose manifolds may be kept if they have not moved far.
static void choose(chunk *c, const ab_recycle_in *in, const ab_results *last, uint32_t first, uint32_t end)
{
    const ab_leaves *leaves = in->leaves;
    const uint32_t still = leaves->region[AB_STILL].first * AB_BLOCK;
    c->count = 0;
    for (uint32_t i = first; i < end; ++i)
    {
        const ab_remembered *remembered = &last->remembered[i];
        const uint32_t slot_a = remembered->collider_a, slot_b = remembered->collider_b;
        const uint32_t a = leaves->leaf_of[slot_a], b = leaves->leaf_of[slot_b];
        if (remembered->reference == ABUT_NONE || a == ABUT_NONE || b == ABUT_NONE || (a >= still && b >= still) ||
            ((leaves->traits[a] | leaves->traits[b]) & AB_TRAIT_FAST) != 0 || in->edited[slot_a] == in->detect ||
            in->edited[slot_b] == in->detect || (in->rules && !may_meet(in, a, b)))
        {
            continue;
        }
        prefetch_pair(in, a, b, remembered->reference);
        const uint32_t at = c->count++;
        c->a[at] = a;
        c->b[at] = b;
        c->reference[at] = remembered->reference;
        c->point_count[at] = last->first_points[i + 1] - last->first_points[i];
    }
}

static void pad(chunk *c)
{
    for (uint32_t i = c->count; i < c->count + AB_WIDEST; ++i)
    {
        c->a[i] = c->a[0];
        c->b[i] = c->b[0];
        c->reference[i] = c->reference[0];
        c->point_count[i] = c->point_count[0];
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
        .point_count = c->point_count,
        .tolerance = in->tolerance,
    };
}

bool ab_recycle_contacts(const ab_recycle_in *in, ab_memory *memory, ab_patches *patches)
{
    const ab_results *last = &in->store->results[in->store->published];
    const uint32_t count = (uint32_t)arrlenu(last->remembered);
    chunk c;
    ab_manifold_room room;
    uint32_t kept[AB_CHUNK + AB_WIDEST];
    for (uint32_t first = 0; first < count; first += AB_CHUNK)
    {
        choose(&c, in, last, first, count - first < AB_CHUNK ? count : first + AB_CHUNK);
        if (c.count == 0)
        {
            continue;
        }
        pad(&c);
        const ab_recycle_batch batch = batch_of(&c, in);
        ab_manifolds found = { .data = room.data, .points = room.points };
        (void)in->kernel(&batch, &found, kept);
        if (!ab_patches_append(patches, memory, &found, &batch.pairs))
        {
            return false;
        }
    }
    return true;
}
