// Images that are damaged, cut, or made up: refused, with the world untouched, or as good as any.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "random_images.h"

#include <stdlib.h>

enum
{
    OPERATIONS = 300
};

static void open_session(session *s, uint64_t seed)
{
    const abut_world_def def = def_of(seed, ABUT_BROAD_BVH, ABUT_ISA_AUTO);
    session_open(s, seed, &def, false);
    for (uint64_t done = 1; done <= OPERATIONS; ++done)
    {
        session_go_on(s, done);
    }
    for (uint32_t i = 0; i < s->bodies; ++i)
    {
        assert_int_equal(abut_body_set_ccd(s->world, s->body[i], true), ABUT_OK);
    }
    for (uint32_t i = 0; i < s->bodies; i += 2)
    {
        place(s, s->body[i]); // contacts and overlaps begin and end
    }
    assert_int_equal(abut_world_detect(s->world, 0.5f), ABUT_OK);
    // Edits after the last detect, so that no list is empty.
    for (uint32_t i = 0; i < 8 && i < s->bodies; ++i)
    {
        place(s, s->body[i]);
        change_collider(s, s->body[i]);
        exclude(s, s->body[i]);
    }
    for (uint32_t i = 0; i < 2 && s->bodies > 0; ++i)
    {
        destroy(s, s->bodies / 2);
    }
}

static void free_image(image *it)
{
    test_free(it->bytes);
    *it = (image){ 0 };
}

// One bit of every byte, and every length.
static void damage_is_refused(void **state)
{
    (void)state;
    for (uint64_t seed = 4; seed <= 5; ++seed)
    {
        session s;
        image good = { 0 }, after = { 0 };
        open_session(&s, seed);
        save(&s, 0, &good);
        const uint64_t hash = abut_world_hash(s.world);
        for (size_t at = 0; at < good.size; ++at)
        {
            const unsigned char bit = (unsigned char)(1u << random_below(&s.random, 8));
            good.bytes[at] ^= bit;
            assert_int_equal(restore(&s, &good), ABUT_INVALID_ARGUMENT);
            good.bytes[at] ^= bit;
        }
        for (size_t size = 0; size < good.size; size += size < 4096 ? 1 : 61)
        {
            const image cut = { good.bytes, size, 0 };
            assert_int_equal(restore(&s, &cut), ABUT_INVALID_ARGUMENT);
        }
        assert_true(abut_world_hash(s.world) == hash);
        save(&s, 0, &after);
        expect_same(&good, &after, "after damaged images");
        assert_int_equal(restore(&s, &good), ABUT_OK);
        free_image(&good);
        free_image(&after);
        session_close(&s);
    }
}

// In words of zeros, of ones and of anything, wherever the two are.
static void any_two_wrong_bits_are_noticed(void **state)
{
    (void)state;
    static unsigned char bytes[1000];
    random_source random = random_start(1);
    for (uint32_t sort = 0; sort < 3; ++sort)
    {
        for (size_t i = 0; i < sizeof bytes; ++i)
        {
            bytes[i] = sort == 0 ? 0 : sort == 1 ? 0xff : (unsigned char)random_bits(&random);
        }
        const uint64_t right = ab_checksum_of(bytes, sizeof bytes);
        for (uint32_t i = 0; i < 30000; ++i)
        {
            const uint32_t bits = 8 * sizeof bytes, one = random_below(&random, bits);
            const uint32_t lanes = one + 64 * (1 + random_below(&random, 16));
            const uint32_t other = random_chance(&random, 0.5) ? lanes % bits : random_below(&random, bits);
            bytes[one / 8] ^= (unsigned char)(1u << one % 8);
            assert_true(ab_checksum_of(bytes, sizeof bytes) != right);
            bytes[other / 8] ^= (unsigned char)(1u << other % 8);
            assert_true(one == other || ab_checksum_of(bytes, sizeof bytes) != right);
            bytes[one / 8] ^= (unsigned char)(1u << one % 8);
            bytes[other / 8] ^= (unsigned char)(1u << other % 8);
        }
    }
}

