#include "broad/box_kernels.h"
#include "broad/grid_kernels.h"
#include "broad/rows.h"

static const ab_broad_row *const rows[ABUT_BROAD_COUNT] = {
    [ABUT_BROAD_AUTO] = &ab_broad_auto,
    [ABUT_BROAD_BRUTE] = &ab_broad_brute,
    [ABUT_BROAD_BVH] = &ab_broad_bvh,
    [ABUT_BROAD_GRID] = &ab_broad_grid,
};

const ab_broad_row *ab_broad_row_for(abut_broad_kind kind)
{
    return (unsigned)kind < ABUT_BROAD_COUNT ? rows[kind] : NULL;
}

const char *abut_broad_name(abut_broad_kind kind)
{
    const ab_broad_row *row = ab_broad_row_for(kind);
    return row ? row->name : "unknown";
}

#define DECLARE_(name, isa)                                                                                            \
    extern const ab_box_kernels ab_box_kernels_##name;                                                                 \
    extern const ab_grid_kernels ab_grid_kernels_##name;
AB_FOR_EACH_ISA(DECLARE_)

const ab_box_kernels *ab_box_kernels_for(abut_isa isa)
{
    switch (isa)
    {
#define CASE_(name, isa)                                                                                               \
    case isa:                                                                                                          \
        return &ab_box_kernels_##name;
        AB_FOR_EACH_ISA(CASE_)
    default:
        return NULL;
    }
}

const ab_grid_kernels *ab_grid_kernels_for(abut_isa isa)
{
    switch (isa)
    {
#define GRID_CASE_(name, isa)                                                                                          \
    case isa:                                                                                                          \
        return &ab_grid_kernels_##name;
        AB_FOR_EACH_ISA(GRID_CASE_)
    default:
        return NULL;
    }
}

abut_status ab_broad_open(ab_broad *broad, abut_broad_kind kind, abut_isa isa)
{
    const ab_broad_row *row = ab_broad_row_for(kind);
    const ab_box_kernels *kernels = ab_box_kernels_for(isa);
    if (!row || !kernels)
    {
        return ABUT_UNSUPPORTED;
    }
    broad->row = row;
    broad->ran = kind;
    broad->kernels = kernels;
    broad->isa = isa;
    broad->bounds = ab_bounds_pass_for(isa);
    broad->box_tests = 0;
    broad->bad_leaf = ABUT_NONE;
    broad->state = NULL;
    return row->create(broad);
}

void ab_broad_close(ab_broad *broad)
{
    if (broad->row)
    {
        broad->row->release(broad);
        broad->row = NULL;
    }
}
