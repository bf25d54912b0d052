#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "broad_crowd.h"
#include "scarce_memory.h"

static void fill(crowd *c, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const abut_vec3 position = abut_vec3_make((float)i, 0.0f, 0.0f);
        assert_true(crowd_append(c, crowd_add(c, abut_shape_sphere(0.25f), position, abut_quat_identity())));
    }
}

static void a_proxy_keeps_its_collider_while_the_arrays_grow(void **state)
{
    (void)state;
    crowd c;
    crowd_open(&c, 1000);
    fill(&c, 20);
    assert_int_equal(crowd_bound(&c, ABUT_ISA_SCALAR, 0.0f, 0.0f), ABUT_NONE);
    for (uint32_t i = 0; i < 10; ++i)
    {
        assert_true(ab_proxies_reserve(&c.proxies, &c.memory, AB_STATIC_SET, 1, c.room));
        ab_proxies_make_static(&c.proxies, c.proxies.proxy_of[2 * i]);
    }
    fill(&c, 500);
    ab_proxies_check(&c.proxies);
    for (uint32_t i = 0; i < 10; ++i)
    {
        const uint32_t proxy = c.proxies.proxy_of[2 * i];
        assert_int_equal(ab_proxies_set_of(&c.proxies, proxy), AB_STATIC_SET);
        assert_int_equal(c.proxies.collider[proxy], 2 * i);
        assert_int_equal(c.proxies.record[proxy].collider_key, 2 * i << 8);
        assert_true(crowd_box(&c, proxy).min.x <= (float)(2 * i) - 0.25f);
        assert_true(crowd_box(&c, proxy).max.x >= (float)(2 * i) + 0.25f);
    }
    crowd_close(&c);
}

static void removing_in_any_order_leaves_dead_lanes_and_frees_the_tail(void **state)
{
    (void)state;
    crowd c;
    crowd_open(&c, 300);
    random_source random = random_start(7);
    fill(&c, 300);
    crowd_bound(&c, ABUT_ISA_SCALAR, 0.0f, 0.0f);
    for (uint32_t left = 300; left > 0;)
    {
        const uint32_t collider = random_below(&random, 300);
        if (c.proxies.proxy_of[collider] != ABUT_NONE)
        {
            ab_proxies_remove(&c.proxies, c.proxies.proxy_of[collider]);
            --left;
            ab_proxies_check(&c.proxies);
            assert_int_equal(c.proxies.region[AB_ACTIVE].live, left);
        }
    }
    assert_int_equal(c.proxies.region[AB_ACTIVE].tail, 0);
    assert_int_equal(c.proxies.region[AB_ACTIVE].revision, 600);
    crowd_close(&c);
}

static void creating_and_removing_by_turns_takes_no_room(void **state)
{
    (void)state;
    crowd c;
    crowd_open(&c, 10);
    fill(&c, 3);
    const uint64_t before = c.memory.allocations;
    const uint32_t collider = crowd_add(&c, abut_shape_sphere(1.0f), abut_vec3_make(0, 0, 0), abut_quat_identity());
    for (uint32_t i = 0; i < 10000; ++i)
    {
        assert_true(crowd_append(&c, collider));
        ab_proxies_remove(&c.proxies, c.proxies.proxy_of[collider]);
    }
    assert_int_equal(c.memory.allocations, before);
    crowd_close(&c);
}

