// Every row of the broad table, on every instruction set, against the plain loop over all pairs of boxes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "broad/pair_writer.h"
#include "broad_crowd.h"
#include "scarce_memory.h"

#define EVERY_ISA(isa)                                                                                                 \
    for (abut_isa isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)                                                  \
        if (abut_isa_available(isa))
#define EVERY_ROW(kind)                                                                                                \
    for (abut_broad_kind kind = ABUT_BROAD_AUTO; kind < ABUT_BROAD_COUNT; ++kind)                                      \
        if (ab_broad_row_for(kind))

typedef struct place
{
    dvec3 position;
    abut_shape shape;
} place;

// Where and how large the i-th of `count` bodies is.
typedef place layout(random_source *random, uint32_t i, uint32_t count);

static place in_a_cloud(random_source *random, uint32_t i, uint32_t count)
{
    (void)i;
    const dvec3 position = random_in_box(random, 0.6 * cbrt(count));
    return (place){ position, crowd_random_shape(random, 0.25, 0.5) };
}

static place at_one_point(random_source *random, uint32_t i, uint32_t count)
{
    (void)i;
    (void)count;
    return (place){ dvec3_make(1.0, 2.0, 3.0), crowd_random_shape(random, 0.25, 0.5) };
}

static place on_a_line(random_source *random, uint32_t i, uint32_t count)
{
    (void)count;
    return (place){ dvec3_make(0.9 * i, 0.0, 0.0), crowd_random_shape(random, 0.25, 0.5) };
}

static place on_a_plane(random_source *random, uint32_t i, uint32_t count)
{
    const double half = 0.7 * sqrt(count);
    (void)i;
    const double x = random_between(random, -half, half), z = random_between(random, -half, half);
    return (place){ dvec3_make(x, 0.0, z), crowd_random_shape(random, 0.25, 0.5) };
}

static place of_all_sizes(random_source *random, uint32_t i, uint32_t count)
{
    (void)i;
    (void)count;
    const dvec3 position = random_in_box(random, 1e3);
    return (place){ position, crowd_random_shape(random, 1e-3, 1e3) };
}

static place far_out(random_source *random, uint32_t i, uint32_t count)
{
    place p = in_a_cloud(random, i, count);
    p.position = dvec3_add(p.position, dvec3_make(1e6, -1e6, 1e6));
    return p;
}

static place in_a_cloud_but_one(random_source *random, uint32_t i, uint32_t count)
{
    place p = in_a_cloud(random, i, count);
    p.position = i == count / 2 ? dvec3_make(-9e7, 9e7, 9e7) : p.position;
    return p;
}

static place as_points_on_a_lattice(random_source *random, uint32_t i, uint32_t count)
{
    const uint32_t side = (uint32_t)ceil(cbrt(count));
    (void)random;
    return (place){ dvec3_make(i % side, i / side % side, i / side / side), abut_shape_aabb(0.5f, 0.0f, 0.5f) };
}

static layout *const layouts[] = { in_a_cloud,   at_one_point, on_a_line,          on_a_plane,
                                   of_all_sizes, far_out,      in_a_cloud_but_one, as_points_on_a_lattice };
#define LAYOUTS (uint32_t)(sizeof layouts / sizeof *layouts)

static void add_placed(crowd *c, random_source *random, layout *where, uint32_t i, uint32_t count)
{
    const place p = where(random, i, count);
    const abut_quat rotation = random_narrow_rotation(random_rotation(random));
    const uint32_t collider = crowd_add(c, p.shape, random_narrow(p.position), rotation);
    assert_true(crowd_append(c, collider));
}

static void open_row(ab_broad *broad, crowd *c, abut_broad_kind kind, abut_isa isa)
{
    *broad = (ab_broad){ .memory = &c->memory, .proxies = &c->proxies };
    assert_int_equal(ab_broad_open(broad, kind, isa), ABUT_OK);
}

static void close_row(ab_broad *broad, crowd *c)
{
    ab_broad_close(broad);
    arrfree(broad->pairs);
    crowd_close(c);
}

