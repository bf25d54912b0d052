#include "compare.h"

#include <abut/collide.h>

#define WIDE 1.0e6f // metres: a margin that reaches across every scene

// Along the best axis; negative: depth.
static double separation(const bench_scene *scene, uint64_t pair)
{
    const uint32_t a = pair_first(pair), b = pair_second(pair);
    abut_manifold manifold;
    const abut_status status = abut_collide(&scene->defs[a].collider.shape, &scene->poses[a],
                                            &scene->defs[b].collider.shape, &scene->poses[b], WIDE, &manifold);
    return status == ABUT_OK ? (double)manifold.separation : (double)WIDE;
}

static void miss(comparison *found, const bench_scene *scene, uint64_t pair)
{
    const double depth = -separation(scene, pair);
    found->missed += 1;
    found->missed_deepest = depth > found->missed_deepest ? depth : found->missed_deepest;
}

static void add(comparison *found, const bench_scene *scene, uint64_t pair)
{
    const double gap = separation(scene, pair);
    found->more += 1;
    found->more_widest = gap > found->more_widest ? gap : found->more_widest;
}

comparison compare(pair_list *ours, pair_list *theirs, const bench_scene *scene)
{
    comparison found = { 0 };
    pair_list_sort(ours);
    pair_list_sort(theirs);
    for (size_t i = 0, k = 0; i < ours->count || k < theirs->count;)
    {
        if (k == theirs->count || (i < ours->count && ours->pairs[i] < theirs->pairs[k]))
        {
            miss(&found, scene, ours->pairs[i++]);
        }
        else if (i == ours->count || theirs->pairs[k] < ours->pairs[i])
        {
            add(&found, scene, theirs->pairs[k++]);
        }
        else
        {
            found.common += 1;
            ++i, ++k;
        }
    }
    return found;
}
