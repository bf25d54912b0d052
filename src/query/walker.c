// What a character asks the world on its way.
#include "query/walker.h"

#include "math/rotation.h"

#define SLOPE_DEFAULT 0.78539816f // radians: 45 degrees
#define SKIN_DEFAULT  0.01f       // metres
#define GRAZING       0.05f       // cosine: of a way that meets a surface at less it keeps back no more
#define ROUNDED       1e-4f       // cosine: a slope of just the steepest is one
#define INWARD        2.0f        // skins behind an edge, and on both sides of its height, a face is looked for

static abut_vec3 up_of(const abut_character *character)
{
    const float length = ab_vec3_length(character->up);
    return length > 0.0f ? abut_vec3_scale(character->up, 1.0f / length) : abut_vec3_make(0.0f, 1.0f, 0.0f);
}

// How far the shape reaches along a direction from its position.
static float reach_of(const ab_walker *w, const abut_pose *pose, abut_vec3 direction)
{
    const double along[3] = { (double)direction.x, (double)direction.y, (double)direction.z };
    double point[3];
    ab_convex convex;
    ab_query_asker(w->asked.world, &w->shape, pose, &convex);
    ab_convex_support(&convex, along, point);
    return (float)(ab_dot(point, along) + convex.core.rounding);
}

void ab_walker_lay(ab_walker *out, const ab_questions *asked, uint32_t i, const abut_character *character)
{
    float sine;
    abut_pose pose = character->pose;
    (void)ab_pose_accept(&pose); // normalises
    out->asked = *asked;
    out->asked.accepted.ignore_each += asked->accepted.ignore_each ? i : 0;
    out->asked.lists = NULL;
    out->shape = character->shape;
    out->rotation = pose.rotation;
    out->start = pose.position;
    out->up = up_of(character);
    ab_sincos_float(character->max_slope > 0.0f ? character->max_slope : SLOPE_DEFAULT, &sine, &out->flat);
    out->flat -= ROUNDED;
    out->skin = character->skin > 0.0f ? character->skin : SKIN_DEFAULT;
    out->step = character->step_height;
    out->snap = character->snap_distance > out->skin ? character->snap_distance : out->skin;
    out->feet = -reach_of(out, &pose, abut_vec3_negate(out->up));
}

static void look(const ab_walker *w, abut_vec3 from, abut_vec3 way, uint32_t flags, abut_hit *hit)
{
    abut_cast cast = { .shape = w->shape, .translation = way };
    cast.pose.position = from;
    cast.pose.rotation = w->rotation;
    ab_cast_closest(&w->asked, flags, &cast, hit);
}

// How far a way goes on beyond its end for what has its skin there.
static float reach_of_way(const ab_walker *w, float length)
{
    return length + w->skin / GRAZING;
}

float ab_walker_room(const ab_walker *w, abut_vec3 direction, float length, const abut_hit *hit)
{
    const float into = -abut_vec3_dot(hit->normal, direction);
    return hit->fraction * reach_of_way(w, length) - w->skin / (into > GRAZING ? into : GRAZING);
}

float ab_walker_advance(const ab_walker *w, abut_vec3 from, abut_vec3 way, abut_hit *hit)
{
    const float length = ab_vec3_length(way);
    look(w, from, abut_vec3_scale(way, reach_of_way(w, length) / length), ABUT_QUERY_SKIP_LEAVING, hit);
    if (!ab_walker_met(hit))
    {
        return 1.0f;
    }
    const float gone = ab_walker_room(w, abut_vec3_scale(way, 1.0f / length), length, hit);
    if (gone >= length)
    {
        *hit = (abut_hit){ .fraction = 1.0f };
        return 1.0f;
    }
    return gone > 0.0f ? gone / length : 0.0f;
}

bool ab_walker_overlaps(const ab_walker *w, abut_vec3 at, abut_hit *hit)
{
    look(w, at, abut_vec3_make(0.0f, 0.0f, 0.0f), 0, hit);
    return ab_walker_met(hit) && (hit->flags & ABUT_HIT_INSIDE) != 0;
}

bool ab_walker_can_stand(const ab_walker *w, abut_vec3 from, const abut_hit *hit, float most, abut_vec3 *normal)
{
    const abut_vec3 inward = abut_vec3_negate(ab_walker_across(w, hit->normal));
    const float length = ab_vec3_length(inward), by = INWARD * w->skin;
    *normal = hit->normal;
    if (abut_vec3_dot(hit->normal, w->up) >= w->flat)
    {
        return true;
    }
    if (!(length > 0.0f))
    {
        return false;
    }
    const abut_vec3 edge = abut_vec3_add(from, hit->offset);
    const abut_vec3 above = abut_vec3_add(edge, abut_vec3_scale(w->up, by));
    const abut_ray ray = { abut_vec3_add(above, abut_vec3_scale(inward, by / length)),
                           abut_vec3_scale(w->up, -2.0f * by) };
    abut_hit face;
    ab_ray_closest(&w->asked, ABUT_QUERY_SKIP_INSIDE, &ray, &face);
    const abut_vec3 top = abut_vec3_add(ray.origin, face.offset);
    if (!ab_walker_met(&face) || abut_vec3_dot(face.normal, w->up) < w->flat || abut_vec3_dot(top, w->up) > most)
    {
        return false;
    }
    *normal = face.normal;
    return true;
}
