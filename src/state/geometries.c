// Files of geometries: a header, the indices of those that are listed, and all entries, what a geometry is made of
// before it. Everything begins at multiples of eight bytes; what is between is zero.
#include "base/array.h"
#include "state/geometry_bytes.h"
#include "state/image.h"

#include <string.h>

#define VERSION 1u

static const unsigned char magic[8] = { 'a', 'b', 'u', 't', 0x1a, 'g', 'e', 'o' };

typedef struct file_header
{
    unsigned char magic[8];
    uint32_t version;
    uint32_t listed;
    uint32_t entries;
    uint32_t reserved; // zero
    uint64_t size;     // of all
    uint64_t checksum; // ab_header_seal of this header and what is behind it
} file_header;

// In front of an entry: the bytes of its geometry.
typedef uint64_t entry_size;

static uint64_t aligned(uint64_t size)
{
    return (size + 7) & ~(uint64_t)7;
}

static uint64_t first_entry(uint32_t listed)
{
    return sizeof(file_header) + aligned(listed * sizeof(uint32_t));
}

typedef struct saving
{
    ab_geometry_set all;
    ab_memory memory;
    uint64_t size; // of their entries
} saving;

// Adds a geometry, behind those that it is made of, unless it is there. False when out of memory.
static bool add(void *context, const abut_geometry *geometry)
{
    saving *s = context;
    if (ab_geometry_set_index(&s->all, geometry) != ABUT_NONE)
    {
        return true;
    }
    s->size += sizeof(entry_size) + aligned(ab_geometry_bytes_size(geometry));
    return ab_geometry_each_part(geometry, add, s) && ab_geometry_set_add(&s->all, &s->memory, geometry);
}

static void write_all(const saving *s, const abut_registry *listed, unsigned char *out, size_t size)
{
    const size_t first = (size_t)first_entry(listed->geometry_count), entries = arrlenu(s->all.geometries);
    file_header header = {
        .version = VERSION, .listed = listed->geometry_count, .entries = (uint32_t)entries, .size = size
    };
    memcpy(header.magic, magic, sizeof magic);
    memset(out + sizeof header, 0, first - sizeof header);
    for (uint32_t i = 0; i < listed->geometry_count; ++i)
    {
        const uint32_t index = ab_geometry_set_index(&s->all, listed->geometries[i]);
        memcpy(out + sizeof header + i * sizeof index, &index, sizeof index);
    }
    unsigned char *at = out + first;
    for (size_t i = 0; i < entries; ++i)
    {
        const entry_size bytes = ab_geometry_bytes_size(s->all.geometries[i]);
        memset(at + aligned(bytes), 0, sizeof bytes); // the last word of the entry
        memcpy(at, &bytes, sizeof bytes);
        ab_geometry_bytes_write(s->all.geometries[i], &s->all, at + sizeof bytes);
        at += sizeof bytes + aligned(bytes);
    }
    header.checksum = ab_header_seal(&header, sizeof header, out + sizeof header, size - sizeof header);
    memcpy(out, &header, sizeof header);
}

static bool are_there(const abut_registry *geometries)
{
    bool all = geometries && (geometries->geometries || geometries->geometry_count == 0);
    for (uint32_t i = 0; all && i < geometries->geometry_count; ++i)
    {
        all = geometries->geometries[i] != NULL;
    }
    return all;
}

abut_status abut_geometries_save(const abut_registry *geometries, void *bytes, size_t capacity, size_t *size)
{
    if (!ab_image_is_native())
    {
        return ABUT_UNSUPPORTED;
    }
    if (!size || (!bytes && capacity > 0) || (uintptr_t)bytes % AB_IMAGE_ALIGNMENT != 0 || !are_there(geometries))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    saving s = { .size = 0 };
    bool room = true;
    for (uint32_t i = 0; i < geometries->geometry_count && room; ++i)
    {
        s.memory = i == 0 ? geometries->geometries[0]->memory : s.memory;
        room = add(&s, geometries->geometries[i]);
    }
    const uint64_t needed = first_entry(geometries->geometry_count) + s.size;
    abut_status status = !room ? ABUT_OUT_OF_MEMORY : needed > SIZE_MAX ? ABUT_LIMIT : ABUT_OK;
    if (status == ABUT_OK)
    {
        *size = (size_t)needed;
        status = !bytes || needed <= capacity ? ABUT_OK : ABUT_LIMIT;
    }
    if (status == ABUT_OK && bytes)
    {
        write_all(&s, geometries, bytes, (size_t)needed);
    }
    ab_geometry_set_close(&s.all);
    return status;
}

