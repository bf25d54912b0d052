// Slots and ids of contacts are the same in every world that is given the same calls: on any instruction set, broad
// phase and number of threads, and restored from an image.
#include "contact_watch.h"
#include "every_isa.h"

enum
{
    TWINS = 6
};

// How the twins of a world differ from it.
static abut_world_def twin_def(uint64_t seed, uint32_t which)
{
    abut_world_def def = some_def(seed);
    uint32_t isas = 0;
    abut_isa isa[ABUT_ISA_COUNT];
    EVERY_ISA(one)
    {
        isa[isas++] = one;
    }
    def.broad = (abut_broad_kind)((seed + which) % ABUT_BROAD_COUNT);
    def.isa = isa[(seed + which) % isas];
    def.threads = which % 2 ? 2 + (uint32_t)seed % 3 : 0;
    return def;
}

static void ids_and_order_are_the_same_in_every_world(void **state)
{
    (void)state;
    static uint64_t expected[OPERATIONS];
    const random_seeds seeds = random_seeds_of(6);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        for (uint32_t which = 0; which < TWINS; ++which)
        {
            const abut_world_def def = twin_def(seed, which);
            watch *w = watch_open(seed, &def, false);
            for (uint64_t done = 0; done < OPERATIONS; ++done)
            {
                watch_go_on(w, done);
                const uint64_t found = listed_of(w);
                expected[done] = which == 0 ? found : expected[done];
                DEMAND(w, found == expected[done], "another world: %s, %s, %u threads", abut_broad_name(def.broad),
                       abut_isa_name(def.isa), def.threads);
            }
            watch_close(w);
        }
    }
}

// The watch goes on in the other's world.
static void move_over(const watch *from, watch *to)
{
    abut_world *world = to->s.world;
    abut_geometry **polygon = to->s.polygon;
    *to = *from;
    to->s.world = world;
    to->s.polygon = polygon;
    lend_polygons(&from->s, &to->s);
}

static void a_restored_world_goes_on_with_the_same_ids(void **state)
{
    (void)state;
    const random_seeds seeds = random_seeds_of(12);
    image saved = { 0 };
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        const abut_world_def def = twin_def(seed, 0), of_other = twin_def(seed, 1);
        const uint32_t flags = seed % 2 ? ABUT_SAVE_LEAN : 0;
        const uint64_t middle = 200 + random_below(&(random_source){ .state = seed }, OPERATIONS / 2);
        watch *w = watch_open(seed, &def, false), *other = watch_open(seed + 1, &of_other, false);
        for (uint64_t done = 0; done < OPERATIONS; ++done)
        {
            watch_go_on(w, done);
            if (done == middle)
            {
                save(&w->s, flags, &saved);
                move_over(w, other);
                assert_int_equal(restore(&other->s, &saved), ABUT_OK);
                (void)detected(other);
            }
            if (done > middle)
            {
                watch_go_on(other, done);
            }
            // A lean image has no events until the next detect.
            if (done > middle + OPERATIONS_A_DETECT || (done >= middle && flags == 0))
            {
                DEMAND(w, listed_of(w) == listed_of(other), "the restored world is another");
            }
        }
        watch_close(w);
        watch_close(other);
    }
    test_free(saved.bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_and_order_are_the_same_in_every_world),
        cmocka_unit_test(a_restored_world_goes_on_with_the_same_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
