// Characters. A move is made of casts: each goes on along the planes of what was met before. On the ground those planes
// are upright, so that walls neither lift nor lower, and the ground says how a way across `up` rises.
#include "query/walker.h"

#include "math/rotation.h"
#include "query/half_spaces.h"
#include "query/planes.h"
#include "shape/shape_table.h"

#include <math.h>

#define HALF_PI 1.5707963f
#define PUSHES  4     // out of overlaps
#define LEGS    24    // of one slide, with changes of the ground
#define LEAST   1e-3f // skins: shorter ways are gone
#define LEVEL   1e-4f // sine: what rises by no more does not take off, and planes that lean by no more are level
#define FARTHER 1e-3f // of a way: by so much more a step must lead on,
#define BEYOND  2.0f  // skins: by so much what lies as high, which may be the same ground in the skin of a wall
#define STRIDE  3.0f  // skins: so far on a step is looked for, and gone, and so far down beside what is steep
#define SUNK    0.1f  // skins: ground that is nearer by more lifts it; by less it may be rounding

_Static_assert(PUSHES < AB_HALF_SPACES, "all that pushes it is solved at once");
_Static_assert(PUSHES + 4 * AB_WALLS <= ABUT_CHARACTER_TOUCHES, "it walks, from a step on, too, falls, and walks on");

static abut_touch touch_of(const ab_walker *w, abut_vec3 from, const abut_hit *hit)
{
    return (abut_touch){ .body = hit->body,
                         .collider = hit->collider,
                         .child = hit->child,
                         .offset = abut_vec3_sub(abut_vec3_add(from, hit->offset), w->start),
                         .normal = hit->normal,
                         .depth = hit->depth };
}

// Notes what is in the way, and what the planes, with one in its place, leave of the way and the translation. False
// when no more planes are tried.
static bool turn(const abut_touch *met, abut_vec3 normal, ab_planes *p, abut_vec3 *way, abut_character_move *m)
{
    abut_touch *touch = &m->touches[m->touch_count++];
    const float into = abut_vec3_dot(*way, normal);
    *touch = *met;
    touch->stopped = abut_vec3_scale(normal, into < 0.0f ? into : 0.0f);
    p->normal[p->count++] = normal;
    *way = ab_planes_clip(p, p->way);
    m->translation = ab_planes_clip(p, p->translation);
    return p->count < AB_WALLS;
}

// Of what is too steep to stand on: the upright plane where it meets the ground. What is level with that has none.
static abut_vec3 wall_on(const ab_walker *w, abut_vec3 normal, abut_vec3 ground)
{
    const float level = abut_vec3_dot(normal, w->up) / abut_vec3_dot(ground, w->up);
    const abut_vec3 across = ab_walker_across(w, abut_vec3_sub(normal, abut_vec3_scale(ground, level)));
    const float length = ab_vec3_length(across);
    return length > LEVEL ? abut_vec3_scale(across, 1.0f / length) : normal;
}

static bool is_over(const ab_walker *w, abut_vec3 way)
{
    return !(ab_vec3_length(way) > LEAST * w->skin);
}

// A way across `up` as it goes over ground.
static abut_vec3 over_ground(const ab_walker *w, abut_vec3 across, abut_vec3 ground)
{
    return abut_vec3_sub(across, abut_vec3_scale(w->up, abut_vec3_dot(across, ground) / abut_vec3_dot(w->up, ground)));
}

static float height_of(const ab_walker *w, abut_vec3 at)
{
    return abut_vec3_dot(at, w->up);
}

// How high the top of a step may be.
static float highest_step(const ab_walker *w, abut_vec3 from)
{
    return height_of(w, from) + w->feet + w->step + w->skin;
}

// Whether what it met goes on as its ground: a slope, and one that it can stand on where it stops. An edge that is one
// only where they would touch would lift it, and be no ground then.
static bool is_walked_on(const ab_walker *w, const ab_leg *leg)
{
    abut_vec3 normal;
    return ab_walker_is_flat(w, leg->hit.normal) &&
           ab_walker_can_stand(w, leg, highest_step(w, ab_leg_end(leg)), &normal);
}

