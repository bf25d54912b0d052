// Two rectangles. The separating axis test over the four directions of their sides, with projection radii (S.
// Gottschalk, M. Lin, D. Manocha, "OBBTree", 1996, less a dimension), then the manifold: the incident side clipped to
// the reference side (Y.-D. Liang, B. Barsky, 1984), at most two points.
//
// Sides and corners of a rectangle are numbered counter-clockwise from (-x, -y), side i running from corner i to the
// next.

// The result of the four axes. The largest separation decides touching; the contact's side is one of a's unless one of
// b's is better by more than rounding, and the x axis of equal ones.
typedef struct rect_gapw
{
    f32w separation; // of all
    f32w next;       // the second largest
    f32w named;      // along the contact's axis
    f32w along_a[2], along_b[2];
    maskw on_b; // it is b's
    maskw on_y; // it is a y axis
} rect_gapw;

AB_INLINE rect_gapw rect_rect_gap(const pairw *m)
{
    const v3w *a = m->a.axis, *b = m->b.axis, d = m->between;
    const f32w *ha = m->a.half, *hb = m->b.half;
    const f32w cosine = absw(flat_dot(a[0], b[0])), sine = absw(flat_dot(a[0], b[1]));
    const f32w radius_bx = addw(mulw(hb[0], cosine), mulw(hb[1], sine));
    const f32w radius_by = addw(mulw(hb[0], sine), mulw(hb[1], cosine));
    const f32w radius_ax = addw(mulw(ha[0], cosine), mulw(ha[1], sine));
    const f32w radius_ay = addw(mulw(ha[0], sine), mulw(ha[1], cosine));
    const f32w on_ax = subw(absw(flat_dot(a[0], d)), addw(ha[0], radius_bx));
    const f32w on_ay = subw(absw(flat_dot(a[1], d)), addw(ha[1], radius_by));
    const f32w on_bx = subw(absw(flat_dot(b[0], d)), addw(hb[0], radius_ax));
    const f32w on_by = subw(absw(flat_dot(b[1], d)), addw(hb[1], radius_ay));

    const f32w best_a = maxw(on_ay, on_ax), best_b = maxw(on_by, on_bx);
    const f32w size = addw(addw(ha[0], ha[1]), addw(hb[0], hb[1]));
    rect_gapw gap;
    gap.separation = maxw(best_b, best_a);
    gap.next = maxw(minw(best_b, best_a), maxw(minw(on_ay, on_ax), minw(on_by, on_bx)));
    gap.on_b = gtw(best_b, addw(best_a, mulw(size, splatw(0x1p-19f))));
    gap.on_y = pickm(gap.on_b, gtw(on_by, on_bx), gtw(on_ay, on_ax));
    gap.named = pickw(gap.on_b, best_b, best_a);
    gap.along_a[0] = on_ax;
    gap.along_a[1] = on_ay;
    gap.along_b[0] = on_bx;
    gap.along_b[1] = on_by;
    return gap;
}

#include "narrow/kernels/cached_2d.inl"

// The reference rectangle and the incident one, seen from the centre of the first.
typedef struct sidesw
{
    v3w normal, along; // of the side; the normal points to the other rectangle
    f32w half_normal, half_along;
    u32w side;             // number of the side
    f32w middle, height;   // of the incident side: its middle along the reference side, and above it
    f32w slope_u, slope_v; // the direction of the incident side in this frame
    f32w half_incident;
    maskw incident_is_y, incident_is_positive; // which side of the other rectangle is the incident one
} sidesw;

AB_INLINE f32w pick_half(maskw y, const f32w half_x, const f32w half_y)
{
    return pickw(y, half_y, half_x);
}

