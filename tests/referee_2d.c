#include "referee_2d.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static dvec2 sub(dvec2 a, dvec2 b)
{
    return (dvec2){ a.x - b.x, a.y - b.y };
}

static double dot(dvec2 a, dvec2 b)
{
    return a.x * b.x + a.y * b.y;
}

static double cross(dvec2 a, dvec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static double length(dvec2 v)
{
    return sqrt(dot(v, v));
}

static dvec2 along(dvec2 base, dvec2 direction, double by)
{
    return (dvec2){ base.x + direction.x * by, base.y + direction.y * by };
}

// Outward of the side from p to q, counter-clockwise.
static dvec2 outward(dvec2 p, dvec2 q)
{
    const dvec2 side = sub(q, p);
    const double l = length(side);
    return l > 0.0 ? (dvec2){ side.y / l, -side.x / l } : (dvec2){ 0.0, 0.0 };
}

// z + wi of unit length, squared: the cosine and sine of the whole angle.
static dvec2 turn_of(const abut_pose *pose)
{
    const double w = (double)pose->rotation.w, z = (double)pose->rotation.z, s = w * w + z * z;
    return s > 0.0 ? (dvec2){ (w * w - z * z) / s, 2.0 * w * z / s } : (dvec2){ 1.0, 0.0 };
}

static dvec2 turned(dvec2 v, dvec2 by)
{
    return (dvec2){ v.x * by.x - v.y * by.y, v.x * by.y + v.y * by.x };
}

solid_2d solid_2d_of(const abut_shape *shape, const abut_pose *pose, const abut_pose *local)
{
    solid_2d s = { 0 };
    dvec2 turn = turn_of(pose), offset = { 0.0, 0.0 };
    if (local)
    {
        offset = turned((dvec2){ (double)local->position.x, (double)local->position.y }, turn);
        turn = turned(turn, turn_of(local));
    }
    const dvec2 centre = { (double)pose->position.x + offset.x, (double)pose->position.y + offset.y };
    if (shape->kind == ABUT_SPHERE)
    {
        s.corner[s.count++] = centre;
        s.radius = (double)shape->sphere.radius;
        s.reach = length(offset) + s.radius;
        return s;
    }
    dvec2 corner[PLANE_MOST];
    if (shape->kind == ABUT_CAPSULE)
    {
        const double y = (double)shape->capsule.half_height;
        corner[0] = (dvec2){ 0.0, -y };
        corner[1] = (dvec2){ 0.0, y };
        s.count = 2;
        s.radius = (double)shape->capsule.radius;
    }
    else if (shape->kind == ABUT_POLYGON)
    {
        const abut_vec2 *vertex;
        s.count = (int)abut_geometry_vertices(shape->polygon, &vertex);
        for (int i = 0; i < s.count; ++i)
        {
            corner[i] = (dvec2){ (double)vertex[i].x, (double)vertex[i].y };
        }
    }
    else
    {
        const double x = (double)shape->box.half_extents.x, y = (double)shape->box.half_extents.y;
        const dvec2 box[4] = { { -x, -y }, { x, -y }, { x, y }, { -x, y } };
        s.count = 4;
        s.rectangle = true;
        s.thin = x == 0.0 || y == 0.0;
        turn = shape->kind == ABUT_AABB ? (dvec2){ 1.0, 0.0 } : turn;
        for (int i = 0; i < 4; ++i)
        {
            corner[i] = box[i];
        }
    }
    for (int i = 0; i < s.count; ++i)
    {
        const dvec2 t = turned(corner[i], turn);
        s.corner[i] = (dvec2){ centre.x + t.x, centre.y + t.y };
        s.reach = fmax(s.reach, length(t));
    }
    s.reach += s.radius + length(offset);
    return s;
}

static int by_place(const void *a, const void *b)
{
    const dvec2 *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->y > q->y) - (p->y < q->y);
}

// A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions" (1979). Sorts the points.
static int hull_of(dvec2 *points, int count, dvec2 *hull)
{
    int n = 0;
    qsort(points, (size_t)count, sizeof *points, by_place);
    for (int pass = 0; pass < 2; ++pass)
    {
        const int first = n;
        for (int k = 0; k < count; ++k)
        {
            const dvec2 p = points[pass ? count - 1 - k : k];
            while (n - first >= 2 && cross(sub(hull[n - 1], hull[n - 2]), sub(p, hull[n - 2])) <= 0.0)
            {
                --n;
            }
            hull[n++] = p;
        }
        --n; // the last is the first of the other half
    }
    return n > 0 ? n : 1;
}

