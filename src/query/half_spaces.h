// Out of several half-spaces at once: the least way that leads out of what a shape is in, each given by a plane.
#ifndef AB_HALF_SPACES_H
#define AB_HALF_SPACES_H

#include <abut/math.h>

#include <stdbool.h>
#include <stdint.h>

#define AB_HALF_SPACES 8u // at most

// The ways with dot(normal, way) >= at lead out.
typedef struct ab_half_space
{
    abut_vec3 normal; // unit
    double at;        // metres
} ab_half_space;

#define AB_WAY_OUT_MOST 20.0 // of the way out of one: planes that close at 6 degrees

// The shortest way that leads out of all. False if there is none, or none but one that is longer than AB_WAY_OUT_MOST of
// the way out of the one that it is farthest out of: that is a press.
bool ab_half_spaces_way_out(const ab_half_space *spaces, uint32_t count, abut_vec3 *out);

#endif
