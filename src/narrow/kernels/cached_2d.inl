// Hysteresis for two rectangles: keeps the cached side while another one is better by no more than HYSTERESIS of a
// thousandth of the least half extent. When two sides lie flat on each other, either can be the contact's side, and
// without a cache a small motion would change it, and with it every feature and the cached impulses. The result is
// stable: the same rectangles with the resulting side cached give that side.
//
// Codes are features without their low eight bits: the number of the side, plus 16 if it is a side of the body of the
// higher collider key.

#define HYSTERESIS 0.5f
#define SECOND     16u
#define SIDE_CODES 32u

// How far the cached side may fall behind the best.
AB_INLINE f32w hysteresis(const f32w ha[3], const f32w hb[3])
{
    const f32w least = minw(minw(ha[0], ha[1]), minw(hb[0], hb[1]));
    const f32w size = addw(addw(ha[0], ha[1]), addw(hb[0], hb[1]));
    return mulw(splatw(HYSTERESIS), mul_addw(least, splatw(0x1p-10f), mulw(size, splatw(0x1p-19f))));
}

// The cached sides of the wanted lanes of the group at i; AB_NO_AXIS for the other lanes.
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

// Replaces the contact's side by the cached one where that may stay.
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
