// Two spheres. Centres closer than 1e-15 m have no usable direction between them: the normal is up.

AB_INLINE f32w sphere_sphere_separation(const pairw *m)
{
    return subw(sqrtw(v3w_dot(m->between, m->between)), addw(m->a.half[0], m->b.half[0]));
}

AB_INLINE void sphere_sphere_all(ab_batch batch, ab_manifolds *out)
{
    ab_manifolds found = *out; // a copy: the compiler need not assume that stores change it
    for (uint32_t i = 0; i < batch.count; i += LANES)
    {
        prefetch_records(&batch, i);
        pairw m;
        gather_pair(&batch, batch.a + i, PLACE, batch.b + i, PLACE, &m);
        const f32w separation = sphere_sphere_separation(&m), square = v3w_dot(m.between, m.between);
        const maskw touching = touching_at(&batch, i, separation);
        if (!anym(touching))
        {
            continue;
        }
        maskw distinct = gtw(square, splatw(1e-30f));
        f32w inverse = divw(splatw(1.0f), pickw(distinct, sqrtw(square), splatw(1.0f)));
        headw head = head_of(&m, batch.a + i, batch.b + i);
        head.key_a = look_up_orders(&batch, batch.a + i); // the lower one: of equal kinds, a has the lower collider key
        head.key_b = look_up_orders(&batch, batch.b + i);
        head.normal = v3w_pick(distinct, v3w_scale(m.between, inverse), v3w_splat(0.0f, 1.0f, 0.0f));
        head.separation = separation;
        pointw point = ball_point(&head, m.a.half[0]);
        emit_one(&found, touching, &head, &point);
    }
    *out = found;
}

static void sphere_sphere(const ab_batch *batch, ab_manifolds *out)
{
    if (is_plain(batch))
    {
        sphere_sphere_all(plain_batch(batch), out);
    }
    else
    {
        sphere_sphere_all(*batch, out);
    }
}

static uint32_t sphere_sphere_touching(const ab_batch *batch, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        pairw m;
        gather_pair(batch, batch->a + i, PLACE, batch->b + i, PLACE, &m);
        count += append_touching(batch, i, sphere_sphere_separation(&m), out + count);
    }
    return count;
}
