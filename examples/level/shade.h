// A picture of a level and what lies on it: rays from a camera, from what they hit to the sun, and around it.
#ifndef ABUT_LEVEL_SHADE_H
#define ABUT_LEVEL_SHADE_H

#include "drop.h"

#include "canvas.h"

typedef struct shade_options
{
    int width, height; // pixels
    int samples;       // samples x samples rays a pixel
} shade_options;

// NULL when memory runs out or a query fails. `kinds` is by triangle of the level.
canvas *shade(const drop *d, const uint8_t *kinds, const shade_options *options);

#endif
