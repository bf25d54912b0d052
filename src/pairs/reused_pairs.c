// Selects the kernel of an instruction set.
#include "pairs/reused_pairs.h"

#define CASE_(name, isa)                                                                                               \
    case isa:                                                                                                          \
        return ab_reused_kernel_##name;
#define DECLARE_(name, isa) ab_reused_kernel ab_reused_kernel_##name;
AB_FOR_EACH_ISA(DECLARE_)

ab_reused_kernel *ab_reused_kernel_for(abut_isa isa)
{
    switch (isa)
    {
        AB_FOR_EACH_ISA(CASE_)
    default:
        return NULL;
    }
}