// Goes a way across `up` over the ground and along walls, of which one may be known. Returns the normal of the first of
// them; zero: there is none.
static abut_vec3 walk(const ab_walker *w, abut_vec3 ground, abut_vec3 across, const abut_touch *known,
                      abut_character_move *m)
{
    const abut_vec3 wanted = across;
    ab_planes p = ab_planes_none(across, m->translation);
    p.normal[0] = abut_vec3_make(0.0f, 0.0f, 0.0f);
    if (known)
    {
        (void)turn(known, wall_on(w, known->normal, ground), &p, &across, m);
    }
    for (int i = 0; i < LEGS && !is_over(w, across) && abut_vec3_dot(across, wanted) > 0.0f; ++i)
    {
        ab_leg leg;
        ab_walker_advance(w, m->position, over_ground(w, across, ground), &leg);
        m->position = ab_leg_end(&leg);
        if (!ab_walker_met(&leg.hit))
        {
            break;
        }
        across = abut_vec3_scale(across, 1.0f - leg.gone);
        p.way = abut_vec3_scale(p.way, 1.0f - leg.gone);
        if (is_walked_on(w, &leg))
        {
            ground = leg.hit.normal;
        }
        else
        {
            const abut_touch met = touch_of(w, leg.from, &leg.hit);
            const bool goes = turn(&met, wall_on(w, met.normal, ground), &p, &across, m);
            across = goes ? across : abut_vec3_make(0.0f, 0.0f, 0.0f);
        }
    }
    return p.normal[0];
}

// Whether it can stand on what it would come to within a skin's height if it slid down from the end of a leg along what
// it met there, which is steep: then it stands beside that. What it stands on goes to *leg.
static bool stands_beside(const ab_walker *w, float most, ab_leg *leg, abut_vec3 *normal)
{
    ab_leg slide;
    abut_vec3 ground;
    const abut_vec3 across = ab_walker_across(w, leg->hit.normal);
    const float sine = ab_vec3_length(across), rise = abut_vec3_dot(leg->hit.normal, w->up);
    const float far = w->skin * (STRIDE * sine > 1.0f ? 1.0f / sine : STRIDE);
    const abut_vec3 down = abut_vec3_sub(abut_vec3_scale(across, rise / sine), abut_vec3_scale(w->up, sine));
    ab_walker_advance(w, ab_leg_end(leg), abut_vec3_scale(down, far), &slide);
    if (!ab_walker_met(&slide.hit) || !ab_walker_can_stand(w, &slide, most, &ground))
    {
        return false;
    }
    *normal = ground;
    *leg = slide;
    return true;
}

// Rises to the skin of ground below that has come nearer, as a slow lift does, as far as there is room above.
static void keep_off(const ab_walker *w, const ab_leg *down, abut_character_move *m)
{
    const float rise = -ab_walker_room(w, down);
    if (rise > SUNK * w->skin && ab_walker_is_flat(w, down->hit.normal) && !(down->hit.flags & ABUT_HIT_INSIDE))
    {
        ab_leg up;
        ab_walker_advance(w, m->position, abut_vec3_scale(w->up, rise), &up);
        m->position = ab_leg_end(&up);
    }
}

// Comes down to what it can stand on, if that is no farther than `depth` and no higher than `most`.
static bool come_down(const ab_walker *w, float depth, float most, abut_character_move *m)
{
    ab_leg leg;
    abut_vec3 normal;
    ab_walker_advance(w, m->position, abut_vec3_scale(w->up, -depth), &leg);
    m->footing = ABUT_FOOTING_NONE;
    m->ground = (abut_touch){ .depth = 0.0f };
    if (!ab_walker_met(&leg.hit))
    {
        return false;
    }
    ab_leg on = leg; // the one that met what it stands on
    const bool stands = ab_walker_can_stand(w, &leg, most, &normal) || stands_beside(w, most, &on, &normal);
    m->footing = stands ? ABUT_FOOTING_GROUND : ABUT_FOOTING_STEEP;
    m->ground = touch_of(w, on.from, &on.hit);
    m->ground.normal = normal;
    if (stands)
    {
        m->position = ab_leg_end(&leg);
        keep_off(w, &leg, m);
    }
    return stands;
}

