// The points of a box and a capsule: one, or two where the segment nearly lies along a face or an edge, or leans over a
// face and its higher end is within the limit, too. The part of it whose feet, along the normal, are on the face has two
// ends; both points are exact, as in line_points.inl.

#define LEANING 0x1.6ap-1f // the largest sine between a segment and a face over which its higher end is looked for

// The box and the segment with the face most along the normal first: axis 0 is across it, 1 and 2 in it.
typedef struct under_facew
{
    f32w middle[3], way[3], normal[3], half[3];
} under_facew;

AB_INLINE void lay_under_face(const box_segmentw *s, const f32w half[3], const f32w normal[3], under_facew *f)
{
    const f32w c0 = absw(normal[0]), c1 = absw(normal[1]), c2 = absw(normal[2]);
    const maskw k1 = gtw(c1, c0), k2 = gtw(c2, maxw(c1, c0));
    for (int k = 0; k < 3; ++k)
    {
        const int next = (k + 1) % 3, last = (k + 2) % 3;
        f->middle[k] = pick_axis(k1, k2, s->middle[k], s->middle[next], s->middle[last]);
        f->way[k] = pick_axis(k1, k2, s->way[k], s->way[next], s->way[last]);
        f->normal[k] = pick_axis(k1, k2, normal[k], normal[next], normal[last]);
        f->half[k] = pick_axis(k1, k2, half[k], half[next], half[last]);
    }
}

// The part of the segment whose feet are on the face.
AB_INLINE void part_on_face(const under_facew *f, f32w slop, f32w *low, f32w *high)
{
    const f32w inverse_normal = divw(splatw(1.0f), f->normal[0]);
    const f32w height = subw(f->middle[0], signedw(f->half[0], f->normal[0]));
    for (int k = 1; k < 3; ++k)
    {
        const f32w lean = mulw(f->normal[k], inverse_normal), limit = addw(f->half[k], slop);
        const f32w foot = mul_subw(f->middle[k], height, lean),
                   inverse = steep_inverse(mul_subw(f->way[k], f->way[0], lean));
        const f32w one_end = mulw(subw(negw(limit), foot), inverse), other_end = mulw(subw(limit, foot), inverse);
        *low = maxw(*low, minw(one_end, other_end));
        *high = minw(*high, maxw(one_end, other_end));
    }
}

// What the points of a pair are made from.
typedef struct box_capsulew
{
    const pairw *m;
    const box_segmentw *segment;
    const f32w *half; // of the box
    f32w rounding;    // of the box: zero in 3D
    f32w limit;
} box_capsulew;

// The point at t of the segment, with the capsule's surface `reach` below along the normal, and the gap below that.
AB_INLINE pointw point_below(const box_capsulew *c, const headw *head, f32w t, f32w reach, f32w gap, uint32_t feature)
{
    const v3w on_segment = v3w_along(v3w_add(head->base, c->m->between), c->m->b.axis[1], t);
    pointw point;
    point.offset = v3w_along(on_segment, head->normal, negw(mul_addw(splatw(0.5f), gap, reach)));
    point.separation = maxw(gap, head->separation);
    point.feature = splatu(feature);
    point.valid = first_lanes(LANES);
    return point;
}

// How far below t, along the normal, the capsule's surface is: slopes make the radius longer, but near the segment's
// lower end, where the cap is.
AB_INLINE f32w reach_below(const box_segmentw *s, f32w slope, f32w t)
{
    const f32w steep = absw(slope), cosine_square = mul_subw(splatw(1.0f), slope, slope), longer = sloped(slope);
    const f32w away = absw(addw(t, signedw(s->half, slope))), radius = s->radius; // from the lower end
    const f32w square = mul_subw(mulw(radius, radius), mulw(away, away), cosine_square);
    const f32w cap = mul_addw(away, steep, sqrtw(maxw(square, splatw(0.0f))));
    return pickw(ltw(away, mulw(mulw(steep, longer), radius)), cap, mulw(radius, longer));
}

// `far`: not the end beside the closest point.
AB_INLINE pointw end_over_face(const box_capsulew *c, const under_facew *f, const headw *head, f32w t, maskw far,
                               f32w slope, uint32_t feature)
{
    const f32w one = splatw(1.0f), inverse = divw(one, absw(f->normal[0]));
    const f32w out = mulw(mul_addw(f->way[0], t, f->middle[0]), signedw(one, f->normal[0]));
    const f32w reach = reach_below(c->segment, slope, t);
    const f32w rounding = mulw(c->rounding, pickw(far, inverse, one));
    const f32w gap = subw(subw(mulw(subw(out, f->half[0]), inverse), rounding), reach);
    return point_below(c, head, t, reach, gap, feature);
}

