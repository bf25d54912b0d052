// Grows, copies and appends the packed manifolds of a detect.
#include "narrow/store/packed_manifolds.h"

#include "base/array.h"
#include "base/platform.h"

// Prefetched for writing: the stores miss the cache otherwise.
#define LINES_AHEAD 48u

// Growing keeps the elements below the length.
static void set_lengths(const ab_packed_manifolds *manifolds)
{
    ab_array_set_length(manifolds->lines, manifolds->line_count);
    ab_array_set_length(manifolds->entries, manifolds->count);
}

bool ab_packed_manifolds_reserve(ab_packed_manifolds *manifolds, ab_memory *memory, size_t lines, size_t count)
{
    set_lengths(manifolds);
    const bool made =
        ab_array_resize(manifolds->lines, memory, lines) && ab_array_resize(manifolds->entries, memory, count);
    set_lengths(manifolds);
    return made;
}

void ab_packed_manifolds_write(const ab_packed_manifolds *manifolds, uint32_t first_line, uint32_t first,
                               const ab_manifolds *found)
{
    if (found->count == 0)
    {
        return; // the arrays may be NULL
    }
    const ab_packed_manifold *const lines_from = found->lines;
    ab_packed_manifold *const lines = manifolds->lines + first_line;
    const uint32_t line_count = found->line_count, count = found->count;
    for (uint32_t i = 0; i < line_count / 2; ++i) // cache lines
    {
        AB_PREFETCH_TO_AT(lines, 2 * (size_t)i + LINES_AHEAD);
        memcpy(&lines[2 * i], &lines_from[2 * i], 2 * sizeof *lines);
    }
    if (line_count % 2 != 0)
    {
        lines[line_count - 1] = lines_from[line_count - 1];
    }
    const ab_manifold_entry *const entries_from = found->entries;
    ab_manifold_entry *const entries = manifolds->entries + first;
    for (uint32_t i = 0; i < count; ++i)
    {
        entries[i] = entries_from[i];
        entries[i].line += first_line;
    }
}

bool ab_packed_manifolds_append(ab_packed_manifolds *manifolds, ab_memory *memory, const ab_manifolds *found)
{
    if (!ab_packed_manifolds_reserve(manifolds, memory, (size_t)manifolds->line_count + found->line_count,
                                     (size_t)manifolds->count + found->count))
    {
        return false;
    }
    ab_packed_manifolds_write(manifolds, manifolds->line_count, manifolds->count, found);
    manifolds->line_count += found->line_count;
    manifolds->count += found->count;
    manifolds->point_count += found->point_count;
    return true;
}

void ab_packed_manifolds_close(ab_packed_manifolds *manifolds)
{
    arrfree(manifolds->lines);
    arrfree(manifolds->entries);
}
