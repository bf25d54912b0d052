#include "narrow/narrow_pass.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"

#include <string.h>

#define MOST_PAIRS 512u // in a slice, so that what comes of it fits a stack
#define SAMPLED    16u  // every so many slices one is run first, where nothing is known yet of how many pairs touch

// Room for what a kernel writes about a slice at worst.
typedef struct work
{
    ab_manifold data[MOST_PAIRS + AB_WIDEST];
    abut_point points[AB_MAX_POINTS * (MOST_PAIRS + AB_WIDEST)];
} work;

static bool append_slices(ab_narrow_pass *pass, uint32_t cell, const ab_meeting *meeting, uint32_t most)
{
    const uint32_t first = pass->stream->first[cell], count = pass->stream->count[cell];
    const size_t before = arrlenu(pass->slices), more = (count + (size_t)most - 1) / most;
    if (!ab_array_resize(pass->slices, pass->memory, before + more))
    {
        return false;
    }
    for (size_t i = 0; i < more; ++i)
    {
        const uint32_t done = (uint32_t)i * most;
        pass->slices[before + i] = (ab_slice){
            .meeting = meeting,
            .first = first + done,
            .count = count - done < most ? count - done : most,
            .cell = cell,
            .refused_leaf = ABUT_NONE,
        };
    }
    return true;
}

// How much was found among so many pairs.
static void note_known(ab_narrow_pass *pass, size_t pairs)
{
    pass->known_manifolds =
        atomic_load_explicit(&pass->claimed_manifolds, memory_order_relaxed) - pass->claimed_from[0];
    pass->known_points = atomic_load_explicit(&pass->claimed_points, memory_order_relaxed) - pass->claimed_from[1];
    pass->known_pairs = pairs;
}

static abut_status cut_into_slices(void *given, uint32_t *tasks)
{
    ab_narrow_pass *pass = given;
    const uint32_t most = pass->grain.chunk / 2 < MOST_PAIRS ? pass->grain.chunk / 2 + 1 : MOST_PAIRS;
    size_t pairs = 0;
    ab_array_set_length(pass->slices, 0);
    note_known(pass, pass->pairs); // of all pairs of the last detect
    for (uint32_t higher = 1; higher < AB_KINDS; ++higher)
    {
        for (uint32_t lower = 1; lower <= higher; ++lower)
        {
            const uint32_t cell = ab_cell_of(lower, higher);
            pairs += pass->stream->count[cell];
            if (!append_slices(pass, cell, &pass->table->cell[lower][higher], most))
            {
                return ABUT_OUT_OF_MEMORY;
            }
        }
    }
    pass->pairs = pairs;
    pass->claimed_from[0] = pass->kept_manifolds;
    pass->claimed_from[1] = pass->kept_points;
    atomic_store_explicit(&pass->claimed_manifolds, pass->kept_manifolds, memory_order_relaxed);
    atomic_store_explicit(&pass->claimed_points, pass->kept_points, memory_order_relaxed);
    // A pair is some four times the work of a leaf: a task is two full slices.
    const ab_grain grain = { 2, pairs <= pass->grain.whole / 4 ? (uint32_t)arrlenu(pass->slices) : 0 };
    pass->cut = ab_cut_into(&grain, arrlenu(pass->slices), 1);
    *tasks = pass->known_pairs == 0 ? pass->cut.tasks : 0;
    return ABUT_OK;
}

// False when there is too little room: all is done again once there is.
static bool place(ab_narrow_pass *pass, const ab_slice *slice, const ab_manifolds *found)
{
    ab_manifolds *out = pass->out;
    if (found->count == 0)
    {
        return true; // there may be no arrays yet
    }
    if (slice->first_manifold + found->count > arrcap(out->data) ||
        slice->first_point + found->point_count + AB_MAX_POINTS > arrcap(out->points))
    {
        return false;
    }
    ab_manifold *to = out->data + slice->first_manifold;
    const uint32_t first_point = (uint32_t)slice->first_point;
    for (uint32_t i = 0; i < found->count; ++i)
    {
        to[i] = found->data[i];
        to[i].first_point += first_point;
    }
    memcpy(out->points + slice->first_point, found->points, found->point_count * sizeof *found->points);
    return true;
}

static void run_slice(ab_narrow_pass *pass, ab_slice *slice)
{
    work room;
    ab_manifolds found = { .data = room.data, .points = room.points };
    ab_batch batch = pass->batch;
    batch.a = pass->stream->a + slice->first;
    batch.b = pass->stream->b + slice->first;
    batch.count = slice->count;
    const uint64_t began = ab_platform_now_ns();
    slice->meeting->kernel(&batch, &found);
    slice->refused_leaf = found.refused ? found.refused_leaf : ABUT_NONE;
    AB_ASSERT(!slice->claimed || slice->manifolds == found.count, found.count);
    if (!slice->claimed)
    {
        slice->claimed = true;
        slice->manifolds = found.count;
        slice->points = found.point_count;
        slice->first_manifold = atomic_fetch_add_explicit(&pass->claimed_manifolds, found.count, memory_order_relaxed);
        slice->first_point = atomic_fetch_add_explicit(&pass->claimed_points, found.point_count, memory_order_relaxed);
    }
    slice->placed = place(pass, slice, &found);
    slice->elapsed_ns += ab_platform_now_ns() - began;
}