static void run_row(ab_broad *broad, const crowd *c)
{
    const ab_bounds_in in = crowd_bounds_in(c, 0.0f, 0.0f);
    assert_int_equal(broad_update(broad, &in), ABUT_OK);
    broad->row->check(broad);
    ab_proxies_check(broad->proxies);
    assert_int_equal(broad_pairs(broad), ABUT_OK);
}

static bool is_active(const crowd *c, uint32_t proxy)
{
    return ab_proxies_set_of(&c->proxies, proxy) == AB_ACTIVE;
}

// Each found pair overlaps, is active on one side and was not found before; and they are as many as the plain loop
// finds.
static void assert_all_pairs_found(const ab_broad *broad, const crowd *c)
{
    uint8_t *seen = calloc((size_t)c->count * c->count + 1, 1);
    const size_t found = arrlenu(broad->pairs);
    for (size_t i = 0; i < found; ++i)
    {
        const uint32_t a = broad->pairs[i].a, b = broad->pairs[i].b;
        const uint32_t ca = c->proxies.collider[a], cb = c->proxies.collider[b];
        assert_true(ca < c->count && cb < c->count && ca != cb);
        assert_true(is_active(c, a) || is_active(c, b));
        assert_true(crowd_boxes_overlap(crowd_box(c, a), crowd_box(c, b)));
        uint8_t *here = &seen[ca < cb ? (size_t)ca * c->count + cb : (size_t)cb * c->count + ca];
        assert_int_equal(*here, 0);
        *here = 1;
    }
    size_t expected = 0;
    for (uint32_t ca = 0; ca < c->count; ++ca)
    {
        const uint32_t a = c->proxies.proxy_of[ca];
        for (uint32_t cb = ca + 1; a != ABUT_NONE && cb < c->count; ++cb)
        {
            const uint32_t b = c->proxies.proxy_of[cb];
            expected += b != ABUT_NONE && (is_active(c, a) || is_active(c, b)) &&
                        crowd_boxes_overlap(crowd_box(c, a), crowd_box(c, b));
        }
    }
    assert_int_equal(found, expected);
    free(seen);
}

static uint64_t hash_pairs(uint64_t hash, const ab_broad *broad)
{
    for (size_t i = 0; i < arrlenu(broad->pairs); ++i)
    {
        hash = (hash ^ broad->pairs[i].a) * 0x100000001b3u;
        hash = (hash ^ broad->pairs[i].b) * 0x100000001b3u;
    }
    return (hash ^ broad->box_tests) * 0x100000001b3u;
}

static void every_pair_is_found_once_for_any_number_of_bodies_anywhere(void **state)
{
    (void)state;
    static const uint32_t counts[] = { 0, 1, 2, 7, 8, 9, 63, 64, 65, 200, 511, 512, 513 };
    EVERY_ROW(kind)
    {
        for (uint32_t n = 0; n < sizeof counts / sizeof *counts; ++n)
        {
            for (uint32_t l = 0; l < LAYOUTS; ++l)
            {
                uint64_t first_hash = 0;
                EVERY_ISA(isa)
                {
                    random_source random = random_start(n);
                    crowd c;
                    ab_broad broad;
                    crowd_open(&c, counts[n]);
                    open_row(&broad, &c, kind, isa);
                    for (uint32_t i = 0; i < counts[n]; ++i)
                    {
                        add_placed(&c, &random, layouts[l], i, counts[n]);
                    }
                    run_row(&broad, &c);
                    assert_all_pairs_found(&broad, &c);
                    const uint64_t hash = hash_pairs(0xcbf29ce484222325u, &broad);
                    first_hash = isa == ABUT_ISA_SCALAR ? hash : first_hash;
                    assert_int_equal(hash, first_hash);
                    close_row(&broad, &c);
                }
            }
        }
    }
}

