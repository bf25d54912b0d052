// Which instruction sets the processor supports and the system saves the registers of. Asks the processor once: CPUID
// is slow under virtual machines, and the answer is constant for the process.
#include "base/isa.h"

#include <stdatomic.h>

#if (defined(AB_HAS_AVX2) || defined(AB_HAS_AVX512)) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>

enum
{
    LEAF1_ECX_OSXSAVE = 1u << 27,
    LEAF1_ECX_AVX = 1u << 28,
    LEAF1_ECX_POPCNT = 1u << 23,
    LEAF7_EBX_BMI1 = 1u << 3,
    LEAF7_EBX_AVX2 = 1u << 5,
    LEAF7_EBX_BMI2 = 1u << 8,
    LEAF7_EBX_AVX512F = 1u << 16,
    LEAF7_EBX_AVX512DQ = 1u << 17,
    LEAF7_EBX_AVX512BW = 1u << 30,
    LEAF81_ECX_LZCNT = 1u << 5,
    XCR0_AVX = 0x6u,
    XCR0_AVX512 = 0xe6u
};
static const unsigned leaf7_ebx_avx512vl = 1u << 31;

__attribute__((target("xsave"))) static unsigned saved_registers(void)
{
    return (unsigned)_xgetbv(0);
}

static bool has(unsigned word, unsigned bits)
{
    return (word & bits) == bits;
}

static unsigned detect(void)
{
    unsigned set = 1u << ABUT_ISA_SCALAR | 1u << ABUT_ISA_SSE2;
    unsigned a, b, c, d, extended_c = 0, leaf7_b = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !has(c, LEAF1_ECX_OSXSAVE | LEAF1_ECX_AVX | LEAF1_ECX_POPCNT))
    {
        return set;
    }
    const unsigned saved = saved_registers();
    if (!has(saved, XCR0_AVX) || !__get_cpuid_count(7, 0, &a, &leaf7_b, &c, &d))
    {
        return set;
    }
    (void)__get_cpuid(0x80000001u, &a, &b, &extended_c, &d);
    if (has(leaf7_b, LEAF7_EBX_AVX2 | LEAF7_EBX_BMI1 | LEAF7_EBX_BMI2) && has(extended_c, LEAF81_ECX_LZCNT))
    {
        set |= 1u << ABUT_ISA_AVX2;
        if (has(saved, XCR0_AVX512) &&
            has(leaf7_b, LEAF7_EBX_AVX512F | LEAF7_EBX_AVX512DQ | LEAF7_EBX_AVX512BW | leaf7_ebx_avx512vl))
        {
            set |= 1u << ABUT_ISA_AVX512;
        }
    }
    return set;
}

#else

static unsigned detect(void)
{
    return 1u << ABUT_ISA_SCALAR | 1u << ABUT_ISA_SSE2 | 1u << ABUT_ISA_NEON | 1u << ABUT_ISA_SIMD128;
}

#endif

#define COMPILED_(name, isa) | 1u << (isa)
static const unsigned compiled = 0u AB_FOR_EACH_ISA(COMPILED_);

static unsigned available(void)
{
    static atomic_uint kept;
    unsigned set = atomic_load_explicit(&kept, memory_order_relaxed);
    if (set == 0)
    {
        set = (detect() & compiled) | 1u << ABUT_ISA_AUTO;
        atomic_store_explicit(&kept, set, memory_order_relaxed);
    }
    return set;
}

bool abut_isa_available(abut_isa isa)
{
    return (unsigned)isa < ABUT_ISA_COUNT && (available() >> isa & 1u) != 0;
}

abut_isa abut_isa_best(void)
{
    static const abut_isa widest_first[] = { ABUT_ISA_AVX512, ABUT_ISA_AVX2, ABUT_ISA_NEON, ABUT_ISA_SSE2,
                                             ABUT_ISA_SIMD128 };
    for (unsigned i = 0; i < sizeof widest_first / sizeof *widest_first; ++i)
    {
        if (abut_isa_available(widest_first[i]))
        {
            return widest_first[i];
        }
    }
    return ABUT_ISA_SCALAR;
}

const char *abut_isa_name(abut_isa isa)
{
    static const char *const name[ABUT_ISA_COUNT] = {
        [ABUT_ISA_AUTO] = "auto",       [ABUT_ISA_SCALAR] = "scalar", [ABUT_ISA_SSE2] = "sse2",
        [ABUT_ISA_AVX2] = "avx2",       [ABUT_ISA_AVX512] = "avx512", [ABUT_ISA_NEON] = "neon",
        [ABUT_ISA_SIMD128] = "simd128",
    };
    return (unsigned)isa < ABUT_ISA_COUNT ? name[isa] : "unknown";
}
