// A box (a) and a capsule (b). Along the capsule's segment the square of the distance to the box is convex, and its
// slope is a chain of straight lines, which bend where the segment passes a face's plane: so the slopes at the six
// bends and at the two ends show the line on which the slope is zero. A segment that touches the box itself is parted
// from it by the separating axis test: three faces, and each edge with the segment.
//
// Works in the box's axes. A segment along a face touches it in two points, one along an edge too.
//
// In 2D all is in the plane, and the box may be another capsule: a box without width, rounded.

// The segment, in the box's axes.
typedef struct box_segmentw
{
    f32w middle[3], way[3]; // the way is a unit vector
    f32w half, radius;
} box_segmentw;

typedef struct box_segment_gapw
{
    f32w normal[3]; // from the box to the segment
    f32w separation;
    f32w at; // the closest point of the segment, from its middle
} box_segment_gapw;

AB_INLINE void lay_segment(const pairw *m, box_segmentw *s)
{
    for (int k = 0; k < 3; ++k)
    {
        s->middle[k] = v3w_dot(m->a.axis[k], m->between);
        s->way[k] = v3w_dot(m->a.axis[k], m->b.axis[1]);
    }
    s->half = m->b.half[1];
    s->radius = m->b.half[0];
}

AB_INLINE f32w dot3(const f32w a[3], const f32w b[3])
{
    return addw(addw(mulw(a[0], b[0]), mulw(a[1], b[1])), mulw(a[2], b[2]));
}

// How far past the box the segment is at t, along axis k.
AB_INLINE f32w away_at(const box_segmentw *s, const f32w half[3], int k, f32w t)
{
    const f32w x = mul_addw(s->way[k], t, s->middle[k]);
    return subw(x, clampw(x, negw(half[k]), half[k]));
}

// Half the slope, at t, of the square of the distance; the distance along each axis too.
AB_INLINE f32w slope_at(const box_segmentw *s, const f32w half[3], f32w t, f32w away[3])
{
    for (int k = 0; k < 3; ++k)
    {
        away[k] = away_at(s, half, k, t);
    }
    return dot3(s->way, away);
}

// The part of the segment where the slope passes zero: from the last place known where it is not positive to the first
// where it is.
typedef struct rangew
{
    f32w low, high, slope_low, slope_high;
} rangew;

// Considers the bend at t, where the segment passes a plane of axis k. There it is not past it, whatever rounding says:
// along a face the slope is next to nothing.
AB_INLINE void narrow_range(const box_segmentw *s, const f32w half[3], int k, f32w t, f32w slop, rangew *r)
{
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    const f32w at = clampw(t, negw(s->half), s->half);
    const f32w slope = addw(mulw(s->way[i], away_at(s, half, i, at)), mulw(s->way[j], away_at(s, half, j, at)));
    const maskw there = lew(absw(subw(t, at)), slop), falls = andm(there, lew(slope, splatw(0.0f)));
    const maskw later = andm(falls, gew(at, r->low)), earlier = andnotm(andm(there, lew(at, r->high)), falls);
    r->low = pickw(later, at, r->low);
    r->slope_low = pickw(later, slope, r->slope_low);
    r->high = pickw(earlier, at, r->high);
    r->slope_high = pickw(earlier, slope, r->slope_high);
}

