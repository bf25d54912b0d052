// Writes lines into a caller's buffer; counts the lines that do not fit.
#ifndef AB_PEN_H
#define AB_PEN_H

#include <abut/draw.h>

typedef struct ab_pen
{
    abut_line *out;
    uint64_t capacity;
    uint64_t count;
    uint32_t kind, index, flags; // of the next lines
} ab_pen;

// The origin of a frame and its axes (of any length), in the world.
typedef struct ab_pen_frame
{
    abut_vec3 origin;
    abut_mat3 axes;
} ab_pen_frame;

void ab_pen_line(ab_pen *pen, abut_vec3 from, abut_vec3 to);

// Three lines of length 2 * half along the world's axes.
void ab_pen_cross(ab_pen *pen, abut_vec3 at, float half);

// The twelve edges of the box with half extents `half` about the frame's origin.
void ab_pen_box(ab_pen *pen, const ab_pen_frame *frame, abut_vec3 half);

// The four sides of a box without thickness along z.
void ab_pen_rectangle(ab_pen *pen, const ab_pen_frame *frame, float half_x, float half_y);

// The edges of a box along the world's axes.
void ab_pen_aabb(ab_pen *pen, const abut_aabb *box);

#endif
