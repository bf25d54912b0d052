// Sweeps of ab_straight_boxes and ab_straight_segment, eight at a time, for one instruction set. The steps are theirs,
// in double, in the same order and without a branch: compilers make vector instructions of these loops. What the
// fast answer cannot prove is not decided here.
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
        const ab_mover *mover = own->mover;
        const abut_vec3 at = proxies->offset ? proxies->offset[proxy[k]] : (abut_vec3){ 0.0f, 0.0f, 0.0f };
        out->offset[0][k] = at.x, out->offset[1][k] = at.y, out->offset[2][k] = at.z;
        for (uint32_t i = 0; i < 9; ++i)
        {
            out->axis[i][k] = mover->start.axis[i];
        }
        for (uint32_t i = 0; i < 3; ++i)
        {
            out->half[i][k] = mover->start.core.half[i];
            out->way[i][k] = mover->v[i];
            out->origin[i][k] = (double)own->origin[i];
        }
        out->rounding[k] = mover->start.core.rounding;
        out->size[k] = mover->start.size;
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

AB_INLINE d3 turned(straight *restrict s, uint32_t k, d3 axis)
{
    return (d3){ dot(get(s->inverse, k), axis), dot(get(s->inverse + 3, k), axis), dot(get(s->inverse + 6, k), axis) };
}

AB_APART static void turn_axes(straight *restrict s)
{
    EACH(k)
    {
        const d3 u = turned(s, k, get(s->axis, k)), v = turned(s, k, get(s->axis + 3, k)),
                 w = turned(s, k, get(s->axis + 6, k));
        put(s->axis, k, u);
        put(s->axis + 3, k, v);
        put(s->axis + 6, k, w);
    }
}

#include "query/cast_boxes.inl"

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

// A round of ab_straight_segment for those that are not decided. What is measured stays once it is near. Whether there
// is more follows from comparisons, not from what is decided: of that compilers would make a branch, and no vectors.
AB_INLINE void approach(straight *restrict s, progress *restrict p, bool first)
{
    EACH(k)
    {
        const double time = first ? 0.0 : p->now[k], tolerance = s->tolerance[k], touch = AB_SWEEP_TOUCH * tolerance;
        const d3 way = get(s->way, k), at = along(get(s->from, k), time, way);
        const d3 a = get(s->box_axis, k), b = get(s->box_axis + 3, k), c = get(s->box_axis + 6, k);
        const d3 off = { -beyond(at.x, s->own[0][k]), -beyond(at.y, s->own[1][k]), -beyond(at.z, s->own[2][k]) };
        const d3 normal = { a.x * off.x + b.x * off.y + c.x * off.z, a.y * off.x + b.y * off.y + c.y * off.z,
                            a.z * off.x + b.z * off.y + c.z * off.z };
        const double distance = sqrt(dot(normal, normal)), gap = distance - s->rounding[k];
        const double closing = dot(off, way), square = dot(off, off), bottom = closing * distance;
        const bool was_near = !first & (p->near[k] != 0.0), within = gap <= tolerance, near = was_near | within,
                   closes = closing > 0.0, comes = closing * (1.0 - time) > 0.5 * tolerance * distance;
        const double aim = near ? 0.5 * touch : 0.5 * tolerance;
        const double next = time + (gap - aim) * square / (closes ? bottom : 1.0);
        const bool past = next >= 1.0, touches = gap <= touch, stays = first ? within : within & !was_near & !comes;
        const double apart = distance > tolerance ? (double)AB_STRAIGHT_OVERLAP : (double)AB_STRAIGHT_UNDECIDED;
        const double begins = gap < -tolerance ? apart : (double)AB_STRAIGHT_UNDECIDED;
        const double starts = first ? begins : (double)AB_STRAIGHT_UNDECIDED;
        const double ends = touches ? (double)AB_STRAIGHT_HIT : (double)AB_STRAIGHT_MISS;
        const bool open = first | (s->answer[k] < 0.0), takes = open & !was_near;
        const bool more = open & closes & !past & !touches & !stays;
        const double answer = stays ? starts : ends, decided = more ? -1.0 : answer;
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

// Whether some are neither apart at the start nor on their way past each other.
static bool any_overlaps(const spans *p)
{
    bool any = false;
    for (uint32_t k = 0; k < AB_BLOCK; ++k)
    {
        any |= (p->alive[k] != 0.0) & (p->time[k] == 0.0);
    }
    return any;
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
    if (any_overlaps(&p))
    {
        partings o;
        overlap_all(&s, &o);
        part_all(&s, &p, &o);
        meet(&s, &p);
        bring_back(&s, &p, &o);
    }
    else
    {
        meet(&s, &p);
    }
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
