// A polygon (a) and a capsule (b): the polygon and the capsule's segment, an outline of two sides, collide as two
// polygons do, and the radius is taken off what that gives. It keeps no cached side, as of rectangles it does not.

static void place_segment(outline *o, const ab_record *record, float x, float y)
{
    const float along_x = -record->axis[1], along_y = record->axis[0], half = record->half_y;
    for (uint32_t i = 0; i < 2 || i < LANES; ++i)
    {
        const float sign = i & 1u ? 1.0f : -1.0f;
        o->x[i] = sign * half * along_x;
        o->y[i] = sign * half * along_y;
        o->normal_x[i] = -sign * along_y;
        o->normal_y[i] = sign * along_x;
        o->offset[i] = 0.0f;
    }
    o->centre_x = x;
    o->centre_y = y;
    o->size = half;
    o->count = 2;
}

#define ALIKE 0.9999f // cosine

// Of a corner below the segment one point is left where no more of the side that looks most at the segment is beside it.
// The side that the segment is farthest beyond may share more, if it looks the same way.
static AB_APART void try_other_side(const outline *a, const outline *b, float limit, bool turned, flat_manifold *m)
{
    outline_gap gap = { .side = farthest_side(a, b).side };
    flat_manifold other = { .separation = m->separation };
    if (a->normal_x[gap.side] * m->normal_x + a->normal_y[gap.side] * m->normal_y > ALIKE)
    {
        contact_by_side(a, b, &gap, limit, turned, &other);
    }
    if (other.point_count > m->point_count)
    {
        m->point_count = other.point_count;
        memcpy(m->point, other.point, sizeof m->point);
    }
}

// Takes the radius off: what is in the middle of the gap to the segment goes to that of the gap to the capsule.
static void round_points(float radius, flat_manifold *m)
{
    m->separation -= radius;
    for (uint32_t k = 0; k < m->point_count; ++k)
    {
        abut_point *p = &m->point[k];
        p->offset.x -= 0.5f * radius * m->normal_x;
        p->offset.y -= 0.5f * radius * m->normal_y;
        p->separation -= radius;
    }
}

KERNEL_LOOP uint32_t polygon_capsule_all(const ab_batch *batch, bool writes, ab_manifolds *out, uint32_t *touching)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        outline a, b;
        const flat_pair pair = flat_pair_of(batch, i);
        const float radius = pair.b->half_x, limit = pair.limit + radius;
        place_polygon(&a, polygon_of(batch, pair.proxy_a), pair.a, 0.0f, 0.0f);
        place_segment(&b, pair.b, pair.between_x, pair.between_y);
        const outline_gap gap = outlines_gap(&a, &b, limit);
        const bool found = gap.separation - radius <= pair.limit;
        if (!writes)
        {
            touching[count] = i;
            count += found;
        }
        else if (found)
        {
            const bool turned = pair.a->collider_key > pair.b->collider_key;
            flat_manifold m = { .separation = gap.separation };
            if (gap.by_corners)
            {
                contact_by_corners(&a, &gap, turned, &m);
            }
            else
            {
                contact_by_side(&a, &b, &gap, limit, turned, &m);
                if (gap.on_b && m.point_count == 1)
                {
                    try_other_side(&a, &b, limit, turned, &m);
                }
            }
            round_points(radius, &m);
            append_manifold(out, batch, &pair, &m);
        }
    }
    return count;
}

static void polygon_capsule(const ab_batch *batch, ab_manifolds *out)
{
    polygon_capsule_all(batch, true, out, NULL);
}

static uint32_t polygon_capsule_touching(const ab_batch *batch, uint32_t *out)
{
    return polygon_capsule_all(batch, false, NULL, out);
}