static uint32_t word_of(session *s)
{
    const uint32_t some[] = { 0, 1, 2, 3, 255, 256, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu, 0x7fc00000u };
    return random_chance(&s->random, 0.5) ? some[random_below(&s->random, sizeof some / sizeof *some)]
                                          : random_below(&s->random, 300);
}

// A made-up directory: every field of every entry, and the header's.
static void made_up_directories_are_refused(void **state)
{
    (void)state;
    session s;
    image good = { 0 }, bad = { 0 };
    open_session(&s, 4);
    save(&s, 0, &good);
    save(&s, 0, &bad);
    const size_t words = (sizeof(ab_image_header) + AB_SECTION_COUNT * sizeof(ab_image_entry)) / 4;
    for (size_t word = 0; word < words; ++word)
    {
        const uint32_t values[] = { 0, 1, 3, 64, 0x7fffffffu, 0xffffffffu };
        for (size_t v = 0; v < sizeof values / sizeof *values; ++v)
        {
            ab_image_header header;
            ab_image_entry entry[AB_SECTION_COUNT];
            memcpy(bad.bytes, good.bytes, good.size);
            memcpy(bad.bytes + 4 * word, &values[v], sizeof *values);
            memcpy(&header, bad.bytes, sizeof header);
            read_directory(&bad, entry);
            header.checksum = ab_header_seal(&header, sizeof header, entry, sizeof entry);
            memcpy(bad.bytes, &header, sizeof header);
            if (memcmp(bad.bytes, good.bytes, good.size) != 0)
            {
                const abut_status status = restore(&s, &bad);
                assert_true(status == ABUT_INVALID_ARGUMENT || word == 3); // the flags
            }
        }
    }
    // An image that is a header alone, and one with bytes behind its end.
    for (uint32_t longer = 0; longer < 2; ++longer)
    {
        ab_image_header header;
        ab_image_entry entry[AB_SECTION_COUNT];
        memset(bad.bytes, 0, bad.room);
        memcpy(bad.bytes, good.bytes, good.size);
        bad.size = longer ? good.size + 64 : 64;
        memcpy(&header, bad.bytes, sizeof header);
        read_directory(&bad, entry);
        header.size = bad.size;
        header.checksum = ab_header_seal(&header, sizeof header, entry, sizeof entry);
        memcpy(bad.bytes, &header, sizeof header);
        assert_int_equal(restore(&s, &bad), ABUT_INVALID_ARGUMENT);
    }
    free_image(&good);
    free_image(&bad);
    session_close(&s);
}

// Checksums as somebody would write them who made the image up.
static void sign(const image *it)
{
    ab_image_header header;
    ab_image_entry entry[AB_SECTION_COUNT];
    memcpy(&header, it->bytes, sizeof header);
    read_directory(it, entry);
    for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
    {
        entry[id].checksum = ab_checksum_of(it->bytes + entry[id].offset, entry[id].count * entry[id].element);
    }
    header.checksum = ab_header_seal(&header, sizeof header, entry, sizeof entry);
    memcpy(it->bytes, &header, sizeof header);
    memcpy(it->bytes + sizeof header, entry, sizeof entry);
}

// The image with another number of elements in one section: fewer, or more, those behind the last being like it.
static void lengthen(const image *good, uint32_t id, uint64_t count, image *out)
{
    ab_image_header header;
    ab_image_entry entry[AB_SECTION_COUNT];
    memcpy(&header, good->bytes, sizeof header);
    read_directory(good, entry);
    memset(out->bytes, 0, out->room);
    uint64_t end = sizeof header + sizeof entry;
    for (uint32_t i = 0; i < AB_SECTION_COUNT; ++i)
    {
        const unsigned char *from = good->bytes + entry[i].offset;
        const uint64_t had = entry[i].count, element = entry[i].element;
        entry[i].count = i == id ? count : had;
        entry[i].offset = (end + 63) / 64 * 64;
        end = entry[i].offset + entry[i].count * element;
        assert_true(end <= out->room);
        for (uint64_t k = 0; k < entry[i].count && had > 0; ++k)
        {
            memcpy(out->bytes + entry[i].offset + k * element, from + (k < had ? k : had - 1) * element, element);
        }
    }
    header.size = out->size = (end + 63) / 64 * 64;
    memcpy(out->bytes, &header, sizeof header);
    memcpy(out->bytes + sizeof header, entry, sizeof entry);
    sign(out);
}

