// Lists the contacts of one body: chains for its contacts as body b, a binary search for those as body a.
#include "contact/body_index.h"

#include "base/array.h"

bool ab_body_index_make(ab_body_index *index, ab_memory *memory, const ab_contact_list *list, uint32_t body_slots)
{
    const uint32_t count = (uint32_t)arrlenu(list->keys);
    if (index->made)
    {
        return true;
    }
    if (!ab_array_resize(index->head, memory, body_slots) || !ab_array_resize(index->next, memory, count))
    {
        return false;
    }
    for (uint32_t slot = 0; slot < body_slots; ++slot)
    {
        index->head[slot] = ABUT_NONE;
    }
    for (uint32_t i = count; i-- > 0;)
    {
        uint32_t *head = &index->head[list->keys[i] >> 16 & 0xffffffu];
        index->next[i] = *head;
        *head = i;
    }
    index->made = true;
    return true;
}

// As body b the body has the higher slot, so these contacts precede those where it is body a.
uint32_t ab_body_index_list(const ab_body_index *index, const ab_contact_list *list, uint32_t body, uint32_t *slots,
                            uint32_t capacity)
{
    uint32_t found = 0;
    for (uint32_t i = body < arrlenu(index->head) ? index->head[body] : ABUT_NONE; i != ABUT_NONE; i = index->next[i])
    {
        if (found < capacity)
        {
            slots[found] = list->slots[i];
        }
        ++found;
    }
    const uint32_t count = (uint32_t)arrlenu(list->keys);
    for (uint32_t i = ab_key_position(list->keys, count, 0, (uint64_t)body << 40);
         i < count && list->keys[i] >> 40 == body; ++i)
    {
        if (found < capacity)
        {
            slots[found] = list->slots[i];
        }
        ++found;
    }
    return found;
}

void ab_body_index_trim(ab_body_index *index, ab_memory *memory)
{
    ab_array_trim(index->head, memory, 0);
    ab_array_trim(index->next, memory, 0);
}

void ab_body_index_close(ab_body_index *index)
{
    arrfree(index->head);
    arrfree(index->next);
}
