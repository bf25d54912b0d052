// Convex hulls against each other and against boxes. Pairs that the separating axis test finds apart by more than the
// limit, or overlapping, are decided by it. The separation of pairs in between is the distance, which an axis of faces
// and edges need not give: those, and hulls without a polytope, take the generic convex path.

#include "narrow/kernels/hull_sat.inl"

// A pair being tested.
typedef struct hull_couple
{
    ab_polytope box;
    ab_box_room room;
    float half[3]; // of the box
    ab_hull_pair pair;
} hull_couple;

static const ab_polytope *hull_polytope(const ab_batch *batch, uint32_t proxy)
{
    return &((const ab_hull *)(const void *)ab_batch_shape(batch, proxy)->hull)->polytope;
}

// LANES pairs of a batch, in canonical order, and each one's b in the frame of its a.
typedef struct hull_group
{
    uint32_t a[LANES], b[LANES];                  // proxies
    _Alignas(AB_CACHE_LINE) float row[LANES][16]; // the relation, and the limit
} hull_group;

_Static_assert(sizeof(ab_hull_relation) == 15 * sizeof(float), "a row but for the limit");

// Relates the pairs from one on; past the last, that again.
static void relate_hulls(const ab_batch *batch, uint32_t first, hull_group *out)
{
    for (uint32_t k = 0; k < LANES; ++k)
    {
        const ab_proxy_pair pair = ab_batch_pair(batch, first + k < batch->count ? first + k : batch->count - 1);
        out->a[k] = pair.a;
        out->b[k] = pair.b;
    }
    pairw pairs;
    gather_pair(batch, out->a, TURN, out->b, TURN, &pairs);
    const v3w back = v3w_make(negw(pairs.between.x), negw(pairs.between.y), negw(pairs.between.z));
    f32w column[16];
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            column[3 * i + k] = v3w_dot(pairs.a.axis[i], pairs.b.axis[k]);
        }
        column[9 + i] = v3w_dot(pairs.a.axis[i], pairs.between);
        column[12 + i] = v3w_dot(pairs.b.axis[i], back);
    }
    column[15] = limit_of(batch, out->a, out->b);
    scatter_rows16(out->row[0], column);
}

static void take_pair(const ab_batch *batch, const hull_group *group, uint32_t k, ab_hull_pair *out)
{
    out->batch = batch;
    out->proxies = (ab_proxy_pair){ group->a[k], group->b[k] };
    out->record_a = &batch->records[group->a[k]];
    out->record_b = &batch->records[group->b[k]];
    const abut_vec3 none = { 0.0f, 0.0f, 0.0f }, base = batch->offsets ? batch->offsets[group->a[k]] : none;
    out->base[0] = base.x;
    out->base[1] = base.y;
    out->base[2] = base.z;
    memcpy(&out->relation, group->row[k], sizeof out->relation);
    out->limit = group->row[k][15];
}

// False where a hull has no polytope, and of a box without an inside, whose flat faces have no sides to clip by. The
// lower kind of a pair with a box is the box.
// `group`: that of pair `i`.
static bool couple_up(const ab_batch *batch, const hull_group *group, uint32_t i, bool boxed, hull_couple *c)
{
    const uint32_t lowest = batch->a[i];
    const ab_polytope *lower = &c->box, *higher = hull_polytope(batch, batch->b[i]);
    if (boxed)
    {
        const ab_record *record = &batch->records[lowest];
        c->half[0] = record->half_x;
        c->half[1] = record->half_y;
        c->half[2] = record->half_z;
        ab_polytope_of_box(c->half, &c->room, &c->box);
    }
    else
    {
        lower = hull_polytope(batch, lowest);
    }
    take_pair(batch, group, i % LANES, &c->pair);
    c->pair.a = c->pair.proxies.a == lowest ? lower : higher;
    c->pair.b = c->pair.proxies.a == lowest ? higher : lower;
    const bool flat = boxed && !(c->half[0] > 0.0f && c->half[1] > 0.0f && c->half[2] > 0.0f);
    return !flat && lower->face_count > 0 && higher->face_count > 0;
}

