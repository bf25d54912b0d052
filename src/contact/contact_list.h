// Contacts in canonical order: their keys and slots.
#ifndef AB_CONTACT_LIST_H
#define AB_CONTACT_LIST_H

#include "base/memory.h"

#include <stdint.h>

// Both growable and of one length, sorted by key and child.
typedef struct ab_contact_list
{
    uint64_t *keys;
    uint32_t *slots;
} ab_contact_list;

// The index of the first of some sorted keys that is not below `key`, from `from` on: all before are below. The cost
// follows from how far it is from there (galloping search).
uint32_t ab_key_position(const uint64_t *keys, uint32_t count, uint32_t from, uint64_t key);

uint32_t ab_contact_list_count(const ab_contact_list *list);
bool ab_contact_list_reserve(ab_contact_list *list, ab_memory *memory, size_t contacts);
bool ab_contact_list_resize(ab_contact_list *list, ab_memory *memory, size_t contacts);
void ab_contact_list_set_length(const ab_contact_list *list, size_t contacts);
void ab_contact_list_trim(ab_contact_list *list, ab_memory *memory, size_t contacts);
void ab_contact_list_close(ab_contact_list *list);

#endif
