// The points and the boxes around them, side by side: one panel a box.
#ifndef FIT_VIEWS_H
#define FIT_VIEWS_H

#include "canvas.h"
#include "points.h"

#include <abut/shape.h>

typedef struct fitted
{
    const char *name;
    abut_placed_shape box;
    double size; // volume, or area in two dimensions
} fitted;

// Draws panel `index` of `count` across the picture.
void views_draw(canvas *picture, const points *p, const fitted *f, int index, int count);

#endif
