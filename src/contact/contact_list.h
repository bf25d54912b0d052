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

uint32_t ab_contact_list_count(const ab_contact_list *list);
bool ab_contact_list_reserve(ab_contact_list *list, ab_memory *memory, size_t contacts);
bool ab_contact_list_resize(ab_contact_list *list, ab_memory *memory, size_t contacts);
void ab_contact_list_set_length(const ab_contact_list *list, size_t contacts);
void ab_contact_list_trim(ab_contact_list *list, ab_memory *memory, size_t contacts);
void ab_contact_list_close(ab_contact_list *list);

#endif
