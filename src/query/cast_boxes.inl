// Boxes that travel, as straight_boxes.c has one pair: the span of time in which each axis does not part them, and the
// features with which they meet. Those that overlap at the start are moved out first, along the axis where they do so
// least.

// The span of straight_boxes.c, of one pair. An axis that parts them for good is left before it is entered, or entered
// never.
typedef struct span
{
    double enter, leave, time;
    double axis; // that parts them last, as NAMED has it; negative: on the side of -1
} span;

#define NAMED(face, edge) (4.0 * (face) + (edge) + 1.0)

// An axis that is tried.
typedef struct trial
{
    double square, place, speed, reach;
} trial;

// The span of one axis by itself, and by how much later than another it must part them.
typedef struct part
{
    double enter, leave, half, later, axis;
} part;

// Of one division: outside it gives the inverse of the speed, or else the time at which the axis is left, and what it is
// entered by is not positive. Without a speed both are infinite or not a number, which no comparison takes. `before` is
// positive outside: of the same comparison twice gcc would make two divisions.
AB_INLINE part part_of(trial t, double unit_tolerance, double unit_later, double axis)
{
    const double length = sqrt(t.square), tolerance = unit_tolerance * length, touch = AB_SWEEP_TOUCH * tolerance;
    const double place = t.place + 0.0, side = -copysign(1.0, place), closing = side * t.speed + 0.0;
    const double far = fabs(place), gap = far - t.reach, whole = t.reach + far + touch, before = gap - touch;
    const double ahead = closing >= 0.0 ? whole : before;
    const double quotient = (gap > touch ? 1.0 : ahead) / closing, later = unit_later * length * quotient;
    return (part){ before * quotient, (before > 0.0 ? whole : 1.0) * quotient, (gap - 0.5 * tolerance) * quotient,
                   later > 0.0 ? later : 0.0, side * axis };
}

AB_INLINE span cut(span p, part a, double later)
{
    const double least = p.time + later;
    return (span){ a.enter > p.enter ? a.enter : p.enter, a.leave < p.leave ? a.leave : p.leave,
                   a.half > least ? a.half : p.time, a.half > least ? a.axis : p.axis };
}

AB_INLINE trial face_of_box_at(straight *restrict s, uint32_t k, uint32_t i)
{
    const double reach = s->half[0][k] * fabs(s->axis[i][k]) + s->half[1][k] * fabs(s->axis[3 + i][k]) +
                         s->half[2][k] * fabs(s->axis[6 + i][k]) + s->own[i][k];
    return (trial){ 1.0, s->from[i][k], s->way[i][k], reach };
}

AB_INLINE span cut_face_of_box(span p, straight *restrict s, uint32_t k, uint32_t i)
{
    return cut(p, part_of(face_of_box_at(s, k, i), s->tolerance[k], 0.0, NAMED(BOX, (double)i)), 0.0);
}

AB_INLINE trial face_of_other_at(straight *restrict s, uint32_t k, uint32_t i)
{
    const d3 axis = cross(get(s->axis + 3 * ((i + 1) % 3), k), get(s->axis + 3 * ((i + 2) % 3), k));
    const double reach = s->own[0][k] * fabs(axis.x) + s->own[1][k] * fabs(axis.y) + s->own[2][k] * fabs(axis.z) +
                         s->half[i][k] * fabs(dot(axis, get(s->axis + 3 * i, k)));
    return (trial){ dot(axis, axis), dot(axis, get(s->from, k)), dot(axis, get(s->way, k)), reach };
}

AB_INLINE span cut_face_of_other(span p, straight *restrict s, uint32_t k, uint32_t i)
{
    return cut(p, part_of(face_of_other_at(s, k, i), s->tolerance[k], 0.0, NAMED((double)i, BOX)), 0.0);
}

// The axis across the other one's edge i and the box's edge `edge`, and where the other one is along it at a time.
typedef struct edge_axis
{
    double square, reach, now;
} edge_axis;

AB_INLINE edge_axis edge_axis_of(straight *restrict s, uint32_t k, uint32_t i, uint32_t edge, double time)
{
    const uint32_t u = (edge + 1) % 3, v = (edge + 2) % 3, next = (i + 1) % 3, last = (i + 2) % 3;
    const double along_u = s->axis[3 * i + v][k], along_v = -s->axis[3 * i + u][k];
    const double by_next = along_u * s->axis[3 * next + u][k] + along_v * s->axis[3 * next + v][k];
    const double by_last = along_u * s->axis[3 * last + u][k] + along_v * s->axis[3 * last + v][k];
    return (edge_axis){ along_u * along_u + along_v * along_v,
                        s->own[u][k] * fabs(along_u) + s->own[v][k] * fabs(along_v) + s->half[next][k] * fabs(by_next) +
                            s->half[last][k] * fabs(by_last),
                        along_u * (s->from[u][k] + time * s->way[u][k]) +
                            along_v * (s->from[v][k] + time * s->way[v][k]) };
}

