// Collides many pairs without a world and without allocating: builds records of a chunk of pairs on the stack, bins the
// pairs by type, and runs each type's kernel on the widest lanes available.
#include "base/memory.h"
#include "base/platform.h"
#include "narrow/placed.h"

enum
{
    CHUNK = 128, // pairs; a multiple of AB_WIDEST
    ROOM = CHUNK + AB_WIDEST,
    KINDS = AB_KIND_COUNT
};

// Pair k of the chunk has records 2k and 2k + 1, which are also their collider keys: the caller's a comes first.
typedef struct chunk
{
    _Alignas(AB_CACHE_LINE) ab_record record[2 * CHUNK];
    uint32_t shape[2 * CHUNK];           // by record: index of the caller's shape
    uint8_t lower[CHUNK], higher[CHUNK]; // kinds
    uint32_t a[ROOM], b[ROOM];           // of one pair type, the lower kind first
    uint32_t count;                      // of the chunk
    ab_kind_set kinds;
} chunk;

static void fill(chunk *c, const abut_pair_list *pairs, uint32_t first)
{
    c->count = pairs->pair_count - first < CHUNK ? pairs->pair_count - first : CHUNK;
    for (uint32_t k = 0; k < c->count; ++k)
    {
        const uint32_t a = pairs->a[first + k], b = pairs->b[first + k];
        const uint8_t kind_a = (uint8_t)pairs->shapes[a].kind, kind_b = (uint8_t)pairs->shapes[b].kind;
        ab_placed_record(&c->record[2 * k], &c->kinds, &pairs->shapes[a], &pairs->poses[a], 2 * k);
        ab_placed_record(&c->record[2 * k + 1], &c->kinds, &pairs->shapes[b], &pairs->poses[b], 2 * k + 1);
        c->shape[2 * k] = a;
        c->shape[2 * k + 1] = b;
        c->lower[k] = kind_a < kind_b ? kind_a : kind_b;
        c->higher[k] = kind_a < kind_b ? kind_b : kind_a;
    }
}

// The pairs of the chunk of one type, padded as kernels require.
static ab_batch batch_of(chunk *c, const abut_pair_list *pairs, uint32_t first, uint32_t lower, uint32_t higher,
                         float margin, bool is_2d)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < c->count; ++k)
    {
        if (c->lower[k] == lower && c->higher[k] == higher)
        {
            uint32_t turned = pairs->shapes[pairs->a[first + k]].kind != (abut_shape_kind)lower;
            c->a[count] = 2 * k + turned;
            c->b[count] = 2 * k + 1 - turned;
            ++count;
        }
    }
    for (uint32_t k = count; k < count + AB_WIDEST; ++k)
    {
        c->a[k] = 0;
        c->b[k] = 1;
    }
    return (ab_batch){
        .records = c->record,
        .colliders = c->shape,
        .shapes = pairs->shapes,
        .kinds = &c->kinds,
        .a = c->a,
        .b = c->b,
        .count = count,
        .is_2d = is_2d,
        .margin = margin,
    };
}

static void mark_overlaps(const ab_pair_type *type, const ab_batch *batch, bool *overlapping)
{
    uint32_t touching[ROOM];
    uint32_t count = type->touching(batch, touching);
    for (uint32_t i = 0; i < count; ++i)
    {
        overlapping[batch->a[touching[i]] / 2] = true;
    }
}

static void publish_manifolds(const ab_pair_type *type, const ab_batch *batch, abut_manifold *out)
{
    ab_packed_manifold lines[AB_MANIFOLD_LINES(CHUNK)];
    ab_manifold_entry entries[AB_MANIFOLD_ENTRIES(CHUNK)];
    ab_manifolds found = { .lines = lines, .entries = entries };
    type->kernel(batch, &found);
    for (uint32_t i = 0; i < found.count; ++i)
    {
        const ab_packed_manifold *packed = &lines[entries[i].line];
        ab_manifold_publish(&out[packed->proxy_a / 2], packed, entries[i].child_points);
    }
}

void ab_pair_list_run(const abut_pair_list *pairs, float margin, bool is_2d, bool *overlapping, abut_manifold *out)
{
    const ab_pair_table *table = ab_placed_table(abut_isa_best(), is_2d);
    chunk c;
    c.kinds = ab_pair_list_kinds(pairs);
    for (uint32_t first = 0; first < pairs->pair_count; first += c.count)
    {
        fill(&c, pairs, first);
        for (uint32_t k = 0; k < c.count; ++k)
        {
            if (overlapping)
            {
                overlapping[first + k] = false;
            }
            else
            {
                ab_manifold_publish(&out[first + k], NULL, 0);
            }
        }
        for (uint32_t lower = 1; lower < KINDS; ++lower)
        {
            for (uint32_t higher = lower; higher < KINDS; ++higher)
            {
                const ab_pair_type *type = &table->type[lower][higher];
                const ab_batch batch = batch_of(&c, pairs, first, lower, higher, margin, is_2d);
                if (batch.count && overlapping)
                {
                    mark_overlaps(type, &batch, overlapping + first);
                }
                else if (batch.count)
                {
                    publish_manifolds(type, &batch, out + first);
                }
            }
        }
    }
}

// One of the results is NULL; the other may be too, which is an error.
static abut_status look_over_and_run(const abut_pair_list *pairs, float margin, bool is_2d, bool *overlapping,
                                     abut_manifold *out)
{
    abut_status status = ab_pair_list_look_over(pairs, is_2d, false);
    if (status == ABUT_OK && !ab_margin_valid(margin))
    {
        status = ABUT_INVALID_ARGUMENT;
    }
    if (status != ABUT_OK || pairs->pair_count == 0)
    {
        return status;
    }
    if (!overlapping && !out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    ab_pair_list_run(pairs, margin, is_2d, overlapping, out);
    return ABUT_OK;
}

// Validation must not depend on the caller's floating-point environment either.
static abut_status in_own_environment(const abut_pair_list *pairs, float margin, bool is_2d, bool *overlapping,
                                      abut_manifold *out)
{
    const uint64_t before = ab_platform_float_enter();
    const abut_status status = look_over_and_run(pairs, margin, is_2d, overlapping, out);
    ab_platform_float_leave(before);
    return status;
}

abut_status abut_overlap_many(const abut_pair_list *pairs, bool *overlapping)
{
    return in_own_environment(pairs, 0.0f, false, overlapping, NULL);
}

abut_status abut_overlap_2d_many(const abut_pair_list *pairs, bool *overlapping)
{
    return in_own_environment(pairs, 0.0f, true, overlapping, NULL);
}

abut_status abut_collide_many(const abut_pair_list *pairs, float margin, abut_manifold *out)
{
    return in_own_environment(pairs, margin, false, NULL, out);
}

abut_status abut_collide_2d_many(const abut_pair_list *pairs, float margin, abut_manifold *out)
{
    return in_own_environment(pairs, margin, true, NULL, out);
}
