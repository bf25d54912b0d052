// Images that are damaged or cut, and restores that are called wrongly or without memory: refused, with the world
// untouched.
#include "crammed_session.h"

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

static void note_sentence(void *context, abut_status status, const char *call, uint32_t index, const char *sentence)
{
    (void)status;
    (void)call;
    (void)index;
    *(const char **)context = sentence;
}

static void a_registry_that_is_too_short_is_named(void **state)
{
    (void)state;
    static const abut_vec2 corners[] = { { 0, 0 }, { 1, 0 }, { 0, 1 } };
    _Alignas(8) static unsigned char bytes[1 << 16];
    const char *sentence = NULL;
    const abut_world_def world_def = { .dimension = 2, .on_error = note_sentence, .on_error_context = &sentence };
    abut_geometry *polygon;
    abut_world *world;
    abut_body body;
    size_t size;
    assert_int_equal(abut_geometry_create_polygon(corners, 3, NULL, &polygon), ABUT_OK);
    assert_int_equal(abut_world_create(&world_def, &world), ABUT_OK);
    const abut_body_def def = { .collider.shape = abut_shape_polygon(polygon) };
    assert_int_equal(abut_body_create(world, &def, &body), ABUT_OK);
    const abut_registry all = { (const abut_geometry *const[]){ polygon }, 1 };
    assert_int_equal(abut_world_save(world, 0, &all, bytes, sizeof bytes, &size), ABUT_OK);
    assert_int_equal(abut_world_restore(world, NULL, bytes, size), ABUT_INVALID_ARGUMENT);
    assert_non_null(sentence);
    assert_non_null(strstr(sentence, "registry"));
    assert_int_equal(abut_world_restore(world, &all, bytes, size), ABUT_OK);
    abut_world_destroy(world);
    abut_geometry_release(polygon);
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
        cmocka_unit_test(polygons_need_their_registry),
        cmocka_unit_test(a_registry_that_is_too_short_is_named),
        cmocka_unit_test(without_memory_nothing_changes),
        cmocka_unit_test(wrong_calls_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