AB_INLINE span cut_edges(span p, straight *restrict s, uint32_t k, uint32_t i, uint32_t edge)
{
    const uint32_t u = (edge + 1) % 3, v = (edge + 2) % 3;
    const double along_u = s->axis[3 * i + v][k], along_v = -s->axis[3 * i + u][k];
    const edge_axis c = edge_axis_of(s, k, i, edge, p.time);
    const double place = along_u * s->from[u][k] + along_v * s->from[v][k];
    const double speed = along_u * s->way[u][k] + along_v * s->way[v][k];
    const trial t = { c.square, place, speed, c.reach };
    part a = part_of(t, s->tolerance[k], AB_STRAIGHT_LATER * s->tolerance[k], NAMED((double)i, (double)edge));
    // Where it does not part them at the time it changes nothing. All else waits for no other axis.
    const double least = c.square >= AB_STRAIGHT_PARALLEL ? c.reach : HUGE_VAL, now = fabs(c.now);
    a.enter = now > least ? a.enter : 0.0;
    a.half = now > least ? a.half : 0.0;
    a.leave = now > least ? a.leave : HUGE_VAL;
    return cut(p, a, a.later);
}

// The opposite of is_sure of straight_boxes.c.
AB_INLINE double doubt(double doubtful, straight *restrict s, uint32_t k, uint32_t i, uint32_t edge, double enter,
                       double size)
{
    const edge_axis c = edge_axis_of(s, k, i, edge, enter);
    const double touch = AB_SWEEP_TOUCH * s->tolerance[k], length = sqrt(c.square);
    const double over =
        c.square < AB_STRAIGHT_PARALLEL ? length * size - touch : fabs(c.now) - (c.reach + 2.0 * touch * length);
    return over > 0.0 ? 1.0 : doubtful;
}

// The spans of all pairs.
typedef struct spans
{
    column enter, time, alive, side, face, edge, doubtful, proved;
} spans;

// Axes of boxes that both do not turn are cut more often than alone, which changes nothing. Of loops over axes the
// compiler makes no vector instructions.
AB_APART static void cut_all(straight *restrict s, spans *restrict out)
{
    EACH(k)
    {
        span p = { 0.0, HUGE_VAL, 0.0, NAMED(BOX, BOX) };
        p = cut_face_of_box(p, s, k, 0);
        p = cut_face_of_box(p, s, k, 1);
        p = cut_face_of_box(p, s, k, 2);
        p = cut_face_of_other(p, s, k, 0);
        p = cut_face_of_other(p, s, k, 1);
        p = cut_face_of_other(p, s, k, 2);
        p = cut_edges(p, s, k, 0, 0);
        p = cut_edges(p, s, k, 0, 1);
        p = cut_edges(p, s, k, 0, 2);
        p = cut_edges(p, s, k, 1, 0);
        p = cut_edges(p, s, k, 1, 1);
        p = cut_edges(p, s, k, 1, 2);
        p = cut_edges(p, s, k, 2, 0);
        p = cut_edges(p, s, k, 2, 1);
        p = cut_edges(p, s, k, 2, 2);
        const double named = fabs(p.axis), one = named >= NAMED(1.0, 0.0) ? 1.0 : 0.0;
        const double two = named >= NAMED(2.0, 0.0) ? 2.0 : one, face = named >= NAMED(BOX, 0.0) ? BOX : two;
        const double lives = p.enter <= p.leave ? 1.0 : 0.0;
        out->enter[k] = p.enter;
        out->time[k] = p.time;
        out->alive[k] = p.enter < 1.0 ? lives : 0.0;
        out->side[k] = copysign(1.0, p.axis);
        out->face[k] = face;
        out->edge[k] = named - NAMED(face, 0.0);
    }
}