static void drift(crowd *c, random_source *random, double by)
{
    for (uint32_t i = 0; i < c->count; ++i)
    {
        if (c->proxies.proxy_of[i] == ABUT_NONE || is_active(c, c->proxies.proxy_of[i]))
        {
            const abut_vec3 step = random_narrow(random_in_box(random, by));
            c->poses[i].position = abut_vec3_add(c->poses[i].position, step);
        }
    }
}

// What a world may do to its proxies between two detects.
static void edit(crowd *c, random_source *random, layout *where)
{
    const uint32_t appended = random_below(random, 4) ? random_below(random, 20) : random_below(random, 200);
    for (uint32_t i = 0; i < appended && c->count < c->room; ++i)
    {
        add_placed(c, random, where, c->count, c->room);
    }
    const double removing = random_below(random, 8) ? 0.03 : 0.6, settling = random_below(random, 4) ? 0.01 : 0.3;
    for (uint32_t i = 0; i < c->count; ++i)
    {
        const uint32_t proxy = c->proxies.proxy_of[i];
        if (proxy == ABUT_NONE)
        {
            if (random_chance(random, 0.02))
            {
                assert_true(crowd_append(c, i));
            }
        }
        else if (random_chance(random, removing))
        {
            ab_proxies_remove(&c->proxies, proxy);
        }
        else if (is_active(c, proxy) && c->proxies.block[proxy / AB_BLOCK].min_x[proxy % AB_BLOCK] != AB_EMPTY_BOX &&
                 random_chance(random, settling))
        {
            assert_true(ab_proxies_reserve(&c->proxies, &c->memory, AB_STATIC_SET, 1, c->room));
            ab_proxies_make_static(&c->proxies, c->proxies.proxy_of[i]);
        }
    }
}

static void every_pair_is_found_once_while_bodies_come_go_move_and_sleep(void **state)
{
    (void)state;
    EVERY_ROW(kind)
    {
        for (uint64_t seed = 1; seed <= 3 * LAYOUTS; ++seed)
        {
            uint64_t first_hash = 0;
            EVERY_ISA(isa)
            {
                random_source random = random_start(seed);
                layout *where = layouts[seed % LAYOUTS];
                uint64_t hash = 0xcbf29ce484222325u;
                crowd c;
                ab_broad broad;
                crowd_open(&c, 600);
                open_row(&broad, &c, kind, isa);
                const uint32_t frames = random_share_of(60, 20);
                for (uint32_t frame = 0; frame < frames; ++frame)
                {
                    run_row(&broad, &c);
                    assert_all_pairs_found(&broad, &c);
                    hash = hash_pairs(hash, &broad);
                    drift(&c, &random, 0.1);
                    if (frame % 5 != 4)
                    {
                        edit(&c, &random, where);
                    }
                }
                first_hash = isa == ABUT_ISA_SCALAR ? hash : first_hash;
                assert_int_equal(hash, first_hash);
                close_row(&broad, &c);
            }
        }
    }
}

static void a_bad_pose_is_named_and_the_next_update_is_sound(void **state)
{
    (void)state;
    EVERY_ROW(kind)
    {
        crowd c;
        ab_broad broad;
        random_source random = random_start(1);
        crowd_open(&c, 200);
        open_row(&broad, &c, kind, abut_isa_best());
        for (uint32_t i = 0; i < 200; ++i)
        {
            add_placed(&c, &random, in_a_cloud, i, 200);
        }
        for (uint32_t i = 0; i < 200; i += 7)
        {
            const float before = c.poses[i].position.y;
            const ab_bounds_in in = crowd_bounds_in(&c, 0.0f, 0.0f);
            c.poses[i].position.y = NAN;
            assert_int_equal(broad_update(&broad, &in), ABUT_INVALID_ARGUMENT);
            assert_int_equal(c.proxies.collider[broad.bad_proxy], i);
            c.poses[i].position.y = before;
            run_row(&broad, &c);
            assert_all_pairs_found(&broad, &c);
        }
        close_row(&broad, &c);
    }
}

