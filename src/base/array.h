// Growable arrays: stb_ds, behind this one header. An array is a plain pointer, NULL when empty; arrlenu, arrsetlen and
// indices work as always. Only ab_array_reserve and ab_array_resize grow an array, and both can fail.
//
// A block is [our 32 bytes: memory, size, use][stb_ds' 32 bytes][data], so that data is 64-aligned and arrfree finds
// the allocator.
#ifndef AB_ARRAY_H
#define AB_ARRAY_H

#include "base/memory.h"

_Noreturn void ab_array_never(void);
void ab_array_give(void *stb_header);

#define STBDS_REALLOC(context, block, size) ((void)(context), (void)(block), (void)(size), ab_array_never(), (void *)0)
#define STBDS_FREE(context, block)          ((void)(context), ab_array_give(block))

// A host program may link its own copy of stb_ds; ours has other names.
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

// stb_ds tests for NULL at every call; one function does it for all.
#undef arrlenu
#define arrlenu ab_array_length

static inline size_t ab_array_length(const void *array)
{
    return array ? stbds_header(array)->length : 0;
}

// Reserves `count` elements in all; at least doubles when it grows, or by half if it is large; length and contents
// stay. When out of memory, returns false and changes nothing.
#define ab_array_reserve(array, memory, count)                                                                         \
    (arrcap(array) >= (size_t)(count) ||                                                                               \
     (ab_array_grow((memory), (array), sizeof *(array), (size_t)(count)) && ((array) = (memory)->grown, true)))

// Reserves `count` elements and sets the length to it. New elements are uninitialised. Growing leaves slack, so that an
// array whose length varies from step to step soon stops growing: a quarter, a sixteenth of what is LARGE, and SLACK
// more for short ones, which vary more. When out of memory, returns false and changes nothing.
#define ab_array_resize(array, memory, count)                                                                          \
    (ab_array_lengthen((memory), (array), sizeof *(array), (size_t)(count)) && ((array) = (memory)->grown, true))

// Reserves `count` elements with the slack of ab_array_resize; length and contents stay. When out of memory, returns
// false and changes nothing.
#define ab_array_make_room(array, memory, count)                                                                       \
    (ab_array_widen((memory), (array), sizeof *(array), (size_t)(count)) && ((array) = (memory)->grown, true))

// Reserves exactly `count` elements where there are fewer; length and contents stay. For arrays whose owner decides how
// they grow. When out of memory, returns false and changes nothing.
#define ab_array_fit(array, memory, count)                                                                             \
    (arrcap(array) >= (size_t)(count) ||                                                                               \
     (ab_array_grow_to((memory), (array), sizeof *(array), (size_t)(count)) && ((array) = (memory)->grown, true)))

bool ab_array_grow_to(ab_memory *memory, void *array, size_t element, size_t count);
bool ab_array_widen(ab_memory *memory, void *array, size_t element, size_t count);
bool ab_array_grow(ab_memory *memory, void *array, size_t element, size_t count);
bool ab_array_lengthen(ab_memory *memory, void *array, size_t element, size_t count);
void ab_array_set_length(void *array, size_t count); // count within capacity; NULL with 0 is allowed

// Gives back unused room: if the capacity is more than twice what the array needed since it was trimmed last, it
// becomes that and the slack of ab_array_resize. Needed are the largest length since, and at least `floor` elements.
// Contents stay; less than AB_TRIM_LEAST bytes are not given back. When out of memory, nothing changes.
#define ab_array_trim(array, memory, floor)                                                                            \
    ((array) = ab_array_trimmed((memory), (array), sizeof *(array), (size_t)(floor)))

#define AB_TRIM_LEAST 65536u

void *ab_array_trimmed(ab_memory *memory, void *array, size_t element, size_t floor);

#endif
