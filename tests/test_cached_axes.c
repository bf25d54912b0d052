// The cached separating axis of a contact: found again for every pair of colliders, across sleep, in 2D as in 3D, and
// alike on every instruction set, broad phase and number of threads.
#include "couple.h"

#include "base/array.h"
#include "world/world.h"

#include <abut/state.h>

#include <math.h>
#include <string.h>

enum
{
    PAIRS = 300
};

// A cached axis goes to sleep and wakes with its contact.
static void a_cached_axis_outlasts_sleep(void **state)
{
    (void)state;
    uint32_t tried = 0;
    const random_seeds seeds = random_seeds_of(200);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(5000 + seed);
        const border p = border_random(&random);
        couple c = single_threaded(&p, seed % 2);
        uint32_t kept = NO_AXIS;
        for (uint32_t frame = 0; frame < 30 && kept == NO_AXIS; ++frame)
        {
            const abut_pose pose = trembling(&p, &random, p.tolerance);
            const uint32_t code = axis_at(&c, pose);
            couple new_couple = single_threaded(&p, c.swapped);
            kept = axis_at(&new_couple, pose) != code ? code : NO_AXIS;
            abut_world_destroy(new_couple.world);
        }
        const abut_body both[2] = { c.a, c.b };
        assert_int_equal(abut_body_set_awake_many(c.world, both, 2, false), ABUT_OK);
        for (uint32_t frame = 0; frame < 3; ++frame)
        {
            detect(c.world);
        }
        assert_int_equal(asleep(c.world), 1);
        if (kept != NO_AXIS)
        {
            assert_int_equal(axis_in(&c, ABUT_ASLEEP), kept);
            sound(c.world, seed);
            assert_int_equal(abut_body_set_awake(c.world, seed % 4 < 2 ? c.a : c.b, true), ABUT_OK);
            detect(c.world);
            assert_int_equal(axis_in(&c, ABUT_AWAKE), kept);
            sound(c.world, seed);
            ++tried;
        }
        abut_world_destroy(c.world);
    }
    assert_true(tried > 20 || !random_seeds_all());
}

enum
{
    SCATTERED = 80
};

// The axis found for the two proxies, whichever comes first.
static uint32_t found_axis(abut_world *world, const ab_cached_axes *cached, uint32_t slot_a, uint32_t slot_b)
{
    const uint32_t proxy[2] = { world->cache.proxies.proxy_of[slot_a], world->cache.proxies.proxy_of[slot_b] };
    const uint32_t a[2] = { proxy[0], proxy[1] }, b[2] = { proxy[1], proxy[0] };
    uint32_t axes[2];
    cached->find(cached->store, world->cache.proxies.record, a, b, 2, axes);
    assert_int_equal(axes[0], axes[1]);
    return axes[0];
}

// Says of each pair of colliders what the contacts say.
static uint32_t find_all_axes(abut_world *world, const abut_collider *colliders)
{
    static uint32_t expected[SCATTERED][SCATTERED];
    uint32_t known = 0;
    memset(expected, 0xff, sizeof expected);
    for (abut_contact_set set = ABUT_AWAKE; set <= ABUT_ASLEEP; ++set)
    {
        const abut_contacts all = abut_world_contacts(world, set);
        for (uint32_t i = 0; i < all.count; ++i)
        {
            const abut_contact *contact = abut_contact_at(&all, i);
            const abut_contact_colliders own = abut_colliders_of(&all, contact);
            expected[own.a.slot][own.b.slot] = contact->points[0].feature >> 8;
        }
        known += all.count;
    }
    const ab_cached_axes cached = ab_world_cached_axes(world, true);
    assert_int_equal(ab_phases_run(ab_cached_axis_phases, &world->cache.cached), ABUT_OK);
    for (uint32_t i = 0; i < SCATTERED; ++i)
    {
        for (uint32_t j = i + 1; j < SCATTERED; ++j)
        {
            const uint32_t slot_a = colliders[i].slot, slot_b = colliders[j].slot, due = expected[slot_a][slot_b];
            assert_int_equal(found_axis(world, &cached, slot_a, slot_b), due == UINT32_MAX ? AB_NO_AXIS : due);
        }
    }
    return known;
}

