// A binary heap: of facets by their farthest points, or of whatever has a key.
#include "cook/hull_build.h"

#include "base/array.h"

static bool comes_before(const ab_hull_entry *a, const ab_hull_entry *b)
{
    return a->key > b->key || (a->key == b->key && a->facet < b->facet);
}

bool ab_hull_push(ab_hull_build *build, ab_hull_entry entry)
{
    size_t at = arrlenu(build->heap);
    if (!ab_array_resize(build->heap, build->memory, at + 1))
    {
        return false;
    }
    for (; at > 0 && comes_before(&entry, &build->heap[(at - 1) / 2]); at = (at - 1) / 2)
    {
        build->heap[at] = build->heap[(at - 1) / 2];
    }
    build->heap[at] = entry;
    return true;
}

ab_hull_entry ab_hull_pop(ab_hull_build *build)
{
    const size_t count = arrlenu(build->heap) - 1;
    const ab_hull_entry first = build->heap[0], moving = build->heap[count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child)
    {
        child += child + 1 < count && comes_before(&build->heap[child + 1], &build->heap[child]);
        if (!comes_before(&build->heap[child], &moving))
        {
            break;
        }
        build->heap[at] = build->heap[child];
    }
    build->heap[at] = moving;
    ab_array_set_length(build->heap, count);
    return first;
}
