// Status codes and their sentences, the allocator, the version, and what every header needs.
#ifndef ABUT_BASE_H
#define ABUT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ABUT_VERSION_MAJOR 0
#define ABUT_VERSION_MINOR 1
#define ABUT_VERSION_PATCH 0

#if defined(_WIN32) && defined(ABUT_SHARED)
#if defined(ABUT_BUILDING)
#define ABUT_API __declspec(dllexport)
#else
#define ABUT_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define ABUT_API __attribute__((visibility("default")))
#else
#define ABUT_API
#endif

// A status that is not looked at is a bug; the compiler says so.
#if defined(__cplusplus)
#define ABUT_CHECKED [[nodiscard]]
#elif defined(__GNUC__)
#define ABUT_CHECKED __attribute__((warn_unused_result))
#else
#define ABUT_CHECKED
#endif

// The largest coordinate, extent, margin (metres), speed (metres a second) and rate of turn (radians a second)
// accepted. It keeps every square and product of squares inside the range of a float.
#define ABUT_MAX_MAGNITUDE 1.0e8f

#define ABUT_MAX_BODIES             16777214u // live at one time in one world
#define ABUT_MAX_COLLIDERS_PER_BODY 256u
#define ABUT_MAX_COLLIDERS          134217728u // live at one time in one world
#define ABUT_NONE                   UINT32_MAX // an index that names nothing

// What a call answers. On anything but ABUT_OK the world is observably what it was before the call.
typedef enum abut_status
{
    ABUT_OK = 0,
    ABUT_INVALID_ARGUMENT, // NULL, NaN, infinity, a zero rotation, a negative size, a value past its limit
    ABUT_STALE_HANDLE,     // the body or collider was destroyed, never existed, or belongs to another world
    ABUT_OUT_OF_MEMORY,    // the allocator refused, or the system a thread; freeing something and trying again is sound
    ABUT_LIMIT,            // a limit on counts that is told here or with the call was reached
    ABUT_BUSY,             // called from inside one of this world's own callbacks, or while a detect is under way
    ABUT_UNSUPPORTED       // not compiled in, or not available on this processor
} abut_status;

// One sentence in English, static storage; "unknown status" for values outside the enumeration.
ABUT_API const char *abut_status_text(abut_status status);

// Where memory comes from. Both functions or neither; neither: the C library's. `alignment` is a power of two.
// `allocate` returns NULL when it refuses. They are called only from the thread that called in, and must not call the
// world.
typedef struct abut_allocator
{
    void *(*allocate)(void *context, size_t size, size_t alignment);
    void (*release)(void *context, void *block, size_t size, size_t alignment);
    void *context;
} abut_allocator;

// Instruction sets with kernels of their own. Results are the same bits on all of them.
typedef enum abut_isa
{
    ABUT_ISA_AUTO = 0, // the widest this processor has
    ABUT_ISA_SCALAR,
    ABUT_ISA_SSE2,
    ABUT_ISA_AVX2,
    ABUT_ISA_AVX512, // F, VL, DQ and BW
    ABUT_ISA_NEON,
    ABUT_ISA_SIMD128, // WebAssembly's
    ABUT_ISA_COUNT
} abut_isa;

// Whether this build has kernels for `isa` and this processor (and its system) runs them. AUTO is always available.
ABUT_API bool abut_isa_available(abut_isa isa);

// What ABUT_ISA_AUTO stands for here.
ABUT_API abut_isa abut_isa_best(void);

// Lower-case name such as "avx2"; static storage; "unknown" for values outside the enumeration.
ABUT_API const char *abut_isa_name(abut_isa isa);

#ifdef __cplusplus
}
#endif

#endif
