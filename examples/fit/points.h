// Points read from text, a line each: "x y z" or "x, y, z", in two dimensions "x y" or "x, y", or the vertices
// ("v x y z") of a Wavefront OBJ file. Columns behind those are passed over, and so are lines that do not begin with a
// number: headings, comments, faces.
#ifndef FIT_POINTS_H
#define FIT_POINTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct points
{
    float *xyz;         // three a point; z is zero in two dimensions
    uint32_t dimension; // 2 or 3; zero: there are no points
    uint32_t count, room;
} points;

// What is wrong with a file, as a sentence.
typedef struct points_fault
{
    char sentence[200];
} points_fault;

// True when the file has points, all of one dimension, every coordinate finite and in the library's range. What was
// read so far is to be freed either way.
bool points_read(points *p, FILE *file, points_fault *fault);
void points_free(points *p);

#endif
