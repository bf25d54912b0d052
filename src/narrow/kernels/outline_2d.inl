// Helpers of the polygon kernels: a polygon at its pose, the side that another shape is farthest beyond, and output.
// Pairs go one by one, since their numbers of sides differ; the sides of one polygon go LANES at a time.
//
// A rectangle is a polygon of four sides. Sides and corners are numbered counter-clockwise, side i from corner i to the
// next.

#define ROUNDING 0x1p-19f // of the sizes: bounds the rounding error of a separation

enum
{
    SIDES = ABUT_MAX_VERTICES
};

// A polygon at its pose: world axes, about its own centre. Differences of coordinates come before that of the centres
// is added, so the results are bit-identical whichever polygon is a.
typedef struct outline
{
    float x[SIDES], y[SIDES];
    float normal_x[SIDES], normal_y[SIDES], offset[SIDES];
    float centre_x, centre_y; // relative to the centre of a
    float size;               // no less than its radius about its centre
    uint32_t count;
} outline;

// Two bodies, without data of their kinds.
typedef struct flat_pair
{
    const ab_record *a, *b;
    uint32_t proxy_a, proxy_b;
    float apart_x, apart_y;     // from the position of body a to that of body b
    float between_x, between_y; // from the centre of a to the centre of b
    float offset_x, offset_y;   // of the centre of a from its body's position
    float limit;
} flat_pair;

static flat_pair flat_pair_of(const ab_batch *batch, uint32_t i)
{
    const uint32_t proxy_a = batch->a[i], proxy_b = batch->b[i];
    const ab_record *a = &batch->records[proxy_a], *b = &batch->records[proxy_b];
    const abut_vec3 zero = { 0.0f, 0.0f, 0.0f };
    const abut_vec3 offset_a = batch->offsets ? batch->offsets[proxy_a] : zero;
    const abut_vec3 offset_b = batch->offsets ? batch->offsets[proxy_b] : zero;
    flat_pair p = { .a = a, .b = b, .proxy_a = proxy_a, .proxy_b = proxy_b };
    p.apart_x = b->position[0] - a->position[0];
    p.apart_y = b->position[1] - a->position[1];
    p.offset_x = offset_a.x;
    p.offset_y = offset_a.y;
    p.between_x = p.apart_x + (offset_b.x - offset_a.x);
    p.between_y = p.apart_y + (offset_b.y - offset_a.y);
    p.limit = batch->margin + (batch->reach ? batch->reach[proxy_a] + batch->reach[proxy_b] : 0.0f);
    return p;
}

static const ab_polygon *polygon_of(const ab_batch *batch, uint32_t proxy)
{
    return (const ab_polygon *)(const void *)batch->shapes[batch->colliders[proxy]].polygon;
}

// Column entries past the last side repeat the first.
static void place_polygon(outline *o, const ab_polygon *g, const ab_record *record, float x, float y)
{
    const f32w c = splatw(record->axis[0]), s = splatw(record->axis[1]);
    for (uint32_t i = 0; i < g->count; i += LANES)
    {
        const f32w px = loadw(g->x + i), py = loadw(g->y + i);
        const f32w nx = loadw(g->normal_x + i), ny = loadw(g->normal_y + i);
        storew(o->x + i, subw(mulw(c, px), mulw(s, py)));
        storew(o->y + i, addw(mulw(s, px), mulw(c, py)));
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
        o->x[i] = c * corner_x[i & 3u] - s * corner_y[i & 3u];
        o->y[i] = s * corner_x[i & 3u] + c * corner_y[i & 3u];
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

// A side of one polygon and the other's separation from it, and that from the side that comes next.
typedef struct side_gap
{
    float separation, next;
    uint32_t side;
} side_gap;

// The side of p that q is farthest beyond, the first of equal ones.
static side_gap farthest_side(const outline *p, const outline *q)
{
    const float apart_x = q->centre_x - p->centre_x, apart_y = q->centre_y - p->centre_y;
    float separation[SIDES];
    for (uint32_t i = 0; i < p->count; i += LANES)
    {
        const f32w nx = loadw(p->normal_x + i), ny = loadw(p->normal_y + i);
        f32w least = splatw(HUGE_VALF);
        for (uint32_t j = 0; j < q->count; ++j)
        {
            const float x = q->x[j] + apart_x, y = q->y[j] + apart_y;
            least = minw(addw(mulw(nx, splatw(x)), mulw(ny, splatw(y))), least);
        }
        storew(separation + i, subw(least, loadw(p->offset + i)));
    }
    side_gap best = { -HUGE_VALF, -HUGE_VALF, 0 };
    for (uint32_t i = 0; i < p->count; ++i)
    {
        const bool better = separation[i] > best.separation;
        const float lesser = better ? best.separation : separation[i];
        best.next = lesser > best.next ? lesser : best.next;
        best.separation = better ? separation[i] : best.separation;
        best.side = better ? i : best.side;
    }
    return best;
}

// A manifold in the batch's orientation, not yet canonical.
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

static void append_manifold(ab_manifolds *out, const ab_batch *batch, const flat_pair *pair, const flat_manifold *m)
{
    const bool turned = pair->a->collider_key > pair->b->collider_key;
    const float sign = turned ? -1.0f : 1.0f;
    const float base_x = pair->offset_x - (turned ? pair->apart_x : 0.0f);
    const float base_y = pair->offset_y - (turned ? pair->apart_y : 0.0f);
    abut_manifold manifold = {
        .normal = { sign * m->normal_x, sign * m->normal_y, 0.0f },
        .separation = m->separation,
        .point_count = m->point_count,
    };
    for (uint32_t k = 0; k < m->point_count; ++k)
    {
        manifold.points[k] = m->point[k];
        manifold.points[k].offset.x += base_x;
        manifold.points[k].offset.y += base_y;
    }
    ab_manifolds_append(out, batch, turned ? pair->proxy_b : pair->proxy_a, turned ? pair->proxy_a : pair->proxy_b,
                        &manifold);
}