AB_APART static void doubt_all(straight *restrict s, spans *restrict out)
{
    EACH(k)
    {
        const double enter = out->enter[k], size = s->size[k];
        double d = 0.0;
        d = doubt(d, s, k, 0, 0, enter, size);
        d = doubt(d, s, k, 0, 1, enter, size);
        d = doubt(d, s, k, 0, 2, enter, size);
        d = doubt(d, s, k, 1, 0, enter, size);
        d = doubt(d, s, k, 1, 1, enter, size);
        d = doubt(d, s, k, 1, 2, enter, size);
        d = doubt(d, s, k, 2, 0, enter, size);
        d = doubt(d, s, k, 2, 1, enter, size);
        d = doubt(d, s, k, 2, 2, enter, size);
        out->doubtful[k] = d;
    }
}

// The least overlap of axes so far, and the axis.
typedef struct overlap
{
    double least, side, length, face, edge;
} overlap;

AB_INLINE overlap lower(overlap p, trial t, bool use, double later, double face, double edge)
{
    const double length = sqrt(t.square), side = -copysign(1.0, t.place + 0.0);
    const double over = -(fabs(t.place) - t.reach) / length;
    const bool takes = use & (over + later < p.least);
    return (overlap){ takes ? over : p.least, takes ? side : p.side, takes ? length : p.length, takes ? face : p.face,
                      takes ? edge : p.edge };
}

AB_INLINE overlap lower_by_edges(overlap p, straight *restrict s, uint32_t k, uint32_t i, uint32_t edge)
{
    const uint32_t u = (edge + 1) % 3, v = (edge + 2) % 3;
    const double along_u = s->axis[3 * i + v][k], along_v = -s->axis[3 * i + u][k];
    const edge_axis c = edge_axis_of(s, k, i, edge, 0.0);
    const trial t = { c.square, along_u * s->from[u][k] + along_v * s->from[v][k], 0.0, c.reach };
    return lower(p, t, c.square >= AB_STRAIGHT_PARALLEL, AB_STRAIGHT_LATER * s->tolerance[k], (double)i, (double)edge);
}

// Those of all pairs, and how they are moved out along it.
typedef struct partings
{
    column least, side, length, face, edge;
    column parted, depth, by, step[3]; // 1: the pair overlaps at the start, and is moved by so much
} partings;

AB_APART static void overlap_all(straight *restrict s, partings *restrict out)
{
    EACH(k)
    {
        overlap p = { HUGE_VAL, 1.0, 1.0, BOX, BOX };
        p = lower(p, face_of_box_at(s, k, 0), true, 0.0, BOX, 0.0);
        p = lower(p, face_of_box_at(s, k, 1), true, 0.0, BOX, 1.0);
        p = lower(p, face_of_box_at(s, k, 2), true, 0.0, BOX, 2.0);
        p = lower(p, face_of_other_at(s, k, 0), true, 0.0, 0.0, BOX);
        p = lower(p, face_of_other_at(s, k, 1), true, 0.0, 1.0, BOX);
        p = lower(p, face_of_other_at(s, k, 2), true, 0.0, 2.0, BOX);
        p = lower_by_edges(p, s, k, 0, 0);
        p = lower_by_edges(p, s, k, 0, 1);
        p = lower_by_edges(p, s, k, 0, 2);
        p = lower_by_edges(p, s, k, 1, 0);
        p = lower_by_edges(p, s, k, 1, 1);
        p = lower_by_edges(p, s, k, 1, 2);
        p = lower_by_edges(p, s, k, 2, 0);
        p = lower_by_edges(p, s, k, 2, 1);
        p = lower_by_edges(p, s, k, 2, 2);
        out->least[k] = p.least;
        out->side[k] = p.side;
        out->length[k] = p.length;
        out->face[k] = p.face;
        out->edge[k] = p.edge;
    }
}

AB_INLINE double clamped(double x, double most)
{
    const double raised = x < -most ? -most : x;
    return raised > most ? most : raised;
}

AB_INLINE d3 clamped_to(d3 x, d3 most)
{
    return (d3){ clamped(x.x, most.x), clamped(x.y, most.y), clamped(x.z, most.z) };
}

// A feature of straight_boxes.c.
typedef struct feature
{
    d3 at;
    bool across_x, across_y, across_z;
} feature;

AB_INLINE double end_of(bool across, double slope, double half)
{
    const double end = slope > 0.0 ? half : -half;
    return across ? 0.0 : end;
}

AB_INLINE feature feature_of(d3 half, d3 slopes, double level)
{
    feature f;
    f.across_x = half.x * fabs(slopes.x) <= level;
    f.across_y = half.y * fabs(slopes.y) <= level;
    f.across_z = half.z * fabs(slopes.z) <= level;
    f.at = (d3){ end_of(f.across_x, slopes.x, half.x), end_of(f.across_y, slopes.y, half.y),
                 end_of(f.across_z, slopes.z, half.z) };
    return f;
}

