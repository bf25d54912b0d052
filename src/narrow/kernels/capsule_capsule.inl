// Two capsules: the closest points of their segments (C. Ericson, "Real-Time Collision Detection", 2005, 5.1.9). Where
// the segments are nearly parallel, by cross products, which keep their digits; such capsules touch in two points.
//
// The vector between the closest points says less about its direction the shorter it is. So it is made perpendicular
// to each segment that it ends inside of; where the segments nearly cross, their cross product takes its place.

#define SKEW         0x1p-40f // a smaller sine, squared, is rounding
#define NEAR         0x1p-8f  // a smaller distance, squared and over the segments' size, tells its direction poorly
#define NO_DIRECTION 0x1p-44f // such a distance that is rounding

#define BLOCK_GROUPS 6 // groups whose stages alternate

// The gap between two capsules.
typedef struct segment_gapw
{
    v3w normal; // from a to b
    f32w separation;
    f32w at_a; // the closest point of a's segment, from its middle
} segment_gapw;

// A group of pairs between its stages. The gap is that of quick_gap.
typedef struct capsulesw
{
    v3w between; // from the middle of a to that of b
    v3w axis_a, axis_b;
    f32w half_a, half_b, radius_a, radius_b;
    u32w key_a, key_b;
    segment_gapw gap;
    bool sound; // in all lanes
} capsulesw;

// One over the square root of x, or `other` where x is zero or nearly so.
AB_INLINE f32w inverse_length(f32w square, maskw distinct)
{
    return divw(splatw(1.0f), sqrtw(pickw(distinct, square, splatw(1.0f))));
}

// v without its part along a unit direction.
AB_INLINE v3w without(v3w v, v3w direction)
{
    return v3w_along(v, direction, negw(v3w_dot(v, direction)));
}

// Some unit direction perpendicular to a unit direction.
AB_INLINE v3w some_perpendicular(v3w d)
{
    const f32w zero = splatw(0.0f);
    const maskw along_x = gtw(absw(d.x), splatw(0.6f));
    const v3w v = v3w_make(pickw(along_x, negw(d.y), zero), pickw(along_x, d.x, negw(d.z)), pickw(along_x, zero, d.y));
    return v3w_scale(v, inverse_length(v3w_dot(v, v), gtw(v3w_dot(v, v), zero)));
}

// v without its part along a unit direction where a segment of that direction, from -half to half, goes on to both
// sides of its point at `at`, or should by the sign of that part. `removed`: where it was.
AB_INLINE v3w square_to_segment(v3w v, v3w direction, f32w at, f32w half, maskw *removed)
{
    const f32w part = v3w_dot(v, direction);
    *removed = orm(ltw(absw(at), half), ltw(mulw(part, at), splatw(0.0f)));
    return v3w_along(v, direction, negw(keepw(*removed, part)));
}

// The closest points of the segments, where they are neither near nor nearly parallel: other lanes are not `sound`.
AB_INLINE segment_gapw quick_gap(const capsulesw *c, maskw *sound)
{
    const f32w half_a = c->half_a, half_b = c->half_b;
    const v3w a = c->axis_a, b = c->axis_b, between = c->between;
    const f32w cosine = v3w_dot(a, b), sine = mul_subw(splatw(1.0f), cosine, cosine);
    const f32w along_a = v3w_dot(between, a), along_b = v3w_dot(between, b);
    const f32w crossing = divw(mul_subw(along_a, along_b, cosine), sine); // no number matters in other lanes
    f32w s = clampw(crossing, negw(half_a), half_a);
    const f32w t = clampw(subw(mulw(s, cosine), along_b), negw(half_b), half_b);
    s = clampw(mul_addw(t, cosine, along_a), negw(half_a), half_a);

    const v3w apart = v3w_sub(v3w_along(between, b, t), v3w_scale(a, s));
    const f32w size = addw(half_a, half_b), square = v3w_dot(apart, apart), distance = sqrtw(square);
    const f32w least = maxw(mulw(mulw(size, size), splatw(NEAR)), splatw(1e-30f));
    segment_gapw gap;
    gap.at_a = s;
    gap.normal = v3w_scale(apart, divw(splatw(1.0f), distance));
    gap.separation = subw(distance, addw(c->radius_a, c->radius_b));
    *sound = andm(gtw(square, least), gtw(sine, splatw(LINES_PARALLEL)));
    return gap;
}

