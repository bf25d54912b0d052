// What a character asks the world on its way.
#include "query/walker.h"

#include "math/rotation.h"

#include <math.h>

#define SLOPE_DEFAULT 0.78539816f // radians: 45 degrees
#define SKIN_DEFAULT  0.01f       // metres
#define GRAZING       0.05f       // cosine: of a way that meets a surface at less it keeps back no more
#define ROUNDED       1e-4f       // cosine: a slope of just the steepest is one
#define INWARD        2.0f        // skins behind an edge, and on both sides of it, a face is looked for

static abut_vec3 up_of(const abut_character *character)
{
    const float length = ab_vec3_length(character->up);
    return length > 0.0f ? abut_vec3_scale(character->up, 1.0f / length) : abut_vec3_make(0.0f, 1.0f, 0.0f);
}

// How far the shape is round, and how far below its position it reaches.
static void measure(ab_walker *w, const abut_pose *pose)
{
    const double down[3] = { -(double)w->up.x, -(double)w->up.y, -(double)w->up.z };
    double point[3];
    ab_convex convex;
    ab_query_asker(w->asked.world, &w->shape, pose, &convex);
    ab_convex_support(&convex, down, point);
    w->rounding = (float)convex.core.rounding;
    w->feet = -(float)(ab_dot(point, down) + convex.core.rounding);
}

void ab_walker_lay(ab_walker *out, const ab_questions *asked, uint32_t i, const abut_character *character)
{
    float sine;
    abut_pose pose = character->pose;
    (void)ab_pose_accept(&pose); // normalises
    out->asked = *asked;
    out->asked.accepted.ignore_each += asked->accepted.ignore_each ? i : 0;
    out->asked.accepted.mask_each += asked->accepted.mask_each ? i : 0;
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
    measure(out, &pose);
}

static void look(const ab_walker *w, abut_vec3 from, abut_vec3 way, uint32_t flags, abut_hit *hit)
{
    abut_cast cast = { .shape = w->shape, .translation = way };
    cast.pose.position = from;
    cast.pose.rotation = w->rotation;
    ab_cast_closest(&w->asked, flags, &cast, hit);
}

float ab_walker_room(const ab_walker *w, const ab_leg *leg)
{
    const float length = ab_vec3_length(leg->way), into = -abut_vec3_dot(leg->hit.normal, leg->way) / length;
    return leg->hit.fraction * length - w->skin / (into > GRAZING ? into : GRAZING);
}

void ab_walker_advance(const ab_walker *w, abut_vec3 from, abut_vec3 way, ab_leg *out)
{
    const float length = ab_vec3_length(way), reach = length + w->skin / GRAZING;
    *out = (ab_leg){ .from = from, .way = way, .gone = 1.0f };
    look(w, from, abut_vec3_scale(way, reach / length), ABUT_QUERY_SKIP_LEAVING, &out->hit);
    if (!ab_walker_met(&out->hit))
    {
        return;
    }
    out->hit.fraction *= reach / length;
    const float gone = ab_walker_room(w, out);
    if (gone >= length)
    {
        out->hit = (abut_hit){ .fraction = 1.0f };
        return;
    }
    out->gone = gone > 0.0f ? gone / length : 0.0f;
}

bool ab_walker_overlaps(const ab_walker *w, abut_vec3 at, abut_hit *hit)
{
    look(w, at, abut_vec3_make(0.0f, 0.0f, 0.0f), 0, hit);
    return ab_walker_met(hit) && (hit->flags & ABUT_HIT_INSIDE) != 0;
}

// The ray from above a point to as far below it.
static bool look_below(const ab_walker *w, abut_vec3 at, abut_vec3 above, abut_hit *face, abut_vec3 *point)
{
    const float by = INWARD * w->skin;
    const abut_ray ray = { abut_vec3_add(at, abut_vec3_scale(above, by)), abut_vec3_scale(above, -2.0f * by) };
    ab_ray_closest(&w->asked, ABUT_QUERY_SKIP_INSIDE, &ray, face);
    *point = abut_vec3_add(ray.origin, face->offset);
    return ab_walker_met(face);
}

// How far back on its way from where they would touch, of `back`, what is round is a skin away from an edge or corner.
static float skin_before(const ab_walker *w, abut_vec3 touching, abut_vec3 back)
{
    const float square = abut_vec3_dot(back, back), away = w->rounding * abut_vec3_dot(touching, back);
    const float wide = (2.0f * w->rounding + w->skin) * w->skin;
    const float part = square > 0.0f ? (sqrtf(away * away + square * wide) - away) / square : 1.0f;
    return part < 1.0f ? part : 1.0f;
}

// The normal of what it met, for where it is a skin away from that, if this decides whether it is ground. A round shape
// has an edge under another part of its rounding there than would touch it: under a steeper one when it comes from the
// side, and a flatter one from above. A face at the edge limits how far the normal turns.
static abut_vec3 normal_at_skin(const ab_walker *w, const ab_leg *leg)
{
    const abut_vec3 touching = leg->hit.normal, along = abut_vec3_cross(touching, w->up); // the edge
    const float square = abut_vec3_dot(along, along);
    if (!(w->rounding > 0.0f && square > 0.0f))
    {
        return touching;
    }
    abut_vec3 back = abut_vec3_scale(leg->way, leg->gone - leg->hit.fraction);
    back = abut_vec3_sub(back, abut_vec3_scale(along, abut_vec3_dot(back, along) / square));
    back = abut_vec3_scale(back, skin_before(w, touching, back));
    const abut_vec3 off = abut_vec3_add(abut_vec3_scale(touching, w->rounding), back);
    const abut_vec3 normal = abut_vec3_scale(off, 1.0f / ab_vec3_length(off));
    if (ab_walker_is_flat(w, touching) == ab_walker_is_flat(w, normal))
    {
        return touching;
    }
    abut_hit face;
    const abut_vec3 beside = abut_vec3_sub(back, abut_vec3_scale(touching, abut_vec3_dot(back, touching)));
    abut_vec3 point = abut_vec3_add(abut_vec3_add(leg->from, leg->hit.offset), beside);
    const bool limits = look_below(w, point, touching, &face, &point) &&
                        abut_vec3_dot(face.normal, touching) > abut_vec3_dot(normal, touching);
    return limits ? face.normal : normal;
}

bool ab_walker_can_stand(const ab_walker *w, const ab_leg *leg, float most, abut_vec3 *normal)
{
    const abut_vec3 inward = abut_vec3_negate(ab_walker_across(w, leg->hit.normal));
    const float length = ab_vec3_length(inward), by = INWARD * w->skin;
    *normal = normal_at_skin(w, leg);
    if (ab_walker_is_flat(w, *normal))
    {
        return true;
    }
    *normal = leg->hit.normal;
    if (!(length > 0.0f))
    {
        return false;
    }
    abut_hit face;
    abut_vec3 top = abut_vec3_add(leg->from, leg->hit.offset);
    top = abut_vec3_add(top, abut_vec3_scale(inward, by / length));
    if (!look_below(w, top, w->up, &face, &top) || !ab_walker_is_flat(w, face.normal) ||
        abut_vec3_dot(top, w->up) > most)
    {
        return false;
    }
    *normal = face.normal;
    return true;
}
