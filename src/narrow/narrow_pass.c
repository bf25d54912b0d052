// Runs the kernels over slices of the pair stream, in tasks. Estimates the output from the last detect, or from a
// sample of slices; runs slices again that found no room.
#include "narrow/narrow_pass.h"

#include "base/array.h"
#include "base/platform.h"

#include <string.h>

#define FEW     16u // with so many times more pairs than before, the last detect's yield is no estimate
#define SAMPLED 16u // without an estimate, runs one in so many slices first

static uint32_t longest_slice(const ab_narrow_pass *pass)
{
    return pass->granularity.chunk / 2 < AB_CHUNK ? pass->granularity.chunk / 2 + 1 : AB_CHUNK;
}

// The pairs of a type: those of the stream, or of their triangles.
static uint32_t pairs_of(const ab_narrow_pass *pass, uint32_t type, uint32_t *first)
{
    *first = pass->stream->first[type];
    return AB_HAS_CHILDREN && pass->stream->count[type] > 0 && ab_pair_type_of(pass->table, type)->has_parts
               ? ab_mesh_pairs_of(&pass->meshes, type, first)
               : pass->stream->count[type];
}

static bool append_slices(ab_narrow_pass *pass, uint32_t type, uint32_t most)
{
    const ab_pair_type *pair_type = ab_pair_type_of(pass->table, type);
    uint32_t first;
    const uint32_t count = pairs_of(pass, type, &first);
    const size_t before = arrlenu(pass->slices), more = (count + (size_t)most - 1) / most;
    if (!ab_array_resize(pass->slices, pass->memory, before + more))
    {
        return false;
    }
    for (size_t i = 0; i < more; ++i)
    {
        const uint32_t done = (uint32_t)i * most;
        pass->slices[before + i] = (ab_slice){
            .pair_type = pair_type,
            .first = first + done,
            .count = count - done < most ? count - done : most,
            .type = type,
            .invalid_proxy = ABUT_NONE,
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
static bool is_one_at_a_time(const ab_narrow_pass *pass)
{
    return pass->single_threaded || pass->partition.tasks == 1;
}

// Whether the last detect's yield predicts this one's: not if it had few pairs only.
static bool is_predicted(const ab_narrow_pass *pass)
{
    return pass->known.pairs > pass->pairs / FEW;
}

static abut_status partition_into_slices(void *given, uint32_t *tasks)
{
    ab_narrow_pass *pass = given;
    const uint32_t most = longest_slice(pass);
    size_t pairs = 0;
    ab_array_set_length(pass->slices, 0);
    for (uint32_t type = 0; type < AB_PAIR_TYPES; ++type)
    {
        if (pass->stream->count[type] > 0 && !append_slices(pass, type, most))
        {
            return ABUT_OUT_OF_MEMORY;
        }
    }
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        pairs += pass->slices[i].count;
    }
    pass->pairs = pairs;
    ab_manifold_blocks_open(&pass->blocks);
    atomic_store_explicit(&pass->claimed_manifolds, 0, memory_order_relaxed);
    // A pair costs about four times as much as a proxy: a task is one full slice.
    const ab_granularity granularity = { 1,
                                         pairs <= pass->granularity.whole / 2 ? (uint32_t)arrlenu(pass->slices) : 0 };
    pass->partition = ab_partition_into(&granularity, arrlenu(pass->slices), 1);
    *tasks = is_predicted(pass) ? 0 : pass->partition.tasks;
    return ABUT_OK;
}

static bool is_room(const ab_packed_manifolds *manifolds, size_t lines, size_t count)
{
    return lines <= arrcap(manifolds->lines) && count <= arrcap(manifolds->entries);
}

// Records what a slice, run as a whole, wrote from a line and a manifold on.
static void note_found(ab_slice *slice, const ab_manifolds *found, size_t first_line, size_t first_manifold)
{
    slice->manifolds = (uint32_t)(found->count - first_manifold);
    slice->lines = (uint32_t)(found->line_count - first_line);
    slice->points = found->point_count;
    slice->invalid_proxy = found->invalid ? found->invalid_proxy : ABUT_NONE;
    slice->claimed = slice->whole = true;
}

// Runs a slice straight into the output, behind all that is there: no other task appends. False when there may be no
// room.
static bool run_in_place(ab_narrow_pass *pass, ab_slice *slice, const ab_batch *batch)
{
    const size_t lines = claimed(&pass->blocks.lines), manifolds = claimed(&pass->claimed_manifolds);
    if (slice->claimed ||
        !is_room(pass->out, lines + AB_MANIFOLD_LINES(slice->count), manifolds + AB_MANIFOLD_ENTRIES(slice->count)))
    {
        return false;
    }
    ab_manifolds found = {
        .lines = pass->out->lines,
        .entries = pass->out->entries,
        .line_count = (uint32_t)lines,
        .count = (uint32_t)manifolds,
    };
    slice->pair_type->kernel(batch, &found);
    note_found(slice, &found, lines, manifolds);
    slice->placed = true;
    atomic_store_explicit(&pass->blocks.lines, found.line_count, memory_order_relaxed);
    atomic_store_explicit(&pass->claimed_manifolds, found.count, memory_order_relaxed);
    return true;
}

// Runs a slice with its lines in a block that has room. If there is no room for its entries, it runs again later.
// Apart, so that these are not on the stack of a slice that runs piece by piece.
AB_APART static void fill_block(ab_narrow_pass *pass, ab_slice *slice, const ab_batch *batch, ab_manifold_block *block)
{
    ab_manifold_entry entries[AB_MANIFOLD_ENTRIES(AB_CHUNK)];
    ab_manifolds found = { .lines = pass->out->lines, .entries = entries, .line_count = (uint32_t)block->next };
    slice->pair_type->kernel(batch, &found);
    note_found(slice, &found, block->next, 0);
    const size_t first = atomic_fetch_add_explicit(&pass->claimed_manifolds, found.count, memory_order_relaxed);
    slice->placed = is_room(pass->out, found.line_count, first + found.count);
    slice->claim[0] = (ab_claim){ (uint32_t)block->next, (uint32_t)first, slice->lines, slice->manifolds, 0, false };
    block->next = found.line_count;
    if (slice->placed && found.count > 0)
    {
        memcpy(pass->out->entries + first, entries, found.count * sizeof *entries);
    }
}

// Drops the manifolds beyond the claim. A caller's function may answer differently when called again, and others have
// claimed what follows.
static void drop_excess(const ab_claim *claim, ab_manifolds *found)
{
    while (found->count > claim->manifolds || found->line_count > claim->lines)
    {
        const ab_manifold_entry *last = &found->entries[--found->count];
        found->line_count = last->line;
        found->point_count -= last->child_points & ((1u << AB_CHILD_SHIFT) - 1);
    }
}

// Copies the output to its claim, if there is room.
static void place(const ab_narrow_pass *pass, ab_claim *claim, const ab_manifolds *found)
{
    claim->placed =
        is_room(pass->out, (size_t)claim->first_line + claim->lines, (size_t)claim->first_manifold + claim->manifolds);
    claim->points += found->point_count;
    if (claim->placed)
    {
        ab_packed_manifolds_write(pass->out, claim->first_line, claim->first_manifold, found);
        claim->first_line += found->line_count;
        claim->first_manifold += found->count;
        claim->lines -= found->line_count;
        claim->manifolds -= found->count;
    }
}

static void claim_for(ab_narrow_pass *pass, ab_claim *claim, const ab_manifolds *found)
{
    const size_t lines = atomic_fetch_add_explicit(&pass->blocks.lines, found->line_count, memory_order_relaxed);
    const size_t manifolds = atomic_fetch_add_explicit(&pass->claimed_manifolds, found->count, memory_order_relaxed);
    *claim = (ab_claim){
        lesser(lines, UINT32_MAX), lesser(manifolds, UINT32_MAX), found->line_count, found->count, 0, false
    };
}

// The proxy of the lower collider key; either may be ABUT_NONE.
static uint32_t lower_proxy(const ab_record *records, uint32_t a, uint32_t b)
{
    return a == ABUT_NONE || (b != ABUT_NONE && records[b].collider_key < records[a].collider_key) ? b : a;
}

// Runs some pairs of a slice; uses the claim of an earlier run if there is one.
static void run_piece(ab_narrow_pass *pass, ab_slice *slice, const ab_batch *batch, ab_claim *claim)
{
    _Alignas(AB_CACHE_LINE) ab_packed_manifold lines[AB_MANIFOLD_LINES(AB_PIECE)];
    ab_manifold_entry entries[AB_MANIFOLD_ENTRIES(AB_PIECE)];
    ab_manifolds found = { .lines = lines, .entries = entries };
    slice->pair_type->kernel(batch, &found);
    if (found.invalid)
    {
        slice->invalid_proxy = lower_proxy(batch->records, slice->invalid_proxy, found.invalid_proxy);
    }
    if (!slice->claimed)
    {
        claim_for(pass, claim, &found);
        slice->manifolds += found.count;
        slice->lines += found.line_count;
    }
    drop_excess(claim, &found);
    place(pass, claim, &found);
}

// Marks the entries that were claimed and not written: no pair has equal keys.
static void mark_gaps(const ab_narrow_pass *pass, ab_slice *slice, const ab_claim *claim)
{
    for (uint32_t i = 0; i < claim->manifolds; ++i)
    {
        pass->out->entries[claim->first_manifold + i] = (ab_manifold_entry){ 0 };
    }
    slice->gaps += claim->manifolds;
}

// Runs a slice piece by piece; pieces without room run again later.
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
            piece.parts = batch->parts ? batch->parts + first : NULL;
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

// Runs a slice concurrently: in a block if one has room.
static void run_beside(ab_narrow_pass *pass, ab_slice *slice, const ab_batch *batch)
{
    ab_manifold_block *block = ab_manifold_blocks_take(&pass->blocks);
    const size_t lines = AB_MANIFOLD_LINES((size_t)slice->count), room = arrcap(pass->out->lines);
    if (block && !slice->claimed && ab_manifold_blocks_extend(&pass->blocks, block, lines, room))
    {
        fill_block(pass, slice, batch, block);
    }
    else
    {
        run_aside(pass, slice, batch);
    }
    ab_manifold_blocks_give(&pass->blocks, block);
}

static void run_slice(ab_narrow_pass *pass, ab_slice *slice)
{
    ab_batch batch = pass->batch;
    const bool parts = AB_HAS_CHILDREN && slice->pair_type->has_parts;
    batch.a = (parts ? pass->meshes.a : pass->stream->a) + slice->first;
    batch.b = (parts ? pass->meshes.b : pass->stream->b) + slice->first;
    batch.parts = parts ? pass->meshes.parts + slice->first : NULL;
    batch.count = slice->count;
    if (!is_one_at_a_time(pass))
    {
        run_beside(pass, slice, &batch);
    }
    else if (!run_in_place(pass, slice, &batch))
    {
        run_aside(pass, slice, &batch);
    }
}

// Reads the clock once per slice: one's end is the next's beginning.
static void run_some(ab_narrow_pass *pass, uint32_t task, uint32_t every)
{
    const size_t end = ab_partition_end(&pass->partition, task);
    uint64_t began = ab_platform_now_ns();
    for (size_t i = ab_partition_first(&pass->partition, task); i < end; ++i)
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

static bool reserve(ab_narrow_pass *pass, size_t lines, size_t manifolds)
{
    ab_packed_manifolds *out = pass->out;
    out->line_count = lesser(claimed(&pass->blocks.lines), arrcap(out->lines)); // growing keeps so many
    out->count = lesser(claimed(&pass->claimed_manifolds), arrcap(out->entries));
    return ab_packed_manifolds_reserve(out, pass->memory, lines, manifolds);
}

// The total yield of all slices run so far.
static ab_narrow_yield find_yield(const ab_narrow_pass *pass)
{
    ab_narrow_yield sum = { 0 };
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        const ab_slice *slice = &pass->slices[i];
        const bool run = slice->claimed;
        sum.pairs += run ? slice->count : 0;
        sum.lines += run ? slice->lines : 0;
        sum.manifolds += run ? slice->manifolds : 0;
    }
    return sum;
}

// Reserves room for the expected output, if the same share of pairs touches as before.
static abut_status expect(void *given, uint32_t *tasks)
{
    ab_narrow_pass *pass = given;
    const ab_narrow_yield known = is_predicted(pass) ? pass->known : find_yield(pass);
    const double part = known.pairs > 0 ? (double)pass->pairs / (double)known.pairs : 0.0;
    size_t lines = (size_t)(part * (double)known.lines);
    if (!is_one_at_a_time(pass))
    {
        lines = ab_manifold_blocks_plan(&pass->blocks, lines, AB_MANIFOLD_LINES((size_t)longest_slice(pass)));
    }
    else if (arrlenu(pass->slices) > 0)
    {
        lines += AB_MANIFOLD_LINES((size_t)longest_slice(pass)) / 2; // so that the last slices fit, though few touch
    }
    *tasks = pass->partition.tasks;
    return reserve(pass, lines, (size_t)(part * (double)known.manifolds)) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
}

// The invalid proxy of the lowest collider key, or ABUT_NONE.
static uint32_t find_invalid(const ab_narrow_pass *pass)
{
    uint32_t invalid = ABUT_NONE;
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        invalid = lower_proxy(pass->batch.records, invalid, pass->slices[i].invalid_proxy);
    }
    return invalid;
}

// Makes room for the slices that found none; they run again.
static abut_status make_room(void *given, uint32_t *tasks)
{
    ab_narrow_pass *pass = given;
    const size_t lines = claimed(&pass->blocks.lines), manifolds = claimed(&pass->claimed_manifolds);
    uint64_t points = 0;
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        points += pass->slices[i].points;
    }
    pass->invalid_proxy = find_invalid(pass);
    if (pass->invalid_proxy != ABUT_NONE)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (points > UINT32_MAX || lines > INT32_MAX)
    {
        return ABUT_LIMIT;
    }
    *tasks = is_room(pass->out, lines, manifolds) ? 0 : pass->partition.tasks;
    if (!reserve(pass, lines, manifolds))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_manifold_blocks_close(&pass->blocks);
    pass->known = find_yield(pass);
    pass->out->line_count = (uint32_t)lines;
    pass->out->count = (uint32_t)manifolds;
    pass->out->point_count = (uint32_t)points;
    return ABUT_OK;
}

