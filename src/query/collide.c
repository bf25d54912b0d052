// The manifolds of a shape with what it touches, by the kernels of the narrow phase. Meshes and compounds are collided
// a few of their triangles or parts at a time, as a detect's slices are.
#include "query/beside.h"

#include "base/assert.h"
#include "base/platform.h"
#include "math/rotation.h"
#include "narrow/compound/compound_pairs.h"
#include "narrow/mesh/mesh_pairs.h"
#include "narrow/pair_functions.h"
#include "narrow/placed.h"

#include <math.h>
#include <stdatomic.h>

#define FLAGS       (ABUT_QUERY_SENSORS | ABUT_QUERY_ONE_PER_BODY)
#define SAT_SLACK   1.7320509f // no less than sqrt 3: how much less than the distance SAT may find
#define PLACE_SLACK 0x1p-20f   // of coordinates and margins
#define PARTS       32u        // triangles or parts at a time: below a kernel of hulls the stack has room for few more
#define LISTED      512u       // candidates at a time: they are collided when the descent is off the stack

_Static_assert(sizeof(abut_collision) <= AB_MOST_RESULT_BYTES, "a list has room for it");

// A call.
typedef struct collide_questions
{
    ab_questions asked;
    const abut_placed_shape *shapes;
    float margin;
    _Atomic uint32_t *invalid; // the first question of which a pair function's manifold is invalid, or ABUT_NONE
    _Atomic uint32_t *beyond;  // the first one that has more children with a collider than there are numbers, likewise
    ab_query_lists lists;
} collide_questions;

// One question.
typedef struct collide_query
{
    const collide_questions *call;
    uint32_t question; // its index
    const abut_shape *shape;
    ab_record record;
    ab_result_list *list; // NULL: only `touches` is needed
    bool touches;
} collide_query;

// The asking shape and some proxies.
typedef struct some
{
    collide_query *query;
    const uint32_t *proxies;
    ab_beside beside;
} some;

static void note(_Atomic uint32_t *least, uint32_t question)
{
    uint32_t first = atomic_load_explicit(least, memory_order_relaxed);
    while (question < first &&
           !atomic_compare_exchange_weak_explicit(least, &first, question, memory_order_relaxed, memory_order_relaxed))
    {
    }
}

static void take(const some *s, const ab_manifolds *found)
{
    collide_query *q = s->query;
    const abut_world *world = q->call->asked.world;
    const ab_proxies *proxies = &world->cache.proxies;
    q->touches = q->touches || found->count > 0;
    if (found->invalid)
    {
        note(q->call->invalid, q->question);
    }
    for (uint32_t i = 0; i < found->count && q->list && !found->invalid; ++i)
    {
        const ab_packed_manifold *packed = &found->lines[found->entries[i].line];
        const uint32_t child_points = found->entries[i].child_points, child = child_points >> AB_CHILD_SHIFT;
        AB_ASSERT(packed->proxy_a == 0, packed->proxy_a);
        const uint32_t proxy = s->proxies[packed->proxy_b - 1];
        const ab_contact_name *name = ab_query_name(world, proxy);
        abut_collision collision = { .body = name->body, .collider = name->collider, .child = child };
        ab_manifold_publish(&collision.manifold, packed, child_points & ((1u << AB_CHILD_SHIFT) - 1));
        ab_result_list_add(q->list, ab_child_rank_of(proxies->collider_key[proxy], child), &collision);
    }
}

// Pairs of a kind without parts.
static AB_APART void collide_pairs(const some *s, const ab_pair_type *type, const ab_batch *batch)
{
    _Alignas(AB_CACHE_LINE) ab_packed_manifold lines[AB_MANIFOLD_LINES(AB_BESIDE)];
    ab_manifold_entry entries[AB_MANIFOLD_ENTRIES(AB_BESIDE)];
    ab_manifolds found = { .lines = lines, .entries = entries };
    type->kernel(batch, &found);
    take(s, &found);
}

#ifdef AB_MESHES
// Parts of one pair that wait for more.
typedef struct waiting
{
    const some *some;
    const ab_pair_type *type;
    ab_batch batch;
    uint32_t a[PARTS + AB_WIDEST], b[PARTS + AB_WIDEST], parts[PARTS + AB_WIDEST];
    uint32_t count;
    ab_manifold_entry entries[AB_MANIFOLD_ENTRIES(PARTS)];
    _Alignas(AB_CACHE_LINE) ab_packed_manifold lines[AB_MANIFOLD_LINES(PARTS)];
} waiting;

static void collide_waiting(waiting *w)
{
    ab_manifolds found = { .lines = w->lines, .entries = w->entries };
    if (w->count > 0)
    {
        for (uint32_t i = w->count; i < w->count + AB_WIDEST; ++i)
        {
            w->parts[i] = w->parts[0];
        }
        w->batch.count = w->count;
        w->count = 0;
        w->type->kernel(&w->batch, &found);
        take(w->some, &found);
    }
}

