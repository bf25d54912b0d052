// Growable arrays: stb_ds, behind this one header. An array is a plain pointer, NULL when empty; arrlenu, arrsetlen and
// indices work as always. Nothing grows on its own: room is made first by ab_array_reserve, which can refuse.
//
// A block is [our 32 bytes: memory, size][stb_ds' 32 bytes][data], so that data is 64-aligned and arrfree finds its way
// home.
#ifndef AB_ARRAY_H
#define AB_ARRAY_H

#include "base/memory.h"

_Noreturn void ab_array_never(void);
void ab_array_give(void *stb_header);

#define STBDS_REALLOC(context, block, size) ((void)(context), (void)(block), (void)(size), ab_array_never(), (void *)0)
#define STBDS_FREE(context, block)          ((void)(context), ab_array_give(block))

// A host program may have its own copy of stb_ds; ours answers to other names.
#define stbds_arrgrowf      ab_stbds_arrgrowf
#define stbds_arrfreef      ab_stbds_arrfreef
#define stbds_hmfree_func   ab_stbds_hmfree_func
#define stbds_hmget_key     ab_stbds_hmget_key
#define stbds_hmget_key_ts  ab_stbds_hmget_key_ts
#define stbds_hmput_default ab_stbds_hmput_default
#define stbds_hmput_key     ab_stbds_hmput_key
#define stbds_hmdel_key     ab_stbds_hmdel_key
#define stbds_shmode_func   ab_stbds_shmode_func
#define stbds_rand_seed     ab_stbds_rand_seed
#define stbds_hash_bytes    ab_stbds_hash_bytes
#define stbds_hash_string   ab_stbds_hash_string
#define stbds_stralloc      ab_stbds_stralloc
#define stbds_strreset      ab_stbds_strreset
#define stbds_unit_tests    ab_stbds_unit_tests

#include <stb_ds.h>

// stb_ds asks at every place whether the array is there; one function asks for all.
#undef arrlenu
#define arrlenu ab_array_length

static inline size_t ab_array_length(const void *array)
{
    return array ? stbds_header(array)->length : 0;
}

// Makes room for `count` elements in all, at least doubling when it grows; length and contents stay. False, and nothing
// changed, when out of memory.
#define ab_array_reserve(array, memory, count)                                                                         \
    (arrcap(array) >= (size_t)(count) ||                                                                               \
     (ab_array_grow((memory), (array), sizeof *(array), (size_t)(count)) && ((array) = (memory)->grown, true)))

// Room for `count` elements, and the length set to it. New elements are not initialised. Growing leaves slack, so that
// an array whose length wavers from step to step soon ceases to grow: a quarter, and some more for short ones, which
// waver more. False, and nothing changed, when out of memory.
#define ab_array_resize(array, memory, count)                                                                          \
    (ab_array_lengthen((memory), (array), sizeof *(array), (size_t)(count)) && ((array) = (memory)->grown, true))

bool ab_array_grow(ab_memory *memory, void *array, size_t element, size_t count);
bool ab_array_lengthen(ab_memory *memory, void *array, size_t element, size_t count);
void ab_array_set_length(void *array, size_t count); // count within capacity; NULL with 0 is allowed

#endif