// Removes the entries marked as unwritten.
static void close_gaps(ab_packed_manifolds *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < out->count; ++i)
    {
        out->entries[count] = out->entries[i];
        count += out->entries[i].key_a != out->entries[i].key_b;
    }
    out->count = count;
}

// Slices that ran again may have found less than the first time, or an invalid manifold.
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
    pass->invalid_proxy = find_invalid(pass);
    if (pass->invalid_proxy != ABUT_NONE)
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

const ab_phase ab_narrow_phases[] = { { partition_into_slices, run_sample },
                                      { expect, run_slices },
                                      { make_room, run_slices },
                                      { count_again, NULL },
                                      { NULL, NULL } };

abut_pair_type_statistics ab_narrow_pair_type(const ab_narrow_pass *pass, uint32_t type)
{
    abut_pair_type_statistics sum = { .pairs = pass->stream->count[type] };
    for (size_t i = 0; i < arrlenu(pass->slices); ++i)
    {
        const ab_slice *slice = &pass->slices[i];
        const bool counts = slice->type == type;
        sum.touching += counts ? slice->manifolds - slice->gaps : 0;
        sum.elapsed_ns += counts ? slice->elapsed_ns : 0;
    }
    return sum;
}

void ab_narrow_pass_close(ab_narrow_pass *pass)
{
    arrfree(pass->slices);
#ifdef AB_MESHES
    ab_mesh_pairs_close(&pass->meshes);
#endif
}

void ab_narrow_pass_trim(ab_narrow_pass *pass)
{
    ab_array_trim(pass->slices, pass->memory, 0);
#ifdef AB_MESHES
    ab_mesh_pairs_trim(&pass->meshes);
#endif
    ab_array_trim(pass->out->lines, pass->memory, 0);
    ab_array_trim(pass->out->entries, pass->memory, 0);
}
