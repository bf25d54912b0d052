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

// How much of a way is free, leaving the skin before what is met, which goes to *hit; nothing is met: zero. What it is
// in at the start is in the way only of what leads deeper.
float ab_walker_advance(const ab_walker *w, abut_vec3 from, abut_vec3 way, abut_hit *hit);

// How far it may go along a unit direction before the skin of what an advance of this length met; negative: that is
// nearer than the skin.
float ab_walker_room(const ab_walker *w, abut_vec3 direction, float length, const abut_hit *hit);

// What it overlaps deepest. False if nothing.
bool ab_walker_overlaps(const ab_walker *w, abut_vec3 at, abut_hit *hit);

// Whether it can stand on what it met coming from `from`: on a slope, or at an edge whose face is one and not higher
// than `most` along `up`. *normal is that of the slope.
bool ab_walker_can_stand(const ab_walker *w, abut_vec3 from, const abut_hit *hit, float most, abut_vec3 *normal);

#endif
