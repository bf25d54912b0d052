// Finds the triangles of mesh pairs by the meshes' trees, and the parts of compounds and chains by theirs: counts them,
// then writes them, pair by pair in the order of the pair stream.
#include "narrow/mesh/mesh_pairs.h"

#include "base/array.h"
#include "narrow/chain/chain.h"
#include "narrow/compound/compound_pairs.h"
#include "narrow/mesh/triangle.h"
#include "narrow/pair_functions.h"

#include <string.h>

_Static_assert(ABUT_MESH + 4 == ABUT_SHAPE_KIND_COUNT && ABUT_MESH < ABUT_COMPOUND && ABUT_MESH < ABUT_CHAIN &&
                   ABUT_MESH < ABUT_HALF_SPACE,
               "they are the last kinds, but for half-spaces, with which compounds collide");

// The first type that may have a shape with parts: these are the last kinds, so that all such types are behind it.
#define FIRST ab_pair_type_index(1, ABUT_MESH)

static bool has_parts(const ab_mesh_pairs *pairs, uint32_t type)
{
    uint32_t lower, higher;
    ab_pair_type_kinds(type, &lower, &higher);
    return pairs->table->type[lower][higher].has_parts;
}

// The pairs of one type from number `at` on.
typedef struct run
{
    uint32_t in_stream, count;
} run;

static run run_at(const ab_mesh_pairs *pairs, uint32_t at)
{
    for (uint32_t type = FIRST; type < AB_PAIR_TYPES; ++type)
    {
        const uint32_t count = has_parts(pairs, type) ? pairs->stream->count[type] : 0;
        if (at < count)
        {
            return (run){ pairs->stream->first[type] + at, count - at };
        }
        at -= count;
    }
    return (run){ 0, 0 };
}

// What one pair's triangles go to.
typedef struct listing
{
    uint32_t *parts;
    uint32_t count, room; // those past the room are only counted
} listing;

static bool list(void *context, uint32_t triangle)
{
    listing *l = context;
    if (l->count < l->room)
    {
        l->parts[l->count] = triangle;
    }
    ++l->count;
    return true;
}

// Of a pair with a compound.
typedef struct children
{
    const ab_batch *batch;
    ab_mesh_see *see;
    void *context;
} children;

static bool see_children(void *context, uint32_t of_a, uint32_t of_b)
{
    const children *c = context;
    return c->see(c->context, ab_children_join(c->batch, 0, of_a, of_b));
}

void ab_mesh_pair_parts(const ab_batch *batch, ab_mesh_see *see, void *context)
{
    if (ab_chain_of(ab_batch_shape(batch, batch->b[0])))
    {
        ab_chain_pair_parts(batch, see, context);
        return;
    }
    if (!ab_mesh_of(ab_batch_shape(batch, batch->b[0]))) // a compound, with whatever it meets
    {
        children c = { batch, see, context };
        (void)ab_compound_find(batch, 0, see_children, &c);
        return;
    }
    ab_triangle_pair pair;
    ab_triangle_pair_of(&pair, batch, 0, batch->b[0]);
    const ab_mesh_box box = ab_mesh_box_of_pair(&pair, (double)ab_batch_limit(batch, 0));
    (void)ab_mesh_may_overlap(pair.mesh, &box, see, context);
}

#define AHEAD 4u // pairs

#define TOO_MANY UINT32_MAX // to have numbers

static uint32_t find_children(const ab_batch *batch, listing *l)
{
    if (!ab_children_fit(ab_batch_shape(batch, batch->a[0]), ab_batch_shape(batch, batch->b[0])))
    {
        return TOO_MANY;
    }
    ab_mesh_pair_parts(batch, list, l);
    return l->count;
}

// Pairs with one mesh of which the leaves are found together, then the blocks: the memory of the first one's is there
// when those of the last are asked for. A heightfield's has been asked for.
typedef struct waiting
{
    ab_triangle_pair last; // the pair before, of mesh `proxy`; ABUT_NONE: there is none
    uint32_t proxy;
    uint32_t count;
    uint32_t number[AB_MESH_TOGETHER];
    ab_mesh_box box[AB_MESH_TOGETHER];
    ab_grid_cells cells[AB_MESH_TOGETHER]; // of a heightfield
    ab_mesh_leaves leaves[AB_MESH_TOGETHER];
    ab_mesh_blocks blocks[AB_MESH_TOGETHER];
} waiting;

