// The side that named the contact of two rectangles in the last detect keeps it while another one is better by no more
// than HYSTERESIS of a thousandth of the least half extent: of two that lie flat on each other a side of either is as
// good, and a tremble would otherwise change, from detect to detect, whose it is, and with it every feature and the
// impulses kept at them. A side that stayed would stay again: the same rectangles with the side that came out give that
// side.
//
// Codes are features without their last eight bits: the number of the side, 16 more when it is one of the body of
// higher order.

#define HYSTERESIS 0.5f
#define SECOND     16u
#define SIDE_CODES 32u

// By how much the side of before may be behind the best.
AB_INLINE f32w hysteresis(const f32w ha[3], const f32w hb[3])
{
    const f32w least = minw(minw(ha[0], ha[1]), minw(hb[0], hb[1]));
    const f32w size = addw(addw(ha[0], ha[1]), addw(hb[0], hb[1]));
    return mulw(splatw(HYSTERESIS), mul_addw(least, splatw(0x1p-10f), mulw(size, splatw(0x1p-19f))));
}

// For the lanes of the group at i that are wanted, what named their contacts; for the others AB_NO_AXIS.
static AB_APART void ask_cached_sides(const ab_batch *batch, uint32_t i, uint32_t wanted, uint32_t cached[LANES])
{
    uint32_t a[LANES], b[LANES], axes[LANES], count = 0;
    for (uint32_t k = 0; k < LANES; ++k)
    {
        a[count] = batch->a[i + k];
        b[count] = batch->b[i + k];
        count += wanted >> k & 1u;
    }
    batch->cached.find(batch->cached.store, batch->records, a, b, count, axes);
    count = 0;
    for (uint32_t k = 0; k < LANES; ++k)
    {
        cached[k] = wanted >> k & 1u ? axes[count++] : AB_NO_AXIS;
    }
}

// Names the contact by the side of before where that may stay.
AB_INLINE void stay_with_side(const ab_batch *batch, uint32_t i, const pairw *m, maskw kept, rect_gapw *gap)
{
    const f32w enough = subw(gap->separation, hysteresis(m->a.half, m->b.half));
    const maskw ambiguous_any = andm(kept, gew(gap->next, enough));
    if (!batch->cached.find || !anym(ambiguous_any))
    {
        return;
    }
    uint32_t cached[LANES];
    ask_cached_sides(batch, i, bitsm(ambiguous_any), cached);
    const u32w code = loadu(cached);
    const maskw second = gtu(code, splatu(SECOND - 1)), swapped = gtu(m->a.collider_key, m->b.collider_key);
    const maskw on_b = orm(andnotm(second, swapped), andnotm(swapped, second));
    const maskw on_y = equ(andu(code, splatu(1)), splatu(0));
    const f32w side =
        pickw(on_b, pickw(on_y, gap->along_b[1], gap->along_b[0]), pickw(on_y, gap->along_a[1], gap->along_a[0]));
    const maskw stays = andm(gtu(splatu(SIDE_CODES), code), gew(side, enough));
    gap->on_b = pickm(stays, on_b, gap->on_b);
    gap->on_y = pickm(stays, on_y, gap->on_y);
    gap->named = pickw(stays, side, gap->named);
}