// The same for all pairs.
AB_INLINE segment_gapw thorough_gap(const capsulesw *c)
{
    const f32w half_a = c->half_a, half_b = c->half_b;
    const v3w a = c->axis_a, b = c->axis_b, between = c->between, across = v3w_cross(a, b);
    const f32w cosine = v3w_dot(a, b), sine = v3w_dot(across, across);
    const f32w crossing = divw(v3w_dot(v3w_cross(between, b), across), maxw(sine, splatw(1e-30f)));
    f32w s = clampw(crossing, negw(half_a), half_a);
    const f32w t = clampw(subw(mulw(s, cosine), v3w_dot(between, b)), negw(half_b), half_b);
    s = clampw(mul_addw(t, cosine, v3w_dot(between, a)), negw(half_a), half_a);

    maskw inside_a, inside_b;
    v3w apart = v3w_along(v3w_along(between, b, t), a, negw(s));
    apart = square_to_segment(apart, a, s, half_a, &inside_a);
    apart = square_to_segment(apart, b, negw(t), half_b, &inside_b);
    apart = square_to_segment(apart, a, s, half_a, &inside_a);
    const maskw skew = gtw(sine, splatw(SKEW)), inside = andm(inside_a, inside_b);
    const f32w near_crossing = pickw(gtw(sine, splatw(0x1p-24f)), splatw(NEAR), splatw(0x1p-36f));
    const f32w size = addw(half_a, half_b), share = pickw(andm(inside, skew), near_crossing, splatw(NO_DIRECTION));
    const f32w square = v3w_dot(apart, apart);
    const maskw distinct = gtw(square, maxw(mulw(mulw(size, size), share), splatw(1e-30f)));

    v3w n = v3w_scale(across, inverse_length(sine, skew));
    n = without(without(n, a), b);
    n = v3w_pick(skew, v3w_scale(n, inverse_length(v3w_dot(n, n), skew)), some_perpendicular(b));
    n = v3w_signed(n, addw(v3w_dot(n, apart), splatw(0.0f))); // adding zero makes -0 the positive side
    segment_gapw gap;
    gap.at_a = s;
    gap.normal = v3w_pick(distinct, v3w_scale(apart, inverse_length(square, distinct)), n);
    const f32w distance = pickw(distinct, sqrtw(square), v3w_dot(n, apart));
    gap.separation = subw(distance, addw(c->radius_a, c->radius_b));
    return gap;
}

AB_INLINE segment_gapw pick_gap(maskw which, const segment_gapw *a, const segment_gapw *b)
{
    segment_gapw gap;
    gap.normal = v3w_pick(which, a->normal, b->normal);
    gap.separation = pickw(which, a->separation, b->separation);
    gap.at_a = pickw(which, a->at_a, b->at_a);
    return gap;
}

// Subtracts positions before it adds offsets, as gather_pair does. One side after the other, so that the columns of one
// are stored before those of the other need registers.
AB_INLINE void gather_capsules(const ab_batch *batch, uint32_t i, capsulesw *out)
{
    sidew a, b;
    gather_side(batch, batch->a + i, LINE, &a);
    out->axis_a = a.axis[1];
    out->half_a = a.half[1];
    out->radius_a = a.half[0];
    out->key_a = a.collider_key;
    gather_side(batch, batch->b + i, LINE, &b);
    out->axis_b = b.axis[1];
    out->half_b = b.half[1];
    out->radius_b = b.half[0];
    out->key_b = b.collider_key;
    out->between = v3w_add(v3w_sub(b.position, a.position), v3w_sub(b.offset, a.offset));
}

AB_INLINE headw capsule_head(const ab_batch *batch, uint32_t i, const capsulesw *c, const segment_gapw *gap,
                             pointw *point)
{
    headw head;
    head.normal = gap->normal;
    head.separation = gap->separation;
    head.proxy_a = loadu(batch->a + i);
    head.proxy_b = loadu(batch->b + i);
    head.key_a = c->key_a;
    head.key_b = c->key_b;
    head.swap = first_lanes(0); // of equal kinds, a has the lower collider key
    head.base = v3w_splat(0.0f, 0.0f, 0.0f);
    if (batch->offsets)
    {
        gather_offsets(batch->offsets, batch->a + i, &head.base);
    }
    *point = ball_point(&head, c->radius_a);
    point->offset = v3w_along(point->offset, c->axis_a, gap->at_a);
    return head;
}

