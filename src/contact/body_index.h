// The contacts of each body. Those where it is body a are adjacent in key order; those where it is body b are chained.
// The chains are built on the first query after a detect.
#ifndef AB_BODY_INDEX_H
#define AB_BODY_INDEX_H

#include "contact/contact_list.h"

#include <abut/contacts.h>

typedef struct ab_body_index
{
    uint32_t *head; // growable, by body slot: the first contact where it is body b, or ABUT_NONE
    uint32_t *next; // growable, by contact: the next one with the same body b, or ABUT_NONE
    bool made;      // for the present contacts
} ab_body_index;

// Builds the chains if there are none. False when out of memory.
bool ab_body_index_make(ab_body_index *index, ab_memory *memory, const ab_contact_list *list, uint32_t body_slots);

// Writes at most `capacity` slots of the contacts of `body`, in order; returns how many there are.
uint32_t ab_body_index_list(const ab_body_index *index, const ab_contact_list *list, uint32_t body, uint32_t *slots,
                            uint32_t capacity);

void ab_body_index_trim(ab_body_index *index, ab_memory *memory); // gives back room not needed for long
void ab_body_index_close(ab_body_index *index);

#endif