static void run_some(ab_narrow_pass *pass, uint32_t task, uint32_t every)
{
    const size_t end = ab_cut_end(&pass->cut, task);
    for (size_t i = ab_cut_first(&pass->cut, task); i < end; ++i)
    {
        if (i % every == 0 && !pass->slices[i].placed)
        {
            run_slice(pass, &pass->slices[i]);
        }
    }
}

static void run_sample(void *given, uint32_t task)
{
    run_some(given, task, SAMPLED);
}

static void run_slices(void *given, uint32_t task)
{
    run_some(given, task, 1);
}

static void set_lengths(ab_manifolds *out, size_t manifolds, size_t points)
{
    ab_array_set_length(out->data, manifolds < arrcap(out->data) ? manifolds : arrcap(out->data));
    ab_array_set_length(out->points, points < arrcap(out->points) ? points : arrcap(out->points));
}

static bool reserve(ab_narrow_pass *pass, size_t manifolds, size_t points)
{
    ab_manifolds *out = pass->out;
    const bool short_of_room = manifolds > arrcap(out->data) || points + AB_MAX_POINTS > arrcap(out->points);
    set_lengths(out, atomic_load_explicit(&pass->claimed_manifolds, memory_order_relaxed),
                atomic_load_explicit(&pass->claimed_points, memory_order_relaxed)); // growing keeps so much
    return !short_of_room || (ab_array_resize(out->data, pass->memory, manifolds) &&
                              ab_array_resize(out->points, pass->memory, points + AB_MAX_POINTS));
}

// Room for what is to be expected if as large a part of the pairs touches as did before.
static abut_status expect(void *given, uint32_t *tasks)
{
    ab_narrow_pass *pass = given;
    if (pass->known_pairs == 0)
    {
        note_known(pass, 0); // of those that were tried
        for (size_t i = 0; i < arrlenu(pass->slices); i += SAMPLED)
        {
            pass->known_pairs += pass->slices[i].count;
        }
    }
    const double part = pass->known_pairs > 0 ? (double)pass->pairs / (double)pass->known_pairs : 0.0;
    *tasks = pass->cut.tasks;
    return reserve(pass, pass->kept_manifolds + (size_t)(part * (double)pass->known_manifolds),
                   pass->kept_points + (size_t)(part * (double)pass->known_points))
               ? ABUT_OK
               : ABUT_OUT_OF_MEMORY;
}

// The leaf of the lowest order among those refused, or ABUT_NONE.
static uint32_t find_refused(const ab_narrow_pass *pass)
{
    const ab_record *records = pass->batch.records;
    uint32_t refused = ABUT_NONE;
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        const uint32_t leaf = pass->slices[i].refused_leaf;
        if (leaf != ABUT_NONE && (refused == ABUT_NONE || records[leaf].order < records[refused].order))
        {
            refused = leaf;
        }
    }
    return refused;
}

// Slices that found no room are run again when it has been made.
static abut_status make_room(void *given, uint32_t *tasks)
{
    ab_narrow_pass *pass = given;
    ab_manifolds *out = pass->out;
    const size_t manifolds = atomic_load_explicit(&pass->claimed_manifolds, memory_order_relaxed);
    const size_t points = atomic_load_explicit(&pass->claimed_points, memory_order_relaxed);
    pass->refused_leaf = find_refused(pass);
    if (pass->refused_leaf != ABUT_NONE)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (points > UINT32_MAX)
    {
        return ABUT_LIMIT;
    }
    out->count = (uint32_t)manifolds;
    out->point_count = (uint32_t)points;
    const bool all_placed = manifolds <= arrcap(out->data) && points + AB_MAX_POINTS <= arrcap(out->points);
    *tasks = all_placed ? 0 : pass->cut.tasks;
    return reserve(pass, manifolds, points) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

const ab_phase ab_narrow_phases[] = {
    { cut_into_slices, run_sample }, { expect, run_slices }, { make_room, run_slices }, { NULL, NULL }
};

abut_meeting_statistics ab_narrow_cell(const ab_narrow_pass *pass, uint32_t cell)
{
    abut_meeting_statistics sum = { .pairs = pass->stream->count[cell] };
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        const ab_slice *slice = &pass->slices[i];
        const bool counts = slice->cell == cell;
        sum.touching += counts ? slice->manifolds : 0;
        sum.elapsed_ns += counts ? slice->elapsed_ns : 0;
    }
    return sum;
}

void ab_narrow_pass_close(ab_narrow_pass *pass)
{
    arrfree(pass->slices);
}