// The velocity after a slide through the air: what leads upward may lift it, but it does not go on faster than before.
static abut_vec3 not_lifted(const ab_walker *w, abut_vec3 translation, abut_vec3 wanted)
{
    const float rise = abut_vec3_dot(wanted, w->up), most = rise > 0.0f ? rise : 0.0f;
    const float by = abut_vec3_dot(translation, w->up) - most;
    return abut_vec3_sub(translation, abut_vec3_scale(w->up, by > 0.0f ? by : 0.0f));
}

// Goes a way through the air, and on over the ground where it lands. Whether it does.
static bool fly(const ab_walker *w, abut_vec3 way, abut_character_move *m)
{
    ab_planes p = ab_planes_none(way, m->translation);
    for (bool goes = true; goes && !is_over(w, way);)
    {
        ab_leg leg;
        abut_vec3 normal;
        ab_walker_advance(w, m->position, way, &leg);
        const bool falls = abut_vec3_dot(way, w->up) < 0.0f;
        m->position = ab_leg_end(&leg);
        way = abut_vec3_scale(way, 1.0f - leg.gone);
        p.way = abut_vec3_scale(p.way, 1.0f - leg.gone);
        if (!ab_walker_met(&leg.hit))
        {
            return false;
        }
        if (falls && ab_walker_can_stand(w, &leg, highest_step(w, m->position), &normal))
        {
            m->translation = ab_walker_across(w, m->translation);
            (void)walk(w, normal, ab_walker_across(w, way), NULL, m);
            return true;
        }
        const float rises = abut_vec3_dot(leg.hit.normal, w->up);
        const abut_vec3 wall = wall_on(w, leg.hit.normal, w->up);
        const bool lifts =
            rises > 0.0f && rises < w->flat && abut_vec3_dot(way, wall) < -AB_PLANES_FREE * ab_vec3_length(way);
        const abut_touch met = touch_of(w, leg.from, &leg.hit);
        goes = turn(&met, lifts ? wall : leg.hit.normal, &p, &way, m);
        m->translation = not_lifted(w, m->translation, p.translation);
        if (lifts) // it falls on by what the wall leaves: the ground below is met next
        {
            p.way = way;
            p.translation = m->translation;
        }
    }
    return false;
}

// Whether a step led farther than `m` went along walls.
static bool leads_on(const ab_walker *w, const abut_character_move *over, abut_vec3 across,
                     const abut_character_move *m)
{
    const float length = ab_vec3_length(across);
    const abut_vec3 by = abut_vec3_sub(over->position, m->position);
    const float farther = abut_vec3_dot(by, across) / length, higher = abut_vec3_dot(by, w->up);
    return farther > FARTHER * length && (higher > w->skin || farther > BEYOND * w->skin);
}

// Up by a step, on, over the wall by STRIDE at least, and down again. False if it cannot stand there.
static bool step(const ab_walker *w, abut_vec3 across, abut_vec3 wall, abut_character_move *over)
{
    ab_leg leg;
    const float into = -abut_vec3_dot(across, wall), least = STRIDE * w->skin;
    const float most = highest_step(w, over->position);
    ab_walker_advance(w, over->position, abut_vec3_scale(w->up, w->step), &leg);
    over->position = ab_leg_end(&leg);
    (void)walk(w, w->up, into < least ? abut_vec3_sub(across, abut_vec3_scale(wall, least - into)) : across, NULL,
               over);
    return come_down(w, w->step * leg.gone + w->snap, most, over);
}

// A step over the wall that stopped it, if that leads farther than `m` went along it. Where a long one ends too high,
// which on stairs it may, a short one is tried, and the rest walked from there; what is too steep to end on is a wall.
static void climb(const ab_walker *w, const abut_character_move *before, abut_vec3 across, abut_vec3 wall,
                  abut_character_move *m)
{
    abut_character_move over = *before;
    const float length = ab_vec3_length(across), least = STRIDE * w->skin;
    bool stands = step(w, across, wall, &over);
    if (!stands && length > least)
    {
        const float part = least / length;
        over = *before;
        stands = step(w, abut_vec3_scale(across, part), wall, &over);
        if (stands)
        {
            abut_vec3 rest = abut_vec3_scale(across, 1.0f - part);
            abut_character_move on = over;
            (void)walk(w, over.ground.normal, rest, NULL, &on);
            (void)come_down(w, w->snap, highest_step(w, on.position), &on);
            if (on.footing == ABUT_FOOTING_STEEP)
            {
                ab_planes p = ab_planes_none(rest, over.translation);
                (void)turn(&on.ground, wall_on(w, on.ground.normal, over.ground.normal), &p, &rest, &over);
            }
            else
            {
                over = on;
            }
        }
    }
    if (stands && leads_on(w, &over, across, m))
    {
        *m = over;
    }
}

