// Reads a recording entry by entry. Nothing is believed: room grows with what was read, not with what the stream says
// will come, and an entry is used once its checksum fits.
#include "record/replay.h"

#include "base/array.h"

#define PIECE 65536u // bytes read at once, at first

bool ab_replay_break(abut_replay *r, const char *sentence)
{
    r->fault = sentence;
    r->outcome = ABUT_REPLAY_BROKEN;
    r->over = true;
    return false;
}

bool ab_replay_fail(abut_replay *r)
{
    return ab_replay_break(r, r->error ? r->error : "a recorded call has arguments that no call has");
}

bool ab_replay_no_memory(abut_replay *r)
{
    return ab_replay_break(r, "there was no memory for the replay");
}

static bool read_bytes(abut_replay *r, uint64_t size)
{
    uint64_t room = PIECE;
    for (uint64_t at = 0; at < size;)
    {
        const uint64_t end = size < room ? size : room;
        if (end > SIZE_MAX || !ab_array_resize(r->entry, &r->memory, (size_t)end))
        {
            return ab_replay_no_memory(r);
        }
        const size_t count = (size_t)(end - at);
        if (r->def.read(r->def.read_context, r->entry + at, count) != count)
        {
            return ab_replay_break(r, "the recording breaks off within an entry");
        }
        at = end;
        room = 2 * end;
    }
    ab_array_set_length(r->entry, (size_t)size);
    return true;
}

bool ab_replay_read(abut_replay *r)
{
    if (r->over || r->is_ahead)
    {
        r->is_ahead = false;
        return !r->over;
    }
    ab_entry_header *header = &r->header;
    const size_t read = r->def.read(r->def.read_context, header, sizeof *header);
    if (read != sizeof *header)
    {
        return ab_replay_break(r, read == 0 ? "the recording was not completed: its last entry is missing"
                                            : "the recording breaks off within an entry");
    }
    if (header->kind == 0 || header->kind >= AB_ENTRY_COUNT || header->reserved != 0)
    {
        return ab_replay_break(r, "the recording has an entry of an unknown kind");
    }
    if (!r->entry && !ab_array_resize(r->entry, &r->memory, PIECE))
    {
        return ab_replay_no_memory(r);
    }
    if (!read_bytes(r, header->size))
    {
        return false;
    }
    return ab_header_seal(header, sizeof *header, r->entry, header->size) == header->checksum ||
           ab_replay_break(r, "an entry of the recording is damaged: its checksum is another");
}

bool ab_replay_next_image(abut_replay *r)
{
    size_t size = 0;
    const size_t base = arrlenu(r->image), length = arrlenu(r->entry);
    const abut_status measured = abut_image_apply(r->image, base, r->entry, length, NULL, 0, &size);
    if (measured != ABUT_OK || size > base + length + (AB_SECTION_COUNT + 1) * AB_CACHE_LINE)
    {
        return ab_replay_break(r, "an image of the recording is damaged, or follows another one");
    }
    if (!ab_array_resize(r->next, &r->memory, size))
    {
        return ab_replay_no_memory(r);
    }
    if (abut_image_apply(r->image, base, r->entry, length, r->next, size, &size) != ABUT_OK)
    {
        return ab_replay_break(r, "an image of the recording is damaged, or follows another one");
    }
    unsigned char *image = r->image;
    r->image = r->next;
    r->next = image;
    return true;
}
