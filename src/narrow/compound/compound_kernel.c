// The kernels of pairs with a compound: the children of a batch become records of a small batch of their own, which
// goes to the kernel of the kinds that meet, and what that writes gets the names of the pairs' proxies and children.
#include "narrow/compound/compound_pairs.h"
#include "narrow/pair_functions.h"

enum
{
    GROUP = 16 // children at a time: what they take is on the stack, beside EPA and callers' functions
};

// A side of some children: a part of a compound, or a convex shape or mesh as it is.
typedef struct side
{
    uint32_t proxy, part; // of the batch; AB_NO_PART: the whole shape
} side;

// Children as records. `batch` names them; sides are those of the records.
typedef struct group
{
    _Alignas(AB_CACHE_LINE) ab_record record[2 * GROUP];
    abut_vec3 offset[2 * GROUP];
    abut_shape shape[2 * GROUP];
    float reach[2 * GROUP];
    uint32_t own[2 * GROUP]; // each its own index
    side side[2 * GROUP];
    uint32_t a[GROUP], b[GROUP]; // records, as the pair has them
    uint32_t triangle[GROUP];    // of a mesh
    uint32_t sides, count;
    const ab_batch *whole;
} group;

static void open_group(group *g, const ab_batch *whole)
{
    g->whole = whole;
    g->sides = g->count = 0;
}

static abut_vec3 apply(const float axis[9], abut_vec3 v)
{
    // The order of sums is that of the bounds pass, so that a part is where a collider of its own would be.
    return abut_vec3_make((axis[0] * v.x + axis[3] * v.y) + axis[6] * v.z,
                          (axis[1] * v.x + axis[4] * v.y) + axis[7] * v.z,
                          (axis[2] * v.x + axis[5] * v.y) + axis[8] * v.z);
}

void ab_compound_record(const ab_record *whole, const ab_compound_part *part, ab_record *out, abut_vec3 *away)
{
    const bool turns = ab_shape_row_for(part->shape.kind)->turns;
    *away = apply(whole->axis, part->pose.position);
    *out = *whole;
    out->half_x = part->size.x;
    out->half_y = part->size.y;
    out->half_z = part->size.z;
    for (int i = 0; i < 3; ++i)
    {
        const float *own = part->axis + 3 * i;
        const abut_vec3 axis = apply(whole->axis, abut_vec3_make(own[0], own[1], own[2]));
        out->axis[3 * i] = turns ? axis.x : own[0];
        out->axis[3 * i + 1] = turns ? axis.y : own[1];
        out->axis[3 * i + 2] = turns ? axis.z : own[2];
    }
}

static void place_part(group *g, uint32_t at, const ab_record *whole, const ab_compound_part *part)
{
    abut_vec3 away;
    const abut_vec3 offset = g->offset[at];
    ab_compound_record(whole, part, &g->record[at], &away);
    g->offset[at] = abut_vec3_make(offset.x + away.x, offset.y + away.y, offset.z + away.z);
    g->shape[at] = part->shape;
}

// The record of a side: the last child's, if that is it.
static uint32_t take_side(group *g, const uint32_t *records, uint32_t proxy, uint32_t part)
{
    const uint32_t last = g->count > 0 ? records[g->count - 1] : ABUT_NONE;
    if (last != ABUT_NONE && g->side[last].proxy == proxy && g->side[last].part == part)
    {
        return last;
    }
    const ab_batch *whole = g->whole;
    const abut_shape *shape = ab_batch_shape(whole, proxy);
    const uint32_t at = g->sides++;
    g->offset[at] = whole->offsets ? whole->offsets[proxy] : abut_vec3_make(0.0f, 0.0f, 0.0f);
    g->reach[at] = whole->reach ? whole->reach[proxy] : 0.0f;
    g->own[at] = at;
    g->side[at] = (side){ proxy, part };
    if (part == AB_NO_PART)
    {
        g->record[at] = whole->records[proxy];
        g->shape[at] = *shape;
    }
    else
    {
        place_part(g, at, &whole->records[proxy], &ab_compound_of_valid(shape)->parts[part]);
    }
    return at;
}