// One body touches many, so that what follows its first contacts is found as well; some fall asleep and some go away.
static void every_contact_has_its_axis_found(void **state)
{
    (void)state;
    random_source random = random_start(3);
    for (uint32_t threads = 0; threads <= 2; threads += 2)
    {
        abut_world *world = open_world(&(abut_world_def){ .threads = threads });
        ab_world_set_granularity(world, threads ? (ab_granularity){ 16, 0 } : world->work.granularity);
        abut_body body[SCATTERED];
        abut_collider collider[SCATTERED];
        for (uint32_t i = 0; i < SCATTERED; ++i)
        {
            const abut_shape shape = i == 2 ? abut_shape_obb(6, 1, 6) : abut_shape_obb(0.5f, 0.4f, 0.6f);
            abut_body_def def = { .collider.shape = shape,
                                  .pose.rotation = random_narrow_rotation(random_rotation(&random)) };
            def.pose.position = random_narrow(random_in_box(&random, i == 2 ? 0.0 : 4.0));
            assert_int_equal(abut_body_create(world, &def, &body[i]), ABUT_OK);
            uint32_t count = 0;
            assert_int_equal(abut_body_colliders(world, body[i], &collider[i], 1, &count), ABUT_OK);
        }
        detect(world);
        assert_true(find_all_axes(world, collider) > 40);
        assert_int_equal(abut_body_set_awake_many(world, body, SCATTERED / 2, false), ABUT_OK);
        for (uint32_t frame = 0; frame < 3; ++frame)
        {
            detect(world);
        }
        assert_true(asleep(world) > 5);
        assert_true(find_all_axes(world, collider) > 40);
        sound(world, threads);
        abut_world_destroy(world);
    }
}

enum
{
    TOWERS = SCATTERED / 2
};

static uint32_t contact_count(abut_world *world)
{
    return abut_world_contacts(world, ABUT_AWAKE).count;
}

// Pairs of boxes, one upon the other. Where manifolds are recycled, and all that are computed anew are of contacts that
// there were, the list of contacts stays, and what finds pairs in it; it is another one when a contact begins or ends.
static void a_list_of_the_same_contacts_is_found_as_it_was(void **state)
{
    (void)state;
    for (uint32_t threads = 0; threads <= 2; threads += 2)
    {
        abut_world *world = open_world(&(abut_world_def){ .threads = threads, .recycle_distance = 0.1f });
        ab_world_set_granularity(world, threads ? (ab_granularity){ 16, 0 } : world->work.granularity);
        abut_body body[SCATTERED];
        abut_collider collider[SCATTERED];
        abut_pose pose[SCATTERED];
        uint32_t count = 0;
        for (uint32_t i = 0; i < SCATTERED; ++i)
        {
            abut_body_def def = { .collider.shape = abut_shape_obb(0.5f, 0.5f, 0.5f) };
            def.pose.position = abut_vec3_make(4.0f * (float)(i / 2), 0.99f * (float)(i % 2), 0.0f);
            def.pose.rotation = abut_quat_identity();
            pose[i] = def.pose;
            assert_int_equal(abut_body_create(world, &def, &body[i]), ABUT_OK);
            assert_int_equal(abut_body_colliders(world, body[i], &collider[i], 1, &count), ABUT_OK);
        }
        detect(world);
        detect(world);
        uint64_t listings = world->state.store.listings;
        for (uint32_t frame = 1; frame <= 6; ++frame)
        {
            const bool leaves = frame == 3, returns = frame == 5;
            pose[2 * frame].position.x += 0.2f; // past what is recycled
            pose[31].position.y += leaves ? 2.0f : returns ? -2.0f : 0.0f;
            assert_int_equal(abut_body_set_pose(world, body[2 * frame], &pose[2 * frame]), ABUT_OK);
            assert_int_equal(abut_body_set_pose(world, body[31], &pose[31]), ABUT_OK);
            detect(world);
            assert_true(world->statistics.recycled > 0 && world->statistics.recycled < TOWERS);
            assert_int_equal(contact_count(world), TOWERS - (frame == 3 || frame == 4));
            assert_int_equal(world->state.store.listings, listings + (leaves || returns));
            listings = world->state.store.listings;
            assert_int_equal(find_all_axes(world, collider), contact_count(world));
            sound(world, frame);
        }
        abut_world_destroy(world);
    }
}

// Many such pairs in one world, eight metres from each other.
typedef struct crowd
{
    border pair[PAIRS];
    abut_body body[2 * PAIRS];
} crowd;

static abut_vec3 place_of(uint32_t i)
{
    return abut_vec3_make(8.0f * (float)(i % 18), 0.0f, 8.0f * (float)(i / 18));
}

static abut_pose placed(abut_pose pose, uint32_t i)
{
    pose.position = abut_vec3_add(pose.position, place_of(i));
    return pose;
}

static abut_world *populate(crowd *c, const abut_world_def *def)
{
    abut_world *world = open_world(def);
    for (uint32_t i = 0; i < 2 * PAIRS; ++i)
    {
        const uint32_t side = (i + i / 2) % 2; // every other pair begins with its b
        const border *p = &c->pair[i / 2];
        const abut_body_def body = { .pose = placed(side ? p->pose_b : p->pose_a, i / 2),
                                     .collider.shape = side ? p->b : p->a };
        assert_int_equal(abut_body_create(world, &body, &c->body[i / 2 * 2 + side]), ABUT_OK);
    }
    return world;
}

