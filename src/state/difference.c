// What turns one image into another, section by section: runs of elements taken from the base, and new ones.
//
// A run that does not continue is searched for within a window, as an element that was replaced, removed or inserted;
// so contacts that shift by one still cost nothing.
#include "state/image.h"

#include <string.h>

#define WINDOW   32u // elements searched for a run that continues
#define TOGETHER 64u // elements that are compared at once where a run goes on

static const unsigned char magic[8] = { 'a', 'b', 'u', 't', 0x1a, 'd', 'i', 'f' };

typedef struct difference_header
{
    unsigned char magic[8];
    uint32_t version;
    uint32_t reserved;
    uint64_t size;       // of the difference, in bytes
    uint64_t base;       // checksum of the base's directory
    uint64_t image_size; // of the image it makes
    uint64_t checksum;   // ab_header_seal of all bytes behind: the image's header and directory, then the runs
} difference_header;

// Elements of a section: some of the base are left out, some taken, and some new ones follow in place.
typedef struct run
{
    uint32_t skipped, taken, added;
} run;

static uint64_t preamble_size(void)
{
    return sizeof(ab_image_header) + AB_SECTION_COUNT * sizeof(ab_image_entry);
}

// The bytes of both sections, and where each of them is.
typedef struct cursor
{
    const unsigned char *base, *image;
    uint64_t base_count, image_count;
    uint64_t at_base, at; // elements
    uint32_t element;     // bytes
} cursor;

static bool same(const cursor *c, uint64_t at_base, uint64_t at)
{
    return at_base < c->base_count && at < c->image_count &&
           memcmp(c->base + at_base * c->element, c->image + at * c->element, c->element) == 0;
}

static uint32_t count_same(const cursor *c, uint64_t at_base, uint64_t at)
{
    const uint64_t left_base = c->base_count - at_base, left = c->image_count - at;
    const uint64_t less = left < left_base ? left : left_base, most = less < UINT32_MAX ? less : UINT32_MAX;
    uint64_t count = 0;
    while (most - count >= TOGETHER && memcmp(c->base + (at_base + count) * c->element,
                                              c->image + (at + count) * c->element, TOGETHER * c->element) == 0)
    {
        count += TOGETHER;
    }
    while (count < most && same(c, at_base + count, at + count))
    {
        ++count;
    }
    return (uint32_t)count;
}

// The nearest place where a run continues; the end of the window, or of the sections, if there is none.
static void find_next(const cursor *c, uint32_t *skipped, uint32_t *added)
{
    const uint64_t left_base = c->base_count - c->at_base, left = c->image_count - c->at;
    for (uint32_t k = 1; k <= WINDOW; ++k)
    {
        const bool replaced = same(c, c->at_base + k, c->at + k), removed = same(c, c->at_base + k, c->at);
        if (replaced || removed || same(c, c->at_base, c->at + k))
        {
            *skipped = replaced || removed ? k : 0;
            *added = replaced || !removed ? k : 0;
            return;
        }
    }
    *skipped = (uint32_t)(left_base < WINDOW ? left_base : WINDOW);
    *added = (uint32_t)(left < WINDOW ? left : WINDOW);
}

// Bytes written so far, or only counted where they do not fit.
typedef struct writer
{
    unsigned char *out;
    uint64_t capacity, size;
} writer;

static void put(writer *to, const void *bytes, uint64_t size)
{
    if (bytes && size > 0 && to->size + size <= to->capacity)
    {
        memcpy(to->out + to->size, bytes, (size_t)size);
    }
    to->size += size;
}

static void put_run(writer *to, const cursor *c, run r, uint64_t from)
{
    put(to, &r, sizeof r);
    put(to, c->image + from * c->element, (uint64_t)r.added * c->element);
}

static void put_section(writer *to, cursor *c)
{
    while (c->at < c->image_count)
    {
        run r = { 0, count_same(c, c->at_base, c->at), 0 };
        c->at_base += r.taken;
        c->at += r.taken;
        // What follows the run: new elements and left-out ones, together while no run continues.
        uint64_t from = c->at;
        uint32_t skipped_after = 0;
        while (c->at < c->image_count && !same(c, c->at_base, c->at) && r.added < UINT32_MAX - WINDOW)
        {
            uint32_t skipped, added;
            find_next(c, &skipped, &added);
            c->at_base += skipped;
            c->at += added;
            skipped_after += skipped;
            r.added += added;
        }
        put_run(to, c, (run){ skipped_after, r.taken, r.added }, from);
    }
}

static cursor cursor_of(const ab_image *base, const ab_image *image, uint32_t id)
{
    return (cursor){
        .base = base->section[id].data,
        .image = image->section[id].data,
        .base_count = base->section[id].count,
        .image_count = image->section[id].count,
        .element = ab_section_element((ab_section_id)id),
    };
}

// The checksum of an open image's directory, which depends on every byte.
static uint64_t identity(const void *image)
{
    ab_image_header header;
    memcpy(&header, image, sizeof header);
    return header.checksum;
}

// ab_image_open, or ab_image_outline of an image that is sound.
typedef const char *open_image(ab_image *image, const void *bytes, size_t size);

