// The separating axis test of two boxes: all fifteen axes, LANES pairs at a time, without a branch.
//
// S. Gottschalk, M. Lin, D. Manocha, "OBBTree" (1996), for the axes and radii. Measures the cross products by their own
// components, never by 1 - C^2, which loses its digits where edges are nearly parallel: an axis of length 1e-5 still
// has a separation as accurate as any other's.

// Box b in the frame of box a.
typedef struct relationw
{
    f32w cosine[3][3]; // axis i of a . axis j of b
    f32w apart[3];     // centre of b - centre of a, along the axes of a
} relationw;

// `aligned`: a has the world's axes.
AB_INLINE void relate(const pairw *m, bool aligned, relationw *out)
{
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            const v3w *b = &m->b.axis[j];
            out->cosine[i][j] = aligned ? (i == 0 ? b->x : i == 1 ? b->y : b->z) : v3w_dot(m->a.axis[i], *b);
        }
        const v3w *d = &m->between;
        out->apart[i] = aligned ? (i == 0 ? d->x : i == 1 ? d->y : d->z) : v3w_dot(m->a.axis[i], *d);
    }
}

// How much better another class of axes must be to be preferred: a thousandth of the least half extent, and never less
// than the rounding error of boxes of this size.
AB_INLINE f32w preference(const f32w ha[3], const f32w hb[3])
{
    f32w least = minw(minw(minw(ha[0], ha[1]), ha[2]), minw(minw(hb[0], hb[1]), hb[2]));
    f32w sum = addw(addw(addw(ha[0], ha[1]), ha[2]), addw(addw(hb[0], hb[1]), hb[2]));
    return mul_addw(least, splatw(0.0009765625f), mulw(sum, splatw(1.9073486e-6f)));
}

typedef struct axisw
{
    f32w separation;
    u32w code; // 0-2 faces of a, 3-5 faces of b, 6 + 3i + j edges
} axisw;

AB_INLINE f32w along_face_of_a(const relationw *r, f32w bound[3][3], const f32w ha[3], const f32w hb[3], uint32_t i)
{
    f32w radius = addw(addw(mulw(hb[0], bound[i][0]), mulw(hb[1], bound[i][1])), mulw(hb[2], bound[i][2]));
    return subw(absw(r->apart[i]), addw(ha[i], radius));
}

AB_INLINE f32w along_face_of_b(const relationw *r, f32w bound[3][3], const f32w ha[3], const f32w hb[3], uint32_t j)
{
    f32w apart = addw(addw(mulw(r->apart[0], r->cosine[0][j]), mulw(r->apart[1], r->cosine[1][j])),
                      mulw(r->apart[2], r->cosine[2][j]));
    f32w radius = addw(addw(mulw(ha[0], bound[0][j]), mulw(ha[1], bound[1][j])), mulw(ha[2], bound[2][j]));
    return subw(absw(apart), addw(hb[j], radius));
}

// The best face of a box, and the separation of the second best.
typedef struct facew
{
    axisw best;
    f32w next;
} facew;

// The face with the largest separation, the lowest of equal ones. `first` is the code of the box's first face.
AB_INLINE facew best_face(f32w s0, f32w s1, f32w s2, uint32_t first)
{
    const maskw second = gtw(s1, s0);
    const f32w better = maxw(s1, s0), worse = minw(s1, s0);
    const maskw third = gtw(s2, better);
    const facew out = { { maxw(s2, better),
                          picku(third, splatu(first + 2), picku(second, splatu(first + 1), splatu(first))) },
                        maxw(worse, minw(s2, better)) };
    return out;
}

AB_INLINE facew best_face_of_a(const relationw *r, f32w bound[3][3], const f32w ha[3], const f32w hb[3])
{
    return best_face(along_face_of_a(r, bound, ha, hb, 0), along_face_of_a(r, bound, ha, hb, 1),
                     along_face_of_a(r, bound, ha, hb, 2), 0);
}

AB_INLINE facew best_face_of_b(const relationw *r, f32w bound[3][3], const f32w ha[3], const f32w hb[3])
{
    return best_face(along_face_of_b(r, bound, ha, hb, 0), along_face_of_b(r, bound, ha, hb, 1),
                     along_face_of_b(r, bound, ha, hb, 2), 3);
}

// For the edges (i, j), with L = a_i x b_j: x and y are its components along the two other axes of a, z its products
// with the other axes of b.
typedef struct crossw
{
    f32w square; // the separation times its magnitude: the same order, without a square root
    maskw valid; // L is an axis
} crossw;

#define SHORTEST_SQUARE 1e-12f // an L shorter than 1e-6 is no axis

// | of edge i with each of b's: z[k] is of the two axes of b other than k.
AB_INLINE void measure_beside(const relationw *r, uint32_t i, f32w z[3])
{
    const uint32_t i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const uint32_t k1 = (k + 1) % 3, k2 = (k + 2) % 3;
        z[k] = absw(subw(mulw(r->cosine[i1][k1], r->cosine[i2][k2]), mulw(r->cosine[i2][k1], r->cosine[i1][k2])));
    }
}

