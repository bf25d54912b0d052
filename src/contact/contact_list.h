// Contacts in canonical order: their keys and slots.
#ifndef AB_CONTACT_LIST_H
#define AB_CONTACT_LIST_H

#include "base/array.h"
#include "base/memory.h"

#include <stdint.h>

// All growable and of one length, sorted by key and child.
typedef struct ab_contact_list
{
    uint64_t *keys;
    uint32_t *slots;
} ab_contact_list;

static inline uint32_t ab_contact_list_count(const ab_contact_list *list)
{
    return (uint32_t)arrlenu(list->keys);
}

static inline bool ab_contact_list_reserve(ab_contact_list *list, ab_memory *memory, size_t contacts)
{
    return ab_array_reserve(list->keys, memory, contacts) && ab_array_reserve(list->slots, memory, contacts);
}

static inline bool ab_contact_list_resize(ab_contact_list *list, ab_memory *memory, size_t contacts)
{
    return ab_array_resize(list->keys, memory, contacts) && ab_array_resize(list->slots, memory, contacts);
}

static inline void ab_contact_list_set_length(const ab_contact_list *list, size_t contacts)
{
    ab_array_set_length(list->keys, contacts);
    ab_array_set_length(list->slots, contacts);
}

static inline void ab_contact_list_trim(ab_contact_list *list, ab_memory *memory, size_t contacts)
{
    ab_array_trim(list->keys, memory, contacts);
    ab_array_trim(list->slots, memory, contacts);
}

static inline void ab_contact_list_close(ab_contact_list *list)
{
    arrfree(list->keys);
    arrfree(list->slots);
}

#endif
