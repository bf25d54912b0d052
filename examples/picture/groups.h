// Which of the tree's boxes a thing is under, so that what belongs together is painted alike.
#ifndef ABUT_PICTURE_GROUPS_H
#define ABUT_PICTURE_GROUPS_H

#include "canvas.h"

#include <abut/draw.h>

typedef struct groups
{
    const abut_line *lines;
    uint64_t count;
    uint32_t level; // the highest that has several boxes
} groups;

groups groups_of(const abut_line *lines, uint64_t count);

// The paint of the smallest box of that level around this one; grey when there is none.
canvas_colour groups_colour(const groups *g, const abut_aabb *box);

// The box of which twelve lines of the debug drawing are the edges.
abut_aabb groups_box(const abut_line *edges);

#endif
