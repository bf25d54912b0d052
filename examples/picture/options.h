// What a picture is to show, from the command line.
#ifndef ABUT_PICTURE_OPTIONS_H
#define ABUT_PICTURE_OPTIONS_H

#include "complaint.h"

#include <stdint.h>

typedef struct picture_options
{
    const char *scene, *file, *out; // file: instead of a scene by name
    uint32_t bodies, frames;
    uint32_t width, height, samples; // pixels; samples: to each side of a pixel
    float azimuth, elevation;        // degrees: where the camera stands, seen from what it looks at
    float zoom;                      // 1: everything that moves fits in
    uint32_t draw;                   // ABUT_DRAW_…
    uint32_t levels;                 // of the tree that are drawn: bit k for level k
    bool help;
} picture_options;

// The options' defaults, overwritten by the arguments. False, and a complaint, for an invalid one.
bool picture_options_read(int argc, char **argv, picture_options *out, bench_complaint *complaint);

void picture_options_help(void); // prints them

#endif
