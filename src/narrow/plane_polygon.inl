// Convex polygons among themselves, with rectangles and with circles. Pairs go one by one, since no two have the same number of
// sides; the sides of one polygon go LANES at a time.
//
// A rectangle is a polygon of four sides. Sides and corners are numbered counter-clockwise, side i from corner i to the next.
//
// The sides' directions decide whether two polygons overlap, and how deep: the depth is the separating axis test's. Where
// they are apart the separation is their distance, which the axes alone would understate without bound where two sharp
// corners face each other.

// Where two corners are near each other the direction from one to the other is made of rounding. It is taken for the normal
// only when the distance is more than the axes say by more than rounding, for then it lies between the normals of the
// corners' sides whatever the rounding was.

#define ROUNDING 0x1p-19f // of the sizes: no more than this is lost on the way to a separation

enum
{
    SIDES = ABUT_MAX_VERTICES
};

// A polygon where it is. World axes; the corners are relative to the centre of a, offsets along the normals to its own.
typedef struct outline
{
    float x[SIDES], y[SIDES];
    float normal_x[SIDES], normal_y[SIDES], offset[SIDES];
    float centre_x, centre_y; // relative to the centre of a
    float size;               // no less than its radius about its centre
    uint32_t count;
} outline;

// Two bodies, without what the kind makes of them.
typedef struct flat_pair
{
    const ab_record *a, *b;
    uint32_t leaf_a, leaf_b;
    float apart_x, apart_y;     // from the position of body a to that of body b
    float between_x, between_y; // from the centre of a to the centre of b
    float offset_x, offset_y;   // of the centre of a from its body's position
    float limit;
} flat_pair;

static flat_pair flat_pair_of(const ab_batch *batch, uint32_t i)
{
    const uint32_t leaf_a = batch->a[i], leaf_b = batch->b[i];
    const ab_record *a = &batch->records[leaf_a], *b = &batch->records[leaf_b];
    const abut_vec3 zero = { 0.0f, 0.0f, 0.0f };
    const abut_vec3 offset_a = batch->offsets ? batch->offsets[leaf_a] : zero;
    const abut_vec3 offset_b = batch->offsets ? batch->offsets[leaf_b] : zero;
    flat_pair p = { .a = a, .b = b, .leaf_a = leaf_a, .leaf_b = leaf_b };
    p.apart_x = b->position[0] - a->position[0];
    p.apart_y = b->position[1] - a->position[1];
    p.offset_x = offset_a.x;
    p.offset_y = offset_a.y;
    p.between_x = p.apart_x + (offset_b.x - offset_a.x);
    p.between_y = p.apart_y + (offset_b.y - offset_a.y);
    p.limit = batch->margin + (batch->reach ? batch->reach[leaf_a] + batch->reach[leaf_b] : 0.0f);
    return p;
}

static const abut_geometry *polygon_of(const ab_batch *batch, uint32_t leaf)
{
    return batch->shapes[batch->colliders[leaf]].polygon;
}

// Column entries past the last side repeat the first.
static void place_polygon(outline *o, const abut_geometry *g, const ab_record *record, float x, float y)
{
    const f32w c = splatw(record->axis[0]), s = splatw(record->axis[1]);
    for (uint32_t i = 0; i < g->count; i += LANES)
    {
        const f32w px = loadw(g->x + i), py = loadw(g->y + i);
        const f32w nx = loadw(g->normal_x + i), ny = loadw(g->normal_y + i);
        storew(o->x + i, addw(subw(mulw(c, px), mulw(s, py)), splatw(x)));
        storew(o->y + i, addw(addw(mulw(s, px), mulw(c, py)), splatw(y)));
        storew(o->normal_x + i, subw(mulw(c, nx), mulw(s, ny)));
        storew(o->normal_y + i, addw(mulw(s, nx), mulw(c, ny)));
        storew(o->offset + i, loadw(g->offset + i));
    }
    o->centre_x = x;
    o->centre_y = y;
    o->size = g->bounding_radius;
    o->count = g->count;
}

static void place_rect(outline *o, const ab_record *record, float x, float y)
{
    const float c = record->axis[0], s = record->axis[1], hx = record->half_x, hy = record->half_y;
    const float corner_x[4] = { -hx, hx, hx, -hx }, corner_y[4] = { -hy, -hy, hy, hy };
    const float normal_x[4] = { s, c, -s, -c }, normal_y[4] = { -c, s, c, -s };
    for (uint32_t i = 0; i < 4 || i < LANES; ++i)
    {
        o->x[i] = (c * corner_x[i & 3u] - s * corner_y[i & 3u]) + x;
        o->y[i] = (s * corner_x[i & 3u] + c * corner_y[i & 3u]) + y;
        o->normal_x[i] = normal_x[i & 3u];
        o->normal_y[i] = normal_y[i & 3u];
        o->offset[i] = i & 1u ? hx : hy;
    }
    o->centre_x = x;
    o->centre_y = y;
    o->size = hx + hy;
    o->count = 4;
}

