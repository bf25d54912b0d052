#include "compare.h"

#include <abut/abut.h>

#define WIDE 1.0e6f // metres: a margin that reaches across every scene

// Of two bodies alone in a world; those farther apart than that are as far.
#define NEAR 1.0f // metres

static double separation_in_world(const bench_scene *scene, uint32_t a, uint32_t b)
{
    const abut_world_def def = { .margin = NEAR };
    const uint32_t pair[2] = { a, b };
    abut_world *world;
    double least = (double)NEAR;
    bool made = abut_world_create(&def, &world) == ABUT_OK;
    for (int i = 0; made && i < 2; ++i)
    {
        abut_body_def body = scene->defs[pair[i]];
        abut_body handle;
        body.pose = scene->poses[pair[i]];
        made = abut_body_create(world, &body, &handle) == ABUT_OK;
    }
    if (made && abut_world_detect(world, 0.0f) == ABUT_OK)
    {
        const abut_contacts found = abut_world_contacts(world, ABUT_AWAKE);
        for (uint32_t i = 0; i < found.count; ++i)
        {
            const double separation = (double)abut_contact_at(&found, i)->separation;
            least = separation < least ? separation : least;
        }
    }
    abut_world_destroy(world);
    return least;
}

// Along the best axis; negative: depth.
static double separation(const bench_scene *scene, uint64_t pair)
{
    const uint32_t a = pair_first(pair), b = pair_second(pair);
    const abut_shape *shape_a = &scene->defs[a].collider.shape, *shape_b = &scene->defs[b].collider.shape;
    abut_manifold manifold;
    if (shape_a->kind == ABUT_MESH || shape_b->kind == ABUT_MESH)
    {
        return separation_in_world(scene, a, b);
    }
    const abut_status status = abut_collide(shape_a, &scene->poses[a], shape_b, &scene->poses[b], WIDE, &manifold);
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