// Makes the way from the box square to the segment, where that goes on to both sides of t, or should by the slope: of a
// short way rounding spoils the direction. Moves its end by rounding, at most `slop`, along the axes of the faces that
// the segment is past, and at first along those where it is at a face's plane but for as much.
AB_INLINE void square_away(const box_segmentw *s, const f32w half[3], const f32w at[3], f32w t, f32w slop, bool first,
                           f32w away[3])
{
    const f32w zero = splatw(0.0f), one = splatw(1.0f);
    f32w product = zero, square = zero, past[3];
    for (int k = 0; k < 3; ++k)
    {
        maskw moves = notm(eqw(away[k], zero));
        moves = first ? orm(moves, gew(absw(at[k]), subw(half[k], slop))) : moves;
        past[k] = keepw(moves, s->way[k]);
        product = mul_addw(past[k], away[k], product);
        square = mul_addw(past[k], past[k], square);
    }
    const maskw leans = orm(ltw(absw(t), s->half), gtw(mulw(product, t), zero));
    const maskw some = andm(leans, gtw(square, splatw(1e-30f)));
    const f32w inverse = divw(one, pickw(some, square, one)), most = mulw(slop, sqrtw(inverse));
    const f32w by = keepw(some, clampw(mulw(product, inverse), negw(most), most));
    for (int k = 0; k < 3; ++k)
    {
        const f32w moved = mul_subw(away[k], past[k], by);
        away[k] = keepw(orm(gtw(mulw(moved, at[k]), zero), lew(half[k], slop)), moved);
    }
}

// Takes the axis, of unit length, in the lanes where the box and the segment are farther apart along it by more than
// `slop`.
AB_INLINE void try_axis(box_segment_gapw *best, maskw which, f32w slop, f32w separation, const f32w normal[3], f32w at)
{
    const maskw better = andm(which, gtw(separation, addw(best->separation, slop)));
    best->separation = pickw(better, separation, best->separation);
    best->at = pickw(better, at, best->at);
    for (int k = 0; k < 3; ++k)
    {
        best->normal[k] = pickw(better, normal[k], best->normal[k]);
    }
}

#define NEARLY_ALONG 0.01f // squared sine

// The direction out of the box along which the segment leaves it soonest.
AB_INLINE void pierce(const box_segmentw *s, const f32w half[3], f32w slop, bool is_2d, box_segment_gapw *best)
{
    const f32w zero = splatw(0.0f), one = splatw(1.0f);
    const maskw all = first_lanes(LANES);
    *best = (box_segment_gapw){ { zero, zero, zero }, splatw(-FLT_MAX), zero };
    for (int k = 0; k < (is_2d ? 2 : 3); ++k)
    {
        f32w normal[3] = { zero, zero, zero };
        normal[k] = signedw(one, addw(s->middle[k], zero)); // adding zero makes -0 the positive side
        const f32w along = mulw(s->way[k], normal[k]), reach = mulw(s->half, absw(along));
        const f32w end = pickw(eqw(along, zero), zero, negw(signedw(s->half, along)));
        try_axis(best, all, zero, subw(absw(s->middle[k]), addw(half[k], reach)), normal, end);
    }
    for (int i = is_2d ? 2 : 0; i < 3; ++i)
    {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const f32w square = addw(mulw(s->way[j], s->way[j]), mulw(s->way[k], s->way[k]));
        const maskw skew = gtw(square, splatw(1e-12f));
        const f32w inverse = divw(one, sqrtw(pickw(skew, square, one)));
        f32w normal[3] = { zero, zero, zero };
        normal[j] = mulw(negw(s->way[k]), inverse);
        normal[k] = mulw(s->way[j], inverse);
        const f32w apart = addw(mulw(s->middle[j], normal[j]), mulw(s->middle[k], normal[k]));
        const f32w sign = addw(apart, zero);
        normal[j] = signedw(normal[j], sign);
        normal[k] = signedw(normal[k], sign);
        const f32w reach = addw(mulw(half[j], absw(normal[j])), mulw(half[k], absw(normal[k])));
        const f32w beside_j = subw(s->middle[j], signedw(half[j], normal[j]));
        const f32w beside_k = subw(s->middle[k], signedw(half[k], normal[k]));
        const f32w along = addw(mulw(beside_j, s->way[j]), mulw(beside_k, s->way[k]));
        f32w at = divw(negw(along), pickw(skew, square, one));
        if (!is_2d)
        {
            // beside an edge that is nearly parallel rounding moves it by much, but not past the edge's ends
            const f32w inverse_way = steep_inverse(s->way[i]), middle = mulw(negw(s->middle[i]), inverse_way),
                       ends = mulw(half[i], absw(inverse_way));
            const f32w beside = clampw(at, subw(middle, ends), addw(middle, ends));
            at = pickw(ltw(square, splatw(NEARLY_ALONG)), beside, at);
        }
        try_axis(best, skew, slop, subw(absw(apart), reach), normal, clampw(at, negw(s->half), s->half));
    }
}

