// The separating axis test of two boxes: all fifteen axes, LANES pairs at a time, without a branch.
//
// S. Gottschalk, M. Lin, D. Manocha, "OBBTree" (1996), for the axes and radii. The cross products are measured by their own
// components, never by 1 - C^2, which loses its digits exactly where edges are nearly parallel: an axis of length 1e-5 is
// then still an axis, with a separation as accurate as any other's.

// Where box b is, seen from box a.
typedef struct relationw
{
    f32w cosine[3][3]; // axis i of a . axis j of b
    f32w apart[3];     // centre of b - centre of a, along the axes of a
} relationw;

// `aligned`: a has the world's axes.
AB_INLINE void relate(const meetingw *m, bool aligned, relationw *out)
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

// By how much another class of axes must be better to be preferred: a thousandth of the least half extent, and never less
// than what rounding can do to boxes of this size.
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

// The face of a, then of b, with the largest separation; the lowest among equals.
AB_INLINE axisw best_face_of_a(const relationw *r, f32w bound[3][3], const f32w ha[3], const f32w hb[3])
{
    axisw best = { splatw(0.0f), splatu(0) };
    for (uint32_t i = 0; i < 3; ++i)
    {
        f32w radius = addw(addw(mulw(hb[0], bound[i][0]), mulw(hb[1], bound[i][1])), mulw(hb[2], bound[i][2]));
        f32w separation = subw(absw(r->apart[i]), addw(ha[i], radius));
        maskw better = gtw(separation, best.separation);
        best.code = i == 0 ? best.code : picku(better, splatu(i), best.code);
        best.separation = i == 0 ? separation : pickw(better, separation, best.separation);
    }
    return best;
}

AB_INLINE axisw best_face_of_b(const relationw *r, f32w bound[3][3], const f32w ha[3], const f32w hb[3])
{
    axisw best = { splatw(0.0f), splatu(3) };
    for (uint32_t j = 0; j < 3; ++j)
    {
        f32w apart = addw(addw(mulw(r->apart[0], r->cosine[0][j]), mulw(r->apart[1], r->cosine[1][j])),
                          mulw(r->apart[2], r->cosine[2][j]));
        f32w radius = addw(addw(mulw(ha[0], bound[0][j]), mulw(ha[1], bound[1][j])), mulw(ha[2], bound[2][j]));
        f32w separation = subw(absw(apart), addw(hb[j], radius));
        maskw better = gtw(separation, best.separation);
        best.code = j == 0 ? best.code : picku(better, splatu(3 + j), best.code);
        best.separation = j == 0 ? separation : pickw(better, separation, best.separation);
    }
    return best;
}

// The pair of edges with the largest separation. With L = a_i x b_j: x and y are its components along the two other axes of
// a, z its products with the other axes of b. The scaled separations are compared as s|s| / L^2, crosswise; an L shorter
// than 1e-6 is no axis.
AB_INLINE axisw best_edge(const relationw *r, f32w bound[3][3], const f32w ha[3], const f32w hb[3])
{
    f32w best = splatw(-1e30f), best_square = splatw(1.0f);
    u32w code = splatu(6);
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t i1 = (i + 1) % 3, i2 = (i + 2) % 3;
        f32w z[3]; // z[k]: of the two edges of b other than k
        for (uint32_t k = 0; k < 3; ++k)
        {
            const uint32_t k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            z[k] = absw(subw(mulw(r->cosine[i1][k1], r->cosine[i2][k2]), mulw(r->cosine[i2][k1], r->cosine[i1][k2])));
        }
        for (uint32_t j = 0; j < 3; ++j)
        {
            const uint32_t j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            f32w x = r->cosine[i2][j], y = r->cosine[i1][j]; // x negated
            f32w apart = absw(subw(mulw(r->apart[i2], y), mulw(r->apart[i1], x)));
            f32w radius_a = addw(mulw(ha[i1], bound[i2][j]), mulw(ha[i2], bound[i1][j]));
            f32w radius_b = addw(mulw(hb[j1], z[j2]), mulw(hb[j2], z[j1]));
            f32w s = subw(apart, addw(radius_a, radius_b));
            f32w scaled = mulw(s, absw(s)), square = addw(mulw(x, x), mulw(y, y));
            maskw better = andm(gtw(mulw(scaled, best_square), mulw(best, square)), gtw(square, splatw(1e-12f)));
            best = pickw(better, scaled, best);
            best_square = pickw(better, square, best_square);
            code = picku(better, splatu(6 + 3 * i + j), code);
        }
    }
    f32w ratio = divw(best, best_square);
    axisw out = { signedw(sqrtw(absw(ratio)), ratio), code };
    return out;
}

// What the fifteen axes say: the largest separation of all, which alone decides about touching, and the axis to name the
// contact by with the separation along it.
typedef struct verdictw
{
    f32w separation;
    axisw axis;
} verdictw;

AB_INLINE verdictw separate(const relationw *r, const f32w ha[3], const f32w hb[3])
{
    f32w bound[3][3];
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            bound[i][j] = absw(r->cosine[i][j]);
        }
    }
    axisw face_a = best_face_of_a(r, bound, ha, hb);
    axisw face_b = best_face_of_b(r, bound, ha, hb);
    axisw edge = best_edge(r, bound, ha, hb);

    // an edge must be better than both faces: one that repeats the direction of b's would name the contact badly
    f32w tolerance = preference(ha, hb);
    f32w best_face = maxw(face_a.separation, face_b.separation);
    maskw prefer_b = gtw(face_b.separation, addw(face_a.separation, tolerance));
    maskw prefer_edge = gtw(edge.separation, addw(best_face, tolerance));

    verdictw out;
    out.separation = maxw(best_face, edge.separation);
    out.axis.separation = pickw(prefer_edge, edge.separation, pickw(prefer_b, face_b.separation, face_a.separation));
    out.axis.code = picku(prefer_edge, edge.code, picku(prefer_b, face_b.code, face_a.code));
    return out;
}
