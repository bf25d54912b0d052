// Writes the entries of a recording into a buffer, and the buffer through the caller's function.
#include "record/recording.h"

#include "base/array.h"
#include "state/image.h"

#include <string.h>

#define MOST_PENDING 65536u // bytes that wait for the next detect

void ab_recording_stop(abut_recording *r, abut_status status, const char *sentence)
{
    if (!r->fault)
    {
        r->fault = sentence;
        r->status = status;
    }
    if (r->world)
    {
        r->world->journal = NULL;
    }
}

unsigned char *ab_entry_room(abut_recording *r, size_t size)
{
    const size_t at = arrlenu(r->pending);
    if (r->fault || size == 0)
    {
        return NULL;
    }
    if (!ab_array_reserve(r->pending, &r->memory, at + size))
    {
        ab_recording_stop(r, ABUT_OUT_OF_MEMORY, "there was no memory for the recording");
        return NULL;
    }
    ab_array_set_length(r->pending, at + size);
    return r->pending + at;
}

void ab_entry_put(abut_recording *r, const void *bytes, size_t size)
{
    unsigned char *room = ab_entry_room(r, size);
    if (room)
    {
        memcpy(room, bytes, size);
    }
}

void ab_entry_begin(abut_recording *r, ab_entry_kind kind)
{
    const ab_entry_header header = { .kind = kind };
    r->entry = arrlenu(r->pending);
    ab_entry_put(r, &header, sizeof header);
}

void ab_entry_end(abut_recording *r)
{
    ab_entry_header header;
    if (r->fault)
    {
        return;
    }
    unsigned char *at = r->pending + r->entry;
    memcpy(&header, at, sizeof header);
    header.size = arrlenu(r->pending) - r->entry - sizeof header;
    header.checksum = ab_header_seal(&header, sizeof header, at + sizeof header, header.size);
    memcpy(at, &header, sizeof header);
    if (arrlenu(r->pending) > MOST_PENDING)
    {
        ab_recording_flush(r);
    }
}

void ab_recording_flush(abut_recording *r)
{
    if (r->fault || arrlenu(r->pending) == 0)
    {
        return;
    }
    const bool busy = r->world->work.busy;
    r->world->work.busy = true;
    r->writing = true;
    const bool written = r->write(r->write_context, r->pending, arrlenu(r->pending));
    r->writing = false;
    r->world->work.busy = busy;
    ab_array_set_length(r->pending, 0);
    if (!written)
    {
        ab_recording_stop(r, ABUT_INVALID_ARGUMENT, "the caller's function did not write");
    }
}

static bool take_image(abut_recording *r, size_t *size)
{
    const abut_registry registry = { r->known.geometries, (uint32_t)arrlenu(r->known.geometries) };
    abut_status status = abut_world_save(r->world, 0, &registry, NULL, 0, size);
    if (status == ABUT_OK)
    {
        status = ab_array_resize(r->next, &r->memory, *size)
                     ? abut_world_save(r->world, 0, &registry, r->next, *size, size)
                     : ABUT_OUT_OF_MEMORY;
    }
    if (status != ABUT_OK)
    {
        ab_recording_stop(r, status, "there was no memory for an image of the world");
    }
    return status == ABUT_OK;
}

// The next image as a difference from the last; the length is its size. It is made twice only if there is no room yet.
static bool take_difference(abut_recording *r)
{
    size_t size = 0;
    const size_t base_size = arrlenu(r->image), image_size = arrlenu(r->next);
    const abut_status made =
        abut_image_difference(r->image, base_size, r->next, image_size, r->difference, arrcap(r->difference), &size);
    if (made == ABUT_OK && r->difference)
    {
        ab_array_set_length(r->difference, size);
        return true;
    }
    if (ab_array_resize(r->difference, &r->memory, size) &&
        abut_image_difference(r->image, base_size, r->next, image_size, r->difference, size, &size) == ABUT_OK)
    {
        return true;
    }
    ab_recording_stop(r, ABUT_OUT_OF_MEMORY, "there was no memory for an image of the world");
    return false;
}

void ab_recording_image(abut_recording *r, ab_entry_kind kind)
{
    size_t size;
    if (r->fault || !take_image(r, &size))
    {
        return;
    }
    const bool whole = kind == AB_ENTRY_IMAGE;
    if (!whole && !take_difference(r))
    {
        return;
    }
    ab_entry_begin(r, kind);
    ab_entry_put(r, whole ? r->next : r->difference, arrlenu(whole ? r->next : r->difference));
    ab_entry_end(r);
    unsigned char *image = r->image;
    r->image = r->next;
    r->next = image;
}
