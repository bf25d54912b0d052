// Writes and opens images: the header, the directory, and sections with their checksums.
#include "state/image.h"

#include <string.h>

#define PRIME 0x100000001b3u

static const unsigned char magic[8] = { 'a', 'b', 'u', 't', 0x1a, 'i', 'm', 'g' };

#define ELEMENT_(name, type) [AB_SECTION_##name] = sizeof(type),
static const uint32_t element[AB_SECTION_COUNT] = { AB_FOR_EACH_SECTION(ELEMENT_) };

uint32_t ab_section_element(ab_section_id id)
{
    return element[id];
}

uint64_t ab_header_seal(const void *header, size_t header_size, const void *rest, uint64_t size)
{
    const uint64_t of_rest = ab_checksum_of(rest, size);
    return ab_checksum_of(header, header_size - sizeof(uint64_t)) * PRIME ^ of_rest;
}

static uint64_t aligned(uint64_t size)
{
    return (size + 63) / 64 * 64;
}

static uint64_t first_offset(void)
{
    return aligned(sizeof(ab_image_header) + AB_SECTION_COUNT * sizeof(ab_image_entry));
}

void ab_image_begin(ab_image_writer *writer, void *out, size_t capacity)
{
    *writer = (ab_image_writer){ .out = out, .capacity = out ? capacity : 0, .size = first_offset() };
}

void *ab_image_section(ab_image_writer *writer, ab_section_id id, uint64_t count)
{
    const uint64_t offset = writer->size, bytes = count * element[id];
    writer->entry[id] = (ab_image_entry){ .id = id, .element = element[id], .count = count, .offset = offset };
    writer->size = aligned(offset + bytes);
    if (writer->size > writer->capacity || count == 0)
    {
        return NULL;
    }
    memset(writer->out + offset + bytes, 0, (size_t)(writer->size - offset - bytes));
    return writer->out + offset;
}

void ab_image_sign(ab_image_writer *writer, ab_section_id id, uint64_t checksum)
{
    writer->entry[id].checksum = checksum;
    writer->is_signed |= (uint64_t)1 << id;
}

void ab_image_column(ab_image_writer *writer, ab_section_id id, const void *column, uint64_t count)
{
    void *out = ab_image_section(writer, id, count);
    if (out)
    {
        ab_image_sign(writer, id, ab_checksum_copy(out, column, count * element[id]));
    }
}

void ab_image_end(ab_image_writer *writer, uint32_t flags)
{
    ab_image_header header = {
        .version = AB_IMAGE_VERSION, .flags = flags, .size = writer->size, .sections = AB_SECTION_COUNT
    };
    memcpy(header.magic, magic, sizeof magic);
    for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
    {
        ab_image_entry *entry = &writer->entry[id];
        entry->id = id;
        entry->element = element[id];
        if ((writer->is_signed >> id & 1u) == 0)
        {
            entry->checksum = ab_checksum_of(writer->out + entry->offset, entry->count * entry->element);
        }
    }
    header.checksum = ab_header_seal(&header, sizeof header, writer->entry, sizeof writer->entry);
    memset(writer->out, 0, (size_t)first_offset());
    memcpy(writer->out, &header, sizeof header);
    memcpy(writer->out + sizeof header, writer->entry, sizeof writer->entry);
}

static const char *open_section(ab_image *image, const unsigned char *bytes, const ab_image_header *header,
                                const ab_image_entry *entry, uint32_t id, uint64_t *offset)
{
    const uint64_t room = header->size - *offset;
    if (entry->id != id || entry->element != element[id] || entry->offset != *offset ||
        entry->count > room / element[id] || aligned(entry->count * element[id]) > room)
    {
        return "a section of the image is out of place";
    }
    const uint64_t size = entry->count * element[id];
    for (uint64_t at = *offset + size; at < *offset + aligned(size); ++at)
    {
        if (bytes[at] != 0)
        {
            return "the image is damaged between its sections";
        }
    }
    image->section[id] = (ab_section){ entry->count ? bytes + *offset : NULL, entry->count, entry->checksum };
    *offset += aligned(size);
    return NULL;
}

const char ab_section_damaged[] = "a section of the image is damaged: its checksum is another";

bool ab_section_sound(const ab_image *image, ab_section_id id)
{
    const ab_section *section = &image->section[id];
    return ab_checksum_of(section->data, section->count * element[id]) == section->checksum;
}

const char *ab_image_outline(ab_image *image, const void *given, size_t size)
{
    const unsigned char *bytes = given;
    ab_image_header header;
    ab_image_entry entry[AB_SECTION_COUNT];
    if ((uintptr_t)given % AB_IMAGE_ALIGNMENT != 0)
    {
        return "the image is not aligned to 8 bytes";
    }
    if (size < sizeof header)
    {
        return "the image is too short";
    }
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, magic, sizeof magic) != 0)
    {
        return "this is no image of a world";
    }
    if (header.version != AB_IMAGE_VERSION)
    {
        return "the image has another version";
    }
    if (header.size != size || size < first_offset() || header.sections != AB_SECTION_COUNT || header.reserved != 0 ||
        (header.flags & ~(uint32_t)ABUT_SAVE_LEAN) != 0)
    {
        return "the image has another length";
    }
    memcpy(entry, bytes + sizeof header, sizeof entry);
    if (ab_header_seal(&header, sizeof header, entry, sizeof entry) != header.checksum)
    {
        return "the image's directory is damaged";
    }
    for (uint64_t at = sizeof header + sizeof entry; at < first_offset(); ++at)
    {
        if (bytes[at] != 0)
        {
            return "the image is damaged between its sections";
        }
    }
    uint64_t offset = first_offset();
    image->flags = header.flags;
    for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
    {
        const char *sentence = open_section(image, bytes, &header, &entry[id], id, &offset);
        if (sentence)
        {
            return sentence;
        }
    }
    return offset == header.size ? NULL : "the image has bytes behind its end";
}

const char *ab_image_open(ab_image *image, const void *bytes, size_t size)
{
    const char *sentence = ab_image_outline(image, bytes, size);
    for (uint32_t id = 0; id < AB_SECTION_COUNT && !sentence; ++id)
    {
        sentence = ab_section_sound(image, (ab_section_id)id) ? NULL : ab_section_damaged;
    }
    return sentence;
}