AB_INLINE f32w square_at(const box_segmentw *s, const f32w half[3], f32w t)
{
    f32w away[3];
    slope_at(s, half, t, away);
    return dot3(away, away);
}

// The end of the range instead of t, where it is nearer by more than rounding: where a segment grazes an edge or a
// corner, rounding alone may say that the distance falls on behind it. Rounding changes a distance by less than `slop`,
// and its square by so much more as it is long.
AB_INLINE f32w nearer_end(const box_segmentw *s, const f32w half[3], const rangew *r, maskw which, f32w slop, f32w t)
{
    const f32w low = square_at(s, half, r->low), high = square_at(s, half, r->high);
    const maskw nearer = ltw(addw(sqrtw(minw(low, high)), slop), sqrtw(square_at(s, half, t)));
    return pickw(andm(which, nearer), pickw(ltw(high, low), r->high, r->low), t);
}

#define IN_BOX 0x1p-44f // a smaller distance, squared and over the size of both, is none

AB_INLINE f32w size_of(const box_segmentw *s, const f32w half[3])
{
    return addw(addw(half[0], half[1]), addw(half[2], s->half));
}

AB_INLINE box_segment_gapw box_segment_gap(const box_segmentw *s, const f32w half[3], bool is_2d)
{
    const f32w zero = splatw(0.0f), one = splatw(1.0f);
    const f32w size = size_of(s, half), slop = mulw(size, splatw(0x1p-22f));
    f32w away[3];
    rangew r;
    r.low = negw(s->half);
    r.high = s->half;
    r.slope_low = slope_at(s, half, r.low, away);
    r.slope_high = slope_at(s, half, r.high, away);
    for (int k = 0; k < (is_2d ? 2 : 3); ++k)
    {
        const f32w inverse = steep_inverse(s->way[k]);
        narrow_range(s, half, k, mulw(subw(half[k], s->middle[k]), inverse), slop, &r);
        narrow_range(s, half, k, mulw(subw(negw(half[k]), s->middle[k]), inverse), slop, &r);
    }
    const maskw falls = ltw(r.slope_low, zero), inside = andm(falls, gtw(r.slope_high, zero));
    const f32w rise = subw(r.slope_high, r.slope_low);
    const f32w part = divw(negw(r.slope_low), pickw(inside, rise, one));
    f32w t = pickw(inside, mul_addw(part, subw(r.high, r.low), r.low), pickw(falls, r.high, r.low));
    const maskw hardly = andm(inside, ltw(minw(negw(r.slope_low), r.slope_high), slop));
    if (anym(hardly))
    {
        t = nearer_end(s, half, &r, hardly, slop, t);
    }
    slope_at(s, half, t, away);
    f32w at[3], square_to[3];
    for (int k = 0; k < 3; ++k)
    {
        at[k] = mul_addw(s->way[k], t, s->middle[k]);
        square_to[k] = away[k];
    }
    square_away(s, half, at, t, slop, true, square_to);
    square_away(s, half, at, t, slop, false, square_to);

    const f32w square = dot3(square_to, square_to);
    const maskw apart = gtw(square, maxw(mulw(mulw(size, size), splatw(IN_BOX)), splatw(1e-30f)));
    const f32w inverse = divw(one, sqrtw(pickw(apart, square, one)));
    box_segment_gapw gap;
    for (int k = 0; k < 3; ++k)
    {
        gap.normal[k] = mulw(square_to[k], inverse);
    }
    gap.separation = dot3(away, gap.normal);
    gap.at = clampw(t, negw(s->half), s->half);
    if (anym(notm(apart)))
    {
        box_segment_gapw within;
        pierce(s, half, slop, is_2d, &within);
        gap.separation = pickw(apart, gap.separation, within.separation);
        gap.at = pickw(apart, gap.at, within.at);
        for (int k = 0; k < 3; ++k)
        {
            gap.normal[k] = pickw(apart, gap.normal[k], within.normal[k]);
        }
    }
    return gap;
}