// ABUT_OK for bytes whose header is right.
static abut_status open_file(const unsigned char *bytes, size_t size, file_header *out)
{
    if (!bytes || (uintptr_t)bytes % AB_IMAGE_ALIGNMENT != 0 || size < sizeof *out)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    memcpy(out, bytes, sizeof *out);
    if (memcmp(out->magic, magic, sizeof magic) != 0)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (out->version != VERSION)
    {
        return ABUT_UNSUPPORTED;
    }
    return out->reserved == 0 && out->size == size && first_entry(out->listed) <= size &&
                   ab_header_seal(out, sizeof *out, bytes + sizeof *out, size - sizeof *out) == out->checksum
               ? ABUT_OK
               : ABUT_INVALID_ARGUMENT;
}

// Makes the geometry at `at`, and moves that on to the next one.
static abut_status make_next(const unsigned char *bytes, size_t size, size_t *at, const abut_allocator *allocator,
                             abut_geometry **made)
{
    entry_size entry;
    const abut_registry known = { (const abut_geometry *const *)made, (uint32_t)arrlenu(made) };
    if (size - *at < sizeof entry)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    memcpy(&entry, bytes + *at, sizeof entry);
    *at += sizeof entry;
    if (entry > size - *at || aligned(entry) > size - *at)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_geometry *next;
    const abut_status status = ab_geometry_bytes_read(bytes + *at, (size_t)entry, &known, allocator, &next);
    *at += (size_t)aligned(entry);
    if (status == ABUT_OK)
    {
        ab_array_set_length(made, known.geometry_count + (size_t)1); // there is room for all
        made[known.geometry_count] = next;
    }
    return status;
}

// Retains those that are listed. False if one is not there.
static bool list_made(const unsigned char *list, uint32_t listed, abut_geometry *const *made, abut_geometry **out)
{
    uint32_t index;
    for (uint32_t i = 0; i < listed; ++i)
    {
        memcpy(&index, list + i * sizeof index, sizeof index);
        if (index >= arrlenu(made))
        {
            return false;
        }
        out[i] = made[index];
    }
    for (uint32_t i = 0; i < listed; ++i)
    {
        abut_geometry_retain(out[i]);
    }
    return true;
}

static abut_status load(const unsigned char *bytes, const file_header *header, const abut_allocator *allocator,
                        abut_geometry **out)
{
    ab_memory memory;
    abut_geometry **made = NULL;
    const size_t size = (size_t)header->size;
    size_t at = (size_t)first_entry(header->listed);
    if (!ab_memory_open(&memory, allocator) || header->entries > (size - at) / sizeof(entry_size))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    abut_status status = ab_array_reserve(made, &memory, header->entries + (size_t)1) ? ABUT_OK : ABUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < header->entries && status == ABUT_OK; ++i)
    {
        status = make_next(bytes, size, &at, allocator, made);
    }
    if (status == ABUT_OK && (at != size || !list_made(bytes + sizeof *header, header->listed, made, out)))
    {
        status = ABUT_INVALID_ARGUMENT;
    }
    for (size_t i = 0; i < arrlenu(made); ++i)
    {
        abut_geometry_release(made[i]);
    }
    arrfree(made);
    return status;
}

abut_status abut_geometries_load(const void *bytes, size_t size, const abut_allocator *allocator, abut_geometry **out,
                                 uint32_t capacity, uint32_t *count)
{
    file_header header;
    if (!ab_image_is_native())
    {
        return ABUT_UNSUPPORTED;
    }
    if (!count || (!out && capacity > 0))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    const abut_status opened = open_file(bytes, size, &header);
    if (opened != ABUT_OK)
    {
        return opened;
    }
    const abut_status status = !out                       ? ABUT_OK
                               : header.listed > capacity ? ABUT_LIMIT
                                                          : load(bytes, &header, allocator, out);
    if (status == ABUT_OK || status == ABUT_LIMIT)
    {
        *count = header.listed;
    }
    return status;
}
