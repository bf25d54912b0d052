// Hysteresis for two boxes: keeps the cached separating axis near the border to another one. Separations that vary
// about the border would otherwise change the axis from detect to detect, and with it every feature and the cached
// impulses.
//
// The cached axis stays when it is worse than the best of its own class (faces of a, faces of b, edges) by no more than
// HYSTERESIS of the preference, and beats the other classes with that much less preference; faces beat edges, and those
// of a beat those of b, with the whole of it, as always. Edges stay until they are near a face by HYSTERESIS of the
// angle. The result never falls further behind the best axis than without a cache, and it is stable: the same boxes
// with the resulting axis cached give that axis.
//
// A lookup costs more than a separation, so only pairs that the separating axis test finds near a border are looked up.

#define AXES 15u

// The code of an axis after swapping the sides.
static uint32_t turned_code(uint32_t code)
{
    if (code < 6)
    {
        return code < 3 ? code + 3 : code - 3;
    }
    return code < AXES ? 6 + 3 * ((code - 6) % 3) + (code - 6) / 3 : code;
}

// The separation and class of the axis of a code; no class for an invalid code.
typedef struct cachedw
{
    f32w separation;
    maskw of_a, of_b, edge; // its class; edges only if they are not near a face
} cachedw;

AB_INLINE cachedw look_at_cached(const relationw *r, f32w bound[3][3], const f32w ha[3], const f32w hb[3], u32w code)
{
    cachedw out = { splatw(0.0f), gtu(splatu(3), code), andm(gtu(code, splatu(2)), gtu(splatu(6), code)),
                    first_lanes(0) };
    f32w square = splatw(0.0f);
    AB_UNROLL
    for (uint32_t i = 0; i < 3; ++i)
    {
        f32w z[3];
        measure_beside(r, i, z);
        out.separation = pickw(equ(code, splatu(i)), along_face_of_a(r, bound, ha, hb, i), out.separation);
        out.separation = pickw(equ(code, splatu(3 + i)), along_face_of_b(r, bound, ha, hb, i), out.separation);
        AB_UNROLL
        for (uint32_t j = 0; j < 3; ++j)
        {
            const crossw other = along_edges(r, bound, ha, hb, z, i, j);
            const maskw here = andm(equ(code, splatu(6 + 3 * i + j)), other.valid);
            out.edge = orm(out.edge, here);
            square = pickw(here, other.square, square);
        }
    }
    out.separation = pickw(out.edge, separation_of(square), out.separation);
    const axisw axis = { out.separation, code };
    out.edge = andnotm(out.edge, is_near_face(r, bound, &axis, HYSTERESIS, splatw(ABUT_MAX_MAGNITUDE)));
    return out;
}

// The contact's axis, given the cached `code`.
AB_INLINE axisw stay_with(const relationw *r, const f32w ha[3], const f32w hb[3], u32w code, axisw otherwise)
{
    f32w bound[3][3];
    bound_cosines(r, bound);
    const f32w a = best_face_of_a(r, bound, ha, hb).best.separation;
    const f32w b = best_face_of_b(r, bound, ha, hb).best.separation;
    const axisw edges = best_edge(r, bound, ha, hb).best;
    const f32w edge = edges.separation, rival_edge = against_faces(r, bound, &edges, splatw(ABUT_MAX_MAGNITUDE));
    const f32w face = maxw(a, b), tolerance = preference(ha, hb);
    const cachedw cached = look_at_cached(r, bound, ha, hb, code);
    const f32w raised = mul_addw(tolerance, splatw(HYSTERESIS), cached.separation);

    const f32w past_a = mul_addw(tolerance, splatw(HYSTERESIS), maxw(cached.separation, rival_edge));
    const maskw by_face = lew(rival_edge, addw(cached.separation, tolerance));
    const maskw stays_a = andm(gew(raised, a), lew(b, addw(cached.separation, tolerance)));
    const maskw stays_b = andm(gew(raised, b), gtw(past_a, addw(a, tolerance)));
    const maskw stays_edge = andm(gew(raised, edge), gtw(raised, addw(face, tolerance)));
    const maskw stays =
        orm(andm(by_face, orm(andm(cached.of_a, stays_a), andm(cached.of_b, stays_b))), andm(cached.edge, stays_edge));
    axisw out;
    out.separation = pickw(stays, cached.separation, otherwise.separation);
    out.code = picku(stays, code, otherwise.code);
    return out;
}

// Appends entry `k` to the list of its axis.
static inline void append_hit(hits *faces, hits *edges, const hits *from, uint32_t k)
{
    hits *list = from->code[k] < 6 ? faces : edges;
    list->a[list->count] = from->a[k];
    list->b[list->count] = from->b[k];
    list->code[list->count] = from->code[k];
    list->separation[list->count++] = from->separation[k];
}

// Moves entries whose cached axis is their present one, or that have none, to their lists, and the others to the front.
static void ask_cached(const ab_batch *batch, hits *ambiguous, hits *faces, hits *edges, uint32_t *cached)
{
    const ab_record *records = batch->records;
    uint32_t left = 0;
    batch->cached.find(batch->cached.store, records, ambiguous->a, ambiguous->b, ambiguous->count, cached);
    for (uint32_t k = 0; k < ambiguous->count; ++k)
    {
        const uint32_t a = ambiguous->a[k], b = ambiguous->b[k];
        const uint32_t code = records[a].collider_key < records[b].collider_key ? cached[k] : turned_code(cached[k]);
        if (code == ambiguous->code[k] || code >= AXES)
        {
            append_hit(faces, edges, ambiguous, k);
            continue;
        }
        cached[left] = code;
        ambiguous->a[left] = a;
        ambiguous->b[left] = b;
        ambiguous->code[left] = ambiguous->code[k];
        ambiguous->separation[left++] = ambiguous->separation[k];
    }
    ambiguous->count = left;
    for (uint32_t k = left; k < left + LANES; ++k)
    {
        cached[k] = AB_NO_AXIS;
    }
}

// Decides the ambiguous entries: keeps the cached axis where it may stay. Entries past the margin keep their
// separation.
static AB_APART void decide_ambiguous(const ab_batch *batch, hits *ambiguous, hits *faces, hits *edges)
{
    uint32_t cached[HITS];
    ask_cached(batch, ambiguous, faces, edges, cached);
    pad_hits(ambiguous, batch);
    for (uint32_t i = 0; i < ambiguous->count; i += LANES)
    {
        pairw m;
        relationw r;
        gather_pair(batch, ambiguous->a + i, TURN, ambiguous->b + i, TURN, &m);
        relate(&m, false, &r);
        const axisw preferred = { floatu(loadu(ambiguous->separation + i)), loadu(ambiguous->code + i) };
        const axisw axis = stay_with(&r, m.a.half, m.b.half, loadu(cached + i), preferred);
        const maskw wanted = first_lanes(ambiguous->count - i);
        const u32w separation = bitsw(reported_separation(batch, preferred.separation, axis.separation));
        const maskw by_edge = gtu(axis.code, splatu(5));
        const u32w proxy_a = loadu(ambiguous->a + i), proxy_b = loadu(ambiguous->b + i);
        append_hits(faces, andnotm(wanted, by_edge), proxy_a, proxy_b, axis.code, separation);
        append_hits(edges, andm(wanted, by_edge), proxy_a, proxy_b, axis.code, separation);
    }
}
