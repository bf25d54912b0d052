// Two convex polygons, or a rectangle and a polygon.
//
// The sides' directions decide whether two polygons overlap, and how deep: the depth is the separating axis test's.
// When they are apart the separation is their distance, which the axes alone would understate without bound where two
// sharp corners face each other.
//
// Where two corners are near each other the direction between them is mostly rounding. It becomes the normal only when
// the distance exceeds the separation along the axes by more than rounding: then it lies between the normals of the
// corners' sides in spite of it.

// Two corners, and the vector between them.
typedef struct corner_gap
{
    float x, y; // from a's to b's
    float distance;
    uint32_t corner_a, corner_b;
} corner_gap;

// The two corners nearest to each other, the first of equal ones.
static corner_gap nearest_corners(const outline *a, const outline *b)
{
    const float apart_x = b->centre_x - a->centre_x, apart_y = b->centre_y - a->centre_y;
    corner_gap best = { 0.0f, 0.0f, HUGE_VALF, 0, 0 };
    for (uint32_t i = 0; i < a->count; ++i)
    {
        for (uint32_t j = 0; j < b->count; ++j)
        {
            const float x = (b->x[j] - a->x[i]) + apart_x, y = (b->y[j] - a->y[i]) + apart_y;
            const float square = x * x + y * y;
            if (square < best.distance)
            {
                best = (corner_gap){ x, y, square, i, j };
            }
        }
    }
    best.distance = sqrtf(best.distance);
    return best;
}

// The least distance from a corner of q to a side of p that it is in front of, or behind by no more than `slack`;
// infinity when there is none.
static float nearest_to_side(const outline *p, const outline *q, float slack)
{
    const float apart_x = q->centre_x - p->centre_x, apart_y = q->centre_y - p->centre_y;
    float least = HUGE_VALF;
    for (uint32_t i = 0; i < p->count; ++i)
    {
        const uint32_t next = next_corner(p, i);
        const float nx = p->normal_x[i], ny = p->normal_y[i];
        const float length = (p->y[next] - p->y[i]) * nx - (p->x[next] - p->x[i]) * ny;
        for (uint32_t j = 0; j < q->count; ++j)
        {
            const float x = (q->x[j] - p->x[i]) + apart_x, y = (q->y[j] - p->y[i]) + apart_y;
            const float along = y * nx - x * ny, off = x * nx + y * ny;
            least = along >= 0.0f && along <= length && off >= -slack && off < least ? off : least;
        }
    }
    return least;
}

// The gap between two polygons: at a side, or at a corner each.
typedef struct outline_gap
{
    float separation, next; // the second: along the side that comes next
    float named;            // along the contact's side
    uint32_t side;
    bool on_b; // the side is b's
    bool by_corners;
    corner_gap corners;
} outline_gap;

// Past `limit`, the separation is only a lower bound.
static outline_gap outlines_gap(const outline *a, const outline *b, float limit)
{
    const side_gap from_a = farthest_side(a, b), from_b = farthest_side(b, a);
    const float slack = (a->size + b->size) * ROUNDING;
    outline_gap gap = { 0 };
    gap.on_b = from_b.separation > from_a.separation + slack;
    gap.side = gap.on_b ? from_b.side : from_a.side;
    gap.separation = from_b.separation > from_a.separation ? from_b.separation : from_a.separation;
    gap.next = from_a.next > from_b.next ? from_a.next : from_b.next;
    const float other = gap.on_b ? from_a.separation : from_b.separation;
    gap.next = other > gap.next ? other : gap.next;
    if (gap.separation > 0.0f && gap.separation <= limit)
    {
        const float to_a = nearest_to_side(a, b, slack), to_b = nearest_to_side(b, a, slack);
        const float to_side = to_a < to_b ? to_a : to_b;
        gap.corners = nearest_corners(a, b);
        if (gap.corners.distance < to_side && gap.corners.distance > gap.separation)
        {
            gap.by_corners = gap.corners.distance > gap.separation + slack;
            gap.separation = gap.corners.distance;
        }
    }
    gap.named = gap.separation;
    return gap;
}

// The separation of q from side i of p, to the bit as farthest_side has it.
static float side_separation(const outline *p, const outline *q, uint32_t i)
{
    const float apart_x = q->centre_x - p->centre_x, apart_y = q->centre_y - p->centre_y;
    float least = HUGE_VALF;
    for (uint32_t j = 0; j < q->count; ++j)
    {
        const float x = q->x[j] + apart_x, y = q->y[j] + apart_y, along = p->normal_x[i] * x + p->normal_y[i] * y;
        least = along < least ? along : least;
    }
    return least - p->offset[i];
}

