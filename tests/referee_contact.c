// The contact of two solids: sphere against sphere and box by their definition, box against box by the separating axis
// theorem over fifteen axes (Gottschalk, Lin, Manocha 1996), each formed explicitly and measured by projecting both
// boxes on it.
#include "referee.h"

static void add(referee_contact *contact, referee_axis axis)
{
    if (contact->count == 0 || contact->separation < axis.separation)
    {
        contact->separation = axis.separation;
        contact->best = contact->count;
    }
    contact->axis[contact->count++] = axis;
}

static referee_axis measure(const referee_solid *a, const referee_solid *b, dvec3 direction, int code)
{
    double length = dvec3_length(direction);
    dvec3 normal = dvec3_scale(direction, 1.0 / length);
    double apart = dvec3_dot(dvec3_sub(b->centre, a->centre), normal);
    if (apart < 0.0)
    {
        normal = dvec3_scale(normal, -1.0);
    }
    return (referee_axis){ normal, referee_separation_along(a, b, normal), length, code,
                           fabs(apart) <= REFEREE_EXACT * (a->reach + b->reach) };
}

static void box_box(const referee_solid *a, const referee_solid *b, referee_contact *contact)
{
    for (int i = 0; i < 3; ++i)
    {
        add(contact, measure(a, b, a->axis[i], i));
    }
    for (int j = 0; j < 3; ++j)
    {
        add(contact, measure(a, b, b->axis[j], 3 + j));
    }
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            dvec3 cross = dvec3_cross(a->axis[i], b->axis[j]);
            if (dvec3_length(cross) > 1e-10)
            {
                add(contact, measure(a, b, cross, 6 + 3 * i + j));
            }
        }
    }
}

static void ball_ball(const referee_solid *a, const referee_solid *b, referee_contact *contact)
{
    dvec3 apart = dvec3_sub(b->centre, a->centre);
    double distance = dvec3_length(apart);
    dvec3 normal = distance > 0.0 ? dvec3_scale(apart, 1.0 / distance) : dvec3_make(0, 1, 0);
    add(contact,
        (referee_axis){ normal, distance - a->radius - b->radius, fmin(1.0, distance / contact->scale), 0, false });
}

// A centre inside the box (or on it, to rounding) leaves by any of the nearest faces; one outside, along the way to the
// nearest point.
static void ball_box(const referee_solid *ball, const referee_solid *box, referee_contact *contact)
{
    double distance = referee_point_distance(box, ball->centre);
    if (distance <= 1e-12 * contact->scale)
    {
        for (int i = 0; i < 3; ++i)
        {
            referee_axis face = measure(ball, box, box->axis[i], i);
            face.length = fmin(1.0, fabs(face.separation + ball->radius) / contact->scale);
            add(contact, face);
        }
        return;
    }
    dvec3 apart = dvec3_sub(ball->centre, box->centre);
    dvec3 nearest = box->centre;
    for (int i = 0; i < 3; ++i)
    {
        double along = dvec3_dot(apart, box->axis[i]);
        nearest = dvec3_along(nearest, fmax(-box->half[i], fmin(box->half[i], along)), box->axis[i]);
    }
    dvec3 normal = dvec3_normalise(dvec3_sub(nearest, ball->centre));
    double part = fmin(1.0, distance / contact->scale);
    add(contact, (referee_axis){ normal, distance - ball->radius, part, 0, false });
}

static void keep_shorter(dvec3 *best, dvec3 way)
{
    *best = dvec3_length(way) < dvec3_length(*best) ? way : *best;
}

