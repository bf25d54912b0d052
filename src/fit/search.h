// The search for the axes of the smallest box around a cloud.
#ifndef AB_SEARCH_H
#define AB_SEARCH_H

#include "fit/cloud.h"

// Writes the axes of the smallest box found; also tries the `principal` directions. Uses about 60 kB of stack.
void ab_search_box(const ab_cloud *cloud, const double principal[9], double axis[9]);

#endif
