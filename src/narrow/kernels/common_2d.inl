// Helpers of the 2D kernels: pairs of records as columns of lanes; z is zero, and the second axis is the first rotated
// by a quarter turn.

AB_INLINE v3w flat(f32w x, f32w y)
{
    return v3w_make(x, y, splatw(0.0f));
}

AB_INLINE f32w flat_dot(v3w a, v3w b)
{
    return addw(mulw(a.x, b.x), mulw(a.y, b.y));
}

AB_INLINE v3w quarter_turn(v3w v)
{
    return flat(negw(v.y), v.x);
}

// `read` is as in 3D; without TURN, the axes are the world's.
AB_INLINE void gather_flat_side(const ab_batch *batch, const uint32_t *proxies, amount read, sidew *out)
{
    const float *rows = (const float *)(const void *)batch->records;
    const f32w zero = splatw(0.0f), one = splatw(1.0f);
    f32w place[4], axis[4] = { one, zero, zero, zero }, size[4] = { zero, zero, zero, zero };
    gather_columns4(rows, 0, proxies, place);
    if (read == TURN)
    {
        gather_columns4(rows, 4, proxies, axis);
    }
    if (read != PLACE)
    {
        gather_columns4(rows, 12, proxies, size);
    }
    out->position = flat(place[0], place[1]);
    out->axis[0] = flat(axis[0], axis[1]);
    out->axis[1] = quarter_turn(out->axis[0]);
    out->axis[2] = flat(zero, zero);
    out->half[0] = place[3];
    out->half[1] = size[1];
    out->half[2] = zero;
    out->collider_key = bitsw(size[3]);
    out->offset = flat(zero, zero);
    if (batch->offsets)
    {
        gather_offsets(batch->offsets, proxies, &out->offset);
        out->offset.z = zero;
    }
}

AB_INLINE v3w flat_sub(v3w a, v3w b)
{
    return flat(subw(a.x, b.x), subw(a.y, b.y));
}

AB_INLINE void gather_flat_pair(const ab_batch *batch, const uint32_t *a, amount read_a, const uint32_t *b,
                                amount read_b, pairw *out)
{
    gather_flat_side(batch, a, read_a, &out->a);
    gather_flat_side(batch, b, read_b, &out->b);
    const v3w offsets = flat_sub(out->b.offset, out->a.offset);
    out->apart = flat_sub(out->b.position, out->a.position);
    out->between = flat(addw(out->apart.x, offsets.x), addw(out->apart.y, offsets.y));
}