static float least_offset(const outline *o)
{
    float least = o->offset[0];
    for (uint32_t i = 1; i < o->count; ++i)
    {
        least = o->offset[i] < least ? o->offset[i] : least;
    }
    return least;
}

// Replaces the contact's side by the cached one where that may stay, as of rectangles: see cached_2d.inl. Of a polygon
// half an extent is the distance of a side from its centre.
static void stay_with_polygon_side(const ab_batch *batch, const flat_pair *pair, const outline *a, const outline *b,
                                   outline_gap *gap)
{
    const float least_a = least_offset(a), least_b = least_offset(b), least = least_a < least_b ? least_a : least_b;
    const float enough = gap->separation - HYSTERESIS * (least * 0x1p-10f + (a->size + b->size) * 0x1p-19f);
    uint32_t code;
    if (!batch->cached.find || gap->by_corners || gap->next < enough)
    {
        return;
    }
    batch->cached.find(batch->cached.store, batch->records, &pair->proxy_a, &pair->proxy_b, 1, &code);
    const bool on_b = (code >= SECOND) != (pair->a->collider_key > pair->b->collider_key);
    const outline *p = on_b ? b : a, *q = on_b ? a : b;
    const uint32_t side = code % SECOND;
    if (code >= SIDE_CODES || side >= p->count || (on_b == gap->on_b && side == gap->side))
    {
        return;
    }
    const float named = side_separation(p, q, side);
    if (named >= enough)
    {
        gap->on_b = on_b;
        gap->side = side;
        gap->named = named;
    }
}

static uint32_t incident_side(const outline *q, float normal_x, float normal_y)
{
    uint32_t best = 0;
    float least = HUGE_VALF;
    for (uint32_t i = 0; i < q->count; ++i)
    {
        const float cosine = q->normal_x[i] * normal_x + q->normal_y[i] * normal_y;
        best = cosine < least ? i : best;
        least = cosine < least ? cosine : least;
    }
    return best;
}

// The incident side in the frame of the reference side, clipped to it.
typedef struct cut_outline
{
    float along[2], height[2]; // of the ends: along the reference side from its beginning, and above it
    uint32_t corner[2];
    bool wide; // they differ
} cut_outline;

static cut_outline cut_side(const outline *p, uint32_t side, const outline *q)
{
    const float nx = p->normal_x[side], ny = p->normal_y[side], x = p->x[side], y = p->y[side];
    const uint32_t end = next_corner(p, side), from = incident_side(q, nx, ny),
                   corner[2] = { from, next_corner(q, from) };
    const float length = (p->y[end] - y) * nx - (p->x[end] - x) * ny;
    const float apart_x = q->centre_x - p->centre_x, apart_y = q->centre_y - p->centre_y;
    float along[2], height[2];
    for (int k = 0; k < 2; ++k)
    {
        const float qx = (q->x[corner[k]] - x) + apart_x, qy = (q->y[corner[k]] - y) + apart_y;
        along[k] = qy * nx - qx * ny;
        height[k] = qx * nx + qy * ny;
    }
    // The incident side runs against the reference side; at worst it is orthogonal, and then there is nothing to clip.
    const float run = along[0] - along[1], rise = height[0] - height[1];
    cut_outline cut;
    for (int k = 0; k < 2; ++k)
    {
        const float inside = along[k] < 0.0f ? 0.0f : along[k] > length ? length : along[k];
        const float inward = k == 0 ? along[0] - inside : inside - along[1];
        const float part = run > 0.0f && inward > 0.0f ? inward / run : 0.0f;
        const bool passed = part > 1.0f; // nothing is left: the other end is nearer
        cut.along[k] = inside;
        cut.height[k] = passed ? height[1 - k] : k == 0 ? height[0] - part * rise : height[1] + part * rise;
        cut.corner[k] = passed ? corner[1 - k] : corner[k];
    }
    cut.wide = cut.along[0] > cut.along[1] || (!(run > 0.0f) && height[0] != height[1]);
    return cut;
}

