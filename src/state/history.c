// The last frames of a world within a budget of memory: the image of the newest one, and for each older one what turns
// the image of the next into its own. Going back applies these one after the other.
#include "base/array.h"
#include "base/memory.h"
#include "state/image.h"

#include <string.h>

typedef struct kept_frame
{
    uint64_t frame;
    unsigned char *bytes; // growable: the image, or the difference from the next frame's
} kept_frame;

struct abut_history
{
    ab_memory memory;
    uint64_t budget;
    kept_frame *frames;        // growable, oldest first; the last has the image
    unsigned char *scratch[2]; // growable: images
};

static uint64_t bytes_of(const abut_history *history)
{
    return history->memory.bytes;
}

abut_status abut_history_create(const abut_allocator *allocator, size_t budget, abut_history **out)
{
    ab_memory memory;
    if (out)
    {
        *out = NULL;
    }
    if (!out || !ab_memory_open(&memory, allocator))
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

void abut_history_destroy(abut_history *history)
{
    if (!history)
    {
        return;
    }
    for (size_t i = 0; i < arrlenu(history->frames); ++i)
    {
        arrfree(history->frames[i].bytes);
    }
    arrfree(history->frames);
    arrfree(history->scratch[0]);
    arrfree(history->scratch[1]);
    ab_memory memory = history->memory;
    ab_memory_give(&memory, history, sizeof *history);
}

static void drop_oldest(abut_history *history)
{
    const size_t count = arrlenu(history->frames);
    arrfree(history->frames[0].bytes);
    memmove(history->frames, history->frames + 1, (count - 1) * sizeof *history->frames);
    ab_array_set_length(history->frames, count - 1);
}

static void drop_newest(abut_history *history)
{
    const size_t count = arrlenu(history->frames);
    arrfree(history->frames[count - 1].bytes);
    ab_array_set_length(history->frames, count - 1);
}

// Bytes of exactly this size.
static bool resize(abut_history *history, unsigned char **bytes, size_t size)
{
    if (!ab_array_reserve(*bytes, &history->memory, size))
    {
        return false;
    }
    ab_array_set_length(*bytes, size);
    return true;
}

// Replaces the newest frame's image by its difference from the image in scratch[0].
static bool fold_newest(abut_history *history)
{
    kept_frame *last = &history->frames[arrlenu(history->frames) - 1];
    const unsigned char *image = history->scratch[0];
    unsigned char *difference = NULL;
    size_t size = 0;
    if (abut_image_difference(image, arrlenu(image), last->bytes, arrlenu(last->bytes), NULL, 0, &size) != ABUT_OK ||
        !resize(history, &difference, size))
    {
        return false;
    }
    if (abut_image_difference(image, arrlenu(image), last->bytes, arrlenu(last->bytes), difference, size, &size) !=
        ABUT_OK)
    {
        arrfree(difference);
        return false;
    }
    arrfree(last->bytes);
    last->bytes = difference;
    return true;
}

abut_status abut_history_push(abut_history *history, abut_world *world, const abut_registry *registry, uint64_t frame)
{
    const size_t count = history ? arrlenu(history->frames) : 0;
    if (!history || !world || (count > 0 && history->frames[count - 1].frame >= frame))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    size_t size = 0;
    abut_status status = abut_world_save(world, 0, registry, NULL, 0, &size);
    if (status != ABUT_OK)
    {
        return status;
    }
    if (2 * (uint64_t)size > history->budget)
    {
        return ABUT_LIMIT;
    }
    if (!resize(history, &history->scratch[0], size) || !ab_array_reserve(history->frames, &history->memory, count + 1))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    status = abut_world_save(world, 0, registry, history->scratch[0], size, &size);
    if (status != ABUT_OK)
    {
        return status;
    }
    if (count > 0 && !fold_newest(history))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    ab_array_set_length(history->frames, count + 1);
    history->frames[count] = (kept_frame){ frame, history->scratch[0] };
    history->scratch[0] = NULL;
    while (arrlenu(history->frames) > 1 && bytes_of(history) > history->budget)
    {
        drop_oldest(history);
    }
    return ABUT_OK;
}

// Turns the newest image step by step into that of frame `index`, in scratch[0].
static abut_status unfold(abut_history *history, size_t index)
{
    size_t at = arrlenu(history->frames) - 1;
    const unsigned char *newest = history->frames[at].bytes;
    if (!resize(history, &history->scratch[0], arrlenu(newest)))
    {
        return ABUT_OUT_OF_MEMORY;
    }
    memcpy(history->scratch[0], newest, arrlenu(newest));
    while (at > index)
    {
        const unsigned char *image = history->scratch[0], *difference = history->frames[--at].bytes;
        size_t size = 0;
        abut_status status = abut_image_apply(image, arrlenu(image), difference, arrlenu(difference), NULL, 0, &size);
        if (status == ABUT_OK && !resize(history, &history->scratch[1], size))
        {
            return ABUT_OUT_OF_MEMORY;
        }
        status = status == ABUT_OK ? abut_image_apply(image, arrlenu(image), difference, arrlenu(difference),
                                                      history->scratch[1], size, &size)
                                   : status;
        if (status != ABUT_OK)
        {
            return status;
        }
        unsigned char *made = history->scratch[1];
        history->scratch[1] = history->scratch[0];
        history->scratch[0] = made;
    }
    return ABUT_OK;
}

abut_status abut_history_rewind(abut_history *history, abut_world *world, const abut_registry *registry, uint64_t frame)
{
    if (!history || !world)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    size_t index = 0;
    while (index < arrlenu(history->frames) && history->frames[index].frame != frame)
    {
        ++index;
    }
    if (index == arrlenu(history->frames))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_status status = unfold(history, index);
    const unsigned char *image = history->scratch[0];
    status = status == ABUT_OK ? abut_world_restore(world, registry, image, arrlenu(image)) : status;
    if (status != ABUT_OK)
    {
        return status;
    }
    while (arrlenu(history->frames) > index)
    {
        drop_newest(history);
    }
    ab_array_set_length(history->frames, index + 1);
    history->frames[index] = (kept_frame){ frame, history->scratch[0] };
    history->scratch[0] = NULL;
    return ABUT_OK;
}

bool abut_history_range(const abut_history *history, uint64_t *oldest, uint64_t *newest)
{
    const size_t count = history ? arrlenu(history->frames) : 0;
    if (count > 0 && oldest)
    {
        *oldest = history->frames[0].frame;
    }
    if (count > 0 && newest)
    {
        *newest = history->frames[count - 1].frame;
    }
    return count > 0;
}
