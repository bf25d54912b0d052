// What queries and sweeps ask of a compound: part by part.
#ifndef AB_COMPOUND_QUERIES_H
#define AB_COMPOUND_QUERIES_H

#include "narrow/compound/compound_pairs.h"
#include "narrow/convex/sweep.h"

// ab_sweep_shapes where one or both are compounds.
void ab_sweep_compound(const ab_mover *a, const ab_mover *b, double duration, ab_overlaps overlaps, ab_sweep *out,
                       uint32_t *child);

// Whether a sweep's result comes before another, which may be none: overlaps before all that is hit, the deepest first;
// of two alike the lower child.
bool ab_sweep_comes_first(const ab_sweep *found, uint32_t child, const ab_sweep *best, uint32_t best_child);

// Shows the parts of a compound that may touch another shape in the time, by the times before which they do not, until
// none is left that may before `best` or `limit`. `best` is what the sweeps of those shown have found so far.
void ab_compound_meet(const ab_mover *compound, const ab_mover *other, double duration, double limit,
                      const ab_sweep *best, ab_mesh_see *see, void *context);

// A part of a compound that moves. `whole` must outlive `out`.
void ab_compound_mover(const ab_mover *whole, uint32_t part, ab_mover *out);

// The nearest points of a convex shape (a) and a compound (b), as ab_convex_distance and ab_convex_round say. False
// when they overlap. Returns the part in *child: the lowest of several that overlap, or are as near.
bool ab_compound_distance(const ab_convex *shape, const ab_convex *placed, ab_convex_contact *out, uint32_t *child);

// The same where either is of any kind, but that a is no mesh: of several as near, or that overlap, the lowest child of
// b's. Of what is farther apart than `most`, as ab_mesh_distance.
bool ab_parts_distance(ab_convex_pair *pair, double most, ab_convex_contact *out, uint32_t *child);

// Shows the parts that share a point with a convex shape. False when `see` did not want more.
bool ab_compound_find_overlapping(const ab_convex *shape, const ab_convex *placed, ab_mesh_see *see, void *context);

// Shows the triangles or parts of a mesh or compound that share a point with a shape, which is no mesh, each once; 0 of
// a convex shape that a compound overlaps. False when `see` did not want more.
bool ab_parts_find_overlapping(const ab_convex *shape, const ab_convex *placed, ab_mesh_see *see, void *context);

typedef bool ab_part_test(const void *context, const ab_convex *part);

// Shows the parts of all that pass a test. False when `see` did not want more.
bool ab_compound_find_passing(const ab_convex *placed, ab_part_test *test, const void *context, ab_mesh_see *see,
                              void *seer);

#endif