static abut_status differ(open_image *open, const void *base, size_t base_size, const void *image, size_t image_size,
                          void *out, size_t capacity, size_t *size)
{
    ab_image from, to;
    if (open(&from, base, base_size) || open(&to, image, image_size))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    writer written = { .out = out, .capacity = capacity, .size = sizeof(difference_header) };
    put(&written, image, preamble_size());
    for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
    {
        cursor c = cursor_of(&from, &to, id);
        put_section(&written, &c);
    }
    *size = (size_t)written.size;
    if (!out || written.size > capacity)
    {
        return out ? ABUT_LIMIT : ABUT_OK;
    }
    difference_header header = {
        .version = AB_IMAGE_VERSION, .size = written.size, .base = identity(base), .image_size = image_size
    };
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = ab_header_seal(&header, sizeof header, written.out + sizeof header, written.size - sizeof header);
    memcpy(written.out, &header, sizeof header);
    return ABUT_OK;
}

abut_status abut_image_difference(const void *base, size_t base_size, const void *image, size_t image_size, void *out,
                                  size_t capacity, size_t *size)
{
    return base && image && size && (out || capacity == 0)
               ? differ(ab_image_open, base, base_size, image, image_size, out, capacity, size)
               : ABUT_INVALID_ARGUMENT;
}

abut_status ab_image_difference_of_sound(const void *base, size_t base_size, const void *image, size_t image_size,
                                         void *out, size_t capacity, size_t *size)
{
    return differ(ab_image_outline, base, base_size, image, image_size, out, capacity, size);
}

// Reads bytes that somebody else wrote.
typedef struct source
{
    const unsigned char *bytes;
    uint64_t size, at;
} source;

static const unsigned char *take(source *from, uint64_t size)
{
    if (size > from->size - from->at)
    {
        return NULL;
    }
    const unsigned char *bytes = from->bytes + from->at;
    from->at += size;
    return bytes;
}

static bool make_section(source *from, unsigned char *out, uint64_t count, ab_section base, uint32_t element)
{
    uint64_t at = 0, at_base = 0;
    while (at < count)
    {
        run r;
        const unsigned char *bytes = take(from, sizeof r);
        if (!bytes)
        {
            return false;
        }
        memcpy(&r, bytes, sizeof r);
        const unsigned char *added = take(from, (uint64_t)r.added * element);
        if (!added || (uint64_t)r.taken + r.added > count - at || r.taken > base.count - at_base ||
            r.skipped > base.count - at_base - r.taken || (r.taken | r.added | r.skipped) == 0)
        {
            return false;
        }
        if (r.taken > 0)
        {
            memcpy(out + at * element, (const unsigned char *)base.data + at_base * element, (size_t)r.taken * element);
        }
        memcpy(out + (at + r.taken) * element, added, (size_t)r.added * element);
        at += (uint64_t)r.taken + r.added;
        at_base += (uint64_t)r.taken + r.skipped;
    }
    return true;
}

// The directory is checked when the image is opened in the end; here only that nothing is written outside. Between
// sections there are zeros.
static bool make_image(source *from, const ab_image *base, unsigned char *out, uint64_t size)
{
    ab_image_entry entry[AB_SECTION_COUNT];
    const unsigned char *preamble = take(from, preamble_size());
    uint64_t written = preamble_size();
    if (!preamble || size < written)
    {
        return false;
    }
    memcpy(out, preamble, (size_t)written);
    memcpy(entry, preamble + sizeof(ab_image_header), sizeof entry);
    for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
    {
        const uint32_t element = ab_section_element((ab_section_id)id);
        if (entry[id].offset > size || entry[id].offset < written ||
            entry[id].count > (size - entry[id].offset) / element ||
            !make_section(from, out + entry[id].offset, entry[id].count, base->section[id], element))
        {
            return false;
        }
        memset(out + written, 0, (size_t)(entry[id].offset - written));
        written = entry[id].offset + entry[id].count * element;
    }
    memset(out + written, 0, (size_t)(size - written));
    return from->at == from->size;
}

static abut_status apply(open_image *open, const void *base, size_t base_size, const void *difference,
                         size_t difference_size, void *out, size_t capacity, size_t *size)
{
    ab_image from, made;
    difference_header header;
    if (open(&from, base, base_size) || difference_size < sizeof header)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    memcpy(&header, difference, sizeof header);
    const unsigned char *bytes = difference;
    if (memcmp(header.magic, magic, sizeof magic) != 0 || header.version != AB_IMAGE_VERSION || header.reserved != 0 ||
        header.size != difference_size || header.base != identity(base) || header.image_size > SIZE_MAX ||
        ab_header_seal(&header, sizeof header, bytes + sizeof header, difference_size - sizeof header) !=
            header.checksum)
    {
        return ABUT_INVALID_ARGUMENT;
    }
    if (!out || header.image_size > capacity)
    {
        *size = (size_t)header.image_size;
        return out ? ABUT_LIMIT : ABUT_OK;
    }
    source rest = { bytes, difference_size, sizeof header };
    if (!make_image(&rest, &from, out, header.image_size) || open(&made, out, (size_t)header.image_size))
    {
        return ABUT_INVALID_ARGUMENT;
    }
    *size = (size_t)header.image_size;
    return ABUT_OK;
}

abut_status abut_image_apply(const void *base, size_t base_size, const void *difference, size_t difference_size,
                             void *out, size_t capacity, size_t *size)
{
    return base && difference && size && (out || capacity == 0) && (uintptr_t)out % AB_IMAGE_ALIGNMENT == 0
               ? apply(ab_image_open, base, base_size, difference, difference_size, out, capacity, size)
               : ABUT_INVALID_ARGUMENT;
}

abut_status ab_image_apply_sound(const void *base, size_t base_size, const void *difference, size_t difference_size,
                                 void *out, size_t capacity, size_t *size)
{
    return apply(ab_image_outline, base, base_size, difference, difference_size, out, capacity, size);
}