static double to_segment(dvec2 p, dvec2 q, dvec2 point)
{
    const dvec2 side = sub(q, p), to = sub(point, p);
    const double square = dot(side, side), t = square > 0.0 ? dot(to, side) / square : 0.0;
    return length(sub(to, along((dvec2){ 0, 0 }, side, fmin(fmax(t, 0.0), 1.0))));
}

// How far the point is beyond the side it is farthest beyond; and the distance to the nearest side.
static double beyond(const dvec2 *polygon, int count, dvec2 point, double *nearest)
{
    double most = -HUGE_VAL;
    *nearest = HUGE_VAL;
    for (int i = 0; i < count; ++i)
    {
        const dvec2 p = polygon[i], q = polygon[(i + 1) % count];
        *nearest = fmin(*nearest, to_segment(p, q, point));
        if (length(sub(q, p)) > 0.0)
        {
            most = fmax(most, dot(outward(p, q), sub(point, p)));
        }
    }
    return most == -HUGE_VAL ? *nearest : most;
}

double point_distance_2d(const solid_2d *solid, dvec2 point)
{
    double nearest;
    const double most = beyond(solid->corner, solid->count, point, &nearest);
    return (most > 0.0 || solid->count < 3 ? nearest : -nearest) - solid->radius;
}

contact_2d collide_2d(const solid_2d *a, const solid_2d *b)
{
    dvec2 difference[PLANE_MOST * PLANE_MOST], hull[2 * PLANE_MOST * PLANE_MOST + 2];
    int count = 0;
    for (int i = 0; i < a->count; ++i)
    {
        for (int j = 0; j < b->count; ++j)
        {
            difference[count++] = sub(b->corner[j], a->corner[i]);
        }
    }
    count = hull_of(difference, count, hull);
    double nearest;
    const dvec2 origin = { 0.0, 0.0 };
    const double most = beyond(hull, count, origin, &nearest), radius = a->radius + b->radius;
    const bool inside = count > 2 && most <= 0.0;
    const double distance = (inside ? -nearest : nearest) - radius;
    contact_2d m = { .size = a->reach + b->reach, .low = distance, .high = distance };
    m.depth = distance < 0.0 ? -distance : 0.0;
    m.distance = distance > 0.0 ? distance : 0.0;
    if (a->rectangle && b->rectangle && distance > 0.0)
    {
        m.low = most;
        m.high = a->thin || b->thin ? distance : most;
    }
    return m;
}

int decide_2d(const contact_2d *contact, double margin)
{
    const double band = PLANE_BAND * contact->size;
    return contact->low > margin + band ? -1 : contact->high <= margin - band ? 1 : 0;
}

static double reach_along(const solid_2d *s, dvec2 direction)
{
    double most = -HUGE_VAL;
    for (int i = 0; i < s->count; ++i)
    {
        most = fmax(most, dot(s->corner[i], direction));
    }
    return most + s->radius;
}

double separation_along_2d(const solid_2d *a, const solid_2d *b, dvec2 direction)
{
    const dvec2 back = { -direction.x, -direction.y };
    return -reach_along(b, back) - reach_along(a, direction);
}

static bool wrong(char why[PLANE_WHY], const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(why, PLANE_WHY, format, arguments);
    va_end(arguments);
    return false;
}

// A point of a manifold as it should be.
typedef struct expected
{
    dvec2 at;
    double separation;
    double slack; // metres
} expected;

// One of them at most where nothing or next to nothing of the incident side is left.
typedef struct expectation
{
    expected end[2];
    int count;
    bool loose; // nothing is left: where the points are is not judged
} expectation;

