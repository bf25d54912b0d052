// The edges of two polytopes that may separate them more than faces do: those of each, those of b in the frame of a,
// and the best pair found so far.
//
// Most edges are dropped before they are paired. On the arc between the normals of its two faces an edge has no
// separation above the larger of theirs from one vertex of the other polytope, once that is negative; so where some
// vertex is below both planes by as much as the best face's separation, no axis of the edge is better. A well chosen
// vertex, the witness, is below most.

#define EDGE_ROWS 12 // of a gathered edge: point, direction, left and right normal

// By face, a bit for each of LANES vertices of the other, from one on, that is not above it by more than `bar`.
AB_INLINE void mark_vertices(const ab_polytope *p, const moved_vertices *other, uint32_t from, float bar,
                             uint32_t below[AB_POLYTOPE_FACES])
{
    const v3w at = vertices_at(other, from);
    const f32w least = splatw(bar);
    for (uint32_t f = 0; f < p->face_count; ++f)
    {
        const uint32_t bits = bitsm(lew(subw(v3w_dot(normal_at(p, f), at), splatw(p->offset[f])), least)) << from;
        below[f] = from ? below[f] | bits : bits;
    }
}

// Lists the edges that no vertex is below both faces of, of few.
static uint32_t list_few_edges(const ab_polytope *p, const moved_vertices *other, uint32_t count, float bar,
                               uint32_t *out)
{
    uint32_t below[AB_POLYTOPE_FACES];
    uint32_t listed = 0;
    AB_ASSERT(count <= FEW_FACES && FEW_FACES <= 32, count);
    for (uint32_t v = 0; v < count; v += LANES)
    {
        mark_vertices(p, other, v, bar, below);
    }
    for (uint32_t e = 0; e < p->edge_count; ++e)
    {
        out[listed] = e;
        listed += (below[p->edge_faces[e][0]] & below[p->edge_faces[e][1]]) == 0;
    }
    return listed;
}

// A bit for each face above which a vertex is by more than `bar`; past the last, there may be any.
AB_INLINE void mark_faces(const ab_polytope *p, v3w vertex, float bar, uint64_t under[AB_POLYTOPE_FACES / 64])
{
    for (uint32_t i = 0; i < p->face_count; i += LANES)
    {
        const f32w height = subw(v3w_dot(column_at(p->normal, i), vertex), loadw(p->offset + i));
        const uint64_t bits = (uint64_t)bitsm(notm(lew(height, splatw(bar)))) << i % 64;
        under[i / 64] = (i % 64 ? under[i / 64] : 0) | bits;
    }
}

// The edges of marked faces, of two words from one on.
AB_INLINE void mark_edges(const ab_polytope *p, const uint64_t *faces, uint32_t from, uint64_t edges[2])
{
    const uint32_t words = ab_polytope_edge_words(p->edge_count);
    uint64_t first = 0, second = 0;
    for (uint32_t w = 0; 64 * w < p->face_count; ++w)
    {
        const uint32_t left = p->face_count - 64 * w;
        const uint64_t *of_face = p->face_edges + from + words * 64 * w;
        for (uint64_t bits = faces[w] & (left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX); bits; bits &= bits - 1)
        {
            const uint64_t *here = of_face + words * ab_lowest_bit(bits);
            first |= here[0];
            second |= here[1];
        }
    }
    edges[0] = first;
    edges[1] = second;
}

// Whether one of up to 64 vertices of the other is above neither of two faces by more than `bar`.
AB_INLINE bool any_below_both(const ab_polytope *p, const uint8_t faces[2], const moved_vertices *other, uint32_t count,
                              float bar)
{
    const v3w first = normal_at(p, faces[0]), second = normal_at(p, faces[1]);
    const f32w first_offset = splatw(p->offset[faces[0]]), second_offset = splatw(p->offset[faces[1]]);
    const uint32_t asked = count < 64 ? count : 64;
    f32w lowest = splatw(FAR_AWAY); // all are asked: when to stop early is hard to predict
    for (uint32_t v = 0; v < asked; v += STEP)
    {
        const v3w at = vertices_at(other, v), next = vertices_at(other, v + LANES);
        const f32w over_first = subw(v3w_dot(first, at), first_offset);
        const f32w over_second = subw(v3w_dot(second, at), second_offset);
        const f32w next_first = subw(v3w_dot(first, next), first_offset);
        const f32w next_second = subw(v3w_dot(second, next), second_offset);
        lowest = minw(minw(maxw(over_first, over_second), maxw(next_first, next_second)), lowest);
    }
    return anym(lew(lowest, splatw(bar)));
}

