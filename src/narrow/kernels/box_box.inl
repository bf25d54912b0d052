// Two boxes. Computes the separation of all pairs first, without branches; appends touching pairs to one of two lists,
// by whether a face or a pair of edges is the contact's axis; then computes the manifolds list by list.

enum
{
    HITS = AB_CHUNK + 2 * AB_WIDEST // appending writes whole groups
};

typedef struct hits
{
    uint32_t a[HITS], b[HITS];
    uint32_t code[HITS];
    uint32_t separation[HITS]; // the bits of a float
    uint32_t count;
} hits;

// Small builds have one body for both kinds of box, and for quick and thorough faces.
#ifdef AB_SMALL
#define BOX_BOX_BODY static AB_APART
#else
#define BOX_BOX_BODY AB_INLINE
#endif

#include "narrow/kernels/box_sat.inl"

AB_INLINE void append_hits(hits *list, maskw which, u32w a, u32w b, u32w code, u32w separation)
{
    uint32_t at = list->count;
    appendu(list->a + at, a, which);
    appendu(list->b + at, b, which);
    appendu(list->code + at, code, which);
    list->count += appendu(list->separation + at, separation, which);
}

#include "narrow/kernels/box_edge.inl"

#include "narrow/kernels/box_face.inl"

// Groups are read whole: pads the list with entries that name some pair.
static void pad_hits(hits *list, const ab_batch *batch)
{
    for (uint32_t k = list->count; k < list->count + LANES; ++k)
    {
        list->a[k] = batch->a[0];
        list->b[k] = batch->b[0];
        list->code[k] = 6;
        list->separation[k] = 0;
    }
}

#include "narrow/kernels/box_cached.inl"

BOX_BOX_BODY verdictw box_box_verdict(const ab_batch *batch, uint32_t i, bool aligned)
{
    pairw m;
    gather_pair(batch, batch->a + i, aligned ? SIZE : TURN, batch->b + i, TURN, &m);
    relationw r;
    relate(&m, aligned, &r);
    return separate(&r, m.a.half, m.b.half, limit_of(batch, batch->a + i, batch->b + i));
}

// `ambiguous` are touching pairs whose axis depends on the cached one.
typedef struct found_hits
{
    hits faces, edges, ambiguous;
} found_hits;

AB_INLINE void separate_all(ab_batch batch, bool aligned, found_hits *found)
{
    const maskw has_cache = first_lanes(batch.cached.find ? LANES : 0);
    for (uint32_t i = 0; i < batch.count; i += LANES)
    {
        prefetch_records(&batch, i);
        verdictw verdict = box_box_verdict(&batch, i, aligned);
        maskw touching = touching_at(&batch, i, verdict.separation);
        if (!anym(touching))
        {
            continue;
        }
        u32w separation = bitsw(reported_separation(&batch, verdict.separation, verdict.axis.separation));
        u32w code = verdict.axis.code, proxy_a = loadu(batch.a + i), proxy_b = loadu(batch.b + i);
        const maskw ambiguous_any = andm(andm(touching, verdict.ambiguous_any), has_cache),
                    sure = andnotm(touching, ambiguous_any);
        const maskw by_edge = andm(sure, gtu(code, splatu(5)));
        append_hits(&found->faces, andnotm(sure, by_edge), proxy_a, proxy_b, code, separation);
        if (anym(by_edge))
        {
            append_hits(&found->edges, by_edge, proxy_a, proxy_b, code, separation);
        }
        if (anym(ambiguous_any))
        {
            append_hits(&found->ambiguous, ambiguous_any, proxy_a, proxy_b, code, separation);
        }
    }
}

// Moves entries that need more work to the front of the list, behind the read position.
AB_INLINE void most_faces(ab_batch batch, hits *list, facing what, ab_manifolds *out)
{
    const uint32_t count = list->count;
    uint32_t left = 0;
    pad_hits(list, &batch);
    for (uint32_t i = 0; i < count; i += LANES)
    {
        const maskw others = face_group(&batch, list, i, what, out);
        list->count = left;
        append_hits(list, others, loadu(list->a + i), loadu(list->b + i), loadu(list->code + i),
                    loadu(list->separation + i));
        left = list->count;
        list->count = count;
    }
    list->count = left;
}

// Not inlined: each has the registers to itself.
static AB_APART void plain_faces(const ab_batch *batch, hits *faces, ab_manifolds *out)
{
    most_faces(plain_batch(batch), faces, FACES_QUICK, out);
}

static AB_APART void offset_faces(const ab_batch *batch, hits *faces, ab_manifolds *out)
{
    most_faces(*batch, faces, FACES_QUICK, out);
}

static AB_APART void thorough_faces(const ab_batch *batch, hits *faces, ab_manifolds *out)
{
    pad_hits(faces, batch);
    for (uint32_t i = 0; i < faces->count; i += LANES)
    {
        face_group(batch, faces, i, FACES_THOROUGH, out);
    }
}

static void face_manifolds(const ab_batch *batch, hits *faces, ab_manifolds *out)
{
    (is_plain(batch) ? plain_faces : offset_faces)(batch, faces, out);
    thorough_faces(batch, faces, out);
}

static AB_APART void leaning_edges(const ab_batch *batch, hits *leaning, ab_manifolds *out)
{
    most_faces(*batch, leaning, EDGES_LEAN, out);
}

static AB_APART void lone_edges(const ab_batch *batch, hits *edges, hits *leaning, ab_manifolds *out)
{
    pad_hits(edges, batch);
    for (uint32_t i = 0; i < edges->count; i += LANES)
    {
        edge_group(batch, edges, i, leaning, out);
    }
}

static void edge_manifolds(const ab_batch *batch, hits *edges, ab_manifolds *out)
{
    hits leaning;
    leaning.count = 0;
    lone_edges(batch, edges, &leaning, out);
    if (leaning.count > 0)
    {
        leaning_edges(batch, &leaning, out);
        lone_edges(batch, &leaning, NULL, out);
    }
}

BOX_BOX_BODY void box_box(const ab_batch *batch, bool aligned, ab_manifolds *out)
{
    AB_ASSERT(batch->count <= AB_CHUNK, batch->count);
    found_hits found;
    found.faces.count = found.edges.count = found.ambiguous.count = 0;
    if (batch->count)
    {
        if (is_plain(batch))
        {
            separate_all(plain_batch(batch), aligned, &found);
        }
        else
        {
            separate_all(*batch, aligned, &found);
        }
        if (found.ambiguous.count > 0)
        {
            decide_ambiguous(batch, &found.ambiguous, &found.faces, &found.edges);
        }
        face_manifolds(batch, &found.faces, out);
        edge_manifolds(batch, &found.edges, out);
    }
}

BOX_BOX_BODY uint32_t box_box_touching(const ab_batch *batch, bool aligned, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        count += append_touching(batch, i, box_box_verdict(batch, i, aligned).separation, out + count);
    }
    return count;
}

static void aabb_obb(const ab_batch *batch, ab_manifolds *out)
{
    box_box(batch, true, out);
}

static void obb_obb(const ab_batch *batch, ab_manifolds *out)
{
    box_box(batch, false, out);
}

static uint32_t aabb_obb_touching(const ab_batch *batch, uint32_t *out)
{
    return box_box_touching(batch, true, out);
}

static uint32_t obb_obb_touching(const ab_batch *batch, uint32_t *out)
{
    return box_box_touching(batch, false, out);
}
