#include "narrow/narrow_pass.h"

#include "base/array.h"
#include "base/assert.h"
#include "base/platform.h"

#include <string.h>

#define FEW     16u // times as many pairs as before: then those of before tell nothing
#define SAMPLED 16u // every so many slices one is run first, where nothing is known yet of how many pairs touch

static uint32_t longest_slice(const ab_narrow_pass *pass)
{
    return pass->grain.chunk / 2 < AB_CHUNK ? pass->grain.chunk / 2 + 1 : AB_CHUNK;
}

static bool append_slices(ab_narrow_pass *pass, uint32_t cell, uint32_t most)
{
    const ab_meeting *meeting = ab_meeting_of(pass->table, cell);
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

static uint32_t lesser(size_t a, size_t b)
{
    return (uint32_t)(a < b ? a : b);
}

static size_t claimed(const _Atomic size_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

// Whether one task runs at a time.
static bool is_alone(const ab_narrow_pass *pass)
{
    return pass->alone || pass->cut.tasks == 1;
}

// Whether the last detect tells how much will be found: not if it looked at a few pairs only.
static bool is_foretold(const ab_narrow_pass *pass)
{
    return pass->known.pairs > pass->pairs / FEW;
}

static abut_status cut_into_slices(void *given, uint32_t *tasks)
{
    ab_narrow_pass *pass = given;
    const uint32_t most = longest_slice(pass);
    size_t pairs = 0;
    ab_array_set_length(pass->slices, 0);
    for (uint32_t cell = 0; cell < AB_CELLS; ++cell)
    {
        pairs += pass->stream->count[cell];
        if (pass->stream->count[cell] > 0 && !append_slices(pass, cell, most))
        {
            return ABUT_OUT_OF_MEMORY;
        }
    }
    pass->pairs = pairs;
    ab_patch_blocks_open(&pass->blocks);
    atomic_store_explicit(&pass->claimed_patches, 0, memory_order_relaxed);
    // A pair is some four times the work of a leaf: a task is one full slice.
    const ab_grain grain = { 1, pairs <= pass->grain.whole / 2 ? (uint32_t)arrlenu(pass->slices) : 0 };
    pass->cut = ab_cut_into(&grain, arrlenu(pass->slices), 1);
    *tasks = is_foretold(pass) ? 0 : pass->cut.tasks;
    return ABUT_OK;
}

static bool is_room(const ab_patches *patches, size_t lines, size_t count)
{
    return lines <= arrcap(patches->lines) && count <= arrcap(patches->briefs);
}

// What was written from a line and a patch on, for a slice that was run as a whole.
static void note_found(ab_slice *slice, const ab_manifolds *found, size_t first_line, size_t first_patch)
{
    slice->patches = (uint32_t)(found->count - first_patch);
    slice->lines = (uint32_t)(found->line_count - first_line);
    slice->points = found->point_count;
    slice->refused_leaf = found->refused ? found->refused_leaf : ABUT_NONE;
    slice->claimed = slice->whole = true;
}

// Runs a slice straight to where its patches stay, behind all that are there: nobody else appends. False when there may be no room.
static bool run_in_place(ab_narrow_pass *pass, ab_slice *slice, const ab_batch *batch)
{
    const size_t lines = claimed(&pass->blocks.lines), patches = claimed(&pass->claimed_patches);
    if (slice->claimed ||
        !is_room(pass->out, lines + AB_MANIFOLD_LINES(slice->count), patches + AB_MANIFOLD_BRIEFS(slice->count)))
    {
        return false;
    }
    ab_manifolds found = {
        .lines = pass->out->lines,
        .briefs = pass->out->briefs,
        .line_count = (uint32_t)lines,
        .count = (uint32_t)patches,
    };
    slice->meeting->kernel(batch, &found);
    note_found(slice, &found, lines, patches);
    slice->placed = true;
    atomic_store_explicit(&pass->blocks.lines, found.line_count, memory_order_relaxed);
    atomic_store_explicit(&pass->claimed_patches, found.count, memory_order_relaxed);
    return true;
}

// Runs a slice with its lines in a block that has room. Where there is none for its briefs it is done again once there is.
static void fill_block(ab_narrow_pass *pass, ab_slice *slice, const ab_batch *batch, ab_patch_block *block)
{
    ab_brief briefs[AB_MANIFOLD_BRIEFS(AB_CHUNK)];
    ab_manifolds found = { .lines = pass->out->lines, .briefs = briefs, .line_count = (uint32_t)block->next };
    slice->meeting->kernel(batch, &found);
    note_found(slice, &found, block->next, 0);
    const size_t first = atomic_fetch_add_explicit(&pass->claimed_patches, found.count, memory_order_relaxed);
    slice->placed = is_room(pass->out, found.line_count, first + found.count);
    slice->claim[0] = (ab_claim){ (uint32_t)block->next, (uint32_t)first, slice->lines, slice->patches, 0, false };
    block->next = found.line_count;
    if (slice->placed && found.count > 0)
    {
        memcpy(pass->out->briefs + first, briefs, found.count * sizeof *briefs);
    }
}

// Drops the last patches beyond those that room was claimed for. A caller's function may answer differently when it is
// asked again, and others have claimed what follows.
static void drop_excess(const ab_claim *claim, ab_manifolds *found)
{
    while (found->count > claim->patches || found->line_count > claim->lines)
    {
        const ab_brief *last = &found->briefs[--found->count];
        found->line_count = last->line;
        found->point_count -= last->point_count;
    }
}

// Writes what was found to where the claim begins, if there is room.
static void place(const ab_narrow_pass *pass, ab_claim *claim, const ab_manifolds *found)
{
    claim->placed =
        is_room(pass->out, (size_t)claim->first_line + claim->lines, (size_t)claim->first_patch + claim->patches);
    claim->points += found->point_count;
    if (claim->placed)
    {
        ab_patches_write(pass->out, claim->first_line, claim->first_patch, found);
        claim->first_line += found->line_count;
        claim->first_patch += found->count;
        claim->lines -= found->line_count;
        claim->patches -= found->count;
    }
}

static void claim_for(ab_narrow_pass *pass, ab_claim *claim, const ab_manifolds *found)
{
    const size_t lines = atomic_fetch_add_explicit(&pass->blocks.lines, found->line_count, memory_order_relaxed);
    const size_t patches = atomic_fetch_add_explicit(&pass->claimed_patches, found->count, memory_order_relaxed);
    *claim =
        (ab_claim){ lesser(lines, UINT32_MAX), lesser(patches, UINT32_MAX), found->line_count, found->count, 0, false };
}

// Of two leaves, either of which may be ABUT_NONE, that of the lower order.
static uint32_t lower_leaf(const ab_record *records, uint32_t a, uint32_t b)
{
    return a == ABUT_NONE || (b != ABUT_NONE && records[b].order < records[a].order) ? b : a;
}

// Runs some pairs of a slice; where a claim was made before, for that.
static void run_piece(ab_narrow_pass *pass, ab_slice *slice, const ab_batch *batch, ab_claim *claim)
{
    _Alignas(AB_CACHE_LINE) ab_patch lines[AB_MANIFOLD_LINES(AB_PIECE)];
    ab_brief briefs[AB_MANIFOLD_BRIEFS(AB_PIECE)];
    ab_manifolds found = { .lines = lines, .briefs = briefs };
    slice->meeting->kernel(batch, &found);
    if (found.refused)
    {
        slice->refused_leaf = lower_leaf(batch->records, slice->refused_leaf, found.refused_leaf);
    }
    if (!slice->claimed)
    {
        claim_for(pass, claim, &found);
        slice->patches += found.count;
        slice->lines += found.line_count;
    }
    drop_excess(claim, &found);
    place(pass, claim, &found);
}

// Marks the briefs that were claimed and not written: no pair has equal orders.
static void mark_gaps(const ab_narrow_pass *pass, ab_slice *slice, const ab_claim *claim)
{
    for (uint32_t i = 0; i < claim->patches; ++i)
    {
        pass->out->briefs[claim->first_patch + i] = (ab_brief){ 0 };
    }
    slice->gaps += claim->patches;
}

// Runs a slice piece by piece; pieces for which there is no room are run again once there is.
static AB_APART void run_aside(ab_narrow_pass *pass, ab_slice *slice, const ab_batch *batch)
{
    const uint32_t pieces = (slice->count + AB_PIECE - 1) / AB_PIECE, claims = slice->whole ? 1 : pieces;
    bool all_placed = true;
    for (uint32_t i = 0; i < claims; ++i)
    {
        slice->claim[i].points = slice->claim[i].placed ? slice->claim[i].points : 0;
    }
    for (uint32_t i = 0; i < pieces; ++i)
    {
        ab_claim *claim = &slice->claim[slice->whole ? 0 : i];
        if (slice->whole || !claim->placed)
        {
            const uint32_t first = i * AB_PIECE, left = slice->count - first;
            ab_batch piece = *batch;
            piece.a += first;
            piece.b += first;
            piece.count = left < AB_PIECE ? left : AB_PIECE;
            run_piece(pass, slice, &piece, claim);
        }
    }
    slice->claimed = true;
    slice->points = 0;
    for (uint32_t i = 0; i < claims; ++i)
    {
        slice->points += slice->claim[i].points;
        all_placed = all_placed && slice->claim[i].placed;
    }
    slice->placed = all_placed;
    for (uint32_t i = 0; i < claims && all_placed; ++i)
    {
        mark_gaps(pass, slice, &slice->claim[i]);
    }
}

// Runs a slice beside others: in a block if there is one with room.
static void run_beside(ab_narrow_pass *pass, ab_slice *slice, const ab_batch *batch)
{
    ab_patch_block *block = ab_patch_blocks_take(&pass->blocks);
    const size_t lines = AB_MANIFOLD_LINES((size_t)slice->count), room = arrcap(pass->out->lines);
    if (block && !slice->claimed && ab_patch_blocks_extend(&pass->blocks, block, lines, room))
    {
        fill_block(pass, slice, batch, block);
    }
    else
    {
        run_aside(pass, slice, batch);
    }
    ab_patch_blocks_give(&pass->blocks, block);
}

static void run_slice(ab_narrow_pass *pass, ab_slice *slice)
{
    ab_batch batch = pass->batch;
    batch.a = pass->stream->a + slice->first;
    batch.b = pass->stream->b + slice->first;
    batch.count = slice->count;
    if (!is_alone(pass))
    {
        run_beside(pass, slice, &batch);
    }
    else if (!run_in_place(pass, slice, &batch))
    {
        run_aside(pass, slice, &batch);
    }
}

// The clock is read once a slice: where one ends the next begins.
static void run_some(ab_narrow_pass *pass, uint32_t task, uint32_t every)
{
    const size_t end = ab_cut_end(&pass->cut, task);
    uint64_t began = ab_platform_now_ns();
    for (size_t i = ab_cut_first(&pass->cut, task); i < end; ++i)
    {
        ab_slice *slice = &pass->slices[i];
        if (i % every == 0 && !slice->placed)
        {
            run_slice(pass, slice);
            const uint64_t now = ab_platform_now_ns();
            slice->elapsed_ns += now - began;
            began = now;
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

static bool reserve(ab_narrow_pass *pass, size_t lines, size_t patches)
{
    ab_patches *out = pass->out;
    out->line_count = lesser(claimed(&pass->blocks.lines), arrcap(out->lines)); // growing keeps so many
    out->count = lesser(claimed(&pass->claimed_patches), arrcap(out->briefs));
    return ab_patches_reserve(out, pass->memory, lines, patches);
}

// What all slices found that have been run.
static ab_narrow_yield find_yield(const ab_narrow_pass *pass)
{
    ab_narrow_yield sum = { 0 };
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        const ab_slice *slice = &pass->slices[i];
        const bool run = slice->claimed;
        sum.pairs += run ? slice->count : 0;
        sum.lines += run ? slice->lines : 0;
        sum.patches += run ? slice->patches : 0;
    }
    return sum;
}

// Room for what is to be expected if as large a part of the pairs touches as did before.
static abut_status expect(void *given, uint32_t *tasks)
{
    ab_narrow_pass *pass = given;
    const ab_narrow_yield known = is_foretold(pass) ? pass->known : find_yield(pass);
    const double part = known.pairs > 0 ? (double)pass->pairs / (double)known.pairs : 0.0;
    size_t lines = (size_t)(part * (double)known.lines);
    if (!is_alone(pass))
    {
        lines = ab_patch_blocks_plan(&pass->blocks, lines, AB_MANIFOLD_LINES((size_t)longest_slice(pass)));
    }
    *tasks = pass->cut.tasks;
    return reserve(pass, lines, (size_t)(part * (double)known.patches)) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

// The leaf of the lowest order among those refused, or ABUT_NONE.
static uint32_t find_refused(const ab_narrow_pass *pass)
{
    uint32_t refused = ABUT_NONE;
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        refused = lower_leaf(pass->batch.records, refused, pass->slices[i].refused_leaf);
    }
    return refused;
}

// Slices that found no room are run again when it has been made.
static abut_status make_room(void *given, uint32_t *tasks)
{
    ab_narrow_pass *pass = given;
    const size_t lines = claimed(&pass->blocks.lines), patches = claimed(&pass->claimed_patches);
    uint64_t points = 0;
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        points += pass->slices[i].points;
    }
    pass->refused_leaf = find_refused(pass);
    if (pass->refused_leaf != ABUT_NONE)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (points > UINT32_MAX || lines > INT32_MAX)
    {
        return ABUT_LIMIT;
    }
    *tasks = is_room(pass->out, lines, patches) ? 0 : pass->cut.tasks;
    if (!reserve(pass, lines, patches))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_patch_blocks_close(&pass->blocks);
    pass->known = find_yield(pass);
    pass->out->line_count = (uint32_t)lines;
    pass->out->count = (uint32_t)patches;
    pass->out->point_count = (uint32_t)points;
    return ABUT_OK;
}

// Takes out the briefs that were marked as unwritten.
static void close_gaps(ab_patches *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < out->count; ++i)
    {
        out->briefs[count] = out->briefs[i];
        count += out->briefs[i].order_a != out->briefs[i].order_b;
    }
    out->count = count;
}

// Slices that were run again may have found less than the first time, or what is no manifold.
static abut_status count_again(void *given, uint32_t *tasks)
{
    ab_narrow_pass *pass = given;
    uint64_t points = 0;
    size_t gaps = 0;
    (void)tasks;
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        const ab_slice *slice = &pass->slices[i];
        points += slice->points;
        gaps += slice->gaps;
    }
    pass->refused_leaf = find_refused(pass);
    if (pass->refused_leaf != ABUT_NONE)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (points > UINT32_MAX)
    {
        return ABUT_LIMIT;
    }
    pass->out->point_count = (uint32_t)points;
    if (gaps > 0)
    {
        close_gaps(pass->out);
    }
    return ABUT_OK;
}

const ab_phase ab_narrow_phases[] = { { cut_into_slices, run_sample },
                                      { expect, run_slices },
                                      { make_room, run_slices },
                                      { count_again, NULL },
                                      { NULL, NULL } };

abut_meeting_statistics ab_narrow_cell(const ab_narrow_pass *pass, uint32_t cell)
{
    abut_meeting_statistics sum = { .pairs = pass->stream->count[cell] };
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        const ab_slice *slice = &pass->slices[i];
        const bool counts = slice->cell == cell;
        sum.touching += counts ? slice->patches - slice->gaps : 0;
        sum.elapsed_ns += counts ? slice->elapsed_ns : 0;
    }
    return sum;
}

void ab_narrow_pass_close(ab_narrow_pass *pass)
{
    arrfree(pass->slices);
}
