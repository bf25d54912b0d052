// Two boxes. Separation of all pairs first, without a branch; those that touch go to one of two lists, by whether a face or
// a pair of edges names the contact; then each list by itself.

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

#include "narrow/box_sat.inl"

#include "narrow/box_face.inl"

#include "narrow/box_edge.inl"

AB_INLINE void append_hits(hits *list, maskw which, u32w a, u32w b, const axisw *axis)
{
    uint32_t at = list->count;
    appendu(list->a + at, a, which);
    appendu(list->b + at, b, which);
    appendu(list->code + at, axis->code, which);
    list->count += appendu(list->separation + at, bitsw(axis->separation), which);
}

// Groups are read whole: what follows the last entry names some pair as well.
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

AB_INLINE void separate_all(const ab_batch *batch, bool aligned, hits *faces, hits *edges)
{
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        const uint32_t *a = batch->a + i, *b = batch->b + i;
        prefetch_records(batch, i);
        meetingw m;
        gather_meeting(batch, a, aligned ? SIZE : TURN, b, TURN, &m);
        relationw r;
        relate(&m, aligned, &r);
        verdictw verdict = separate(&r, m.a.half, m.b.half);
        maskw touching = andm(first_lanes(batch->count - i), lew(verdict.separation, limit_of(batch, a, b)));
        // past the margin itself (the reach brought it here) what is reported must not fall below it again
        maskw past = gtw(verdict.separation, splatw(batch->margin));
        axisw axis = { pickw(past, verdict.separation, verdict.axis.separation), verdict.axis.code };
        maskw by_edge = gtu(axis.code, splatu(5));
        append_hits(faces, andnotm(touching, by_edge), loadu(a), loadu(b), &axis);
        append_hits(edges, andm(touching, by_edge), loadu(a), loadu(b), &axis);
    }
}

static void list_manifolds(const ab_batch *batch, hits *faces, hits *edges, ab_manifolds *out)
{
    pad_hits(faces, batch);
    pad_hits(edges, batch);
    for (uint32_t i = 0; i < faces->count; i += LANES)
    {
        face_group(batch, faces, i, out);
    }
    for (uint32_t i = 0; i < edges->count; i += LANES)
    {
        edge_group(batch, edges, i, out);
    }
}

AB_INLINE void box_box(const ab_batch *batch, bool aligned, ab_manifolds *out)
{
    hits faces, edges;
    faces.count = edges.count = 0;
    if (batch->count)
    {
        separate_all(batch, aligned, &faces, &edges);
        list_manifolds(batch, &faces, &edges, out);
    }
}

static void aabb_obb(const ab_batch *batch, ab_manifolds *out)
{
    box_box(batch, true, out);
}

static void obb_obb(const ab_batch *batch, ab_manifolds *out)
{
    box_box(batch, false, out);
}