AB_INLINE crossw along_edges(const relationw *r, f32w bound[3][3], const f32w ha[3], const f32w hb[3], const f32w z[3],
                             uint32_t i, uint32_t j)
{
    const uint32_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    f32w x = r->cosine[i2][j], y = r->cosine[i1][j]; // x negated
    f32w apart = absw(subw(mulw(r->apart[i2], y), mulw(r->apart[i1], x)));
    f32w radius_a = addw(mulw(ha[i1], bound[i2][j]), mulw(ha[i2], bound[i1][j]));
    f32w radius_b = addw(mulw(hb[j1], z[j2]), mulw(hb[j2], z[j1]));
    f32w s = subw(apart, addw(radius_a, radius_b));
    const f32w length = addw(mulw(x, x), mulw(y, y)); // squared
    crossw out = { divw(mulw(s, absw(s)), length), gtw(length, splatw(SHORTEST_SQUARE)) };
    return out;
}

AB_INLINE f32w separation_of(f32w square)
{
    return signedw(sqrtw(absw(square)), square);
}

// The best pair of edges, and the square of the second best, or a larger number where edges are parallel.
typedef struct edgew
{
    axisw best;
    f32w next; // as in a crossw
} edgew;

// The pair of edges with the largest separation; the lowest of equal ones.
AB_INLINE edgew best_edge(const relationw *r, f32w bound[3][3], const f32w ha[3], const f32w hb[3])
{
    f32w best = splatw(-1e30f), next = best;
    u32w code = splatu(6);
    AB_UNROLL
    for (uint32_t i = 0; i < 3; ++i)
    {
        f32w z[3];
        measure_beside(r, i, z);
        AB_UNROLL
        for (uint32_t j = 0; j < 3; ++j)
        {
            const crossw here = along_edges(r, bound, ha, hb, z, i, j);
            const maskw better = andm(gtw(here.square, best), here.valid);
            next = maxw(next, minw(here.square, best));
            best = pickw(better, here.square, best);
            code = picku(better, splatu(6 + 3 * i + j), code);
        }
    }
    edgew out = { { separation_of(best), code }, next };
    return out;
}

AB_INLINE void bound_cosines(const relationw *r, f32w bound[3][3])
{
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            bound[i][j] = absw(r->cosine[i][j]);
        }
    }
}

// The result of the fifteen axes: the largest separation of all, which alone decides touching, and the contact's axis
// with the separation along it.
typedef struct verdictw
{
    f32w separation;
    axisw axis;
    maskw ambiguous_any; // another axis might stay if it is the cached one
} verdictw;

// Two edges are no contact where one lies in a face of the other box up to this sine and their axis is as near to the
// face's normal. Where faces touch tilted by a thousandth, such an axis may be better by any share of a thin box, and
// has one point. The face is worse by at most this times the diameter of both boxes. The axis of nearly parallel edges
// may deviate farther from the normal, as long as the boxes overlap.
#define NEAR_FACE          0x1p-9f
#define NEAR_FACE_PARALLEL 0x1p-4f

// Whether, where edges are nearest, the face that their axis is near looks the same way: the middles lie to each other
// along either normal alike. Of thin boxes that cross, the face would say that the one is on the other side.
static AB_APART maskw looks_their_way(const relationw *r, f32w bound[3][3], const axisw *edges)
{
    f32w way = splatw(1.0f); // positive where it does
    f32w middle[3];          // of b from that of a, along the axes of b
    for (int k = 0; k < 3; ++k)
    {
        middle[k] = addw(addw(mulw(r->apart[0], r->cosine[0][k]), mulw(r->apart[1], r->cosine[1][k])),
                         mulw(r->apart[2], r->cosine[2][k]));
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        for (uint32_t j = 0; j < 3; ++j)
        {
            const uint32_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const maskw here = equ(edges->code, splatu(6 + 3 * i + j));
            const f32w x = bound[i2][j], y = bound[i1][j], z1 = bound[i][j1], z2 = bound[i][j2];
            // what the middles are apart along either axis of a, or b, makes of it along the edges' common normal
            const f32w of_a1 = mulw(r->apart[i1], negw(r->cosine[i2][j])), of_a2 = mulw(r->apart[i2], r->cosine[i1][j]),
                       of_b1 = mulw(middle[j1], r->cosine[i][j2]), of_b2 = mulw(middle[j2], negw(r->cosine[i][j1]));
            const f32w by_a = pickw(gtw(x, y), of_a1, of_a2), by_b = pickw(gtw(z2, z1), of_b1, of_b2);
            const f32w by_face = pickw(gtw(minw(x, y), minw(z1, z2)), by_b, by_a);
            way = pickw(here, mulw(by_face, addw(of_a1, of_a2)), way);
        }
    }
    return gew(way, splatw(0.0f));
}

