// Finds the triangles of mesh pairs by the meshes' trees, and the parts of compounds by theirs: counts them, then
// writes them, pair by pair in the order of the pair stream.
#include "narrow/mesh/mesh_pairs.h"

#include "base/array.h"
#include "narrow/compound/compound_pairs.h"
#include "narrow/mesh/triangle.h"
#include "narrow/pair_functions.h"

_Static_assert(ABUT_MESH + 2 == ABUT_SHAPE_KIND_COUNT && ABUT_MESH + 1 == ABUT_COMPOUND, "they are the last kinds");

// The first type that may have a mesh or compound: these are the last kinds, so that all such types are behind it.
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

static void place_pair(const ab_batch *batch, uint32_t i, uint32_t origin, ab_triangle_pair *out)
{
    ab_convex_of(&out->convex, batch, batch->a[i], origin);
    ab_convex_of(&out->placed, batch, batch->b[i], origin);
    out->mesh = ab_mesh_of_valid(ab_batch_shape(batch, batch->b[i]));
    ab_triangle_pair_up(out);
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
typedef struct compound_listing
{
    listing *to;
    const ab_batch *batch;
} compound_listing;

static bool list_children(void *context, uint32_t of_a, uint32_t of_b)
{
    compound_listing *c = context;
    return list(c->to, ab_children_join(c->batch, 0, of_a, of_b));
}

#define TOO_MANY UINT32_MAX // to have numbers

static uint32_t find_parts(const ab_batch *batch, uint32_t *parts, uint32_t room)
{
    ab_triangle_pair pair;
    listing l = { parts, 0, room };
    const abut_shape *b = ab_batch_shape(batch, batch->b[0]);
    if (ab_compound_of(b))
    {
        compound_listing c = { &l, batch };
        if (!ab_children_fit(ab_batch_shape(batch, batch->a[0]), b))
        {
            return TOO_MANY;
        }
        (void)ab_compound_find(batch, 0, list_children, &c);
        return l.count;
    }
    place_pair(batch, 0, batch->b[0], &pair);
    const ab_mesh_box box = ab_mesh_box_around(&pair.placed, &pair.convex, (double)ab_batch_limit(batch, 0));
    (void)ab_mesh_overlap(pair.mesh, &box, list, &l);
    return l.count;
}

// Calls `see` for each of a task's pairs.
static void each_pair(ab_mesh_pairs *pairs, uint32_t task,
                      void (*see)(ab_mesh_pairs *pairs, const ab_batch *batch, uint32_t number))
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
            see(pairs, &batch, at + i);
        }
        at += count;
    }
}

static void count_one(ab_mesh_pairs *pairs, const ab_batch *batch, uint32_t number)
{
    pairs->first[number] = find_parts(batch, pairs->found + (size_t)AB_MESH_FOUND * number, AB_MESH_FOUND);
}