static bool see_part(void *context, uint32_t part)
{
    waiting *w = context;
    w->parts[w->count++] = part;
    if (w->count == PARTS)
    {
        collide_waiting(w);
    }
    return w->some->query->list || !w->some->query->touches;
}

// A pair with a mesh or compound.
static AB_APART void collide_parts(const some *s, const ab_pair_type *type, const ab_batch *batch, uint32_t pair)
{
    waiting w;
    if (!ab_children_fit(ab_batch_shape(batch, batch->a[pair]), ab_batch_shape(batch, batch->b[pair])))
    {
        note(s->query->call->beyond, s->query->question);
        return;
    }
    w.some = s;
    w.type = type;
    w.batch = *batch;
    w.count = 0;
    for (uint32_t i = 0; i < PARTS + AB_WIDEST; ++i)
    {
        w.a[i] = batch->a[pair];
        w.b[i] = batch->b[pair];
    }
    w.batch.a = w.a;
    w.batch.b = w.b;
    w.batch.parts = w.parts;
    w.batch.count = 1;
    ab_mesh_pair_parts(&w.batch, see_part, &w);
    collide_waiting(&w);
}
#endif

// At most AB_BESIDE proxies.
static AB_APART void collide(collide_query *q, const uint32_t *proxies, uint32_t count)
{
    const abut_world *world = q->call->asked.world;
    some s;
    s.query = q;
    s.proxies = proxies;
    ab_beside_lay(&s.beside, world, &q->record, q->shape, proxies, count);
    for (abut_shape_kind kind = 1; kind < AB_KIND_COUNT; ++kind)
    {
        ab_batch batch;
        if (s.beside.count[kind] == 0)
        {
            continue;
        }
        const ab_pair_type *type = ab_beside_pair_up(&s.beside, world, kind, &batch);
        batch.functions = &world->state.function_set;
        batch.margin = q->call->margin;
#ifdef AB_MESHES
        for (uint32_t i = 0; type->has_parts && i < batch.count; ++i)
        {
            collide_parts(&s, type, &batch, i);
        }
#endif
        if (!(AB_HAS_CHILDREN && type->has_parts))
        {
            collide_pairs(&s, type, &batch);
        }
    }
}

// A collider that another of its body may come before.
typedef struct rival
{
    const collide_query *q;
    uint32_t key;
} rival;

static bool touches_before(void *context, uint32_t proxy)
{
    const rival *r = context;
    collide_query alone = *r->q;
    if (alone.call->asked.world->cache.proxies.collider_key[proxy] > r->key)
    {
        return false;
    }
    alone.list = NULL;
    alone.touches = false;
    collide(&alone, &proxy, 1);
    return alone.touches;
}

static bool is_first(const collide_query *q, uint32_t proxy)
{
    const ab_questions *asked = &q->call->asked;
    rival r = { q, asked->world->cache.proxies.collider_key[proxy] };
    return !(asked->accepted.flags & ABUT_QUERY_ONE_PER_BODY) ||
           ab_query_is_first(asked->world, &asked->accepted, q->question, proxy, touches_before, &r);
}

static void collide_all(collide_query *q, const uint32_t *proxies, uint32_t count)
{
    uint32_t wanted[AB_BESIDE], kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        wanted[kept] = proxies[i];
        kept += is_first(q, proxies[i]);
        if (kept == AB_BESIDE || (i + 1 == count && kept > 0))
        {
            collide(q, wanted, kept);
            kept = 0;
        }
    }
}

// What a descent finds, in the order of the index, which stays the same.
typedef struct candidates
{
    const collide_query *query;
    uint32_t skip; // so many first ones are not listed
    uint32_t count;
    bool more; // there was no room for all
    uint32_t proxy[LISTED];
} candidates;

static bool see(void *context, const uint32_t *proxies, const float *values, uint32_t count)
{
    candidates *c = context;
    const ab_questions *asked = &c->query->call->asked;
    (void)values;
    for (uint32_t i = 0; i < count && !c->more; ++i)
    {
        if (!ab_query_wants(asked->world, &asked->accepted, c->query->question, proxies[i]))
        {
            continue;
        }
        if (c->skip > 0)
        {
            --c->skip;
        }
        else if (c->count == LISTED)
        {
            c->more = true;
        }
        else
        {
            c->proxy[c->count++] = proxies[i];
            AB_PREFETCH_AT(asked->world->cache.proxies.record, proxies[i]);
            ab_query_prefetch(asked->world, proxies[i]);
        }
    }
    return !c->more;
}