// Regions double: arrays that doubled as well would stay half empty.
static void arrays_have_room_for_both_regions_and_no_more(void **state)
{
    (void)state;
    crowd c;
    crowd_open(&c, 1000);
    const ab_proxies *p = &c.proxies;
    for (uint32_t filled = 0; filled < 1000; filled += 100)
    {
        fill(&c, 100);
        assert_true(ab_proxies_reserve(&c.proxies, &c.memory, AB_STATIC_SET, 1 + filled / 4, c.room));
        const size_t blocks = p->region[AB_ACTIVE].room + p->region[AB_STATIC_SET].room, count = blocks * AB_BLOCK;
        assert_int_equal(arrcap(p->block), blocks);
        assert_int_equal(arrcap(p->aabb), blocks);
        assert_int_equal(arrcap(p->record), count);
        assert_int_equal(arrcap(p->collider), count);
        assert_int_equal(arrcap(p->proxy_flags), count);
        assert_int_equal(arrcap(p->collider_key), count);
        assert_int_equal(arrcap(p->name), count);
    }
    crowd_close(&c);
}

// The live proxies of the set from `first` on, backwards.
static uint32_t backwards(const ab_proxies *proxies, ab_set set, uint32_t first, uint32_t *order)
{
    const ab_region *region = &proxies->region[set];
    uint32_t count = 0;
    for (uint32_t i = region->tail; i > first; --i)
    {
        const uint32_t proxy = region->first * AB_BLOCK + i - 1;
        if (proxies->collider[proxy] != ABUT_NONE)
        {
            order[count++] = proxy;
        }
    }
    return count;
}

// Whether a live proxy has the name that it was described with.
static bool is_named(const ab_proxies *proxies, uint32_t proxy)
{
    const uint32_t collider = proxies->collider[proxy];
    const ab_contact_name *name = &proxies->name[proxy];
    return name->body.slot == collider && name->body.generation == 2 * collider + 1 &&
           name->collider.slot == collider && name->collider.generation == 3 * collider + 1;
}

static void a_permutation_moves_every_proxy_to_its_index_and_closes_the_gaps(void **state)
{
    (void)state;
    for (ab_set set = AB_ACTIVE; set < AB_SET_COUNT; ++set)
    {
        for (uint32_t first = 0; first < 40; first += 13)
        {
            crowd c;
            crowd_open(&c, 100);
            uint32_t order[100], colliders[100];
            assert_true(ab_proxies_need_reach(&c.proxies, &c.memory));
            assert_true(ab_proxies_need_offset(&c.proxies, &c.memory));
            fill(&c, 100);
            crowd_bound(&c, ABUT_ISA_SCALAR, 0.0f, 0.0f);
            for (uint32_t i = 0; set == AB_STATIC_SET && i < 100; ++i)
            {
                assert_true(ab_proxies_reserve(&c.proxies, &c.memory, AB_STATIC_SET, 1, c.room));
                ab_proxies_make_static(&c.proxies, c.proxies.proxy_of[i]);
            }
            for (uint32_t i = 0; i < 100; i += 3)
            {
                ab_proxies_remove(&c.proxies, c.proxies.proxy_of[i]);
            }
            const uint32_t count = backwards(&c.proxies, set, first, order);
            for (uint32_t i = 0; i < count; ++i)
            {
                colliders[i] = c.proxies.collider[order[i]];
            }
            void *scratch = ab_memory_take(&c.memory, ab_proxies_permute_bytes(set, count));
            ab_proxies_permute(&c.proxies, set, first, order, count, scratch);
            ab_memory_give(&c.memory, scratch, ab_proxies_permute_bytes(set, count));
            if (set == AB_ACTIVE)
            {
                crowd_bound(&c, ABUT_ISA_SCALAR, 0.0f, 0.0f);
            }
            ab_proxies_check(&c.proxies);
            const ab_region *region = &c.proxies.region[set];
            assert_int_equal(region->tail, first + count);
            assert_int_equal(region->ordered, region->tail);
            for (uint32_t i = 0; i < count; ++i)
            {
                const uint32_t proxy = region->first * AB_BLOCK + first + i;
                assert_int_equal(c.proxies.collider[proxy], colliders[i]);
                assert_true(is_named(&c.proxies, proxy));
                assert_int_equal(c.proxies.record[proxy].collider_key, colliders[i] << 8);
                assert_true(c.proxies.record[proxy].position[0] == (float)colliders[i]);
                assert_true(c.proxies.record[proxy].half_y == 0.25f);
                assert_true(crowd_box(&c, proxy).min.x <= (float)colliders[i] - 0.25f);
                assert_true(crowd_box(&c, proxy).min.x >= (float)colliders[i] - 0.251f);
            }
            crowd_close(&c);
        }
    }
}

