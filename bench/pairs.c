#include "pairs.h"

#include "clock.h"
#include "storage.h"

#include "narrow/placed.h"

#include <stdlib.h>

enum
{
    ROUNDS = 24, // over a set at most: some 100,000 pairs a pass
    PASSES = 9
};

#define PASS_NS 1e7 // a pass of fewer rounds will do when it takes as long

typedef struct bench
{
    ab_manifold_room *room;
    ab_manifolds found;
    uint32_t passes;
} bench;

// FNV-1a over 32-bit words.
static uint64_t feed(uint64_t hash, const void *from, size_t size)
{
    const uint32_t *words = from;
    for (size_t i = 0; i < size / 4; ++i)
    {
        hash = (hash ^ words[i]) * 0x100000001b3u;
    }
    return hash;
}

static uint64_t feed_manifolds(uint64_t hash, const ab_manifolds *found)
{
    for (uint32_t i = 0; i < found->count; ++i)
    {
        const ab_manifold_entry *entry = &found->entries[i];
        const ab_packed_manifold *packed = &found->lines[entry->line];
        hash = feed(hash, entry, sizeof *entry);
        hash = feed(hash, packed, sizeof *packed);
        for (uint32_t k = 0; k < entry->child_points; ++k)
        {
            hash = feed(hash, ab_packed_manifold_geometry(packed, k), sizeof(ab_point_geometry));
        }
    }
    return hash;
}

static void run_set(bench *b, const ab_pair_type *type, const pairs_set *set)
{
    for (uint32_t first = 0; first < PAIRS_SET; first += AB_CHUNK)
    {
        const ab_batch batch = pairs_set_batch(set, first, AB_CHUNK);
        b->found = ab_manifolds_in(b->room);
        type->kernel(&batch, &b->found);
    }
}

// What comes of a set, and into the row's hash.
static void look(bench *b, const ab_pair_type *type, const pairs_set *set, uint32_t which, pairs_row *row)
{
    uint64_t touching = 0, points = 0;
    for (uint32_t first = 0; first < PAIRS_SET; first += AB_CHUNK)
    {
        const ab_batch batch = pairs_set_batch(set, first, AB_CHUNK);
        b->found = ab_manifolds_in(b->room);
        type->kernel(&batch, &b->found);
        row->hash = feed_manifolds(row->hash, &b->found);
        touching += b->found.count;
        points += b->found.point_count;
    }
    if (which == PAIRS_MIXED)
    {
        row->touching = (double)touching / PAIRS_SET;
        row->points = touching ? (double)points / (double)touching : 0.0;
    }
}

static int rising(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double time_set(bench *b, const ab_pair_type *type, const pairs_set *set)
{
    double ns[PASSES];
    for (uint32_t pass = 0; pass < b->passes; ++pass)
    {
        const uint64_t began = clock_thread_ns();
        double elapsed = 0.0;
        uint32_t rounds = 0;
        while (rounds == 0 || (rounds < ROUNDS && elapsed < PASS_NS))
        {
            run_set(b, type, set);
            elapsed = (double)(clock_thread_ns() - began);
            ++rounds;
        }
        ns[pass] = elapsed / (rounds * (double)PAIRS_SET);
    }
    qsort(ns, b->passes, sizeof *ns, rising);
    return ns[b->passes / 2];
}

static bool isa_wanted(const bench_options *options, abut_isa isa)
{
    const bool all = options->settings.isa == ABUT_ISA_AUTO;
    return abut_isa_available(isa) && (all || options->settings.isa == isa);
}

static void measure(bench *b, const bench_options *options, const row_files *report, const pairs_type *at,
                    const pairs_set set[PAIRS_SETS])
{
    for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
    {
        if (!isa_wanted(options, isa))
        {
            continue;
        }
        const ab_pair_type *type = &ab_placed_table(isa, at->is_2d)->type[at->lower][at->higher];
        pairs_row row = { .name = type->name, .is_2d = at->is_2d, .isa = isa, .hash = 0xcbf29ce484222325u };
        for (uint32_t which = 0; which < PAIRS_SETS; ++which)
        {
            look(b, type, &set[which], which, &row);
            row.ns[which] = time_set(b, type, &set[which]);
        }
        pairs_report_row(report, &row);
    }
}

// One pair type on every instruction set selected. False when its shapes cannot be made.
static bool run_type(bench *b, const bench_options *options, const row_files *report, const pairs_type *at)
{
    pairs_set set[PAIRS_SETS];
    uint32_t made = 0;
    bool sound = true;
    while (sound && made < PAIRS_SETS)
    {
        sound = pairs_set_make(&set[made], at, made);
        ++made;
    }
    if (sound)
    {
        measure(b, options, report, at, set);
    }
    while (made > 0)
    {
        pairs_set_release(&set[--made]);
    }
    return sound;
}

static bool run_tables(bench *b, const bench_options *options, const row_files *report, bench_complaint *complaint)
{
    for (int is_2d = 0; is_2d < 2; ++is_2d)
    {
        const ab_pair_table *table = ab_placed_table(ABUT_ISA_SCALAR, is_2d);
        for (uint32_t higher = 1; higher < ABUT_SHAPE_KIND_COUNT; ++higher)
        {
            for (uint32_t lower = 1; lower <= higher; ++lower)
            {
                const pairs_type at = { (abut_shape_kind)lower, (abut_shape_kind)higher, is_2d != 0 };
                const ab_pair_type *type = &table->type[lower][higher];
                if (type->kernel && !type->has_parts && !run_type(b, options, report, &at))
                {
                    return complain(complaint, EXIT_BROKEN, "no shapes could be made for %s", type->name);
                }
            }
        }
    }
    return true;
}

bool pairs_run(const bench_options *options, bench_complaint *complaint)
{
    row_files report;
    bool sound = pairs_report_open(&report, options, complaint);
    if (sound)
    {
        bench b = { .passes = options_passes(options, PASSES) };
        char *const storage = storage_take(1, sizeof *b.room + AB_CACHE_LINE);
        b.room = (ab_manifold_room *)(void *)(storage +
                                              (AB_CACHE_LINE - (uintptr_t)storage % AB_CACHE_LINE) % AB_CACHE_LINE);
        sound = run_tables(&b, options, &report, complaint);
        storage_give(storage);
    }
    bench_complaint unwritten;
    if (!row_files_close(&report, &unwritten) && sound)
    {
        *complaint = unwritten;
        sound = false;
    }
    return sound;
}