AB_INLINE d3 pulled(const feature *f, d3 half, d3 to)
{
    const d3 near = clamped_to(to, half);
    return (d3){ f->across_x ? near.x : f->at.x, f->across_y ? near.y : f->at.y, f->across_z ? near.z : f->at.z };
}

// The other one's axes, in the frame, and its centre at the time.
typedef struct placed
{
    d3 centre, x, y, z;
} placed;

AB_INLINE d3 outside(const placed *p, d3 local)
{
    return along(along(along(p->centre, local.x, p->x), local.y, p->y), local.z, p->z);
}

AB_INLINE d3 inside(const placed *p, d3 point)
{
    const d3 off = minus(point, p->centre);
    const d3 once = { dot(off, p->x), dot(off, p->y), dot(off, p->z) };
    const d3 rest = minus(point, outside(p, once));
    return (d3){ once.x + dot(rest, p->x), once.y + dot(rest, p->y), once.z + dot(rest, p->z) };
}

// The axes of a trial.
AB_INLINE d3 face_of_box(double face)
{
    return (d3){ face == 0.0 ? 1.0 : 0.0, face == 1.0 ? 1.0 : 0.0, face == 2.0 ? 1.0 : 0.0 };
}

AB_INLINE d3 face_of_other(const placed *p, double face)
{
    return cross(either(face == 0.0, p->y, either(face == 1.0, p->z, p->x)),
                 either(face == 0.0, p->z, either(face == 1.0, p->x, p->y)));
}

AB_INLINE d3 across(d3 way, double edge)
{
    return either(edge == 0.0, (d3){ 0.0, way.z, -way.y },
                  either(edge == 1.0, (d3){ -way.z, 0.0, way.x }, (d3){ way.y, -way.x, 0.0 }));
}

AB_INLINE d3 turned_of(const placed *p, double face)
{
    return either(face == 0.0, p->x, either(face == 1.0, p->y, p->z));
}

AB_INLINE d3 axis_of(const placed *p, double face, double edge)
{
    return either(face == BOX, face_of_box(edge),
                  either(edge == BOX, face_of_other(p, face), across(turned_of(p, face), edge)));
}

// A direction across a plane in the frame, in the world: see bring_out of straight_boxes.c.
AB_INLINE d3 brought_out(straight *restrict s, uint32_t k, d3 normal)
{
    const d3 a = get(s->inverse, k), b = get(s->inverse + 3, k), c = get(s->inverse + 6, k);
    return (d3){ a.x * normal.x + b.x * normal.y + c.x * normal.z, a.y * normal.x + b.y * normal.y + c.y * normal.z,
                 a.z * normal.x + b.z * normal.y + c.z * normal.z };
}

// Moves those out that overlap at the start, as `part` of straight_boxes.c does.
AB_APART static void part_all(straight *restrict s, spans *restrict p, partings *restrict o)
{
    EACH(k)
    {
        const bool overlaps = (p->alive[k] != 0.0) & (p->time[k] == 0.0);
        const double face = o->face[k], edge = o->edge[k], tolerance = s->tolerance[k];
        const placed other = { get(s->from, k), get(s->axis, k), get(s->axis + 3, k), get(s->axis + 6, k) };
        const d3 normal = brought_out(s, k, times(o->side[k] / o->length[k], axis_of(&other, face, edge)));
        const double length = sqrt(dot(normal, normal)), depth = o->least[k] / length, by = depth + 0.5 * tolerance;
        const d3 step = turned(s, k, (d3){ normal.x / length, normal.y / length, normal.z / length });
        const bool parted = overlaps & (o->least[k] > tolerance);
        o->parted[k] = parted ? 1.0 : 0.0;
        o->depth[k] = depth;
        o->by[k] = by;
        put(o->step, k, step);
        put(s->from, k, either(overlaps, along(other.centre, -by, step), other.centre));
        p->side[k] = overlaps ? o->side[k] : p->side[k];
        p->face[k] = overlaps ? face : p->face[k];
        p->edge[k] = overlaps ? edge : p->edge[k];
    }
}

// The answers of those, once their nearest points are known.
AB_APART static void bring_back(straight *restrict s, const spans *restrict p, partings *restrict o)
{
    EACH(k)
    {
        const bool overlaps = (o->parted[k] != 0.0) & (p->proved[k] != 0.0);
        const d3 on_other = get(s->on_other, k);
        s->answer[k] = overlaps ? (double)AB_STRAIGHT_OVERLAP : s->answer[k];
        s->distance[k] = overlaps ? -o->depth[k] : s->distance[k];
        put(s->on_other, k, either(overlaps, along(on_other, o->by[k], get(o->step, k)), on_other));
    }
}

