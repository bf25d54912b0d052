#include "pairs/settled.h"

#define CASE_(name, isa)                                                                                               \
    case isa:                                                                                                          \
        return ab_settled_kernel_##name;
#define DECLARE_(name, isa) ab_settled_kernel ab_settled_kernel_##name;
AB_FOR_EACH_ISA(DECLARE_)

ab_settled_kernel *ab_settled_kernel_for(abut_isa isa)
{
    switch (isa)
    {
        AB_FOR_EACH_ISA(CASE_)
    default:
        return NULL;
    }
}
