#include "narrow/patches.h"

#include "base/array.h"

#include "base/platform.h"

#include <string.h>

#define LINES_AHEAD                                                                                                    \
    24u // that are asked for to be written: from where they are now, the stores alone would be waited for

uint32_t ab_patches_lines(const ab_manifolds *found, const ab_batch *batch)
{
    uint32_t lines = found->count;
    for (uint32_t i = 0; i < found->count; ++i)
    {
        AB_PREFETCH(&batch->colliders[found->data[i].leaf_a]);
        AB_PREFETCH(&batch->colliders[found->data[i].leaf_b]);
        lines += found->data[i].point_count > AB_NEAR_POINTS;
    }
    return lines;
}

// Growing keeps as much as the length says.
static void set_lengths(const ab_patches *patches)
{
    ab_array_set_length(patches->lines, patches->line_count);
    ab_array_set_length(patches->briefs, patches->count);
}

bool ab_patches_reserve(ab_patches *patches, ab_memory *memory, size_t lines, size_t count)
{
    set_lengths(patches);
    const bool made = ab_array_resize(patches->lines, memory, lines) && ab_array_resize(patches->briefs, memory, count);
    set_lengths(patches);
    return made;
}

static void write_one(ab_patch *patch, ab_brief *brief, const ab_manifold *m, const abut_point *points,
                      const ab_batch *batch)
{
    memcpy(patch->normal, m->normal, sizeof patch->normal);
    patch->separation = m->separation;
    patch->collider_a = batch->colliders[m->leaf_a];
    patch->collider_b = batch->colliders[m->leaf_b];
    memcpy(patch->near, points, sizeof patch->near); // whatever their number: there is room past the last
    brief->key = ab_pair_key(batch->records[m->leaf_a].order, batch->records[m->leaf_b].order);
    brief->point_count = m->point_count;
}

void ab_patches_write(const ab_patches *patches, size_t first_line, size_t first, const ab_manifolds *found,
                      const ab_batch *batch)
{
    if (found->count == 0)
    {
        return; // there may be no arrays yet
    }
    const ab_batch local = *batch; // so that no store is taken for a change of where things lie
    const ab_manifold *const manifolds = found->data;
    const abut_point *const all_points = found->points;
    const uint32_t count = found->count;
    ab_patch *const lines = patches->lines;
    ab_brief *const briefs = patches->briefs + first;
    uint32_t line = (uint32_t)first_line;
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_manifold *m = &manifolds[i];
        const abut_point *points = &all_points[m->first_point];
        AB_PREFETCH_TO_AT(lines, line + (size_t)LINES_AHEAD);
        AB_PREFETCH_TO_AT(lines, line + (size_t)LINES_AHEAD + 1);
        write_one(&lines[line], &briefs[i], m, points, &local);
        briefs[i].line = line++;
        // Without asking how many, which cannot be foretold: the line is this patch's, or the next one's, which is written later.
        if (i + 1 < count || m->point_count > AB_NEAR_POINTS)
        {
            memcpy(lines[line].far, points + AB_NEAR_POINTS, sizeof lines->far);
        }
        line += m->point_count > AB_NEAR_POINTS;
    }
}

bool ab_patches_append(ab_patches *patches, ab_memory *memory, const ab_manifolds *found, const ab_batch *batch)
{
    const uint32_t lines = ab_patches_lines(found, batch);
    if (!ab_patches_reserve(patches, memory, (size_t)patches->line_count + lines,
                            (size_t)patches->count + found->count))
    {
        return false;
    }
    ab_patches_write(patches, patches->line_count, patches->count, found, batch);
    patches->line_count += lines;
    patches->count += found->count;
    patches->point_count += found->point_count;
    return true;
}

void ab_patches_close(ab_patches *patches)
{
    arrfree(patches->lines);
    arrfree(patches->briefs);
}
