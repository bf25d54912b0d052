// A referee for convex hulls: polytopes with a radius, given by vertices, edges and faces, against each other in double
// by trying everything: every face's normal and every two edges' for the depth, every vertex against every face and
// edge against edge for the distance.
#ifndef REFEREE_POLYTOPE_H
#define REFEREE_POLYTOPE_H

#include "referee_math.h"

#include <abut/collide.h>

#include <string.h>

enum
{
    POLYTOPE_VERTICES = 200,
    POLYTOPE_EDGES = 600,
    POLYTOPE_CORNERS = 1200
};

typedef struct polytope
{
    dvec3 vertex[POLYTOPE_VERTICES];
    uint32_t edge[POLYTOPE_EDGES][2];
    uint32_t corner[POLYTOPE_CORNERS]; // of faces, one after another
    uint32_t first[POLYTOPE_VERTICES * 2], count[POLYTOPE_VERTICES * 2];
    dvec3 normal[POLYTOPE_VERTICES * 2];
    uint32_t vertices, edges, faces;
    double radius, reach;
} polytope;

static inline dvec3 polytope_wide(abut_vec3 v)
{
    return dvec3_make((double)v.x, (double)v.y, (double)v.z);
}

static inline void polytope_add_face(polytope *p, const uint32_t *corners, uint32_t count)
{
    const uint32_t first = p->faces ? p->first[p->faces - 1] + p->count[p->faces - 1] : 0;
    double most = -1.0;
    p->first[p->faces] = first;
    p->count[p->faces] = count;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t from = corners[i], to = corners[(i + 1) % count];
        p->corner[first + i] = from;
        if (from < to)
        {
            p->edge[p->edges][0] = from;
            p->edge[p->edges++][1] = to;
        }
        for (uint32_t j = i + 1; j < count; ++j)
        {
            for (uint32_t k = j + 1; k < count; ++k)
            {
                const dvec3 a = p->vertex[corners[i]], u = dvec3_sub(p->vertex[corners[j]], a),
                            v = dvec3_sub(p->vertex[corners[k]], a), n = dvec3_cross(u, v);
                if (dvec3_length(n) > most)
                {
                    most = dvec3_length(n);
                    p->normal[p->faces] = dvec3_scale(n, 1.0 / most);
                }
            }
        }
    }
    ++p->faces;
}

