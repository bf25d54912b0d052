// Collects the pairs of concurrent tasks in one array, in chunks claimed by atomic addition, and lists the chunks in
// the order of the tasks.
#include "broad/pair_writer.h"

#include "base/array.h"
#include "base/assert.h"

#include <string.h>

#define VERY_MANY 64u // times as many pairs as proxies

// Past this many at the latest, tasks claim nothing more: there are too many already, and the counter must not wrap,
// whatever its width and however many tasks add to it.
#define MOST_CLAIMED (AB_MOST_PAIRS < SIZE_MAX / 2 ? AB_MOST_PAIRS : SIZE_MAX / 2)

bool ab_broad_notes(ab_broad *broad, uint32_t tasks)
{
    return ab_array_resize(broad->notes, broad->memory, tasks);
}

static void empty(ab_broad *broad)
{
    atomic_store_explicit(&broad->claimed_pairs, 0, memory_order_relaxed);
    atomic_store_explicit(&broad->claimed_ranges, 0, memory_order_relaxed);
}

// Each chunk is at least a batch, except the last of a task.
static bool make_room(ab_broad *broad, uint32_t tasks)
{
    const size_t chunks = arrcap(broad->pairs) / AB_PAIR_BATCH + tasks + 1;
    empty(broad);
    return ab_array_resize(broad->chunks, broad->memory, chunks);
}

// Pairs are very many where there is no room for them, and so many that most of them may be of a crowd that does not
// collide with itself.
static size_t most_undropped(const ab_broad *broad)
{
    const ab_region *region = broad->proxies->region;
    const size_t proxies = (size_t)region[AB_ACTIVE].live + region[AB_STATIC_SET].live;
    const size_t many = proxies < MOST_CLAIMED / VERY_MANY ? VERY_MANY * proxies : MOST_CLAIMED;
    const size_t room = arrcap(broad->pairs) < MOST_CLAIMED ? arrcap(broad->pairs) : MOST_CLAIMED;
    return many > room ? many : room;
}

bool ab_pair_writers_open(ab_broad *broad, uint32_t tasks)
{
    broad->drops = broad->filters.drops;
    broad->undropped = 0;
    broad->most_pairs = broad->drops || !broad->filters.collides ? MOST_CLAIMED : most_undropped(broad);
    return ab_pair_writers_open_again(broad, tasks);
}

bool ab_pair_writers_open_again(ab_broad *broad, uint32_t tasks)
{
    ab_array_set_length(broad->pairs, 0);
    return ab_broad_notes(broad, tasks) && make_room(broad, tasks);
}

// Reserves the ranges of so many chunks, whichever may be joined, divided into ranges of at most `most` pairs.
static bool reserve_ranges(ab_broad *broad, size_t chunks, size_t most)
{
    const bool made = ab_array_resize(broad->ranges, broad->memory, chunks + arrlenu(broad->pairs) / most + 1);
    ab_array_set_length(broad->ranges, 0);
    return made;
}

// This many pairs or fewer become one range.
static size_t longest_range(const ab_broad *broad)
{
    const size_t whole = broad->granularity.whole;
    const size_t most = arrlenu(broad->pairs) <= whole ? whole : 2 * (size_t)broad->granularity.chunk;
    return most > 0 ? most : 1;
}

// Joins adjacent chunks, and divides what is longer than a task's share.
static void list_chunk(ab_broad *broad, size_t first, size_t count, size_t most)
{
    size_t ranges = arrlenu(broad->ranges);
    while (count > 0)
    {
        ab_range *last = ranges > 0 ? &broad->ranges[ranges - 1] : NULL;
        if (!last || last->first + last->count != first || last->count == most)
        {
            ab_array_set_length(broad->ranges, ranges + 1);
            last = &broad->ranges[ranges++];
            *last = (ab_range){ first, 0 };
        }
        const size_t room = most - last->count, part = count < room ? count : room;
        last->count += (uint32_t)part;
        first += part;
        count -= part;
    }
}

static bool list_all(ab_broad *broad)
{
    const size_t most = longest_range(broad);
    if (!reserve_ranges(broad, atomic_load_explicit(&broad->claimed_ranges, memory_order_relaxed), most))
    {
        return false;
    }
    for (size_t task = 0; task < arrlenu(broad->notes); ++task)
    {
        for (uint32_t i = broad->notes[task].first_chunk; i != ABUT_NONE; i = broad->chunks[i].next)
        {
            list_chunk(broad, broad->chunks[i].first, broad->chunks[i].count, most);
        }
    }
    return true;
}