// Two points, or one if nothing is left of the incident side or only one end is near enough. `feature` names the
// reference side, which is p's.
static void put_points(const outline *p, uint32_t side, const cut_outline *cut, float limit, uint32_t feature,
                       flat_manifold *m)
{
    const float nx = p->normal_x[side], ny = p->normal_y[side];
    const float begin_x = p->x[side] + p->centre_x, begin_y = p->y[side] + p->centre_y;
    const bool second_is_deeper = cut->height[1] < cut->height[0];
    const bool only_second = second_is_deeper && (!cut->wide || cut->height[0] > limit);
    const bool both = cut->wide && cut->height[0] <= limit && cut->height[1] <= limit;
    for (int k = only_second ? 1 : 0; k < (both ? 2 : only_second ? 2 : 1); ++k)
    {
        const float out = 0.5f * cut->height[k];
        const float x = begin_x - ny * cut->along[k] + nx * out, y = begin_y + nx * cut->along[k] + ny * out;
        // never an overlap if the shapes are apart
        const float gap = m->separation > 0.0f && cut->height[k] <= 0.0f ? m->separation : cut->height[k];
        m->point[m->point_count++] = flat_point(x, y, gap, feature | cut->corner[k]);
    }
}

// In canonical orientation: swapped when `turned`.
static void contact_by_side(const outline *a, const outline *b, const outline_gap *gap, float limit, bool turned,
                            flat_manifold *m)
{
    const outline *p = gap->on_b ? b : a, *q = gap->on_b ? a : b;
    const float sign = gap->on_b ? -1.0f : 1.0f;
    m->normal_x = sign * p->normal_x[gap->side];
    m->normal_y = sign * p->normal_y[gap->side];
    const cut_outline cut = cut_side(p, gap->side, q);
    put_points(p, gap->side, &cut, limit, (gap->side + (gap->on_b != turned ? 16u : 0u)) << 8, m);
}

static void contact_by_corners(const outline *a, const outline_gap *gap, bool turned, flat_manifold *m)
{
    const corner_gap *c = &gap->corners;
    const uint32_t first = turned ? c->corner_b : c->corner_a, second = turned ? c->corner_a : c->corner_b;
    m->normal_x = c->x / c->distance;
    m->normal_y = c->y / c->distance;
    m->point[0] = flat_point(a->x[c->corner_a] + 0.5f * c->x, a->y[c->corner_a] + 0.5f * c->y, c->distance,
                             (32u + first) << 8 | second);
    m->point_count = 1;
}

// The gap of a pair, by the kind of its first shape.
static outline_gap outline_pair_gap(const ab_batch *batch, const flat_pair *pair, bool first_is_rect, outline *a,
                                    outline *b)
{
    if (first_is_rect)
    {
        place_rect(a, pair->a, 0.0f, 0.0f);
    }
    else
    {
        place_polygon(a, polygon_of(batch, pair->proxy_a), pair->a, 0.0f, 0.0f);
    }
    place_polygon(b, polygon_of(batch, pair->proxy_b), pair->b, pair->between_x, pair->between_y);
    return outlines_gap(a, b, pair->limit);
}

AB_INLINE void outline_polygon(const ab_batch *batch, bool first_is_rect, ab_manifolds *out)
{
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        outline a, b;
        const flat_pair pair = flat_pair_of(batch, i);
        outline_gap gap = outline_pair_gap(batch, &pair, first_is_rect, &a, &b);
        if (gap.separation <= pair.limit)
        {
            const bool turned = pair.a->collider_key > pair.b->collider_key;
            stay_with_polygon_side(batch, &pair, &a, &b, &gap);
            // as reported_separation has it
            const float bar = gap.named > 0.0f ? batch->margin : 0.0f;
            flat_manifold m = { .separation = gap.separation > bar ? gap.separation : gap.named };
            if (gap.by_corners)
            {
                contact_by_corners(&a, &gap, turned, &m);
            }
            else
            {
                contact_by_side(&a, &b, &gap, pair.limit, turned, &m);
            }
            append_manifold(out, batch, &pair, &m);
        }
    }
}

AB_INLINE uint32_t outline_polygon_touching(const ab_batch *batch, bool first_is_rect, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        outline a, b;
        const flat_pair pair = flat_pair_of(batch, i);
        const outline_gap gap = outline_pair_gap(batch, &pair, first_is_rect, &a, &b);
        out[count] = i;
        count += gap.separation <= pair.limit;
    }
    return count;
}

static void rect_polygon(const ab_batch *batch, ab_manifolds *out)
{
    outline_polygon(batch, true, out);
}

static void polygon_polygon(const ab_batch *batch, ab_manifolds *out)
{
    outline_polygon(batch, false, out);
}

static uint32_t rect_polygon_touching(const ab_batch *batch, uint32_t *out)
{
    return outline_polygon_touching(batch, true, out);
}

static uint32_t polygon_polygon_touching(const ab_batch *batch, uint32_t *out)
{
    return outline_polygon_touching(batch, false, out);
}
