// Selects the bounds pass of an instruction set.
#include "bounds/bounds.h"

#define DECLARE_(name, isa) ab_bounds_pass ab_bounds_pass_##name;
AB_FOR_EACH_ISA(DECLARE_)

ab_bounds_pass *ab_bounds_pass_for(abut_isa isa)
{
    switch (isa)
    {
#define CASE_(name, isa)                                                                                               \
    case isa:                                                                                                          \
        return ab_bounds_pass_##name;
        AB_FOR_EACH_ISA(CASE_)
    default:
        return NULL;
    }
}