// The two points of the part from low to high.
AB_INLINE void face_points(const box_capsulew *c, const under_facew *f, const headw *head, f32w at, maskw flat,
                           f32w slope, f32w low, f32w high, pointw point[2])
{
    const box_segmentw *s = c->segment;
    const f32w radii = addw(s->radius, c->rounding);
    const f32w least = mul_addw(radii, splatw(0x1p-5f), mulw(s->half, splatw(0x1p-8f)));
    const maskw long_enough = gtw(subw(high, low), least);
    const maskw far_is_high = gtw(absw(subw(high, at)), absw(subw(low, at)));
    const pointw first = end_over_face(c, f, head, low, notm(far_is_high), slope, 1);
    point[1] = end_over_face(c, f, head, high, far_is_high, slope, 2);
    point[1].valid = andm(andm(flat, long_enough), lew(maxw(first.separation, point[1].separation), c->limit));
    point[0] = pick_point(point[1].valid, &first, &point[0]);
}

// The same for a segment along an edge: of the longest axis of the segment, where the normal leaves both its faces.
AB_INLINE void edge_points(const box_capsulew *c, const headw *head, const box_segment_gapw *gap, maskw which,
                           pointw point[2])
{
    const pairw *m = c->m;
    const f32w *way = c->segment->way, zero = splatw(0.0f);
    const maskw k1 = gtw(absw(way[1]), absw(way[0])), k2 = gtw(absw(way[2]), maxw(absw(way[1]), absw(way[0])));
    linew edge;
    edge.middle = v3w_splat(0.0f, 0.0f, 0.0f);
    maskw outside = which;
    for (int k = 0; k < 3; ++k)
    {
        const maskw along = k == 2 ? k2 : k == 1 ? andnotm(k1, k2) : notm(orm(k1, k2));
        const f32w side = signedw(c->half[k], gap->normal[k]);
        edge.middle = v3w_along(edge.middle, m->a.axis[k], keepw(notm(along), side));
        outside = andm(outside, orm(along, notm(eqw(gap->normal[k], zero))));
    }
    edge.way = v3w_pick_axis(k1, k2, m->a.axis, 0);
    edge.half = pick_axis(k1, k2, c->half[0], c->half[1], c->half[2]);
    edge.radius = zero;
    const linew capsule = { m->between, m->b.axis[1], c->segment->half, c->segment->radius };
    const f32w at = mul_addw(pick_axis(k1, k2, way[0], way[1], way[2]), gap->at,
                             pick_axis(k1, k2, c->segment->middle[0], c->segment->middle[1], c->segment->middle[2]));
    pointw of_edge[2] = { point[0], point[1] };
    line_points(&edge, &capsule, head, clampw(at, negw(edge.half), edge.half), outside, c->limit, of_edge);
    const maskw found = of_edge[1].valid, kept = point[1].valid;
    point[0] = pick_point(found, &of_edge[0], &point[0]);
    point[1] = pick_point(found, &of_edge[1], &point[1]);
    point[1].valid = orm(found, kept);
}

// Returns the lanes that may have two points: the others have the first alone. Two capsules in the plane do not lean: of
// them it is by chance which has the face.
AB_INLINE maskw capsule_points(const box_capsulew *c, const headw *head, const box_segment_gapw *gap, maskw touching,
                               bool has_edges, bool leans, pointw point[2])
{
    const box_segmentw *s = c->segment;
    under_facew f;
    lay_under_face(s, c->half, gap->normal, &f);
    const f32w *n = gap->normal, *way = s->way;
    const f32w slope = dot3(n, way);
    const f32w tilt = addw(mulw(f.normal[1], f.normal[1]), mulw(f.normal[2], f.normal[2]));
    const f32w longest = maxw(absw(way[2]), maxw(absw(way[1]), absw(way[0])));
    const maskw level = andm(touching, lew(absw(slope), splatw(FLAT_SLOPE)));
    const maskw upright = andm(touching, lew(tilt, splatw(FLAT_SLOPE * FLAT_SLOPE)));
    maskw flat = andm(level, upright);
    const maskw parallel = andm(level, gew(longest, splatw(0.9995f)));
    f32w low = negw(s->half), high = s->half, at = gap->at;
    if (anym(upright))
    {
        part_on_face(&f, mulw(addw(addw(f.half[1], f.half[2]), s->half), splatw(0x1p-18f)), &low, &high);
        // what pierces a face nearly level with it may reach beyond it by more than rounding
        at = pickw(andm(upright, lew(low, high)), clampw(at, low, high), at);
        const f32w rise = mulw(absw(slope), subw(high, low)), more = mulw(s->radius, subw(sloped(slope), splatw(1.0f)));
        const maskw higher = lew(subw(addw(head->separation, rise), more), c->limit);
        const maskw long_enough = lew(mulw(mulw(absw(slope), sloped(slope)), s->radius), subw(high, low));
        const maskw lean = andm(andm(upright, long_enough), andm(higher, lew(absw(slope), splatw(LEANING))));
        flat = leans ? orm(flat, lean) : flat;
    }
    point[0] = point_below(c, head, at, s->radius, head->separation, 0);
    point[1] = point[0];
    point[1].valid = first_lanes(0);
    if (anym(flat))
    {
        face_points(c, &f, head, at, flat, slope, low, high, point);
    }
    if (has_edges && anym(andnotm(parallel, point[1].valid)))
    {
        edge_points(c, head, gap, andnotm(parallel, point[1].valid), point);
    }
    return orm(flat, parallel);
}
