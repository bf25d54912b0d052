// Selects the recycling kernels of an instruction set.
#include "narrow/recycle.h"

#define CASE_(name, isa)                                                                                               \
    case isa:                                                                                                          \
        return &ab_recycle_kernels_##name;
#define DECLARE_(name, isa) extern const ab_recycle_kernels ab_recycle_kernels_##name;
AB_FOR_EACH_ISA(DECLARE_)

const ab_recycle_kernels *ab_recycle_kernels_for(abut_isa isa)
{
    switch (isa)
    {
        AB_FOR_EACH_ISA(CASE_)
    default:
        return NULL;
    }
}
