// What queries and sweeps ask of a compound: part by part, those that its tree finds.
#ifndef AB_COMPOUND_QUERIES_H
#define AB_COMPOUND_QUERIES_H

#include "narrow/compound/compound_pairs.h"
#include "narrow/convex/sweep.h"

// ab_sweep_shapes where one or both are compounds.
void ab_sweep_compound(const ab_mover *a, const ab_mover *b, double duration, ab_overlaps overlaps, ab_sweep *out,
                       uint32_t *child);

// The nearest points of a convex shape (a) and a compound (b), as ab_convex_distance and ab_convex_round say. False
// when they overlap. Returns the part in *child: the lowest of several that overlap, or are as near.
bool ab_compound_distance(const ab_convex *shape, const ab_convex *placed, ab_convex_contact *out, uint32_t *child);

// Whether some part passes a test.
typedef bool ab_part_test(const void *context, const ab_convex *part);
bool ab_compound_some(const ab_convex *placed, ab_part_test *test, const void *context);

#endif