static void room_is_freed_once_most_proxies_are_static_and_only_then(void **state)
{
    (void)state;
    crowd c;
    crowd_open(&c, 20000);
    assert_true(ab_proxies_need_offset(&c.proxies, &c.memory));
    assert_true(ab_proxies_reserve(&c.proxies, &c.memory, AB_ACTIVE, 20000, c.room));
    fill(&c, 20000);
    crowd_bound(&c, ABUT_ISA_SCALAR, 0.0f, 0.0f);
    for (uint32_t moved = 0; moved < 19900; ++moved)
    {
        if (moved == 100)
        {
            const uint64_t before = c.memory.allocations;
            ab_proxies_trim(&c.proxies, &c.memory); // much room was reserved, and is about to be used
            assert_int_equal(c.memory.allocations, before);
        }
        assert_true(ab_proxies_reserve(&c.proxies, &c.memory, AB_STATIC_SET, 1, c.room));
        ab_proxies_make_static(&c.proxies, c.proxies.proxy_of[moved]);
    }
    for (uint32_t i = 19900; i < 19990; ++i)
    {
        ab_proxies_remove(&c.proxies, c.proxies.proxy_of[i]);
    }
    uint32_t order[10];
    char scratch[1024];
    const uint32_t left = backwards(&c.proxies, AB_ACTIVE, 0, order);
    assert_int_equal(left, 10);
    ab_proxies_permute(&c.proxies, AB_ACTIVE, 0, order, left, scratch);
    crowd_bound(&c, ABUT_ISA_SCALAR, 0.0f, 0.0f);
    const uint64_t bytes = c.memory.bytes;
    ab_proxies_trim(&c.proxies, &c.memory);
    ab_proxies_check(&c.proxies);
    assert_true(c.memory.bytes < bytes - 19000 * sizeof(ab_record));
    for (uint32_t i = 0; i < 20000; ++i)
    {
        const uint32_t proxy = c.proxies.proxy_of[i];
        assert_int_equal(proxy == ABUT_NONE, i >= 19900 && i < 19990);
        if (proxy != ABUT_NONE)
        {
            assert_int_equal(c.proxies.record[proxy].collider_key, i << 8);
            assert_true(is_named(&c.proxies, proxy));
            assert_true(crowd_box(&c, proxy).min.x <= (float)i && crowd_box(&c, proxy).max.x >= (float)i);
        }
    }
    const uint64_t allocations = c.memory.allocations;
    ab_proxies_trim(&c.proxies, &c.memory);
    assert_int_equal(c.memory.allocations, allocations);
    crowd_close(&c);
}

static void running_out_of_memory_changes_nothing(void **state)
{
    (void)state;
    for (uint32_t allowed = 0; allowed < 20; ++allowed)
    {
        source s = { .first_failed = 100, .lasting = true };
        crowd c;
        crowd_open(&c, 2000);
        ab_memory_open(&c.memory, &(abut_allocator){ lend, take_back, &s });
        fill(&c, 100);
        crowd_bound(&c, ABUT_ISA_SCALAR, 0.0f, 0.0f);
        fail_after(&s, allowed);
        const ab_region before = c.proxies.region[AB_ACTIVE];
        const bool grown = ab_proxies_reserve(&c.proxies, &c.memory, AB_ACTIVE, 1000, 2000);
        assert_true(grown || memcmp(&before, &c.proxies.region[AB_ACTIVE], sizeof before) == 0);
        assert_true(allowed > 0 || !grown);
        assert_true(allowed < 19 || grown);
        ab_proxies_check(&c.proxies);
        fail_after(&s, 100);
        fill(&c, 1000);
        ab_proxies_check(&c.proxies);
        crowd_close(&c);
    }
}