static void advance_crowd(crowd *c, abut_world *world, uint32_t frame)
{
    random_source random = random_start(frame + 1);
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        const abut_pose pose = placed(trembling(&c->pair[i], &random, c->pair[i].tolerance), i);
        assert_int_equal(abut_body_set_pose(world, c->body[2 * i + 1], &pose), ABUT_OK);
        if (i % 7 == frame % 7)
        {
            assert_int_equal(abut_body_set_awake_many(world, &c->body[2 * i], 2, frame % 2), ABUT_OK);
        }
    }
    detect(world);
}

static void a_crowd_at_borders_has_one_hash(void **state)
{
    (void)state;
    enum
    {
        STEPS = 40
    };
    static crowd c;
    uint64_t expected[STEPS] = { 0 };
    random_source random = random_start(77);
    for (uint32_t i = 0; i < PAIRS; ++i)
    {
        c.pair[i] = border_random(&random);
    }
    for (uint32_t isa = ABUT_ISA_SCALAR; isa < ABUT_ISA_COUNT; ++isa)
    {
        for (uint32_t broad = ABUT_BROAD_BRUTE; abut_isa_available((abut_isa)isa) && broad < ABUT_BROAD_COUNT; ++broad)
        {
            abut_world *world = populate(&c, &(abut_world_def){ .isa = (abut_isa)isa,
                                                                .broad = (abut_broad_kind)broad,
                                                                .threads = broad == ABUT_BROAD_GRID ? 2 : 0 });
            for (uint32_t frame = 0; frame < STEPS; ++frame)
            {
                advance_crowd(&c, world, frame);
                const uint64_t hash = abut_world_hash(world);
                expected[frame] = expected[frame] ? expected[frame] : hash;
                assert_int_equal(hash, expected[frame]);
                if (isa == ABUT_ISA_SCALAR && broad == ABUT_BROAD_BVH)
                {
                    sound(world, frame);
                }
            }
            abut_world_destroy(world);
        }
    }
}

static uint32_t side_of(uint32_t feature)
{
    return feature >> 8;
}

// Two equal rectangles, one on the other: either has a side that is as good, and alone, without a world, they take
// turns.
static void rectangles_that_lie_flat_keep_their_side(void **state)
{
    enum
    {
        FRAMES = 300
    };
    (void)state;
    uint32_t changes_alone = 0;
    const random_seeds seeds = random_seeds_of(50);
    for (uint64_t seed = seeds.first; seed < seeds.end; ++seed)
    {
        random_source random = random_start(seed);
        const double x = random_between(&random, 0.3, 1.0), y = random_between(&random, 0.3, 1.0);
        const abut_shape shape = abut_shape_obb((float)x, (float)y, 0.0f);
        const double aside = random_between(&random, -x, x), turn = random_between(&random, -3.0, 3.0);
        abut_world *world = open_world(&(abut_world_def){ .dimension = 2 });
        abut_body body[2];
        uint32_t last = 0, last_alone = 0, changes = 0;
        for (uint32_t frame = 0; frame < FRAMES; ++frame)
        {
            const double tremble = random_between(&random, -5e-5, 5e-5), up = 1.99 * y;
            const abut_pose pose[2] = { abut_pose_2d(0.0f, 0.0f, (float)turn),
                                        abut_pose_2d((float)(aside * cos(turn) - up * sin(turn)),
                                                     (float)(aside * sin(turn) + up * cos(turn)),
                                                     (float)(turn + tremble)) };
            for (uint32_t k = 0; k < 2; ++k)
            {
                const uint32_t which = seed % 2 ? k : 1 - k;
                const abut_body_def def = { .pose = pose[which], .collider.shape = shape };
                assert_int_equal(frame ? abut_body_set_pose(world, body[which], &pose[which])
                                       : abut_body_create(world, &def, &body[which]),
                                 ABUT_OK);
            }
            detect(world);
            assert_int_equal(touching(world), 1);
            abut_manifold m;
            assert_int_equal(abut_collide_2d(&shape, &pose[0], &shape, &pose[1], 0.0f, &m), ABUT_OK);
            const uint32_t side = side_of(contact_at(world, ABUT_AWAKE, 0)->points[0].feature),
                           side_alone = side_of(m.points[0].feature);
            changes += frame && side != last;
            changes_alone += frame && side_alone != last_alone;
            last = side;
            last_alone = side_alone;
        }
        assert_int_equal(changes, 0);
        sound(world, seed);
        abut_world_destroy(world);
    }
    assert_true(changes_alone > (random_seeds_all() ? 1000u : 0u) || getenv("ABUT_SEED"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cached_axis_outlasts_sleep),
        cmocka_unit_test(every_contact_has_its_axis_found),
        cmocka_unit_test(a_list_of_the_same_contacts_is_found_as_it_was),
        cmocka_unit_test(a_crowd_at_borders_has_one_hash),
        cmocka_unit_test(rectangles_that_lie_flat_keep_their_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