// Descends again where there are more candidates than are listed at a time.
static void find(collide_query *q, const ab_index_box *box)
{
    const ab_query_index *index = q->call->asked.index;
    candidates c;
    c.query = q;
    c.more = true;
    for (uint32_t seen = 0; c.more; seen += c.count)
    {
        c.skip = seen;
        c.count = 0;
        c.more = false;
        (void)ab_query_descend(index, index->kernels->overlap, box, see, &c);
        collide_all(q, c.proxy, c.count);
    }
}

static const char *fault(void *context, uint32_t i)
{
    const collide_questions *q = context;
    abut_pose pose = q->shapes[i].pose;
    return ab_margin_valid(q->margin) ? ab_query_shape_fault(q->asked.world, &q->shapes[i].shape, &pose)
                                      : "the margin is negative, not finite or past the limit";
}

// The asking shape, and the box in which the index looks.
static void lay(collide_query *q, ab_index_box *box, const abut_placed_shape *shape)
{
    const abut_world *world = q->call->asked.world;
    const float more = SAT_SLACK * q->call->margin;
    abut_pose pose = shape->pose;
    ab_convex convex;
    (void)ab_pose_accept(&pose); // normalises
    q->shape = &shape->shape;
    ab_record_make(&q->record, &world->state.kind_set, &shape->shape, &pose, 0);
    ab_query_asker(world, &shape->shape, &pose, &convex);
    ab_query_box(&convex, pose.position, box);
    for (int k = 0; k < 3; ++k)
    {
        box->min[k] -= more + PLACE_SLACK * (fabsf(box->min[k]) + more);
        box->max[k] += more + PLACE_SLACK * (fabsf(box->max[k]) + more);
    }
}

static void answer(void *context, ab_query_lists *lists, uint32_t i)
{
    const collide_questions *call = context;
    ab_index_box box;
    ab_result_list list;
    ab_query_lists_next(lists, call->asked.world, ab_collision_rank, i, &list);
    collide_query q = { .call = call, .question = i, .list = &list };
    lay(&q, &box, &call->shapes[i]);
    find(&q, &box);
    ab_query_lists_took(lists, i, &list);
}

static abut_status ask(collide_questions *q)
{
    _Atomic uint32_t invalid = ABUT_NONE, beyond = ABUT_NONE;
    q->invalid = &invalid;
    q->beyond = &beyond;
    q->asked.flags = FLAGS;
    q->asked.context = q;
    q->asked.lists = &q->lists;
    q->asked.fault = fault;
    q->asked.answer = answer;
    q->asked.unmarked = true;
    const abut_status status = ab_query_ask(&q->asked);
    if (AB_HAS_CHILDREN && status == ABUT_OK && beyond != ABUT_NONE)
    {
        return ab_query_fail(q->asked.world, ABUT_LIMIT, q->asked.call, beyond,
                             "the compound's parts times those of a collider beside it are more than 2^28");
    }
    return status == ABUT_OK && invalid != ABUT_NONE
               ? ab_query_fail(q->asked.world, ABUT_INVALID_ARGUMENT, q->asked.call, invalid,
                               "a pair function returned an invalid manifold")
               : status;
}

abut_status abut_world_collide_shape(const abut_world *world, const abut_placed_shape *shape, float margin,
                                     const abut_query_filter *filter, abut_collision *out, uint32_t capacity,
                                     uint32_t *count)
{
    abut_range range = { 0 };
    collide_questions q = { .asked = { .world = world, .call = "abut_world_collide_shape", .filter = filter },
                            .shapes = shape,
                            .margin = margin,
                            .lists = { &range, out, sizeof *out, capacity, 0, 0 } };
    q.asked.count = 1;
    abut_status status = ab_query_enter(world, shape && count && (capacity == 0 || out), q.asked.call);
    status = status == ABUT_OK ? ask(&q) : status;
    if (count && status == ABUT_OK)
    {
        *count = range.count;
    }
    return status;
}

abut_status abut_world_collide_shape_many(const abut_world *world, const abut_placed_shape *shapes, uint32_t count,
                                          float margin, const abut_query_filter *filter, abut_range *ranges,
                                          abut_collision *out, uint64_t capacity, uint64_t *total)
{
    collide_questions q = { .asked = { .world = world, .call = "abut_world_collide_shape_many", .filter = filter },
                            .shapes = shapes,
                            .margin = margin,
                            .lists = { ranges, out, sizeof *out, capacity, 0, 0 } };
    q.asked.count = count;
    const bool pointers = total && (count == 0 || (shapes && ranges)) && (capacity == 0 || out);
    abut_status status = ab_query_enter(world, pointers, q.asked.call);
    status = status == ABUT_OK ? ask(&q) : status;
    if (total && status == ABUT_OK)
    {
        *total = q.lists.total;
    }
    return status;
}
