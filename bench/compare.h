// What two engines found to touch on the same scene in the same frame, and how deep the pairs lie in which they differ.
// An engine with a margin, or in another precision, differs in pairs that barely touch or barely do not.
//
// Depths are along the axis that names abut's contact. Of boxes that may be a face up to a thousandth of their size
// deeper than the axis that decides, so that a pair of unit boxes which touches by a rounding error may show a depth of
// half a millimetre.
#ifndef ABUT_BENCH_COMPARE_H
#define ABUT_BENCH_COMPARE_H

#include "engine.h"

typedef struct comparison
{
    uint64_t common;
    uint64_t missed;       // touch by ours and not by theirs
    uint64_t more;         // touch by theirs and not by ours
    double missed_deepest; // metres: the greatest depth among those missed, as abut_collide gives it
    double more_widest;    // metres: the widest separation among those more
} comparison;

// Sorts both lists. The scene shows the frame in which they were found.
comparison compare(pair_list *ours, pair_list *theirs, const bench_scene *scene);

#endif