static void running_out_of_memory_is_reported_and_loses_nothing(void **state)
{
    (void)state;
    EVERY_ROW(kind)
    {
        for (uint32_t allowed = 0; allowed < 12; ++allowed)
        {
            crowd c;
            ab_broad broad;
            source s = { .first_failed = NEVER, .lasting = true };
            random_source random = random_start(allowed);
            crowd_open(&c, 400);
            ab_memory_open(&c.memory, &(abut_allocator){ lend, take_back, &s });
            open_row(&broad, &c, kind, abut_isa_best());
            for (uint32_t frame = 0; frame < 3; ++frame)
            {
                for (uint32_t i = 0; i < 120; ++i)
                {
                    add_placed(&c, &random, at_one_point, i, 400);
                }
                fail_after(&s, allowed);
                const ab_bounds_in in = crowd_bounds_in(&c, 0.0f, 0.0f);
                abut_status status = broad_update(&broad, &in);
                status = status == ABUT_OK ? broad_pairs(&broad) : status;
                assert_true(status == ABUT_OK || status == ABUT_OUT_OF_MEMORY);
                ab_proxies_check(&c.proxies);
                fail_after(&s, NEVER);
                run_row(&broad, &c);
                assert_all_pairs_found(&broad, &c);
            }
            close_row(&broad, &c);
        }
    }
}

// Four thousand million pairs would be too many for a test: the counter is made to say so.
static void more_pairs_than_can_be_counted_are_a_limit_and_ask_for_no_memory(void **state)
{
    (void)state;
    crowd c;
    ab_broad broad;
    ab_pair_writer *writer = malloc(sizeof *writer);
    uint32_t tasks = 7;
    crowd_open(&c, 1);
    open_row(&broad, &c, ABUT_BROAD_BRUTE, abut_isa_best());
    assert_true(ab_pair_writers_open(&broad, 2));
    const uint64_t bytes = c.memory.bytes;
    atomic_store(&broad.claimed_pairs, (size_t)AB_MOST_PAIRS);
    ab_pair_writer_open(writer, &broad, 0);
    for (uint32_t i = 0; i < 100; ++i)
    {
        (void)ab_pair_writer_room(writer);
        ab_pair_writer_took(writer, AB_PAIR_WRITER_MOST);
    }
    ab_pair_writer_close(writer);
    assert_true(atomic_load(&broad.claimed_pairs) <= (size_t)AB_MOST_PAIRS + 2 * AB_PAIR_WRITER_MOST);
    assert_int_equal(ab_pair_writers_repeat(&broad, &tasks), ABUT_LIMIT);
    assert_true(tasks == 7 && c.memory.bytes == bytes);
    free(writer);
    close_row(&broad, &c);
}

static void a_scene_at_rest_allocates_nothing(void **state)
{
    (void)state;
    EVERY_ROW(kind)
    {
        crowd c;
        ab_broad broad;
        random_source random = random_start(2);
        crowd_open(&c, 3000);
        open_row(&broad, &c, kind, abut_isa_best());
        for (uint32_t i = 0; i < 3000; ++i)
        {
            add_placed(&c, &random, in_a_cloud, i, 3000);
        }
        uint64_t allocations = 0;
        for (uint32_t frame = 0; frame < 60; ++frame)
        {
            allocations = frame == 20 ? c.memory.allocations : allocations;
            run_row(&broad, &c);
            drift(&c, &random, 0.05);
        }
        assert_int_equal(c.memory.allocations, allocations);
        close_row(&broad, &c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_is_found_once_for_any_number_of_bodies_anywhere),
        cmocka_unit_test(every_pair_is_found_once_while_bodies_come_go_move_and_sleep),
        cmocka_unit_test(a_bad_pose_is_named_and_the_next_update_is_sound),
        cmocka_unit_test(running_out_of_memory_is_reported_and_loses_nothing),
        cmocka_unit_test(more_pairs_than_can_be_counted_are_a_limit_and_ask_for_no_memory),
        cmocka_unit_test(a_scene_at_rest_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
