// Bytes as an image: some calls make a world, whose image is then spoiled, mostly under right checksums, and restored.
// What is refused changes nothing and is reported once; what is accepted can be detected, saved and restored. A
// libFuzzer target, and with fuzz_replay.c a program.
#include "fuzz_calls.h"

#include "state/image.h"

#include <abut/state.h>

#include <stdlib.h>
#include <string.h>

typedef struct image
{
    uint8_t *bytes;
    size_t size;
} image;

static image save(abut_world *world, const abut_registry *registry, uint32_t flags)
{
    image out = { 0 };
    REQUIRE(abut_world_save(world, flags, registry, NULL, 0, &out.size) == ABUT_OK);
    out.bytes = malloc(out.size);
    REQUIRE(out.bytes && abut_world_save(world, flags, registry, out.bytes, out.size, &out.size) == ABUT_OK);
    return out;
}

static void read_directory(const image *it, ab_image_entry entry[AB_SECTION_COUNT])
{
    memcpy(entry, it->bytes + sizeof(ab_image_header), AB_SECTION_COUNT * sizeof *entry);
}

// Checksums as somebody would write them who made the image up; none where a section is said to be out of bounds.
static void sign(const image *it)
{
    ab_image_header header;
    ab_image_entry entry[AB_SECTION_COUNT];
    memcpy(&header, it->bytes, sizeof header);
    read_directory(it, entry);
    for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
    {
        const uint64_t offset = entry[id].offset, length = entry[id].count * entry[id].element;
        if (offset <= it->size && entry[id].count <= it->size && length <= it->size - offset && offset % 8 == 0)
        {
            entry[id].checksum = ab_checksum_of(it->bytes + offset, length);
        }
    }
    header.checksum = ab_header_seal(&header, sizeof header, entry, sizeof entry);
    memcpy(it->bytes, &header, sizeof header);
    memcpy(it->bytes + sizeof header, entry, sizeof entry);
}

static uint32_t take_word(bytes *b, uint32_t old)
{
    static const uint32_t some[] = {
        0, 1, 2, 255, 256, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu, 0x7fc00000u
    };
    const uint8_t choice = take_byte(b);
    switch (choice >> 6)
    {
    case 0:
        return choice;
    case 1:
        return some[choice % (sizeof some / sizeof *some)];
    case 2:
        return old ^ 1u << choice % 32;
    default:
        return old + (uint32_t)(int32_t)((int)(choice & 63) - 32);
    }
}

// A word of a section, or now and then of the header and the directory.
static void spoil(const image *it, bytes *b)
{
    ab_image_entry entry[AB_SECTION_COUNT];
    read_directory(it, entry);
    const uint8_t which = take_byte(b);
    const uint32_t id = which % AB_SECTION_COUNT, place = take_byte(b) | (uint32_t)take_byte(b) << 8;
    const uint64_t head = (sizeof(ab_image_header) + sizeof entry) / 4;
    const uint64_t words = which >= 240 ? head : entry[id].count * entry[id].element / 4;
    const uint64_t first = which >= 240 ? 0 : entry[id].offset / 4;
    if (words == 0 || first >= it->size / 4 || words > it->size / 4 - first)
    {
        return;
    }
    uint32_t word;
    uint8_t *at = it->bytes + 4 * (first + place % words);
    memcpy(&word, at, sizeof word);
    word = take_word(b, word);
    memcpy(at, &word, sizeof word);
}

static void use(side *s, const abut_registry *registry)
{
    // Poses and velocities may be invalid, as those written in place.
    const abut_status now = abut_world_detect(s->world, 0.0f), ahead = abut_world_detect(s->world, 0.25f);
    REQUIRE(now == ABUT_OK || now == ABUT_INVALID_ARGUMENT);
    REQUIRE(ahead == ABUT_OK || ahead == ABUT_INVALID_ARGUMENT);
    const uint64_t hash = abut_world_hash(s->world), state = abut_world_state_hash(s->world);
    const image again = save(s->world, registry, 0);
    REQUIRE(abut_world_restore(s->world, registry, again.bytes, again.size) == ABUT_OK);
    REQUIRE(abut_world_hash(s->world) == hash && abut_world_state_hash(s->world) == state);
    free(again.bytes);
}

static void try_image(side *s, const abut_registry *registry, bytes *b, uint8_t sort)
{
    image it = save(s->world, registry, sort & 16 ? ABUT_SAVE_LEAN : 0u);
    const size_t whole = it.size;
    while (b->at < b->end)
    {
        spoil(&it, b);
    }
    if (sort & 14)
    {
        sign(&it);
    }
    it.size = sort >= 250 ? whole * sort / 256 : whole;
    const uint64_t hash = abut_world_hash(s->world), state = abut_world_state_hash(s->world);
    s->told = 0;
    const abut_status status = abut_world_restore(s->world, registry, it.bytes, it.size);
    if (status == ABUT_OK)
    {
        use(s, registry);
    }
    else
    {
        REQUIRE(status == ABUT_INVALID_ARGUMENT && s->told == 1);
        REQUIRE(abut_world_hash(s->world) == hash && abut_world_state_hash(s->world) == state);
    }
    free(it.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bytes b = { .at = data, .end = data + size };
    const uint8_t sort = take_byte(&b), calls = take_byte(&b);
    b.is_2d = (sort & 32) != 0;
    open_polygons(&b);
    side s = { 0 }, other = { 0 };
    const abut_world_def def = { .recycle_distance = sort & 64 ? 0.25f : 0.0f,
                                 .separations = (sort & 192) == 192 ? ABUT_AT_ANCHORS : ABUT_FOLLOWED,
                                 .dimension = b.is_2d ? 2 : 3,
                                 .on_error = note_error,
                                 .on_error_context = &s };
    s.other = &other;
    REQUIRE(abut_world_create(&def, &s.world) == ABUT_OK);
    const abut_registry registry = { (const abut_geometry *const *)b.polygon, 3 };
    bytes first = b;
    first.end = b.at + (size_t)(b.end - b.at) * calls / 256;
    b.at = first.end;
    while (first.at < first.end)
    {
        const operation o = take_operation(&first);
        (void)make(&s, &o);
    }
    if (abut_world_detect(s.world, 0.0f) == ABUT_OK) // else something invalid was written in place
    {
        try_image(&s, &registry, &b, sort);
    }
    abut_world_destroy(s.world);
    close_polygons(&b);
    return 0;
}
