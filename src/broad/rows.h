// The rows of the table of broad phases.
#ifndef AB_BROAD_ROWS_H
#define AB_BROAD_ROWS_H

#include "broad/broad.h"

extern const ab_broad_row ab_broad_brute;
extern const ab_broad_row ab_broad_bvh;
extern const ab_broad_row ab_broad_grid;
extern const ab_broad_row ab_broad_auto;

#endif