AB_INLINE void lay_out_reference(const pairw *m, const rect_gapw *gap, sidesw *s)
{
    const maskw on_b = gap->on_b, on_y = gap->on_y;
    const v3w x_axis = flat(pickw(on_b, m->b.axis[0].x, m->a.axis[0].x), pickw(on_b, m->b.axis[0].y, m->a.axis[0].y));
    const f32w half_x = pickw(on_b, m->b.half[0], m->a.half[0]), half_y = pickw(on_b, m->b.half[1], m->a.half[1]);
    const v3w outward = flat(pickw(on_y, negw(x_axis.y), x_axis.x), pickw(on_y, x_axis.x, x_axis.y));
    // adding zero makes -0 count as the positive side
    const f32w sign = addw(negw_where(on_b, flat_dot(outward, m->between)), splatw(0.0f));
    const maskw negative = ltw(sign, splatw(0.0f));
    s->normal = flat(signedw(outward.x, sign), signedw(outward.y, sign));
    s->along = quarter_turn(s->normal);
    s->half_normal = pick_half(on_y, half_x, half_y);
    s->half_along = pick_half(on_y, half_y, half_x);
    s->side = picku(negative, picku(on_y, splatu(0), splatu(3)), picku(on_y, splatu(2), splatu(1)));
}

// The incident side is the one most opposed to the reference side; it is never steeper than 45 degrees.
AB_INLINE void lay_out_incident(const pairw *m, const rect_gapw *gap, sidesw *s)
{
    const maskw on_b = gap->on_b;
    const v3w q = flat(pickw(on_b, m->a.axis[0].x, m->b.axis[0].x), pickw(on_b, m->a.axis[0].y, m->b.axis[0].y));
    const f32w half_x = pickw(on_b, m->a.half[0], m->b.half[0]), half_y = pickw(on_b, m->a.half[1], m->b.half[1]);
    const v3w d = flat(negw_where(on_b, m->between.x), negw_where(on_b, m->between.y));
    const f32w normal_x = flat_dot(s->normal, q), along_x = flat_dot(s->along, q); // of q's x axis
    const f32w normal_y = negw(along_x), along_y = normal_x;                       // of its y axis, a quarter turn on
    const maskw is_y = gtw(absw(normal_y), absw(normal_x));
    const f32w against = pickw(is_y, normal_y, normal_x), aside = pickw(is_y, along_y, along_x);
    const f32w back = signedw(pick_half(is_y, half_x, half_y), negw(against));

    s->incident_is_y = is_y;
    s->incident_is_positive = ltw(against, splatw(0.0f));
    s->middle = mul_addw(aside, back, flat_dot(s->along, d));
    s->height = subw(mul_addw(against, back, flat_dot(s->normal, d)), s->half_normal);
    s->slope_u = pickw(is_y, along_x, along_y);
    s->slope_v = pickw(is_y, normal_x, normal_y);
    s->half_incident = pick_half(is_y, half_y, half_x);
}

// An end of the clipped incident side, `at` metres from its middle.
AB_INLINE pointw end_point(const pairw *m, const rect_gapw *gap, const headw *head, const sidesw *s, f32w at,
                           bool positive, u32w feature)
{
    const f32w along = clampw(mul_addw(s->slope_u, at, s->middle), negw(s->half_along), s->half_along);
    const f32w height = mul_addw(s->slope_v, at, s->height);
    const f32w out = mul_addw(splatw(0.5f), height, s->half_normal);
    const maskw is_positive = positive ? first_lanes(LANES) : first_lanes(0);
    const maskw right = pickm(s->incident_is_y, is_positive, s->incident_is_positive);
    const maskw upper = pickm(s->incident_is_y, s->incident_is_positive, is_positive);
    const u32w corner = picku(upper, picku(right, splatu(2), splatu(3)), picku(right, splatu(1), splatu(0)));
    const f32w x = addw(mulw(s->normal.x, out), mulw(s->along.x, along));
    const f32w y = addw(mulw(s->normal.y, out), mulw(s->along.y, along));
    pointw point;
    point.offset = flat(addw(addw(head->base.x, keepw(gap->on_b, m->between.x)), x),
                        addw(addw(head->base.y, keepw(gap->on_b, m->between.y)), y));
    point.separation = reported_height(head->separation, height);
    point.feature = oru(feature, corner);
    point.valid = first_lanes(LANES);
    return point;
}

