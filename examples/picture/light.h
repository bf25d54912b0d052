// Lights what a surface shows: a sun that casts soft shadows, a sky, and corners that the sky does not reach.
#ifndef ABUT_PICTURE_LIGHT_H
#define ABUT_PICTURE_LIGHT_H

#include "surface.h"

typedef struct light
{
    abut_vec3 to_sun;            // unit
    const surface *shadow;       // seen from the sun, in a parallel view
    float reach;                 // metres: how far around a point others take the sky's light away
    const canvas_colour *paints; // by the number a solid was drawn with; alpha below 1: its far parts fade
    abut_vec3 focus;             // fading parts are whole here and gone at fade_end (metres from it)
    float fade_begin, fade_end;
} light;

// Puts every pixel of the surface that shows something over the picture, which is of the same size.
void light_surface(const surface *s, const light *l, canvas *picture);

#endif
