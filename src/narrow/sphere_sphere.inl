// Two spheres. Centres closer than 1e-15 m have no direction between them worth the name, so up is as good as any.

AB_INLINE void sphere_sphere_group(const ab_batch *batch, const uint32_t *a, const uint32_t *b, maskw wanted,
                                   ab_manifolds *out)
{
    meetingw m;
    gather_meeting(batch, a, PLACE, b, PLACE, &m);
    f32w square = v3w_dot(m.between, m.between);
    f32w distance = sqrtw(square);
    f32w separation = subw(distance, addw(m.a.half[0], m.b.half[0]));

    maskw distinct = gtw(square, splatw(1e-30f));
    f32w inverse = divw(splatw(1.0f), pickw(distinct, distance, splatw(1.0f)));
    headw head = head_of(&m, a, b);
    head.normal = v3w_pick(distinct, v3w_scale(m.between, inverse), v3w_splat(0.0f, 1.0f, 0.0f));
    head.separation = separation;

    pointw point;
    f32w along = mul_addw(splatw(0.5f), separation, m.a.half[0]);
    point.offset = v3w_add(head.base, v3w_scale(head.normal, along));
    point.separation = separation;
    point.feature = splatu(0);
    emit(out, andm(wanted, lew(separation, limit_of(batch, a, b))), &head, &point, 1);
}

static void sphere_sphere(const ab_batch *batch, ab_manifolds *out)
{
    for (uint32_t i = 0; i < batch->count; i += LANES)
    {
        prefetch_records(batch, i);
        sphere_sphere_group(batch, batch->a + i, batch->b + i, first_lanes(batch->count - i), out);
    }
}
