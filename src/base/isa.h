// One kernel source, one object per instruction set. A kernel unit is compiled once per set, with AB_ISA set to its
// name; AB_ISA_NAME(x) gives it a name of its own, and AB_FOR_EACH_ISA lists the sets in this build.
#ifndef AB_ISA_H
#define AB_ISA_H

#include <abut/base.h>

#define AB_WIDEST 16u // lanes of the widest instruction set: batches are padded to it

#define AB_ISA_JOIN_(name, isa) name##_##isa
#define AB_ISA_JOIN(name, isa)  AB_ISA_JOIN_(name, isa)
#ifdef AB_ISA
#define AB_ISA_NAME(name) AB_ISA_JOIN(name, AB_ISA)
#endif

#ifdef AB_HAS_SSE2
#define AB_IF_SSE2(X) X(sse2, ABUT_ISA_SSE2)
#else
#define AB_IF_SSE2(X)
#endif
#ifdef AB_HAS_AVX2
#define AB_IF_AVX2(X) X(avx2, ABUT_ISA_AVX2)
#else
#define AB_IF_AVX2(X)
#endif
#ifdef AB_HAS_AVX512
#define AB_IF_AVX512(X) X(avx512, ABUT_ISA_AVX512)
#else
#define AB_IF_AVX512(X)
#endif
#ifdef AB_HAS_NEON
#define AB_IF_NEON(X) X(neon, ABUT_ISA_NEON)
#else
#define AB_IF_NEON(X)
#endif
#ifdef AB_HAS_SIMD128
#define AB_IF_SIMD128(X) X(simd128, ABUT_ISA_SIMD128)
#else
#define AB_IF_SIMD128(X)
#endif

// Only small builds for processors that all have wider lanes leave out the scalar kernels.
#ifdef AB_HAS_SCALAR
#define AB_IF_SCALAR(X) X(scalar, ABUT_ISA_SCALAR)
#define AB_SINGLE_ISA   ABUT_ISA_SCALAR // of a call about one pair
#else
#define AB_IF_SCALAR(X)
#define AB_SINGLE_ISA abut_isa_best()
#endif

#define AB_FOR_EACH_ISA(X) AB_IF_SCALAR(X) AB_IF_SSE2(X) AB_IF_AVX2(X) AB_IF_AVX512(X) AB_IF_NEON(X) AB_IF_SIMD128(X)

#endif
