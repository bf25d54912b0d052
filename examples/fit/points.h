// Points read from text: a line "x y z" or "x,y,z" each, or the vertices ("v x y z") of a Wavefront OBJ file. Other
// lines, such as headings, comments and faces, are passed over.
#ifndef FIT_POINTS_H
#define FIT_POINTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct points
{
    float *xyz; // three a point
    uint32_t count, room;
} points;

// False when memory runs out. What was read so far is to be freed either way.
bool points_read(points *p, FILE *file);
void points_free(points *p);

#endif