// Goes over the ground, along walls, of which one may be known, and over steps.
static void walk_or_climb(const ab_walker *w, const abut_character_move *before, abut_vec3 across,
                          const abut_touch *known, abut_character_move *m)
{
    const abut_vec3 ground = before->footing == ABUT_FOOTING_GROUND ? before->ground.normal : w->up;
    *m = *before;
    const abut_vec3 wall = walk(w, ground, across, known, m);
    if (m->touch_count > before->touch_count && w->step > 0.0f)
    {
        climb(w, before, across, ab_walker_across(w, wall), m);
    }
}

// What is too steep to stand on, and has lifted it from ground, is a wall.
static bool is_wall(const ab_walker *w, const abut_character_move *before, abut_vec3 across,
                    const abut_character_move *m)
{
    return before->footing == ABUT_FOOTING_GROUND && m->footing == ABUT_FOOTING_STEEP &&
           height_of(w, m->position) > height_of(w, before->position) &&
           abut_vec3_dot(wall_on(w, m->ground.normal, before->ground.normal), across) < 0.0f;
}

// Goes over the ground, and falls where it ends.
static void go(const ab_walker *w, abut_vec3 translation, abut_character_move *m)
{
    const abut_vec3 across = ab_walker_across(w, translation);
    (void)come_down(w, w->snap, highest_step(w, m->position), m);
    m->translation = across;
    const abut_character_move before = *m;
    walk_or_climb(w, &before, across, NULL, m);
    bool stands = come_down(w, w->snap, highest_step(w, m->position), m);
    if (is_wall(w, &before, across, m))
    {
        const abut_touch steep = m->ground;
        walk_or_climb(w, &before, across, &steep, m);
        stands = come_down(w, w->snap, highest_step(w, m->position), m);
    }
    if (!stands)
    {
        const abut_vec3 fall = abut_vec3_sub(translation, across);
        m->translation = abut_vec3_add(m->translation, fall);
        if (fly(w, fall, m))
        {
            (void)come_down(w, w->snap, highest_step(w, m->position), m);
        }
    }
}

// What pushes a character: what it was found in, and what was in the way out of that.
typedef struct pushes
{
    ab_half_space space[AB_HALF_SPACES];
    uint32_t count;
} pushes;

static void add_push(pushes *p, abut_vec3 normal, float at)
{
    p->space[p->count++] = (ab_half_space){ normal, (double)at };
}

// Out of all at once, by the least way that is free but for what it is in; where there is none, out of the last alone.
static abut_vec3 way_out_to(const ab_walker *w, pushes *p, abut_vec3 from, abut_vec3 last, float far)
{
    abut_vec3 way;
    for (bool found = p->count > 1; found && ab_half_spaces_way_out(p->space, p->count, &way);)
    {
        ab_leg leg;
        ab_walker_advance(w, w->start, way, &leg);
        if (!ab_walker_met(&leg.hit) || (leg.hit.flags & ABUT_HIT_INSIDE) != 0)
        {
            return abut_vec3_add(w->start, way);
        }
        found = p->count < AB_HALF_SPACES;
        if (found)
        {
            add_push(p, leg.hit.normal, leg.gone * abut_vec3_dot(way, leg.hit.normal));
        }
    }
    return abut_vec3_add(from, abut_vec3_scale(last, far));
}

