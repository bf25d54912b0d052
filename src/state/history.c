// The last frames of a world within a budget of memory: the image of the newest one, and for each older one what turns
// the image of the next into its own. Going back applies these one after the other.
#include "base/memory.h"
#include "state/image.h"
#include "world/world.h"

#include <string.h>

// An image or a difference, in a block of its own.
typedef struct block
{
    unsigned char *bytes;
    size_t size;
} block;

typedef struct kept_frame
{
    uint64_t frame;
    block block; // the image, or the difference from the next frame's
} kept_frame;

struct abut_history
{
    ab_memory memory;
    uint64_t budget;
    kept_frame *frames; // oldest first; the last has the image
    size_t count, room;
    size_t last_size; // of the last difference
};

abut_status abut_history_create(const abut_allocator *allocator, size_t budget, abut_history **out)
{
    ab_memory memory;
    if (!out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (!ab_memory_open(&memory, allocator))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_history *history = ab_memory_take(&memory, sizeof *history);
    if (!history)
    {
        return ABUT_OUT_OF_MEMORY;
    }
    *history = (abut_history){ .memory = memory, .budget = budget };
    *out = history;
    return ABUT_OK;
}

static bool take(abut_history *history, block *out, size_t size)
{
    *out = (block){ ab_memory_take(&history->memory, size), size };
    return out->bytes != NULL;
}

static void give(abut_history *history, block it)
{
    ab_memory_give(&history->memory, it.bytes, it.size);
}

void abut_history_destroy(abut_history *history)
{
    if (!history)
    {
        return;
    }
    for (size_t i = 0; i < history->count; ++i)
    {
        give(history, history->frames[i].block);
    }
    ab_memory_give(&history->memory, history->frames, history->room * sizeof *history->frames);
    ab_memory memory = history->memory;
    ab_memory_give(&memory, history, sizeof *history);
}

static bool make_room(abut_history *history)
{
    if (history->count < history->room)
    {
        return true;
    }
    const size_t room = 2 * history->room + 16;
    kept_frame *frames = ab_memory_take(&history->memory, room * sizeof *frames);
    if (!frames)
    {
        return false;
    }
    if (history->count > 0)
    {
        memcpy(frames, history->frames, history->count * sizeof *frames);
    }
    ab_memory_give(&history->memory, history->frames, history->room * sizeof *frames);
    history->frames = frames;
    history->room = room;
    return true;
}

static void drop_oldest(abut_history *history)
{
    give(history, history->frames[0].block);
    memmove(history->frames, history->frames + 1, --history->count * sizeof *history->frames);
}

// The difference that turns `base` into `image`, in a block at least so large; its size, which may be more, is told. A
// block of NULL: out of memory.
static block write_difference(abut_history *history, block base, block image, size_t room, size_t *size)
{
    block out;
    if (take(history, &out, room))
    {
        (void)!ab_image_difference_of_sound(base.bytes, base.size, image.bytes, image.size, out.bytes, room, size);
    }
    return out;
}

// The same in a block of its size. As a rule it is no larger than the last one and a bit, so that it is made once.
static bool take_difference(abut_history *history, block *out, block base, block image)
{
    const size_t room = history->last_size + history->last_size / 8 + 4096;
    size_t size = 0;
    block made = write_difference(history, base, image, room, &size);
    if (made.bytes && size > room)
    {
        give(history, made);
        made = write_difference(history, base, image, size, &size);
    }
    if (!made.bytes)
    {
        return false;
    }
    history->last_size = size;
    if (size == made.size)
    {
        *out = made;
        return true;
    }
    const bool taken = take(history, out, size);
    if (taken)
    {
        memcpy(out->bytes, made.bytes, size);
    }
    give(history, made);
    return taken;
}

// Adds the image as the newest frame; the one before becomes a difference.
static bool add(abut_history *history, block image, uint64_t frame)
{
    if (!make_room(history))
    {
        return false;
    }
    if (history->count > 0)
    {
        block *last = &history->frames[history->count - 1].block, difference;
        if (!take_difference(history, &difference, image, *last))
        {
            return false;
        }
        give(history, *last);
        *last = difference;
    }
    history->frames[history->count++] = (kept_frame){ frame, image };
    while (history->count > 1 && history->memory.bytes > history->budget)
    {
        drop_oldest(history);
    }
    return true;
}

// The world tells of what a save or restore lacks; a history of the rest. Small builds return the status alone.
#ifdef AB_SMALL
#define FAIL(world, status, call, sentence) (status)
#else
#define FAIL(world, status, call, sentence) ab_fail(world, status, call, 0, sentence)
#endif

static bool is_newer(const abut_history *history, uint64_t frame)
{
    return history->count == 0 || history->frames[history->count - 1].frame < frame;
}

abut_status abut_history_push(abut_history *history, abut_world *world, const abut_registry *registry, uint64_t frame)
{
    block image = { 0 };
    size_t size = 0;
    abut_status status = ab_world_enter(world);
    if (status != ABUT_OK)
    {
        return status;
    }
    if (!history || !is_newer(history, frame))
    {
        return FAIL(world, ABUT_INVALID_ARGUMENT, "abut_history_push",
                    history ? "the frame is no later than the newest" : "a pointer is NULL");
    }
    status = abut_world_save(world, 0, registry, NULL, 0, &size);
    if (status != ABUT_OK)
    {
        return status;
    }
    if (2 * (uint64_t)size > history->budget)
    {
        return FAIL(world, ABUT_LIMIT, "abut_history_push", "the budget is less than two images");
    }
    const bool taken = take(history, &image, size);
    status = taken ? abut_world_save(world, 0, registry, image.bytes, size, &size) : ABUT_OK;
    if (taken && status == ABUT_OK && add(history, image, frame))
    {
        return ABUT_OK;
    }
    if (taken)
    {
        give(history, image);
    }
    return status != ABUT_OK
               ? status
               : FAIL(world, ABUT_OUT_OF_MEMORY, "abut_history_push", abut_status_text(ABUT_OUT_OF_MEMORY));
}

// The image of the frame at `index`, made from the newest one step by step. False when out of memory.
static bool take_image(abut_history *history, size_t index, block *out)
{
    size_t at = history->count - 1;
    const block newest = history->frames[at].block;
    if (!take(history, out, newest.size))
    {
        return false;
    }
    memcpy(out->bytes, newest.bytes, newest.size);
    while (at > index)
    {
        const block base = *out, difference = history->frames[--at].block;
        size_t size = 0;
        (void)!ab_image_apply_sound(base.bytes, base.size, difference.bytes, difference.size, NULL, 0, &size);
        const bool taken = take(history, out, size);
        if (taken)
        {
            (void)!ab_image_apply_sound(base.bytes, base.size, difference.bytes, difference.size, out->bytes, size,
                                        &size);
        }
        give(history, base);
        if (!taken)
        {
            return false;
        }
    }
    return true;
}

// Restores a world to a frame, whose index and image the caller gets: the image is the caller's to give back.
static abut_status restore(abut_history *history, abut_world *world, const abut_registry *registry, uint64_t frame,
                           const char *call, size_t *index, block *image)
{
    const abut_status entered = ab_world_enter(world);
    (void)call;
    *index = 0;
    if (entered != ABUT_OK)
    {
        return entered;
    }
    while (history && *index < history->count && history->frames[*index].frame != frame)
    {
        ++*index;
    }
    if (!history || *index == history->count)
    {
        return FAIL(world, ABUT_INVALID_ARGUMENT, call,
                    history ? "the history does not have the frame" : "a pointer is NULL");
    }
    if (!take_image(history, *index, image))
    {
        return FAIL(world, ABUT_OUT_OF_MEMORY, call, abut_status_text(ABUT_OUT_OF_MEMORY));
    }
    const abut_status status = abut_world_restore(world, registry, image->bytes, image->size);
    if (status != ABUT_OK)
    {
        give(history, *image);
    }
    return status;
}

abut_status abut_history_rewind(abut_history *history, abut_world *world, const abut_registry *registry, uint64_t frame)
{
    size_t index;
    block image = { 0 };
    const abut_status status = restore(history, world, registry, frame, "abut_history_rewind", &index, &image);
    if (status != ABUT_OK)
    {
        return status;
    }
    while (history->count > index)
    {
        give(history, history->frames[--history->count].block);
    }
    history->frames[history->count++] = (kept_frame){ frame, image };
    return ABUT_OK;
}

abut_status abut_history_read(abut_history *history, abut_world *world, const abut_registry *registry, uint64_t frame)
{
    size_t index;
    block image = { 0 };
    const abut_status status = restore(history, world, registry, frame, "abut_history_read", &index, &image);
    if (status == ABUT_OK)
    {
        give(history, image);
    }
    return status;
}

bool abut_history_range(const abut_history *history, uint64_t *oldest, uint64_t *newest)
{
    if (!history || history->count == 0)
    {
        return false;
    }
    if (oldest)
    {
        *oldest = history->frames[0].frame;
    }
    if (newest)
    {
        *newest = history->frames[history->count - 1].frame;
    }
    return true;
}
