// The end of the expanding polytope algorithm where a core has round discs: the nearest point of the difference's
// surface by Newton's method, and the proof that nothing that the hull leaves open is nearer.
#ifndef AB_EPA_ROUND_H
#define AB_EPA_ROUND_H

#include "narrow/convex/epa_hull.h"

// A way out that is the least of all near it. There the difference is at least as large as some of its features: points
// or rims of one core, or of both, moved against each other.
typedef struct ab_local_minimum
{
    ab_way_out way;
    double on_a[3], on_b[3]; // opposite each other along the way
    uint32_t features;       // zero: the disc that lies across the way, and a point
    double square;           // of the tangent of the angle within which it is the least
    double steep;            // how much the reach grows per turn away from where the features meet, at least
    bool alike;              // the features have the same rims
    // Of the rims of both cores, on average: the radius, the sine of the way's angle with the axis, and where a rim's
    // point moves as the way turns, along what the features are apart and across.
    double radius[2], across[2], beside[2][2];
} ab_local_minimum;

typedef struct ab_epa_round
{
    const double *axis[2]; // those of a and b; NULL: it has no discs
    double disc[2][2];     // the radii of its discs
    ab_local_minimum least;
    bool found, ended; // a minimum; it is the least of all
    uint32_t tries;    // to find one
} ab_epa_round;

// False where neither core has discs.
bool ab_epa_round_begin(ab_epa_round *round, const ab_convex_pair *pair);

// Finds a minimum near a face of h, no worse than the best way out. False if there is none. `square` is left out.
bool ab_epa_find_minimum(const ab_epa_round *round, const ab_epa_hull *h, const ab_epa_face *face, double enough,
                         ab_local_minimum *out);

// The nearest of h's faces that may hide a shorter way out than the shortest found, or NULL if there is none to within
// `enough`: then that is h->best, and where it ends is in round->least.
const ab_epa_face *ab_epa_round_open(ab_epa_round *round, ab_epa_hull *h, const ab_epa_face *nearest, double enough);

#endif