// Closest points of two segments p + s u and q + t v, s and t in [0, 1] (Ericson, Real-Time Collision Detection,
// 5.1.9). Both clampings are tried from either side and the smallest kept, so that nearly parallel ones cannot go
// astray. Gives the way from the first to the second.
static dvec3 between_segments(dvec3 p, dvec3 u, dvec3 q, dvec3 v)
{
    dvec3 r = dvec3_sub(p, q);
    double uu = dvec3_dot(u, u), vv = dvec3_dot(v, v), uv = dvec3_dot(u, v);
    double ur = dvec3_dot(u, r), vr = dvec3_dot(v, r);
    double determinant = uu * vv - uv * uv;
    double tries[3] = { 0.0, 1.0, determinant > 0.0 ? (uv * vr - ur * vv) / determinant : 0.5 };
    dvec3 best = { HUGE_VAL, 0, 0 };
    for (int k = 0; k < 3; ++k)
    {
        double s = fmax(0.0, fmin(1.0, tries[k]));
        double t = vv > 0.0 ? fmax(0.0, fmin(1.0, (vr + s * uv) / vv)) : 0.0;
        s = uu > 0.0 ? fmax(0.0, fmin(1.0, (t * uv - ur) / uu)) : 0.0;
        keep_shorter(&best, dvec3_sub(dvec3_scale(v, t), dvec3_along(r, s, u)));
    }
    return best;
}

static dvec3 edge(const referee_solid *box, int index, dvec3 *along)
{
    int axis = index >> 2;
    int low = (index & 1) << ((axis + 1) % 3) | (index >> 1 & 1) << ((axis + 2) % 3);
    *along = dvec3_scale(box->axis[axis], 2.0 * box->half[axis]);
    return referee_corner(box, low);
}

// From the point to the nearest of the box.
static dvec3 towards_box(const referee_solid *box, dvec3 point)
{
    dvec3 apart = dvec3_sub(point, box->centre), nearest = box->centre;
    for (int i = 0; i < 3; ++i)
    {
        double along = dvec3_dot(apart, box->axis[i]);
        nearest = dvec3_along(nearest, fmax(-box->half[i], fmin(box->half[i], along)), box->axis[i]);
    }
    return dvec3_sub(nearest, point);
}

// The shortest way from one box to another that it does not overlap.
static dvec3 between_boxes(const referee_solid *a, const referee_solid *b)
{
    dvec3 best = { HUGE_VAL, 0, 0 };
    for (int k = 0; k < 8; ++k)
    {
        keep_shorter(&best, towards_box(b, referee_corner(a, k)));
        keep_shorter(&best, dvec3_scale(towards_box(a, referee_corner(b, k)), -1.0));
    }
    for (int i = 0; i < 12; ++i)
    {
        dvec3 u, v;
        dvec3 p = edge(a, i, &u);
        for (int j = 0; j < 12; ++j)
        {
            dvec3 q = edge(b, j, &v);
            keep_shorter(&best, between_segments(p, u, q, v));
        }
    }
    return best;
}

static bool is_box(const referee_solid *solid)
{
    return !solid->ball && !solid->capsule;
}

// Two cores overlap when no axis of the theorem parts them, or, where neither has an inside, when nothing is between
// them.
static void rounded(const referee_solid *a, const referee_solid *b, referee_contact *contact)
{
    referee_solid core_a = *a, core_b = *b;
    core_a.radius = core_b.radius = 0.0;
    referee_contact cores = { .scale = contact->scale };
    box_box(&core_a, &core_b, &cores);
    dvec3 way = between_boxes(&core_a, &core_b);
    double distance = dvec3_length(way);
    bool apart = cores.separation > 0.0 || (!is_box(a) && !is_box(b));
    if (apart && distance > 1e-12 * contact->scale)
    {
        add(contact, (referee_axis){ dvec3_scale(way, 1.0 / distance), distance - a->radius - b->radius,
                                     fmin(1.0, distance / contact->scale), 0, false });
    }
    else
    {
        box_box(a, b, contact);
    }
}

static void turn_round(referee_contact *contact)
{
    for (int k = 0; k < contact->count; ++k)
    {
        contact->axis[k].normal = dvec3_scale(contact->axis[k].normal, -1.0);
    }
}

referee_contact referee_collide(const referee_solid *a, const referee_solid *b)
{
    referee_contact contact = { .scale = a->reach + b->reach };
    contact.band = REFEREE_BAND * contact.scale;
    if (a->capsule || b->capsule)
    {
        rounded(a, b, &contact);
    }
    else if (a->ball && b->ball)
    {
        ball_ball(a, b, &contact);
    }
    else if (a->ball)
    {
        ball_box(a, b, &contact);
    }
    else if (b->ball)
    {
        ball_box(b, a, &contact);
        turn_round(&contact);
    }
    else
    {
        box_box(a, b, &contact);
    }
    return contact;
}

