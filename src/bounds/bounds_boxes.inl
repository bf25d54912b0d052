// How a vector of proxies has its AABBs written.
//
// Why an AABB is large enough. The narrow phase sees the shape through the record written here, so an AABB of the same
// axes and half extents misses the shape by rounding only. Three roundings matter:
// - The narrow phase's own: each of its axes sums about ten products no larger than the two sizes, which errs by less
//   than 10 x 2^-24 of them, and the separation of two boxes may be as little as 1 / sqrt 3 of their distance. 2^-18 of
//   the size (half extents and offset) on each side is more than three times that.
// - Those of the half size itself: a few 2^-24 of the size, part of the 2^-18.
// - Adding offset and half size to the position: half a unit in the last place each, of numbers no larger than
//   |centre| + half size, which is 2 x 2^-24 of that; 3 x 2^-24 is added.
//
// One allowance is no rounding: the narrow phase reports boxes whose SAT separation is within margin and reach. SAT
// separation may be less than the distance, by at most the factor sqrt 3 (where vertex faces vertex, the direction
// between them lies in the cone of at most three of the axes, no two of them more than a right angle apart). So margin
// and reach grow an AABB by sqrt 3. (In 2D the factor of rectangles is sqrt 2, and polygons are tested by their
// distance.)
//
// Points of a shape are turned by those axes as the narrow phase turns them: three products, no larger than the half
// extents of the box about its origin, of which they are part, and so within the same 2^-18.
//
// Where contacts look ahead by no more than a speculative distance, an AABB grows by that, and for impacts by the way
// of the body: any point is, after a share of the horizon, that share of the way from where it was, give or take what
// rotation moves it. Two that meet on their ways then have AABBs that overlap. A way is one product, within the same
// 2^-18.
//
// A second allowance is the tolerance of sweeps: a swept body hits what it comes within tolerance of, however slow it
// is. Its own AABB takes the whole of that, but for the other size's share, which is far less than the other AABB's
// 2^-18.

#define SIZE_SLACK  0x1p-18f
#define PLACE_SLACK 0x1.8p-23f
#define SAT_SLACK   1.7320509f // no less than sqrt 3

// From `back` below the centre to `ahead` above it, either of which may be negative.
AB_INLINE void write_range(float *low, float *high, f32w centre, f32w back, f32w ahead)
{
    const f32w away = absw(centre);
    const f32w outer_back = addw(back, mulw(addw(away, absw(back)), splatw(PLACE_SLACK)));
    const f32w outer_ahead = addw(ahead, mulw(addw(away, absw(ahead)), splatw(PLACE_SLACK)));
    storew(low, subw(centre, outer_back));
    storew(high, addw(centre, outer_ahead));
}

AB_INLINE void empty_lanes(ab_aabb8 *block, uint32_t lane, maskw dead)
{
    float *const low[3] = { block->min_x + lane, block->min_y + lane, block->min_z + lane };
    float *const high[3] = { block->max_x + lane, block->max_y + lane, block->max_z + lane };
    for (uint32_t k = 0; k < 3; ++k)
    {
        storew(low[k], pickw(dead, splatw(AB_EMPTY_BOX), loadw(low[k])));
        storew(high[k], pickw(dead, splatw(-AB_EMPTY_BOX), loadw(high[k])));
    }
}

AB_INLINE f32w half_along(const proxy_group *group, uint32_t k)
{
    const f32w x = mulw(absw(group->axis[k]), group->half.x), y = mulw(absw(group->axis[3 + k]), group->half.y);
    return addw(addw(x, y), mulw(absw(group->axis[6 + k]), group->half.z));
}

// Half extents along world axes of a rounded segment; in 2D its radius is along x and y alone.
AB_INLINE v3w segment_half(const proxy_group *group)
{
    const v3w along = v3w_scale(v3w_abs(v3w_make(group->axis[3], group->axis[4], group->axis[5])), group->half.y);
    return v3w_add(along, v3w_make(group->half.x, group->half.x, group->half.z));
}

// How far the points of a shape reach along world axes, by its record's. Minima and maxima are the same in any order.
static void reach_of_points(const abut_shape *shape, const float axis[9], ab_aabb *out)
{
    ab_points points;
    _Alignas(64) ab_aabb8 rows; // as fit_aabb reads blocks
    float *const low[3] = { rows.min_x, rows.min_y, rows.min_z }, *const high[3] = { rows.max_x, rows.max_y,
                                                                                     rows.max_z };
    ab_shape_row_for(shape->kind)->points(shape, &points);
    for (uint32_t lane = 0; lane < AB_POINTS_GROUP; lane += LANES)
    {
        const f32w none = splatw(FLT_MAX);
        f32w least[3] = { none, none, none }, most[3] = { negw(none), negw(none), negw(none) };
        for (uint32_t i = 0; i < points.groups; ++i)
        {
            const uint32_t at = i * AB_POINTS_GROUP + lane;
            const v3w p = v3w_make(loadw(points.at[0] + at), loadw(points.at[1] + at), loadw(points.at[2] + at));
            for (uint32_t k = 0; k < 3; ++k)
            {
                const f32w along = v3w_dot(v3w_splat(axis[k], axis[3 + k], axis[6 + k]), p);
                least[k] = minw(along, least[k]);
                most[k] = maxw(along, most[k]);
            }
        }
        for (uint32_t k = 0; k < 3; ++k)
        {
            storew(low[k] + lane, least[k]);
            storew(high[k] + lane, most[k]);
        }
    }
    fit_aabb(&rows, out);
}