// The same of many: the witnesses are asked first.
static uint32_t list_many_edges(const ab_polytope *p, const moved_vertices *other, uint32_t count,
                                const face_query *query, float bar, uint32_t *out)
{
    uint64_t under[AB_POLYTOPE_FACES / 64], under_too[AB_POLYTOPE_FACES / 64];
    uint32_t listed = 0;
    mark_faces(p, vertex_at(other, query->witness[0]), bar, under);
    mark_faces(p, vertex_at(other, query->witness[1]), bar, under_too);
    for (uint32_t w = 0; 64 * w < p->edge_count; w += 2)
    {
        uint64_t edges[2], too[2];
        mark_edges(p, under, w, edges);
        mark_edges(p, under_too, w, too);
        for (uint32_t k = 0; k < 2; ++k)
        {
            for (uint64_t bits = edges[k] & too[k]; bits; bits &= bits - 1)
            {
                const uint32_t e = 64 * (w + k) + ab_lowest_bit(bits);
                out[listed] = e;
                listed += !any_below_both(p, p->edge_faces[e], other, count, bar);
            }
        }
    }
    return listed;
}

// Lists the edges of p that may have an axis better than `bar`, which is not positive. Up to 64 vertices of the other
// are asked.
AB_INLINE uint32_t list_edges(const ab_polytope *p, const moved_vertices *other, uint32_t count,
                              const face_query *query, float bar, uint32_t *out)
{
    const uint32_t listed = are_few(p, count) ? list_few_edges(p, other, count, bar, out)
                                              : list_many_edges(p, other, count, query, bar, out);
    for (uint32_t k = listed; k < listed + LANES; ++k)
    {
        out[k] = listed ? out[0] : 0;
    }
    return listed;
}

// The listed edges of b in the frame of a.
typedef struct moved_edges
{
    float row[EDGE_ROWS][EDGES];
} moved_edges;

AB_INLINE void store_vector(moved_edges *to, uint32_t row, uint32_t i, v3w v)
{
    storew(to->row[row] + i, v.x);
    storew(to->row[row + 1] + i, v.y);
    storew(to->row[row + 2] + i, v.z);
}

AB_INLINE v3w load_vector(const moved_edges *from, uint32_t row, uint32_t i)
{
    return v3w_make(loadw(from->row[row] + i), loadw(from->row[row + 1] + i), loadw(from->row[row + 2] + i));
}

static void move_edges(const ab_polytope *p, const uint32_t *listed, uint32_t count, const turnw *turn,
                       const float by[3], moved_edges *out)
{
    for (uint32_t i = 0; i < count; i += LANES)
    {
        f32w column[16];
        gather_rows16((const float *)(const void *)p->edges, listed + i, column);
        for (uint32_t k = 0; k < EDGE_ROWS; k += 3)
        {
            const v3w v = turned(turn, v3w_make(column[k], column[k + 1], column[k + 2]));
            store_vector(out, k, i, k == 0 ? v3w_add(v, v3w_all(by)) : v);
        }
    }
}

// The best edge pair found so far, by lane.
typedef struct best_edgew
{
    f32w separation;
    u32w code; // index in a's list << 16 | index in b's
    v3w normal;
} best_edgew;

AB_INLINE best_edgew no_edge(void)
{
    best_edgew none;
    none.separation = splatw(-FAR_AWAY);
    none.code = splatu(0);
    none.normal = v3w_splat(0.0f, 0.0f, 0.0f);
    return none;
}

AB_INLINE void keep_better(best_edgew *best, maskw which, f32w separation, u32w code, v3w normal)
{
    const maskw better = andm(which, gtw(separation, best->separation));
    best->separation = pickw(better, separation, best->separation);
    best->code = picku(better, code, best->code);
    best->normal = v3w_pick(better, normal, best->normal);
}
