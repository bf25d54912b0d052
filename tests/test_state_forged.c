// Images that somebody made up, with the right checksums: refused, with the world untouched, or as good as any.
#include "crammed_session.h"

#include <math.h>
#include <stdlib.h>

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
// Images with one section of another length, restored into a world that has results and into an empty one.
typedef struct lengths
{
    session s;
    image good, bad;
    abut_world_def def;
    abut_world *own, *empty;
    uint64_t hash, nothing; // of the two worlds
    uint32_t refused, accepted;
} lengths;

// A refused image changes nothing; what is accepted can be used.
static void restore_bad(lengths *l, bool fresh)
{
    l->s.world = fresh ? l->empty : l->own;
    const abut_status status = restore(&l->s, &l->bad);
    l->refused += status != ABUT_OK;
    l->accepted += status == ABUT_OK;
    if (status != ABUT_OK)
    {
        assert_int_equal(status, ABUT_INVALID_ARGUMENT);
        assert_true(abut_world_hash(l->s.world) == (fresh ? l->nothing : l->hash));
        return;
    }
    (void)!abut_world_step(l->s.world, 0.01f);
    if (fresh)
    {
        abut_world_destroy(l->empty);
        assert_int_equal(abut_world_create(&l->def, &l->empty), ABUT_OK);
    }
    else
    {
        assert_int_equal(restore(&l->s, &l->good), ABUT_OK);
        assert_true(abut_world_hash(l->own) == l->hash);
    }
}

static void restore_other_lengths(lengths *l)
{
    ab_image_entry entry[AB_SECTION_COUNT];
    read_directory(&l->good, entry);
    for (uint32_t id = 0; id < AB_SECTION_COUNT; ++id)
    {
        const uint64_t had = entry[id].count, counts[] = { had + 1, had + 2, had > 0 ? had - 1 : 1, had / 2, 0 };
        for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
        {
            lengthen(&l->good, id, counts[i], &l->bad);
            if (counts[i] != had)
            {
                restore_bad(l, false);
                restore_bad(l, true);
            }
        }
    }
}