static uint32_t *found_of(const ab_mesh_pairs *pairs, uint32_t number)
{
    return pairs->found + (size_t)AB_MESH_FOUND * number;
}

// False: they are too many, or the mesh is a heightfield, which has no blocks; `out` then holds nothing.
static bool find_blocks(waiting *w, uint32_t i, bool has_leaves)
{
    const ab_mesh *mesh = w->last.mesh;
    return (has_leaves || ab_mesh_find_leaves(mesh, &w->box[i], &w->leaves[i])) &&
           ab_mesh_find_blocks(mesh, &w->box[i], &w->leaves[i], &w->blocks[i]);
}

static void count_waiting(ab_mesh_pairs *pairs, waiting *w)
{
    const ab_mesh *mesh = w->last.mesh; // NULL where no pair waits
    const bool all = w->count > 0 && ab_mesh_find_all_leaves(mesh, w->box, w->count, w->leaves);
    bool has_blocks[AB_MESH_TOGETHER] = { false };
    for (uint32_t i = 0; i < w->count; ++i)
    {
        has_blocks[i] = find_blocks(w, i, all);
    }
    for (uint32_t i = 0; i < w->count; ++i)
    {
        listing l = { found_of(pairs, w->number[i]), 0, AB_MESH_FOUND };
        if (has_blocks[i])
        {
            l.count = ab_mesh_list_blocks(mesh, &w->blocks[i], l.parts, l.room);
        }
        else if (ab_mesh_is_grid(mesh))
        {
            l.count = ab_grid_list(mesh, &w->box[i], &w->cells[i], l.parts, l.room);
        }
        else
        {
            (void)ab_mesh_may_overlap(mesh, &w->box[i], list, &l);
        }
        pairs->first[w->number[i]] = l.count;
    }
    w->count = 0;
}

// Calls `see` for each of a task's pairs, with a batch that begins with it and has those of its type behind it, too.
static void each_pair(ab_mesh_pairs *pairs, uint32_t task,
                      void (*see)(ab_mesh_pairs *pairs, const ab_batch *batch, uint32_t number, void *context),
                      void *context)
{
    const uint32_t end = (uint32_t)ab_partition_end(&pairs->partition, task);
    for (uint32_t at = (uint32_t)ab_partition_first(&pairs->partition, task); at < end;)
    {
        const run here = run_at(pairs, at);
        const uint32_t count = here.count < end - at ? here.count : end - at;
        ab_batch batch = pairs->batch;
        for (uint32_t i = 0; i < count; ++i)
        {
            batch.a = pairs->stream->a + here.in_stream + i;
            batch.b = pairs->stream->b + here.in_stream + i;
            batch.count = count - i;
            see(pairs, &batch, at + i, context);
        }
        at += count;
    }
}

static void count_one(ab_mesh_pairs *pairs, const ab_batch *batch, uint32_t number, void *context)
{
    waiting *w = context;
    if (batch->count > 2 * AHEAD)
    {
        ab_triangle_pair_fetch_who(batch, 2 * AHEAD);
        ab_triangle_pair_fetch_what(batch, AHEAD);
    }
    if (!ab_mesh_of(ab_batch_shape(batch, batch->b[0])))
    {
        listing l = { found_of(pairs, number), 0, AB_MESH_FOUND };
        pairs->first[number] = find_children(batch, &l);
        return;
    }
    if (w->count == AB_MESH_TOGETHER || batch->b[0] != w->proxy)
    {
        count_waiting(pairs, w);
    }
    ab_mesh_box *box = &w->box[w->count];
    *box = ab_mesh_box_next(&w->last, batch, 0, w->proxy);
    w->proxy = batch->b[0];
    if (ab_mesh_is_grid(w->last.mesh))
    {
        w->cells[w->count] = ab_grid_fetch(w->last.mesh, box);
    }
    w->number[w->count++] = number;
}

#define EIGHT 8u

// Up to eight of a pair. How many there are cannot be predicted: eight are written, and those that are too many are
// written over by the next pair's.
AB_INLINE void list_eight(uint32_t *to_a, uint32_t *to_b, uint32_t *parts, uint32_t a, uint32_t b,
                          const uint32_t *found)
{
    for (uint32_t i = 0; i < EIGHT; ++i)
    {
        to_a[i] = a;
    }
    for (uint32_t i = 0; i < EIGHT; ++i)
    {
        to_b[i] = b;
    }
    memcpy(parts, found, EIGHT * sizeof *parts);
}