// Sections that do not fit each other, into the world that was saved and into an empty one.
static void sections_of_other_lengths_do_no_harm(void **state)
{
    (void)state;
    uint32_t refused = 0, accepted = 0;
    for (uint64_t seed = 4; seed <= 9; ++seed)
    {
        session s;
        image good = { 0 }, bad = { 0 };
        open_session(&s, seed);
        save(&s, 0, &good);
        bad.room = 2 * good.size + 65536;
        bad.bytes = test_malloc(bad.room);
        ab_image_entry entry[AB_SECTION_COUNT];
        read_directory(&good, entry);
        abut_world_def def = def_of(seed, ABUT_BROAD_BVH, ABUT_ISA_AUTO);
        def.veto_context = &s;
        abut_world *const own = s.world, *empty = NULL;
        assert_int_equal(abut_world_create(&def, &empty), ABUT_OK);
        const uint64_t hash = abut_world_hash(own), nothing = abut_world_hash(empty);
        for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
        {
            const uint64_t had = entry[id].count, counts[] = { had + 1, had + 2, had > 0 ? had - 1 : 1, had / 2, 0 };
            for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
            {
                lengthen(&good, id, counts[i], &bad);
                for (uint32_t fresh = 0; fresh < 2 && counts[i] != had; ++fresh)
                {
                    s.world = fresh ? empty : own;
                    const abut_status status = restore(&s, &bad);
                    refused += status != ABUT_OK;
                    accepted += status == ABUT_OK;
                    if (status != ABUT_OK)
                    {
                        assert_int_equal(status, ABUT_INVALID_ARGUMENT);
                        assert_true(abut_world_hash(s.world) == (fresh ? nothing : hash));
                        continue;
                    }
                    (void)!abut_world_step(s.world, 0.01f);
                    if (fresh)
                    {
                        abut_world_destroy(empty);
                        assert_int_equal(abut_world_create(&def, &empty), ABUT_OK);
                    }
                    else
                    {
                        assert_int_equal(restore(&s, &good), ABUT_OK);
                        assert_true(abut_world_hash(own) == hash);
                    }
                }
            }
        }
        abut_world_destroy(empty);
        s.world = own;
        free_image(&good);
        free_image(&bad);
        session_close(&s);
    }
    assert_true(refused > 6 * AB_SECTION_COUNT && accepted > 0);
}

// Every word of the first and last elements of every section.
static void made_up_elements_do_no_harm(void **state)
{
    (void)state;
    for (uint64_t seed = 4; seed <= 9; ++seed)
    {
        session s;
        image good = { 0 }, bad = { 0 };
        open_session(&s, seed);
        save(&s, 0, &good);
        save(&s, 0, &bad);
        ab_image_entry entry[AB_SECTION_COUNT];
        read_directory(&good, entry);
        for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
        {
            const uint64_t words = entry[id].element / 4;
            for (uint64_t k = 0; entry[id].count > 0 && k < 2 * words; ++k)
            {
                const uint32_t values[] = { 0, 1, 9, 256, 0x1ff, 0x40000000u, 0xffffffffu };
                const uint64_t at = k < words ? k : (entry[id].count - 1) * words + k - words;
                for (size_t v = 0; v < sizeof values / sizeof *values; ++v)
                {
                    memcpy(bad.bytes, good.bytes, good.size);
                    memcpy(bad.bytes + entry[id].offset + 4 * at, &values[v], sizeof *values);
                    sign(&bad);
                    const abut_status status = restore(&s, &bad);
                    assert_true(status == ABUT_OK || status == ABUT_INVALID_ARGUMENT);
                    if (status == ABUT_OK)
                    {
                        assert_int_equal(restore(&s, &good), ABUT_OK);
                    }
                }
            }
        }
        free_image(&good);
        free_image(&bad);
        session_close(&s);
    }
}

