// The planes of what a character has met on its way, and what they leave of that.
#ifndef AB_PLANES_H
#define AB_PLANES_H

#include <abut/math.h>

#define AB_WALLS       4u    // planes that turn one slide
#define AB_PLANES_FREE 1e-4f // of a way: so much may go into a plane

// What they leave only a part of: the rest of a slide's way, and the translation.
typedef struct ab_planes
{
    abut_vec3 normal[AB_WALLS];
    uint32_t count;
    abut_vec3 way, translation;
} ab_planes;

ab_planes ab_planes_none(abut_vec3 way, abut_vec3 translation);

// What the planes leave of a way: all of it, or what goes along one of them or along the crease of two.
abut_vec3 ab_planes_clip(const ab_planes *p, abut_vec3 way);

#endif
