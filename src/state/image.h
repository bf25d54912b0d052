// An image: a header, a directory, and sections of equal elements, each with its length and checksum. All fields are
// little-endian; sections begin at multiples of 64 bytes and have no padding inside.
#ifndef AB_IMAGE_H
#define AB_IMAGE_H

#include "state/checksum.h"
#include "state/sections.h"

#include <abut/state.h>

#define AB_IMAGE_VERSION 7u

// Images are read in place.
#define AB_IMAGE_ALIGNMENT 8u

typedef struct ab_image_header
{
    unsigned char magic[8];
    uint32_t version;
    uint32_t flags; // ABUT_SAVE_…
    uint64_t size;  // of the image, in bytes
    uint32_t sections;
    uint32_t reserved;
    uint64_t checksum; // of the directory and this header: ab_header_seal
} ab_image_header;

// One entry of the directory, in the order of ab_section_id.
typedef struct ab_image_entry
{
    uint32_t id;
    uint32_t element; // bytes
    uint64_t count;   // elements
    uint64_t offset;  // from the image's first byte
    uint64_t checksum;
} ab_image_entry;

// Writes an image, or only measures it if `out` is NULL or too small.
typedef struct ab_image_writer
{
    unsigned char *out;
    uint64_t capacity;
    uint64_t size;      // so far: what the whole image needs in the end
    uint64_t is_signed; // a bit for each section whose checksum is known
    ab_image_entry entry[AB_SECTION_COUNT];
} ab_image_writer;

_Static_assert(AB_SECTION_COUNT <= 64, "a section has a bit");

void ab_image_begin(ab_image_writer *writer, void *out, size_t capacity);

// Adds a section of `count` elements. Returns where to write them, or NULL if there is no room or nothing to write.
void *ab_image_section(ab_image_writer *writer, ab_section_id id, uint64_t count);

// Adds a section that is a copy of an array.
void ab_image_column(ab_image_writer *writer, ab_section_id id, const void *column, uint64_t count);

// Says the checksum of a section that was written, so that it is not computed again.
void ab_image_sign(ab_image_writer *writer, ab_section_id id, uint64_t checksum);

// Completes an image that fits.
void ab_image_end(ab_image_writer *writer, uint32_t flags);

// A section as read.
typedef struct ab_section
{
    const void *data; // NULL if empty
    uint64_t count;
    uint64_t checksum; // as the image says
} ab_section;

typedef struct ab_image
{
    ab_section section[AB_SECTION_COUNT];
    uint32_t flags;
} ab_image;

// Checks lengths, checksums and element sizes, and finds the sections. Returns NULL, or the sentence that says what is
// wrong.
const char *ab_image_open(ab_image *image, const void *bytes, size_t size);

// The same but for the sections' checksums: who reads a section compares it, and what was read counts only if it fits.
const char *ab_image_outline(ab_image *image, const void *bytes, size_t size);

// abut_image_difference and abut_image_apply for images and differences that are known to be sound: no checksum of a
// section is compared.
abut_status ab_image_difference_of_sound(const void *base, size_t base_size, const void *image, size_t image_size,
                                         void *out, size_t capacity, size_t *size);
abut_status ab_image_apply_sound(const void *base, size_t base_size, const void *difference, size_t difference_size,
                                 void *out, size_t capacity, size_t *size);

// Whether a section has its checksum.
bool ab_section_sound(const ab_image *image, ab_section_id id);

// What is wrong with a section that has another.
extern const char ab_section_damaged[];

// The bytes of an element of a section.
uint32_t ab_section_element(ab_section_id id);

// The checksum of a header, whose last eight bytes are its checksum, and of the bytes that belong to it.
uint64_t ab_header_seal(const void *header, size_t header_size, const void *rest, uint64_t size);

// Whether this machine stores numbers as images do; a constant.
static inline bool ab_image_is_native(void)
{
    const union
    {
        uint32_t word;
        unsigned char byte[4];
    } one = { 1 };
    return one.byte[0] == 1;
}

#endif
