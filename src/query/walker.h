// A character on its way: what a move is made of.
#ifndef AB_WALKER_H
#define AB_WALKER_H

#include "query/travel.h"

#include <abut/character.h>

// A character with its defaults filled in.
typedef struct ab_walker
{
    ab_questions asked; // with whose filter it looks around
    abut_shape shape;
    abut_quat rotation;
    abut_vec3 start, up;
    float flat;             // cosine of the steepest ground that it stands on
    float step, snap, skin; // metres
    float feet;             // along `up`, from its position to its lowest point
    float rounding;         // of its shape: the radius of a capsule
} ab_walker;

// Of the question's filter, the entries for question i.
void ab_walker_lay(ab_walker *out, const ab_questions *asked, uint32_t i, const abut_character *character);

static inline bool ab_walker_met(const abut_hit *hit)
{
    return hit->collider.generation != 0;
}

// What is across `up`.
static inline abut_vec3 ab_walker_across(const ab_walker *w, abut_vec3 v)
{
    return abut_vec3_sub(v, abut_vec3_scale(w->up, abut_vec3_dot(v, w->up)));
}

// Whether a face with this normal is ground.
static inline bool ab_walker_is_flat(const ab_walker *w, abut_vec3 normal)
{
    return abut_vec3_dot(normal, w->up) >= w->flat;
}

// A straight way, and what is met on it.
typedef struct ab_leg
{
    abut_vec3 from, way;
    float gone;   // how much of the way is free, leaving the skin before what is met
    abut_hit hit; // that; nothing is met: zero. Its fraction is of the way, and may be past the end
} ab_leg;

static inline abut_vec3 ab_leg_end(const ab_leg *leg)
{
    return abut_vec3_add(leg->from, abut_vec3_scale(leg->way, leg->gone));
}

// Looks how far it can go. What it is in at the start is in the way only of what leads deeper.
void ab_walker_advance(const ab_walker *w, abut_vec3 from, abut_vec3 way, ab_leg *out);

// Metres to where the skin of what a leg met begins; negative: that is nearer than the skin.
float ab_walker_room(const ab_walker *w, const ab_leg *leg);

// What it overlaps deepest. False if nothing.
bool ab_walker_overlaps(const ab_walker *w, abut_vec3 at, abut_hit *hit);

// Whether it can stand at the end of a leg on what it met there: on a slope, or at an edge whose face is one and not
// higher than `most` along `up`. *normal is that of the slope.
bool ab_walker_can_stand(const ab_walker *w, const ab_leg *leg, float most, abut_vec3 *normal);

#endif