static uint32_t next_corner(const outline *o, uint32_t i)
{
    return i + 1 < o->count ? i + 1 : 0;
}

// A side of one polygon and how far the other one is from it.
typedef struct side_gap
{
    float separation;
    uint32_t side;
} side_gap;

// The side of p that q is farthest beyond, the first among equals.
static side_gap farthest_side(const outline *p, const outline *q)
{
    float separation[SIDES];
    for (uint32_t i = 0; i < p->count; i += LANES)
    {
        const f32w nx = loadw(p->normal_x + i), ny = loadw(p->normal_y + i);
        f32w least = splatw(HUGE_VALF);
        for (uint32_t j = 0; j < q->count; ++j)
        {
            const float x = q->x[j] - p->centre_x, y = q->y[j] - p->centre_y;
            least = minw(addw(mulw(nx, splatw(x)), mulw(ny, splatw(y))), least);
        }
        storew(separation + i, subw(least, loadw(p->offset + i)));
    }
    side_gap best = { -HUGE_VALF, 0 };
    for (uint32_t i = 0; i < p->count; ++i)
    {
        if (separation[i] > best.separation)
        {
            best = (side_gap){ separation[i], i };
        }
    }
    return best;
}

// Two corners, and the way from one to the other.
typedef struct corner_gap
{
    float x, y; // from a's to b's
    float distance;
    uint32_t corner_a, corner_b;
} corner_gap;

// The two corners nearest to each other, the first among equals.
static corner_gap nearest_corners(const outline *a, const outline *b)
{
    corner_gap best = { 0.0f, 0.0f, HUGE_VALF, 0, 0 };
    for (uint32_t i = 0; i < a->count; ++i)
    {
        for (uint32_t j = 0; j < b->count; ++j)
        {
            const float x = b->x[j] - a->x[i], y = b->y[j] - a->y[i], square = x * x + y * y;
            if (square < best.distance)
            {
                best = (corner_gap){ x, y, square, i, j };
            }
        }
    }
    best.distance = sqrtf(best.distance);
    return best;
}

// The least distance from a corner of q to a side of p that it faces, or is behind by no more than `slack`; infinity when it
// faces none.
static float nearest_to_side(const outline *p, const outline *q, float slack)
{
    float least = HUGE_VALF;
    for (uint32_t i = 0; i < p->count; ++i)
    {
        const uint32_t next = next_corner(p, i);
        const float nx = p->normal_x[i], ny = p->normal_y[i];
        const float length = (p->y[next] - p->y[i]) * nx - (p->x[next] - p->x[i]) * ny;
        for (uint32_t j = 0; j < q->count; ++j)
        {
            const float x = q->x[j] - p->x[i], y = q->y[j] - p->y[i];
            const float along = y * nx - x * ny, off = x * nx + y * ny;
            least = along >= 0.0f && along <= length && off >= -slack && off < least ? off : least;
        }
    }
    return least;
}

// How two polygons meet: with a side, or apart with a corner each.
typedef struct outline_gap
{
    float separation;
    uint32_t side;
    bool on_b; // the side is b's
    bool by_corners;
    corner_gap corners;
} outline_gap;

// `limit`: past it only that they are apart by more is told.
static outline_gap outlines_gap(const outline *a, const outline *b, float limit)
{
    const side_gap from_a = farthest_side(a, b), from_b = farthest_side(b, a);
    const float slack = (a->size + b->size) * ROUNDING;
    outline_gap gap = { 0 };
    gap.on_b = from_b.separation > from_a.separation + slack;
    gap.side = gap.on_b ? from_b.side : from_a.side;
    gap.separation = from_b.separation > from_a.separation ? from_b.separation : from_a.separation;
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
    return gap;
}

// A manifold as the batch has it, before it is turned into canonical orientation.
typedef struct flat_manifold
{
    float normal_x, normal_y; // from a to b
    float separation;
    uint32_t point_count;
    abut_point point[2]; // offsets from the centre of a
} flat_manifold;