static void list_one(ab_mesh_pairs *pairs, const ab_batch *batch, uint32_t number)
{
    const uint32_t first = pairs->first[number], end = pairs->first[number + 1];
    for (uint32_t i = first; i < end; ++i)
    {
        pairs->a[i] = batch->a[0];
        pairs->b[i] = batch->b[0];
    }
    if (end - first > AB_MESH_FOUND)
    {
        (void)find_parts(batch, pairs->parts + first, end - first);
        return;
    }
    for (uint32_t i = first; i < end; ++i)
    {
        pairs->parts[i] = pairs->found[(size_t)AB_MESH_FOUND * number + (i - first)];
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
    each_pair(given, task, count_one);
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
    each_pair(given, task, list_one);
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

// The kernels -------------------------------------------------------------------------------------------------------

// Turns a manifold whose normal points to the mesh into one that points from the lower collider key.
static void orient(abut_manifold *m, bool mesh_first)
{
    if (mesh_first)
    {
        m->normal = abut_vec3_make(-m->normal.x, -m->normal.y, -m->normal.z);
    }
}

static void append(const ab_batch *batch, uint32_t i, const ab_triangle_pair *pair, uint32_t triangle, abut_manifold *m,
                   ab_manifolds *out)
{
    const ab_proxy_pair proxies = ab_batch_pair(batch, i);
    orient(m, proxies.a == batch->b[i]);
    ab_manifolds_append_child(out, batch, proxies.a, proxies.b, ab_mesh_child(pair->mesh, triangle), m);
}

// What is found of one pair, triangle by triangle.
typedef struct finding
{
    const ab_triangle_pair *pair;
    double limit;
    bool touches;
    uint32_t cut;      // the cut triangle that the shape's lowest point is least below; AB_NO_TRIANGLE: none is cut
    double low;        // how far
    double separation; // the least of cut triangles: the shape is no less deep
} finding;

static bool try_triangle(finding *f, uint32_t triangle, abut_manifold *m)
{
    ab_triangle_cut cut;
    const ab_triangle_answer answer = ab_triangle_collide(f->pair, triangle, f->limit, m, &cut);
    f->touches = f->touches || answer == AB_TRIANGLE_TOUCHES;
    if (answer == AB_TRIANGLE_CUT)
    {
        const ab_mesh *mesh = f->pair->mesh;
        const bool first = f->cut == AB_NO_TRIANGLE || cut.low > f->low ||
                           (cut.low == f->low && ab_mesh_child(mesh, triangle) < ab_mesh_child(mesh, f->cut));
        f->cut = first ? triangle : f->cut;
        f->low = first ? cut.low : f->low;
        f->separation = cut.separation < f->separation ? cut.separation : f->separation;
    }
    return answer == AB_TRIANGLE_TOUCHES;
}

// False: enough is known.
static bool look(void *context, uint32_t triangle)
{
    finding *f = context;
    abut_manifold m;
    return !try_triangle(f, triangle, &m);
}

static finding find_in_pair(const ab_triangle_pair *pair, double limit)
{
    finding f = { .pair = pair, .limit = limit, .cut = AB_NO_TRIANGLE };
    const ab_mesh_box box = ab_mesh_box_around(&pair->placed, &pair->convex, limit);
    (void)ab_mesh_overlap(pair->mesh, &box, look, &f);
    return f;
}

// A pair without a contact has one at a triangle that it cuts. A batch may have but some of the pair's triangles: then
// all of them are looked at, and the contact is that batch's which has the triangle.
static void append_cut(const ab_batch *batch, uint32_t first, uint32_t end, finding *f, ab_manifolds *out)
{
    bool here = true;
    if (first == 0 || end == batch->count)
    {
        *f = find_in_pair(f->pair, f->limit);
        here = false;
        for (uint32_t i = first; i < end && !f->touches; ++i)
        {
            here = here || batch->parts[i] == f->cut;
        }
    }
    if (here)
    {
        abut_manifold m;
        ab_triangle_collide_cut(f->pair, f->cut, f->separation, &m);
        append(batch, first, f->pair, f->cut, &m, out);
    }
}

void ab_mesh_kernel(const ab_batch *batch, ab_manifolds *out)
{
    for (uint32_t first = 0, end; first < batch->count; first = end)
    {
        ab_triangle_pair pair;
        place_pair(batch, first, ab_batch_pair(batch, first).a, &pair);
        finding f = { .pair = &pair, .limit = (double)ab_batch_limit(batch, first), .cut = AB_NO_TRIANGLE };
        for (end = first; end < batch->count && batch->a[end] == batch->a[first] && batch->b[end] == batch->b[first];
             ++end)
        {
            abut_manifold m;
            if (try_triangle(&f, batch->parts[end], &m))
            {
                append(batch, end, &pair, batch->parts[end], &m, out);
            }
        }
        if (!f.touches && f.cut != AB_NO_TRIANGLE)
        {
            append_cut(batch, first, end, &f, out);
        }
    }
}

uint32_t ab_mesh_touching(const ab_batch *batch, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        ab_triangle_pair pair;
        place_pair(batch, i, ab_batch_pair(batch, i).a, &pair);
        const finding f = find_in_pair(&pair, (double)ab_batch_limit(batch, i));
        out[count] = i;
        count += f.touches || f.cut != AB_NO_TRIANGLE;
    }
    return count;
}