// `context`: the end of the task's pairs in the arrays.
static void list_one(ab_mesh_pairs *pairs, const ab_batch *batch, uint32_t number, void *context)
{
    const uint32_t first = pairs->first[number], count = pairs->first[number + 1] - first, *end = context;
    const uint32_t a = batch->a[0], b = batch->b[0], *found = found_of(pairs, number);
    if (count == 0)
    {
        return; // the arrays may be NULL
    }
    uint32_t *const to_a = pairs->a + first, *const to_b = pairs->b + first, *const parts = pairs->parts + first;
    if (count <= EIGHT && *end - first >= EIGHT)
    {
        list_eight(to_a, to_b, parts, a, b, found);
        return;
    }
    if (count > AB_MESH_FOUND)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            to_a[i] = a;
            to_b[i] = b;
        }
        listing l = { parts, 0, count };
        ab_mesh_pair_parts(batch, list, &l);
        return;
    }
    for (uint32_t i = 0; i < count; ++i) // one loop: there are few
    {
        to_a[i] = a;
        to_b[i] = b;
        parts[i] = found[i];
    }
}

static abut_status prepare_count(void *given, uint32_t *tasks)
{
    ab_mesh_pairs *pairs = given;
    uint32_t before = 0;
    for (uint32_t type = FIRST; type < AB_PAIR_TYPES; ++type)
    {
        before += pairs->stream->count[type] > 0 && has_parts(pairs, type) ? pairs->stream->count[type] : 0;
    }
    pairs->before = before;
    if (before == 0)
    {
        return ABUT_OK;
    }
    pairs->partition = ab_partition_into(&pairs->granularity, before, 1);
    *tasks = pairs->partition.tasks;
    const bool made = ab_array_resize(pairs->first, pairs->memory, before + (size_t)1) &&
                      ab_array_resize(pairs->found, pairs->memory, (size_t)AB_MESH_FOUND * before);
    return made ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void count_parts(void *given, uint32_t task)
{
    waiting w;
    w.last.mesh = NULL;
    w.proxy = ABUT_NONE;
    w.count = 0;
    each_pair(given, task, count_one, &w);
    count_waiting(given, &w);
}

static abut_status prepare_parts(void *given, uint32_t *tasks)
{
    ab_mesh_pairs *pairs = given;
    uint64_t all = 0;
    for (uint32_t i = 0; i < pairs->before; ++i)
    {
        const uint32_t here = pairs->first[i];
        pairs->first[i] = (uint32_t)all;
        all += here;
        if (here == TOO_MANY || all > UINT32_MAX)
        {
            return ABUT_LIMIT;
        }
    }
    if (pairs->before == 0)
    {
        return ABUT_OK;
    }
    pairs->first[pairs->before] = (uint32_t)all;
    *tasks = pairs->partition.tasks;
    const bool made = ab_array_resize(pairs->a, pairs->memory, all) && ab_array_resize(pairs->b, pairs->memory, all) &&
                      ab_array_resize(pairs->parts, pairs->memory, all);
    return made ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

static void list_parts(void *given, uint32_t task)
{
    ab_mesh_pairs *pairs = given;
    uint32_t end = pairs->first[ab_partition_end(&pairs->partition, task)];
    each_pair(pairs, task, list_one, &end);
}

const ab_phase ab_mesh_pair_phases[] = { { prepare_count, count_parts },
                                         { prepare_parts, list_parts },
                                         { NULL, NULL } };

uint32_t ab_mesh_pairs_of(const ab_mesh_pairs *pairs, uint32_t type, uint32_t *first)
{
    uint32_t at = 0;
    for (uint32_t earlier = FIRST; earlier < type; ++earlier)
    {
        at += has_parts(pairs, earlier) ? pairs->stream->count[earlier] : 0;
    }
    *first = pairs->first[at];
    return pairs->first[at + pairs->stream->count[type]] - *first;
}

void ab_mesh_pairs_close(ab_mesh_pairs *pairs)
{
    arrfree(pairs->first);
    arrfree(pairs->found);
    arrfree(pairs->a);
    arrfree(pairs->b);
    arrfree(pairs->parts);
}

void ab_mesh_pairs_trim(ab_mesh_pairs *pairs)
{
    ab_array_trim(pairs->first, pairs->memory, 0);
    ab_array_trim(pairs->found, pairs->memory, 0);
    ab_array_trim(pairs->a, pairs->memory, 0);
    ab_array_trim(pairs->b, pairs->memory, 0);
    ab_array_trim(pairs->parts, pairs->memory, 0);
}