static abut_point flat_point(float x, float y, float separation, uint32_t feature)
{
    return (abut_point){ .offset = { x, y, 0.0f }, .separation = separation, .feature = feature };
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

// The incident side as the reference side sees it, its two ends moved in to where the reference side ends.
typedef struct cut_outline
{
    float along[2], height[2]; // of the ends: from where the reference side begins, and above it
    uint32_t corner[2];
    bool wide; // they differ
} cut_outline;

static cut_outline cut_side(const outline *p, uint32_t side, const outline *q)
{
    const float nx = p->normal_x[side], ny = p->normal_y[side], x = p->x[side], y = p->y[side];
    const uint32_t end = next_corner(p, side), from = incident_side(q, nx, ny),
                   corner[2] = { from, next_corner(q, from) };
    const float length = (p->y[end] - y) * nx - (p->x[end] - x) * ny;
    float along[2], height[2];
    for (int k = 0; k < 2; ++k)
    {
        const float qx = q->x[corner[k]] - x, qy = q->y[corner[k]] - y;
        along[k] = qy * nx - qx * ny;
        height[k] = qx * nx + qy * ny;
    }
    // The incident side runs against the reference side; straight up at most, and then there is nothing to move.
    const float run = along[0] - along[1], rise = height[0] - height[1];
    cut_outline cut;
    for (int k = 0; k < 2; ++k)
    {
        const float inside = along[k] < 0.0f ? 0.0f : along[k] > length ? length : along[k];
        const float inward = k == 0 ? along[0] - inside : inside - along[1];
        const float part = run > 0.0f && inward > 0.0f ? inward / run : 0.0f;
        const bool passed = part > 1.0f; // nothing is left: the other end is the nearer one
        cut.along[k] = inside;
        cut.height[k] = passed ? height[1 - k] : k == 0 ? height[0] - part * rise : height[1] + part * rise;
        cut.corner[k] = passed ? corner[1 - k] : corner[k];
    }
    cut.wide = cut.along[0] > cut.along[1] || (!(run > 0.0f) && height[0] != height[1]);
    return cut;
}

// Two points, or one where nothing is left of the incident side or only one end of it is near enough. `feature` names the
// reference side, which is p's.
static void put_points(const outline *p, uint32_t side, const cut_outline *cut, float limit, uint32_t feature,
                       flat_manifold *m)
{
    const float nx = p->normal_x[side], ny = p->normal_y[side];
    const bool second_is_deeper = cut->height[1] < cut->height[0];
    const bool only_second = second_is_deeper && (!cut->wide || cut->height[0] > limit);
    const bool both = cut->wide && cut->height[0] <= limit && cut->height[1] <= limit;
    for (int k = only_second ? 1 : 0; k < (both ? 2 : only_second ? 2 : 1); ++k)
    {
        const float out = 0.5f * cut->height[k];
        const float x = p->x[side] - ny * cut->along[k] + nx * out, y = p->y[side] + nx * cut->along[k] + ny * out;
        m->point[m->point_count++] = flat_point(x, y, cut->height[k], feature | cut->corner[k]);
    }
}

// In the canonical orientation, which is the other way round when `turned`.
static void meet_by_side(const outline *a, const outline *b, const outline_gap *gap, float limit, bool turned,
                         flat_manifold *m)
{
    const outline *p = gap->on_b ? b : a, *q = gap->on_b ? a : b;
    const float sign = gap->on_b ? -1.0f : 1.0f;
    m->normal_x = sign * p->normal_x[gap->side];
    m->normal_y = sign * p->normal_y[gap->side];
    const cut_outline cut = cut_side(p, gap->side, q);
    put_points(p, gap->side, &cut, limit, (gap->side + (gap->on_b != turned ? 16u : 0u)) << 8, m);
}

static void meet_by_corners(const outline *a, const outline_gap *gap, bool turned, flat_manifold *m)
{
    const corner_gap *c = &gap->corners;
    const uint32_t first = turned ? c->corner_b : c->corner_a, second = turned ? c->corner_a : c->corner_b;
    m->normal_x = c->x / c->distance;
    m->normal_y = c->y / c->distance;
    m->point[0] = flat_point(a->x[c->corner_a] + 0.5f * c->x, a->y[c->corner_a] + 0.5f * c->y, c->distance,
                             (32u + first) << 8 | second);
    m->point_count = 1;
}

static void append_manifold(ab_manifolds *out, const flat_pair *pair, const flat_manifold *m)
{
    const bool turned = pair->a->order > pair->b->order;
    const float sign = turned ? -1.0f : 1.0f;
    const float base_x = pair->offset_x - (turned ? pair->apart_x : 0.0f);
    const float base_y = pair->offset_y - (turned ? pair->apart_y : 0.0f);
    out->data[out->count++] = (ab_manifold){
        .normal = { sign * m->normal_x, sign * m->normal_y, 0.0f },
        .separation = m->separation,
        .leaf_a = turned ? pair->leaf_b : pair->leaf_a,
        .leaf_b = turned ? pair->leaf_a : pair->leaf_b,
        .first_point = out->point_count,
        .point_count = m->point_count,
    };
    for (uint32_t k = 0; k < m->point_count; ++k)
    {
        abut_point point = m->point[k];
        point.offset.x += base_x;
        point.offset.y += base_y;
        out->points[out->point_count++] = point;
    }
}

// What a pair is, by the kind of its first shape.
static outline_gap outline_pair_gap(const ab_batch *batch, const flat_pair *pair, bool first_is_rect, outline *a,
                                    outline *b)
{
    if (first_is_rect)
    {
        place_rect(a, pair->a, 0.0f, 0.0f);
    }
    else
    {
        place_polygon(a, polygon_of(batch, pair->leaf_a), pair->a, 0.0f, 0.0f);
    }
    place_polygon(b, polygon_of(batch, pair->leaf_b), pair->b, pair->between_x, pair->between_y);
    return outlines_gap(a, b, pair->limit);
}

AB_INLINE void outline_polygon(const ab_batch *batch, bool first_is_rect, ab_manifolds *out)
{
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        outline a, b;
        const flat_pair pair = flat_pair_of(batch, i);
        const outline_gap gap = outline_pair_gap(batch, &pair, first_is_rect, &a, &b);
        if (gap.separation <= pair.limit)
        {
            const bool turned = pair.a->order > pair.b->order;
            flat_manifold m = { .separation = gap.separation };
            if (gap.by_corners)
            {
                meet_by_corners(&a, &gap, turned, &m);
            }
            else
            {
                meet_by_side(&a, &b, &gap, pair.limit, turned, &m);
            }
            append_manifold(out, &pair, &m);
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

// Where the centre is, seen from the side it is farthest beyond.
typedef struct side_view
{
    float nx, ny; // of the side, outward
    float height; // above it
    float past;   // beyond the end, along the side, signed; zero over it
} side_view;

static side_view view_of_centre(const outline *polygon)
{
    const outline centre = { .count = 1 };
    const side_gap best = farthest_side(polygon, &centre);
    const uint32_t start = best.side, end = next_corner(polygon, start);
    side_view v = { polygon->normal_x[start], polygon->normal_y[start], best.separation, 0.0f };
    const float from_start = polygon->x[start] * v.ny - polygon->y[start] * v.nx;
    const float from_end = polygon->x[end] * v.ny - polygon->y[end] * v.nx;
    v.past = from_start < 0.0f ? from_start : from_end > 0.0f ? from_end : 0.0f;
    return v;
}

// A circle is nearest to the side it is farthest beyond, or to an end of that side. Its normal is turned towards the side's by
// what rounding may have turned it away.
static flat_manifold circle_polygon_gap(const ab_batch *batch, const flat_pair *pair)
{
    outline polygon;
    place_polygon(&polygon, polygon_of(batch, pair->leaf_b), pair->b, pair->between_x, pair->between_y);
    const side_view v = view_of_centre(&polygon);
    const float radius = pair->a->half_x, slack = polygon.size * ROUNDING, beyond = fabsf(v.past);
    flat_manifold m = { .normal_x = -v.nx, .normal_y = -v.ny, .separation = v.height - radius, .point_count = 1 };
    if (v.height > 0.0f && beyond > 0.0f)
    {
        const float sure = beyond > slack ? beyond - slack : 0.0f, aside = v.past < 0.0f ? -sure : sure;
        const float length = sqrtf(v.height * v.height + aside * aside);
        m.normal_x = (v.ny * aside - v.nx * v.height) / length;
        m.normal_y = -(v.nx * aside + v.ny * v.height) / length;
        m.separation = sqrtf(v.height * v.height + beyond * beyond) - radius;
    }
    const float along = 0.5f * m.separation + radius;
    m.point[0] = flat_point(m.normal_x * along, m.normal_y * along, m.separation, 0);
    return m;
}

static void circle_polygon(const ab_batch *batch, ab_manifolds *out)
{
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        const flat_pair pair = flat_pair_of(batch, i);
        const flat_manifold m = circle_polygon_gap(batch, &pair);
        if (m.separation <= pair.limit)
        {
            append_manifold(out, &pair, &m);
        }
    }
}

static uint32_t circle_polygon_touching(const ab_batch *batch, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        const flat_pair pair = flat_pair_of(batch, i);
        out[count] = i;
        count += circle_polygon_gap(batch, &pair).separation <= pair.limit;
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