// The codes of the cached axes, canonical as the pairs are, or AB_NO_AXIS.
static void ask_hull_cache(const ab_batch *batch, uint32_t *codes)
{
    if (batch->cached.find)
    {
        batch->cached.find(batch->cached.store, batch->records, batch->a, batch->b, batch->count, codes);
    }
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        const bool known = batch->cached.find && codes[i] >> 6 != AB_HULL_NO_AXIS && codes[i] < 0xffu;
        codes[i] = known ? codes[i] : AB_NO_AXIS;
    }
}

// The largest separation of all axes, or of the faces if that is positive.
AB_INLINE float separate_hulls(hull_couple *c, bool boxed, uint32_t cached, hull_test *t, ab_hull_axis *axis)
{
    t->half = boxed ? c->half : NULL;
    t->room = boxed ? &c->room : NULL;
    t->faces_a.best = t->faces_b.best = -FAR_AWAY; // those of the second may not be asked
    const float faces = test_faces(&c->pair, cached, t);
    if (faces > 0.0f)
    {
        return faces;
    }
    return name_axis(&c->pair, t, AB_NO_AXIS, axis);
}

AB_INLINE uint32_t opposite_of_axis(const ab_hull_pair *pair, const hull_test *t, const ab_hull_axis *axis)
{
    const bool in_b = axis->class == AB_HULL_FACE_OF_B;
    const bool known = t->opposite != ABUT_NONE && t->opposite_of == axis->index[0] && t->opposite_of_b == in_b;
    return known ? t->opposite : opposite_face(pair, in_b, axis->index[0]);
}

// What is apart by a face of one, and nearest there. False: it takes a search. Only one of the two was found to part
// them, or none.
static AB_APART bool collide_apart(const ab_hull_pair *pair, hull_test *t, ab_manifolds *out)
{
    const bool first_of_b = t->faces_b.best > 0.0f;
    if (!first_of_b && !(t->faces_a.best > 0.0f))
    {
        return false;
    }
    const uint32_t first = first_of_b ? t->faces_b.face : t->faces_a.face;
    for (int i = 0; i < 2; ++i)
    {
        const bool of_b = first_of_b != (i == 1);
        const face_query *q = of_b ? &t->faces_b : &t->faces_a;
        if (i == 1)
        {
            query_side(pair, t, of_b, opposite_face(pair, first_of_b, first), -FAR_AWAY);
        }
        const ab_hull_axis axis = { .class = of_b ? AB_HULL_FACE_OF_B : AB_HULL_FACE_OF_A,
                                    .index = { q->face },
                                    .separation = q->best };
        abut_manifold m;
        if (q->best > 0.0f && AB_ISA_NAME(ab_hull_apart)(pair, &axis, &m))
        {
            if (m.separation <= pair->limit)
            {
                ab_manifolds_append(out, pair->batch, pair->proxies.a, pair->proxies.b, &m);
            }
            return true;
        }
    }
    return false;
}

AB_INLINE void collide_hulls(const ab_batch *batch, const hull_group *group, uint32_t i, bool boxed, uint32_t cached,
                             ab_manifolds *out)
{
    hull_couple c;
    hull_test t;
    ab_hull_axis axis;
    const bool coupled = couple_up(batch, group, i, boxed, &c);
    const float separation = coupled ? separate_hulls(&c, boxed, cached, &t, &axis) : c.pair.limit;
    if (separation > c.pair.limit)
    {
        return;
    }
    if (separation > 0.0f && coupled && collide_apart(&c.pair, &t, out))
    {
        return;
    }
    if (separation > 0.0f || !coupled)
    {
        abut_manifold m;
        if (ab_convex_pair_manifold(batch, i, &m))
        {
            if (coupled && m.separation > 0.0f)
            {
                AB_ISA_NAME(ab_hull_add_higher)(&c.pair, &m);
            }
            ab_manifolds_append(out, batch, c.pair.proxies.a, c.pair.proxies.b, &m);
        }
        return;
    }
    if (cached != AB_NO_AXIS && cached != ab_hull_axis_code(&axis))
    {
        if (!t.faces_a.exact || !t.faces_b.exact)
        {
            query_again(&c.pair, &t);
        }
        (void)name_axis(&c.pair, &t, cached, &axis);
    }
    axis.opposite = axis.class == AB_HULL_EDGES ? 0 : opposite_of_axis(&c.pair, &t, &axis);
    abut_manifold m;
    AB_ISA_NAME(ab_hull_manifold)(&c.pair, &axis, &m);
    ab_manifolds_append(out, batch, c.pair.proxies.a, c.pair.proxies.b, &m);
}