// Out of what it overlaps, the deepest first; it ends where it was in least deep.
static void push_out(const ab_walker *w, abut_character_move *m)
{
    abut_hit hit;
    pushes met = { .count = 0 };
    abut_vec3 best = m->position;
    float least = INFINITY;
    for (int i = 0; i < PUSHES && ab_walker_overlaps(w, m->position, &hit); ++i)
    {
        const float gone = abut_vec3_dot(abut_vec3_sub(m->position, w->start), hit.normal), far = hit.depth + w->skin;
        m->touches[m->touch_count++] = touch_of(w, m->position, &hit);
        best = hit.depth < least ? m->position : best;
        least = hit.depth < least ? hit.depth : least;
        met.count -= met.count == AB_HALF_SPACES ? 1 : 0;
        add_push(&met, hit.normal, gone + far);
        m->position = way_out_to(w, &met, m->position, hit.normal, far);
    }
    m->stuck = m->touch_count == PUSHES && ab_walker_overlaps(w, m->position, &hit);
    m->position = m->stuck && least < hit.depth ? best : m->position;
}

static void move(const ab_walker *w, const abut_character *character, abut_character_move *m)
{
    const float rise = abut_vec3_dot(character->translation, w->up);
    *m = (abut_character_move){ .position = w->start, .translation = character->translation };
    push_out(w, m);
    if (character->stands && rise <= LEVEL * ab_vec3_length(character->translation))
    {
        go(w, character->translation, m);
        return;
    }
    const bool landed = fly(w, character->translation, m);
    if (rise <= 0.0f)
    {
        (void)come_down(w, landed ? w->snap : w->skin, highest_step(w, m->position), m);
    }
}

// A call.
typedef struct character_call
{
    ab_questions asked;
    const abut_character *characters;
    abut_character_move *out;
} character_call;

static bool is_length(float value)
{
    return value >= 0.0f && value <= ABUT_MAX_MAGNITUDE;
}

static const char *fault(void *context, uint32_t i)
{
    const character_call *call = context;
    const abut_world *world = call->asked.world;
    const abut_character *c = &call->characters[i];
    abut_pose pose = c->pose;
    const char *sentence = ab_query_shape_fault(world, &c->shape, &pose);
    if (sentence)
    {
        return sentence;
    }
    if (AB_HAS_CHILDREN && ab_shape_row_for(c->shape.kind)->parts)
    {
        return "a character is convex";
    }
    if (!ab_vec3_in_range(c->translation) || !ab_vec3_in_range(c->up))
    {
        return "the translation or up is not finite or past the limit";
    }
    if (world->state.is_2d && (c->translation.z != 0.0f || c->up.z != 0.0f))
    {
        return "the world is 2D, and the translation or up leaves the xy plane";
    }
    if (!(c->max_slope >= 0.0f && c->max_slope < HALF_PI))
    {
        return "the steepest slope is negative, not finite or half pi or more";
    }
    return is_length(c->step_height) && is_length(c->snap_distance) && is_length(c->skin)
               ? NULL
               : "a length is negative, not finite or past the limit";
}

static void answer(void *context, ab_query_lists *lists, uint32_t i)
{
    const character_call *call = context;
    ab_walker w;
    (void)lists;
    ab_walker_lay(&w, &call->asked, i, &call->characters[i]);
    move(&w, &call->characters[i], &call->out[i]);
}

static abut_status ask(character_call *call, bool pointers)
{
    call->asked.context = call;
    call->asked.fault = fault;
    call->asked.answer = answer;
    call->asked.placed = true;
    call->asked.unmarked = true;
    const abut_status status = ab_query_enter(call->asked.world, pointers, call->asked.call);
    return status == ABUT_OK ? ab_query_ask(&call->asked) : status;
}

abut_status abut_world_move_character(const abut_world *world, const abut_character *character,
                                      const abut_query_filter *filter, abut_character_move *out)
{
    character_call call = { { .world = world, .call = "abut_world_move_character", .count = 1, .filter = filter },
                            character,
                            out };
    return ask(&call, character && out);
}

abut_status abut_world_move_character_many(const abut_world *world, const abut_character *characters, uint32_t count,
                                           const abut_query_filter *filter, abut_character_move *out)
{
    character_call call = {
        { .world = world, .call = "abut_world_move_character_many", .count = count, .filter = filter }, characters, out
    };
    return ask(&call, count == 0 || (characters && out));
}