static void running_out_of_memory_keeps_the_room(void **state)
{
    (void)state;
    source s = { .first_failed = NEVER, .lasting = true };
    crowd c;
    crowd_open(&c, 5000);
    ab_memory_open(&c.memory, &(abut_allocator){ lend, take_back, &s });
    assert_true(ab_proxies_need_reach(&c.proxies, &c.memory));
    assert_true(ab_proxies_need_offset(&c.proxies, &c.memory));
    fill(&c, 5000);
    crowd_bound(&c, ABUT_ISA_SCALAR, 0.0f, 0.0f);
    assert_true(ab_proxies_reserve(&c.proxies, &c.memory, AB_STATIC_SET, 5000, c.room));
    for (uint32_t i = 0; i < 5000; ++i)
    {
        ab_proxies_make_static(&c.proxies, c.proxies.proxy_of[i]);
    }
    const uint32_t room = c.proxies.region[AB_ACTIVE].room;
    bool trimmed = false;
    for (uint32_t allowed = 0; !trimmed; ++allowed)
    {
        const uint64_t bytes = c.memory.bytes;
        fail_after(&s, allowed);
        ab_proxies_trim(&c.proxies, &c.memory);
        ab_proxies_check(&c.proxies);
        trimmed = c.proxies.region[AB_ACTIVE].room < room;
        assert_true(trimmed || c.memory.bytes == bytes);
        assert_true(allowed > 0 || !trimmed);
    }
    crowd_close(&c);
}

// What the active set had room for and no longer needs stays while it is little beside the static set.
static void room_that_is_little_beside_the_static_set_stays(void **state)
{
    (void)state;
    crowd c;
    crowd_open(&c, 16000);
    for (uint32_t made = 0; made < 16000; made += 4800)
    {
        const uint32_t count = 16000 - made < 4800 ? 16000 - made : 4800;
        uint32_t order[1];
        char scratch[1024];
        assert_true(ab_proxies_reserve(&c.proxies, &c.memory, AB_ACTIVE, count, c.room));
        fill(&c, count);
        assert_true(ab_proxies_reserve(&c.proxies, &c.memory, AB_STATIC_SET, count, c.room));
        for (uint32_t i = made; i < made + count; ++i)
        {
            ab_proxies_make_static(&c.proxies, c.proxies.proxy_of[i]);
        }
        ab_proxies_permute(&c.proxies, AB_ACTIVE, 0, order, 0, scratch);
    }
    const uint32_t room = c.proxies.region[AB_ACTIVE].room, immobile = c.proxies.region[AB_STATIC_SET].blocks;
    const uint64_t allocations = c.memory.allocations;
    assert_true(c.proxies.region[AB_ACTIVE].blocks == 0 && room > 560 && room < immobile / 2);
    ab_proxies_trim(&c.proxies, &c.memory);
    assert_int_equal(c.memory.allocations, allocations);
    assert_int_equal(c.proxies.region[AB_ACTIVE].room, room);
    crowd_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_proxy_keeps_its_collider_while_the_arrays_grow),
        cmocka_unit_test(removing_in_any_order_leaves_dead_lanes_and_frees_the_tail),
        cmocka_unit_test(creating_and_removing_by_turns_takes_no_room),
        cmocka_unit_test(arrays_have_room_for_both_regions_and_no_more),
        cmocka_unit_test(a_permutation_moves_every_proxy_to_its_index_and_closes_the_gaps),
        cmocka_unit_test(room_is_freed_once_most_proxies_are_static_and_only_then),
        cmocka_unit_test(room_that_is_little_beside_the_static_set_stays),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
        cmocka_unit_test(running_out_of_memory_keeps_the_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