static void sections_of_other_lengths_do_no_harm(void **state)
{
    (void)state;
    uint32_t refused = 0, accepted = 0;
    for (uint64_t seed = 4; seed <= 9; ++seed)
    {
        static lengths l;
        l = (lengths){ .def = def_of(seed, ABUT_BROAD_BVH, ABUT_ISA_AUTO) };
        open_session(&l.s, seed);
        save(&l.s, 0, &l.good);
        l.bad.room = 2 * l.good.size + 65536;
        l.bad.bytes = test_malloc(l.bad.room);
        l.def.veto_context = &l.s;
        l.own = l.s.world;
        assert_int_equal(abut_world_create(&l.def, &l.empty), ABUT_OK);
        l.hash = abut_world_hash(l.own);
        l.nothing = abut_world_hash(l.empty);
        restore_other_lengths(&l);
        abut_world_destroy(l.empty);
        l.s.world = l.own;
        free_image(&l.good);
        free_image(&l.bad);
        session_close(&l.s);
        refused += l.refused;
        accepted += l.accepted;
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

static uint32_t word_of(session *s)
{
    const uint32_t some[] = { 0, 1, 2, 3, 255, 256, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu, 0x7fc00000u };
    return random_chance(&s->random, 0.5) ? some[random_below(&s->random, sizeof some / sizeof *some)]
                                          : random_below(&s->random, 300);
}

// Writes up to three words into a section. Every other time a short one, whose few words a random choice among all
// would seldom meet. False when it has none.
static bool make_up(session *s, const ab_image_entry *entry, uint32_t k, image *bad)
{
    const ab_image_entry *section = &entry[random_below(&s->random, AB_SECTION_COUNT)];
    section = k % 2 == 0 && section->count > 8 ? &entry[AB_SECTION_SETTINGS] : section;
    const uint64_t words = section->count * section->element / 4;
    if (words == 0)
    {
        return false;
    }
    for (uint32_t i = 1 + random_below(&s->random, 3); i > 0; --i)
    {
        const uint32_t word = word_of(s);
        const uint64_t where = random_below(&s->random, (uint32_t)words);
        memcpy(bad->bytes + section->offset + 4 * where, &word, sizeof word);
    }
    sign(bad);
    return true;
}

// Steps a world that may be any, and takes some of its bodies out.
static void use_world(abut_world *world)
{
    abut_audit audit;
    (void)abut_world_contacts(world, ABUT_ASLEEP);
    for (uint32_t detects = 0; detects < 3; ++detects)
    {
        (void)!abut_world_step(world, 0.01f);
    }
    (void)!abut_world_audit(world, &audit);
    for (uint32_t slot = 0; slot < abut_world_bodies(world).count; slot += 3)
    {
        const abut_body body = { slot, abut_world_bodies(world).generations[slot] };
        (void)!abut_body_destroy(world, body);
    }
    (void)!abut_world_detect(world, 0.0f);
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
            if (!make_up(&s, entry, k, &bad))
            {
                continue;
            }
            const abut_status status = restore(&s, &bad);
            if (status == ABUT_OK)
            {
                ++accepted;
                use_world(s.world);
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

// Of colliders that are the world's own but for that.
static void local_poses_that_are_none_are_refused(void **state)
{
    (void)state;
    uint32_t refused = 0;
    for (uint64_t seed = 4; seed <= 8; ++seed)
    {
        session s;
        image good = { 0 }, bad = { 0 };
        open_session(&s, seed);
        save(&s, 0, &good);
        save(&s, 0, &bad);
        ab_image_entry entry[AB_SECTION_COUNT];
        read_directory(&good, entry);
        const ab_image_entry *locals = &entry[AB_SECTION_LOCALS], *states = &entry[AB_SECTION_COLLIDER_STATES];
        for (uint64_t slot = 0; slot < locals->count; ++slot)
        {
            uint32_t word;
            abut_pose pose;
            memcpy(&word, good.bytes + states->offset + slot * sizeof word, sizeof word);
            memcpy(&pose, good.bytes + locals->offset + slot * sizeof pose, sizeof pose);
            if ((word & AB_SAVED_LIVE) == 0)
            {
                continue;
            }
            pose.position.x = slot % 2 == 0 ? NAN : pose.position.x;
            pose.rotation.w = slot % 2 == 0 ? pose.rotation.w : INFINITY;
            memcpy(bad.bytes, good.bytes, good.size);
            memcpy(bad.bytes + locals->offset + slot * sizeof pose, &pose, sizeof pose);
            sign(&bad);
            assert_int_equal(restore(&s, &bad), ABUT_INVALID_ARGUMENT);
            ++refused;
        }
        free_image(&good);
        free_image(&bad);
        session_close(&s);
    }
    assert_true(refused > 20);
}

// Two colliders of one body with one ordinal, where the others' keys ascend by slot, and where they do not.
static void keys_that_are_the_same_are_refused(void **state)
{
    (void)state;
    for (uint32_t swapped = 0; swapped < 2; ++swapped)
    {
        session s = { 0 };
        assert_int_equal(abut_world_create(NULL, &s.world), ABUT_OK);
        const abut_body_def def = { .collider.shape = abut_shape_sphere(0.5f) };
        abut_body body;
        abut_collider more;
        for (uint32_t i = 0; i < 3; ++i)
        {
            assert_int_equal(abut_body_create(s.world, &def, &body), ABUT_OK);
            assert_int_equal(abut_collider_attach(s.world, body, &def.collider, &more), ABUT_OK);
        }
        image it = { 0 };
        ab_image_entry entry[AB_SECTION_COUNT];
        save(&s, 0, &it);
        read_directory(&it, entry);
        ab_saved_collider saved[6];
        memcpy(saved, it.bytes + entry[AB_SECTION_COLLIDERS].offset, sizeof saved);
        if (swapped)
        {
            saved[0].collider_key ^= 1;
            saved[1].collider_key ^= 1;
        }
        for (uint32_t same = 0; same < 2; ++same)
        {
            saved[3].collider_key ^= same; // the keys of slots 2 and 3 differ in this bit
            memcpy(it.bytes + entry[AB_SECTION_COLLIDERS].offset, saved, sizeof saved);
            sign(&it);
            assert_int_equal(restore(&s, &it), same ? ABUT_INVALID_ARGUMENT : ABUT_OK);
        }
        free_image(&it);
        abut_world_destroy(s.world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_of_other_lengths_do_no_harm),
        cmocka_unit_test(made_up_elements_do_no_harm),
        cmocka_unit_test(made_up_images_do_no_harm),
        cmocka_unit_test(local_poses_that_are_none_are_refused),
        cmocka_unit_test(keys_that_are_the_same_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