// A group that is not sound. Not inlined, and nothing is passed: other groups have the registers to themselves.
static AB_APART void unsound_capsules(const ab_batch *batch, uint32_t i, ab_manifolds *out)
{
    capsulesw c;
    gather_capsules(batch, i, &c);
    maskw sound;
    const segment_gapw quick = quick_gap(&c, &sound), thorough = thorough_gap(&c);
    const segment_gapw gap = pick_gap(sound, &quick, &thorough);
    const maskw touching = touching_at(batch, i, gap.separation);
    if (anym(touching))
    {
        pointw point[2];
        const headw head = capsule_head(batch, i, &c, &gap, &point[0]);
        const f32w cosine = v3w_dot(c.axis_a, c.axis_b), sine = mul_subw(splatw(1.0f), cosine, cosine);
        const maskw parallel = andm(touching, lew(sine, splatw(LINES_PARALLEL))); // none of them is sound
        if (!anym(parallel))
        {
            emit_one(out, touching, &head, point);
            return;
        }
        const linew a = { v3w_splat(0.0f, 0.0f, 0.0f), c.axis_a, c.half_a, c.radius_a };
        const linew b = { c.between, c.axis_b, c.half_b, c.radius_b };
        line_points(&a, &b, &head, gap.at_a, parallel, limit_of(batch, batch->a + i, batch->b + i), point);
        emit(out, touching, &head, point, 2);
    }
}

AB_INLINE void measure_capsules(capsulesw *c)
{
    maskw sound;
    c->gap = quick_gap(c, &sound);
    c->sound = bitsm(sound) == LANES_ALL;
}

// Appends the manifolds of the group at i to `found`, a copy of *out.
AB_INLINE void emit_capsules(const ab_batch *batch, const ab_batch *whole, uint32_t i, const capsulesw *c,
                             ab_manifolds *found, ab_manifolds *out)
{
    if (!c->sound)
    {
        *out = *found;
        unsound_capsules(whole, i, out);
        *found = *out;
        return;
    }
    const maskw touching = touching_at(batch, i, c->gap.separation);
    if (anym(touching))
    {
        pointw point;
        const headw head = capsule_head(batch, i, c, &c->gap, &point);
        emit_one(found, touching, &head, &point);
    }
}

AB_INLINE void capsule_capsule_all(ab_batch batch, const ab_batch *whole, ab_manifolds *out)
{
    ab_manifolds found = *out; // a copy: the compiler need not assume that stores change it
#if LANES == 1
    for (uint32_t i = 0; i < batch.count; ++i)
    {
        capsulesw c;
        prefetch_records(&batch, i);
        gather_capsules(&batch, i, &c);
        measure_capsules(&c);
        emit_capsules(&batch, whole, i, &c, &found, out);
    }
#else
    capsulesw block[BLOCK_GROUPS];
    uint32_t next;
    for (uint32_t first = 0; first < batch.count; first = next)
    {
        capsulesw *c = block;
        next = first + BLOCK_GROUPS * LANES < batch.count ? first + BLOCK_GROUPS * LANES : batch.count;
        for (uint32_t i = first; i < next; i += LANES, ++c)
        {
            gather_capsules(&batch, i, c);
        }
        c = block;
        for (uint32_t i = first; i < next; i += LANES, ++c)
        {
            prefetch_records(&batch, i + (BLOCK_GROUPS - 2) * LANES); // of the same group of the next block
            measure_capsules(c);
        }
        c = block;
        for (uint32_t i = first; i < next; i += LANES, ++c)
        {
            emit_capsules(&batch, whole, i, c, &found, out);
        }
    }
#endif
    *out = found;
}

void AB_ISA_NAME(ab_capsule_capsule)(const ab_batch *batch, ab_manifolds *out)
{
    if (is_plain(batch))
    {
        capsule_capsule_all(plain_batch(batch), batch, out);
    }
    else
    {
        capsule_capsule_all(*batch, batch, out);
    }
}

uint32_t AB_ISA_NAME(ab_capsule_capsule_touching)(const ab_batch *batch, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        capsulesw c;
        gather_capsules(batch, i, &c);
        maskw sound;
        f32w separation = quick_gap(&c, &sound).separation;
        if (bitsm(sound) != LANES_ALL)
        {
            separation = pickw(sound, separation, thorough_gap(&c).separation);
        }
        count += append_touching(batch, i, separation, out + count);
    }
    return count;
}