// What is left of side j of q over side i of p, of which n is the outward normal; the points' separations are from p to
// q.
static expectation clip(const solid_2d *p, int i, const solid_2d *q, int j, dvec2 n, double exact)
{
    const dvec2 p0 = p->corner[i], u = { -n.y, n.x };
    const double most = dot(sub(p->corner[(i + 1) % p->count], p0), u);
    const dvec2 q0 = sub(q->corner[j], p0), q1 = sub(q->corner[(j + 1) % q->count], p0);
    const double u0 = dot(q0, u), u1 = dot(q1, u), h0 = dot(q0, n), h1 = dot(q1, n), run = u0 - u1;
    expectation e = { .loose = u1 > most - exact || u0 < exact || most < exact };
    const double slope = run > 0.0 ? (h0 - h1) / run : 0.0;
    const double at[2] = { fmin(u0, most), fmax(u1, 0.0) };
    for (int k = 0; k < 2; ++k)
    {
        const double h = run > exact ? h0 - slope * (u0 - at[k]) : k ? h1 : h0;
        e.end[k].separation = h - p->radius - q->radius;
        e.end[k].at = along(along(p0, u, at[k]), n, 0.5 * (h + p->radius - q->radius));
        e.end[k].slack = exact * (1.0 + fabs(slope));
    }
    e.count = run > exact && at[0] - at[1] < 2.0 * exact ? 1 : 2;
    e.loose = e.loose || fabs(slope) > 100.0 || run <= exact;
    return e;
}

// What is judged, and by what.
typedef struct trial
{
    const solid_2d *a, *b;
    const abut_manifold *m;
    dvec2 origin, normal;
    double margin, exact;
} trial;

static bool is_near(const trial *t, const abut_point *point, const expected *e)
{
    const dvec2 at = { t->origin.x + (double)point->offset.x, t->origin.y + (double)point->offset.y };
    return length(sub(at, e->at)) <= e->slack && fabs((double)point->separation - e->separation) <= e->slack;
}

static bool fits(const trial *t, const expectation *e)
{
    for (uint32_t k = 0; k < t->m->point_count; ++k)
    {
        if (!is_near(t, &t->m->points[k], &e->end[0]) && !is_near(t, &t->m->points[k], &e->end[1]))
        {
            return false;
        }
    }
    for (int k = 0; k < e->count; ++k)
    {
        bool found = e->end[k].separation > t->margin - e->end[k].slack;
        for (uint32_t i = 0; i < t->m->point_count; ++i)
        {
            found = found || is_near(t, &t->m->points[i], &e->end[k]);
        }
        if (!found)
        {
            return false;
        }
    }
    return true;
}