static inline polytope polytope_of(const abut_shape *shape, const abut_pose *pose)
{
    polytope p;
    memset(&p, 0, sizeof p);
    dquat turn = { (double)pose->rotation.w, (double)pose->rotation.x, (double)pose->rotation.y,
                   (double)pose->rotation.z };
    const abut_vec3 *hull = NULL;
    const abut_vec3 h = shape->box.half_extents;
    const double half = shape->kind == ABUT_CAPSULE ? (double)shape->capsule.half_height : 0.0;
    p.vertices = shape->kind == ABUT_HULL      ? abut_geometry_hull_vertices(shape->hull, &hull)
                 : shape->kind == ABUT_SPHERE  ? 1
                 : half > 0.0                  ? 2
                 : shape->kind == ABUT_CAPSULE ? 1
                                               : 8;
    p.radius = shape->kind == ABUT_SPHERE    ? (double)shape->sphere.radius
               : shape->kind == ABUT_CAPSULE ? (double)shape->capsule.radius
                                             : 0.0;
    turn = shape->kind == ABUT_AABB ? (dquat){ 1, 0, 0, 0 } : turn;
    for (uint32_t i = 0; i < p.vertices; ++i)
    {
        const dvec3 at = hull ? polytope_wide(hull[i])
                         : p.vertices < 3
                             ? dvec3_make(0, i ? half : -half, 0)
                             : dvec3_make(i & 1 ? (double)h.x : -(double)h.x, i & 2 ? (double)h.y : -(double)h.y,
                                          i & 4 ? (double)h.z : -(double)h.z);
        p.reach = fmax(p.reach, dvec3_length(at) + p.radius);
        p.vertex[i] = dvec3_add(polytope_wide(pose->position), dquat_rotate(turn, at));
    }
    static const uint32_t box[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                        { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };
    const uint32_t faces = hull ? abut_geometry_hull_faces(shape->hull) : p.vertices == 8 ? 6 : 0;
    for (uint32_t f = 0; f < faces; ++f)
    {
        const uint32_t *corners = box[f % 6];
        const uint32_t count = hull ? abut_geometry_hull_face(shape->hull, f, &corners) : 4;
        polytope_add_face(&p, corners, count);
    }
    if (p.vertices == 2)
    {
        p.edges = 1;
        p.edge[0][1] = 1;
    }
    return p;
}

// How far the polytope, without its radius, reaches along a direction from a point.
static inline double polytope_reach(const polytope *p, dvec3 from, dvec3 direction)
{
    double most = -HUGE_VAL;
    for (uint32_t i = 0; i < p->vertices; ++i)
    {
        most = fmax(most, dvec3_dot(dvec3_sub(p->vertex[i], from), direction));
    }
    return most;
}

// The gap along a unit direction from a to b.
static inline double polytope_gap(const polytope *a, const polytope *b, dvec3 direction)
{
    const dvec3 from = a->vertex[0];
    return -polytope_reach(b, from, dvec3_scale(direction, -1.0)) - polytope_reach(a, from, direction) - a->radius -
           b->radius;
}

static inline dvec3 polytope_along(const polytope *p, uint32_t edge)
{
    return dvec3_sub(p->vertex[p->edge[edge][1]], p->vertex[p->edge[edge][0]]);
}

static inline double polytope_to_segment(dvec3 point, dvec3 a, dvec3 b)
{
    const dvec3 along = dvec3_sub(b, a), to = dvec3_sub(point, a);
    const double square = dvec3_dot(along, along), part = square > 0.0 ? dvec3_dot(to, along) / square : 0.0;
    return dvec3_length(dvec3_along(to, -fmax(0.0, fmin(1.0, part)), along));
}

// From a point to the nearest of the polytope without its radius; zero inside.
static inline double polytope_to_point(const polytope *p, dvec3 point)
{
    double least = p->vertices == 1 ? dvec3_length(dvec3_sub(point, p->vertex[0])) : HUGE_VAL;
    bool inside = p->faces > 0;
    for (uint32_t e = 0; e < p->edges; ++e)
    {
        least = fmin(least, polytope_to_segment(point, p->vertex[p->edge[e][0]], p->vertex[p->edge[e][1]]));
    }
    for (uint32_t f = 0; f < p->faces; ++f)
    {
        const uint32_t *corner = p->corner + p->first[f];
        const double height = dvec3_dot(dvec3_sub(point, p->vertex[corner[0]]), p->normal[f]);
        bool over = true;
        for (uint32_t i = 0; i < p->count[f] && height > 0.0; ++i)
        {
            const dvec3 a = p->vertex[corner[i]], b = p->vertex[corner[(i + 1) % p->count[f]]];
            over = over && dvec3_dot(dvec3_cross(p->normal[f], dvec3_sub(b, a)), dvec3_sub(point, a)) >= 0.0;
        }
        inside = inside && height <= 0.0;
        least = height > 0.0 && over ? fmin(least, height) : least;
    }
    return inside ? 0.0 : least;
}

static inline double polytope_between_edges(dvec3 p, dvec3 u, dvec3 q, dvec3 v)
{
    const dvec3 r = dvec3_sub(p, q);
    const double uu = dvec3_dot(u, u), vv = dvec3_dot(v, v), uv = dvec3_dot(u, v), ur = dvec3_dot(u, r),
                 vr = dvec3_dot(v, r);
    const double determinant = uu * vv - uv * uv;
    const double s = determinant > 0.0 ? (uv * vr - ur * vv) / determinant : -1.0;
    const double t = determinant > 0.0 ? (uu * vr - uv * ur) / determinant : -1.0;
    if (s < 0.0 || s > 1.0 || t < 0.0 || t > 1.0)
    {
        return HUGE_VAL; // an end is nearer: a vertex against the other edge
    }
    return dvec3_length(dvec3_along(dvec3_along(r, s, u), -t, v));
}

// The separation: Euclidean for cores that are apart, else the depth along the best axis; less the radii.
static inline double polytope_separation(const polytope *a, const polytope *b)
{
    double best = -HUGE_VAL, distance = HUGE_VAL;
    for (uint32_t f = 0; f < a->faces; ++f)
    {
        best = fmax(best, polytope_gap(a, b, a->normal[f]));
    }
    for (uint32_t f = 0; f < b->faces; ++f)
    {
        best = fmax(best, polytope_gap(a, b, dvec3_scale(b->normal[f], -1.0)));
    }
    for (uint32_t i = 0; i < a->edges; ++i)
    {
        for (uint32_t j = 0; j < b->edges; ++j)
        {
            const dvec3 u = polytope_along(a, i), v = polytope_along(b, j), n = dvec3_cross(u, v);
            const double length = dvec3_length(n);
            if (length > 1e-9 * dvec3_length(u) * dvec3_length(v))
            {
                const dvec3 unit = dvec3_scale(n, 1.0 / length);
                best = fmax(best, fmax(polytope_gap(a, b, unit), polytope_gap(a, b, dvec3_scale(unit, -1.0))));
            }
            distance = fmin(distance, polytope_between_edges(a->vertex[a->edge[i][0]], u, b->vertex[b->edge[j][0]], v));
        }
    }
    const double radii = a->radius + b->radius;
    const bool has_inside = a->faces > 0 || b->faces > 0;
    for (uint32_t i = 0; i < a->vertices; ++i)
    {
        distance = fmin(distance, polytope_to_point(b, a->vertex[i]));
    }
    for (uint32_t i = 0; i < b->vertices; ++i)
    {
        distance = fmin(distance, polytope_to_point(a, b->vertex[i]));
    }
    return has_inside && best + radii <= 0.0 ? best : distance - radii;
}

// What may be given up for naming a face rather than an edge, or a's face rather than b's.
static inline double polytope_preference(const polytope *a, const polytope *b)
{
    const polytope *side[2] = { a, b };
    double least = HUGE_VAL;
    for (int s = 0; s < 2; ++s)
    {
        for (uint32_t f = 0; f < side[s]->faces; ++f)
        {
            const dvec3 n = side[s]->normal[f], from = side[s]->vertex[0];
            least = fmin(least, polytope_reach(side[s], from, n) + polytope_reach(side[s], from, dvec3_scale(n, -1.0)));
        }
    }
    return a->faces > 0 && b->faces > 0 ? 0.5e-3 * least : 0.0;
}

#endif
