// Sweeps of ab_straight_boxes and ab_straight_segment, eight at a time, for one instruction set. The steps are theirs, in
// double, in the same order and without a branch: compilers make vector instructions of these loops. What is left of
// theirs: boxes that overlap at the start, and what the fast answer cannot prove, are not decided here.
#define AB_LANES_EIGHT_AT_MOST
#include "query/cast_kernels.h"

#include "base/kernels.h"
#include "math/lanes.h"

#include <math.h>

#define BOX 3.0 // the other one's feature with an axis that is a face's of the box, and the other way round

#define EACH(k) for (uint32_t k = 0; k < AB_BLOCK; ++k)

typedef double column[AB_BLOCK];

typedef struct d3
{
    double x, y, z;
} d3;

AB_INLINE double dot(d3 a, d3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

AB_INLINE d3 cross(d3 a, d3 b)
{
    return (d3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

AB_INLINE d3 along(d3 base, double by, d3 way)
{
    return (d3){ base.x + by * way.x, base.y + by * way.y, base.z + by * way.z };
}

AB_INLINE d3 minus(d3 a, d3 b)
{
    return (d3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

AB_INLINE d3 times(double by, d3 a)
{
    return (d3){ by * a.x, by * a.y, by * a.z };
}

AB_INLINE d3 either(bool first, d3 a, d3 b)
{
    return (d3){ first ? a.x : b.x, first ? a.y : b.y, first ? a.z : b.z };
}

AB_INLINE d3 get(column columns[3], uint32_t k)
{
    return (d3){ columns[0][k], columns[1][k], columns[2][k] };
}

AB_INLINE void put(column columns[3], uint32_t k, d3 v)
{
    columns[0][k] = v.x;
    columns[1][k] = v.y;
    columns[2][k] = v.z;
}

// Pairs as ab_straight has them, by column.
typedef struct straight
{
    column box_axis[9], own[3], axis[9], half[3];        // of the box, and of the other one
    column between[3], going[3];                         // world axes
    column centre[3], box_way[3];                        // of the box
    column rounding, standing_rounding, tolerance, size; // both sizes, where boxes meet
    column is_other;                                     // 1: the other one stands
    column inverse[9], from[3], way[3];
    column time, on_box[3], on_other[3], distance, normal[3];
    column answer; // an ab_straight_answer
} straight;

// Columns of records and casts, as pairs come in.
typedef struct columns
{
    float record[16][AB_BLOCK], offset[3][AB_BLOCK];
    column axis[9], half[3], way[3], rounding, size, origin[3], point;
} columns;

static void gather(columns *out, const ab_proxies *proxies, const ab_cast_solid *casts, const uint32_t *proxy,
                   const uint32_t *cast)
{
    const float *records = (const float *)(const void *)proxies->record;
    for (uint32_t i = 0; i < AB_BLOCK; i += LANES)
    {
        f32w row[16];
        gather_rows16(records, proxy + i, row);
        for (uint32_t c = 0; c < 16; ++c)
        {
            storew(out->record[c] + i, row[c]);
        }
    }
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        const ab_cast_solid *own = &casts[cast[k]];
        const abut_vec3 at = proxies->offset ? proxies->offset[proxy[k]] : (abut_vec3){ 0.0f, 0.0f, 0.0f };
        out->offset[0][k] = at.x, out->offset[1][k] = at.y, out->offset[2][k] = at.z;
        for (uint32_t i = 0; i < 9; ++i)
        {
            out->axis[i][k] = own->axis[i];
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            out->half[i][k] = own->half[i];
            out->way[i][k] = own->way[i];
            out->origin[i][k] = (double)own->origin[i];
        }
        out->rounding[k] = own->rounding;
        out->size[k] = own->size;
        out->point[k] = own->point ? 1.0 : 0.0;
    }
}

// Where the standing shape is, from where the cast begins.
AB_INLINE double place_along(const columns *c, uint32_t axis, uint32_t k)
{
    return ((double)c->record[axis][k] - c->origin[axis][k]) + (double)c->offset[axis][k];
}

// As ab_sweep_tolerance_of.
AB_INLINE double tolerance_of(double a, double b)
{
    const double smaller = a < b ? a : b;
    return 1e-5 * smaller + 1e-7 * (a + b) + AB_SWEEP_LEAST_TOLERANCE;
}

// The standing shape is the box.
AB_APART static void lay_boxes(const columns *restrict c, straight *restrict s)
{
    for (uint32_t i = 0; i < 9; ++i)
    {
        EACH(k)
        {
            s->box_axis[i][k] = (double)c->record[4 + i][k];
            s->axis[i][k] = c->axis[i][k];
        }
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t row = i == 0 ? 3 : 12 + i;
        EACH(k)
        {
            const double at = place_along(c, i, k);
            s->own[i][k] = (double)c->record[row][k];
            s->half[i][k] = c->half[i][k];
            s->centre[i][k] = at;
            s->between[i][k] = 0.0 - at;
            s->going[i][k] = c->way[i][k];
            s->box_way[i][k] = 0.0;
        }
    }
    EACH(k)
    {
        const double size = s->own[0][k] + s->own[1][k] + s->own[2][k] + 0.0;
        s->tolerance[k] = tolerance_of(c->size[k], size);
        s->size[k] = size + c->size[k];
        s->rounding[k] = s->standing_rounding[k] = s->is_other[k] = 0.0;
    }
}

// The box is the standing shape, a sphere perhaps, if a sphere is cast; or else the cast one, and a sphere stands.
AB_APART static void lay_points(const columns *restrict c, const uint32_t *restrict standing, straight *restrict s)
{
    column ball;
    EACH(k)
    {
        ball[k] = standing[k] ? 1.0 : 0.0;
    }
    for (uint32_t i = 0; i < 9; ++i)
    {
        EACH(k)
        {
            s->box_axis[i][k] = c->point[k] != 0.0 ? (double)c->record[4 + i][k] : c->axis[i][k];
        }
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        const uint32_t row = i == 0 ? 3 : 12 + i;
        EACH(k)
        {
            const bool point = c->point[k] != 0.0, round = ball[k] != 0.0;
            const double at = place_along(c, i, k), way = c->way[i][k], stands = (double)c->record[row][k];
            const double flat = round ? 0.0 : stands;
            s->own[i][k] = point ? flat : c->half[i][k];
            s->centre[i][k] = point ? at : 0.0;
            s->between[i][k] = point ? 0.0 - at : at;
            s->going[i][k] = point ? way : 0.0 - way;
            s->box_way[i][k] = point ? 0.0 : way;
        }
    }
    EACH(k)
    {
        const bool point = c->point[k] != 0.0, round = ball[k] != 0.0;
        const double radius = (double)c->record[3][k];
        const double size = radius + (double)c->record[13][k] + (double)c->record[14][k];
        s->tolerance[k] = tolerance_of(c->size[k], round ? radius : size);
        s->standing_rounding[k] = round ? radius : 0.0;
        s->rounding[k] = s->standing_rounding[k] + c->rounding[k];
        s->is_other[k] = point ? 0.0 : 1.0;
    }
}

// The frame of the box, and the other one's way in it.
AB_APART static void enter_frame(straight *restrict s)
{
    EACH(k)
    {
        const d3 a = get(s->box_axis, k), b = get(s->box_axis + 3, k), c = get(s->box_axis + 6, k);
        const d3 u = cross(b, c), v = cross(c, a), w = cross(a, b), between = get(s->between, k),
                 going = get(s->going, k);
        const double by = 1.0 / dot(a, u);
        const d3 first = times(by, u), second = times(by, v), third = times(by, w);
        put(s->inverse, k, first);
        put(s->inverse + 3, k, second);
        put(s->inverse + 6, k, third);
        put(s->from, k, (d3){ dot(first, between), dot(second, between), dot(third, between) });
        put(s->way, k, (d3){ dot(first, going), dot(second, going), dot(third, going) });
    }
}

AB_APART static void turn_axes(straight *restrict s)
{
    for (uint32_t i = 0; i < 9; i += 3)
    {
        EACH(k)
        {
            const d3 axis = get(s->axis + i, k);
            put(s->axis + i, k,
                (d3){ dot(get(s->inverse, k), axis), dot(get(s->inverse + 3, k), axis),
                      dot(get(s->inverse + 6, k), axis) });
        }
    }
}

// The span of straight_boxes.c, of one pair.
typedef struct span
{
    double enter, leave, time, alive;
    double side, length, face, edge; // of the axis that parts them last
} span;

// An axis that is tried.
typedef struct trial
{
    double square, place, speed, reach;
} trial;

// `later` is zero of faces' axes.
AB_INLINE span cut(span p, trial t, double unit_tolerance, double later, double face, double edge)
{
    const double length = sqrt(t.square), tolerance = unit_tolerance * length, touch = AB_SWEEP_TOUCH * tolerance;
    const double side = -copysign(1.0, t.place + 0.0), closing = side * t.speed, far = fabs(t.place);
    const double gap = far - t.reach;
    const bool outside = gap > touch, closes = closing > 0.0, moves = closing != 0.0;
    const double divisor = moves ? closing : 1.0, inverse = 1.0 / divisor;
    const double enter = (gap - touch) * inverse, half = (gap - 0.5 * tolerance) * inverse;
    const double past = (far + t.reach + touch) * inverse;
    const double within = ((closes ? t.reach + far : t.reach - far) + touch) / fabs(divisor);
    const double still = moves ? within : HUGE_VAL, leave = outside ? past : still;
    const bool enters = outside & (enter > p.enter), leaves = leave < p.leave;
    const bool takes = outside & (half > p.time + later * length * inverse);
    const double last = enters ? enter : p.enter, first = leaves ? leave : p.leave;
    const double in_time = last < 1.0 ? p.alive : 0.0, comes = closes ? in_time : 0.0;
    const double lives = outside ? comes : p.alive;
    return (span){ last,
                   first,
                   takes ? half : p.time,
                   last <= first ? lives : 0.0,
                   takes ? side : p.side,
                   takes ? length : p.length,
                   takes ? face : p.face,
                   takes ? edge : p.edge };
}

AB_INLINE span cut_face_of_box(span p, straight *restrict s, uint32_t k, uint32_t i)
{
    const double reach = s->half[0][k] * fabs(s->axis[i][k]) + s->half[1][k] * fabs(s->axis[3 + i][k]) +
                         s->half[2][k] * fabs(s->axis[6 + i][k]) + s->own[i][k];
    return cut(p, (trial){ 1.0, s->from[i][k], s->way[i][k], reach }, s->tolerance[k], 0.0, BOX, (double)i);
}

AB_INLINE span cut_face_of_other(span p, straight *restrict s, uint32_t k, uint32_t i)
{
    const d3 axis = cross(get(s->axis + 3 * ((i + 1) % 3), k), get(s->axis + 3 * ((i + 2) % 3), k));
    const double reach = s->own[0][k] * fabs(axis.x) + s->own[1][k] * fabs(axis.y) + s->own[2][k] * fabs(axis.z) +
                         s->half[i][k] * fabs(dot(axis, get(s->axis + 3 * i, k)));
    const trial t = { dot(axis, axis), dot(axis, get(s->from, k)), dot(axis, get(s->way, k)), reach };
    return cut(p, t, s->tolerance[k], 0.0, (double)i, BOX);
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
    const double apart = fabs(c.now) > c.reach ? 1.0 : 0.0, crosses = c.square < AB_STRAIGHT_PARALLEL ? 0.0 : apart;
    const bool use = crosses != 0.0; // else nothing parts them here
    const trial t = { c.square, use ? place : 0.0, use ? speed : 0.0, c.reach };
    return cut(p, t, s->tolerance[k], AB_STRAIGHT_LATER * s->tolerance[k], (double)i, (double)edge);
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
    column enter, leave, time, alive, side, length, face, edge, doubtful;
} spans;

// Axes of boxes that both do not turn are cut more often than alone, which changes nothing. Of loops over axes the
// compiler makes no vector instructions.
AB_APART static void cut_all(straight *restrict s, spans *restrict out)
{
    EACH(k)
    {
        span p = { 0.0, HUGE_VAL, 0.0, 1.0, 1.0, 1.0, BOX, BOX };
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
        out->enter[k] = p.enter;
        out->leave[k] = p.leave;
        out->time[k] = p.time;
        out->alive[k] = p.alive;
        out->side[k] = p.side;
        out->length[k] = p.length;
        out->face[k] = p.face;
        out->edge[k] = p.edge;
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
        const d3 turned = either(face == 0.0, o.x, either(face == 1.0, o.y, o.z));
        const d3 axis =
            either(on_face, face_of_box(edge), either(on_other_face, face_of_other(&o, face), across(turned, edge)));
        const d3 normal = times(p->side[k] / p->length[k], axis);
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
        const d3 a = get(s->inverse, k), b = get(s->inverse + 3, k), c = get(s->inverse + 6, k);
        s->answer[k] = p->alive[k] == 0.0 ? (double)AB_STRAIGHT_MISS : answer;
        s->time[k] = time;
        s->distance[k] = distance;
        put(s->on_box, k, on_box);
        put(s->on_other, k, on_other);
        put(s->normal, k,
            (d3){ a.x * normal.x + b.x * normal.y + c.x * normal.z, a.y * normal.x + b.y * normal.y + c.y * normal.z,
                  a.z * normal.x + b.z * normal.y + c.z * normal.z });
    }
}

// By how much x is outside of [-most, most].
AB_INLINE double beyond(double x, double most)
{
    const double below = x < -most ? x + most : 0.0;
    return x > most ? x - most : below;
}

// How far Newton's method has come: where it is, and whether that is within the tolerance.
typedef struct progress
{
    column now, near;
} progress;

// A round of ab_straight_segment for those that are not decided. What is measured stays once it is near.
AB_INLINE void approach(straight *restrict s, progress *restrict p, bool first)
{
    EACH(k)
    {
        const double time = p->now[k], tolerance = s->tolerance[k], touch = AB_SWEEP_TOUCH * tolerance;
        const d3 way = get(s->way, k), at = along(get(s->from, k), time, way);
        const d3 a = get(s->box_axis, k), b = get(s->box_axis + 3, k), c = get(s->box_axis + 6, k);
        const d3 off = { -beyond(at.x, s->own[0][k]), -beyond(at.y, s->own[1][k]), -beyond(at.z, s->own[2][k]) };
        const d3 normal = { a.x * off.x + b.x * off.y + c.x * off.z, a.y * off.x + b.y * off.y + c.y * off.z,
                            a.z * off.x + b.z * off.y + c.z * off.z };
        const double distance = sqrt(dot(normal, normal)), gap = distance - s->rounding[k];
        const double closing = dot(off, way), square = dot(off, off), bottom = closing * distance;
        const bool was_near = p->near[k] != 0.0, within = gap <= tolerance, near = was_near | within,
                   closes = closing > 0.0, comes = closing * (1.0 - time) > 0.5 * tolerance * distance;
        const double aim = near ? 0.5 * touch : 0.5 * tolerance;
        const double next = time + (gap - aim) * square / (closes ? bottom : 1.0);
        const double apart = distance > tolerance ? (double)AB_STRAIGHT_OVERLAP : (double)AB_STRAIGHT_UNDECIDED;
        const double begins = gap < -tolerance ? apart : (double)AB_STRAIGHT_UNDECIDED;
        const double arrives = next >= 1.0 ? (double)AB_STRAIGHT_MISS : -1.0;
        const double goes = closes ? arrives : (double)AB_STRAIGHT_MISS;
        const double ends = gap <= touch ? (double)AB_STRAIGHT_HIT : goes;
        const bool stalls = within & !was_near & !comes, starts = within & first;
        const double later = stalls ? (double)AB_STRAIGHT_UNDECIDED : ends, decided = starts ? begins : later;
        const bool open = s->answer[k] < 0.0, takes = open & !was_near, more = open & (decided < 0.0);
        s->answer[k] = open ? decided : s->answer[k];
        s->time[k] = takes ? time : s->time[k];
        s->distance[k] = takes ? distance : s->distance[k];
        put(s->normal, k, either(takes, normal, get(s->normal, k)));
        put(s->on_other, k, either(takes, at, get(s->on_other, k)));
        put(s->on_box, k, either(takes, (d3){ at.x + off.x, at.y + off.y, at.z + off.z }, get(s->on_box, k)));
        p->near[k] = near ? 1.0 : 0.0;
        p->now[k] = more ? next : time;
    }
}

AB_APART static void approach_first(straight *restrict s, progress *restrict p)
{
    approach(s, p, true);
}

AB_APART static void approach_more(straight *restrict s, progress *restrict p)
{
    approach(s, p, false);
}

static void approach_all(straight *restrict s)
{
    progress p;
    bool open = true;
    EACH(k)
    {
        p.now[k] = p.near[k] = s->time[k] = s->distance[k] = 0.0;
        s->answer[k] = -1.0;
        put(s->normal, k, (d3){ 0.0, 0.0, 0.0 });
        put(s->on_other, k, (d3){ 0.0, 0.0, 0.0 });
        put(s->on_box, k, (d3){ 0.0, 0.0, 0.0 });
    }
    for (uint32_t round = 0; open && round < AB_STRAIGHT_ROUNDS; ++round)
    {
        (round == 0 ? approach_first : approach_more)(s, &p);
        open = false;
        for (uint32_t k = 0; k < AB_BLOCK; ++k)
        {
            open |= s->answer[k] < 0.0;
        }
    }
    EACH(k)
    {
        s->answer[k] = s->answer[k] < 0.0 ? (double)AB_STRAIGHT_UNDECIDED : s->answer[k];
    }
}

// As ab_positive_zero.
AB_INLINE float rounded(double x)
{
    return (float)x + 0.0f;
}

// The largest float not above a number that is not negative.
static float rounded_down(double x)
{
    float near = (float)x;
    uint32_t bits;
    memcpy(&bits, &near, sizeof bits);
    bits -= (double)near > x;
    memcpy(&near, &bits, sizeof near);
    return near;
}

AB_APART static void publish(straight *restrict s, ab_cast_hits *restrict out)
{
    EACH(k)
    {
        const bool stands = s->is_other[k] != 0.0;
        const d3 direction = get(s->normal, k), local = either(stands, get(s->on_other, k), get(s->on_box, k));
        const d3 a = get(s->box_axis, k), b = get(s->box_axis + 3, k), c = get(s->box_axis + 6, k);
        const double length = sqrt(dot(direction, direction)), by = (stands ? -1.0 : 1.0) / length;
        const d3 normal = times(by, direction), centre = get(s->centre, k);
        const d3 on = { centre.x + (a.x * local.x + b.x * local.y + c.x * local.z),
                        centre.y + (a.y * local.x + b.y * local.y + c.y * local.z),
                        centre.z + (a.z * local.x + b.z * local.y + c.z * local.z) };
        const d3 at = along(along(on, s->time[k], get(s->box_way, k)), -s->standing_rounding[k], normal);
        const bool overlaps = s->answer[k] == (double)AB_STRAIGHT_OVERLAP;
        out->offset[0][k] = rounded(at.x);
        out->offset[1][k] = rounded(at.y);
        out->offset[2][k] = rounded(at.z);
        out->normal[0][k] = rounded(-normal.x);
        out->normal[1][k] = rounded(-normal.y);
        out->normal[2][k] = rounded(-normal.z);
        out->depth[k] = (float)(overlaps ? -(s->distance[k] - s->rounding[k]) : 0.0);
    }
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        out->answer[k] = (uint32_t)s->answer[k];
        out->fraction[k] = rounded_down(s->time[k]);
    }
}

static void hit_boxes(const ab_proxies *proxies, const ab_cast_solid *casts, const uint32_t *proxy,
                      const uint32_t *cast, ab_cast_hits *out)
{
    columns c;
    straight s;
    spans p;
    gather(&c, proxies, casts, proxy, cast);
    lay_boxes(&c, &s);
    enter_frame(&s);
    turn_axes(&s);
    cut_all(&s, &p);
    doubt_all(&s, &p);
    meet(&s, &p);
    publish(&s, out);
}

static void hit_points(const ab_proxies *proxies, const ab_cast_solid *casts, const uint32_t *proxy,
                       const uint32_t *cast, ab_cast_hits *out)
{
    columns c;
    straight s;
    uint32_t standing[AB_BLOCK];
    gather(&c, proxies, casts, proxy, cast);
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        standing[k] = (proxies->proxy_flags[proxy[k]] & AB_PROXY_TYPE_KEY) >> 2 == ABUT_SPHERE;
    }
    lay_points(&c, standing, &s);
    enter_frame(&s);
    approach_all(&s);
    publish(&s, out);
}

const ab_cast_kernels AB_ISA_NAME(ab_cast_kernels) = {
    .hit = { [AB_CAST_BOXES] = hit_boxes, [AB_CAST_POINTS] = hit_points },
};