// A world of polygons is neither saved nor restored without its registry.
static void polygons_need_their_registry(void **state)
{
    (void)state;
    session s;
    image good = { 0 };
    size_t size;
    open_session(&s, 5);
    save(&s, 0, &good);
    const abut_registry none = { NULL, 0 }, other = { (const abut_geometry *const[]){ NULL }, 1 };
    assert_int_equal(abut_world_save(s.world, 0, NULL, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_save(s.world, 0, &none, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_save(s.world, 0, &other, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_restore(s.world, &other, good.bytes, good.size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_restore(s.world, NULL, good.bytes, good.size), ABUT_INVALID_ARGUMENT);
    free_image(&good);
    session_close(&s);
}

// Words of sections, lists above all, get other values under the right checksums. What is accepted can be used.
static void made_up_images_do_no_harm(void **state)
{
    (void)state;
    const char *text = getenv("ABUT_SHARE");
    const uint32_t wanted = 60u * (text ? (uint32_t)strtoul(text, NULL, 10) : 100u);
    uint32_t accepted = 0;
    for (uint64_t seed = 4; seed <= 8; ++seed)
    {
        session s;
        image good = { 0 }, after = { 0 }, bad = { 0 };
        open_session(&s, seed);
        save(&s, 0, &good);
        save(&s, 0, &bad);
        ab_image_entry entry[AB_SECTION_COUNT];
        read_directory(&good, entry);
        for (uint32_t k = 0; k < wanted; ++k)
        {
            memcpy(bad.bytes, good.bytes, good.size);
            // Every other time a short section, whose few words a random choice among all would seldom meet.
            const ab_image_entry *section = &entry[random_below(&s.random, AB_SECTION_COUNT)];
            section = k % 2 == 0 && section->count > 8 ? &entry[AB_SECTION_SETTINGS] : section;
            const uint64_t words = section->count * section->element / 4;
            if (words == 0)
            {
                continue;
            }
            for (uint32_t i = 1 + random_below(&s.random, 3); i > 0; --i)
            {
                const uint32_t word = word_of(&s);
                const uint64_t where = random_below(&s.random, (uint32_t)words);
                memcpy(bad.bytes + section->offset + 4 * where, &word, sizeof word);
            }
            sign(&bad);
            const abut_status status = restore(&s, &bad);
            if (status == ABUT_OK)
            {
                ++accepted;
                abut_audit audit;
                (void)abut_world_contacts(s.world, ABUT_ASLEEP);
                for (uint32_t detects = 0; detects < 3; ++detects)
                {
                    (void)!abut_world_step(s.world, 0.01f);
                }
                (void)!abut_world_audit(s.world, &audit);
                for (uint32_t slot = 0; slot < abut_world_bodies(s.world).count; slot += 3)
                {
                    const abut_body body = { slot, abut_world_bodies(s.world).generations[slot] };
                    (void)!abut_body_destroy(s.world, body);
                }
                (void)!abut_world_detect(s.world, 0.0f);
            }
            else
            {
                assert_int_equal(status, ABUT_INVALID_ARGUMENT);
            }
            if (status == ABUT_OK || k % 16 == 0)
            {
                assert_int_equal(restore(&s, &good), ABUT_OK);
                save(&s, 0, &after);
                expect_same(&good, &after, "after an image that was made up");
            }
        }
        free_image(&good);
        free_image(&after);
        free_image(&bad);
        session_close(&s);
    }
    assert_true(accepted > wanted / 50);
}

// Every request for memory of a restore into an empty world fails once; the world stays empty and usable.
static void fail_every_request(uint64_t seed)
{
    session s;
    image good = { 0 }, after = { 0 };
    open_session(&s, seed);
    save(&s, 0, &good);
    scarce memory = { 0 };
    abut_world_def def = def_of(seed, ABUT_BROAD_BVH, ABUT_ISA_AUTO);
    def.allocator = (abut_allocator){ allocate, release, &memory };
    def.body_capacity = 1;
    abut_world *const own = s.world;
    abut_status status = ABUT_OUT_OF_MEMORY;
    uint32_t failed = 0;
    for (uint32_t request = 1; status != ABUT_OK; ++request)
    {
        assert_int_equal(abut_world_create(&def, &s.world), ABUT_OK);
        s.world->memory.sparing = true;
        const uint64_t empty = abut_world_hash(s.world);
        memory.countdown = request;
        status = restore(&s, &good);
        memory.countdown = 0;
        if (status != ABUT_OK)
        {
            assert_int_equal(status, ABUT_OUT_OF_MEMORY);
            assert_true(abut_world_hash(s.world) == empty);
            abut_world_destroy(s.world);
            ++failed;
        }
    }
    assert_true(failed > 20);
    save(&s, 0, &after);
    expect_same(&good, &after, "after failures");
    abut_world_destroy(s.world);
    s.world = own;
    free_image(&good);
    free_image(&after);
    session_close(&s);
}

static void without_memory_nothing_changes(void **state)
{
    (void)state;
    for (uint64_t seed = 4; seed <= 8; ++seed)
    {
        fail_every_request(seed);
    }
}

// What callers may get wrong.
static void wrong_calls_fail(void **state)
{
    (void)state;
    session s;
    image good = { 0 };
    open_session(&s, 4);
    save(&s, ABUT_SAVE_LEAN, &good);
    size_t size = 7;
    abut_world *other;
    const abut_registry registry = registry_of(&s), wrong = { NULL, 3 };
    assert_int_equal(abut_world_save(NULL, 0, NULL, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_save(s.world, 0, NULL, NULL, 0, NULL), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_save(s.world, 0, NULL, NULL, 8, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_save(s.world, 2, NULL, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_save(s.world, 0, &wrong, NULL, 0, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_save(s.world, 0, NULL, good.bytes + 4, good.size, &size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(size, 7);
    assert_int_equal(abut_world_save(s.world, 0, &registry, good.bytes, 64, &size), ABUT_LIMIT);
    assert_true(size >= good.size); // the lean one is no larger
    assert_int_equal(abut_world_restore(NULL, NULL, good.bytes, good.size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_restore(s.world, NULL, NULL, good.size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_restore(s.world, &wrong, good.bytes, good.size), ABUT_INVALID_ARGUMENT);
    assert_int_equal(abut_world_restore(s.world, &registry, good.bytes + 4, good.size), ABUT_INVALID_ARGUMENT);
    abut_world_def def = def_of(4, ABUT_BROAD_BVH, ABUT_ISA_AUTO);
    def.margin = 0.5f;
    assert_int_equal(abut_world_create(&def, &other), ABUT_OK);
    assert_int_equal(abut_world_restore(other, &registry, good.bytes, good.size), ABUT_INVALID_ARGUMENT);
    abut_world_destroy(other);
    assert_int_equal(restore(&s, &good), ABUT_OK);
    assert_int_equal(abut_world_events(s.world, ABUT_BEGIN).count + abut_world_events(s.world, ABUT_END).count, 0);
    free_image(&good);
    session_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(any_two_wrong_bits_are_noticed),
        cmocka_unit_test(made_up_directories_are_refused),
        cmocka_unit_test(sections_of_other_lengths_do_no_harm),
        cmocka_unit_test(polygons_need_their_registry),
        cmocka_unit_test(made_up_elements_do_no_harm),
        cmocka_unit_test(made_up_images_do_no_harm),
        cmocka_unit_test(without_memory_nothing_changes),
        cmocka_unit_test(wrong_calls_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