bool referee_is_near_face(const referee_solid *a, const referee_solid *b, const referee_axis *axis, double share)
{
    if (axis->code < 6)
    {
        return false;
    }
    const int i = (axis->code - 6) / 3, j = (axis->code - 6) % 3;
    double sine = 1.0; // of either edge against any face of the other box that it may lie in
    for (int k = 1; k < 3; ++k)
    {
        sine = fmin(sine, fabs(dvec3_dot(a->axis[i], b->axis[(j + k) % 3])));
        sine = fmin(sine, fabs(dvec3_dot(a->axis[(i + k) % 3], b->axis[j])));
    }
    const double narrow = share * REFEREE_NEAR_FACE, wide = axis->separation < 0.0 ? share / 16.0 : narrow;
    return sine <= fmin(narrow, wide * axis->length);
}

double referee_near_face_yield(const referee_solid *a, const referee_solid *b, const referee_contact *contact)
{
    const double across = 2.0 * contact->scale, nearly = REFEREE_EXACT * contact->scale;
    double faces = -HUGE_VAL;
    bool near_face = false;
    for (int k = 0; k < contact->count && is_box(a) && is_box(b); ++k)
    {
        const referee_axis *axis = &contact->axis[k];
        faces = axis->code < 6 ? fmax(faces, axis->separation) : faces;
        near_face =
            near_face || (axis->separation > contact->separation - nearly && referee_is_near_face(a, b, axis, 1.001));
    }
    return near_face ? fmin(contact->separation - faces, REFEREE_NEAR_FACE * across) : 0.0;
}

double referee_distance(const referee_solid *a, const referee_solid *b)
{
    if (!a->capsule && !b->capsule && (a->ball || b->ball))
    {
        double gap = a->ball ? referee_point_distance(b, a->centre) - a->radius
                             : referee_point_distance(a, b->centre) - b->radius;
        return fmax(0.0, gap);
    }
    double separation = referee_collide(a, b).separation;
    return separation <= 0.0 ? 0.0 : is_box(a) && is_box(b) ? dvec3_length(between_boxes(a, b)) : separation;
}

referee_range referee_blur(const referee_solid *a, const referee_solid *b, const referee_contact *contact)
{
    referee_range range = { contact->separation, contact->separation };
    if (contact->separation <= 0.0 || !is_box(a) || !is_box(b))
    {
        return range;
    }
    double distance = referee_distance(a, b);
    range.low = -HUGE_VAL;
    for (int k = 0; k < contact->count; ++k)
    {
        const referee_axis *axis = &contact->axis[k];
        double turn = axis->code < 6 ? 0.0 : fmin(1.0, 5e-7 / axis->length);
        range.low = fmax(range.low, axis->separation - turn * distance);
        range.high = fmax(range.high, fmin(distance, axis->separation + turn * distance));
    }
    return range;
}

referee_verdict referee_decide_contact(const referee_solid *a, const referee_solid *b, const referee_contact *contact,
                                       double margin)
{
    double slack = contact->band + REFEREE_BAND * margin;
    referee_range range = { contact->separation, contact->separation };
    if (margin > 0.0)
    {
        range = referee_blur(a, b, contact);
    }
    if (range.low - slack <= margin && margin <= range.high + slack)
    {
        return REFEREE_UNDECIDED;
    }
    return range.high < margin ? REFEREE_TOUCHING : REFEREE_APART;
}

referee_verdict referee_decide(const referee_solid *a, const referee_solid *b, double margin)
{
    // The separation of boxes may be less than their distance, but not less than a third of it.
    dvec3 apart = dvec3_sub(b->centre, a->centre);
    double far = (a->reach + b->reach + 3.0 * margin) * (1.0 + 2.0 * REFEREE_BAND);
    if (dvec3_dot(apart, apart) > far * far)
    {
        return REFEREE_APART;
    }
    referee_contact contact = referee_collide(a, b);
    return referee_decide_contact(a, b, &contact, margin);
}