#include "narrow/kernels/capsule_box_points.inl"

// What the first shape is.
typedef enum core_form
{
    CORE_BOX,
    CORE_RECTANGLE, // in 2D
    CORE_SEGMENT    // another capsule, in 2D
} core_form;

// Gathers the group at i. An aligned box's record has the world's axes. Returns the gap.
AB_INLINE box_segment_gapw gather_core_capsule(const ab_batch *batch, uint32_t i, core_form form, pairw *m,
                                               box_segmentw *segment, f32w *rounding)
{
    gather_pair(batch, batch->a + i, TURN, batch->b + i, LINE, m);
    *rounding = splatw(0.0f);
    if (form == CORE_SEGMENT)
    {
        *rounding = m->a.half[0];
        m->a.half[0] = splatw(0.0f);
    }
    if (form != CORE_BOX)
    {
        m->a.half[2] = splatw(0.0f);
    }
    lay_segment(m, segment);
    box_segment_gapw gap = box_segment_gap(segment, m->a.half, form != CORE_BOX);
    gap.separation = subw(gap.separation, addw(segment->radius, *rounding));
    return gap;
}

KERNEL_LOOP uint32_t core_capsule(const ab_batch *batch, core_form form, bool writes, ab_manifolds *out,
                                  uint32_t *touching)
{
    ab_manifolds found = manifolds_behind(out, writes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        pairw m;
        box_segmentw segment;
        f32w rounding;
        const box_segment_gapw gap = gather_core_capsule(batch, i, form, &m, &segment, &rounding);
        if (!writes)
        {
            count += append_touching(batch, i, gap.separation, touching + count);
            continue;
        }
        const maskw kept = touching_at(batch, i, gap.separation);
        if (!anym(kept))
        {
            continue;
        }
        headw head = head_of(&m, batch->a + i, batch->b + i);
        head.normal = side_to_world(&m.a, v3w_make(gap.normal[0], gap.normal[1], gap.normal[2]));
        head.separation = gap.separation;
        const box_capsulew c = { &m, &segment, m.a.half, rounding, limit_of(batch, batch->a + i, batch->b + i) };
        pointw point[2];
        if (anym(capsule_points(&c, &head, &gap, kept, form == CORE_BOX, form != CORE_SEGMENT, point)))
        {
            emit(&found, kept, &head, point, 2);
        }
        else
        {
            emit_one(&found, kept, &head, point);
        }
    }
    if (writes)
    {
        *out = found;
    }
    return count;
}

void AB_ISA_NAME(ab_box_capsule)(const ab_batch *batch, ab_manifolds *out)
{
    core_capsule(batch, CORE_BOX, true, out, NULL);
}

uint32_t AB_ISA_NAME(ab_box_capsule_touching)(const ab_batch *batch, uint32_t *out)
{
    return core_capsule(batch, CORE_BOX, false, NULL, out);
}

void AB_ISA_NAME(ab_rect_capsule)(const ab_batch *batch, ab_manifolds *out)
{
    core_capsule(batch, CORE_RECTANGLE, true, out, NULL);
}

uint32_t AB_ISA_NAME(ab_rect_capsule_touching)(const ab_batch *batch, uint32_t *out)
{
    return core_capsule(batch, CORE_RECTANGLE, false, NULL, out);
}

void AB_ISA_NAME(ab_capsule_capsule_2d)(const ab_batch *batch, ab_manifolds *out)
{
    core_capsule(batch, CORE_SEGMENT, true, out, NULL);
}

uint32_t AB_ISA_NAME(ab_capsule_capsule_2d_touching)(const ab_batch *batch, uint32_t *out)
{
    return core_capsule(batch, CORE_SEGMENT, false, NULL, out);
}
