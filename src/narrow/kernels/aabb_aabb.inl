// Two axis-aligned boxes. The contact is on the axis of largest separation, the lowest of equal ones; its points are
// the corners of the rectangle that the two faces share, without duplicates. Where the faces share nothing (corner to
// corner, within the margin) the rectangle shrinks to the middle of the gap.
//
// Slot: bit 0 the far end along the next axis, bit 1 along the one after.

typedef struct intervalw
{
    f32w low, high;
    maskw wide; // the ends differ
} intervalw;

// The intersection of two intervals, about 0 and about `apart`.
AB_INLINE intervalw shared_range(f32w half_a, f32w half_b, f32w apart)
{
    intervalw interval;
    f32w low = maxw(negw(half_a), subw(apart, half_b));
    f32w high = minw(half_a, addw(apart, half_b));
    f32w middle = mulw(splatw(0.5f), addw(low, high));
    interval.wide = ltw(low, high);
    interval.low = pickw(interval.wide, low, middle);
    interval.high = pickw(interval.wide, high, middle);
    return interval;
}

typedef struct aabb_gapw
{
    f32w separation;
    maskw on[3]; // the axis
} aabb_gapw;

AB_INLINE aabb_gapw aabb_aabb_gap(const pairw *m)
{
    const v3w d = v3w_abs(m->between);
    f32w x = subw(d.x, addw(m->a.half[0], m->b.half[0]));
    f32w y = subw(d.y, addw(m->a.half[1], m->b.half[1]));
    f32w z = subw(d.z, addw(m->a.half[2], m->b.half[2]));
    f32w most = maxw(y, x);
    aabb_gapw gap;
    gap.on[2] = gtw(z, most);
    gap.on[1] = andnotm(gtw(y, x), gap.on[2]);
    gap.on[0] = notm(orm(gap.on[1], gap.on[2]));
    gap.separation = maxw(z, most);
    return gap;
}

AB_INLINE void emit_aabb_aabb(const ab_batch *batch, uint32_t i, maskw kept, const pairw *m, const aabb_gapw *gap,
                              ab_manifolds *out)
{
    const v3w d = m->between;
    const maskw on_y = gap->on[1], on_z = gap->on[2];

    headw head = head_of(m, batch->a + i, batch->b + i);
    const f32w one = splatw(1.0f);
    v3w axis = v3w_make(keepw(gap->on[0], one), keepw(on_y, one), keepw(on_z, one));
    head.normal = v3w_make(signedw(axis.x, d.x), signedw(axis.y, d.y), signedw(axis.z, d.z));
    head.separation = gap->separation;

    // u and v: the axes after the normal's
    f32w height =
        mul_addw(splatw(0.5f), gap->separation, pick_axis(on_y, on_z, m->a.half[0], m->a.half[1], m->a.half[2]));
    intervalw u = shared_range(pick_axis(on_y, on_z, m->a.half[1], m->a.half[2], m->a.half[0]),
                               pick_axis(on_y, on_z, m->b.half[1], m->b.half[2], m->b.half[0]),
                               pick_axis(on_y, on_z, d.y, d.z, d.x));
    intervalw v = shared_range(pick_axis(on_y, on_z, m->a.half[2], m->a.half[0], m->a.half[1]),
                               pick_axis(on_y, on_z, m->b.half[2], m->b.half[0], m->b.half[1]),
                               pick_axis(on_y, on_z, d.z, d.x, d.y));
    f32w level = signedw(height, pick_axis(on_y, on_z, d.x, d.y, d.z));
    u32w code = shlu(picku(on_z, splatu(2), picku(on_y, splatu(1), splatu(0))), 8);

    pointw point[4];
    for (uint32_t c = 0; c < 4; ++c)
    {
        f32w at_u = c & 1u ? u.high : u.low;
        f32w at_v = c & 2u ? v.high : v.low;
        v3w offset = v3w_make(pick_axis(on_y, on_z, level, at_v, at_u), pick_axis(on_y, on_z, at_u, level, at_v),
                              pick_axis(on_y, on_z, at_v, at_u, level));
        point[c].offset = v3w_add(head.base, offset);
        point[c].separation = gap->separation;
        point[c].feature = oru(code, splatu(c));
    }
    point[0].valid = first_lanes(LANES);
    point[1].valid = u.wide;
    point[2].valid = v.wide;
    point[3].valid = andm(u.wide, v.wide);
    emit(out, kept, &head, point, 4);
}

KERNEL_LOOP uint32_t aabb_aabb_all(const ab_batch *batch, bool writes, ab_manifolds *out, uint32_t *touching)
{
    ab_manifolds found = manifolds_behind(out, writes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        pairw m;
        gather_pair(batch, batch->a + i, SIZE, batch->b + i, SIZE, &m);
        const aabb_gapw gap = aabb_aabb_gap(&m);
        if (!writes)
        {
            count += append_touching(batch, i, gap.separation, touching + count);
            continue;
        }
        const maskw kept = touching_at(batch, i, gap.separation);
        if (anym(kept))
        {
            emit_aabb_aabb(batch, i, kept, &m, &gap, &found);
        }
    }
    if (writes)
    {
        *out = found;
    }
    return count;
}

static void aabb_aabb(const ab_batch *batch, ab_manifolds *out)
{
    if (is_plain(batch))
    {
        const ab_batch plain = plain_batch(batch);
        aabb_aabb_all(&plain, true, out, NULL);
    }
    else
    {
        const ab_batch own = *batch; // as manifolds_behind
        aabb_aabb_all(&own, true, out, NULL);
    }
}

static uint32_t aabb_aabb_touching(const ab_batch *batch, uint32_t *out)
{
    return aabb_aabb_all(batch, false, NULL, out);
}
