// Restores a world from an image: checks everything, reserves all room, then replaces the state, which cannot fail.
#include "state/restore.h"
#include "world/journal.h"

static const char *const call = "abut_world_restore";

static bool take_scratch(ab_image_scratch *scratch, ab_arena *arena, const ab_image *image)
{
    const size_t bodies = AB_SAVED_COUNT(image, BODIES), colliders = AB_SAVED_COUNT(image, COLLIDERS);
    scratch->body = ab_arena_take(arena, bodies + colliders + 1);
    scratch->collider = scratch->body ? scratch->body + bodies : NULL;
    return scratch->body != NULL;
}

// For reading contacts.
static bool take_room(ab_image_scratch *scratch, ab_arena *arena, const ab_image *image)
{
    scratch->is_listed = ab_arena_take(arena, AB_SAVED_COUNT(image, CONTACT_SLOTS) + (size_t)1);
    return scratch->is_listed != NULL;
}

// More, to check slots that are not those of the world.
static bool take_more(ab_image_scratch *scratch, ab_arena *arena, const ab_image *image)
{
    const size_t count = (size_t)AB_SAVED_COUNT(image, COLLIDERS) + 1;
    scratch->entries = ab_arena_take(arena, count * sizeof *scratch->entries);
    scratch->scratch = ab_arena_take(arena, count * sizeof *scratch->scratch);
    scratch->own_keys = ab_arena_take(arena, count * sizeof *scratch->own_keys);
    scratch->own_names = ab_arena_take(arena, count * sizeof *scratch->own_names);
    return scratch->entries && scratch->scratch && scratch->own_keys && scratch->own_names;
}

#define BIT(name) ((uint64_t)1 << AB_SECTION_##name)

// Those that are not summed while they are read.
static bool sections_are_sound(const ab_image *image)
{
    const uint64_t later = BIT(COLLIDERS) | BIT(CONTACTS) | BIT(POINTS) | BIT(IMPULSES) | BIT(BEGUN) | BIT(ENDED) |
                           BIT(ASLEEP_CONTACTS) | BIT(ASLEEP_POINTS) | BIT(ASLEEP_IMPULSES);
    bool sound = true;
    for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
    {
        sound = sound && ((later >> id & 1u) != 0 || ab_section_sound(image, (ab_section_id)id));
    }
    return sound;
}

// Why an image cannot be restored.
typedef struct refusal
{
    abut_status status;
    const char *sentence;
} refusal;

static refusal refused(const char *sentence)
{
    return (refusal){ sentence ? ABUT_INVALID_ARGUMENT : ABUT_OK, sentence };
}

static const refusal no_memory = { ABUT_OUT_OF_MEMORY, NULL };

// Checks the slots, unless they are the world's. *kept: they are.
static refusal check_slots(abut_world *world, const abut_registry *registry, const ab_image *image,
                           ab_image_scratch *scratch, bool *kept)
{
    bool sound;
    if (!sections_are_sound(image))
    {
        return refused(ab_section_damaged);
    }
    const char *fault = ab_settings_fault(image, world);
    if (fault)
    {
        return refused(fault);
    }
    ab_arena_empty(&world->work.arena);
    if (!take_scratch(scratch, &world->work.arena, image))
    {
        return no_memory;
    }
    *kept = ab_image_keeps_slots(world, image, registry, scratch, &sound);
    if (!sound)
    {
        return refused(ab_section_damaged);
    }
    if (*kept)
    {
        return refused(NULL);
    }
    return take_more(scratch, &world->work.arena, image) ? refused(ab_image_fault(image, world, registry, scratch))
                                                         : no_memory;
}

static refusal restore(abut_world *world, const abut_registry *registry, const void *bytes, size_t size)
{
    ab_image image;
    ab_image_scratch scratch = { 0 };
    bool kept = false;
    const char *fault = ab_image_outline(&image, bytes, size);
    if (fault)
    {
        return refused(fault);
    }
    if (image.section[AB_SECTION_BODIES].count > ABUT_MAX_BODIES ||
        image.section[AB_SECTION_COLLIDERS].count > ABUT_MAX_COLLIDERS)
    {
        return refused("the image has too many bodies or colliders");
    }
    const refusal of_slots = check_slots(world, registry, &image, &scratch, &kept);
    if (of_slots.status != ABUT_OK)
    {
        return of_slots;
    }
    if (!ab_contacts_countable(&image))
    {
        return refused(AB_CONTACTS_FAULT);
    }
    if (!ab_restore_reserve(world, &image, &scratch, kept) || !take_room(&scratch, &world->work.arena, &image))
    {
        return no_memory;
    }
    ab_contact_store *store = &world->state.store;
    store->asleep.stale = true; // its list is where asleep contacts are read into
    ab_read_results read = { .pool = &store->spare,
                             .awake = ab_contact_store_next(store),
                             .asleep = &store->asleep.sorted };
    fault = ab_results_read(&image, &scratch, &read);
    fault = fault ? fault : ab_image_results_fault(&image, &scratch, &read);
    if (fault)
    {
        return refused(fault);
    }
    ab_restore_take(world, &image, &scratch, registry, kept, &read);
    AB_WORLD_CHECK(world);
    return refused(NULL);
}

abut_status abut_world_restore(abut_world *world, const abut_registry *registry, const void *image, size_t size)
{
    const abut_status entered = ab_world_enter(world);
    if (entered != ABUT_OK)
    {
        return entered;
    }
    if (!image || (registry && registry->geometry_count > 0 && !registry->geometries))
    {
        return ab_fail(world, ABUT_INVALID_ARGUMENT, call, 0, "a pointer is NULL");
    }
    if (!ab_image_is_native())
    {
        return ab_fail(world, ABUT_UNSUPPORTED, call, 0, "images are little-endian, and this machine is not");
    }
    ab_world_float_enter(world);
    const refusal outcome = restore(world, registry, image, size);
    ab_world_float_leave(world);
    if (outcome.status != ABUT_OK)
    {
        return ab_fail(world, outcome.status, call, 0,
                       outcome.sentence ? outcome.sentence : abut_status_text(outcome.status));
    }
    AB_TELL(world, .kind = AB_CHANGE_RESTORED);
    return ABUT_OK;
}