AB_INLINE bool hulls_touch(const ab_batch *batch, const hull_group *group, uint32_t i, bool boxed)
{
    hull_couple c;
    hull_test t;
    ab_hull_axis axis;
    if (!couple_up(batch, group, i, boxed, &c))
    {
        return ab_convex_pair_touches(batch, i);
    }
    const float separation = separate_hulls(&c, boxed, AB_NO_AXIS, &t, &axis);
    return separation <= 0.0f || (separation <= c.pair.limit && ab_convex_pair_touches(batch, i));
}

#define SHAPES_AHEAD 6u // pairs: how far ahead their shapes are prefetched,
#define HULLS_AHEAD  3u // and their hulls

AB_INLINE void fetch_hull(const ab_batch *batch, uint32_t proxy)
{
    AB_PREFETCH(hull_polytope(batch, proxy));
}

// Asks for the memory of pairs behind one.
AB_INLINE void look_ahead(const ab_batch *batch, uint32_t i, bool boxed)
{
    const uint32_t far = i + SHAPES_AHEAD, near = i + HULLS_AHEAD;
    if (far < batch->count)
    {
        AB_PREFETCH(&batch->shapes[batch->colliders[batch->b[far]]]);
        if (!boxed)
        {
            AB_PREFETCH(&batch->shapes[batch->colliders[batch->a[far]]]);
        }
    }
    if (near < batch->count)
    {
        fetch_hull(batch, batch->b[near]);
        if (!boxed)
        {
            fetch_hull(batch, batch->a[near]);
        }
    }
}

AB_INLINE void collide_all(const ab_batch *batch, bool boxed, ab_manifolds *out)
{
    AB_ASSERT(batch->count <= AB_CHUNK, batch->count);
    const ab_pair_function *own[AB_CHUNK];
    uint32_t cached[AB_CHUNK];
    hull_group group;
    const bool some = ab_pair_functions_mark(batch, own);
    ask_hull_cache(batch, cached);
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        if (i % LANES == 0)
        {
            relate_hulls(batch, i, &group);
        }
        look_ahead(batch, i, boxed);
        if (!own[i])
        {
            collide_hulls(batch, &group, i, boxed, cached[i], out);
        }
    }
    if (some)
    {
        ab_collide_own(batch, own, out);
    }
}

AB_INLINE uint32_t touch_all(const ab_batch *batch, bool boxed, uint32_t *out)
{
    AB_ASSERT(batch->count <= AB_CHUNK, batch->count);
    const ab_pair_function *own[AB_CHUNK];
    bool kept[AB_CHUNK];
    hull_group group;
    const bool some = ab_pair_functions_mark(batch, own);
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        if (i % LANES == 0)
        {
            relate_hulls(batch, i, &group);
        }
        look_ahead(batch, i, boxed);
        kept[i] = !own[i] && hulls_touch(batch, &group, i, boxed);
    }
    return ab_list_touching(batch, own, some, kept, out);
}

void AB_ISA_NAME(ab_hull_hull)(const ab_batch *batch, ab_manifolds *out)
{
    collide_all(batch, false, out);
}

void AB_ISA_NAME(ab_box_hull)(const ab_batch *batch, ab_manifolds *out)
{
    collide_all(batch, true, out);
}

uint32_t AB_ISA_NAME(ab_hull_hull_touching)(const ab_batch *batch, uint32_t *out)
{
    return touch_all(batch, false, out);
}

uint32_t AB_ISA_NAME(ab_box_hull_touching)(const ab_batch *batch, uint32_t *out)
{
    return touch_all(batch, true, out);
}
