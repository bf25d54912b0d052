// Memory held through malloc by the whole program, for engines that do not tell what they hold.
#ifndef ABUT_BENCH_HEAP_H
#define ABUT_BENCH_HEAP_H

#include <stdint.h>

// Bytes held now; 0 where the C library cannot tell (glibc from 2.33 on can).
uint64_t heap_bytes(void);

#endif
