// The least and the most of three floats, in the form of which compilers make vector instructions.
#ifndef AB_THREE_H
#define AB_THREE_H

#include "base/platform.h"

AB_INLINE float ab_least_of_3(float a, float b, float c)
{
    const float ab = a < b ? a : b;
    return ab < c ? ab : c;
}

AB_INLINE float ab_most_of_3(float a, float b, float c)
{
    const float ab = a > b ? a : b;
    return ab > c ? ab : c;
}

#endif