// Clips the incident side to the reference side: two ends, or one point if nothing is left or only one end is near
// enough.
AB_INLINE void cut_incident(const pairw *m, const rect_gapw *gap, const headw *head, const sidesw *s, f32w limit,
                            pointw point[2])
{
    const f32w inverse = divw(splatw(1.0f), s->slope_u), half = s->half_incident;
    const f32w one_end = mulw(subw(negw(s->half_along), s->middle), inverse);
    const f32w other_end = mulw(subw(s->half_along, s->middle), inverse);
    const f32w low = maxw(negw(half), minw(one_end, other_end)), high = minw(half, maxw(one_end, other_end));
    const maskw second_body = orm(andnotm(gap->on_b, head->swap), andnotm(head->swap, gap->on_b));
    const u32w feature = shlu(addu(s->side, picku(second_body, splatu(16), splatu(0))), 8);
    const pointw first = end_point(m, gap, head, s, clampw(low, negw(half), half), false, feature);
    const pointw last = end_point(m, gap, head, s, clampw(high, negw(half), half), true, feature);
    const maskw only_last = andm(gtw(first.separation, limit), ltw(last.separation, first.separation));
    point[0] = pick_point(only_last, &last, &first);
    point[1] = last;
    point[1].valid =
        andm(andnotm(ltw(low, high), only_last), andm(lew(first.separation, limit), lew(last.separation, limit)));
}

AB_INLINE void rect_rect_group(const ab_batch *batch, uint32_t i, amount read_a, amount read_b, ab_manifolds *out)
{
    pairw m;
    gather_flat_pair(batch, batch->a + i, read_a, batch->b + i, read_b, &m);
    rect_gapw gap = rect_rect_gap(&m);
    const maskw kept = touching_at(batch, i, gap.separation);
    if (!anym(kept))
    {
        return;
    }
    if (read_a == TURN || read_b == TURN)
    {
        stay_with_side(batch, i, &m, kept, &gap);
    }
    sidesw s;
    lay_out_reference(&m, &gap, &s);
    lay_out_incident(&m, &gap, &s);
    headw head = head_of(&m, batch->a + i, batch->b + i);
    head.normal = flat(negw_where(gap.on_b, s.normal.x), negw_where(gap.on_b, s.normal.y));
    head.separation = reported_separation(batch, gap.separation, gap.named);
    pointw point[2];
    cut_incident(&m, &gap, &head, &s, limit_of(batch, batch->a + i, batch->b + i), point);
    emit(out, kept, &head, point, 2);
}

AB_INLINE void rect_rect(const ab_batch *batch, amount read_a, amount read_b, ab_manifolds *out)
{
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        rect_rect_group(batch, i, read_a, read_b, out);
    }
}

AB_INLINE uint32_t rect_rect_touching(const ab_batch *batch, amount read_a, amount read_b, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        pairw m;
        gather_flat_pair(batch, batch->a + i, read_a, batch->b + i, read_b, &m);
        count += append_touching(batch, i, rect_rect_gap(&m).separation, out + count);
    }
    return count;
}

static void flat_aabb_aabb(const ab_batch *batch, ab_manifolds *out)
{
    rect_rect(batch, SIZE, SIZE, out);
}

static void flat_aabb_obb(const ab_batch *batch, ab_manifolds *out)
{
    rect_rect(batch, SIZE, TURN, out);
}

static void flat_obb_obb(const ab_batch *batch, ab_manifolds *out)
{
    rect_rect(batch, TURN, TURN, out);
}

static uint32_t flat_aabb_aabb_touching(const ab_batch *batch, uint32_t *out)
{
    return rect_rect_touching(batch, SIZE, SIZE, out);
}

static uint32_t flat_aabb_obb_touching(const ab_batch *batch, uint32_t *out)
{
    return rect_rect_touching(batch, SIZE, TURN, out);
}

static uint32_t flat_obb_obb_touching(const ab_batch *batch, uint32_t *out)
{
    return rect_rect_touching(batch, TURN, TURN, out);
}
