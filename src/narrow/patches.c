#include "narrow/patches.h"

#include "base/array.h"
#include "base/platform.h"

// Asked for to be written: from where they are now, the stores alone would be waited for.
#define LINES_AHEAD 24u

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

void ab_patches_write(const ab_patches *patches, uint32_t first_line, uint32_t first, const ab_manifolds *found)
{
    if (found->count == 0)
    {
        return; // there may be no arrays yet
    }
    const ab_patch *const lines_from = found->lines;
    ab_patch *const lines = patches->lines + first_line;
    const uint32_t line_count = found->line_count, count = found->count;
    for (uint32_t i = 0; i < line_count; ++i)
    {
        AB_PREFETCH_TO_AT(lines, i + (size_t)LINES_AHEAD);
        lines[i] = lines_from[i];
    }
    const ab_brief *const briefs_from = found->briefs;
    ab_brief *const briefs = patches->briefs + first;
    for (uint32_t i = 0; i < count; ++i)
    {
        briefs[i] = briefs_from[i];
        briefs[i].line += first_line;
    }
}

bool ab_patches_append(ab_patches *patches, ab_memory *memory, const ab_manifolds *found)
{
    if (!ab_patches_reserve(patches, memory, (size_t)patches->line_count + found->line_count,
                            (size_t)patches->count + found->count))
    {
        return false;
    }
    ab_patches_write(patches, patches->line_count, patches->count, found);
    patches->line_count += found->line_count;
    patches->count += found->count;
    patches->point_count += found->point_count;
    return true;
}

void ab_patches_close(ab_patches *patches)
{
    arrfree(patches->lines);
    arrfree(patches->briefs);
}
