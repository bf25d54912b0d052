// Images of worlds: after a restore everything goes on as it did, bit for bit, whatever happened between.
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include "random_session.h"
#include "shape/shape_table.h"
#include "state/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct image
{
    unsigned char *bytes;
    size_t size, room;
} image;

static abut_registry registry_of(const session *s)
{
    return (abut_registry){ (const abut_geometry *const *)s->polygon, s->polygons };
}

static void save(const session *s, uint32_t flags, image *out)
{
    const abut_registry registry = registry_of(s);
    assert_int_equal(abut_world_save(s->world, flags, &registry, NULL, 0, &out->size), ABUT_OK);
    if (out->size > out->room)
    {
        test_free(out->bytes);
        out->room = 2 * out->size;
        out->bytes = test_malloc(out->room);
    }
    assert_int_equal(abut_world_save(s->world, flags, &registry, out->bytes, out->room, &out->size), ABUT_OK);
}

static void expect_same(const image *a, const image *b, const char *when)
{
    if (a->size != b->size || memcmp(a->bytes, b->bytes, a->size) != 0)
    {
        size_t at = 0;
        while (at < a->size && at < b->size && a->bytes[at] == b->bytes[at])
        {
            ++at;
        }
        ab_image_entry entry[AB_SECTION_COUNT];
        memcpy(entry, a->bytes + sizeof(ab_image_header), sizeof entry);
        uint32_t id = 0;
        for (uint32_t k = 0; k < AB_SECTION_COUNT; ++k)
        {
            const bool differs =
                memcmp(&entry[k], b->bytes + sizeof(ab_image_header) + k * sizeof *entry, sizeof *entry);
            if (differs)
            {
                printf("section %u differs: %llu elements\n", k, (unsigned long long)entry[k].count);
            }
            id = entry[k].offset <= at ? k : id;
        }
        fail_msg("%s: images of %zu and %zu bytes differ at byte %zu, in section %u", when, a->size, b->size, at, id);
    }
}

// A solver's part: impulses at awake and sleeping contacts, velocities in place.
static void solve(session *s)
{
    for (uint32_t set = 0; set < 2; ++set)
    {
        const abut_contacts contacts = abut_world_contacts(s->world, (abut_contact_set)set);
        for (uint32_t i = 0; i < contacts.point_count; ++i)
        {
            if (random_chance(&s->random, 0.3))
            {
                contacts.impulses[i] = (abut_impulse){ between(s, 0, 1), { between(s, -1, 1), 0 }, between(s, -1, 1) };
            }
        }
    }
}

static void go_on(session *s, uint64_t first, uint64_t operations, uint64_t *hashes)
{
    for (uint64_t done = first; done < first + operations; ++done)
    {
        session_go_on(s, done);
        if (done % OPERATIONS_A_DETECT == 0)
        {
            solve(s);
        }
        hashes[done - first] = abut_world_hash(s->world);
    }
}

enum
{
    MOST_OPERATIONS = 360
};

static abut_world_def def_of(uint64_t seed, abut_broad_kind broad, abut_isa isa, bool plane)
{
    return (abut_world_def){ .broad = broad,
                             .isa = isa,
                             .margin = seed % 2 ? 0.02f : 0.0f,
                             .recycle_distance = seed % 4 ? 0.0f : 0.1f,
                             .dimension = plane ? 2 : 3,
                             .veto = seed % 3 ? veto : NULL };
}

// Saves at a random time, goes on, restores, and goes on again with the same calls. The second time may run in another
// world, on another instruction set and broad phase.
static void roll_back(session *s, session *other, uint64_t *at, image *before, image *after, image *scratch,
                      uint64_t hashes[2][MOST_OPERATIONS])
{
    const uint64_t ahead = random_below(&s->random, 200), operations = 1 + random_below(&s->random, MOST_OPERATIONS);
    go_on(s, *at, ahead, hashes[0]);
    *at += ahead;
    save(s, 0, before);
    const uint64_t hash = abut_world_hash(s->world);
    const session model = *s;
    go_on(s, *at, operations, hashes[0]);
    save(s, 0, after);

    session *again = other ? other : s;
    abut_world *world = again->world;
    abut_geometry **polygon = again->polygon;
    const uint32_t polygons = s->polygons;
    *again = model;
    again->world = world;
    const abut_registry registry = registry_of(again);
    assert_int_equal(abut_world_restore(world, &registry, before->bytes, before->size), ABUT_OK);
    save(again, 0, scratch);
    expect_same(before, scratch, "saved again right after the restore");
    assert_true(abut_world_hash(world) == hash);
    go_on(again, *at, operations, hashes[1]);
    for (uint64_t i = 0; i < operations; ++i)
    {
        if (hashes[0][i] != hashes[1][i])
        {
            fail_msg("hashes differ after %llu of %llu operations", (unsigned long long)i + 1,
                     (unsigned long long)operations);
        }
    }
    save(again, 0, scratch);
    expect_same(after, scratch, "saved after going on again");
    if (other)
    {
        other->polygon = polygon;
        s->polygons = polygons;
    }
    *at += operations;
}

static uint64_t rollbacks_wanted(void)
{
    const char *text = getenv("ABUT_ROLLBACKS");
    return text ? strtoull(text, NULL, 10) : 600;
}

static void every_rollback_is_exact(void **state)
{
    (void)state;
    static uint64_t hashes[2][MOST_OPERATIONS];
    image before = { 0 }, after = { 0 }, scratch = { 0 };
    const uint64_t wanted = rollbacks_wanted();
    for (uint64_t seed = 1, done = 0; done < wanted; ++seed)
    {
        const bool plane = seed % 5 == 0;
        const abut_isa isas[] = { ABUT_ISA_SCALAR, abut_isa_best() };
        const abut_broad_kind broads[] = { (abut_broad_kind)(seed % ABUT_BROAD_COUNT),
                                           (abut_broad_kind)(seed / 2 % ABUT_BROAD_COUNT) };
        const abut_world_def def = def_of(seed, broads[0], isas[seed % 2], plane);
        session s;
        session_open(&s, seed, &def, false);
        uint64_t at = 0;
        for (uint32_t round = 0; round < 12 && done < wanted; ++round, ++done)
        {
            roll_back(&s, NULL, &at, &before, &after, &scratch, hashes);
        }
        session_close(&s);
    }
    test_free(before.bytes);
    test_free(after.bytes);
    test_free(scratch.bytes);
}

// Every kind says what is to be saved of it.
static void every_kind_has_words_or_a_geometry(void **state)
{
    (void)state;
    for (uint32_t kind = 1; kind < ABUT_SHAPE_KIND_COUNT; ++kind)
    {
        const ab_shape_row *row = ab_shape_row_for((abut_shape_kind)kind);
        assert_true((row->geometry != NULL) == (row->words == 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_kind_has_words_or_a_geometry),
                                        cmocka_unit_test(every_rollback_is_exact) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
