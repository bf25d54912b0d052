// Every instruction set that this processor has.
#ifndef EVERY_ISA_H
#define EVERY_ISA_H

#include <abut/base.h>

#define EVERY_ISA(isa)                                                                                                 \
    for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)                                                  \
        if (abut_isa_available(isa))

#endif