// Of the proxies whose shapes have points.
static void reach_by_points(const ab_bounds_in *in, const ab_proxies *proxies, uint32_t proxy, v3w *back, v3w *ahead)
{
    float rows[6][LANES];
    storew(rows[0], back->x), storew(rows[1], back->y), storew(rows[2], back->z);
    storew(rows[3], ahead->x), storew(rows[4], ahead->y), storew(rows[5], ahead->z);
    for (uint32_t lane = 0; lane < LANES; ++lane)
    {
        if (proxies->proxy_flags[proxy + lane] & AB_PROXY_POINTS)
        {
            ab_aabb of_points;
            reach_of_points(&in->shapes[proxies->collider[proxy + lane]], proxies->record[proxy + lane].axis,
                            &of_points);
            for (uint32_t k = 0; k < 3; ++k)
            {
                rows[k][lane] = -of_points.min[k];
                rows[3 + k][lane] = of_points.max[k];
            }
        }
    }
    *back = v3w_make(loadw(rows[0]), loadw(rows[1]), loadw(rows[2]));
    *ahead = v3w_make(loadw(rows[3]), loadw(rows[4]), loadw(rows[5]));
}

AB_INLINE f32w with_slack(f32w around, f32w size)
{
    return addw(around, mulw(addw(size, around), splatw(SIZE_SLACK)));
}

// What AABBs grow by in every direction, and the size that its rounding goes with.
AB_INLINE f32w growth_of(const proxy_group *group, const ab_bounds_in *in, f32w *size)
{
    const v3w offset = v3w_abs(group->offset), half = group->half;
    const f32w apart = mulw(addw(splatw(in->growth), group->reach), splatw(SAT_SLACK));
    *size = addw(addw(addw(half.x, half.y), half.z), addw(addw(offset.x, offset.y), offset.z));
    return with_slack(addw(apart, group->nearness), *size);
}

// Records are written by then.
AB_INLINE void write_boxes(const proxy_group *group, const ab_bounds_in *in, const ab_proxies *proxies, uint32_t proxy)
{
    ab_aabb8 *const block = &proxies->block[proxy / AB_BLOCK];
    const uint32_t lane = proxy % AB_BLOCK;
    const maskw dead = has_flag(group->proxy_flags, AB_PROXY_DEAD);
    f32w size;
    const f32w grown = growth_of(group, in, &size);
    v3w centre = v3w_add(group->position, group->offset);
    const maskw segments = has_flag(group->proxy_flags, AB_PROXY_SEGMENT);
    v3w reach = v3w_make(half_along(group, 0), half_along(group, 1), half_along(group, 2));
    if (anym(segments))
    {
        reach = v3w_pick(segments, segment_half(group), reach);
    }
    v3w back = reach;
    if (anym(has_flag(group->proxy_flags, AB_PROXY_POINTS)))
    {
        reach_by_points(in, proxies, proxy, &back, &reach);
        centre =
            v3w_add(centre, v3w_splat(0.0f, 0.0f, 0.0f)); // no -0, see LEAST_GROWTH: a side may be where the centre is
    }
    write_range(block->min_x + lane, block->max_x + lane, centre.x, addw(back.x, grown), addw(reach.x, grown));
    write_range(block->min_y + lane, block->max_y + lane, centre.y, addw(back.y, grown), addw(reach.y, grown));
    write_range(block->min_z + lane, block->max_z + lane, centre.z, addw(back.z, grown), addw(reach.z, grown));
    if (anym(dead))
    {
        empty_lanes(block, lane, dead);
    }
}

// How much farther than `grown` a way leads, and so much beside it.
AB_INLINE f32w farther_by(f32w way, f32w beside, f32w size, f32w grown)
{
    const f32w zero = splatw(0.0f);
    return maxw(subw(with_slack(addw(beside, maxw(way, zero)), size), grown), zero);
}

// Widens a range that was written, but where it stays.
AB_INLINE void widen(float *low, float *high, maskw stays, f32w behind, f32w ahead)
{
    const f32w from = loadw(low), to = loadw(high);
    const f32w back = addw(behind, mulw(addw(absw(from), behind), splatw(PLACE_SLACK)));
    const f32w forth = addw(ahead, mulw(addw(absw(to), ahead), splatw(PLACE_SLACK)));
    storew(low, pickw(stays, from, subw(from, back)));
    storew(high, pickw(stays, to, addw(to, forth)));
}

// Makes room for ways in boxes that were written and have grown by so much. Apart, and with values instead of the
// group, so that others keep their registers.
AB_APART static void follow_ways(const body_ways *ways, ab_aabb8 *block, uint32_t lane, maskw stays, f32w apart,
                                 f32w size, f32w grown)
{
    const f32w beside = addw(apart, ways->turn);
    const v3w ahead = ways->way, back = v3w_sub(v3w_splat(0.0f, 0.0f, 0.0f), ways->way);
    widen(block->min_x + lane, block->max_x + lane, stays, farther_by(back.x, beside, size, grown),
          farther_by(ahead.x, beside, size, grown));
    widen(block->min_y + lane, block->max_y + lane, stays, farther_by(back.y, beside, size, grown),
          farther_by(ahead.y, beside, size, grown));
    widen(block->min_z + lane, block->max_z + lane, stays, farther_by(back.z, beside, size, grown),
          farther_by(ahead.z, beside, size, grown));
}
