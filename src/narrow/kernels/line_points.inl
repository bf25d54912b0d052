// The two points of capsules that are nearly parallel, or of one and an edge that it nearly lies along: where the part
// that their segments share, seen along the normal, ends. The part shrinks about the closest point as the segments
// cross more steeply, so that the two points become one without a jump.
//
// Both points are exact. A capsule's surface, cut by a plane parallel to its axis and a distance beside it, is two
// straight lines.

// A segment with a radius; an edge has none.
typedef struct linew
{
    v3w middle, way; // the way is a unit vector
    f32w half, radius;
} linew;

#define LINES_PARALLEL 0x1p-10f // the largest sine, squared, between lines with two points
#define FLAT_SLOPE     0x1p-6f  // the largest sine between a flat part and the plane of the contact
#define BESIDE         0x1p-7f  // of the radii: how far two lines may pass beside each other at a point

// What becomes of a pair, seen along the normal. Coordinates along the first line are counted on it.
typedef struct line_framew
{
    v3w along, beside;   // in the plane of the contact; as long as the cosine of the first line's slope
    f32w square;         // that length, squared
    f32w middle, cosine; // of the second line: the coordinate of its middle, and by how much one unit on it adds
    f32w aside;          // by how much the second departs sideways from the first, per unit on that
    f32w drop_a, drop_b; // by how much the slopes make the radii longer
    f32w low, high;      // the shared part
    maskw flat;
} line_framew;

// The larger of 1 and what a radius becomes along a normal whose product with the line's direction is `slope`.
AB_INLINE f32w sloped(f32w slope)
{
    const f32w one = splatw(1.0f), square = mul_subw(one, slope, slope);
    return divw(one, sqrtw(maxw(square, splatw(0.5f))));
}

AB_INLINE void lay_line_frame(const linew *a, const linew *b, v3w normal, f32w at, line_framew *f)
{
    const f32w slope_a = v3w_dot(a->way, normal), slope_b = v3w_dot(b->way, normal), flat = splatw(FLAT_SLOPE);
    f->along = v3w_along(a->way, normal, negw(slope_a));
    f->beside = v3w_cross(normal, f->along);
    f->square = mul_subw(splatw(1.0f), slope_a, slope_a);
    const f32w inverse = divw(splatw(1.0f), maxw(f->square, splatw(0.5f)));
    f->middle = mulw(v3w_dot(v3w_sub(b->middle, a->middle), f->along), inverse);
    f->cosine = mulw(v3w_dot(b->way, f->along), inverse);
    f->flat = andm(andm(lew(absw(slope_a), flat), lew(absw(slope_b), flat)), gtw(absw(f->cosine), splatw(0.5f)));
    f->cosine = pickw(f->flat, f->cosine, splatw(1.0f));
    f->aside = divw(mulw(v3w_dot(b->way, f->beside), inverse), f->cosine);
    f->drop_a = sloped(slope_a);
    f->drop_b = sloped(slope_b);

    const f32w half_b = mulw(b->half, absw(f->cosine)), radii = addw(a->radius, b->radius);
    const f32w share = divw(mulw(splatw(BESIDE), radii), maxw(absw(f->aside), splatw(1e-20f)));
    f->low = maxw(maxw(negw(a->half), subw(f->middle, half_b)), subw(at, share));
    f->high = minw(minw(a->half, addw(f->middle, half_b)), addw(at, share));
    const f32w least = mul_addw(radii, splatw(0x1p-5f), mulw(addw(a->half, b->half), splatw(0x1p-8f)));
    f->flat = andm(andm(f->flat, gtw(subw(f->high, f->low), least)), lew(absw(f->aside), splatw(FLAT_SLOPE * 2)));
}

// The point at coordinate s; `far`: not the one beside the closest point.
AB_INLINE pointw line_point(const linew *a, const linew *b, const line_framew *f, const headw *head, f32w at, f32w s,
                            maskw far, uint32_t feature)
{
    const f32w one = splatw(1.0f), radii = addw(a->radius, b->radius);
    const f32w t = clampw(divw(subw(s, f->middle), f->cosine), negw(b->half), b->half);
    const v3w on_a = v3w_along(a->middle, a->way, s), on_b = v3w_along(b->middle, b->way, t);
    const f32w sideways = clampw(divw(mulw(f->aside, subw(s, at)), maxw(radii, splatw(1e-20f))), negw(one), one);
    const f32w narrow = sqrtw(mul_subw(one, sideways, sideways));
    const f32w reach_a = mulw(mulw(a->radius, narrow), pickw(far, f->drop_a, one));
    const f32w reach_b = mulw(mulw(b->radius, narrow), pickw(far, f->drop_b, one));
    const f32w height = subw(subw(v3w_dot(v3w_sub(on_b, on_a), head->normal), reach_a), reach_b);
    pointw point;
    const v3w above = v3w_along(v3w_add(head->base, on_a), head->normal, mul_addw(splatw(0.5f), height, reach_a));
    point.offset = v3w_along(above, f->beside, mulw(mulw(sideways, a->radius), f->drop_a));
    point.separation = maxw(height, head->separation);
    point.feature = splatu(feature);
    point.valid = first_lanes(LANES);
    return point;
}

// Replaces point 0, the closest, in those of the `parallel` lanes that have two points within the limit; there point 1
// is valid. `at`: of the closest point, on the first line.
AB_INLINE void line_points(const linew *a, const linew *b, const headw *head, f32w at, maskw parallel, f32w limit,
                           pointw point[2])
{
    line_framew f;
    lay_line_frame(a, b, head->normal, at, &f);
    const maskw far_is_high = gtw(subw(f.high, at), subw(at, f.low));
    const pointw low = line_point(a, b, &f, head, at, f.low, notm(far_is_high), 1);
    point[1] = line_point(a, b, &f, head, at, f.high, far_is_high, 2);
    point[1].valid = andm(andm(parallel, f.flat), lew(maxw(low.separation, point[1].separation), limit));
    point[0] = pick_point(point[1].valid, &low, &point[0]);
}
