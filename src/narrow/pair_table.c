// Selects the pair tables of an instruction set.
#include "narrow/narrow.h"

#define DECLARE(name, isa)                                                                                             \
    extern const ab_pair_table ab_pair_table_##name;                                                                   \
    extern const ab_pair_table ab_pair_table_2d_##name;
AB_FOR_EACH_ISA(DECLARE)

#define CHOOSE(name, isa)                                                                                              \
    case isa:                                                                                                          \
        return &ab_pair_table_##name;

#define CHOOSE_2D(name, isa)                                                                                           \
    case isa:                                                                                                          \
        return &ab_pair_table_2d_##name;

const ab_pair_table *ab_pair_table_for(abut_isa isa)
{
    switch (isa)
    {
        AB_FOR_EACH_ISA(CHOOSE)
    default:
        return NULL;
    }
}

const ab_pair_table *ab_pair_table_2d_for(abut_isa isa)
{
    switch (isa)
    {
        AB_FOR_EACH_ISA(CHOOSE_2D)
    default:
        return NULL;
    }
}
