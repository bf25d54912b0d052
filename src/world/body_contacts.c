// Lists the contacts of one body.
#include "base/array.h"
#include "world/world.h"

abut_status abut_body_contacts(abut_world *world, abut_body body, abut_contact_set set, uint32_t *slots,
                               uint32_t capacity, uint32_t *count)
{
    static const char *const call = "abut_body_contacts";
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!count || (capacity > 0 && !slots))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    if ((unsigned)set > ABUT_ASLEEP)
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "there is no such set of contacts");
    }
    if (!ab_body_live(world, body))
    {
        return ab_fail(world, ABUT_STALE_HANDLE, call, 0, "the handle names no live body of this world");
    }
    ab_contact_store *store = &world->state.store;
    const ab_contact_list *list =
        set == ABUT_ASLEEP ? ab_asleep_contacts_sorted(&store->asleep) : ab_contact_store_now(store);
    const uint32_t body_slots = (uint32_t)arrlenu(world->state.bodies.generation);
    if (!ab_body_index_make(&store->index[set], &world->memory, list, body_slots))
    {
        return ab_fail(world, ABUT_OUT_OF_MEMORY, call, 0, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    *count = ab_body_index_list(&store->index[set], list, body.slot, slots, capacity);
    return ABUT_OK;
}
