// A table to compress eight lanes, for instruction sets without a compress instruction.
#ifndef AB_COMPRESS_LANES_H
#define AB_COMPRESS_LANES_H

#include <stdint.h>

#ifdef __ELF__
#define AB_HIDDEN __attribute__((visibility("hidden"))) // a shared library need not look its address up
#else
#define AB_HIDDEN
#endif

// Byte k of entry m is the index of the k-th bit set in m: the source of lane k under mask m.
extern AB_HIDDEN const uint64_t ab_compress_lanes[256];

#endif