static void take_children(group *g, uint32_t i, uint32_t of_a, uint32_t of_b)
{
    const ab_batch *whole = g->whole;
    const bool a_has = ab_compound_of(ab_batch_shape(whole, whole->a[i])) != NULL,
               b_has = ab_compound_of(ab_batch_shape(whole, whole->b[i])) != NULL;
    g->a[g->count] = take_side(g, g->a, whole->a[i], a_has ? of_a : AB_NO_PART);
    g->b[g->count] = take_side(g, g->b, whole->b[i], b_has ? of_b : AB_NO_PART);
    g->triangle[g->count] = of_a;
    ++g->count;
}

// Children of the same two kinds, in the order that their kernel wants.
typedef struct same
{
    uint32_t a[GROUP + AB_WIDEST], b[GROUP + AB_WIDEST], triangle[GROUP + AB_WIDEST];
    uint32_t count;
    const ab_pair_type *type;
} same;

static void orient(const group *g, uint32_t i, uint32_t *lower, uint32_t *higher)
{
    const uint32_t a = g->a[i], b = g->b[i];
    const abut_shape_kind kind_a = g->shape[a].kind, kind_b = g->shape[b].kind;
    const bool swap = kind_a == kind_b ? g->record[a].collider_key > g->record[b].collider_key : kind_a > kind_b;
    *lower = swap ? b : a;
    *higher = swap ? a : b;
}

// The children from `first` on that are of its kinds; marks them.
static void gather(const group *g, const ab_pair_table *table, uint32_t first, bool *done, same *out)
{
    out->count = 0;
    out->type = NULL;
    for (uint32_t i = first; i < g->count; ++i)
    {
        uint32_t lower, higher;
        orient(g, i, &lower, &higher);
        const ab_pair_type *type = &table->type[g->shape[lower].kind][g->shape[higher].kind];
        if (!done[i] && (!out->type || type == out->type))
        {
            out->type = type;
            out->a[out->count] = lower;
            out->b[out->count] = higher;
            out->triangle[out->count++] = g->triangle[i];
            done[i] = true;
        }
    }
    for (uint32_t i = 0; i < AB_WIDEST; ++i)
    {
        out->a[out->count + i] = out->a[0];
        out->b[out->count + i] = out->b[0];
        out->triangle[out->count + i] = out->triangle[0];
    }
}

static ab_batch batch_of(const group *g, const same *these)
{
    ab_batch batch = *g->whole;
    batch.records = g->record;
    batch.offsets = g->offset;
    batch.reach = g->reach;
    batch.colliders = g->own;
    batch.shapes = g->shape;
    batch.a = these->a;
    batch.b = these->b;
    batch.parts = these->triangle;
    batch.count = these->count;
    batch.cached = (ab_cached_axes){ 0 };
    return batch;
}

static uint32_t lower_proxy(const ab_batch *batch, uint32_t a, uint32_t b)
{
    return a == ABUT_NONE || batch->records[b].collider_key < batch->records[a].collider_key ? b : a;
}

// Names what a kernel has written of children by their pairs.
static void name_children(const group *g, uint32_t first, const ab_manifolds *out)
{
    for (uint32_t i = first; i < out->count; ++i)
    {
        ab_manifold_entry *entry = &out->entries[i];
        ab_packed_manifold *packed = &out->lines[entry->line];
        const side a = g->side[packed->proxy_a], b = g->side[packed->proxy_b];
        const uint32_t triangle = entry->child_points >> AB_CHILD_SHIFT;
        const uint32_t of_a = a.part == AB_NO_PART ? triangle : a.part, of_b = b.part == AB_NO_PART ? triangle : b.part;
        const uint32_t child = of_a * ab_child_count(ab_batch_shape(g->whole, b.proxy)) + of_b;
        entry->child_points = child << AB_CHILD_SHIFT | (entry->child_points & ((1u << AB_CHILD_SHIFT) - 1));
        packed->proxy_a = a.proxy;
        packed->proxy_b = b.proxy;
    }
}