abut_status ab_pair_writers_repeat(ab_broad *broad, uint32_t *tasks)
{
    const size_t found = atomic_load_explicit(&broad->claimed_pairs, memory_order_relaxed);
    const uint32_t all = (uint32_t)arrlenu(broad->notes);
    if (found <= arrcap(broad->pairs))
    {
        return ABUT_OK;
    }
    if (!broad->drops && broad->filters.collides && found > broad->most_pairs)
    {
        broad->drops = true;
        broad->undropped = broad->most_pairs;
        broad->most_pairs = MOST_CLAIMED;
    }
    else if (found > MOST_CLAIMED)
    {
        return ABUT_LIMIT;
    }
    else if (!ab_array_resize(broad->pairs, broad->memory, found))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    *tasks = all;
    return ab_pair_writers_open_again(broad, all) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

abut_status ab_pair_writers_finish(ab_broad *broad)
{
    const size_t found = atomic_load_explicit(&broad->claimed_pairs, memory_order_relaxed);
    AB_ASSERT(found <= arrcap(broad->pairs), found);
    ab_array_set_length(broad->pairs, found);
    broad->box_tests = 0;
    memset(broad->level_tests, 0, sizeof broad->level_tests);
    for (size_t task = 0; task < arrlenu(broad->notes); ++task)
    {
        const ab_broad_note *note = &broad->notes[task];
        broad->box_tests += note->box_tests;
        for (uint32_t level = 0; level < ABUT_TREE_LEVELS; ++level)
        {
            broad->level_tests[level] += note->level_tests[level];
        }
    }
    return list_all(broad) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

// Directs the next batch straight to `place` if this is the only task.
static void gather_from(ab_pair_writer *writer, size_t place)
{
    const ab_broad *broad = writer->broad;
    const bool room = place + AB_PAIR_BATCH + AB_PAIR_WRITER_MOST <= arrcap(broad->pairs);
    writer->count = 0;
    writer->gathered = writer->only && room ? broad->pairs + place : writer->held;
}

void ab_pair_writer_open(ab_pair_writer *writer, ab_broad *broad, uint32_t task)
{
    writer->broad = broad;
    writer->task = task;
    writer->only = arrlenu(broad->notes) == 1;
    writer->ends = false;
    broad->notes[task] = (ab_broad_note){ .first_chunk = ABUT_NONE, .last_chunk = ABUT_NONE };
    gather_from(writer, 0);
}

static void hand_over(ab_pair_writer *writer)
{
    ab_broad *broad = writer->broad;
    const size_t count = writer->count;
    const ab_pair *gathered = writer->gathered;
    if (atomic_load_explicit(&broad->claimed_pairs, memory_order_relaxed) > broad->most_pairs)
    {
        writer->count = 0;
        writer->ends = true;
        return;
    }
    const size_t first = atomic_fetch_add_explicit(&broad->claimed_pairs, count, memory_order_relaxed);
    gather_from(writer, first + count);
    if (first + count > arrcap(broad->pairs))
    {
        return; // all tasks run again, with room for what was claimed
    }
    if (gathered == writer->held)
    {
        memcpy(broad->pairs + first, gathered, count * sizeof *gathered);
    }
    const uint32_t chunk = atomic_fetch_add_explicit(&broad->claimed_ranges, 1, memory_order_relaxed);
    AB_ASSERT(chunk < arrlenu(broad->chunks), chunk);
    broad->chunks[chunk] = (ab_chunk){ first, (uint32_t)count, ABUT_NONE };
    ab_broad_note *note = &broad->notes[writer->task];
    *(note->last_chunk == ABUT_NONE ? &note->first_chunk : &broad->chunks[note->last_chunk].next) = chunk;
    note->last_chunk = chunk;
}

uint32_t ab_pair_writer_drop(ab_pair_writer *writer, uint32_t count)
{
    const ab_broad *broad = writer->broad;
    ab_pair *pairs = writer->gathered + writer->count;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const ab_pair pair = pairs[i];
        pairs[kept] = pair;
        kept += ab_proxies_collide(&broad->filters, broad->proxies, pair.a, pair.b);
    }
    return kept;
}

ab_pair *ab_pair_writer_room(ab_pair_writer *writer)
{
    if (writer->count > AB_PAIR_BATCH)
    {
        hand_over(writer);
    }
    return writer->gathered + writer->count;
}

void ab_pair_writer_close(ab_pair_writer *writer)
{
    if (writer->count > 0)
    {
        hand_over(writer);
    }
}

void ab_pair_writers_trim(ab_broad *broad)
{
    ab_array_trim(broad->pairs, broad->memory, broad->borrowed);
    ab_array_trim(broad->ranges, broad->memory, 0);
    ab_array_trim(broad->chunks, broad->memory, 0);
    ab_array_trim(broad->notes, broad->memory, 0);
}
