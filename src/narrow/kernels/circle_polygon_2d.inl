// A circle (a) and a convex polygon (b).

// The centre, relative to the side that it is farthest beyond.
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
    const float start_x = polygon->x[start] + polygon->centre_x, start_y = polygon->y[start] + polygon->centre_y;
    const float end_x = polygon->x[end] + polygon->centre_x, end_y = polygon->y[end] + polygon->centre_y;
    const float from_start = start_x * v.ny - start_y * v.nx, from_end = end_x * v.ny - end_y * v.nx;
    v.past = from_start < 0.0f ? from_start : from_end > 0.0f ? from_end : 0.0f;
    return v;
}

// A circle is nearest to the side that it is farthest beyond, or to an end of that side. Turns its normal towards the
// side's by the possible rounding error.
static flat_manifold circle_polygon_gap(const ab_batch *batch, const flat_pair *pair)
{
    outline polygon;
    place_polygon(&polygon, polygon_of(batch, pair->proxy_b), pair->b, pair->between_x, pair->between_y);
    const side_view v = view_of_centre(&polygon);
    const float radius = pair->a->half_x, slack = polygon.size * ROUNDING, beyond = fabsf(v.past);
    flat_manifold m = { .normal_x = -v.nx, .normal_y = -v.ny, .separation = v.height - radius, .point_count = 1 };
    if (v.height > 0.0f && beyond > 0.0f)
    {
        const float sure = beyond > slack ? beyond - slack : 0.0f, aside = v.past < 0.0f ? -sure : sure;
        const float square = v.height * v.height + aside * aside;
        if (square > 1e-30f) // nearer, its square loses digits
        {
            const float length = sqrtf(square);
            m.normal_x = (v.ny * aside - v.nx * v.height) / length;
            m.normal_y = -(v.nx * aside + v.ny * v.height) / length;
        }
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
            append_manifold(out, batch, &pair, &m);
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