static void collide_group(const group *g, const ab_pair_table *table, ab_manifolds *out)
{
    bool done[GROUP] = { false };
    for (uint32_t i = 0; i < g->count; ++i)
    {
        same s;
        if (done[i])
        {
            continue;
        }
        gather(g, table, i, done, &s);
        const ab_batch batch = batch_of(g, &s);
        ab_manifolds found = *out;
        found.invalid = false;
        s.type->kernel(&batch, &found);
        name_children(g, out->count, &found);
        if (found.invalid)
        {
            const uint32_t proxy = g->side[found.invalid_proxy].proxy;
            found.invalid_proxy = lower_proxy(g->whole, out->invalid ? out->invalid_proxy : ABUT_NONE, proxy);
        }
        found.invalid = found.invalid || out->invalid;
        *out = found;
    }
}

void ab_compound_collide(const ab_batch *batch, const ab_pair_table *table, ab_manifolds *out)
{
    group g;
    for (uint32_t first = 0; first < batch->count;)
    {
        open_group(&g, batch);
        for (; first < batch->count && g.count < GROUP; ++first)
        {
            const uint32_t parts = ab_child_count(ab_batch_shape(batch, batch->b[first]));
            take_children(&g, first, batch->parts[first] / parts, batch->parts[first] % parts);
        }
        collide_group(&g, table, out);
    }
}

// A test of one pair.
typedef struct touching
{
    group *g;
    const ab_pair_table *table;
    uint32_t pair;
    uint32_t invalid;
    bool touches;
} touching;

static void touch_group(touching *t)
{
    const group *g = t->g;
    bool done[GROUP] = { false };
    for (uint32_t i = 0; i < g->count && !t->touches; ++i)
    {
        uint32_t out[GROUP + AB_WIDEST], invalid = ABUT_NONE;
        same s;
        if (done[i])
        {
            continue;
        }
        gather(g, t->table, i, done, &s);
        ab_batch batch = batch_of(g, &s);
        batch.invalid = &invalid;
        t->touches = s.type->touching(&batch, out) > 0;
        t->invalid = invalid != ABUT_NONE ? lower_proxy(g->whole, t->invalid, g->side[invalid].proxy) : t->invalid;
    }
}

static bool touch_children(void *context, uint32_t of_a, uint32_t of_b)
{
    touching *t = context;
    const ab_mesh *mesh = ab_mesh_of(ab_batch_shape(t->g->whole, t->g->whole->a[t->pair]));
    if (t->g->count > 0 && mesh && t->g->side[t->g->b[t->g->count - 1]].part == of_b)
    {
        return true; // a mesh's kernel looks at all triangles of a pair at once
    }
    take_children(t->g, t->pair, of_a, of_b);
    if (t->g->count == GROUP)
    {
        touch_group(t);
        open_group(t->g, t->g->whole);
    }
    return !t->touches;
}

uint32_t ab_compound_touch(const ab_batch *batch, const ab_pair_table *table, uint32_t *out)
{
    group g;
    touching t = { .g = &g, .table = table, .invalid = ABUT_NONE };
    uint32_t count = 0;
    for (t.pair = 0; t.pair < batch->count; ++t.pair)
    {
        t.touches = false;
        open_group(&g, batch);
        if (ab_compound_find(batch, t.pair, touch_children, &t))
        {
            touch_group(&t);
        }
        out[count] = t.pair;
        count += t.touches;
    }
    if (batch->invalid)
    {
        *batch->invalid = t.invalid;
    }
    return count;
}
