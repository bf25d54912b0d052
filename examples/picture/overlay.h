// Lines of the debug drawing over a picture that is already lit.
#ifndef ABUT_PICTURE_OVERLAY_H
#define ABUT_PICTURE_OVERLAY_H

#include "surface.h"

#include <abut/draw.h>

typedef struct overlay
{
    const surface *scene;
    canvas *picture;
    float pixel;     // how many of the picture's pixels make one of the finished one
    float see_into;  // metres: contacts this far behind a surface show all the same
    uint32_t levels; // of the tree, as bits
} overlay;

void overlay_lines(const overlay *o, const abut_line *lines, uint64_t count);

#endif
