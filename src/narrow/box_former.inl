// The axis that named the contact of two boxes in the last detect keeps it near the border to another one: separations that
// hover about the border would otherwise change the axis, and with it every feature and the impulses kept at them, from detect to
// detect.
//
// The axis of before stays when it is worse than the best of its own kind (faces of a, faces of b, edges) by no more than LOYALTY of
// the preference, and holds against the other kinds with as much of the preference forgiven; faces of a hold against those of b
// with the whole of it as ever. No axis is named that lies further behind the best one than without the memory, and one that stayed
// would stay again: the same boxes with the axis that came out give that axis.
//
// Asking costs more than separating, so only pairs are asked about that are near a border by what the separation has found out
// anyway.

#define AXES 15u

// The code of an axis when the other side is called a.
static uint32_t turned_code(uint32_t code)
{
    if (code < 6)
    {
        return code < 3 ? code + 3 : code - 3;
    }
    return code < AXES ? 6 + 3 * ((code - 6) % 3) + (code - 6) / 3 : code;
}

// What the axis of a code has to be judged by; nothing for a code that is none.
typedef struct formerw
{
    f32w separation;
    maskw of_a, of_b, edge; // what it is
} formerw;

AB_INLINE formerw look_at_former(const relationw *r, f32w bound[3][3], const f32w ha[3], const f32w hb[3], u32w code)
{
    formerw out = { splatw(0.0f), gtu(splatu(3), code), andm(gtu(code, splatu(2)), gtu(splatu(6), code)),
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
    return out;
}

// The axis to name the contact by, when `code` did before.
AB_INLINE axisw stay_with(const relationw *r, const f32w ha[3], const f32w hb[3], u32w code, axisw otherwise)
{
    f32w bound[3][3];
    bound_cosines(r, bound);
    const f32w a = best_face_of_a(r, bound, ha, hb).best.separation;
    const f32w b = best_face_of_b(r, bound, ha, hb).best.separation;
    const f32w edge = best_edge(r, bound, ha, hb).best.separation, face = maxw(a, b), tolerance = preference(ha, hb);
    const formerw former = look_at_former(r, bound, ha, hb, code);
    const f32w raised = mul_addw(tolerance, splatw(LOYALTY), former.separation);

    const maskw by_face = lew(edge, addw(face, tolerance));
    const maskw stays_a = andm(gew(raised, a), lew(b, addw(former.separation, tolerance)));
    const maskw stays_b = andm(gew(raised, b), gtw(raised, addw(a, tolerance)));
    const maskw stays_edge = andm(gew(raised, edge), gtw(raised, addw(face, tolerance)));
    const maskw stays =
        orm(andm(by_face, orm(andm(former.of_a, stays_a), andm(former.of_b, stays_b))), andm(former.edge, stays_edge));
    axisw out;
    out.separation = pickw(stays, former.separation, otherwise.separation);
    out.code = picku(stays, code, otherwise.code);
    return out;
}

// Appends one entry to the list that its axis belongs to.
static inline void append_hit(hits *faces, hits *edges, const hits *from, uint32_t k)
{
    hits *list = from->code[k] < 6 ? faces : edges;
    list->a[list->count] = from->a[k];
    list->b[list->count] = from->b[k];
    list->code[list->count] = from->code[k];
    list->separation[list->count++] = from->separation[k];
}

// Moves those entries that name the axis of the last detect, or had none, to their lists, and the others to the front, with what
// they had.
static void ask_former(const ab_batch *batch, hits *doubts, hits *faces, hits *edges, uint32_t *former)
{
    const ab_record *records = batch->records;
    uint32_t left = 0;
    batch->former.find(batch->former.store, records, doubts->a, doubts->b, doubts->count, former);
    for (uint32_t k = 0; k < doubts->count; ++k)
    {
        const uint32_t a = doubts->a[k], b = doubts->b[k];
        const uint32_t code = records[a].order < records[b].order ? former[k] : turned_code(former[k]);
        if (code == doubts->code[k] || code >= AXES)
        {
            append_hit(faces, edges, doubts, k);
            continue;
        }
        former[left] = code;
        doubts->a[left] = a;
        doubts->b[left] = b;
        doubts->code[left] = doubts->code[k];
        doubts->separation[left++] = doubts->separation[k];
    }
    doubts->count = left;
    for (uint32_t k = left; k < left + LANES; ++k)
    {
        former[k] = AB_NO_AXIS;
    }
}

// Entries with the axis of the last detect where that may stay. What is past the margin itself is reported with the separation
// it has.
static AB_APART void settle_doubts(const ab_batch *batch, hits *doubts, hits *faces, hits *edges)
{
    uint32_t former[HITS];
    ask_former(batch, doubts, faces, edges, former);
    pad_hits(doubts, batch);
    for (uint32_t i = 0; i < doubts->count; i += LANES)
    {
        meetingw m;
        relationw r;
        gather_meeting(batch, doubts->a + i, TURN, doubts->b + i, TURN, &m);
        relate(&m, false, &r);
        const axisw preferred = { floatu(loadu(doubts->separation + i)), loadu(doubts->code + i) };
        const axisw axis = stay_with(&r, m.a.half, m.b.half, loadu(former + i), preferred);
        const maskw wanted = first_lanes(doubts->count - i);
        const u32w separation = bitsw(reported_separation(batch, preferred.separation, axis.separation));
        const maskw by_edge = gtu(axis.code, splatu(5));
        const u32w leaf_a = loadu(doubts->a + i), leaf_b = loadu(doubts->b + i);
        append_hits(faces, andnotm(wanted, by_edge), leaf_a, leaf_b, axis.code, separation);
        append_hits(edges, andm(wanted, by_edge), leaf_a, leaf_b, axis.code, separation);
    }
}
