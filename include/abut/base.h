// Status codes and their sentences, the allocator, the version, and what every header needs.
#ifndef ABUT_BASE_H
#define ABUT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ABUT_VERSION_MAJOR 0 // version of the interface
#define ABUT_VERSION_MINOR 1 // changes when the interface does, part of the shared library's name
#define ABUT_VERSION_PATCH 0 // changes with mends

// Marks exported functions. Define ABUT_SHARED to use the shared library on Windows; abut::abut_shared does so.
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

// Makes the compiler warn when a status is ignored.
#if defined(__cplusplus) && __cplusplus >= 201703L
#define ABUT_CHECKED [[nodiscard]]
#elif defined(__GNUC__)
#define ABUT_CHECKED __attribute__((warn_unused_result))
#else
#define ABUT_CHECKED
#endif

// The largest coordinate, extent, margin (metres), speed (metres a second) and rate of turn (radians a second)
// accepted. It keeps every square and product of squares inside the range of a float.
#define ABUT_MAX_MAGNITUDE 1.0e8f

// Threads of one world, or of one mesh that is cooked; those that are started have a megabyte of stack or more.
#define ABUT_MAX_THREADS 256u

#define ABUT_MAX_BODIES             16777214u  // live bodies of one world
#define ABUT_MAX_COLLIDERS_PER_BODY 256u       // live colliders of one body
#define ABUT_MAX_COLLIDERS          134217728u // live colliders of one world
#define ABUT_NONE                   UINT32_MAX // an index that names nothing

// The result of a call. On any other than ABUT_OK the world is observably unchanged.
typedef enum abut_status
{
    ABUT_OK = 0,           // done
    ABUT_INVALID_ARGUMENT, // NULL, NaN, infinity, a zero rotation, a negative size, a value past its limit
    ABUT_STALE_HANDLE,     // the body or collider ended, never existed, or is another world's
    ABUT_OUT_OF_MEMORY,    // the allocator failed, or the system has no thread; trying again later is sound
    ABUT_LIMIT,            // a documented limit on counts is reached
    ABUT_BUSY,             // called from one of this world's callbacks, or while a detect is under way
    ABUT_UNSUPPORTED       // not compiled in, or not available on this processor
} abut_status;

// Returns one English sentence in static storage, "unknown status" outside the enumeration.
ABUT_API const char *abut_status_text(abut_status status);

// An allocator. Set both functions, or neither for malloc and free. They are called only on the thread that called in,
// and must not call the world. See docs/memory.md.
typedef struct abut_allocator
{
    void *(*allocate)(void *context, size_t size, size_t alignment);            // NULL: out of memory
    void (*release)(void *context, void *block, size_t size, size_t alignment); // of a block from allocate
    void *context;                                                              // handed to both
} abut_allocator;

// Instruction sets with their own kernels. Results have the same bits on all of them.
typedef enum abut_isa
{
    ABUT_ISA_AUTO = 0, // the widest of this processor
    ABUT_ISA_SCALAR,   // plain C
    ABUT_ISA_SSE2,     // 4 lanes
    ABUT_ISA_AVX2,     // 8 lanes
    ABUT_ISA_AVX512,   // 16 lanes; needs F, VL, DQ and BW
    ABUT_ISA_NEON,     // 4 lanes, 64-bit ARM
    ABUT_ISA_SIMD128,  // 4 lanes, WebAssembly
    ABUT_ISA_COUNT     // number of instruction sets
} abut_isa;

// Returns whether this build has kernels for `isa` and this processor and system run them. True for ABUT_ISA_AUTO.
ABUT_API bool abut_isa_available(abut_isa isa);

// Returns what ABUT_ISA_AUTO selects on this processor.
ABUT_API abut_isa abut_isa_best(void);

// Returns a lower-case name such as "avx2" in static storage, "unknown" outside the enumeration.
ABUT_API const char *abut_isa_name(abut_isa isa);

#ifdef __cplusplus
}
#endif

#endif
