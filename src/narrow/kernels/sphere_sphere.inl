// Two spheres. Centres closer than 1e-15 m have no usable direction between them: the normal is up.

KERNEL_LOOP uint32_t sphere_sphere_all(const ab_batch *batch, bool writes, ab_manifolds *out, uint32_t *touching)
{
    ab_manifolds found = manifolds_behind(out, writes);
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        pairw m;
        gather_pair(batch, batch->a + i, PLACE, batch->b + i, PLACE, &m);
        const f32w square = v3w_dot(m.between, m.between),
                   separation = subw(sqrtw(square), addw(m.a.half[0], m.b.half[0]));
        if (!writes)
        {
            count += append_touching(batch, i, separation, touching + count);
            continue;
        }
        const maskw kept = touching_at(batch, i, separation);
        if (!anym(kept))
        {
            continue;
        }
        maskw distinct = gtw(square, splatw(1e-30f));
        f32w inverse = divw(splatw(1.0f), pickw(distinct, sqrtw(square), splatw(1.0f)));
        headw head = head_of(&m, batch->a + i, batch->b + i);
        head.key_a = look_up_orders(batch, batch->a + i); // the lower one: of equal kinds, a has the lower collider key
        head.key_b = look_up_orders(batch, batch->b + i);
        head.normal = v3w_pick(distinct, v3w_scale(m.between, inverse), v3w_splat(0.0f, 1.0f, 0.0f));
        head.separation = separation;
        pointw point = ball_point(&head, m.a.half[0]);
        emit_one(&found, kept, &head, &point);
    }
    if (writes)
    {
        *out = found;
    }
    return count;
}

void AB_ISA_NAME(ab_sphere_sphere)(const ab_batch *batch, ab_manifolds *out)
{
    if (is_plain(batch))
    {
        const ab_batch plain = plain_batch(batch);
        sphere_sphere_all(&plain, true, out, NULL);
    }
    else
    {
        const ab_batch own = *batch; // as manifolds_behind
        sphere_sphere_all(&own, true, out, NULL);
    }
}

uint32_t AB_ISA_NAME(ab_sphere_sphere_touching)(const ab_batch *batch, uint32_t *out)
{
    return sphere_sphere_all(batch, false, NULL, out);
}
