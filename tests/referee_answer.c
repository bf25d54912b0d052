// The referee's own manifold: what a right answer may look like, by the plainest route. It shows that the checks can be
// passed, and is compared with the library's.
#include "referee.h"

static abut_vec3 narrow(dvec3 v)
{
    return abut_vec3_make((float)v.x, (float)v.y, (float)v.z);
}

static const referee_axis *best_of(const referee_contact *contact, int first, int end)
{
    const referee_axis *best = NULL;
    for (int k = 0; k < contact->count; ++k)
    {
        const referee_axis *axis = &contact->axis[k];
        if (first <= axis->code && axis->code < end && (!best || best->separation < axis->separation))
        {
            best = axis;
        }
    }
    return best;
}

static const referee_axis *choose(const referee_contact *contact)
{
    double yield = 0.25 * REFEREE_PREFERENCE * contact->scale;
    const referee_axis *chosen = best_of(contact, 0, 3);
    const referee_axis *other = best_of(contact, 3, 6);
    const referee_axis *edges = best_of(contact, 6, 15);
    chosen = other && other->separation > chosen->separation + yield ? other : chosen;
    return edges && edges->separation > chosen->separation + yield ? edges : chosen;
}

static void put(abut_manifold *m, dvec3 offset, double separation, int code, int slot)
{
    abut_point *point = &m->points[m->point_count++];
    *point = (abut_point){ narrow(offset), (float)separation, (uint32_t)code << 8 | (uint32_t)slot };
}

static void edge_point(const referee_solid *a, const referee_solid *b, dvec3 origin, const referee_axis *axis,
                       abut_manifold *m)
{
    referee_crossing crossing = referee_cross(a, b, axis);
    put(m, dvec3_sub(crossing.middle, origin), axis->separation, axis->code, 0);
}

static int most_facing(const referee_solid *box, dvec3 direction)
{
    int most = 0;
    for (int i = 1; i < 3; ++i)
    {
        most = fabs(dvec3_dot(box->axis[i], direction)) > fabs(dvec3_dot(box->axis[most], direction)) ? i : most;
    }
    return most;
}

// The deepest vertex, and the three that span the most with it.
static void face_points(const referee_patch *patch, dvec3 outward, dvec3 origin, int code, double margin,
                        abut_manifold *m)
{
    int deepest = -1, chosen[4] = { 0 };
    for (int k = 0; k < patch->count; ++k)
    {
        deepest = deepest < 0 || patch->height[k] < patch->height[deepest] ? k : deepest;
    }
    double most = -1.0;
    for (int i = 0; i < patch->count && deepest >= 0; ++i)
    {
        for (int j = 0; j < patch->count; ++j)
        {
            for (int k = 0; k < patch->count; ++k)
            {
                dvec3 four[4] = { patch->vertex[deepest], patch->vertex[i], patch->vertex[j], patch->vertex[k] };
                bool near = fmax(patch->height[i], fmax(patch->height[j], patch->height[k])) <= margin;
                double area = near ? referee_best_four(four, 4, -1, outward) : -1.0;
                if (area > most)
                {
                    most = area;
                    chosen[0] = deepest, chosen[1] = i, chosen[2] = j, chosen[3] = k;
                }
            }
        }
    }
    for (int k = 0; k < 4 && most >= 0.0; ++k)
    {
        int slot = chosen[k];
        bool again = false;
        for (int other = 0; other < k; ++other)
        {
            again = again || chosen[other] == slot;
        }
        if (!again)
        {
            dvec3 middle = dvec3_along(patch->vertex[slot], -0.5 * patch->height[slot], outward);
            put(m, dvec3_sub(middle, origin), patch->height[slot], code, slot);
        }
    }
}

// Where the patch is empty (flat boxes, boxes that are only near each other): the incident box's lowest corner, brought
// over the reference face.
static void lone_point(const referee_solid *reference, const referee_solid *incident, dvec3 outward, dvec3 origin,
                       const referee_axis *axis, abut_manifold *m)
{
    dvec3 lowest = incident->centre, over = reference->centre;
    for (int i = 0; i < 3; ++i)
    {
        double side = -copysign(incident->half[i], dvec3_dot(incident->axis[i], outward));
        lowest = dvec3_along(lowest, side, incident->axis[i]);
    }
    for (int i = 0; i < 3; ++i)
    {
        double along = dvec3_dot(dvec3_sub(lowest, reference->centre), reference->axis[i]);
        double kept = fmax(-reference->half[i], fmin(reference->half[i], along));
        double face = copysign(reference->half[i], dvec3_dot(reference->axis[i], outward));
        over = dvec3_along(over, i == axis->code % 3 ? face : kept, reference->axis[i]);
    }
    over = dvec3_along(over, 0.5 * axis->separation, outward);
    put(m, dvec3_sub(over, origin), axis->separation, axis->code, 0);
}

abut_manifold referee_answer(const referee_solid *a, const referee_solid *b, dvec3 origin, double margin)
{
    abut_manifold m = { .point_count = 0 };
    referee_contact contact = referee_collide(a, b);
    if (contact.separation > margin)
    {
        return m;
    }
    bool boxes = !a->ball && !b->ball;
    const referee_axis *axis = boxes ? choose(&contact) : &contact.axis[contact.best];
    m.normal = narrow(axis->normal);
    m.separation = (float)axis->separation;
    if (a->ball || b->ball)
    {
        double half = a->ball ? a->radius + 0.5 * axis->separation : -b->radius - 0.5 * axis->separation;
        dvec3 from = a->ball ? a->centre : b->centre;
        put(&m, dvec3_sub(dvec3_along(from, half, axis->normal), origin), axis->separation, axis->code, 0);
    }
    else if (axis->code >= 6)
    {
        edge_point(a, b, origin, axis, &m);
    }
    else
    {
        const referee_solid *reference = axis->code < 3 ? a : b, *incident = axis->code < 3 ? b : a;
        dvec3 outward = dvec3_scale(axis->normal, axis->code < 3 ? 1.0 : -1.0);
        referee_patch patch =
            referee_clip(reference, axis->code % 3, outward, incident, most_facing(incident, outward));
        face_points(&patch, outward, origin, axis->code, margin, &m);
        if (m.point_count == 0)
        {
            lone_point(reference, incident, outward, origin, axis, &m);
        }
    }
    return m;
}