#ifdef AB_SMALL // what is seldom asked is there once
#define SELDOM_INLINE static AB_APART
#define SELDOM_UNROLL
#else
#define SELDOM_INLINE AB_INLINE
#define SELDOM_UNROLL AB_UNROLL
#endif

// Whether the axis of edges is near the normal of a face, with `share` of both sines; false for a face, and where the
// edges are apart, though not by more than the limit, and the face looks the other way.
SELDOM_INLINE maskw is_near_face(const relationw *r, f32w bound[3][3], const axisw *edges, float share, f32w limit)
{
    const float narrow = NEAR_FACE * share, wide = NEAR_FACE_PARALLEL * share;
    f32w sine = splatw(1.0f), length = sine; // the least sine between an edge and a face; of the cross product, squared
    SELDOM_UNROLL
    for (uint32_t i = 0; i < 3; ++i)
    {
        SELDOM_UNROLL
        for (uint32_t j = 0; j < 3; ++j)
        {
            const uint32_t i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            const maskw here = equ(edges->code, splatu(6 + 3 * i + j));
            const f32w x = bound[i2][j], y = bound[i1][j];
            sine = pickw(here, minw(minw(x, y), minw(bound[i][j1], bound[i][j2])), sine);
            length = pickw(here, addw(mulw(x, x), mulw(y, y)), length);
        }
    }
    const maskw overlap = ltw(edges->separation, splatw(0.0f));
    const f32w most = mulw(length, pickw(overlap, splatw(wide * wide), splatw(narrow * narrow)));
    const maskw near = lew(mulw(sine, sine), minw(most, splatw(narrow * narrow)));
    const maskw apart = andm(andnotm(near, overlap), lew(edges->separation, limit));
    return anym(apart) ? andnotm(near, andnotm(apart, looks_their_way(r, bound, edges))) : near;
}

// The separation to compare faces with: that of the best edges, or less than any where these are no contact.
AB_INLINE f32w against_faces(const relationw *r, f32w bound[3][3], const axisw *edges, f32w limit)
{
    return pickw(is_near_face(r, bound, edges, 1.0f, limit), splatw(-1e30f), edges->separation);
}

// Whether an edge of either box lies in a face of the other up to NEAR_FACE.
AB_INLINE maskw any_near_face(f32w bound[3][3])
{
    f32w least = bound[0][0];
    for (int k = 1; k < 9; ++k)
    {
        least = minw(least, bound[k / 3][k % 3]);
    }
    return lew(least, splatw(NEAR_FACE));
}

// How far, in shares of the preference, the cached axis may fall behind the one preferred now; and a little more, past
// which it surely has.
#define HYSTERESIS       0.5f
#define HYSTERESIS_BOUND 0.515625f

// `limit`: what is farther apart is not looked at closely.
AB_INLINE verdictw separate(const relationw *r, const f32w ha[3], const f32w hb[3], f32w limit)
{
    f32w bound[3][3];
    bound_cosines(r, bound);
    const edgew edges = best_edge(r, bound, ha, hb);
    const axisw edge = edges.best;
    const facew face_a = best_face_of_a(r, bound, ha, hb), face_b = best_face_of_b(r, bound, ha, hb);
    const axisw a = face_a.best, b = face_b.best;

    // an edge must be better than both faces: one that repeats the direction of b's face would be a bad contact; and
    // where one is better than a's face alone, b's is within the tolerance of the best, as a's is not
    const f32w tolerance = preference(ha, hb), past_a = addw(a.separation, tolerance);
    const f32w without_edges = pickw(gtw(b.separation, past_a), b.separation, a.separation);
    f32w rival_edge = edge.separation;
    if (anym(andm(any_near_face(bound), gtw(edge.separation, addw(without_edges, tolerance))))) // seldom
    {
        rival_edge = against_faces(r, bound, &edge, limit);
    }
    const f32w best_face = maxw(a.separation, b.separation);
    const maskw prefer_b = gtw(maxw(b.separation, rival_edge), past_a);
    const maskw prefer_edge = gtw(rival_edge, addw(best_face, tolerance));

    verdictw out;
    out.separation = maxw(best_face, edge.separation);
    const f32w face = pickw(prefer_b, b.separation, a.separation);
    out.axis.separation = pickw(prefer_edge, edge.separation, face);
    out.axis.code = picku(prefer_edge, edge.code, picku(prefer_b, b.code, a.code));
    // the best of the other class less the preference, and the next of the same
    const f32w other = subw(maxw(b.separation, edge.separation), tolerance);
    const f32w rival = maxw(other, pickw(prefer_b, face_b.next, face_a.next));
    const maskw by_face = gew(rival, subw(face, mulw(tolerance, splatw(HYSTERESIS_BOUND))));
    // cached faces never stay against edges, nor cached edges that are this far behind
    const f32w behind = subw(edge.separation, tolerance);
    const maskw by_edge = gew(edges.next, mulw(behind, absw(behind)));
    out.ambiguous_any = pickm(prefer_edge, by_edge, by_face);
    return out;
}