// Whether the points are those of a side of p with normal n against some side of q. `candidate`: there was such a side.
static bool stands_on_side(const trial *t, const solid_2d *p, const solid_2d *q, dvec2 n, bool *candidate)
{
    for (int i = 0; i < p->count; ++i)
    {
        const dvec2 side = outward(p->corner[i], p->corner[(i + 1) % p->count]);
        if (fabs(cross(side, n)) > 1e-5 || dot(side, n) < 0.5)
        {
            continue;
        }
        double least = HUGE_VAL;
        for (int j = 0; j < q->count; ++j)
        {
            const dvec2 facing = outward(q->corner[j], q->corner[(j + 1) % q->count]);
            least = facing.x == 0.0 && facing.y == 0.0 ? least : fmin(least, dot(facing, n));
        }
        for (int j = 0; j < q->count; ++j)
        {
            if (dot(outward(q->corner[j], q->corner[(j + 1) % q->count]), n) <= least + 1e-4)
            {
                const expectation e = clip(p, i, q, j, n, t->exact);
                *candidate = true;
                if (e.loose || fits(t, &e))
                {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool check_points(const trial *t, char why[PLANE_WHY])
{
    const abut_manifold *m = t->m;
    for (uint32_t k = 0; k < m->point_count; ++k)
    {
        const abut_point *p = &m->points[k];
        const double s = (double)p->separation;
        if (p->offset.z != 0.0f || s < (double)m->separation - t->exact ||
            (s > t->margin + t->exact && m->point_count > 1))
        {
            return wrong(why, "point %u at %g %g has separation %g, the manifold %g", k, (double)p->offset.x,
                         (double)p->offset.y, s, (double)m->separation);
        }
    }
    bool candidate = false;
    const dvec2 back = { -t->normal.x, -t->normal.y };
    const bool thin = t->a->thin || t->b->thin;
    if (t->a->count > 1 && t->b->count > 1 &&
        (stands_on_side(t, t->a, t->b, t->normal, &candidate) || stands_on_side(t, t->b, t->a, back, &candidate) ||
         thin))
    {
        return true;
    }
    // What is rounded and leans by more than rounding may be said to touch at one point, and its sides to be longer.
    const bool rounded = t->a->count == 2 || t->b->count == 2;
    if (candidate && !rounded)
    {
        return wrong(why, "%u points are not where the sides meet", m->point_count);
    }
    // Between the surfaces; what leans a little is measured at its side's middle line.
    bool sound = m->point_count == 1 || rounded;
    for (uint32_t k = 0; k < m->point_count; ++k)
    {
        const abut_point *p = &m->points[k];
        const dvec2 at = { t->origin.x + (double)p->offset.x, t->origin.y + (double)p->offset.y };
        const double half = 0.5 * (double)(m->point_count > 1 ? p->separation : m->separation);
        const double from_a = point_distance_2d(t->a, along(at, back, half));
        const double from_b = point_distance_2d(t->b, along(at, t->normal, half));
        const double slack = rounded ? 500.0 * t->exact : t->exact;
        sound = sound && fabs(from_a) <= slack && fabs(from_b) <= slack;
        if (!sound)
        {
            return wrong(why, "%u points, point %u %g from a and %g from b", m->point_count, k, from_a, from_b);
        }
    }
    return true;
}

static bool judge(const solid_2d *a, const solid_2d *b, dvec2 origin, double margin, double hysteresis,
                  const abut_manifold *m, char why[PLANE_WHY])
{
    const contact_2d contact = collide_2d(a, b);
    const int decision = decide_2d(&contact, margin);
    const double exact = PLANE_EXACT * contact.size;
    if (m->point_count > 2 || (decision < 0 && m->point_count) || (decision > 0 && !m->point_count))
    {
        return wrong(why, "%u points where the separation is %.9g to %.9g of size %g, margin %g", m->point_count,
                     contact.low, contact.high, contact.size, margin);
    }
    if (m->point_count == 0)
    {
        return true;
    }
    const dvec2 n = { (double)m->normal.x, (double)m->normal.y };
    const double separation = (double)m->separation, unit = length(n);
    if (m->normal.z != 0.0f || fabs(unit - 1.0) > 1e-5)
    {
        return wrong(why, "the normal is %g %g %g", n.x, n.y, (double)m->normal.z);
    }
    if (separation < contact.low - hysteresis - exact || separation > contact.high + exact)
    {
        return wrong(why, "separation %.9g, should be %.9g to %.9g", separation, contact.low, contact.high);
    }
    const dvec2 normal = { n.x / unit, n.y / unit };
    const double there = separation_along_2d(a, b, normal);
    if (fabs(there - separation) > exact)
    {
        return wrong(why, "separation %.9g, but %.9g along the normal %g %g", separation, there, n.x, n.y);
    }
    const trial t = { a, b, m, origin, normal, margin, exact };
    return check_points(&t, why);
}

bool check_2d(const solid_2d *a, const solid_2d *b, dvec2 origin, double margin, const abut_manifold *m,
              char why[PLANE_WHY])
{
    return judge(a, b, origin, margin, 0.0, m, why);
}

// The least width of a polygon across one of its sides: its middle is nearer to the side than that.
static double least_width(const solid_2d *s)
{
    double least = HUGE_VAL;
    for (int i = 0; i < s->count; ++i)
    {
        const dvec2 p = s->corner[i], side = sub(s->corner[(i + 1) % s->count], p);
        double most = 0.0;
        for (int k = 0; k < s->count; ++k)
        {
            const dvec2 to = sub(s->corner[k], p);
            most = fmax(most, fabs(side.x * to.y - side.y * to.x));
        }
        least = fmin(least, most / length(side));
    }
    return least;
}

double hysteresis_2d(const solid_2d *a, const solid_2d *b)
{
    if (a->count < 3 || b->count < 3)
    {
        return 0.0;
    }
    // half a thousandth of half of that; the middle of a polygon may be anywhere
    const double share = a->rectangle && b->rectangle ? 4096.0 : 2048.0;
    return fmin(least_width(a), least_width(b)) / share;
}

bool check_contact_2d(const solid_2d *a, const solid_2d *b, dvec2 origin, double margin, const abut_manifold *m,
                      char why[PLANE_WHY])
{
    return judge(a, b, origin, margin, hysteresis_2d(a, b), m, why);
}