// Where the edges meet, on the other one's.
AB_INLINE d3 crossing(d3 at, d3 on_box, d3 on_other, d3 edge, double face, double by, d3 half)
{
    const d3 apart = minus(on_box, on_other);
    const double x = by == 0.0 ? 0.0 : apart.x * edge.x, y = by == 1.0 ? 0.0 : apart.y * edge.y,
                 z = by == 2.0 ? 0.0 : apart.z * edge.z;
    const double xx = by == 0.0 ? 0.0 : edge.x * edge.x, yy = by == 1.0 ? 0.0 : edge.y * edge.y,
                 zz = by == 2.0 ? 0.0 : edge.z * edge.z;
    const double place = (x + y + z) / (xx + yy + zz);
    return (d3){ face == 0.0 ? clamped(place, half.x) : at.x, face == 1.0 ? clamped(place, half.y) : at.y,
                 face == 2.0 ? clamped(place, half.z) : at.z };
}

// The nearest points where the boxes meet, and the proof that they are.
AB_APART static void meet(straight *restrict s, spans *restrict p)
{
    EACH(k)
    {
        const double face = p->face[k], edge = p->edge[k], time = p->time[k],
                     level = AB_STRAIGHT_LEVEL * s->tolerance[k];
        const bool on_face = face == BOX, on_other_face = !on_face & (edge == BOX),
                   on_edges = !on_face & !(edge == BOX);
        const d3 own = get(s->own, k), half = get(s->half, k);
        const placed o = { along(get(s->from, k), time, get(s->way, k)), get(s->axis, k), get(s->axis + 3, k),
                           get(s->axis + 6, k) };
        const d3 turned = turned_of(&o, face), axis = axis_of(&o, face, edge);
        const d3 normal = times(p->side[k] / sqrt(dot(axis, axis)), axis);
        const feature f = feature_of(half, (d3){ dot(normal, o.x), dot(normal, o.y), dot(normal, o.z) }, level);
        const feature g = feature_of(own, (d3){ -normal.x, -normal.y, -normal.z }, level);
        const double zeroed = on_edges ? face : BOX;
        const d3 begin = { zeroed == 0.0 ? 0.0 : f.at.x, zeroed == 1.0 ? 0.0 : f.at.y, zeroed == 2.0 ? 0.0 : f.at.z };
        const d3 out = outside(&o, begin);
        const d3 local = inside(&o, either(on_face, clamped_to(out, own), g.at));
        const d3 crossed = crossing(begin, g.at, out, turned, face, edge, half);
        const d3 there = either(on_face, pulled(&f, half, local), clamped_to(local, half));
        const d3 last = outside(&o, either(on_edges, crossed, there));
        const d3 second = pulled(&g, own, last);
        const d3 third = outside(&o, clamped_to(inside(&o, second), half));
        const d3 near = clamped_to(last, own);
        const d3 edge_point = { edge == 0.0 ? near.x : g.at.x, edge == 1.0 ? near.y : g.at.y,
                                edge == 2.0 ? near.z : g.at.z };
        const d3 on_other = either(on_other_face, third, last);
        const d3 on_box = either(on_face, near, either(on_other_face, second, edge_point));
        const d3 apart = minus(on_box, on_other);
        const double square = dot(apart, apart), along_it = dot(apart, normal), distance = sqrt(square);
        const bool proved = (along_it > 0.0) & (square - along_it * along_it <= AB_STRAIGHT_ASIDE * square) &
                            (distance <= 0.75 * s->tolerance[k]);
        const double closing = dot(normal, get(s->way, k)) * (1.0 - time);
        const bool hit = proved & (time != 0.0) & (p->doubtful[k] == 0.0) & (closing > 0.5 * s->tolerance[k]);
        const double answer = hit ? (double)AB_STRAIGHT_HIT : (double)AB_STRAIGHT_UNDECIDED;
        s->answer[k] = p->alive[k] == 0.0 ? (double)AB_STRAIGHT_MISS : answer;
        s->time[k] = time;
        s->distance[k] = distance;
        p->proved[k] = proved ? 1.0 : 0.0;
        put(s->on_box, k, on_box);
        put(s->on_other, k, on_other);
        put(s->normal, k, brought_out(s, k, normal));
    }
}
